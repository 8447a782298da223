//! `rlwe.automorphism_hoisted`: `rlwe.automorphism` with the digits of c_1 at hand. Inputs: the ciphertext, the switching key of g at its level, the
//! digits (`rlwe.decompose`). Attribute `g`.

use super::decompose::digits_type;
use super::key_switch;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Limb, SwitchingKey};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise::Switched;

/// `rlwe.automorphism_hoisted`; see the module.
pub struct AutomorphismHoisted;

impl OpDef for AutomorphismHoisted {
    fn name(&self) -> &str {
        "rlwe.automorphism_hoisted"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["g"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        if ty.parts != 2 {
            return Err(call.error("parts", ty.parts, 2));
        }
        super::galois(call, ty.n)?;
        super::key_at_level(call, 1, &ty)?;
        let expected = digits_type(&SwitchingKey::of(&call.inputs[1])?);
        if call.input(2, "digits")? != &expected {
            return Err(call.error("input 2", &call.inputs[2], expected));
        }
        Ok(ty.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let key = SwitchingKey::of(&call.inputs[1])?;
        let Ciphertext { scheme, form, .. } = Ciphertext::of(&output)?;
        let limb = |index: usize| Limb { n: key.n, q: key.all()[index], form: Form::Ntt };
        let (primes, mut digits) = (key.all().len(), Vec::with_capacity(key.digits()));
        for d in 0..key.digits() {
            let at = |index: usize| ((d * primes + index) * key.n) as u64;
            let digit = (0..primes).map(|index| s.split(inputs[2], at(index), limb(index).ty()));
            digits.push(digit.collect::<Result<Vec<_>>>()?);
        }
        let pair = key_switch::inner_products(s, &key, &digits, inputs[1], form)?;
        let parts = s.parts(inputs[0])?;
        let pair = key_switch::divided(s, pair, &key, scheme.error_factor(), &parts[..1])?;
        let switched = s.merge(&pair, output.clone())?;
        super::partwise_with(s, "poly.automorphism", call.attrs, &[switched], output)
    }

    fn costs_by(&self, attribute: &str) -> bool {
        attribute != "g"
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        super::switched(call, inputs, Switched::Image)
    }

    fn random_noise(&self, call: &Call<'_>) -> f64 {
        super::random_switching_noise(call, 1, Switched::Image)
    }
}
