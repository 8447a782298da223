//! The transforms of `math::ntt`, two layers at a time, two lanes, in doubles.
//!
//! Values are signed and reduced only where they would leave `|x| <= 4 u`, `u = 2^50`, which is what products need
//! ([`super::field`]); a product is at most `u`.

use super::field::{Arithmetic, BLOCK, BlockSums, Field, LIMIT, REDUCED, UNIT, both, each};
use super::lanes::F2;
use super::layers::{Factors, Step, quarters};
use super::products::Ring;
use crate::Result;
use crate::math::ntt::Roots;
use crate::platform::made::{Piece, Prepared};
use std::marker::PhantomData;

/// Two neighboring values: the bits of doubles while a transform is at work.
type Pair = [u64; 2];

/// The smallest ring degree: two blocks of the four neighbors that share factors.
const LEAST: usize = 8;

/// The factors of one direction; the last two layers have two blocks side by side.
type Direction<const K: usize> = Factors<[f64; K], Step<[[f64; 2]; K]>>;

/// How one direction is computed.
enum Way<const K: usize> {
    /// Here, with these factors.
    Here(Direction<K>),
    /// By a kernel that was made at run time.
    Made(Prepared),
}

/// The transforms of one ring degree and prime.
pub(super) struct Tables<A, const K: usize> {
    field: Field,
    forward: Way<K>,
    inverse: Way<K>,
    /// `1/n` and `1/n` times the factor of the layer with one block.
    scale: [[f64; K]; 2],
    arithmetic: PhantomData<A>,
}

/// Factors from powers, as [`Factors::new`] has them.
fn direction<const K: usize>(powers: &[u64], factor: impl Fn(u64) -> [f64; K]) -> Direction<K> {
    Factors::new(powers, LEAST, factor, |at, step| {
        let (a, b) = (step(2 * at), step(2 * at + 1));
        std::array::from_fn(|f| std::array::from_fn(|part| [a[f][part], b[f][part]]))
    })
}

impl<A: Arithmetic<K>, const K: usize> Tables<A, K> {
    /// For ring degree `n`; none below 8.
    ///
    /// # Errors
    /// `NoRoot` and others for a prime that has no such transform.
    pub(super) fn new(n: usize, field: Field) -> Result<Option<Self>> {
        if n < LEAST {
            return Ok(None);
        }
        let roots = Roots::new(n, &field.modulus)?;
        let factor = |w| A::factor(&field, w);
        let scale = [roots.scale, roots.scaled_last].map(factor);
        let way = |piece, powers: &[u64]| {
            let doubles = || {
                let rest = [field.q, field.inverse].into_iter().chain(scale.into_iter().flatten());
                powers.iter().flat_map(|&w| factor(w)).chain(rest).collect()
            };
            let made =
                if A::MADE { Prepared::find(piece, (n, field.modulus.value()), doubles)? } else { None };
            Ok::<_, crate::Error>(made.map_or_else(|| Way::Here(direction(powers, factor)), Way::Made))
        };
        Ok(Some(Self {
            forward: way(Piece::Forward, &roots.forward)?,
            inverse: way(Piece::Inverse, &roots.inverse)?,
            scale,
            field,
            arithmetic: PhantomData,
        }))
    }

    /// The forward transform; `end` makes of each result what is stored.
    #[inline(always)]
    fn forward_to(
        &self,
        factors: &Direction<K>,
        out: &mut [u64],
        a: &[u64],
        from: u64,
        end: impl Fn(&A, F2) -> Pair,
    ) {
        let (f, centered) = (A::load(&self.field), Centered::new(from));
        let (out, a) = (out.as_chunks_mut::<2>().0, a.as_chunks::<2>().0);
        let grown = |bound: u32| bound + A::product_bound(bound);
        // no value exceeds it
        let mut bound = UNIT;
        let mut steps = factors.steps.iter();
        if let Some(w) = &factors.single {
            first_layer(&f, out, a, w, centered);
            bound = grown(bound);
        } else if let Some([step]) = steps.next().map(Vec::as_slice) {
            first_layers(&f, out, a, step, centered);
            bound = grown(grown(bound));
        }
        for step in steps {
            if grown(grown(bound)) > LIMIT {
                layers::<A, K, true>(&f, out, step);
                bound = grown(REDUCED + A::product_bound(bound));
            } else {
                layers::<A, K, false>(&f, out, step);
                bound = grown(grown(bound));
            }
        }
        last_layers(&f, out, &factors.last, end);
    }

