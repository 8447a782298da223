//! `rlwe.public_key`: (b, a) with a uniform and b = -a s + f e, NTT form. Inputs: the secret key, a public seed (for a), a
//! secret seed (for e). Attributes `q`: its primes; `factor`: f, 1 where it is left out.

use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session, types};

/// `rlwe.public_key`; see the module.
pub struct PublicKey;

impl OpDef for PublicKey {
    fn name(&self) -> &str {
        "rlwe.public_key"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["factor", "q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let n = call.input(0, "secret_key")?.dim("n")?;
        call.input(1, "public_seed")?;
        call.input(2, "secret_seed")?;
        let (q, factor) = (call.moduli("q")?, types::error_factor(call.attrs)?);
        super::coprime(call, factor, &q)?;
        Ok(types::public_key(n, &q, factor, 1))
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let n = s.ty(inputs[0]).dim("n")?;
        let q = call.moduli("q")?;
        let secret = super::secret_limbs(s, inputs[0], &q)?;
        let factor = types::error_factor(call.attrs)?;
        let (b, a) = super::rlwe_sample(s, &secret, &q, factor, [inputs[1], inputs[2]])?;
        s.merge(&[b, a].concat(), types::public_key(n, &q, factor, 1))
    }
}
