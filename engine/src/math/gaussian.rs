//! Discrete Gaussians of any deviation from 8 on: integers x with probability proportional to exp(-x^2 / (2 s^2)).
//!
//! A narrow one, of deviation 8, is drawn from a table, and wide ones are sums k_0 x_0 + k_1 x_1 + ... of narrow ones, each step about five times as
//! wide as the one before (D. Micciancio, M. Walter, ia.cr/2017/259; C. Peikert, ia.cr/2010/088, theorem 3.1). Given the sum y = k x + z of one of
//! deviation 8 and one of deviation s, what is left open is a Gaussian on the points of a line whose distance is sqrt(1/8^2 + k^2/s^2) deviations. As long
//! as that is at most 1 / 1.52, the mass on the line is the same for each y but for a factor within 1 +- 2 exp(-2 pi^2 1.52^2), which is below
//! 1 +- 2^-64, so that y is a discrete Gaussian of deviation sqrt(8^2 k^2 + s^2) up to such a factor. Probabilities of the table, worked out on
//! integers of 120 bits, are right up to 2^-112, so that the divergence (Kullback-Leibler) of what is drawn from the Gaussian is below 2^-90 for 2^15 numbers of 24 summands each.

use super::sample::Stream;
use zeroize::Zeroize;

/// Deviation of the narrow one.
const NARROW: f64 = 8.0;
/// sqrt(1 / 1.52^2 - 1 / 8^2), rounded down: the most that a factor may be beside the deviation so far.
const STEP: f64 = 0.645;
/// Most factors: each makes the deviation more than five times as large.
const MOST: usize = 24;

/// A discrete Gaussian.
#[derive(Clone, Debug)]
pub struct Gaussian {
    /// P(|x| > j) of the narrow one, times 2^127, for j = 0, 1, ...
    beyond: Vec<u128>,
    /// What narrow ones are multiplied with.
    factors: Vec<i64>,
}

impl Gaussian {
    /// The least deviation that there is.
    pub const LEAST: f64 = NARROW;
    /// The largest: sums are below 2^62.
    pub const LARGEST: f64 = (1u64 << 56) as f64;

    /// Of a deviation of at least that, and little above: less than the 2^-15 part where it is more than 2^20. Up to [`Gaussian::LARGEST`].
    pub fn new(deviation: f64) -> Self {
        let (mut factors, mut variance) = (vec![1], NARROW * NARROW);
        while libm::sqrt(variance) < deviation && factors.len() < MOST {
            let most = libm::floor(libm::sqrt(variance) * STEP);
            let lacking = libm::sqrt((deviation * deviation - variance) / (NARROW * NARROW));
            let factor = most.min(libm::ceil(lacking));
            factors.push(factor as i64);
            variance += NARROW * NARROW * factor * factor;
        }
        Self { beyond: narrow(), factors }
    }

    /// The deviation that it has.
    pub fn deviation(&self) -> f64 {
        let squares: f64 = self.factors.iter().map(|&k| (k as f64) * (k as f64)).sum();
        NARROW * libm::sqrt(squares)
    }

    /// Fills `out` with independent values, in two's complement, from a stream of [`Domain::SecretRelease`](super::Domain::SecretRelease). In constant time: how much
    /// there is to do depends on the deviation alone.
    ///
    /// A narrow one takes the next 16 bytes, little-endian: the lowest bit is its sign, and it is as large as there are entries of the table that the other 127 are below.
    /// A value takes one after the other for each factor, from the smallest factor on.
    pub fn fill(&self, out: &mut [u64], mut stream: impl Stream) {
        let mut bytes = [0; 16 * MOST];
        let own = &mut bytes[..16 * self.factors.len()];
        for value in out {
            stream.fill(own);
            let mut sum = 0i64;
            for (factor, drawn) in self.factors.iter().zip(own.as_chunks::<16>().0) {
                let drawn = u128::from_le_bytes(*drawn);
                let (sign, rest) = (1 - 2 * (drawn & 1) as i64, drawn >> 1);
                let size: i64 = self.beyond.iter().map(|&beyond| i64::from(rest < beyond)).sum();
                sum += factor * sign * size;
            }
            *value = sum.cast_unsigned();
        }
        bytes.zeroize();
    }
}

