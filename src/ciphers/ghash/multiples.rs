//! `ghash.multiples`: h x^k in GF(2^128) for each bit x^k of an element, in memory order: `u8[16]` -> `bit[128,128]`.
//!
//! The first 2^i multiples times x^(2^i) are the next ones. Times x^s, the s highest coefficients come back as the lowest,
//! times 1 + x + x^2 + x^7: four look-ups of bits, the first of which is a rotation.

use super::place;
use crate::Result;
use crate::ciphers::call::{CipherCall, bits, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `ghash.multiples`; see the module.
pub(super) struct Multiples;

impl OpDef for Multiples {
    fn name(&self) -> &str {
        "ghash.multiples"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(1, 1)?;
        call.block(0)?;
        call.ty(&bits(&[128, 128]))
    }

    fn expand(&self, s: &mut Session<'_>, _: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let mut multiples = logic::retype(s, inputs[0], &bits(&[1, 128]))?;
        for i in 0..7 {
            let next = shifted(s, multiples, 1 << i)?;
            multiples = logic::merge(s, &[multiples, next], &bits(&[2 << i, 128]))?;
        }
        taken(s, multiples, 0, |at| Some(place(at)))
    }
}

/// Each row times x^by, in memory order.
fn shifted(s: &mut Session<'_>, rows: OperandId, by: u64) -> Result<OperandId> {
    let mut sum = taken(s, rows, 1, |at| Some(place((place(at) + 128 - by) % 128)))?;
    for degree in [1, 2, 7] {
        let high = |at| {
            let k = place(at);
            (degree..degree + by).contains(&k).then(|| place(128 - by + k - degree))
        };
        let added = taken(s, rows, 1, high)?;
        sum = logic::op(s, "bit.xor", &[sum, added])?;
    }
    Ok(sum)
}

/// Along an axis of 128, at each place what stood at another one, or 0.
fn taken(
    s: &mut Session<'_>,
    x: OperandId,
    axis: u64,
    from: impl Fn(u64) -> Option<u64>,
) -> Result<OperandId> {
    const OUTSIDE: u64 = 255;
    let places: Vec<u8> = (0..128).map(|at| from(at).unwrap_or(OUTSIDE) as u8).collect();
    let places = logic::constant(s, &bytes(&[128]), &places)?;
    s.op("bit.gather", Attrs::new().with("axis", axis), &[x, places])
}
