//! Ranges: between which numbers the cells of a value lie.
//!
//! Of integers, booleans, dates and categories the range is an interval of `i128`, in units of 10^-decimals; of reals one of
//! binary64, rounded outward. What may lie beyond is [`Range::Unknown`], which may be computed with: the rule of most operators
//! makes unknown of unknown. A range is that of all cells together.

use super::number::{Number, TINY, double_product, double_sum};
use super::types::{Kind, Value};
use super::walk::{Rule, Walk};
use super::{ValueDef, Values};
use crate::graph::{Graph, OperandId};
use crate::ops::{Call, Registry};
use crate::sorted::SortedMap;
use crate::{Error, Result};
use std::fmt;

/// Between which numbers the cells of a value lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Integers from `min` to `max`; of a value with decimals, in their unit.
    Integers {
        /// The least.
        min: i128,
        /// The largest.
        max: i128,
    },
    /// Numbers from `min` to `max`, which are finite.
    Reals {
        /// The least.
        min: f64,
        /// The largest.
        max: f64,
    },
    /// Any numbers of the value's kind.
    Unknown,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integers { min, max } => write!(f, "{min} to {max}"),
            Self::Reals { min, max } => write!(f, "{min} to {max}"),
            Self::Unknown => f.write_str("any"),
        }
    }
}

/// What a range rule is told of an operand. Two operands of one `source` are one value, cell by cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Its range.
    pub range: Range,
    /// Which value it is.
    pub source: u32,
}

impl Range {
    /// Of integers in any order; unknown where one is not known.
    pub fn integers<const N: usize>(corners: [Option<i128>; N]) -> Self {
        let corners = corners.into_iter().collect::<Option<Vec<i128>>>().unwrap_or_default();
        match (corners.iter().min(), corners.iter().max()) {
            (Some(&min), Some(&max)) => Self::Integers { min, max },
            _ => Self::Unknown,
        }
    }

    /// Of reals that were rounded down and up; unknown where these are no numbers.
    pub fn reals<const N: usize>(corners: [(f64, f64); N]) -> Self {
        let min = corners.iter().fold(f64::INFINITY, |min, &(low, _)| if low < min { low } else { min });
        let max =
            corners.iter().fold(f64::NEG_INFINITY, |max, &(_, high)| if high > max { high } else { max });
        let known = corners.iter().all(|(low, high)| low.is_finite() && high.is_finite());
        if known && N > 0 { Self::Reals { min, max } } else { Self::Unknown }
    }

    /// Of one number, of a value of that kind.
    pub fn of_number(number: &Number, kind: Kind) -> Self {
        match (kind, number.small()) {
            (Kind::Real, _) => Self::reals([around(number)]),
            (_, value) => Self::integers([value]),
        }
    }

