//! Kernels read and write contiguous blocks, polynomials limb by limb, each element where it is aligned; operands may be
//! scattered, and begin anywhere. This pass puts a `copy` where they do: before an operator whose input has a block that
//! is not of one producer or not aligned, and after an operator whose output was absorbed into several places.

use crate::Result;
use crate::analyze::OutputIndex;
use crate::graph::{Attrs, Graph, GraphError, Intervals, OperandId, Operator, Placeholder, ValueType};
use crate::ops::tensor::alignment;
use crate::ops::types::block_size;

/// The graph with every block of an operator input (`ops::types::block_size`) inside one producer's output (or one piece
/// of a graph input), aligned, and every operator output in one piece. The order of operators is kept. Outputs of the graph may stay
/// scattered.
///
/// # Errors
/// `OverlappingOutputs`, `AddressSpace`; `Attribute` for a graph input whose pieces do not fill whole bytes.
pub fn gather(graph: &Graph) -> Result<Graph> {
    let blocks = Blocks::new(graph)?;
    let kinds: Vec<(u64, u64)> = graph.types().iter().map(|ty| (block_size(ty), alignment(ty))).collect();
    let scattered = |operand: OperandId| {
        let (size, alignment) = kinds[graph.type_number(operand) as usize];
        let fits = |run: Run| run.place.size().is_multiple_of(size) && run.bit.is_multiple_of(alignment);
        let misses = |run: Run| run.place.size() == 0 || !fits(run);
        blocks.runs(graph.pieces(operand)).any(misses)
    };
    let needs_copy = |op: &Operator| {
        graph.pieces(op.output).len() != 1 || graph.inputs_of(op).iter().any(|&i| scattered(i))
    };
    if !graph.operators().iter().any(needs_copy) {
        return Ok(graph.clone());
    }
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    for op in graph.operators() {
        let mut inputs = graph.inputs_of(op).to_vec();
        for input in &mut inputs {
            if scattered(*input) {
                let ty = graph.ty(*input).clone();
                let place = out.reserve(ty.size)?;
                let runs: Vec<Run> = blocks.runs(graph.pieces(*input)).collect();
                copy(&mut out, &runs, place, op.parent);
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
            copy(&mut out, &[Run { place: whole.part(from, piece.size()), bit }], piece, op.parent);
            from += piece.size();
        }
    }
    Ok(out)
}

fn block(graph: &mut Graph, place: Placeholder) -> OperandId {
    graph.view(ValueType::new("raw", place.size(), Attrs::new()), vec![place])
}

/// Copies runs one after the other into `place`.
fn copy(graph: &mut Graph, runs: &[Run], place: Placeholder, parent: u32) {
    let unit = u64::from(graph.unit_bits());
    // Bits of the first byte that belong to others are read, too, and left out.
    let skip: Vec<u64> = runs.iter().map(|run| run.bit % 8).collect();
    let whole = |(run, skip): (&Run, &u64)| Placeholder::new(run.place.start - skip / unit, run.place.end);
    let sources: Vec<Placeholder> = runs.iter().zip(&skip).map(whole).collect();
    let sources: Vec<OperandId> = sources.into_iter().map(|source| block(graph, source)).collect();
    let attrs =
        if skip.iter().all(|&bits| bits == 0) { Attrs::new() } else { Attrs::new().with("skip", skip) };
    let output = block(graph, place);
    let signature = graph.intern_signature("copy", attrs);
    graph.push_operator(signature, &sources, output, 0, parent);
}

/// Part of an operand that lies in one block.
#[derive(Clone, Copy)]
struct Run {
    place: Placeholder,
    /// Where it begins in the block's storage, bits.
    bit: u64,
}

/// The contiguous blocks of storage: outputs of operators and pieces of graph inputs.
struct Blocks {
    /// With where the storage of each begins in a byte-aligned one, bits.
    intervals: Intervals,
    begins: Vec<u64>,
    unit: u64,
}

impl Blocks {
    fn new(graph: &Graph) -> Result<Self> {
        let unit = u64::from(graph.unit_bits());
        let outputs = OutputIndex::new(graph)?;
        // Outputs begin at 0; the pieces of an input lie one after the other.
        let mut begins = vec![0];
        let mut pieces = Vec::new();
        for port in graph.inputs() {
            let mut bit = 0u64;
            for &piece in graph.pieces(port.operand) {
                // What `engine::Plan` relies on, too.
                if !bit.is_multiple_of(8) {
                    return Err(GraphError::Attribute {
                        name: format!("pieces of input `{}`", port.name),
                        found: format!("one that begins at bit {bit}"),
                        expected: "whole bytes before each piece",
                    }
                    .into());
                }
                pieces.push((piece, begins.len() as u32));
                begins.push(bit);
                bit = bit.saturating_add(piece.size().saturating_mul(unit));
            }
        }
        let outputs = outputs.places().iter().map(|&place| (place, 0));
        Ok(Self { intervals: Intervals::new(outputs.chain(pieces.iter().copied())), begins, unit })
    }

    /// The parts of an operand that lie each within one block, in order.
    fn runs(&self, pieces: &[Placeholder]) -> impl Iterator<Item = Run> {
        let within = move |&piece: &Placeholder| {
            self.intervals.search(piece).map(move |at| {
                let block = self.intervals.places()[at];
                let place = piece.intersection(&block);
                let begin = self.begins[self.intervals.owners()[at] as usize];
                Run { place, bit: (place.start - block.start).wrapping_mul(self.unit).wrapping_add(begin) }
            })
        };
        pieces.iter().flat_map(within)
    }
}
