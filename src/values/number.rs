//! Exact rational numbers, with 128 bits where that is enough, and how many bits they may need.

use crate::math::doubles::{nearest, times_power_of_two};
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};
use zeroize::Zeroize;

/// A rational number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Form);

/// Every number has one form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Small(i128),
    /// The bits of a binary64 that is no integer.
    Double(u64),
    /// In lowest terms; no integer that is small, and no binary64 but integers.
    Large(Box<Ratio>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Ratio {
    numerator: BigInt,
    /// Above 0.
    denominator: BigInt,
}

impl From<i128> for Number {
    fn from(value: i128) -> Self {
        Self(Form::Small(value))
    }
}

impl From<BigInt> for Number {
    fn from(value: BigInt) -> Self {
        Self::reduced(value, 1.into())
    }
}

impl Number {
    /// The number 0.
    pub const ZERO: Self = Self(Form::Small(0));
    /// The number 1.
    pub const ONE: Self = Self(Form::Small(1));

    /// Overwrites it, but for numbers that are too long for 128 bits, which are no cells of an input.
    pub(super) fn overwrite(&mut self) {
        match &mut self.0 {
            Form::Small(value) => value.zeroize(),
            Form::Double(bits) => bits.zeroize(),
            Form::Large(_) => {}
        }
    }

    /// 10^exponent.
    pub fn power_of_ten(exponent: u32) -> Self {
        BigInt::from(10).pow(exponent).into()
    }

    /// The value of a finite binary64; none for others.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        if libm::trunc(value) != value {
            return Some(Self(Form::Double(value.to_bits())));
        }
        if value.abs() < SMALL {
            return Some((value as i128).into());
        }
        let (mantissa, exponent) = taken_apart(value);
        // An integer beyond 2^126.
        Some((BigInt::from(mantissa) << exponent).into())
    }

    /// numerator / denominator; none for a denominator of 0.
    pub fn ratio(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> Option<Self> {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        match denominator.sign() {
            Sign::NoSign => None,
            Sign::Minus => Some(Self::reduced(-numerator, -denominator)),
            Sign::Plus => Some(Self::reduced(numerator, denominator)),
        }
    }

    /// For a denominator above 0.
    fn reduced(mut numerator: BigInt, mut denominator: BigInt) -> Self {
        let one = BigInt::from(1);
        if denominator != one {
            let a = gcd(denominator.clone(), numerator.clone());
            if a != one {
                (numerator, denominator) = (numerator / &a, denominator / a);
            }
        }
        if denominator == one {
            if let Ok(small) = i128::try_from(&numerator) {
                return small.into();
            }
        } else if numerator.bits() <= 53
            && let Some(twos) = denominator.trailing_zeros()
            && twos + 1 == denominator.bits()
            && twos <= 1074
        {
            let odd = i64::try_from(&numerator).unwrap_or_default();
            return Self(Form::Double(times_power_of_two(odd as f64, -(twos as i64)).to_bits()));
        }
        Self(Form::Large(Box::new(Ratio { numerator, denominator })))
    }

    /// Numerator and denominator, in lowest terms; the denominator is above 0.
    pub fn parts(&self) -> (BigInt, BigInt) {
        match &self.0 {
            Form::Small(value) => ((*value).into(), 1.into()),
            Form::Double(bits) => {
                let (mantissa, exponent) = taken_apart(f64::from_bits(*bits));
                (mantissa.into(), BigInt::from(1) << -exponent)
            }
            Form::Large(ratio) => (ratio.numerator.clone(), ratio.denominator.clone()),
        }
    }

    /// True for an integer.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Small(_) => true,
            Form::Double(_) => false,
            Form::Large(ratio) => ratio.denominator == BigInt::from(1),
        }
    }

    /// Its value, where it is an integer of 128 bits.
    pub fn small(&self) -> Option<i128> {
        match self.0 {
            Form::Small(value) => Some(value),
            Form::Double(_) | Form::Large(_) => None,
        }
    }

    /// The quotient, exact; none where the divisor is 0.
    pub fn quotient(&self, divisor: &Self) -> Option<Self> {
        if let (Form::Small(a), Form::Small(b)) = (&self.0, &divisor.0)
            && a.checked_rem(*b) == Some(0)
        {
            return Some((a / b).into());
        }
        let ((a, b), (c, d)) = (self.parts(), divisor.parts());
        Self::ratio(a * d, b * c)
    }

    /// The binary64 nearest to the square root, ties to even; none below 0, and where that is no finite number.
    pub fn root(&self) -> Option<Self> {
        let (a, b) = self.parts();
        if a.sign() == Sign::Minus {
            return None;
        }
        // So that the root of the shifted number has at least 66 bits.
        let shift = (134 + b.bits() as i64 - a.bits() as i64).max(0) / 2;
        let (shifted, rest) = divided(a << (2 * shift), &b);
        let root = shifted.sqrt();
        let inexact = rest || &root * &root != shifted;
        Self::from_f64(nearest(&root, inexact, -shift))
    }

    /// The nearest binary64, ties to even; beyond the largest one an infinity.
    pub fn to_f64(&self) -> f64 {
        match self.0 {
            Form::Small(value) => return value as f64,
            Form::Double(bits) => return f64::from_bits(bits),
            Form::Large(_) => {}
        }
        let (a, b) = self.parts();
        let shift = (66 + b.bits() as i64 - a.bits() as i64).max(0);
        let negative = a.sign() == Sign::Minus;
        let (quotient, inexact) = divided((if negative { -a } else { a }) << shift, &b);
        let value = nearest(&quotient, inexact, -shift);
        if negative { -value } else { value }
    }

    /// How many bits it has.
    pub fn bits(&self) -> Bits {
        match &self.0 {
            Form::Small(value) => {
                Bits { size: 128 - value.unsigned_abs().leading_zeros(), ..Bits::default() }
            }
            Form::Double(bits) => {
                let value = f64::from_bits(*bits);
                let (whole, (_, exponent)) = (value.abs() as u64, taken_apart(value));
                Bits { size: 64 - whole.leading_zeros(), twos: exponent.unsigned_abs(), ..Bits::default() }
            }
            Form::Large(ratio) => {
                let bits = |bits: u64| u32::try_from(bits).unwrap_or(u32::MAX);
                let twos = ratio.denominator.trailing_zeros().unwrap_or(0);
                let odd = bits(ratio.denominator.bits() - twos);
                let odd = if odd == 1 { 0 } else { odd };
                let size = (&ratio.numerator / &ratio.denominator).bits();
                Bits { size: bits(size), odd, common: odd, twos: bits(twos) }
            }
        }
    }

    /// The binary64 that it is, where it is one, of integers to 2^53.
    fn double(&self) -> Option<f64> {
        match self.0 {
            Form::Small(value) => (value.unsigned_abs() <= EXACT).then_some(value as f64),
            Form::Double(bits) => Some(f64::from_bits(bits)),
            Form::Large(_) => None,
        }
    }

    fn with(
        &self,
        other: &Self,
        small: fn(i128, i128) -> Option<i128>,
        double: fn(f64, f64) -> (f64, f64),
        large: fn([BigInt; 4]) -> (BigInt, BigInt),
    ) -> Self {
        if let (Form::Small(a), Form::Small(b)) = (&self.0, &other.0)
            && let Some(result) = small(*a, *b)
        {
            return result.into();
        }
        if let (Some(a), Some(b)) = (self.double(), other.double())
            && let (result, 0.0) = double(a, b)
            && let Some(exact) = Self::from_f64(result)
        {
            return exact;
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        let (numerator, denominator) = large([a, b, c, d]);
        Self::reduced(numerator, denominator)
    }
}

