//! `rlwe.lift_plain`: a plaintext polynomial modulo each prime of attribute `q`: residues modulo t, centered, or integers that doubles hold.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Form, Poly};
use crate::ops::{Call, Level, OpDef, Session};

/// `rlwe.lift_plain`; see the module.
pub struct LiftPlain;

impl OpDef for LiftPlain {
    fn name(&self) -> &str {
        "rlwe.lift_plain"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let head = if is_reals(call) { "reals" } else { "plain" };
        let n = call.input(0, head)?.dim("n")?;
        Ok(Poly { n, q: call.moduli("q")?, form: Form::Coeff }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let to = call.moduli("q")?;
        if is_reals(call) {
            let mut limbs = Vec::with_capacity(to.len());
            for q in to {
                limbs.push(s.op("limb.from_real", Attrs::new().with("q", q), inputs)?);
            }
            return s.merge(&limbs, self.assemble(call)?);
        }
        let limb = super::plain_limb(&call.inputs[0])?;
        let poly = Poly { n: limb.n, q: vec![limb.q], form: Form::Coeff }.ty();
        let poly = s.retype(inputs[0], poly)?;
        s.op("rns.extend", Attrs::new().with("to", to), &[poly])
    }
}

fn is_reals(call: &Call<'_>) -> bool {
    call.inputs.first().is_some_and(|ty| ty.head == "reals")
}
