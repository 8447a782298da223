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
