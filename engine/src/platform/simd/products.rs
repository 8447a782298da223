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
    /// A sum.
    type Sum: Copy;

    /// Most products of one sum, beside what was taken.
    fn room(&self) -> usize;

    /// Reads a block of words.
    fn values(&self, words: &[u64; N]) -> Self::Values;

    /// What [`Ring::forward_open`] left.
    fn opened(&self, left: &[u64; N]) -> Self::Values;

    /// The sum `a b`, one of them in `[0, q)`, the other, too, or opened.
    fn first_product(&self, a: &Self::Values, b: &Self::Values) -> Self::Sum;

    /// What [`Self::leave_sum`] left.
    fn taken(&self, left: &[u64; N]) -> Self::Sum;

    /// Adds `a b`, as [`Self::first_product`] has it.
    fn add_product(&self, sum: &mut Self::Sum, a: &Self::Values, b: &Self::Values);

    /// `a b` modulo `q`, in `[0, q)`, both so before.
    #[inline(always)]
    fn product(&self, a: &Self::Values, b: &Self::Values) -> [u64; N] {
        self.words(self.first_product(a, b))
    }

    /// As [`Self::product`], as [`Ring::inverse_open`] takes it.
    #[inline(always)]
    fn leave_product(&self, a: &Self::Values, b: &Self::Values) -> [u64; N] {
        self.leave_sum(self.first_product(a, b))
    }

    /// The sum modulo `q`, in `[0, q)`.
    fn words(&self, sum: Self::Sum) -> [u64; N];

    /// The sum modulo `q`, as [`Ring::inverse_open`] takes it.
    fn leave_sum(&self, sum: Self::Sum) -> [u64; N];
}

/// The sum of products of so many pairs of factors, onto what was taken, if anything; reduced on the way where there is no room.
#[inline(always)]
fn summed<S: Sums<N>, const N: usize>(
    prime: S,
    taken: Option<S::Sum>,
    count: usize,
    pair: impl Fn(usize) -> (S::Values, S::Values),
) -> S::Sum {
    let (mut sum, first, mut room) = match taken {
        Some(sum) => (sum, 0, prime.room()),
        None => {
            let (a, b) = pair(0);
            (prime.first_product(&a, &b), 1, prime.room() - 1)
        }
    };
    for index in first..count {
        if room == 0 {
            (sum, room) = (prime.taken(&prime.leave_sum(sum)), prime.room());
        }
        let (a, b) = pair(index);
        prime.add_product(&mut sum, &a, &b);
        room -= 1;
    }
    sum
}

