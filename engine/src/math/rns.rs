//! Residue number systems: an integer `x` modulo `Q = q_0 * ... * q_(L-1)` as its residues `x_i = x mod q_i`.
//!
//! Base conversion follows S. Halevi, Y. Polyakov, V. Shoup, "An improved RNS variant of the BFV homomorphic
//! encryption scheme", 2018: with `y_i = x_i * (Q/q_i)^-1 mod q_i`,
//!
//! ```text
//! x = sum_i y_i * (Q/q_i) - v * Q,   v = round(sum_i y_i / q_i)
//! ```
//!
//! is the representative of `x` in `(-Q/2, Q/2]`, and modulo another `p` it costs one small dot product. The
//! quotient `v` is found in floating point, exactly unless `x / Q` is within `(L + 4)^2 * 2^-53` of `+-1/2`,
//! where it may be off by one and the result by `Q`.

use super::wide::mul_wide;
use super::zq::{BLOCK, reduce_once};
use super::{MathError, Modulus};
use zeroize::Zeroizing;

/// The rounded quotient `v = round(sum_i y_i / q_i)` of a base conversion.
///
/// In binary64: terms `(y_i as f64) * (1.0 / q_i as f64)`, added in limb order starting from the first, then
/// `floor(sum + 0.5)`. Nothing is fused or reordered, so every platform gives the same bits.
#[derive(Clone, Debug)]
pub struct Quotient {
    reciprocals: Vec<f64>,
}

impl Quotient {
    /// For residues modulo `from`, in this order.
    pub fn new(from: &[Modulus]) -> Self {
        Self { reciprocals: from.iter().map(|q| 1.0 / q.value() as f64).collect() }
    }

    /// `out[j] = round(sum_i y[i][j] / q_i)`, with one limb `y[i]`, in `[0, q_i)`, for each modulus. The
    /// result is at most the number of moduli.
    pub fn round_into(&self, out: &mut [u64], y: &[&[u64]]) {
        debug_assert_eq!(y.len(), self.reciprocals.len());
        debug_assert!(y.iter().all(|y| y.len() == out.len()));
        let mut block = [0.0; BLOCK];
        for (index, out) in out.chunks_mut(BLOCK).enumerate() {
            let sums = &mut block[..out.len()];
            sums.fill(0.0);
            for (y, &reciprocal) in y.iter().zip(&self.reciprocals) {
                for (sum, &y) in sums.iter_mut().zip(&y[index * BLOCK..]) {
                    *sum += y as f64 * reciprocal;
                }
            }
            for (out, &sum) in out.iter_mut().zip(&*sums) {
                // not negative, so the cast rounds down
                *out = (sum + 0.5) as u64;
            }
        }
    }
}

/// The dot product of a base conversion, `sum_i y_i * c_i - v * w mod p`.
#[derive(Clone, Debug)]
pub struct Conversion {
    c: Vec<u64>,
    /// `-w mod p`.
    minus_w: u64,
    p: Modulus,
}

impl Conversion {
    /// With the constants `c_i` and `w`, all in `[0, p)`.
    pub fn new(c: &[u64], w: u64, p: Modulus) -> Self {
        debug_assert!(c.iter().all(|&c| c < p.value()));
        Self { c: c.to_vec(), minus_w: p.neg(w), p }
    }

    /// The modulus `p` of the result.
    pub fn modulus(&self) -> &Modulus {
        &self.p
    }

    /// `out[j] = sum_i y[i][j] * c_i - v[j] * w mod p`, in `[0, p)`, with one limb `y[i]` for each constant;
    /// `y` and `v` may be anything below `2^61`.
    pub fn convert_into(&self, out: &mut [u64], y: &[&[u64]], v: &[u64]) {
        debug_assert_eq!(y.len(), self.c.len());
        debug_assert!(y.iter().all(|y| y.len() == out.len()) && v.len() == out.len());
        self.p.lazy_sum(out, y.len() + 1, |k, start, sums| {
            let (limb, c) = if k < y.len() { (y[k], self.c[k]) } else { (v, self.minus_w) };
            for (sum, &y) in sums.iter_mut().zip(&limb[start..]) {
                *sum += mul_wide(y, c);
            }
        });
    }
}

/// The constants of a base conversion from moduli `q_i`, of product `Q`, to a modulus `p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrtConstants {
    /// `(Q/q_i)^-1 mod q_i`.
    pub hat_inv: Vec<u64>,
    /// `Q/q_i mod p`.
    pub hat: Vec<u64>,
    /// `Q mod p`.
    pub product: u64,
}

