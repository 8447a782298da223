//! What runs are made of, for whoever measures it on this device.

use super::{Circuit, To};
use crate::Result;
use crate::graph::{Graph, Kinds};
use crate::ops::types::WORD;
use crate::ops::{Call, Registry};
use crate::platform::{Gpu, Platform};
use crate::sorted::SortedMap;
use serde::Serialize;

/// One use of an operator type, in text form.
#[derive(Clone, Debug, Serialize)]
pub struct Use {
    /// The type.
    pub op: String,
    /// Its attributes.
    pub attributes: String,
    /// The types of its inputs.
    pub inputs: Vec<String>,
    /// How much work it is, as the type says of itself.
    pub work: f64,
    /// Whether there is a shader of it.
    pub shader: bool,
}

/// The operators of graphs: of those of a type that are as much work one.
///
/// # Errors
/// `UnknownOperator`.
pub fn uses_of(registry: &Registry, graphs: &[&Graph]) -> Result<Vec<Use>> {
    let mut uses: SortedMap<(String, u64), Use> = SortedMap::new();
    for graph in graphs {
        let mut kinds = Kinds::default();
        for op in graph.operators() {
            if !kinds.of(graph, op).1 {
                continue;
            }
            let (own, inputs) = (graph.signature(op), graph.input_types(op));
            let call = Call { name: &own.name, attrs: &own.attrs, inputs: &inputs, unit: graph.unit_bits() };
            let work = registry.get(&own.name)?.cost(&call);
            uses.entry((own.name.clone(), work.to_bits())).or_insert_with(|| Use {
                op: own.name.clone(),
                attributes: own.attrs.to_string(),
                inputs: inputs.iter().map(ToString::to_string).collect(),
                work,
                shader: Gpu.serves(&call, graph.ty(op.output)),
            });
        }
    }
    Ok(uses.into_values().collect())
}

impl Circuit {
    /// The operators of runs on the host's platforms, and of runs on `both`, these and a device. None of a graph whose unit is no word: those are not measured.
    ///
    /// # Errors
    /// As [`Circuit::expand`].
    pub fn uses(&self, host: &dyn Platform, both: &dyn Platform) -> Result<Vec<Use>> {
        if self.graph.unit_bits() != WORD {
            return Ok(Vec::new());
        }
        let [alone, beside] = [host, both].map(|platform| self.expand(To::Platform(platform)));
        uses_of(&self.registry, &[alone?.graph(), beside?.graph()])
    }
}
