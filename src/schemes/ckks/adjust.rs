//! `ckks.adjust`: the same values at a lower level and another scale: all parts times the integer c next to `scale` A / s, s the present scale, divided by
//! A, the product of the dropped primes, and rounded. Attributes `keep`: how many primes stay; `scale`: that of the result. So that ciphertexts that
//! come down on different roads can be added. c is at least 1,024; values are off by 1/c of themselves at most.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, Real, ValueType};
use crate::ops::types::{self, Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `ckks.adjust`; see the module.
pub struct Adjust;

impl OpDef for Adjust {
    fn name(&self) -> &str {
        "ckks.adjust"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["keep", "scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (ty, found) = super::ciphertext(call, 0)?;
        let q = rlwe::kept(call, &ty)?;
        let scale = types::scale(call.attrs)?;
        let c = multiplier(&ty.q[q.len()..], found.get(), scale.get());
        if !(LEAST..f64::INFINITY).contains(&c) {
            let expected = format!(
                "the present scale, {found}, times at least {LEAST} and divided by the dropped primes"
            );
            return Err(call.error("scale", scale, expected));
        }
        Ok(Ciphertext { q, scheme: Scheme::Ckks { scale }, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let (ty, found) = super::ciphertext(call, 0)?;
        let (keep, scale) = (call.attrs.size("keep")?, types::scale(call.attrs)?);
        let c = multiplier(&ty.q[keep..], found.get(), scale.get());
        let scaled = super::times_integer(s, inputs[0], c, ty.ty())?;
        rlwe::divide_parts(s, scaled, 1, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (ty, _) = super::ciphertext(call, 0).ok()?;
        adjusted(&ty, call.attrs.size("keep").ok()?, types::scale(call.attrs).ok()?, *inputs.first()?)
    }

    fn random_noise(&self, call: &Call<'_>) -> f64 {
        super::ciphertext(call, 0).map_or(f64::NEG_INFINITY, |(ty, _)| canonical::rounding(&ty, ty.parts))
    }
}

/// What is known of a ciphertext that is adjusted to so many primes and a scale; none where it has no more, or is none of CKKS.
pub fn adjusted(ty: &Ciphertext, keep: usize, scale: Real, of: Noise) -> Option<Noise> {
    let Scheme::Ckks { scale: found } = ty.scheme else { return None };
    let dropped = ty.q.get(keep..)?;
    let log_c = libm::log2(multiplier(dropped, found.get(), scale.get()));
    let message = of.message + libm::log2(scale.get()) - libm::log2(found.get());
    let error = of.error + log_c - noise::log2(dropped);
    let rounded = noise::sum(&[message - log_c, message + canonical::DECLARED]);
    let error = noise::sum(&[error, canonical::rounding(ty, ty.parts), rounded]);
    Some(Noise { message, error })
}

/// What c is at least.
const LEAST: f64 = 1024.0;

/// The integer c.
fn multiplier(dropped: &[u64], found: f64, scale: f64) -> f64 {
    dropped.iter().fold(scale / found, |c, &q| c * q as f64).round_ties_even()
}
