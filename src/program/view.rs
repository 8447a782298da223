//! What people are told about a program: parameters, cost, operators of every stage, and graphs to draw.

use super::Program;
use super::bundle::Bundle;
use super::compile::{input_type, is_public};
use crate::Result;
use crate::analyze::{OutputIndex, analyze, depth, waves};
use crate::bytes::Length;
use crate::engine::{Plan, PlanOptions};
use crate::graph::{Graph, Intervals};
use crate::ops::Call;
use crate::platform::Platform;
use crate::schemes::columns::{output_ciphertexts, statistic_sums};
use crate::schemes::noise_budget;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Seconds that a multiplication modulo a prime takes, with everything around it: measured on the simd platform in
/// WebAssembly, one thread (see BENCHMARKS.md).
const SECONDS_PER_MULTIPLICATION: f64 = 1e-9;

/// A level of the road from task to base set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// Columns and statistics.
    Task,
    /// Ciphertexts.
    Scheme,
    /// Polynomials.
    Polynomial,
    /// Limbs: what is run.
    Base,
}

impl Stage {
    /// All, from the task down.
    pub const ALL: [Self; 4] = [Self::Task, Self::Scheme, Self::Polynomial, Self::Base];

    /// The stage of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "task" => Some(Self::Task),
            "scheme" => Some(Self::Scheme),
            "polynomial" => Some(Self::Polynomial),
            "base" => Some(Self::Base),
            _ => None,
        }
    }
}

/// All about a program.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgramInfo {
    /// The parameters.
    pub params: ParameterInfo,
    /// The inputs.
    pub inputs: Vec<InputInfo>,
    /// The outputs.
    pub outputs: Vec<OutputInfo>,
    /// The evaluation keys.
    pub keys: Vec<KeyInfo>,
    /// What a run costs.
    pub cost: Cost,
    /// Operators, stage by stage.
    pub stats: Vec<StageInfo>,
}

/// The parameters of a program.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParameterInfo {
    /// Ring dimension.
    pub n: usize,
    /// Data primes, decimal.
    pub moduli: Vec<String>,
    /// Special primes, decimal.
    pub special: Vec<String>,
    /// Plaintext moduli, decimal.
    pub plain_moduli: Vec<String>,
    /// Classical security, bits.
    pub security_bits: u32,
    /// The table that says so.
    pub table: &'static str,
    /// Bits of data and special primes.
    pub total_bits: f64,
    /// Most bits that the table allows.
    pub max_total_bits: u32,
    /// Noise budget that the bound leaves at the worst output, bits.
    pub noise_budget_bits: f64,
    /// Data primes that are left in sums, rotated columns and outputs that no product follows.
    pub low: usize,
}

/// An input.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InputInfo {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Its ciphertexts.
    pub ciphertexts: usize,
    /// Length of its byte form, encrypted.
    pub bytes: u64,
    /// Whether cells may be missing.
    pub missing: bool,
    /// How rows lie in ciphertexts.
    pub layout: super::Layout,
    /// Rings that its rows form, in layout slots.
    pub rings: usize,
    /// Decimal places: integers are units of 10^-decimals.
    pub decimals: u32,
    /// Smallest integer, decimal.
    pub min: String,
    /// Largest integer, decimal.
    pub max: String,
}

/// An output.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputInfo {
    /// Its name.
    pub name: String,
    /// `column`, `number`, or the statistic.
    pub kind: String,
    /// Population instead of sample statistics.
    pub population: bool,
    /// Rows of a column; 1 otherwise.
    pub rows: usize,
    /// Names of its parts.
    pub parts: Vec<String>,
    /// Its ciphertexts.
    pub ciphertexts: usize,
    /// Length of the byte form of the outputs that it travels with; 0 where nothing is encrypted.
    pub bytes: u64,
    /// Decimal places: of a column or a sum, or of the integers that a statistic is made of.
    pub decimals: u32,
}

/// An evaluation key.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyInfo {
    /// Its number.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Length of its byte form.
    pub bytes: u64,
}

/// What a run costs, known before it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Estimated time of evaluation, seconds.
    pub seconds: f64,
    /// Bytes of the run's storage, inputs and keys included.
    pub memory_bytes: u64,
    /// Bytes of evaluation keys.
    pub key_bytes: u64,
    /// Bytes of encrypted inputs.
    pub upload_bytes: u64,
    /// Bytes of encrypted outputs.
    pub download_bytes: u64,
}

/// The operators of a stage.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StageInfo {
    /// The stage.
    pub stage: Stage,
    /// How many.
    pub operators: usize,
    /// Longest chain.
    pub depth: usize,
    /// How many of each type.
    pub by_type: BTreeMap<String, usize>,
}

