//! Circuits as text that three parties share, and the bytes of that: cut for each party, what is cut read as a circuit from outside, since
//! views of residues are to be such there, too.

use super::Target;
use super::circuit;
use super::graph::LIMITS;
use crate::container::{content, sealed};
use crate::lines;
use crate::random::{Random, mutate_bytes};
use crate::watch::Verdict;
use cipherloom::circuit::Circuit;
use cipherloom::parties::{NOBODY, Owners, Shared};
use std::sync::Arc;

pub const TARGET: Target =
    Target { name: "shared", run, seeds: circuit::seeds, mutate: Some(lines::mutate), limits: LIMITS };

/// How often a graph's bytes are changed.
const CHANGES: usize = 8;
const PARTIES: [&str; 3] = ["one", "two", "three"];

fn run(text: &[u8]) -> Verdict {
    let registry = circuit::registry();
    let Ok(text) = std::str::from_utf8(text) else { return Verdict::Refused };
    let Ok(circuit) = Circuit::from_text(text, Arc::clone(registry)) else { return Verdict::Refused };
    let mut random = Random::new(text.len() as u64);
    let graph = circuit.graph();
    let mut any = || random.below(PARTIES.len()) as u32;
    let owners = Owners {
        parties: PARTIES.map(str::to_owned).to_vec(),
        inputs: graph.inputs().iter().map(|_| any()).collect(),
        operators: (graph.operators().iter())
            .map(|op| if graph.inputs_of(op).is_empty() { NOBODY } else { any() })
            .collect(),
        outputs: graph.outputs().iter().map(|_| any()).collect(),
    };
    let Ok(shared) = Shared::new(circuit, owners) else { return Verdict::Refused };
    let bytes = shared.save().expect("nobody ends it");
    let again = Shared::from_bytes(&bytes, Arc::clone(registry)).expect("its own bytes");
    assert_eq!(again.save().as_ref(), Ok(&bytes), "what is saved comes back");
    for party in PARTIES {
        let cut = shared.cut(party).expect("the part of a party").circuit;
        let read = Circuit::from_bytes(&cut.to_bytes(), Arc::clone(registry)).expect("a cut's own bytes");
        assert_eq!(read.to_text(), cut.to_text());
    }
    for _ in 0..CHANGES {
        let mut changed = content(&bytes).to_vec();
        mutate_bytes(&mut changed, &mut random);
        if let Ok(other) = Shared::from_bytes(&sealed(&bytes, &changed), Arc::clone(registry)) {
            for party in other.owners().parties.clone() {
                other.cut(&party).expect("the part of a party");
            }
        }
    }
    Verdict::Accepted
}
