//! `rlwe.switching_key`: lets a polynomial under one secret, s', be used under another, s''. Attribute `from` = "square": from s^2 to s, for
//! relinearization; `from` = "galois" and `g`: from s to s(X^(1/g)), for automorphisms, which map it to s.
//!
//! For each digit d: (b_d, a_d), b_d = -a_d s'' + f e_d + P g_d s', where g_d is 1 modulo the primes of digit d and 0
//! modulo the other primes (Han and Ki, ia.cr/2019/688). Inputs: the secret key, a public seed, a secret seed.
//! Attributes `q` (primes of the level), `special`, `digit` (primes per digit), `factor` (f, 1 where it is left out).

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::Modulus;
use crate::math::slots::galois_inverse;
use crate::ops::types::{SwitchingKey, error_factor};
use crate::ops::{Call, Level, OpDef, Session};

/// `rlwe.switching_key`; see the module.
pub struct SwitchingKeyOp;

impl OpDef for SwitchingKeyOp {
    fn name(&self) -> &str {
        "rlwe.switching_key"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["digit", "factor", "from", "g", "q", "special"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(3)?;
        let n = call.input(0, "secret_key")?.dim("n")?;
        call.input(1, "public_seed")?;
        call.input(2, "secret_seed")?;
        match call.attrs.text("from")? {
            "square" => {}
            "galois" => drop(super::galois(call, n)?),
            other => return Err(call.error("from", other, "square or galois")),
        }
        let (q, special) = (call.moduli("q")?, call.moduli("special")?);
        let (digit, factor) = (call.attrs.size("digit")?, error_factor(call.attrs)?);
        super::coprime(call, factor, &[q.as_slice(), &special].concat())?;
        let ty = SwitchingKey { n, q, special, digit, factor, parties: 1 }.ty();
        SwitchingKey::of(&ty)?;
        Ok(ty)
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = SwitchingKey::of(&self.assemble(call)?)?;
        let all = ty.all();
        let secret = super::secret_limbs(s, inputs[0], &all)?;
        let (mut from, mut to) = (secret[..ty.q.len()].to_vec(), secret);
        if call.attrs.text("from")? == "square" {
            for limb in &mut from {
                *limb = s.op("limb.mul", Attrs::new(), &[*limb, *limb])?;
            }
        } else {
            let g = galois_inverse(ty.n, super::galois(call, ty.n)?);
            for limb in &mut to {
                *limb = s.op("limb.permute", Attrs::new().with("g", g), &[*limb])?;
            }
        }
        let mut parts = Vec::new();
        for digit in 0..ty.digits() {
            let (mut b, a) = super::rlwe_sample(s, &to, &all, ty.factor, [inputs[1], inputs[2]])?;
            for index in ty.digit_range(digit) {
                let q = Modulus::new(ty.q[index])?;
                let term =
                    s.op("limb.mul_scalar", Attrs::new().with("c", q.product(&ty.special)), &[from[index]])?;
                b[index] = s.op("limb.add", Attrs::new(), &[b[index], term])?;
            }
            parts.extend(b);
            parts.extend(a);
        }
        s.merge(&parts, ty.ty())
    }
}
