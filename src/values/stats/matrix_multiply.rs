//! The product of matrices of numbers: of shapes [m, k] and [k, n] it is [m, n], out[i, j] = sum over l of a[i, l] b[l, j]. It is taken over
//! all [m, k, n] products, which may be at most 2^32.

use super::{Composite, op, shaped};
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::{Call, Session};
use crate::values::types::{Kind, Value, ValueCall};

/// `matrix.multiply`; see the module.
pub(super) const MULTIPLY: Composite = Composite {
    name: "matrix.multiply",
    attributes: &[],
    output: |call| {
        let (a, b, [m, k, n]) = shapes(call)?;
        let products = product(call, &a.shaped([m, k, n]), &b.shaped([m, k, n]))?;
        // So that what cannot be expanded is refused where it is written.
        products.ty()?;
        Ok(products.shaped([m, n]))
    },
    expand,
};

/// The type of products of two numbers of one shape.
pub(super) fn product(call: &Call<'_>, a: &Value, b: &Value) -> Result<Value> {
    call.arity(2)?;
    call.same_shape(1, b, a)?;
    let value = Value::new(Kind::Real, a.shape.as_slice()).at(a.place.max(b.place));
    let real = a.kind == Kind::Real || b.kind == Kind::Real;
    Ok(if real { value } else { Value { kind: Kind::Integer, decimals: a.decimals + b.decimals, ..value } })
}

/// Both matrices, and m, k, n.
fn shapes(call: &Call<'_>) -> Result<(Value, Value, [u64; 3])> {
    call.arity(2)?;
    let (a, b) = (call.number(0)?, call.number(1)?);
    match (a.shape.as_slice(), b.shape.as_slice()) {
        (&[m, k], &[l, n]) if k == l => Ok((a, b, [m, k, n])),
        _ => {
            let found = format!("{:?} and {:?}", a.shape, b.shape);
            Err(call.error("shapes", found, "[m, k] and [k, n]"))
        }
    }
}

fn expand(s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
    let (_, _, [m, k, n]) = shapes(call)?;
    let rows = shaped(s, "value.reshape", inputs[0], &[m, k, 1])?;
    let mut sides = [rows, inputs[1]];
    for side in &mut sides {
        *side = shaped(s, "value.broadcast", *side, &[m, k, n])?;
    }
    let products = op(s, "value.multiply", &sides)?;
    s.op("value.sum", Attrs::new().with("axis", 1u64), &[products])
}
