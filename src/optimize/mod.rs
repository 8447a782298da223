//! Passes that keep the meaning of a graph and make it cheaper (SPEC G7, G8). The default ones work at every level.
//!
//! What a pass has to know of an operator type, the type says itself ([`OpDef`]): whether it draws random numbers, whether
//! its operands may change places, what undoes it. The two passes of one scheme, `sum_products` and `pack_sums`, make the
//! operators of that scheme, and name them.

mod cancel;
mod dedup;
mod pack_sums;
mod prune;
mod sum_products;

pub use cancel::cancel;
pub use dedup::dedup;
pub use pack_sums::{label_sums, pack_sums};
pub use prune::prune;
pub use sum_products::sum_products;

use crate::Result;
use crate::analyze::{Dependencies, Method, OutputIndex};
use crate::graph::{Graph, Operator};
use crate::ops::{OpDef, Registry};
use crate::watch::pause;

/// A change of a graph that keeps its meaning: the declared outputs of the result, by name, are those of the argument.
///
/// An operator that [`is_pinned`] stays as it is. What reads as it did stays at its units, and operators keep their `parent`: so operands can be kept, operators traced
/// back, and [`crate::circuit::Circuit::verify_passes`] can say which operator a wrong pass spoiled.
pub trait Pass: Send + Sync {
    /// Its name, for reports and errors.
    fn name(&self) -> &str;

    /// The changed graph; the registry says what its operators are.
    ///
    /// # Errors
    /// What is wrong with the graph.
    fn run(&self, graph: &Graph, registry: &Registry) -> Result<Graph>;
}

/// A pass that comes with cipherloom.
#[derive(Clone, Copy)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    work: Work,
}

/// The changed graph; none where there is nothing to change.
type Work = fn(&Known, &Registry) -> Result<Option<Graph>>;

/// A graph, and what passes ask of it: worked out once, until one of them changes it.
struct Known {
    graph: Graph,
    index: OutputIndex,
    deps: Dependencies,
}

impl Known {
    fn new(graph: Graph) -> Result<Self> {
        let index = OutputIndex::new(&graph)?;
        pause()?;
        let deps = Dependencies::new(&graph, &index, Method::Search);
        pause()?;
        Ok(Self { graph, index, deps })
    }

    /// The graph after a pass.
    fn after(self, work: Work, registry: &Registry) -> Result<Graph> {
        Ok(work(&self, registry)?.unwrap_or(self.graph))
    }
}

impl Pass for BuiltIn {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, graph: &Graph, registry: &Registry) -> Result<Graph> {
        Known::new(graph.clone())?.after(self.work, registry)
    }
}

/// The passes that are run after every expansion, in order.
pub const DEFAULT_PASSES: [BuiltIn; 3] = [
    BuiltIn { name: "dedup", work: dedup::work },
    BuiltIn { name: "cancel", work: cancel::work },
    BuiltIn { name: "prune", work: prune::work },
];

/// All passes that work on any graph and need no platform (`circuit::Precompute` needs one).
pub const PASSES: [BuiltIn; 4] = [
    DEFAULT_PASSES[0],
    DEFAULT_PASSES[1],
    DEFAULT_PASSES[2],
    BuiltIn { name: "sum_products", work: sum_products::work },
];

/// Runs the default passes, then those that see ciphertexts and keys: `sum_products`, and `pack_sums` where `pack` is true.
///
/// # Errors
/// What a pass says of a graph that is none.
pub fn optimize_scheme(graph: &Graph, registry: &Registry, pack: bool) -> Result<Graph> {
    let graph = sum_products(&optimize(graph, registry)?)?;
    if pack { pack_sums(&graph) } else { label_sums(&graph) }
}

/// Runs the default passes.
///
/// # Errors
/// What a pass says of a graph that is none.
pub fn optimize(graph: &Graph, registry: &Registry) -> Result<Graph> {
    let [first @ .., last] = DEFAULT_PASSES;
    let mut known = Known::new(graph.clone())?;
    for pass in first {
        if let Some(changed) = (pass.work)(&known, registry)? {
            drop(known);
            known = Known::new(changed)?;
        }
    }
    known.after(last.work, registry)
}

/// True for an operator that passes leave as it is, and do not drop either: one with a nonce that draws no random numbers
/// (SPEC G16). `random` is what its type says.
pub fn is_pinned(op: &Operator, random: bool) -> bool {
    op.nonce != 0 && !random
}

/// True for an operator that is an output of the graph because nobody reads it and no output is declared: it has to
/// stay, with nobody to read it.
fn is_derived_output(graph: &Graph, deps: &Dependencies, op: usize) -> bool {
    graph.outputs().is_empty() && deps.notify(op).is_empty()
}

/// What operator types say, for each signature of the graph, asked once; the default where nobody registered the type.
fn of_signatures<T: Default>(graph: &Graph, registry: &Registry, ask: impl Fn(&dyn OpDef) -> T) -> Vec<T> {
    let answer = |name: &str| registry.get(name).map_or_else(|_| T::default(), |def| ask(&**def));
    graph.signatures().iter().map(|signature| answer(&signature.name)).collect()
}
