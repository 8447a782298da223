//! The transforms of `math::ntt`, two layers at a time, in lanes of doubles.
//!
//! Values are signed and reduced only where they would become too large (D. Harvey, "Faster arithmetic for number-theoretic
//! transforms", 2014): what is multiplied is at most `4 u`, `u = 2^50`, what is added at most `5 u` ([`super::field`]). A transform
//! follows a bound of its values, of which the prime decides, and takes the passes that reduce where it has to.
//!
//! With products of values up to `x` at most `p(x)`, which is at most `7/8 u (1 + 2^-20)`, two layers
//! - forward: make of `x` at most `x + p(x) + p(x + p(x))`, where `x` and `x + p(x)` are multiplied. If half of the values are
//!   reduced before, to `r < 9/16 u`, it is `y + p(y)` with `y = r + p(x)`, less than `2.4 u`, and the last two layers
//!   can take that: `2.4 u + p < 4 u`. From `u` on, the largest input, the first two layers end below `2.8 u`, and the last two
//!   could follow at once. Results are below `5 u`. With fused multiplication the last two layers reduce half of the values, too, where residues are else not found by `floor`:
//!   then `r <= u/2 + 2` and `p(4 u) < 5/8 u (1 + 2^-20)`, so that results are below `1.8 u`.
//! - backward: make of `x` sums up to `4 x`, sums of two products of up to `2 p(2 x)`, and products, at most `p(4 x)`; `4 x` is multiplied.
//!   Reduced is nothing, the sums, or all but products; then `x` is at most `7/8 u (1 + 2^-20)` again, and `4 x` less than `4 u`.
//!
//! For primes of 46 bits or fewer, forward transforms with fused multiplication reduce nothing at all.

use super::field::{Arithmetic, BLOCK, BlockSums, Field, LIMIT, all, each, reduced};
use super::lanes::{Bits, LANES, Lanes};
use super::layers::{Factors, Step, quarters};
use super::products::Ring;
use crate::Result;
use crate::math::ntt::Roots;
use crate::platform::made::{Piece, Prepared, Terms};
use std::marker::PhantomData;

/// Those that the last two layers leave among themselves.
const NEIGHBORS: usize = 4;

/// The smallest ring degree: a block of neighbors in each lane.
const LEAST: usize = NEIGHBORS * LANES;

/// The factors of one direction; the last two layers have as many blocks side by side as there are lanes.
type Direction<const K: usize> = Factors<[f64; K], Step<[[f64; LANES]; K]>>;

/// How one direction is computed.
enum Way<const K: usize> {
    /// Here, with these factors.
    Here(Direction<K>),
    /// By a kernel that was made at run time.
    Made(Prepared),
}

impl<const K: usize> Way<K> {
    /// What a kernel made at run time is called.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Here(_) => None,
            Self::Made(made) => Some(made.name()),
        }
    }
}

/// The transforms of one ring degree and prime.
pub(super) struct Tables<A, const K: usize> {
    field: Field,
    n: usize,
    forward: Way<K>,
    inverse: Way<K>,
    /// `1/n` and `1/n` times the factor of the layer with one block.
    scale: [[f64; K]; 2],
    arithmetic: PhantomData<A>,
}

/// Factors from powers, as [`Factors::new`] has them.
fn direction<const K: usize>(powers: &[u64], factor: impl Fn(u64) -> [f64; K]) -> Direction<K> {
    Factors::new(powers, NEIGHBORS, LEAST, factor, |at, step| {
        let blocks: [_; LANES] = std::array::from_fn(|lane| step(LANES * at + lane));
        std::array::from_fn(|f| std::array::from_fn(|part| blocks.map(|step| step[f][part])))
    })
}

