//! The number-theoretic transform of `Z_q[X] / (X^n + 1)`.
//!
//! Cooley-Tukey butterflies from natural to bit-reversed order, Gentleman-Sande butterflies back, with the
//! twist by powers of `psi` merged into the twiddle factors (P. Longa, M. Naehrig, "Speeding up the number
//! theoretic transform for faster ideal lattice-based cryptography", 2016). The butterflies are Harvey's:
//! products by Shoup's constants, values in `[0, 4q)` forward and `[0, 2q)` backward, reduced in the last
//! pass only (D. Harvey, "Faster arithmetic for number-theoretic transforms", 2014).

use super::zq::reduce_once;
use super::{MathError, Modulus, check_degree, prime::primitive_root};

/// The largest ring degree, `2^17`.
pub const MAX_DEGREE: usize = 1 << 17;

/// A constant factor and its Shoup quotient.
#[derive(Clone, Copy, Debug)]
struct Twiddle {
    w: u64,
    shoup: u64,
}

/// The twiddle factors of one ring degree `n` and one prime `q = 1 mod 2n`.
#[derive(Clone, Debug)]
pub struct NttTable {
    n: usize,
    modulus: Modulus,
    /// `psi^bitrev(i)` at `i`: layer `m` of the forward transform uses `m..2m`.
    forward: Vec<Twiddle>,
    /// `psi^-bitrev(i)` at `i`.
    inverse: Vec<Twiddle>,
    /// `1/n`.
    scale: Twiddle,
    /// `psi^-bitrev(1) / n`, the factor of the last backward layer.
    scaled_last: Twiddle,
}

/// `i` with its lowest `log2(n)` bits in reverse order, for `i < n` and `n` a power of two from 2.
#[inline(always)]
pub(crate) fn bit_reverse(i: usize, n: usize) -> usize {
    i.reverse_bits() >> (usize::BITS - n.trailing_zeros())
}

/// The factors of a transform as residues, before an arithmetic prepares them.
pub(crate) struct Roots {
    /// `psi^bitrev(i)` at `i`: layer `m` of the forward transform uses `m..2m`.
    pub(crate) forward: Vec<u64>,
    /// `psi^-bitrev(i)` at `i`.
    pub(crate) inverse: Vec<u64>,
    /// `1/n`.
    pub(crate) scale: u64,
    /// `psi^-bitrev(1) / n`, the factor of the last backward layer.
    pub(crate) scaled_last: u64,
}

impl Roots {
    /// As [`NttTable::new`].
    pub(crate) fn new(n: usize, q: &Modulus) -> Result<Self, MathError> {
        check_degree(n)?;
        let psi = primitive_root(2 * n as u64, q)?;
        let powers = |base: u64| {
            let (mut table, mut power) = (vec![1; n], 1);
            for exponent in 1..n {
                power = q.mul(power, base);
                table[bit_reverse(exponent, n)] = power;
            }
            table
        };
        let inverse = powers(q.inv(psi)?);
        let scale = q.inv(q.reduce(n as u64))?;
        Ok(Self { scaled_last: q.mul(scale, inverse[1]), forward: powers(psi), inverse, scale })
    }
}

impl NttTable {
    /// The transform of degree `n`, a power of two from 2 to 2^17, modulo the prime `q = 1 mod 2n`.
    ///
    /// # Errors
    /// [`MathError::Degree`] for another `n`, [`MathError::NoRoot`] when `2n` does not divide `q - 1`,
    /// [`MathError::NotPrime`] for a composite `q`.
    pub fn new(n: usize, q: Modulus) -> Result<Self, MathError> {
        let roots = Roots::new(n, &q)?;
        let twiddle = |w| Twiddle { w, shoup: q.shoup(w) };
        let twiddles = |powers: Vec<u64>| powers.into_iter().map(twiddle).collect();
        Ok(Self {
            n,
            modulus: q,
            forward: twiddles(roots.forward),
            inverse: twiddles(roots.inverse),
            scale: twiddle(roots.scale),
            scaled_last: twiddle(roots.scaled_last),
        })
    }

