//! The platform for vectors of 128 bits, natively of 256 where there are such, and fast doubles, made for wasm `simd128`: bit for bit what [`Scalar`] computes, for
//! small primes faster. Families of kernels stand side by side; the first one that can serve an operator, in the order
//! that fits this machine, does. What none can serve (other operators, large primes, tiny rings) falls back to the
//! [`Scalar`] inside.

mod base_change;
mod doubles;
mod field;
mod field32;
#[cfg(any(test, target_feature = "relaxed-simd", target_feature = "fma"))]
mod fused;
mod lanes;
mod lanes32;
mod layers;
mod ntt;
mod ntt32;
mod pointwise;
mod products;
#[cfg(any(test, not(target_feature = "relaxed-simd")))]
mod quotient;
#[cfg(any(test, not(target_feature = "relaxed-simd")))]
mod split;
mod streams;
mod sums32;
mod words32;

use super::scalar::{kernel, kernel_with_scratch};
use super::{Kernel, Platform, Scalar};
use crate::Result;
use crate::graph::ValueType;
use crate::ops::Call;
use doubles::Doubles;
use streams::Streams;
use words32::Words32;

/// Kernels of one kind.
trait Family: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The implementation of one signature; none for what the family cannot serve.
    ///
    /// # Errors
    /// As [`Platform::kernel`].
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Option<Kernel>>;
}

/// The vector platform.
pub struct Simd {
    scalar: Scalar,
    /// In the order in which they are asked.
    families: Vec<Box<dyn Family>>,
}

impl Default for Simd {
    fn default() -> Self {
        Self::new()
    }
}

/// All families that run on this machine, the fastest first. A build with relaxed SIMD is taken where that fuses
/// (`bindings/src/choose-mode.ts`), and has no other doubles.
fn families() -> Vec<Box<dyn Family>> {
    let small: Box<dyn Family> = Box::new(Words32::default());
    let random: Box<dyn Family> = Box::new(Streams::default());
    fused_family().into_iter().chain([small]).chain(split_family()).chain([random]).collect()
}

/// What a family is called that has so many doubles side by side.
const fn laned(two: &'static str, four: &'static str) -> &'static str {
    if lanes::LANES == 4 { four } else { two }
}

/// Where they round twice.
#[cfg(any(test, not(target_feature = "relaxed-simd")))]
fn split_family() -> Option<Box<dyn Family>> {
    Some(Box::new(Doubles::<split::Split, 4>::new(laned("f64x2", "f64x4"))))
}

#[cfg(not(any(test, not(target_feature = "relaxed-simd"))))]
fn split_family() -> Option<Box<dyn Family>> {
    None
}

/// Where multiplication and addition round once.
#[cfg(any(test, target_feature = "relaxed-simd", target_feature = "fma"))]
fn fused_family() -> Option<Box<dyn Family>> {
    let family =
        || -> Box<dyn Family> { Box::new(Doubles::<fused::Fused, 2>::new(laned("f64x2-fma", "f64x4-fma"))) };
    lanes::fuses().then(family)
}

#[cfg(not(any(test, target_feature = "relaxed-simd", target_feature = "fma")))]
fn fused_family() -> Option<Box<dyn Family>> {
    None
}

impl Simd {
    /// The platform with all base operators.
    pub fn new() -> Self {
        Self { scalar: Scalar::new(), families: families() }
    }

    /// The platform without those on plain data.
    pub fn lattice() -> Self {
        Self { scalar: Scalar::lattice(), families: families() }
    }

    /// The names of the families of kernels that run on this machine, in the order in which they are asked: `f64x2-fma`
    /// (doubles with fused multiplication, primes below `2^50`), `u32x4` (32-bit words, primes below `2^30`), `f64x2`
    /// (doubles without fused multiplication, primes below `2^50`), `blake3x4` (random operators); `f64x4-fma` and `f64x4` where lanes are four.
    pub fn families(&self) -> Vec<&'static str> {
        self.families.iter().map(|family| family.name()).collect()
    }

    /// The platform with one family only, to measure it or to test it; what it cannot serve is left to [`Scalar`].
    pub fn only(family: &str) -> Self {
        let families = families().into_iter().filter(|f| f.name() == family).collect();
        Self { scalar: Scalar::new(), families }
    }
}

impl Platform for Simd {
    fn name(&self) -> &str {
        "simd"
    }

    fn implements(&self, op: &str) -> bool {
        self.scalar.implements(op)
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        for family in &self.families {
            if let Some(kernel) = family.kernel(call, output)? {
                return Ok(kernel.named(vec![family.name().to_owned()]));
            }
        }
        self.scalar.kernel(call, output)
    }

    fn cost(&self, call: &Call<'_>, output: &ValueType, work: f64) -> f64 {
        let serves = |family: &dyn Family| family.kernel(call, output).is_ok_and(|kernel| kernel.is_some());
        if self.families.iter().any(|family| serves(&**family)) {
            work
        } else {
            self.scalar.cost(call, output, work)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::conformance;

    #[test]
    fn every_family_gives_the_same_bits() {
        let all = Simd::new().families();
        let expected = [laned("f64x2-fma", "f64x4-fma"), "u32x4", laned("f64x2", "f64x4"), "blake3x4"];
        assert_eq!(all, expected, "tests have a fused multiplication");
        for family in all {
            conformance::check(&Simd::only(family)).unwrap();
        }
    }
}
