//! The pass that turns products in a row into trees of least depth: x y z w as (x y) (z w), which follow one another twice and not three times. So it is with every
//! associative operator that is not linear in all of its operands at once, as sums are, for which depth is no matter.
//!
//! Of the operands those come first that are not encrypted, since what is made of them alone costs nothing; then those of least depth.

use super::rewrite::rewritten;
use super::types::{Place, Value};
use super::{ValueDef, Values};
use crate::Result;
use crate::graph::{Graph, OperandId, Operator};
use crate::ops::{Call, Registry};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

/// The same task with such rows as trees.
///
/// # Errors
/// What is wrong with the graph.
pub fn balance(graph: &Graph, registry: &Registry, values: &Values) -> Result<Graph> {
    let rows = Rows::new(graph, values);
    let mut depths: HashMap<u64, u32> = HashMap::new();
    rewritten(graph, registry, |new, op| {
        let unit = graph.first_unit(op.output);
        let depth = |depths: &HashMap<u64, u32>, operand: OperandId| {
            depths.get(&graph.first_unit(operand)).copied().unwrap_or(0)
        };
        let leaves = rows.leaves(op);
        if leaves.len() < 3 || rows.inner(op) {
            let deepest = graph.inputs_of(op).iter().map(|&input| depth(&depths, input)).max().unwrap_or(0);
            depths.insert(unit, deepest + u32::from(rows.deepens(op)));
            return new.same(op);
        }
        let signature = graph.signature(op);
        let mut heap = BinaryHeap::new();
        let mut operands = Vec::new();
        for leaf in leaves {
            let hidden = Value::of(graph.ty(leaf))?.place == Place::Encrypted;
            heap.push(Reverse((hidden, depth(&depths, leaf), operands.len())));
            operands.push(new.of(leaf)?);
        }
        while let (Some(Reverse(x)), Some(Reverse(y))) = (heap.pop(), heap.pop()) {
            let (hidden, deepest) = (x.0 || y.0, x.1.max(y.1) + 1);
            let operand =
                new.session.op(&signature.name, signature.attrs.clone(), &[operands[x.2], operands[y.2]])?;
            heap.push(Reverse((hidden, deepest, operands.len())));
            operands.push(operand);
            if heap.len() == 1 {
                depths.insert(unit, deepest);
                break;
            }
        }
        match operands.last() {
            Some(&made) if new.session.ty(made) == graph.ty(op.output) => Ok(made),
            _ => new.same(op),
        }
    })
}

/// What is known of the operators of a graph.
struct Rows<'a> {
    graph: &'a Graph,
    values: &'a Values,
    /// Of each value the operator that writes it.
    writers: HashMap<u64, &'a Operator>,
    /// How often each value is read; as an output, too.
    readers: HashMap<u64, usize>,
    /// Of each value who reads it last.
    reader: HashMap<u64, &'a Operator>,
}

impl<'a> Rows<'a> {
    fn new(graph: &'a Graph, values: &'a Values) -> Self {
        let (mut writers, mut readers, mut reader) = (HashMap::new(), HashMap::new(), HashMap::new());
        for op in graph.operators() {
            writers.insert(graph.first_unit(op.output), op);
            for &input in graph.inputs_of(op) {
                *readers.entry(graph.first_unit(input)).or_default() += 1;
                reader.insert(graph.first_unit(input), op);
            }
        }
        for port in graph.outputs() {
            *readers.entry(graph.first_unit(port.operand)).or_default() += 1;
        }
        Self { graph, values, writers, readers, reader }
    }

    fn told<T: Default>(&self, op: &Operator, ask: impl Fn(&Arc<dyn ValueDef>, &Call<'_>) -> T) -> T {
        let (signature, inputs) = (self.graph.signature(op), self.graph.input_types(op));
        let call = Call {
            name: &signature.name,
            attrs: &signature.attrs,
            inputs: &inputs,
            unit: self.graph.unit_bits(),
        };
        self.values.get(call.name).map_or_else(|_| T::default(), |def| ask(def, &call))
    }

    /// Whether what it makes is one product deeper than what it reads.
    fn deepens(&self, op: &Operator) -> bool {
        self.told(op, |def, call| def.linear_in(call).len() < call.inputs.len())
    }

    /// Whether operands of it may be taken in any order and in any brackets.
    fn free(&self, op: &Operator) -> bool {
        self.deepens(op) && self.told(op, |def, _| def.associative() && def.commutative())
    }

    /// Whether it is part of a row that another one ends.
    fn inner(&self, op: &Operator) -> bool {
        let unit = self.graph.first_unit(op.output);
        let reader = self.reader.get(&unit).filter(|_| self.readers.get(&unit) == Some(&1));
        reader.is_some_and(|reader| self.continues(reader, op))
    }

    fn continues(&self, op: &Operator, inner: &Operator) -> bool {
        op.signature == inner.signature && self.free(op) && self.free(inner)
    }

    /// What a row is made of that ends in an operator; none where it is no row.
    fn leaves(&self, op: &Operator) -> Vec<OperandId> {
        if !self.free(op) {
            return Vec::new();
        }
        let (mut open, mut leaves) = (self.graph.inputs_of(op).to_vec(), Vec::new());
        while let Some(operand) = open.pop() {
            let unit = self.graph.first_unit(operand);
            let single = self.readers.get(&unit) == Some(&1);
            match self.writers.get(&unit).filter(|writer| single && self.continues(op, writer)) {
                Some(writer) => open.extend(self.graph.inputs_of(writer)),
                None => leaves.push(operand),
            }
        }
        leaves.reverse();
        leaves
    }
}
