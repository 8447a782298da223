//! Slots with known values: an operator without inputs. Attributes `n`, `t`, `values` (in [0, t); the rest is 0).

use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef, types};

/// `slots.constant`; see the module.
pub struct SlotsConstant;

impl OpDef for SlotsConstant {
    fn name(&self) -> &str {
        "slots.constant"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["n", "t", "values"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(0)?;
        let (n, t) = (call.attrs.size("n")?, call.attrs.uint("t")?);
        let values = call.attrs.uints("values")?;
        if values.len() > n || values.iter().any(|&v| v >= t) {
            return Err(call.error("values", values.len(), format!("at most {n} values below {t}")));
        }
        Ok(types::slots(n, t))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        0.2 * n
    }
}
