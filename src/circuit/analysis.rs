//! What the dependency analyzer finds in a circuit.

use super::Circuit;
use crate::Result;
use crate::analyze::{Dependencies, Facts, derived_outputs, graph_inputs, waves};
use crate::graph::Placeholder;
use crate::watch::pause;
use std::sync::Arc;

/// Who waits for whom, and in which order everything can run.
pub struct Analysis {
    /// Dependency and notification sets of every operator.
    pub dependencies: Arc<Dependencies>,
    /// The earliest wave of every operator: 0 for those that wait for nobody.
    pub waves: Vec<u32>,
    /// Units that are read and that no operator writes.
    pub inputs: Vec<Placeholder>,
    /// Operators whose output nobody reads.
    pub outputs: Vec<u32>,
    /// A longest chain of operators each of which waits for the one before.
    pub critical_path: Vec<u32>,
}

impl Circuit {
    /// Analyzes the graph.
    ///
    /// # Errors
    /// `OverlappingOutputs`, `Cycle`.
    pub fn analyze(&self) -> Result<Analysis> {
        let Facts { index, dependencies } = &**self.facts()?;
        let waves = waves(&self.graph, dependencies)?;
        pause()?;
        let inputs = graph_inputs(&self.graph, index);
        pause()?;
        let outputs = derived_outputs(dependencies);
        let critical_path = critical_path(dependencies, &waves);
        Ok(Analysis { dependencies: Arc::clone(dependencies), waves, inputs, outputs, critical_path })
    }
}

/// From the last wave back: each operator waits for one of the wave before.
fn critical_path(dependencies: &Dependencies, waves: &[u32]) -> Vec<u32> {
    let last = (0..waves.len()).max_by_key(|&op| (waves[op], std::cmp::Reverse(op)));
    let mut path: Vec<u32> = last.iter().map(|&op| op as u32).collect();
    while let Some(&op) = path.last() {
        let before = dependencies.dep(op as usize).iter();
        match before.copied().find(|&dep| waves[dep as usize] + 1 == waves[op as usize]) {
            Some(dep) => path.push(dep),
            None => break,
        }
    }
    path.reverse();
    path
}
