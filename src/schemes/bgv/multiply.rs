//! `bgv.multiply`: the product of two ciphertexts of one level, three parts; or the sum of several such products. Inputs: a and b of each product. The
//! factor is the product of the two, which must be the same for all pairs.
//!
//! Noise: the product of the two phases, n times the message of one times that of the other where both are chosen, else delta.

use super::bounds;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.multiply`; see the module.
pub struct Multiply;

impl OpDef for Multiply {
    fn name(&self) -> &str {
        "bgv.multiply"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        rlwe::product_type(call, |first| {
            let ((_, t, f), (_, u, g)) =
                (super::ciphertext(call, first)?, super::ciphertext(call, first + 1)?);
            if t != u {
                return Err(call.error(format!("plaintext modulus of input {}", first + 1), u, t));
            }
            Ok(Scheme::Bgv { t, factor: Modulus::new(t)?.mul(f, g) })
        })
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let poly = Ciphertext::of(&output)?.poly();
        let sums = rlwe::tensor(s, inputs, &poly, rlwe::own_parts)?;
        s.merge(&sums, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (ty, t, _) = super::ciphertext(call, 0).ok()?;
        let messages = libm::log2(ty.n as f64) + 2.0 * super::message(t);
        let product = |&[a, b]: &[Noise; 2]| {
            bounds::sum(&[libm::log2(bounds::delta(ty.n)) + a.error + b.error, messages])
        };
        Some(Noise::error(bounds::sum(&inputs.as_chunks().0.iter().map(product).collect::<Vec<_>>())))
    }
}
