//! `joint.shamir`: the coefficients of a party's secret polynomial f_i(x) = s_i + r_1 x + ... + r_(t-1) x^(t-1) over the ring, the r_k uniform modulo all primes: any t values tell it, t - 1 tell nothing. Inputs:
//! the secret key s_i, a secret seed. Attribute `threshold`: t, at least 2. The coefficients, one after the other, NTT form.

use super::ring_of;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::MOST_PARTIES;
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// The head of what it gives: secret coefficients.
pub(super) const HEAD: &str = "key_polynomial";

/// `joint.shamir`; see the module.
pub struct Shamir;

impl OpDef for Shamir {
    fn name(&self) -> &str {
        "joint.shamir"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["threshold"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let (n, q) = ring_of(call.input(0, "secret_key")?)?;
        call.input(1, "secret_seed")?;
        let threshold = call.attrs.size("threshold")?;
        if !(2..=MOST_PARTIES).contains(&threshold) {
            return Err(call.error("threshold", threshold, format!("2 to {MOST_PARTIES}")));
        }
        let size = (n * q.len() * threshold) as u64;
        Ok(ValueType::new(HEAD, size, Attrs::new().with("n", n).with("q", q)))
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (n, q) = ring_of(&call.inputs[0])?;
        let mut limbs = rlwe::secret_limbs(s, inputs[0], &q)?;
        for _ in 1..call.attrs.size("threshold")? {
            for &q in &q {
                limbs.push(s.op("sample.mask", Attrs::new().with("n", n).with("q", q), &[inputs[1]])?);
            }
        }
        s.merge(&limbs, self.assemble(call)?)
    }
}
