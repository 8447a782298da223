//! Whose inputs, operators and outputs are.

use crate::circuit::Circuit;
use crate::graph::{Graph, Intervals};
use crate::{Error, Result};

/// The owner of what every party has: operators that follow from nothing but the graph, such as constants.
pub const NOBODY: u32 = u32::MAX;

/// Most parties of one graph, and most bytes of a name.
const MOST: usize = 256;

/// The party of each input, operator and output of a graph, by its number; no part of any type or signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owners {
    /// Names of the parties.
    pub parties: Vec<String>,
    /// Of each declared input the number of its party.
    pub inputs: Vec<u32>,
    /// Of each operator, or [`NOBODY`].
    pub operators: Vec<u32>,
    /// Of each declared output: who has it after a run.
    pub outputs: Vec<u32>,
}

impl Owners {
    /// Checks that they are owners of that circuit.
    ///
    /// # Errors
    /// `Party` for fewer than two parties or more than 256, a name that is none or not alone, another number of owners than the graph has
    /// things, an owner that is no party; for an operator of nobody that draws random numbers or reads what is somebody's; and for one that
    /// sends or receives.
    pub(super) fn check(&self, circuit: &Circuit) -> Result<()> {
        let graph = circuit.graph();
        self.check_parties()?;
        let lists = [
            ("inputs", &self.inputs, graph.inputs().len()),
            ("operators", &self.operators, graph.operators().len()),
            ("outputs", &self.outputs, graph.outputs().len()),
        ];
        for (what, owners, expected) in lists {
            if owners.len() != expected {
                return Err(wrong(format!("owners of {what}"), owners.len(), expected));
            }
        }
        let parties = self.parties.len() as u32;
        let ports = [("input", &self.inputs, graph.inputs()), ("output", &self.outputs, graph.outputs())];
        for (what, owners, ports) in ports {
            if let Some((port, &owner)) = ports.iter().zip(owners).find(|(_, owner)| **owner >= parties) {
                return Err(wrong(format!("owner of {what} `{}`", port.name), shown(owner), "a party"));
            }
        }
        self.check_operators(circuit, parties)
    }

    fn check_parties(&self) -> Result<()> {
        let count = self.parties.len();
        if !(2..=MOST).contains(&count) {
            return Err(wrong("number of parties", count, format!("2 to {MOST}")));
        }
        let named = |name: &String| (1..=MOST).contains(&name.len()) && !name.chars().any(char::is_control);
        if let Some(name) = self.parties.iter().find(|name| !named(name)) {
            let found = format!("{} bytes", name.len());
            return Err(wrong("name of a party", found, "1 to 256 bytes without control characters"));
        }
        let mut sorted: Vec<&String> = self.parties.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(twice) => Err(wrong("name of a party", format!("`{}` twice", twice[0]), "each once")),
            None => Ok(()),
        }
    }

    fn check_operators(&self, circuit: &Circuit, parties: u32) -> Result<()> {
        let (graph, registry) = (circuit.graph(), circuit.registry());
        let producers = producers(graph);
        for (number, (op, &owner)) in graph.operators().iter().zip(&self.operators).enumerate() {
            let name = &graph.signature(op).name;
            let at = || format!("operator {number} ({name})");
            if super::is_own(name) {
                return Err(wrong(
                    at(),
                    "an operator that a cut puts in",
                    "one of the graph before it is cut",
                ));
            }
            if owner == NOBODY {
                let reads = graph.inputs_of(op).iter().flat_map(|&input| graph.pieces(input));
                let mut read = reads.flat_map(|&piece| &producers.owners()[producers.search(piece)]);
                if read.any(|&producer| self.of(producer) != NOBODY) || registry.get(name)?.random() {
                    let expected = "a party: it reads what is somebody's, or draws random numbers";
                    return Err(wrong(format!("owner of {}", at()), shown(owner), expected));
                }
            } else if owner >= parties {
                return Err(wrong(format!("owner of {}", at()), shown(owner), "a party"));
            }
        }
        Ok(())
    }

    /// The owner of a producer.
    pub(super) fn of(&self, producer: u32) -> u32 {
        let number = producer as usize;
        match self.inputs.get(number) {
            Some(&owner) => owner,
            None => self.operators[number - self.inputs.len()],
        }
    }
}

fn shown(owner: u32) -> String {
    if owner == NOBODY { "nobody".into() } else { format!("party {owner}") }
}

pub(super) fn wrong(what: impl Into<String>, found: impl ToString, expected: impl ToString) -> Error {
    Error::Party { what: what.into(), found: found.to_string(), expected: expected.to_string() }
}

/// Where all that is read was written: by inputs, which are numbered first, and by operators.
pub(super) fn producers(graph: &Graph) -> Intervals {
    let inputs = graph.inputs().iter().map(|port| port.operand);
    let outputs = graph.operators().iter().map(|op| op.output);
    let places = inputs.chain(outputs).zip(0..);
    Intervals::new(
        places.flat_map(|(operand, number)| graph.pieces(operand).iter().map(move |&piece| (piece, number))),
    )
}
