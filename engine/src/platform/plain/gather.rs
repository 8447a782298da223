//! Elements at computed places: `gather` and `scatter`.

use super::element::{Integer, Number};
use super::{Use, bits, by_integer, by_number, by_width};
use crate::Result;
use crate::ops::Call;
use crate::ops::plain::scatter::adds;
use crate::ops::tensor::{Element, Tensor};
use crate::platform::Kernel;

/// Indices that are read at a time.
const CHUNK: usize = 512;

/// Reads indices, from the given one on; those outside are `usize::MAX`.
type Read = fn(&[u8], usize, &mut [usize]);

fn reader(index: &Tensor) -> Option<Read> {
    by_integer!(index.element, T => Some(read::<T>))
}

fn read<T: Integer + TryInto<usize>>(index: &[u8], from: usize, places: &mut [usize]) {
    let index: &[T] = bytemuck::cast_slice(index);
    for (place, &index) in places.iter_mut().zip(&index[from..]) {
        *place = index.try_into().unwrap_or(usize::MAX);
    }
}

/// Visits the indices by chunks: the number of the first one, and where they point.
fn each(read: Read, index: &[u8], len: usize, mut visit: impl FnMut(usize, &[usize])) {
    let mut places = [0; CHUNK];
    for from in (0..len).step_by(CHUNK) {
        let places = &mut places[..CHUNK.min(len - from)];
        read(index, from, places);
        visit(from, places);
    }
}

/// `gather`.
///
/// # Errors
/// `Operator` for a wrong axis.
pub(super) fn gather(uses: &Use, call: &Call<'_>) -> Result<Option<Kernel>> {
    let [x, index] = uses.inputs.as_slice() else { return Ok(None) };
    let (around, len) = (x.around(call.axis(x)?), index.len());
    let Some(read) = reader(index) else { return Ok(None) };
    let kernel = by_width!(uses.element, T => {
        Kernel::on_bytes(move |i: &[&[u8]], out: &mut [u8]| {
            let (x, out): (&[T], &mut [T]) = (bytemuck::cast_slice(i[0]), bytemuck::cast_slice_mut(out));
            each(read, i[1], len, |from, places| gather_into(x, out, around, len, from, places));
        })
    });
    Ok(Some(bits::unpacked(kernel, &uses.inputs, &uses.out)))
}

/// Elements for the indices from number `from` on.
fn gather_into<T: Number>(
    x: &[T],
    out: &mut [T],
    (outer, n, inner): (usize, usize, usize),
    len: usize,
    from: usize,
    places: &[usize],
) {
    for o in 0..outer {
        let (x, out) = (&x[o * n * inner..][..n * inner], &mut out[(o * len + from) * inner..]);
        if inner == 1 {
            for (out, &place) in out.iter_mut().zip(places) {
                *out = x.get(place).copied().unwrap_or(T::ZERO);
            }
            continue;
        }
        for (out, &place) in out.chunks_exact_mut(inner).zip(places) {
            match place < n {
                true => out.copy_from_slice(&x[place * inner..][..inner]),
                false => out.fill(T::ZERO),
            }
        }
    }
}

/// `scatter`.
///
/// # Errors
/// `Operator` for a wrong axis or mode.
pub(super) fn scatter(uses: &Use, call: &Call<'_>) -> Result<Option<Kernel>> {
    let [x, index, _] = uses.inputs.as_slice() else { return Ok(None) };
    let (around, len) = (x.around(call.axis(x)?), index.len());
    let Some(read) = reader(index) else { return Ok(None) };
    let kernel = match (adds(call)?, uses.element) {
        (false, element) => by_width!(element, T => scattering::<T>(around, len, read, |_, new| new)),
        // Modulo 2, whatever is packed in the end is the lowest bit.
        (true, Element::Bit) => scattering::<u8>(around, len, read, u8::add),
        (true, element) => by_number!(element, T => scattering::<T>(around, len, read, T::add)),
    };
    Ok(kernel.map(|kernel| bits::unpacked(kernel, &uses.inputs, &uses.out)))
}

fn scattering<T: Number>(
    (outer, n, inner): (usize, usize, usize),
    len: usize,
    read: Read,
    f: impl Fn(T, T) -> T + Send + Sync + 'static,
) -> Option<Kernel> {
    Some(Kernel::on_bytes(move |i: &[&[u8]], out: &mut [u8]| {
        out.copy_from_slice(i[0]);
        let (out, updates): (&mut [T], &[T]) = (bytemuck::cast_slice_mut(out), bytemuck::cast_slice(i[2]));
        each(read, i[1], len, |from, places| {
            for o in 0..outer {
                let updates = updates[(o * len + from) * inner..].chunks_exact(inner);
                for (&place, new) in places.iter().zip(updates).filter(|(place, _)| **place < n) {
                    let to = &mut out[(o * n + place) * inner..][..inner];
                    to.iter_mut().zip(new).for_each(|(to, &new)| *to = f(*to, new));
                }
            }
        });
    }))
}
