//! Sums of products of limbs: `limb.mul`, `limb.dot`, and those that transform on the way, `limb.convolve` and
//! `limb.tensor`.

use super::field::{Arithmetic, BLOCK, BlockSums, Field, block};
use super::ntt::Tables;

/// Words of transformed factors that are kept at a time: half of a second-level cache.
const KEPT: usize = 1 << 16;

/// `out = a b + ...` over pairs of limbs in `[0, q)`.
pub(super) fn dot<A: BlockSums>(field: &Field, out: &mut [u64], pairs: &[&[u64]]) {
    let prime = A::prime(field);
    for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        let mut sum = A::zero();
        for pair in pairs.chunks_exact(2) {
            let (a, b) = (block(pair[0], index), block(pair[1], index));
            prime.add_product(&mut sum, &A::values(a), &A::values(b));
        }
        *out = prime.words(sum);
    }
}

/// How many factors of `n` words `limb.convolve` transforms before it multiplies them.
pub(super) fn group(n: usize, terms: usize) -> usize {
    (KEPT / n).clamp(1, terms)
}

/// Units of scratch for [`convolve`].
pub(super) fn convolve_scratch(n: usize, terms: usize) -> usize {
    group(n, terms) * n
}

/// `limb.convolve`: the factors in coefficient form are words up to `2^50`, prepared ones in `[0, q)`; so are the
/// outputs.
pub(super) fn convolve<A: Arithmetic<K> + BlockSums, const K: usize>(
    ring: &Tables<A, K>,
    (terms, outputs): (usize, usize),
    out: &mut [u64],
    inputs: &[&[u64]],
    scratch: &mut [u64],
) {
    let prime = A::prime(ring.field());
    let n = out.len() / outputs;
    let group = group(n, terms);
    let (x, y) = inputs.split_at(terms);
    for start in (0..terms).step_by(group) {
        let x = &x[start..terms.min(start + group)];
        for (transformed, x) in scratch.chunks_exact_mut(n).zip(x) {
            ring.forward_open(transformed, x);
        }
        for (k, out) in out.chunks_exact_mut(n).enumerate() {
            for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let mut sum = if start == 0 { A::zero() } else { prime.taken(out) };
                for (i, transformed) in scratch.chunks_exact(n).take(x.len()).enumerate() {
                    let factor = y[(start + i) * outputs + k];
                    prime.add_transformed(&mut sum, block(transformed, index), block(factor, index));
                }
                *out = prime.leave_sum(sum);
            }
        }
    }
    out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
}

/// `limb.tensor`: inputs and outputs in `[0, q)`.
pub(super) fn tensor<A: Arithmetic<K> + BlockSums, const K: usize>(
    ring: &Tables<A, K>,
    out: &mut [u64],
    inputs: &[&[u64]],
) {
    let prime = A::prime(ring.field());
    let n = out.len() / 3;
    let (first, rest) = out.split_at_mut(n);
    let (second, third) = rest.split_at_mut(n);
    for index in 0..n / BLOCK {
        let at = |i: usize| A::values(block(inputs[i], index));
        let (a0, a1, b0, b1) = (at(0), at(1), at(2), at(3));
        let mut sums = [A::zero(); 3];
        prime.add_product(&mut sums[0], &a0, &b0);
        prime.add_product(&mut sums[1], &a0, &b1);
        prime.add_product(&mut sums[1], &a1, &b0);
        prime.add_product(&mut sums[2], &a1, &b1);
        for (out, sum) in [&mut *first, &mut *second, &mut *third].into_iter().zip(sums) {
            out.as_chunks_mut().0[index] = prime.leave_sum(sum);
        }
    }
    out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
}
