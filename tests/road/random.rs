//! Random tasks.

use cipherloom::Result;
use cipherloom::graph::{Attr, Attrs, Graph, OperandId, ValueType};
use cipherloom::ops::{Registry, Session};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{InputLiteral, Literal, NodeLiteral, OutputLiteral};
use cipherloom::values::Exact;
use cipherloom::values::number::Number;
use cipherloom::values::types::{Kind, Place, Value};

/// Numbers from a seed: splitmix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % below
    }
    pub fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}

pub const SHAPES: [&[u64]; 10] =
    [&[], &[5], &[3], &[4], &[8], &[3, 4], &[4, 3], &[2, 8], &[1, 5], &[2, 3, 2]];

/// A random task, with what it is given.
pub struct Random {
    pub task: Literal,
    pub inputs: SortedMap<String, Exact>,
}

/// A task under construction, twice: as a graph, which says what is a task, and as the literal.
struct Recorder<'r> {
    session: Session<'r>,
    task: Literal,
    known: Vec<OperandId>,
}

impl Recorder<'_> {
    fn ty(&self, operand: OperandId) -> &ValueType {
        self.session.ty(operand)
    }

    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<OperandId> {
        let text = if attrs.is_empty() { String::new() } else { attrs.to_string() };
        let number = |operand: &OperandId| self.known.iter().position(|known| known == operand).unwrap();
        let numbers = inputs.iter().map(number).collect();
        let made = self.session.op(name, attrs, inputs)?;
        self.task.nodes.push(NodeLiteral { op: name.into(), inputs: numbers, attrs: text });
        self.known.push(made);
        Ok(made)
    }
}

/// A random task of so many operators, at least, on integers or reals, and booleans; its outputs are encrypted.
pub fn random(registry: &Registry, seed: u64, operators: u64, real: bool) -> Random {
    let mut dice = Dice(seed);
    let task = Literal { inputs: Vec::new(), nodes: Vec::new(), outputs: Vec::new() };
    let mut s = Recorder { session: Session::new(Graph::new(64), registry), task, known: Vec::new() };
    let mut inputs = SortedMap::new();
    for number in 0..2 + dice.below(4) {
        let place = if number == 0 {
            Place::Encrypted
        } else {
            dice.of(&[Place::Encrypted, Place::Encrypted, Place::Plain, Place::Public])
        };
        let own = if real { Kind::Real } else { Kind::Integer };
        // The first one decides on the scheme.
        let kind = if number == 0 { own } else { dice.of(&[own, own, Kind::Boolean]) };
        let mut value = Value::new(kind, dice.of(&SHAPES)).at(place);
        value.missing = number > 0 && dice.below(6) == 0;
        let name = format!("x{number}");
        let ty = value.ty().unwrap();
        s.known.push(s.session.graph_mut().add_input(&name, ty.clone()).unwrap());
        let bounds = match kind {
            Kind::Integer => Some(["-20", "20"]),
            Kind::Real => Some(["-1.25", "1.25"]),
            _ => None,
        };
        s.task.inputs.push(InputLiteral {
            name: name.clone(),
            ty: ty.to_string(),
            min: bounds.map(|b| b[0].into()),
            max: bounds.map(|b| b[1].into()),
            digits: None,
        });
        let mut cell = || {
            let drawn = match kind {
                Kind::Boolean => Number::from(dice.below(2) as i128),
                Kind::Real => Number::ratio(dice.below(81) as i128 - 40, 32).unwrap(),
                _ => Number::from(dice.below(41) as i128 - 20),
            };
            (!value.missing || dice.below(4) > 0).then_some(drawn)
        };
        let cells: Vec<Option<Number>> = (0..value.cells()).map(|_| cell()).collect();
        let exact = match value.missing {
            true => Exact::with_missing(cells),
            false => Exact::new(cells.into_iter().map(Option::unwrap).collect()),
        };
        inputs.insert(name, exact);
    }
    for _ in 0..operators + dice.below(operators) {
        operator(&mut s, &mut dice, real);
    }
    for (number, &operand) in s.known.iter().enumerate().rev() {
        let value = Value::of(s.ty(operand)).unwrap();
        if value.place == Place::Encrypted && !value.missing && s.task.outputs.len() < 3 {
            let name = format!("y{}", s.task.outputs.len());
            s.task.outputs.push(OutputLiteral { name, operand: number });
        }
    }
    Random { task: s.task, inputs }
}

