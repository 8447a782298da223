//! Graphs in a user's hands: built call by call, expanded to any base set, analyzed, optimized, printed, saved, run.
//!
//! Nothing here knows a scheme or keys: those are operators of a registry, which a circuit carries.

mod analysis;
mod builder;
mod bytes;
mod job;
mod literal;
mod passes;
mod placing;
mod precompute;
mod protect;
mod recorded;
mod residues;
mod run;
mod uses;
mod verify;
mod view;

pub use analysis::Analysis;
pub use builder::CircuitBuilder;
pub use job::{Job, Named, Outcome, OutputCells};
pub use literal::CircuitLiteral;
pub use passes::{default_pass_names, pass_named, pass_names};
pub use placing::{Placement, Placing};
pub use precompute::Precompute;
pub use recorded::Recorded;
pub(crate) use residues::ResidueBounds;
pub use run::{Bytes, Execution, RunOptions};
pub use uses::{Use, uses_of};
pub(crate) use verify::{Operand, Random, common};
pub use verify::{Report, Skipped, Trials};
pub use view::{GraphView, OutputView};

use crate::analyze::{Facts, check_by};
use crate::expand::{BaseSet, Expander};
use crate::graph::{Graph, GraphError, OperandId, Placeholder, ValueType, parse, print};
use crate::ops::{Level, Registry};
use crate::place::{place, unplace_from};
use crate::platform::Platform;
use crate::watch::pause;
use crate::{Error, Result};
use std::sync::{Arc, OnceLock};

/// A finished graph, checked, with the operator types that it is made of.
#[derive(Clone)]
pub struct Circuit {
    graph: Graph,
    registry: Arc<Registry>,
    /// What is known of the graph, once somebody asked.
    facts: OnceLock<Arc<Facts>>,
    /// What the builder's operands were, so that they can be asked for after expansion.
    origin: Option<Arc<Origin>>,
}

/// The operands of the graph that a builder made, in the order of the calls.
struct Origin {
    graph: Graph,
    operands: Vec<OperandId>,
}

