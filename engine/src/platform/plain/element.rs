//! The arithmetic of elements, as ARCHITECTURE.md fixes it.

use super::arithmetic::{one, two};
use crate::math::tanh::tanh;
use bytemuck::Pod;

/// Elements that kernels compute with.
pub(super) trait Number: Pod + PartialOrd + Send + Sync {
    /// The unsigned integers of its width.
    type Bits: Pod + Ord + Send + Sync;
    /// What sums are made of.
    type Total: Number;
    /// Whether sums depend on the order of their elements.
    const ORDERED: bool;
    const ZERO: Self;
    const ONE: Self;
    /// What changes no other one by `min` and by `max`.
    const HIGHEST: Self;
    const LOWEST: Self;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// `min` of pairs of elements.
    fn min_all(inputs: [&[Self]; 2], out: &mut [Self]) {
        two(inputs, out, Self::min);
    }
    /// `max` of pairs of elements.
    fn max_all(inputs: [&[Self]; 2], out: &mut [Self]) {
        two(inputs, out, Self::max);
    }
    fn total(self) -> Self::Total;
    /// 0 or 1.
    fn flag(set: bool) -> Self::Bits;
    /// A number whose order is that of `sort`.
    fn key(self) -> Self::Bits;
    /// What has that key.
    fn of_key(key: Self::Bits) -> Self;
    fn is_nan(self) -> bool;
}

/// Elements that are rows of bits.
pub(super) trait Integer: Number {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    fn shl(self, by: Self) -> Self;
    fn shr(self, by: Self) -> Self;
    fn rotl(self, by: Self) -> Self;
}

/// Elements that have roots and logarithms.
pub(super) trait Float: Number {
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn log(self) -> Self;
    fn tanh(self) -> Self;
    /// `tanh` of every element.
    fn tanh_all(a: &[Self], out: &mut [Self]) {
        one(a, out, Self::tanh);
    }
}

macro_rules! integer {
    ($type:ty, $bits:ty, $total:ty, abs: $abs:expr) => {
        impl Number for $type {
            type Bits = $bits;
            type Total = $total;
            const ORDERED: bool = false;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const HIGHEST: Self = Self::MAX;
            const LOWEST: Self = Self::MIN;

            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn div(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }
            fn rem(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            fn abs(self) -> Self {
                $abs(self)
            }
            fn min(self, other: Self) -> Self {
                Ord::min(self, other)
            }
            fn max(self, other: Self) -> Self {
                Ord::max(self, other)
            }
            fn total(self) -> $total {
                <$total>::from(self)
            }
            fn flag(set: bool) -> $bits {
                <$bits>::from(set)
            }
            // Signed ones: the sign's bit turned, so that negative ones come first.
            fn key(self) -> $bits {
                (self ^ Self::MIN) as $bits
            }
            fn of_key(key: $bits) -> Self {
                key as Self ^ Self::MIN
            }
            fn is_nan(self) -> bool {
                false
            }
        }

        impl Integer for $type {
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            fn not(self) -> Self {
                !self
            }
            // Wrapping: the amount modulo the bits, which divide 2^32.
            fn shl(self, by: Self) -> Self {
                self.wrapping_shl(by as u32)
            }
            fn shr(self, by: Self) -> Self {
                self.wrapping_shr(by as u32)
            }
            fn rotl(self, by: Self) -> Self {
                self.rotate_left(by as u32 % Self::BITS)
            }
        }
    };
}

integer!(u8, u8, u64, abs: |x| x);
integer!(u32, u32, u64, abs: |x| x);
integer!(u64, u64, u64, abs: |x| x);
integer!(i32, u32, i64, abs: i32::wrapping_abs);
integer!(i64, u64, i64, abs: i64::wrapping_abs);

/// The bits of the smaller or larger of two floats, of NaN if either is; -0 is below +0. By integers: where a build has
/// relaxed SIMD, the compiler makes vector instructions of a comparison of floats that chooses, and these pass over NaN.
macro_rules! choose {
    ($type:ty, $bits:ty, $a:expr, $b:expr, $better:tt) => {{
        let (a, b): ($bits, $bits) = ($a, $b);
        // In the order of the floats: below 0 the other bits count down.
        let order = |bits: $bits| {
            let bits = bits.cast_signed();
            bits ^ ((bits >> (<$bits>::BITS - 1)).cast_unsigned() >> 1).cast_signed()
        };
        let nan = |bits: $bits| bits & (<$bits>::MAX >> 1) > <$type>::INFINITY.to_bits();
        let chosen = if order(b) $better order(a) { b } else { a };
        if nan(a) {
            a
        } else if nan(b) {
            b
        } else {
            chosen
        }
    }};
}

macro_rules! float {
    ($type:ty, $bits:ty, $exp:path, $log:path, $tanh:path, $rem:path $(, $own:item)*) => {
        impl Number for $type {
            type Bits = $bits;
            type Total = Self;
            const ORDERED: bool = true;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const HIGHEST: Self = Self::INFINITY;
            const LOWEST: Self = Self::NEG_INFINITY;

            fn add(self, other: Self) -> Self {
                self + other
            }
            fn sub(self, other: Self) -> Self {
                self - other
            }
            fn mul(self, other: Self) -> Self {
                self * other
            }
            fn div(self, other: Self) -> Self {
                self / other
            }
            fn rem(self, other: Self) -> Self {
                $rem(self, other)
            }
            fn neg(self) -> Self {
                -self
            }
            fn abs(self) -> Self {
                <$type>::abs(self)
            }
            fn min(self, other: Self) -> Self {
                Self::from_bits(choose!($type, $bits, self.to_bits(), other.to_bits(), <))
            }
            fn max(self, other: Self) -> Self {
                Self::from_bits(choose!($type, $bits, self.to_bits(), other.to_bits(), >))
            }
            #[cfg(target_arch = "wasm32")]
            fn min_all(inputs: [&[Self]; 2], out: &mut [Self]) {
                super::extremes::Extremes::min_all(inputs, out, Number::min);
            }
            #[cfg(target_arch = "wasm32")]
            fn max_all(inputs: [&[Self]; 2], out: &mut [Self]) {
                super::extremes::Extremes::max_all(inputs, out, Number::max);
            }
            fn total(self) -> Self {
                self
            }
            fn flag(set: bool) -> $bits {
                <$bits>::from(set)
            }
            // All NaNs become the one above all others.
            fn key(self) -> $bits {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                let bits = self.to_bits();
                match self.is_nan() {
                    true => <$bits>::MAX,
                    false if bits & SIGN == 0 => bits | SIGN,
                    false => !bits,
                }
            }
            fn of_key(key: $bits) -> Self {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                Self::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
            }
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }
        }

        impl Float for $type {
            fn sqrt(self) -> Self {
                // Correctly rounded wherever there is one.
                <$type>::sqrt(self)
            }
            fn exp(self) -> Self {
                $exp(self)
            }
            fn log(self) -> Self {
                $log(self)
            }
            fn tanh(self) -> Self {
                $tanh(self)
            }
            $($own)*
        }
    };
}

float!(
    f32,
    u32,
    libm::expf,
    libm::logf,
    tanh,
    libm::fmodf,
    #[cfg(target_arch = "wasm32")]
    fn tanh_all(a: &[f32], out: &mut [f32]) {
        super::tanh_lanes::tanh_all(a, out);
    }
);
float!(f64, u64, libm::exp, libm::log, libm::tanh, libm::fmod);
