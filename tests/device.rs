//! Runs of which a device computes a part, on a device that is imagined: it does what it is told, in order, with the reference's kernels. What shaders compute is
//! seen where there are GPUs (`pkg-tests`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use cipherloom::Error;
use cipherloom::engine::{Command, Input, Plan, PlanOptions, Run, Submission};
use cipherloom::graph::Graph;
use cipherloom::ops::{Call, Registry};
use cipherloom::place::unplace_from;
use cipherloom::platform::{Gpu, Kernel, Mixed, Platform, Scalar};
use common::{Evaluator, Random, Task, outputs, with_outputs};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// A device: its memory, and what comes back of each submission that has not landed.
struct Imagined {
    memory: Vec<u64>,
    kept: Vec<Input>,
    back: VecDeque<Vec<u8>>,
    /// Operators of dispatches, and dispatches.
    counts: [usize; 2],
}

impl Imagined {
    fn new(run: &Run) -> Self {
        let memory = vec![0xa5a5_a5a5_a5a5_a5a5; run.plan().device().unwrap().words()];
        Self { memory, kept: run.inputs().to_vec(), back: VecDeque::new(), counts: [0; 2] }
    }

    fn submit(&mut self, run: &Run, Submission { bytes, commands, downloads, .. }: &Submission) {
        let mut back = vec![0u64; *downloads];
        for command in commands {
            match command {
                &Command::Upload { from, to, words } => {
                    assert!(from.is_multiple_of(8), "places of words are told in words");
                    let given = bytes[from..from + 8 * words as usize].chunks(8);
                    let words = given.map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
                    words.enumerate().for_each(|(at, word)| self.memory[to as usize + at] = word);
                }
                &Command::Kept { input, from, to, words } => {
                    let (from, to, words) = (from as usize, to as usize, words as usize);
                    self.memory[to..to + words]
                        .copy_from_slice(&self.kept[input as usize][from..from + words]);
                }
                &Command::Download { from, to, words } => {
                    let (from, to, words) = (from as usize, to as usize, words as usize);
                    back[to..to + words].copy_from_slice(&self.memory[from..from + words]);
                }
                Command::Dispatch { from, bytes: size, ops, .. } => {
                    assert!(from.is_multiple_of(256), "no buffer is bound from there on");
                    self.dispatch(run, &bytes[*from..from + size], ops);
                }
            }
        }
        self.back.push_back(back.iter().flat_map(|word| word.to_le_bytes()).collect());
    }

    fn dispatch(&mut self, run: &Run, records: &[u8], ops: &[u32]) {
        self.counts[0] += ops.len();
        self.counts[1] += 1;
        let graph = run.plan().graph();
        let stride = records.len() / ops.len();
        let (mut read, mut written): (Vec<Range<usize>>, Vec<Range<usize>>) = Default::default();
        for (&op, record) in ops.iter().zip(records.chunks(stride)) {
            let op = &graph.operators()[op as usize];
            let word =
                |at: usize| u32::from_le_bytes(record[4 * at..4 * at + 4].try_into().unwrap()) as usize;
            let block = |at: usize, size: u64| word(at)..word(at) + size as usize;
            let inputs: Vec<_> = graph.inputs_of(op).to_vec();
            let places = inputs.iter().enumerate().map(|(at, &input)| block(1 + at, graph.ty(input).size));
            let places: Vec<Range<usize>> = places.collect();
            let types = graph.input_types(op);
            let signature = graph.signature(op);
            let call = Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit: 64 };
            let Kernel::Words(kernel) = Scalar::new().kernel(&call, graph.ty(op.output)).unwrap() else {
                // Copies are on bytes.
                let words = places.iter().flat_map(|place| self.memory[place.clone()].to_vec());
                let words: Vec<u64> = words.collect();
                let out = block(0, words.len() as u64);
                self.memory[out.clone()].copy_from_slice(&words);
                read.extend(places);
                written.push(out);
                continue;
            };
            let data: Vec<Vec<u64>> =
                places.iter().map(|place| self.memory[place.clone()].to_vec()).collect();
            let data: Vec<&[u64]> = data.iter().map(Vec::as_slice).collect();
            let out = block(0, graph.ty(op.output).size);
            let mut scratch = vec![0; kernel.scratch()];
            kernel.run(&data, &mut self.memory[out.clone()], &mut scratch, op.nonce);
            read.extend(places);
            written.push(out);
        }
        // Operators of one dispatch run at once.
        let meet = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
        for (at, out) in written.iter().enumerate() {
            assert!(!read.iter().any(|place| meet(place, out)), "one writes what another one reads");
            assert!(!written[..at].iter().any(|other| meet(other, out)), "two write one place");
        }
    }
}