impl<A: Arithmetic<K>, const K: usize> Tables<A, K> {
    /// For ring degree `n`; none below [`LEAST`].
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
            n,
            arithmetic: PhantomData,
        }))
    }

    /// The forward transform of residues modulo `from`; with `open` to what [`Arithmetic::leave`] leaves.
    fn forward_to(&self, factors: &Direction<K>, out: &mut [u64], a: &[u64], from: u64, open: bool) {
        let f = A::load(&self.field);
        let (out, a) = (out.as_chunks_mut::<LANES>().0, a.as_chunks::<LANES>().0);
        let grown = |bound: f64| bound + A::product_bound(&self.field, bound);
        // No value exceeds it.
        let (mut bound, steps) = if from == self.field.modulus.value() {
            (self.field.q, first(&f, factors, out, a, |words| f.read(words)))
        } else {
            let centered = Centered::new(from);
            (centered.bound, first(&f, factors, out, a, |words| centered.of(f.read(words))))
        };
        bound = if factors.single.is_some() { grown(bound) } else { grown(grown(bound)) };
        for (index, step) in steps.iter().enumerate() {
            let next = grown(grown(bound));
            let most = if index + 1 == steps.len() { grown(next) } else { next };
            if grown(bound).max(most) > LIMIT {
                layers::<A, K, true>(&f, out, step);
                bound = grown(reduced(&self.field) + A::product_bound(&self.field, bound));
            } else {
                layers::<A, K, false>(&f, out, step);
                bound = next;
            }
        }
        debug_assert!(grown(bound) <= LIMIT, "the last layers have room");
        let last = factors.last.as_slice();
        if open && A::OPEN {
            last_layers::<A, K, false>(&f, out, last, A::leave);
        } else if A::SMALL > 0.0 && grown(grown(bound)) <= A::SMALL {
            last_layers::<A, K, false>(&f, out, last, A::finish_small);
        } else if A::SMALL > 0.0
            && grown(reduced(&self.field) + A::product_bound(&self.field, bound)) <= A::SMALL
        {
            // Two values that are reduced cost less than four that are not small.
            last_layers::<A, K, true>(&f, out, last, A::finish_small);
        } else {
            last_layers::<A, K, false>(&f, out, last, A::finish);
        }
    }

    /// The inverse transform: its first two layers of `blocks`, values that are at most `q` and where what becomes of them goes.
    #[inline(always)]
    fn first_back<'a>(
        &self,
        f: &A,
        factors: &Direction<K>,
        blocks: impl Iterator<Item = ([Lanes; 4], &'a mut [Bits; 4])>,
    ) -> f64 {
        let (reduce, bound) = self.back(self.field.q);
        match reduce {
            NOTHING => first_layers_back::<A, K, NOTHING>(f, blocks, &factors.last),
            SUMS => first_layers_back::<A, K, SUMS>(f, blocks, &factors.last),
            _ => first_layers_back::<A, K, ALL>(f, blocks, &factors.last),
        }
        bound
    }

    /// What follows the first two layers of an inverse transform, which left at most `bound`.
    fn rest_back(&self, factors: &Direction<K>, f: &A, out: &mut [Bits], mut bound: f64) {
        let scale = self.scale.each_ref().map(all);
        let (last, steps) = match (&factors.single, factors.steps.as_slice()) {
            (None, [last, steps @ ..]) => (Some(last), steps),
            (_, steps) => (None, steps),
        };
        for step in steps.iter().rev() {
            let reduce;
            (reduce, bound) = self.back(bound);
            match reduce {
                NOTHING => layers_back::<A, K, NOTHING>(f, out, step),
                SUMS => layers_back::<A, K, SUMS>(f, out, step),
                _ => layers_back::<A, K, ALL>(f, out, step),
            }
        }
        match last {
            Some(last) => last_layers_back(f, out, last, &scale),
            None => last_layer_back(f, out, &scale),
        }
    }

    /// How much two layers backward reduce of values of at most `bound`, as little as lets the next ones follow, and the bound of what they leave.
    fn back(&self, bound: f64) -> (u8, f64) {
        let product = |bound| A::product_bound(&self.field, bound);
        let products = product(2.0 * product(2.0 * bound)).max(product(4.0 * bound));
        let pairs = products.max(2.0 * product(2.0 * bound));
        let reduced = reduced(&self.field);
        let bounds = [(NOTHING, pairs.max(4.0 * bound)), (SUMS, pairs.max(reduced))];
        let fits = bounds.into_iter().find(|(_, bound)| 4.0 * bound <= LIMIT);
        fits.unwrap_or((ALL, products.max(reduced)))
    }
}

impl<A: Arithmetic<K> + BlockSums, const K: usize> Ring<BLOCK, { BLOCK / 2 }> for Tables<A, K> {
    type Sums = A;

    fn prime(&self) -> A {
        A::prime(&self.field, self.field.bits())
    }

    /// `from`: below `2^50`.
    fn forward(&self, out: &mut [u64], a: &[u64], from: u64) {
        match &self.forward {
            Way::Here(factors) => self.forward_to(factors, out, a, from, false),
            Way::Made(made) => made.run(false, out, a, &centering(from)),
        }
    }

