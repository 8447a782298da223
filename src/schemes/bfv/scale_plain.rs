//! `bfv.scale_plain`: round(Q m / t) modulo each prime of Q, attribute `q`. With r = [Q m]_t, centered,
//! round(Q m / t) = (Q m - r) / t, which is -r t^-1 modulo the primes of Q.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Form, Poly};
use crate::ops::{Call, Level, OpDef, Session};

/// `bfv.scale_plain`; see the module.
pub struct ScalePlain;

impl OpDef for ScalePlain {
    fn name(&self) -> &str {
        "bfv.scale_plain"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let n = call.input(0, "plain")?.dim("n")?;
        Ok(Poly { n, q: call.attrs.uints("q")?, form: Form::Coeff }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let limb = super::plain_limb(&call.inputs[0])?;
        let t = Modulus::new(limb.q)?;
        let q = call.attrs.uints("q")?;
        let product = q.iter().fold(1, |product, &q| t.mul(product, t.reduce(q)));
        let limb = s.retype(inputs[0], limb.ty())?;
        let y = s.op("limb.mul_scalar", Attrs::new().with("c", product), &[limb])?;
        let v = s.op("rns.quotient", Attrs::new(), &[y])?;
        let mut limbs = Vec::new();
        for q in q {
            let modulus = Modulus::new(q)?;
            let c = modulus.neg(modulus.inv(modulus.reduce(t.value()))?);
            let attrs = Attrs::new().with("c", vec![c]).with("w", q - 1).with("q", q);
            limbs.push(s.op("rns.convert", attrs, &[y, v])?);
        }
        s.merge(&limbs, output)
    }
}
