//! What the runs of a program are made of, for whoever measures it on this device.

use super::evaluator::beside_gpu;
use super::program::Program;
use crate::Result;
use crate::graph::Kinds;
use crate::ops::Call;
use crate::platform::{Gpu, Platform};
use crate::sorted::SortedMap;
use serde::Serialize;
use std::sync::Arc;

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

/// The operators of runs on a platform, and of runs with a GPU beside it: of those of a type that are as much work one.
///
/// # Errors
/// As [`Program::base`].
pub fn uses(program: &Program, platform: &Arc<dyn Platform>) -> Result<Vec<Use>> {
    let mut uses: SortedMap<(String, u64), Use> = SortedMap::new();
    for graph in [program.base(&**platform)?, program.base(&beside_gpu(platform))?] {
        let mut kinds = Kinds::default();
        for op in graph.operators() {
            if !kinds.of(&graph, op).1 {
                continue;
            }
            let (own, inputs) = (graph.signature(op), graph.input_types(op));
            let call = Call { name: &own.name, attrs: &own.attrs, inputs: &inputs, unit: graph.unit_bits() };
            let work = program.registry().get(&own.name)?.cost(&call);
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
