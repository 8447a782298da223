//! 64 x 64 -> 128-bit products.
//!
//! A native target has an instruction for them. On wasm32 a `u128` product becomes a call into a 128 x 128
//! multiplication, so there the product is put together from four 32-bit halves, which stays inline.

/// `a * b`, exact.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub(crate) fn mul_wide(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

/// `floor(a * b / 2^64)`.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub(crate) fn mul_hi(a: u64, b: u64) -> u64 {
    (mul_wide(a, b) >> 64) as u64
}

/// `a * b`, exact.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
pub(crate) fn mul_wide(a: u64, b: u64) -> u128 {
    (mul_hi(a, b) as u128) << 64 | a.wrapping_mul(b) as u128
}

#[cfg(target_arch = "wasm32")]
pub(crate) use mul_hi_by_halves as mul_hi;

/// `floor(a * b / 2^64)` from 32-bit halves; no sum of partial products overflows:
/// `(2^32 - 1)^2 + 2 * (2^32 - 1) = 2^64 - 1`.
#[cfg(any(test, target_arch = "wasm32"))]
#[inline(always)]
pub(crate) fn mul_hi_by_halves(a: u64, b: u64) -> u64 {
    let (a1, a0) = (a >> 32, a & 0xffff_ffff);
    let (b1, b0) = (b >> 32, b & 0xffff_ffff);
    let low = a0 * b0;
    let cross = a1 * b0 + (low >> 32);
    let middle = a0 * b1 + (cross & 0xffff_ffff);
    a1 * b1 + (cross >> 32) + (middle >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agree(a: u64, b: u64) {
        let exact = a as u128 * b as u128;
        assert_eq!(mul_hi_by_halves(a, b), (exact >> 64) as u64, "{a} * {b}");
        assert_eq!(mul_hi(a, b), (exact >> 64) as u64, "{a} * {b}");
        assert_eq!(mul_wide(a, b), exact, "{a} * {b}");
    }

    #[test]
    fn edges() {
        let edges = [0, 1, 0xffff_ffff, 1 << 32, (1 << 32) + 1, u64::MAX - 1, u64::MAX, 1 << 63];
        for a in edges {
            for b in edges {
                agree(a, b);
            }
        }
    }

    proptest! {
        #[test]
        fn halves_agree_with_u128(a: u64, b: u64) {
            agree(a, b);
        }
    }
}
