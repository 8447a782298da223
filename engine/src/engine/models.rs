//! Every order in which two threads can run a small plan, by the model checker loom: storage has no race, no notice is
//! lost, and every operator runs. Run by `node scripts/test-race.mjs`.
//!
//! What is explored is [`Run::work`] with all that it calls, over plans whose blocks are used again as early as possible
//! (`SLACK` is 0 here). A planted fault must be found, or the models would show nothing.

use super::{Input, Plan, PlanOptions, Run};
use crate::analyze::Dependencies;
use crate::graph::{Graph, parse};
use crate::ops::Registry;
use crate::platform::Scalar;
use loom::model::Builder;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const LIMB: &str = "type !0 = limb[2]{form=\"coeff\", n=2, q=97}\n";
const X: &str = "input %0 : !0 [0,2) \"x\"\n";

/// A graph of operators in lines "name inputs", each writing the next two units; the last one is the output.
fn graph(lines: &[&str]) -> Graph {
    let mut text = format!("cipherloom-graph 1\nunit 64\n{LIMB}{X}");
    for (number, line) in (1..).zip(lines) {
        let (name, inputs) = line.split_once(' ').unwrap();
        text += &format!("op %{number} = {name}({inputs}) : !0 [{},{})\n", 2 * number, 2 * number + 2);
    }
    parse(&format!("{text}output %{} \"out\"\n", lines.len())).unwrap()
}

/// Two readers of one block, whose results meet.
const DIAMOND: [&str; 4] = ["limb.neg %0", "limb.neg %1", "limb.add %1, %0", "limb.add %2, %3"];

/// Two chains, so that blocks of one are used again by the other.
const CHAINS: [&str; 7] = [
    "limb.neg %0",
    "limb.neg %0",
    "limb.add %1, %0",
    "limb.add %2, %0",
    "limb.add %3, %0",
    "limb.add %4, %0",
    "limb.add %5, %6",
];

/// Six operators that wait for nobody: several of a kind are taken at a time.
const WIDE: [&str; 6] =
    ["limb.neg %0", "limb.neg %0", "limb.neg %0", "limb.neg %0", "limb.add %1, %2", "limb.add %5, %0"];

/// How a plan is explored.
#[derive(Clone, Copy)]
struct Model {
    lines: &'static [&'static str],
    /// Threads that work on it.
    threads: u32,
    /// How often a thread may be interrupted by another one in one order, beside where it has to wait.
    interruptions: Option<usize>,
    /// How long threads work before they come back; the last one lets them finish.
    deadlines: &'static [f64],
}

const TO_THE_END: &[f64] = &[f64::INFINITY];

fn new_run(plan: &Arc<Plan>) -> Run {
    Run::new(Arc::clone(plan), vec![Input::from([1, 96])], || 0.0).unwrap()
}

/// Checks `body` in every order.
fn check(interruptions: Option<usize>, body: impl Fn() + Sync + Send + 'static) -> usize {
    let orders = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&orders);
    let mut model = Builder::new();
    model.preemption_bound = interruptions;
    model.max_branches = 10_000;
    model.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        body();
    });
    let orders = orders.load(Ordering::Relaxed);
    println!("{orders} orders");
    orders
}

/// Runs a plan that `change` may have spoiled in every order; gives their number.
fn explore(model: Model, change: impl Fn(&mut Plan) + Sync + Send + 'static) -> usize {
    let Model { lines, threads, interruptions, deadlines } = model;
    check(interruptions, move || {
        let mut plan =
            Plan::new(&graph(lines), &Registry::lattice(), &Scalar::new(), PlanOptions::default()).unwrap();
        change(&mut plan);
        let plan = Arc::new(plan);
        let run = Arc::new(new_run(&plan));
        for &deadline in deadlines {
            let others: Vec<_> = (1..threads)
                .map(|thread| {
                    let run = Arc::clone(&run);
                    loom::thread::spawn(move || run.work(thread, &mut [], 0.0, deadline))
                })
                .collect();
            run.work(0, &mut [], 0.0, deadline);
            others.into_iter().for_each(|other| other.join().unwrap());
        }
        assert_eq!(run.progress(), (lines.len(), lines.len()), "every operator ran, once");
        let mut straight = new_run(&plan);
        straight.finish_straight().unwrap();
        assert_eq!(run.output(0).unwrap(), straight.output(0).unwrap());
    })
}

