//! `rns.scale_round`: multiply by a small factor, divide by some of the primes, round, and drop these primes:
//! round(f x / A) modulo the others, A the product of the primes in attribute `drop`, f the attribute `factor`.
//!
//! round(f x / A) = (f x - [f x]_A) / A with the centered remainder, which is converted from A to each other
//! prime b: f A^-1 x - A^-1 [f x]_A mod b. With f = t and A = P it is the division of BFV multiplication, with
//! f = 1 and A = P that of hybrid key switching, with f = 1 and the last primes of Q modulus switching (Halevi,
//! Polyakov, Shoup, ia.cr/2018/117; Kim, Polyakov, Zucca, ia.cr/2021/204). Coefficient form.

use super::base_change;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::Poly;
use crate::ops::{Call, Level, OpDef, Session};

/// `rns.scale_round`; see the module.
pub struct ScaleRound;

impl OpDef for ScaleRound {
    fn name(&self) -> &str {
        "rns.scale_round"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["drop", "factor"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let poly = base_change::coefficients(call)?;
        call.attrs.uint("factor")?;
        let drop = call.attrs.uints("drop")?;
        let kept: Vec<u64> = poly.q.iter().copied().filter(|q| !drop.contains(q)).collect();
        if drop.is_empty() || kept.is_empty() || kept.len() + drop.len() != poly.q.len() {
            return Err(call.error("drop", format!("{drop:?}"), format!("some, not all, of {:?}", poly.q)));
        }
        Ok(Poly { q: kept, ..poly }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        base_change::expand(s, call, inputs[0], Poly::of(&self.assemble(call)?)?)
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        base_change::cost(call)
    }
}
