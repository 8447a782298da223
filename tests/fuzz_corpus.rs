//! The fuzzer's share of the tests: what it starts from, what it found, and a few thousand changes of both, through the
//! same targets. `node scripts/fuzz.mjs` looks further, and at the time that each takes.

use cipherloom_fuzz::{Memory, TARGETS, changes::replay};

/// Counts what a target takes, so nothing else may run in this process.
#[global_allocator]
static MEMORY: Memory = Memory;

/// Changed inputs of each target.
const CHANGES: u64 = 2000;
/// A compiled task takes about as long as all else together.
const CHANGED_TASKS: u64 = 100;

#[test]
fn hostile_inputs_end_in_typed_errors() {
    for target in TARGETS {
        replay(target, 0..if target.name.ends_with("task") { CHANGED_TASKS } else { CHANGES });
    }
}
