//! Evaluation keys.

use super::{Target, verdict};
use crate::container::content;
use crate::edits::{Pristine, edited};
use crate::road::{CLOCK, platform, road};
use crate::watch::Verdict;
use cipherloom::program::Evaluator;
use std::sync::{LazyLock, Mutex, PoisonError};

pub const TARGET: Target = Target::of_edits("key", run);

/// The keys that hostile ones are made of: all but one, so that the evaluator goes on waiting, and takes keys again.
static KEYS: LazyLock<&[Pristine]> = LazyLock::new(|| {
    let (_, others) = road().keys.split_last().expect("a program with keys");
    assert!(!others.is_empty(), "a program with one key takes none again");
    others
});

/// An evaluator that knows whose keys it takes, and lacks one.
fn waiting() -> Evaluator {
    let mut evaluator = Evaluator::new(&road().program.bytes(), &*platform(), CLOCK).expect("an evaluator");
    KEYS.iter().for_each(|key| evaluator.load_key(&key.bytes).expect("a key"));
    evaluator
}

fn run(script: &[u8]) -> Verdict {
    static WAITING: LazyLock<Mutex<Evaluator>> = LazyLock::new(|| Mutex::new(waiting()));
    let edited = edited(script, &KEYS);
    let mut evaluator = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let result = evaluator.load_key(&edited.bytes);
    if result.is_ok() {
        let inside = content(&edited.bytes);
        // A name that the program does not ask for is let pass, unread.
        let foreign = || {
            let text = String::from_utf8_lossy(&inside[..inside.len().min(256)]);
            !road()
                .program
                .keys()
                .is_some_and(|k| k.names.iter().any(|name| text.contains(&name.to_string())))
        };
        // A name that was changed to the last key's gives one that is like that.
        let known = road().keys.iter().any(|key| key.is_like(inside));
        assert!(known || foreign(), "a key was taken that no client makes");
    }
    if evaluator.missing_keys().is_empty() {
        *evaluator = waiting();
    }
    verdict(&result)
}
