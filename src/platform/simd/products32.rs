//! Sums of products of limbs modulo a prime below `2^30`, as [`super::products`] has them for doubles: products of
//! residues are below `2^60`, so that fifteen of them and what was left before fit into 64 bits.

use super::field32::{Field32, LANES, Small};
use super::lanes32::{U4, Wide};
use super::ntt32::Tables;
use super::products::group;

/// Products that are summed before the sum is reduced.
const TERMS: usize = 15;

/// Quad number `index` of a limb.
#[inline(always)]
fn quad(limb: &[u64], index: usize) -> U4 {
    U4::halves(limb.as_chunks::<LANES>().0[index])[0]
}

/// `sum + a b + ...` over at least one pair, in `[0, q)`, as words.
#[inline(always)]
fn sum(f: &Small, start: Wide, pairs: impl Iterator<Item = (U4, U4)>) -> [u64; LANES] {
    let (mut sum, mut terms) = (start, 0);
    for (a, b) in pairs {
        if terms == TERMS {
            (sum, terms) = (f.rest(sum).widen(), 0);
        }
        sum = sum + a.product(b);
        terms += 1;
    }
    f.rest(sum).to_words()
}

/// `out = a b + ...` over pairs of limbs in `[0, q)`.
pub(super) fn dot(field: &Field32, out: &mut [u64], pairs: &[&[u64]]) {
    let f = field.load();
    for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        if let [a, b] = pairs {
            *out = f.rest_of_products(quad(a, index).product(quad(b, index))).to_words();
            continue;
        }
        let pairs = pairs.as_chunks().0.iter().map(|[a, b]| (quad(a, index), quad(b, index)));
        *out = sum(&f, Wide::zero(), pairs);
    }
}

/// `limb.convolve`: the factors in coefficient form are any words, prepared ones in `[0, q)`; so are the outputs.
pub(super) fn convolve(
    ring: &Tables,
    (terms, outputs): (usize, usize),
    out: &mut [u64],
    inputs: &[&[u64]],
    scratch: &mut [u64],
) {
    let f = ring.field().load();
    let n = out.len() / outputs;
    let group = group(n, terms);
    let (x, y) = inputs.split_at(terms);
    for start in (0..terms).step_by(group) {
        let x = &x[start..terms.min(start + group)];
        for (transformed, x) in scratch.chunks_exact_mut(n).zip(x) {
            ring.forward(transformed, x);
        }
        for (k, out) in out.chunks_exact_mut(n).enumerate() {
            for index in 0..n / LANES {
                let before = if start == 0 { Wide::zero() } else { quad(out, index).widen() };
                let transformed = scratch.chunks_exact(n).take(x.len());
                let factors = y[start * outputs..].iter().skip(k).step_by(outputs);
                let pairs = transformed.zip(factors).map(|(x, y)| (quad(x, index), quad(y, index)));
                out.as_chunks_mut().0[index] = sum(&f, before, pairs);
            }
        }
    }
    out.chunks_exact_mut(n).for_each(|out| ring.inverse_in_place(out));
}

/// `limb.tensor`: inputs and outputs in `[0, q)`.
pub(super) fn tensor(ring: &Tables, out: &mut [u64], inputs: &[&[u64]]) {
    let f = ring.field().load();
    let n = out.len() / 3;
    let (first, rest) = out.split_at_mut(n);
    let (second, third) = rest.split_at_mut(n);
    for index in 0..n / LANES {
        let at = |i: usize| quad(inputs[i], index);
        let (a0, a1, b0, b1) = (at(0), at(1), at(2), at(3));
        let sums = [a0.product(b0), a0.product(b1) + a1.product(b0), a1.product(b1)];
        for (out, sum) in [&mut *first, &mut *second, &mut *third].into_iter().zip(sums) {
            out.as_chunks_mut().0[index] = f.rest_of_products(sum).to_words();
        }
    }
    out.chunks_exact_mut(n).for_each(|out| ring.inverse_in_place(out));
}