#[test]
fn a_diamond_in_every_order() {
    let model = Model { lines: &DIAMOND, threads: 2, interruptions: None, deadlines: TO_THE_END };
    let orders = explore(model, |_| ());
    assert!(orders > 100, "{orders}");
}

#[test]
fn two_chains_that_use_each_other_s_blocks() {
    let model = Model { lines: &CHAINS, threads: 2, interruptions: Some(3), deadlines: TO_THE_END };
    let orders = explore(model, |_| ());
    assert!(orders > 100, "{orders}");
}

#[test]
fn three_threads() {
    for lines in [&DIAMOND[..], &WIDE] {
        let model = Model { lines, threads: 3, interruptions: Some(2), deadlines: TO_THE_END };
        let orders = explore(model, |_| ());
        assert!(orders > 100, "{orders}");
    }
}

#[test]
fn threads_that_come_back_early_leave_the_rest_to_the_next_step() {
    let deadlines = &[-1.0, -1.0, f64::INFINITY];
    for lines in [&DIAMOND[..], &WIDE] {
        let orders = explore(Model { lines, threads: 2, interruptions: Some(3), deadlines }, |_| ());
        assert!(orders > 100, "{orders}");
    }
}

#[test]
fn runs_at_once_have_workspaces_of_their_own() {
    let orders = check(Some(3), || {
        let plan = Arc::new(
            Plan::new(&graph(&DIAMOND), &Registry::lattice(), &Scalar::new(), PlanOptions::default())
                .unwrap(),
        );
        let expected = {
            let mut run = new_run(&plan);
            run.finish_straight().unwrap();
            run.output(0).unwrap()
        };
        let work = move |plan: &Arc<Plan>| {
            for _ in 0..2 {
                let run = new_run(plan);
                run.work(0, &mut [], 0.0, f64::INFINITY);
                assert_eq!(run.output(0).unwrap(), expected);
            }
        };
        let (own, theirs) = (Arc::clone(&plan), work.clone());
        let other = loom::thread::spawn(move || theirs(&own));
        work(&plan);
        other.join().unwrap();
    });
    assert!(orders > 10, "{orders}");
}

/// The plan without one of its edges: `after` no longer waits for `before`.
fn without(plan: &mut Plan, before: u32, after: usize) {
    let waits = std::mem::take(&mut plan.waits);
    assert!(waits.dep(after).contains(&before), "{after} waits for {:?}", waits.dep(after));
    plan.waits = Dependencies::from_sets(waits.len(), 0, |op, set| {
        set.extend(waits.dep(op).iter().filter(|&&d| (d, op) != (before, after)));
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_lost_ordering_edge_is_found() {
    let model = Model { lines: &CHAINS, threads: 2, interruptions: Some(3), deadlines: TO_THE_END };
    explore(model, |plan| {
        let graph = plan.graph();
        let reads = |op: usize, other: u32| {
            graph.inputs_of(&graph.operators()[op]).contains(&graph.operators()[other as usize].output)
        };
        // Who writes a block again waits for its readers, too, whether it reads what they wrote or not.
        let edge = (0..plan.len()).find_map(|after| {
            let first =
                (0..after).find(|&first| plan.step(first as u32).output == plan.step(after as u32).output)?;
            let mut readers = plan.waits.dep(after).iter().filter(|&&d| d as usize != first);
            Some((*readers.find(|&&reader| !reads(after, reader))?, after))
        });
        let (before, after) = edge.unwrap();
        without(plan, before, after);
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_reader_that_is_released_early_is_found() {
    let model = Model { lines: &DIAMOND, threads: 2, interruptions: Some(3), deadlines: TO_THE_END };
    explore(model, |plan| without(plan, 0, 2));
}
