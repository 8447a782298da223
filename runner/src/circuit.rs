//! Circuits, as a worker runs them on rows: values of rows as data of inputs, and data of outputs as values.

use crate::data::{Data, Object};
use crate::error::{Error, Result};
use crate::platform::{CLOCK, platform, registry};
use cipherloom::circuit::{Circuit, Execution, RunOptions};
use cipherloom::graph::{Graph, Port};
use cipherloom::math::bits::bytes_of;
use cipherloom::ops::tensor::{Element, Tensor};

/// An open circuit.
pub struct OpenCircuit {
    execution: Execution,
    inputs: Vec<Place>,
    outputs: Vec<Place>,
}

/// An input or output.
struct Place {
    name: String,
    /// None for what is made of words.
    tensor: Option<Tensor>,
    bytes: usize,
}

impl Place {
    fn all(graph: &Graph, ports: &[Port]) -> Vec<Self> {
        let unit = graph.unit_bits();
        let place = |port: &Port| {
            let ty = graph.ty(port.operand);
            let bytes = bytes_of(ty.size.saturating_mul(unit.into()));
            Self { name: port.name.clone(), tensor: Tensor::of(ty, unit).ok(), bytes: bytes as usize }
        };
        ports.iter().map(place).collect()
    }
}

impl OpenCircuit {
    /// Opens a circuit, once for all rows.
    ///
    /// # Errors
    /// Those of reading and planning.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let circuit = Circuit::from_bytes(bytes, registry())?;
        let graph = circuit.graph();
        let (inputs, outputs) = (Place::all(graph, graph.inputs()), Place::all(graph, graph.outputs()));
        let execution = circuit.plan(&platform(), &[], RunOptions::default())?;
        Ok(Self { execution, inputs, outputs })
    }

    /// The value that the circuit gives for one.
    ///
    /// # Errors
    /// For a value that is none of its inputs, without it.
    pub fn call(&self, value: &Data) -> Result<Data> {
        let data = self.data(value)?;
        let data: Vec<(&str, &Vec<u8>)> = data.iter().map(|(name, bytes)| (*name, bytes)).collect();
        let mut run = self.execution.start(&data, CLOCK)?;
        run.finish();
        let mut values = Vec::new();
        for (index, place) in self.outputs.iter().enumerate() {
            values.push((place.name.clone(), value_of(place, self.execution.output(&run, index)?)));
        }
        if values.len() == 1 {
            return Ok(values.swap_remove(0).1);
        }
        Ok(Data::Object(Object::new(values)))
    }

    /// Inputs from a value: that of the only input, or an object with one for each.
    fn data<'d>(&'d self, value: &'d Data) -> Result<Vec<(&'d str, Vec<u8>)>> {
        let place = |name: &str| self.inputs.iter().find(|place| place.name == name);
        match (value, self.inputs.as_slice()) {
            (Data::Object(object), _) => {
                let data = |(name, value)| match place(name) {
                    Some(place) => Ok((name, data_of(place, value)?)),
                    // The run says which names there are.
                    None => Ok((name, Vec::new())),
                };
                object.iter().map(data).collect()
            }
            (value, [only]) => Ok(vec![(&only.name, data_of(only, value)?)]),
            (value, inputs) => {
                let names: Vec<&str> = inputs.iter().map(|place| place.name.as_str()).collect();
                let expected = format!("an object with {}", names.join(", "));
                Err(Error::unexpected("input.type", "The circuit takes", value.sort(), expected))
            }
        }
    }
}

/// Two rows as one value: names of inputs with `a_` before those of the first, `b_` before those of the second; `a` and `b` where values have no names.
pub fn of_both(a: Data, b: Data) -> Data {
    Data::Object(Object::new(prefixed("a", a).into_iter().chain(prefixed("b", b))))
}

fn prefixed(prefix: &str, value: Data) -> Vec<(String, Data)> {
    match value {
        Data::Object(object) => {
            object.iter().map(|(name, value)| (format!("{prefix}_{name}"), value.clone())).collect()
        }
        value => vec![(prefix.to_owned(), value)],
    }
}

/// A tensor of no dimensions is a number, any other one its typed array; what is made of 64-bit words is bytes.
fn value_of(place: &Place, bytes: Vec<u8>) -> Data {
    let Some(tensor) = &place.tensor else { return Data::Bytes(bytes) };
    let single = tensor.shape.is_empty();
    match tensor.element {
        Element::I64 | Element::U64 => Data::Bytes(bytes),
        Element::Bit => {
            let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (at % 8) & 1);
            array(single, (0..tensor.len()).map(bit).collect(), Data::Bytes)
        }
        Element::U8 => array(single, bytes, Data::Bytes),
        Element::I32 => array(single, elements(&bytes, i32::from_le_bytes), Data::Ints),
        Element::U32 => array(single, elements(&bytes, u32::from_le_bytes), Data::Words),
        Element::F32 => array(single, elements(&bytes, f32::from_le_bytes), Data::Floats),
        Element::F64 => array(single, elements(&bytes, f64::from_le_bytes), Data::Doubles),
    }
}

