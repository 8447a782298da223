//! Tasks as vectors of slots: random tasks, lowered for ciphertexts of a few slots, against the exact interpreter; slots are numbers here, so that nothing but the
//! layout decides.

use cipherloom::graph::{Attr, Attrs, Graph, OperandId};
use cipherloom::math::Modulus;
use cipherloom::ops::{Registry, Session};
use cipherloom::packed::{
    Axis, ClearInput, Frame, Layout, Numbers, PackerPasses, Slots, Source, bits, computed, part_name,
};
use cipherloom::values::number::Number;
use cipherloom::values::types::{Kind, Place, Value};
use cipherloom::values::{
    Exact, PackedValue, PackingOptions, Places, Range, Values, clear_name, interpret, lower, ranges,
};

use crate::road::random::{Dice, Random, random};
use cipherloom::Error;
use cipherloom::sorted::SortedMap;
use num_bigint::BigInt;

const PASSES: PackerPasses = PackerPasses {
    dedup: true,
    factors: true,
    flatten: true,
    giant_steps: true,
    late_sums: false,
    extract: false,
    share: true,
};

/// Slots count modulo this.
const P: i128 = (1 << 61) - 1;

/// What slots hold, by name.
type AllSlots = SortedMap<String, Vec<u64>>;

fn residue(number: &Number) -> u64 {
    let (numerator, denominator) = number.parts();
    assert_eq!(denominator, BigInt::from(1));
    let p = BigInt::from(P);
    u64::try_from(((numerator % &p) + &p) % &p).unwrap()
}

/// What cells are of all values that share ciphertexts, by their layouts alone; and that all other slots are 0 or repeat them.
fn read(value: &PackedValue, frame: Frame, parts: &AllSlots) -> AllSlots {
    let (inside, name) = ((1u64 << frame.slots()) - 1, &value.name);
    let addresses = |own: &PackedValue| -> Vec<u64> {
        own.layout.addresses().into_iter().map(|address| address | own.base).collect()
    };
    let cells: Vec<u64> = value.all().flat_map(addresses).collect();
    for part in value.layout.parts(frame) {
        for (slot, &found) in parts[&part_name(name, part)].iter().enumerate() {
            let address = part << frame.slots() | slot as u64;
            let known = value.all().any(|own| addresses(own).contains(&(address & !own.layout.repeated)));
            assert!(known || found == 0, "slot {address} of {name} holds {found}: {cells:?}");
        }
    }
    let cell = |address: &u64| parts[&part_name(name, address >> frame.slots())][(address & inside) as usize];
    value.all().map(|own| (own.name.clone(), addresses(own).iter().map(cell).collect())).collect()
}

struct Task {
    graph: Graph,
    inputs: SortedMap<String, Exact>,
    ranges: SortedMap<String, Range>,
}

fn ranges_of(task: &Task, registry: &Registry, values: &Values) -> Vec<Option<Range>> {
    ranges(&task.graph, registry, values, &task.ranges).unwrap()
}

/// Lowers, computes on slots, and compares with the interpreter.
fn check(task: &Task, registry: &Registry, values: &Values, frame: Frame) -> Option<usize> {
    let places = &Places::default();
    let options = PackingOptions { frame, exact: true, passes: PASSES, hopes: true, places };
    check_with(task, registry, values, &options)?;
    let passes = PackerPasses { late_sums: true, ..PASSES };
    check_with(task, registry, values, &PackingOptions { passes, ..options })?;
    let passes = PackerPasses { extract: true, ..PASSES };
    check_with(task, registry, values, &PackingOptions { passes, ..options })?;
    let passes = PackerPasses { late_sums: true, extract: true, ..PASSES };
    check_with(task, registry, values, &PackingOptions { passes, ..options })
}

/// Any layout for some of the inputs: dimensions in any bits, each of the gaps repeated or 0.
fn any_layouts(graph: &Graph, frame: Frame, dice: &mut Dice) -> SortedMap<String, Layout> {
    let mut layouts = SortedMap::new();
    for port in graph.inputs() {
        let value = Value::of(graph.ty(port.operand)).unwrap();
        let mut layout = Layout { axes: Vec::new(), repeated: 0, zero: 0 };
        for &size in &value.shape {
            let mut axis = Axis { size, low: None, dirty: false };
            while size > 1 && (axis.low.is_none() || axis.mask() & layout.mapped() != 0) {
                let above = u64::from(frame.slots() + bits(size) + 4);
                axis.low = Some(dice.below(above) as u32);
            }
            layout.axes.push(axis);
        }
        let gaps = layout.gaps(frame);
        layout.repeated = gaps & dice.below(1 << frame.slots());
        layout.zero = gaps & !layout.repeated;
        if dice.below(3) > 0 {
            layouts.insert(port.name.clone(), layout);
        }
    }
    layouts
}

