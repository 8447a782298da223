//! `rns.extend`: the same polynomial, centered, modulo other primes.
//!
//! With y_i = x_i (Q/q_i)^-1 mod q_i and v = round(sum of y_i/q_i), x = sum of y_i Q/q_i - v Q exactly, |x| <= Q/2
//! (Halevi, Polyakov, Shoup, ia.cr/2018/117). Attribute `to`: the new primes. Coefficient form.

use super::base_change;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Poly;
use crate::ops::{Call, Level, OpDef, Session};

/// `rns.extend`; see the module.
pub struct Extend;

impl OpDef for Extend {
    fn name(&self) -> &str {
        "rns.extend"
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
        if to.is_empty() {
            return Err(call.error("to", "no primes", "at least one"));
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
