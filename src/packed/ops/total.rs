//! In every slot the sum of all that are a multiple of 2^`low` further on in its ring, and, where attribute `rings` is 1, of those of the other ring, divided by
//! attribute `repeats`, a power of two: each is there so many times. For outputs, since who decrypts may add up for nothing what who computes would turn and add.

use super::{OPERANDS, Operator, Role};
use crate::Result;
use crate::ops::Call;

/// `packed.total`; see the module.
pub(super) const TOTAL: Operator = Operator {
    name: "packed.total",
    attributes: &["low", "rings", "repeats"],
    output: |call| {
        let (vector, low, rings) = (super::one(call)?, call.attrs.uint("low")?, call.attrs.uint("rings")?);
        let (ring, most) = (u64::from(vector.frame.ring), u64::from(vector.frame.rings));
        // Sums of all of one ring of two are no sums over a subring ([`Extract`](crate::ops::types::Extract)).
        let least = most - rings.min(most);
        repeats(call)?;
        if (least..=ring).contains(&low) && rings <= most && (low < ring || rings > 0) {
            Ok(vector)
        } else {
            let expected = format!("{least} to {ring}, and 0 to {most}, of which something is added up");
            Err(call.error("low, rings", format!("{low}, {rings}"), expected))
        }
    },
    commutative: false,
    inverse: None,
    role: Role::Linear,
    takes: OPERANDS,
    coefficients: |_| None,
    close: |call, inputs, target| {
        let low = call.attrs.uint("low")? as u32;
        target.total(inputs[0], low, call.attrs.uint("rings")? == 1, repeats(call)?)
    },
};

fn repeats(call: &Call<'_>) -> Result<u64> {
    let found = call.attrs.uint("repeats")?;
    if found.is_power_of_two() { Ok(found) } else { Err(call.error("repeats", found, "a power of two")) }
}