    /// To what [`Arithmetic::leave`] leaves.
    fn forward_open(&self, out: &mut [u64], a: &[u64], from: u64) {
        match &self.forward {
            Way::Here(factors) => self.forward_to(factors, out, a, from, true),
            Way::Made(made) => made.run(true, out, a, &centering(from)),
        }
    }

    fn inverse(&self, out: &mut [u64], a: &[u64]) {
        let factors = match &self.inverse {
            Way::Here(factors) => factors,
            Way::Made(made) => return made.run(false, out, a, &[0.0; 3]),
        };
        let f = A::load(&self.field);
        let (out, a) = (out.as_chunks_mut::<LANES>().0, a.as_chunks::<LANES>().0);
        let blocks = out.as_chunks_mut::<4>().0.iter_mut().zip(a.as_chunks::<4>().0);
        let read = blocks.map(|(out, a)| (a.map(|words| f.read(words)), out));
        let bound = self.first_back(&f, factors, read);
        self.rest_back(factors, &f, out, bound);
    }

    /// From what [`Arithmetic::take`] takes.
    fn inverse_open(&self, a: &mut [u64]) {
        let factors = match &self.inverse {
            Way::Here(factors) => factors,
            Way::Made(made) => return made.run_in_place(true, a, &[0.0; 3]),
        };
        let f = A::load(&self.field);
        let a = a.as_chunks_mut::<LANES>().0;
        let blocks = a.as_chunks_mut::<4>().0.iter_mut();
        let bound = self.first_back(&f, factors, blocks.map(|block| (block.map(|bits| f.take(bits)), block)));
        self.rest_back(factors, &f, a, bound);
    }

    /// None where it is 1.
    type Division = [Option<[f64; K]>; 3];

    fn division(&self, constants: [u64; 3]) -> Self::Division {
        constants.map(|c| (c != 1).then(|| A::factor(&self.field, c)))
    }

    /// Differences are less than `2 u`, and two products, or one and a residue, too.
    fn divide(&self, division: &Self::Division, out: &mut [u64], a: &[u64], added: Option<&[u64]>) {
        let f = A::load(&self.field);
        let [c, factor, scale] = division.each_ref().map(|w| w.as_ref().map(all));
        let times = |x: Lanes, w: &Option<[Lanes; K]>| w.as_ref().map_or(x, |w| f.mul(x, w));
        let blocks = |words| <[u64]>::as_chunks::<LANES>(words).0.as_chunks::<4>().0;
        let mut added = added.map(|added| blocks(added).iter());
        let out = out.as_chunks_mut::<LANES>().0.as_chunks_mut::<4>().0;
        for (out, a) in out.iter_mut().zip(blocks(a)) {
            let y: [Lanes; 4] =
                std::array::from_fn(|i| times(f.read(a[i]) - times(f.take(out[i]), &factor), &c));
            *out = match added.as_mut().and_then(Iterator::next) {
                Some(z) => std::array::from_fn(|i| f.finish(y[i] + times(f.read(z[i]), &scale))),
                None if c.is_some() => y.map(|y| f.finish_product(y)),
                None => y.map(|y| f.finish(y)),
            };
        }
    }

    fn sum(&self, terms: Terms) -> Result<Option<Prepared>> {
        if !A::MADE {
            return Ok(None);
        }
        let doubles = || vec![self.field.q, self.field.inverse];
        Prepared::find(Piece::Sum(terms), (self.n, self.field.modulus.value()), doubles)
    }

    fn made(&self) -> [Option<&str>; 2] {
        [self.forward.name(), self.inverse.name()]
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
    half: Lanes,
    p: Lanes,
    /// How large they can be.
    bound: f64,
}

impl Centered {
    fn new(p: u64) -> Self {
        let [half, p, _] = centering(p);
        Self { half: Lanes::splat(half), p: Lanes::splat(p), bound: half }
    }

