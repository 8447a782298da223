//! `rns.switch`: modulus switching to other primes: round(P/Q x) modulo P, with Q the product of the polynomial's primes
//! and P that of the primes in attribute `to`, which has none of Q.
//!
//! P x is 0 modulo P, so that it is -[P x]_Q Q^-1 mod P: one base conversion from Q to P (Kim, Polyakov, Zucca,
//! ia.cr/2021/204). With P = t it is the last step of BFV decryption. Coefficient form.

use super::base_change;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Poly;
use crate::ops::{Call, Level, OpDef, Session};

/// `rns.switch`; see the module.
pub struct Switch;

impl OpDef for Switch {
    fn name(&self) -> &str {
        "rns.switch"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["to"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let poly = base_change::coefficients(call)?;
        let to = call.attrs.uints("to")?;
        if to.is_empty() || to.iter().any(|p| poly.q.contains(p)) {
            return Err(call.error("to", format!("{to:?}"), format!("primes other than {:?}", poly.q)));
        }
        Ok(Poly { q: to, ..poly }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        base_change::expand(s, call, inputs[0], Poly::of(&self.assemble(call)?)?)
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        base_change::cost(call)
    }
}
