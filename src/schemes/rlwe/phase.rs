//! `rlwe.phase`: c_0 + c_1 s + c_2 s^2 modulo Q, coefficient form, in which the message lies as its scheme says. Inputs: the secret key and the
//! ciphertext.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Poly};
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
        call.arity(2)?;
        call.input(0, "secret_key")?;
        Ok(Poly { form: Form::Coeff, ..Ciphertext::of(call.input(1, "ciphertext")?)?.poly() }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&call.inputs[1])?;
        let secret = super::secret_limbs(s, inputs[0], &ty.q)?;
        let parts = s.parts(inputs[1])?;
        let parts: Vec<Vec<OperandId>> = parts.into_iter().map(|p| s.limbs(p)).collect::<Result<_>>()?;
        let mut limbs = Vec::new();
        for (index, &secret) in secret.iter().enumerate() {
            let mut power = secret;
            let (mut terms, mut powers) = (Vec::new(), Vec::new());
            for (degree, part) in parts.iter().enumerate().skip(1) {
                if degree > 1 {
                    power = s.op("limb.mul", Attrs::new(), &[power, secret])?;
                }
                terms.push(part[index]);
                powers.push(power);
            }
            if ty.form == Form::Ntt {
                let terms: Vec<OperandId> = terms.iter().zip(&powers).flat_map(|(&x, &s)| [x, s]).collect();
                let sum = s.op("limb.dot", Attrs::new(), &terms)?;
                let sum = s.op("limb.add", Attrs::new(), &[sum, parts[0][index]])?;
                limbs.push(s.op("limb.intt", Attrs::new(), &[sum])?);
                continue;
            }
            terms.append(&mut powers);
            let attrs = Attrs::new().with("q", ty.q[index]).with("outputs", 1u64);
            let sum = s.op("limb.convolve", attrs, &terms)?;
            let sum = s.retype(sum, ty.poly().limb(index).ty())?;
            limbs.push(s.op("limb.add", Attrs::new(), &[sum, parts[0][index]])?);
        }
        s.merge(&limbs, self.assemble(call)?)
    }
}
