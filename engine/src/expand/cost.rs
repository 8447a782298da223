//! What a graph will cost, without expanding it: the cost of an operator is that of its recorded expansion.

use super::Expander;
use crate::Result;
use crate::graph::{Attrs, Graph, Operator, Signature, ValueType};
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
        let (signature, inputs) = (graph.signature(op), graph.input_types(op));
        let def = expander.registry().get(&signature.name)?;
        let attrs = signature.attrs.iter().filter(|(name, _)| def.costs_by(name));
        let attrs = attrs.fold(Attrs::new(), |all, (name, value)| all.with(name, value.clone()));
        let key = (Signature { attrs, ..signature.clone() }, inputs);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let call =
            Call { name: &signature.name, attrs: &signature.attrs, inputs: &key.1, unit: graph.unit_bits() };
        let own = def.cost(&call);
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
