//! Polynomials by their coefficients: in powers of x, or in Chebyshev polynomials.

use crate::graph::{Attr, Attrs, Real};
use std::sync::Arc;

/// What coefficients belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// 1, x, x^2, ...
    Powers,
    /// T_0, T_1, T_2, ... on [-1, 1]: T_k(cos a) = cos k a.
    Chebyshev,
}

/// A polynomial: number k belongs to element k of the basis.
#[derive(Clone, Debug, PartialEq)]
pub enum Series {
    /// Integers, in powers.
    Integers(Vec<i128>),
    /// Doubles.
    Reals(Basis, Vec<f64>),
}

/// Most coefficients.
pub const MOST_COEFFICIENTS: usize = 1 << 12;

impl Series {
    /// Reads attributes `basis` and `coefficients`; none where these are no polynomial of degree 1 at least.
    pub fn of(attrs: &Attrs) -> Option<Self> {
        let basis = match attrs.text("basis").ok()? {
            "powers" => Basis::Powers,
            "chebyshev" => Basis::Chebyshev,
            _ => return None,
        };
        let series = match (attrs.get("coefficients")?, basis) {
            (Attr::Ints(all), Basis::Powers) => Self::Integers(all.to_vec()),
            (Attr::Bytes(bytes), _) => Self::Reals(basis, doubles(bytes)?),
            _ => return None,
        };
        Some(series).filter(|series| (2..=MOST_COEFFICIENTS).contains(&series.len()))
    }

    /// The attributes.
    pub fn attrs(&self) -> Attrs {
        let (basis, coefficients) = match self {
            Self::Integers(all) => (Basis::Powers, Attr::Ints(all.as_slice().into())),
            Self::Reals(basis, all) => (*basis, bytes(all)),
        };
        let name = match basis {
            Basis::Powers => "powers",
            Basis::Chebyshev => "chebyshev",
        };
        Attrs::new().with("basis", name).with("coefficients", coefficients)
    }

    /// What its coefficients belong to.
    pub fn basis(&self) -> Basis {
        match self {
            Self::Integers(_) => Basis::Powers,
            Self::Reals(basis, _) => *basis,
        }
    }

    /// How many coefficients there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(all) => all.len(),
            Self::Reals(_, all) => all.len(),
        }
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Coefficient k; none where it is 0.
    pub fn coefficient(&self, k: usize) -> Option<Attr> {
        match self {
            Self::Integers(all) => all.get(k).filter(|&&c| c != 0).map(|&c| Attr::Int(c)),
            Self::Reals(_, all) => {
                all.get(k).and_then(|&c| Real::new(c)).filter(|c| c.get() != 0.0).map(Attr::Real)
            }
        }
    }

    /// p = q b + r, where b is element `middle` of the basis and p has fewer than 2 middle + 1 coefficients: q, then r, which has `middle`.
    /// In Chebyshev polynomials T_(m + j) = 2 T_m T_j - T_(m - j).
    #[must_use]
    pub fn divided(&self, middle: usize) -> (Self, Self) {
        match self {
            Self::Integers(all) => {
                (Self::Integers(all[middle..].to_vec()), Self::Integers(all[..middle].to_vec()))
            }
            Self::Reals(Basis::Powers, all) => {
                let part = |all: &[f64]| Self::Reals(Basis::Powers, all.to_vec());
                (part(&all[middle..]), part(&all[..middle]))
            }
            Self::Reals(Basis::Chebyshev, all) => {
                let (mut low, mut high) = (all[..middle].to_vec(), all[middle..].to_vec());
                for (j, c) in high.iter_mut().enumerate().skip(1) {
                    low[middle - j] -= *c;
                    *c *= 2.0;
                }
                (Self::Reals(Basis::Chebyshev, high), Self::Reals(Basis::Chebyshev, low))
            }
        }
    }

    /// a and b of a x^3 + b x; none for another polynomial of doubles, for integers, and where b is so much more than a that x (a x^2 + b) would be less precise.
    pub fn odd_cubic(&self) -> Option<(f64, f64)> {
        let (a, b) = match self {
            Self::Reals(Basis::Powers, all) => match all.as_slice() {
                &[_, b, 0.0, a] => (a, b),
                _ => return None,
            },
            // T_3 = 4 x^3 - 3 x.
            Self::Reals(Basis::Chebyshev, all) => match all.as_slice() {
                &[_, first, 0.0, third] => (4.0 * third, first - 3.0 * third),
                _ => return None,
            },
            Self::Integers(_) => return None,
        };
        Some((a, b)).filter(|(a, b)| *a != 0.0 && b.abs() <= 4.0 * a.abs())
    }

    /// The largest that |p'| may be where |x| is at most `largest`.
    pub fn steepest(&self, largest: f64) -> f64 {
        let terms = |all: &mut dyn Iterator<Item = f64>| {
            all.enumerate()
                .skip(1)
                .map(|(k, c)| c.abs() * k as f64 * libm::pow(largest, k as f64 - 1.0))
                .sum()
        };
        match self {
            Self::Integers(all) => terms(&mut all.iter().map(|&c| c as f64)),
            // |3 a x^2 + b| is largest at an end or in the middle.
            Self::Reals(Basis::Powers, all) => match all.as_slice() {
                &[_, b, 0.0, a] => b.abs().max((3.0 * a * largest * largest + b).abs()),
                all => terms(&mut all.iter().copied()),
            },
            Self::Reals(Basis::Chebyshev, all) => slope(all) * beyond(all.len(), largest),
        }
    }
}

