//! The engine from outside: what it refuses before anything runs, and what can be asked of a run.

use cipherloom::Error;
use cipherloom::analyze::check;
use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::graph::{Attrs, Graph, GraphError, Placeholder, ValueType, parse};
use cipherloom::ops::Call;
use cipherloom::ops::Registry;
use cipherloom::ops::types::block_size;
use cipherloom::platform::{Kernel, Platform, Scalar, WordKernel};
use std::sync::Arc;

/// A graph literal over limbs of 4 units: `!0` modulo 97 and `!1` modulo 193, coefficients; `!2` modulo 97, values;
/// `!3` and `!4`: 4 and 8 raw units; `!5` and up: what does not fit together.
fn graph(lines: &str) -> Graph {
    let types = "type !0 = limb[4]{form=\"coeff\", n=4, q=97}\ntype !1 = limb[4]{form=\"coeff\", n=4, q=193}\n\
                 type !2 = limb[4]{form=\"ntt\", n=4, q=97}\ntype !3 = raw[4]\ntype !4 = raw[8]\n\
                 type !5 = limb[4]{form=\"coeff\", n=8, q=97}\ntype !6 = limb[8]{form=\"ntt\", n=8, q=97}\n\
                 type !7 = small[4]{n=8}\ntype !8 = limb[3]{form=\"ntt\", n=3, q=97}\n\
                 type !9 = slots[3]{n=3, t=97}\n\
                 type !10 = slots[4]{n=4, t=97}\n\
                 attrs #0 = {c=96}\nattrs #1 = {c=97}\nattrs #2 = {g=1}\nattrs #3 = {q=97}\n\
                 attrs #4 = {n=4, t=97, values=[1, 2, 3, 4]}\n";
    parse(&format!("cipherloom-graph 1\nunit 64\n{types}{lines}")).unwrap()
}

fn plan(lines: &str) -> Result<Plan, Error> {
    Plan::new(&graph(lines), &Registry::lattice(), &Scalar::new(), PlanOptions::default())
}

const X: &str = "input %0 : !0 [0,4) \"x\"\n";

#[test]
fn operators_that_take_something_else_are_refused() {
    let bad = [
        // Number of inputs.
        "op %1 = limb.add(%0) : !0 [4,8)",
        "op %1 = limb.ntt() : !2 [4,8)",
        "op %1 = limb.dot(!2 [0,4)) : !2 [4,8)",
        "op %1 = copy() : !3 [4,8)",
        // Types of inputs.
        "op %1 = limb.add(%0, !1 [0,4)) : !0 [4,8)",
        "op %1 = limb.ntt(!2 [0,4)) : !2 [4,8)",
        "op %1 = limb.neg(!3 [0,4)) : !3 [4,8)",
        // Sizes that do not fit the type's attributes, and no power of two.
        "op %1 = limb.ntt(!5 [0,4)) : !6 [4,12)",
        "op %1 = limb.from_small#3(!7 [0,4)) : !6 [4,12)",
        "op %1 = limb.permute#2(!8 [0,3)) : !8 [4,7)",
        "op %1 = slots.read(!8 [0,3)) : !9 [4,7)",
        "op %1 = slots.write(!9 [0,3)) : !8 [4,7)",
        // Types of outputs.
        "op %1 = limb.neg(%0) : !1 [4,8)",
        "op %1 = limb.ntt(%0) : !0 [4,8)",
        "op %1 = copy(%0) : !4 [4,12)",
        // Attributes.
        "op %1 = limb.mul_scalar(%0) : !0 [4,8)",
        "op %1 = limb.mul_scalar#1(%0) : !0 [4,8)",
        "op %1 = limb.mul_scalar#2(%0) : !0 [4,8)",
    ];
    for line in bad {
        let error = plan(&format!("{X}{line}\n")).map(|_| ()).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Operator { .. } | Error::Graph(GraphError::Attribute { .. }) | Error::Math(_)
            ),
            "{line}: {error}"
        );
    }
    assert_eq!(plan(&format!("{X}op %1 = limb.mul_scalar#0(%0) : !0 [4,8)\n")).unwrap().len(), 1);
}

#[test]
fn inputs_that_share_units_are_refused() {
    let error = check(&graph(&format!("{X}input %1 : !4 [2,10) \"y\"\n"))).unwrap_err();
    let at = Placeholder::new(2, 4);
    assert_eq!(error, GraphError::OverlappingInputs { first: "x".into(), second: "y".into(), at });
    assert!(plan(&format!("{X}{}op %2 = copy(%0) : !3 [8,12)\n", X.replace("%0", "%1"))).is_err());
}

fn run(lines: &str, data: &[&[u64]]) -> Result<Run, Error> {
    Run::new(Arc::new(plan(lines)?), data.iter().map(|&words| Input::from(words)).collect(), || 0.0)
}

