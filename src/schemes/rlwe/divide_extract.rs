//! Division by the last primes, then an extract, as one operator: of c_0 only the coefficients that stay are divided. Inputs: those of the operator that divides,
//! `bfv.mod_switch`, `bgv.mod_switch` or `ckks.rescale`; attributes: its own, and those of `rlwe.extract`. The pass `fuse` makes it.

use super::divide;
use super::extract::ExtractOp;
use super::subring::{coefficients, with_image};
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Extract, Form, Poly};
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// The two as one; see the module.
pub struct DivideExtract<D> {
    /// Its name.
    pub name: &'static str,
    /// What divides.
    pub divide: D,
    /// The attributes of both.
    pub attributes: &'static [&'static str],
}

impl<D: OpDef> DivideExtract<D> {
    /// What the extract is made of.
    fn between(&self, call: &Call<'_>) -> Result<[ValueType; 1]> {
        Ok([self.divide.assemble(call)?])
    }
}

impl<D: OpDef> OpDef for DivideExtract<D> {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(self.attributes)
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        ExtractOp.assemble(&Call { inputs: &self.between(call)?, ..*call })
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let extract = Extract::of(&output)?;
        let (ty, Ciphertext { q: kept, scheme, .. }) =
            (Ciphertext::of(&call.inputs[0])?, &extract.ciphertext);
        let (drop, factor) = (&ty.q[kept.len()..], scheme.error_factor());
        let mut all = Vec::new();
        for (index, part) in s.parts(inputs[0])?.into_iter().enumerate() {
            if index > 0 {
                all.push(divide(s, part, drop, factor)?);
                continue;
            }
            let mut limbs = Vec::with_capacity(ty.q.len());
            for limb in s.limbs(part)? {
                limbs.push(coefficients(s, limb, &extract)?);
            }
            let part =
                s.merge(&limbs, Poly { n: extract.kept(), q: ty.q.clone(), form: Form::Coeff }.ty())?;
            let divided = divide(s, part, drop, factor)?;
            for limb in s.limbs(divided)? {
                all.push(with_image(s, limb, &extract)?);
            }
        }
        s.merge(&all, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let between = self.divide.noise(call, inputs)?;
        ExtractOp.noise(&Call { inputs: &self.between(call).ok()?, ..*call }, &[between])
    }
}
