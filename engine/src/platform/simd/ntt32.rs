//! The transforms of `math::ntt` for primes below `2^30`: two layers at a time, four 32-bit lanes.
//!
//! Between the first layers and the last ones values lie two to a word. The first layers leave two or four parts that
//! have nothing to do with each other; each part is packed into the upper half of its place in the output, where its
//! last layers, going up, never write what they have not read.
//!
//! Forward values are in `[0, 4q)` between layers, backward ones in `[0, 2q)` ([`super::field32`]).

use super::field32::{Factor, Field32, LANES, Small, all, each};
use super::lanes32::{U4, Wide};
use super::layers::{Factors, Step, quarters};
use super::products::{Ring, Sums, block};
use crate::math::MathError;
use crate::math::ntt::Roots;

/// The smallest ring degree: a layer alone before the four layers within a group.
const LEAST: usize = 32;

/// Neighbors that the last four layers leave among themselves.
const GROUP: usize = 16;

/// Four values, two to a word.
type Quad = [u64; 2];

/// Factors of the last four layers of a group: two layers of whole registers, then two with a block in each lane.
struct Group {
    outer: Step<Factor>,
    inner: Step<[[u32; 4]; 2]>,
}

/// The factors of one direction; the last four layers have groups.
type Direction = Factors<Factor, Group>;

/// Factors from powers, as [`Factors::new`] has them.
fn direction(powers: &[u64], factor: impl Fn(u64) -> Factor) -> Direction {
    Factors::new(powers, GROUP, GROUP, factor, |at, step| {
        let lanes: [Step<Factor>; 4] = std::array::from_fn(|lane| step(4 * at + lane));
        let inner = std::array::from_fn(|f| std::array::from_fn(|part| lanes.map(|lane| lane[f][part])));
        Group { outer: step(at), inner }
    })
}

/// The transforms of one ring degree and prime.
pub(super) struct Tables {
    field: Field32,
    forward: Direction,
    inverse: Direction,
    /// `1/n` and `1/n` times the factor of the layer with one block.
    scale: [Factor; 2],
}

impl Tables {
    /// For ring degree `n`; none below 32.
    ///
    /// # Errors
    /// `NoRoot` and others for a prime that has no such transform.
    pub(super) fn new(n: usize, field: Field32) -> Result<Option<Self>, MathError> {
        if n < LEAST {
            return Ok(None);
        }
        let roots = Roots::new(n, &field.modulus)?;
        let factor = |w| field.factor(w);
        Ok(Some(Self {
            forward: direction(&roots.forward, factor),
            inverse: direction(&roots.inverse, factor),
            scale: [roots.scale, roots.scaled_last].map(factor),
            field,
        }))
    }

    /// From what `load` makes of words.
    fn forward_from(&self, out: &mut [u64], a: &[u64], load: impl Fn(&Small, [u64; 4]) -> U4) {
        let f = self.field.load();
        let load = |&words: &[u64; 4]| load(&f, words);
        let steps = match (&self.forward.single, self.forward.steps.as_slice()) {
            (None, [first, steps @ ..]) => {
                first_layers(&f, out, a, &first[0], load);
                steps
            }
            (single, steps) => {
                first_layer(&f, out, a, &single.unwrap_or_default(), load);
                steps
            }
        };
        for (part, words) in out.chunks_exact_mut(self.part()).enumerate() {
            for step in steps {
                layers(packed(words), self.of_part(step, part), |x, w| butterfly(&f, x, w));
            }
            last_layers(&f, words, self.of_part(&self.forward.last, part));
        }
    }

    /// What follows the first four layers of an inverse transform.
    fn rest_back(&self, f: &Small, out: &mut [u64]) {
        let scale = self.scale.each_ref().map(all);
        let steps = match (&self.inverse.single, self.inverse.steps.as_slice()) {
            (None, [_, steps @ ..]) => steps,
            (_, steps) => steps,
        };
        for (part, words) in out.chunks_exact_mut(self.part()).enumerate() {
            for step in steps.iter().rev() {
                layers(packed(words), self.of_part(step, part), |x, w| butterfly_back(f, x, w));
            }
        }
        match (&self.inverse.single, self.inverse.steps.first().map(Vec::as_slice)) {
            (None, Some([[_, second, third]])) => {
                last_layers_back(f, out, &[all(second), all(third)], &scale)
            }
            _ => last_layer_back(f, out, &scale),
        }
    }

