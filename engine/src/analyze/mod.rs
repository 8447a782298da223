//! Analysis of a candidate set: who waits for whom, what is read from outside, and whether it is a graph.
//!
//! Room rule: reads graphs, changes none.

mod dependency;
mod facts;
mod literal;
mod ports;
mod waves;

pub use dependency::{Dependencies, Method, OutputIndex, analyze, analyze_by};
pub use facts::Facts;
pub use literal::{check, check_by};
pub use ports::{derived_outputs, graph_inputs};
pub use waves::{depth, topological_order, waves};
