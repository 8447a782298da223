//! Tasks as vectors of slots: random tasks, lowered for ciphertexts of a few slots, against the exact interpreter; slots are numbers here, so that nothing but the
//! layout decides.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use cipherloom::graph::{Attr, Attrs, Graph, OperandId};
use cipherloom::ops::{Registry, Session};
use cipherloom::packed::{
    Axis, Frame, Handle, Layout, SlotVector, Slots, Source, Target, close, fill, part_name,
};
use cipherloom::values::number::Number;
use cipherloom::values::types::{Kind, Place, Value};
use cipherloom::values::{Exact, Range, Values, clear_name, interpret, lower, ranges};
use cipherloom::{Error, Result};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// Slots count modulo this.
const P: i128 = (1 << 61) - 1;

/// A target whose ciphertexts are their slots.
struct Numbers {
    frame: Frame,
    given: BTreeMap<String, Vec<i128>>,
    held: Vec<(Vec<i128>, bool)>,
    outputs: BTreeMap<String, Vec<i128>>,
}

impl Numbers {
    fn hold(&mut self, slots: Vec<i128>) -> Result<Handle> {
        self.held.push((slots.into_iter().map(|slot| slot.rem_euclid(P)).collect(), true));
        Ok(Handle(self.held.len() as u32 - 1))
    }

    fn zip(&mut self, x: Handle, y: Handle, f: impl Fn(i128, i128) -> i128) -> Result<Handle> {
        let (x, y) = (&self.held[x.0 as usize], &self.held[y.0 as usize]);
        assert!(x.1, "an encrypted operand comes first");
        let slots = x.0.iter().zip(&y.0).map(|(&x, &y)| f(x, y)).collect();
        self.hold(slots)
    }
}

impl Target for Numbers {
    fn input(&mut self, name: &str, vector: SlotVector) -> Result<Handle> {
        assert_eq!(vector.frame, self.frame);
        self.held.push((self.given[name].clone(), vector.encrypted));
        Ok(Handle(self.held.len() as u32 - 1))
    }
    fn add(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        self.zip(x, y, |x, y| x + y)
    }
    fn sub(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        self.zip(x, y, |x, y| x - y)
    }
    fn negate(&mut self, x: Handle) -> Result<Handle> {
        let slots = self.held[x.0 as usize].0.iter().map(|x| -x).collect();
        self.hold(slots)
    }
    fn multiply(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        self.zip(x, y, |x, y| x * y)
    }
    fn multiply_number(&mut self, x: Handle, number: &Attr) -> Result<Handle> {
        let Attr::Int(number) = number else { panic!("integers") };
        let slots = self.held[x.0 as usize].0.iter().map(|x| x * number.rem_euclid(P)).collect();
        self.hold(slots)
    }
    fn lookup(&mut self, x: Handle, first: i64, values: &[i128]) -> Result<Handle> {
        // What lies beyond is nobody's cell.
        let signed = |x: i128| if x > P / 2 { x - P } else { x };
        let entry = |&x: &i128| {
            usize::try_from(signed(x) - i128::from(first))
                .ok()
                .and_then(|at| values.get(at))
                .copied()
                .unwrap_or(12_345)
        };
        let slots = self.held[x.0 as usize].0.iter().map(entry).collect();
        self.hold(slots)
    }
    fn rotate(&mut self, x: Handle, steps: u64) -> Result<Handle> {
        let ring = 1usize << self.frame.ring;
        let own = &self.held[x.0 as usize].0;
        let slots =
            (0..own.len()).map(|at| own[at / ring * ring + (at % ring + steps as usize) % ring]).collect();
        self.hold(slots)
    }
    fn swap(&mut self, x: Handle) -> Result<Handle> {
        let ring = 1usize << self.frame.ring;
        let own = &self.held[x.0 as usize].0;
        let slots = (0..own.len()).map(|at| own[at ^ ring]).collect();
        self.hold(slots)
    }
    fn output(&mut self, name: &str, x: Handle) -> Result<()> {
        self.outputs.insert(name.to_owned(), self.held[x.0 as usize].0.clone());
        Ok(())
    }
}

fn residue(number: &Number) -> i128 {
    let (numerator, denominator) = number.parts();
    assert_eq!(denominator, BigInt::from(1));
    let p = BigInt::from(P);
    i128::try_from(((numerator % &p) + &p) % &p).unwrap()
}

