//! `column.rotate_rows` (attribute `steps`: slots to the left, within each row of n/2 slots) and `column.rotate_columns`
//! (swaps the two rows of slots). Inputs: a complete column of one ciphertext, and the keys. Attribute `low`: the primes of
//! the level that the column is switched down to first, since keys are smaller and faster there. A rotation by nothing does
//! no more than relinearize.

use super::elementwise::complete;
use super::layout::{Column, KeyName, at_level, ciphertexts, columns_and_keys, key, low, two_parts};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::slots::{galois_conjugate, galois_element};
use crate::ops::{Call, Level, OpDef, Session};

/// A rotation of the slots of a column.
pub struct Rotate {
    pub(super) name: &'static str,
}

/// The Galois element of such an operator at ring dimension `n`.
///
/// # Errors
/// `Graph` when attribute `steps` is missing.
pub fn element(name: &str, attrs: &Attrs, n: usize) -> Result<u64> {
    if name == "column.rotate_columns" {
        return Ok(galois_conjugate(n));
    }
    let half = n as i128 / 2;
    Ok(galois_element(n, attrs.int("steps")?.rem_euclid(half) as i64))
}

impl OpDef for Rotate {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        columns_and_keys(call, 1)?;
        let column = complete(call, 0)?;
        if column.rows != column.n {
            // Rows would move into slots that are no rows.
            return Err(call.error("rows", column.rows, format!("{}: layout slots", column.n)));
        }
        element(self.name, call.attrs, column.n)?;
        Ok(column.values_with_parts(2).at_level(low(call, &column)?).ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let Column { n, q, .. } = Column::of(&output)?;
        let g = element(self.name, call.attrs, n)?;
        let mut out = Vec::new();
        for ciphertext in ciphertexts(s, inputs[0])?.concat() {
            let low = at_level(s, ciphertext, q.len())?;
            let mut ciphertext = two_parts(s, call, inputs, low)?;
            if g != 1 {
                let key = key(s, call, inputs, &KeyName::Galois(g, q.len()))?;
                ciphertext = s.op("bfv.rotate", Attrs::new().with("g", g), &[ciphertext, key])?;
            }
            out.push(ciphertext);
        }
        s.merge(&out, output)
    }
}