/// P(|x| > j) of the one of deviation 8, times 2^127, for j = 0, 1, ..., as long as it is not 0.
fn narrow() -> Vec<u128> {
    let product = |a: u128, b: u128| {
        let (low, high) = (|x: u128| x & u128::from(u64::MAX), |x: u128| x >> 64);
        ((high(a) * high(b)) << (128 - ONE))
            + ((high(a) * low(b) + low(a) * high(b)) >> (ONE - 64))
            + ((low(a) * low(b)) >> ONE)
    };
    // r = exp(-1/128), by its series; the weight of j + 1 is that of j times r^(2j + 1).
    let (mut ratio, mut term) = (0, 1u128 << ONE);
    for k in 1.. {
        ratio = if k % 2 == 1 { ratio + term } else { ratio - term };
        term = (term >> 7) / k;
        if term == 0 {
            break;
        }
    }
    let (square, mut weight) = (product(ratio, ratio), 1u128 << ONE);
    let mut weights = Vec::new();
    while weight > 0 {
        weights.push(weight);
        weight = product(weight, ratio);
        ratio = product(ratio, square);
    }
    let mut beyond = vec![0; weights.len()];
    for j in (1..weights.len()).rev() {
        beyond[j - 1] = beyond[j] + 2 * weights[j];
    }
    let all = beyond[0] + weights[0];
    let part = |mut rest: u128| {
        let mut part = 0;
        for _ in 0..127 {
            rest *= 2;
            part = 2 * part + u128::from(rest >= all);
            rest -= if rest >= all { all } else { 0 };
        }
        part
    };
    beyond.into_iter().map(part).take_while(|&part| part > 0).collect()
}

