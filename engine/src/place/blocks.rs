//! The blocks of storage that a graph's units lie in: outputs of operators, and pieces of graph inputs.

use crate::Result;
use crate::analyze::OutputIndex;
use crate::graph::{Graph, GraphError, Intervals, OperandId, Placeholder};
use std::ops::Range;

/// Finds the blocks that an operand lies in.
pub struct Blocks<'i> {
    outputs: &'i OutputIndex,
    /// Pieces of graph inputs, with where in `ports` they stand.
    inputs: Intervals,
    ports: Vec<Owner>,
    /// Bits of a unit.
    unit: u64,
}

/// Whose a block is.
#[derive(Clone, Copy)]
pub enum Owner {
    /// The output of that operator.
    Operator(u32),
    /// A piece of a graph input, from that bit of its data on.
    Input {
        /// Number of the input.
        port: u32,
        /// Its first bit.
        from: u64,
    },
}

/// Part of an operand that lies in one block.
#[derive(Clone, Copy)]
pub struct Run {
    /// The units.
    pub place: Placeholder,
    /// Where they begin in the owner's storage, bits.
    pub bit: u64,
    /// The block's owner.
    pub owner: Owner,
}

impl<'i> Blocks<'i> {
    /// The blocks of a graph with that index.
    ///
    /// # Errors
    /// `Attribute` for a graph input whose pieces do not fill whole bytes.
    pub fn new(graph: &Graph, outputs: &'i OutputIndex) -> Result<Self> {
        let unit = u64::from(graph.unit_bits());
        let (mut pieces, mut ports) = (Vec::new(), Vec::new());
        for (port, input) in (0..).zip(graph.inputs()) {
            let mut from = 0u64;
            for &piece in graph.pieces(input.operand) {
                // Kernels read bytes.
                if !from.is_multiple_of(8) {
                    return Err(GraphError::Attribute {
                        name: format!("pieces of input `{}`", input.name),
                        found: format!("one that begins at bit {from}"),
                        expected: "whole bytes before each piece",
                    }
                    .into());
                }
                pieces.push((piece, ports.len() as u32));
                ports.push(Owner::Input { port, from });
                from = from.saturating_add(piece.size().saturating_mul(unit));
            }
        }
        Ok(Self { outputs, inputs: Intervals::new(pieces.into_iter()), ports, unit })
    }

    /// Shows the parts of an operand that lie each within one block, in order.
    pub fn runs(&self, graph: &Graph, operand: OperandId, see: &mut dyn FnMut(Run)) {
        if let Some(op) = self.outputs.writer(operand) {
            let whole = |&place: &Placeholder| Run { place, bit: 0, owner: Owner::Operator(op) };
            return graph.pieces(operand).iter().map(whole).for_each(see);
        }
        for (piece, outputs) in self.outputs.hits(graph, operand) {
            let mut hits = self.meeting(piece, outputs);
            while let Some((block, owner)) = self.next(&mut hits) {
                let place = piece.intersection(&block);
                let begin = if let Owner::Input { from, .. } = owner { from } else { 0 };
                let bit = (place.start - block.start).wrapping_mul(self.unit).wrapping_add(begin);
                see(Run { place, bit, owner });
            }
        }
    }

    /// The blocks that meet a piece, some of them outputs.
    fn meeting(&self, piece: Placeholder, outputs: Range<usize>) -> Hits {
        // Most pieces lie in one output, and in no input then.
        let output = self.outputs.places().get(outputs.start).filter(|_| !outputs.is_empty());
        let inside = output.is_some_and(|output| output.start <= piece.start && piece.end <= output.end);
        Hits { outputs, inputs: if inside { 0..0 } else { self.inputs.search(piece) } }
    }

    /// The first of the hits that are left, by its place.
    fn next(&self, hits: &mut Hits) -> Option<(Placeholder, Owner)> {
        let output = hits.outputs.clone().next().map(|at| self.outputs.places()[at]);
        let input = hits.inputs.clone().next().map(|at| self.inputs.places()[at]);
        if input.is_some_and(|input| output.is_none_or(|output| input.start < output.start)) {
            let at = hits.inputs.next()?;
            return Some((self.inputs.places()[at], self.ports[self.inputs.owners()[at] as usize]));
        }
        let at = hits.outputs.next()?;
        Some((self.outputs.places()[at], Owner::Operator(self.outputs.producers()[at])))
    }
}

/// Blocks that meet a piece, as positions.
struct Hits {
    outputs: Range<usize>,
    inputs: Range<usize>,
}
