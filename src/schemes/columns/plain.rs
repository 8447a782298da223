//! `column.add_plain`, `column.multiply_plain`: with known integers, row by row. Attribute `values`: one decimal text
//! per row. Or attribute `scalar`: one decimal text for all rows. Slots that are no rows are left as they are: 0.

use super::elementwise::complete;
use super::layout::{ciphertexts, columns_and_keys, plaintext};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// A column operator with a constant and the ciphertext operator that it is made of.
pub struct Plain {
    pub(super) name: &'static str,
    pub(super) ciphertext: &'static str,
}

impl Plain {
    fn values(call: &Call<'_>, rows: usize) -> Result<Vec<i128>> {
        let parse = |t: &String| t.parse().map_err(|_| call.error("values", t, "integers"));
        if call.attrs.get("scalar").is_some() {
            return Ok(vec![parse(&call.attrs.text("scalar")?.to_owned())?; rows]);
        }
        let texts = call.attrs.texts("values")?;
        if texts.len() != rows {
            return Err(call.error("number of values", texts.len(), rows));
        }
        texts.iter().map(parse).collect()
    }
}

impl OpDef for Plain {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["scalar", "values"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        columns_and_keys(call, 1)?;
        let column = complete(call, 0)?;
        Self::values(call, column.rows)?;
        Ok(column.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let column = complete(call, 0)?;
        let values = Self::values(call, column.rows)?;
        let mut out = Vec::new();
        for (&t, chunks) in column.t.iter().zip(ciphertexts(s, inputs[0])?) {
            for (index, ciphertext) in chunks.into_iter().enumerate() {
                let residue = |row: usize| values[row].rem_euclid(i128::from(t)) as u64;
                let plain = plaintext(s, &column, t, index, residue)?;
                out.push(s.op(self.ciphertext, Attrs::new(), &[ciphertext, plain])?);
            }
        }
        s.merge(&out, column.ty())
    }
}