    #[inline(always)]
    fn of(&self, x: Lanes) -> Lanes {
        x.lower(self.half, self.p)
    }
}

/// The first layer or two, of what `read` makes of words; gives the steps that remain.
#[inline(always)]
fn first<'a, A: Arithmetic<K>, const K: usize>(
    f: &A,
    factors: &'a Direction<K>,
    out: &mut [Bits],
    a: &[Bits],
    read: impl Fn(Bits) -> Lanes,
) -> &'a [Vec<Step<[f64; K]>>] {
    match (&factors.single, factors.steps.as_slice()) {
        (Some(w), steps) => {
            first_layer(f, out, a, w, read);
            steps
        }
        (None, [first, steps @ ..]) => {
            first.iter().take(1).for_each(|step| first_layers(f, out, a, step, &read));
            steps
        }
        (None, []) => &[],
    }
}

/// Applies `f` to the values at one place of each quarter of each block. Where the length of quarters is known to the compiler, all four have one address: so those of the ring degrees that
/// are common are. Each length is a function of its own, as are other passes: the loops of one do not take registers from those of the others.
#[inline(always)]
fn map_quarters<const K: usize>(
    out: &mut [Bits],
    steps: &[Step<[f64; K]>],
    f: impl Fn([Lanes; 4], &Step<[Lanes; K]>) -> [Lanes; 4] + Copy,
) {
    match out.len() / steps.len() / 4 * LANES {
        4 => map_known::<{ 4 / LANES }, K>(out, steps, f),
        16 => map_known::<{ 16 / LANES }, K>(out, steps, f),
        64 => map_known::<{ 64 / LANES }, K>(out, steps, f),
        256 => map_known::<{ 256 / LANES }, K>(out, steps, f),
        1024 => map_known::<{ 1024 / LANES }, K>(out, steps, f),
        4096 => map_known::<{ 4096 / LANES }, K>(out, steps, f),
        _ => map_any(out, steps, f),
    }
}

/// [`map_quarters`] of any length.
#[inline(never)]
fn map_any<const K: usize>(
    out: &mut [Bits],
    steps: &[Step<[f64; K]>],
    f: impl Fn([Lanes; 4], &Step<[Lanes; K]>) -> [Lanes; 4] + Copy,
) {
    for (block, w) in out.chunks_exact_mut(out.len() / steps.len()).zip(steps) {
        let (w, [a, b, c, d]) = (w.each_ref().map(all), quarters(block));
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            [*a, *b, *c, *d] = f([*a, *b, *c, *d].map(Lanes::from_bits), &w).map(Lanes::to_bits);
        }
    }
}

/// [`map_quarters`] of `Q` registers each.
#[inline(never)]
fn map_known<const Q: usize, const K: usize>(
    out: &mut [Bits],
    steps: &[Step<[f64; K]>],
    f: impl Fn([Lanes; 4], &Step<[Lanes; K]>) -> [Lanes; 4] + Copy,
) {
    for (block, w) in out.as_chunks_mut::<Q>().0.as_chunks_mut::<4>().0.iter_mut().zip(steps) {
        let w = w.each_ref().map(all);
        // From the value at hand on.
        let mut rest = block.as_flattened_mut();
        while rest.len() > 3 * Q {
            let x = [rest[0], rest[Q], rest[2 * Q], rest[3 * Q]];
            [rest[0], rest[Q], rest[2 * Q], rest[3 * Q]] = f(x.map(Lanes::from_bits), &w).map(Lanes::to_bits);
            rest = &mut rest[1..];
        }
    }
}

/// Two layers: `[x0, x2] -> x0 +- w x2`, `[x1, x3] -> x1 +- w x3`, then the same with neighbors. From a bound of `x` to
/// `x + 2 p` with products of at most `p`; `x + p` must not exceed `4 u`.
#[inline(always)]
fn butterfly<A: Arithmetic<K>, const K: usize>(
    f: &A,
    [x0, x1, x2, x3]: [Lanes; 4],
    w: &Step<[Lanes; K]>,
) -> [Lanes; 4] {
    let (p, r) = (f.mul(x2, &w[0]), f.mul(x3, &w[0]));
    let (y0, y1, y2, y3) = (x0 + p, x1 + r, x0 - p, x1 - r);
    let (s, t) = (f.mul(y1, &w[1]), f.mul(y3, &w[2]));
    [y0 + s, y0 - s, y2 + t, y2 - t]
}

/// [`butterfly`]; with `REDUCE` the values that no product makes small are reduced before.
#[inline(always)]
fn butterfly_forward<A: Arithmetic<K>, const K: usize, const REDUCE: bool>(
    f: &A,
    [mut x0, mut x1, x2, x3]: [Lanes; 4],
    w: &Step<[Lanes; K]>,
) -> [Lanes; 4] {
    if REDUCE {
        (x0, x1) = (f.reduce(x0), f.reduce(x1));
    }
    butterfly(f, [x0, x1, x2, x3], w)
}