#[test]
fn inputs_are_checked_before_a_run() {
    let lines = format!("{X}input %1 : !4 [4,12) \"y\"\nop %2 = copy(%0) : !3 [12,16)\n");
    let missing = run(&lines, &[&[1; 4]]).map(|_| ()).unwrap_err();
    assert_eq!(missing, Error::MissingInput { name: "y".into() });
    let short = run(&lines, &[&[1; 4], &[1; 7]]).map(|_| ()).unwrap_err();
    assert_eq!(short, Error::InputLength { input: "y".into(), found: 7, expected: 8 });
}

#[test]
fn memory_is_counted_before_a_run() {
    let graph = graph(&format!("{X}op %1 = limb.neg(%0) : !0 [4,8)\noutput %1 \"out\"\n"));
    let limit = |memory_limit| PlanOptions { memory_limit, ..PlanOptions::default() };
    let bytes =
        Plan::new(&graph, &Registry::lattice(), &Scalar::new(), limit(1 << 20)).unwrap().memory_bytes();
    assert_eq!(bytes, 64);
    assert!(Plan::new(&graph, &Registry::lattice(), &Scalar::new(), limit(64)).is_ok());
    let error = Plan::new(&graph, &Registry::lattice(), &Scalar::new(), limit(63)).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::MemoryLimit { needed: 64, limit: 63 });
}

#[test]
fn places_beyond_all_addresses_are_refused() {
    // Eight blocks of 2^61 words: as many words as there are numbers, and as bytes far more.
    let mut lines =
        String::from("type !11 = raw[2305843009213693952]\ninput %0 : !11 [0,2305843009213693952) \"x\"\n");
    for op in 1..4u64 {
        lines += &format!("op %{op} = copy(%{}) : !11 [{},{})\n", op - 1, op << 61, (op + 1) << 61);
    }
    let plan = Plan::new(
        &graph(&lines),
        &Registry::lattice(),
        &Scalar::new(),
        PlanOptions { memory_limit: u64::MAX, ..PlanOptions::default() },
    );
    let error = plan.map(|_| ()).unwrap_err();
    assert_eq!(error, Error::MemoryLimit { needed: u64::MAX, limit: i64::MAX as u64 });
}

#[test]
fn memory_that_cannot_be_had_says_what_was_asked_for() {
    // Copies of copies, each twice as large: 2^47 words in all.
    let (mut types, mut lines) = (String::new(), String::from(X));
    let (mut at, mut size) = (4u64, 4u64);
    for op in 1..45 {
        size *= 2;
        types += &format!("type !{} = raw[{size}]\n", 10 + op);
        lines += &format!("op %{op} = copy(%{0}, %{0}) : !{1} [{at},{2})\n", op - 1, 10 + op, at + size);
        at += size;
    }
    let graph = graph(&(types + &lines));
    let plan = Plan::new(
        &graph,
        &Registry::lattice(),
        &Scalar::new(),
        PlanOptions { memory_limit: u64::MAX, ..PlanOptions::default() },
    );
    let error = Run::new(Arc::new(plan.unwrap()), vec![Input::from([0; 4])], || 0.0).map(|_| ()).unwrap_err();
    let asked = 8 * (at - 4);
    assert_eq!(error, Error::OutOfMemory { asked });
    assert_eq!((error.code(), error.details()), ("memory.exhausted", vec![("asked", asked.to_string())]));
}

/// A plan of 20 operators from constants, which every run reads, and 10 from the input.
fn plan_with_constants() -> Arc<Plan> {
    let mut lines = String::from("input %0 : !2 [0,4) \"x\"\n");
    let place = |id: usize| format!("[{},{})", 4 * id, 4 * id + 4);
    for k in 0..10 {
        let (constant, written, sum) = (3 * k + 1, 3 * k + 2, 3 * k + 3);
        let before = 3 * k;
        lines += &format!("op %{constant} = slots.constant#4() : !10 {}\n", place(constant));
        lines += &format!("op %{written} = slots.write(%{constant}) : !2 {}\n", place(written));
        lines += &format!("op %{sum} = limb.add(%{before}, %{written}) : !2 {}\n", place(sum));
    }
    lines += "output %30 \"out\"\n";
    Arc::new(plan(&lines).unwrap())
}

