//! `joint.relin_second`: what a party sends next for a relinearization key: for each digit d
//!
//! h'_(i,d) = s_i h_(d,0) + (u_i - s_i) h_(d,1) + f e_(i,d,2) + f e_(i,d,3), NTT form,
//!
//! with h the sums of what all sent first. Only the sum of the paper's two terms is needed, and is what is sent. Inputs: its share s_i of the secret key, u_i of the first round, h, a
//! secret seed. Attributes `q`, `special`, `digit`, `factor`.

use super::{RELINEARIZATION, key_of, limbs_of, relinearization_of, rows};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `joint.relin_second`; see the module.
pub struct RelinSecond;

impl OpDef for RelinSecond {
    fn name(&self) -> &str {
        "joint.relin_second"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(RELINEARIZATION)
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(rows(&relinearization_of(call, 2)?, 1))
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let key = key_of(call)?;
        let all = key.all();
        let secret = rlwe::secret_limbs(s, inputs[0], &all)?;
        let own = rlwe::secret_limbs(s, inputs[1], &all)?;
        let mut rest = Vec::with_capacity(all.len());
        for (&own, &secret) in own.iter().zip(&secret) {
            rest.push(s.op("limb.sub", Attrs::new(), &[own, secret])?);
        }
        let h = limbs_of(s, inputs[2], key.n, &all)?;
        let mut shares = Vec::with_capacity(h.len() / 2);
        for h in h.chunks_exact(2 * all.len()) {
            let first = rlwe::error_limbs(s, key.n, &all, key.factor, inputs[3])?;
            let second = rlwe::error_limbs(s, key.n, &all, key.factor, inputs[3])?;
            for index in 0..all.len() {
                let terms = [h[index], secret[index], h[all.len() + index], rest[index]];
                let mut sum = s.op("limb.dot", Attrs::new(), &terms)?;
                for error in [first[index], second[index]] {
                    sum = s.op("limb.add", Attrs::new(), &[sum, error])?;
                }
                shares.push(sum);
            }
        }
        s.merge(&shares, rows(&key, 1))
    }
}