/// What [`butterfly_back`] reduces: nothing, the sums of values, also the sums of products.
const NOTHING: u8 = 0;
const SUMS: u8 = 1;
const ALL: u8 = 2;

/// Two layers backwards; from a bound of `x`, `4 x` must not exceed `4 u`.
#[inline(always)]
fn butterfly_back<A: Arithmetic<K>, const K: usize, const REDUCE: u8>(
    f: &A,
    x: [Lanes; 4],
    w: &Step<[Lanes; K]>,
) -> [Lanes; 4] {
    let [y0, y1, y2, y3] = half_back(f, x, &w[1], &w[2]);
    let (mut sum, mut products) = (y0 + y2, y1 + y3);
    if REDUCE >= SUMS {
        sum = f.reduce(sum);
    }
    if REDUCE >= ALL {
        products = f.reduce(products);
    }
    [sum, products, f.mul(y0 - y2, &w[0]), f.mul(y1 - y3, &w[0])]
}

/// The first layer of [`butterfly_back`].
#[inline(always)]
fn half_back<A: Arithmetic<K>, const K: usize>(
    f: &A,
    [x0, x1, x2, x3]: [Lanes; 4],
    w1: &[Lanes; K],
    w2: &[Lanes; K],
) -> [Lanes; 4] {
    [x0 + x1, f.mul(x0 - x1, w1), x2 + x3, f.mul(x2 - x3, w2)]
}

#[inline(never)]
fn first_layer<A: Arithmetic<K>, const K: usize>(
    f: &A,
    out: &mut [Bits],
    a: &[Bits],
    w: &[f64; K],
    read: impl Fn(Bits) -> Lanes,
) {
    let w = all(w);
    let half = out.len() / 2;
    let ((left, right), (u, v)) = (out.split_at_mut(half), a.split_at(half));
    for (((x, y), &u), &v) in left.iter_mut().zip(right).zip(u).zip(v) {
        let (u, p) = (read(u), f.mul(read(v), &w));
        (*x, *y) = ((u + p).to_bits(), (u - p).to_bits());
    }
}

#[inline(never)]
fn first_layers<A: Arithmetic<K>, const K: usize>(
    f: &A,
    out: &mut [Bits],
    a: &[Bits],
    w: &Step<[f64; K]>,
    read: impl Fn(Bits) -> Lanes,
) {
    let w = w.each_ref().map(all);
    let [o0, o1, o2, o3] = quarters(out);
    let (left, right) = a.split_at(a.len() / 2);
    let ((a0, a1), (a2, a3)) = (left.split_at(left.len() / 2), right.split_at(right.len() / 2));
    let outputs = o0.iter_mut().zip(o1).zip(o2).zip(o3);
    for ((((o0, o1), o2), o3), (((a0, a1), a2), a3)) in outputs.zip(a0.iter().zip(a1).zip(a2).zip(a3)) {
        [*o0, *o1, *o2, *o3] = butterfly(f, [*a0, *a1, *a2, *a3].map(&read), &w).map(Lanes::to_bits);
    }
}

fn layers<A: Arithmetic<K>, const K: usize, const REDUCE: bool>(
    f: &A,
    out: &mut [Bits],
    steps: &[Step<[f64; K]>],
) {
    let f = *f;
    map_quarters(out, steps, move |x, w| butterfly_forward::<A, K, REDUCE>(&f, x, w));
}

#[inline(never)]
fn last_layers<A: Arithmetic<K>, const K: usize, const REDUCE: bool>(
    f: &A,
    out: &mut [Bits],
    steps: &[Step<[[f64; LANES]; K]>],
    end: impl Fn(&A, Lanes) -> Bits,
) {
    for (registers, w) in out.as_chunks_mut::<4>().0.iter_mut().zip(steps) {
        let y = butterfly_forward::<A, K, REDUCE>(
            f,
            Lanes::transpose(registers.map(Lanes::from_bits)),
            &w.each_ref().map(each),
        );
        // lanes change places as words do
        *registers = Lanes::transpose_back(y.map(|y| Lanes::from_bits(end(f, y)))).map(Lanes::to_bits);
    }
}