/// A graph as arrays, for drawing.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphView {
    /// Names of operator types.
    pub types: Vec<String>,
    /// Type of each operator.
    pub r#type: Vec<u32>,
    /// The operator of the stage above that each came from; -1 for none.
    pub parent: Vec<i32>,
    /// Where the producers of each operator start in `inputs`; one more entry than operators.
    pub inputs_start: Vec<u32>,
    /// Producers: operators, or -(k+1) for graph input k.
    pub inputs: Vec<i32>,
    /// Output placeholder of each operator: start and end, units.
    pub placeholders: Vec<f64>,
    /// Texts of attributes.
    pub labels: Vec<String>,
    /// Attributes of each operator.
    pub label: Vec<u32>,
    /// Names of the graph inputs.
    pub input_names: Vec<String>,
    /// The declared outputs.
    pub outputs: Vec<OutputView>,
    /// Earliest wave of each operator.
    pub wave: Vec<u32>,
}

/// A declared output of a drawn graph.
#[derive(Clone, Debug, Serialize)]
pub struct OutputView {
    /// Its name.
    pub name: String,
    /// The operator that writes it, or its last part; -(k+1) for graph input k.
    pub op: i32,
}

impl Program {
    /// Parameters, cost, and operators of every stage. `threads` is for the time estimate.
    ///
    /// # Errors
    /// As [`Program::graph`]; `MemoryLimit` when a run would not fit.
    pub fn info(&self, platform: &dyn Platform, threads: usize) -> Result<ProgramInfo> {
        let p = self.parameters();
        let l = p.literal();
        let decimal = |list: &[u64]| list.iter().map(ToString::to_string).collect();
        let scheme = self.scheme();
        let inputs: Vec<InputInfo> = self
            .task()
            .inputs
            .iter()
            .map(|i| {
                let shape = input_type(i, p);
                InputInfo {
                    name: i.name.clone(),
                    rows: i.rows,
                    ciphertexts: shape.ciphertexts(),
                    bytes: Length::new().id().id().text(&i.name).words(shape.ty().size),
                    missing: i.missing,
                    layout: i.layout,
                    rings: i.rings,
                    decimals: i.decimals,
                    min: i.min.clone(),
                    max: i.max.clone(),
                }
            })
            .collect();
        let keys: Vec<KeyInfo> = self.keys().map_or(vec![], |keys| {
            let info = |(index, name): (usize, &crate::schemes::columns::KeyName)| KeyInfo {
                index,
                name: name.to_string(),
                bytes: Length::new().id().id().text(&name.to_string()).words(keys.key(name).units()),
            };
            keys.names.iter().enumerate().map(info).collect()
        });
        let base = self.graph(Stage::Base, platform)?;
        let options = PlanOptions { memory_limit: self.memory_limit(), ..PlanOptions::default() };
        let plan = Plan::new(&base, self.registry(), platform, options)?;
        let cost = Cost {
            seconds: self.multiplications(&base)? * SECONDS_PER_MULTIPLICATION / threads.max(1) as f64,
            memory_bytes: plan.memory_bytes(),
            key_bytes: keys.iter().map(|k| k.bytes).sum(),
            upload_bytes: inputs.iter().map(|i| i.bytes).sum(),
            download_bytes: self.bundles().iter().map(Bundle::bytes).sum(),
        };
        let stage = |stage: Stage| {
            let graph = if stage == Stage::Base { base.clone() } else { self.graph(stage, platform)? };
            stage_info(stage, &graph)
        };
        Ok(ProgramInfo {
            params: ParameterInfo {
                n: l.n,
                moduli: decimal(&l.q),
                special: decimal(&l.special),
                plain_moduli: decimal(&l.t),
                security_bits: 128,
                table: p.table().name(),
                total_bits: p.total_bits(),
                max_total_bits: p.max_bits(),
                noise_budget_bits: noise_budget(scheme, self.registry())?,
                low: l.low,
            },
            outputs: self.output_info(scheme)?,
            stats: Stage::ALL.into_iter().map(stage).collect::<Result<_>>()?,
            inputs,
            keys,
            cost,
        })
    }

    fn multiplications(&self, base: &Graph) -> Result<f64> {
        let mut total = 0.0;
        for op in base.operators() {
            let signature = base.signature(op);
            let inputs: Vec<_> = base.inputs_of(op).iter().map(|&i| base.ty(i).clone()).collect();
            let call = Call {
                name: &signature.name,
                attrs: &signature.attrs,
                inputs: &inputs,
                unit: base.unit_bits(),
            };
            total += self.registry().get(&signature.name)?.cost(&call);
        }
        Ok(total)
    }

