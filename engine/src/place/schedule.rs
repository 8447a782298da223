//! Places the operators of a graph on threads of the host and on a device by times that were measured, so that both together are done soonest, as far as these tell.
//!
//! List scheduling: operators in the order of their upward ranks, the longest way that is left from each to the end (H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective
//! and low-complexity task scheduling for heterogeneous computing", IEEE TPDS 13(3), 2002). One walk serves two ends: it follows a placement that is given, to say when that
//! would be done, or chooses for each operator the side where it would be done first (HEFT). What it knows of a device is what is special there: it takes work in the order
//! in which it is given it; operators of one kind that do not wait for each other are one dispatch, whose price only the first one pays; a block crosses once in each
//! direction; and whoever hears of it again waits for a submission to come back.
//!
//! HEFT looks at one operator at a time, and sees no price that a whole group shares. So other ways are tried beside it, and what is done first by the same walk is taken:
//! all on the device that can be; and whole groups that share no data, the largest first, each to the side that is done with it first. The host alone is one of the ways,
//! over its own graph, in which operators are fused; it is left only for what is sooner by a tenth, since models err.

use super::{Blocks, Owner, Run, Times};
use crate::Result;
use crate::analyze::{Dependencies, Facts, topological_order};
use crate::graph::{Graph, Kinds, OperandId, ValueType};
use crate::ops::{Call, Registry};
use crate::platform::{Platform, part};
use crate::watch::Steps;
use std::collections::{HashMap, HashSet};

/// The part of the host's time by which another way has to be sooner.
const MARGIN: f64 = 0.1;

/// What a placement is made for.
pub struct Circumstances<'a> {
    /// What was measured.
    pub times: &'a Times,
    /// Threads of the host, at least one.
    pub threads: usize,
    /// Which inputs, by their names, a device keeps from run to run: keys.
    pub kept: &'a dyn Fn(&str) -> bool,
}

/// How operators were placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All on the host.
    Host,
    /// All on the device that it has a shader and times of.
    Device,
    /// Groups that share no data, on either side.
    Groups,
    /// Each operator where it would be done first.
    Ranks,
}

