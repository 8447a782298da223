//! `column.sum`: all rows added up, as a number. Chunks are added, the sum is switched down to the level that needs no
//! more multiplication (attribute `low`: its primes), relinearized there if it is a sum of products, and its slots are
//! summed with the rotation keys of that level, which are the small ones. Inputs: a complete column and the keys.

use super::elementwise::complete;
use super::layout::{Column, KeyName, Number, at_level, ciphertexts, columns_and_keys, key, low, two_parts};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// `column.sum`; see the module.
pub struct Sum;

fn output(call: &Call<'_>) -> Result<(Column, Number)> {
    columns_and_keys(call, 1)?;
    let column = complete(call, 0)?;
    let q = column.q[..low(call, &column)?].to_vec();
    let number = Number { n: column.n, t: column.t.clone(), q };
    Ok((column, number))
}

impl OpDef for Sum {
    fn name(&self) -> &str {
        "column.sum"
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["low"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(output(call)?.1.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (column, number) = output(call)?;
        let low = number.q.len();
        let elements = column.sum_elements();
        let mut out = Vec::new();
        for chunks in ciphertexts(s, inputs[0])? {
            let mut sum = chunks[0];
            for &chunk in &chunks[1..] {
                sum = s.op("rlwe.add", Attrs::new(), &[sum, chunk])?;
            }
            sum = at_level(s, sum, low)?;
            let mut operands = vec![two_parts(s, call, inputs, sum)?];
            for &g in &elements {
                operands.push(key(s, call, inputs, &KeyName::Galois(g, low))?);
            }
            out.push(match elements.is_empty() {
                true => operands[0],
                false => s.op("bfv.sum_slots", Attrs::new().with("g", elements.as_slice()), &operands)?,
            });
        }
        s.merge(&out, number.ty())
    }
}
