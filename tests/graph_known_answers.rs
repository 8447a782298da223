//! The known answers of the computation graph: dependency tables, graph inputs and outputs, pruning, one worker.

use cipherloom::Result;
use cipherloom::analyze::{
    Method, OutputIndex, analyze, analyze_by, check, derived_outputs, graph_inputs, waves,
};
use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::graph::{Graph, GraphError, Operator, Placeholder, ValueType, parse};
use cipherloom::ops::{Call, Level, OpDef, Registry};
use cipherloom::optimize::prune;
use cipherloom::platform::{Kernel, Platform, Scalar, WordKernel};
use std::sync::Arc;

fn p(start: u64, end: u64) -> Placeholder {
    Placeholder::new(start, end)
}

/// Operator, operands, output.
type Row<'a> = (&'a str, &'a [&'a [(u64, u64)]], (u64, u64));

/// A graph from rows, one type per size.
fn graph(inputs: &[(u64, u64)], rows: &[Row]) -> Graph {
    let mut text = String::from("cipherloom-graph 1\nunit 64\n");
    for size in 1..=64 {
        text.push_str(&format!("type !{} = units[{size}]\n", size - 1));
    }
    let place = |list: &[(u64, u64)]| {
        let size: u64 = list.iter().map(|(s, e)| e - s).sum();
        let list: Vec<String> = list.iter().map(|(s, e)| format!("[{s},{e})")).collect();
        format!("!{} {}", size - 1, list.join("+"))
    };
    for (k, input) in inputs.iter().enumerate() {
        text.push_str(&format!("input %{k} : {} \"in{k}\"\n", place(&[*input])));
    }
    for (k, (name, ins, out)) in rows.iter().enumerate() {
        let ins: Vec<String> = ins.iter().map(|i| place(i)).collect();
        text.push_str(&format!(
            "op %{} = {name}({}) : {}\n",
            inputs.len() + k,
            ins.join(", "),
            place(&[*out])
        ));
    }
    parse(&text).unwrap()
}

fn sets(g: &Graph) -> Vec<(String, Vec<String>, Vec<String>)> {
    let deps = analyze(g).unwrap();
    assert_eq!(deps, analyze_by(g, Method::Scan).unwrap());
    let name = |op: &u32| g.signature(&g.operators()[*op as usize]).name.clone();
    let names = |ops: &[u32]| {
        let mut names: Vec<String> = ops.iter().map(name).collect();
        names.sort();
        names
    };
    let mut rows: Vec<_> =
        (0..deps.len()).map(|op| (name(&(op as u32)), names(deps.dep(op)), names(deps.notify(op)))).collect();
    rows.sort();
    rows
}

fn rows(expected: &[(&str, &str, &str)]) -> Vec<(String, Vec<String>, Vec<String>)> {
    let list = |s: &str| s.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    expected.iter().map(|(op, dep, not)| (op.to_string(), list(dep), list(not))).collect()
}

fn table_one() -> Graph {
    graph(
        &[(0, 1), (1, 2), (2, 3), (3, 4)],
        &[
            ("op1", &[&[(0, 1)]], (4, 5)),
            ("op2", &[&[(1, 2)]], (5, 6)),
            ("op3", &[&[(2, 3)]], (6, 7)),
            ("op4", &[&[(3, 4)]], (7, 8)),
            ("op6", &[&[(7, 8)]], (8, 9)),
            ("op5", &[&[(4, 7)], &[(8, 9)]], (9, 10)),
            ("op7", &[&[(9, 10)]], (10, 11)),
        ],
    )
}

#[test]
fn k_g3_dependency_table() {
    let g = table_one();
    let expected = rows(&[
        ("op1", "", "op5"),
        ("op2", "", "op5"),
        ("op3", "", "op5"),
        ("op4", "", "op6"),
        ("op5", "op1 op2 op3 op6", "op7"),
        ("op6", "op4", "op5"),
        ("op7", "op5", ""),
    ]);
    assert_eq!(sets(&g), expected);
    let index = OutputIndex::new(&g).unwrap();
    assert_eq!(index.search(p(4, 7)), 0..3);
    assert_eq!(index.search(p(8, 9)), 4..5);
    assert_eq!(graph_inputs(&g, &index), vec![p(0, 4)]);
    let deps = check(&g).unwrap();
    assert_eq!(derived_outputs(&deps), vec![6]);
    assert_eq!(waves(&g, &deps).unwrap(), vec![0, 0, 0, 0, 1, 2, 3]);
}

