//! `rlwe.key_switch`: from x s' to a pair (c_0, c_1) with c_0 + c_1 s = x s' + small noise: c_k = round(sum over digits d
//! of x_d key_d[k] / P). Inputs: the polynomial (coefficient form) and the switching key. The output is the pair, one
//! polynomial after the other.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Poly, SwitchingKey};
use crate::ops::{Call, Level, OpDef, Session};

/// `rlwe.key_switch`; see the module.
pub struct KeySwitch;

impl OpDef for KeySwitch {
    fn name(&self) -> &str {
        "rlwe.key_switch"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(2)?;
        let poly = Poly::of(call.input(0, "poly")?)?;
        let key = SwitchingKey::of(call.input(1, "switching_key")?)?;
        if poly.q != key.q || poly.n != key.n {
            return Err(call.error("level of the key", call.inputs[1].clone(), call.inputs[0].clone()));
        }
        Ok(super::pair_type(&poly))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let poly = Poly::of(&call.inputs[0])?;
        let key = SwitchingKey::of(&call.inputs[1])?;
        let attrs = Attrs::new().with("special", key.special.as_slice()).with("digit", key.digit);
        let digits = s.op("rlwe.decompose", attrs, &inputs[..1])?;
        let size = key.poly().ty().size;
        let mut halves = Vec::new();
        for half in 0..2 {
            let mut pairs = Vec::new();
            for d in 0..key.digits() as u64 {
                pairs.push(s.split(digits, d * size, key.poly().ty())?);
                pairs.push(s.split(inputs[1], (2 * d + half) * size, key.poly().ty())?);
            }
            let product = s.op("poly.dot", Attrs::new(), &pairs)?;
            let product = s.op("poly.intt", Attrs::new(), &[product])?;
            let attrs = Attrs::new().with("drop", key.special.as_slice()).with("factor", 1u64);
            halves.push(s.op("rns.scale_round", attrs, &[product])?);
        }
        s.merge(&halves, super::pair_type(&poly))
    }
}