/// Goes on by a millisecond whenever somebody looks.
fn ticking() -> f64 {
    static NOW: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    f64::from(NOW.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

#[test]
fn constants_are_computed_step_by_step() {
    let plan = plan_with_constants();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let new = || Run::new(Arc::clone(&plan), vec![Input::from([0, 0, 0, 0])], ticking).unwrap();
    let finish = |run: &mut Run| one.install(|| while !run.step(0.0) {});
    // Dropped half way: nothing is left of it.
    let mut dropped = new();
    assert_eq!(dropped.progress(), (0, 30));
    assert!(!one.install(|| dropped.step(0.0)));
    assert_eq!(dropped.progress(), (1, 30));
    drop(dropped);
    // Two runs at once: the second takes over what the first has computed.
    let (mut first, mut second) = (new(), new());
    assert_eq!(second.progress(), (0, 30));
    for done in 1..=5 {
        assert!(!one.install(|| first.step(0.0)) && !one.install(|| second.step(0.0)));
        assert_eq!((first.progress(), second.progress()), ((done, 30), (done, 30)));
    }
    finish(&mut first);
    one.install(|| second.step(0.0));
    assert!(second.progress().0 > 20, "{:?}", second.progress());
    finish(&mut second);
    // Known from the start, and the straight way with and without them.
    let mut third = new();
    assert_eq!(third.progress(), (20, 30));
    finish(&mut third);
    let mut straight = Run::new(plan_with_constants(), vec![Input::from([0, 0, 0, 0])], ticking).unwrap();
    assert!(!straight.step(0.0));
    straight.finish_straight().unwrap();
    let expected = straight.output(0).unwrap();
    assert!(expected.iter().any(|&word| word != 0));
    for run in [first, second, third] {
        assert_eq!((run.progress(), run.output(0).unwrap()), ((30, 30), expected.clone()));
    }
}

#[test]
fn outputs_are_read_at_the_end() {
    let mut run = run(
        &format!("{X}op %1 = limb.neg(%0) : !0 [4,8)\nop %2 = limb.neg(%1) : !0 [8,12)\noutput %2 \"out\"\n"),
        &[&[0, 1, 2, 96]],
    )
    .unwrap();
    assert!(matches!(run.output(0), Err(Error::Job(_))));
    // One operator for every thread.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(!one.install(|| run.step(0.0)));
    assert_eq!(run.progress(), (1, 2));
    assert!(matches!(run.output(0), Err(Error::Job(_))));
    assert!(matches!(run.finish_straight(), Err(Error::Job(_))), "some operators ran before");
    run.finish();
    assert_eq!(run.output(0).unwrap(), [0, 1, 2, 96]);
    assert!(matches!(run.output(1), Err(Error::Job(_))));
    assert!(run.step(0.0));
}

#[test]
fn runs_in_a_row_share_memory_and_nothing_else() {
    let lines = format!(
        "{X}op %1 = limb.neg(%0) : !0 [4,8)\nop %2 = limb.add(%0, %1) : !0 [8,12)\noutput %1 \"a\"\noutput %2 \"b\"\n"
    );
    let plan = Arc::new(plan(&lines).unwrap());
    let new = |data: [u64; 4]| Run::new(Arc::clone(&plan), vec![Input::from(data)], || 0.0).unwrap();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut dropped = new([1; 4]);
    assert!(!one.install(|| dropped.step(0.0)), "half way");
    drop(dropped);
    for data in [[0, 1, 2, 96], [5, 6, 7, 8]] {
        // Two at once, and the next one in the memory of either.
        let (mut first, mut second) = (new(data), new([3; 4]));
        second.finish();
        first.finish();
        let negative = data.map(|x| (97 - x) % 97);
        assert_eq!((first.output(0).unwrap(), first.output(1).unwrap()), (negative.to_vec(), vec![0; 4]));
        assert_eq!(second.output(0).unwrap(), [94; 4]);
    }
}

#[test]
fn a_polynomial_of_an_odd_size_is_one_block() {
    // A block beyond the operand's end would be somebody else's storage.
    let ty = |size: u64| ValueType::new("poly", size, Attrs::new().with("n", 8u64));
    let blocks = [10, 16, 7].map(|size| block_size(&ty(size)));
    assert_eq!(blocks, [10, 8, 7]);
}

#[test]
fn a_graph_without_operators_hands_its_inputs_on() {
    let mut run = run(&format!("{X}output !3 [2,4)+[0,2) \"out\"\n"), &[&[5, 6, 7, 8]]).unwrap();
    run.finish();
    assert_eq!(run.output(0).unwrap(), [7, 8, 5, 6]);
}

#[test]
fn a_trace_has_every_operator_once() {
    let lines = format!("{X}op %1 = limb.neg(%0) : !0 [4,8)\nop %2 = limb.add(%0, %1) : !0 [8,12)\n");
    let mut run = run(&lines, &[&[1; 4]]).unwrap();
    run.set_trace(true);
    run.finish();
    let ops: Vec<u32> = run.trace().spans.iter().map(|span| span.op).collect();
    assert_eq!(ops, [0, 1]);
}

#[test]
fn a_trace_tells_what_ran_and_who_waited_for_whom() {
    let lines = format!(
        "{X}op %1 = limb.neg(%0) : !0 [4,8)\nop %2 = limb.add(%0, %1) : !0 [8,12)\nop %3 = limb.neg(%0) : !0 [12,16)\nop %4 = limb.add(%2, %3) : !0 [16,20)\n"
    );
    let mut run = run(&lines, &[&[1; 4]]).unwrap();
    let of = run.plan().traced().unwrap();
    assert_eq!(of.types, ["limb.neg", "limb.add"]);
    assert_eq!(of.types_of, [0, 1, 0, 1]);
    assert_eq!((of.kernels, of.kernels_of), (vec![vec!["scalar".to_owned()]], vec![0; 4]));
    assert_eq!((of.starts, of.waits), (vec![0, 0, 1, 1, 3], vec![0, 1, 2]));
    run.set_trace(true);
    assert_eq!(run.trace().origin, 0.0);
    run.finish();
    assert_eq!(run.trace().threads as usize, rayon::current_num_threads());
}

/// A platform whose second operator in line panics while others wait for it.
struct Panicking;

struct Boom;

impl WordKernel for Boom {
    fn run(&self, _: &[&[u64]], _: &mut [u64], _: &mut [u64], _: u32) {
        panic!("boom");
    }
}

impl Platform for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }
    fn implements(&self, op: &str) -> bool {
        Scalar::new().implements(op)
    }
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel, Error> {
        if call.name == "limb.neg" { Ok(Kernel::on_words(Boom)) } else { Scalar::new().kernel(call, output) }
    }
}

