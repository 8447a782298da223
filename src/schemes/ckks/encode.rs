//! `ckks.encode`: reals or complex numbers, one per slot, to a plaintext: the coefficients of the polynomial with these slots times attribute `scale`,
//! rounded to integers. Input: `f64[n/2]`, or `f64[n/2, 2]` with real and imaginary parts. One slot that is no finite number leaves nothing of the others.

use super::canonical;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session, base, types};

/// `ckks.encode`; see the module.
pub struct Encode;

impl OpDef for Encode {
    fn name(&self) -> &str {
        "ckks.encode"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["scale"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        base::embedded(call)
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        s.op("slots.embed", call.attrs.clone(), inputs)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let n = base::embedded(call).ok()?.dim("n").ok()?;
        let mut slots = *inputs.first()?;
        if call.tensor(0).ok()?.shape.len() == 2 {
            // Real and imaginary part may both be as large.
            slots = Noise { message: slots.message + 0.5, error: slots.error + 0.5 };
        }
        Some(canonical::encoded(n, libm::log2(types::scale(call.attrs).ok()?.get()), slots))
    }

    fn random_noise(&self, call: &Call<'_>) -> f64 {
        let n = base::embedded(call).and_then(|ty| Ok(ty.dim("n")?));
        n.map_or(f64::NEG_INFINITY, canonical::rounded)
    }
}
