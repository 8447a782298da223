//! `bgv.adjust`: the same plaintext with another factor: all parts times f' / f modulo t, centered. Attribute `factor`: f'. So that
//! ciphertexts that were switched down on different roads can be added. Noise: times t/2.

use super::bounds;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.adjust`; see the module.
pub struct Adjust;

impl OpDef for Adjust {
    fn name(&self) -> &str {
        "bgv.adjust"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["factor"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, t, _) = super::ciphertext(call, 0)?;
        let factor = call.attrs.uint("factor")?;
        if factor == 0 || factor >= t {
            return Err(call.error("factor", factor, format!("1 to {}", t - 1)));
        }
        // What is no unit loses information.
        Modulus::new(t)?.inv(factor)?;
        Ok(Ciphertext { scheme: Scheme::Bgv { t, factor }, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let (ty, t, factor) = super::ciphertext(call, 0)?;
        let modulus = Modulus::new(t)?;
        let c = modulus.mul(call.attrs.uint("factor")?, modulus.inv(factor)?);
        let mut limbs = Vec::new();
        for part in s.parts(inputs[0])? {
            for (limb, &q) in s.limbs(part)?.into_iter().zip(&ty.q) {
                // Centered: t may be larger than q.
                let q_modulus = Modulus::new(q)?;
                let centered =
                    if c > t / 2 { q_modulus.neg(q_modulus.reduce(t - c)) } else { q_modulus.reduce(c) };
                limbs.push(rlwe::times(s, limb, q, centered)?);
            }
        }
        s.merge(&limbs, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (_, t, _) = super::ciphertext(call, 0).ok()?;
        Some(Noise::error(bounds::log2(&[t]) - 1.0 + inputs.first()?.error))
    }
}
