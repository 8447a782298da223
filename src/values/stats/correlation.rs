//! Pearson's correlation: with c(x, y) = n sum(x y) - sum(x) sum(y), it is c(x, y) / sqrt(c(x, x) c(y, y)), a single real. Values that are
//! all equal have none: a division by 0.

use super::sums::{Sums, statistic};
use super::{Composite, op};

/// `stats.correlation`; see the module.
pub(super) const CORRELATION: Composite = Composite {
    name: "stats.correlation",
    attributes: &[],
    output: |call| statistic(call, 2, 2),
    expand: |s, call, inputs| {
        let sums = Sums::of(s, call, inputs)?;
        let (xy, xx, yy) = (sums.co_moment(s, 0, 1)?, sums.co_moment(s, 0, 0)?, sums.co_moment(s, 1, 1)?);
        let square = op(s, "value.multiply", &[xx, yy])?;
        let root = op(s, "value.root", &[square])?;
        op(s, "value.divide", &[xy, root])
    },
};