    /// The ring degree.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The prime.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// Coefficients in natural order to values: index `i` of the result is the value at
    /// `psi^(2 * bitrev(i) + 1)`, where `psi = primitive_root(2n)` and `bitrev` reverses `log2(n)` bits.
    /// In and out in `[0, q)`; `a` has length `n`.
    pub fn forward(&self, a: &mut [u64]) {
        debug_assert_eq!(a.len(), self.n);
        let (q, twice) = (&self.modulus, 2 * self.modulus.value());
        // [0, 4q) x [0, 4q) -> [0, 4q) x [0, 4q): (u, v) -> (u + vw, u - vw)
        let butterfly = |u: &mut u64, v: &mut u64, t: &Twiddle| {
            let x = reduce_once(*u, twice);
            let y = q.mul_shoup_lazy(*v, t.w, t.shoup);
            *u = x + y;
            *v = x + twice - y;
        };
        let mut half = self.n / 2;
        while half > 1 {
            let layer = self.n / (2 * half);
            for (block, t) in a.chunks_exact_mut(2 * half).zip(&self.forward[layer..]) {
                let (left, right) = block.split_at_mut(half);
                for (u, v) in left.iter_mut().zip(right) {
                    butterfly(u, v, t);
                }
            }
            half /= 2;
        }
        let (pairs, _) = a.as_chunks_mut();
        for ([u, v], t) in pairs.iter_mut().zip(&self.forward[self.n / 2..]) {
            butterfly(u, v, t);
            *u = reduce_once(reduce_once(*u, twice), q.value());
            *v = reduce_once(reduce_once(*v, twice), q.value());
        }
    }

