//! Matrix product: [m, k] x [k, n] -> [m, n], out_ij = sum over k of a_ik b_kj. A vector on the left is a row, [k] x [k, n]
//! -> [n], one on the right a column, [m, k] x [k] -> [m], as in NumPy.
//!
//! One sum per output, from 0 on, k ascending: the product is rounded, then the sum; never fused.
//! Integers wrap.

use super::{Cost, NUMBERS, Operation};
use crate::Result;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// `matmul`; see the module.
pub(super) const MATMUL: Operation = Operation {
    name: "matmul",
    elements: NUMBERS,
    output,
    attributes: &[],
    commutative: false,
    cost: Cost::Of(cost),
};

fn output(call: &Call<'_>, element: Element) -> Result<Tensor> {
    call.arity(2)?;
    let (a, b) = (call.tensor_of(0, element)?, call.tensor_of(1, element)?);
    match (a.shape.as_slice(), b.shape.as_slice()) {
        (&[ref m @ .., k], &[rows, ref n @ ..]) if k == rows && m.len() < 2 && n.len() < 2 => {
            Ok(Tensor::new(element, [m, n].concat()))
        }
        (&[k] | &[_, k], _) => {
            Err(call.error("input 1", &b, format!("a matrix of {k} rows, or {k} elements")))
        }
        _ => Err(call.error("input 0", &a, "a matrix or a vector")),
    }
}

fn cost(call: &Call<'_>, out: &Tensor) -> f64 {
    let inner = call.tensor(0).ok().and_then(|a| a.shape.last().copied()).unwrap_or(1);
    0.1 * out.len() as f64 * inner as f64
}