    /// Words of a part.
    fn part(&self) -> usize {
        let n = GROUP * self.forward.last.len();
        if self.forward.single.is_some() { n / 2 } else { n / 4 }
    }

    /// The factors of one part.
    fn of_part<'a, T>(&self, factors: &'a [T], part: usize) -> &'a [T] {
        let own = factors.len() / if self.forward.single.is_some() { 2 } else { 4 };
        &factors[part * own..(part + 1) * own]
    }
}

impl Ring<LANES, { LANES / 2 }> for Tables {
    type Sums = Small;

    fn prime(&self) -> Small {
        self.field.load()
    }

    /// `from`: below `2^63`.
    fn forward(&self, out: &mut [u64], a: &[u64], from: u64) {
        let q = self.field.modulus.value();
        if from == q {
            return self.forward_from(out, a, |_, words| U4::halves(words)[0]);
        }
        // What is p more than it means is so by no more than a multiple of q.
        let half = Wide::splat(from.div_ceil(2));
        let missing = Wide::splat((q - from % q) % q);
        self.forward_from(out, a, |f, words| {
            let words = Wide::from_words(words);
            f.fit(words + missing.where_at_least(words, half))
        });
    }

    /// In `[0, q)`.
    fn forward_open(&self, out: &mut [u64], a: &[u64], from: u64) {
        self.forward(out, a, from);
    }

    fn inverse(&self, out: &mut [u64], a: &[u64]) {
        let f = self.field.load();
        let part = self.part();
        for (number, (out, a)) in out.chunks_exact_mut(part).zip(a.chunks_exact(part)).enumerate() {
            let groups = self.of_part(&self.inverse.last, number).iter();
            let out = packed(out).as_chunks_mut::<4>().0.iter_mut();
            for ((out, a), w) in out.zip(a.as_chunks::<GROUP>().0).zip(groups) {
                *out = first_group_back(&f, a, w);
            }
        }
        self.rest_back(&f, out);
    }

    /// In every lane: `c`, `-c factor`, `scale`.
    type Division = [[u64; LANES]; 3];

    fn division(&self, [c, factor, scale]: [u64; 3]) -> Self::Division {
        let q = &self.field.modulus;
        [c, q.neg(q.mul(c, factor)), scale].map(|c| [c; LANES])
    }

    fn divide(&self, division: &Self::Division, out: &mut [u64], a: &[u64], added: Option<&[u64]>) {
        let (prime, [c, minus, scale]) = (self.prime(), division);
        for (index, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let mut sum = prime.first_product(&prime.values(block(a, index)), &prime.values(c));
            prime.add_product(&mut sum, &prime.opened(out), &prime.values(minus));
            if let Some(added) = added {
                prime.add_product(&mut sum, &prime.values(block(added, index)), &prime.values(scale));
            }
            *out = prime.words(sum);
        }
    }

    /// From `[0, q)`.
    fn inverse_open(&self, a: &mut [u64]) {
        let f = self.field.load();
        for (number, a) in a.chunks_exact_mut(self.part()).enumerate() {
            let half = a.len() / 2;
            // Going down, what is written was read.
            for (at, w) in self.of_part(&self.inverse.last, number).iter().enumerate().rev() {
                let quads = first_group_back(&f, &a.as_chunks().0[at], w);
                a[half..].as_chunks_mut().0[at] = *quads.as_flattened().as_array::<8>().unwrap_or(&[0; 8]);
            }
        }
        self.rest_back(&f, a);
    }
}

/// Where a part is kept packed.
#[inline(always)]
fn packed(part: &mut [u64]) -> &mut [Quad] {
    let half = part.len() / 2;
    part[half..].as_chunks_mut().0
}

/// Two layers: `[x0, x2] -> x0 +- w x2`, `[x1, x3] -> x1 +- w x3`, then the same with neighbors.
#[inline(always)]
fn butterfly(f: &Small, [x0, x1, x2, x3]: [U4; 4], w: &Step<[U4; 2]>) -> [U4; 4] {
    let (x0, x1, p, r) = (f.halve(x0), f.halve(x1), f.mul(x2, &w[0]), f.mul(x3, &w[0]));
    let (y0, y1, y2, y3) = (x0 + p, x1 + r, f.difference(x0, p), f.difference(x1, r));
    let (y0, y2, s, t) = (f.halve(y0), f.halve(y2), f.mul(y1, &w[1]), f.mul(y3, &w[2]));
    [y0 + s, f.difference(y0, s), y2 + t, f.difference(y2, t)]
}