    /// What follows the first two layers of an inverse transform. No value exceeds `u` between the steps.
    fn rest_back(&self, factors: &Direction<K>, f: &A, out: &mut [Pair]) {
        let scale = self.scale.each_ref().map(both);
        match (&factors.single, factors.steps.as_slice()) {
            (None, [last, steps @ ..]) => {
                steps.iter().rev().for_each(|step| layers_back(f, out, step));
                if let [[_, second, third]] = last.as_slice() {
                    last_layers_back(f, out, &[both(second), both(third)], &scale);
                }
            }
            (_, steps) => {
                steps.iter().rev().for_each(|step| layers_back(f, out, step));
                last_layer_back(f, out, &scale);
            }
        }
    }
}

impl<A: Arithmetic<K> + BlockSums, const K: usize> Ring<BLOCK> for Tables<A, K> {
    type Sums = A;

    fn prime(&self) -> A {
        A::prime(&self.field)
    }

    /// `from`: below `2^50`.
    fn forward(&self, out: &mut [u64], a: &[u64], from: u64) {
        match &self.forward {
            Way::Here(factors) => self.forward_to(factors, out, a, from, |f, y| f.finish(y)),
            Way::Made(made) => made.run(false, out, a, &centering(from)),
        }
    }

    /// To what [`Arithmetic::leave`] leaves.
    fn forward_open(&self, out: &mut [u64], a: &[u64], from: u64) {
        match &self.forward {
            Way::Here(factors) => self.forward_to(factors, out, a, from, |f, y| f.leave(y)),
            Way::Made(made) => made.run(true, out, a, &centering(from)),
        }
    }

    fn inverse(&self, out: &mut [u64], a: &[u64]) {
        let factors = match &self.inverse {
            Way::Here(factors) => factors,
            Way::Made(made) => return made.run(false, out, a, &[0.0; 3]),
        };
        let f = A::load(&self.field);
        let (out, a) = (out.as_chunks_mut::<2>().0, a.as_chunks::<2>().0);
        let blocks = out.as_chunks_mut::<4>().0.iter_mut().zip(a.as_chunks::<4>().0);
        for ((out, a), w) in blocks.zip(&factors.last) {
            *out = first_layers_back(&f, a.map(F2::from_words), w);
        }
        self.rest_back(factors, &f, out);
    }

    /// From what [`Arithmetic::take`] takes.
    fn inverse_open(&self, a: &mut [u64]) {
        let factors = match &self.inverse {
            Way::Here(factors) => factors,
            Way::Made(made) => return made.run_in_place(true, a, &[0.0; 3]),
        };
        let f = A::load(&self.field);
        let a = a.as_chunks_mut::<2>().0;
        for (pairs, w) in a.as_chunks_mut::<4>().0.iter_mut().zip(&factors.last) {
            *pairs = first_layers_back(&f, pairs.map(|pair| f.take(pair)), w);
        }
        self.rest_back(factors, &f, a);
    }
}

/// What makes residues modulo `p` centered integers: the least residue that is seen as a negative one, `p`, and the rest of it.
fn centering(p: u64) -> [f64; 3] {
    let half = p.div_ceil(2);
    [half, p, p - half].map(|x| x as f64)
}

/// Residues modulo a prime, as centered integers.
#[derive(Clone, Copy)]
struct Centered {
    /// The least residue that is seen as a negative integer.
    half: F2,
    p: F2,
    rest: F2,
}

