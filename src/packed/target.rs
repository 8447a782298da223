//! What a graph of slot vectors is made into: a scheme, at parameters.

use super::ops::Role;
use super::{ops, series::Series, types::SlotVector};
use crate::analyze::{Facts, topological_order};
use crate::graph::{Attr, Graph};
use crate::ops::Call;
use crate::watch::Steps;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};

/// A vector that a target holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(pub u32);

/// What a scheme does with vectors of slots. `x` is encrypted; `y` may be clear.
pub trait Target {
    /// What comes next is made from this operator.
    fn begin(&mut self, operator: u32) {
        let _ = operator;
    }
    /// What came of it. `added`: those who read it only add it up, and multiply it with numbers.
    ///
    /// # Errors
    /// What the target says.
    fn made(&mut self, operator: u32, x: Handle, added: bool) -> Result<()> {
        let _ = (operator, x, added);
        Ok(())
    }
    /// An input of the graph.
    ///
    /// # Errors
    /// What makes it impossible at these parameters, as all of these.
    fn input(&mut self, name: &str, vector: SlotVector) -> Result<Handle>;
    /// x + y.
    fn add(&mut self, x: Handle, y: Handle) -> Result<Handle>;
    /// x - y.
    fn sub(&mut self, x: Handle, y: Handle) -> Result<Handle>;
    /// -x.
    fn negate(&mut self, x: Handle) -> Result<Handle>;
    /// x y, slot by slot.
    fn multiply(&mut self, x: Handle, y: Handle) -> Result<Handle>;
    /// x times a number.
    fn multiply_number(&mut self, x: Handle, number: &Attr) -> Result<Handle>;
    /// The entry for x of a table for the integers from `first` on; that for 0 is 0.
    ///
    /// # Errors
    /// Where the scheme has no tables.
    fn lookup(&mut self, x: Handle, first: i64, values: &[i128]) -> Result<Handle>;
    /// p(x) - p(0).
    ///
    /// # Errors
    /// Where the scheme has no such coefficients.
    fn polynomial(&mut self, x: Handle, p: &Series) -> Result<Handle>;
    /// x, in which no number is larger than that, nor further than `off` from what is meant.
    fn within(&mut self, x: Handle, largest: f64, off: f64) -> Result<Handle>;
    /// Slots of each ring to the left.
    fn rotate(&mut self, x: Handle, steps: u64) -> Result<Handle>;
    /// The two rings for each other.
    fn swap(&mut self, x: Handle) -> Result<Handle>;
    /// In every slot the sum of all that are a multiple of 2^`low` further on in their ring, and, with `rings`, of those of the other one, divided by `repeats`; for
    /// outputs.
    fn total(&mut self, x: Handle, low: u32, rings: bool, repeats: u64) -> Result<Handle>;
    /// A declared output.
    fn output(&mut self, name: &str, x: Handle) -> Result<()>;
}

/// Tells a target the operators of a graph, each after those that it waits for.
///
/// # Errors
/// What the target says; `UnknownOperator` for an operator that is none of this room; `OverlappingOutputs`, `Cycle`, `Cancelled`.
pub fn close(graph: &Graph, target: &mut dyn Target) -> Result<()> {
    let mut handles: HashMap<u64, Handle> = HashMap::new();
    let unit = |operand| graph.first_unit(operand);
    for port in graph.inputs() {
        let handle = target.input(&port.name, SlotVector::of(graph.ty(port.operand))?)?;
        handles.insert(unit(port.operand), handle);
    }
    let known = |handles: &HashMap<u64, Handle>, operand| {
        handles
            .get(&unit(operand))
            .copied()
            .ok_or(Error::Job("a vector of slots is given or written before it is read"))
    };
    let order = topological_order(graph, &Facts::new(graph)?.dependencies)?;
    // Of what else is made than sums.
    let mut used: HashSet<u64> = graph.outputs().iter().map(|port| unit(port.operand)).collect();
    for op in graph.operators() {
        let def = ops::ALL.iter().find(|def| def.name == graph.signature(op).name);
        if !matches!(def.map(|def| def.role), Some(Role::Sum | Role::Linear)) {
            used.extend(graph.inputs_of(op).iter().map(|&input| unit(input)));
        }
    }
    let mut steps = Steps::new(order.len());
    for number in order {
        steps.step()?;
        let op = &graph.operators()[number as usize];
        let (signature, types) = (graph.signature(op), graph.input_types(op));
        let call =
            Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit: graph.unit_bits() };
        let def = ops::ALL.iter().find(|def| def.name == signature.name);
        let def = def.ok_or_else(|| Error::UnknownOperator {
            op: signature.name.clone(),
            at: format!("operator {number}"),
        })?;
        let inputs =
            graph.inputs_of(op).iter().map(|&input| known(&handles, input)).collect::<Result<Vec<_>>>()?;
        target.begin(number);
        let handle = (def.close)(&call, &inputs, target)?;
        target.made(number, handle, !used.contains(&unit(op.output)))?;
        handles.insert(unit(op.output), handle);
    }
    graph.outputs().iter().try_for_each(|port| target.output(&port.name, known(&handles, port.operand)?))
}
