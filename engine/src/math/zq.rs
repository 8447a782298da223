//! Arithmetic modulo one word-sized modulus.
//!
//! Products are reduced by Barrett's method (P. Barrett, CRYPTO '86), products with a constant by Shoup's
//! precomputed quotient (as described in D. Harvey, "Faster arithmetic for number-theoretic transforms",
//! 2014). Nothing branches on a value, so that secrets may pass through; [`Modulus::pow`] and
//! [`Modulus::inv`] are the exception and take public values only.

use super::MathError;
use super::wide::{mul_hi, mul_wide};

/// How many products below `2^122` can be summed in a `u128` on top of one reduced value.
const LAZY_TERMS: usize = 63;

/// Coefficients that a lazy sum works on at a time: the sums stay in the first-level cache.
pub(crate) const BLOCK: usize = 128;

/// A modulus `q` with `2 <= q < 2^61`, not necessarily prime, with the constants of its reductions.
///
/// Unless a function says otherwise, arguments are reduced, in `[0, q)`, and so are results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulus {
    q: u64,
    /// Bit length `k` of `q`.
    bits: u32,
    /// `floor(2^(2k) / q)`, at most `2^(k+1)`.
    mu: u64,
    /// `floor((2^128 - 1) / q)`, high and low word; the high word is `floor((2^64 - 1) / q)`.
    ratio: (u64, u64),
}

/// `a mod q` for `a` in `[0, 2q)`.
#[inline(always)]
pub(crate) fn reduce_once(a: u64, q: u64) -> u64 {
    // below q the subtraction wraps around to something large
    a.min(a.wrapping_sub(q))
}

impl Modulus {
    /// Checks that a number can be a modulus.
    ///
    /// # Errors
    /// `ModulusRange` outside 2..2^61.
    pub fn check(q: u64) -> Result<(), MathError> {
        if (2..1 << 61).contains(&q) { Ok(()) } else { Err(MathError::ModulusRange { found: q }) }
    }

    /// Checks `2 <= q < 2^61` and computes the constants.
    ///
    /// # Errors
    /// [`MathError::ModulusRange`] outside that range.
    pub fn new(q: u64) -> Result<Self, MathError> {
        Self::check(q)?;
        let bits = u64::BITS - q.leading_zeros();
        let mu = ((1u128 << (2 * bits)) / q as u128) as u64;
        let ratio = u128::MAX / q as u128;
        Ok(Self { q, bits, mu, ratio: ((ratio >> 64) as u64, ratio as u64) })
    }

    /// `q`.
    pub fn value(&self) -> u64 {
        self.q
    }

    /// The bit length of `q`: `2^(bits-1) <= q < 2^bits`.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// `a + b mod q`.
    #[inline(always)]
    pub fn add(&self, a: u64, b: u64) -> u64 {
        debug_assert!(a < self.q && b < self.q);
        reduce_once(a + b, self.q)
    }

    /// `a - b mod q`.
    #[inline(always)]
    pub fn sub(&self, a: u64, b: u64) -> u64 {
        debug_assert!(a < self.q && b < self.q);
        reduce_once(a + self.q - b, self.q)
    }

    /// `-a mod q`.
    #[inline(always)]
    pub fn neg(&self, a: u64) -> u64 {
        debug_assert!(a < self.q);
        (self.q - a) & u64::from(a != 0).wrapping_neg()
    }

    /// `a * b mod q`.
    #[inline(always)]
    pub fn mul(&self, a: u64, b: u64) -> u64 {
        debug_assert!(a < self.q && b < self.q);
        let x = mul_wide(a, b);
        // floor(x / 2^(k-1)) < 2^(k+1), so the estimate is at most 2 below the quotient and 3q < 2^63
        let quotient = (mul_wide((x >> (self.bits - 1)) as u64, self.mu) >> (self.bits + 1)) as u64;
        let r = (x as u64).wrapping_sub(quotient.wrapping_mul(self.q));
        reduce_once(reduce_once(r, self.q), self.q)
    }

