//! Programs over values, as the literal inside their bytes: task and parameters. What has to follow from it is filled in as the core says, so that
//! literals are taken whose own bytes nobody has written.

use super::Target;
use super::program::LIMITS;
use super::task::{mutate_task, programs};
use crate::container::{content, sealed};
use crate::json;
use crate::random::Random;
use crate::watch::Verdict;
use cipherloom::Error;
use cipherloom::error::FormatProblem;
use cipherloom::tasks::Program;

pub const TARGET: Target = Target { name: "literal", run, seeds, mutate: Some(mutate), limits: LIMITS };

/// Length of the literal, and hashes of what was made of it.
const LENGTH: usize = 4;
const DECIDED: [&str; 3] = ["values", "keys", "halves"];

fn text(program: &Program) -> Vec<u8> {
    let bytes = program.bytes();
    let (length, rest) = content(&bytes).split_at(LENGTH);
    let text = &rest[..rest.len() - 16 * DECIDED.len()];
    assert_eq!(length, (text.len() as u32).to_le_bytes(), "a program's content is a text and hashes");
    text.to_vec()
}

fn seeds() -> Vec<Vec<u8>> {
    programs().iter().map(text).collect()
}

fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    if random.chance(50) { json::mutate(text, random) } else { mutate_task(text, random) }
}

fn run(text: &[u8]) -> Verdict {
    let like = programs()[0].bytes();
    let mut inside = [&(text.len() as u32).to_le_bytes()[..], text, &[0; 16 * DECIDED.len()]].concat();
    for _ in 0..=DECIDED.len() {
        match Program::from_bytes(&sealed(&like, &inside)) {
            Ok(program) => {
                let again = Program::from_bytes(&program.bytes()).map(|again| again.id());
                assert_eq!(again, Ok(program.id()), "a program's own bytes give the program");
                return Verdict::Accepted;
            }
            Err(Error::Format { problem: FormatProblem::Decisions { what, expected, .. }, .. }) => {
                let index = DECIDED.iter().position(|known| *known == what).expect("a hash of ours");
                let at = inside.len() - 16 * (DECIDED.len() - index);
                let digits = (0..16).map(|byte| u8::from_str_radix(&expected[2 * byte..2 * byte + 2], 16));
                inside[at..at + 16].copy_from_slice(&digits.collect::<Result<Vec<_>, _>>().expect("digits"));
            }
            Err(_) => return Verdict::Refused,
        }
    }
    panic!("what is filled in as the core says is what it says");
}
