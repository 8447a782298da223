//! What a graph will cost, without expanding it: the cost of an operator is that of its recorded expansion.

use super::Expander;
use crate::Result;
use crate::graph::{Graph, Operator, Signature, ValueType};
use crate::ops::Call;
use std::collections::HashMap;

/// Remembers the cost of every signature.
#[derive(Default)]
pub struct CostModel {
    known: HashMap<(Signature, Vec<ValueType>), f64>,
}

impl CostModel {
    /// Multiplications modulo a prime that the operators of a graph stand for.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn cost(&mut self, expander: &mut Expander<'_>, graph: &Graph) -> Result<f64> {
        let mut total = 0.0;
        for op in graph.operators() {
            total += self.of(expander, graph, op)?;
        }
        Ok(total)
    }

    /// The same, of one of its operators.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn of(&mut self, expander: &mut Expander<'_>, graph: &Graph, op: &Operator) -> Result<f64> {
        let key = (graph.signature(op).clone(), graph.input_types(op));
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let call = Call { name: &key.0.name, attrs: &key.0.attrs, inputs: &key.1, unit: graph.unit_bits() };
        let own = expander.registry().get(&key.0.name)?.cost(&call);
        let cost = if own > 0.0 {
            own
        } else {
            let template = expander.record(graph, op, &key.1, "(cost)")?;
            self.cost(expander, template.graph())?
        };
        self.known.insert(key, cost);
        Ok(cost)
    }
}
