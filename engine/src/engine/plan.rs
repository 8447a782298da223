//! The plan: everything about a run that does not depend on the data. Made once, run many times.
//!
//! Storage is given out by liveness over program order: a block is free again after its last reader, and whoever
//! gets it next waits for all of them (ordering edges).
//!
//! What a device computes lies in a memory of its own, where blocks go round in an order of their own: by depth. What is freed in a wave is free from the next one on, since
//! reuse that serves caches would chain operators that could be one dispatch.
//!
//! Operators that no input of the graph leads to give the same words in every run: the first run to get there computes
//! them, and the plan keeps those that others read.

use super::device::OnDevice;
use super::workspace::Spare;
use crate::analyze::{Dependencies, Facts, check_by, topological_order};
use crate::graph::{Graph, Kinds, OperandId, Operator, Port};
use crate::ops::types::{WORD, block_size};
use crate::ops::{Call, Registry};
use crate::place::{Blocks, Crossed, DOWNLOAD, Owner, Run, UPLOAD, cross, gather_by};
use crate::platform::{Kernel, Platform, part};
use crate::sorted::SortedSet;
use crate::watch::{Steps, pause};
use crate::{Error, Result};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

/// How many freed blocks of one size are kept apart before the oldest is used again: the more, the fewer operators
/// wait for storage.
const SLACK: usize = if cfg!(loom) { 0 } else { 16 };
/// Most words that are kept apart so, of one size: large blocks are not worth it.
const SLACK_WORDS: u64 = 1 << 20;

/// Most bytes that a plan may need, whatever the limit: what fits into the addresses of this target, signed or not.
const ADDRESSABLE: u64 =
    if (usize::MAX as u64) < i64::MAX as u64 { usize::MAX as u64 } else { i64::MAX as u64 };

/// What a plan is made for.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Most bytes that arena and inputs may take.
    pub memory_limit: u64,
    /// True when the run handles secrets: storage is overwritten when it ends.
    pub wipe: bool,
    /// Names of inputs that are given the same data in every run: what they alone lead to is computed by the first one, and kept.
    pub fixed: SortedSet<String>,
    /// Work of a run, in the unit of [`Platform::cost`], below which it takes one thread, however many there are: 0 for never, [`SMALL`] where time counts.
    pub alone: f64,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self { memory_limit: 3 << 30, wipe: false, fixed: SortedSet::new(), alone: 0.0 }
    }
}

/// What a word costs that crosses to a device or back, in that unit: as much as one that is copied.
const CROSSING: f64 = 0.2;

/// About half a millisecond of work: below it calling other threads does not pay.
pub const SMALL: f64 = 5e5;

/// Where a block of bytes lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In graph input number `port`, at byte `from`.
    Input { port: u32, from: usize, size: usize },
    /// In the arena, at byte `from`.
    Arena { from: usize, size: usize },
    /// In constant number `index`, at byte `from`.
    Constant { index: u32, from: usize, size: usize },
    /// In the memory of the device, at byte `from`.
    Device { from: usize, size: usize },
}

impl Place {
    /// Where it begins, and its bytes.
    pub(super) fn range(self) -> (usize, usize) {
        match self {
            Self::Input { from, size, .. }
            | Self::Arena { from, size }
            | Self::Device { from, size }
            | Self::Constant { from, size, .. } => (from, size),
        }
    }

    /// The blocks of `size` bytes that make it up.
    fn blocks(self, size: usize) -> impl Iterator<Item = Self> {
        let (start, all) = self.range();
        (start..start + all).step_by(size.max(1)).map(move |from| match self {
            Self::Input { port, .. } => Self::Input { port, from, size },
            Self::Arena { .. } => Self::Arena { from, size },
            Self::Device { .. } => Self::Device { from, size },
            Self::Constant { index, .. } => Self::Constant { index, from, size },
        })
    }
}

/// Part of a declared output: some bits of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The bytes that hold them.
    pub(super) place: Place,
    /// Bits of the first byte that are others'.
    pub(super) skip: usize,
    pub(super) bits: usize,
}

/// Where an operator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Into the arena, from that word on.
    Arena(usize),
    /// Into the constant of that number, once.
    Constant(u32),
    /// Into the memory of the device, from that word on.
    Device(usize),
}

/// What a plan's first run leaves to the others: the words of each constant.
pub(super) type Constants = Vec<Box<[u64]>>;

