//! The evaluator: a program, evaluation keys, encrypted values, and values of its own. It never holds a secret key.

use super::body::{self, Limbs, Samplers};
use super::finish;
use super::halves::Halves;
use super::onward;
use super::program::Program;
use super::slots;
use super::travel::{self, Origin};
use crate::bytes::{Kind, Reader, checksum_of, foreign, shown};
use crate::circuit::{Job, Named, Outcome, Placement, Placing, Use, uses_of};
use crate::engine::{Clock, Input, Plan, PlanOptions, Run, SMALL};
use crate::graph::{Attr, Graph, Port};
use crate::math::Modulus;
use crate::ops::types::Extract;
use crate::packed::{Slots, Source};
use crate::place::{Times, place};
use crate::platform::{Gpu, Mixed, Platform};
use crate::schemes::close::KeyName;
use crate::sorted::{SortedMap, SortedSet};
use crate::values::types::Value;
use crate::values::{GivenCells, PackedValue, clear_name, interpret};
use crate::{Error, Result, parallel};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The part of the memory of runs that transforms of vectors may take that are the same in every run.
const KEPT: u64 = 4;

const UNKNOWN: Error = Error::Job("every clear value is an output");

/// What stays for many runs: values that were read and checked, and vectors that are the same in each of them.
#[derive(Clone)]
pub struct Held {
    /// Identity of the program.
    program: [u8; 16],
    /// It computes once what the vectors alone lead to.
    plan: Arc<Plan>,
    /// Vectors that are the same in every run.
    fixed: SortedMap<String, Input>,
    /// Ciphertexts by their ports.
    given: SortedMap<String, Input>,
    /// The checksums of encrypted values, by name.
    read: SortedMap<String, [u8; 16]>,
    /// Values that are not encrypted.
    clear: Arc<SortedMap<String, GivenCells>>,
    /// Whose values, where some are encrypted.
    owner: Option<[u8; 16]>,
}

/// Runs one program.
pub struct Evaluator {
    program: Program,
    /// What stays for all runs.
    own: Held,
    /// The graph of runs that a GPU computes a part of, once one is asked for: expanded to what shaders and the platform have.
    for_both: OnceLock<Graph>,
    /// The plan of runs of which it computes all that it can.
    on_gpu: OnceLock<Arc<Plan>>,
    /// The plan that was made by times; none where these leave all to the platform.
    by_times: Option<Arc<Plan>>,
    keys: SortedMap<KeyName, Input>,
    /// What makes the uniform halves of keys and values of their seeds.
    samplers: Samplers,
    /// Whose keys: the first one decides.
    owner: Option<[u8; 16]>,
    clock: Clock,
}

impl Evaluator {
    /// Rebuilds a program from its bytes and plans it for a platform.
    ///
    /// # Errors
    /// As [`Program::from_bytes`] and [`Plan::new`].
    pub fn new(bytes: &[u8], platform: &dyn Platform, clock: Clock) -> Result<Self> {
        Self::of(Program::from_bytes(bytes)?, platform, clock)
    }

    /// The same, of a program whose parameters may be below their level, for teaching ([`Program::opened`]).
    ///
    /// # Errors
    /// As [`Evaluator::new`].
    pub fn opened(bytes: &[u8], allow_insecure: bool, platform: &dyn Platform, clock: Clock) -> Result<Self> {
        Self::of(Program::opened(bytes, allow_insecure)?, platform, clock)
    }

    fn of(program: Program, platform: &dyn Platform, clock: Clock) -> Result<Self> {
        let graph = program.base(platform)?;
        let fixed = filled(&program, &program.packing().fixed, &SortedMap::new(), true)?;
        let plan = planned(&program, &graph, platform, &fixed)?;
        let (given, read, clear) = Default::default();
        let own = Held { program: program.id(), plan, fixed, given, read, clear, owner: None };
        let primes = program.parameters().secret_primes();
        let samplers = Samplers::new(platform, program.parameters().literal().n, &primes)?;
        let (keys, for_both, on_gpu) = Default::default();
        Ok(Self { program, own, for_both, on_gpu, by_times: None, keys, samplers, owner: None, clock })
    }