/// The constants of a base conversion from `from` to `to`; one modulus will do (`hat_inv = hat = 1`).
///
/// # Errors
/// [`MathError::NoModuli`] without a modulus, [`MathError::NotInvertible`] when two of `from` share a factor.
pub fn crt_constants(from: &[Modulus], to: &Modulus) -> Result<CrtConstants, MathError> {
    if from.is_empty() {
        return Err(MathError::NoModuli);
    }
    // the product of all moduli but the skipped one
    let product = |p: &Modulus, skipped: usize| {
        let others = from.iter().enumerate().filter(|(i, _)| *i != skipped);
        others.fold(1, |product, (_, q)| p.mul(product, p.reduce(q.value())))
    };
    let hat_inv = from.iter().enumerate().map(|(i, q)| q.inv(product(q, i))).collect::<Result<_, _>>()?;
    let hat = (0..from.len()).map(|i| product(to, i)).collect();
    Ok(CrtConstants { hat_inv, hat, product: product(to, from.len()) })
}

/// Numbers by residues, as digits to the bases `q_0`, `q_1`, ...: `x = d_0 + d_1 * q_0 + d_2 * q_0 * q_1 + ...` with `0 <= d_i < q_i`,
/// after H. Garner (1959).
///
/// It is asked for what a secret key has opened, so nothing branches on a number, and every number takes the same steps.
#[derive(Clone, Debug)]
pub struct MixedRadix {
    from: Vec<Modulus>,
    /// Row `i`: `q_j^-1 mod q_i` for `j < i`, with Shoup's constants.
    inverses: Vec<Vec<(u64, u64)>>,
}

/// Digits of a number and of its negative; overwritten when they are dropped.
pub struct Digits(Zeroizing<Vec<u64>>, Zeroizing<Vec<u64>>);

impl MixedRadix {
    /// For residues modulo `from`, in this order.
    ///
    /// # Errors
    /// [`MathError::NoModuli`] without a modulus, [`MathError::NotInvertible`] when two share a factor.
    pub fn new(from: &[Modulus]) -> Result<Self, MathError> {
        if from.is_empty() {
            return Err(MathError::NoModuli);
        }
        let row = |i: usize| {
            let q = &from[i];
            let inverse = |p: &Modulus| q.inv(q.reduce(p.value())).map(|w| (w, q.shoup(w)));
            from[..i].iter().map(inverse).collect::<Result<Vec<_>, _>>()
        };
        let inverses = (0..from.len()).map(row).collect::<Result<_, _>>()?;
        Ok(Self { inverses, from: from.to_vec() })
    }

    /// The moduli, in order.
    pub fn moduli(&self) -> &[Modulus] {
        &self.from
    }

    /// Room for one number.
    pub fn scratch(&self) -> Digits {
        let zeros = || Zeroizing::new(vec![0; self.from.len()]);
        Digits(zeros(), zeros())
    }

    /// The digits of |x|, with x in `(-Q/2, Q/2]`, and 1 where x is negative, else 0.
    pub fn magnitude<'a>(&self, scratch: &'a mut Digits, residue: impl Fn(usize) -> u64) -> (&'a [u64], u64) {
        let Digits(digits, negated) = scratch;
        self.digits(digits, residue);
        self.negate(negated, digits);
        // of x and Q - x the smaller one
        let other_side = below(negated, digits);
        select(digits, negated, other_side);
        (digits, other_side & 1)
    }

    /// The digits of the `x` in `[0, Q)` with these residues.
    fn digits(&self, digits: &mut [u64], residue: impl Fn(usize) -> u64) {
        for (i, (q, inverses)) in self.from.iter().zip(&self.inverses).enumerate() {
            let (lower, rest) = digits.split_at_mut(i);
            rest[0] = lower.iter().zip(inverses).fold(residue(i), |x, (&digit, &(w, w_shoup))| {
                q.mul_shoup(q.sub(x, q.reduce(digit)), w, w_shoup)
            });
        }
    }

    /// The digits of `-x mod Q`: those of `Q - 1 - x`, and 1.
    fn negate(&self, negated: &mut [u64], digits: &[u64]) {
        let mut carry = 1;
        for ((out, &digit), q) in negated.iter_mut().zip(digits).zip(&self.from) {
            let sum = q.value() - 1 - digit + carry;
            *out = reduce_once(sum, q.value());
            // it wrapped around if it is 0 now and was not before
            carry = is_zero(*out) & (1 - is_zero(sum));
        }
    }
}

