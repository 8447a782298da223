//! `rlwe.decompose`: the digits of c_1, each modulo all primes of the level and the special ones, NTT form: what key switching multiplies with the
//! key, done once for several keys. Attributes `special`, `digit`: those of the keys. Input: a ciphertext of two parts.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Limb, SwitchingKey};
use crate::ops::{Call, Level, OpDef, Session, fused};

/// `rlwe.decompose`; see the module.
pub struct Decompose;

impl OpDef for Decompose {
    fn name(&self) -> &str {
        "rlwe.decompose"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["digit", "special"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        Ok(digits_type(&self.key(call)?))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let key = self.key(call)?;
        let c1 = s.parts(inputs[0])?[1];
        let mut limbs = Vec::with_capacity(key.digits() * key.all().len());
        for digit in super::key_switch::digits(s, &key, c1)? {
            for (limb, q) in digit.into_iter().zip(key.all()) {
                let ready = Limb::of(s.ty(limb))?.form == Form::Ntt;
                limbs.push(if ready { limb } else { fused::transformed(s, limb, q)? });
            }
        }
        s.merge(&limbs, self.assemble(call)?)
    }
}

impl Decompose {
    /// The keys that the digits are for, as far as these know.
    fn key(&self, call: &Call<'_>) -> Result<SwitchingKey> {
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        if ty.parts != 2 {
            return Err(call.error("parts", ty.parts, 2));
        }
        let (special, digit) = (call.moduli("special")?, call.attrs.size("digit")?);
        SwitchingKey::of(&SwitchingKey { n: ty.n, q: ty.q, special, digit, factor: 1, parties: 1 }.ty())
    }
}

/// The type of the digits that belong to a key.
pub(super) fn digits_type(key: &SwitchingKey) -> ValueType {
    let attrs = Attrs::new().with("n", key.n).with("q", key.q.as_slice());
    let attrs = attrs.with("special", key.special.as_slice()).with("digit", key.digit);
    ValueType::new("digits", key.units() / 2, attrs.with("form", Form::Ntt.name()))
}

/// Limbs through all primes, again and again.
pub(super) fn residues(ty: &ValueType) -> Result<(usize, Vec<u64>)> {
    let key = SwitchingKey::of(ty)?;
    Ok((key.n, key.all().repeat(key.digits())))
}
