//! From a task literal to a program: parameters and keys are chosen, graphs of every stage are built.
//!
//! The same code rebuilds a program from its bytes, so that client and evaluator hold the same graphs.

use super::bounds;
use super::bundle::{Bundle, bundles};
use super::choose::{MARGIN, Wishes, choose, enough};
use super::literal::{KEYS, Layout, TaskLiteral};
use super::parameters::{ParameterLiteral, Parameters};
use super::range::least_modulus;
use super::view::Stage;
use crate::analyze::{OutputIndex, graph_inputs};
use crate::bytes::{Kind, Reader, Writer};
use crate::expand::{BaseSet, Expander};
use crate::graph::{Attrs, Graph, OperandId, ValueType};
use crate::math::slots::{galois_conjugate, galois_element};
use crate::ops::{Level, Registry, Session};
use crate::optimize::{optimize, optimize_scheme};
use crate::platform::Platform;
use crate::schemes::columns::{
    Column, KeyName, Keys, rotation_elements, statistic_multiplies, statistic_sums,
};
use crate::schemes::noise_budget;
use crate::schemes::security::SecurityTable;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the caller may ask of a program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CompileOptions {
    /// Name of the security table; "guidelines-2024" when left out.
    pub security: Option<String>,
    /// Ring dimension.
    pub n: Option<usize>,
    /// Plaintext moduli, decimal.
    pub plain_moduli: Option<Vec<String>>,
    /// Primes of the ciphertext modulus, decimal; where keys are needed the last one is the special prime.
    pub moduli: Option<Vec<String>>,
    /// Threads, for the time estimate.
    pub threads: Option<usize>,
    /// Most bytes that a run may take.
    pub memory_limit: Option<f64>,
}

/// What a program's bytes hold: everything else follows from it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramLiteral {
    task: TaskLiteral,
    parameters: ParameterLiteral,
    memory_limit: u64,
}

/// A compiled task: checked, immutable, run many times.
pub struct Program {
    id: [u8; 16],
    registry: Arc<Registry>,
    task: TaskLiteral,
    parameters: Parameters,
    memory_limit: u64,
    keys: Option<Keys>,
    /// The stages that are kept; others are expanded from them when asked for.
    task_graph: Graph,
    scheme_graph: Graph,
    bundles: Arc<Vec<Bundle>>,
}

impl Program {
    /// Chooses parameters and keys for a task, and builds its graphs.
    ///
    /// # Errors
    /// `Task`, `Operator` and `UnknownOperator` for a task that makes no sense; `TooLarge` for one that becomes too
    /// much, before anything is expanded; `RangeOverflow` when values could
    /// exceed what can be decrypted; `NoParameters` when the task is too deep; `Parameters` for options that do not
    /// fit.
    pub fn compile(task: TaskLiteral, options: &CompileOptions) -> Result<Self> {
        bounds::check_literal(&task)?;
        task.check()?;
        let registry = crate::schemes::registry();
        let builder = Builder::new(&registry, &task);
        let wishes = wishes(options)?;
        let parameters = choose(&builder, &wishes)?;
        Self::build(task, parameters, wishes.memory)
    }

    fn build(task: TaskLiteral, parameters: Parameters, memory_limit: u64) -> Result<Self> {
        let registry = Arc::new(crate::schemes::registry());
        let builder = Builder::new(&registry, &task);
        let least = least_modulus(&task)?;
        let held: u128 = parameters.literal().t.iter().map(|&t| u128::from(t)).product();
        if held < least {
            return Err(Error::Parameters {
                what: "product of the plain moduli".into(),
                found: held.to_string(),
                expected: format!("at least {least}: the outputs need it"),
            });
        }
        let memory_limit = memory_limit.min(MOST_MEMORY);
        check_sizes(&task, &parameters, memory_limit)?;
        bounds::check(&task, parameters.literal(), MOST_MEMORY)?;
        let mut expander = Expander::new(&registry);
        let Scheme { graph: scheme_graph, task_graph, keys } = builder.scheme(&parameters, &mut expander)?;
        let budget = noise_budget(&scheme_graph, &registry)?;
        if !enough(budget) {
            return Err(Error::Parameters {
                what: "noise budget that the bounds leave".into(),
                found: format!("{budget:.1} bits"),
                expected: format!("at least {MARGIN} bits"),
            });
        }
        let bundles = Arc::new(bundles(&scheme_graph)?);
        let id = [0; 16];
        let mut program =
            Self { id, task, parameters, memory_limit, keys, task_graph, scheme_graph, bundles, registry };
        let hash = blake3::hash(&program.bytes());
        program.id.copy_from_slice(&hash.as_bytes()[..16]);
        Ok(program)
    }

