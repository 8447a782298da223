//! `joint.refresh_share`: a party's share of a fresh ciphertext of minus its mask: g_i = -a s_i - M_i + f e_i, NTT form, M_i the mask as the scheme has messages. Inputs: its share s_i of the secret key, the
//! ciphertext that is refreshed, the common polynomial a, its mask (`joint.mask`), a secret seed. The primes are those of a.

use super::limbs_of;
use super::mask::{encoded, mask_in};
use super::refreshed::{refreshable, wide_in};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `joint.refresh_share`; see the module.
pub struct RefreshShare;

impl OpDef for RefreshShare {
    fn name(&self) -> &str {
        "joint.refresh_share"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(5)?;
        call.input(0, "secret_key")?;
        let ty = refreshable(call, 1)?;
        let wide = wide_in(call, 2, &ty)?;
        mask_in(call, 3, &ty)?;
        call.input(4, "secret_seed")?;
        Ok(wide.poly().ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let wide = wide_in(call, 2, &refreshable(call, 1)?)?;
        let secret = rlwe::secret_limbs(s, inputs[0], &wide.q)?;
        let a = limbs_of(s, inputs[2], wide.n, &wide.q)?;
        let mask = encoded(s, inputs[3], wide.scheme, &wide.q)?;
        let mut limbs = rlwe::error_limbs(s, wide.n, &wide.q, wide.scheme.error_factor(), inputs[4])?;
        for (index, limb) in limbs.iter_mut().enumerate() {
            let product = s.op("limb.mul", Attrs::new(), &[a[index], secret[index]])?;
            let mask = s.op("limb.ntt", Attrs::new(), &[mask[index]])?;
            for term in [product, mask] {
                *limb = s.op("limb.sub", Attrs::new(), &[*limb, term])?;
            }
        }
        s.merge(&limbs, wide.poly().ty())
    }
}
