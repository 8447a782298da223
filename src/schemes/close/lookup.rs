//! Tables as polynomials modulo t: the one of least degree through all entries.

use crate::Result;
use crate::math::Modulus;
use crate::watch::ask;

/// Products between two questions whether to go on.
const EVERY: usize = 1 << 16;

/// The coefficients of the polynomial of least degree that has these values at the integers from `first` on, constant term first. As many values as t, at most.
///
/// # Errors
/// `Math` for a t that is no prime; `Cancelled`.
pub fn interpolated(first: i64, values: &[i128], t: Modulus) -> Result<Vec<u64>> {
    let residue = |value: i128| value.rem_euclid(i128::from(t.value())) as u64;
    // Divided differences: the points are one apart.
    let mut newton: Vec<u64> = values.iter().map(|&value| residue(value)).collect();
    let mut products = 0;
    let mut count = |more: usize| {
        products += more;
        if products < EVERY {
            return Ok(());
        }
        products = 0;
        ask()
    };
    for order in 1..newton.len() {
        count(newton.len() - order)?;
        let inverse = t.inv(t.reduce(order as u64))?;
        let scaled = t.shoup(inverse);
        for at in (order..newton.len()).rev() {
            newton[at] = t.mul_shoup(t.sub(newton[at], newton[at - 1]), inverse, scaled);
        }
    }
    // Horner, from the highest: p = p (x - x_k) + d_k.
    let mut polynomial: Vec<u64> = Vec::with_capacity(newton.len());
    for (at, &difference) in newton.iter().enumerate().rev() {
        let point = residue(i128::from(first) + at as i128);
        let scaled = t.shoup(point);
        polynomial.push(0);
        count(polynomial.len())?;
        for power in (1..polynomial.len()).rev() {
            let product = t.mul_shoup(polynomial[power], point, scaled);
            polynomial[power] = t.sub(polynomial[power - 1], product);
        }
        polynomial[0] = t.sub(difference, t.mul_shoup(polynomial[0], point, scaled));
    }
    while polynomial.last() == Some(&0) {
        polynomial.pop();
    }
    Ok(polynomial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::watch::watched;

    #[test]
    fn a_large_table_can_be_ended_halfway() {
        let t = Modulus::new(65537).unwrap();
        assert_eq!(watched(1, |_| false, || interpolated(0, &[1; 1000], t)), Err(Error::Cancelled));
    }

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