    fn output_info(&self, scheme: &Graph) -> Result<Vec<OutputInfo>> {
        let mut all = Vec::new();
        for (index, output) in self.task().outputs.iter().enumerate() {
            let node = self.task().node(output.operand);
            let mut info = OutputInfo {
                name: output.name.clone(),
                kind: "column".into(),
                population: false,
                rows: 1,
                parts: vec![],
                ciphertexts: 0,
                bytes: 0,
                decimals: output.decimals,
            };
            if let Some(node) = node
                && let Some(sums) = statistic_sums(&node.op)
            {
                info.kind = node.op.trim_start_matches("stats.").to_owned();
                info.population = node.graph_attrs()?.uint("population").is_ok_and(|p| p == 1);
                info.parts = sums.iter().map(|&s| s.to_owned()).collect();
            }
            if !is_public(self.task(), index)
                && let Some(port) = scheme.outputs().iter().find(|p| p.name == output.name)
            {
                let ciphertexts = output_ciphertexts(scheme.ty(port.operand))?;
                info.ciphertexts = ciphertexts.len();
                let travels = |bundle: &&Bundle| bundle.names().any(|name| name == output.name);
                info.bytes = self.bundles().iter().find(travels).map_or(0, Bundle::bytes);
                let reads = || ciphertexts.iter().flat_map(|c| &c.reads);
                if info.parts.is_empty() {
                    let column = scheme.ty(port.operand).head == "column";
                    info.kind = if column { "column" } else { "number" }.into();
                    info.parts = reads().next().map(|r| vec![r.part.clone()]).unwrap_or_default();
                    info.rows = reads().map(|r| r.rows.first + r.rows.count).max().unwrap_or(1);
                }
            }
            all.push(info);
        }
        Ok(all)
    }
}

fn stage_info(stage: Stage, graph: &Graph) -> Result<StageInfo> {
    let mut by_type = BTreeMap::new();
    for op in graph.operators() {
        *by_type.entry(graph.signature(op).name.clone()).or_insert(0) += 1;
    }
    let depth = depth(graph, &analyze(graph)?)?;
    Ok(StageInfo { stage, operators: graph.operators().len(), depth, by_type })
}

impl GraphView {
    /// The arrays of a settled graph.
    ///
    /// # Errors
    /// `OverlappingOutputs`, `Cycle`.
    pub fn new(graph: &Graph) -> Result<Self> {
        let index = OutputIndex::new(graph)?;
        let mut view = Self { inputs_start: vec![0], ..Self::default() };
        let mut types: BTreeMap<&str, u32> = BTreeMap::new();
        let mut labels: BTreeMap<String, u32> = BTreeMap::new();
        let ports =
            graph.inputs().iter().zip(0..).flat_map(|(port, number)| {
                graph.pieces(port.operand).iter().map(move |&piece| (piece, number))
            });
        let ports = Intervals::new(ports);
        let producers = |operand, out: &mut Vec<i32>| {
            let from = out.len();
            for &piece in graph.pieces(operand) {
                let hits = index.search(piece);
                out.extend(index.producers()[hits].iter().map(|&p| p as i32));
                out.extend(ports.search(piece).map(|at| -(ports.owners()[at] as i32) - 1));
            }
            out[from..].sort_unstable();
            let mut kept = out.split_off(from);
            kept.dedup();
            out.append(&mut kept);
        };
        for op in graph.operators() {
            let signature = graph.signature(op);
            let next = types.len() as u32;
            view.r#type.push(*types.entry(&signature.name).or_insert_with(|| {
                view.types.push(signature.name.clone());
                next
            }));
            let text = clip(&signature.attrs.to_string());
            let next = labels.len() as u32;
            view.label.push(*labels.entry(text.clone()).or_insert_with(|| {
                view.labels.push(text);
                next
            }));
            view.parent.push(if op.parent == u32::MAX { -1 } else { op.parent as i32 });
            for &input in graph.inputs_of(op) {
                producers(input, &mut view.inputs);
            }
            view.inputs_start.push(view.inputs.len() as u32);
            let place = graph.pieces(op.output)[0];
            view.placeholders.extend([place.start as f64, place.end as f64]);
        }
        view.input_names = graph.inputs().iter().map(|p| p.name.clone()).collect();
        for port in graph.outputs() {
            let mut from = Vec::new();
            producers(port.operand, &mut from);
            let op = from.last().copied().unwrap_or(0);
            view.outputs.push(OutputView { name: port.name.clone(), op });
        }
        view.wave = waves(graph, &analyze(graph)?)?;
        Ok(view)
    }
}

/// Constants can be long; a label is for reading.
fn clip(text: &str) -> String {
    const MOST: usize = 240;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain("...".chars()).collect()
}
