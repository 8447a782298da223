//! `rlwe.drop_primes`: the ciphertext modulo fewer of its primes; for BGV and CKKS, where the message does not depend on Q. Attribute `keep`:
//! how many primes stay. Noise stays as it is.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// `rlwe.drop_primes`; see the module.
pub struct DropPrimes;

impl OpDef for DropPrimes {
    fn name(&self) -> &str {
        "rlwe.drop_primes"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["keep"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        if let Scheme::Bfv { .. } = ty.scheme {
            return Err(call.error(
                "scheme of the ciphertext",
                "BFV: its message is scaled by Q / t",
                "BGV or CKKS",
            ));
        }
        Ok(Ciphertext { q: super::kept(call, &ty)?, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let keep = call.attrs.size("keep")?;
        let mut limbs = Vec::new();
        for part in s.parts(inputs[0])? {
            limbs.extend(s.limbs(part)?.into_iter().take(keep));
        }
        s.merge(&limbs, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        inputs.first().copied()
    }
}
