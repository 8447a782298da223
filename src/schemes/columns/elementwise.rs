//! `column.add`, `column.sub`, `column.negate`: one ciphertext operator on each ciphertext. Columns must be
//! complete (no missing cells). The one at the higher level is switched down; products are relinearized first where the
//! other side has two parts.

use super::layout::{Column, at_level, ciphertexts, columns_and_keys, two_parts};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// A column operator and the ciphertext operator that it is made of.
pub struct Elementwise {
    pub(super) name: &'static str,
    pub(super) ciphertext: &'static str,
    pub(super) inputs: usize,
}

/// Input `index` as a column without missing cells.
pub(super) fn complete(call: &Call<'_>, index: usize) -> Result<Column> {
    let ty = Column::of(call.input(index, "column")?)?;
    if ty.missing {
        return Err(call.error(format!("input {index}"), "a column with missing cells", "a complete column"));
    }
    Ok(ty)
}

/// Inputs 0 and 1 as columns without missing cells that fit together.
pub(super) fn complete_pair(call: &Call<'_>) -> Result<(Column, Column)> {
    let (a, b) = (complete(call, 0)?, complete(call, 1)?);
    if a.values_with_parts(2) != b.values_with_parts(2) {
        return Err(call.error("rows and level of input 1", &call.inputs[1], &call.inputs[0]));
    }
    Ok((a, b))
}

impl OpDef for Elementwise {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        columns_and_keys(call, self.inputs)?;
        if self.inputs == 1 {
            return Ok(complete(call, 0)?.ty());
        }
        let (a, b) = (complete(call, 0)?, complete(call, 1)?);
        let level = a.q.len().min(b.q.len());
        let output = a.values_with_parts(if a.parts == b.parts { a.parts } else { 2 }).at_level(level);
        if b.values_with_parts(output.parts).at_level(level) != output {
            return Err(call.error("rows of input 1", &call.inputs[1], &call.inputs[0]));
        }
        Ok(output.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let column = Column::of(&output)?;
        let mut columns = Vec::new();
        for &input in &inputs[..self.inputs] {
            let mut all: Vec<OperandId> = ciphertexts(s, input)?.concat();
            for c in &mut all {
                *c = at_level(s, *c, column.q.len())?;
                if column.parts == 2 {
                    *c = two_parts(s, call, inputs, *c)?;
                }
            }
            columns.push(all);
        }
        let mut out = Vec::new();
        for index in 0..columns[0].len() {
            let own: Vec<OperandId> = columns.iter().map(|c| c[index]).collect();
            out.push(s.op(self.ciphertext, Attrs::new(), &own)?);
        }
        s.merge(&out, output)
    }
}