fn both() -> Mixed {
    Mixed::new([Arc::new(Scalar::new()) as Arc<dyn Platform>], [Arc::new(Gpu) as Arc<dyn Platform>])
}

/// Some of the operators that a GPU can have are placed there.
fn placed(graph: &Graph, random: &mut Random, percent: u64) -> Graph {
    let mut out = graph.clone();
    let mut signatures = Vec::new();
    for op in graph.operators() {
        let own = graph.signature(op);
        let types = graph.input_types(op);
        let call = Call { name: &own.name, attrs: &own.attrs, inputs: &types, unit: 64 };
        let there = Gpu.serves(&call, graph.ty(op.output)) && random.chance(percent);
        signatures.push(out.intern_placed(&own.name, own.attrs.clone(), there.then_some("gpu")));
    }
    out.replace_signatures(&signatures);
    out
}

fn start(graph: &Graph, data: &[Vec<u64>]) -> Run {
    let plan = Plan::new(graph, &Registry::lattice(), &both(), PlanOptions::default()).unwrap();
    let inputs: Vec<Input> = data.iter().map(|words| words.as_slice().into()).collect();
    Run::new(Arc::new(plan), inputs, || 0.0).unwrap()
}

/// Runs to the end with a device, if one is asked for.
fn complete(run: &mut Run, random: &mut Random) -> [usize; 2] {
    let Some(device) = run.plan().device() else {
        run.finish();
        return [0; 2];
    };
    let (tables, inputs) = (device.tables().len(), run.inputs().len());
    run.open_device(vec![0; tables], (0..inputs).map(|_| random.chance(30)).collect());
    let mut device = Imagined::new(run);
    let budget = random.pick(&[1.0, 100.0, 1e9]);
    let mut idle = 0;
    // Some at a time, as where messages are looked at in between.
    let patience = random.pick(&[0.0, f64::INFINITY]);
    while !run.step(patience) {
        idle += 1;
        while device.back.len() < 2
            && let Some(submission) = run.encode(budget)
        {
            device.submit(run, &submission);
            idle = 0;
        }
        if (run.waits() || random.chance(50))
            && let Some(back) = device.back.pop_front()
        {
            run.landed(&back).unwrap();
            idle = 0;
        }
        assert!(idle < 10_000, "stuck at {:?}", run.progress());
    }
    assert!(device.back.is_empty());
    device.counts
}

#[test]
fn random_graphs_give_the_same_words_wherever_their_operators_are() {
    let registry = Registry::lattice();
    let evaluator = Evaluator::new(&registry);
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let mut counts = [0; 2];
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let size = random.pick(&[20, 60, 500]);
        let plain = Task::random(seed, 1 + random.index(size), &registry, 0, true);
        let task = if seed % 2 == 0 { plain } else { plain.scattered(seed) };
        let full = with_outputs(&task.graph);
        let expected = evaluator.run(&full, &task.data).outputs(&full);
        let percent = random.pick(&[20, 50, 100]);
        let mixed = placed(&full, &mut random, percent);
        let mut run = start(&mixed, &task.data);
        let found = pools[(seed % 2) as usize].install(|| complete(&mut run, &mut random));
        assert_eq!(outputs(&run), expected, "seed {seed}");
        counts.iter_mut().zip(found).for_each(|(all, found)| *all += found);
    }
    let [ops, dispatches] = counts;
    assert!(ops > 10_000 && dispatches < ops, "{ops} operators in {dispatches} dispatches");
}