/// What cells are, by the layout alone; and that all other slots are 0 or repeat them.
fn read(layout: &Layout, frame: Frame, parts: &BTreeMap<String, Vec<i128>>, name: &str) -> Vec<i128> {
    let inside = (1u64 << frame.slots()) - 1;
    let cells: Vec<u64> = layout.addresses();
    for part in layout.parts(frame) {
        for (slot, &found) in parts[&part_name(name, part)].iter().enumerate() {
            let address = part << frame.slots() | slot as u64;
            let known = cells.contains(&(address & !layout.repeated));
            assert!(known || found == 0, "slot {address} of {name} holds {found}: {layout:?}");
        }
    }
    let cell = |address: &u64| parts[&part_name(name, address >> frame.slots())][(address & inside) as usize];
    cells.iter().map(cell).collect()
}

struct Task {
    graph: Graph,
    inputs: BTreeMap<String, Exact>,
    ranges: BTreeMap<String, Range>,
}

/// Lowers, computes on slots, and compares with the interpreter.
fn check(task: &Task, registry: &Registry, values: &Values, frame: Frame) -> Option<()> {
    let expected = interpret(&task.graph, registry, values, &task.inputs).unwrap().outputs();
    let known = ranges(&task.graph, registry, values, &task.ranges).unwrap();
    let packing = match lower(&task.graph, registry, values, &known, frame, true) {
        // Numbers too large to be looked up.
        Err(Error::Operator { op, .. }) if op == "value.compare" => return None,
        packing => packing.unwrap(),
    };
    let mut given = BTreeMap::new();
    for input in &packing.inputs {
        let cells = &task.inputs[&input.name];
        let mut give = |name: &str, layout: &Layout, cell: &dyn Fn(u64) -> i128| {
            for part in layout.parts(frame) {
                let axes = (0..layout.axes.len()).map(Some).collect();
                let slots =
                    Slots::Cells { source: Source::Value(0), axes, layout: layout.clone(), base: 0, part };
                given.insert(part_name(name, part), fill(&slots, frame, 0, cell).unwrap());
            }
        };
        give(&input.name, &input.layout, &|at| residue(&cells.cells[at as usize]));
        if let (Some(layout), Some(present)) = (&input.present, &cells.present) {
            give(&input.present_name(), layout, &|at| present[at as usize].into());
        }
    }
    let clear: BTreeMap<String, Exact> = packing
        .clear
        .inputs()
        .iter()
        .map(|port| (port.name.clone(), task.inputs[&port.name].clone()))
        .collect();
    let computed = interpret(&packing.clear, registry, values, &clear).unwrap().outputs();
    for vector in &packing.vectors {
        let slots = match &vector.slots {
            Slots::Mask(_) => fill(&vector.slots, frame, 0, |_| 1),
            Slots::Cells { source: Source::Number(Attr::Int(number)), .. } => {
                fill(&vector.slots, frame, 0, |_| number.rem_euclid(P))
            }
            Slots::Cells { source: Source::Value(unit), .. } => {
                let cells = &computed[&clear_name(*unit)].cells;
                fill(&vector.slots, frame, 0, |at| residue(&cells[at as usize]))
            }
            Slots::Cells { .. } => panic!("integers"),
        };
        given.insert(vector.name.clone(), slots.unwrap());
    }
    let mut target = Numbers { frame, given, held: Vec::new(), outputs: BTreeMap::new() };
    close(&packing.graph, &mut target).unwrap();
    for output in &packing.outputs {
        let found = read(&output.layout, frame, &target.outputs, &output.name);
        let exact: Vec<i128> = expected[&output.name].cells.iter().map(residue).collect();
        assert_eq!(
            found,
            exact,
            "{} {:?}\n{}",
            output.name,
            output.layout,
            cipherloom::graph::print(&task.graph)
        );
    }
    Some(())
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % below
    }
    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}

const SHAPES: [&[u64]; 10] = [&[], &[5], &[3], &[4], &[8], &[3, 4], &[4, 3], &[2, 8], &[1, 5], &[2, 3, 2]];

