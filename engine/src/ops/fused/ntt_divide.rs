//! `limb.ntt_divide`: a division by dropped primes of a polynomial in NTT form, modulo a prime that stays: out = c (a - factor NTT(b)) + scale z modulo q. b is
//! the remainder, in coefficient form, given as residues modulo any prime, centered, and taken modulo q; c is the inverse of what is divided by. Inputs: a, b,
//! and z, which may be left out; a and z are in NTT form. Attributes: `c` and `factor`, and `scale` where there is z, all in [0, q).

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::base::{below, degree};
use crate::ops::types::Form;
use crate::ops::{Call, Level, OpDef, Session};

/// `limb.ntt_divide`; see the module.
pub struct NttDivide;

impl OpDef for NttDivide {
    fn name(&self) -> &str {
        "limb.ntt_divide"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["c", "factor", "scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        if call.inputs.len() != 3 {
            call.arity(2)?;
        }
        let limb = call.limb_in(0, Form::Ntt)?;
        degree(call, limb.n)?;
        let remainder = call.limb_in(1, Form::Coeff)?;
        if remainder.n != limb.n {
            return Err(call.error("input 1", &call.inputs[1], format!("a limb with n={}", limb.n)));
        }
        below(call, "c", limb.q)?;
        below(call, "factor", limb.q)?;
        if call.inputs.len() > 2 {
            call.same(0, 2)?;
            below(call, "scale", limb.q)?;
        } else if call.attrs.get("scale").is_some() {
            return Err(call.error("number of inputs with scale", 2, 3));
        }
        Ok(call.inputs[0].clone())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let times = |s: &mut Session<'_>, x: OperandId, name: &str| match call.attrs.uint(name)? {
            1 => Ok(x),
            c => s.op("limb.mul_scalar", Attrs::new().with("c", c), &[x]),
        };
        let remainder = super::transformed(s, inputs[1], call.limb(0)?.q)?;
        let remainder = times(s, remainder, "factor")?;
        let difference = s.op("limb.sub", Attrs::new(), &[inputs[0], remainder])?;
        let divided = times(s, difference, "c")?;
        let Some(&z) = inputs.get(2) else { return Ok(divided) };
        let scaled = times(s, z, "scale")?;
        s.op("limb.add", Attrs::new(), &[divided, scaled])
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = call.inputs.first().map_or(1.0, |ty| ty.size as f64).max(1.0);
        n * (0.5 * libm::log2(n) + 0.5 * call.inputs.len() as f64)
    }
}
