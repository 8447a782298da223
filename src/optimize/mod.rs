//! Passes that keep the meaning of a graph and make it cheaper (SPEC G7, G8). The default ones work at every level.
//!
//! What a pass has to know of an operator type, the type says itself ([`OpDef`]): whether it draws random numbers, whether
//! its operands may change places, what undoes it, what it shares with others, what it is one with.

mod cancel;
mod dedup;
mod fuse;
mod hoist;
mod met;
mod prune;
mod sum_products;

pub use cancel::cancel;
pub use dedup::dedup;
pub use fuse::fuse;
pub use hoist::hoist;
pub use prune::prune;
pub use sum_products::sum_products;

use crate::Result;
use crate::analyze::Dependencies;
use crate::analyze::Facts;
use crate::graph::{Graph, OperandId, Operator};
use crate::ops::{OpDef, Registry};
use std::sync::Arc;

/// A change of a graph that keeps its meaning: the declared outputs of the result, by name, are those of the argument; `apply` takes
/// fewer, for passes that mean to leave some out, and `verify_passes` tells. [`crate::circuit::Circuit::apply`] has an example; a pass
/// that looks for patterns asks [`crate::analyze::OutputIndex::search`] who writes the units that an operator reads.
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

/// What there is to change; none where there is nothing.
type Work = fn(&Graph, &Facts, &Registry) -> Result<Option<Change>>;

/// What a pass makes of a graph.
enum Change {
    /// The graph, and which of its operators go: where others read what they wrote, the graph has aliases.
    Fewer(Graph, Vec<bool>),
    /// A graph of other operators.
    Rebuilt(Graph),
}

impl Change {
    /// The changed graph, and which operators are gone, where that is all that there is to know.
    fn make(self) -> (Graph, Option<Vec<bool>>) {
        match self {
            Self::Fewer(mut graph, dropped) => {
                graph.retain_operators(|op| !dropped[op]);
                graph.settle();
                (graph, Some(dropped))
            }
            Self::Rebuilt(graph) => (graph, None),
        }
    }
}

/// The graph after one pass.
fn after(graph: &Graph, work: Work, registry: &Registry) -> Result<Graph> {
    let change = work(graph, &Facts::new(graph)?, registry)?;
    Ok(change.map_or_else(|| graph.clone(), |change| change.make().0))
}

impl Pass for BuiltIn {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, graph: &Graph, registry: &Registry) -> Result<Graph> {
        after(graph, self.work, registry)
    }
}

/// The passes that are run after every expansion, in order.
pub const DEFAULT_PASSES: [BuiltIn; 3] = [
    BuiltIn { name: "dedup", work: dedup::work },
    BuiltIn { name: "cancel", work: cancel::work },
    BuiltIn { name: "prune", work: prune::work },
];

/// All passes that work on any graph and need no platform (`circuit::Precompute` needs one).
pub const PASSES: [BuiltIn; 6] = [
    DEFAULT_PASSES[0],
    DEFAULT_PASSES[1],
    DEFAULT_PASSES[2],
    BuiltIn { name: "sum_products", work: sum_products::work },
    BuiltIn { name: "hoist", work: hoist::work },
    BuiltIn { name: "fuse", work: fuse::work },
];

/// Runs the default passes.
///
/// # Errors
/// What a pass says of a graph that is none.
pub fn optimize(graph: &Graph, registry: &Registry) -> Result<Graph> {
    Ok(optimize_known(graph, None, registry)?.0)
}

/// As [`optimize`], where something may be known of the graph; gives what is known of the changed one.
///
/// # Errors
/// As [`optimize`].
pub fn optimize_known(
    graph: &Graph,
    facts: Option<&Arc<Facts>>,
    registry: &Registry,
) -> Result<(Graph, Arc<Facts>)> {
    let mut facts = facts.map_or_else(|| Facts::new(graph).map(Arc::new), |facts| Ok(Arc::clone(facts)))?;
    let mut graph = graph.clone();
    for pass in DEFAULT_PASSES {
        if let Some(change) = (pass.work)(&graph, &facts, registry)? {
            let dropped;
            (graph, dropped) = change.make();
            facts = Arc::new(match dropped {
                Some(dropped) => Arc::unwrap_or_clone(facts).without(&graph, &dropped)?,
                None => Facts::new(&graph)?,
            });
        }
    }
    Ok((graph, facts))
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

/// Which operators write for one reader alone.
struct Private<'a> {
    graph: &'a Graph,
    facts: &'a Facts,
    /// Of each operator, whether a declared output reads it.
    declared: Vec<bool>,
}

impl<'a> Private<'a> {
    fn new(graph: &'a Graph, facts: &'a Facts) -> Self {
        let (index, mut declared) = (&facts.index, vec![false; graph.operators().len()]);
        for &piece in graph.outputs().iter().flat_map(|port| graph.pieces(port.operand)) {
            index.producers()[index.search(piece)].iter().for_each(|&op| declared[op as usize] = true);
        }
        Self { graph, facts, declared }
    }

    /// The operator that an operand is the whole output of, if nobody but one operator reads it.
    fn writer(&self, operand: OperandId) -> Option<usize> {
        let (graph, index) = (self.graph, &self.facts.index);
        let [piece] = graph.pieces(operand) else { return None };
        let [op] = index.producers()[index.search(*piece)] else { return None };
        let op = op as usize;
        let whole = graph.pieces(graph.operators()[op].output) == [*piece];
        (whole && self.facts.dependencies.notify(op).len() == 1 && !self.declared[op]).then_some(op)
    }
}

/// What operator types say, for each signature of the graph, asked once; the default where nobody registered the type.
fn of_signatures<T: Default>(graph: &Graph, registry: &Registry, ask: impl Fn(&dyn OpDef) -> T) -> Vec<T> {
    let answer = |name: &str| registry.get(name).map_or_else(|_| T::default(), |def| ask(&**def));
    graph.signatures().iter().map(|signature| answer(&signature.name)).collect()
}
