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

/// The known integers: one for all rows, or one for each. A type may say that it has more rows than memory could list.
enum Values {
    Scalar(i128),
    Rows(Vec<i128>),
}

impl Values {
    fn of(call: &Call<'_>, rows: usize) -> Result<Self> {
        let parse = |t: &str| t.parse().map_err(|_| call.error("values", t, "integers"));
        if call.attrs.get("scalar").is_some() {
            return Ok(Self::Scalar(parse(call.attrs.text("scalar")?)?));
        }
        let texts = call.attrs.texts("values")?;
        if texts.len() != rows {
            return Err(call.error("number of values", texts.len(), rows));
        }
        Ok(Self::Rows(texts.iter().map(|text| parse(text)).collect::<Result<_>>()?))
    }

    fn at(&self, row: usize) -> i128 {
        match self {
            Self::Scalar(value) => *value,
            Self::Rows(values) => values[row],
        }
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
        Values::of(call, column.rows)?;
        Ok(column.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let column = complete(call, 0)?;
        let values = Values::of(call, column.rows)?;
        let mut out = Vec::new();
        for (&t, chunks) in column.t.iter().zip(ciphertexts(s, inputs[0])?) {
            for (index, ciphertext) in chunks.into_iter().enumerate() {
                let residue = |row: usize| values.at(row).rem_euclid(i128::from(t)) as u64;
                let plain = plaintext(s, &column, t, index, residue)?;
                out.push(s.op(self.ciphertext, Attrs::new(), &[ciphertext, plain])?);
            }
        }
        s.merge(&out, column.ty())
    }
}
