//! Kernels read and write contiguous blocks, polynomials limb by limb; operands may be scattered. This pass puts a `copy`
//! where they are: before an operator whose input has a block that is not of one producer, and after an operator whose
//! output was absorbed into several places.

use crate::Result;
use crate::analyze::OutputIndex;
use crate::graph::{Attrs, Graph, Intervals, OperandId, Operator, Placeholder, ValueType};
use crate::ops::types::block_size;

/// The graph with every block of an operator input (`ops::types::block_size`) inside one producer's output (or one piece
/// of a graph input), and every operator output in one piece. The order of operators is kept. Outputs of the graph may stay scattered.
///
/// # Errors
/// `OverlappingOutputs`, `AddressSpace`.
pub fn gather(graph: &Graph) -> Result<Graph> {
    let blocks = Blocks::new(graph)?;
    let sizes: Vec<u64> = graph.types().iter().map(block_size).collect();
    let scattered = |operand: OperandId| {
        let size = sizes[graph.type_number(operand) as usize];
        blocks.runs(graph.pieces(operand)).any(|run| run.size() == 0 || run.size() % size != 0)
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
                let place =
                    copy(&mut out, &blocks.runs(graph.pieces(*input)).collect::<Vec<_>>(), op.parent)?;
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
            let source = block(&mut out, whole.part(from, piece.size()));
            let target = block(&mut out, piece);
            let signature = out.intern_signature("copy", Attrs::new());
            out.push_operator(signature, &[source], target, 0, op.parent);
            from += piece.size();
        }
    }
    Ok(out)
}

fn block(graph: &mut Graph, place: Placeholder) -> OperandId {
    graph.view(ValueType::new("raw", place.size(), Attrs::new()), vec![place])
}

/// Copies blocks one after the other into fresh units.
fn copy(graph: &mut Graph, runs: &[Placeholder], parent: u32) -> Result<Placeholder> {
    let sources: Vec<OperandId> = runs.iter().map(|&r| block(graph, r)).collect();
    let place = graph.reserve(runs.iter().map(Placeholder::size).sum())?;
    let output = block(graph, place);
    let signature = graph.intern_signature("copy", Attrs::new());
    graph.push_operator(signature, &sources, output, 0, parent);
    Ok(place)
}

/// The contiguous blocks of storage: outputs of operators and pieces of graph inputs.
struct Blocks(Intervals);

impl Blocks {
    fn new(graph: &Graph) -> Result<Self> {
        let outputs = OutputIndex::new(graph)?;
        let inputs = graph.inputs().iter().flat_map(|p| graph.pieces(p.operand));
        Ok(Self(Intervals::new(outputs.places().iter().chain(inputs).map(|&place| (place, 0)))))
    }

    /// The parts of an operand that lie each within one block, in order.
    fn runs(&self, pieces: &[Placeholder]) -> impl Iterator<Item = Placeholder> {
        let within = |&piece: &Placeholder| {
            self.0.places()[self.0.search(piece)].iter().map(move |block| piece.intersection(block))
        };
        pieces.iter().flat_map(within)
    }
}
