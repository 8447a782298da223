//! `bfv.add_plain`: adds a plaintext: round(Q m / t) is added to c_0. Noise: one rounding more.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `bfv.add_plain`; see the module.
pub struct AddPlain;

impl OpDef for AddPlain {
    fn name(&self) -> &str {
        "bfv.add_plain"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(super::of_scheme(call, rlwe::with_plain(call)?)?.0.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&call.inputs[0])?;
        let mut parts = s.parts(inputs[0])?;
        let scaled = s.op("bfv.scale_plain", Attrs::new().with("q", ty.q.as_slice()), &inputs[1..])?;
        let scaled = rlwe::in_form(s, scaled, ty.form)?;
        parts[0] = s.op("poly.add", Attrs::new(), &[parts[0], scaled])?;
        s.merge(&parts, ty.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        Some(Noise::error(noise::sum(&[inputs.first()?.error, -1.0])))
    }
}
