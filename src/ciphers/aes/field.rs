//! GF(2^8) as circuits: eight operands of bits each, the lowest first.

use super::state::Planes;
use super::tables::{Linear, squares};
use crate::Result;
use crate::ciphers::logic;
use crate::graph::OperandId;
use crate::ops::Session;

/// Sum modulo 2 of at least one operand; none for none.
fn sum(s: &mut Session<'_>, of: &[OperandId]) -> Result<Option<OperandId>> {
    let Some((&first, rest)) = of.split_first() else { return Ok(None) };
    let add = |sum, &next| logic::op(s, "bit.xor", &[sum, next]);
    Ok(Some(rest.iter().try_fold(first, add)?))
}

/// A linear map: output bit i is the sum of the input bits whose image has bit i. It has to be invertible.
///
/// # Errors
/// What the session says.
pub(super) fn linear(s: &mut Session<'_>, map: Linear, x: &Planes) -> Result<Planes> {
    let mut out = Planes::new();
    for bit in 0..8 {
        let of: Vec<OperandId> =
            x.iter().zip(map).filter(|(_, image)| image >> bit & 1 == 1).map(|(&x, _)| x).collect();
        out.extend(sum(s, &of)?);
    }
    Ok(out)
}

/// a b: the products of bits, summed up by degree, and degrees from 8 on reduced.
///
/// # Errors
/// What the session says.
pub(super) fn multiply(s: &mut Session<'_>, a: &Planes, b: &Planes) -> Result<Planes> {
    let mut degrees: Vec<OperandId> = Vec::new();
    for degree in 0..15usize {
        let mut products = Vec::new();
        for i in degree.saturating_sub(7)..=degree.min(7) {
            products.push(logic::op(s, "bit.and", &[a[i], b[degree - i]])?);
        }
        degrees.extend(sum(s, &products)?);
    }
    let mut out = Planes::new();
    for bit in 0..8 {
        let mut of = vec![degrees[bit]];
        // x^8 to x^14 modulo the polynomial.
        let mut image = 0x1bu8;
        for &high in &degrees[8..] {
            if image >> bit & 1 == 1 {
                of.push(high);
            }
            image = super::tables::multiply(image, 2);
        }
        out.extend(sum(s, &of)?);
    }
    Ok(out)
}

/// 1/x, and 0 for 0: x^254 by four products, all squares being linear.
///
/// # Errors
/// What the session says.
pub(super) fn invert(s: &mut Session<'_>, x: &Planes) -> Result<Planes> {
    let x2 = linear(s, const { squares(1) }, x)?;
    let x3 = multiply(s, &x2, x)?;
    let x12 = linear(s, const { squares(2) }, &x3)?;
    let x15 = multiply(s, &x12, &x3)?;
    let x240 = linear(s, const { squares(4) }, &x15)?;
    let x14 = multiply(s, &x12, &x2)?;
    multiply(s, &x240, &x14)
}
