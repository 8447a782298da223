//! Sums of short columns share ciphertexts: where several `bfv.sum_slots` sum lanes of slots of which only the first holds
//! anything, their operands are packed into the lanes of one ciphertext (`bfv.pack_slots`) and summed by one.
//!
//! What a caller has to see to: that other lanes hold 0. Columns do (`schemes::columns::Column`).
//!
//! Works at scheme level. Where the packed sums are outputs, these become the packed ciphertexts, each once, and their
//! types say in which ciphertext and slot a part is (`schemes::columns::Sums`).

use crate::Result;
use crate::graph::{Attrs, Graph, OperandId, Placeholder};
use crate::math::slots::{galois_conjugate, galois_element};
use crate::ops::types::Ciphertext;
use crate::schemes::columns::{KeyName, Keys, Number, Sums};
use std::collections::{BTreeMap, BTreeSet};

/// Where a sum is found: its ciphertext and slot.
type Places = BTreeMap<u64, (Vec<Placeholder>, usize)>;

/// The graph with fewer rotations; the values of its outputs are the same, but may lie elsewhere, as their types say from
/// then on.
///
/// # Errors
/// `Graph` for operands that are not what the operators take.
pub fn pack_sums(graph: &Graph) -> Result<Graph> {
    let mut out = graph.clone();
    let mut places = Places::new();
    let mut replaced = vec![false; graph.operators().len()];
    for sums in candidates(graph)?.into_values() {
        let width = width(graph, sums[0])?;
        for group in sums.chunks(2 * width) {
            if group.len() > 1
                && let Some(packed) = pack_group(graph, &mut out, group, width)?
            {
                let pieces = out.pieces(packed).to_vec();
                for (lane, &op) in group.iter().enumerate() {
                    let old = graph.operators()[op].output;
                    let slot = lane % width + lane / width * (slots(graph, op)? / 2);
                    places.insert(graph.pieces(old)[0].start, (pieces.clone(), slot));
                    out.alias(old, &pieces)?;
                    replaced[op] = true;
                }
            }
        }
    }
    out.retain_operators(|op| !replaced.get(op).copied().unwrap_or(false));
    label(graph, &mut out, &places)?;
    out.settle();
    Ok(out)
}

/// The graph with the types of packed sums, though each sum stays where it is.
///
/// # Errors
/// As [`pack_sums`].
pub fn label_sums(graph: &Graph) -> Result<Graph> {
    let mut out = graph.clone();
    label(graph, &mut out, &Places::new())?;
    out.settle();
    Ok(out)
}

/// Sums of lanes, by their signature and the type of what is summed.
fn candidates(graph: &Graph) -> Result<BTreeMap<(u32, u32), Vec<usize>>> {
    let mut candidates: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    let inputs = graph.operators().iter().flat_map(|op| graph.inputs_of(op));
    let read: BTreeSet<u64> =
        inputs.flat_map(|&input| graph.pieces(input)).map(|piece| piece.start).collect();
    for (index, op) in graph.operators().iter().enumerate() {
        let signature = graph.signature(op);
        if signature.name == "bfv.sum_slots" {
            let swap = galois_conjugate(slots(graph, index)?);
            let steps = signature.attrs.uints("g")?;
            // One step is no more than what packing takes; with a swap all slots are summed, and no lane is free. A sum
            // that is read again must stay where it is.
            let lanes = !steps.contains(&swap) && steps == lane_steps(graph, index)?;
            if steps.len() > 1
                && width(graph, index)? > 0
                && lanes
                && !read.contains(&graph.pieces(op.output)[0].start)
            {
                let ty = graph.type_number(graph.inputs_of(op)[0]);
                candidates.entry((op.signature, ty)).or_default().push(index);
            }
        }
    }
    Ok(candidates)
}

/// Slots of the ciphertext that an operator sums.
fn slots(graph: &Graph, op: usize) -> Result<usize> {
    Ok(Ciphertext::of(graph.ty(graph.operators()[op].output))?.n)
}

/// Lanes in a row of slots: the steps of the sum are multiples of it.
fn width(graph: &Graph, op: usize) -> Result<usize> {
    let steps = graph.signature(&graph.operators()[op]).attrs.uints("g")?.len();
    Ok((slots(graph, op)? / 2) >> steps)
}