/// What binary64 tells apart from its neighbors as integers.
const EXACT: u128 = 1 << 53;
/// 2^126.
const SMALL: f64 = (1u128 << 126) as f64;
/// Below this size the error of a rounded product may be lost.
pub(super) const TINY: f64 = 1e-280;

/// An odd mantissa (0 for 0) and an exponent that make a finite binary64: mantissa 2^exponent.
fn taken_apart(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let twos = mantissa.trailing_zeros();
    let mantissa = mantissa >> twos;
    (if value < 0.0 { -mantissa } else { mantissa }, exponent + twos as i32)
}

/// a + b, and what it is rounded by.
pub(super) fn double_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let from_b = s - a;
    (s, (a - (s - from_b)) + (b - from_b))
}

/// a b, and what it is rounded by.
pub(super) fn double_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, if p.abs() < TINY { f64::NAN } else { libm::fma(a, b, -p) })
}

/// The greatest common divisor, above 0; one of the two is not 0.
fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b.sign() != Sign::NoSign {
        let rest = a % &b;
        (a, b) = (b, rest);
    }
    if a.sign() == Sign::Minus { -a } else { a }
}

/// The quotient, rounded down, and whether it was rounded; both above 0.
fn divided(a: BigInt, b: &BigInt) -> (BigInt, bool) {
    let quotient = &a / b;
    let inexact = &quotient * b != a;
    (quotient, inexact)
}

impl Add for &Number {
    type Output = Number;
    fn add(self, other: Self) -> Number {
        self.with(other, i128::checked_add, double_sum, |[a, b, c, d]| (a * &d + c * &b, b * d))
    }
}

