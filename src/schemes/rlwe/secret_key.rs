//! `rlwe.secret_key`: a ternary polynomial s in NTT form over all primes, from a secret seed.
//! One seed gives one key. Attributes `n`, `q`: all primes, the special ones last.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session, types};

/// `rlwe.secret_key`; see the module.
pub struct SecretKey;

impl OpDef for SecretKey {
    fn name(&self) -> &str {
        "rlwe.secret_key"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["n", "q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        call.input(0, "secret_seed")?;
        Ok(types::secret_key(call.attrs.size("n")?, &call.moduli("q")?))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (n, q) = (call.attrs.size("n")?, call.moduli("q")?);
        let secret = s.op("sample.secret", Attrs::new().with("n", n), inputs)?;
        let limbs = super::spread(s, secret, &q)?;
        s.merge(&limbs, types::secret_key(n, &q))
    }
}
