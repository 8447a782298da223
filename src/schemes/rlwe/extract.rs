//! `rlwe.extract`: what is left of a ciphertext of which no more than sums over its slots are to be decrypted ([`Extract`]): in every slot the sum of those that are a
//! multiple of n / (2 stride) further on in its row, and, with `conjugated` 1, of those of the other row; under CKKS then the real part. No key is switched: the trace of the message to a subring is
//! `stride` times those of its coefficients that lie there, and the errors of these are no larger than they were. Attributes `stride`,
//! `conjugated`, and `repeats`: what sums are divided by, 1 where it is left out.

use super::in_subring;
use crate::Result;
use crate::graph::{OperandId, Real, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Extract, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::noise;

/// `rlwe.extract`; see the module.
pub struct ExtractOp;

impl OpDef for ExtractOp {
    fn name(&self) -> &str {
        "rlwe.extract"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["stride", "conjugated", "repeats"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        let (stride, conjugated) = (call.attrs.size("stride")?, call.attrs.uint("conjugated")?);
        let mut extract = Extract { ciphertext: ty, stride, conjugated: conjugated == 1, times: 1 };
        let most = extract.most();
        if !stride.is_power_of_two() || stride > most || conjugated > 1 || extract.is_whole() {
            let expected = format!("a power of two up to {most}, and 0 or 1, but not 1, 0");
            return Err(call.error("stride, conjugated", format!("{stride}, {conjugated}"), expected));
        }
        let repeats = match call.attrs.get("repeats") {
            Some(_) => call.attrs.uint("repeats")?,
            None => 1,
        };
        // What of the sum the coefficients are that are left of integers modulo t.
        let part = |t: u64| -> Result<(Modulus, u64)> {
            let modulus = Modulus::new(t)?;
            let repeats = modulus.reduce(repeats);
            modulus.inv(repeats)?;
            Ok((modulus, modulus.mul(modulus.inv(modulus.reduce(stride as u64))?, repeats)))
        };
        match &mut extract.ciphertext.scheme {
            Scheme::Bfv { t } => extract.times = part(*t)?.1,
            Scheme::Bgv { t, factor } => {
                let (modulus, part) = part(*t)?;
                *factor = modulus.mul(*factor, part);
            }
            Scheme::Ckks { scale } => {
                // z and its conjugate are twice the real part.
                let times = repeats as f64 * if conjugated == 1 { 2.0 } else { 1.0 };
                let sum = Real::new(scale.get() * times / stride as f64).filter(|scale| scale.get() > 0.0);
                *scale = sum.ok_or_else(|| call.error("scale", "none", "a number above 0"))?;
            }
        }
        Ok(extract.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let extract = Extract::of(&output)?;
        let mut all = Vec::new();
        for (index, part) in s.parts(inputs[0])?.into_iter().enumerate() {
            for limb in s.limbs(part)? {
                all.push(if index == 0 { in_subring(s, limb, &extract)? } else { limb });
            }
        }
        s.merge(&all, output)
    }

    fn fused(&self, inner: &str) -> Option<&str> {
        match inner {
            "bfv.mod_switch" => Some("bfv.switch_extract"),
            "bgv.mod_switch" => Some("bgv.switch_extract"),
            "ckks.rescale" => Some("ckks.rescale_extract"),
            _ => None,
        }
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        // As many coefficients more as rows that are added up; the scale is that of the sum. In the canonical norm the trace is no larger than `stride` times.
        let &Noise { message, error } = inputs.first()?;
        let rows = if call.attrs.uint("conjugated").ok()? == 1 { 2 } else { 1 };
        let times = |x| noise::sum(&vec![x; rows]);
        Some(Noise { message: times(message), error: times(error) })
    }
}
