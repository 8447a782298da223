//! Where transformations record operators: expressions, shares, values from elsewhere in the graph.

use super::choices::Choices;
use super::elements::{pack, unpack};
use crate::analyze::{Dependencies, topological_order};
use crate::graph::{Attrs, Graph, OperandId, Placeholder};
use crate::ops::plain::parts;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::types::is_secret;
use crate::ops::{Registry, Session};
use crate::{Error, Result};
use std::collections::HashMap;

/// Bytes up to which a share has the shape of what is shared, if a part that broadcasts will do.
const SMALL: usize = 256;
/// Most bytes of a random constant.
const MOST_SHARE: usize = 4096;

/// An operator as transformations see it.
pub(super) struct Site {
    pub name: String,
    pub attrs: Attrs,
    pub inputs: Vec<OperandId>,
    pub output: OperandId,
    /// Its operation on integers or bits, if it is one, and gives such.
    pub plain: Option<&'static str>,
}

/// Records operators behind those of a graph.
pub(super) struct Recorder<'r> {
    session: Session<'r>,
    registry: &'r Registry,
    pub choices: &'r mut Choices,
    /// Operands that others may read: inputs of the graph, then outputs of operators in topological order.
    sources: Vec<OperandId>,
    /// For each operator, how many of the sources come before it.
    before: Vec<usize>,
    /// How many come before the operator at hand.
    known: usize,
    /// The values of constants, by where they lie.
    constants: HashMap<Placeholder, (Tensor, Vec<u64>)>,
}

impl<'r> Recorder<'r> {
    /// A recorder over a graph with these dependencies.
    ///
    /// # Errors
    /// `Cycle`.
    pub fn new(
        graph: Graph,
        registry: &'r Registry,
        deps: &Dependencies,
        choices: &'r mut Choices,
    ) -> Result<Self> {
        let shown = |operand: OperandId| !is_secret(graph.ty(operand));
        let inputs = graph.inputs().iter().map(|port| port.operand);
        let mut sources: Vec<OperandId> = inputs.filter(|&input| shown(input)).collect();
        let mut before = vec![sources.len(); deps.len()];
        // What nobody reads is an output where none is declared, and must not be read now.
        if !graph.outputs().is_empty() {
            for number in topological_order(&graph, deps)? {
                before[number as usize] = sources.len();
                let op = &graph.operators()[number as usize];
                // What is computed from constants is one.
                if graph.signature(op).name != "constant" && shown(op.output) {
                    sources.push(op.output);
                }
            }
        }
        let constants = constants(&graph)?;
        let session = Session::new(graph, registry);
        Ok(Self { session, registry, choices, sources, before, known: 0, constants })
    }

    /// Turns to an operator of the graph.
    pub fn at(&mut self, number: usize) -> Site {
        self.known = self.before[number];
        let graph = self.session.graph();
        let op = &graph.operators()[number];
        let signature = graph.signature(op);
        let output = op.output;
        let integers = |element: Element| !element.is_float();
        let plain = parts(&signature.name).filter(|&(element, _)| integers(element));
        let gives = Element::named(&graph.ty(output).head).is_some_and(integers);
        Site {
            name: signature.name.clone(),
            attrs: signature.attrs.clone(),
            inputs: graph.inputs_of(op).to_vec(),
            output,
            plain: plain.map(|(_, operation)| operation).filter(|_| gives),
        }
    }

    /// The graph with what was recorded.
    pub fn graph(&self) -> &Graph {
        self.session.graph()
    }

    /// The graph with what was recorded.
    pub fn finish(self) -> Graph {
        self.session.finish()
    }

    /// How many operators there are.
    pub fn len(&self) -> usize {
        self.graph().operators().len()
    }

    /// Forgets operators from number `len` on.
    pub fn forget(&mut self, len: usize) {
        self.session.graph_mut().truncate_operators(len);
    }

    /// Bits of the unit.
    pub fn unit(&self) -> u32 {
        self.graph().unit_bits()
    }

    /// An operand as a tensor of integers or bits, if it is one.
    pub fn integers(&self, operand: OperandId) -> Option<Tensor> {
        let tensor = Tensor::of(self.session.ty(operand), self.unit()).ok()?;
        (!tensor.element.is_float()).then_some(tensor)
    }

