//! Evaluation keys.

use super::{Target, verdict};
use crate::container::{self, content};
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

/// The names of the keys that the program asks for.
fn names() -> impl Iterator<Item = String> {
    road().program.keys().into_iter().flat_map(|keys| keys.names.iter().map(ToString::to_string))
}

/// The name in a key's content: where pristine ones have it, behind its length.
fn name_in(content: &[u8]) -> Option<&[u8]> {
    static AT: LazyLock<usize> = LazyLock::new(|| {
        let name = names().next().expect("a key");
        let first = container::content(&KEYS[0].bytes);
        first.windows(name.len()).position(|window| window == name.as_bytes()).expect("its name")
    });
    let (length, rest) = (content.get(*AT - 4..*AT)?, content.get(*AT..)?);
    rest.get(..u32::from_le_bytes(length.try_into().ok()?) as usize)
}

fn run(script: &[u8]) -> Verdict {
    static WAITING: LazyLock<Mutex<Evaluator>> = LazyLock::new(|| Mutex::new(waiting()));
    let edited = edited(script, &KEYS);
    let mut evaluator = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let result = evaluator.load_key(&edited.bytes);
    if result.is_ok() {
        let inside = content(&edited.bytes);
        // A name that the program does not ask for is let pass, unread.
        let foreign = || name_in(inside).is_none_or(|name| names().all(|known| known.as_bytes() != name));
        // A name that was changed to the last key's gives one that is like that.
        let known = road().keys.iter().any(|key| key.is_like(inside));
        assert!(known || foreign(), "a key was taken that no client makes");
    }
    if evaluator.missing_keys().is_empty() {
        *evaluator = waiting();
    }
    verdict(&result)
}
