//! `aes.sub_bytes`, `aes.inverse_sub_bytes`: the S-box, or its inverse, on every byte. Takes and gives `u8[..]`, by a
//! table; in graphs of unit 1 `bit[8,..]`, the bits of every byte by planes, by gates.

use super::state::Planes;
use super::{field, tables};
use crate::Result;
use crate::ciphers::call::{CipherCall, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.sub_bytes`; see the module.
pub(super) struct SubBytes {
    pub inverse: bool,
}

impl OpDef for SubBytes {
    fn name(&self) -> &str {
        if self.inverse { "aes.inverse_sub_bytes" } else { "aes.sub_bytes" }
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(1, 1)?;
        let x = call.tensor(0)?;
        match (x.element, x.shape.first()) {
            (Element::U8, _) if call.unit == 8 => {}
            (Element::Bit, Some(8)) if call.unit == 1 => {}
            _ => {
                return Err(call.error(
                    "input 0",
                    &x,
                    "u8[..] in a graph of unit 8, bit[8,..] in one of unit 1",
                ));
            }
        }
        call.ty(&x)
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let x = call.tensor(0)?;
        if x.element == Element::U8 {
            let table = if self.inverse { tables::INVERSE_S_BOX } else { tables::S_BOX };
            let table = logic::constant(s, &bytes(&[256]), &table)?;
            return s.op("u8.gather", Attrs::new().with("axis", 0u64), &[table, inputs[0]]);
        }
        let plane = Tensor::new(Element::Bit, &x.shape[1..]);
        let len = plane.len() as u64;
        let planes: Planes =
            (0..8).map(|bit| logic::part(s, inputs[0], bit * len, &plane)).collect::<Result<_>>()?;
        let out = self.circuit(s, &planes)?;
        logic::merge(s, &out, &x)
    }
}

impl SubBytes {
    fn circuit(&self, s: &mut Session<'_>, x: &Planes) -> Result<Planes> {
        if self.inverse {
            let x = offset(s, x)?;
            let x = field::linear(s, const { tables::linear(true) }, &x)?;
            return field::invert(s, &x);
        }
        let inverse = field::invert(s, x)?;
        let spread = field::linear(s, const { tables::linear(false) }, &inverse)?;
        offset(s, &spread)
    }
}

/// Adds the constant of the S-box: some bits turn.
fn offset(s: &mut Session<'_>, x: &Planes) -> Result<Planes> {
    let turn = |(bit, &x): (usize, &OperandId)| match tables::OFFSET >> bit & 1 {
        1 => logic::op(s, "bit.not", &[x]),
        _ => Ok(x),
    };
    x.iter().enumerate().map(turn).collect()
}