    /// What an evaluator needs: task and parameters, nothing secret.
    pub fn bytes(&self) -> Vec<u8> {
        let literal = ProgramLiteral {
            task: self.task.clone(),
            parameters: self.parameters.literal().clone(),
            memory_limit: self.memory_limit,
        };
        // A literal of texts and numbers always has a JSON form.
        let text = serde_json::to_string(&literal).unwrap_or_default();
        Writer::new(Kind::Program).text(&text).finish()
    }

    /// Rebuilds a program from its bytes, with all checks.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; otherwise as [`Program::compile`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, Kind::Program)?;
        let text = reader.text()?;
        bounds::check_text(text)?;
        let literal: ProgramLiteral = serde_json::from_str(text).map_err(|e| reader.error(e.to_string()))?;
        reader.end()?;
        bounds::check_literal(&literal.task)?;
        literal.task.check()?;
        Self::build(literal.task, Parameters::new(literal.parameters)?, literal.memory_limit)
    }

    /// Identity of the program: BLAKE3 of its bytes, and so of its task with decimals and bounds, its parameters and its
    /// memory limit. Ciphertexts and results carry it.
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// Identity of a run: of the program over inputs whose bytes end with these checksums, in the order of the task.
    /// Results carry it, so that one of other inputs is not taken for theirs.
    pub fn run_id(&self, inputs: &[[u8; 16]]) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 run identity v1");
        hasher.update(&self.id).update(inputs.as_flattened());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        id
    }

    /// The task as it was given.
    pub fn task(&self) -> &TaskLiteral {
        &self.task
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The evaluation keys that a run needs; `None` when it needs none.
    pub fn keys(&self) -> Option<&Keys> {
        self.keys.as_ref()
    }

    /// Most bytes that a run may take.
    pub fn memory_limit(&self) -> u64 {
        self.memory_limit
    }

    /// The operator types that the program was built with.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The graph of scheme level: its declared outputs have the types that decryption goes by.
    pub fn scheme(&self) -> &Graph {
        &self.scheme_graph
    }

    /// How the declared outputs travel.
    pub(super) fn bundles(&self) -> &Arc<Vec<Bundle>> {
        &self.bundles
    }

    /// The graph at a stage; the base stage is that of `platform`.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn graph(&self, stage: Stage, platform: &dyn Platform) -> Result<Graph> {
        let mut expander = Expander::new(&self.registry);
        match stage {
            Stage::Task => Ok(self.task_graph.clone()),
            Stage::Scheme => Ok(self.scheme_graph.clone()),
            Stage::Polynomial => {
                optimize(&expander.expand_to_level(&self.scheme_graph, Level::Polynomial)?, &self.registry)
            }
            Stage::Base => {
                let polynomial = expander.expand_to_level(&self.scheme_graph, Level::Polynomial)?;
                let polynomial = optimize(&polynomial, &self.registry)?;
                base(&mut expander, &polynomial, platform)
            }
        }
    }
}

/// Most bytes of a run: what a 32-bit address space leaves.
pub(crate) const MOST_MEMORY: u64 = 3_500 << 20;

/// Checks what a literal from outside could blow up, before anything is expanded.
fn check_sizes(task: &TaskLiteral, parameters: &Parameters, memory_limit: u64) -> Result<()> {
    let n = parameters.literal().n;
    let mut needed = 0u64;
    for input in &task.inputs {
        let column = input_type(input, parameters);
        if !column.fits() {
            return Err(Error::Task {
                at: format!("input `{}`", input.name),
                found: format!("rings of {} rows", column.ring_rows()),
                expected: format!("at most {} rows, half of n: layout slots is one ciphertext", n / 2),
            });
        }
        needed = needed.saturating_add(column.ty().size.saturating_mul(8));
    }
    if needed > memory_limit {
        return Err(Error::MemoryLimit { needed, limit: memory_limit });
    }
    Ok(())
}