    /// The exact inverse of [`NttTable::forward`], with the factor `1/n`. In and out in `[0, q)`.
    pub fn inverse(&self, a: &mut [u64]) {
        debug_assert_eq!(a.len(), self.n);
        let (q, twice) = (&self.modulus, 2 * self.modulus.value());
        // [0, 2q) x [0, 2q) -> [0, 2q) x [0, 2q): (u, v) -> (u + v, (u - v)w)
        let butterfly = |u: &mut u64, v: &mut u64, t: &Twiddle| {
            let difference = *u + twice - *v;
            *u = reduce_once(*u + *v, twice);
            *v = q.mul_shoup_lazy(difference, t.w, t.shoup);
        };
        if self.n > 2 {
            let (pairs, _) = a.as_chunks_mut();
            for ([u, v], t) in pairs.iter_mut().zip(&self.inverse[self.n / 2..]) {
                butterfly(u, v, t);
            }
        }
        let mut half = 2;
        while half < self.n / 2 {
            let layer = self.n / (2 * half);
            for (block, t) in a.chunks_exact_mut(2 * half).zip(&self.inverse[layer..]) {
                let (left, right) = block.split_at_mut(half);
                for (u, v) in left.iter_mut().zip(right) {
                    butterfly(u, v, t);
                }
            }
            half *= 2;
        }
        let (left, right) = a.split_at_mut(self.n / 2);
        for (u, v) in left.iter_mut().zip(right) {
            let (sum, difference) = (*u + *v, *u + twice - *v);
            *u = q.mul_shoup(sum, self.scale.w, self.scale.shoup);
            *v = q.mul_shoup(difference, self.scaled_last.w, self.scaled_last.shoup);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::prime::ntt_primes;
    use proptest::prelude::*;

    fn table(n: usize, bits: u32) -> NttTable {
        let q = Modulus::new(ntt_primes(bits, n, 1, &[]).unwrap()[0]).unwrap();
        NttTable::new(n, q).unwrap()
    }

    /// `a * b mod X^n + 1` by definition.
    fn schoolbook(a: &[u64], b: &[u64], q: &Modulus) -> Vec<u64> {
        let n = a.len();
        let mut out = vec![0; n];
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate() {
                let product = q.mul(a, b);
                let k = (i + j) % n;
                out[k] = if i + j < n { q.add(out[k], product) } else { q.sub(out[k], product) };
            }
        }
        out
    }

    fn transformed(table: &NttTable, a: &[u64]) -> Vec<u64> {
        let mut a = a.to_vec();
        table.forward(&mut a);
        assert!(a.iter().all(|&a| a < table.modulus().value()));
        a
    }

    fn back(table: &NttTable, a: &[u64]) -> Vec<u64> {
        let mut a = a.to_vec();
        table.inverse(&mut a);
        a
    }

    /// Degree, prime size, and two polynomials whose coefficients favor the ends of `[0, q)`.
    fn polynomials() -> impl Strategy<Value = (NttTable, Vec<u64>, Vec<u64>)> {
        (1u32..=8, 20u32..=61).prop_flat_map(|(log_n, bits)| {
            let table = table(1 << log_n, bits);
            let q = table.modulus().value();
            let coefficient = prop_oneof![4 => 0..q, 1 => Just(0), 1 => Just(1), 2 => Just(q - 1)];
            let polynomial = prop::collection::vec(coefficient, 1 << log_n);
            (Just(table), polynomial.clone(), polynomial)
        })
    }

    proptest! {
        #[test]
        fn pointwise_product_is_the_negacyclic_product((table, a, b) in polynomials()) {
            let q = table.modulus();
            let mut product = vec![0; a.len()];
            q.mul_into(&mut product, &transformed(&table, &a), &transformed(&table, &b));
            prop_assert_eq!(back(&table, &product), schoolbook(&a, &b, q));
        }

        #[test]
        fn values_stand_in_the_documented_order((table, a, _) in polynomials()) {
            let (n, q) = (table.n(), table.modulus());
            let psi = primitive_root(2 * n as u64, q).unwrap();
            let expected: Vec<u64> = (0..n)
                .map(|i| {
                    let reversed = (0..n.trailing_zeros()).fold(0, |r, bit| r << 1 | (i >> bit & 1));
                    let x = q.pow(psi, 2 * reversed as u64 + 1);
                    a.iter().rev().fold(0, |value, &c| q.add(q.mul(value, x), c))
                })
                .collect();
            prop_assert_eq!(transformed(&table, &a), expected);
        }
    }

    #[test]
    fn round_trips_of_every_degree_and_size() {
        for log_n in 1..=17 {
            for bits in [20, 25, 30, 40, 50, 59, 60, 61] {
                let n = 1usize << log_n;
                let Ok(primes) = ntt_primes(bits, n, 1, &[]) else { continue };
                let q = Modulus::new(primes[0]).unwrap();
                let table = NttTable::new(n, q).unwrap();
                let top = q.value() - 1;
                let spread = |i: usize| q.reduce((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                for a in [vec![top; n], vec![0; n], (0..n).map(spread).collect()] {
                    assert_eq!(back(&table, &transformed(&table, &a)), a, "n = {n}, q = {}", q.value());
                    assert_eq!(transformed(&table, &back(&table, &a)), a, "n = {n}, q = {}", q.value());
                }
            }
        }
    }

    #[test]
    fn small_prime_by_hand() {
        // mod 5 the smallest 4th root of unity is 2: a + bX at X = 2 and X = 2^3 = 3
        let table = NttTable::new(2, Modulus::new(5).unwrap()).unwrap();
        assert_eq!(transformed(&table, &[1, 3]), [2, 0]);
        assert_eq!(back(&table, &[2, 0]), [1, 3]);
    }

    #[test]
    fn errors() {
        let error = |n, q| NttTable::new(n, Modulus::new(q).unwrap()).unwrap_err();
        for n in [0, 1, 3, 1 << 18] {
            assert_eq!(error(n, 97), MathError::Degree { found: n });
        }
        assert_eq!(error(32, 97), MathError::NoRoot { order: 64, modulus: 97 });
        assert_eq!(error(8, 17 * 17), MathError::NotPrime { found: 289 });
    }
}
