//! Random protection (SPEC G12): a policy and a seed put dead code and redundant branches into a graph, split operators
//! into shares, and write them in other ways. What the graph computes stays the same, bit for bit.
//!
//! One kind of change, one file, one [`Transformation`]: it looks at an operator and records others that do the same, or
//! that nobody needs. Kinds compose: a graph is gone through several times, so that what one kind made another changes. This is
//! obfuscation, not encryption; `SECURITY.md` says against what it does not protect.
//!
//! Changed are operators on integers and bits. Floats are left alone, since their results would change; beside them, and
//! beside operators on residues, dead code is put, and sums, differences and products of limbs are rewritten, which residues below
//! their prime allow. Operators of higher levels and random ones stay.

mod additive_shares;
mod anonymous;
mod branches;
mod choices;
mod dead_code;
mod difference;
mod elements;
#[cfg(test)]
mod model;
mod multiplicative_shares;
mod pin;
mod policy;
mod recorder;
mod rewriting;
mod round;
mod shares;
mod table_splitting;
mod xor_shares;

pub use difference::difference;
pub use policy::{Growth, Kind, KindGrowth, Policy};

use crate::Result;
use crate::graph::{Graph, OperandId};
use crate::math::sample::Seed;
use crate::ops::Registry;
use crate::optimize::Pass;
use choices::Choices;
use recorder::{Recorder, Site};
use round::Round;

/// How often a graph is gone through: so deep changes are nested.
const ROUNDS: usize = 4;

/// A policy with a seed: the pass `protect`.
pub struct Protection {
    policy: Policy,
    seed: Seed,
}

impl Protection {
    /// The protection that a policy and a seed stand for; equal ones do the same to equal graphs, on every device.
    ///
    /// # Errors
    /// `Task` for a policy without kinds, or whose growth is out of range.
    pub fn new(policy: Policy, seed: &Seed) -> Result<Self> {
        policy.check()?;
        Ok(Self { policy, seed: seed.clone() })
    }

    /// The protected graph, and by how much it grew.
    ///
    /// # Errors
    /// What is wrong with the graph.
    pub fn protect(&self, graph: &Graph, registry: &Registry) -> Result<(Graph, Growth)> {
        let before = graph.operators().len();
        let limit = (before as f64 * self.policy.growth) as usize;
        let mut growth = Growth::new(before, &self.policy.kinds);
        let mut choices = Choices::new(&self.seed);
        let mut out = graph.clone();
        for round in 1..=ROUNDS {
            let goal = before + (limit - before) * round / ROUNDS;
            out = Round { registry, choices: &mut choices, goal, limit }.run(&out, &mut growth)?;
        }
        growth.after = out.operators().len();
        growth.difference = difference(graph, &out)?;
        if self.policy.anonymous {
            out = anonymous::anonymous(&out)?;
        }
        if self.policy.keep {
            out = pin::pinned(&out, registry);
        }
        Ok((out, growth))
    }
}

impl Pass for Protection {
    fn name(&self) -> &str {
        "protect"
    }

    fn run(&self, graph: &Graph, registry: &Registry) -> Result<Graph> {
        Ok(self.protect(graph, registry)?.0)
    }
}

/// What becomes of an operator.
enum Change {
    /// What was recorded does the same, and gives it here.
    Instead(OperandId),
    /// It stays, with what was recorded beside it.
    Beside,
}

/// One kind of change.
trait Transformation {
    /// Records operators for the one at the site; none where this kind has nothing to do. What it then has recorded is
    /// forgotten.
    ///
    /// # Errors
    /// What is wrong with the graph.
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>>;
}
