//! Products that are results and stay of three parts: where they do, where they must not, and that they are right.

use crate::road::{TaskBuilder, expected, run};
use cipherloom::graph::Graph;
use cipherloom::ops::types::Extract;
use cipherloom::schemes::SchemeName;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Literal, Options, Passes, Program, Step};
use cipherloom::values::Exact;
use std::sync::Arc;

/// A task of x and y, of so many cells each.
fn asked(kind: &str, cells: usize, build: impl FnOnce(&mut TaskBuilder, [usize; 2])) -> Literal {
    let mut task = TaskBuilder::default();
    let ty = format!(r#"kind="{kind}", shape=[{cells}], where="encrypted""#);
    let [x, y] = ["x", "y"].map(|name| task.input(name, &ty, Some(["-100", "100"])));
    build(&mut task, [x, y]);
    task.finish()
}

/// Inputs at the bounds, and what they are between them.
fn inputs(cells: usize) -> SortedMap<String, Exact> {
    let cell = |factor: usize| {
        move |k: usize| if k.is_multiple_of(3) { 100 } else { (k * factor % 201) as i128 - 100 }
    };
    let all = |factor| Exact::integers((0..cells).map(cell(factor)));
    SortedMap::from([("x".to_owned(), all(7)), ("y".to_owned(), all(11))])
}

/// How many parts the largest result has.
fn parts(program: &Program) -> usize {
    let graph: &Graph = program.scheme();
    let parts = |operand| Extract::of(graph.ty(operand)).unwrap().ciphertext.parts;
    graph.outputs().iter().map(|port| parts(port.operand)).max().unwrap()
}

/// Whether a program has results of three parts, no key, and the right results.
fn open(task: &Literal, options: &Options, cells: usize, off: f64) -> bool {
    let program = Arc::new(Program::compile(task.clone(), options).unwrap());
    let inputs = inputs(cells);
    let (found, expected) = (run(&program, &inputs), expected(task, &inputs));
    assert_eq!(found.len(), expected.len());
    for (name, expected) in &expected {
        for (a, b) in found[name].cells.iter().zip(&expected.cells) {
            assert!((a.to_f64() - b.to_f64()).abs() <= off, "{name}: {a:?}, expected {b:?}");
        }
    }
    let open = parts(&program) == 3;
    assert_eq!(open, program.keys().is_empty(), "{:?}", program.keys());
    open
}

fn products(task: &mut TaskBuilder, [x, y]: [usize; 2]) {
    let product = task.op("value.multiply", "", &[x, y]);
    let square = task.op("value.square", "", &[x]);
    let both = task.op("value.add", "", &[product, square]);
    let sum = task.op("value.sum", "", &[product]);
    for (name, value) in [("product", product), ("both", both), ("sum", sum)] {
        task.output(name, value);
    }
}

#[test]
fn products_and_their_sums_need_no_key() {
    for cells in [1, 8, 569] {
        let task = asked("integer", cells, products);
        for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
            let options = Options { scheme: Some(scheme), ..Options::default() };
            assert!(open(&task, &options, cells, 0.0), "{scheme:?}, {cells}");
        }
        let task = asked("real", cells, products);
        assert!(open(&task, &Options { precision: Some(16.0), ..Options::default() }, cells, 1.0), "{cells}");
    }
}

#[test]
fn whoever_wants_two_parts_has_them() {
    let passes = Passes { open_results: false, ..Passes::ALL };
    for kind in ["integer", "real"] {
        assert!(!open(&asked(kind, 8, products), &Options { passes, ..Options::default() }, 8, 0.01));
    }
}

#[test]
fn of_data_owners_nothing_but_results_is_told() {
    let options = Options { public_key: Some(true), ..Options::default() };
    assert!(!open(&asked("integer", 8, products), &options, 8, 0.0));
}

#[test]
fn what_a_server_put_in_is_not_told() {
    // In a factor before a square, and in a sum.
    for op in ["value.multiply", "value.add"] {
        let mut task = TaskBuilder::default();
        let [x, w] = [("x", "encrypted"), ("w", "plain")].map(|(name, place)| {
            task.input(name, &format!(r#"kind="integer", shape=[8], where="{place}""#), Some(["-9", "9"]))
        });
        let mixed = task.op(op, "", &[x, w]);
        let square = task.op("value.square", "", &[mixed]);
        let sum = task.op("value.sum", "", &[square]);
        task.output("sum", sum);
        let program = Program::compile(task.finish(), &Options::default()).unwrap();
        assert_eq!(parts(&program), 2, "{op}");
        assert!(!program.keys().is_empty());
    }
}

#[test]
fn what_others_compute_on_has_two_parts() {
    let task = asked("integer", 8, |task, [x, y]| {
        let product = task.op("value.multiply", "", &[x, y]);
        task.output("product", product);
    });
    let step = Step { kept: ["product".to_owned()].into(), ..task.clone().into() };
    let program = Program::compile_all(vec![step], &Options::default()).unwrap().remove(0);
    assert_eq!(parts(&program), 2);
    // Beside another output that is kept, too: programs to come need keys.
    let both = asked("integer", 8, |task, [x, y]| {
        let (product, sum) = (task.op("value.multiply", "", &[x, y]), task.op("value.add", "", &[x, y]));
        task.output("product", product);
        task.output("sum", sum);
    });
    let step = Step { kept: ["sum".to_owned()].into(), ..both.into() };
    let program = Program::compile_all(vec![step], &Options::default()).unwrap().remove(0);
    assert!(parts(&program) == 2 && !program.parameters().literal().special.is_empty());
    // One that is open is not offered to others.
    let report = Program::compile(task, &Options::default()).unwrap().report().unwrap();
    assert!(report.keys.is_empty() && report.results.is_empty(), "{:?}", report.results);
}

#[test]
fn many_results_are_relinearized_where_less_travels_then() {
    let vector = |kind: &str, bounds: [&str; 2], cells: usize| {
        let mut task = TaskBuilder::default();
        let ty = format!(r#"kind="{kind}", shape=[{cells}], where="encrypted""#);
        let x = task.input("x", &ty, Some(bounds));
        let square = task.op("value.square", "", &[x]);
        task.output("square", square);
        Program::compile(task.finish(), &Options::default()).unwrap()
    };
    // Reals of small bounds: the scale at which three parts do is too low for two, which are to be found all the same.
    for (kind, bounds) in [("integer", ["-100", "100"]), ("real", ["-1", "1"])] {
        assert_eq!(parts(&vector(kind, bounds, 1000)), 3, "{kind}");
        let many = vector(kind, bounds, 400_000);
        assert_eq!(parts(&many), 2, "{kind}");
        assert!(!many.parameters().literal().special.is_empty(), "{kind}");
    }
}

#[test]
fn a_number_beside_a_result_does_not_close_it() {
    let task = asked("real", 8, |task, [x, _]| {
        let half = task.op("value.constant", r#"kind="real", shape=[8], value=0.5"#, &[]);
        let square = task.op("value.square", "", &[x]);
        let shifted = task.op("value.add", "", &[square, half]);
        task.output("shifted", shifted);
    });
    assert!(open(&task, &Options::default(), 8, 0.01));
}
