//! What no input leads to is computed once, and becomes a constant.

use crate::analyze::{Dependencies, OutputIndex, check, topological_order};
use crate::engine::{Plan, PlanOptions, Run};
use crate::graph::{Attr, Attrs, Graph, OperandId, Operator, Signature, ValueType};
use crate::math::bits::bytes_of;
use crate::ops::Registry;
use crate::ops::tensor::Tensor;
use crate::ops::types::is_secret;
use crate::optimize::{Pass, is_pinned};
use crate::platform::Platform;
use crate::{Error, Result};
use std::sync::Arc;

/// Most bytes of a constant that is made.
const MOST_BYTES: u64 = 64 << 10;
/// How many times the bytes that it replaces a constant may have.
const GROWTH: f64 = 2.0;
/// What an operator takes up in a saved graph, beside its attributes.
const OPERATOR_BYTES: f64 = 30.0;
/// Most bytes that computing constants may take; where more are needed, the graph stays as it is.
const MEMORY: u64 = 256 << 20;

/// The pass `precompute`: operators that no input leads to are run once, and `constant`s take the place of those that
/// others read.
///
/// That is so for an operator whose output is a tensor of at most 64 KiB, and of at most twice the bytes that the constant
/// replaces: 30 and those of its attributes for an operator, and of what leads to it a share: an equal one for each of its
/// readers. So a saved graph does not grow to more than three times its size. Operators that draw random numbers, that read
/// or write secret types, or that the platform does not implement are not run, nor what they lead to.
pub struct Precompute {
    platform: Arc<dyn Platform>,
}

impl Precompute {
    /// Its name.
    pub const NAME: &'static str = "precompute";

    /// The pass that computes constants on a platform.
    pub fn new(platform: Arc<dyn Platform>) -> Self {
        Self { platform }
    }

    /// Which operators can be computed without inputs: those whose every unit comes from others that can.
    fn computable(
        &self,
        graph: &Graph,
        registry: &Registry,
        index: &OutputIndex,
        order: &[u32],
    ) -> Vec<bool> {
        let runs = |Signature { name, platform, .. }: &Signature| {
            platform.as_deref().is_none_or(|name| name == self.platform.name())
                && self.platform.implements(name)
                && registry.get(name).is_ok_and(|def| !def.random())
        };
        let runs: Vec<bool> = graph.signatures().iter().map(runs).collect();
        let shown: Vec<bool> = graph.types().iter().map(|ty| !is_secret(ty)).collect();
        let shown = |operand: &OperandId| shown[graph.type_number(*operand) as usize];
        let mut computable = vec![false; order.len()];
        for &number in order {
            let op = &graph.operators()[number as usize];
            let inputs = graph.inputs_of(op);
            let known = |operand: &OperandId| {
                graph.pieces(*operand).iter().all(|piece| {
                    let hits = index.search(*piece);
                    let from = |hit: usize| computable[index.producers()[hit] as usize];
                    let units: u64 =
                        hits.clone().map(|hit| index.places()[hit].intersection(piece).size()).sum();
                    units == piece.size() && hits.into_iter().all(from)
                })
            };
            computable[number as usize] = !is_pinned(op, false)
                && runs[op.signature as usize]
                && shown(&op.output)
                && inputs.iter().all(|input| shown(input) && known(input));
        }
        computable
    }

    /// The bytes of the outputs of these operators, in order; none where computing them takes too much memory.
    fn compute(&self, graph: &Graph, registry: &Registry, asked: &[u32]) -> Result<Option<Vec<Vec<u8>>>> {
        let options = PlanOptions { memory_limit: MEMORY, ..PlanOptions::default() };
        let plan = match Plan::new(graph, registry, &*self.platform, options) {
            Err(Error::MemoryLimit { .. } | Error::OutOfMemory { .. }) => return Ok(None),
            plan => Arc::new(plan?),
        };
        let mut run = Run::new(Arc::clone(&plan), Vec::new(), || 0.0)?;
        run.finish();
        let bytes = |index: usize| {
            let size = bytes_of(graph.ty(graph.outputs()[index].operand).size * u64::from(graph.unit_bits()));
            let words = run.output(index)?;
            Ok(bytemuck::cast_slice(&words)[..size as usize].to_vec())
        };
        (0..asked.len()).map(bytes).collect::<Result<_>>().map(Some)
    }
}

impl Pass for Precompute {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, graph: &Graph, registry: &Registry) -> Result<Graph> {
        let deps = check(graph)?;
        let order = topological_order(graph, &deps)?;
        let index = OutputIndex::new(graph)?;
        let computable = self.computable(graph, registry, &index, &order);
        let fates = fates(graph, &deps, &order, &computable, read_by_outputs(graph, &index, &deps));
        let made: Vec<u32> =
            order.iter().copied().filter(|&op| fates[op as usize] == Fate::Constant).collect();
        if made.is_empty() {
            return Ok(graph.clone());
        }
        let Some(values) = self.compute(&leading_to(graph, &deps, &made), registry, &made)? else {
            return Ok(graph.clone());
        };
        let mut attrs: Vec<Option<Attrs>> = vec![None; fates.len()];
        for (&op, value) in made.iter().zip(values) {
            let Tensor { element, shape } = Tensor::of(graph.ty(output(graph, op)), graph.unit_bits())?;
            let own = Attrs::new().with("of", element.name()).with("shape", shape);
            attrs[op as usize] = Some(own.with("value", Arc::<[u8]>::from(value)));
        }
        let mut out = graph.clone();
        out.retain_operators(|_| false);
        for ((op, fate), attrs) in graph.operators().iter().zip(&fates).zip(attrs) {
            match (fate, attrs) {
                (Fate::Constant, Some(attrs)) => {
                    let signature = out.intern_signature("constant", attrs);
                    out.push_operator(signature, &[], op.output, 0, op.parent);
                }
                (Fate::Gone, _) => {}
                _ => {
                    out.push_operator(op.signature, graph.inputs_of(op), op.output, op.nonce, op.parent);
                }
            }
        }
        Ok(out)
    }
}

