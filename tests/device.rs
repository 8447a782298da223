//! Runs of which a device computes a part, on a device that is imagined: it does what it is told, in order, with the reference's kernels. What shaders compute is
//! seen where there are GPUs (`pkg-tests`).

use crate::common::{Evaluator, Random, Task, outputs, with_outputs};
use cipherloom::Error;
use cipherloom::circuit::{Circuit, Placing};
use cipherloom::engine::{Command, Input, Plan, PlanOptions, Run, Submission};
use cipherloom::graph::Graph;
use cipherloom::ops::types::{Form, Limb};
use cipherloom::ops::{Call, Registry};
use cipherloom::place::{
    Circumstances, Line, OnDevice, Placed, Times, Use, Way, place_by_times, unplace_from,
};
use cipherloom::platform::{Gpu, Kernel, Mixed, Platform, Scalar};
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

/// A GPU is preferred, as where one is asked for.
fn gpu_and_scalar() -> Mixed {
    Mixed::new([Arc::new(Gpu) as Arc<dyn Platform>, Arc::new(Scalar::new())], [])
}

const N: usize = 64;

/// So many chains of products that share no data, each so long.
fn chains(count: usize, length: usize) -> Graph {
    let mut graph = Graph::new(64);
    let ty = Limb { n: N, q: 257, form: Form::Ntt }.ty();
    for chain in 0..count {
        let mut x = graph.add_input(&format!("x{chain}"), ty.clone()).unwrap();
        for _ in 0..length {
            x = graph.add_operator("limb.mul", cipherloom::graph::Attrs::new(), &[x, x], ty.clone()).unwrap();
        }
        graph.declare_output(&format!("y{chain}"), x);
    }
    graph
}

/// A product takes 1000 ns on the host; on the device `each`, and `wave` for a dispatch. A word crosses in so many.
fn table(each: f64, wave: f64, word: f64, submission: f64) -> Times {
    let line = Line { fixed: 0.0, each: word };
    let mut times = Times { submission, up: line, down: line, ..Times::default() };
    let device = Some(OnDevice { wave, each });
    times.add("limb.mul", Use { work: N as f64, host: 1000.0, device });
    times
}

fn by_times(
    graph: &Graph,
    times: &Times,
    threads: usize,
    pins: &[(&str, &str)],
) -> cipherloom::Result<Placed> {
    let given = Circumstances { times, threads, kept: &|_| false };
    place_by_times(graph, graph, &Registry::lattice(), &gpu_and_scalar(), pins, &given)
}

#[test]
fn times_decide_where_operators_go() {
    let graph = chains(16, 20);
    let ops = graph.operators().len();
    // Ten times as fast, and near.
    let near = by_times(&graph, &table(100.0, 0.0, 0.1, 500.0), 1, &[]).unwrap();
    assert!(near.there > ops / 2, "{near:?}");
    assert!(near.expected < 0.2 * near.alone, "{near:?}");
    assert_eq!(near.alone, 1000.0 * ops as f64);
    // As fast, but what is to be done there takes longer to go there.
    let far = by_times(&graph, &table(100.0, 0.0, 1000.0, 500.0), 1, &[]).unwrap();
    assert_eq!((far.way, far.there, far.expected), (Way::Host, 0, far.alone));
    assert!(far.graph.is_none());
    // As fast, but each submission takes longer than all on the host.
    let slow = by_times(&graph, &table(100.0, 0.0, 0.1, 1e6), 1, &[]).unwrap();
    assert_eq!(slow.way, Way::Host);
    // A dispatch has a price: worth it for a wave of many, and not for one chain.
    let price = table(10.0, 3000.0, 0.1, 500.0);
    let wave = by_times(&graph, &price, 1, &[]).unwrap();
    assert!(wave.there > ops * 3 / 4, "{wave:?}");
    assert_eq!(by_times(&chains(1, 20), &price, 1, &[]).unwrap().way, Way::Host);
    // What nobody measured there is the host's.
    let mut unknown = table(100.0, 0.0, 0.1, 500.0);
    unknown =
        Times { submission: unknown.submission, up: unknown.up, down: unknown.down, ..Times::default() };
    assert_eq!(by_times(&graph, &unknown, 1, &[]).unwrap().way, Way::Host);
}