    /// The product of any numbers, in `[0, q)`.
    pub fn product(&self, numbers: &[u64]) -> u64 {
        numbers.iter().fold(self.reduce(1), |product, &p| self.mul(product, self.reduce(p)))
    }

    /// `a^e mod q`, with `a^0 = 1`. Time depends on `e`.
    pub fn pow(&self, a: u64, e: u64) -> u64 {
        let (mut base, mut rest, mut result) = (a, e, 1);
        while rest > 0 {
            if rest & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            rest >>= 1;
        }
        result
    }

    /// `a^-1 mod q` by the extended Euclidean algorithm, for composite `q` too. Time depends on `a`.
    ///
    /// # Errors
    /// [`MathError::NotInvertible`] when `gcd(a, q) != 1`.
    pub fn inv(&self, a: u64) -> Result<u64, MathError> {
        debug_assert!(a < self.q);
        // invariant: r = s * a mod q; the s alternate in sign and stay within [-q, q]
        let (mut r0, mut r1) = (self.q, a);
        let (mut s0, mut s1) = (0i64, 1i64);
        while r1 != 0 {
            let quotient = r0 / r1;
            (r0, r1) = (r1, r0 - quotient * r1);
            (s0, s1) = (s1, s0 - quotient as i64 * s1);
        }
        if r0 != 1 {
            return Err(MathError::NotInvertible { value: a, modulus: self.q, gcd: r0 });
        }
        Ok(self.reduce_i64(s0))
    }

    /// `a mod q` for any `a`.
    #[inline(always)]
    pub fn reduce(&self, a: u64) -> u64 {
        let quotient = mul_hi(a, self.ratio.0); // at most 1 too small
        reduce_once(a.wrapping_sub(quotient.wrapping_mul(self.q)), self.q)
    }

    /// `a mod q` for any `a`.
    #[inline(always)]
    pub fn reduce_u128(&self, a: u128) -> u64 {
        let (a1, a0) = ((a >> 64) as u64, a as u64);
        let (m1, m0) = self.ratio;
        // the low word of floor(a * ratio / 2^128), at most 1 below the quotient's
        let upper = mul_wide(a1, m0);
        let lower = mul_wide(a0, m1) + mul_hi(a0, m0) as u128;
        let carry = (upper as u64).overflowing_add(lower as u64).1;
        let quotient = a1
            .wrapping_mul(m1)
            .wrapping_add((upper >> 64) as u64)
            .wrapping_add((lower >> 64) as u64)
            .wrapping_add(u64::from(carry));
        reduce_once(a0.wrapping_sub(quotient.wrapping_mul(self.q)), self.q)
    }

    /// `a mod q`, in `[0, q)`, for any signed `a`.
    #[inline(always)]
    pub fn reduce_i64(&self, a: i64) -> u64 {
        let r = self.reduce(a.unsigned_abs());
        let negative = (a >> 63) as u64;
        r ^ ((r ^ self.neg(r)) & negative)
    }

    /// `a mod q`, in `[0, q)`, for any signed `a`.
    pub fn reduce_i128(&self, a: i128) -> u64 {
        let r = self.reduce_u128(a.unsigned_abs());
        let negative = (a >> 127) as u64;
        r ^ ((r ^ self.neg(r)) & negative)
    }

    /// The representative of `a` in `(-q/2, q/2]`.
    #[inline(always)]
    pub fn center(&self, a: u64) -> i64 {
        debug_assert!(a < self.q);
        let upper = u64::from(a > self.q >> 1).wrapping_neg();
        a as i64 - (self.q & upper) as i64
    }

