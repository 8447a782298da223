//! Where the smallest and the largest element along an axis stand.

use super::element::Number;
use super::{Use, by_number, typed};
use crate::platform::Kernel;

/// `argmin`, `argmax`.
pub(super) fn kernel(uses: &Use, operation: &str, axis: usize) -> Option<Kernel> {
    let around = uses.first().around(axis);
    match operation {
        "argmin" => by_number!(uses.element, T => first(around, |x: T, best: T| {
            !best.is_nan() && (x.is_nan() || x.key() < best.key())
        })),
        // The key of NaN is the highest.
        "argmax" => by_number!(uses.element, T => first(around, |x: T, best: T| x.key() > best.key())),
        _ => None,
    }
}

/// The first element along the axis that none is better than.
fn first<T: Number>(
    (_, n, inner): (usize, usize, usize),
    better: impl Fn(T, T) -> bool + Send + Sync + 'static,
) -> Option<Kernel> {
    typed(move |i: &[&[T]], out: &mut [u64]| {
        for (x, out) in i[0].chunks_exact(n * inner).zip(out.chunks_exact_mut(inner)) {
            for (column, out) in out.iter_mut().enumerate() {
                let (mut best, mut at) = (x[column], 0);
                for (k, &x) in x[column..].iter().step_by(inner).enumerate() {
                    if better(x, best) {
                        (best, at) = (x, k as u64);
                    }
                }
                *out = at;
            }
        }
    })
}
