//! `joint.galois_share`: a party's share of the switching key from s to s(X^(1/g)): for each digit d b_(i,d) = -a_d s_i(X^(1/g)) + f e_(i,d) + P g_d s_i, NTT form.
//! Inputs: its share s_i of the secret key, the common polynomials a_d, a secret seed. Attributes as of `rlwe.switching_key`: `q`, `special`, `digit`, `factor`, `g`.

use super::{add_gadget, key_of, limbs_of, rows, rows_in};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::slots::galois_inverse;
use crate::ops::{Call, Level, OpDef, Session, base};
use crate::schemes::rlwe;

/// `joint.galois_share`; see the module.
pub struct GaloisShare;

impl OpDef for GaloisShare {
    fn name(&self) -> &str {
        "joint.galois_share"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["digit", "factor", "g", "q", "special"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let key = key_of(call)?;
        base::galois(call, key.n)?;
        rows_in(call, 1, &key, 1)?;
        call.input(2, "secret_seed")?;
        Ok(rows(&key, 1))
    }

    fn random(&self) -> bool {
        true
    }

    fn costs_by(&self, attribute: &str) -> bool {
        attribute != "g"
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let key = key_of(call)?;
        let all = key.all();
        let from = rlwe::secret_limbs(s, inputs[0], &all)?;
        let g = galois_inverse(key.n, base::galois(call, key.n)?);
        let to = from.iter().map(|&limb| s.op("limb.permute", Attrs::new().with("g", g), &[limb]));
        let to = to.collect::<Result<Vec<_>>>()?;
        let a = limbs_of(s, inputs[1], key.n, &all)?;
        let mut shares = Vec::with_capacity(a.len());
        for (digit, a) in a.chunks_exact(all.len()).enumerate() {
            let mut b = rlwe::error_limbs(s, key.n, &all, key.factor, inputs[2])?;
            for ((b, &a), &to) in b.iter_mut().zip(a).zip(&to) {
                let product = s.op("limb.mul", Attrs::new(), &[a, to])?;
                *b = s.op("limb.sub", Attrs::new(), &[*b, product])?;
            }
            add_gadget(s, &key, digit, &mut b, &from)?;
            shares.extend(b);
        }
        s.merge(&shares, rows(&key, 1))
    }
}