/// Sums and products of many limbs: what does not wait for each other is one dispatch, whatever storage does.
#[test]
fn a_wave_is_one_dispatch_and_memory_goes_round() {
    let mut graph = Graph::new(64);
    let ty = cipherloom::ops::types::Limb { n: 16, q: 97, form: cipherloom::ops::types::Form::Ntt }.ty();
    let (width, depth) = (50, 40);
    let mut row: Vec<_> =
        (0..width).map(|at| graph.add_input(&format!("x{at}"), ty.clone()).unwrap()).collect();
    for _ in 0..depth {
        let next = |at: usize| {
            let (a, b) = (row[at], row[(at + 1) % width]);
            graph.add_operator("limb.mul", cipherloom::graph::Attrs::new(), &[a, b], ty.clone()).unwrap()
        };
        row = (0..width).map(next).collect();
    }
    row.iter().enumerate().for_each(|(at, &operand)| graph.declare_output(&format!("y{at}"), operand));
    let mut random = Random::new(1);
    let data: Vec<Vec<u64>> = (0..width).map(|_| (0..16).map(|_| random.below(97)).collect()).collect();
    let mut alone = start(&graph, &data);
    alone.finish();
    let mut run = start(&placed(&graph, &mut random, 100), &data);
    // Two rows, and what comes and goes.
    let words = run.plan().device().unwrap().words();
    assert!(words <= 3 * width * 16, "{words}");
    let tables = run.plan().device().unwrap().tables().len();
    run.open_device(vec![0; tables], vec![false; width]);
    let mut device = Imagined::new(&run);
    assert!(!run.step(f64::INFINITY) && run.waits());
    let submission = run.encode(f64::INFINITY).unwrap();
    device.submit(&run, &submission);
    assert_eq!(device.counts, [width * depth, depth]);
    assert_eq!(run.encode(f64::INFINITY), None);
    // Done is what has landed.
    assert_eq!(run.progress().0, 0);
    assert!(matches!(run.landed(&[0]), Err(Error::InputLength { .. })));
    run.landed(&device.back.pop_front().unwrap()).unwrap();
    assert!(run.step(f64::INFINITY));
    assert_eq!(outputs(&run), outputs(&alone));
    assert!(matches!(run.landed(&[]), Err(Error::Job(_))));
}

#[test]
fn what_is_lost_with_a_device_is_computed_without() {
    let registry = Registry::lattice();
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let task = Task::random(seed, 1 + random.index(60), &registry, 0, true);
        let full = with_outputs(&task.graph);
        let mut alone = start(&full, &task.data);
        alone.finish();
        let mixed = placed(&full, &mut random, 50);
        let mut run = start(&mixed, &task.data);
        let _ = run.step(f64::INFINITY);
        if run.plan().device().is_some() {
            run.open_device(Vec::new(), Vec::new());
            let _ = run.encode(50.0);
        }
        // Its device is lost: its inputs are all that is needed.
        let inputs = run.take_inputs();
        drop(run);
        let plan = Plan::new(
            &unplace_from(&mixed, |name| name == "gpu"),
            &registry,
            &both(),
            PlanOptions::default(),
        );
        let mut again = Run::new(Arc::new(plan.unwrap()), inputs, || 0.0).unwrap();
        again.finish();
        assert_eq!(outputs(&again), outputs(&alone), "seed {seed}");
    }
}

#[test]
fn secrets_do_not_go_to_a_device() {
    let registry = Registry::lattice();
    let task = Task::random(3, 20, &registry, 0, false);
    let graph = placed(&with_outputs(&task.graph), &mut Random::new(1), 100);
    let options = PlanOptions { wipe: true, ..PlanOptions::default() };
    let error = Plan::new(&graph, &registry, &both(), options).err().unwrap();
    assert_eq!(error.code(), "gpu.secret", "{error}");
}
