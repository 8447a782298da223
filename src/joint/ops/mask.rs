//! `joint.mask`: what one party hides a message with while it is refreshed: digits to a base, uniform, so that the number which they are is uniform among base^count, centered. Input: a secret seed.
//! Attributes `n`; `base`: the plaintext modulus under BFV and BGV, modulo which a message with a uniform one added is uniform; `count`: how many digits, 1 under these.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Form, Limb, Poly, Scheme};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// Most digits: more than any modulus has room for.
const MOST: usize = 64;

/// `joint.mask`; see the module.
pub struct Mask;

impl OpDef for Mask {
    fn name(&self) -> &str {
        "joint.mask"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["base", "count", "n"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        call.input(0, "secret_seed")?;
        let (n, base, count) = (call.attrs.size("n")?, call.modulus("base")?, call.attrs.size("count")?);
        if !(1..=MOST).contains(&count) {
            return Err(call.error("count", count, format!("1 to {MOST}")));
        }
        let ty = types::mask(n, base.value(), count);
        types::dimension(&ty)?;
        Ok(ty)
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let attrs = Attrs::new().with("n", call.attrs.size("n")?).with("q", call.modulus("base")?.value());
        let digits = (0..call.attrs.size("count")?).map(|_| s.op("sample.mask", attrs.clone(), inputs));
        let digits = digits.collect::<Result<Vec<_>>>()?;
        s.merge(&digits, self.assemble(call)?)
    }
}

/// Checks that input `index` is a mask of a message as it lies in such a ciphertext: of BFV and BGV one digit modulo the plaintext modulus.
pub(super) fn mask_in(call: &Call<'_>, index: usize, of: &Ciphertext) -> Result<()> {
    let found = call.input(index, "mask")?;
    let expected = match of.scheme {
        Scheme::Bfv { t } | Scheme::Bgv { t, .. } => types::mask(of.n, t, 1),
        Scheme::Ckks { .. } => types::mask(of.n, types::modulus(found, "q")?, found.attrs.size("count")?),
    };
    if found != &expected {
        return Err(call.error(format!("input {index}"), found, expected));
    }
    Ok(())
}

/// A mask as its ciphertext's scheme has a message, modulo such primes: limbs in coefficient form.
pub(super) fn encoded(
    s: &mut Session<'_>,
    mask: OperandId,
    scheme: Scheme,
    to: &[u64],
) -> Result<Vec<OperandId>> {
    let ty = s.ty(mask).clone();
    let (n, base, count) = (types::dimension(&ty)?, types::modulus(&ty, "q")?, ty.attrs.size("count")?);
    let limb = Limb { n, q: base, form: Form::Coeff };
    let digits = (0..count).map(|at| s.split(mask, (at * n) as u64, limb.ty()));
    let digits = digits.collect::<Result<Vec<_>>>()?;
    let own = Poly { n, q: vec![base], form: Form::Coeff }.ty();
    let attrs = Attrs::new().with("to", to);
    match scheme {
        Scheme::Bfv { .. } => {
            let plain = s.retype(digits[0], own)?;
            let scaled = s.op("rns.switch", attrs, &[plain])?;
            s.limbs(scaled)
        }
        Scheme::Bgv { factor, .. } => {
            let times = rlwe::times(s, digits[0], base, factor)?;
            let plain = s.retype(times, own)?;
            let lifted = s.op("rns.extend", attrs, &[plain])?;
            s.limbs(lifted)
        }
        Scheme::Ckks { .. } => {
            // By Horner's rule, from the highest digit down.
            let mut sum: Option<Vec<OperandId>> = None;
            for digit in digits.into_iter().rev() {
                let plain = s.retype(digit, own.clone())?;
                let lifted = s.op("rns.extend", attrs.clone(), &[plain])?;
                let lifted = s.limbs(lifted)?;
                sum = Some(match sum {
                    None => lifted,
                    Some(mut sum) => {
                        for ((sum, &digit), &q) in sum.iter_mut().zip(&lifted).zip(to) {
                            let higher = rlwe::times(s, *sum, q, base)?;
                            *sum = s.op("limb.add", Attrs::new(), &[higher, digit])?;
                        }
                        sum
                    }
                });
            }
            Ok(sum.unwrap_or_default())
        }
    }
}
