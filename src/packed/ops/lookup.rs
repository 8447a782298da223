//! The entry for x of a table: attribute `values` has one for every integer from attribute `first` on. What is in slots lies in between; the entry for 0 is there, and
//! is 0, so that slots that are no cell's stay 0.

use super::{Operator, Role, Takes};
use crate::Result;
use crate::graph::Attr;
use crate::ops::Call;
use std::sync::Arc;

/// `packed.lookup`; see the module.
pub(super) const LOOKUP: Operator = Operator {
    name: "packed.lookup",
    attributes: &["first", "values"],
    output: |call| {
        table(call)?;
        super::one(call)
    },
    commutative: false,
    inverse: None,
    role: Role::Other,
    takes: Takes::Nothing,
    coefficients: |_| None,
    close: |call, inputs, target| {
        let (first, values) = table(call)?;
        target.lookup(inputs[0], first, &values)
    },
};

/// Most entries of a table.
pub const MOST_ENTRIES: usize = 4096;

fn table(call: &Call<'_>) -> Result<(i64, Arc<[i128]>)> {
    let (first, values) = (call.attrs.int("first")?, call.attrs.get("values"));
    let Some(Attr::Ints(values)) = values else { return Err(call.error("values", "none", "integers")) };
    let zero = usize::try_from(-first).ok().and_then(|at| values.get(at));
    if values.len() > MOST_ENTRIES || zero != Some(&0) {
        let found = format!("{} entries from {first} on", values.len());
        return Err(call.error("table", found, format!("at most {MOST_ENTRIES}, of which that for 0 is 0")));
    }
    Ok((first as i64, Arc::clone(values)))
}
