//! Four 32-bit words side by side: a 128-bit register on wasm, an array elsewhere. Sums and differences wrap.

use std::ops::{Add, Sub};

/// Four lanes.
#[derive(Clone, Copy)]
pub(super) struct U4(imp::Register);

/// Four words of 64 bits, two to a register.
#[derive(Clone, Copy)]
pub(super) struct Wide([imp::Register; 2]);

#[cfg(target_arch = "wasm32")]
mod imp {
    use core::arch::wasm32::*;

    pub(super) type Register = v128;

    #[inline(always)]
    pub(super) fn splat(x: u32) -> v128 {
        u32x4_splat(x)
    }
    #[inline(always)]
    pub(super) fn from_array([a, b, c, d]: [u32; 4]) -> v128 {
        u32x4(a, b, c, d)
    }
    #[inline(always)]
    pub(super) fn from_bits([a, b]: [u64; 2]) -> v128 {
        u64x2(a, b)
    }
    #[inline(always)]
    pub(super) fn to_bits(a: v128) -> [u64; 2] {
        [u64x2_extract_lane::<0>(a), u64x2_extract_lane::<1>(a)]
    }
    #[inline(always)]
    pub(super) fn add(a: v128, b: v128) -> v128 {
        u32x4_add(a, b)
    }
    #[inline(always)]
    pub(super) fn sub(a: v128, b: v128) -> v128 {
        u32x4_sub(a, b)
    }
    #[inline(always)]
    pub(super) fn xor(a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }
    #[inline(always)]
    pub(super) fn rotate_right<const BITS: u32>(a: v128) -> v128 {
        // Whole bytes are moved by one instruction.
        match BITS {
            8 => u8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(a, a),
            16 => u8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(a, a),
            _ => v128_or(u32x4_shr(a, BITS), u32x4_shl(a, 32 - BITS)),
        }
    }
    #[inline(always)]
    pub(super) fn min(a: v128, b: v128) -> v128 {
        u32x4_min(a, b)
    }
    #[inline(always)]
    pub(super) fn mul_low(a: v128, b: v128) -> v128 {
        u32x4_mul(a, b)
    }
    #[inline(always)]
    pub(super) fn products_low(a: v128, b: v128) -> v128 {
        u64x2_extmul_low_u32x4(a, b)
    }
    #[inline(always)]
    pub(super) fn products_high(a: v128, b: v128) -> v128 {
        u64x2_extmul_high_u32x4(a, b)
    }
    #[inline(always)]
    pub(super) fn add_wide(a: v128, b: v128) -> v128 {
        u64x2_add(a, b)
    }
    #[inline(always)]
    pub(super) fn shift(a: v128, bits: u32) -> v128 {
        u64x2_shr(a, bits)
    }
    #[inline(always)]
    pub(super) fn where_at_least(a: v128, words: v128, least: v128) -> v128 {
        v128_and(a, i64x2_ge(words, least))
    }
    #[inline(always)]
    pub(super) fn even(a: v128, b: v128) -> v128 {
        u32x4_shuffle::<0, 2, 4, 6>(a, b)
    }
    #[inline(always)]
    pub(super) fn odd(a: v128, b: v128) -> v128 {
        u32x4_shuffle::<1, 3, 5, 7>(a, b)
    }
    #[inline(always)]
    pub(super) fn zip_low(a: v128, b: v128) -> v128 {
        u32x4_shuffle::<0, 4, 1, 5>(a, b)
    }
    #[inline(always)]
    pub(super) fn zip_high(a: v128, b: v128) -> v128 {
        u32x4_shuffle::<2, 6, 3, 7>(a, b)
    }
    #[inline(always)]
    pub(super) fn low(a: v128, b: v128) -> v128 {
        u64x2_shuffle::<0, 2>(a, b)
    }
    #[inline(always)]
    pub(super) fn high(a: v128, b: v128) -> v128 {
        u64x2_shuffle::<1, 3>(a, b)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod imp {
    pub(super) type Register = [u32; 4];

    #[inline(always)]
    fn each(a: Register, b: Register, f: impl Fn(u32, u32) -> u32) -> Register {
        std::array::from_fn(|i| f(a[i], b[i]))
    }
    #[inline(always)]
    pub(super) fn splat(x: u32) -> Register {
        [x; 4]
    }
    #[inline(always)]
    pub(super) fn from_array(a: [u32; 4]) -> Register {
        a
    }
    #[inline(always)]
    pub(super) fn from_bits([a, b]: [u64; 2]) -> Register {
        [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
    }
    #[inline(always)]
    pub(super) fn to_bits(a: Register) -> [u64; 2] {
        let a = a.map(u64::from);
        [a[0] | a[1] << 32, a[2] | a[3] << 32]
    }
    #[inline(always)]
    pub(super) fn add(a: Register, b: Register) -> Register {
        each(a, b, u32::wrapping_add)
    }
    #[inline(always)]
    pub(super) fn sub(a: Register, b: Register) -> Register {
        each(a, b, u32::wrapping_sub)
    }
    #[inline(always)]
    pub(super) fn xor(a: Register, b: Register) -> Register {
        each(a, b, |a, b| a ^ b)
    }
    #[inline(always)]
    pub(super) fn rotate_right<const BITS: u32>(a: Register) -> Register {
        a.map(|a| a.rotate_right(BITS))
    }
    #[inline(always)]
    pub(super) fn min(a: Register, b: Register) -> Register {
        each(a, b, u32::min)
    }
    #[inline(always)]
    pub(super) fn mul_low(a: Register, b: Register) -> Register {
        each(a, b, u32::wrapping_mul)
    }
    #[inline(always)]
    pub(super) fn products_low(a: Register, b: Register) -> Register {
        from_bits([u64::from(a[0]) * u64::from(b[0]), u64::from(a[1]) * u64::from(b[1])])
    }
    #[inline(always)]
    pub(super) fn products_high(a: Register, b: Register) -> Register {
        from_bits([u64::from(a[2]) * u64::from(b[2]), u64::from(a[3]) * u64::from(b[3])])
    }
    #[inline(always)]
    pub(super) fn add_wide(a: Register, b: Register) -> Register {
        let ([a, b], [c, d]) = (to_bits(a), to_bits(b));
        from_bits([a.wrapping_add(c), b.wrapping_add(d)])
    }
    #[inline(always)]
    pub(super) fn shift(a: Register, bits: u32) -> Register {
        from_bits(to_bits(a).map(|a| a >> bits))
    }
    #[inline(always)]
    pub(super) fn where_at_least(a: Register, words: Register, least: Register) -> Register {
        let [a, words, least] = [a, words, least].map(to_bits);
        from_bits(std::array::from_fn(|i| if words[i] >= least[i] { a[i] } else { 0 }))
    }
    #[inline(always)]
    pub(super) fn even(a: Register, b: Register) -> Register {
        [a[0], a[2], b[0], b[2]]
    }
    #[inline(always)]
    pub(super) fn odd(a: Register, b: Register) -> Register {
        [a[1], a[3], b[1], b[3]]
    }
    #[inline(always)]
    pub(super) fn zip_low(a: Register, b: Register) -> Register {
        [a[0], b[0], a[1], b[1]]
    }
    #[inline(always)]
    pub(super) fn zip_high(a: Register, b: Register) -> Register {
        [a[2], b[2], a[3], b[3]]
    }
    #[inline(always)]
    pub(super) fn low(a: Register, b: Register) -> Register {
        [a[0], a[1], b[0], b[1]]
    }
    #[inline(always)]
    pub(super) fn high(a: Register, b: Register) -> Register {
        [a[2], a[3], b[2], b[3]]
    }
}

impl U4 {
    /// `x` in all lanes.
    #[inline(always)]
    pub(super) fn splat(x: u32) -> Self {
        Self(imp::splat(x))
    }

    /// One word for each lane.
    #[inline(always)]
    pub(super) fn from_array(words: [u32; 4]) -> Self {
        Self(imp::from_array(words))
    }

    /// The lanes, two to a word, the first one low.
    #[inline(always)]
    pub(super) fn from_bits(bits: [u64; 2]) -> Self {
        Self(imp::from_bits(bits))
    }

    /// The inverse of [`U4::from_bits`].
    #[inline(always)]
    pub(super) fn to_bits(self) -> [u64; 2] {
        imp::to_bits(self.0)
    }

    /// The low halves of four words, and the high ones.
    #[inline(always)]
    pub(super) fn halves(words: [u64; 4]) -> [Self; 2] {
        Wide::from_words(words).halves()
    }

    /// The lanes with zeros above.
    #[inline(always)]
    pub(super) fn widen(self) -> Wide {
        let zero = imp::splat(0);
        Wide([imp::zip_low(self.0, zero), imp::zip_high(self.0, zero)])
    }

    /// The lanes as words.
    #[inline(always)]
    pub(super) fn to_words(self) -> [u64; 4] {
        let Wide(registers) = self.widen();
        let [[a, b], [c, d]] = registers.map(imp::to_bits);
        [a, b, c, d]
    }

    /// The product of each lane, whole.
    #[inline(always)]
    pub(super) fn product(self, other: Self) -> Wide {
        Wide([imp::products_low(self.0, other.0), imp::products_high(self.0, other.0)])
    }

    /// The smaller one of each lane.
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        Self(imp::min(self.0, other.0))
    }

    /// The bits that differ.
    #[inline(always)]
    pub(super) fn xor(self, other: Self) -> Self {
        Self(imp::xor(self.0, other.0))
    }

    /// Each lane rotated to the right.
    #[inline(always)]
    pub(super) fn rotate_right<const BITS: u32>(self) -> Self {
        Self(imp::rotate_right::<BITS>(self.0))
    }

    /// The low half of each product.
    #[inline(always)]
    pub(super) fn mul_low(self, other: Self) -> Self {
        Self(imp::mul_low(self.0, other.0))
    }

    /// The high half of each product.
    #[inline(always)]
    pub(super) fn mul_high(self, other: Self) -> Self {
        let Wide([a, b]) = self.product(other);
        Self(imp::odd(a, b))
    }

    /// Rows become columns.
    #[inline(always)]
    pub(super) fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let (ab, cd) = (imp::zip_low(a.0, b.0), imp::zip_low(c.0, d.0));
        let (ef, gh) = (imp::zip_high(a.0, b.0), imp::zip_high(c.0, d.0));
        [imp::low(ab, cd), imp::high(ab, cd), imp::low(ef, gh), imp::high(ef, gh)].map(Self)
    }
}

impl Wide {
    /// Four words.
    #[inline(always)]
    pub(super) fn from_words([a, b, c, d]: [u64; 4]) -> Self {
        Self([imp::from_bits([a, b]), imp::from_bits([c, d])])
    }

    /// The low halves, and the high ones.
    #[inline(always)]
    pub(super) fn halves(self) -> [U4; 2] {
        let [a, b] = self.0;
        [U4(imp::even(a, b)), U4(imp::odd(a, b))]
    }

    /// `x` in all lanes.
    #[inline(always)]
    pub(super) fn splat(x: u64) -> Self {
        Self([imp::from_bits([x; 2]); 2])
    }

    /// These where `words` are at least `least`, both below `2^63`, else 0.
    #[inline(always)]
    pub(super) fn where_at_least(self, words: Self, least: Self) -> Self {
        Self(std::array::from_fn(|i| imp::where_at_least(self.0[i], words.0[i], least.0[i])))
    }

    /// Divided by `2^bits`, rounded down.
    #[inline(always)]
    pub(super) fn shift(self, bits: u32) -> Self {
        Self(self.0.map(|a| imp::shift(a, bits)))
    }
}

impl Add for Wide {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([imp::add_wide(self.0[0], other.0[0]), imp::add_wide(self.0[1], other.0[1])])
    }
}

impl Add for U4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(imp::add(self.0, other.0))
    }
}

impl Sub for U4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(imp::sub(self.0, other.0))
    }
}
