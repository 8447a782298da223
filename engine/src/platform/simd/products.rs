//! Sums of products of limbs: `limb.mul`, `limb.dot`, and those that transform on the way, `limb.convolve` and
//! `limb.tensor`; the same for all families.

use super::{kernel, kernel_with_scratch};
use crate::Result;
use crate::ops::Call;
use crate::ops::types::{Form, Limb};
use crate::platform::Kernel;
use crate::platform::made::{Prepared, Terms};
use std::sync::Arc;

/// Words of transformed factors that are kept at a time: half of a second-level cache.
const KEPT: usize = 1 << 16;

/// A prime in registers, and sums of products modulo it, a block of `N` indices at a time.
pub(super) trait Sums<const N: usize>: Copy + Send + Sync + 'static {
    /// Residues, ready to be multiplied.
    type Values: Copy;
    /// A sum, and how far it has grown.
    type Sum: Copy;

    /// Reads a block of words.
    fn values(words: &[u64; N]) -> Self::Values;

    /// No term yet.
    fn zero() -> Self::Sum;

    /// What [`Self::leave_sum`] left.
    fn taken(&self, left: &[u64; N]) -> Self::Sum;

    /// Adds `a b`, both in `[0, q)`.
    fn add_product(&self, sum: &mut Self::Sum, a: &Self::Values, b: &Self::Values);

    /// `a b` modulo `q`, in `[0, q)`, both as for [`Self::add_product`].
    #[inline(always)]
    fn product(&self, a: &Self::Values, b: &Self::Values) -> [u64; N] {
        let mut sum = Self::zero();
        self.add_product(&mut sum, a, b);
        self.words(sum)
    }

    /// As [`Self::product`], as [`Ring::inverse_open`] takes it.
    #[inline(always)]
    fn leave_product(&self, a: &Self::Values, b: &Self::Values) -> [u64; N] {
        let mut sum = Self::zero();
        self.add_product(&mut sum, a, b);
        self.leave_sum(sum)
    }

    /// Adds `a b`, with `a` as [`Ring::forward_open`] left it, `b` in `[0, q)`.
    fn add_transformed(&self, sum: &mut Self::Sum, a: &[u64; N], b: &[u64; N]);

    /// The sum modulo `q`, in `[0, q)`.
    fn words(&self, sum: Self::Sum) -> [u64; N];

    /// The sum modulo `q`, as [`Ring::inverse_open`] takes it.
    fn leave_sum(&self, sum: Self::Sum) -> [u64; N];
}

/// The transforms of one ring degree and prime.
pub(super) trait Ring<const N: usize>: Send + Sync + 'static {
    /// What sums products between them.
    type Sums: Sums<N>;

    /// The prime in registers.
    fn prime(&self) -> Self::Sums;

    /// As `NttTable::forward`, from `a`, residues modulo `from`, a prime that the family takes, seen as centered integers, to `out`, in `[0, q)`.
    fn forward(&self, out: &mut [u64], a: &[u64], from: u64);

    /// As [`Self::forward`], to what [`Sums::add_transformed`] takes.
    fn forward_open(&self, out: &mut [u64], a: &[u64], from: u64);

    /// As `NttTable::inverse`, from `a` to `out`; both in `[0, q)`.
    fn inverse(&self, out: &mut [u64], a: &[u64]);

    /// As [`Self::inverse`], in place, from what [`Sums::leave_sum`] left.
    fn inverse_open(&self, a: &mut [u64]);

    /// The kernel made at run time for sums of that shape, whose open terms are what [`Self::forward_open`] leaves, if there is one.
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn sum(&self, _: Terms) -> Result<Option<Prepared>> {
        Ok(None)
    }

    /// Names of the kernels made at run time that transform forwards, and backwards, where there are such.
    fn made(&self) -> [Option<&str>; 2] {
        [None; 2]
    }
}