    /// The plan of runs of which a GPU computes all that there are shaders of, and a platform the rest.
    fn plan_on_gpu(&self, platform: &Arc<dyn Platform>) -> Result<Arc<Plan>> {
        if let Some(plan) = self.on_gpu.get() {
            return Ok(Arc::clone(plan));
        }
        let registry = self.program.registry();
        let (both, graph) = self.for_both(platform)?;
        let plan = self.planned_for(&place(graph, registry, &both, &[])?, &both)?;
        Ok(Arc::clone(self.on_gpu.get_or_init(|| plan)))
    }

    /// A GPU beside a platform, and the graph for both.
    fn for_both(&self, platform: &Arc<dyn Platform>) -> Result<(Mixed, &Graph)> {
        let both = beside_gpu(platform);
        let graph = match self.for_both.get() {
            Some(graph) => graph,
            None => {
                let graph = self.program.base(&both)?;
                self.for_both.get_or_init(|| graph)
            }
        };
        Ok((both, graph))
    }

    fn planned_for(&self, graph: &Graph, both: &Mixed) -> Result<Arc<Plan>> {
        let memory_limit = self.program.memory_limit();
        let options = PlanOptions { memory_limit, alone: SMALL, ..PlanOptions::default() };
        Ok(Arc::new(Plan::new(graph, self.program.registry(), both, options)?))
    }

    /// Places the operators of later runs on a GPU and a platform by times ([`Placing::place`]); tells how. `pins`: operator types, and where they go whatever the times.
    ///
    /// # Errors
    /// As there, and as [`Plan::new`].
    pub fn place_by_times(
        &mut self,
        platform: &Arc<dyn Platform>,
        times: &Times,
        pins: &[(&str, &str)],
    ) -> Result<Placement> {
        self.by_times = None;
        let by = Placing::new(times, pins);
        if let Some(placement) = by.hopeless() {
            return Ok(placement);
        }
        let registry = self.program.registry();
        let (both, graph) = self.for_both(platform)?;
        let keys: SortedSet<String> = self.keys.keys().map(KeyName::to_string).collect();
        let (placed, placement) =
            by.place([self.own.plan.graph(), graph], registry, &both, &|name| keys.contains(name))?;
        self.by_times = placed.map(|graph| self.planned_for(&graph, &both)).transpose()?;
        Ok(placement)
    }