    /// What any value of that kind has.
    pub fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Boolean => Self::Integers { min: 0, max: 1 },
            Kind::Category { categories } => Self::Integers { min: 0, max: i128::from(categories) - 1 },
            Kind::Integer | Kind::Real | Kind::Date => Self::Unknown,
        }
    }

    /// True when the number lies in it.
    pub fn contains(&self, number: &Number) -> bool {
        match *self {
            Self::Integers { min, max } => (Number::from(min)..=Number::from(max)).contains(number),
            Self::Reals { min, max } => Number::from_f64(min)
                .zip(Number::from_f64(max))
                .is_some_and(|(min, max)| (min..=max).contains(number)),
            Self::Unknown => true,
        }
    }

    /// Of integers in units of 10^-decimals, seen as reals; reals as they are.
    #[must_use]
    pub fn in_units(self, decimals: u32) -> Self {
        let Self::Integers { min, max } = self else { return self };
        let real = |value: i128| match Number::from(value).quotient(&Number::power_of_ten(decimals)) {
            Some(number) => around(&number),
            None => (f64::NAN, f64::NAN),
        };
        Self::reals([real(min), real(max)])
    }

    /// 0 alone.
    pub fn zero(kind: Kind) -> Self {
        match kind {
            Kind::Real => Self::Reals { min: 0.0, max: 0.0 },
            _ => Self::Integers { min: 0, max: 0 },
        }
    }

    /// The least interval with both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        self.both(
            other,
            |a, b, c, d| Self::integers([Some(a.min(c)), Some(b.max(d))]),
            |a, b, c, d| Self::reals([(a.min(c), a.min(c)), (b.max(d), b.max(d))]),
        )
    }

    /// What lies in both; unknown where one is, or where nothing does.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        self.both(
            other,
            |a, b, c, d| {
                if a.max(c) <= b.min(d) {
                    Self::integers([Some(a.max(c)), Some(b.min(d))])
                } else {
                    Self::Unknown
                }
            },
            |a, b, c, d| {
                if a.max(c) <= b.min(d) {
                    Self::Reals { min: a.max(c), max: b.min(d) }
                } else {
                    Self::Unknown
                }
            },
        )
    }

    /// Of x + y.
    #[must_use]
    pub fn sum(self, other: Self) -> Self {
        let integers = |a: i128, b, c, d| Self::integers([a.checked_add(c), i128::checked_add(b, d)]);
        self.both(other, integers, |a, b, c, d| Self::reals([sum(a, c), sum(b, d)]))
    }

    /// Of -x.
    #[must_use]
    pub fn negative(self) -> Self {
        match self {
            Self::Integers { min, max } => Self::integers([min.checked_neg(), max.checked_neg()]),
            Self::Reals { min, max } => Self::Reals { min: -max, max: -min },
            Self::Unknown => Self::Unknown,
        }
    }

    /// Of x y.
    #[must_use]
    pub fn product(self, other: Self) -> Self {
        let integers = |a: i128, b: i128, c, d| {
            Self::integers([a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)])
        };
        let reals = |a, b, c, d| Self::reals([product(a, c), product(a, d), product(b, c), product(b, d)]);
        self.both(other, integers, reals)
    }

    /// Of x^2.
    #[must_use]
    pub fn square(self) -> Self {
        match (self, self.product(self)) {
            // The corners of the product count x with another x; 0 is the least where it is in between.
            (Self::Integers { min, max }, Self::Integers { max: largest, .. }) => {
                let least =
                    if min <= 0 && max >= 0 { Some(0) } else { min.abs().min(max.abs()).checked_pow(2) };
                Self::integers([least, Some(largest)])
            }
            (Self::Reals { min, max }, Self::Reals { max: largest, .. }) => {
                let nearest = min.abs().min(max.abs());
                let least = if min <= 0.0 && max >= 0.0 { 0.0 } else { product(nearest, nearest).0 };
                Self::Reals { min: least, max: largest }
            }
            _ => Self::Unknown,
        }
    }

    /// Of x^k.
    #[must_use]
    pub fn power(self, k: u32) -> Self {
        match k {
            0 | 1 => self,
            k if k % 2 == 0 => self.power(k / 2).square(),
            k => self.power(k - 1).product(self),
        }
    }

    /// Of x / y; both reals. Unknown where y may be 0.
    #[must_use]
    pub fn quotient(self, other: Self) -> Self {
        match (self, other) {
            (Self::Reals { min: a, max: b }, Self::Reals { min: c, max: d }) if c > 0.0 || d < 0.0 => {
                Self::reals([quotient(a, c), quotient(a, d), quotient(b, c), quotient(b, d)])
            }
            _ => Self::Unknown,
        }
    }

    /// Of the square root of x that are not below 0, a real.
    #[must_use]
    pub fn root(self) -> Self {
        match self {
            Self::Reals { min, max } if max >= 0.0 => Self::reals([root(min.max(0.0)), root(max)]),
            _ => Self::Unknown,
        }
    }

    /// Whether every x is below every y, and whether some may be: for intervals of one kind; none for unknown ones.
    pub fn order(self, other: Self) -> Option<Order> {
        let of = |all_less, all_at_most, none_less, none_at_most| {
            Some(Order { less: decided(all_less, none_less), at_most: decided(all_at_most, none_at_most) })
        };
        match (self, other) {
            (Self::Integers { min: a, max: b }, Self::Integers { min: c, max: d }) => {
                of(b < c, b <= c, a >= d, a > d)
            }
            (Self::Reals { min: a, max: b }, Self::Reals { min: c, max: d }) => {
                of(b < c, b <= c, a >= d, a > d)
            }
            _ => None,
        }
    }

    fn both(
        self,
        other: Self,
        integers: impl Fn(i128, i128, i128, i128) -> Self,
        reals: impl Fn(f64, f64, f64, f64) -> Self,
    ) -> Self {
        match (self, other) {
            (Self::Integers { min: a, max: b }, Self::Integers { min: c, max: d }) => integers(a, b, c, d),
            (Self::Reals { min: a, max: b }, Self::Reals { min: c, max: d }) => reals(a, b, c, d),
            _ => Self::Unknown,
        }
    }
}

