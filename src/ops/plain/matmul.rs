//! Matrix product: [m, k] x [k, n] -> [m, n], out_ij = sum over k of a_ik b_kj.
//!
//! One sum per output, from 0 on, k ascending: the product is rounded, then the sum; never fused.
//! Integers wrap.

use super::{Cost, NUMBERS, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `matmul`; see the module.
pub(super) const MATMUL: Operation =
    Operation { name: "matmul", elements: NUMBERS, output, cost: Cost::Of(cost) };

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(2)?;
    let (a, b) = (call.tensor_of(0, element)?, call.tensor_of(1, element)?);
    match (a.shape.as_slice(), b.shape.as_slice()) {
        (&[m, k], &[rows, n]) if k == rows => Ok(Tensor::new(element, [m, n])),
        (&[_, k], _) => Err(call.error("input 1", &b, format!("a matrix of {k} rows"))),
        _ => Err(call.error("input 0", &a, "a matrix: two dimensions")),
    }
}

fn cost(call: &Call<'_>, out: &Tensor) -> f64 {
    let inner = call.tensor(0).ok().and_then(|a| a.shape.get(1).copied()).unwrap_or(1);
    0.1 * out.len() as f64 * inner as f64
}
