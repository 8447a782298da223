//! `ckks.multiply`: the product of two ciphertexts of one level, three parts; or the sum of several such products. Inputs: a and b of each
//! product. The scale is the product of the two, which must be the same for all pairs; attribute `scale`, which may be left out, declares it to be
//! that number, at most 2^-45 of it away.
//!
//! Noise: |m_a| |e_b| + |e_a| |m_b| + |e_a| |e_b|, in the canonical norm.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `ckks.multiply`; see the module.
pub struct Multiply;

impl OpDef for Multiply {
    fn name(&self) -> &str {
        "ckks.multiply"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        rlwe::product_type(call, |first| {
            let ((_, a), (_, b)) = (super::ciphertext(call, first)?, super::ciphertext(call, first + 1)?);
            Ok(Scheme::Ckks { scale: super::declared(call, a.get() * b.get())? })
        })
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let poly = Ciphertext::of(&output)?.poly();
        let sums = rlwe::tensor(s, inputs, &poly, rlwe::own_parts)?;
        s.merge(&sums, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let products = inputs.as_chunks().0.iter().map(|&[a, b]| canonical::product(a, b));
        Some(super::as_declared(call, noise::sums(&products.collect::<Vec<_>>())))
    }
}