fn elements<T, const N: usize>(bytes: &[u8], element: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|&chunk| element(chunk)).collect()
}

fn array<T: Copy + Into<f64>>(single: bool, elements: Vec<T>, all: impl Fn(Vec<T>) -> Data) -> Data {
    match elements.first() {
        Some(&first) if single => Data::Number(first.into()),
        _ => all(elements),
    }
}

/// The bytes of an input.
fn data_of(place: &Place, value: &Data) -> Result<Vec<u8>> {
    let Place { name, bytes: expected, .. } = place;
    let words = matches!(place.tensor, None | Some(Tensor { element: Element::I64 | Element::U64, .. }));
    if let (true, Data::Bytes(given)) = (words, value) {
        if given.len() == *expected {
            return Ok(given.clone());
        }
        let (found, expected) = (format!("{} bytes", given.len()), format!("{expected} bytes"));
        return Err(Error::unexpected("input.length", &format!("Input {name:?}"), found, expected));
    }
    let at = || format!("Input {name:?}");
    let Some(tensor) = &place.tensor else {
        return Err(Error::unexpected("input.type", &at(), value.sort(), format!("{expected} bytes")));
    };
    let numbers: Vec<f64> = match value {
        Data::Number(number) if tensor.len() == 1 => vec![*number],
        Data::Bytes(array) => array.iter().map(|&number| number.into()).collect(),
        Data::Doubles(array) => array.clone(),
        Data::Floats(array) => array.iter().map(|&number| number.into()).collect(),
        Data::Ints(array) => array.iter().map(|&number| number.into()).collect(),
        Data::Words(array) => array.iter().map(|&number| number.into()).collect(),
        Data::List(items) => {
            let number = |(index, item): (usize, &Data)| match item {
                Data::Number(number) => Ok(*number),
                other => Err(not_held(name, tensor.element, index, other.sort())),
            };
            items.iter().enumerate().map(number).collect::<Result<_>>()?
        }
        other => {
            let expected = format!("{tensor} as an array of numbers");
            return Err(Error::unexpected("input.type", &at(), other.sort(), expected));
        }
    };
    if numbers.len() != tensor.len() {
        let expected = format!("{} elements", tensor.len());
        return Err(Error::unexpected("input.length", &at(), numbers.len(), expected));
    }
    // What is of this type already is taken bit for bit, also where it is not a number.
    if let (Element::F32, Data::Floats(array)) = (tensor.element, value) {
        return Ok(array.iter().flat_map(|number| number.to_le_bytes()).collect());
    }
    let mut out = vec![0; if tensor.element == Element::Bit { *expected } else { 0 }];
    for (index, number) in numbers.into_iter().enumerate() {
        if !holds(tensor.element, number) {
            return Err(not_held(name, tensor.element, index, "another number"));
        }
        match tensor.element {
            Element::Bit => out[index / 8] |= (number as u8) << (index % 8),
            Element::U8 => out.push(number as u8),
            Element::I32 => out.extend((number as i32).to_le_bytes()),
            Element::U32 => out.extend((number as u32).to_le_bytes()),
            Element::I64 => out.extend((number as i64).to_le_bytes()),
            Element::U64 => out.extend((number as u64).to_le_bytes()),
            Element::F32 => out.extend((number as f32).to_le_bytes()),
            Element::F64 => out.extend(number.to_le_bytes()),
        }
    }
    Ok(out)
}

/// The integers that elements hold, as far as numbers say them exactly.
fn range(element: Element) -> Option<(f64, f64)> {
    const SAFE: f64 = crate::key::MOST_WHOLE;
    match element {
        Element::Bit => Some((0.0, 1.0)),
        Element::U8 => Some((0.0, u8::MAX.into())),
        Element::I32 => Some((i32::MIN.into(), i32::MAX.into())),
        Element::U32 => Some((0.0, u32::MAX.into())),
        Element::I64 => Some((-SAFE, SAFE)),
        Element::U64 => Some((0.0, SAFE)),
        Element::F32 | Element::F64 => None,
    }
}

fn holds(element: Element, number: f64) -> bool {
    match range(element) {
        Some((least, most)) => number.fract() == 0.0 && (least..=most).contains(&number),
        // What is finite stays so.
        None => element == Element::F64 || (number as f32).is_finite() || !number.is_finite(),
    }
}

fn not_held(name: &str, element: Element, index: usize, found: &str) -> Error {
    let expected = match range(element) {
        Some((least, most)) => format!("a whole number {least}..{most}"),
        None => format!("a number that {} holds", element.name()),
    };
    let at = format!("Input {name:?}, element {index} (counted from 0)");
    Error::unexpected("range.value", &at, found, expected)
}
