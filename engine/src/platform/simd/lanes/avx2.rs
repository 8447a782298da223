//! Four doubles in a register of AVX2, with fused multiplication.
#![expect(unsafe_code, reason = "this file is part of builds alone whose processors have these instructions")]

use core::arch::x86_64::*;

pub(super) const LANES: usize = 4;

pub(super) type Register = __m256d;

/// Calls of instructions that a build has, on registers: nothing that could be unsound is left.
macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),+) = $call:expr;)+) => {
        $($(#[$doc])*
        #[inline(always)]
        pub(super) fn $name($($arg: Register),+) -> Register {
            // SAFETY: the processor has AVX2 and fused multiplication, as the module is compiled for these.
            unsafe { $call }
        })+
    };
}

instructions! {
    add(a, b) = _mm256_add_pd(a, b);
    sub(a, b) = _mm256_sub_pd(a, b);
    mul(a, b) = _mm256_mul_pd(a, b);
    nearest(a) = _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a);
    floor(a) = _mm256_floor_pd(a);
    madd(a, b, c) = _mm256_fmadd_pd(a, b, c);
    nmadd(a, b, c) = _mm256_fnmadd_pd(a, b, c);
    or(a, b) = _mm256_or_pd(a, b);
    xor(a, b) = _mm256_xor_pd(a, b);
    /// `b` where `a` is negative, else 0.
    where_negative(a, b) = _mm256_and_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, _mm256_setzero_pd()), b);
    /// `b` where `a` is at least `least`, else 0.
    where_at_least(a, least, b) = _mm256_and_pd(_mm256_cmp_pd::<_CMP_GE_OQ>(a, least), b);
}

#[inline(always)]
pub(super) fn splat(x: f64) -> Register {
    bytemuck::cast([x; LANES])
}

#[inline(always)]
pub(super) fn from_bits(bits: [u64; LANES]) -> Register {
    bytemuck::cast(bits)
}

#[inline(always)]
pub(super) fn to_bits(a: Register) -> [u64; LANES] {
    bytemuck::cast(a)
}

/// Four blocks of four neighbors become one in each lane.
#[inline(always)]
pub(super) fn transpose([a, b, c, d]: [Register; 4]) -> [Register; 4] {
    // SAFETY: as of the instructions above.
    unsafe {
        // Of each pair of lanes the first ones of two blocks, and the second ones.
        let [ab, cd] = [_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)];
        let [ef, gh] = [_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d)];
        [
            _mm256_permute2f128_pd::<0x20>(ab, cd),
            _mm256_permute2f128_pd::<0x20>(ef, gh),
            _mm256_permute2f128_pd::<0x31>(ab, cd),
            _mm256_permute2f128_pd::<0x31>(ef, gh),
        ]
    }
}

/// The inverse of [`transpose`], which is its own.
#[inline(always)]
pub(super) fn transpose_back(registers: [Register; 4]) -> [Register; 4] {
    transpose(registers)
}