/// The kernels of transforms and products modulo one prime, for limbs of `n` words; none for other operators, and where
/// the transforms do not serve the ring.
///
/// # Errors
/// As `ring`; `Operator` for attributes that do not fit.
pub(super) fn ring_kernel<R: Ring<N>, const N: usize>(
    call: &Call<'_>,
    n: usize,
    prime: R::Sums,
    ring: impl Fn() -> Result<Option<Arc<R>>>,
) -> Result<Option<Kernel>> {
    match call.name {
        "limb.mul" | "limb.dot" => Some(kernel(move |i, out, _| dot(prime, out, i))),
        "limb.ntt" | "limb.ntt_from" => {
            let from = call.limb(0)?.q;
            let ring = ring()?;
            let names = names(ring.as_deref(), [true, false]);
            ring.map(|ring| named(kernel(move |i, out, _| ring.forward(out, i[0], from)), names))
        }
        "limb.intt" => {
            let ring = ring()?;
            let names = names(ring.as_deref(), [false, true]);
            ring.map(|ring| named(kernel(move |i, out, _| ring.inverse(out, i[0])), names))
        }
        "limb.tensor" => {
            let ring = ring()?;
            let names = names(ring.as_deref(), [false, true]);
            ring.map(|ring| named(kernel(move |i, out, _| tensor(&*ring, out, i)), names))
        }
        "limb.convolve" => {
            let outputs = call.attrs.size("outputs")?;
            let terms = call.inputs.len() / (outputs + 1);
            let factors = (0..terms).map(|index| call.limb(index)).collect::<Result<Vec<_>>>()?;
            let back = call.optional_form()? == Form::Coeff;
            let ring = ring()?;
            let open = factors.iter().filter(|factor| factor.form == Form::Coeff).count();
            let shape = Terms { open, residues: terms - open, outputs };
            let sum = ring.as_deref().map_or(Ok(None), |ring| ring.sum(shape))?;
            let mut names = names(ring.as_deref(), [open > 0, back]);
            names.extend(sum.iter().map(|sum| sum.name().to_owned()));
            ring.map(|ring| {
                let kernel = if let Some(sum) = sum {
                    kernel_with_scratch(open * n, move |i, out, scratch| {
                        convolve_made(&*ring, &sum, (&factors, back), out, i, scratch);
                    })
                } else {
                    kernel_with_scratch(group(n, terms) * n, move |i, out, scratch| {
                        convolve(&*ring, (&factors, outputs, back), out, i, scratch);
                    })
                };
                named(kernel, names)
            })
        }
        _ => None,
    }
    .transpose()
}

/// Names of the kernels made at run time of a ring: of those that are used, forwards and backwards.
fn names<R: Ring<N>, const N: usize>(ring: Option<&R>, used: [bool; 2]) -> Vec<String> {
    let made = ring.map_or([None; 2], |ring| ring.made()).into_iter().zip(used);
    made.filter_map(|(name, used)| name.filter(|_| used)).map(str::to_owned).collect()
}

/// A kernel with the names of those made at run time that work in it.
fn named(kernel: Result<Kernel>, names: Vec<String>) -> Result<Kernel> {
    Ok(kernel?.named(names))
}

/// Block number `index` of a limb.
#[inline(always)]
pub(super) fn block<const N: usize>(limb: &[u64], index: usize) -> &[u64; N] {
    &limb.as_chunks().0[index]
}

/// `out = a b + ...` over pairs of limbs in `[0, q)`.
fn dot<S: Sums<N>, const N: usize>(prime: S, out: &mut [u64], pairs: &[&[u64]]) {
    let values = |limb, index| S::values(block(limb, index));
    for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        if let [a, b] = pairs {
            *out = prime.product(&values(a, index), &values(b, index));
            continue;
        }
        let mut sum = S::zero();
        for [a, b] in pairs.as_chunks().0 {
            prime.add_product(&mut sum, &values(a, index), &values(b, index));
        }
        *out = prime.words(sum);
    }
}

/// How many factors of `n` words `limb.convolve` transforms before it multiplies them.
fn group(n: usize, terms: usize) -> usize {
    (KEPT / n).clamp(1, terms)
}