/// Two layers backwards.
#[inline(always)]
fn butterfly_back(f: &Small, x: [U4; 4], w: &Step<[U4; 2]>) -> [U4; 4] {
    let [y0, y1, y2, y3] = half_back(f, x, &w[1], &w[2]);
    let (z2, z3) = (f.mul(f.difference(y0, y2), &w[0]), f.mul(f.difference(y1, y3), &w[0]));
    [f.halve(y0 + y2), f.halve(y1 + y3), z2, z3]
}

/// The first layer of [`butterfly_back`].
#[inline(always)]
fn half_back(f: &Small, [x0, x1, x2, x3]: [U4; 4], w1: &[U4; 2], w2: &[U4; 2]) -> [U4; 4] {
    let (y1, y3) = (f.mul(f.difference(x0, x1), w1), f.mul(f.difference(x2, x3), w2));
    [f.halve(x0 + x1), y1, f.halve(x2 + x3), y3]
}

fn first_layer(f: &Small, out: &mut [u64], a: &[u64], w: &Factor, load: impl Fn(&[u64; 4]) -> U4) {
    let w = all(w);
    let (left, right) = out.split_at_mut(a.len() / 2);
    let (a, b) = a.split_at(a.len() / 2);
    let outputs = packed(left).iter_mut().zip(packed(right));
    for ((x, y), (u, v)) in outputs.zip(a.as_chunks().0.iter().zip(b.as_chunks().0)) {
        let (u, p) = (f.halve(load(u)), f.mul(load(v), &w));
        (*x, *y) = ((u + p).to_bits(), f.difference(u, p).to_bits());
    }
}

fn first_layers(f: &Small, out: &mut [u64], a: &[u64], w: &Step<Factor>, load: impl Fn(&[u64; 4]) -> U4) {
    let w = w.each_ref().map(all);
    let [o0, o1, o2, o3] = quarters(out).map(packed);
    let (left, right) = a.split_at(a.len() / 2);
    let ((a0, a1), (a2, a3)) = (left.split_at(left.len() / 2), right.split_at(right.len() / 2));
    let [a0, a1, a2, a3] = [a0, a1, a2, a3].map(|a| a.as_chunks().0.iter());
    let outputs = o0.iter_mut().zip(o1).zip(o2).zip(o3);
    for ((((o0, o1), o2), o3), (((a0, a1), a2), a3)) in outputs.zip(a0.zip(a1).zip(a2).zip(a3)) {
        let y = butterfly(f, [load(a0), load(a1), load(a2), load(a3)], &w);
        [*o0, *o1, *o2, *o3] = y.map(U4::to_bits);
    }
}

/// Two layers of one part, in either direction.
#[inline(always)]
fn layers(part: &mut [Quad], steps: &[Step<Factor>], f: impl Fn([U4; 4], &Step<[U4; 2]>) -> [U4; 4]) {
    for (block, w) in part.chunks_exact_mut(part.len() / steps.len()).zip(steps) {
        let w = w.each_ref().map(all);
        let [a, b, c, d] = quarters(block);
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            [*a, *b, *c, *d] = f([*a, *b, *c, *d].map(U4::from_bits), &w).map(U4::to_bits);
        }
    }
}

fn last_layers(f: &Small, words: &mut [u64], groups: &[Group]) {
    let half = words.len() / 2;
    for (at, Group { outer, inner }) in groups.iter().enumerate() {
        let x = std::array::from_fn(|i| U4::from_bits(words[half..].as_chunks().0[4 * at + i]));
        let y = butterfly(f, x, &outer.each_ref().map(all));
        let z = butterfly(f, U4::transpose(y), &inner.each_ref().map(each));
        let z = U4::transpose(z.map(|z| f.finish(f.halve(z))));
        words.as_chunks_mut::<4>().0[4 * at..4 * at + 4].copy_from_slice(&z.map(U4::to_words));
    }
}

