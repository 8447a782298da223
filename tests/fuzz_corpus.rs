//! The fuzzer's share of the tests: what it starts from, what it found, and a few thousand changes of both, through the
//! same targets. `node scripts/fuzz.mjs` looks further, and at the time that each takes.

use cipherloom_fuzz::{Memory, Random, TARGETS, Target, watched};
use std::path::Path;

/// Counts what a target takes, so nothing else may run in this process.
#[global_allocator]
static MEMORY: Memory = Memory;

/// Changed inputs of each target.
const CHANGES: u64 = 2000;
/// A compiled task takes about as long as all else together.
const CHANGED_TASKS: u64 = 100;

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target.name);
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    (target.seeds)().into_iter().chain(files.iter().map(|file| std::fs::read(file).unwrap())).collect()
}

fn replay(target: &Target) {
    let inputs = corpus(target);
    for input in &inputs {
        // What is made once is no input's.
        (target.run)(input);
    }
    let changes = if target.name == "task" { CHANGED_TASKS } else { CHANGES };
    for number in 0..changes {
        let mut random = Random::new(number);
        let mut input = random.pick(&inputs).clone();
        for _ in 0..=random.below(3) {
            target.change(&mut input, &mut random);
        }
        let tried = std::panic::catch_unwind(|| watched(target, &input));
        assert!(tried.is_ok(), "{}, change {number}: {}", target.name, input.escape_ascii());
    }
}

#[test]
fn hostile_inputs_end_in_typed_errors() {
    TARGETS.into_iter().for_each(replay);
}
