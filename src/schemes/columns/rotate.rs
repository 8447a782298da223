//! `column.rotate_rows` (attribute `steps`) turns each ring of a column to the left: row i of the result is row
//! (i + steps) mod l, l the rows of a ring. `column.rotate_columns` exchanges two rings. Inputs: a complete column whose
//! rows form rings, and the keys. Attribute `low`: the primes of the level that the column is switched down to first, since
//! keys are smaller and faster there. A rotation by nothing does no more than relinearize.
//!
//! Where l is a power of two, the slots of a ring are turned as a whole. Else the rows that wrap around are cut out and
//! turned the other way, by l - steps: slots that are no rows stay 0.

use super::elementwise::complete;
use super::layout::{
    Column, KeyName, at_level, ciphertexts, columns_and_keys, key, low, plaintext, two_parts,
};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::slots::{galois_conjugate, galois_element};
use crate::ops::{Call, Level, OpDef, Session};

/// A rotation of the rows of a column.
pub struct Rotate {
    pub(super) name: &'static str,
}

/// How slots move.
enum Turn {
    /// Not at all.
    Nothing,
    /// All of them alike.
    Whole(u64),
    /// Rows from `at` on by the first, those before by the second.
    Parts { at: usize, later: u64, earlier: u64 },
}

impl Turn {
    fn of(name: &str, attrs: &Attrs, column: &Column) -> Result<Self> {
        let Column { n, .. } = *column;
        if name == "column.rotate_columns" {
            return Ok(Self::Whole(galois_conjugate(n)));
        }
        let rows = column.ring_rows();
        let at = attrs.int("steps")?.rem_euclid(rows.max(1) as i128) as usize;
        let element = |rows: i64| galois_element(n, rows * column.stride() as i64);
        Ok(match at {
            0 => Self::Nothing,
            _ if rows.is_power_of_two() => Self::Whole(element(at as i64)),
            _ => Self::Parts { at, later: element(at as i64), earlier: element(at as i64 - rows as i64) },
        })
    }
}

/// The Galois elements of such an operator on a column.
///
/// # Errors
/// `Graph` when attribute `steps` is missing.
pub fn elements(name: &str, attrs: &Attrs, column: &Column) -> Result<Vec<u64>> {
    Ok(match Turn::of(name, attrs, column)? {
        Turn::Nothing => vec![],
        Turn::Whole(g) => vec![g],
        Turn::Parts { later, earlier, .. } => vec![later, earlier],
    })
}

impl OpDef for Rotate {
    fn name(&self) -> &str {
        self.name
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(if self.name == "column.rotate_rows" { &["low", "steps"] } else { &["low"] })
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        columns_and_keys(call, 1)?;
        let column = complete(call, 0)?;
        let least = if self.name == "column.rotate_columns" { 2 } else { 1 };
        if column.rings < least {
            return Err(call.error("rings", column.rings, format!("{least}: layout slots")));
        }
        Turn::of(self.name, call.attrs, &column)?;
        Ok(column.values_with_parts(2).at_level(low(call, &column)?).ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let column = Column::of(&output)?;
        let turn = Turn::of(self.name, call.attrs, &column)?;
        let level = column.q.len();
        let rotate = |s: &mut Session<'_>, ciphertext: OperandId, g: u64| {
            let key = key(s, call, inputs, &KeyName::Galois(g, level))?;
            s.op("rlwe.automorphism", Attrs::new().with("g", g), &[ciphertext, key])
        };
        let mut out = Vec::new();
        for (&t, chunks) in column.t.iter().zip(ciphertexts(s, inputs[0])?) {
            let low = at_level(s, chunks[0], level)?;
            let ciphertext = two_parts(s, call, inputs, low)?;
            out.push(match turn {
                Turn::Nothing => ciphertext,
                Turn::Whole(g) => rotate(s, ciphertext, g)?,
                Turn::Parts { at, later, earlier } => {
                    let later_row = |row: usize| u64::from(row % column.ring_rows() >= at);
                    let mask = plaintext(s, &column, t, 0, later_row)?;
                    let tail = s.op("bfv.multiply_plain", Attrs::new(), &[ciphertext, mask])?;
                    let head = s.op("rlwe.sub", Attrs::new(), &[ciphertext, tail])?;
                    let turned = [rotate(s, tail, later)?, rotate(s, head, earlier)?];
                    s.op("rlwe.add", Attrs::new(), &turned)?
                }
            });
        }
        s.merge(&out, output)
    }
}
