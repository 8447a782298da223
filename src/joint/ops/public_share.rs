//! `joint.public_share`: a party's share of a public key: b_i = -a s_i + f e_i, NTT form. Inputs: its share s_i of the secret key, the common polynomial a, a secret seed.
//! Attributes `q`: the key's primes; `factor`: f, 1 where it is left out.

use super::limbs_of;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Form, Poly, error_factor};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `joint.public_share`; see the module.
pub struct PublicShare;

impl PublicShare {
    fn of(call: &Call<'_>) -> Result<(Poly, u64)> {
        let n = call.input(0, "secret_key")?.dim("n")?;
        Ok((Poly { n, q: call.moduli("q")?, form: Form::Ntt }, error_factor(call.attrs)?))
    }
}

impl OpDef for PublicShare {
    fn name(&self) -> &str {
        "joint.public_share"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["factor", "q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let (poly, factor) = Self::of(call)?;
        rlwe::coprime(call, factor, &poly.q)?;
        let expected = types::polys(&poly, 1);
        if call.input(1, "polys")? != &expected {
            return Err(call.error("input 1", &call.inputs[1], expected));
        }
        call.input(2, "secret_seed")?;
        Ok(poly.ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (Poly { n, q, .. }, factor) = Self::of(call)?;
        let secret = rlwe::secret_limbs(s, inputs[0], &q)?;
        let a = limbs_of(s, inputs[1], n, &q)?;
        let mut b = rlwe::error_limbs(s, n, &q, factor, inputs[2])?;
        for ((b, a), secret) in b.iter_mut().zip(a).zip(secret) {
            let product = s.op("limb.mul", Attrs::new(), &[a, secret])?;
            *b = s.op("limb.sub", Attrs::new(), &[*b, product])?;
        }
        s.merge(&b, self.assemble(call)?)
    }
}
