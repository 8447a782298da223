//! How often the modulus fits into a sum of residues: v = round(sum of y_i / q_i), y_i in [0, q_i).
//! Doubles, summed in limb order, so that every platform gives the same bits. With it a base conversion is exact
//! and centered, but for values within about 2^-48 Q of Q/2, where either neighbor may come out (Halevi,
//! Polyakov, Shoup, ia.cr/2018/117).

use super::residues;
use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef, types};

/// `rns.quotient`; see the module.
pub struct Quotient;

impl OpDef for Quotient {
    fn name(&self) -> &str {
        "rns.quotient"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let n = residues(call, call.inputs.len())?;
        Ok(types::quotient(n))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        n * call.inputs.len() as f64
    }
}
