//! Tables as polynomials modulo t: the one of least degree through all entries, evaluated with few products (Paterson and Stockmeyer, SIAM J. Comput. 2, 1973).

use crate::Result;
use crate::graph::Attr;
use crate::math::Modulus;
use crate::packed::{Handle, Target};

/// The coefficients of the polynomial of least degree that has these values at the integers from `first` on, constant term first. As many values as t, at most.
///
/// # Errors
/// `Math` for a t that is no prime.
pub fn interpolated(first: i64, values: &[i128], t: Modulus) -> Result<Vec<u64>> {
    let residue = |value: i128| value.rem_euclid(i128::from(t.value())) as u64;
    // Divided differences: the points are one apart.
    let mut newton: Vec<u64> = values.iter().map(|&value| residue(value)).collect();
    for order in 1..newton.len() {
        let inverse = t.inv(t.reduce(order as u64))?;
        for at in (order..newton.len()).rev() {
            newton[at] = t.mul(t.sub(newton[at], newton[at - 1]), inverse);
        }
    }
    // Horner, from the highest: p = p (x - x_k) + d_k.
    let mut polynomial: Vec<u64> = Vec::with_capacity(newton.len());
    for (at, &difference) in newton.iter().enumerate().rev() {
        let point = residue(i128::from(first) + at as i128);
        polynomial.push(0);
        for power in (1..polynomial.len()).rev() {
            polynomial[power] = t.sub(polynomial[power - 1], t.mul(polynomial[power], point));
        }
        polynomial[0] = t.sub(difference, t.mul(polynomial[0], point));
    }
    while polynomial.last() == Some(&0) {
        polynomial.pop();
    }
    Ok(polynomial)
}

/// p(x) for a polynomial without constant term. Its blocks of `baby` coefficients, a power of two, are put together two and two with x^baby, x^(2 baby), x^(4 baby), ...: no
/// deeper than any way to make the highest power.
///
/// # Errors
/// What the target says.
pub fn polynomial(target: &mut dyn Target, x: Handle, coefficients: &[u64]) -> Result<Handle> {
    // About half of the products make powers, the others put blocks together.
    let baby = 1usize << ((coefficients.len() as f64 / 2.0).sqrt().log2().round().max(0.0) as u32);
    let mut powers = Powers { all: vec![Some(x)] };
    match above_constant(target, &mut powers, coefficients, baby)? {
        Some(found) => Ok(found),
        None => target.multiply_number(x, &Attr::Int(0)),
    }
}

/// p(x) without its constant term; none where that is 0.
fn above_constant(
    target: &mut dyn Target,
    powers: &mut Powers,
    coefficients: &[u64],
    baby: usize,
) -> Result<Option<Handle>> {
    let mut sum = None;
    if coefficients.len() <= baby {
        for (power, &c) in coefficients.iter().enumerate().filter(|&(power, &c)| power > 0 && c != 0) {
            let power = powers.get(target, power)?;
            let term = target.multiply_number(power, &Attr::Int(c.into()))?;
            add(target, &mut sum, term)?;
        }
        return Ok(sum);
    }
    // p = q x^middle + r.
    let mut middle = baby;
    while 2 * middle < coefficients.len() {
        middle *= 2;
    }
    let (low, high) = coefficients.split_at(middle);
    if let Some(low) = above_constant(target, powers, low, baby)? {
        add(target, &mut sum, low)?;
    }
    let quotient = above_constant(target, powers, high, baby)?;
    let power = powers.get(target, middle)?;
    if let Some(quotient) = quotient {
        let product = target.multiply(quotient, power)?;
        add(target, &mut sum, product)?;
    }
    if let Some(&c) = high.first().filter(|&&c| c != 0) {
        let term = target.multiply_number(power, &Attr::Int(c.into()))?;
        add(target, &mut sum, term)?;
    }
    Ok(sum)
}

fn add(target: &mut dyn Target, sum: &mut Option<Handle>, term: Handle) -> Result<()> {
    *sum = Some(sum.map_or(Ok(term), |sum| target.add(sum, term))?);
    Ok(())
}

/// Powers of one vector, each from two of about half of its exponent.
struct Powers {
    /// Number k is that of exponent k + 1.
    all: Vec<Option<Handle>>,
}

impl Powers {
    fn get(&mut self, target: &mut dyn Target, exponent: usize) -> Result<Handle> {
        if let Some(&Some(known)) = self.all.get(exponent - 1) {
            return Ok(known);
        }
        let (half, other) = (self.get(target, exponent / 2)?, self.get(target, exponent - exponent / 2)?);
        let power = target.multiply(half, other)?;
        if self.all.len() < exponent {
            self.all.resize(exponent, None);
        }
        self.all[exponent - 1] = Some(power);
        Ok(power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolation_goes_through_all_entries() {
        let t = Modulus::new(65537).unwrap();
        for (first, values) in [
            (-3i64, vec![1i128, 1, 1, 0, 0, 7, -2]),
            (0, vec![0, 5]),
            (-40, (0..81).map(|k| i128::from(k > 40)).collect()),
        ] {
            let polynomial = interpolated(first, &values, t).unwrap();
            for (at, &value) in values.iter().enumerate() {
                let x = t.reduce_i64(first + at as i64);
                let found = polynomial.iter().rev().fold(0, |sum, &c| t.add(t.mul(sum, x), c));
                assert_eq!(found, value.rem_euclid(65537) as u64);
            }
            assert!(polynomial.len() <= values.len() && polynomial[0] == 0);
        }
    }
}
