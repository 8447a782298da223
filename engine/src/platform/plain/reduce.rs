//! One element of all along an axis, combined in the order that `ops::plain::sum` says: for floats it matters, all others
//! are as fast this way.

use super::element::{Integer, Number};
use super::{Use, bits, by_integer, by_number, typed, unsigned};
use crate::ops::tensor::Element;
use crate::platform::Kernel;
use bytemuck::Pod;

/// Elements of a block.
const BLOCK: usize = 1024;
/// Partial results of a block.
const PARTS: usize = 8;
/// Elements that integers, whose order does not matter, are taken at a time.
const LINE: usize = 64;
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
        "reduce_xor" | "reduce_and" | "reduce_or" => {
            by_integer!(unsigned(element), T => logic::<T>(operation, around))
        }
        _ => by_number!(element, T => number::<T>(operation, around)),
    };
    Some(bits::unpacked(kernel?, &uses.inputs, &uses.out))
}

/// What a reduction does, for whole lines at a time: the loops around are compiled once for all reductions of an element.
#[derive(Clone, Copy)]
struct Steps<T, A> {
    /// Changes nothing.
    neutral: A,
    /// The result of a block, where the order of its elements matters; else the next two do.
    block: Option<fn(&[T]) -> A>,
    /// Adds elements to partial results beside each other.
    open: fn(&mut [A], &[T]),
    /// Adds partial results to others.
    add: fn(&mut [A], &[A]),
}

/// The steps of a reduction of what `$open` makes of elements by `$f`, which `$neutral` does not change.
macro_rules! steps {
    ($neutral:expr, $open:expr, $f:expr) => {
        Steps {
            neutral: $neutral,
            block: T::ORDERED.then_some(|block| block_of(block, $open, $neutral, $f)),
            open: |parts, line| each(parts, line, |part, x| $f(part, $open(x))),
            add: |parts, line| each(parts, line, $f),
        }
    };
}

fn number<T: Number>(operation: &str, around: Around) -> Option<Kernel> {
    let add = |total: Steps<T, T::Total>| reduction(around, total);
    match operation {
        "sum" => add(steps!(T::Total::ZERO, T::total, T::Total::add)),
        "product" => add(steps!(T::Total::ONE, T::total, T::Total::mul)),
        "reduce_min" => reduction::<T, T>(around, steps!(T::HIGHEST, |x: T| x, T::min)),
        "reduce_max" => reduction::<T, T>(around, steps!(T::LOWEST, |x: T| x, T::max)),
        _ => None,
    }
}

fn logic<T: Integer>(operation: &str, around: Around) -> Option<Kernel> {
    let steps: Steps<T, T> = match operation {
        "reduce_xor" => steps!(T::ZERO, |x: T| x, T::xor),
        "reduce_and" => steps!(T::not(T::ZERO), |x: T| x, T::and),
        "reduce_or" => steps!(T::ZERO, |x: T| x, T::or),
        _ => return None,
    };
    reduction(around, steps)
}

fn reduction<T: Pod + Send + Sync, A: Pod + Send + Sync>(
    (outer, n, inner): Around,
    Steps { neutral, block, open, add }: Steps<T, A>,
) -> Option<Kernel> {
    typed(move |i: &[&[T]], out: &mut [A]| {
        let x = i[0];
        let mut blocks: Vec<A> = Vec::new();
        if inner == 1 {
            for (out, line) in out.iter_mut().zip(x.chunks_exact(n)) {
                blocks.clear();
                match block {
                    Some(block) => blocks.extend(line.chunks(BLOCK).map(block)),
                    None => {
                        blocks.resize(LINE.min(n), neutral);
                        line.chunks(LINE).for_each(|line| open(&mut blocks, line));
                    }
                }
                pairwise(&mut blocks, 1, add);
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
                        open(&mut parts[k % PARTS * width..][..width], line);
                    }
                    together(&mut parts, width, add);
                    blocks.extend_from_slice(&parts[..width]);
                }
                pairwise(&mut blocks, width, add);
                out.copy_from_slice(&blocks[..width]);
            }
        }
    })
}

/// Combines elements of two lines.
fn each<A: Copy, T: Copy>(parts: &mut [A], line: &[T], f: impl Fn(A, T) -> A) {
    for (part, &x) in parts.iter_mut().zip(line) {
        *part = f(*part, x);
    }
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
    let [a, b, c, d, e, g, h, i] = last;
    f(f(f(a, b), f(c, d)), f(f(e, g), f(h, i)))
}

/// ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)) of eight lines of `width`, into the first one.
fn together<A>(parts: &mut [A], width: usize, add: fn(&mut [A], &[A])) {
    for step in [1, 2, 4] {
        for i in (0..PARTS).step_by(2 * step) {
            let (before, behind) = parts.split_at_mut((i + step) * width);
            add(&mut before[i * width..][..width], &behind[..width]);
        }
    }
}

/// Neighboring lines of `width` combined, round by round; the last one of an odd number goes on as it is.
fn pairwise<A: Copy>(lines: &mut [A], width: usize, add: fn(&mut [A], &[A])) {
    let mut len = lines.len() / width;
    while len > 1 {
        for i in 0..len / 2 {
            let (before, behind) = lines.split_at_mut((2 * i + 1) * width);
            add(&mut before[2 * i * width..], &behind[..width]);
            lines.copy_within(2 * i * width..(2 * i + 1) * width, i * width);
        }
        if len % 2 == 1 {
            lines.copy_within((len - 1) * width..len * width, len / 2 * width);
        }
        len = len.div_ceil(2);
    }
}