#[test]
fn both_at_once_where_that_is_sooner_than_either() {
    let graph = chains(16, 20);
    // As fast as one thread.
    let times = table(1000.0, 0.0, 0.1, 500.0);
    for threads in [1, 3] {
        let placed = by_times(&graph, &times, threads, &[]).unwrap();
        let share = placed.there as f64 / graph.operators().len() as f64;
        let fair = 1.0 / (threads as f64 + 1.0);
        assert!((share - fair).abs() < 0.1, "{threads} threads: {share}");
        // Sooner than the device alone, and the host alone.
        let all = 1000.0 * graph.operators().len() as f64;
        assert!(placed.expected < 0.95 * placed.alone && placed.expected < 0.7 * all, "{placed:?}");
    }
    // But for one that computes on the host's own processors.
    let shared = Times { shared: true, ..times };
    assert_eq!(by_times(&graph, &shared, 3, &[]).unwrap().way, Way::Host);
    // With two threads, one that is ten times as fast as one of them pays all the same.
    let fast = Times { shared: true, ..table(100.0, 0.0, 0.1, 500.0) };
    assert!(by_times(&graph, &fast, 2, &[]).unwrap().there > 0);
}

#[test]
fn pins_and_places_win_over_times() {
    let graph = chains(4, 5);
    let ops = graph.operators().len();
    let (faster, slower) = (table(10.0, 0.0, 0.0, 1.0), table(1e6, 1e6, 1e3, 1e6));
    let there = by_times(&graph, &slower, 2, &[("limb.mul", "gpu")]).unwrap();
    assert_eq!(there.there, ops);
    assert!(there.expected > there.alone);
    // Measured or not.
    assert_eq!(by_times(&graph, &Times::default(), 2, &[("limb.mul", "gpu")]).unwrap().there, ops);
    assert_eq!(by_times(&graph, &faster, 2, &[("limb.mul", "scalar")]).unwrap().way, Way::Host);
    // What is placed stays there.
    let placed = placed(&graph, &mut Random::new(1), 100);
    assert_eq!(by_times(&placed, &slower, 2, &[("limb.mul", "scalar")]).unwrap().there, ops);
    let wrong = |pins: &[(&str, &str)]| by_times(&graph, &faster, 1, pins).err().unwrap();
    assert!(matches!(wrong(&[("limb.mul", "tpu")]), Error::NoPlatform { .. }));
    assert!(matches!(wrong(&[("limb.nothing", "gpu")]), Error::UnknownOperator { .. }));
}

#[test]
fn keys_that_a_device_keeps_cost_no_way_there() {
    let graph = chains(16, 2);
    let times = table(10.0, 0.0, 10.0, 0.0);
    let times = Times { down: Line::default(), ..times };
    let with = |kept: &dyn Fn(&str) -> bool| {
        let given = Circumstances { times: &times, threads: 1, kept };
        place_by_times(&graph, &graph, &Registry::lattice(), &gpu_and_scalar(), &[], &given).unwrap()
    };
    let (kept, sent) = (with(&|_| true), with(&|_| false));
    assert!(kept.expected < 0.5 * sent.expected, "{} {}", kept.expected, sent.expected);
}

#[test]
fn circuits_are_expanded_for_either_side_and_placed() {
    let mut graph = chains(8, 4);
    let x = graph.inputs()[0].operand;
    let ty = graph.ty(x).clone();
    let coefficients = Limb { n: N, q: 257, form: Form::Coeff }.ty();
    let product = graph.add_operator("limb.mul", cipherloom::graph::Attrs::new(), &[x, x], ty).unwrap();
    let back =
        graph.add_operator("limb.intt", cipherloom::graph::Attrs::new(), &[product], coefficients).unwrap();
    graph.declare_output("back", back);
    let circuit = Circuit::new(graph, Arc::new(Registry::lattice())).unwrap();
    // A GPU that is there and costs less is not where operators go that nobody has placed.
    let host =
        Mixed::new([Arc::new(Scalar::new()) as Arc<dyn Platform>], [Arc::new(Gpu) as Arc<dyn Platform>]);
    assert!(!circuit.place(&host, &[]).unwrap().to_text().contains("@gpu"));
    let place = |times: &Times, pins: &[(&str, &str)]| {
        let by = Placing { times, pins, threads: 1 };
        circuit.place_by_times(&host, &gpu_and_scalar(), &by).unwrap()
    };
    let (near, told) = place(&table(100.0, 0.0, 0.1, 500.0), &[]);
    assert!(told.operators > 0 && told.expected < 0.9 * told.alone, "{told:?}");
    let count = |circuit: &Circuit, name: &str| circuit.to_text().matches(name).count();
    assert_eq!(count(&near, "@gpu"), told.operators);
    let (far, told) = place(&table(100.0, 0.0, 1000.0, 500.0), &[("limb.intt", "scalar")]);
    assert_eq!((told.way, told.operators), ("host", 0));
    assert_eq!((count(&far, "@gpu"), count(&far, "limb.intt@scalar")), (0, 1));
    // Nothing is known of it, but it has to go there.
    let (pinned, told) = place(&Times::default(), &[("limb.mul", "gpu")]);
    assert_eq!((count(&pinned, "limb.mul@gpu"), told.operators), (33, 33));
    // What is there already stays, and the host's own graph has it, too.
    let there = circuit.place(&host, &[("limb.intt", "gpu")]).unwrap();
    let by = Placing { times: &Times { shared: true, ..Times::default() }, pins: &[], threads: 1 };
    let (stays, told) = there.place_by_times(&host, &gpu_and_scalar(), &by).unwrap();
    assert_eq!((count(&stays, "limb.intt@gpu"), told.operators), (1, 1));
    // Of no use, whatever the graph.
    let (_, told) = place(&Times { shared: true, ..Times::default() }, &[]);
    assert_eq!((told.way, told.expected), ("host", 0.0));
    let uses = circuit.uses(&host, &gpu_and_scalar()).unwrap();
    let names: Vec<(&str, bool)> = uses.iter().map(|of| (of.op.as_str(), of.shader)).collect();
    assert_eq!(names, [("limb.intt", true), ("limb.mul", true)]);
}

