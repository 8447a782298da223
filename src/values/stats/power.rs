//! x^n, cell by cell, of numbers: attribute `exponent`, from 2 to 1000. By squaring, so that about log2 n products follow one another. The
//! decimals of integers are n times as many.

use super::{Composite, op};
use crate::Result;
use crate::graph::OperandId;
use crate::ops::{Call, Session};
use crate::values::types::{Kind, Value, ValueCall};

/// `value.power`; see the module.
pub(super) const POWER: Composite =
    Composite { name: "value.power", attributes: &["exponent"], output, expand };

fn exponent(call: &Call<'_>) -> Result<u32> {
    match call.attrs.uint("exponent")? {
        exponent @ 2..=1000 => Ok(exponent as u32),
        other => Err(call.error("exponent", other, "2 to 1000")),
    }
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let (x, exponent) = (call.number(0)?, exponent(call)?);
    let decimals = x.decimals.saturating_mul(exponent);
    Ok(if x.kind == Kind::Integer { x.with_decimals(decimals) } else { x })
}

fn expand(s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
    let mut left = exponent(call)?;
    let mut square = inputs[0];
    let mut product = None;
    loop {
        if left & 1 == 1 {
            product = Some(match product {
                None => square,
                Some(product) => op(s, "value.multiply", &[product, square])?,
            });
        }
        left >>= 1;
        match product {
            Some(product) if left == 0 => return Ok(product),
            _ => square = op(s, "value.square", &[square])?,
        }
    }
}