impl Sub for &Number {
    type Output = Number;
    fn sub(self, other: Self) -> Number {
        self.with(other, i128::checked_sub, |a, b| double_sum(a, -b), |[a, b, c, d]| (a * &d - c * &b, b * d))
    }
}

impl Mul for &Number {
    type Output = Number;
    fn mul(self, other: Self) -> Number {
        self.with(other, i128::checked_mul, double_product, |[a, b, c, d]| (a * c, b * d))
    }
}

impl Neg for &Number {
    type Output = Number;
    fn neg(self) -> Number {
        &Number::ZERO - self
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Form::Small(a), Form::Small(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        if let (Some(a), Some(b)) = (self.double(), other.double()) {
            return a.total_cmp(&b);
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        (a * d).cmp(&(c * b))
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Bounds of the cells of a value: below 2^size in size, over a denominator that is at most 2^odd, odd, times at most 2^twos. Powers of
/// two are apart, since sums of binary64 have nothing else below; so is what all cells have in common, since sums over a column of
/// decimals have no other denominator than each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Bits {
    /// Of the integer part.
    pub size: u32,
    /// Of the odd part of the denominator; 0 for 1.
    pub odd: u32,
    /// Of an odd number that the odd parts of all denominators divide; 0 for 1, and the largest number for unknown.
    pub common: u32,
    /// The power of two in the denominator.
    pub twos: u32,
}

impl Bits {
    /// Of given cells, of which it is not known what they have in common.
    pub fn of<'n>(cells: impl IntoIterator<Item = &'n Number>) -> Self {
        let all = cells.into_iter().map(Number::bits).fold(Self::default(), Self::join);
        Self { common: if all.odd > 0 { u32::MAX } else { 0 }, ..all }
    }

    /// The same with what they have in common, if that has at most so many bits.
    #[must_use]
    pub fn in_common<'n>(self, cells: impl IntoIterator<Item = &'n Number>, most: u32) -> Self {
        if self.odd == 0 {
            return self;
        }
        let mut common = BigInt::from(1);
        for cell in cells {
            let odd = cell.parts().1 >> cell.bits().twos;
            let shared = gcd(common.clone(), odd.clone());
            common *= odd / shared;
            if common.bits() > u64::from(most) {
                return self;
            }
        }
        Self { common: u32::try_from(common.bits()).unwrap_or(u32::MAX), ..self }
    }

    /// What holds the cells of both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            size: self.size.max(other.size),
            odd: self.odd.max(other.odd),
            common: self.common.saturating_add(other.common),
            twos: self.twos.max(other.twos),
        }
    }

    /// Of the denominator.
    fn denominator(self) -> u32 {
        self.odd.saturating_add(self.twos)
    }

    /// Of the numerator.
    fn numerator(self) -> u32 {
        self.size.saturating_add(self.denominator())
    }

    /// Of numerator and denominator together.
    pub fn total(self) -> u32 {
        self.numerator().saturating_add(self.denominator())
    }

    /// Of a sum or a difference.
    #[must_use]
    pub fn sum(self, other: Self) -> Self {
        let joined = self.join(other);
        Self { size: joined.size.saturating_add(1), odd: self.odd.saturating_add(other.odd), ..joined }
    }

    /// Of a sum of that many cells.
    #[must_use]
    pub fn total_of(self, count: u64) -> Self {
        if count < 2 {
            return self;
        }
        let odd = times(self.odd, count).min(self.common);
        Self { size: self.size.saturating_add(count.ilog2() + 1), odd, ..self }
    }

    /// Of a product.
    #[must_use]
    pub fn product(self, other: Self) -> Self {
        Self {
            size: self.size.saturating_add(other.size),
            odd: self.odd.saturating_add(other.odd),
            common: self.common.saturating_add(other.common),
            twos: self.twos.saturating_add(other.twos),
        }
    }

    /// Of a quotient, by that many cells.
    #[must_use]
    pub fn quotient(self, divisor: Self, cells: u64) -> Self {
        // The divisor's numerator is at least 1; how much of it is a power of two is not known.
        let (size, odd) = (divisor.denominator(), divisor.numerator());
        self.product(Self { size, odd, common: times(odd, cells), twos: odd })
    }

    /// Over 10^exponent.
    #[must_use]
    pub fn over_ten(self, exponent: u32) -> Self {
        // log2 5 < 7/3
        let odd = exponent.saturating_mul(7).div_ceil(3);
        self.product(Self { size: 0, odd, common: odd, twos: exponent })
    }

    /// Of a binary64.
    pub fn of_double() -> Self {
        Self { size: 1024, odd: 0, common: 0, twos: 1074 }
    }

    /// Of a square root, rounded to a binary64.
    #[must_use]
    pub fn root(self) -> Self {
        // Of 53 bits, the first at least half as deep as that of the operand.
        let twos = (self.denominator() / 2).saturating_add(55).min(1074);
        Self { size: (self.size / 2 + 2).min(1024), odd: 0, common: 0, twos }
    }
}