/// How much larger a polynomial of degree k may be where |x| is at most `largest` than on [-1, 1]: T_k(cosh s) = cosh(k s), and s is at most sqrt(2 e) at 1 + e.
pub fn beyond(k: usize, largest: f64) -> f64 {
    libm::exp(k as f64 * libm::sqrt(2.0 * (largest - 1.0).max(0.0)))
}

/// A bound on |p'| on [-1, 1], of p in Chebyshev polynomials. p' is sampled where a polynomial of its degree n can be no larger anywhere than 1 / cos(pi n / 2 m) times
/// the largest of m samples (Ehlich and Zeller, Math. Z. 86, 1964).
fn slope(all: &[f64]) -> f64 {
    extremes(&derivative(all)).map_or(f64::INFINITY, |(low, high)| low.abs().max(high.abs()))
}

/// p' in Chebyshev polynomials: c'_(k-1) = c'_(k+1) + 2 k c_k.
fn derivative(all: &[f64]) -> Vec<f64> {
    let mut slope = vec![0.0; all.len() + 1];
    for k in (1..all.len()).rev() {
        slope[k - 1] = slope[k + 1] + 2.0 * k as f64 * all[k];
    }
    slope[0] /= 2.0;
    slope.truncate(all.len().saturating_sub(1).max(1));
    slope
}

/// Between which numbers p lies on [-1, 1], of p in Chebyshev polynomials; none where coefficients are no numbers.
pub fn extremes(all: &[f64]) -> Option<(f64, f64)> {
    let (n, samples) = (all.len() - 1, 8 * all.len());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for sample in 0..samples {
        let x = libm::cos(std::f64::consts::PI * (sample as f64 + 0.5) / samples as f64);
        let y = chebyshev(all, x);
        (low, high) = (low.min(y), high.max(y));
    }
    let between = libm::cos(std::f64::consts::PI * n as f64 / (2.0 * samples as f64));
    let (middle, half) = (f64::midpoint(low, high), (high - low) / 2.0);
    // And what doubles are off by.
    let size: f64 = all.iter().map(|c| c.abs()).sum();
    let half = half / between + size * 1e-13 * all.len() as f64;
    Some((middle - half, middle + half)).filter(|(low, high)| low.is_finite() && high.is_finite())
}

/// p(x) of p in Chebyshev polynomials (Clenshaw, Math. Comp. 9, 1955).
pub fn chebyshev(all: &[f64], x: f64) -> f64 {
    let (mut b1, mut b2) = (0.0, 0.0);
    for &c in all.iter().skip(1).rev() {
        (b1, b2) = (2.0 * x * b1 - b2 + c, b1);
    }
    x * b1 - b2 + all.first().copied().unwrap_or(0.0)
}

/// Doubles, little-endian; none for what is no finite number.
pub fn doubles(bytes: &[u8]) -> Option<Vec<f64>> {
    let (chunks, rest) = bytes.as_chunks();
    let all: Vec<f64> = chunks.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect();
    (rest.is_empty() && all.iter().all(|c| c.is_finite())).then_some(all)
}

/// The attribute that holds doubles.
pub fn bytes(all: &[f64]) -> Attr {
    let bytes: Arc<[u8]> = all.iter().flat_map(|c| c.to_le_bytes()).collect();
    Attr::Bytes(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn division_and_bounds() {
        let all = vec![0.3, -1.5, 0.25, 2.0, -0.75, 0.5, 0.125, -0.3];
        let series = Series::Reals(Basis::Chebyshev, all.clone());
        assert_eq!(Series::of(&series.attrs()), Some(series.clone()));
        let (Series::Reals(_, q), Series::Reals(_, r)) = series.divided(4) else { unreachable!() };
        let (mut low, mut high, mut steep) = (f64::MAX, f64::MIN, 0f64);
        for step in -1000..=1000 {
            let x = f64::from(step) / 1000.0;
            let y = chebyshev(&all, x);
            let t4 = chebyshev(&[0.0, 0.0, 0.0, 0.0, 1.0], x);
            assert!((chebyshev(&q, x) * t4 + chebyshev(&r, x) - y).abs() < 1e-13);
            (low, high) = (low.min(y), high.max(y));
            steep = steep.max((chebyshev(&all, x + 1e-7) - chebyshev(&all, x - 1e-7)).abs() / 2e-7);
        }
        let (least, most) = extremes(&all).unwrap();
        assert!(least <= low && high <= most && most - least < 1.05 * (high - low));
        let bound = series.steepest(1.0);
        assert!(steep <= bound * 1.000_001 && bound < 1.1 * steep, "{steep} {bound}");
        assert!(series.steepest(1.5) > 10.0 * bound);
    }
}
