//! Random graphs: analysis by two methods, text form, placement, engine and expansion against an evaluator that
//! shares nothing with them.

use crate::common::{Evaluator, Nested, Random, Task, outputs, with_outputs};
use cipherloom::analyze::{Facts, Method, OutputIndex, analyze, analyze_by, check, derived_outputs};
use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Graph, OperandId, parse, print};
use cipherloom::ops::Registry;
use cipherloom::optimize::{DEFAULT_PASSES, Pass, optimize, optimize_known};
use cipherloom::place::gather;
use cipherloom::platform::{Null, Platform, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Calls `test` with each seed, on all cores.
fn for_all(seeds: Range<u64>, test: impl Fn(u64) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let test = &test;
            let own = seeds.start + thread..seeds.end;
            scope.spawn(move || own.step_by(threads as usize).for_each(test));
        }
    });
}

/// 1 to 1000 operators, small graphs most often.
fn operators(random: &mut Random) -> usize {
    let x = random.below(1 << 20) as f64 / f64::from(1 << 20);
    1 + (1000.0 * x.powi(18)) as usize
}

fn run(graph: &Graph, platform: &dyn Platform, data: &[Vec<u64>]) -> Run {
    let plan = Plan::new(graph, &Registry::lattice(), platform, PlanOptions::default()).unwrap();
    let inputs: Vec<Input> = data.iter().map(|words| words.as_slice().into()).collect();
    Run::new(Arc::new(plan), inputs, || 0.0).unwrap()
}

/// Runs to the end; a run that stands still is wrong, and must not hang the test.
fn complete(run: &mut Run) {
    let mut before = 0;
    while !run.step(f64::INFINITY) {
        let (done, all) = run.progress();
        assert!(done > before, "stuck after {done} of {all} operators");
        before = done;
    }
}

/// Both methods find the same, and those who are waited for know it.
fn dependencies(graph: &Graph) {
    let deps = analyze(graph).unwrap();
    assert_eq!(deps, analyze_by(graph, Method::Scan).unwrap());
    let edges = (0..deps.len()).map(|op| deps.dep(op).len()).sum::<usize>();
    assert_eq!(edges, (0..deps.len()).map(|op| deps.notify(op).len()).sum::<usize>());
    for op in 0..deps.len() {
        assert!(deps.dep(op).iter().all(|&d| deps.notify(d as usize).binary_search(&(op as u32)).is_ok()));
    }
}

/// What is known of a graph after passes is what is found anew.
fn known(graph: &Graph, facts: &Facts) {
    let fresh = Facts::new(graph).unwrap();
    assert_eq!(facts.dependencies, fresh.dependencies);
    assert_eq!(facts.index.places(), fresh.index.places());
    assert_eq!(facts.index.producers(), fresh.index.producers());
    for operand in (0..graph.operand_count()).map(|number| OperandId(number as u32)) {
        assert_eq!(facts.index.writer(operand), fresh.index.writer(operand));
        let searched = graph.pieces(operand).iter().map(|&piece| (piece, fresh.index.search(piece)));
        assert!(searched.clone().eq(fresh.index.hits(graph, operand)));
        assert!(searched.eq(facts.index.hits(graph, operand)));
    }
}

/// Right, and the same after a trip through the text form.
fn well_formed(graph: &Graph) {
    check(graph).unwrap();
    let text = print(graph);
    let again = parse(&text).unwrap();
    assert_eq!(print(&again), text);
    let operand = |g: &Graph, o: OperandId| (g.ty(o).clone(), g.pieces(o).to_vec());
    assert_eq!(again.operators().len(), graph.operators().len());
    for (a, b) in again.operators().iter().zip(graph.operators()) {
        assert_eq!((again.signature(a), a.nonce, a.parent), (graph.signature(b), b.nonce, b.parent));
        assert_eq!(operand(&again, a.output), operand(graph, b.output));
        let inputs = again.inputs_of(a).iter().map(|&i| operand(&again, i));
        assert!(inputs.eq(graph.inputs_of(b).iter().map(|&i| operand(graph, i))));
    }
    for (ports, originals) in [(again.inputs(), graph.inputs()), (again.outputs(), graph.outputs())] {
        let ports = ports.iter().map(|port| (&port.name, operand(&again, port.operand)));
        assert!(ports.eq(originals.iter().map(|port| (&port.name, operand(graph, port.operand)))));
    }
}

