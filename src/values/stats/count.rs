//! Of booleans, how many are true, of those that are there; of a value of another kind, how many cells are not missing, which is public where it is complete. An integer.

use super::{Composite, integer, op};
use crate::values::types::{Kind, Place, Value, ValueCall};

/// `stats.count`; see the module.
pub(super) const COUNT: Composite = Composite {
    name: "stats.count",
    attributes: &[],
    output: |call| {
        call.arity(1)?;
        let x = call.value(0)?;
        let place = if x.missing || x.kind == Kind::Boolean { x.place } else { Place::Public };
        Ok(Value::new(Kind::Integer, []).at(place))
    },
    expand: |s, call, inputs| {
        let x = call.value(0)?;
        if x.kind != Kind::Boolean && !x.missing {
            return integer(s, x.cells());
        }
        let counted = match (x.kind, x.missing) {
            // 0 where one is missing.
            (Kind::Boolean, true) => op(s, "value.cells", inputs)?,
            (Kind::Boolean, false) => inputs[0],
            _ => op(s, "value.present", inputs)?,
        };
        op(s, "value.sum", &[counted])
    },
};
