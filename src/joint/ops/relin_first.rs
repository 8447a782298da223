//! `joint.relin_first`: what a party sends first for a relinearization key: for each digit d
//!
//! h_(i,d,0) = -u_i a_d + P g_d s_i + f e_(i,d,0) and h_(i,d,1) = s_i a_d + f e_(i,d,1), NTT form.
//!
//! Inputs: its share s_i of the secret key, u_i (ternary, drawn for this key alone, and the same in both rounds), the common polynomials a_d, a secret seed. Attributes `q`, `special`,
//! `digit`, `factor`.

use super::{RELINEARIZATION, add_gadget, key_of, limbs_of, relinearization_of, rows};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `joint.relin_first`; see the module.
pub struct RelinFirst;

impl OpDef for RelinFirst {
    fn name(&self) -> &str {
        "joint.relin_first"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(RELINEARIZATION)
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(rows(&relinearization_of(call, 1)?, 2))
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let key = key_of(call)?;
        let all = key.all();
        let secret = rlwe::secret_limbs(s, inputs[0], &all)?;
        let own = rlwe::secret_limbs(s, inputs[1], &all)?;
        let a = limbs_of(s, inputs[2], key.n, &all)?;
        let mut shares = Vec::with_capacity(2 * a.len());
        for (digit, a) in a.chunks_exact(all.len()).enumerate() {
            let mut first = rlwe::error_limbs(s, key.n, &all, key.factor, inputs[3])?;
            for ((limb, &a), &own) in first.iter_mut().zip(a).zip(&own) {
                let product = s.op("limb.mul", Attrs::new(), &[a, own])?;
                *limb = s.op("limb.sub", Attrs::new(), &[*limb, product])?;
            }
            add_gadget(s, &key, digit, &mut first, &secret)?;
            let mut second = rlwe::error_limbs(s, key.n, &all, key.factor, inputs[3])?;
            for ((limb, &a), &secret) in second.iter_mut().zip(a).zip(&secret) {
                let product = s.op("limb.mul", Attrs::new(), &[a, secret])?;
                *limb = s.op("limb.add", Attrs::new(), &[*limb, product])?;
            }
            shares.extend(first);
            shares.extend(second);
        }
        s.merge(&shares, rows(&key, 2))
    }
}