/// Measures polynomials given by residues: the size of the largest coefficient, centered modulo `Q`.
#[derive(Clone, Debug)]
pub struct Norm {
    radix: MixedRadix,
    /// `log2(q_0 * ... * q_(i-1))` at `i`.
    weights: Vec<f64>,
}

impl Norm {
    /// For residues modulo `from`, in this order.
    ///
    /// # Errors
    /// As [`MixedRadix::new`].
    pub fn new(from: &[Modulus]) -> Result<Self, MathError> {
        let log2 = |weight: &mut f64, q: &Modulus| {
            let current = *weight;
            *weight += (q.value() as f64).log2();
            Some(current)
        };
        Ok(Self { radix: MixedRadix::new(from)?, weights: from.iter().scan(0.0, log2).collect() })
    }

    /// The maximum over the coefficients `x` of `log2 |x|`, with `x` in `(-Q/2, Q/2]`, to about 12 decimal
    /// places; 0 when all are 0. One limb, in `[0, q_i)`, for each modulus.
    pub fn centered_log2(&self, limbs: &[&[u64]]) -> f64 {
        debug_assert_eq!(limbs.len(), self.weights.len());
        let mut scratch = self.radix.scratch();
        let mut largest = Zeroizing::new(vec![0; limbs.len()]);
        (0..limbs.first().map_or(0, |limb| limb.len())).for_each(|j| {
            let (digits, _) = self.radix.magnitude(&mut scratch, |i| limbs[i][j]);
            let more = below(&largest, digits);
            select(&mut largest, digits, more);
        });
        self.log2(&largest)
    }

    /// `log2 x` of the `x` with these digits, 0 for `x = 0`.
    fn log2(&self, digits: &[u64]) -> f64 {
        // the top digit that is not 0 with what lies below it, as a fraction of its unit, and the unit's logarithm
        let (mut top, mut weight, mut below) = (1f64, 0f64, 0f64);
        for ((&digit, q), &unit) in digits.iter().zip(&self.radix.from).zip(&self.weights) {
            let value = digit as f64 + below;
            let mask = std::hint::black_box(is_zero(digit).wrapping_sub(1));
            top = f64::from_bits(choose(top.to_bits(), value.to_bits(), mask));
            weight = f64::from_bits(choose(weight.to_bits(), unit.to_bits(), mask));
            below = value / q.value() as f64;
        }
        top.log2() + weight
    }
}

/// 1 for 0, 0 for anything else.
#[inline(always)]
fn is_zero(a: u64) -> u64 {
    1 ^ (a | a.wrapping_neg()) >> 63
}

/// `b` where the mask's bits are set, `a` where they are not.
#[inline(always)]
fn choose(a: u64, b: u64, mask: u64) -> u64 {
    a ^ ((a ^ b) & mask)
}

/// All bits set if `a < b`, for numbers of digits below `2^63`, the lowest digit first.
#[inline(always)]
fn below(a: &[u64], b: &[u64]) -> u64 {
    let borrow = |borrow: u64, (&a, &b): (&u64, &u64)| a.wrapping_sub(b).wrapping_sub(borrow) >> 63;
    a.iter().zip(b).fold(0, borrow).wrapping_neg()
}