#[test]
fn k_g4_method_a_against_method_b() {
    let g = graph(&[], &[("a", &[], (0, 4)), ("b", &[], (4, 8)), ("c", &[], (10, 12)), ("d", &[], (20, 30))]);
    let index = OutputIndex::new(&g).unwrap();
    let cases: [(Placeholder, std::ops::Range<usize>); 9] = [
        (p(5, 6), 1..2),
        (p(3, 11), 0..3),
        (p(8, 10), 2..2),
        (p(12, 20), 3..3),
        (p(30, 40), 4..4),
        (p(0, 30), 0..4),
        (p(12, 21), 3..4),
        (p(11, 12), 2..3),
        (p(4, 4), 1..1),
    ];
    for (target, expected) in cases {
        assert_eq!(index.search(target), expected, "{target}");
        assert_eq!(index.scan(target), expected.collect::<Vec<_>>(), "{target}");
    }
    for empty in [p(0, 0), p(5, 5), p(9, 9), p(40, 40)] {
        assert!(index.search(empty).is_empty());
        assert!(index.scan(empty).is_empty());
    }
}

#[test]
fn k_g8_split_and_merge_inside_an_expansion() {
    let a1: &[Row] = &[
        ("a1", &[], (10, 14)),
        ("a2", &[], (14, 16)),
        ("a3", &[&[(10, 12), (14, 16)]], (16, 20)),
        ("a4", &[&[(12, 14)]], (20, 24)),
    ];
    let expected = [("a1", "", "a3 a4"), ("a2", "", "a3"), ("a3", "a1 a2", ""), ("a4", "a1", "")];
    assert_eq!(sets(&graph(&[], a1)), rows(&expected));
    let mut refined = vec![("a1x", [].as_slice(), (10, 12)), ("a1y", &[], (12, 14))];
    refined.extend_from_slice(&a1[1..]);
    let expected =
        [("a1x", "", "a3"), ("a1y", "", "a4"), ("a2", "", "a3"), ("a3", "a1x a2", ""), ("a4", "a1y", "")];
    assert_eq!(sets(&graph(&[], &refined)), rows(&expected));
}

#[test]
fn k_g9_four_ways_to_meet() {
    let cases: [(&[(u64, u64)], &str); 9] = [
        (&[(0, 8)], "p"),
        (&[(2, 4)], "p"),
        (&[(0, 8), (8, 16)], "p q"),
        (&[(0, 16)], "p q"),
        (&[(6, 8), (8, 12)], "p q"),
        (&[(6, 12)], "p q"),
        (&[(8, 12)], "q"),
        (&[(16, 20)], ""),
        (&[(8, 12), (0, 2)], "p q"),
    ];
    for (input, expected) in cases {
        let g = graph(&[(16, 20)], &[("p", &[], (0, 8)), ("q", &[], (8, 16)), ("r", &[input], (20, 21))]);
        let found = sets(&g).into_iter().find(|r| r.0 == "r").unwrap().1.join(" ");
        assert_eq!(found, expected, "{input:?}");
    }
}

#[test]
fn k_g10_graph_inputs() {
    let ops = |second: &'static [&'static [(u64, u64)]]| {
        graph(&[(0, 4), (4, 8)], &[("op1", &[&[(0, 4)]], (8, 12)), ("op2", second, (12, 16))])
    };
    let g = ops(&[&[(8, 12)], &[(4, 8)]]);
    let index = OutputIndex::new(&g).unwrap();
    assert_eq!(graph_inputs(&g, &index), vec![p(0, 8)]);
    let deps = check(&g).unwrap();
    let first: Vec<usize> = (0..2).filter(|&op| deps.dep(op).is_empty()).collect();
    assert_eq!(first, vec![0]);
    assert_eq!(derived_outputs(&deps), vec![1]);
    let g = ops(&[&[(6, 10)]]);
    assert_eq!(graph_inputs(&g, &OutputIndex::new(&g).unwrap()), vec![p(0, 4), p(6, 8)]);
    assert_eq!(check(&g).unwrap().dep(1), &[0]);
}

/// Operators of any name, whose output is 1 more than the sum of the units that they read.
struct Counting;

struct Count;

impl WordKernel for Count {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], _: &mut [u64], _: u32) {
        out.fill(1 + inputs.concat().iter().sum::<u64>());
    }
}

impl Platform for Counting {
    fn name(&self) -> &str {
        "counting"
    }
    fn implements(&self, _: &str) -> bool {
        true
    }
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        if call.name == "copy" { Scalar::new().kernel(call, output) } else { Ok(Kernel::on_words(Count)) }
    }
}

/// An operator type that takes anything and gives that.
struct Any(String, ValueType);

