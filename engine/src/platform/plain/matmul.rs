//! Matrix products: tiles of outputs in registers, over blocks of the second matrix that stay in the cache.

use super::element::Number;
use super::{Use, by_integer, typed, unsigned};
use crate::ops::tensor::Element;
use crate::platform::Kernel;

/// Rows of a tile.
const ROWS: usize = 4;
/// Rows of the second matrix that are gone through at a time.
const DEPTH: usize = 256;

/// `matmul`.
pub(super) fn kernel(uses: &Use) -> Option<Kernel> {
    let [a, b] = uses.inputs.as_slice() else { return None };
    // Vectors have one row, or one column.
    let (inner, n) = (*a.shape.last()? as usize, b.shape.get(1).map_or(1, |&n| n as usize));
    // As many columns as two vectors of 16 bytes have. Tiles of several rows are for floats: nobody multiplies large
    // matrices of integers, and each tile is some kilobytes.
    match unsigned(uses.element) {
        Element::F32 => {
            typed(move |i: &[&[f32]], out: &mut [f32]| multiply::<f32, ROWS, 8>(i[0], i[1], out, inner, n))
        }
        Element::F64 => {
            typed(move |i: &[&[f64]], out: &mut [f64]| multiply::<f64, ROWS, 4>(i[0], i[1], out, inner, n))
        }
        element => by_integer!(element, T => typed(move |i: &[&[T]], out: &mut [T]| {
            multiply::<T, 1, 4>(i[0], i[1], out, inner, n);
        })),
    }
}

fn multiply<T: Number, const ROWS: usize, const COLUMNS: usize>(
    a: &[T],
    b: &[T],
    out: &mut [T],
    inner: usize,
    n: usize,
) {
    let mut panel = [[T::ZERO; COLUMNS]; DEPTH];
    out.fill(T::ZERO);
    for column in (0..n).step_by(COLUMNS) {
        let width = COLUMNS.min(n - column);
        for from in (0..inner).step_by(DEPTH) {
            let depth = DEPTH.min(inner - from);
            let panel = &mut panel[..depth];
            for (row, k) in panel.iter_mut().zip(from..) {
                row[..width].copy_from_slice(&b[k * n + column..][..width]);
            }
            for (a, out) in a.chunks(ROWS * inner).zip(out.chunks_mut(ROWS * n)) {
                if out.len() == ROWS * n {
                    let lines = std::array::from_fn(|r| &a[r * inner + from..][..depth]);
                    tile::<T, ROWS, COLUMNS>(lines, panel, &mut out[column..], n, width);
                    continue;
                }
                for (a, out) in a.chunks_exact(inner).zip(out.chunks_exact_mut(n)) {
                    tile::<T, 1, COLUMNS>([&a[from..][..depth]], panel, &mut out[column..], n, width);
                }
            }
        }
    }
}

/// Adds products to a tile of outputs, whose rows are `n` apart.
#[allow(clippy::needless_range_loop, reason = "as the compiler unrolls it")]
fn tile<T: Number, const R: usize, const COLUMNS: usize>(
    a: [&[T]; R],
    panel: &[[T; COLUMNS]],
    out: &mut [T],
    n: usize,
    width: usize,
) {
    let mut start = [[T::ZERO; COLUMNS]; R];
    for (r, start) in start.iter_mut().enumerate() {
        start[..width].copy_from_slice(&out[r * n..][..width]);
    }
    // Loops of known length over arrays of their own: these stay in registers.
    let mut sums = start;
    let a = a.map(|a| &a[..panel.len()]);
    for (k, b) in panel.iter().enumerate() {
        for r in 0..R {
            for c in 0..COLUMNS {
                sums[r][c] = sums[r][c].add(a[r][k].mul(b[c]));
            }
        }
    }
    let end = sums;
    for (r, end) in end.iter().enumerate() {
        out[r * n..][..width].copy_from_slice(&end[..width]);
    }
}