/// `limb.convolve`: what the `factors` that are to be transformed are, they say; all others and the outputs are in `[0, q)`, these transformed `back` or not.
fn convolve<R: Ring<N>, const N: usize>(
    ring: &R,
    (factors, outputs, back): (&[Limb], usize, bool),
    out: &mut [u64],
    inputs: &[&[u64]],
    scratch: &mut [u64],
) {
    let prime = ring.prime();
    let (n, terms) = (out.len() / outputs, factors.len());
    let group = group(n, terms);
    let (x, y) = inputs.split_at(terms);
    for start in (0..terms).step_by(group) {
        let end = terms.min(start + group);
        let (x, factors) = (&x[start..end], &factors[start..end]);
        for ((transformed, x), factor) in scratch.chunks_exact_mut(n).zip(x).zip(factors) {
            if factor.form == Form::Coeff {
                ring.forward_open(transformed, x, factor.q);
            }
        }
        for (k, out) in out.chunks_exact_mut(n).enumerate() {
            for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let mut sum = if start == 0 { R::Sums::zero() } else { prime.taken(out) };
                for (i, transformed) in scratch.chunks_exact(n).take(x.len()).enumerate() {
                    let factor = block(y[(start + i) * outputs + k], index);
                    if factors[i].form == Form::Ntt {
                        prime.add_product(
                            &mut sum,
                            &R::Sums::values(block(x[i], index)),
                            &R::Sums::values(factor),
                        );
                    } else {
                        prime.add_transformed(&mut sum, block(transformed, index), factor);
                    }
                }
                *out = if back || end < terms { prime.leave_sum(sum) } else { prime.words(sum) };
            }
        }
    }
    if back {
        out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
    }
}

/// As [`convolve`], with sums by a kernel made at run time, of all terms at once: those that are transformed come first.
fn convolve_made<R: Ring<N>, const N: usize>(
    ring: &R,
    sum: &Prepared,
    (factors, back): (&[Limb], bool),
    out: &mut [u64],
    inputs: &[&[u64]],
    scratch: &mut [u64],
) {
    let terms = factors.len();
    let (n, outputs) = (inputs[0].len(), inputs.len() / terms - 1);
    let (x, y) = inputs.split_at(terms);
    let are = |form: Form| (0..terms).filter(move |&term| factors[term].form == form);
    for (transformed, term) in scratch.chunks_exact_mut(n).zip(are(Form::Coeff)) {
        ring.forward_open(transformed, x[term], factors[term].q);
    }
    let open = scratch.chunks_exact(n).take(are(Form::Coeff).count());
    let known = are(Form::Coeff).chain(are(Form::Ntt)).flat_map(|term| &y[term * outputs..][..outputs]);
    let limbs = open.chain(are(Form::Ntt).map(|term| x[term])).chain(known.copied());
    sum.gather(back, out, limbs);
    if back {
        out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
    }
}

/// `limb.tensor`: inputs and outputs in `[0, q)`.
fn tensor<R: Ring<N>, const N: usize>(ring: &R, out: &mut [u64], inputs: &[&[u64]]) {
    let prime = ring.prime();
    let n = out.len() / 3;
    let (first, rest) = out.split_at_mut(n);
    let (second, third) = rest.split_at_mut(n);
    for index in 0..n / N {
        let values = |limb| R::Sums::values(block(limb, index));
        if let [a0, a1, b0, b1] = inputs {
            let [a0, a1, b0, b1] = [values(a0), values(a1), values(b0), values(b1)];
            let mut sum = R::Sums::zero();
            prime.add_product(&mut sum, &a0, &b1);
            prime.add_product(&mut sum, &a1, &b0);
            first.as_chunks_mut().0[index] = prime.leave_product(&a0, &b0);
            second.as_chunks_mut().0[index] = prime.leave_sum(sum);
            third.as_chunks_mut().0[index] = prime.leave_product(&a1, &b1);
            continue;
        }
        let mut sums = [R::Sums::zero(); 3];
        for [a0, a1, b0, b1] in inputs.as_chunks::<4>().0 {
            let [a0, a1, b0, b1] = [values(a0), values(a1), values(b0), values(b1)];
            prime.add_product(&mut sums[0], &a0, &b0);
            prime.add_product(&mut sums[1], &a0, &b1);
            prime.add_product(&mut sums[1], &a1, &b0);
            prime.add_product(&mut sums[2], &a1, &b1);
        }
        for (out, sum) in [&mut *first, &mut *second, &mut *third].into_iter().zip(sums) {
            out.as_chunks_mut().0[index] = prime.leave_sum(sum);
        }
    }
    out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
}