/// One operator, ready to run.
pub(super) struct Step<'p> {
    pub(super) kernel: &'p Kernel,
    pub(super) inputs: &'p [Place],
    pub(super) output: Home,
    /// Bytes of output.
    pub(super) size: usize,
    pub(super) nonce: u32,
}

/// A planned graph.
pub struct Plan {
    unit: Unit,
    pub(super) graph: Graph,
    kernels: Kernels,
    /// Where each operator's inputs start among the places, and where the last one's end.
    place_starts: Vec<u32>,
    places: Vec<Place>,
    homes: Vec<Home>,
    /// Where each declared output lies, in order.
    pub(super) outputs: Vec<Vec<Part>>,
    /// Data dependencies and ordering edges among the operators that every run computes.
    pub(super) waits: Dependencies,
    /// The operators that every run computes, in the order that storage was given out in: nobody comes before those it
    /// waits for.
    pub(super) order: Vec<u32>,
    /// Those that only the first run computes, in such an order.
    pub(super) once: Vec<u32>,
    /// What they left.
    pub(super) constants: OnceLock<Arc<Constants>>,
    constant_words: u64,
    pub(super) arena: usize,
    /// What a device computes, if any is asked for.
    pub(super) device: Option<OnDevice>,
    pub(super) wipe: bool,
    /// Whether a run has too little work for several threads.
    pub(super) small: bool,
    /// Units of scratch that a thread needs.
    pub(super) scratch: usize,
    /// What the last run left for the next one.
    pub(super) spare: Spare,
    input_words: u64,
}

impl Plan {
    /// Plans a base graph, of operators that the registry knows, for a platform.
    ///
    /// # Errors
    /// What `analyze::check` finds; `UnknownOperator`; `Operator` for operands or attributes that an operator does not take;
    /// `NotImplemented` names an operator that the platform lacks, `NoPlatform` a place that there is not; `MemoryLimit` before anything is run; `SecretOnDevice` where data
    /// are to be overwritten afterwards, which a device's memory cannot be for certain.
    pub fn new(
        graph: &Graph,
        registry: &Registry,
        platform: &dyn Platform,
        options: PlanOptions,
    ) -> Result<Self> {
        Self::of_known(graph, Arc::new(Facts::new(graph)?), registry, platform, options)
    }

