//! Passes that keep the meaning of a graph and make it cheaper (SPEC G7, G8). The default ones work at every level.

mod cancel_transforms;
mod dedup;
mod pack_sums;
mod prune;
mod sum_products;

pub use cancel_transforms::cancel_transforms;
pub use dedup::dedup;
pub use pack_sums::{label_sums, pack_sums};
pub use prune::prune;
pub use sum_products::sum_products;

use crate::analyze::Dependencies;
use crate::graph::Graph;
use crate::{Error, Result};

/// A named pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name, for reports.
    pub name: &'static str,
    /// What it does; the outputs of the result are those of the argument.
    pub run: fn(&Graph) -> Result<Graph>,
}

/// The passes that are run after every expansion, in order.
pub const DEFAULT_PASSES: [Pass; 3] = [
    Pass { name: "dedup", run: dedup },
    Pass { name: "cancel_transforms", run: cancel_transforms },
    Pass { name: "prune", run: prune },
];

/// All passes that work on any graph.
pub const PASSES: [Pass; 4] = [
    DEFAULT_PASSES[0],
    DEFAULT_PASSES[1],
    DEFAULT_PASSES[2],
    Pass { name: "sum_products", run: sum_products },
];

/// The pass of that name.
///
/// # Errors
/// `UnknownPass`.
pub fn pass(name: &str) -> Result<Pass> {
    PASSES.into_iter().find(|pass| pass.name == name).ok_or_else(|| Error::UnknownPass {
        name: name.to_owned(),
        expected: PASSES.map(|pass| pass.name).join(", "),
    })
}

/// Runs the default passes, then those that see ciphertexts and keys: `sum_products`, and `pack_sums` where `pack` is true.
///
/// # Errors
/// What a pass says of a graph that is none.
pub fn optimize_scheme(graph: &Graph, pack: bool) -> Result<Graph> {
    let graph = sum_products(&optimize(graph)?)?;
    if pack { pack_sums(&graph) } else { label_sums(&graph) }
}

/// Runs the default passes.
///
/// # Errors
/// What a pass says of a graph that is none.
pub fn optimize(graph: &Graph) -> Result<Graph> {
    let [first, rest @ ..] = &DEFAULT_PASSES;
    rest.iter().try_fold((first.run)(graph)?, |graph, pass| (pass.run)(&graph))
}

/// True for an operator that is an output of the graph because nobody reads it and no output is declared: it has to
/// stay, with nobody to read it.
fn is_derived_output(graph: &Graph, deps: &Dependencies, op: usize) -> bool {
    graph.outputs().is_empty() && deps.notify(op).is_empty()
}
