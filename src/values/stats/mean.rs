//! sum(x) / n: a single real.

use super::sums::{Sums, statistic};
use super::{Composite, op};

/// `stats.mean`; see the module.
pub(super) const MEAN: Composite = Composite {
    name: "stats.mean",
    attributes: &[],
    output: |call| statistic(call, 1, 1),
    expand: |s, call, inputs| {
        let sums = Sums::of(s, call, inputs)?;
        let (sum, count) = (sums.sum(s, 0)?, sums.count(s)?);
        op(s, "value.divide", &[sum, count])
    },
};