    /// As [`Plan::new`], with what is known of the graph.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn of_known(
        graph: &Graph,
        facts: Arc<Facts>,
        registry: &Registry,
        platform: &dyn Platform,
        options: PlanOptions,
    ) -> Result<Self> {
        let (graph, facts) = ready(graph, facts, platform)?;
        let unit = Unit::of(&graph)?;
        let kernels = Kernels::new(&graph, unit, registry, platform)?;
        let (graph, facts, kernels, origin) = if kernels.all.iter().any(Kernel::is_device) {
            if options.wipe {
                return Err(Error::SecretOnDevice { op: kernels.first_on_device(&graph) });
            }
            let Crossed { graph, origin } = crossed(&graph, &facts, &kernels)?;
            let facts = Arc::new(Facts::new(&graph)?);
            let kernels = Kernels::new(&graph, unit, registry, platform)?;
            (graph, facts, kernels, origin)
        } else {
            (graph, facts, kernels, Vec::new())
        };
        let blocks = Blocks::new(&graph, &facts.index)?;
        let is_fixed = |port: &Port| options.fixed.contains(&port.name);
        let fixed: Vec<bool> = graph.inputs().iter().map(is_fixed).collect();
        let layout = Layout::new(&graph, &facts.dependencies, &blocks, unit, (&kernels, &fixed))?;
        pause()?;
        let sizes = graph.inputs().iter().map(|p| unit.words(graph.ty(p.operand).size));
        let input_words = sizes.fold(0, u64::saturating_add);
        let words = input_words.saturating_add(layout.arena).saturating_add(layout.constant_words);
        // Whatever passes here has places, in bytes, that `usize` holds.
        fits(words, options.memory_limit.min(ADDRESSABLE))?;
        // The arena is one block.
        let arena = fits(layout.arena, isize::MAX as u64)?;
        // Shaders number its words by 32 bits.
        let on_device = fits(layout.device, 8 * u64::from(u32::MAX))?;
        let block_sizes: Vec<usize> =
            graph.types().iter().map(|ty| unit.bytes(block_size(ty)) as usize).collect();
        let block_count = |&input: &OperandId| {
            let ty = graph.type_number(input) as usize;
            unit.bytes(graph.types()[ty].size) as usize / block_sizes[ty].max(1)
        };
        let all_inputs = graph.operators().iter().flat_map(|op| graph.inputs_of(op));
        let mut places = Vec::with_capacity(all_inputs.map(block_count).sum());
        let mut place_starts = Vec::with_capacity(graph.operators().len() + 1);
        for op in graph.operators() {
            place_starts.push(places.len() as u32);
            for &input in graph.inputs_of(op) {
                // `gather` left whole blocks.
                let size = block_sizes[graph.type_number(input) as usize];
                let mut add = |part: Part| part.place.blocks(size).for_each(|place| places.push(place));
                layout.find(&graph, &blocks, input, &mut add);
            }
        }
        place_starts.push(places.len() as u32);
        let parts = |output: &Port| {
            let mut parts = Vec::new();
            layout.find(&graph, &blocks, output.operand, &mut |part| parts.push(part));
            parts
        };
        let outputs = graph.outputs().iter().map(parts).collect();
        let work: f64 = layout.order.iter().map(|&op| kernels.cost(op)).sum();
        let device = (!origin.is_empty()).then(|| OnDevice::new(&kernels.all, on_device, origin));
        Ok(Self {
            unit,
            scratch: kernels.all.iter().map(|k| k.scratch()).max().unwrap_or(0),
            spare: Spare::default(),
            kernels,
            place_starts,
            places,
            homes: layout.homes,
            outputs,
            waits: layout.waits,
            order: layout.order,
            once: layout.once,
            constants: OnceLock::new(),
            constant_words: layout.constant_words,
            arena,
            device,
            wipe: options.wipe,
            input_words,
            small: work < options.alone,
            graph,
        })
    }

    /// The graph that is run, operator for operator.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Whether a run has less work than [`PlanOptions::alone`] says, and takes one thread.
    pub fn is_small(&self) -> bool {
        self.small
    }

    /// What a device has to know of the plan, where some operators are a device's.
    pub fn device(&self) -> Option<&OnDevice> {
        self.device.as_ref()
    }

    /// Whether an operator waits for a device.
    pub(super) fn is_device(&self, op: u32) -> bool {
        self.device.is_some() && self.kernels.of(op).is_device()
    }

    /// What an operator costs.
    pub(super) fn cost(&self, op: u32) -> f64 {
        self.kernels.cost(op)
    }

    /// Bytes of arena, constants and inputs during a run.
    pub fn memory_bytes(&self) -> u64 {
        8 * (self.arena as u64 + self.constant_words + self.input_words)
    }

    /// Words of graph input `index`: its units, the last word filled up.
    pub(super) fn input_words(&self, index: usize) -> usize {
        let units = self.graph.inputs().get(index).map_or(0, |port| self.graph.ty(port.operand).size);
        self.unit.words(units) as usize
    }

    /// Bits that an operator writes.
    pub(super) fn output_bits(&self, op: u32) -> u64 {
        let graph = &self.graph;
        graph.operators().get(op as usize).map_or(0, |op| self.unit.bits(graph.ty(op.output).size))
    }

    /// Bits of each operand that an operator reads.
    pub(super) fn input_bits(&self, op: u32) -> impl Iterator<Item = u64> {
        let graph = &self.graph;
        let operands = graph.operators().get(op as usize).map_or(&[][..], |op| graph.inputs_of(op));
        operands.iter().map(|&operand| self.unit.bits(graph.ty(operand).size))
    }

    /// How an operator is run.
    pub(super) fn step(&self, op: u32) -> Step<'_> {
        let index = op as usize;
        let (start, end) = (self.place_starts[index] as usize, self.place_starts[index + 1] as usize);
        Step {
            kernel: self.kernels.of(op),
            inputs: &self.places[start..end],
            output: self.homes[index],
            size: self.kernels.sizes[self.kernels.numbers[index] as usize],
            nonce: self.graph.operators()[index].nonce,
        }
    }

    /// The number of an operator's kernel.
    pub(super) fn kernel_number(&self, op: u32) -> u32 {
        self.kernels.numbers[op as usize]
    }

    /// Operators.
    pub fn len(&self) -> usize {
        self.homes.len()
    }

    /// True for a plan without operators.
    pub fn is_empty(&self) -> bool {
        self.homes.is_empty()
    }
}

