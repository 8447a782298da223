//! Graphs of a scheme and of tasks, as text.

use super::Target;
use super::graph::{LIMITS, read};
use super::literal::programs;
use crate::lines;
use crate::road::platform;
use crate::watch::Verdict;
use cipherloom::graph::print;
use cipherloom::ops::Registry;
use cipherloom::optimize::optimize_scheme;
use cipherloom::program::Stage;
use cipherloom::schemes;
use std::sync::LazyLock;

pub const TARGET: Target = Target { name: "scheme", run, seeds, mutate: Some(lines::mutate), limits: LIMITS };

fn run(text: &[u8]) -> Verdict {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(schemes::registry);
    read(text, &REGISTRY, |graph, registry| optimize_scheme(graph, registry, true))
}

fn seeds() -> Vec<Vec<u8>> {
    let graphs = |program| [Stage::Task, Stage::Scheme].map(|stage| (program, stage));
    let all = programs().iter().flat_map(graphs).filter_map(|(p, stage)| p.graph(stage, &*platform()).ok());
    all.map(|graph| print(&graph).into_bytes()).filter(|text| text.len() < 4096).collect()
}
