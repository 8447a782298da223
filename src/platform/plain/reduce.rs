//! One element of all along an axis, combined in the order that `ops::plain::sum` says: for floats it matters, all others
//! are as fast this way.

use super::element::{Integer, Number};
use super::{Use, bits, by_integer, by_number, typed};
use crate::ops::tensor::Element;
use crate::platform::Kernel;
use bytemuck::Pod;

/// Elements of a block.
const BLOCK: usize = 1024;
/// Partial results of a block.
const PARTS: usize = 8;
/// Neighboring results that are worked out at a time.
const COLUMNS: usize = 32;

/// Elements around the axis: before, along, after.
type Around = (usize, usize, usize);

/// `sum`, `product`, `reduce_min`, `reduce_max`, `reduce_xor`, `reduce_and`, `reduce_or`.
pub(super) fn kernel(uses: &Use, operation: &str, axis: usize) -> Option<Kernel> {
    let around = uses.first().around(axis);
    // Bits are bytes.
    let element = if uses.element == Element::Bit { Element::U8 } else { uses.element };
    let kernel = match operation {
        "reduce_xor" | "reduce_and" | "reduce_or" => by_integer!(element, T => logic::<T>(operation, around)),
        _ => by_number!(element, T => number::<T>(operation, around)),
    };
    Some(bits::unpacked(kernel?, &uses.inputs, &uses.out))
}

fn number<T: Number>(operation: &str, around: Around) -> Option<Kernel> {
    type Total<T> = <T as Number>::Total;
    match operation {
        "sum" => reduction(around, T::total, Total::<T>::ZERO, Total::<T>::add),
        "product" => reduction(around, T::total, Total::<T>::ONE, Total::<T>::mul),
        "reduce_min" => reduction(around, |x| x, T::HIGHEST, T::min),
        "reduce_max" => reduction(around, |x| x, T::LOWEST, T::max),
        _ => None,
    }
}

fn logic<T: Integer>(operation: &str, around: Around) -> Option<Kernel> {
    match operation {
        "reduce_xor" => reduction(around, |x| x, T::ZERO, T::xor),
        "reduce_and" => reduction(around, |x| x, T::not(T::ZERO), T::and),
        "reduce_or" => reduction(around, |x| x, T::ZERO, T::or),
        _ => None,
    }
}

/// A reduction of what `open` makes of elements by `f`, which `neutral` does not change.
fn reduction<T: Pod, A: Pod + Send + Sync>(
    (outer, n, inner): Around,
    open: impl Fn(T) -> A + Copy + Send + Sync + 'static,
    neutral: A,
    f: impl Fn(A, A) -> A + Copy + Send + Sync + 'static,
) -> Option<Kernel> {
    typed(move |i: &[&[T]], out: &mut [A]| {
        let x = i[0];
        let mut blocks: Vec<A> = Vec::new();
        if inner == 1 {
            for (out, line) in out.iter_mut().zip(x.chunks_exact(n)) {
                blocks.clear();
                blocks.extend(line.chunks(BLOCK).map(|block| block_of(block, open, neutral, f)));
                pairwise(&mut blocks, 1, f);
                *out = blocks[0];
            }
            return;
        }
        let mut parts = [neutral; PARTS * COLUMNS];
        for (o, out) in (0..outer).zip(out.chunks_exact_mut(inner)) {
            for (column, out) in (0..).step_by(COLUMNS).zip(out.chunks_mut(COLUMNS)) {
                let width = out.len();
                blocks.clear();
                for from in (0..n).step_by(BLOCK) {
                    parts.fill(neutral);
                    for k in from..n.min(from + BLOCK) {
                        let line = &x[(o * n + k) * inner + column..][..width];
                        let part = parts[k % PARTS * width..][..width].iter_mut();
                        part.zip(line).for_each(|(part, &x)| *part = f(*part, open(x)));
                    }
                    together(&mut parts, width, f);
                    blocks.extend_from_slice(&parts[..width]);
                }
                pairwise(&mut blocks, width, f);
                out.copy_from_slice(&blocks[..width]);
            }
        }
    })
}

/// The result of one block.
#[allow(clippy::needless_range_loop, reason = "as the compiler unrolls it")]
fn block_of<T: Copy, A: Copy>(
    block: &[T],
    open: impl Fn(T) -> A,
    neutral: A,
    f: impl Fn(A, A) -> A + Copy,
) -> A {
    let mut parts = [neutral; PARTS];
    let (whole, rest) = block.as_chunks::<PARTS>();
    // A loop of known length over an array of its own: it stays in registers.
    for eight in whole {
        for i in 0..PARTS {
            parts[i] = f(parts[i], open(eight[i]));
        }
    }
    let mut last = parts;
    for (part, &x) in last.iter_mut().zip(rest) {
        *part = f(*part, open(x));
    }
    together(&mut last, 1, f);
    last[0]
}

/// ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)) of eight lines of `width`, into the first one.
fn together<A: Copy>(parts: &mut [A], width: usize, f: impl Fn(A, A) -> A + Copy) {
    for step in [1, 2, 4] {
        for i in (0..PARTS).step_by(2 * step) {
            add_line(parts, i * width, (i + step) * width, width, f);
        }
    }
}

/// Neighboring lines of `width` combined, round by round; the last one of an odd number goes on as it is.
fn pairwise<A: Copy>(lines: &mut [A], width: usize, f: impl Fn(A, A) -> A + Copy) {
    let mut len = lines.len() / width;
    while len > 1 {
        for i in 0..len / 2 {
            add_line(lines, 2 * i * width, (2 * i + 1) * width, width, f);
            lines.copy_within(2 * i * width..(2 * i + 1) * width, i * width);
        }
        if len % 2 == 1 {
            lines.copy_within((len - 1) * width..len * width, len / 2 * width);
        }
        len = len.div_ceil(2);
    }
}

/// Combines a line with a later one.
fn add_line<A: Copy>(lines: &mut [A], to: usize, from: usize, width: usize, f: impl Fn(A, A) -> A) {
    let (before, behind) = lines.split_at_mut(from);
    for (a, &b) in before[to..][..width].iter_mut().zip(&behind[..width]) {
        *a = f(*a, b);
    }
}
