//! Relinearization, then division by the last primes, as one operator: c_k P and what the key makes of c_2 are divided by the special primes, of product P, and
//! by the dropped ones at once. Saves the transforms of one division, and one rounding. Inputs: those of `rlwe.relinearize`; attributes: those of
//! the operator that divides, `bfv.mod_switch`, `bgv.mod_switch` or `ckks.rescale`. The pass `fuse` makes it.

use super::divide::divide_onto;
use super::key_switch::wide_pair;
use super::relinearize::Relinearize;
use super::times;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Poly, SwitchingKey};
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// The two as one; see the module.
pub struct RelinearizeDivide<D> {
    /// Its name.
    pub name: &'static str,
    /// What divides.
    pub divide: D,
}

impl<D: OpDef> RelinearizeDivide<D> {
    /// What the operator that divides sees.
    fn between(call: &Call<'_>) -> Result<[ValueType; 1]> {
        Ok([Relinearize.assemble(&Call { attrs: &Attrs::new(), ..*call })?])
    }
}

impl<D: OpDef> OpDef for RelinearizeDivide<D> {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        self.divide.attributes()
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        self.divide.assemble(&Call { inputs: &Self::between(call)?, ..*call })
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let key = SwitchingKey::of(&call.inputs[1])?;
        let Ciphertext { q: kept, scheme, form, .. } = Ciphertext::of(&output)?;
        let drop = [&key.special, &key.q[kept.len()..]].concat();
        let parts = s.parts(inputs[0])?;
        let pair = wide_pair(s, &key, parts[2], inputs[1])?;
        let mut out = Vec::with_capacity(2);
        for (half, part) in pair.into_iter().zip(parts) {
            let ty = s.ty(half).clone();
            let (mut limbs, own) = (s.limbs(half)?, s.limbs(part)?);
            // Of primes that are dropped; those that stay take c_k as it is, when all is divided.
            for index in kept.len()..key.q.len() {
                let q = key.q[index];
                let scaled = times(s, own[index], q, Modulus::new(q)?.product(&key.special))?;
                limbs[index] = s.op("limb.add", Attrs::new(), &[limbs[index], scaled])?;
            }
            let half = s.merge(&limbs, ty)?;
            let part = s.merge(&own[..kept.len()], Poly { n: key.n, q: kept.clone(), form }.ty())?;
            let added = Some((part, &key.q[kept.len()..]));
            out.push(divide_onto(s, half, &drop, scheme.error_factor(), added)?);
        }
        s.merge(&out, output)
    }

    /// As that of the two, which round once more.
    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let between = Relinearize.noise(call, inputs)?;
        self.divide.noise(&Call { inputs: &Self::between(call).ok()?, ..*call }, &[between])
    }
}