#[test]
fn a_panic_in_a_kernel_reaches_the_caller() {
    let mut lines = format!("{X}op %1 = limb.add(%0, %0) : !0 [4,8)\nop %2 = limb.neg(%1) : !0 [8,12)\n");
    for op in 3..20 {
        lines.push_str(&format!("op %{op} = limb.add(%2, %0) : !0 [{},{})\n", 4 * op, 4 * op + 4));
    }
    let plan = Arc::new(
        Plan::new(&graph(&lines), &Registry::lattice(), &Panicking, PlanOptions::default()).unwrap(),
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let mut run = Run::new(plan, vec![[1, 2, 3, 4].as_slice().into()], || 0.0).unwrap();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.install(|| run.step(1.0))));
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&"boom"));
}

/// Random graphs of steps from an input and steps from constants give the same on any number of threads as one operator
/// after the other.
#[test]
fn constants_keep_out_of_the_way() {
    for seed in 1..=400u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as usize % limit
        };
        let mut lines = String::from("input %0 : !2 [0,4) \"x\"\n");
        let (mut steps, mut constants): (Vec<usize>, Vec<usize>) = (vec![0], vec![]);
        let mut id = 1;
        for _ in 0..300 {
            let place = |id: usize| format!("[{},{})", 4 * id, 4 * id + 4);
            match below(10) {
                0 => {
                    lines += &format!("op %{id} = slots.constant#4() : !10 {}\n", place(id));
                    id += 1;
                    lines += &format!("op %{id} = slots.write(%{}) : !2 {}\n", id - 1, place(id));
                    constants.push(id);
                }
                1..4 if constants.len() > 1 => {
                    let mut late = || constants[constants.len() - 1 - below(2)];
                    lines += &format!("op %{id} = limb.add(%{}, %{}) : !2 {}\n", late(), late(), place(id));
                    constants.push(id);
                }
                kind => {
                    let mut early = || if below(3) == 0 { 0 } else { below(steps.len().min(30)) };
                    let (a, b) = (steps[steps.len() - 1 - early()], steps[steps.len() - 1 - early()]);
                    lines += &match kind % 2 {
                        0 => format!("op %{id} = limb.neg(%{a}) : !2 {}\n", place(id)),
                        _ => format!("op %{id} = limb.add(%{a}, %{b}) : !2 {}\n", place(id)),
                    };
                    steps.push(id);
                }
            }
            id += 1;
        }
        for step in steps.iter().rev().take(6).chain(constants.last()) {
            lines += &format!("output %{step} \"{step}\"\n");
        }
        let plan = Arc::new(plan(&lines).unwrap());
        let new = || Run::new(Arc::clone(&plan), vec![Input::from([1, 2, 3, 96])], || 0.0).unwrap();
        let outputs = |run: &Run| -> Vec<Vec<u64>> {
            (0..plan.graph().outputs().len()).map(|index| run.output(index).unwrap()).collect()
        };
        let mut straight = new();
        straight.finish_straight().unwrap();
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut run = new();
            pool.install(|| run.finish());
            assert_eq!(outputs(&run), outputs(&straight), "seed {seed}, {threads} threads");
        }
    }
}
