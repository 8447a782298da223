//! `rlwe.phase`: c_0 + c_1 s + c_2 s^2 modulo Q, coefficient form, in which the message lies as its scheme says; of an extract what of it lies in the subring. Inputs:
//! the secret key, unless there is c_0 alone, and the ciphertext or extract.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Extract, Form, Limb, Poly};
use crate::ops::{Call, Level, OpDef, Session};

/// `rlwe.phase`; see the module.
pub struct Phase;

impl OpDef for Phase {
    fn name(&self) -> &str {
        "rlwe.phase"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let extract = super::extract_in(call, super::decrypted_input(call)?)?;
        Ok(Poly { n: extract.kept(), q: extract.ciphertext.q, form: Form::Coeff }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let at = super::decrypted_input(call)?;
        let (extract, x) = (super::extract_in(call, at)?, inputs[at]);
        let ty = &extract.ciphertext;
        if ty.parts == 1 {
            let mut limbs = Vec::new();
            for index in 0..ty.q.len() {
                let limb = limb_of(s, x, &extract, 0, index)?;
                let is_ntt = Limb::of(s.ty(limb))?.form == Form::Ntt;
                limbs.push(if is_ntt { s.op("limb.intt", Attrs::new(), &[limb])? } else { limb });
            }
            return s.merge(&limbs, self.assemble(call)?);
        }
        let secret = super::secret_limbs(s, inputs[0], &ty.q)?;
        let whole = extract.is_whole();
        let mut limbs = Vec::new();
        for (index, &secret) in secret.iter().enumerate() {
            let mut power = secret;
            let (mut terms, mut powers) = (Vec::new(), Vec::new());
            for part in 1..ty.parts {
                if part > 1 {
                    power = s.op("limb.mul", Attrs::new(), &[power, secret])?;
                }
                terms.push(limb_of(s, x, &extract, part, index)?);
                powers.push(power);
            }
            let first = limb_of(s, x, &extract, 0, index)?;
            let mut sum = if ty.form == Form::Ntt {
                let terms: Vec<OperandId> = terms.iter().zip(&powers).flat_map(|(&x, &s)| [x, s]).collect();
                let sum = s.op("limb.dot", Attrs::new(), &terms)?;
                if whole {
                    let sum = s.op("limb.add", Attrs::new(), &[sum, first])?;
                    s.op("limb.intt", Attrs::new(), &[sum])?
                } else {
                    sum
                }
            } else {
                terms.append(&mut powers);
                let attrs = Attrs::new().with("q", ty.q[index]).with("outputs", 1u64);
                let sum = s.op("limb.convolve", attrs, &terms)?;
                s.retype(sum, ty.poly().limb(index).ty())?
            };
            if !whole || ty.form == Form::Coeff {
                sum = super::in_subring(s, sum, &extract)?;
                sum = s.op("limb.add", Attrs::new(), &[sum, first])?;
            }
            limbs.push(sum);
        }
        s.merge(&limbs, self.assemble(call)?)
    }
}

/// A limb of a part; of part 0 what is left of it.
///
/// # Errors
/// `Graph` for a part that there is not.
pub fn limb_of(
    s: &mut Session<'_>,
    x: OperandId,
    extract: &Extract,
    part: usize,
    index: usize,
) -> Result<OperandId> {
    let Ciphertext { n, q, form, .. } = &extract.ciphertext;
    let kept = extract.kept();
    let whole = extract.is_whole();
    let (at, n, form) = match part {
        0 => (index * kept, kept, if whole { *form } else { Form::Coeff }),
        _ => (kept * q.len() + ((part - 1) * q.len() + index) * n, *n, *form),
    };
    s.split(x, at as u64, Limb { n, q: q[index], form }.ty())
}
