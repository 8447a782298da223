//! Changes of the RNS base of whole polynomials: which limbs are multiplied by what.
//!
//! All follow one scheme (S. Halevi, Y. Polyakov, V. Shoup, ia.cr/2018/117): with `A` the product of the primes `a_i`
//! that the change starts from, `y_i = x_i c_i mod a_i` and `v = round(sum_i y_i / a_i)`, the sum
//! `r = sum_i y_i c_ij - v w_j mod b_j` is a fixed multiple of the centered value for each target prime `b_j`.

use super::rns::crt_constants;
use super::{MathError, Modulus};

/// A limb that the change starts from: `y = c x mod modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Number of the limb in the given polynomial.
    pub limb: usize,
    /// Its prime.
    pub modulus: Modulus,
    /// The factor, in `[0, modulus)`.
    pub c: u64,
}

/// A limb that the change makes: the remainder `r`, or `scale x - r` with an own limb `x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its prime.
    pub modulus: Modulus,
    /// One factor for each source, in `[0, modulus)`.
    pub c: Vec<u64>,
    /// The factor of `v`, in `[0, modulus)`.
    pub w: u64,
    /// Number of its limb in the given polynomial, and `scale`.
    pub own: Option<(usize, u64)>,
}

/// A change of base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseChange {
    /// Limbs read.
    pub sources: Vec<Source>,
    /// Limbs made, in order.
    pub targets: Vec<Target>,
}

/// The product of some primes modulo `q`.
fn product(primes: &[Modulus], q: &Modulus) -> u64 {
    primes.iter().fold(1, |product, p| q.mul(product, q.reduce(p.value())))
}

impl BaseChange {
    /// The same integers, centered modulo the product of `from`, modulo each of `to`.
    ///
    /// # Errors
    /// [`MathError::NoModuli`] without a prime, [`MathError::NotInvertible`] when two of `from` share a factor.
    pub fn extend(from: &[Modulus], to: &[Modulus]) -> Result<Self, MathError> {
        let target = |p: &Modulus| {
            let c = crt_constants(from, p)?;
            Ok(Target { modulus: *p, c: c.hat, w: c.product, own: None })
        };
        let targets = to.iter().map(target).collect::<Result<_, _>>()?;
        Ok(Self { sources: sources(from, |q| q.reduce(1))?, targets })
    }

    /// Modulus switching: `round(P/Q x)` modulo each prime of `P`, with `Q` and `P` the products of `from` and `to`.
    /// `P x` is 0 modulo `P`, so that it is `-[P x]_Q / Q` there.
    ///
    /// # Errors
    /// As [`Self::extend`]; also when `from` and `to` share a factor.
    pub fn switch(from: &[Modulus], to: &[Modulus]) -> Result<Self, MathError> {
        let target = |p: &Modulus| {
            let c = crt_constants(from, p)?;
            let inverse = p.neg(p.inv(c.product)?);
            let hat = c.hat.iter().map(|&h| p.mul(h, inverse)).collect();
            Ok(Target { modulus: *p, c: hat, w: p.neg(1), own: None })
        };
        let targets = to.iter().map(target).collect::<Result<_, _>>()?;
        Ok(Self { sources: sources(from, |q| product(to, q))?, targets })
    }

    /// Division by the product `A` of some primes: `round(f x / A)` modulo the primes that stay, as
    /// `(f x - [f x]_A) / A`. `dropped` numbers the primes of `A` among `all`.
    ///
    /// # Errors
    /// As [`Self::extend`].
    pub fn scale_round(all: &[Modulus], dropped: &[usize], factor: u64) -> Result<Self, MathError> {
        let from: Vec<Modulus> = dropped.iter().map(|&i| all[i]).collect();
        let target = |(index, b): (usize, &Modulus)| {
            let c = crt_constants(&from, b)?;
            let inverse = b.inv(c.product)?;
            let hat = c.hat.iter().map(|&h| b.mul(h, inverse)).collect();
            let own = (index, b.mul(b.reduce(factor), inverse));
            Ok(Target { modulus: *b, c: hat, w: b.reduce(1), own: Some(own) })
        };
        let kept = all.iter().enumerate().filter(|(index, _)| !dropped.contains(index));
        let targets = kept.map(target).collect::<Result<_, _>>()?;
        let mut sources = sources(&from, |q| q.reduce(factor))?;
        for (source, &limb) in sources.iter_mut().zip(dropped) {
            source.limb = limb;
        }
        Ok(Self { sources, targets })
    }
}

/// Sources with the factors of the Chinese remainder theorem, times `factor`.
fn sources(from: &[Modulus], factor: impl Fn(&Modulus) -> u64) -> Result<Vec<Source>, MathError> {
    let first = from.first().ok_or(MathError::NoModuli)?;
    let constants = crt_constants(from, first)?;
    let source =
        |(limb, (q, &c)): (usize, (&Modulus, &u64))| Source { limb, modulus: *q, c: q.mul(factor(q), c) };
    Ok(from.iter().zip(&constants.hat_inv).enumerate().map(source).collect())
}