/// Every operator reads blocks and writes a block.
fn gathered(graph: &Graph) {
    let index = OutputIndex::new(graph).unwrap();
    let mut blocks = index.places().to_vec();
    blocks.extend(graph.inputs().iter().flat_map(|port| graph.pieces(port.operand)));
    let one_block = |operand: OperandId| {
        let [piece] = graph.pieces(operand) else { return false };
        blocks.iter().any(|block| block.start <= piece.start && piece.end <= block.end)
    };
    for op in graph.operators() {
        assert_eq!(graph.pieces(op.output).len(), 1);
        assert!(graph.inputs_of(op).iter().all(|&input| one_block(input)));
    }
}

#[test]
fn base_graphs() {
    these_base_graphs(0..2_500);
}

#[test]
#[ignore = "takes a minute or two"]
fn many_base_graphs() {
    these_base_graphs(2_500..10_000);
}

fn these_base_graphs(seeds: Range<u64>) {
    let registry = Registry::lattice();
    let evaluator = Evaluator::new(&registry);
    let scalar = Scalar::new();
    let pools = [1, 2, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for_all(seeds, |seed| {
        let mut random = Random::new(seed);
        let plain = Task::random(seed, operators(&mut random), &registry, 0, true);
        let expected = evaluator.run(&plain.graph, &plain.data).outputs(&plain.graph);
        let task = if seed % 2 == 0 { plain } else { plain.scattered(seed) };
        let graph = &task.graph;
        well_formed(graph);
        dependencies(graph);
        let values = evaluator.run(graph, &task.data);
        assert_eq!(values.outputs(graph), expected, "seed {seed}: another order");

        let placed = gather(graph).unwrap();
        gathered(&placed);
        assert_eq!(evaluator.run(&placed, &task.data).outputs(&placed), expected, "seed {seed}: gather");

        let full = with_outputs(graph);
        let expected = values.outputs(&full);
        let mut whole = run(&full, &scalar, &task.data);
        pools[0].install(|| complete(&mut whole));
        assert_eq!(outputs(&whole), expected, "seed {seed}: run");
        if seed % 8 < 2 {
            for (pool, threads) in pools[1..].iter().zip([2, 4]) {
                let mut whole = run(&full, &scalar, &task.data);
                pool.install(|| complete(&mut whole));
                assert_eq!(outputs(&whole), expected, "seed {seed}: {threads} threads");
            }
            let mut steps = run(&full, &scalar, &task.data);
            let mut count = 0;
            let pool = &pools[(seed / 8 % 3) as usize];
            while !pool.install(|| steps.step(0.0)) {
                count += 1;
                assert!(steps.progress().0 >= count, "seed {seed}: a step without progress");
            }
            assert_eq!(outputs(&steps), expected, "seed {seed}: in steps");
            let mut straight = run(&full, &scalar, &task.data);
            straight.finish_straight().unwrap();
            assert_eq!(outputs(&straight), expected, "seed {seed}: straight");
            let mut undeclared = run(graph, &Null, &task.data);
            pools[1].install(|| complete(&mut undeclared));
            let all = undeclared.plan().len();
            assert_eq!(undeclared.progress(), (all, all));
        }

        if seed % 8 < 2 {
            well_formed(&placed);
            dependencies(&placed);
            for pass in DEFAULT_PASSES {
                let better = pass.run(&full, &registry).unwrap();
                well_formed(&better);
                let found = evaluator.run(&better, &task.data).outputs(&better);
                assert_eq!(found, expected, "seed {seed}: pass {}", pass.name);
            }
        }
        if graph.outputs().is_empty() {
            // What nobody reads is an output and stays where it is, unread.
            let better = optimize(graph, &registry).unwrap();
            let unread = derived_outputs(&analyze(&better).unwrap());
            let unread: Vec<_> =
                unread.iter().map(|&op| better.pieces(better.operators()[op as usize].output)).collect();
            assert!(
                full.outputs().iter().all(|port| unread.contains(&full.pieces(port.operand))),
                "seed {seed}"
            );
            let found = evaluator.run(&better, &task.data).outputs(&full);
            assert_eq!(found, expected, "seed {seed}: optimized without declared outputs");
        }
        let (better, facts) = optimize_known(&full, None, &registry).unwrap();
        well_formed(&better);
        known(&better, &facts);
        let mut whole = run(&better, &scalar, &task.data);
        pools[0].install(|| complete(&mut whole));
        assert_eq!(outputs(&whole), expected, "seed {seed}: optimized");
    });
}

/// The outputs of an operator's expansion are the operator's output; children of others touch none of it.
fn provenance(before: &Graph, after: &Graph) {
    let mut written: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for op in after.operators() {
        let units = after.pieces(op.output).iter().flat_map(|p| p.start..p.end);
        written.entry(op.parent).or_default().extend(units);
    }
    assert!(written.keys().all(|&parent| (parent as usize) < before.operators().len()));
    for (number, op) in before.operators().iter().enumerate() {
        let children = &written[&(number as u32)];
        assert!(
            before.pieces(op.output).iter().flat_map(|p| p.start..p.end).all(|unit| children.contains(&unit))
        );
    }
}

#[test]
fn expansions() {
    let mut registry = Registry::lattice();
    registry.add_all(Nested::all());
    let evaluator = Evaluator::new(&registry);
    let scalar = Scalar::new();
    for_all(0..2_000, |seed| {
        let contains = |op: &str| scalar.implements(op);
        let base = BaseSet { platform: scalar.name(), contains: &contains };
        let mut random = Random::new(seed);
        let steps = 1 + operators(&mut random) / 20;
        let plain = Task::random(seed, steps, &registry, 3, false);
        let task = if seed % 2 == 0 { plain } else { plain.scattered(seed) };
        let top = with_outputs(&task.graph);
        let expected = evaluator.run(&top, &task.data).outputs(&top);
        let keeps = |graph: &Graph, what: &str| {
            well_formed(graph);
            assert_eq!(evaluator.run(graph, &task.data).outputs(graph), expected, "seed {seed}: {what}");
        };

        let mut expander = Expander::new(&registry);
        let mut current = top.clone();
        let mut levels = 0;
        while current.operators().iter().any(|op| !contains(&current.signature(op).name)) {
            // Passes work at every level.
            keeps(&optimize(&current, &registry).unwrap(), "passes above the base set");
            let next = expander.level(&current, &base).unwrap();
            keeps(&next, "a level down");
            provenance(&current, &next);
            current = next;
            levels += 1;
        }
        assert!(levels <= Nested::NAMES.len());

        let whole = expander.expand(&top, &base).unwrap();
        provenance(&top, &whole);
        assert_eq!(without_parents(&whole), without_parents(&current), "seed {seed}");
        let facts = Arc::new(Facts::new(&whole).unwrap());
        let (better, facts) = optimize_known(&whole, Some(&facts), &registry).unwrap();
        keeps(&better, "passes");
        known(&better, &facts);
        let mut run = run(&whole, &scalar, &task.data);
        complete(&mut run);
        assert_eq!(outputs(&run), expected, "seed {seed}: run of the expanded graph");
    });
}

fn without_parents(graph: &Graph) -> Vec<String> {
    print(graph).lines().filter_map(|line| line.split(" parent=").next()).map(str::to_owned).collect()
}
