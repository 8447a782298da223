//! `bfv.decrypt`: m = round(t x / Q) mod t, x the phase. Inputs: the secret key and the ciphertext. t x is 0 modulo t, so
//! that round(t x / Q) = -[t x]_Q Q^-1 mod t: one base conversion from Q to t.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::math::rns::crt_constants;
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, OpDef, Session, types};

/// `bfv.decrypt`; see the module.
pub struct Decrypt;

impl OpDef for Decrypt {
    fn name(&self) -> &str {
        "bfv.decrypt"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        call.input(0, "secret_key")?;
        let ty = Ciphertext::of(call.input(1, "ciphertext")?)?;
        Ok(types::plain(ty.n, ty.t))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let ty = Ciphertext::of(&call.inputs[1])?;
        let phase = s.op("bfv.phase", Attrs::new(), inputs)?;
        let t = Modulus::new(ty.t)?;
        let from: Vec<Modulus> =
            ty.q.iter().map(|&q| Modulus::new(q)).collect::<std::result::Result<_, _>>()?;
        let constants = crt_constants(&from, &t)?;
        let mut y = Vec::new();
        for ((limb, q), &hat_inv) in s.limbs(phase)?.into_iter().zip(&from).zip(&constants.hat_inv) {
            let c = q.mul(q.reduce(ty.t), hat_inv);
            y.push(s.op("limb.mul_scalar", Attrs::new().with("c", c), &[limb])?);
        }
        let v = s.op("rns.quotient", Attrs::new(), &y)?;
        y.push(v);
        let inverse = t.neg(t.inv(constants.product)?);
        let hat: Vec<u64> = constants.hat.iter().map(|&h| t.mul(h, inverse)).collect();
        let attrs = Attrs::new().with("c", hat).with("w", ty.t - 1).with("q", ty.t);
        let message = s.op("rns.convert", attrs, &y)?;
        s.retype(message, output)
    }
}