/// What two ranges tell of x and y, where they tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// x < y.
    pub less: Option<bool>,
    /// x <= y.
    pub at_most: Option<bool>,
}

fn decided(always: bool, never: bool) -> Option<bool> {
    if always {
        Some(true)
    } else if never {
        Some(false)
    } else {
        None
    }
}

/// The nearest binary64 from below and from above.
fn around(number: &Number) -> (f64, f64) {
    let nearest = number.to_f64();
    match Number::from_f64(nearest) {
        Some(found) if found == *number => (nearest, nearest),
        Some(found) if found > *number => (nearest.next_down(), nearest),
        Some(_) => (nearest, nearest.next_up()),
        None => (f64::NAN, f64::NAN),
    }
}

/// A rounded result from below and from above, by the sign of what is exact minus it.
fn outward(rounded: f64, error: f64) -> (f64, f64) {
    if error == 0.0 {
        (rounded, rounded)
    } else if error < 0.0 {
        (rounded.next_down(), rounded)
    } else if error > 0.0 {
        (rounded, rounded.next_up())
    } else {
        // Too large for its error to be known.
        (rounded.next_down(), rounded.next_up())
    }
}

fn sum(a: f64, b: f64) -> (f64, f64) {
    let (sum, error) = double_sum(a, b);
    outward(sum, error)
}

fn product(a: f64, b: f64) -> (f64, f64) {
    if a == 0.0 || b == 0.0 {
        return (0.0, 0.0);
    }
    let (product, error) = double_product(a, b);
    outward(product, error)
}

fn quotient(a: f64, b: f64) -> (f64, f64) {
    if a == 0.0 {
        return (0.0, 0.0);
    }
    let q = a / b;
    let small = q.abs() < TINY || a.abs() < TINY;
    outward(q, if small { f64::NAN } else { (-q).mul_add(b, a) * b.signum() })
}

fn root(a: f64) -> (f64, f64) {
    let r = a.sqrt();
    if a == 0.0 {
        return (0.0, 0.0);
    }
    let (low, high) = outward(r, if a < TINY { f64::NAN } else { (-r).mul_add(r, a) });
    (low.max(0.0), high)
}

/// Ranges as a rule of the walk.
struct Flow<'a> {
    inputs: &'a SortedMap<String, Range>,
}

impl Rule for Flow<'_> {
    type State = Range;

    fn given(&self, name: &str, value: &Value) -> Result<Range> {
        let own = Range::of_kind(value.kind);
        let Some(&range) = self.inputs.get(name) else { return Ok(own) };
        let within = match (range, own) {
            (Range::Reals { min, max }, _) => {
                value.kind == Kind::Real && min <= max && min.is_finite() && max.is_finite()
            }
            (Range::Integers { min, max }, Range::Integers { min: least, max: most }) => {
                least <= min && min <= max && max <= most
            }
            (Range::Integers { min, max }, _) => value.kind != Kind::Real && min <= max,
            (Range::Unknown, _) => return Ok(own),
        };
        if within {
            return Ok(range);
        }
        let at = format!("range of input `{name}`");
        let expected = format!("a range of {value} that is not empty");
        Err(Error::Task { at, found: range.to_string(), expected })
    }

    fn of(&self, def: &dyn ValueDef, call: &Call<'_>, _: &Value, inputs: &[(&Range, u32)]) -> Result<Range> {
        let known: Vec<Known> = inputs.iter().map(|&(&range, source)| Known { range, source }).collect();
        def.range(call, &known)
    }
}

