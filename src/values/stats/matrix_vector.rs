//! The product of a matrix and a vector of numbers: of shapes [m, k] and [k] it is [m], out[i] = sum over l of a[i, l] x[l].

use super::matrix_multiply::product;
use super::{Composite, op, shaped};
use crate::graph::Attrs;
use crate::values::types::ValueCall;

/// `matrix.vector`; see the module.
pub(super) const VECTOR: Composite = Composite {
    name: "matrix.vector",
    attributes: &[],
    output: |call| {
        call.arity(2)?;
        let (a, x) = (call.number(0)?, call.number(1)?);
        match (a.shape.as_slice(), x.shape.as_slice()) {
            (&[m, k], &[l]) if k == l => Ok(product(call, &a, &x.clone().shaped([m, k]))?.shaped([m])),
            _ => {
                let found = format!("{:?} and {:?}", a.shape, x.shape);
                Err(call.error("shapes", found, "[m, k] and [k]"))
            }
        }
    },
    expand: |s, call, inputs| {
        let repeated = shaped(s, "value.broadcast", inputs[1], &call.value(0)?.shape)?;
        let products = op(s, "value.multiply", &[inputs[0], repeated])?;
        s.op("value.sum", Attrs::new().with("axis", 1u64), &[products])
    },
};
