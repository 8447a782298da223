//! Programs, as bytes.

use super::literal::{load, programs};
use super::{Limits, Target};
use crate::edits::{Pristine, edited, seeds};
use crate::watch::Verdict;
use std::sync::LazyLock;

pub const TARGET: Target = Target { name: "program", run, seeds, mutate: None, limits: LIMITS };

/// Building the graphs of a program takes more than reading bytes does.
pub(super) const LIMITS: Limits = Limits { bytes: 256 << 20, refused: 100.0, accepted: 1000.0 };

fn run(script: &[u8]) -> Verdict {
    static PROGRAMS: LazyLock<Vec<Pristine>> =
        LazyLock::new(|| programs().iter().map(|program| Pristine::plain(program.bytes())).collect());
    let edited = edited(script, &PROGRAMS);
    load(&edited.bytes, edited.seldom)
}