/// Expands a graph to the base set of a platform and optimizes it.
///
/// # Errors
/// As [`Expander::expand`].
pub fn base(expander: &mut Expander<'_>, graph: &Graph, platform: &dyn Platform) -> Result<Graph> {
    let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
    optimize(&expander.expand(graph, &base)?, expander.registry())
}

fn wrong(what: &str, found: &str, expected: &str) -> Error {
    Error::Parameters { what: what.into(), found: found.into(), expected: expected.into() }
}

/// The security table of that name, or the default one, which has a row for `n`, where that is asked for.
///
/// # Errors
/// `Parameters` for another name, or a ring dimension that the table lacks.
pub(crate) fn security(name: Option<&str>, n: Option<usize>) -> Result<SecurityTable> {
    let name = name.unwrap_or(SecurityTable::default().name());
    let table = SecurityTable::named(name)
        .ok_or_else(|| wrong("security", name, "guidelines-2024 or standard-2018"))?;
    match n.filter(|&n| table.max_bits(n).is_none()) {
        Some(n) => Err(wrong("n", &n.to_string(), "2048, 4096, 8192, 16384 or 32768")),
        None => Ok(table),
    }
}

/// The bytes that a run may take, of those that are asked for.
pub(crate) fn memory_limit(asked: Option<f64>) -> u64 {
    asked.map_or(MOST_MEMORY, |m| m.max(0.0) as u64).min(MOST_MEMORY)
}

fn wishes(options: &CompileOptions) -> Result<Wishes> {
    let table = security(options.security.as_deref(), options.n)?;
    let primes = |list: &Option<Vec<String>>, what: &str| -> Result<Option<Vec<u64>>> {
        let parse = |s: &String| s.parse().map_err(|_| wrong(what, s, "primes as decimal texts"));
        list.as_ref().map(|l| l.iter().map(parse).collect()).transpose()
    };
    let t = primes(&options.plain_moduli, "plainModuli")?;
    let memory = memory_limit(options.memory_limit);
    Ok(Wishes { table, n: options.n, t, q: primes(&options.moduli, "moduli")?, memory })
}

/// The scheme level of a task under parameters.
pub struct Scheme {
    pub graph: Graph,
    pub task_graph: Graph,
    pub keys: Option<Keys>,
}

/// Builds graphs of one task under any parameters.
pub struct Builder<'a> {
    registry: &'a Registry,
    task: &'a TaskLiteral,
}

impl<'a> Builder<'a> {
    pub fn new(registry: &'a Registry, task: &'a TaskLiteral) -> Self {
        Self { registry, task }
    }