/// A checked graph whose operands lie in blocks as kernels take them, and what is known of it.
fn ready(graph: &Graph, facts: Arc<Facts>, platform: &dyn Platform) -> Result<(Graph, Arc<Facts>)> {
    // What reads or writes in a device's memory has its blocks copied there.
    let beside = |op: &Operator| {
        let name = graph.signature(op).platform.as_deref()?;
        part(platform, name).is_ok_and(|part| part.is_apart() && part.implements("copy")).then_some(name)
    };
    let check = |graph: &Graph, facts: &Facts| -> Result<()> {
        check_by(graph, facts)?;
        graph.check_unit()?;
        pause()
    };
    check(graph, &facts)?;
    match gather_by(graph, &Blocks::new(graph, &facts.index)?, beside)? {
        None => Ok((graph.clone(), facts)),
        Some(gathered) => {
            drop(facts);
            let facts = Facts::new(&gathered)?;
            check(&gathered, &facts)?;
            Ok((gathered, Arc::new(facts)))
        }
    }
}

/// The graph with copies where data cross to a device, and back.
fn crossed(graph: &Graph, facts: &Facts, kernels: &Kernels) -> Result<Crossed> {
    let blocks = Blocks::new(graph, &facts.index)?;
    cross(graph, &blocks, |op| kernels.of(op).is_device())
}

/// So many words as a `usize`, where their bytes are within the limit.
fn fits(words: u64, limit: u64) -> Result<usize> {
    let needed = words.saturating_mul(8);
    usize::try_from(words).ok().filter(|_| needed <= limit).ok_or(Error::MemoryLimit { needed, limit })
}

/// One kernel per signature and types.
struct Kernels {
    all: Vec<Kernel>,
    /// Bytes of each one's output.
    sizes: Vec<usize>,
    /// What each one costs.
    costs: Vec<f64>,
    /// The number of each operator's kernel.
    numbers: Vec<u32>,
}

impl Kernels {
    fn new(graph: &Graph, unit: Unit, registry: &Registry, platform: &dyn Platform) -> Result<Self> {
        let (mut all, mut sizes, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        let mut kinds = Kinds::default();
        let mut numbers = Vec::with_capacity(graph.operators().len());
        let mut steps = Steps::new(graph.operators().len());
        for op in graph.operators() {
            steps.step()?;
            let (kind, new) = kinds.of(graph, op);
            numbers.push(kind);
            if new {
                let (kernel, cost) = kernel(graph, op, registry, platform)?;
                all.push(kernel);
                costs.push(cost);
                sizes.push(unit.bytes(graph.ty(op.output).size) as usize);
            }
        }
        Ok(Self { all, sizes, costs, numbers })
    }

    /// The name of the first operator of a device, as it is written.
    fn first_on_device(&self, graph: &Graph) -> String {
        let mut all = (0..).zip(graph.operators()).filter(|(number, _)| self.of(*number).is_device());
        all.next().map_or_else(String::new, |(_, op)| graph.signature(op).written_name().into_owned())
    }

    /// The kernel of an operator.
    fn of(&self, op: u32) -> &Kernel {
        &self.all[self.numbers[op as usize] as usize]
    }

    /// What an operator costs.
    fn cost(&self, op: u32) -> f64 {
        self.costs[self.numbers[op as usize] as usize]
    }
}

/// The kernel of an operator and of its like, and what it costs.
fn kernel(
    graph: &Graph,
    op: &Operator,
    registry: &Registry,
    platform: &dyn Platform,
) -> Result<(Kernel, f64)> {
    let types = graph.input_types(op);
    let signature = graph.signature(op);
    let copied = |kernel| Ok((kernel, CROSSING * types[0].size as f64));
    match signature.name.as_str() {
        UPLOAD => return copied(Kernel::Upload),
        DOWNLOAD => return copied(Kernel::Download),
        _ => {}
    }
    let call =
        Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit: graph.unit_bits() };
    // A graph may be a literal from outside: kernels rely on types and attributes.
    registry.check(&call, graph.ty(op.output))?;
    let platform = signature.platform.as_ref().map_or(Ok(platform), |name| part(platform, name))?;
    let kernel = platform.kernel(&call, graph.ty(op.output))?;
    if matches!(kernel, Kernel::Words(_) | Kernel::Device(_)) && call.unit != WORD {
        return Err(call.error("unit of the graph", call.unit, format!("{WORD} bits")));
    }
    let cost = platform.cost(&call, graph.ty(op.output), registry.get(call.name)?.cost(&call));
    Ok((kernel, cost))
}