    /// Shoup's constant `floor(w * 2^64 / q)` of the factor `w`, for [`Modulus::mul_shoup`].
    pub fn shoup(&self, w: u64) -> u64 {
        debug_assert!(w < self.q);
        let estimate = w.wrapping_mul(self.ratio.0).wrapping_add(mul_hi(w, self.ratio.1));
        // the remainder w * 2^64 - estimate * q is below 2q
        let remainder = estimate.wrapping_mul(self.q).wrapping_neg();
        estimate + u64::from(remainder >= self.q)
    }

    /// `a * w mod q` for any `a`, with `w` in `[0, q)` and `w_shoup` from [`Modulus::shoup`].
    #[inline(always)]
    pub fn mul_shoup(&self, a: u64, w: u64, w_shoup: u64) -> u64 {
        reduce_once(self.mul_shoup_lazy(a, w, w_shoup), self.q)
    }

    /// `a * w mod q` in `[0, 2q)` for any `a`, with `w` in `[0, q)` and `w_shoup` from [`Modulus::shoup`].
    #[inline(always)]
    pub(crate) fn mul_shoup_lazy(&self, a: u64, w: u64, w_shoup: u64) -> u64 {
        a.wrapping_mul(w).wrapping_sub(mul_hi(a, w_shoup).wrapping_mul(self.q))
    }

    /// `out[i] = a[i] + b[i] mod q`.
    pub fn add_into(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        zip2(out, a, b, |a, b| self.add(a, b));
    }

    /// `out[i] = a[i] - b[i] mod q`.
    pub fn sub_into(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        zip2(out, a, b, |a, b| self.sub(a, b));
    }

    /// `out[i] = a[i] * b[i] mod q`.
    pub fn mul_into(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        zip2(out, a, b, |a, b| self.mul(a, b));
    }

    /// `out[i] = -a[i] mod q`.
    pub fn neg_into(&self, out: &mut [u64], a: &[u64]) {
        zip1(out, a, |a| self.neg(a));
    }

    /// `out[i] = a[i] * c mod q` for any `c` and any `a[i]`.
    pub fn mul_scalar_into(&self, out: &mut [u64], a: &[u64], c: u64) {
        let w = self.reduce(c);
        let w_shoup = self.shoup(w);
        zip1(out, a, |a| self.mul_shoup(a, w, w_shoup));
    }

    /// `out[i] = sum_k a_k[i] * b_k[i] mod q` over the pairs `(a_k, b_k)`, of which there may be any number
    /// (none gives 0); factors may be anything below `2^61`.
    pub fn dot_into(&self, out: &mut [u64], pairs: &[(&[u64], &[u64])]) {
        debug_assert!(pairs.iter().all(|(a, b)| a.len() == out.len() && b.len() == out.len()));
        self.lazy_sum(out, pairs.len(), |k, start, sums| {
            let (a, b) = pairs[k];
            for ((sum, &a), &b) in sums.iter_mut().zip(&a[start..]).zip(&b[start..]) {
                *sum += mul_wide(a, b);
            }
        });
    }

    /// `out = sum over k < terms of term k, mod q`, where `add(k, start, sums)` adds term `k` of the
    /// coefficients `start..start + sums.len()` to `sums`, at most `(2^61 - 1)^2` to each.
    pub(crate) fn lazy_sum(&self, out: &mut [u64], terms: usize, add: impl Fn(usize, usize, &mut [u128])) {
        let mut block = [0u128; BLOCK];
        for (index, out) in out.chunks_mut(BLOCK).enumerate() {
            let sums = &mut block[..out.len()];
            sums.fill(0);
            for k in 0..terms {
                if k > 0 && k % LAZY_TERMS == 0 {
                    sums.iter_mut().for_each(|sum| *sum = self.reduce_u128(*sum) as u128);
                }
                add(k, index * BLOCK, sums);
            }
            zip1(out, sums, |sum| self.reduce_u128(sum));
        }
    }
}

#[inline(always)]
fn zip1<T: Copy>(out: &mut [u64], a: &[T], f: impl Fn(T) -> u64) {
    debug_assert_eq!(out.len(), a.len());
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
}