/// Tells how many outputs share ciphertexts of others.
fn check_with(
    task: &Task,
    registry: &Registry,
    values: &Values,
    options: &PackingOptions<'_>,
) -> Option<usize> {
    let frame = options.frame;
    let expected = interpret(&task.graph, registry, values, &task.inputs).unwrap().outputs();
    let known = ranges_of(task, registry, values);
    let packing = match lower(&task.graph, registry, values, &known, options) {
        // Numbers too large to be looked up.
        Err(Error::Operator { op, .. }) if op == "value.compare" => return None,
        packing => packing.unwrap(),
    };
    let mut given = AllSlots::new();
    for input in &packing.inputs {
        assert!(options.places.layouts.get(&input.name).is_none_or(|layout| *layout == input.layout));
        let cells = &task.inputs[&input.name];
        let mut give = |name: &str, layout: &Layout, cells: &[u64]| {
            for part in layout.parts(frame) {
                let axes = (0..layout.axes.len()).map(Some).collect();
                let slots =
                    Slots::Cells { source: Source::Value(0), axes, layout: layout.clone(), base: 0, part };
                let (name, times) = (part_name(name, part), Attr::Int(1));
                let vector = ClearInput { name: name.clone(), slots, right: 0, times, frame };
                given.insert(name, vector.written(cells).unwrap());
            }
        };
        give(&input.name, &input.layout, &cells.cells.iter().map(residue).collect::<Vec<_>>());
        if let (Some(layout), Some(present)) = (&input.present, &cells.present) {
            give(&input.present_name(), layout, &present.iter().map(|&is| is.into()).collect::<Vec<_>>());
        }
    }
    let clear: SortedMap<String, Exact> = packing
        .clear
        .inputs()
        .iter()
        .map(|port| (port.name.clone(), task.inputs[&port.name].clone()))
        .collect();
    let mut values_of = interpret(&packing.clear, registry, values, &clear).unwrap().outputs();
    assert!(packing.fixed.inputs().is_empty());
    values_of.extend(interpret(&packing.fixed, registry, values, &clear).unwrap().outputs());
    for vector in &packing.vectors {
        let slots = match &vector.slots {
            Slots::Mask(_) => vector.written(&[1]),
            Slots::Cells { source: Source::Number(Attr::Int(number)), .. } => {
                vector.written(&[number.rem_euclid(P) as u64])
            }
            Slots::Cells { source: Source::Value(unit), .. } => {
                let cells = &values_of[&clear_name(*unit)].cells;
                vector.written(&cells.iter().map(residue).collect::<Vec<_>>())
            }
            Slots::Cells { .. } => panic!("integers"),
        };
        let Attr::Int(times) = vector.times else { panic!("integers") };
        let times = |slot: u64| (i128::from(slot) * times.rem_euclid(P) % P) as u64;
        given.insert(vector.name.clone(), slots.unwrap().into_iter().map(times).collect());
    }
    let numbers = Numbers::Modulo(Modulus::new(P as u64).unwrap());
    let slots = computed(&packing.graph, numbers, given).unwrap();
    let mut found = AllSlots::new();
    for output in &packing.outputs {
        found.extend(read(output, frame, &slots));
    }
    for (name, cells) in &expected {
        let exact: Vec<u64> = cells.cells.iter().map(residue).collect();
        assert_eq!(found[name], exact, "{name}\n{}", cipherloom::graph::print(&task.graph));
    }
    let shared = packing.outputs.iter().map(|output| output.with.len()).sum();
    Some(shared)
}

#[test]
fn random_tasks_are_the_same_in_slots() {
    let values = Values::new();
    let registry = values.registry();
    let (mut checked, mut shared) = (0, 0);
    for seed in 0..3_000u64 {
        let frame = Frame { ring: 1 + (seed % 5) as u32, rings: (seed / 5 % 2) as u32 };
        let Random { task, inputs } = random(&registry, seed, 4 + seed % 16, false);
        let (graph, ranges) = task.assemble(&registry, &values).unwrap();
        let task = Task { graph, inputs, ranges };
        println!("seed {seed}, {frame:?}");
        let found = check(&task, &registry, &values, frame);
        checked += usize::from(found.is_some());
        shared += found.unwrap_or(0);
    }
    assert!(checked > 2_500 && shared > 20, "{checked} {shared}");
}

#[test]
fn inputs_may_lie_anywhere() {
    let values = Values::new();
    let registry = values.registry();
    for seed in 0..2_000u64 {
        let frame = Frame { ring: 1 + (seed % 5) as u32, rings: (seed / 5 % 2) as u32 };
        let Random { task, inputs } = random(&registry, seed, 4 + seed % 16, false);
        let (graph, ranges) = task.assemble(&registry, &values).unwrap();
        let layouts = any_layouts(&graph, frame, &mut Dice(seed));
        let task = Task { graph, inputs, ranges };
        println!("seed {seed}, {frame:?}, {layouts:?}");
        let places = &Places { layouts, ..Places::default() };
        let passes = PackerPasses { late_sums: seed % 2 == 0, extract: seed / 2 % 2 == 0, ..PASSES };
        check_with(
            &task,
            &registry,
            &values,
            &PackingOptions { frame, exact: true, passes, hopes: true, places },
        );
    }
}

