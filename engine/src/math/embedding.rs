//! The canonical embedding of `R[X] / (X^n + 1)`: a real polynomial by its values at complex roots, on doubles (Cheon, Kim, Kim, Song,
//! "Homomorphic encryption for arithmetic of approximate numbers", ia.cr/2016/421).
//!
//! Slot `j` is the value at `zeta^(3^j)`, `zeta = exp(i pi / n)`, `j < n/2`; the values at the conjugate roots are the conjugates, since
//! coefficients are real. `X -> X^(3^k)` so rotates slots to the left by `k`, and `X -> X^-1` conjugates them, as in [`super::slots`].
//!
//! With `N = n/2` and `X^N = i`, the polynomial is the complex one with coefficients `m_k + i m_(k+N)`, at the roots `zeta^e`, `e = 1 mod 4`.
//! `Y^M - zeta^e` splits into `Y^(M/2) - zeta^(e/2)` and `Y^(M/2) + zeta^(e/2)`, down to single roots: a transform of `N` complex
//! numbers, in place, without reordering. Real parts lie before imaginary ones, which is the order of the coefficients.
//!
//! Operations are in one order, and nothing is fused, so that every build gives the same bits. Errors are about `log2 n` units in the last
//! place of the largest value.

use super::slots::odd_power;

/// The transform for one ring dimension.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// `zeta^(e/2)` of the inner nodes of the tree, level by level from the root, at 1.
    roots: Vec<(f64, f64)>,
    /// Where slots are among the values, and whether it is the conjugate that stands there.
    positions: Vec<(u32, bool)>,
}

impl Embedding {
    /// For ring dimension `n`, a power of two from 2 to 2^17.
    pub fn new(n: usize) -> Self {
        debug_assert!(n.is_power_of_two() && n >= 2);
        let half = n / 2;
        // Exponents of zeta, modulo 2n, of all nodes: the inner ones, then the leaves.
        let mut exponents = vec![half; n];
        for node in 1..half {
            exponents[2 * node] = exponents[node] / 2;
            exponents[2 * node + 1] = exponents[node] / 2 + n;
        }
        let root = |e: usize| {
            let angle = std::f64::consts::PI * e as f64 / n as f64;
            (libm::cos(angle), libm::sin(angle))
        };
        let mut leaf_of = vec![0u32; 2 * n];
        for (leaf, &e) in exponents[half..].iter().enumerate() {
            leaf_of[e] = leaf as u32;
        }
        let position = |slot: usize| match odd_power(n, slot) {
            e if e % 4 == 1 => (leaf_of[e], false),
            e => (leaf_of[2 * n - e], true),
        };
        Self {
            roots: exponents[..half].iter().map(|e| root(e / 2)).collect(),
            positions: (0..half).map(position).collect(),
        }
    }

    /// From slots to coefficients, times `scale`, rounded to integers, ties to even. `slots` gives real and imaginary part of a slot.
    pub fn coefficients(&self, out: &mut [f64], slots: impl Fn(usize) -> (f64, f64), scale: f64) {
        let half = self.positions.len();
        let (re, im) = out.split_at_mut(half);
        for (slot, &(at, conjugate)) in self.positions.iter().enumerate() {
            let (x, y) = slots(slot);
            re[at as usize] = x;
            im[at as usize] = if conjugate { -y } else { y };
        }
        let mut size = 1;
        while size < half {
            // Nodes of one level, from the leaves up.
            let roots = &self.roots[half / (2 * size)..half / size];
            let blocks = re.chunks_exact_mut(2 * size).zip(im.chunks_exact_mut(2 * size));
            for (&(c, s), (re, im)) in roots.iter().zip(blocks) {
                let ((re0, re1), (im0, im1)) = (re.split_at_mut(size), im.split_at_mut(size));
                for ((x0, x1), (y0, y1)) in re0.iter_mut().zip(re1).zip(im0.iter_mut().zip(im1)) {
                    let (dx, dy) = (*x0 - *x1, *y0 - *y1);
                    *x0 += *x1;
                    *y0 += *y1;
                    *x1 = dx * c + dy * s;
                    *y1 = dy * c - dx * s;
                }
            }
            size *= 2;
        }
        // half is a power of two: the division is exact.
        let factor = scale / half as f64;
        for x in out {
            *x = (*x * factor).round_ties_even();
        }
    }