#[inline(always)]
fn zip2(out: &mut [u64], a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) {
    debug_assert!(out.len() == a.len() && out.len() == b.len());
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOP: u64 = (1 << 61) - 1;

    /// Both ends of the range, powers of two and their neighbors, primes and composites.
    fn moduli() -> Vec<Modulus> {
        let mut values = vec![2, 3, 4, 5, 6, 15, 257, 65537, 1_032_193, TOP, TOP - 1, TOP - 58];
        values.extend((2..61).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]));
        values.into_iter().map(|q| Modulus::new(q).unwrap()).collect()
    }

    fn residues(q: u64) -> Vec<u64> {
        let mut values: Vec<u64> = [0, 1, 2, q / 2, q / 2 + 1, q / 3, q - 2 % q, q - 1].map(|a| a % q).into();
        values.dedup();
        values
    }

    fn any_modulus() -> impl Strategy<Value = Modulus> {
        (2u32..=61)
            .prop_flat_map(|bits| (1u64 << (bits - 1)).max(2)..1u64 << bits)
            .prop_map(|q| Modulus::new(q).unwrap())
    }

    fn check_pair(m: &Modulus, a: u64, b: u64) {
        let q = m.value() as u128;
        let (wa, wb) = (a as u128, b as u128);
        assert_eq!(m.add(a, b) as u128, (wa + wb) % q, "{a} + {b} mod {q}");
        assert_eq!(m.sub(a, b) as u128, (wa + q - wb) % q, "{a} - {b} mod {q}");
        assert_eq!(m.mul(a, b) as u128, wa * wb % q, "{a} * {b} mod {q}");
        assert_eq!(m.neg(a) as u128, (q - wa) % q, "-{a} mod {q}");
        assert_eq!(m.shoup(b) as u128, (wb << 64) / q, "shoup {b} mod {q}");
        for x in [a, b, u64::MAX, u64::MAX - a] {
            assert_eq!(m.mul_shoup(x, b, m.shoup(b)) as u128, x as u128 * wb % q, "{x} * {b} mod {q}");
        }
        let centered = m.center(a);
        assert_eq!(m.reduce_i64(centered), a);
        assert!(2 * centered as i128 > -(q as i128) && 2 * centered as i128 <= q as i128, "{a} mod {q}");
    }

    fn check_reduce(m: &Modulus, a: u128) {
        let q = m.value();
        assert_eq!(m.reduce_u128(a), (a % q as u128) as u64, "{a} mod {q}");
        assert_eq!(m.reduce(a as u64), a as u64 % q, "{a} mod {q}");
        let signed = a as u64 as i64;
        assert_eq!(m.reduce_i64(signed) as i128, (signed as i128).rem_euclid(q as i128), "{signed} mod {q}");
    }

    #[test]
    fn range_of_the_modulus() {
        for found in [0, 1, 1 << 61, u64::MAX] {
            assert_eq!(Modulus::new(found), Err(MathError::ModulusRange { found }));
        }
        assert_eq!(Modulus::new(TOP).unwrap().bits(), 61);
        assert_eq!(Modulus::new(2).unwrap().bits(), 2);
    }

    #[test]
    fn edges_against_u128() {
        for m in moduli() {
            let q = m.value() as u128;
            for a in residues(m.value()) {
                for b in residues(m.value()) {
                    check_pair(&m, a, b);
                }
                for multiple in [0, 1, 2, q - 1, q, u64::MAX as u128, u64::MAX as u128 + 1, u128::MAX / q] {
                    let base = (u128::MAX / q).min(multiple) * q;
                    check_reduce(&m, base.saturating_add(a as u128));
                    check_reduce(&m, base.saturating_sub(1));
                }
            }
            for a in [u128::MAX, u128::MAX - 1, 1 << 127, i64::MIN as u64 as u128, i64::MAX as u128] {
                check_reduce(&m, a);
            }
        }
    }

    #[test]
    fn inverse_of_every_residue_of_small_moduli() {
        fn gcd(a: u64, b: u64) -> u64 {
            if b == 0 { a } else { gcd(b, a % b) }
        }
        for q in 2..200 {
            let m = Modulus::new(q).unwrap();
            for a in 0..q {
                match m.inv(a) {
                    Ok(inverse) => assert_eq!(m.mul(a, inverse), 1, "{a} mod {q}"),
                    Err(error) => {
                        let gcd = gcd(a, q);
                        assert!(gcd > 1);
                        assert_eq!(error, MathError::NotInvertible { value: a, modulus: q, gcd });
                    }
                }
            }
        }
    }

    #[test]
    fn powers() {
        for m in moduli() {
            for a in residues(m.value()) {
                let mut expected = 1;
                for e in 0..20 {
                    assert_eq!(m.pow(a, e), expected);
                    expected = (expected as u128 * a as u128 % m.value() as u128) as u64;
                }
            }
        }
        let m = Modulus::new(TOP).unwrap(); // 2^61 - 1 is prime: Fermat
        assert_eq!(m.pow(3, TOP - 1), 1);
        assert_eq!(m.pow(3, (TOP - 1) / 2), TOP - 1);
    }

    #[test]
    fn lazy_sums_never_overflow() {
        for q in [TOP, 2, 65537] {
            let m = Modulus::new(q).unwrap();
            for terms in
                [0, 1, 2, LAZY_TERMS - 1, LAZY_TERMS, LAZY_TERMS + 1, 2 * LAZY_TERMS, 4 * LAZY_TERMS + 5]
            {
                let a = vec![TOP; BLOCK + 3];
                let pairs = vec![(&a[..], &a[..]); terms];
                let mut out = vec![7; a.len()];
                m.dot_into(&mut out, &pairs);
                let square = TOP as u128 * TOP as u128 % q as u128;
                assert_eq!(
                    out,
                    vec![(square * terms as u128 % q as u128) as u64; a.len()],
                    "{terms} terms mod {q}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn random_against_u128(m in any_modulus(), a: u64, b: u64, wide: u128) {
            check_pair(&m, a % m.value(), b % m.value());
            check_reduce(&m, wide);
        }

        #[test]
        fn random_inverse(m in any_modulus(), a: u64) {
            let a = a % m.value();
            if let Ok(inverse) = m.inv(a) {
                prop_assert_eq!(m.mul(a, inverse), 1 % m.value());
            }
        }

        #[test]
        fn slices_against_single_values(
            m in any_modulus(), values in prop::collection::vec(any::<[u64; 4]>(), 0..300), c: u64,
        ) {
            let column = |i: usize| values.iter().map(|v| v[i] % m.value()).collect::<Vec<_>>();
            let (a, b, d, e) = (column(0), column(1), column(2), column(3));
            let mut out = vec![u64::MAX; a.len()];
            let each = |f: &dyn Fn(usize) -> u64| (0..a.len()).map(f).collect::<Vec<_>>();
            m.add_into(&mut out, &a, &b);
            prop_assert_eq!(&out, &each(&|i| m.add(a[i], b[i])));
            m.sub_into(&mut out, &a, &b);
            prop_assert_eq!(&out, &each(&|i| m.sub(a[i], b[i])));
            m.mul_into(&mut out, &a, &b);
            prop_assert_eq!(&out, &each(&|i| m.mul(a[i], b[i])));
            m.neg_into(&mut out, &a);
            prop_assert_eq!(&out, &each(&|i| m.neg(a[i])));
            m.mul_scalar_into(&mut out, &a, c);
            prop_assert_eq!(&out, &each(&|i| m.mul(a[i], c % m.value())));
            m.dot_into(&mut out, &[(&a, &b), (&d, &e)]);
            prop_assert_eq!(&out, &each(&|i| m.add(m.mul(a[i], b[i]), m.mul(d[i], e[i]))));
        }
    }
}