fn operator(s: &mut Recorder<'_>, dice: &mut Dice, real: bool) {
    let known = s.known.clone();
    let x = dice.of(&known);
    let value = Value::of(s.ty(x)).unwrap();
    let shape = value.shape.clone();
    let like = |s: &Recorder<'_>, boolean: bool| -> Vec<OperandId> {
        let fits = |&&y: &&OperandId| {
            let y = Value::of(s.ty(y)).unwrap();
            y.shape == shape && !y.missing && (!boolean || y.kind == Kind::Boolean)
        };
        known.iter().filter(fits).copied().collect()
    };
    let axis = dice.below(shape.len().max(1) as u64);
    let made = if value.missing {
        let fill = Attrs::new().with("fill", Attr::Int(1 + dice.below(3) as i128));
        match dice.below(4) {
            0 if value.kind != Kind::Real => s.op("value.cells", fill, &[x]),
            0 | 1 => s.op("value.cells", Attrs::new(), &[x]),
            _ => s.op("value.present", Attrs::new(), &[x]),
        }
    } else {
        let name = dice.of(&[
            "value.add",
            "value.sub",
            "value.multiply",
            "value.multiply",
            "value.square",
            "value.negate",
            "value.scale",
            "value.sum",
            "value.sum",
            "value.rotate",
            "value.transpose",
            "value.slice",
            "value.concat",
            "value.reshape",
            "value.broadcast",
            "value.broadcast",
            "value.select",
            "value.and",
            "value.or",
            "value.not",
            "value.constant",
            "value.compare",
            "value.compare",
            "value.polynomial",
            "value.gaps",
            "value.gaps",
        ]);
        let attrs = Attrs::new();
        match name {
            "value.add" | "value.sub" | "value.multiply" => {
                let y = dice.of(&like(s, false));
                s.op(name, attrs, &[x, y])
            }
            "value.compare" if real => return,
            "value.compare" => {
                let y = dice.of(&like(s, false));
                s.op(name, attrs.with("relation", dice.of(&["lt", "le", "eq"])), &[x, y])
            }
            "value.and" | "value.or" => {
                let all = like(s, true);
                if all.is_empty() {
                    return;
                }
                let (x, y) = (dice.of(&all), dice.of(&all));
                s.op(name, attrs, &[x, y])
            }
            "value.gaps" => {
                let all = like(s, true);
                if all.is_empty() {
                    return;
                }
                let mask = dice.of(&all);
                s.op(name, attrs, &[x, mask])
            }
            "value.select" => {
                let (conditions, all) = (like(s, true), like(s, false));
                if conditions.is_empty() {
                    return;
                }
                let (c, a, b) = (dice.of(&conditions), dice.of(&all), dice.of(&all));
                s.op(name, attrs, &[c, a, b])
            }
            "value.polynomial" => {
                let degree = 1 + dice.below(if real { 9 } else { 4 });
                let mut all: Vec<i128> = (0..degree).map(|_| dice.below(7) as i128 - 3).collect();
                all.push(1 + dice.below(3) as i128);
                let attrs = attrs.with("coefficients", Attr::Ints(all.into()));
                s.op(name, if real { attrs.with("decimals", 1u64) } else { attrs }, &[x])
            }
            "value.scale" => s.op(name, attrs.with("numerator", dice.below(7) as i64 - 3), &[x]),
            "value.sum" if dice.below(3) == 0 || shape.is_empty() => s.op(name, attrs, &[x]),
            "value.sum" => s.op(name, attrs.with("axis", axis), &[x]),
            "value.transpose" => {
                let mut axes: Vec<u64> = (0..shape.len() as u64).collect();
                axes.rotate_left(dice.below(shape.len().max(1) as u64) as usize);
                s.op(name, attrs.with("axes", axes), &[x])
            }
            "value.rotate" => {
                s.op(name, attrs.with("axis", axis).with("steps", dice.below(9) as i64 - 4), &[x])
            }
            "value.slice" => {
                let start: Vec<u64> = shape.iter().map(|&dim| dice.below(dim)).collect();
                let size: Vec<u64> =
                    shape.iter().zip(&start).map(|(dim, start)| 1 + dice.below(dim - start)).collect();
                s.op(name, attrs.with("start", start).with("size", size), &[x])
            }
            "value.concat" => {
                let all = like(s, false);
                let others: Vec<OperandId> = (0..1 + dice.below(3)).map(|_| dice.of(&all)).collect();
                s.op(name, attrs.with("axis", axis), &others)
            }
            // A column that may be repeated.
            "value.reshape" if dice.below(2) == 0 => {
                s.op(name, attrs.with("shape", [shape.as_slice(), &[1]].concat()), &[x])
            }
            "value.reshape" => {
                let turned: Vec<u64> = shape.iter().rev().copied().collect();
                let to = dice.of(&[turned, vec![shape.iter().product()]]);
                s.op(name, attrs.with("shape", to), &[x])
            }
            "value.broadcast" => {
                let fits = |&&y: &&OperandId| {
                    let y = Value::of(s.ty(y)).unwrap().shape;
                    y.len() >= shape.len()
                        && y.iter().rev().zip(shape.iter().rev()).all(|(y, x)| y == x || *x == 1)
                };
                let alike: Vec<OperandId> = known.iter().filter(fits).copied().collect();
                let to: Vec<u64> = match shape.as_slice() {
                    _ if dice.below(3) > 0 => Value::of(s.ty(dice.of(&alike))).unwrap().shape,
                    [] => dice.of(&SHAPES).to_vec(),
                    [1, n] => vec![3, *n],
                    own if own.len() < 3 => [&[dice.of(&[2, 3])], own].concat(),
                    _ => return,
                };
                s.op(name, attrs.with("shape", to), &[x])
            }
            "value.constant" => {
                let cells: Vec<i128> =
                    (0..shape.iter().product()).map(|_| dice.below(9) as i128 - 4).collect();
                let attrs =
                    attrs.with("kind", if real { "real" } else { "integer" }).with("shape", shape.as_slice());
                let attrs = if dice.below(2) == 0 {
                    attrs.with("value", 3u64)
                } else {
                    attrs.with("value", Attr::Ints(cells.into()))
                };
                s.op(name, attrs, &[])
            }
            _ => s.op(name, attrs, &[x]),
        }
    };
    // What became too large is not used: it stays the last.
    if made.is_ok_and(|made| Value::of(s.ty(made)).unwrap().cells() > 400) {
        s.known.pop();
        s.task.nodes.pop();
    }
}