/// The range of every operand of a task graph of primitive operators, by operand number; none for what is no value. An input
/// that `inputs` does not name has what its kind has.
///
/// # Errors
/// As [`super::interpret`], but for the inputs' cells; `Task` for a range that is none of the input's kind.
pub fn ranges(
    graph: &Graph,
    registry: &Registry,
    values: &Values,
    inputs: &SortedMap<String, Range>,
) -> Result<Vec<Option<Range>>> {
    Walk::new(values, Flow { inputs }).run(graph, registry)
}

/// The range of one operand, of those that [`ranges`] gives.
pub fn range_of(ranges: &[Option<Range>], operand: OperandId) -> Range {
    ranges.get(operand.0 as usize).copied().flatten().unwrap_or(Range::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn of(min: i128, max: i128) -> Range {
        Range::Integers { min, max }
    }

    #[test]
    fn integers_are_exact_or_unknown() {
        assert_eq!(of(-3, 2).product(of(-3, 2)), of(-6, 9));
        assert_eq!(of(-3, 2).square(), of(0, 9));
        assert_eq!(of(-5, -2).square(), of(4, 25));
        assert_eq!(of(-3, 2).sum(of(1, 4)), of(-2, 6));
        assert_eq!(of(1, i128::MAX).sum(of(0, 1)), Range::Unknown);
        assert_eq!(of(i128::MIN, 0).negative(), Range::Unknown);
        assert_eq!(of(i128::MIN, 0).square(), Range::Unknown);
        assert_eq!(of(0, 1).order(of(1, 2)), Some(Order { less: None, at_most: Some(true) }));
        assert_eq!(of(2, 3).order(of(1, 2)), Some(Order { less: Some(false), at_most: None }));
    }

    /// Doubles of all sizes, and what is exact of them.
    #[test]
    fn reals_are_rounded_outward_and_no_further_than_one_step() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state ^ state >> 29;
            // Sizes from 2^-600 to 2^600, and some that are tiny.
            let exponent =
                if bits.is_multiple_of(16) { bits >> 13 & 0x3f } else { 423 + (bits >> 13) % 1200 };
            f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52)
        };
        type Rounded = fn(f64, f64) -> (f64, f64);
        type Exact = fn(&Number, &Number) -> Option<Number>;
        let pairs: [(Rounded, Exact); 4] = [
            (sum, |a, b| Some(a + b)),
            (product, |a, b| Some(a * b)),
            (quotient, Number::quotient),
            (|a, _| root(a.abs()), |_, _| None),
        ];
        for _ in 0..20_000 {
            let (a, b) = (next(), next());
            let (x, y) = (Number::from_f64(a).unwrap(), Number::from_f64(b).unwrap());
            for (rounded, exact) in pairs {
                let (low, high) = rounded(a, b);
                if !low.is_finite() || !high.is_finite() {
                    continue;
                }
                assert!(
                    high == low || high == low.next_up() || high == low.next_up().next_up(),
                    "{a:e} {b:e}"
                );
                let (low, high) = (Number::from_f64(low).unwrap(), Number::from_f64(high).unwrap());
                match exact(&x, &y) {
                    Some(exact) => assert!(low <= exact && exact <= high, "{a:e} {b:e}: {low:?} {high:?}"),
                    None => {
                        let x = Number::from_f64(a.abs()).unwrap();
                        assert!(&low * &low <= x && x <= &high * &high, "{a:e}");
                    }
                }
            }
        }
        let real = |min, max| Range::Reals { min, max };
        assert_eq!(real(1.0, 2.0).quotient(real(-1.0, 1.0)), Range::Unknown);
        assert_eq!(real(f64::MAX, f64::MAX).sum(real(f64::MAX, f64::MAX)), Range::Unknown);
        assert_eq!(real(-3.0, 2.0).square(), real(0.0, 9.0));
        assert_eq!(of(1, 3).in_units(1), real(0.1f64.next_down(), 0.3f64.next_up()));
    }
}