/// The transforms of one ring degree and prime; `H` is half of `N`.
pub(super) trait Ring<const N: usize, const H: usize>: Send + Sync + 'static {
    /// What sums products between them.
    type Sums: Sums<N>;

    /// The prime in registers.
    fn prime(&self) -> Self::Sums;

    /// As `NttTable::forward`, from `a`, residues modulo `from`, a prime that the family takes, seen as centered integers, to `out`, in `[0, q)`.
    fn forward(&self, out: &mut [u64], a: &[u64], from: u64);

    /// As [`Self::forward`], to what [`Sums::opened`] takes.
    fn forward_open(&self, out: &mut [u64], a: &[u64], from: u64);

    /// As `NttTable::inverse`, from `a` to `out`; both in `[0, q)`.
    fn inverse(&self, out: &mut [u64], a: &[u64]);

    /// As [`Self::inverse`], in place, from what [`Sums::leave_sum`] left.
    fn inverse_open(&self, a: &mut [u64]);

    /// What [`Self::divide`] multiplies by: `c`, `factor`, `scale`, all in `[0, q)`.
    type Division: Send + Sync + 'static;

    /// Prepares it.
    fn division(&self, constants: [u64; 3]) -> Self::Division;

    /// `out = c (a - factor b) + scale added` for the transform `b` of what is in `out`, as [`Self::forward_open`] left it; all others are in `[0, q)`.
    fn divide(&self, division: &Self::Division, out: &mut [u64], a: &[u64], added: Option<&[u64]>);

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
pub(super) fn ring_kernel<R: Ring<N, H>, const N: usize, const H: usize>(
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
        "limb.ntt_divide" => {
            let from = call.limb(1)?.q;
            let scale = if call.inputs.len() > 2 { call.attrs.uint("scale")? } else { 0 };
            let constants = [call.attrs.uint("c")?, call.attrs.uint("factor")?, scale];
            let ring = ring()?;
            let names = names(ring.as_deref(), [true, false]);
            ring.map(|ring| {
                let division = ring.division(constants);
                let kernel = kernel(move |i, out, _| {
                    ring.forward_open(out, i[1], from);
                    ring.divide(&division, out, i[0], i.get(2).copied());
                });
                named(kernel, names)
            })
        }
        "limb.convolve" => {
            let outputs = call.attrs.size("outputs")?;
            let terms = call.inputs.len() / (outputs + 1);
            let factors = (0..terms).map(|index| call.limb(index)).collect::<Result<Vec<_>>>()?;
            let back = call.optional_form()? == Form::Coeff;
            let open = factors.iter().filter(|factor| factor.form == Form::Coeff).count();
            let factors = Factors::of(&factors, n, outputs, back);
            let ring = ring()?;
            let shape = Terms { open, residues: terms - open, outputs };
            let sum = ring.as_deref().map_or(Ok(None), |ring| ring.sum(shape))?;
            let mut names = names(ring.as_deref(), [open > 0, back]);
            names.extend(sum.iter().map(|sum| sum.name().to_owned()));
            ring.map(|ring| {
                let kernel = if let Some(sum) = sum {
                    kernel_with_scratch(open * n, move |i, out, scratch| {
                        convolve_made(&*ring, &sum, &factors, out, i, scratch);
                    })
                } else {
                    kernel_with_scratch(factors.most_open() * n, move |i, out, scratch| {
                        convolve(&*ring, &factors, out, i, scratch);
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
fn names<R: Ring<N, H>, const N: usize, const H: usize>(ring: Option<&R>, used: [bool; 2]) -> Vec<String> {
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
    let values = |limb, index| prime.values(block(limb, index));
    for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        *out = match pairs {
            [a, b] => prime.product(&values(a, index), &values(b, index)),
            _ => {
                let pair = |at: usize| (values(pairs[2 * at], index), values(pairs[2 * at + 1], index));
                prime.words(summed(prime, None, pairs.len() / 2, pair))
            }
        };
    }
}

/// Most terms of a round.
const ROUND: usize = 16;

/// Factors that are multiplied and summed at once.
#[derive(Default)]
struct Round {
    /// Numbers of those that are to be transformed, and the primes that they are given by.
    open: Vec<(usize, u64)>,
    /// Numbers of those that are in NTT form.
    known: Vec<usize>,
}

/// What `limb.convolve` has to do.
struct Factors {
    /// As few as there is room for what is transformed, all alike.
    rounds: Vec<Round>,
    terms: usize,
    outputs: usize,
    /// Whether outputs are transformed back.
    back: bool,
}

impl Factors {
    fn of(factors: &[Limb], n: usize, outputs: usize, back: bool) -> Self {
        let are = |form: Form| (0..factors.len()).filter(move |&index| factors[index].form == form);
        let kept = (KEPT / n).clamp(1, ROUND);
        let count = are(Form::Coeff).count().div_ceil(kept).max(factors.len().div_ceil(ROUND)).max(1);
        let mut rounds: Vec<Round> = std::iter::repeat_with(Round::default).take(count).collect();
        for (place, index) in are(Form::Coeff).enumerate() {
            rounds[place % count].open.push((index, factors[index].q));
        }
        // From the end on, where rounds have one factor less.
        for (place, index) in are(Form::Ntt).enumerate() {
            rounds[count - 1 - place % count].known.push(index);
        }
        Self { rounds, terms: factors.len(), outputs, back }
    }

    /// How many are transformed before they are multiplied.
    fn most_open(&self) -> usize {
        self.rounds.iter().map(|round| round.open.len()).max().unwrap_or(0)
    }
}

/// A factor and what it is multiplied with, in two columns that are summed side by side, half a block of each at a time.
#[derive(Clone, Copy)]
struct Term<'a, const H: usize> {
    x: [&'a [[u64; H]]; 2],
    y: [&'a [[u64; H]]; 2],
}

/// The two halves of a limb, as columns.
fn parts<const H: usize>(limb: &[u64]) -> [&[[u64; H]]; 2] {
    <[&[u64]; 2]>::from(limb.split_at(limb.len() / 2)).map(|part| part.as_chunks().0)
}

/// Half a block of each column, side by side.
#[inline(always)]
fn joined<const N: usize, const H: usize>(a: &[u64; H], b: &[u64; H]) -> [u64; N] {
    std::array::from_fn(|i| if i < H { a[i] } else { b[i - H] })
}

/// Sums of terms, of which the first `open` were transformed, onto what `out` has, if it is `more`; `end` says what is left. With `SHARED` factors are the same in both columns,
/// and are read once.
#[inline(always)]
fn sum_columns<S: Sums<N>, const N: usize, const H: usize, const SHARED: bool>(
    prime: S,
    (terms, open): (&[Term<'_, H>], usize),
    out: [&mut [u64]; 2],
    more: bool,
    end: impl Fn(S::Sum) -> [u64; N],
) {
    let out = out.map(|column| column.as_chunks_mut::<H>().0);
    // Of so few terms the loops over them are unrolled, and what they read lies in registers: 1.4 to 1.7 times as fast.
    match (SHARED && terms.len() <= prime.room(), terms) {
        (true, &[a]) => sum_few(prime, ([a], open), out, more, end),
        (true, &[a, b]) => sum_few(prime, ([a, b], open), out, more, end),
        (true, &[a, b, c]) => sum_few(prime, ([a, b, c], open), out, more, end),
        (true, &[a, b, c, d]) => sum_few(prime, ([a, b, c, d], open), out, more, end),
        _ => {
            let [left, right] = out;
            for (index, (left, right)) in left.iter_mut().zip(right).enumerate() {
                let pair = |at: usize| {
                    let Term { x, y } = &terms[at];
                    let x = joined::<N, H>(&x[0][index], if SHARED { &x[0][index] } else { &x[1][index] });
                    let y = joined(&y[0][index], &y[1][index]);
                    (if at < open { prime.opened(&x) } else { prime.values(&x) }, prime.values(&y))
                };
                let taken = more.then(|| prime.taken(&joined(left, right)));
                (*left, *right) = apart(&end(summed(prime, taken, terms.len(), pair)));
            }
        }
    }
}

/// [`sum_columns`] of `T` terms, with factors that are shared.
#[inline(always)]
fn sum_few<S: Sums<N>, const N: usize, const H: usize, const T: usize>(
    prime: S,
    (terms, open): ([Term<'_, H>; T], usize),
    [left, right]: [&mut [[u64; H]]; 2],
    more: bool,
    end: impl Fn(S::Sum) -> [u64; N],
) {
    // All of one length, so that places are checked once.
    let count = left.len();
    let right = &mut right[..count];
    let x = terms.map(|term| &term.x[0][..count]);
    let y = terms.map(|term| term.y.map(|y| &y[..count]));
    for index in 0..count {
        let pair = |at: usize| {
            let (x, [left, right]) = (&x[at][index], y[at].map(|y| &y[index]));
            let x = joined::<N, H>(x, x);
            (if at < open { prime.opened(&x) } else { prime.values(&x) }, prime.values(&joined(left, right)))
        };
        let (a, b) = pair(0);
        let mut sum = if more {
            let mut sum = prime.taken(&joined(&left[index], &right[index]));
            prime.add_product(&mut sum, &a, &b);
            sum
        } else {
            prime.first_product(&a, &b)
        };
        for at in 1..T {
            let (a, b) = pair(at);
            prime.add_product(&mut sum, &a, &b);
        }
        (left[index], right[index]) = apart(&end(sum));
    }
}

/// The inverse of [`joined`].
#[inline(always)]
fn apart<const N: usize, const H: usize>(block: &[u64; N]) -> ([u64; H], [u64; H]) {
    (std::array::from_fn(|i| block[i]), std::array::from_fn(|i| block[H + i]))
}

/// `limb.convolve`: all factors that are not to be transformed, and the outputs, are in `[0, q)`.
///
/// Two outputs are summed at once, so that what they share is read once, or the two halves of one.
fn convolve<R: Ring<N, H>, const N: usize, const H: usize>(
    ring: &R,
    factors: &Factors,
    out: &mut [u64],
    inputs: &[&[u64]],
    scratch: &mut [u64],
) {
    let (prime, outputs) = (ring.prime(), factors.outputs);
    let n = out.len() / outputs;
    let (x, y) = inputs.split_at(factors.terms);
    for (number, round) in factors.rounds.iter().enumerate() {
        for (transformed, &(index, q)) in scratch.chunks_exact_mut(n).zip(&round.open) {
            ring.forward_open(transformed, x[index], q);
        }
        let open = scratch.chunks_exact(n).zip(&round.open).map(|(x, &(index, _))| (x, index));
        let all = open.chain(round.known.iter().map(|&index| (x[index], index)));
        let ends = !factors.back && number + 1 == factors.rounds.len();
        let end = |sum| if ends { prime.words(sum) } else { prime.leave_sum(sum) };
        for (pair, out) in out.chunks_mut(2 * n).enumerate() {
            let mut terms = [Term { x: [&[]; 2], y: [&[]; 2] }; ROUND];
            let shared = out.len() > n;
            let mut count = 0;
            for (term, (x, index)) in terms.iter_mut().zip(all.clone()) {
                let y = &y[index * outputs + 2 * pair..];
                *term = if shared {
                    Term { x: [x.as_chunks().0; 2], y: [y[0], y[1]].map(|y| y.as_chunks().0) }
                } else {
                    Term { x: parts(x), y: parts(y[0]) }
                };
                count += 1;
            }
            let (terms, open) = (&terms[..count], round.open.len());
            let columns = out.split_at_mut(out.len() / 2).into();
            if shared {
                sum_columns::<_, N, H, true>(prime, (terms, open), columns, number > 0, end);
            } else {
                sum_columns::<_, N, H, false>(prime, (terms, open), columns, number > 0, end);
            }
        }
    }
    if factors.back {
        out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
    }
}

/// As [`convolve`], with sums by a kernel made at run time, of all terms at once: those that are transformed come first.
fn convolve_made<R: Ring<N, H>, const N: usize, const H: usize>(
    ring: &R,
    sum: &Prepared,
    factors: &Factors,
    out: &mut [u64],
    inputs: &[&[u64]],
    scratch: &mut [u64],
) {
    let (n, outputs) = (out.len() / factors.outputs, factors.outputs);
    let (x, y) = inputs.split_at(factors.terms);
    let open = || factors.rounds.iter().flat_map(|round| &round.open);
    let known = || factors.rounds.iter().flat_map(|round| &round.known).copied();
    for (transformed, &(index, q)) in scratch.chunks_exact_mut(n).zip(open()) {
        ring.forward_open(transformed, x[index], q);
    }
    let transformed = scratch.chunks_exact(n).take(open().count());
    let all = open().map(|&(index, _)| index).chain(known());
    let prepared = all.flat_map(|index| &y[index * outputs..][..outputs]);
    let limbs = transformed.chain(known().map(|index| x[index])).chain(prepared.copied());
    sum.gather(factors.back, out, limbs);
    if factors.back {
        out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
    }
}

/// `limb.tensor`: inputs and outputs in `[0, q)`.
fn tensor<R: Ring<N, H>, const N: usize, const H: usize>(ring: &R, out: &mut [u64], inputs: &[&[u64]]) {
    let prime = ring.prime();
    let n = out.len() / 3;
    let (first, rest) = out.split_at_mut(n);
    let (second, third) = rest.split_at_mut(n);
    for index in 0..n / N {
        let values = |limb| prime.values(block(limb, index));
        if let [a0, a1, b0, b1] = inputs {
            let [a0, a1, b0, b1] = [values(a0), values(a1), values(b0), values(b1)];
            let mut sum = prime.first_product(&a0, &b1);
            prime.add_product(&mut sum, &a1, &b0);
            first.as_chunks_mut().0[index] = prime.leave_product(&a0, &b0);
            second.as_chunks_mut().0[index] = prime.leave_sum(sum);
            third.as_chunks_mut().0[index] = prime.leave_product(&a1, &b1);
            continue;
        }
        let products = inputs.len() / 4;
        let straight = |a: usize, b: usize| {
            summed(prime, None, products, |at| (values(inputs[4 * at + a]), values(inputs[4 * at + b])))
        };
        let across = summed(prime, None, 2 * products, |term| {
            let (first, swapped) = (4 * (term / 2), term % 2);
            (values(inputs[first + swapped]), values(inputs[first + 3 - swapped]))
        });
        let sums = [straight(0, 2), across, straight(1, 3)];
        for (out, sum) in [&mut *first, &mut *second, &mut *third].into_iter().zip(sums) {
            out.as_chunks_mut().0[index] = prime.leave_sum(sum);
        }
    }
    out.chunks_exact_mut(n).for_each(|out| ring.inverse_open(out));
}

#[cfg(test)]
mod tests {
    use super::super::field::{BLOCK, BlockSums, Field};
    use super::super::field32::{Field32, LANES};
    use super::super::fused::Fused;
    use super::super::split::Split;
    use super::*;
    use crate::math::Modulus;
    use proptest::prelude::*;

    /// A residue, or what a transform left open: from the ends of its range, or anywhere in it.
    #[derive(Debug, Clone, Copy)]
    enum Value {
        Least,
        Most,
        Random(u64),
    }

    impl Value {
        /// In `[low, high]`.
        fn within(self, low: i64, high: i64) -> i64 {
            match self {
                Self::Least => low,
                Self::Most => high,
                Self::Random(seed) => low + (seed % (high - low + 1).cast_unsigned()).cast_signed(),
            }
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            1 => Just(Value::Least),
            3 => Just(Value::Most),
            2 => any::<u64>().prop_map(Value::Random),
        ]
    }

    /// Factors of one sum, all lanes of which are alike but for one.
    fn terms() -> impl Strategy<Value = Vec<[Value; 3]>> {
        proptest::collection::vec([value(), value(), value()], 1..40)
    }

    /// An odd modulus of so many bits, often right below their end.
    fn modulus(most: u32) -> impl Strategy<Value = u64> {
        (3..=most, any::<u64>(), any::<bool>()).prop_map(|(bits, random, top)| {
            let half = 1u64 << (bits - 1);
            if top { 2 * half - 1 } else { (half + random % half) | 1 }
        })
    }

    /// Sums of residues, and of what was left open, a number of `[-r, r]` that `left` writes, onto nothing and onto a sum that was left.
    fn sums<S: Sums<N>, const N: usize>(
        prime: S,
        q: u64,
        r: i64,
        left: impl Fn(i64) -> u64,
        terms: &[[Value; 3]],
    ) {
        let most = q.cast_signed() - 1;
        let lane =
            |one: i64, other: i64| -> [i64; N] { std::array::from_fn(|i| if i == 1 { other } else { one }) };
        let expected = |taken: &[u64; N], products: &[[[i64; N]; 2]]| -> [u64; N] {
            std::array::from_fn(|i| {
                let sum: i128 = products.iter().map(|[a, b]| i128::from(a[i]) * i128::from(b[i])).sum();
                (sum + i128::from(taken[i])).rem_euclid(q.into()) as u64
            })
        };
        let none = [0; N];
        for open in [false, true] {
            let (low, high) = if open { (-r, r) } else { (0, most) };
            let products: Vec<[[i64; N]; 2]> = terms
                .iter()
                .map(|[a, b, c]| {
                    let [b, c] = [b, c].map(|b| b.within(0, most));
                    [lane(a.within(low, high), 0.clamp(low, high)), lane(b, c)]
                })
                .collect();
            let pair = |at: usize| {
                let [a, b] = products[at];
                let a =
                    if open { prime.opened(&a.map(&left)) } else { prime.values(&a.map(i64::cast_unsigned)) };
                (a, prime.values(&b.map(i64::cast_unsigned)))
            };
            let sum = || summed(prime, None, products.len(), pair);
            let total = expected(&none, &products);
            assert_eq!(prime.words(sum()), total, "open: {open}");
            let onto = summed(prime, Some(prime.taken(&prime.leave_sum(sum()))), products.len(), pair);
            assert_eq!(prime.words(onto), expected(&total, &products), "open: {open}, onto a sum");
            if !open {
                let (a, b) = pair(0);
                assert_eq!(prime.product(&a, &b), expected(&none, &products[..1]));
                let product = prime.words(prime.taken(&prime.leave_product(&a, &b)));
                assert_eq!(product, expected(&none, &products[..1]));
            }
        }
    }

    /// Sums of known factors times residues of a prime of up to `bits` bits.
    fn scaled<A: BlockSums>(field: &Field, bits: u32, terms: &[[Value; 3]]) {
        let (q, prime) = (field.modulus.value(), A::prime(field, bits));
        let most = (1i64 << bits) - 1;
        let pair = |[y, c, _]: &[Value; 3]| (y.within(0, most), c.within(0, q.cast_signed() - 1));
        let values = |y: i64| prime.values(&[y.cast_unsigned(); BLOCK]);
        let mut products = terms.iter().map(pair);
        let constant = |c: i64| A::constant(field, c.cast_unsigned());
        let (y, c) = products.next().unwrap();
        let (mut sum, mut expected) =
            (prime.first_scaled(&values(y), &constant(c)), i128::from(y) * i128::from(c));
        let mut room = prime.room() - 1;
        for (y, c) in products {
            if room == 0 {
                (sum, room) = (prime.taken(&prime.leave_sum(sum)), prime.room());
            }
            prime.add_scaled(&mut sum, &values(y), &constant(c));
            expected += i128::from(y) * i128::from(c);
            room -= 1;
        }
        assert_eq!(
            prime.words(sum),
            [expected.rem_euclid(q.into()) as u64; BLOCK],
            "{bits} bits, modulo {q}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn sums_of_doubles_are_exact(q in modulus(50), terms in terms(), more in 0u32..8) {
            let field = Field::new(Modulus::new(q).unwrap()).unwrap();
            // What is left open: at most 9/16 q.
            let r = (9 * (q / 16)).cast_signed();
            sums(Fused::prime(&field, field.bits()), q, r, |x| (x as f64).to_bits(), &terms);
            sums(Split::prime(&field, field.bits()), q, r, |x| x.rem_euclid(q.cast_signed()).cast_unsigned(), &terms);
            let bits = (field.bits() + more).min(50);
            scaled::<Fused>(&field, bits, &terms);
            scaled::<Split>(&field, bits, &terms);
        }

        #[test]
        fn sums_of_words_are_exact(q in modulus(29), terms in terms()) {
            let prime = Field32::new(Modulus::new(q).unwrap()).unwrap().load();
            sums::<_, LANES>(prime, q, q.cast_signed() - 1, |x| x.rem_euclid(q.cast_signed()).cast_unsigned(), &terms);
        }
    }
}