/// How far to expand.
#[derive(Clone, Copy)]
pub enum To<'a> {
    /// To what a platform implements.
    Platform(&'a dyn Platform),
    /// To these operator types.
    Base(&'a [String]),
    /// To operators of that level and below.
    Level(Level),
    /// So many levels: every operator that is not of level base is replaced, once for each.
    Steps(usize),
}

impl Circuit {
    /// A circuit over a graph of operators that the registry knows.
    ///
    /// # Errors
    /// What [`check`] finds; `UnknownOperator`; `Operator` for an operator that does not take its operands; `Attribute`
    /// for two inputs or two outputs of one name. That words which are seen as residues are
    /// below their primes is left to the caller; all other ways to a circuit check it.
    pub fn new(graph: Graph, registry: Arc<Registry>) -> Result<Self> {
        graph.check_unit()?;
        let facts = Facts::new(&graph)?;
        check_by(&graph, &facts)?;
        pause()?;
        for ports in [graph.inputs(), graph.outputs()] {
            let mut names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
            names.sort_unstable();
            if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                let (name, found) = ("name of a port".into(), format!("{:?} twice", twice[0]));
                return Err(GraphError::Attribute { name, found, expected: "each once" }.into());
            }
        }
        registry.check_graph(&graph)?;
        Ok(Self { graph, registry, facts: OnceLock::from(Arc::new(facts)), origin: None })
    }

    /// A circuit over a graph of which nothing is known.
    ///
    /// # Errors
    /// As [`Circuit::new`]; `Attribute` for words seen as residues that may be none.
    fn from_outside(graph: Graph, registry: Arc<Registry>) -> Result<Self> {
        let circuit = Self::new(graph, registry)?;
        residues::check(&circuit.graph, &circuit.registry)?;
        Ok(circuit)
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// `Syntax`, with the line; `AtLine` for what is wrong with an operator; otherwise as [`Circuit::new`], and `Attribute` for
    /// words seen as residues that may be none.
    pub fn from_text(text: &str, registry: Arc<Registry>) -> Result<Self> {
        let graph = parse(text)?;
        Self::from_outside(graph.clone(), Arc::clone(&registry)).map_err(|error| {
            let op = match &error {
                Error::Graph(error) => error.operator(),
                _ => registry.check_operators(&graph).err().map(|(op, _)| op),
            };
            let mut operators =
                (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with("op "));
            match op.and_then(|op| operators.nth(op)) {
                Some((line, _)) => Error::AtLine { line, error: Box::new(error) },
                None => error,
            }
        })
    }

    /// The text form: what is printed is what is run, and it reads back.
    pub fn to_text(&self) -> String {
        print(&self.graph)
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The operator types that it may use.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The same task in lower operators.
    ///
    /// # Errors
    /// `NoExpansion` names an operator that is neither in the base set nor expands, and what led to it;
    /// `EndlessExpansion`; what an expansion says.
    pub fn expand(&self, to: To<'_>) -> Result<Self> {
        let mut expander = Expander::new(&self.registry);
        let graph = match to {
            To::Platform(platform) => {
                let contains = |op: &str| platform.implements(op);
                expander.expand(&self.graph, &BaseSet { platform: platform.name(), contains: &contains })?
            }
            To::Base(names) => {
                let contains = |op: &str| names.iter().any(|name| name == op);
                expander
                    .expand(&self.graph, &BaseSet { platform: "(the given base set)", contains: &contains })?
            }
            To::Level(level) => expander.expand_to_level(&self.graph, level)?,
            To::Steps(steps) => {
                let contains = |op: &str| self.registry.get(op).is_ok_and(|def| def.level() == Level::Base);
                let base = BaseSet { platform: "(one level)", contains: &contains };
                let mut graph = self.graph.clone();
                for _ in 0..steps {
                    graph = expander.level(&graph, &base)?;
                }
                graph
            }
        };
        Ok(self.with(graph))
    }

    /// The same task with its operators placed on the parts of a platform: by `pins` (operator type, platform), or where they
    /// are cheapest. See [`place`].
    ///
    /// # Errors
    /// As [`place`].
    pub fn place(&self, platform: &dyn Platform, pins: &[(&str, &str)]) -> Result<Self> {
        Ok(self.with(place(&self.graph, &self.registry, platform, pins)?))
    }

    /// The same task with what is placed on a platform of that name left to whichever a run prefers.
    #[must_use]
    pub fn without(&self, platform: &str) -> Self {
        self.with(unplace_from(&self.graph, |name| name == platform))
    }

    /// Another graph of the same task.
    fn with(&self, graph: Graph) -> Self {
        let facts = if graph.has_places_of(&self.graph) { self.facts.clone() } else { OnceLock::new() };
        Self { graph, registry: Arc::clone(&self.registry), facts, origin: self.origin.clone() }
    }

    /// What is known of the graph.
    fn facts(&self) -> Result<&Arc<Facts>> {
        match self.facts.get() {
            Some(facts) => Ok(facts),
            None => {
                let facts = Arc::new(Facts::new(&self.graph)?);
                Ok(self.facts.get_or_init(|| facts))
            }
        }
    }

    /// The type of the builder's operand number `operand`, and where it lies.
    ///
    /// # Errors
    /// `NotKept` for a number that the builder did not give out, or where no builder made the circuit.
    pub fn operand(&self, operand: u32) -> Result<(&ValueType, Vec<Placeholder>)> {
        let missing = Error::NotKept { operand };
        let Some(origin) = &self.origin else { return Err(missing) };
        let &id = origin.operands.get(operand as usize).ok_or(missing)?;
        Ok((origin.graph.ty(id), origin.graph.placeholders(id)))
    }
}
