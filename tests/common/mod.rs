//! Random graphs of real operators, and an evaluator that knows neither plan nor storage: a flat map from units to
//! values.

use cipherloom::Result;
use cipherloom::analyze::{analyze, derived_outputs};
use cipherloom::engine::Run;
use cipherloom::graph::{Attrs, Graph, OperandId, Placeholder, ValueType, push_joined};
use cipherloom::ops::types::{self, Form, Limb};
use cipherloom::ops::{Call, Level, OpDef, Registry, Session, base};
use cipherloom::platform::{Kernel, Platform, Scalar};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Numbers that look random and are the same in every run (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }
}

/// What a unit may hold: a residue modulo 97, one modulo 12289, or anything. A residue of a class may be read
/// as one of a higher class.
pub const MODULI: [u64; 2] = [97, 12289];
const CLASSES: usize = 3;

fn limit(class: usize) -> u64 {
    MODULI.get(class).copied().unwrap_or(u64::MAX)
}

/// Any units, without meaning.
pub fn raw(size: u64) -> ValueType {
    ValueType::new("raw", size, Attrs::new())
}

/// Adds random operators to a session.
pub struct Grower<'a, 'r> {
    pub s: &'a mut Session<'r>,
    pub random: Random,
    /// Operands to read from, by class.
    pub pool: [Vec<OperandId>; CLASSES],
    /// Levels of nested operators that may be used.
    pub depth: usize,
    /// Whether samplers may be used.
    pub samplers: bool,
}

impl<'a, 'r> Grower<'a, 'r> {
    pub fn new(s: &'a mut Session<'r>, seed: u64, depth: usize, samplers: bool) -> Self {
        Self { s, random: Random::new(seed), pool: Default::default(), depth, samplers }
    }

    /// An input and its data.
    pub fn input(&mut self, name: &str) -> Vec<u64> {
        let class = self.random.index(CLASSES);
        let size = 1 + self.random.below(40);
        let input = self.s.graph_mut().add_input(name, raw(size)).unwrap();
        self.pool[class].push(input);
        (0..size).map(|_| self.random.below(limit(class))).collect()
    }

    fn candidate(&mut self, class: usize) -> Option<OperandId> {
        let pools: Vec<usize> = (0..=class).filter(|&c| !self.pool[c].is_empty()).collect();
        let pool = &self.pool[*pools.get(self.random.index(pools.len().max(1)))?];
        // Half of the time something recent: deep graphs, not only wide ones.
        let from = if self.random.chance(50) { pool.len().saturating_sub(6) } else { 0 };
        Some(pool[from + self.random.index(pool.len() - from)])
    }

    /// Units of a class, seen as `ty`: a whole operand, a slice of one, or a merge of slices of several, disjoint.
    pub fn view(&mut self, ty: ValueType, class: usize) -> OperandId {
        let mut parts: Vec<OperandId> = Vec::new();
        let mut taken: Vec<Placeholder> = Vec::new();
        let mut left = ty.size;
        for attempt in 0..20 {
            let Some(source) = self.candidate(class) else { break };
            let size = self.s.ty(source).size;
            if attempt < 3 && size != left {
                continue;
            }
            let take = if size <= left && self.random.chance(70) {
                size
            } else {
                1 + self.random.below(size.min(left))
            };
            let part = self.s.split(source, self.random.below(size - take + 1), raw(take)).unwrap();
            let places = self.s.graph().placeholders(part);
            if places.iter().all(|p| taken.iter().all(|t| !t.overlaps(p))) {
                taken.extend(places);
                parts.push(part);
                left -= take;
            }
            if left == 0 {
                break;
            }
        }
        if left > 0 {
            let rest = self.constant(left);
            let at = self.random.index(parts.len() + 1);
            parts.insert(at, rest);
        }
        self.s.merge(&parts, ty).unwrap()
    }

    fn constant(&mut self, size: u64) -> OperandId {
        let values: Vec<u64> = (0..size).map(|_| self.random.below(97)).collect();
        self.s
            .op("slots.constant", Attrs::new().with("n", size).with("t", 97u64).with("values", values), &[])
            .unwrap()
    }