/// The unit of a graph, and what so many of them take up.
#[derive(Clone, Copy)]
struct Unit(u64);

impl Unit {
    /// # Errors
    /// `Attribute` for a unit that does not divide a word.
    fn of(graph: &Graph) -> Result<Self> {
        graph.check_unit()?;
        Ok(Self(graph.unit_bits().into()))
    }

    fn bits(self, units: u64) -> u64 {
        units.saturating_mul(self.0)
    }

    fn bytes(self, units: u64) -> u64 {
        self.fill(units, 8)
    }

    /// Words of the block that so many units lie in.
    fn words(self, units: u64) -> u64 {
        self.fill(units, 64)
    }

    /// How many pieces of so many bits the units fill, a power of two as those of a unit are.
    fn fill(self, units: u64, bits: u64) -> u64 {
        if self.0 < bits { units.div_ceil(bits / self.0) } else { units.saturating_mul(self.0 / bits) }
    }
}

/// For each operator, whether no input of the graph leads to it that is another one in every run, nor one that is computed elsewhere or on a device.
fn constants(
    graph: &Graph,
    deps: &Dependencies,
    blocks: &Blocks<'_>,
    order: &[u32],
    (kernels, fixed): (&Kernels, &[bool]),
) -> Vec<bool> {
    let elsewhere = |op| matches!(kernels.of(op), Kernel::Elsewhere(_)) || kernels.of(op).is_device();
    let mut constant = vec![false; order.len()];
    for &op in order {
        let inputs = graph.inputs_of(&graph.operators()[op as usize]);
        if elsewhere(op) || !deps.dep(op as usize).iter().all(|&dep| constant[dep as usize]) {
            continue;
        }
        let mut given = false;
        let mut see =
            |run: Run| given |= matches!(run.owner, Owner::Input { port, .. } if !fixed[port as usize]);
        inputs.iter().for_each(|&input| blocks.runs(graph, input, &mut see));
        constant[op as usize] = !given;
    }
    constant
}

/// How many operators of a device lead to each operator in a row, itself counted in; nothing where no operator is a device's. What is only copied there counts as late as its
/// readers let it, so that keys take their memory while they are read.
fn depths(deps: &Dependencies, order: &[u32], kernels: &Kernels) -> Vec<u32> {
    if !kernels.all.iter().any(Kernel::is_device) {
        return Vec::new();
    }
    let mut depths = vec![0u32; order.len()];
    for &op in order {
        let before = deps.dep(op as usize).iter().map(|&dep| depths[dep as usize]).max().unwrap_or(0);
        depths[op as usize] = before + u32::from(matches!(kernels.of(op), Kernel::Device(_)));
    }
    for &op in order {
        if matches!(kernels.of(op), Kernel::Upload) && deps.dep(op as usize).is_empty() {
            let readers = deps.notify(op as usize).iter().map(|&reader| depths[reader as usize]);
            depths[op as usize] = readers.min().map_or(0, |first| first.saturating_sub(1));
        }
    }
    depths
}

/// Among whom blocks go round.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pool {
    /// Operators that every run computes here.
    Runs,
    /// Those that only the first one computes.
    Once,
    /// Those of a device.
    Device,
}

/// Where every output lies, and who waits for whom because of it.
struct Layout {
    unit: Unit,
    homes: Vec<Home>,
    arena: u64,
    device: u64,
    constant_words: u64,
    waits: Dependencies,
    order: Vec<u32>,
    once: Vec<u32>,
}