    /// The plan that is run.
    pub fn plan(&self) -> &Plan {
        &self.own.plan
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Takes one evaluation key.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; `Foreign` for keys of other parameters, of another client, or of a program that has them for other primes; `OutOfMemory`.
    pub fn load_key(&mut self, bytes: &[u8]) -> Result<()> {
        let mut reader = Reader::new(bytes, Kind::ValueKey)?;
        let (parameters, owner) = (reader.id()?, reader.id()?);
        let text = reader.text()?;
        let what = || format!("evaluation key `{}`", shown(text));
        let of = |of, found: &[u8], expected: &[u8]| foreign(what(), of, found, expected);
        let expected = self.program.parameters().id();
        if parameters != expected {
            return Err(of("set of parameters", &parameters, &expected));
        }
        if let Some(first) = self.owner.filter(|first| *first != owner) {
            return Err(of("client", &owner, &first));
        }
        let name =
            KeyName::parse(text).ok_or_else(|| reader.error(format!("no such key: `{}`", shown(text))))?;
        // A key that this program does not need, such as one made for another program.
        let Some(&level) = self.program.keys().get(&name) else { return Ok(()) };
        let chain = self.program.chain();
        let limbs = |level: usize| [Limbs::of_key(&chain.key(level))];
        let is_of = |level: &usize| {
            [true, false]
                .map(|seeded| body::size_of_body(&limbs(*level), seeded))
                .contains(&(reader.left() as u64))
        };
        // Programs with one set of parameters have keys of the same names, each as large as it needs them.
        if !is_of(&level)
            && let Some(other) = (1..=chain.q.len()).find(is_of)
        {
            let [found, expected] = [other, level].map(|level| format!("a key for {level} primes"));
            return Err(Error::Foreign { what: what(), of: "program", found, expected });
        }
        let read = body::read(reader, &limbs(level), Some(&self.samplers))?;
        self.owner = Some(owner);
        self.keys.extend(read.into_iter().map(|words| (name, words.into())));
        Ok(())
    }

    /// Keys that the program needs and that were not loaded yet.
    pub fn missing_keys(&self) -> Vec<String> {
        self.program
            .keys()
            .keys()
            .filter(|name| !self.keys.contains_key(name))
            .map(KeyName::to_string)
            .collect()
    }

    /// Reads values that stay for many runs, some of those that the program takes: a run with them is told the others. What clear values alone lead to is computed
    /// by the first of these runs, where all of them stay.
    ///
    /// # Errors
    /// As [`Evaluator::run`].
    pub fn hold(
        &self,
        encrypted: &[(&str, &[u8])],
        clear: SortedMap<String, GivenCells>,
        platform: &dyn Platform,
    ) -> Result<Held> {
        let mut held = Held { clear: Arc::new(clear), ..self.own.clone() };
        self.has_keys()?;
        self.read(encrypted, &mut held)?;
        self.check(&held.clear)?;
        if !held.clear.is_empty() && self.clear_inputs().all(|name| held.clear.contains_key(name)) {
            held.fixed.extend(filled(&self.program, &self.program.packing().clear, &held.clear, false)?);
            held.plan = planned(&self.program, held.plan.graph(), platform, &held.fixed)?;
        }
        Ok(held)
    }

    /// A run over encrypted values, by the names that the task has for them, and over values that are not encrypted.
    ///
    /// # Errors
    /// `MissingKey`, `MissingInput`, `Format`, `Foreign`, `OutOfMemory`; `NoPublicKey` for a data owner's value, where the program takes none; `Task` for an encrypted value of another type, range, place or level than the task takes, and
    /// for clear cells that are not what was declared.
    pub fn run(&self, encrypted: &[(&str, &[u8])], clear: &SortedMap<String, GivenCells>) -> Result<Job> {
        self.run_with(&self.own, encrypted, clear)
    }

    /// The same, with values that stay.
    ///
    /// # Errors
    /// As [`Evaluator::run`]; `Task` for a value that stays and is given again; `Foreign` for what another program holds.
    pub fn run_with(
        &self,
        held: &Held,
        encrypted: &[(&str, &[u8])],
        clear: &SortedMap<String, GivenCells>,
    ) -> Result<Job> {
        self.run_on(held, encrypted, clear, None)
    }

    /// The same, with values that stay, if there are any, and on a GPU what [`Evaluator::place_by_times`] placed there last, or all that there is a shader of: a job for whoever has the device ([`Run::encode`]). `platform`
    /// computes the rest, and all of it where the device is lost ([`Job::fall_back`]); the results are the same bytes.
    ///
    /// # Errors
    /// As [`Evaluator::run_with`], and as [`Plan::new`].
    pub fn run_on_gpu(
        &self,
        held: Option<&Held>,
        encrypted: &[(&str, &[u8])],
        clear: &SortedMap<String, GivenCells>,
        (platform, by_times): (&Arc<dyn Platform>, bool),
    ) -> Result<Job> {
        let plan = if by_times { self.by_times.clone() } else { Some(self.plan_on_gpu(platform)?) };
        self.run_on(held.unwrap_or(&self.own), encrypted, clear, plan)
    }

    fn run_on(
        &self,
        held: &Held,
        encrypted: &[(&str, &[u8])],
        clear: &SortedMap<String, GivenCells>,
        on_gpu: Option<Arc<Plan>>,
    ) -> Result<Job> {
        self.has_keys()?;
        let parameters = self.program.parameters().id();
        if held.program != self.program.id() {
            return Err(foreign("held values".into(), "program", &held.program, &self.program.id()));
        }
        let mut again = encrypted.iter().map(|(name, _)| *name).filter(|name| held.read.contains_key(*name));
        let again = again
            .next()
            .or_else(|| clear.keys().map(String::as_str).find(|&name| held.clear.contains_key(name)));
        if let Some(name) = again {
            return Err(Error::Task {
                at: format!("value for `{}`", shown(name)),
                found: "one that is held, and another one".into(),
                expected: "one of both".into(),
            });
        }
        let mut all = held.clone();
        self.read(encrypted, &mut all)?;
        self.check(clear)?;
        let Held { plan, fixed, mut given, read, owner, .. } = all;
        let checksum = |value: &PackedValue| read.get(&value.name).copied();
        let of_run = travel::run(&self.program.id(), &self.program.packing().inputs, checksum)?;
        // Where all that is clear stays, it was filled before.
        if self.clear_inputs().any(|name| !held.clear.contains_key(name)) {
            let mut all = Cow::Borrowed(clear);
            if !held.clear.is_empty() {
                all.to_mut().extend(held.clear.iter().map(|(name, cells)| (name.clone(), cells.clone())));
            }
            given.extend(filled(&self.program, &self.program.packing().clear, &all, false)?);
        }
        given.extend(fixed);
        for (name, key) in &self.keys {
            given.insert(name.to_string(), key.clone());
        }
        let first = on_gpu.as_ref().unwrap_or(&plan);
        let run = Run::new(Arc::clone(first), ordered(first, &given)?, self.clock)?;
        let instead = on_gpu.map(|first| (first, plan, self.clock));
        let origin = Origin { parameters, owner: owner.unwrap_or_default(), run: of_run };
        let mut outputs = Vec::new();
        for value in &self.program.packing().outputs {
            let (descriptor, types) = self.program.descriptor(value, false)?;
            let names = travel::ports(value, self.program.frame());
            let moduli = self.program.moduli();
            let ports: Vec<String> =
                names.iter().flat_map(|port| moduli.iter().map(|&t| self.program.port(port, t))).collect();
            outputs.push((descriptor.clone(), Limbs::of_ciphertexts(types), ports));
        }
        let words = outputs.iter().map(|(_, limbs, _)| body::words(limbs)).sum();
        let job = Job::new(run, move |run| {
            let write = |(descriptor, limbs, ports): &(travel::Descriptor, Vec<Limbs>, Vec<String>)| {
                let graph = run.plan().graph();
                let mut blocks = Vec::new();
                for (limbs, port) in limbs.iter().zip(ports) {
                    let index = graph.outputs().iter().position(|output| output.name == *port);
                    let index =
                        index.ok_or(Error::Job("every ciphertext of an output is a port of the graph"))?;
                    blocks.extend(run.output_blocks(index, 0, limbs.words())?);
                }
                let bytes = body::write(travel::writer(&origin, descriptor), limbs, None, blocks)?;
                Ok(Named { names: descriptor.names(), bytes, secret: false })
            };
            Ok(Outcome::Objects(parallel::map(words, &outputs, write).into_iter().collect::<Result<_>>()?))
        });
        Ok(match instead {
            None => job,
            // Planned for another base set, it may have its inputs in another order.
            Some((first, plan, clock)) => job.with_instead(move |inputs| {
                let names = first.graph().inputs().iter().map(|port| port.name.clone());
                let inputs = ordered(&plan, &names.zip(inputs).collect())?;
                Run::new(plan, inputs, clock)
            }),
        })
    }

    fn has_keys(&self) -> Result<()> {
        self.missing_keys().into_iter().next().map_or(Ok(()), |name| Err(Error::MissingKey { name }))
    }

    /// Reads encrypted values, of one client.
    fn read(&self, encrypted: &[(&str, &[u8])], held: &mut Held) -> Result<()> {
        let parameters = self.program.parameters().id();
        let mut owner = self.owner.or(held.owner);
        let given = self.program.packing().inputs.iter().filter_map(|value| {
            encrypted.iter().find(|(name, _)| *name == value.name).map(|&(_, bytes)| (value, bytes))
        });
        let given: Vec<(&PackedValue, &[u8])> = given.collect();
        let bytes = given.iter().map(|(_, bytes)| bytes.len() / 8).sum();
        let opened = parallel::map(bytes, &given, |(_, bytes)| travel::reader(bytes, &parameters));
        let mut bodies = Vec::new();
        for (&(value, _), opened) in given.iter().zip(opened) {
            let (origin, found, reader) = opened?;
            let expected_owner = *owner.get_or_insert(origin.owner);
            if origin.owner != expected_owner {
                return Err(foreign(
                    format!("value `{}`", shown(&found.name)),
                    "client",
                    &origin.owner,
                    &expected_owner,
                ));
            }
            match self.program.result(&value.name) {
                Some(result) => result.check(&value.name, &origin, &found)?,
                None => onward::check_fresh(&value.name, &origin)?,
            }
            if found.public {
                self.program.takes_public(|| format!("value for `{}`", value.name))?;
            }
            let (expected, types) = self.program.descriptor(value, true)?;
            if !expected.takes(&found) {
                return Err(travel::mismatch(&value.name, &found, expected));
            }
            bodies.push((reader, types, origin.is_fresh().then_some(&self.samplers)));
        }
        let words = |(reader, types, samplers): (Reader<'_>, &Vec<Extract>, _)| {
            travel::words(reader, types, samplers)
        };
        for (&(value, bytes), words) in given.iter().zip(parallel::map(bytes, bodies, words)) {
            let mut words = words?.into_iter();
            for port in travel::ports(value, self.program.frame()) {
                for t in self.program.moduli() {
                    let words = words.next().ok_or(Error::Job("as many ciphertexts as there are types"))?;
                    held.given.insert(self.program.port(&port, t), words.into());
                }
            }
            held.read.insert(value.name.clone(), checksum_of(bytes));
        }
        held.owner = owner;
        Ok(())
    }

    /// The names of what is not encrypted and goes into ciphertexts.
    fn clear_inputs(&self) -> impl Iterator<Item = &String> {
        self.program.packing().clear.inputs().iter().map(|port| &port.name)
    }

    /// That cells are what was declared.
    fn check(&self, clear: &SortedMap<String, GivenCells>) -> Result<()> {
        let given = &self.program.halves().given;
        for name in self.clear_inputs() {
            if let Some(cells) = clear.get(name) {
                super::encrypt::check_cells(name, cells, given.get(name).copied())?;
            }
        }
        Ok(())
    }
}

/// A platform beside a GPU, which comes first.
fn beside_gpu(platform: &Arc<dyn Platform>) -> Mixed {
    Mixed::new([Arc::new(Gpu) as Arc<dyn Platform>, Arc::clone(platform)], [])
}

impl Program {
    /// The operators of runs on a platform, and of runs with a GPU beside it: see [`uses_of`].
    ///
    /// # Errors
    /// As [`Program::base`].
    pub fn uses(&self, platform: &Arc<dyn Platform>) -> Result<Vec<Use>> {
        uses_of(self.registry(), &[&self.base(&**platform)?, &self.base(&beside_gpu(platform))?])
    }
}

/// The inputs of a plan, by their names.
fn ordered(plan: &Plan, given: &SortedMap<String, Input>) -> Result<Vec<Input>> {
    let of = |port: &Port| {
        given.get(&port.name).cloned().ok_or_else(|| Error::MissingInput { name: port.name.clone() })
    };
    plan.graph().inputs().iter().map(of).collect()
}

/// A plan that keeps the transforms of vectors which are the same in every run, where that does not take the memory that runs need.
fn planned(
    program: &Program,
    graph: &Graph,
    platform: &dyn Platform,
    fixed: &SortedMap<String, Input>,
) -> Result<Arc<Plan>> {
    let (literal, memory_limit) = (program.parameters().literal(), program.memory_limit());
    let kept = (fixed.len() * literal.n * (literal.q.len() + 1)) as u64 * 8;
    let names = if kept <= memory_limit / KEPT { fixed.keys().cloned().collect() } else { SortedSet::new() };
    let options = PlanOptions { memory_limit, wipe: false, fixed: names, alone: SMALL };
    Ok(Arc::new(Plan::new(graph, program.registry(), platform, options)?))
}

/// The slots of the vectors that hold cells of what a part of the task computes; with `numbers` also of those that are made of no value.
pub fn filled(
    program: &Program,
    part: &Graph,
    clear: &SortedMap<String, GivenCells>,
    numbers: bool,
) -> Result<SortedMap<String, Input>> {
    let (packing, moduli) = (program.packing(), program.plain_moduli()?);
    let outputs = values_of(program, part, clear)?;
    // Cells as slots hold them, once for all vectors of a value.
    let mut words = SortedMap::new();
    for port in part.outputs() {
        let value = Value::of(part.ty(port.operand))?;
        let cells = outputs.get(&port.name).ok_or(UNKNOWN)?;
        let own = moduli.iter().map(|t| match t {
            Some(t) => cells.residues(t, &port.name),
            None => cells.bits_of_reals(slots::unit(&value)),
        });
        words.insert(port.name.clone(), own.collect::<Result<Vec<_>>>()?);
    }
    let mut all = SortedMap::new();
    for vector in &packing.vectors {
        for (index, t) in moduli.iter().enumerate() {
            let filled = |cells: &[u64]| match t {
                Some(t) => slots::integers(vector, t, cells),
                None => slots::reals(vector, cells),
            };
            let number = |number: &Attr| match (number, t) {
                (Attr::Int(number), Some(t)) => Ok(t.reduce_i128(*number)),
                (Attr::Int(number), None) => Ok((*number as f64).to_bits()),
                (Attr::Real(number), None) => Ok(number.get().to_bits()),
                _ => Err(Error::Job("numbers are integers or reals")),
            };
            let own = match &vector.slots {
                Slots::Cells { source: Source::Value(unit), .. } => match words.get(&clear_name(*unit)) {
                    Some(cells) => filled(&cells[index])?,
                    // Of the other part.
                    None => continue,
                },
                _ if !numbers => continue,
                Slots::Mask(_) => filled(&[number(&Attr::Int(1))?])?,
                Slots::Cells { source: Source::Number(given), .. } => filled(&[number(given)?])?,
            };
            all.insert(program.port(&vector.name, t.as_ref().map(Modulus::value)), own.into());
        }
    }
    Ok(all)
}

/// The outputs of a part of the task that is computed in the clear: those that are its inputs as they were given.
fn values_of(
    program: &Program,
    part: &Graph,
    clear: &SortedMap<String, GivenCells>,
) -> Result<SortedMap<String, GivenCells>> {
    let Halves { registry, values, .. } = program.halves();
    let mut outputs = SortedMap::new();
    for port in part.outputs() {
        let Some(input) = part.inputs().iter().find(|input| input.operand == port.operand) else { continue };
        let given = clear.get(&input.name);
        let given = given.ok_or_else(|| Error::MissingInput { name: input.name.clone() })?;
        given.check(&input.name, &Value::of(part.ty(port.operand))?)?;
        outputs.insert(port.name.clone(), given.clone());
    }
    if outputs.len() < part.outputs().len() {
        let computed = interpret(part, registry, values, &finish::exact(clear)?)?.outputs();
        for (name, cells) in computed {
            outputs.entry(name).or_insert_with(|| cells.into());
        }
    }
    Ok(outputs)
}
