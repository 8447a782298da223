//! Programs over values, as bytes.

use super::task::programs;
use super::{Limits, Target};
use crate::edits::{Pristine, edited, seeds};
use crate::watch::Verdict;
use cipherloom::tasks::Program;
use std::sync::LazyLock;

pub const TARGET: Target = Target { name: "program", run, seeds, mutate: None, limits: LIMITS };

/// Building the graphs of a program takes more than reading bytes does.
pub(super) const LIMITS: Limits = Limits { bytes: 256 << 20, refused: 1000.0, accepted: 1000.0 };

fn run(script: &[u8]) -> Verdict {
    static PROGRAMS: LazyLock<Vec<Pristine>> =
        LazyLock::new(|| programs().iter().map(|program| Pristine::plain(program.bytes())).collect());
    let edited = edited(script, &PROGRAMS);
    let Ok(program) = Program::from_bytes(&edited.bytes) else { return Verdict::Refused };
    // One literal has several texts, of which one is written.
    let again = Program::from_bytes(&program.bytes()).map(|again| again.id());
    assert_eq!(again, Ok(program.id()), "a program's own bytes give the program");
    Verdict::Accepted
}