/// A random task of integers and booleans, whose outputs are encrypted.
fn random(registry: &Registry, seed: u64) -> Task {
    let mut dice = Dice(seed);
    let mut s = Session::new(Graph::new(64), registry);
    let (mut inputs, mut given) = (BTreeMap::new(), BTreeMap::new());
    let mut known: Vec<OperandId> = Vec::new();
    for number in 0..2 + dice.below(4) {
        let place = if number == 0 {
            Place::Encrypted
        } else {
            dice.of(&[Place::Encrypted, Place::Encrypted, Place::Plain, Place::Public])
        };
        let kind = dice.of(&[Kind::Integer, Kind::Integer, Kind::Boolean]);
        let mut value = Value::new(kind, dice.of(&SHAPES)).at(place);
        value.missing = dice.below(6) == 0;
        let name = format!("x{number}");
        known.push(s.graph_mut().add_input(&name, value.ty().unwrap()).unwrap());
        let mut cell = || {
            let drawn =
                if kind == Kind::Boolean { dice.below(2) as i128 } else { dice.below(41) as i128 - 20 };
            (!value.missing || dice.below(4) > 0).then_some(Number::from(drawn))
        };
        let cells: Vec<Option<Number>> = (0..value.cells()).map(|_| cell()).collect();
        let exact = match value.missing {
            true => Exact::with_missing(cells),
            false => Exact::new(cells.into_iter().map(Option::unwrap).collect()),
        };
        inputs.insert(name.clone(), exact);
        if kind == Kind::Integer {
            given.insert(name, Range::Integers { min: -20, max: 20 });
        }
    }
    for _ in 0..4 + dice.below(28) {
        operator(&mut s, &mut dice, &mut known);
    }
    let mut outputs = 0;
    for &operand in known.iter().rev() {
        let value = Value::of(s.ty(operand)).unwrap();
        if value.place == Place::Encrypted && !value.missing && outputs < 3 {
            outputs += 1;
            s.graph_mut().declare_output(&format!("y{outputs}"), operand);
        }
    }
    let graph = cipherloom::optimize::optimize(&s.finish(), registry).unwrap();
    Task { graph, inputs, ranges: given }
}

fn operator(s: &mut Session<'_>, dice: &mut Dice, known: &mut Vec<OperandId>) {
    let x = dice.of(known);
    let value = Value::of(s.ty(x)).unwrap();
    let shape = value.shape.clone();
    let like = |s: &Session<'_>, boolean: bool| -> Vec<OperandId> {
        let fits = |&&y: &&OperandId| {
            let y = Value::of(s.ty(y)).unwrap();
            y.shape == shape && !y.missing && (!boolean || y.kind == Kind::Boolean)
        };
        known.iter().filter(fits).copied().collect()
    };
    let axis = dice.below(shape.len().max(1) as u64);
    let made = if value.missing {
        let name = dice.of(&["value.cells", "value.present"]);
        s.op(name, Attrs::new(), &[x])
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
        ]);
        let attrs = Attrs::new();
        match name {
            "value.add" | "value.sub" | "value.multiply" => {
                let y = dice.of(&like(s, false));
                s.op(name, attrs, &[x, y])
            }
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
            "value.select" => {
                let (conditions, all) = (like(s, true), like(s, false));
                if conditions.is_empty() {
                    return;
                }
                let (c, a, b) = (dice.of(&conditions), dice.of(&all), dice.of(&all));
                s.op(name, attrs, &[c, a, b])
            }
            "value.scale" => s.op(name, attrs.with("numerator", dice.below(7) as i64 - 3), &[x]),
            "value.sum" if dice.below(3) == 0 || shape.is_empty() => s.op(name, attrs, &[x]),
            "value.sum" => s.op(name, attrs.with("axis", axis), &[x]),
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
                let attrs = attrs.with("kind", "integer").with("shape", shape.as_slice());
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
    if let Ok(made) = made
        && Value::of(s.ty(made)).unwrap().cells() <= 400
    {
        known.push(made);
    }
}

#[test]
fn random_tasks_are_the_same_in_slots() {
    let values = Values::new();
    let registry = values.registry();
    let mut checked = 0;
    for seed in 0..3_000u64 {
        let frame = Frame { ring: 1 + (seed % 5) as u32, rings: (seed / 5 % 2) as u32 };
        let task = random(&registry, seed);
        println!("seed {seed}, {frame:?}");
        checked += usize::from(check(&task, &registry, &values, frame).is_some());
    }
    assert!(checked > 2_500, "{checked}");
}

