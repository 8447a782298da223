//! `bgv.multiply`: the product of two ciphertexts of one level, three parts; or the sum of several such products. Inputs: a and b of each product. The
//! factor is the product of the two, which must be the same for all pairs.
//!
//! Noise: the product of the two phases, n times the message of one times that of the other where both are chosen, else delta.

use super::bounds;
use crate::Result;
use crate::graph::{OperandId, ValueType};
use crate::math::Modulus;
use crate::ops::types::{Ciphertext, Scheme};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::rlwe;

/// `bgv.multiply`; see the module.
pub struct Multiply;

impl OpDef for Multiply {
    fn name(&self) -> &str {
        "bgv.multiply"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let inputs = call.inputs.len();
        if inputs == 0 || !inputs.is_multiple_of(2) {
            return Err(call.error("number of inputs", inputs, "2 for each product"));
        }
        let mut output: Option<Ciphertext> = None;
        for first in (0..inputs).step_by(2) {
            let ((a, t, f), (b, _, g)) =
                (super::ciphertext(call, first)?, super::ciphertext(call, first + 1)?);
            let factor = Modulus::new(t)?.mul(f, g);
            let product =
                |ty: &Ciphertext| Ciphertext { parts: 3, scheme: Scheme::Bgv { t, factor }, ..ty.clone() };
            if a.parts != 2 || b.parts != 2 {
                return Err(call.error("parts of the factors", a.parts.max(b.parts), 2));
            }
            if product(&a) != product(&b) || b.scheme.t() != t {
                return Err(call.error(
                    format!("input {}", first + 1),
                    &call.inputs[first + 1],
                    &call.inputs[first],
                ));
            }
            match &output {
                Some(output) if *output != product(&a) => {
                    return Err(call.error(format!("product {}", first / 2), product(&a).ty(), output.ty()));
                }
                _ => output = Some(product(&a)),
            }
        }
        Ok(output.map_or_else(|| call.inputs[0].clone(), |output| output.ty()))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let poly = Ciphertext::of(&output)?.poly();
        let parts = |s: &mut Session<'_>, [a, b]: &[OperandId; 2]| -> Result<[OperandId; 4]> {
            let (a, b) = (s.parts(*a)?, s.parts(*b)?);
            Ok([a[0], a[1], b[0], b[1]])
        };
        let sums = rlwe::tensor(s, inputs, &poly, parts)?;
        s.merge(&sums, output)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[f64]) -> Option<f64> {
        let (ty, t, _) = super::ciphertext(call, 0).ok()?;
        let messages = libm::log2(ty.n as f64) + 2.0 * super::message(t);
        let product = |&[a, b]: &[f64; 2]| bounds::sum(&[libm::log2(bounds::delta(ty.n)) + a + b, messages]);
        Some(bounds::sum(&inputs.as_chunks().0.iter().map(product).collect::<Vec<_>>()))
    }
}
