//! `ckks.release`: a ciphertext or extract that is to be decrypted for others than who holds the key: c_0 plus noise, in each coefficient of the message independently
//! from a discrete Gaussian, before anything is decoded or rounded (`schemes::releases` says how much it has to be, and why). Inputs: the ciphertext, a secret
//! seed. Attribute `deviation`: the standard deviation of the noise.

use super::canonical;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, Noise, OpDef, Session, base};
use crate::schemes::{noise, rlwe};

/// `ckks.release`; see the module.
pub struct Release;

impl OpDef for Release {
    fn name(&self) -> &str {
        "ckks.release"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["deviation"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        super::extract(call, 0)?;
        call.input(1, "secret_seed")?;
        base::deviation(call)?;
        Ok(call.inputs[0].clone())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (extract, _) = super::extract(call, 0)?;
        let attrs = Attrs::new().with("n", extract.kept()).with("deviation", base::deviation(call)?);
        let noise = s.op("sample.gaussian", attrs, &[inputs[1]])?;
        let ty = &extract.ciphertext;
        let mut limbs = Vec::with_capacity(ty.parts * ty.q.len());
        for part in 0..ty.parts {
            for (index, &q) in ty.q.iter().enumerate() {
                let mut limb = rlwe::limb_of(s, inputs[0], &extract, part, index)?;
                if part == 0 {
                    let mut small = s.op("limb.from_small", Attrs::new().with("q", q), &[noise])?;
                    if Limb::of(s.ty(limb))?.form == Form::Ntt {
                        small = s.op("limb.ntt", Attrs::new(), &[small])?;
                    }
                    limb = s.op("limb.add", Attrs::new(), &[limb, small])?;
                }
                limbs.push(limb);
            }
        }
        s.merge(&limbs, self.assemble(call)?)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let ((extract, _), of) = (super::extract(call, 0).ok()?, inputs.first()?);
        let added = canonical::released(extract.kept(), libm::log2(base::deviation(call).ok()?.get()));
        Some(Noise { error: noise::sum(&[of.error, added]), ..*of })
    }
}
