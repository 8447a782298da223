//! A graph that several parties share, its identity and its bytes.
//!
//! ```text
//! length of a circuit's bytes, these | parties: count, name...
//! owners of inputs, of operators, of outputs, each: count, (0: nobody, or the party's number + 1)...
//! ```
//!
//! Numbers take 7 bits a byte (`crate::bytes`).

use super::cut::{Cut, cut};
use super::owners::{NOBODY, Owners};
use crate::Result;
use crate::bytes::{Kind, Reader, Writer};
use crate::circuit::{Circuit, To};
use crate::ops::Registry;
use crate::watch::Steps;
use std::sync::Arc;

/// A circuit, and whose its parts are.
#[derive(Clone)]
pub struct Shared {
    circuit: Circuit,
    owners: Owners,
}

impl Shared {
    /// A circuit whose inputs, operators and outputs are owned.
    ///
    /// # Errors
    /// `Party` says what is wrong with the owners.
    pub fn new(circuit: Circuit, owners: Owners) -> Result<Self> {
        owners.check(&circuit)?;
        Ok(Self { circuit, owners })
    }

    /// The whole circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// Whose its parts are.
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// The same in lower operators, each of which is its parent's party's.
    ///
    /// # Errors
    /// As [`Circuit::expand`].
    pub fn expand(&self, to: To<'_>) -> Result<Self> {
        if let To::Steps(steps) = to {
            // Parents are operators of the level before.
            return (0..steps).try_fold(self.clone(), |shared, _| shared.carried(To::Steps(1)));
        }
        self.carried(to)
    }

    fn carried(&self, to: To<'_>) -> Result<Self> {
        let circuit = self.circuit.expand(to)?;
        let parents = circuit.graph().operators().iter().map(|op| op.parent);
        let operators = parents.map(|parent| self.owners.operators[parent as usize]).collect();
        Ok(Self { circuit, owners: Owners { operators, ..self.owners.clone() } })
    }

    /// The part of one party.
    ///
    /// # Errors
    /// `Party` for a name that is no party's; what [`Circuit::new`] finds.
    pub fn cut(&self, me: &str) -> Result<Cut> {
        cut(self, me)
    }

    /// The byte form.
    ///
    /// # Errors
    /// `Cancelled` ([`crate::watch`]).
    pub fn save(&self) -> Result<Vec<u8>> {
        let circuit = self.circuit.save()?;
        let mut writer = Writer::new(Kind::Shared);
        writer.number(circuit.len() as u64);
        writer.bytes(&circuit);
        let Owners { parties, inputs, operators, outputs } = &self.owners;
        writer.number(parties.len() as u64);
        parties.iter().for_each(|name| writer.short(name));
        for owners in [inputs, operators, outputs] {
            writer.number(owners.len() as u64);
            owners.iter().for_each(|&owner| writer.number(owner.wrapping_add(1).into()));
        }
        Ok(writer.finish())
    }

    /// Reads the byte form.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; as [`Circuit::from_bytes`] and [`Shared::new`].
    pub fn from_bytes(bytes: &[u8], registry: Arc<Registry>) -> Result<Self> {
        let mut reader = Reader::new(bytes, Kind::Shared)?;
        let length = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
        let circuit = reader.raw(length)?;
        let parties =
            (0..count(&mut reader)?).map(|_| reader.short().map(str::to_owned)).collect::<Result<_>>()?;
        let mut lists = [const { Vec::new() }; 3];
        for owners in &mut lists {
            let count = count(&mut reader)?;
            let mut steps = Steps::new(count);
            for _ in 0..count {
                steps.step()?;
                owners.push(owner(&mut reader)?);
            }
        }
        reader.end()?;
        let [inputs, operators, outputs] = lists;
        let circuit = Circuit::from_bytes(circuit, registry)?;
        Self::new(circuit, Owners { parties, inputs, operators, outputs })
    }

    /// What all parties have to agree on: BLAKE3 of the byte form, the first 16 bytes.
    ///
    /// # Errors
    /// As [`Shared::save`].
    pub fn id(&self) -> Result<[u8; 16]> {
        Ok(id_of(&self.save()?))
    }
}

/// The identity of a shared graph with these bytes.
pub(super) fn id_of(bytes: &[u8]) -> [u8; 16] {
    let mut id = [0; 16];
    id.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    id
}

/// A count of things of at least one byte each.
fn count(reader: &mut Reader<'_>) -> Result<usize> {
    let count = reader.number()?;
    match usize::try_from(count) {
        Ok(count) if count <= reader.left() => Ok(count),
        _ => Err(reader.error(format!("{count} things in {} bytes", reader.left()))),
    }
}

fn owner(reader: &mut Reader<'_>) -> Result<u32> {
    let number = u32::try_from(reader.number()?).ok().filter(|&number| number != NOBODY);
    Ok(number.ok_or_else(|| reader.error("an owner of more than 32 bits"))?.wrapping_sub(1))
}