    fn limb(&mut self, form: Form) -> (Limb, usize) {
        let class = self.random.index(MODULI.len());
        (Limb { n: self.random.pick(&[4, 8, 16]), q: MODULI[class], form }, class)
    }

    /// Adds one random operator and gives its output.
    pub fn step(&mut self) -> OperandId {
        if self.depth > 0 && self.random.chance(30) {
            return self.nested();
        }
        let form = self.random.pick(&[Form::Coeff, Form::Ntt]);
        let (limb, class) = self.limb(form);
        let (mut attrs, mut inputs, mut out) = (Attrs::new(), Vec::new(), class);
        let constant = self.random.below(limb.q);
        let galois = 1 + 2 * self.random.below(limb.n as u64);
        let name = match self.random.index(if self.samplers { 22 } else { 19 }) {
            0 => self.on_limbs("limb.add", limb, 2, &mut inputs),
            1 => self.on_limbs("limb.sub", limb, 2, &mut inputs),
            2 => self.on_limbs("limb.neg", limb, 1, &mut inputs),
            3 => self.on_limbs("limb.mul", limb.in_form(Form::Ntt), 2, &mut inputs),
            4 => {
                attrs = attrs.with("c", constant);
                self.on_limbs("limb.mul_scalar", limb, 1, &mut inputs)
            }
            5 => {
                attrs = attrs.with("c", constant);
                self.on_limbs("limb.scale_sub", limb, 2, &mut inputs)
            }
            6 => {
                let pairs = 1 + self.random.index(6);
                self.on_limbs("limb.dot", limb.in_form(Form::Ntt), 2 * pairs, &mut inputs)
            }
            7 | 8 => self.on_limbs("limb.ntt", limb.in_form(Form::Coeff), 1, &mut inputs),
            9 | 10 => self.on_limbs("limb.intt", limb.in_form(Form::Ntt), 1, &mut inputs),
            11 => {
                attrs = attrs.with("g", galois);
                self.on_limbs("limb.automorphism", limb.in_form(Form::Coeff), 1, &mut inputs)
            }
            12 => {
                attrs = attrs.with("g", galois);
                self.on_limbs("limb.permute", limb.in_form(Form::Ntt), 1, &mut inputs)
            }
            13 => {
                attrs = attrs.with("q", limb.q);
                inputs.push(self.view(types::small(limb.n), 2));
                "limb.from_small"
            }
            14 => {
                self.residues(limb.n, 4, &mut inputs);
                out = 0;
                "rns.quotient"
            }
            15 => {
                self.residues(limb.n, 4, &mut inputs);
                let c: Vec<u64> = inputs.iter().map(|_| self.random.below(limb.q)).collect();
                attrs = attrs.with("c", c).with("q", limb.q);
                if self.random.chance(50) {
                    attrs = attrs.with("w", constant);
                    inputs.push(self.view(types::quotient(limb.n), 0));
                }
                "rns.convert"
            }
            16 => {
                out = self.random.index(CLASSES);
                for _ in 0..1 + self.random.index(10) {
                    let size = 1 + self.random.below(8);
                    inputs.push(self.view(raw(size), out));
                }
                "copy"
            }
            17 => {
                inputs.push(self.view(types::slots(limb.n, limb.q), class));
                "slots.write"
            }
            18 => self.on_limbs("slots.read", limb.in_form(Form::Ntt), 1, &mut inputs),
            19 => {
                attrs = attrs.with("n", limb.n).with("q", limb.q);
                inputs.push(self.view(types::public_seed(), 2));
                "sample.uniform"
            }
            choice => {
                attrs = attrs.with("n", limb.n);
                inputs.push(self.view(types::secret_seed(), 2));
                out = 2;
                if choice == 20 { "sample.ternary" } else { "sample.error" }
            }
        };
        let output = self.s.op(name, attrs, &inputs).unwrap();
        self.pool[out].push(output);
        output
    }