fn times(bits: u32, count: u64) -> u32 {
    u32::try_from(u64::from(bits).saturating_mul(count)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> impl FnMut() -> u64 {
        let mut state = 7u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        }
    }

    #[test]
    fn numbers_have_one_form() {
        let half = Number::ratio(-3, -6).unwrap();
        assert_eq!(half, Number::ratio(1, 2).unwrap());
        assert_eq!(&half + &half, Number::ONE);
        assert_eq!(Number::ratio(1, 0), None);
        let large = Number::from(i128::MAX);
        let back = &(&large + &large) - &large;
        assert_eq!(back.small(), Some(i128::MAX));
        assert_eq!((-&Number::from(i128::MIN)).small(), None);
        assert!(half < Number::ONE && half > Number::from(-1) && &half * &large > half);
        assert_eq!(half.quotient(&Number::ZERO), None);
    }

    #[test]
    fn binary64_goes_in_and_out() {
        let mut next = random();
        for _ in 0..20_000 {
            let value = f64::from_bits(next());
            if let Some(number) = Number::from_f64(value) {
                assert_eq!(number.to_f64(), value);
            }
            // Correctly rounded division and root of doubles are the machine's.
            let (a, b) = ((next() >> 12) as f64, (next() >> 12) as f64);
            let exact = Number::from_f64(a).unwrap().quotient(&Number::from_f64(b).unwrap()).unwrap();
            assert_eq!(exact.to_f64(), a / b);
            if value >= 0.0 && value.is_finite() {
                assert_eq!(
                    Number::from_f64(value).unwrap().root().unwrap().to_f64(),
                    value.sqrt(),
                    "{value:e}"
                );
            }
        }
        for value in [0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1.0, -2.5] {
            assert_eq!(Number::from_f64(value).unwrap().to_f64(), value);
        }
        let max = Number::from_f64(f64::MAX).unwrap();
        assert_eq!((&max + &max).to_f64(), f64::INFINITY);
        let tiny = Number::from_f64(5e-324).unwrap();
        assert_eq!((&tiny * &Number::ratio(1, 2).unwrap()).to_f64(), 0.0);
        assert_eq!((&tiny * &Number::ratio(3, 4).unwrap()).to_f64(), 5e-324);
        assert_eq!(Number::from(-1).root(), None);
        // In the middle between two doubles, and a little beyond.
        let middle = (1i128 << 53) + 1;
        let root = |x: i128| Number::from(x).root().unwrap();
        assert_eq!(
            [root(middle * middle), root(middle * middle + 1)],
            [middle - 1, middle + 1].map(Number::from)
        );
        let beyond = &Number::from(middle) + &Number::ratio(1, 1i128 << 90).unwrap();
        assert_eq!(
            [Number::from(middle).to_f64(), beyond.to_f64()],
            [9007199254740992.0, 9007199254740994.0]
        );
    }

    #[test]
    fn bits_bound_what_is_computed() {
        let mut next = random();
        let mut numbers =
            vec![Number::from(5), Number::ratio(-7, 12).unwrap(), Number::from_f64(1e-300).unwrap()];
        let within = |found: &Number, bound: Bits| {
            let bits = found.bits();
            assert!(
                bits.size <= bound.size && bits.odd <= bound.odd && bits.twos <= bound.twos,
                "{found:?}: {bits:?}, {bound:?}"
            );
        };
        for _ in 0..300 {
            let a = numbers[next() as usize % numbers.len()].clone();
            let b = numbers[next() as usize % numbers.len()].clone();
            within(&(&a + &b), a.bits().sum(b.bits()));
            within(&(&a - &b), a.bits().sum(b.bits()));
            within(&(&a * &b), a.bits().product(b.bits()));
            if let Some(quotient) = a.quotient(&b) {
                within(&quotient, a.bits().quotient(b.bits(), 1));
                if quotient.bits().total() < 3000 {
                    numbers.push(quotient);
                }
            }
            if let Some(root) = a.root() {
                within(&root, a.bits().root());
            }
            let all = [&a, &b, &b, &a];
            let sum = all.iter().fold(Number::ZERO, |sum, &number| &sum + number);
            within(&sum, Bits::of(all).in_common(all, 4096).total_of(4));
            within(&sum, Bits::of(all).total_of(4));
            if (&a + &b).bits().total() < 3000 {
                numbers.push(&a + &b);
            }
        }
    }
}
