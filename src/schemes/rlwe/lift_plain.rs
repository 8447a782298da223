//! `rlwe.lift_plain`: a plaintext polynomial, centered, modulo each prime of attribute `q`.

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
        let n = call.input(0, "plain")?.dim("n")?;
        Ok(Poly { n, q: call.moduli("q")?, form: Form::Coeff }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let limb = super::plain_limb(&call.inputs[0])?;
        let poly = Poly { n: limb.n, q: vec![limb.q], form: Form::Coeff }.ty();
        let poly = s.retype(inputs[0], poly)?;
        s.op("rns.extend", Attrs::new().with("to", call.moduli("q")?), &[poly])
    }
}