/// A task over encrypted integers of those shapes, at frames of many sizes.
fn directed(shapes: &[&[u64]], build: impl Fn(&mut Session<'_>, &[OperandId]) -> Vec<OperandId>) {
    let values = Values::new();
    let registry = values.registry();
    let mut dice = Dice(7);
    let mut s = Session::new(Graph::new(64), &registry);
    let (mut given, mut inputs, mut ranges) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for (number, &shape) in shapes.iter().enumerate() {
        let (name, value) = (format!("x{number}"), Value::new(Kind::Integer, shape));
        given.push(s.graph_mut().add_input(&name, value.ty().unwrap()).unwrap());
        let cells = (0..value.cells()).map(|_| dice.below(41) as i128 - 20).collect::<Vec<_>>();
        inputs.insert(name.clone(), Exact::integers(cells));
        ranges.insert(name, Range::Integers { min: -20, max: 20 });
    }
    for (number, operand) in build(&mut s, &given).into_iter().enumerate() {
        s.graph_mut().declare_output(&format!("y{number}"), operand);
    }
    let task = Task { graph: s.finish(), inputs, ranges };
    for (ring, rings) in (1..8).flat_map(|ring| [(ring, 0), (ring, 1)]) {
        check(&task, &registry, &values, Frame { ring, rings }).unwrap();
    }
}

fn shape(of: &[u64]) -> Attrs {
    Attrs::new().with("shape", of)
}

#[test]
fn what_repeats_beyond_its_length_is_not_summed() {
    directed(&[&[3, 4], &[4]], |s, x| {
        let rows = s.op("value.broadcast", shape(&[3, 4]), &[x[1]]).unwrap();
        let sum = s.op("value.add", Attrs::new(), &[x[0], rows]).unwrap();
        let square = s.op("value.multiply", Attrs::new(), &[rows, rows]).unwrap();
        let along = |axis: u64| Attrs::new().with("axis", axis);
        let columns = s.op("value.sum", along(0), &[sum]).unwrap();
        vec![
            columns,
            s.op("value.sum", Attrs::new(), &[sum]).unwrap(),
            s.op("value.sum", along(0), &[square]).unwrap(),
        ]
    });
}

#[test]
fn sums_along_both_dimensions_meet_again() {
    directed(&[&[3, 4]], |s, x| {
        let along = |axis: u64| Attrs::new().with("axis", axis);
        let (columns, rows) =
            (s.op("value.sum", along(0), &[x[0]]).unwrap(), s.op("value.sum", along(1), &[x[0]]).unwrap());
        let columns = s.op("value.broadcast", shape(&[3, 4]), &[columns]).unwrap();
        let rows = s.op("value.reshape", shape(&[3, 1]), &[rows]).unwrap();
        let rows = s.op("value.broadcast", shape(&[3, 4]), &[rows]).unwrap();
        let product = s.op("value.multiply", Attrs::new(), &[columns, rows]).unwrap();
        let all = s.op("value.sub", Attrs::new(), &[product, x[0]]).unwrap();
        vec![all, s.op("value.sum", along(1), &[all]).unwrap(), s.op("value.sum", along(0), &[all]).unwrap()]
    });
}

#[test]
fn what_lies_beside_a_sum_is_not_repeated() {
    directed(&[&[3, 4], &[4, 3]], |s, x| {
        let along = |axis: u64| Attrs::new().with("axis", axis);
        let (columns, rows) =
            (s.op("value.sum", along(0), &[x[0]]).unwrap(), s.op("value.sum", along(1), &[x[0]]).unwrap());
        let repeated = s.op("value.broadcast", shape(&[4, 3]), &[rows]).unwrap();
        vec![columns, s.op("value.add", Attrs::new(), &[x[1], repeated]).unwrap()]
    });
}

#[test]
fn layouts_tell_their_parts() {
    let frame = Frame { ring: 3, rings: 1 };
    let axis = |size, low| Axis { size, low: Some(low), dirty: false };
    let layout = Layout::fresh(vec![axis(5, 3), axis(6, 0)], frame);
    assert_eq!(layout.parts(frame), vec![0, 1, 2]);
    assert_eq!(layout.address(&[4, 5]), 4 << 3 | 5);
    let apart = Layout::fresh(vec![axis(3, 6), axis(2, 1)], frame);
    assert_eq!((apart.parts(frame), apart.repeated), (vec![0, 4, 8], 0b1101));
}