/// The Galois elements of a sum over a lane.
fn lane_steps(graph: &Graph, op: usize) -> Result<Vec<u64>> {
    let (n, width) = (slots(graph, op)?, width(graph, op)?);
    let steps = graph.signature(&graph.operators()[op]).attrs.uints("g")?.len();
    Ok((0..steps).map(|k| galois_element(n, (width as i64) << k)).collect())
}

/// Packs the operands of some sums and sums them; none where a key is missing.
fn pack_group(graph: &Graph, out: &mut Graph, group: &[usize], width: usize) -> Result<Option<OperandId>> {
    let first = &graph.operators()[group[0]];
    let ty = Ciphertext::of(graph.ty(first.output))?;
    let (shift, swap) = (galois_element(ty.n, ty.n as i64 / 2 - 1), galois_conjugate(ty.n));
    let mut operands: Vec<OperandId> =
        group.iter().map(|&op| graph.inputs_of(&graph.operators()[op])[0]).collect();
    for (g, needed) in [(shift, group.len().min(width) > 1), (swap, group.len() > width)] {
        if needed {
            let Some(key) = key(out, &KeyName::Galois(g, ty.q.len()))? else { return Ok(None) };
            operands.push(key);
        }
    }
    let attrs = Attrs::new().with("shift", shift).with("swap", swap).with("width", width);
    let packed = out.add_operator("bfv.pack_slots", attrs, &operands, ty.ty())?;
    let place = out.reserve(ty.units())?;
    let sum = out.view(ty.ty(), vec![place]);
    let mut operands = graph.inputs_of(first).to_vec();
    operands[0] = packed;
    // It came from several operators, and so from no single one.
    out.push_operator(first.signature, &operands, sum, 0, u32::MAX);
    Ok(Some(sum))
}

/// A key among the graph's inputs.
fn key(graph: &mut Graph, name: &KeyName) -> Result<Option<OperandId>> {
    let port = graph.inputs().iter().map(|port| port.operand).find(|&o| graph.ty(o).head == "keys");
    let Some(operand) = port else { return Ok(None) };
    let keys = Keys::of(graph.ty(operand))?;
    let Some(offset) = keys.offset(name) else { return Ok(None) };
    let ty = keys.key(name).ty();
    Ok(Some(graph.split(operand, offset, ty.size, ty)?))
}

/// Gives outputs of numbers the types that say where their parts are.
fn label(graph: &Graph, out: &mut Graph, places: &Places) -> Result<()> {
    for (index, port) in graph.outputs().iter().enumerate() {
        let ty = graph.ty(port.operand);
        let parts = match ty.head.as_str() {
            "number" => vec!["value".to_owned()],
            "statistic" => ty.attrs.texts("parts")?.to_vec(),
            _ => continue,
        };
        let number = Number::of(ty)?;
        let units = number.ciphertext(0).units();
        let mut ciphertexts: Vec<Vec<Placeholder>> = Vec::new();
        let (mut at, mut slots) = (Vec::new(), Vec::new());
        for number_at in 0..(parts.len() * number.t.len()) as u64 {
            let part = out.split(port.operand, number_at * units, units, number.ciphertext(0).ty())?;
            // Before packing, a sum is one piece that starts where its operator wrote it.
            let start = graph_start(graph, port.operand, number_at * units);
            let (pieces, slot) = places.get(&start).cloned().unwrap_or_else(|| (out.placeholders(part), 0));
            at.push(match ciphertexts.iter().position(|known| *known == pieces) {
                Some(known) => known,
                None => {
                    ciphertexts.push(pieces);
                    ciphertexts.len() - 1
                }
            });
            slots.push(slot);
        }
        let sums = Sums { n: number.n, t: number.t, q: number.q, parts, at, slots };
        let whole = out.view(sums.ty(), ciphertexts.concat());
        out.redeclare_output(index, whole);
    }
    Ok(())
}

/// The unit where part of an operand starts.
fn graph_start(graph: &Graph, operand: OperandId, mut offset: u64) -> u64 {
    for piece in graph.pieces(operand) {
        if offset < piece.size() {
            return piece.start + offset;
        }
        offset -= piece.size();
    }
    u64::MAX
}
