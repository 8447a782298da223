//! `joint.evaluate`: the value f_i(x) of a party's secret polynomial (`joint.shamir`) at a point: the share that the party of that point gets of s_i. Input: the coefficients. Attribute `point`: x, 1 to 256.
//! Points are integers that are different and below all primes, so that they and their differences are units of the ring.

use super::shamir::HEAD;
use super::{limbs_of, ring_of};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, MOST_PARTIES};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `joint.evaluate`; see the module.
pub struct Evaluate;

/// Checks that a point is one, and a unit with unit differences modulo the primes.
pub(super) fn check_point(call: &Call<'_>, point: u64, q: &[u64]) -> Result<()> {
    let most = MOST_PARTIES as u64;
    if (1..=most).contains(&point) && q.iter().all(|&q| q > most) {
        return Ok(());
    }
    Err(call.error("point", point, format!("1 to {most}, below all primes")))
}

impl OpDef for Evaluate {
    fn name(&self) -> &str {
        "joint.evaluate"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["point"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let ty = call.input(0, HEAD)?;
        let (n, q) = ring_of(ty)?;
        check_point(call, call.attrs.uint("point")?, &q)?;
        let share = types::key_share(n, &q);
        if ty.size < 2 * share.size || !ty.size.is_multiple_of(share.size) {
            return Err(call.error("size of input 0", ty.size, format!("{} times 2 or more", share.size)));
        }
        Ok(share)
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (n, q) = ring_of(&call.inputs[0])?;
        let point = call.attrs.uint("point")?;
        let coefficients = limbs_of(s, inputs[0], n, &q)?;
        let mut rows = coefficients.chunks_exact(q.len()).rev();
        let mut value = rows.next().unwrap_or_default().to_vec();
        for row in rows {
            for ((value, &coefficient), &q) in value.iter_mut().zip(row).zip(&q) {
                let product = rlwe::times(s, *value, q, point)?;
                *value = s.op("limb.add", Attrs::new(), &[product, coefficient])?;
            }
        }
        s.merge(&value, types::key_share(n, &q))
    }
}
