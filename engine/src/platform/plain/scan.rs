//! Running results along an axis.

use super::element::Number;
use super::{Use, bits, by_number, typed};
use crate::Result;
use crate::ops::Call;
use crate::ops::plain::scan::{Combination, combination};
use crate::ops::tensor::Element;
use crate::platform::Kernel;

/// `scan`.
///
/// # Errors
/// `Operator` for a wrong axis or combination.
pub(super) fn kernel(uses: &Use, call: &Call<'_>) -> Result<Option<Kernel>> {
    let (_, n, inner) = uses.first().around(call.axis(uses.first())?);
    let of = combination(call)?;
    let element = if uses.element == Element::Bit { Element::U8 } else { uses.element };
    let kernel = by_number!(element, T => running::<T>(n, inner, of));
    Ok(kernel.map(|kernel| bits::unpacked(kernel, &uses.inputs, &uses.out)))
}

fn running<T: Number>(n: usize, inner: usize, of: Combination) -> Option<Kernel> {
    let f: fn(T::Total, T::Total) -> T::Total = match of {
        Combination::Sum => T::Total::add,
        Combination::Product => T::Total::mul,
        Combination::Min => T::Total::min,
        Combination::Max => T::Total::max,
    };
    typed(move |i: &[&[T]], out: &mut [T::Total]| {
        for (x, out) in i[0].chunks_exact(n * inner).zip(out.chunks_exact_mut(n * inner)) {
            for (out, &x) in out.iter_mut().zip(&x[..inner]) {
                *out = x.total();
            }
            for k in inner..n * inner {
                out[k] = f(out[k - inner], x[k].total());
            }
        }
    })
}
