//! Changed inputs without a fuzzer: each follows from its number and the corpus, so that it can be made again, and many are
//! tried in the time in which a build that counts what it covers tries few.

use crate::{Random, Target, watched};
use std::ops::Range;
use std::path::Path;

/// What a target starts from: its seeds, and the files of its corpus.
pub fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    (target.seeds)().into_iter().chain(files.iter().map(|file| std::fs::read(file).unwrap())).collect()
}

/// Tries all inputs of the corpus, then those of these numbers.
///
/// # Panics
/// For a finding; says which.
pub fn replay(target: &Target, numbers: Range<u64>) {
    let inputs = corpus(target);
    for input in &inputs {
        // What is made once is no input's.
        (target.run)(input);
    }
    for number in numbers {
        let mut random = Random::new(number);
        let mut input = random.pick(&inputs).clone();
        for _ in 0..=random.below(3) {
            target.change(&mut input, &mut random);
        }
        let tried = std::panic::catch_unwind(|| watched(target, &input));
        assert!(tried.is_ok(), "{}, change {number}: {}", target.name, input.escape_ascii());
    }
}