    fn on_limbs(
        &mut self,
        name: &'static str,
        limb: Limb,
        count: usize,
        inputs: &mut Vec<OperandId>,
    ) -> &'static str {
        let class = MODULI.iter().position(|&q| q == limb.q).unwrap();
        inputs.extend((0..count).map(|_| self.view(limb.ty(), class)));
        name
    }

    fn residues(&mut self, n: usize, most: usize, inputs: &mut Vec<OperandId>) {
        for _ in 0..1 + self.random.index(most) {
            let class = self.random.index(MODULI.len());
            inputs.push(self.view(Limb { n, q: MODULI[class], form: Form::Coeff }.ty(), class));
        }
    }

    fn nested(&mut self) -> OperandId {
        let mut inputs = Vec::new();
        for _ in 0..self.random.index(4) {
            let size = 1 + self.random.below(24);
            inputs.push(self.view(raw(size), 0));
        }
        let size = 1 + self.random.below(24);
        // Few seeds: templates are used again.
        let attrs = Attrs::new().with("seed", self.random.below(40)).with("size", size);
        let output = self.s.op(Nested::NAMES[self.depth - 1], attrs, &inputs).unwrap();
        self.pool[0].push(output);
        output
    }
}

/// A high-order operator whose expansion is a random graph that may use nested operators one level lower.
pub struct Nested {
    level: usize,
}

impl Nested {
    pub const NAMES: [&'static str; 3] = ["test.nested1", "test.nested2", "test.nested3"];

    pub fn all() -> Vec<Arc<dyn OpDef>> {
        (1..=Self::NAMES.len()).map(|level| Arc::new(Self { level }) as Arc<dyn OpDef>).collect()
    }
}

impl OpDef for Nested {
    fn name(&self) -> &str {
        Self::NAMES[self.level - 1]
    }
    fn attributes(&self) -> Option<&[&str]> {
        Some(&["seed", "size"])
    }
    fn level(&self) -> Level {
        Level::Scheme
    }
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(raw(call.attrs.uint("size")?))
    }
    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let size = call.attrs.uint("size")?;
        let own: u64 = call.inputs.iter().fold(call.attrs.uint("seed")?, |seed, ty| 31 * seed + ty.size);
        let mut g = Grower::new(s, own, self.level - 1, false);
        g.pool[0] = inputs.to_vec();
        for _ in 0..1 + g.random.index(4) {
            g.step();
        }
        let whole = inputs.iter().zip(call.inputs).find(|(_, ty)| ty.size == size);
        match (g.random.index(5), whole) {
            // Its own input.
            (0, Some((&input, _))) => Ok(input),
            // The same units more than once.
            (1, _) if size > 1 => {
                let half = g.view(raw(size / 2), 0);
                let mut parts = vec![half, half];
                if size % 2 == 1 {
                    parts.insert(1, g.view(raw(1), 0));
                }
                g.s.merge(&parts, raw(size))
            }
            // The output of one operator.
            (2, _) => {
                let source = g.view(raw(size), 0);
                g.s.op("copy", Attrs::new(), &[source])
            }
            // Slices and merges.
            _ => Ok(g.view(raw(size), 0)),
        }
    }
}

/// A graph and the data of its inputs.
pub struct Task {
    pub graph: Graph,
    pub data: Vec<Vec<u64>>,
}

impl Task {
    /// A random task of so many operators (a few more: constants where a view found no units), with some
    /// declared outputs, or none.
    pub fn random(seed: u64, operators: usize, registry: &Registry, depth: usize, samplers: bool) -> Self {
        let mut s = Session::new(Graph::new(64), registry);
        let mut g = Grower::new(&mut s, seed, depth, samplers);
        let data = (0..g.random.index(6)).map(|k| g.input(&format!("x{k}"))).collect();
        for _ in 0..operators {
            g.step();
        }
        for k in 0..g.random.index(5) {
            let size = 1 + g.random.below(40);
            let output = g.view(raw(size), 2);
            g.s.graph_mut().declare_output(&format!("y{k}"), output);
        }
        Self { graph: s.finish(), data }
    }

