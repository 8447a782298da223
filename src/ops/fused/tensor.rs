//! `limb.tensor`: the three parts of a product of pairs modulo X^n + 1 and q: a_0 b_0, a_0 b_1 + a_1 b_0, a_1 b_1. Inputs
//! a_0, a_1, b_0, b_1 in NTT form; the outputs are limbs in coefficient form, one after the other.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::base::degree;
use crate::ops::types::{self, Form, Limb};
use crate::ops::{Call, Level, OpDef, Session};

/// `limb.tensor`; see the module.
pub struct Tensor;

impl OpDef for Tensor {
    fn name(&self) -> &str {
        "limb.tensor"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(4)?;
        let limb = call.limb_in(0, Form::Ntt)?;
        degree(call, limb.n)?;
        for other in 1..4 {
            call.same(0, other)?;
        }
        Ok(types::limbs(limb.in_form(Form::Coeff), 3))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let [a0, a1, b0, b1] = *inputs else {
            return Err(call.error("number of inputs", inputs.len(), 4));
        };
        let products = [
            s.op("limb.mul", Attrs::new(), &[a0, b0])?,
            s.op("limb.dot", Attrs::new(), &[a0, b1, a1, b0])?,
            s.op("limb.mul", Attrs::new(), &[a1, b1])?,
        ];
        let mut out = Vec::with_capacity(3);
        for product in products {
            out.push(s.op("limb.intt", Attrs::new(), &[product])?);
        }
        s.merge(&out, types::limbs(Limb::of(&call.inputs[0])?.in_form(Form::Coeff), 3))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = call.inputs.first().map_or(0.0, |ty| ty.size as f64);
        n * (4.0 + 1.5 * libm::log2(n.max(1.0)))
    }
}