impl OpDef for Any {
    fn name(&self) -> &str {
        &self.0
    }
    fn level(&self) -> Level {
        Level::Base
    }
    fn assemble(&self, _: &Call<'_>) -> Result<ValueType> {
        Ok(self.1.clone())
    }
}

/// The types of all operators of a graph.
fn registry_of(g: &Graph) -> Registry {
    let mut registry = Registry::lattice();
    let of = |op: &Operator| Any(g.signature(op).name.clone(), g.ty(op.output).clone());
    registry.add_all(g.operators().iter().map(|op| Arc::new(of(op)) as Arc<dyn OpDef>));
    registry
}

/// Runs a graph over inputs of one unit on one worker; the names of its operators in the order in which they ran.
fn run_on_one_worker(g: &Graph, data: &[u64]) -> (Run, Vec<String>) {
    let plan = Arc::new(Plan::new(g, &registry_of(g), &Counting, PlanOptions::default()).unwrap());
    let mut run = Run::new(plan, data.iter().map(|&x| Input::from([x])).collect(), || 0.0).unwrap();
    run.set_trace(true);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    one.install(|| run.finish());
    let planned = run.plan().graph();
    let name = |op: u32| planned.signature(&planned.operators()[op as usize]).name.clone();
    let order = run.trace().spans.iter().map(|span| name(span.op)).collect();
    (run, order)
}

#[test]
fn k_g3_one_worker() {
    let mut g = table_one();
    let last = g.operators()[6].output;
    g.declare_output("out", last);
    let (run, mut order) = run_on_one_worker(&g, &[1, 2, 3, 4]);
    // What gathers op5's input is no operator of the table.
    order.retain(|name| name != "copy");
    let at = |name: &str| order.iter().position(|ran| ran == name).unwrap();
    assert_eq!(order.len(), 7, "{order:?}");
    for (first, second) in
        [("op4", "op6"), ("op6", "op5"), ("op5", "op7"), ("op1", "op5"), ("op2", "op5"), ("op3", "op5")]
    {
        assert!(at(first) < at(second), "{order:?}");
    }
    // 2, 3, 4 and 5; op6 gives 6, op5 16, op7 17.
    assert_eq!(run.output(0).unwrap(), [17]);
}

#[test]
fn k_g11_outputs_and_pruning() {
    let mut g = graph(
        &[(0, 1)],
        &[("op1", &[&[(0, 1)]], (1, 2)), ("op2", &[&[(1, 2)]], (2, 3)), ("op3", &[&[(0, 1)]], (3, 4))],
    );
    let names = |g: &Graph| g.operators().iter().map(|op| g.signature(op).name.clone()).collect::<Vec<_>>();
    assert_eq!(derived_outputs(&check(&g).unwrap()), [1, 2]);
    assert_eq!(names(&prune(&g, &Registry::empty()).unwrap()), ["op1", "op2", "op3"]);
    for (name, op) in [("one", 0), ("two", 1)] {
        let output = g.operators()[op].output;
        g.declare_output(name, output);
    }
    let pruned = prune(&g, &Registry::empty()).unwrap();
    assert_eq!(names(&pruned), ["op1", "op2"]);
    let (run, order) = run_on_one_worker(&pruned, &[5]);
    assert_eq!(order, ["op1", "op2"]);
    assert_eq!((run.output(0).unwrap(), run.output(1).unwrap()), (vec![6], vec![7]));
}

#[test]
fn bad_graphs_are_named() {
    let overlap = graph(&[], &[("a", &[], (0, 4)), ("b", &[], (3, 5))]);
    assert!(
        matches!(check(&overlap), Err(GraphError::OverlappingOutputs { first: 0, second: 1, at }) if at == p(3, 4))
    );
    let cycle = graph(&[], &[("a", &[&[(4, 8)]], (0, 4)), ("b", &[&[(0, 4)]], (4, 8))]);
    assert!(matches!(check(&cycle), Err(GraphError::Cycle { .. })));
    let own = graph(&[], &[("a", &[&[(0, 1)]], (0, 4))]);
    assert!(matches!(check(&own), Err(GraphError::Cycle { op: 0, .. })));
    let input = graph(&[(0, 4)], &[("a", &[], (2, 6))]);
    assert!(matches!(check(&input), Err(GraphError::WritesInput { op: 0, .. })));
    let undefined = graph(&[(0, 4)], &[("a", &[&[(2, 6)]], (8, 9))]);
    assert!(matches!(check(&undefined), Err(GraphError::Undefined { op: 0, at, .. }) if at == p(4, 6)));
}