#[inline(always)]
fn first_group_back(f: &Small, a: &[u64; GROUP], Group { outer, inner }: &Group) -> [Quad; 4] {
    let quads = a.as_chunks::<4>().0;
    let x = std::array::from_fn(|i| U4::halves(quads[i])[0]);
    let y = butterfly_back(f, U4::transpose(x), &inner.each_ref().map(each));
    butterfly_back(f, U4::transpose(y), &outer.each_ref().map(all)).map(U4::to_bits)
}

fn last_layers_back(f: &Small, out: &mut [u64], w: &[[U4; 2]; 2], scale: &[[U4; 2]; 2]) {
    let quarter = out.len() / 4;
    let [a, b, c, d] = quarters(out);
    for at in 0..quarter / 4 {
        let x = [&a, &b, &c, &d].map(|part| U4::from_bits(part[quarter / 2..].as_chunks().0[at]));
        let [y0, y1, y2, y3] = half_back(f, x, &w[0], &w[1]);
        let z = [
            f.mul(y0 + y2, &scale[0]),
            f.mul(y1 + y3, &scale[0]),
            f.mul(f.difference(y0, y2), &scale[1]),
            f.mul(f.difference(y1, y3), &scale[1]),
        ];
        for (part, z) in [&mut *a, &mut *b, &mut *c, &mut *d].into_iter().zip(z) {
            part.as_chunks_mut().0[at] = f.finish(z).to_words();
        }
    }
}

fn last_layer_back(f: &Small, out: &mut [u64], scale: &[[U4; 2]; 2]) {
    let half = out.len() / 2;
    let (a, b) = out.split_at_mut(half);
    for at in 0..half / 4 {
        let [u, v] = [&a, &b].map(|part| U4::from_bits(part[half / 2..].as_chunks().0[at]));
        a.as_chunks_mut().0[at] = f.finish(f.mul(u + v, &scale[0])).to_words();
        b.as_chunks_mut().0[at] = f.finish(f.mul(f.difference(u, v), &scale[1])).to_words();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::prime::{is_prime, ntt_primes};
    use crate::math::{Modulus, NttTable};

    /// The smallest prime and the largest one below `2^30` with a transform of degree `n`.
    fn extremes(n: usize) -> [u64; 2] {
        let smallest = (1..).map(|k| 2 * n as u64 * k + 1).find(|&q| is_prime(q)).unwrap();
        [smallest, ntt_primes(30, n, 1, &[]).unwrap()[0]]
    }

    /// What words are residues of: the prime itself, and smaller and larger ones.
    fn from(q: u64, kind: usize) -> u64 {
        match kind {
            4 => 7681,
            5 => (1 << 50) - 27,
            6 => (1 << 61) - 1,
            _ => q,
        }
    }

    #[test]
    fn the_bits_of_the_reference() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 13
        };
        for n in (5..=15).map(|k| 1 << k) {
            for q in extremes(n) {
                let modulus = Modulus::new(q).unwrap();
                let table = NttTable::new(n, modulus).unwrap();
                let transform = Tables::new(n, Field32::new(modulus).unwrap()).unwrap().unwrap();
                let edge = |x: u64| [0, 1, q - 1, q / 2][x as usize % 4];
                for kind in 0..7 {
                    let a: Vec<u64> = (0..n)
                        .map(|i| match kind {
                            0 => q - 1,
                            1 => edge(random()),
                            2 => u64::from(i == n - 1),
                            3 => random() % q,
                            // Residues modulo other primes.
                            kind => {
                                let p = from(q, kind);
                                [random() % p, p - 1, p / 2, p / 2 + 1, q.min(p - 1)][random() as usize % 5]
                            }
                        })
                        .collect();
                    let p = from(q, kind);
                    let centered = |&x: &u64| i128::from(x) - if x > p / 2 { i128::from(p) } else { 0 };
                    let back: Vec<u64> = a.iter().map(|x| centered(x).rem_euclid(q.into()) as u64).collect();
                    let mut expected = back.clone();
                    table.forward(&mut expected);
                    let mut out = vec![u64::MAX; n];
                    transform.forward(&mut out, &a, p);
                    assert_eq!(out, expected, "n = {n}, q = {q}, kind {kind}");
                    let mut again = vec![u64::MAX; n];
                    transform.inverse(&mut again, &out);
                    assert_eq!(again, back, "inverse, n = {n}, q = {q}, kind {kind}");
                    transform.inverse_open(&mut out);
                    assert_eq!(out, back, "in place, n = {n}, q = {q}, kind {kind}");
                }
            }
        }
    }
}
