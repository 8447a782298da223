//! Which inputs the outputs of a task are made of.

use super::types::Value;
use super::walk::{Rule, Walk};
use super::{ValueDef, Values};
use crate::Result;
use crate::graph::Graph;
use crate::ops::{Call, Registry};
use crate::sorted::{SortedMap, SortedSet};
use std::sync::Arc;

struct Names;

impl Rule for Names {
    type State = Arc<SortedSet<String>>;

    fn given(&self, name: &str, _: &Value) -> Result<Self::State> {
        Ok(Arc::new(SortedSet::from([name.to_owned()])))
    }

    fn of(
        &self,
        _: &dyn ValueDef,
        _: &Call<'_>,
        _: &Value,
        inputs: &[(&Self::State, u32)],
    ) -> Result<Self::State> {
        let [(one, _)] = inputs else {
            return Ok(Arc::new(inputs.iter().flat_map(|(names, _)| names.iter().cloned()).collect()));
        };
        Ok(Arc::clone(one))
    }
}

/// Names of inputs, by output.
pub type Sources = SortedMap<String, Arc<SortedSet<String>>>;

/// Of every declared output the names of the inputs that it is made of.
///
/// # Errors
/// As [`super::check_values`].
pub fn sources(graph: &Graph, registry: &Registry, values: &Values) -> Result<Sources> {
    let states = Walk::new(values, Names).run(graph, registry)?;
    let of = |operand: u32| states.get(operand as usize).cloned().flatten().unwrap_or_default();
    Ok(graph.outputs().iter().map(|port| (port.name.clone(), of(port.operand.0))).collect())
}