impl Way {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Groups => "groups",
            Self::Ranks => "ranks",
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Placed {
    /// How.
    pub way: Way,
    /// Every operator with its place; none where all are the host's, whose own graph is to be run then.
    pub graph: Option<Graph>,
    /// Operators of the device.
    pub there: usize,
    /// Nanoseconds from begin to end, as expected.
    pub expected: f64,
    /// The same with the host alone.
    pub alone: f64,
}

/// Places the operators of `graph`, expanded for the parts of `platform`, of which one is apart and the others the host's. `alone` is what the host would run by itself. What
/// is placed already stays, and operators of the types in `pins` go where these say, whatever the times; what the device has no shader or no times of is the host's.
///
/// # Errors
/// `NoPlatform` for a pin to a platform that there is not; `NotImplemented` for a pin to a device of what it has no shader of; `UnknownOperator`; what
/// `Facts::new` finds.
pub fn place_by_times(
    alone: &Graph,
    graph: &Graph,
    registry: &Registry,
    platform: &dyn Platform,
    pins: &[(&str, &str)],
    given: &Circumstances<'_>,
) -> Result<Placed> {
    for (op, to) in pins {
        registry.get(op)?;
        part(platform, to)?;
    }
    let host = Model::new(alone, registry, platform, &[], given)?.walk(given, |_, _, _| false);
    let model = Model::new(graph, registry, platform, pins, given)?;
    let ways = [
        (Way::Device, model.walk(given, |_, _, _| true)),
        (Way::Groups, model.walk_groups(given)),
        (Way::Ranks, model.walk(given, |_, here, there| there < here)),
    ];
    // With all that is pinned to the device nowhere else, the host is one more way of this graph.
    let pinned = model.forced.contains(&Some(true));
    let rest = pinned.then(|| (Way::Host, model.walk(given, |_, _, _| false)));
    let mut best: Option<(Way, Schedule)> = None;
    for (way, schedule) in rest.into_iter().chain(ways) {
        if best.as_ref().is_none_or(|(_, best)| schedule.end < best.end) {
            best = Some((way, schedule));
        }
    }
    let Some((way, best)) = best else { return Ok(Placed::alone(host.end)) };
    let there = best.there.iter().filter(|&&there| there).count();
    if !pinned && (there == 0 || best.end > (1.0 - MARGIN) * host.end) {
        return Ok(Placed::alone(host.end));
    }
    let graph = model.placed(graph, &best.there);
    Ok(Placed { way, graph: Some(graph), there, expected: best.end, alone: host.end })
}

impl Placed {
    fn alone(end: f64) -> Self {
        Self { way: Way::Host, graph: None, there: 0, expected: end, alone: end }
    }
}

/// What an operator reads.
#[derive(Clone, Copy, PartialEq)]
enum Read {
    /// What that operator writes.
    Of(u32),
    /// A piece of an input, by its number, of so many words.
    Piece(u32, f64),
}

/// What operators of one kind take.
struct Kind {
    /// Kinds of one class share a shader: they may differ in primes and constants.
    class: u32,
    host: f64,
    /// Of a dispatch, and of an operator in it.
    device: Option<(f64, f64)>,
    forced: Option<bool>,
    /// Names of the parts that have it on each side.
    parts: [Option<String>; 2],
}

/// A graph, as scheduling sees it.
struct Model {
    kinds: Vec<Kind>,
    /// The kind of each operator.
    kind_of: Vec<u32>,
    /// Where each one has to be.
    forced: Vec<Option<bool>>,
    /// Those that wait for nobody who is later in it.
    order: Vec<u32>,
    waits: std::sync::Arc<Dependencies>,
    /// Where the reads of each operator begin, and where the last one's end.
    starts: Vec<u32>,
    reads: Vec<Read>,
    pieces: usize,
    /// Words that each one writes.
    words: Vec<f64>,
    /// Whether an output of the graph has some of them.
    leaves: Vec<bool>,
}

/// When a placement would be done, and which it is.
struct Schedule {
    end: f64,
    there: Vec<bool>,
}

impl Model {
    fn new(
        graph: &Graph,
        registry: &Registry,
        platform: &dyn Platform,
        pins: &[(&str, &str)],
        given: &Circumstances<'_>,
    ) -> Result<Self> {
        let facts = Facts::new(graph)?;
        let blocks = Blocks::new(graph, &facts.index)?;
        let n = graph.operators().len();
        let mut numbers = Kinds::default();
        let (mut kinds, mut kind_of) = (Vec::new(), Vec::with_capacity(n));
        let (mut starts, mut reads, mut words) = (vec![0], Vec::new(), Vec::with_capacity(n));
        let mut pieces: HashMap<(u32, u64), u32> = HashMap::new();
        let mut classes: HashMap<(String, u64, usize), u32> = HashMap::new();
        let mut steps = Steps::new(n);
        for op in graph.operators() {
            steps.step()?;
            let (number, new) = numbers.of(graph, op);
            kind_of.push(number);
            if new {
                let own = graph.signature(op);
                let types = graph.input_types(op);
                let call =
                    Call { name: &own.name, attrs: &own.attrs, inputs: &types, unit: graph.unit_bits() };
                let output = graph.ty(op.output);
                let next = classes.len() as u32;
                let class = (own.name.clone(), output.size, types.len());
                let class = *classes.entry(class).or_insert(next);
                let placed = own.platform.as_deref();
                let by = (pins, given.times);
                kinds.push(Kind::new((&call, output, class), placed, (registry, platform), by)?);
            }
            let mut see = |run: Run| match run.owner {
                Owner::Operator(before) => reads.push(Read::Of(before)),
                Owner::Input { port, .. } => {
                    let kept = graph.inputs().get(port as usize).is_some_and(|port| (given.kept)(&port.name));
                    if !kept {
                        let next = pieces.len() as u32;
                        let piece = *pieces.entry((port, run.place.start)).or_insert(next);
                        reads.push(Read::Piece(piece, run.place.size() as f64));
                    }
                }
            };
            graph.inputs_of(op).iter().for_each(|&input| blocks.runs(graph, input, &mut see));
            starts.push(reads.len() as u32);
            words.push(graph.ty(op.output).size as f64);
        }
        let mut leaves = vec![false; n];
        let mut leave = |operand: OperandId| {
            blocks.runs(graph, operand, &mut |run| {
                if let Owner::Operator(op) = run.owner {
                    leaves[op as usize] = true;
                }
            });
        };
        graph.outputs().iter().for_each(|port| leave(port.operand));
        let waits = facts.dependencies;
        let mut order = topological_order(graph, &waits)?;
        // The mean of both sides, as there.
        let of = |op: u32| -> &Kind { &kinds[kind_of[op as usize] as usize] };
        let mean = |kind: &Kind| kind.device.map_or(kind.host, |(_, each)| f64::midpoint(kind.host, each));
        let mut rank = vec![0f64; n];
        for &op in order.iter().rev() {
            let after = waits.notify(op as usize).iter().map(|&next| rank[next as usize]).fold(0.0, f64::max);
            rank[op as usize] = after + mean(of(op));
        }
        // Nobody's rank is less than that of those who wait for him; of equal ones the first stays first.
        order.sort_by(|&a, &b| rank[b as usize].total_cmp(&rank[a as usize]));
        let forced = (0..n as u32).map(|op| of(op).forced).collect();
        let pieces = pieces.len();
        Ok(Self { kinds, kind_of, forced, order, waits, starts, reads, pieces, words, leaves })
    }

