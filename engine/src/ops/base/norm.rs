//! Size of a polynomial: log2 of the largest coefficient, centered modulo the product of the primes, as the bits
//! of a double; -infinity never occurs, the zero polynomial gives 0. Used by the client to measure noise.

use super::residues;
use crate::Result;
use crate::graph::{Attrs, ValueType};
use crate::ops::{Call, Level, OpDef};

/// `rns.norm`; see the module.
pub struct Norm;

impl OpDef for Norm {
    fn name(&self) -> &str {
        "rns.norm"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        residues(call, call.inputs.len())?;
        Ok(ValueType::new("log2", 1, Attrs::new()))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        4.0 * n * (call.inputs.len() as f64).powi(2)
    }
}