/// What becomes of an operator.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// It stays.
    Stays,
    /// A constant takes its place.
    Constant,
    /// Only constants would have been made of it.
    Gone,
}

/// From the readers up: what is wanted and can be a constant becomes one, and what leads to it is not wanted for its sake.
fn fates(
    graph: &Graph,
    deps: &Dependencies,
    order: &[u32],
    computable: &[bool],
    mut wanted: Vec<bool>,
) -> Vec<Fate> {
    let replaced = replaced_bytes(graph, deps, order, computable, &wanted);
    let unit = graph.unit_bits();
    let fits = |op: &Operator, replaced: f64| {
        let ty = graph.ty(op.output);
        let bytes = bytes_of(ty.size.saturating_mul(unit.into()));
        // What has no inputs is a constant, or makes its output from less.
        !graph.inputs_of(op).is_empty()
            && bytes <= MOST_BYTES
            && bytes as f64 <= GROWTH * replaced
            && is_plain_tensor(ty, unit)
    };
    let mut fates = vec![Fate::Stays; order.len()];
    for &number in order.iter().rev() {
        let index = number as usize;
        let op = &graph.operators()[index];
        fates[index] = match (computable[index], wanted[index]) {
            (true, false) => Fate::Gone,
            (true, true) if fits(op, replaced[index]) => Fate::Constant,
            _ => Fate::Stays,
        };
        if fates[index] == Fate::Stays {
            deps.dep(index).iter().for_each(|&dep| wanted[dep as usize] = true);
        }
    }
    fates
}

/// The type that a `constant` would have.
fn is_plain_tensor(ty: &ValueType, unit: u32) -> bool {
    Tensor::of(ty, unit).and_then(|tensor| tensor.ty(unit)).is_ok_and(|plain| plain == *ty)
}

/// Operators that the graph's outputs are made of, declared or not.
fn read_by_outputs(graph: &Graph, index: &OutputIndex, deps: &Dependencies) -> Vec<bool> {
    let none_declared = graph.outputs().is_empty();
    let mut read: Vec<bool> = (0..deps.len()).map(|op| none_declared && deps.notify(op).is_empty()).collect();
    for &piece in graph.outputs().iter().flat_map(|port| graph.pieces(port.operand)) {
        index.producers()[index.search(piece)].iter().for_each(|&op| read[op as usize] = true);
    }
    read
}

/// For each computable operator, the bytes that a constant in its place would save.
fn replaced_bytes(
    graph: &Graph,
    deps: &Dependencies,
    order: &[u32],
    computable: &[bool],
    outputs: &[bool],
) -> Vec<f64> {
    let mut bytes = vec![0.0; order.len()];
    for &op in order.iter().filter(|&&op| computable[op as usize]) {
        let share = |dep: &u32| {
            let dep = *dep as usize;
            bytes[dep] / (deps.notify(dep).len() + usize::from(outputs[dep])) as f64
        };
        let attrs = &graph.signature(&graph.operators()[op as usize]).attrs;
        let shares: f64 = deps.dep(op as usize).iter().map(share).sum();
        bytes[op as usize] = OPERATOR_BYTES + attribute_bytes(attrs) + shares;
    }
    bytes
}

fn attribute_bytes(attrs: &Attrs) -> f64 {
    let bytes = |attr: &Attr| match attr {
        Attr::Int(_) | Attr::Real(_) => 8,
        Attr::Ints(list) => 8 * list.len(),
        Attr::Text(text) => text.len(),
        Attr::Texts(list) => list.iter().map(String::len).sum(),
        Attr::Bytes(data) => data.len(),
    };
    attrs.iter().map(|(_, attr)| bytes(attr)).sum::<usize>() as f64
}

fn output(graph: &Graph, op: u32) -> OperandId {
    graph.operators()[op as usize].output
}

/// The graph of what leads to these operators, whose outputs are its outputs, in order.
fn leading_to(graph: &Graph, deps: &Dependencies, asked: &[u32]) -> Graph {
    let mut needed = vec![false; deps.len()];
    let mut todo = asked.to_vec();
    while let Some(op) = todo.pop() {
        if !std::mem::replace(&mut needed[op as usize], true) {
            todo.extend_from_slice(deps.dep(op as usize));
        }
    }
    let mut out = graph.next_level();
    let copy = |out: &mut Graph, operand: OperandId| {
        out.view_interned(graph.type_number(operand), graph.pieces(operand).iter().copied())
    };
    for (op, _) in graph.operators().iter().zip(needed).filter(|(_, needed)| *needed) {
        let inputs: Vec<OperandId> = graph.inputs_of(op).iter().map(|&input| copy(&mut out, input)).collect();
        let output = copy(&mut out, op.output);
        out.push_operator(op.signature, &inputs, output, op.nonce, op.parent);
    }
    for &op in asked {
        let operand = copy(&mut out, output(graph, op));
        out.declare_output(&op.to_string(), operand);
    }
    out
}
