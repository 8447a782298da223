//! Integers and bits of constants, as numbers.

use crate::ops::tensor::{Element, Tensor};
use std::sync::Arc;

/// The elements of a tensor of integers or bits, as their bits.
pub(super) fn unpack(tensor: &Tensor, bytes: &[u8]) -> Vec<u64> {
    let len = tensor.len();
    if tensor.element == Element::Bit {
        return (0..len).map(|i| u64::from(bytes[i / 8] >> (i % 8) & 1)).collect();
    }
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(tensor.element.bits() as usize / 8).map(word).collect()
}

/// The bytes of elements, of which the low bits count.
pub(super) fn pack(element: Element, values: &[u64]) -> Arc<[u8]> {
    if element == Element::Bit {
        let byte = |bits: &[u64]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | (bit & 1) as u8);
        return values.chunks(8).map(byte).collect();
    }
    let width = element.bits() as usize / 8;
    values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(width)).collect()
}

/// The inverse of an odd number modulo 2^64, and so modulo every smaller power of two.
pub(super) fn inverse(odd: u64) -> u64 {
    // Right in the lowest three bits; every step doubles them.
    (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_is_unpacked() {
        for (element, len) in [(Element::Bit, 11), (Element::U8, 5), (Element::I32, 3), (Element::U64, 2)] {
            let tensor = Tensor::new(element, [len]);
            let mask = u64::MAX >> (64 - element.bits());
            let values: Vec<u64> =
                (0..len).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7)).collect();
            let bytes = pack(element, &values);
            assert_eq!(bytes.len(), tensor.bytes());
            assert_eq!(unpack(&tensor, &bytes), values.iter().map(|v| v & mask).collect::<Vec<_>>());
        }
    }

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1, 3, 5, 0x63, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
            assert_eq!(inverse(odd).wrapping_mul(odd), 1);
        }
    }
}