    pub fn task(&self) -> &'a TaskLiteral {
        self.task
    }

    pub fn registry(&self) -> &'a Registry {
        self.registry
    }

    /// True when some operator of the task switches keys.
    pub fn needs_keys(&self, parameters: &Parameters) -> Result<bool> {
        match self.used_keys(parameters, &mut Expander::new(self.registry)) {
            Ok(names) => Ok(!names.is_empty()),
            // Without special primes there is no key to be found.
            Err(Error::MissingKey { .. }) => Ok(true),
            Err(other) => Err(other),
        }
    }

    /// The task and its scheme level, with exactly the keys that are used.
    pub fn scheme(&self, parameters: &Parameters, expander: &mut Expander<'_>) -> Result<Scheme> {
        let names = self.used_keys(parameters, expander)?;
        let keys = keys(parameters, names);
        let task_graph = self.assemble(parameters, keys.as_ref())?;
        let graph = self.expand(parameters, &task_graph, expander)?;
        Ok(Scheme { graph, task_graph, keys })
    }

    fn expand(
        &self,
        parameters: &Parameters,
        task_graph: &Graph,
        expander: &mut Expander<'_>,
    ) -> Result<Graph> {
        let scheme = expander.expand_to_level(task_graph, Level::Scheme)?;
        optimize_scheme(&scheme, self.registry, parameters.literal().pack)
    }

    /// The noise budget that bounds leave to the task's outputs, as that of [`Builder::scheme`]'s graph.
    ///
    /// # Errors
    /// As [`Builder::scheme`].
    pub fn budget(&self, parameters: &Parameters, expander: &mut Expander<'_>) -> Result<f64> {
        let (all, graph) = self.with_all_keys(parameters, expander)?;
        // Keys that nobody reads change no bound, unless there are no others.
        if all.is_none() || !read_keys(all.as_ref(), &graph)?.is_empty() {
            return noise_budget(&graph, self.registry);
        }
        noise_budget(&self.scheme(parameters, expander)?.graph, self.registry)
    }

    /// The keys that are read.
    fn used_keys(&self, parameters: &Parameters, expander: &mut Expander<'_>) -> Result<Vec<KeyName>> {
        let (all, graph) = self.with_all_keys(parameters, expander)?;
        read_keys(all.as_ref(), &graph)
    }

    /// The scheme level with every key that could be meant.
    fn with_all_keys(
        &self,
        parameters: &Parameters,
        expander: &mut Expander<'_>,
    ) -> Result<(Option<Keys>, Graph)> {
        let all = keys(parameters, self.possible_keys(parameters)?);
        let graph = self.expand(parameters, &self.assemble(parameters, all.as_ref())?, expander)?;
        Ok((all, graph))
    }

    fn possible_keys(&self, parameters: &Parameters) -> Result<Vec<KeyName>> {
        let l = parameters.literal();
        let top = l.q.len();
        let mut names = BTreeSet::from([KeyName::Relinearization(top), KeyName::Relinearization(l.low)]);
        if self.task.nodes.iter().any(|node| node.op == "column.sum" || statistic_sums(&node.op).is_some()) {
            let columns = self.task.inputs.iter().map(|input| input_type(input, parameters));
            let mut elements: Vec<u64> = columns.flat_map(|column| column.sum_elements()).collect();
            // Those that pack sums.
            elements.extend([galois_element(l.n, l.n as i64 / 2 - 1), galois_conjugate(l.n)]);
            names.extend(elements.into_iter().map(|g| KeyName::Galois(g, l.low)));
        }
        let sources = self.task.sources();
        for node in &self.task.nodes {
            if node.op.starts_with("column.rotate") {
                let source = node.inputs.first().and_then(|&operand| sources[operand]);
                let Some(input) = source.map(|number| &self.task.inputs[number]) else { continue };
                let column = input_type(input, parameters);
                for g in rotation_elements(&node.op, &node.graph_attrs()?, &column)? {
                    names.extend([top, l.low].map(|level| KeyName::Galois(g, level)));
                }
            }
        }
        Ok(names.into_iter().collect())
    }

    /// The task graph: declared inputs, operators, declared outputs.
    fn assemble(&self, parameters: &Parameters, keys: Option<&Keys>) -> Result<Graph> {
        let l = parameters.literal();
        let mut s = Session::new(Graph::new(64), self.registry);
        let mut operands: Vec<Option<OperandId>> = Vec::new();
        for input in &self.task.inputs {
            let ty = input_type(input, parameters).ty();
            operands.push(Some(s.graph_mut().add_input(&input.name, ty)?));
        }
        let keys = keys.map(|k| s.graph_mut().add_input(KEYS, k.ty())).transpose()?;
        let multiplied = self.multiplied();
        for (index, node) in self.task.nodes.iter().enumerate() {
            let mut attrs = node.graph_attrs()?;
            let statistic = statistic_sums(&node.op).is_some();
            if statistic || node.op == "column.sum" {
                attrs = attrs.with("low", l.low);
            } else if node.op.starts_with("column.rotate") {
                // What is not multiplied any more is rotated where keys are small.
                let top = multiplied[self.task.inputs.len() + index];
                attrs = attrs.with("low", if top { l.q.len() } else { l.low });
            }
            if statistic || node.op == "column.multiply" {
                attrs = attrs.with("aux", l.aux.as_slice());
            }
            if node.op == "stats.count" && self.public_count(&node.inputs) {
                // Nothing to compute, and nothing to compute with: the number of rows is public.
                let column = |&&i: &&usize| operands[i].is_some_and(|operand| s.ty(operand).head == "column");
                if node.inputs.len() != 1 || !node.inputs.iter().all(|i| column(&i)) {
                    return Err(Error::Task {
                        at: format!("node {index} ({})", node.op),
                        found: format!("operands {:?}", node.inputs),
                        expected: "one column".into(),
                    });
                }
                operands.push(None);
                continue;
            }
            let operand = |&i: &usize| {
                operands[i].ok_or_else(|| Error::Task {
                    at: format!("node {index} ({})", node.op),
                    found: "the count of a complete column, which is public".into(),
                    expected: "an encrypted operand".into(),
                })
            };
            let mut inputs: Vec<OperandId> = node.inputs.iter().map(operand).collect::<Result<_>>()?;
            inputs.extend(keys);
            let made = s.op(&node.op, attrs_for(attrs, node.op.as_str()), &inputs);
            let located = made.map_err(|e| match e {
                Error::UnknownOperator { op, .. } => {
                    Error::UnknownOperator { op, at: format!("node {index}") }
                }
                other => other,
            });
            operands.push(Some(located?));
        }
        for output in &self.task.outputs {
            if let Some(mut operand) = operands[output.operand] {
                if s.ty(operand).head == "column" {
                    operand = s.op("column.mod_switch", Attrs::new().with("low", l.low), &[operand])?;
                }
                s.graph_mut().declare_output(&output.name, operand);
            }
        }
        let graph = s.finish();
        // Operators that lead to no output would ask for keys for nothing.
        crate::optimize::prune(&graph, self.registry)
    }

    /// For each operand, whether a product of ciphertexts is made of it.
    fn multiplied(&self) -> Vec<bool> {
        let first = self.task.inputs.len();
        let mut multiplied = vec![false; first + self.task.nodes.len()];
        for (index, node) in self.task.nodes.iter().enumerate().rev() {
            if multiplied[first + index] || node.op == "column.multiply" || statistic_multiplies(&node.op) {
                node.inputs.iter().for_each(|&input| multiplied[input] = true);
            }
        }
        multiplied
    }

    fn public_count(&self, inputs: &[usize]) -> bool {
        inputs.iter().all(|&i| self.task.inputs.get(i).is_none_or(|input| !input.missing))
    }
}