    /// From coefficients to slots, divided by `scale`. `work` takes a copy of `coefficients`; `slot` is told number, real and imaginary part of
    /// each slot.
    pub fn slots(
        &self,
        coefficients: &[f64],
        work: &mut [f64],
        scale: f64,
        mut slot: impl FnMut(usize, f64, f64),
    ) {
        let half = self.positions.len();
        for (to, from) in work.iter_mut().zip(coefficients) {
            *to = from / scale;
        }
        let (re, im) = work.split_at_mut(half);
        let mut size = half / 2;
        while size >= 1 {
            let roots = &self.roots[half / (2 * size)..half / size];
            let blocks = re.chunks_exact_mut(2 * size).zip(im.chunks_exact_mut(2 * size));
            for (&(c, s), (re, im)) in roots.iter().zip(blocks) {
                let ((re0, re1), (im0, im1)) = (re.split_at_mut(size), im.split_at_mut(size));
                for ((x0, x1), (y0, y1)) in re0.iter_mut().zip(re1).zip(im0.iter_mut().zip(im1)) {
                    let (tx, ty) = (*x1 * c - *y1 * s, *x1 * s + *y1 * c);
                    *x1 = *x0 - tx;
                    *y1 = *y0 - ty;
                    *x0 += tx;
                    *y0 += ty;
                }
            }
            size /= 2;
        }
        for (number, &(at, conjugate)) in self.positions.iter().enumerate() {
            let y = im[at as usize];
            slot(number, re[at as usize], if conjugate { -y } else { y });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    /// The value of a polynomial at zeta^e, term by term.
    fn value(coefficients: &[f64], e: u64) -> (f64, f64) {
        let n = coefficients.len() as u64;
        let term = |(k, m): (usize, &f64)| {
            let angle = std::f64::consts::PI * (k as u64 * e % (2 * n)) as f64 / n as f64;
            (m * angle.cos(), m * angle.sin())
        };
        coefficients
            .iter()
            .enumerate()
            .map(term)
            .fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1))
    }

    #[test]
    fn slots_are_values_at_powers_of_three() {
        for n in [2, 4, 8, 16, 64, 256, 1024] {
            let coefficients = random(n, n as u64);
            let (mut e, mut work, mut seen) = (1, vec![0.0; n], 0);
            Embedding::new(n).slots(&coefficients, &mut work, 1.0, |slot, x, y| {
                assert_eq!(slot, seen);
                let (re, im) = value(&coefficients, e);
                let error = (x - re).abs().max((y - im).abs());
                assert!(error < 1e-13 * n as f64, "n = {n}, slot {slot}: {x} + {y} i is not {re} + {im} i");
                e = e * 3 % (2 * n as u64);
                seen += 1;
            });
            assert_eq!(seen, n / 2);
        }
    }

    #[test]
    fn there_and_back() {
        for n in [2, 4, 32, 1024, 8192, 32768] {
            let (re, im) = (random(n / 2, 1), random(n / 2, 2));
            let embedding = Embedding::new(n);
            let (mut out, mut work) = (vec![0.0; n], vec![0.0; n]);
            let scale = 2f64.powi(70);
            embedding.coefficients(&mut out, |slot| (re[slot], im[slot]), scale);
            assert!(out.iter().all(|x| x.fract() == 0.0));
            embedding.slots(&out, &mut work, scale, |slot, x, y| {
                let error = (x - re[slot]).abs().max((y - im[slot]).abs());
                assert!(error < 2f64.powi(-48), "n = {n}, slot {slot}: {error}");
            });
        }
    }

    #[test]
    fn one_number_in_all_slots_is_a_constant() {
        let (n, mut out) = (64, vec![1.0; 64]);
        Embedding::new(n).coefficients(&mut out, |_| (2.5, 0.0), 4.0);
        assert_eq!(out[0], 10.0);
        assert!(out[1..].iter().all(|&x| x == 0.0));
        // i in all slots is X^(n/2) where the exponent is 1 modulo 4, and -X^(n/2) where it is 3.
        let i = |slot: usize| (0.0, if slot.is_multiple_of(2) { 1.0 } else { -1.0 });
        Embedding::new(n).coefficients(&mut out, i, 4.0);
        assert_eq!(out.iter().position(|&x| x == 4.0), Some(32));
    }
}
