//! Whether two operands of one type hold the same.

use crate::graph::ValueType;
use crate::ops::tensor::Element;

/// How far logarithms of two machines may be apart.
const LOG_ERROR: f64 = 1e-9;

/// The first byte that differs, and what it is on both sides. Bits have to be the same, except that any NaN is as good as
/// another, and that measured logarithms are the machine's own.
pub(super) fn difference(ty: &ValueType, found: &[u8], expected: &[u8]) -> Option<(u64, u8, u8)> {
    let width = match Element::named(&ty.head) {
        Some(Element::F32) => 4,
        Some(Element::F64) => 8,
        _ if ty.head == "log2" => 8,
        _ => 1,
    };
    let pairs = found.chunks(width).zip(expected.chunks(width)).enumerate();
    let mut different = pairs.filter(|(_, (a, b))| a != b && !same(ty, a, b));
    let (number, (a, b)) = different.next()?;
    let (at, (&a, &b)) = a.iter().zip(b).enumerate().find(|(_, (a, b))| a != b)?;
    Some(((number * width + at) as u64, a, b))
}

fn same(ty: &ValueType, a: &[u8], b: &[u8]) -> bool {
    let double = |bytes: &[u8]| bytes.try_into().map_or(0.0, f64::from_le_bytes);
    let nan = |bytes: &[u8]| match bytes.try_into() {
        Ok(four) => f32::from_le_bytes(four).is_nan(),
        Err(_) => double(bytes).is_nan(),
    };
    match Element::named(&ty.head) {
        Some(Element::F32 | Element::F64) => nan(a) && nan(b),
        _ if ty.head == "log2" => (double(a) - double(b)).abs() <= LOG_ERROR,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Attrs;

    #[test]
    fn bits_count_but_for_nan_and_measured_logarithms() {
        let ty = |head: &str| ValueType::new(head, 2, Attrs::new());
        let floats = |values: [f32; 2]| values.map(f32::to_le_bytes).concat();
        let doubles = |values: [f64; 2]| values.map(f64::to_le_bytes).concat();
        let other_nan = f32::from_bits(f32::NAN.to_bits() ^ 0x8000_0001);
        let (a, b) = (floats([1.0, f32::NAN]), floats([1.0, other_nan]));
        assert_ne!(a, b);
        assert_eq!(difference(&ty("f32"), &a, &b), None);
        // Only where both are one, and only where they are floats.
        assert_eq!(difference(&ty("u32"), &a, &b), Some((4, 0x00, 0x01)));
        let zeros = difference(&ty("f32"), &floats([0.0, 2.0]), &floats([-0.0, 2.0]));
        assert_eq!(zeros, Some((3, 0x00, 0x80)));
        assert_eq!(difference(&ty("f32"), &a, &floats([1.0, 2.0])), Some((6, 0xc0, 0x00)));
        let (x, y) = (doubles([3.0, f64::NAN]), doubles([3.0 + 1e-12, f64::NAN]));
        assert_eq!(difference(&ty("log2"), &x[..8], &y[..8]), None);
        assert_eq!(difference(&ty("f64"), &x, &y).map(|(byte, ..)| byte), Some(0));
        assert_eq!(difference(&ty("f64"), &x[8..], &y[8..]), None);
        assert!(difference(&ty("log2"), &x[..8], &doubles([3.1, 0.0])[..8]).is_some());
    }
}
