//! `column.multiply`: the product row by row; three parts, relinearized by whoever needs two, so that sums of products
//! are relinearized once. Inputs: two complete columns, and the keys when a factor is itself a product. Attribute `aux`:
//! the auxiliary primes of `bfv.multiply`.

use super::elementwise::complete_pair;
use super::layout::{ciphertexts, columns_and_keys, two_parts};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `column.multiply`; see the module.
pub struct Multiply;

impl OpDef for Multiply {
    fn name(&self) -> &str {
        "column.multiply"
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["aux"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        columns_and_keys(call, 2)?;
        call.moduli("aux")?;
        Ok(complete_pair(call)?.0.values_with_parts(3).ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let attrs = Attrs::new().with("aux", call.moduli("aux")?);
        let (a, b) = (ciphertexts(s, inputs[0])?.concat(), ciphertexts(s, inputs[1])?.concat());
        let mut out = Vec::with_capacity(a.len());
        for (a, b) in a.into_iter().zip(b) {
            let a = two_parts(s, call, inputs, a)?;
            let b = two_parts(s, call, inputs, b)?;
            out.push(s.op("bfv.multiply", attrs.clone(), &[a, b])?);
        }
        s.merge(&out, output)
    }
}
