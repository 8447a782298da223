//! Pearson's correlation: with c(x, y) = n sum(x y) - sum(x) sum(y), it is c(x, y) / sqrt(c(x, x) c(y, y)), a single real. Values that are
//! all equal have none: a division by 0.
//!
//! Computed as the root of c(x, y)^2 / (c(x, x) c(y, y)) with the sign of c(x, y): so it is rounded once.

use super::sums::{Sums, statistic};
use super::{Composite, integer, op};
use crate::graph::Attrs;

/// `stats.correlation`; see the module.
pub(super) const CORRELATION: Composite = Composite {
    name: "stats.correlation",
    attributes: &[],
    output: |call| statistic(call, 2, 2),
    expand: |s, call, inputs| {
        let sums = Sums::of(s, call, inputs)?;
        let (xy, xx, yy) = (sums.co_moment(s, 0, 1)?, sums.co_moment(s, 0, 0)?, sums.co_moment(s, 1, 1)?);
        // What follows is nobody's but the client's, its sign, too.
        let xy = op(s, "value.finish", &[xy])?;
        let (square, product) = (op(s, "value.square", &[xy])?, op(s, "value.multiply", &[xx, yy])?);
        let quotient = op(s, "value.divide", &[square, product])?;
        // Any decimals may be compared with a quotient.
        let [zero, one] = [integer(s, 0)?, integer(s, 1)?];
        let [zero, one] = [op(s, "value.divide", &[zero, one])?, op(s, "value.divide", &[one, one])?];
        // Of reals, which may be off; of exact numbers it is never above 1.
        let above = s.op("value.compare", Attrs::new().with("relation", "lt"), &[one, quotient])?;
        let quotient = op(s, "value.select", &[above, one, quotient])?;
        let root = op(s, "value.root", &[quotient])?;
        let negative = s.op("value.compare", Attrs::new().with("relation", "lt"), &[xy, zero])?;
        let negated = op(s, "value.negate", &[root])?;
        op(s, "value.select", &[negative, negated, root])
    },
};