    fn kind(&self, op: u32) -> &Kind {
        &self.kinds[self.kind_of[op as usize] as usize]
    }

    fn reads(&self, op: u32) -> &[Read] {
        let index = op as usize;
        &self.reads[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Goes through all operators; `choose` is told one, and when it would be done on the host and on the device, and says whether it goes there.
    fn walk(&self, given: &Circumstances<'_>, mut choose: impl FnMut(u32, f64, f64) -> bool) -> Schedule {
        let mut state = State::new(self, given);
        for &op in &self.order {
            let there = match (self.kind(op).device, self.forced[op as usize]) {
                (None, _) | (_, Some(false)) => false,
                (_, Some(true)) => true,
                _ => choose(op, state.end_here(op).1, state.end_there(op)),
            };
            if there { state.put_there(op) } else { state.put_here(op) }
        }
        state.done()
    }

    /// The same, with groups that share no data as wholes: the largest first, each to the side that is done with it first.
    fn walk_groups(&self, given: &Circumstances<'_>) -> Schedule {
        let n = self.kind_of.len();
        let mut leader: Vec<u32> = (0..n as u32).collect();
        let find = |leader: &mut Vec<u32>, mut op: u32| {
            while leader[op as usize] != op {
                let above = leader[leader[op as usize] as usize];
                leader[op as usize] = above;
                op = above;
            }
            op
        };
        for op in 0..n as u32 {
            for &before in self.waits.dep(op as usize) {
                let (a, b) = (find(&mut leader, op), find(&mut leader, before));
                leader[a.max(b) as usize] = a.min(b);
            }
        }
        // Of each group its work on both sides; what the device has not is the host's in any case.
        let mut works: Vec<(u32, f64, f64)> = Vec::new();
        let mut at = vec![u32::MAX; n];
        for op in 0..n as u32 {
            let first = find(&mut leader, op);
            if at[first as usize] == u32::MAX {
                at[first as usize] = works.len() as u32;
                works.push((first, 0.0, 0.0));
            }
            let (_, here, there) = &mut works[at[first as usize] as usize];
            let kind = self.kind(op);
            *here += kind.host;
            *there += kind.device.map_or(kind.host, |(_, each)| each);
        }
        works.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (mut here, mut there) = (0.0, given.times.submission);
        let mut goes = vec![false; n];
        for (first, on_host, on_device) in works {
            let (if_here, if_there) = ((here + on_host) / given.threads.max(1) as f64, there + on_device);
            if if_there < if_here {
                goes[first as usize] = true;
                there += on_device;
            } else {
                here += on_host;
            }
        }
        let goes: Vec<bool> = (0..n as u32).map(|op| goes[find(&mut leader, op) as usize]).collect();
        self.walk(given, |op, _, _| goes[op as usize])
    }

    /// The graph with its operators there.
    fn placed(&self, graph: &Graph, there: &[bool]) -> Graph {
        let mut out = graph.clone();
        let mut made: HashMap<(u32, bool), u32> = HashMap::new();
        let mut signatures = Vec::with_capacity(there.len());
        for ((op, &kind), &there) in graph.operators().iter().zip(&self.kind_of).zip(there) {
            let signature = *made.entry((kind, there)).or_insert_with(|| {
                let own = graph.signature(op);
                let place = self.kinds[kind as usize].parts[usize::from(there)].as_deref();
                out.intern_placed(&own.name, own.attrs.clone(), place)
            });
            signatures.push(signature);
        }
        out.replace_signatures(&signatures);
        out
    }
}

impl Kind {
    fn new(
        (call, output, class): (&Call<'_>, &ValueType, u32),
        placed: Option<&str>,
        (registry, platform): (&Registry, &dyn Platform),
        (pins, times): (&[(&str, &str)], &Times),
    ) -> Result<Self> {
        let work = registry.get(call.name)?.cost(call);
        let pinned = || pins.iter().find(|(name, _)| *name == call.name).map(|(_, to)| *to);
        let wanted = placed.or_else(pinned);
        let serves = |part: &dyn Platform| part.serves(call, output);
        let device = platform.preferred().iter().find(|part| part.is_apart() && serves(&***part));
        let able = platform.preferred().iter().filter(|part| !part.is_apart() && serves(&***part));
        // `min_by` gives the first of equals.
        let here = able.min_by(|a, b| {
            let [a, b] = [a, b].map(|part| part.cost(call, output, work));
            a.total_cmp(&b)
        });
        let mut parts = [here, device].map(|part| part.map(|part| part.name().to_owned()));
        let forced = match wanted {
            None => None,
            Some(name) => {
                let there = part(platform, name)?.is_apart();
                if there && device.is_none() {
                    let (op, platform) = (call.name.to_owned(), name.to_owned());
                    return Err(crate::Error::NotImplemented { op, platform });
                }
                parts[usize::from(there)] = Some(name.to_owned());
                Some(there)
            }
        };
        let host = times.host(call.name, work);
        let time = device.and_then(|_| times.device(call.name, work));
        // What is pinned there goes there, whether it was measured or not.
        let unknown = (forced == Some(true)).then_some((0.0, host));
        let device = time.map(|time| (time.wave, time.each)).or(unknown);
        Ok(Self { class, host, device, forced, parts })
    }
}

/// A schedule in the making.
struct State<'m> {
    model: &'m Model,
    given: &'m Circumstances<'m>,
    /// When each thread is free.
    threads: Vec<f64>,
    /// When the device is done with what it has been given; none before the first.
    queue: Option<f64>,
    /// When each operator is done, on its side.
    ends: Vec<f64>,
    there: Vec<bool>,
    /// When what the device computed is the host's.
    back: Vec<Option<f64>>,
    /// What is on the device: of operators of the host, and of inputs.
    sent: Vec<bool>,
    sent_pieces: Vec<bool>,
    /// How many operators of the device lead to each.
    depths: Vec<u32>,
    /// Dispatches: classes of operators, and how many lead to these.
    waves: HashSet<(u32, u32)>,
    last: f64,
}

impl<'m> State<'m> {
    fn new(model: &'m Model, given: &'m Circumstances<'m>) -> Self {
        let n = model.kind_of.len();
        Self {
            model,
            given,
            threads: vec![0.0; given.threads.max(1)],
            queue: None,
            ends: vec![0.0; n],
            there: vec![false; n],
            back: vec![None; n],
            sent: vec![false; n],
            sent_pieces: vec![false; model.pieces],
            depths: vec![0; n],
            waves: HashSet::new(),
            last: 0.0,
        }
    }

    /// When the host has what an operator wrote.
    fn here(&self, op: u32) -> f64 {
        let index = op as usize;
        if !self.there[index] {
            return self.ends[index];
        }
        let times = self.given.times;
        self.back[index]
            .unwrap_or_else(|| self.ends[index] + times.submission + times.down.of(self.model.words[index]))
    }

    /// The thread that would take an operator, and when it would be done there: the one that can begin first, and of these the one that has waited least.
    fn end_here(&self, op: u32) -> (usize, f64) {
        let ready =
            self.model.waits.dep(op as usize).iter().map(|&before| self.here(before)).fold(0.0, f64::max);
        let mut best = (0, f64::INFINITY, 0.0);
        for (thread, &free) in self.threads.iter().enumerate() {
            let start = ready.max(free);
            if start < best.1 || (start <= best.1 && free > best.2) {
                best = (thread, start, free);
            }
        }
        (best.0, best.1 + self.model.kind(op).host)
    }

    fn put_here(&mut self, op: u32) {
        let (thread, end) = self.end_here(op);
        let model = self.model;
        for &before in model.waits.dep(op as usize) {
            self.depths[op as usize] = self.depths[op as usize].max(self.depths[before as usize]);
            self.fetch(before);
        }
        self.threads[thread] = end;
        self.ends[op as usize] = end;
        self.last = self.last.max(end);
    }

    /// What an operator wrote comes back, once.
    fn fetch(&mut self, op: u32) {
        let index = op as usize;
        if self.there[index] && self.back[index].is_none() {
            self.back[index] = Some(self.here(op));
            // Copies take the device's time.
            let copied = self.given.times.down.each * self.model.words[index];
            self.queue = self.queue.map(|free| free + copied);
        }
    }

    /// When the device would begin with an operator, what it would take, and how many lead to it.
    fn on_device(&self, op: u32) -> (f64, f64, u32) {
        let (model, times) = (self.model, self.given.times);
        let (wave, each) = model.kind(op).device.unwrap_or((0.0, f64::INFINITY));
        let (mut ready, mut depth) = (0f64, 0);
        for &before in model.waits.dep(op as usize) {
            depth = depth.max(self.depths[before as usize]);
            // It follows the device's own in its queue.
            ready = ready.max(self.ends[before as usize]);
        }
        let mut takes = each;
        let reads = model.reads(op);
        for (index, &read) in reads.iter().enumerate() {
            // What is read twice crosses once.
            if reads[..index].contains(&read) {
                continue;
            }
            takes += match read {
                Read::Of(before) if self.there[before as usize] || self.sent[before as usize] => 0.0,
                Read::Of(before) => times.up.of(model.words[before as usize]),
                Read::Piece(piece, _) if self.sent_pieces[piece as usize] => 0.0,
                Read::Piece(_, words) => times.up.of(words),
            };
        }
        if !self.waves.contains(&(model.kind(op).class, depth)) {
            takes += wave;
        }
        // A device without work hears of more by the next submission.
        let start = match self.queue {
            Some(free) if free >= ready => free,
            _ => ready + times.submission,
        };
        let start = if times.shared { self.threads.iter().copied().fold(start, f64::max) } else { start };
        (start, takes, depth)
    }

    fn end_there(&self, op: u32) -> f64 {
        let (start, takes, _) = self.on_device(op);
        start + takes
    }

    fn put_there(&mut self, op: u32) {
        let (start, takes, depth) = self.on_device(op);
        let model = self.model;
        for &read in model.reads(op) {
            match read {
                Read::Of(before) => self.sent[before as usize] = true,
                Read::Piece(piece, _) => self.sent_pieces[piece as usize] = true,
            }
        }
        let (index, end) = (op as usize, start + takes);
        self.waves.insert((model.kind(op).class, depth));
        self.depths[index] = depth + 1;
        self.there[index] = true;
        self.ends[index] = end;
        self.queue = Some(end);
        if self.given.times.shared {
            self.threads.fill(end);
        }
        self.last = self.last.max(end);
    }

    fn done(mut self) -> Schedule {
        for op in 0..self.ends.len() as u32 {
            if self.model.leaves[op as usize] {
                self.fetch(op);
                self.last = self.last.max(self.here(op));
            }
        }
        Schedule { end: self.last, there: self.there }
    }
}
