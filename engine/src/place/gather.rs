//! Kernels read and write contiguous blocks, polynomials limb by limb, each element where it is aligned; operands may be
//! scattered, and begin anywhere. This pass puts a `copy` where they do: before an operator whose input has a block that
//! is not of one producer or not aligned, and after an operator whose output was absorbed into several places.

use super::{Blocks, Run};
use crate::Result;
use crate::analyze::OutputIndex;
use crate::graph::{Attrs, Graph, OperandId, Operator, Placeholder, ValueType};
use crate::ops::tensor::alignment;
use crate::ops::types::block_size;

/// The graph with every block of an operator input (`ops::types::block_size`) inside one producer's output (or one piece
/// of a graph input), aligned, and every operator output in one piece. The order of operators is kept. Outputs of the graph may stay
/// scattered.
///
/// # Errors
/// `OverlappingOutputs`, `AddressSpace`; `Attribute` for a graph input whose pieces do not fill whole bytes.
pub fn gather(graph: &Graph) -> Result<Graph> {
    let index = OutputIndex::new(graph)?;
    let blocks = Blocks::new(graph, &index)?;
    Ok(gather_by(graph, &blocks, |_| None)?.unwrap_or_else(|| graph.clone()))
}

/// As [`gather`], with the graph's blocks; none where the graph is such already. `beside` names the platform that copies for an operator, if not whichever
/// a run prefers: they belong to the side that reads them.
///
/// # Errors
/// `AddressSpace`.
pub fn gather_by<'p>(
    graph: &Graph,
    blocks: &Blocks<'_>,
    beside: impl Fn(&Operator) -> Option<&'p str>,
) -> Result<Option<Graph>> {
    let kinds: Vec<(u64, u64)> = graph.types().iter().map(|ty| (block_size(ty), alignment(ty))).collect();
    let scattered = |operand: OperandId| {
        let (size, alignment) = kinds[graph.type_number(operand) as usize];
        let misses = |Run { place, bit, .. }: Run| {
            // Divisions take longer than all the rest, and most operands need none.
            let filled = place.size() == size || place.size() != 0 && place.size().is_multiple_of(size);
            let aligned = bit == 0 || bit.is_multiple_of(alignment);
            !filled || !aligned
        };
        let mut scattered = false;
        blocks.runs(graph, operand, &mut |run| scattered |= misses(run));
        scattered
    };
    let needs_copy = |op: &Operator| {
        graph.pieces(op.output).len() != 1 || graph.inputs_of(op).iter().any(|&i| scattered(i))
    };
    if !graph.operators().iter().any(needs_copy) {
        return Ok(None);
    }
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    for op in graph.operators() {
        let mut inputs = graph.inputs_of(op).to_vec();
        for input in &mut inputs {
            if scattered(*input) {
                let ty = graph.ty(*input).clone();
                let place = out.reserve(ty.size)?;
                let mut runs = Vec::new();
                blocks.runs(graph, *input, &mut |run| runs.push((run.place, run.bit)));
                copy(&mut out, &runs, place, (beside(op), op.parent));
                *input = out.view(ty, vec![place]);
            }
        }
        let pieces = graph.pieces(op.output).to_vec();
        if pieces.len() == 1 {
            out.push_operator(op.signature, &inputs, op.output, op.nonce, op.parent);
            continue;
        }
        let ty = graph.ty(op.output).clone();
        let whole = out.reserve(ty.size)?;
        let output = out.view(ty, vec![whole]);
        out.push_operator(op.signature, &inputs, output, op.nonce, op.parent);
        let mut from = 0;
        for piece in pieces {
            let bit = from * u64::from(graph.unit_bits());
            copy(&mut out, &[(whole.part(from, piece.size()), bit)], piece, (beside(op), op.parent));
            from += piece.size();
        }
    }
    Ok(Some(out))
}

fn block(graph: &mut Graph, place: Placeholder) -> OperandId {
    graph.view(ValueType::new("raw", place.size(), Attrs::new()), vec![place])
}

/// Copies runs, units and the bit that they begin at, one after the other into `place`.
fn copy(
    graph: &mut Graph,
    runs: &[(Placeholder, u64)],
    place: Placeholder,
    (platform, parent): (Option<&str>, u32),
) {
    let unit = u64::from(graph.unit_bits());
    // Bits of the first byte that belong to others are read, too, and left out.
    let skip: Vec<u64> = runs.iter().map(|(_, bit)| bit % 8).collect();
    let whole =
        |((run, _), skip): (&(Placeholder, _), &u64)| Placeholder::new(run.start - skip / unit, run.end);
    let sources: Vec<Placeholder> = runs.iter().zip(&skip).map(whole).collect();
    let sources: Vec<OperandId> = sources.into_iter().map(|source| block(graph, source)).collect();
    let attrs =
        if skip.iter().all(|&bits| bits == 0) { Attrs::new() } else { Attrs::new().with("skip", skip) };
    let output = block(graph, place);
    let signature = graph.intern_placed("copy", attrs, platform);
    graph.push_operator(signature, &sources, output, 0, parent);
}
