//! Base conversion to one prime: out = sum of y_i c_i - v w mod q, y_i any residues, v from `rns.quotient`.
//! Inputs y_0, ..., y_(k-1), v; attributes `c` (k constants) and `w` in [0, q), `q`. Without `w` there is no v and
//! nothing is subtracted.

use super::{below, residues};
use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, OpDef, types};

/// `rns.convert`; see the module.
pub struct Convert;

impl OpDef for Convert {
    fn name(&self) -> &str {
        "rns.convert"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["c", "q", "w"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let with_v = call.attrs.get("w").is_some();
        let k = call.inputs.len().saturating_sub(usize::from(with_v));
        let n = residues(call, k)?;
        let q = call.modulus("q")?.value();
        let c = call.attrs.uints("c")?;
        if c.len() != k || c.iter().any(|&c| c >= q) {
            return Err(call.error("c", format!("{c:?}"), format!("{k} constants below {q}")));
        }
        if with_v {
            below(call, "w", q)?;
            if call.input(k, "quotient")?.dim("n")? != n {
                return Err(call.error("size of v", &call.inputs[k], types::quotient(n)));
            }
        }
        Ok(Limb { n, q, form: Form::Coeff }.ty())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = super::length(call);
        n * call.inputs.len() as f64
    }
}
