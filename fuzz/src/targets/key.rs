//! Evaluation keys of tasks over values.

use super::task::task;
use super::{Target, verdict};
use crate::container::content;
use crate::edits::{Pristine, edited};
use crate::road::{CLOCK, objects, platform, turning};
use crate::watch::Verdict;
use cipherloom::Result;
use cipherloom::tasks::{Client, Evaluator, Literal, Options, Program};
use serde::Deserialize;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub const TARGET: Target = Target::of_edits("key", run);

/// A program with keys.
struct Road {
    program: Arc<Program>,
    keys: Vec<Pristine>,
    /// Bytes before the form of each key's residues.
    heads: Vec<usize>,
}

static ROAD: LazyLock<Road> = LazyLock::new(|| road().expect("a road to fuzz"));

fn road() -> Result<Road> {
    let ty = r#"value[1]{kind="integer", shape=[6], where="encrypted"}"#;
    let literal = Literal::deserialize(task(ty, "value.sum", "", &[0])).expect("a task");
    let options = Options { n: Some(4096), ..turning() };
    let program = Arc::new(Program::compile(literal, &options)?);
    let client = Client::new(Arc::clone(&program), platform(), CLOCK)?;
    let l = program.parameters().literal();
    let (mut keys, mut heads) = (Vec::new(), Vec::new());
    for (name, &level) in program.keys() {
        let bytes = objects(client.key(&name.to_string())?)?.remove(0).bytes;
        // Of each digit the half that is not uniform.
        let limbs = [&l.q[..level], &l.special].concat().repeat(level.div_ceil(l.digit()));
        let pristine = Pristine::new(bytes, l.n, &limbs);
        heads.push(pristine.head() - 8 - 4 * limbs.len() - 32 - 1);
        keys.push(pristine);
    }
    assert!(keys.len() > 1, "a program with one key takes none again");
    Ok(Road { program, keys, heads })
}

/// An evaluator that knows whose keys it takes, and lacks one.
fn waiting() -> Evaluator {
    let mut evaluator = Evaluator::new(&ROAD.program.bytes(), &*platform(), CLOCK).expect("an evaluator");
    ROAD.keys[1..].iter().for_each(|key| evaluator.load_key(&key.bytes).expect("a key"));
    evaluator
}

fn run(script: &[u8]) -> Verdict {
    static WAITING: LazyLock<Mutex<Evaluator>> = LazyLock::new(|| Mutex::new(waiting()));
    let edited = edited(script, &ROAD.keys);
    let mut evaluator = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let result = evaluator.load_key(&edited.bytes);
    if result.is_ok() {
        let inside = content(&edited.bytes);
        // Seed and streams can be any.
        let mut known = ROAD.keys.iter().zip(&ROAD.heads);
        let like = |(key, &head): (&Pristine, &usize)| {
            key.is_as_long(inside) && content(&key.bytes)[..=head] == inside[..=head]
        };
        assert!(known.any(like) || passed(inside), "a key was taken that no client makes");
    }
    if evaluator.missing_keys().is_empty() {
        *evaluator = waiting();
    }
    verdict(&result)
}

/// Whether a key has a name that the program does not ask for: it is let pass, unread.
fn passed(inside: &[u8]) -> bool {
    const AT: usize = 32;
    let name = inside.get(AT..AT + 4).and_then(|length| {
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        inside.get(AT + 4..)?.get(..length)
    });
    name.is_none_or(|name| ROAD.program.keys().keys().all(|known| known.to_string().as_bytes() != name))
}
