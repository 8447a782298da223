//! A task graph of primitive operators, made anew operator by operator.

use crate::analyze::{Facts, topological_order};
use crate::graph::{Graph, OperandId, Operator};
use crate::ops::{Registry, Session};
use crate::{Error, Result};
use std::collections::HashMap;

/// The graph that is made, and what of it each value of the old one is.
pub(super) struct Rewrite<'g> {
    old: &'g Graph,
    /// Takes the operators of the new graph.
    pub session: Session<'g>,
    made: HashMap<u64, OperandId>,
}

impl<'g> Rewrite<'g> {
    /// A new graph with the inputs of the old one.
    fn new(old: &'g Graph, registry: &'g Registry) -> Result<Self> {
        let mut session = Session::new(Graph::new(old.unit_bits()), registry);
        let mut made = HashMap::new();
        for port in old.inputs() {
            let operand = session.graph_mut().add_input(&port.name, old.ty(port.operand).clone())?;
            made.insert(old.first_unit(port.operand), operand);
        }
        Ok(Self { old, session, made })
    }

    /// What stands for a value of the old graph.
    ///
    /// # Errors
    /// `Job` for one that was not made yet.
    pub fn of(&self, operand: OperandId) -> Result<OperandId> {
        let made = self.made.get(&self.old.first_unit(operand)).copied();
        made.ok_or(Error::Job("a value is given or written before it is read"))
    }

    /// The same operator.
    ///
    /// # Errors
    /// As [`Session::op`].
    pub fn same(&mut self, op: &Operator) -> Result<OperandId> {
        let inputs =
            self.old.inputs_of(op).iter().map(|&input| self.of(input)).collect::<Result<Vec<_>>>()?;
        let signature = self.old.signature(op);
        self.session.op(&signature.name, signature.attrs.clone(), &inputs)
    }
}

/// The graph in which `make` says what each operator becomes, each after those that it waits for.
///
/// # Errors
/// What `make` says; `OverlappingOutputs`, `Cycle`, `WritesInput`.
pub(super) fn rewritten<'g>(
    old: &'g Graph,
    registry: &'g Registry,
    mut make: impl FnMut(&mut Rewrite<'g>, &'g Operator) -> Result<OperandId>,
) -> Result<Graph> {
    let mut new = Rewrite::new(old, registry)?;
    for number in topological_order(old, &Facts::new(old)?.dependencies)? {
        let op = &old.operators()[number as usize];
        new.session.set_parent(op.parent);
        let operand = make(&mut new, op)?;
        new.made.insert(old.first_unit(op.output), operand);
    }
    for port in old.outputs() {
        let operand = new.of(port.operand)?;
        new.session.graph_mut().declare_output(&port.name, operand);
    }
    Ok(new.session.finish())
}
