//! `bfv.scale_plain`: round(Q m / t) modulo each prime of Q, attribute `q`. With r = [Q m]_t, centered,
//! round(Q m / t) = (Q m - r) / t, which is -r t^-1 modulo the primes of Q.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
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

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let n = call.input(0, "plain")?.dim("n")?;
        Ok(Poly { n, q: call.moduli("q")?, form: Form::Coeff }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let limb = crate::schemes::rlwe::plain_limb(&call.inputs[0])?;
        let poly = Poly { n: limb.n, q: vec![limb.q], form: Form::Coeff }.ty();
        let poly = s.retype(inputs[0], poly)?;
        s.op("rns.switch", Attrs::new().with("to", call.moduli("q")?), &[poly])
    }
}