impl Centered {
    fn new(p: u64) -> Self {
        let [half, p, rest] = centering(p).map(F2::splat);
        Self { half, p, rest }
    }

    #[inline(always)]
    fn of(&self, words: Pair) -> F2 {
        (F2::from_words(words) - self.half).lift(self.p) - self.rest
    }
}

/// Applies `f` to the values at one place of each quarter.
#[inline(always)]
fn map_quarters(block: &mut [Pair], f: impl Fn([Pair; 4]) -> [Pair; 4]) {
    let [a, b, c, d] = quarters(block);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        [*a, *b, *c, *d] = f([*a, *b, *c, *d]);
    }
}

/// Two layers: `[x0, x2] -> x0 +- w x2`, `[x1, x3] -> x1 +- w x3`, then the same with neighbors. From a bound of `x` to
/// `x + 2 p` with products of at most `p`; `x + p` must not exceed `4 u`.
#[inline(always)]
fn butterfly<A: Arithmetic<K>, const K: usize>(
    f: &A,
    [x0, x1, x2, x3]: [F2; 4],
    w: &Step<[F2; K]>,
) -> [F2; 4] {
    let (p, r) = (f.mul(x2, &w[0]), f.mul(x3, &w[0]));
    let (y0, y1, y2, y3) = (x0 + p, x1 + r, x0 - p, x1 - r);
    let (s, t) = (f.mul(y1, &w[1]), f.mul(y3, &w[2]));
    [y0 + s, y0 - s, y2 + t, y2 - t]
}

/// Two layers backwards, values at most `u`; the sums are at most `4 u`, the products `u`.
#[inline(always)]
fn butterfly_back<A: Arithmetic<K>, const K: usize>(f: &A, x: [F2; 4], w: &Step<[F2; K]>) -> [F2; 4] {
    let [y0, y1, y2, y3] = half_back(f, x, &w[1], &w[2]);
    [f.reduce(y0 + y2), f.reduce(y1 + y3), f.mul(y0 - y2, &w[0]), f.mul(y1 - y3, &w[0])]
}

/// The first layer of [`butterfly_back`].
#[inline(always)]
fn half_back<A: Arithmetic<K>, const K: usize>(
    f: &A,
    [x0, x1, x2, x3]: [F2; 4],
    w1: &[F2; K],
    w2: &[F2; K],
) -> [F2; 4] {
    [x0 + x1, f.mul(x0 - x1, w1), x2 + x3, f.mul(x2 - x3, w2)]
}

fn first_layer<A: Arithmetic<K>, const K: usize>(
    f: &A,
    out: &mut [Pair],
    a: &[Pair],
    w: &[f64; K],
    centered: Centered,
) {
    let w = both(w);
    let half = out.len() / 2;
    let ((left, right), (u, v)) = (out.split_at_mut(half), a.split_at(half));
    for (((x, y), &u), &v) in left.iter_mut().zip(right).zip(u).zip(v) {
        let (u, p) = (centered.of(u), f.mul(centered.of(v), &w));
        (*x, *y) = ((u + p).to_bits(), (u - p).to_bits());
    }
}

fn first_layers<A: Arithmetic<K>, const K: usize>(
    f: &A,
    out: &mut [Pair],
    a: &[Pair],
    w: &Step<[f64; K]>,
    centered: Centered,
) {
    let w = w.each_ref().map(both);
    let [o0, o1, o2, o3] = quarters(out);
    let (left, right) = a.split_at(a.len() / 2);
    let ((a0, a1), (a2, a3)) = (left.split_at(left.len() / 2), right.split_at(right.len() / 2));
    let outputs = o0.iter_mut().zip(o1).zip(o2).zip(o3);
    for ((((o0, o1), o2), o3), (((a0, a1), a2), a3)) in outputs.zip(a0.iter().zip(a1).zip(a2).zip(a3)) {
        [*o0, *o1, *o2, *o3] =
            butterfly(f, [*a0, *a1, *a2, *a3].map(|a| centered.of(a)), &w).map(F2::to_bits);
    }
}

