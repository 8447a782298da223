//! c_0 + c_1 x + ... + c_n x^n, cell by cell, of numbers, by Horner's rule. Attribute `coefficients` lists c_0 to c_n as integers in units of
//! 10^-decimals (attribute `decimals`, 0 where it is left out); n is 1 to 100, and c_n is not 0. Of integers the result has the decimals
//! of the coefficients and n times those of x.

use super::{Composite, op};
use crate::Result;
use crate::graph::{Attr, Attrs, OperandId};
use crate::ops::{Call, Session};
use crate::values::types::{Kind, MOST_DECIMALS, Value};

/// `value.polynomial`; see the module.
pub(super) const POLYNOMIAL: Composite =
    Composite { name: "value.polynomial", attributes: &["coefficients", "decimals"], output, expand };

/// The coefficients, and their decimals.
fn coefficients<'a>(call: &'a Call<'_>) -> Result<(&'a [i128], u32)> {
    let decimals = call.attrs.get("decimals").map_or(Ok(0), |_| call.attrs.size("decimals"))?;
    let decimals = u32::try_from(decimals).ok().filter(|&decimals| decimals <= MOST_DECIMALS);
    let found = call.attrs.get("coefficients").map_or("none".to_owned(), ToString::to_string);
    match (call.attrs.get("coefficients"), decimals) {
        (Some(Attr::Ints(all)), Some(decimals))
            if (2..=101).contains(&all.len()) && all.last().is_some_and(|&last| last != 0) =>
        {
            Ok((all, decimals))
        }
        _ => Err(call.error(
            "coefficients",
            found,
            "2 to 101 integers, the last one not 0, at most 1000 decimals",
        )),
    }
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let (x, (coefficients, decimals)) = (call.number(0)?, coefficients(call)?);
    if x.kind == Kind::Real {
        return Ok(x);
    }
    let decimals = decimals + x.decimals * (coefficients.len() as u32 - 1);
    Ok(x.with_decimals(decimals))
}

fn expand(s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
    let (x, (coefficients, decimals)) = (call.number(0)?, coefficients(call)?);
    let scaled = |attrs: Attrs, decimals: u32| match decimals {
        0 => attrs,
        _ => attrs.with("decimals", u64::from(decimals)),
    };
    let mut sum: Option<OperandId> = None;
    for (power, &coefficient) in coefficients.iter().rev().enumerate() {
        let Some(so_far) = sum else {
            let attrs = scaled(Attrs::new().with("numerator", Attr::Int(coefficient)), decimals);
            sum = Some(s.op("value.scale", attrs, inputs)?);
            continue;
        };
        let product = if power == 1 { so_far } else { op(s, "value.multiply", &[so_far, inputs[0]])? };
        sum = Some(match coefficient {
            0 => product,
            _ => {
                let constant = constant(s, &x, coefficient, decimals, power as u32)?;
                op(s, "value.add", &[product, constant])?
            }
        });
    }
    sum.ok_or_else(|| call.error("coefficients", "none", "2 to 101"))
}

/// A coefficient in the shape of x, as what x^power times another one is: an integer of as many decimals, or a real.
fn constant(
    s: &mut Session<'_>,
    x: &Value,
    coefficient: i128,
    decimals: u32,
    power: u32,
) -> Result<OperandId> {
    let attrs = Attrs::new().with("kind", "integer").with("shape", x.shape.as_slice());
    let attrs = attrs.with("value", Attr::Int(coefficient));
    let own = if decimals > 0 { attrs.with("decimals", u64::from(decimals)) } else { attrs };
    let constant = s.op("value.constant", own, &[])?;
    let more = if x.kind == Kind::Integer { x.decimals * power } else { 0 };
    if more == 0 {
        return Ok(constant);
    }
    // In steps of what an attribute holds.
    let mut scaled = constant;
    let mut left = more;
    while left > 0 {
        let step = left.min(38);
        let attrs =
            Attrs::new().with("numerator", Attr::Int(10i128.pow(step))).with("decimals", u64::from(step));
        scaled = s.op("value.scale", attrs, &[scaled])?;
        left -= step;
    }
    Ok(scaled)
}
