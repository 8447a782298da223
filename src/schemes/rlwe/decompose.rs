//! `rlwe.decompose`: the digits of a polynomial for key switching. Digit d is x modulo the primes of the digit, extended
//! to all primes of the level and the special ones, NTT form; the digits lie one after the other. A digit of one
//! prime is taken in [0, q), a longer one centered. Attributes `special`, `digit`. Depends on the polynomial alone, so
//! that rotations of one ciphertext share it (hoisting).

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Form, Poly, SwitchingKey};
use crate::ops::{Call, Level, OpDef, Session};

/// `rlwe.decompose`; see the module.
pub struct Decompose;

impl OpDef for Decompose {
    fn name(&self) -> &str {
        "rlwe.decompose"
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
        Ok(super::digits_type(&key_of(call, &poly)?))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let poly = Poly::of(&call.inputs[0])?;
        let key = key_of(call, &poly)?;
        let limbs = s.limbs(inputs[0])?;
        let mut out = Vec::new();
        for digit in 0..key.digits() {
            let own = key.digit_range(digit);
            let others: Vec<u64> =
                key.all().into_iter().filter(|q| !key.q[own.clone()].contains(q)).collect();
            let mut extended = extend(s, &limbs[own.clone()], &poly, own.clone(), &others)?.into_iter();
            for index in 0..key.all().len() {
                let limb = match limbs.get(index).filter(|_| own.contains(&index)) {
                    Some(&limb) => Some(limb),
                    None => extended.next(),
                };
                let limb = limb.ok_or_else(|| call.error("digit", index, "a limb for every prime"))?;
                out.push(s.op("limb.ntt", Attrs::new(), &[limb])?);
            }
        }
        s.merge(&out, super::digits_type(&key))
    }
}

fn key_of(call: &Call<'_>, poly: &Poly) -> Result<SwitchingKey> {
    let (special, digit) = (call.attrs.uints("special")?, call.attrs.size("digit")?);
    SwitchingKey::of(&SwitchingKey { n: poly.n, q: poly.q.clone(), special, digit }.ty())
}

/// The limbs of one digit modulo the other primes.
fn extend(
    s: &mut Session<'_>,
    limbs: &[OperandId],
    poly: &Poly,
    own: std::ops::Range<usize>,
    others: &[u64],
) -> Result<Vec<OperandId>> {
    if let [limb] = limbs {
        let convert =
            |&q: &u64| s.op("rns.convert", Attrs::new().with("c", vec![1u64]).with("q", q), &[*limb]);
        return others.iter().map(convert).collect();
    }
    let part = Poly { q: poly.q[own].to_vec(), ..poly.clone() }.ty();
    let digit = s.merge(limbs, part)?;
    let extended = s.op("rns.extend", Attrs::new().with("to", others), &[digit])?;
    s.limbs(extended)
}