/// With `REDUCE` the values that no product makes small are reduced before: to `9/16 q`, less than `5/8 u`.
fn layers<A: Arithmetic<K>, const K: usize, const REDUCE: bool>(
    f: &A,
    out: &mut [Pair],
    steps: &[Step<[f64; K]>],
) {
    for (block, w) in out.chunks_exact_mut(out.len() / steps.len()).zip(steps) {
        let w = w.each_ref().map(both);
        map_quarters(block, |x| {
            let [mut x0, mut x1, x2, x3] = x.map(F2::from_bits);
            if REDUCE {
                (x0, x1) = (f.reduce(x0), f.reduce(x1));
            }
            butterfly(f, [x0, x1, x2, x3], &w).map(F2::to_bits)
        });
    }
}

/// Two blocks of four neighbors become one of the two in each lane.
#[inline(always)]
fn transpose([a, b, c, d]: [F2; 4]) -> [F2; 4] {
    [F2::low(a, c), F2::high(a, c), F2::low(b, d), F2::high(b, d)]
}

/// The inverse of [`transpose`].
#[inline(always)]
fn transpose_back([a, b, c, d]: [F2; 4]) -> [F2; 4] {
    [F2::low(a, b), F2::low(c, d), F2::high(a, b), F2::high(c, d)]
}

#[inline(always)]
fn last_layers<A: Arithmetic<K>, const K: usize>(
    f: &A,
    out: &mut [Pair],
    steps: &[Step<[[f64; 2]; K]>],
    end: impl Fn(&A, F2) -> Pair,
) {
    for (pairs, w) in out.as_chunks_mut::<4>().0.iter_mut().zip(steps) {
        let [x0, x1, x2, x3] = transpose(pairs.map(F2::from_bits));
        let y = butterfly(f, [f.reduce(x0), f.reduce(x1), x2, x3], &w.each_ref().map(each));
        // lanes change places as words do
        *pairs = transpose_back(y.map(|y| F2::from_bits(end(f, y)))).map(F2::to_bits);
    }
}

#[inline(always)]
fn first_layers_back<A: Arithmetic<K>, const K: usize>(
    f: &A,
    x: [F2; 4],
    w: &Step<[[f64; 2]; K]>,
) -> [Pair; 4] {
    transpose_back(butterfly_back(f, transpose(x), &w.each_ref().map(each))).map(F2::to_bits)
}

fn layers_back<A: Arithmetic<K>, const K: usize>(f: &A, out: &mut [Pair], steps: &[Step<[f64; K]>]) {
    for (block, w) in out.chunks_exact_mut(out.len() / steps.len()).zip(steps) {
        let w = w.each_ref().map(both);
        map_quarters(block, |x| butterfly_back(f, x.map(F2::from_bits), &w).map(F2::to_bits));
    }
}

fn last_layers_back<A: Arithmetic<K>, const K: usize>(
    f: &A,
    out: &mut [Pair],
    w: &[[F2; K]; 2],
    scale: &[[F2; K]; 2],
) {
    map_quarters(out, |x| {
        let [y0, y1, y2, y3] = half_back(f, x.map(F2::from_bits), &w[0], &w[1]);
        let z = [
            f.mul(y0 + y2, &scale[0]),
            f.mul(y1 + y3, &scale[0]),
            f.mul(y0 - y2, &scale[1]),
            f.mul(y1 - y3, &scale[1]),
        ];
        z.map(|z| f.finish(z))
    });
}

fn last_layer_back<A: Arithmetic<K>, const K: usize>(f: &A, out: &mut [Pair], scale: &[[F2; K]; 2]) {
    let (left, right) = out.split_at_mut(out.len() / 2);
    for (x, y) in left.iter_mut().zip(right) {
        let (u, v) = (F2::from_bits(*x), F2::from_bits(*y));
        *x = f.finish(f.mul(u + v, &scale[0]));
        *y = f.finish(f.mul(u - v, &scale[1]));
    }
}
