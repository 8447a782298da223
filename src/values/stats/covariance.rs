//! (n sum(x y) - sum(x) sum(y)) / (n (n - 1)), or over n^2: a single real. Attribute `of` is `sample` or `population`.

use super::Composite;
use super::sums::{Of, Sums, statistic};

/// `stats.covariance`; see the module.
pub(super) const COVARIANCE: Composite = Composite {
    name: "stats.covariance",
    attributes: &["of"],
    output: |call| statistic(call, 2, Of::attr(call)?.least()),
    expand: |s, call, inputs| Sums::of(s, call, inputs)?.moment(s, 0, 1, Of::attr(call)?),
};
