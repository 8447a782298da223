//! The line y = slope x + intercept of least squares, for inputs (x, y): reals of shape [2], the slope and the intercept. With
//! d = n sum(x^2) - sum(x)^2 they are (n sum(x y) - sum(x) sum(y)) / d and (sum(y) sum(x^2) - sum(x) sum(x y)) / d; where all x are
//! equal there is none: a division by 0.

use super::sums::{Sums, statistic};
use super::{Composite, op, shaped};
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::{Call, Session};

/// `stats.regression`; see the module.
pub(super) const REGRESSION: Composite = Composite {
    name: "stats.regression",
    attributes: &[],
    output: |call| Ok(statistic(call, 2, 2)?.shaped([2])),
    expand,
};

fn expand(s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
    let sums = Sums::of(s, call, inputs)?;
    let (of_x, of_xy) = (sums.co_moment(s, 0, 0)?, sums.co_moment(s, 0, 1)?);
    let [x, y] = [sums.sum(s, 0)?, sums.sum(s, 1)?];
    let [xx, xy] = [sums.products(s, 0, 0)?, sums.products(s, 0, 1)?];
    let [first, second] = [op(s, "value.multiply", &[y, xx])?, op(s, "value.multiply", &[x, xy])?];
    let of_y = op(s, "value.sub", &[first, second])?;
    let mut line = Vec::new();
    for numerator in [of_xy, of_y] {
        let quotient = op(s, "value.divide", &[numerator, of_x])?;
        line.push(shaped(s, "value.reshape", quotient, &[1])?);
    }
    s.op("value.concat", Attrs::new().with("axis", 0u64), &line)
}