/// A task over encrypted integers of those shapes, at frames of many sizes; tells how many outputs share ciphertexts at the largest.
fn directed(shapes: &[&[u64]], build: impl Fn(&mut Session<'_>, &[OperandId]) -> Vec<OperandId>) -> usize {
    let mut shared = 0;
    let values = Values::new();
    let registry = values.registry();
    let mut dice = Dice(7);
    let mut s = Session::new(Graph::new(64), &registry);
    let (mut given, mut inputs, mut ranges) = (Vec::new(), SortedMap::new(), SortedMap::new());
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
        shared = check(&task, &registry, &values, Frame { ring, rings }).unwrap();
    }
    shared
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
fn what_is_made_of_sums_shares_ciphertexts_too() {
    let shared = directed(&[&[6], &[6], &[6]], |s, x| {
        let mut outputs = Vec::new();
        for (number, &x) in x.iter().enumerate() {
            let sum = s.op("value.sum", Attrs::new(), &[x]).unwrap();
            let attrs = shape(&[]).with("kind", "integer").with("value", 5 + number as u64);
            let five = s.op("value.constant", attrs, &[]).unwrap();
            let more = s.op("value.add", Attrs::new(), &[sum, five]).unwrap();
            let negative = s.op("value.negate", Attrs::new(), &[more]).unwrap();
            outputs.extend([more, negative]);
        }
        outputs
    });
    assert!(shared > 2, "{shared}");
}

#[test]
fn sums_share_ciphertexts() {
    let shared = directed(&[&[6], &[6], &[6, 3]], |s, x| {
        let product = s.op("value.multiply", Attrs::new(), &[x[0], x[1]]).unwrap();
        let square = s.op("value.multiply", Attrs::new(), &[x[0], x[0]]).unwrap();
        let sums: Vec<OperandId> = [x[0], x[1], product, square]
            .iter()
            .map(|&x| s.op("value.sum", Attrs::new(), &[x]).unwrap())
            .collect();
        let difference = s.op("value.sub", Attrs::new(), &[sums[2], sums[3]]).unwrap();
        let times = s.op("value.multiply", Attrs::new(), &[sums[0], sums[1]]).unwrap();
        let rows = s.op("value.sum", Attrs::new().with("axis", 0u64), &[x[2]]).unwrap();
        [sums, vec![difference, times, rows, rows]].concat()
    });
    // Four sums and their difference in one, two of columns in another; the product stands alone.
    assert_eq!(shared, 5);
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
fn diagonals_take_giant_steps() {
    let values = Values::new();
    let registry = values.registry();
    let mut s = Session::new(Graph::new(64), &registry);
    let mut dice = Dice(11);
    let (mut inputs, mut ranges) = (SortedMap::new(), SortedMap::new());
    let mut input = |s: &mut Session<'_>, name: String, place: Place| {
        let value = Value::new(Kind::Integer, [64]).at(place);
        let cells = (0..64).map(|_| dice.below(41) as i128 - 20).collect::<Vec<_>>();
        inputs.insert(name.clone(), Exact::integers(cells));
        ranges.insert(name.clone(), Range::Integers { min: -20, max: 20 });
        s.graph_mut().add_input(&name, value.ty().unwrap()).unwrap()
    };
    let x = input(&mut s, "x".into(), Place::Encrypted);
    let mut sum = x;
    for steps in 0..64u64 {
        let diagonal = input(&mut s, format!("d{steps}"), Place::Plain);
        let turned =
            s.op("value.rotate", Attrs::new().with("axis", 0u64).with("steps", steps), &[x]).unwrap();
        let term = s.op("value.multiply", Attrs::new(), &[turned, diagonal]).unwrap();
        sum = s.op("value.add", Attrs::new(), &[sum, term]).unwrap();
    }
    s.graph_mut().declare_output("y0", sum);
    let task = Task { graph: s.finish(), inputs, ranges };
    let frame = Frame { ring: 7, rings: 1 };
    check(&task, &registry, &values, frame).unwrap();
    let known = ranges_of(&task, &registry, &values);
    let places = &Places::default();
    let options = PackingOptions { frame, exact: true, passes: PASSES, hopes: true, places };
    let graph = lower(&task.graph, &registry, &values, &known, &options).unwrap().graph;
    let turns = graph.operators().iter().filter(|op| graph.signature(op).name == "packed.rotate").count();
    assert_eq!(turns, 14);
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