#[inline(never)]
fn first_layers_back<'a, A: Arithmetic<K>, const K: usize, const REDUCE: u8>(
    f: &A,
    blocks: impl Iterator<Item = ([Lanes; 4], &'a mut [Bits; 4])>,
    steps: &[Step<[[f64; LANES]; K]>],
) {
    for ((x, out), w) in blocks.zip(steps) {
        let y = butterfly_back::<A, K, REDUCE>(f, Lanes::transpose(x), &w.each_ref().map(each));
        *out = Lanes::transpose_back(y).map(Lanes::to_bits);
    }
}

fn layers_back<A: Arithmetic<K>, const K: usize, const REDUCE: u8>(
    f: &A,
    out: &mut [Bits],
    steps: &[Step<[f64; K]>],
) {
    let f = *f;
    map_quarters(out, steps, move |x, w| butterfly_back::<A, K, REDUCE>(&f, x, w));
}

fn last_layers_back<A: Arithmetic<K>, const K: usize>(
    f: &A,
    out: &mut [Bits],
    step: &[Step<[f64; K]>],
    scale: &[[Lanes; K]; 2],
) {
    let (f, scale) = (*f, *scale);
    map_any(out, step, move |x, w| {
        let [y0, y1, y2, y3] = half_back(&f, x, &w[1], &w[2]);
        let z = [
            f.mul(y0 + y2, &scale[0]),
            f.mul(y1 + y3, &scale[0]),
            f.mul(y0 - y2, &scale[1]),
            f.mul(y1 - y3, &scale[1]),
        ];
        z.map(|z| Lanes::from_bits(f.finish_product(z)))
    });
}