/// Bits below the point of weights.
const ONE: u32 = 120;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Domain;

    const SEED: [u8; 32] = *b"cipherloom gaussian test seed 01";
    const COUNT: usize = 100_000;

    const KNOWN: [(usize, u128); 6] = [
        (0, 0x799deeb30af26bdcbc0d30ebfd151c74),
        (1, 0x6cf33ae70c7bc235d267234a086d2fd0),
        (7, 0x2c9166d8b2a854826414fd708cc3d058),
        (31, 0x2ab575aabac9148540c4c611bffc5),
        (64, 0x19ce7c2222cd58109a4a),
        (95, 0x11deb4),
    ];

    fn drawn(deviation: f64, count: usize) -> Vec<f64> {
        let mut out = vec![u64::MAX; count];
        Gaussian::new(deviation).fill(&mut out, Domain::SecretRelease.stream(&SEED, 3));
        out.into_iter().map(|x| x.cast_signed() as f64).collect()
    }

    /// Probability that a normal number is below x: the midpoint rule, far finer than what is counted.
    fn below(x: f64) -> f64 {
        let (from, steps) = (-9.0, 4000);
        let width = (x - from) / f64::from(steps);
        let density = |y: f64| libm::exp(-y * y / 2.0) / libm::sqrt(2.0 * std::f64::consts::PI);
        (0..steps).map(|i| density(from + (f64::from(i) + 0.5) * width) * width).sum()
    }

    #[test]
    fn deviations_are_as_asked() {
        for deviation in [8.0, 8.5, 41.0, 1000.5, 1e6, 1.5e9, 3e12, 1e15, Gaussian::LARGEST] {
            let gaussian = Gaussian::new(deviation);
            let found = gaussian.deviation() / deviation;
            let most = if deviation > 1e6 { 1.0 + 1.0 / 32768.0 } else { 1.42 };
            assert!((1.0..=most).contains(&found), "{deviation}: {found}");
            // Each step smooths the one before.
            let mut so_far = NARROW;
            for &factor in &gaussian.factors[1..] {
                let distance = libm::hypot(1.0 / NARROW, factor as f64 / so_far);
                assert!(distance <= 1.0 / 1.52, "{deviation}: {factor} after {so_far}");
                so_far = libm::hypot(so_far, factor as f64 * NARROW);
            }
            let largest: i128 = gaussian.factors.iter().map(|&k| i128::from(k) * 128).sum();
            assert!(largest < 1 << 62, "{deviation}: {largest}");
        }
    }

    /// The variance of many, against a chi-square distribution, two-sided: five of its deviations.
    #[test]
    fn variance_is_that_of_the_deviation() {
        for deviation in [8.0, 100.0, 12345.0, 1e9, 1e13, Gaussian::LARGEST] {
            let expected = Gaussian::new(deviation).deviation();
            let values = drawn(deviation, COUNT);
            let square: f64 = values.iter().map(|x| (x / expected) * (x / expected)).sum();
            let freedom = COUNT as f64;
            let statistic = (square - freedom) / libm::sqrt(2.0 * freedom);
            assert!(statistic.abs() < 5.0, "{deviation}: {statistic}");
            let mean = values.iter().sum::<f64>() / (expected * libm::sqrt(freedom));
            assert!(mean.abs() < 5.0, "{deviation}: {mean}");
        }
    }

    #[test]
    fn the_shape_is_normal() {
        for deviation in [1e4, 1e12] {
            let expected = Gaussian::new(deviation).deviation();
            // Sixths of a deviation, and what lies beyond three.
            let at = |bin: usize| (bin as f64 - 18.0) / 6.0;
            let mut counts = [0u32; 38];
            for x in drawn(deviation, COUNT) {
                counts[((x / expected * 6.0).floor() + 19.0).clamp(0.0, 37.0) as usize] += 1;
            }
            let edges: Vec<f64> =
                [0.0].into_iter().chain((0..=36).map(|bin| below(at(bin)))).chain([1.0]).collect();
            let square = |(count, edge): (&u32, &[f64])| {
                let expected = (edge[1] - edge[0]) * COUNT as f64;
                (f64::from(*count) - expected).powi(2) / expected
            };
            let statistic: f64 = counts.iter().zip(edges.windows(2)).map(square).sum();
            let statistic = (statistic - 37.0) / libm::sqrt(74.0);
            assert!(statistic.abs() < 5.0, "{deviation}: {statistic}");
        }
    }

    #[test]
    fn the_table_is_exact() {
        let weight = |j: usize| libm::exp(-((j * j) as f64) / 128.0);
        let tail = |from: usize| (from..140).rev().map(|j| 2.0 * weight(j)).sum::<f64>();
        let all = weight(0) + tail(1);
        let found = narrow();
        for (j, &found) in found.iter().enumerate().filter(|(j, _)| *j < 60) {
            let off = found as f64 / libm::exp2(127.0) / (tail(j + 1) / all) - 1.0;
            assert!(off.abs() < libm::exp2(-44.0), "{j}: {off}");
        }
        // From another implementation, on decimals of 80 digits.
        for (j, expected) in KNOWN {
            let off = found[j].abs_diff(expected);
            assert!(off < 1 << 13, "{j}: {} is off by {off}", found[j]);
        }
        assert!((100..110).contains(&found.len()), "{}", found.len());
    }

    /// The narrow one, number by number; and that wide ones have no gaps.
    #[test]
    fn every_integer_has_its_probability() {
        let weight = |x: i64| libm::exp(-((x * x) as f64) / 128.0);
        let all: f64 = (-200..=200).map(weight).sum();
        let values = drawn(8.0, COUNT);
        let mut statistic = 0.0;
        for x in -24..=24 {
            let expected = weight(x) / all * COUNT as f64;
            let found = values.iter().filter(|&&value| value == x as f64).count() as f64;
            statistic += (found - expected) * (found - expected) / expected;
        }
        let statistic = (statistic - 49.0) / libm::sqrt(98.0);
        assert!(statistic.abs() < 5.0, "{statistic}");
        let mut counts = [0u32; 16];
        drawn(1e12, COUNT).iter().for_each(|x| counts[x.rem_euclid(16.0) as usize] += 1);
        let expected = COUNT as f64 / 16.0;
        let statistic: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert!(((statistic - 15.0) / libm::sqrt(30.0)).abs() < 5.0, "{counts:?}");
    }
}