    /// The same graph at other addresses and in another order: units are cut into intervals that change places,
    /// so that inputs and outputs are scattered.
    pub fn scattered(&self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let old = &self.graph;
        let mut cuts = vec![0];
        while let Some(&last) = cuts.last().filter(|&&last| last < old.address_end()) {
            cuts.push((last + 1 + random.below(24)).min(old.address_end()));
        }
        let mut intervals: Vec<Placeholder> = cuts.windows(2).map(|w| Placeholder::new(w[0], w[1])).collect();
        let sorted = intervals.clone();
        shuffle(&mut intervals, &mut random);
        let mut moved_to = HashMap::new();
        let mut at = random.below(5);
        for interval in intervals {
            moved_to.insert(interval.start, at);
            at += interval.size() + random.below(2);
        }
        let mut graph = Graph::new(64);
        graph.skip_to(at);
        let place = |graph: &mut Graph, operand: OperandId| {
            let mut pieces = Vec::new();
            for piece in old.pieces(operand) {
                let first = sorted.partition_point(|p| p.end <= piece.start);
                for interval in sorted[first..].iter().take_while(|p| p.start < piece.end) {
                    push_joined(
                        &mut pieces,
                        piece.intersection(interval).moved(interval.start, moved_to[&interval.start]),
                    );
                }
            }
            graph.view(old.ty(operand).clone(), pieces)
        };
        for port in old.inputs() {
            let operand = place(&mut graph, port.operand);
            graph.declare_input(&port.name, operand);
        }
        let mut order: Vec<usize> = (0..old.operators().len()).collect();
        shuffle(&mut order, &mut random);
        for op in order.into_iter().map(|op| &old.operators()[op]) {
            let inputs: Vec<OperandId> = old.inputs_of(op).iter().map(|&i| place(&mut graph, i)).collect();
            let output = place(&mut graph, op.output);
            let signature = old.signature(op);
            let signature = graph.intern_signature(&signature.name, signature.attrs.clone());
            graph.push_operator(signature, &inputs, output, op.nonce, op.parent);
            graph.skip_nonces(op.nonce);
        }
        for port in old.outputs() {
            let operand = place(&mut graph, port.operand);
            graph.declare_output(&port.name, operand);
        }
        Self { graph, data: self.data.clone() }
    }
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for i in (1..list.len()).rev() {
        list.swap(i, random.index(i + 1));
    }
}

/// What every unit of a graph holds.
pub struct Values(Vec<Option<u64>>);

impl Values {
    /// The words of an operand.
    pub fn read(&self, graph: &Graph, operand: OperandId) -> Vec<u64> {
        let units = graph.pieces(operand).iter().flat_map(|p| p.start..p.end);
        units.map(|unit| self.0[unit as usize].expect("a unit is read before it is written")).collect()
    }

    /// The words of all declared outputs.
    pub fn outputs(&self, graph: &Graph) -> Vec<Vec<u64>> {
        graph.outputs().iter().map(|port| self.read(graph, port.operand)).collect()
    }
}

/// Runs graphs operator by operator on a flat map from units to values. High-order operators are run by their expand
/// functions, on a map of their own: nothing is absorbed.
pub struct Evaluator<'r> {
    registry: &'r Registry,
    scalar: Scalar,
    base: BTreeSet<String>,
}

impl<'r> Evaluator<'r> {
    pub fn new(registry: &'r Registry) -> Self {
        let base = base::all().iter().map(|def| def.name().to_owned()).collect();
        Self { registry, scalar: Scalar::new(), base }
    }

