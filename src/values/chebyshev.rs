//! Polynomials of reals in Chebyshev polynomials on an interval, which is how they are evaluated: no element of that basis is larger than 1 there.

use super::number::Number;
use std::fmt;

/// Numbers from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.min, self.max)
    }
}

/// The shortest intervals, as a part of their largest number: what is nearer to each other is told apart by no scale.
const SHORTEST: f64 = 1.0 / 1024.0;

impl Interval {
    /// One that has all of these numbers, and a length, be they one number only.
    pub fn with_length(min: f64, max: f64) -> Self {
        let largest = min.abs().max(max.abs());
        let least = if largest == 0.0 { 1.0 } else { largest * SHORTEST };
        let more = (least - (max - min)).max(0.0) / 2.0;
        Self { min: min - more, max: max + more }
    }

    /// What x is of it, from -1 to 1: the nearest binary64; none outside.
    pub fn position(&self, x: &Number) -> Option<f64> {
        let (min, max) = (Number::from_f64(self.min)?, Number::from_f64(self.max)?);
        let doubled = &(&(x + x) - &min) - &max;
        let u = doubled.quotient(&(&max - &min))?.to_f64();
        (-1.0..=1.0).contains(&u).then_some(u)
    }

    /// How far from the middle the ends are, and the middle.
    pub fn half(&self) -> (f64, f64) {
        ((self.max - self.min) / 2.0, f64::midpoint(self.min, self.max))
    }
}

/// The coefficients of powers of x of a polynomial of degree 3 at most, given in Chebyshev polynomials on the interval.
pub fn to_powers(series: &[f64], interval: Interval) -> Vec<f64> {
    let (half, middle) = interval.half();
    let of = |k: usize| series.get(k).copied().unwrap_or(0.0);
    // In powers of u: T_2 = 2 u^2 - 1, T_3 = 4 u^3 - 3 u.
    let in_u = [of(0) - of(2), of(1) - 3.0 * of(3), 2.0 * of(2), 4.0 * of(3)];
    let mut powers = vec![0.0];
    for &c in in_u.iter().take(series.len()).rev() {
        // Horner with u = (x - middle) / half.
        let mut next = vec![c; 1];
        next.resize(powers.len() + 1, 0.0);
        for (k, &p) in powers.iter().enumerate() {
            next[k] -= p * middle / half;
            next[k + 1] += p / half;
        }
        powers = next;
    }
    powers.truncate(series.len());
    powers
}

/// A polynomial by its coefficients of powers of x, in Chebyshev polynomials on the interval; and how far it may be off there, for want of exact doubles.
pub fn of_powers(powers: &[f64], interval: Interval) -> (Vec<f64>, f64) {
    let (half, middle) = interval.half();
    let half = if half > 0.0 { half } else { f64::MIN_POSITIVE };
    let mut series = vec![0.0; powers.len()];
    // Horner: p = p (middle + half u) + c, where u T_k = (T_(k+1) + T_(k-1)) / 2.
    for &c in powers.iter().rev() {
        let mut next: Vec<f64> = series.iter().map(|s| s * middle).collect();
        for k in 0..series.len() {
            let part = half * series[k];
            if k == 0 {
                if let Some(first) = next.get_mut(1) {
                    *first += part;
                }
                continue;
            }
            if let Some(above) = next.get_mut(k + 1) {
                *above += part / 2.0;
            }
            next[k - 1] += part / 2.0;
        }
        next[0] += c;
        series = next;
    }
    let largest = interval.min.abs().max(interval.max.abs());
    let size = powers.iter().rev().fold(0.0, |sum, c| sum * largest + c.abs());
    (series, size * 4.0 * powers.len() as f64 * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::chebyshev;

    #[test]
    fn there_and_back() {
        let interval = Interval { min: -2.0, max: 6.0 };
        for powers in [vec![0.5, -1.25], vec![3.0, 0.0, 0.125], vec![1.0, -0.5, 0.25, 0.0625]] {
            let (series, off) = of_powers(&powers, interval);
            for step in 0..=16 {
                let x = -2.0 + f64::from(step) / 2.0;
                let value = powers.iter().rev().fold(0.0, |sum, c| sum * x + c);
                assert!((chebyshev(&series, (x - 2.0) / 4.0) - value).abs() <= off);
            }
            for (found, expected) in to_powers(&series, interval).iter().zip(&powers) {
                assert!((found - expected).abs() < 1e-13, "{found} {expected}");
            }
        }
    }
}