    /// The constant that an operand is, if it is one: its tensor, as the operand sees it, and its elements.
    pub fn constant_of(&self, operand: OperandId) -> Option<(Tensor, &[u64])> {
        let [piece] = self.graph().pieces(operand) else { return None };
        let seen = self.integers(operand)?;
        let (tensor, values) = self.constants.get(piece)?;
        (tensor.element == seen.element).then_some((seen, values))
    }

    // --- operators ------------------------------------------------------------------------------------

    /// An operator; none where the registry has no such type.
    pub fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<Option<OperandId>> {
        match self.registry.get(name) {
            Err(_) => Ok(None),
            Ok(_) => self.session.op(name, attrs, inputs).map(Some),
        }
    }

    /// The site's operator once more.
    pub fn again(&mut self, site: &Site) -> Result<Option<OperandId>> {
        self.op(&site.name, site.attrs.clone(), &site.inputs)
    }

    /// A constant, from its elements.
    pub fn constant(&mut self, tensor: &Tensor, values: &[u64]) -> Result<Option<OperandId>> {
        self.op("constant", tensor.constant(pack(tensor.element, values)), &[])
    }

    /// Records an expression in postfix form; none where a type that it needs is not registered, as arithmetic is for bits.
    ///
    /// `a`, `b`.. are the inputs of the site, `A`, `B`.. other operands, `op` is the site's operator, numbers are constants of
    /// the element and shape that is missing beside them, and all else are operations, of the element of their
    /// operands.
    pub fn express(&mut self, site: &Site, others: &[OperandId], text: &str) -> Result<Option<OperandId>> {
        let mut stack: Vec<Item> = Vec::new();
        for token in text.split_whitespace() {
            let known = match token.as_bytes() {
                [letter @ b'a'..=b'z'] => site.inputs.get(usize::from(letter - b'a')),
                [letter @ b'A'..=b'Z'] => others.get(usize::from(letter - b'A')),
                _ => None,
            };
            let item = match (known, token.parse::<i64>()) {
                (Some(&operand), _) => Some(Item::Operand(operand)),
                (None, Ok(number)) => Some(Item::Number(number.cast_unsigned())),
                _ => self.apply(site, token, &mut stack)?.map(Item::Operand),
            };
            let Some(item) = item else { return Ok(None) };
            stack.push(item);
        }
        match stack.as_slice() {
            &[Item::Operand(out)] => Ok(Some(out)),
            _ => Err(broken(text)),
        }
    }

    /// Applies an operation to what lies on top of the stack.
    fn apply(&mut self, site: &Site, token: &str, stack: &mut Vec<Item>) -> Result<Option<OperandId>> {
        let arity = match token {
            "op" => site.inputs.len(),
            "not" | "neg" => 1,
            "select" => 3,
            _ => 2,
        };
        let items = stack.split_off(stack.len().checked_sub(arity).ok_or_else(|| broken(token))?);
        // The condition of a choice is of another element than what is chosen.
        let beside = items[usize::from(token == "select")..].iter().find_map(|item| match item {
            Item::Operand(operand) => Some(*operand),
            Item::Number(_) => None,
        });
        let mut inputs = Vec::with_capacity(arity);
        for item in items {
            let input = match (item, beside) {
                (Item::Operand(operand), _) => Some(operand),
                (Item::Number(number), Some(beside)) => self.uniform(beside, number)?,
                (Item::Number(_), None) => return Err(broken(token)),
            };
            let Some(input) = input else { return Ok(None) };
            inputs.push(input);
        }
        match (token, beside) {
            ("op", _) => self.op(&site.name, site.attrs.clone(), &inputs),
            (_, Some(beside)) => {
                let name = format!("{}.{token}", self.session.ty(beside).head);
                self.op(&name, Attrs::new(), &inputs)
            }
            (_, None) => Err(broken(token)),
        }
    }

    // --- values ---------------------------------------------------------------------------------------