    /// The values of all units, given those of the declared inputs.
    pub fn run(&self, graph: &Graph, data: &[Vec<u64>]) -> Values {
        let mut values = Values(vec![None; graph.address_end() as usize]);
        let write = |values: &mut Values, operand: OperandId, words: &[u64]| {
            let units = graph.pieces(operand).iter().flat_map(|p| p.start..p.end);
            for (unit, &word) in units.zip(words) {
                assert_eq!(values.0[unit as usize].replace(word), None, "unit {unit} is written twice");
            }
        };
        for (port, words) in graph.inputs().iter().zip(data) {
            write(&mut values, port.operand, words);
        }
        let mut kernels: HashMap<(u32, u32, Vec<u32>), Kernel> = HashMap::new();
        for op in order(graph) {
            let op = &graph.operators()[op];
            let signature = graph.signature(op);
            let inputs: Vec<Vec<u64>> = graph.inputs_of(op).iter().map(|&i| values.read(graph, i)).collect();
            let types = || graph.inputs_of(op).iter().map(|&i| graph.ty(i).clone()).collect::<Vec<_>>();
            let words = if self.base.contains(&signature.name) {
                let numbers = graph.inputs_of(op).iter().map(|&i| graph.type_number(i)).collect();
                let kernel = kernels
                    .entry((op.signature, graph.type_number(op.output), numbers))
                    .or_insert_with(|| {
                        let call = Call {
                            name: &signature.name,
                            attrs: &signature.attrs,
                            inputs: &types(),
                            unit: graph.unit_bits(),
                        };
                        self.scalar.kernel(&call, graph.ty(op.output)).unwrap()
                    });
                let mut words = vec![u64::MAX; graph.ty(op.output).size as usize];
                let inputs: Vec<&[u64]> = inputs.iter().map(Vec::as_slice).collect();
                kernel.run(&inputs, &mut words, &mut vec![0; kernel.scratch()], op.nonce);
                words
            } else {
                self.expanded(
                    &Call {
                        name: &signature.name,
                        attrs: &signature.attrs,
                        inputs: &types(),
                        unit: graph.unit_bits(),
                    },
                    &inputs,
                )
            };
            write(&mut values, op.output, &words);
        }
        values
    }

    fn expanded(&self, call: &Call<'_>, inputs: &[Vec<u64>]) -> Vec<u64> {
        let mut s = Session::new(Graph::new(64), self.registry);
        let handles: Vec<OperandId> =
            call.inputs.iter().map(|ty| s.graph_mut().add_input("", ty.clone()).unwrap()).collect();
        let output = self.registry.get(call.name).unwrap().expand(&mut s, call, &handles).unwrap();
        let graph = s.finish();
        self.run(&graph, inputs).read(&graph, output)
    }
}

/// Operators so that producers come first: depth first along the units that are read.
fn order(graph: &Graph) -> Vec<usize> {
    let mut producer = vec![usize::MAX; graph.address_end() as usize];
    for (index, op) in graph.operators().iter().enumerate() {
        for unit in graph.pieces(op.output).iter().flat_map(|p| p.start..p.end) {
            producer[unit as usize] = index;
        }
    }
    let mut order = Vec::new();
    let mut seen = vec![false; graph.operators().len()];
    for root in 0..seen.len() {
        // A number twice on the stack: first to visit what it reads, then to be put out.
        let mut stack = vec![(root, false)];
        while let Some((op, done)) = stack.pop() {
            if done {
                order.push(op);
            } else if !std::mem::replace(&mut seen[op], true) {
                stack.push((op, true));
                for &input in graph.inputs_of(&graph.operators()[op]) {
                    let units = graph.pieces(input).iter().flat_map(|p| p.start..p.end);
                    let read =
                        units.map(|unit| producer[unit as usize]).filter(|&p| p != usize::MAX && !seen[p]);
                    stack.extend(read.map(|p| (p, false)));
                }
            }
        }
    }
    order
}

/// The words of all outputs of a finished run.
pub fn outputs(run: &Run) -> Vec<Vec<u64>> {
    (0..run.plan().graph().outputs().len()).map(|index| run.output(index).unwrap()).collect()
}

/// The same graph with its outputs declared, where none are.
pub fn with_outputs(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    if graph.outputs().is_empty() {
        for op in derived_outputs(&analyze(&graph).unwrap()) {
            let output = graph.operators()[op as usize].output;
            graph.declare_output(&format!("derived {op}"), output);
        }
    }
    graph
}
