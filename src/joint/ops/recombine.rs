//! `joint.recombine`: what a party's share of the secret key, a value at its point, is of the sum that is the secret, where a set of others takes part: the share times its Lagrange coefficient
//! at 0, the product over the other points x' of x' / (x' - x), modulo each prime. Input: the share. Attributes `point`: x, the party's own; `active`: the points of all that take part.

use super::evaluate::check_point;
use super::{limbs_of, ring_of};
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::{Call, Level, OpDef, Session, types};
use crate::schemes::rlwe;
use crate::sorted::SortedSet;

/// `joint.recombine`; see the module.
pub struct Recombine;

impl OpDef for Recombine {
    fn name(&self) -> &str {
        "joint.recombine"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["active", "point"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let (n, q) = ring_of(call.input(0, "key_share")?)?;
        let (point, active) = (call.attrs.uint("point")?, call.attrs.uints("active")?);
        active.iter().try_for_each(|&point| check_point(call, point, &q))?;
        let different: SortedSet<u64> = active.iter().copied().collect();
        if different.len() != active.len() || !different.contains(&point) {
            return Err(call.error(
                "active",
                format!("{active:?}"),
                format!("{point} and others, each once"),
            ));
        }
        Ok(types::secret_key(n, &q))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (n, q) = ring_of(&call.inputs[0])?;
        let (point, active) = (call.attrs.uint("point")?, call.attrs.uints("active")?);
        let mut limbs = limbs_of(s, inputs[0], n, &q)?;
        for (limb, &q) in limbs.iter_mut().zip(&q) {
            *limb = rlwe::times(s, *limb, q, lagrange(&Modulus::new(q)?, point, &active)?)?;
        }
        s.merge(&limbs, types::secret_key(n, &q))
    }
}

/// The Lagrange coefficient of a point at 0, modulo a prime.
fn lagrange(q: &Modulus, point: u64, active: &[u64]) -> Result<u64> {
    let (mut over, mut under) = (1, 1);
    for &other in active.iter().filter(|&&other| other != point) {
        over = q.mul(over, q.reduce(other));
        under = q.mul(under, q.sub(q.reduce(other), q.reduce(point)));
    }
    Ok(q.mul(over, q.inv(under)?))
}
