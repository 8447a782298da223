//! `rlwe.ntt` and `rlwe.intt`: the same ciphertext in NTT form, and in coefficient form: `poly.ntt` and `poly.intt` on each part. Products are cheapest in
//! NTT form, divisions and automorphisms with many primes in coefficient form; where the two meet, they cancel.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Poly};
use crate::ops::{Call, Level, Noise, OpDef, Session};

/// A polynomial in a form: itself, where it is.
///
/// # Errors
/// `Graph` for what is no polynomial.
pub fn in_form(s: &mut Session<'_>, x: OperandId, form: Form) -> Result<OperandId> {
    match (Poly::of(s.ty(x))?.form, form) {
        (from, to) if from == to => Ok(x),
        (_, Form::Ntt) => s.op("poly.ntt", Attrs::new(), &[x]),
        (_, Form::Coeff) => s.op("poly.intt", Attrs::new(), &[x]),
    }
}

/// `rlwe.ntt` or `rlwe.intt`; see the module.
pub struct Transform {
    names: [&'static str; 2],
    poly: &'static str,
    to: Form,
}

impl Transform {
    /// To NTT form.
    pub const FORWARD: Self = Self { names: ["rlwe.ntt", "rlwe.intt"], poly: "poly.ntt", to: Form::Ntt };
    /// To coefficient form.
    pub const INVERSE: Self = Self { names: ["rlwe.intt", "rlwe.ntt"], poly: "poly.intt", to: Form::Coeff };
}

impl OpDef for Transform {
    fn name(&self) -> &str {
        self.names[0]
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn inverse(&self) -> Option<&str> {
        Some(self.names[1])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        if ty.form == self.to {
            let expected = if self.to == Form::Ntt { Form::Coeff } else { Form::Ntt };
            return Err(call.error("form", ty.form.name(), expected.name()));
        }
        Ok(Ciphertext { form: self.to, ..ty }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        super::partwise(s, self.poly, inputs, self.assemble(call)?)
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = call;
        inputs.first().copied()
    }
}
