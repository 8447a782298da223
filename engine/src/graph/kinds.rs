//! Operators that share a signature and the types of their operands: what depends on nothing else is asked once.

use super::{Graph, Interner, Operator, hash};

/// The kinds of the operators of one graph, numbered in order of first appearance.
#[derive(Default)]
pub struct Kinds {
    /// Numbers of the signature, of the output's type and of the input types.
    known: Interner<Box<[u32]>>,
    scratch: Vec<u32>,
}

impl Kinds {
    /// The number of an operator's kind, and whether it is the first one of it.
    pub fn of(&mut self, graph: &Graph, op: &Operator) -> (u32, bool) {
        self.scratch.clear();
        self.scratch.extend([op.signature, graph.type_number(op.output)]);
        self.scratch.extend(graph.inputs_of(op).iter().map(|&input| graph.type_number(input)));
        let kind = self.scratch.as_slice();
        let hash = hash(kind);
        match self.known.find(hash, |known| **known == *kind) {
            Some(number) => (number, false),
            None => (self.known.push(hash, kind.into()), true),
        }
    }
}
