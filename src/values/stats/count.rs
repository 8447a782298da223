//! How many cells a value of any kind has that are not missing: an integer. Of a complete value it is public.

use super::{Composite, integer, op};
use crate::values::types::{Kind, Place, Value, ValueCall};

/// `stats.count`; see the module.
pub(super) const COUNT: Composite = Composite {
    name: "stats.count",
    attributes: &[],
    output: |call| {
        call.arity(1)?;
        let x = call.value(0)?;
        let place = if x.missing { x.place } else { Place::Public };
        Ok(Value::new(Kind::Integer, []).at(place))
    },
    expand: |s, call, inputs| {
        let x = call.value(0)?;
        if !x.missing {
            return integer(s, x.cells());
        }
        let present = op(s, "value.present", inputs)?;
        op(s, "value.sum", &[present])
    },
};
