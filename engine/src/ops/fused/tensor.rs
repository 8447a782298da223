//! `limb.tensor`: the three parts of a product of pairs modulo X^n + 1 and q: a_0 b_0, a_0 b_1 + a_1 b_0, a_1 b_1; or the sum
//! of several such products. Inputs a_0, a_1, b_0, b_1 of each product in NTT form; the outputs are limbs in coefficient
//! form, one after the other.

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
        let inputs = call.inputs.len();
        if inputs == 0 || !inputs.is_multiple_of(4) {
            return Err(call.error("number of inputs", inputs, "4 for each product"));
        }
        let limb = call.limb_in(0, Form::Ntt)?;
        degree(call, limb.n)?;
        for other in 1..inputs {
            call.same(0, other)?;
        }
        Ok(types::limbs(limb.in_form(Form::Coeff), 3))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let mut pairs = [Vec::new(), Vec::new(), Vec::new()];
        for &[a0, a1, b0, b1] in inputs.as_chunks().0 {
            pairs[0].extend([a0, b0]);
            pairs[1].extend([a0, b1, a1, b0]);
            pairs[2].extend([a1, b1]);
        }
        let mut out = Vec::with_capacity(3);
        for pairs in pairs {
            let sum = s.op("limb.dot", Attrs::new(), &pairs)?;
            out.push(s.op("limb.intt", Attrs::new(), &[sum])?);
        }
        s.merge(&out, types::limbs(Limb::of(&call.inputs[0])?.in_form(Form::Coeff), 3))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = call.inputs.first().map_or(0.0, |ty| ty.size as f64);
        n * (call.inputs.len() as f64 + 1.5 * libm::log2(n.max(1.0)))
    }
}
