//! The targets, one file each.

mod circuit;
mod client;
mod graph;
mod key;
mod literal;
mod program;
mod public_key;
mod shared;
mod task;
mod value;

pub(super) use task::task;

use super::random::mutate_bytes;
use super::watch::{Limits, Verdict};
use super::{Random, edits};

/// Something hostile bytes go into.
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Takes an input.
    ///
    /// # Panics
    /// For a finding.
    pub run: fn(&[u8]) -> Verdict,
    /// What to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Changes an input by what is known of its structure; `None` where any bytes have meaning.
    pub mutate: Option<fn(&mut Vec<u8>, &mut Random)>,
    /// What one input may take.
    pub limits: Limits,
}

/// All targets.
pub const TARGETS: [&Target; 10] = [
    &program::TARGET,
    &client::TARGET,
    &key::TARGET,
    &public_key::TARGET,
    &value::TARGET,
    &literal::TARGET,
    &task::TARGET,
    &graph::TARGET,
    &circuit::TARGET,
    &shared::TARGET,
];

/// The target of that name.
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}

/// A target of bytes that go into a small program: a refusal comes quickly, and takes a few copies of them.
const SMALL: Limits = Limits { bytes: 16 << 20, refused: 100.0, accepted: 1000.0 };

impl Target {
    const fn of_edits(name: &'static str, run: fn(&[u8]) -> Verdict) -> Self {
        Self { name, run, seeds: edits::seeds, mutate: None, limits: SMALL }
    }

    /// Changes an input without a fuzzer's knowledge of what was covered.
    pub fn change(&self, input: &mut Vec<u8>, random: &mut Random) {
        match self.mutate {
            Some(mutate) if random.chance(80) => mutate(input, random),
            _ => mutate_bytes(input, random),
        }
    }
}

fn verdict<T>(result: &cipherloom::Result<T>) -> Verdict {
    if result.is_ok() { Verdict::Accepted } else { Verdict::Refused }
}
