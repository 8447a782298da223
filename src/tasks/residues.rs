//! Integers from their residues modulo several plaintext moduli.

use crate::math::Modulus;
use crate::{Result, memory};
use zeroize::Zeroizing;

/// Cells modulo one plaintext modulus.
pub struct Residues {
    pub t: u64,
    pub cells: Zeroizing<Vec<u64>>,
}

/// The integers of least absolute value with these residues: mixed radix digits (Garner). The product of the moduli is
/// below 2^126.
pub fn combine(residues: &[Residues]) -> Result<Zeroizing<Vec<i128>>> {
    let mut values = Zeroizing::new(memory::zeros::<u128>(residues.first().map_or(0, |r| r.cells.len()))?);
    let mut product = 1u128;
    for Residues { t, cells } in residues {
        let t = Modulus::new(*t)?;
        let inverse = t.inv(t.reduce_u128(product))?;
        for (value, &residue) in values.iter_mut().zip(cells.iter()) {
            let digit = t.mul(t.sub(residue, t.reduce_u128(*value)), inverse);
            *value += product * u128::from(digit);
        }
        product *= u128::from(t.value());
    }
    let center = |v: u128| if v > product / 2 { v as i128 - product as i128 } else { v as i128 };
    let mut centered = Zeroizing::new(memory::room(values.len())?);
    centered.extend(values.iter().copied().map(center));
    Ok(centered)
}
