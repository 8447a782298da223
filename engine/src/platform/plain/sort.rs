//! Ascending order along an axis: by keys, unsigned integers that have the order of the elements.

use super::element::Number;
use super::{Use, by_number, typed};
use crate::platform::Kernel;

/// `sort`.
pub(super) fn kernel(uses: &Use, axis: usize) -> Option<Kernel> {
    let (_, n, inner) = uses.first().around(axis);
    by_number!(uses.element, T => typed(move |i: &[&[T]], out: &mut [T]| {
        let mut keys = Vec::with_capacity(n);
        for (x, out) in i[0].chunks_exact(n * inner).zip(out.chunks_exact_mut(n * inner)) {
            for column in 0..inner {
                keys.clear();
                keys.extend(x[column..].iter().step_by(inner).map(|x| x.key()));
                keys.sort_unstable();
                for (out, &key) in out[column..].iter_mut().step_by(inner).zip(&keys) {
                    *out = T::of_key(key);
                }
            }
        }
    }))
}