/// Replaces `a` by `b` if the mask says so. It goes through [`black_box`], or the compiler might make a branch of it.
///
/// [`black_box`]: std::hint::black_box
#[inline(always)]
fn select(a: &mut [u64], b: &[u64], mask: u64) {
    let mask = std::hint::black_box(mask);
    for (a, &b) in a.iter_mut().zip(b) {
        *a = choose(*a, b, mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::prime::ntt_primes;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    fn moduli(values: &[u64]) -> Vec<Modulus> {
        values.iter().map(|&q| Modulus::new(q).unwrap()).collect()
    }

    fn product(from: &[Modulus]) -> BigUint {
        from.iter().map(|q| BigUint::from(q.value())).product()
    }

    fn residue(x: &BigUint, q: &Modulus) -> u64 {
        u64::try_from(x % q.value()).unwrap()
    }

    /// Residues of the numbers, a limb for each modulus.
    fn limbs(numbers: &[BigUint], from: &[Modulus]) -> Vec<Vec<u64>> {
        from.iter().map(|q| numbers.iter().map(|x| residue(x, q)).collect()).collect()
    }

    fn views(limbs: &[Vec<u64>]) -> Vec<&[u64]> {
        limbs.iter().map(Vec::as_slice).collect()
    }

    /// A base conversion from residues to the residue modulo `p`, as a scheme would put it together.
    fn convert(limbs: &[Vec<u64>], from: &[Modulus], p: Modulus) -> Vec<u64> {
        let constants = crt_constants(from, &p).unwrap();
        let mut y = limbs.to_vec();
        for ((y, q), (x, &c)) in y.iter_mut().zip(from).zip(limbs.iter().zip(&constants.hat_inv)) {
            q.mul_scalar_into(y, x, c);
        }
        let mut v = vec![u64::MAX; y[0].len()];
        Quotient::new(from).round_into(&mut v, &views(&y));
        let mut out = vec![u64::MAX; v.len()];
        Conversion::new(&constants.hat, constants.product, p).convert_into(&mut out, &views(&y), &v);
        out
    }

    /// What [`convert`] should give: `x` modulo `p` after centering modulo `Q`.
    fn centered(x: &BigUint, q: &BigUint, p: &Modulus) -> u64 {
        if x * 2u32 <= *q { residue(x, p) } else { p.neg(residue(&(q - x), p)) }
    }

    /// Sets of moduli: tiny, coprime composites, one limb, NTT primes of all sizes, and many of them.
    fn any_base() -> impl Strategy<Value = Vec<Modulus>> {
        let primes = (20u32..=61, 1usize..=40).prop_filter_map("not so many primes", |(bits, count)| {
            Some(moduli(&ntt_primes(bits, 16, count, &[]).ok()?))
        });
        let fixed = [vec![2], vec![2, 3, 5, 7, 11], vec![4, 9, 25, 49], vec![(1 << 61) - 1, 2, 1 << 60 | 1]];
        let coprime = fixed.map(|values| moduli(&values));
        prop_oneof![3 => primes, 1 => prop::sample::select(coprime.to_vec())]
    }

    /// A base and numbers `x < Q` whose `x / Q` is anywhere, near 0, near 1/2 or near 1.
    fn numbers() -> impl Strategy<Value = (Vec<Modulus>, Vec<BigUint>)> {
        let offset = prop_oneof![Just(0u64), Just(1), 0..1000u64, any::<u64>()];
        let fraction = prop_oneof![3 => any::<u32>(), 1 => Just(0), 1 => Just(1 << 31), 1 => Just(u32::MAX)];
        (any_base(), prop::collection::vec((fraction, offset, any::<bool>()), 1..200)).prop_map(
            |(from, parts)| {
                let q = product(&from);
                let number = |(fraction, offset, below): (u32, u64, bool)| {
                    let start = (&q * fraction) >> 32;
                    (if below { start + &q * 2u32 - offset % &q } else { start + offset }) % &q
                };
                let numbers = parts.into_iter().map(number).collect();
                (from, numbers)
            },
        )
    }

    proptest! {
        #[test]
        fn conversion_is_exact_away_from_the_middle((from, numbers) in numbers(), p in 2u64..1 << 61) {
            let p = Modulus::new(p).unwrap();
            let q = product(&from);
            let converted = convert(&limbs(&numbers, &from), &from, p);
            for (x, &found) in numbers.iter().zip(&converted) {
                // |x - Q/2| >= (L + 4)^2 * 2^-53 * Q, on the safe side
                let twice = x * 2u32;
                let distance = if twice > q { &twice - &q } else { &q - &twice };
                let slack = (from.len() + 4).pow(2) as u64 * 2;
                let either = [residue(x, &p), p.neg(residue(&(&q - x), &p))];
                if distance << 53 >= &q * slack {
                    prop_assert_eq!(found, centered(x, &q, &p), "{} mod {} to {}", x, q, p.value());
                } else {
                    prop_assert!(either.contains(&found), "{} mod {} to {}", x, q, p.value());
                }
            }
        }

        #[test]
        fn constants_by_definition(from in any_base(), p in 2u64..1 << 61) {
            let p = Modulus::new(p).unwrap();
            let q = product(&from);
            let constants = crt_constants(&from, &p).unwrap();
            prop_assert_eq!(constants.product, residue(&q, &p));
            for (i, modulus) in from.iter().enumerate() {
                let hat = &q / modulus.value();
                prop_assert_eq!(constants.hat[i], residue(&hat, &p));
                prop_assert_eq!(modulus.mul(constants.hat_inv[i], residue(&hat, modulus)), 1);
            }
        }

        #[test]
        fn norm_of_the_largest((from, numbers) in numbers()) {
            let q = product(&from);
            let norm = Norm::new(&from).unwrap();
            let magnitude = |x: &BigUint| x.min(&(&q - x)).clone();
            let largest = numbers.iter().map(magnitude).max().unwrap();
            let found = norm.centered_log2(&views(&limbs(&numbers, &from)));
            if largest == BigUint::ZERO {
                prop_assert_eq!(found, 0.0);
            } else {
                // the top 64 bits carry all the precision there is
                let shift = largest.bits().saturating_sub(64);
                let top = u64::try_from(&largest >> shift).unwrap();
                let expected = (top as f64).log2() + shift as f64;
                prop_assert!((found - expected).abs() < 1e-11, "{}: {} is not {}", largest, found, expected);
            }
        }

        #[test]
        fn quotient_in_limb_order((from, numbers) in numbers()) {
            let y = limbs(&numbers, &from);
            let mut out = vec![u64::MAX; numbers.len()];
            Quotient::new(&from).round_into(&mut out, &views(&y));
            for (j, &found) in out.iter().enumerate() {
                let mut sum = 0.0;
                for (y, q) in y.iter().zip(&from) {
                    sum += y[j] as f64 * (1.0 / q.value() as f64);
                }
                prop_assert_eq!(found, f64::floor(sum + 0.5) as u64);
                prop_assert!(found <= from.len() as u64);
            }
        }
    }

    #[test]
    fn every_number_of_a_small_system() {
        let from = moduli(&[3, 5, 7]);
        let numbers: Vec<BigUint> = (0u32..105).map(BigUint::from).collect();
        let y = limbs(&numbers, &from);
        let norm = Norm::new(&from).unwrap();
        for p in [2, 4, 11, 1000, 1 << 60] {
            let p = Modulus::new(p).unwrap();
            let expected: Vec<u64> =
                (0..105).map(|x| p.reduce_i64(if x <= 52 { x } else { x - 105 })).collect();
            assert_eq!(convert(&y, &from, p), expected, "to {}", p.value());
        }
        for x in 0..105usize {
            let single: Vec<[u64; 1]> = y.iter().map(|y| [y[x]]).collect();
            let expected = (x.min(105 - x).max(1) as f64).log2();
            let found = norm.centered_log2(&single.iter().map(|y| &y[..]).collect::<Vec<_>>());
            assert!((found - expected).abs() < 1e-12, "{x}: {found} is not {expected}");
        }
    }

    #[test]
    fn norm_takes_the_maximum_and_knows_zero() {
        let from = moduli(&[97, 193]);
        let norm = Norm::new(&from).unwrap();
        assert_eq!(norm.centered_log2(&[&[0, 0], &[0, 0]]), 0.0);
        assert_eq!(norm.centered_log2(&[&[], &[]]), 0.0);
        // 1, -4, 2
        assert_eq!(norm.centered_log2(&[&[1, 93, 2], &[1, 189, 2]]), 2.0);
    }

    #[test]
    fn masks_decide_as_comparisons_do() {
        let edges = [0, 1, 2, 96, 192, (1 << 61) - 1];
        for a in edges {
            assert_eq!(is_zero(a), u64::from(a == 0));
            for b in edges {
                for (c, d) in edges.into_iter().flat_map(|c| edges.map(|d| (c, d))) {
                    let mask = if (c, a) < (d, b) { u64::MAX } else { 0 };
                    assert_eq!(below(&[a, c], &[b, d]), mask, "{a} {c} {b} {d}");
                }
                assert_eq!((choose(a, b, 0), choose(a, b, u64::MAX)), (a, b));
            }
        }
        let radix = MixedRadix::new(&moduli(&[3, 5, 7])).unwrap();
        let digits = |x: u64| [x % 3, x / 3 % 5, x / 15];
        for x in 0..105 {
            let mut negated = [0; 3];
            radix.negate(&mut negated, &digits(x));
            assert_eq!(negated, digits((105 - x) % 105));
        }
    }

    #[test]
    fn errors() {
        let p = Modulus::new(97).unwrap();
        assert_eq!(crt_constants(&[], &p), Err(MathError::NoModuli));
        assert_eq!(Norm::new(&[]).unwrap_err(), MathError::NoModuli);
        let shared = moduli(&[15, 7, 21]);
        let error = MathError::NotInvertible { value: 12, modulus: 15, gcd: 3 };
        assert_eq!(crt_constants(&shared, &p), Err(error));
        let error = MathError::NotInvertible { value: 15, modulus: 21, gcd: 3 };
        assert_eq!(Norm::new(&shared).unwrap_err(), error);
    }

    #[test]
    fn one_modulus_is_a_system() {
        let from = moduli(&[(1 << 50) - 27]);
        let constants = crt_constants(&from, &Modulus::new(65537).unwrap()).unwrap();
        assert_eq!((constants.hat_inv, constants.hat), (vec![1], vec![1]));
        assert_eq!(constants.product, ((1 << 50) - 27) % 65537);
    }
}
