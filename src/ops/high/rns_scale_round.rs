//! `rns.scale_round`: multiply by a small factor, divide by some of the primes, round, and drop these primes:
//! round(f x / A) modulo the others, A the product of the primes in attribute `drop`, f the attribute `factor`.
//!
//! round(f x / A) = (f x - [f x]_A) / A with the centered remainder, which is converted from A to each other
//! prime b: f A^-1 x - A^-1 [f x]_A mod b. With f = t and A = Q it is the division of BFV multiplication, with
//! f = 1 and A = P that of hybrid key switching, with f = 1 and the last primes of Q modulus switching (Halevi,
//! Polyakov, Shoup, ia.cr/2018/117; Kim, Polyakov, Zucca, ia.cr/2021/204). Coefficient form.

use super::limbwise::moduli;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::rns::crt_constants;
use crate::ops::types::{Form, Poly};
use crate::ops::{Call, Level, OpDef, Session};

/// `rns.scale_round`; see the module.
pub struct ScaleRound;

impl OpDef for ScaleRound {
    fn name(&self) -> &str {
        "rns.scale_round"
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
        call.attrs.uint("factor")?;
        let drop = call.attrs.uints("drop")?;
        let kept: Vec<u64> = poly.q.iter().copied().filter(|q| !drop.contains(q)).collect();
        if drop.is_empty() || kept.is_empty() || kept.len() + drop.len() != poly.q.len() {
            return Err(call.error("drop", format!("{drop:?}"), format!("some, not all, of {:?}", poly.q)));
        }
        Ok(Poly { q: kept, ..poly }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let all = Poly::of(&call.inputs[0])?.q;
        let (drop, factor) = (call.attrs.uints("drop")?, call.attrs.uint("factor")?);
        let from = moduli(&drop)?;
        let limbs = s.limbs(inputs[0])?;
        let of = |prime: u64| all.iter().position(|&q| q == prime).map_or(limbs[0], |index| limbs[index]);
        let mut y = Vec::with_capacity(drop.len() + 1);
        for (a, &hat_inv) in from.iter().zip(&crt_constants(&from, &from[0])?.hat_inv) {
            let c = a.mul(a.reduce(factor), hat_inv);
            let limb = of(a.value());
            y.push(if c == 1 { limb } else { s.op("limb.mul_scalar", Attrs::new().with("c", c), &[limb])? });
        }
        let v = s.op("rns.quotient", Attrs::new(), &y)?;
        y.push(v);
        let mut out = Vec::new();
        for b in moduli(&Poly::of(&output)?.q)? {
            let c = crt_constants(&from, &b)?;
            let inverse = b.inv(c.product)?;
            let hat: Vec<u64> = c.hat.iter().map(|&h| b.mul(h, inverse)).collect();
            let attrs = Attrs::new().with("c", hat).with("w", 1u64).with("q", b.value());
            let remainder = s.op("rns.convert", attrs, &y)?;
            let scale = Attrs::new().with("c", b.mul(b.reduce(factor), inverse));
            out.push(s.op("limb.scale_sub", scale, &[of(b.value()), remainder])?);
        }
        s.merge(&out, output)
    }
}