impl Layout {
    /// `given`: kernels, some of which every run hands out, whatever leads to them, and which inputs are the same in every run.
    fn new(
        graph: &Graph,
        deps: &Dependencies,
        blocks: &Blocks<'_>,
        unit: Unit,
        given: (&Kernels, &[bool]),
    ) -> Result<Self> {
        let words = |op: u32| unit.words(graph.pieces(graph.operators()[op as usize].output)[0].size());
        let mut order = topological_order(graph, deps)?;
        let n = order.len();
        let depths = depths(deps, &order, given.0);
        let depth = |op: u32| depths.get(op as usize).copied().unwrap_or(0);
        // Within one depth as before.
        order.sort_by_key(|&op| depth(op));
        let mut position = vec![0u32; n];
        for (at, &op) in order.iter().enumerate() {
            position[op as usize] = at as u32;
        }
        // At which step each output is read last; outputs of the graph live on.
        let mut last_use: Vec<u32> = (0..n)
            .map(|op| deps.notify(op).iter().map(|&r| position[r as usize]).max().unwrap_or(position[op]))
            .collect();
        drop(position);
        let mut keep = |op: u32| last_use[op as usize] = u32::MAX;
        for port in graph.outputs() {
            blocks.runs(graph, port.operand, &mut |run| {
                if let Owner::Operator(op) = run.owner {
                    keep(op);
                }
            });
        }
        if graph.outputs().is_empty() {
            crate::analyze::derived_outputs(deps).into_iter().for_each(keep);
        }
        // Whose last reader each step is: a chain of operators in program order.
        const END: u32 = u32::MAX;
        let (mut first_dead, mut next_dead) = (vec![END; n], vec![END; n]);
        for op in (0..n).rev() {
            if last_use[op] != u32::MAX {
                next_dead[op] = std::mem::replace(&mut first_dead[last_use[op] as usize], op as u32);
            }
        }
        let constant = constants(graph, deps, blocks, &order, given);
        let mut constants = 0;
        // Blocks go round among those that every run computes, and among those that only the first one does: an ordering
        // edge over an operator of the other kind would be lost. So they do in the memory of a device.
        let mut free: HashMap<(Pool, u64), VecDeque<u32>> = HashMap::new();
        let pool = |op: u32| match given.0.of(op) {
            Kernel::Device(_) | Kernel::Upload => Pool::Device,
            _ if constant[op as usize] => Pool::Once,
            _ => Pool::Runs,
        };
        let mut homes = vec![Home::Arena(0); n];
        // Blocks of the device whose last readers are of the depth at hand.
        let (mut device, mut dying, mut wave) = (0u64, Vec::new(), 0);
        let mut constant_words = 0;
        let mut extra: Vec<Option<u32>> = vec![None; n];
        let mut arena = 0u64;
        let mut steps = Steps::new(n);
        for (at, &op) in order.iter().enumerate() {
            steps.step()?;
            let size = words(op);
            let read_in_runs = || deps.notify(op as usize).iter().any(|&reader| !constant[reader as usize]);
            if depth(op) > wave {
                wave = depth(op);
                for dead in dying.drain(..) {
                    free.entry((Pool::Device, words(dead))).or_default().push_back(dead);
                }
            }
            let pool_of = pool(op);
            let blocks = free.entry((pool_of, size)).or_default();
            if pool_of == Pool::Device {
                if let Some(before) = blocks.pop_front() {
                    homes[op as usize] = homes[before as usize];
                    extra[op as usize] = Some(before);
                } else {
                    homes[op as usize] = Home::Device(usize::try_from(device).unwrap_or(usize::MAX));
                    device = device.saturating_add(size);
                }
            } else if constant[op as usize] && (last_use[op as usize] == u32::MAX || read_in_runs()) {
                homes[op as usize] = Home::Constant(constants);
                constants += 1;
                constant_words = u64::saturating_add(constant_words, size);
            } else if (blocks.len() > SLACK || blocks.len() as u64 * size > SLACK_WORDS)
                && let Some(before) = blocks.pop_front()
            {
                homes[op as usize] = homes[before as usize];
                extra[op as usize] = Some(before);
            } else {
                // A place beyond all addresses makes a plan that is refused.
                homes[op as usize] = Home::Arena(usize::try_from(arena).unwrap_or(usize::MAX));
                arena = arena.saturating_add(size);
            }
            let mut dead = first_dead[at];
            while dead != END {
                match homes[dead as usize] {
                    Home::Arena(_) => free.entry((pool(dead), words(dead))).or_default().push_back(dead),
                    Home::Device(_) => dying.push(dead),
                    Home::Constant(_) => {}
                }
                dead = next_dead[dead as usize];
            }
        }
        drop((last_use, first_dead, next_dead));
        // Who read the block that an operator gets, and so waited for its writer; the writer where nobody did.
        let users = |op: usize| -> &[u32] {
            let before = extra[op].as_slice();
            let readers = before.last().map(|&before| deps.notify(before as usize));
            readers.filter(|readers| !readers.is_empty()).unwrap_or(before)
        };
        let edges = (0..n).map(|op| deps.dep(op).len() + users(op).len());
        let waits = Dependencies::from_sets(n, edges.sum(), |op, set| {
            if constant[op] {
                return;
            }
            set.extend(deps.dep(op).iter().filter(|&&before| !constant[before as usize]));
            // Whoever had the block is computed by every run, too.
            set.extend(users(op));
        });
        let (once, order) = order.into_iter().partition(|&op| constant[op as usize]);
        Ok(Self { unit, homes, arena, device, constant_words, waits, order, once })
    }

