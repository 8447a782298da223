//! (n sum(x^2) - sum(x)^2) / (n (n - 1)), or over n^2: a single real. Attribute `of` is `sample` or `population`.

use super::Composite;
use super::sums::{Of, Sums, statistic};

/// `stats.variance`; see the module.
pub(super) const VARIANCE: Composite = Composite {
    name: "stats.variance",
    attributes: &["of"],
    output: |call| statistic(call, 1, Of::attr(call)?.least()),
    expand: |s, call, inputs| Sums::of(s, call, inputs)?.moment(s, 0, 0, Of::attr(call)?),
};
