//! A part of a task graph as a graph of its own.

use crate::graph::{Graph, OperandId, Operator};
use std::collections::HashMap;

/// A part of a task under construction. Operands keep their places.
pub(super) struct Part<'a> {
    from: &'a Graph,
    /// The part so far.
    pub to: Graph,
    known: HashMap<OperandId, OperandId>,
}

impl<'a> Part<'a> {
    pub fn new(from: &'a Graph) -> Self {
        Self { from, to: from.next_level(), known: HashMap::new() }
    }

    pub fn operand(&mut self, operand: OperandId) -> OperandId {
        let Self { from, to, known } = self;
        let copy = || to.view(from.ty(operand).clone(), from.pieces(operand).to_vec());
        *known.entry(operand).or_insert_with(copy)
    }

    pub fn input(&mut self, name: &str, operand: OperandId) {
        let operand = self.operand(operand);
        self.to.declare_input(name, operand);
    }

    pub fn output(&mut self, name: &str, operand: OperandId) {
        let operand = self.operand(operand);
        self.to.declare_output(name, operand);
    }

    pub fn operator(&mut self, op: &Operator, number: u32) {
        let inputs: Vec<OperandId> =
            self.from.inputs_of(op).iter().map(|&input| self.operand(input)).collect();
        let output = self.operand(op.output);
        self.to.push_operator(op.signature, &inputs, output, op.nonce, number);
    }
}