    /// Shows the blocks of storage that make up an operand, in order.
    fn find(&self, graph: &Graph, blocks: &Blocks<'_>, operand: OperandId, see: &mut dyn FnMut(Part)) {
        blocks.runs(graph, operand, &mut |Run { place, bit, owner }| {
            let bits = self.unit.bits(place.size());
            let (from, skip) = ((bit / 8) as usize, bit % 8);
            let size = (skip + bits).div_ceil(8) as usize;
            let place = match owner {
                Owner::Operator(op) => match self.homes[op as usize] {
                    Home::Arena(start) => Place::Arena { from: 8 * start + from, size },
                    Home::Constant(index) => Place::Constant { index, from, size },
                    Home::Device(start) => Place::Device { from: 8 * start + from, size },
                },
                Owner::Input { port, .. } => Place::Input { port, from, size },
            };
            see(Part { place, skip: skip as usize, bits: bits as usize });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Attrs, OperandId};
    use crate::ops::types::{self, Form, Limb};
    use crate::platform::Scalar;
    use std::collections::BTreeMap;

    /// Steps from the input and steps from a constant, in turns; those from the input wait for nobody, and some nobody
    /// reads.
    fn turns() -> Graph {
        let mut graph = Graph::new(64);
        let (n, q) = (16, 97);
        let ty = Limb { n, q, form: Form::Ntt }.ty();
        let input = graph.add_input("x", ty.clone()).unwrap();
        let attrs = Attrs::new().with("n", n).with("t", q).with("values", vec![1, 2, 3]);
        let slots = graph.add_operator("slots.constant", attrs, &[], types::slots(n, q)).unwrap();
        let constant = graph.add_operator("slots.write", Attrs::new(), &[slots], ty.clone()).unwrap();
        let step = |graph: &mut Graph, name: &str, inputs: &[OperandId]| {
            graph.add_operator(name, Attrs::new(), inputs, ty.clone()).unwrap()
        };
        let (mut sum, mut c) = (input, constant);
        for _ in 0..100 {
            let first = step(&mut graph, "limb.neg", &[input]);
            let second = step(&mut graph, "limb.neg", &[first]);
            step(&mut graph, "limb.add", &[first, first]);
            c = step(&mut graph, "limb.neg", &[c]);
            c = step(&mut graph, "limb.add", &[c, constant]);
            sum = step(&mut graph, "limb.add", &[sum, second]);
        }
        graph.declare_output("sum", sum);
        graph.declare_output("constant", c);
        graph
    }

    #[test]
    fn storage_is_used_again_only_after_all_who_used_it() {
        let plan = Plan::new(&turns(), &Registry::lattice(), &Scalar::new(), PlanOptions::default()).unwrap();
        assert_eq!((plan.once.len(), plan.order.len()), (202, 400));
        // Whom each operator comes after, directly or through others.
        let mut after: Vec<Vec<bool>> = vec![vec![false; plan.len()]; plan.len()];
        for &op in &plan.order {
            for &before in plan.waits.dep(op as usize) {
                let through = after[before as usize].clone();
                after[op as usize].iter_mut().zip(through).for_each(|(all, more)| *all |= more);
                after[op as usize][before as usize] = true;
            }
        }
        // Of each block its last writer and the readers since.
        let mut users: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let mut again = 0;
        for &op in &plan.order {
            let step = plan.step(op);
            for place in step.inputs {
                if let Place::Arena { from, .. } = place {
                    users.get_mut(&(from / 8)).unwrap().push(op);
                }
            }
            if let Home::Arena(from) = step.output {
                for user in users.insert(from, vec![op]).into_iter().flatten() {
                    again += 1;
                    assert!(after[op as usize][user as usize], "{op} does not wait for {user}");
                }
            }
        }
        assert!(again > 100, "{again}");
    }
}