/// True for an output whose value is known without decryption: the count of complete columns.
pub fn is_public(task: &TaskLiteral, output: usize) -> bool {
    task.node(task.outputs[output].operand).is_some_and(|node| {
        let complete = |&i: &usize| task.inputs.get(i).is_none_or(|input| !input.missing);
        node.op == "stats.count" && node.inputs.iter().all(complete)
    })
}

/// Attributes that belong to the finish on the client are not the graph's.
fn attrs_for(attrs: Attrs, op: &str) -> Attrs {
    if statistic_sums(op).is_none() {
        return attrs;
    }
    attrs
        .iter()
        .filter(|(name, _)| *name != "population")
        .fold(Attrs::new(), |all, (n, v)| all.with(n, v.clone()))
}

/// The graph type of an input.
pub fn input_type(input: &super::InputLiteral, parameters: &Parameters) -> Column {
    let l = parameters.literal();
    let rings = if input.layout == Layout::Slots { input.rings } else { 0 };
    let (n, t, q) = (l.n, l.t.clone(), l.q.clone());
    Column { n, t, q, parts: 2, rows: input.rows, missing: input.missing, rings }
}

/// Those of a graph's keys that its operators read.
fn read_keys(all: Option<&Keys>, graph: &Graph) -> Result<Vec<KeyName>> {
    let Some(all) = all else { return Ok(Vec::new()) };
    let Some(port) = graph.inputs().iter().find(|p| p.name == KEYS) else { return Ok(Vec::new()) };
    let read = graph_inputs(graph, &OutputIndex::new(graph)?);
    let start = graph.pieces(port.operand)[0].start;
    let used = |name: &&KeyName| {
        let from = all.offset(name).unwrap_or(0);
        let place = crate::graph::Placeholder::new(start + from, start + from + all.key(name).units());
        read.iter().any(|r| r.overlaps(&place))
    };
    Ok(all.names.iter().filter(used).cloned().collect())
}

fn keys(parameters: &Parameters, names: Vec<KeyName>) -> Option<Keys> {
    let l = parameters.literal();
    let keys = Keys { n: l.n, q: l.q.clone(), special: l.special.clone(), digit: l.digit(), names };
    (!keys.names.is_empty() && !l.special.is_empty()).then_some(keys)
}

/// The type of a named operand among a graph's ports.
pub fn port_type<'g>(ports: &'g [crate::graph::Port], graph: &'g Graph, name: &str) -> Option<&'g ValueType> {
    ports.iter().find(|p| p.name == name).map(|p| graph.ty(p.operand))
}
