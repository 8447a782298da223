//! Public keys of data owners.

use super::task::task;
use super::{Target, verdict};
use crate::container::content;
use crate::edits::{Pristine, edited};
use crate::road::{CLOCK, objects, platform, turning};
use crate::watch::Verdict;
use cipherloom::Result;
use cipherloom::tasks::{Client, Literal, Options, Owner, Program};
use cipherloom::values::Exact;
use serde::Deserialize;
use std::sync::{Arc, LazyLock};

pub const TARGET: Target = Target::of_edits("public-key", run);

/// Whose parameters it is of.
const PARAMETERS: usize = 16;
/// Where the form of its residues stands, behind these and whose key it is.
const FORM: usize = 32;

/// A program for data owners, and public keys of two clients.
struct Road {
    program: Arc<Program>,
    keys: Vec<Pristine>,
}

static ROAD: LazyLock<Road> = LazyLock::new(|| road().expect("a road to fuzz"));

fn road() -> Result<Road> {
    let ty = r#"value[1]{kind="integer", shape=[6], where="encrypted"}"#;
    let literal = Literal::deserialize(task(ty, "value.sum", "", &[0])).expect("a task");
    let options = Options { n: Some(4096), public_key: Some(true), ..turning() };
    let program = Arc::new(Program::compile(literal, &options)?);
    let l = program.parameters().literal();
    assert!(!l.special.is_empty(), "a program without special primes has another key");
    // The half that is not uniform.
    let limbs = program.parameters().secret_primes();
    let mut keys = Vec::new();
    for _ in 0..2 {
        let client = Client::new(Arc::clone(&program), platform(), CLOCK)?;
        keys.push(Pristine::new(objects(client.public_key()?)?.remove(0).bytes, l.n, &limbs));
    }
    Ok(Road { program, keys })
}

fn run(script: &[u8]) -> Verdict {
    let Road { program, keys } = &*ROAD;
    let edited = edited(script, keys);
    let owner = Owner::new(Arc::clone(program), platform(), CLOCK, &edited.bytes);
    if let Ok(owner) = &owner {
        let inside = content(&edited.bytes);
        // Whose key it is nobody can tell; seed and streams can be any.
        let like = |key: &Pristine| {
            let own = content(&key.bytes);
            key.is_as_long(inside) && own[..PARAMETERS] == inside[..PARAMETERS] && own[FORM] == inside[FORM]
        };
        assert!(keys.iter().any(like), "a public key was taken that no client makes");
        if edited.seldom {
            let cells = Exact::integers(0..6).into();
            let job = owner.encrypt(&[("a", &cells)]).expect("cells that are declared");
            assert_eq!(objects(job).expect("an encryption ends").len(), 1);
        }
    }
    verdict(&owner)
}