    /// A constant all of whose elements are `number`, that broadcasts with an operand and is of its element.
    pub fn uniform(&mut self, beside: OperandId, number: u64) -> Result<Option<OperandId>> {
        let Some(tensor) = self.integers(beside) else { return Ok(None) };
        let Some(part) = self.trailing(&tensor).next_back() else { return Ok(None) };
        if part.bytes() > MOST_SHARE {
            return Ok(None);
        }
        let values = vec![number; part.len()];
        self.constant(&part, &values)
    }

    /// Tensors of the last dimensions of one, the largest first, that this graph has types for; all broadcast to it.
    fn trailing(&self, tensor: &Tensor) -> impl DoubleEndedIterator<Item = Tensor> + use<> {
        let (unit, element, shape) = (self.unit(), tensor.element, tensor.shape.clone());
        (0..=shape.len())
            .map(move |from| Tensor::new(element, &shape[from..]))
            .filter(move |part| part.ty(unit).is_ok())
    }

    /// A random share of a value of that type: a random constant, or something else that the graph computes, seen so. Of
    /// the whole shape where `whole` says so, otherwise perhaps of one that broadcasts to it.
    pub fn share(&mut self, tensor: &Tensor, whole: bool) -> Result<Option<OperandId>> {
        let parts: Vec<Tensor> = if whole { vec![tensor.clone()] } else { self.trailing(tensor).collect() };
        let small = parts.iter().find(|part| part.bytes() <= SMALL);
        let Some(part) = small.or(parts.last()) else { return Ok(None) };
        if (part.bytes() > MOST_SHARE || self.choices.coin())
            && let Some(value) = self.value(part)?
        {
            return Ok(Some(value));
        }
        if part.bytes() > MOST_SHARE {
            return Ok(None);
        }
        let values: Vec<u64> = (0..part.len()).map(|_| self.choices.word()).collect();
        self.constant(part, &values)
    }

    /// Data that were there before the operator at hand, seen as this tensor, or as one that broadcasts to it.
    pub fn data(&mut self, tensor: &Tensor) -> Result<Option<OperandId>> {
        let parts: Vec<Tensor> = self.trailing(tensor).collect();
        match parts.iter().find(|part| part.bytes() <= SMALL).or(parts.last()) {
            None => Ok(None),
            Some(part) => self.value(part),
        }
    }

    /// Units of some operand before the operator at hand, seen as this tensor.
    fn value(&mut self, tensor: &Tensor) -> Result<Option<OperandId>> {
        const TRIES: usize = 8;
        let ty = tensor.ty(self.unit())?;
        for _ in 0..TRIES {
            let Some(source) = self.choices.of(&self.sources[..self.known]) else { return Ok(None) };
            if let Some(spare) = self.session.ty(source).size.checked_sub(ty.size) {
                let step = (tensor.element.bits() / u64::from(self.unit())).max(1);
                let from = step * self.choices.below(spare / step + 1);
                return self.session.split(source, from, ty).map(Some);
            }
        }
        Ok(None)
    }

    /// An operand seen as another tensor of its size.
    ///
    /// # Errors
    /// `Size` when the sizes differ.
    pub fn seen_as(&mut self, operand: OperandId, tensor: &Tensor) -> Result<OperandId> {
        let ty = tensor.ty(self.unit())?;
        self.session.retype(operand, ty)
    }
}

enum Item {
    Operand(OperandId),
    Number(u64),
}

fn broken(text: &str) -> Error {
    let expected = "an expression in postfix form".into();
    Error::Task { at: "protection".into(), found: text.to_owned(), expected }
}

/// The constants of integers and bits in a graph.
fn constants(graph: &Graph) -> Result<HashMap<Placeholder, (Tensor, Vec<u64>)>> {
    let mut constants = HashMap::new();
    for op in graph.operators() {
        let signature = graph.signature(op);
        let (&[place], "constant") = (graph.pieces(op.output), signature.name.as_str()) else { continue };
        let tensor = Tensor::of(graph.ty(op.output), graph.unit_bits())?;
        if !tensor.element.is_float() && tensor.bytes() <= super::table_splitting::MOST_BYTES {
            let values = unpack(&tensor, signature.attrs.bytes("value")?);
            constants.insert(place, (tensor, values));
        }
    }
    Ok(constants)
}
