//! `bfv.multiply`: the product of two ciphertexts, three parts: round(t/Q (a_0, a_1) (x) (b_0, b_1)).
//!
//! Both factors are extended from Q to Q and auxiliary primes P > t n Q, multiplied there (the tensor product of the
//! integers fits into Q P), divided by Q/t with the result modulo P, and brought back to Q: the full-RNS variant of
//! Halevi, Polyakov and Shoup (ia.cr/2018/117) with exact centered conversions. Attribute `aux`: the primes of P.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Poly};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::noise;

/// `bfv.multiply`; see the module.
pub struct Multiply;

impl OpDef for Multiply {
    fn name(&self) -> &str {
        "bfv.multiply"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        call.same(0, 1)?;
        if ty.parts != 2 {
            return Err(call.error("parts of the factors", ty.parts, 2));
        }
        let aux = call.attrs.uints("aux")?;
        // |tensor| <= n Q^2 / 2 must fit into Q P / 2, and t |tensor| / Q <= t n Q / 2 into P / 2.
        let needed = noise::log2(&ty.q) + libm::log2(ty.n as f64) + libm::log2(ty.t as f64) + 1.0;
        if noise::log2(&aux) < needed || aux.iter().any(|p| ty.q.contains(p)) {
            return Err(call.error(
                "aux",
                format!("{aux:?}"),
                format!("{needed:.1} bits of primes that are not in q"),
            ));
        }
        Ok(ty.with_parts(3).ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&call.inputs[0])?;
        let aux = call.attrs.uints("aux")?;
        let wide = Poly { n: ty.n, q: [ty.q.as_slice(), &aux].concat(), form: Form::Coeff };
        let mut factors: Vec<OperandId> = Vec::with_capacity(4);
        for &input in inputs {
            for part in s.parts(input)? {
                let extended = s.op("rns.extend", Attrs::new().with("to", aux.as_slice()), &[part])?;
                let both = s.merge(&[part, extended], wide.ty())?;
                factors.push(s.op("poly.ntt", Attrs::new(), &[both])?);
            }
        }
        let [a0, a1, b0, b1] = factors[..] else {
            return Err(call.error("parts of the factors", factors.len(), 4));
        };
        let tensor = [
            s.op("poly.mul", Attrs::new(), &[a0, b0])?,
            s.op("poly.dot", Attrs::new(), &[a0, b1, a1, b0])?,
            s.op("poly.mul", Attrs::new(), &[a1, b1])?,
        ];
        let mut parts = Vec::with_capacity(3);
        for product in tensor {
            let product = s.op("poly.intt", Attrs::new(), &[product])?;
            let attrs = Attrs::new().with("drop", ty.q.as_slice()).with("factor", ty.t);
            let scaled = s.op("rns.scale_round", attrs, &[product])?;
            parts.push(s.op("rns.extend", Attrs::new().with("to", ty.q.as_slice()), &[scaled])?);
        }
        s.merge(&parts, ty.with_parts(3).ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[f64]) -> Option<f64> {
        let ty = Ciphertext::of(call.inputs.first()?).ok()?;
        Some(noise::multiply(ty.n, ty.t, noise::log2(&ty.q), *inputs.first()?, *inputs.get(1)?))
    }
}
