//! `joint.sum`: shares of one type, added up limb by limb: polynomials, or shares of a secret. Inputs: two or more.

use super::ring_of;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, OpDef, Session};

/// `joint.sum`; see the module.
pub struct Sum;

/// What can be added up.
const HEADS: [&str; 3] = ["poly", "polys", "key_share"];

impl OpDef for Sum {
    fn name(&self) -> &str {
        "joint.sum"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.at_least(2)?;
        let head = HEADS.into_iter().find(|&head| call.inputs[0].head == head);
        let head = head.ok_or_else(|| call.error("input 0", &call.inputs[0], HEADS.join(", ")))?;
        ring_of(call.input(0, head)?)?;
        (1..call.inputs.len()).try_for_each(|index| call.same(0, index))?;
        Ok(call.inputs[0].clone())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = self.assemble(call)?;
        let (n, q) = ring_of(&ty)?;
        let form = ty.attrs.text("form").ok().and_then(Form::named).unwrap_or(Form::Ntt);
        let mut limbs = Vec::new();
        for at in 0..(ty.size / n as u64) as usize {
            let limb = Limb { n, q: q[at % q.len()], form }.ty();
            let mut sum = s.split(inputs[0], (at * n) as u64, limb.clone())?;
            for &other in &inputs[1..] {
                let other = s.split(other, (at * n) as u64, limb.clone())?;
                sum = s.op("limb.add", Attrs::new(), &[sum, other])?;
            }
            limbs.push(sum);
        }
        s.merge(&limbs, ty)
    }
}