/// Of random tables and graphs: what is placed by times computes the same words, is the same whenever it is asked for, and is not expected before any device could be done.
#[test]
fn what_is_placed_by_random_times_gives_the_same_words() {
    let registry = Registry::lattice();
    let evaluator = Evaluator::new(&registry);
    let mut ways = std::collections::BTreeMap::new();
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let task = Task::random(seed, 1 + random.index(120), &registry, 0, true);
        let full = with_outputs(&task.graph);
        let expected = evaluator.run(&full, &task.data).outputs(&full);
        let mut times = Times { submission: random.pick(&[0.0, 1e3, 1e5]), ..Times::default() };
        times.up = Line { fixed: random.pick(&[0.0, 100.0]), each: random.pick(&[0.0, 1.0]) };
        times.down = times.up;
        times.shared = random.chance(10);
        let (mut least, mut sum) = (f64::INFINITY, 0.0);
        for op in full.operators() {
            let name = &full.signature(op).name;
            let mut number = || 1.0 + random.below(10_000) as f64;
            let device = Some(OnDevice { wave: number(), each: number() });
            let measured = Use { work: 1.0, host: number(), device };
            times.add(name, measured);
        }
        let threads = random.pick(&[1, 2, 8]);
        let placed = by_times(&full, &times, threads, &[]).unwrap();
        let again = by_times(&full, &times, threads, &[]).unwrap();
        *ways.entry(placed.way.name()).or_insert(0) += 1;
        for op in full.operators() {
            let own = full.signature(op);
            let types = full.input_types(op);
            let call = Call { name: &own.name, attrs: &own.attrs, inputs: &types, unit: 64 };
            let work = registry.get(&own.name).unwrap().cost(&call);
            let host = times.host(&own.name, work);
            let one = times.device(&own.name, work).map_or(host, |device| device.each.min(host));
            (least, sum) = (least.min(one), sum + one);
        }
        let ideal = sum / (threads + 1) as f64;
        assert!(placed.expected >= ideal.max(least) * (1.0 - 1e-9), "seed {seed}: {placed:?}");
        assert!(placed.expected <= placed.alone, "seed {seed}");
        assert_eq!(placed.graph.is_some(), placed.there > 0);
        let Some(graph) = placed.graph else { continue };
        assert!(placed.expected <= 0.9 * placed.alone * (1.0 + 1e-9), "seed {seed}");
        let names = |graph: &Graph| -> Vec<String> {
            graph.operators().iter().map(|op| graph.signature(op).written_name().into_owned()).collect()
        };
        assert_eq!(names(&graph), names(&again.graph.unwrap()), "seed {seed}");
        let there = names(&graph).iter().filter(|name| name.ends_with("@gpu")).count();
        assert_eq!(there, placed.there);
        let mut run = start(&graph, &task.data);
        complete(&mut run, &mut random);
        assert_eq!(outputs(&run), expected, "seed {seed}");
    }
    // Every way is taken now and then.
    assert_eq!(ways.keys().copied().collect::<Vec<_>>(), ["device", "groups", "host", "ranks"], "{ways:?}");
}
