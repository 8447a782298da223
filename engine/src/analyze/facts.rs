//! What is known of a graph, worked out once and shared by all who ask.

use super::dependency::NOBODY;
use super::{Dependencies, Method, OutputIndex};
use crate::Result;
use crate::graph::Graph;
use crate::watch::pause;
use std::sync::Arc;

/// Where the outputs of a settled graph lie, and who waits for whom.
#[derive(Clone, Debug)]
pub struct Facts {
    /// All output placeholders.
    pub index: OutputIndex,
    /// Dependency and notification sets.
    pub dependencies: Arc<Dependencies>,
}

impl Facts {
    /// The facts of a graph.
    ///
    /// # Errors
    /// `OverlappingOutputs`; `Cancelled`.
    pub fn new(graph: &Graph) -> Result<Self> {
        let index = OutputIndex::new(graph)?;
        pause()?;
        let dependencies = Arc::new(Dependencies::new(graph, &index, Method::Search));
        pause()?;
        Ok(Self { index, dependencies })
    }

    /// The facts of `graph`, which is the one of these facts without operators that were `dropped` and whose outputs lie
    /// elsewhere now, each within the outputs and inputs of others. Only what read them has to be searched for.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn without(self, graph: &Graph, dropped: &[bool]) -> Result<Self> {
        let Self { mut index, dependencies } = self;
        let mut next = 0..;
        let mut number = |&gone: &bool| if gone { None } else { next.next() };
        let numbers: Vec<u32> = dropped.iter().map(|gone| number(gone).unwrap_or(NOBODY)).collect();
        index.renumber(graph, &numbers);
        pause()?;
        let dependencies = Arc::unwrap_or_clone(dependencies).renumbered(graph, &index, &numbers);
        pause()?;
        let dependencies = Arc::new(dependencies);
        Ok(Self { index, dependencies })
    }
}
