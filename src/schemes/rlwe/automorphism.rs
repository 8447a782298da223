//! `rlwe.automorphism`: applies X to X^g, which moves slots (`math::slots`). Inputs: the ciphertext and the switching key of g at its level. Attribute
//! `g`: odd, below 2n.
//!
//! c_1 is switched from s to s(X^(1/g)) first, and what that makes of the ciphertext is mapped, under s then. So the decomposition into digits does not
//! depend on g: several automorphisms of one ciphertext share it (hoisting, Halevi and Shoup, ia.cr/2018/244, section 5), as
//! `rlwe.automorphism_hoisted`.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, SwitchingKey};
use crate::ops::{Call, Level, Noise, OpDef, Session, Shared};
use crate::schemes::noise::Switched;

/// `rlwe.automorphism`; see the module.
pub struct Automorphism;

impl OpDef for Automorphism {
    fn name(&self) -> &str {
        "rlwe.automorphism"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["g"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        if ty.parts != 2 {
            return Err(call.error("parts", ty.parts, 2));
        }
        super::galois(call, ty.n)?;
        super::key_at_level(call, 1, &ty)?;
        Ok(ty.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let parts = s.parts(inputs[0])?;
        let switched = super::switch_onto(s, &parts[..1], parts[1], inputs[1], &output)?;
        super::partwise_with(s, "poly.automorphism", call.attrs, &[switched], output)
    }

    fn shared(&self, call: &Call<'_>) -> Option<Shared> {
        let key = SwitchingKey::of(call.inputs.get(1)?).ok()?;
        let attrs = Attrs::new().with("special", key.special).with("digit", key.digit);
        Some(Shared { prepare: "rlwe.decompose", attrs, inputs: vec![0], then: "rlwe.automorphism_hoisted" })
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
