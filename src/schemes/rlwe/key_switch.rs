//! `rlwe.key_switch`: from x s' to a pair (c_0, c_1) with c_0 + c_1 s = x s' + small noise: c_k = round(sum over digits d
//! of x_d key_d[k] / P), to a multiple of attribute `factor` where that is given. Inputs: the polynomial and the switching key, then one
//! or two polynomials, if any, which are added to c_0 and c_1. The output is the pair, one polynomial after the other, in the form of the input.
//!
//! Digit d is x modulo the primes of the digit, seen as an integer modulo all primes of the level and the special ones:
//! centered (hybrid key switching, Han and Ki, ia.cr/2019/688). A digit of one prime needs no conversion: whoever transforms it centers it.

use super::divide::divide_onto;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Form, Poly, SwitchingKey, error_factor};
use crate::ops::{Call, Level, OpDef, Session};

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
        if !(3..=4).contains(&call.inputs.len()) {
            call.arity(2)?;
        }
        error_factor(call.attrs)?;
        let poly = Poly::of(call.input(0, "poly")?)?;
        let key = SwitchingKey::of(call.input(1, "switching_key")?)?;
        if poly.q != key.q || poly.n != key.n {
            return Err(call.error("level of the key", call.inputs[1].clone(), call.inputs[0].clone()));
        }
        (2..call.inputs.len()).try_for_each(|index| call.same(0, index))?;
        Ok(super::pair_type(&poly))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let key = SwitchingKey::of(&call.inputs[1])?;
        let pair = wide_pair(s, &key, inputs[0], inputs[1])?;
        let pair = divided(s, pair, &key, error_factor(call.attrs)?, &inputs[2..])?;
        let poly = Poly::of(s.ty(pair[0]))?;
        s.merge(&pair, super::pair_type(&poly))
    }
}

/// Such sums, divided by the special primes of the key, with polynomials added to the first of them, as many as there are.
pub(super) fn divided(
    s: &mut Session<'_>,
    mut pair: [OperandId; 2],
    key: &SwitchingKey,
    factor: u64,
    added: &[OperandId],
) -> Result<[OperandId; 2]> {
    for (index, half) in pair.iter_mut().enumerate() {
        let added = added.get(index).map(|&added| (added, [].as_slice()));
        *half = divide_onto(s, *half, &key.special, factor, added)?;
    }
    Ok(pair)
}

/// The sums over digits d of x_d key_d[k] modulo the primes of the level and the special ones, in the form of x.
pub(super) fn wide_pair(
    s: &mut Session<'_>,
    ty: &SwitchingKey,
    x: OperandId,
    key: OperandId,
) -> Result<[OperandId; 2]> {
    let form = Poly::of(s.ty(x))?.form;
    let digits = digits(s, ty, x)?;
    inner_products(s, ty, &digits, key, form)
}

/// For each digit, a limb for each prime that gives it there: integers in coefficient form, modulo that prime or another; of a polynomial in NTT form
/// its own limbs, where there are such.
pub(super) fn digits(
    s: &mut Session<'_>,
    key: &SwitchingKey,
    poly: OperandId,
) -> Result<Vec<Vec<OperandId>>> {
    let known = Poly::of(s.ty(poly))?.form == Form::Ntt;
    let values = if known { s.limbs(poly)? } else { Vec::new() };
    let coefficients = if known { s.op("poly.intt", Attrs::new(), &[poly])? } else { poly };
    let (limbs, all) = (s.limbs(coefficients)?, key.all());
    let mut digits = Vec::with_capacity(key.digits());
    for range in (0..key.digits()).map(|d| key.digit_range(d)) {
        let mut row = if let [limb] = limbs[range.clone()] {
            vec![limb; all.len()]
        } else {
            let own = Poly { n: key.n, q: key.q[range.clone()].to_vec(), form: Form::Coeff };
            let others: Vec<u64> = all.iter().copied().filter(|q| !own.q.contains(q)).collect();
            let digit = s.merge(&limbs[range.clone()], own.ty())?;
            let extended = s.op("rns.extend", Attrs::new().with("to", others), &[digit])?;
            let mut row = s.limbs(extended)?;
            row.splice(range.start..range.start, limbs[range.clone()].iter().copied());
            row
        };
        if known {
            // Modulo a prime of its own a digit is the polynomial.
            row[range.clone()].copy_from_slice(&values[range]);
        }
        digits.push(row);
    }
    Ok(digits)
}

/// Sums over d of x_d b_d and of x_d a_d modulo all primes, in that form.
pub(super) fn inner_products(
    s: &mut Session<'_>,
    ty: &SwitchingKey,
    digits: &[Vec<OperandId>],
    key: OperandId,
    form: Form,
) -> Result<[OperandId; 2]> {
    let wide = Poly { n: ty.n, q: ty.all(), form };
    let mut halves = [Vec::with_capacity(wide.q.len()), Vec::with_capacity(wide.q.len())];
    for (index, &q) in wide.q.iter().enumerate() {
        let mut operands: Vec<OperandId> = digits.iter().map(|digit| digit[index]).collect();
        for row in 0..2 * digits.len() {
            let at = ((row * wide.q.len() + index) * ty.n) as u64;
            operands.push(s.split(key, at, wide.limb(index).in_form(Form::Ntt).ty())?);
        }
        let attrs = Attrs::new().with("q", q).with("outputs", 2u64);
        let sums = s.op("limb.convolve", types::with_form(attrs, form), &operands)?;
        for (k, half) in halves.iter_mut().enumerate() {
            half.push(s.split(sums, (k * ty.n) as u64, wide.limb(index).ty())?);
        }
    }
    let [b, a] = halves;
    Ok([s.merge(&b, wide.ty())?, s.merge(&a, wide.ty())?])
}
