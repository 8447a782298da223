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
        if inner == 1 {
            let mut blocks = Vec::new();
            for (out, line) in out.iter_mut().zip(x.chunks_exact(n)) {
                blocks.clear();
                blocks.extend(line.chunks(BLOCK).map(|block| [block_of(block, open, neutral, f)]));
                *out = pairwise(&mut blocks, f)[0];
            }
            return;
        }
        let mut blocks: Vec<[A; COLUMNS]> = Vec::new();
        for o in 0..outer {
            for column in (0..inner).step_by(COLUMNS) {
                let width = COLUMNS.min(inner - column);
                blocks.clear();
                for from in (0..n).step_by(BLOCK) {
                    let lines =
                        (from..n.min(from + BLOCK)).map(|k| &x[(o * n + k) * inner + column..][..width]);
                    blocks.push(columns_of(lines, open, neutral, f));
                }
                out[o * inner + column..][..width].copy_from_slice(&pairwise(&mut blocks, f)[..width]);
            }
        }
    })
}

/// The result of one block.
fn block_of<T: Copy, A: Copy>(
    block: &[T],
    open: impl Fn(T) -> A,
    neutral: A,
    f: impl Fn(A, A) -> A + Copy,
) -> A {
    let mut parts = [neutral; PARTS];
    let (whole, rest) = block.as_chunks::<PARTS>();
    for eight in whole {
        for (part, &x) in parts.iter_mut().zip(eight) {
            *part = f(*part, open(x));
        }
    }
    for (part, &x) in parts.iter_mut().zip(rest) {
        *part = f(*part, open(x));
    }
    together(parts, f)
}

/// The results of one block of neighboring columns, from its lines.
fn columns_of<'a, T: Copy + 'a, A: Copy>(
    lines: impl Iterator<Item = &'a [T]>,
    open: impl Fn(T) -> A,
    neutral: A,
    f: impl Fn(A, A) -> A + Copy,
) -> [A; COLUMNS] {
    let mut parts = [[neutral; COLUMNS]; PARTS];
    for (i, line) in lines.enumerate() {
        for (part, &x) in parts[i % PARTS].iter_mut().zip(line) {
            *part = f(*part, open(x));
        }
    }
    together(parts, |a, b| std::array::from_fn(|i| f(a[i], b[i])))
}

fn together<A: Copy>(p: [A; PARTS], f: impl Fn(A, A) -> A) -> A {
    f(f(f(p[0], p[1]), f(p[2], p[3])), f(f(p[4], p[5]), f(p[6], p[7])))
}

/// Neighbors combined, round by round; the last one of an odd number goes on as it is.
fn pairwise<A: Copy, const N: usize>(blocks: &mut [[A; N]], f: impl Fn(A, A) -> A) -> [A; N] {
    let mut len = blocks.len();
    while len > 1 {
        for i in 0..len.div_ceil(2) {
            let mut one = blocks[2 * i];
            if 2 * i + 1 < len {
                for (a, &b) in one.iter_mut().zip(&blocks[2 * i + 1]) {
                    *a = f(*a, b);
                }
            }
            blocks[i] = one;
        }
        len = len.div_ceil(2);
    }
    blocks[0]
}
