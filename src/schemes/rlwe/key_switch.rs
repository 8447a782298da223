//! `rlwe.key_switch`: from x s' to a pair (c_0, c_1) with c_0 + c_1 s = x s' + small noise: c_k = round(sum over digits d
//! of x_d key_d[k] / P), to a multiple of attribute `factor` where that is given. Inputs: the polynomial and the switching key. The output is the pair, one
//! polynomial after the other, in the form of the input.
//!
//! Digit d is x modulo the primes of the digit, seen as an integer modulo all primes of the level and the special ones:
//! in [0, q) for a digit of one prime, which needs no conversion, else centered (hybrid key switching, Han and Ki,
//! ia.cr/2019/688).

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Form, Limb, Poly, SwitchingKey, error_factor};
use crate::ops::{Call, Level, OpDef, Session, fused};

/// `rlwe.key_switch`; see the module.
pub struct KeySwitch;

impl OpDef for KeySwitch {
    fn name(&self) -> &str {
        "rlwe.key_switch"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["factor"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        error_factor(call.attrs)?;
        let poly = Poly::of(call.input(0, "poly")?)?;
        let key = SwitchingKey::of(call.input(1, "switching_key")?)?;
        if poly.q != key.q || poly.n != key.n {
            return Err(call.error("level of the key", call.inputs[1].clone(), call.inputs[0].clone()));
        }
        Ok(super::pair_type(&poly))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let key = SwitchingKey::of(&call.inputs[1])?;
        let mut pair = wide_pair(s, &key, inputs[0], inputs[1])?;
        for half in &mut pair {
            *half = super::divide(s, *half, &key.special, error_factor(call.attrs)?)?;
        }
        s.merge(&pair, self.assemble(call)?)
    }
}

/// The sums over digits d of x_d key_d[k] modulo the primes of the level and the special ones, in the form of x.
pub(super) fn wide_pair(
    s: &mut Session<'_>,
    ty: &SwitchingKey,
    x: OperandId,
    key: OperandId,
) -> Result<[OperandId; 2]> {
    if Poly::of(s.ty(x))?.form == Form::Ntt {
        let digits = transformed_digits(s, ty, x)?;
        return inner_products(s, ty, &digits, key);
    }
    let (n, all) = (ty.n, ty.all());
    let digits = digits(s, ty, x)?;
    let mut halves = [Vec::with_capacity(all.len()), Vec::with_capacity(all.len())];
    for (index, &q) in all.iter().enumerate() {
        let mut operands: Vec<OperandId> = digits.iter().map(|digit| digit[index]).collect();
        for row in 0..2 * digits.len() {
            let limb = Limb { n, q, form: Form::Ntt }.ty();
            operands.push(s.split(key, ((row * all.len() + index) * n) as u64, limb)?);
        }
        let attrs = Attrs::new().with("q", q).with("outputs", 2u64);
        let sums = s.op("limb.convolve", attrs, &operands)?;
        for (k, half) in halves.iter_mut().enumerate() {
            half.push(s.split(sums, (k * n) as u64, Limb { n, q, form: Form::Coeff }.ty())?);
        }
    }
    let wide = Poly { n, q: all, form: Form::Coeff };
    let [b, a] = halves;
    Ok([s.merge(&b, wide.ty())?, s.merge(&a, wide.ty())?])
}

/// For each digit, a limb for each prime that gives it there.
fn digits(s: &mut Session<'_>, key: &SwitchingKey, poly: OperandId) -> Result<Vec<Vec<OperandId>>> {
    let (limbs, all) = (s.limbs(poly)?, key.all());
    let mut digits = Vec::with_capacity(key.digits());
    for range in (0..key.digits()).map(|d| key.digit_range(d)) {
        if let [limb] = limbs[range.clone()] {
            digits.push(vec![limb; all.len()]);
            continue;
        }
        let own = Poly { n: key.n, q: key.q[range.clone()].to_vec(), form: Form::Coeff };
        let others: Vec<u64> = all.iter().copied().filter(|q| !own.q.contains(q)).collect();
        let digit = s.merge(&limbs[range.clone()], own.ty())?;
        let extended = s.op("rns.extend", Attrs::new().with("to", others), &[digit])?;
        let mut row = s.limbs(extended)?;
        row.splice(range.start..range.start, limbs[range].iter().copied());
        digits.push(row);
    }
    Ok(digits)
}

/// The same in NTT form, each modulo its prime; of a polynomial in either form.
pub(super) fn transformed_digits(
    s: &mut Session<'_>,
    key: &SwitchingKey,
    poly: OperandId,
) -> Result<Vec<Vec<OperandId>>> {
    let known = Poly::of(s.ty(poly))?.form == Form::Ntt;
    let values = if known { s.limbs(poly)? } else { Vec::new() };
    let coefficients = if known { s.op("poly.intt", Attrs::new(), &[poly])? } else { poly };
    let mut digits = digits(s, key, coefficients)?;
    for (d, digit) in digits.iter_mut().enumerate() {
        for ((index, limb), q) in digit.iter_mut().enumerate().zip(key.all()) {
            // Modulo a prime of its own a digit is the polynomial.
            let own = values.get(index).filter(|_| key.digit_range(d).contains(&index));
            *limb = match own {
                Some(&value) => value,
                None => fused::transformed(s, *limb, q)?,
            };
        }
    }
    Ok(digits)
}

/// Sums over d of x_d b_d and of x_d a_d modulo all primes, NTT form.
pub(super) fn inner_products(
    s: &mut Session<'_>,
    ty: &SwitchingKey,
    digits: &[Vec<OperandId>],
    key: OperandId,
) -> Result<[OperandId; 2]> {
    let wide = Poly { n: ty.n, q: ty.all(), form: Form::Ntt };
    let mut pair = [key; 2];
    for (half, product) in pair.iter_mut().enumerate() {
        let mut limbs = Vec::with_capacity(wide.q.len());
        for index in 0..wide.q.len() {
            let mut terms = Vec::with_capacity(2 * digits.len());
            for (d, digit) in digits.iter().enumerate() {
                let at = ((2 * d + half) * wide.q.len() + index) * ty.n;
                terms.push(digit[index]);
                terms.push(s.split(key, at as u64, wide.limb(index).ty())?);
            }
            limbs.push(s.op("limb.dot", Attrs::new(), &terms)?);
        }
        *product = s.merge(&limbs, wide.ty())?;
    }
    Ok(pair)
}
