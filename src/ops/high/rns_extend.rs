//! `rns.extend`: the same polynomial, centered, modulo other primes.
//!
//! With y_i = x_i (Q/q_i)^-1 mod q_i and v = round(sum of y_i/q_i), x = sum of y_i Q/q_i - v Q exactly, |x| <= Q/2
//! (Halevi, Polyakov, Shoup, ia.cr/2018/117). Attribute `to`: the new primes. Coefficient form.

use super::limbwise::moduli;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::rns::crt_constants;
use crate::ops::types::{Form, Poly};
use crate::ops::{Call, Level, OpDef, Session};

/// `rns.extend`; see the module.
pub struct Extend;

impl OpDef for Extend {
    fn name(&self) -> &str {
        "rns.extend"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let poly = Poly::of(call.input(0, "poly")?)?;
        if poly.form != Form::Coeff {
            return Err(call.error("form", poly.form.name(), Form::Coeff.name()));
        }
        Ok(Poly { q: call.attrs.uints("to")?, ..poly }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let from = moduli(&Poly::of(&call.inputs[0])?.q)?;
        let limbs = s.limbs(inputs[0])?;
        let mut y = Vec::with_capacity(limbs.len() + 1);
        for (limb, &c) in limbs.iter().zip(&crt_constants(&from, &from[0])?.hat_inv) {
            // A single prime needs no factor.
            y.push(if from.len() == 1 {
                *limb
            } else {
                s.op("limb.mul_scalar", Attrs::new().with("c", c), &[*limb])?
            });
        }
        let v = s.op("rns.quotient", Attrs::new(), &y)?;
        y.push(v);
        let mut out = Vec::new();
        for p in moduli(&Poly::of(&output)?.q)? {
            let c = crt_constants(&from, &p)?;
            let attrs = Attrs::new().with("c", c.hat).with("w", c.product).with("q", p.value());
            out.push(s.op("rns.convert", attrs, &y)?);
        }
        s.merge(&out, output)
    }
}
