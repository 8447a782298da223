//! `bgv.decrypt`: m = f^-1 [x]_Q mod t, x the phase, centered modulo Q; of an extract in its subring, so that `slots.decode` of it gives the slots that are then all
//! there are. Inputs: the secret key, and the ciphertext or extract.

use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::math::prime::primitive_root;
use crate::ops::{Call, Level, OpDef, Session, types};
use crate::schemes::rlwe;
use crate::{Error, Result};

/// `bgv.decrypt`; see the module.
pub struct Decrypt;

impl OpDef for Decrypt {
    fn name(&self) -> &str {
        "bgv.decrypt"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        call.input(0, "secret_key")?;
        let (ty, t, _) = super::extract(call, 1)?;
        Ok(types::plain(ty.kept(), t))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let (ty, t, factor) = super::extract(call, 1)?;
        let phase = s.op("rlwe.phase", Attrs::new(), inputs)?;
        let message = s.op("rns.extend", Attrs::new().with("to", vec![t]), &[phase])?;
        let limb = s.retype(message, rlwe::plain_limb(&output)?.ty())?;
        let modulus = Modulus::new(t)?;
        let mut message = rlwe::times(s, limb, t, modulus.inv(factor)?)?;
        let g = subring_root(ty.ciphertext.n, ty.kept(), &modulus)?;
        if g != 1 {
            message = s.op("limb.automorphism", Attrs::new().with("g", g), &[message])?;
        }
        s.retype(message, output)
    }
}

/// Slots of a ring are values at powers of the root that its transform is made with: the g with which X^g at that of the subring is Y = X^(n / kept) at that of the ring.
fn subring_root(n: usize, kept: usize, t: &Modulus) -> Result<u64> {
    if n == kept {
        return Ok(1);
    }
    let root = t.pow(primitive_root(2 * n as u64, t)?, (n / kept) as u64);
    let own = primitive_root(2 * kept as u64, t)?;
    let square = t.mul(own, own);
    let powers = std::iter::successors(Some(own), |&power| Some(t.mul(power, square)));
    let found = powers.take(kept).position(|power| power == root);
    Ok(2 * found.ok_or(Error::Job("powers of a primitive root are all of them"))? as u64 + 1)
}