#[inline(never)]
fn last_layer_back<A: Arithmetic<K>, const K: usize>(f: &A, out: &mut [Bits], scale: &[[Lanes; K]; 2]) {
    let (left, right) = out.split_at_mut(out.len() / 2);
    for (x, y) in left.iter_mut().zip(right) {
        let (u, v) = (Lanes::from_bits(*x), Lanes::from_bits(*y));
        *x = f.finish_product(f.mul(u + v, &scale[0]));
        *y = f.finish_product(f.mul(u - v, &scale[1]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::fused::Fused;
    use super::super::split::Split;
    use super::*;
    use crate::math::Modulus;
    use crate::math::ntt::NttTable;
    use crate::math::prime::ntt_primes;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// The largest value that was multiplied, as bits; of positive doubles these are in the order of the doubles.
    static LARGEST: AtomicU64 = AtomicU64::new(0);

    /// An arithmetic that fails when a value is larger than it may be.
    #[derive(Clone, Copy)]
    struct Watched<A>(A);

    fn seen(a: Lanes, most: f64) {
        for x in a.to_bits().map(f64::from_bits) {
            assert!(x.abs() <= most && x == x.trunc(), "{x} where {most} is the most");
        }
    }

    impl<A: Arithmetic<K>, const K: usize> Arithmetic<K> for Watched<A> {
        const OPEN: bool = A::OPEN;
        const SMALL: f64 = A::SMALL;

        fn product_bound(field: &Field, bound: f64) -> f64 {
            A::product_bound(field, bound)
        }
        fn load(field: &Field) -> Self {
            Self(A::load(field))
        }
        fn read(&self, words: Bits) -> Lanes {
            self.0.read(words)
        }
        fn factor(field: &Field, w: u64) -> [f64; K] {
            A::factor(field, w)
        }
        fn mul(&self, a: Lanes, w: &[Lanes; K]) -> Lanes {
            seen(a, LIMIT);
            for a in a.to_bits().map(|a| f64::from_bits(a).abs().to_bits()) {
                if a > LARGEST.load(Ordering::Relaxed) {
                    LARGEST.fetch_max(a, Ordering::Relaxed);
                }
            }
            self.0.mul(a, w)
        }
        fn reduce(&self, a: Lanes) -> Lanes {
            seen(a, 1.25 * LIMIT);
            self.0.reduce(a)
        }
        fn finish(&self, a: Lanes) -> Bits {
            seen(a, 1.25 * LIMIT);
            self.0.finish(a)
        }
        fn finish_small(&self, a: Lanes) -> Bits {
            seen(a, A::SMALL);
            self.0.finish_small(a)
        }
        fn finish_product(&self, a: Lanes) -> Bits {
            self.0.finish_product(a)
        }
        fn leave(&self, a: Lanes) -> Bits {
            seen(a, 1.25 * LIMIT);
            self.0.leave(a)
        }
        fn take(&self, a: Bits) -> Lanes {
            self.0.take(a)
        }
    }

    /// Residues that make a value of a forward transform grow as far as it can before layer number `layer` multiplies it: each
    /// layer before adds a product of nearly `q/2`.
    fn growing(n: usize, q: &Modulus, roots: &Roots, layer: u32) -> Result<Vec<u64>> {
        let at = n >> (layer + 1);
        let mut a = vec![0; n];
        a[at] = q.value() - 1;
        for before in 0..layer {
            // What the factor of its first block makes the largest centered residue of.
            a[at + (n >> (before + 1))] = q.mul(q.inv(roots.forward[1 << before])?, q.value() / 2);
        }
        Ok(a)
    }

    fn check<A: Arithmetic<K>, const K: usize>(n: usize, q: u64, from: u64) -> Result<()> {
        let modulus = Modulus::new(q)?;
        let (table, roots) = (NttTable::new(n, modulus)?, Roots::new(n, &modulus)?);
        let Some(field) = Field::new(modulus) else { panic!("{q} is below 2^50") };
        let Some(tables) = Tables::<Watched<A>, K>::new(n, field)? else { panic!("{n} is served") };
        let (Way::Here(forward), Way::Here(inverse)) = (&tables.forward, &tables.inverse) else {
            panic!("nothing is offered")
        };
        let f = Watched(A::load(&field));
        let mut patterns = vec![vec![from - 1; n], vec![from / 2; n], vec![from / 2 + 1; n]];
        if from == q {
            for layer in (0..n.ilog2()).rev().step_by(3) {
                patterns.push(growing(n, &modulus, &roots, layer)?);
            }
        }
        for a in patterns {
            let center = |x: u64| {
                (i128::from(x) - if x > from / 2 { i128::from(from) } else { 0 }).rem_euclid(q.into())
            };
            let mut expected: Vec<u64> = a.iter().map(|&x| center(x) as u64).collect();
            table.forward(&mut expected);
            let mut out = vec![0; n];
            tables.forward_to(forward, &mut out, &a, from, false);
            assert_eq!(out, expected, "forward, {n}, {q} from {from}");
            tables.forward_to(forward, &mut out, &a, from, true);
            for (left, expected) in out.as_chunks::<LANES>().0.iter().zip(expected.as_chunks::<LANES>().0) {
                let taken = f.take(*left);
                seen(taken, if A::OPEN { reduced(&field) } else { field.q });
                assert_eq!(f.finish(taken), *expected, "open forward, {n}, {q} from {from}");
            }
        }
        let ends = (0..n).map(|i| if i.count_ones() % 2 == 0 { q - 1 } else { 0 });
        for mut a in [vec![q - 1; n], ends.collect(), growing(n, &modulus, &roots, 1)?] {
            let mut expected = a.clone();
            table.inverse(&mut expected);
            let registers = a.as_chunks_mut::<LANES>().0;
            let blocks = registers.as_chunks_mut::<4>().0.iter_mut();
            let bound =
                tables.first_back(&f, inverse, blocks.map(|block| (block.map(|words| f.read(words)), block)));
            tables.rest_back(inverse, &f, registers, bound);
            assert_eq!(a, expected, "inverse, {n}, {q}");
        }
        Ok(())
    }

    /// Of both arithmetics, on the largest primes of each size and the largest residues, no value is larger than it may be, and what is
    /// computed is what the reference does; with the largest primes values come close to what is allowed.
    #[test]
    fn values_stay_within_their_bounds() -> Result<()> {
        for log in [LEAST.ilog2(), 4, 5, 6, 11, 12, 13, 14, 15] {
            let n = 1 << log;
            for bits in [50, 49, 48, 46, 40, 20] {
                let (Ok(own), Ok(other)) = (ntt_primes(bits, n, 1, &[]), ntt_primes(50, n, 2, &[])) else {
                    continue;
                };
                for from in [own[0], other[1]] {
                    check::<Fused, 2>(n, own[0], from)?;
                    check::<Split, 4>(n, own[0], from)?;
                }
            }
        }
        let largest = f64::from_bits(LARGEST.load(Ordering::Relaxed));
        assert!(largest > 0.7 * LIMIT, "{largest} is far from {LIMIT}");
        Ok(())
    }
}
