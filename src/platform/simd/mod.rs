//! The platform for 128-bit vectors and fast doubles, made for wasm `simd128`: bit for bit what [`Scalar`] computes,
//! for primes below `2^50` faster, and below `2^30` faster again. It has kernels for the operators that programs spend
//! their time in; what these cannot serve (other operators, larger primes, tiny rings) falls back to the [`Scalar`]
//! inside.

mod base_change;
mod field;
mod field32;
mod lanes;
mod lanes32;
mod ntt;
mod ntt32;
mod pointwise;
mod products;
mod sums;

use super::scalar::{kernel, kernel_with_scratch};
use super::{Kernel, Platform, Scalar};
use crate::Result;
use crate::graph::ValueType;
use crate::math::Modulus;
use crate::ops::types::{Limb, Poly};
use crate::ops::{Call, fused};
use field32::Field32;
use ntt::Transform;
use pointwise::Words;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// By ring dimension and prime; `None` for what the kernels cannot serve.
type Transforms = HashMap<(usize, u64), Option<Arc<dyn Transform>>>;

/// The vector platform. Transform tables are made once per size and prime.
pub struct Simd {
    scalar: Scalar,
    /// Whether this machine multiplies and adds with one rounding.
    fused: bool,
    transforms: Mutex<Transforms>,
}

impl Default for Simd {
    fn default() -> Self {
        Self { scalar: Scalar::new(), fused: lanes::fuses(), transforms: Mutex::default() }
    }
}

impl Simd {
    /// The platform with all base operators.
    pub fn new() -> Self {
        Self::default()
    }

    fn transform(&self, limb: Limb) -> Result<Option<Arc<dyn Transform>>> {
        let mut transforms = self.transforms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(transform) = transforms.get(&(limb.n, limb.q)) {
            return Ok(transform.clone());
        }
        let modulus = Modulus::new(limb.q)?;
        let transform = match ntt32::transform(limb.n, modulus)? {
            Some(transform) => Some(transform),
            None => ntt::transform(limb.n, modulus, self.fused)?,
        };
        transforms.insert((limb.n, limb.q), transform.clone());
        Ok(transform)
    }

    /// None for what [`Scalar`] has to do.
    fn own_kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Option<Arc<dyn Kernel>>> {
        if let Some(change) = fused::base_change(call)? {
            let n = Poly::of(output)?.n;
            let change = base_change::BaseChange::new(&change).filter(|_| n.is_multiple_of(sums::BLOCK));
            return change.map(|change| kernel(move |i, out, _| change.run(out, i))).transpose();
        }
        let Ok(limb) = Limb::of(output) else { return Ok(None) };
        let modulus = Modulus::new(limb.q)?;
        let Some(words) = Words::new(modulus) else { return Ok(None) };
        Ok(Some(match call.name {
            "limb.ntt" | "limb.intt" => {
                let Some(transform) = self.transform(limb)? else { return Ok(None) };
                match call.name {
                    "limb.ntt" => kernel(move |i, out, _| transform.forward(out, i[0]))?,
                    _ => kernel(move |i, out, _| transform.inverse(out, i[0]))?,
                }
            }
            "limb.add" => kernel(move |i, out, _| words.add(out, i[0], i[1]))?,
            "limb.sub" => kernel(move |i, out, _| words.sub(out, i[0], i[1]))?,
            "limb.mul" => match Field32::new(modulus).filter(|_| limb.n.is_multiple_of(4)) {
                Some(field) => kernel(move |i, out, _| field.products(out, i[0], i[1]))?,
                None => kernel(move |i, out, _| words.mul(out, i[0], i[1]))?,
            },
            "limb.mul_scalar" => {
                let c = call.attrs.uint("c")?;
                kernel(move |i, out, _| words.mul_scalar(out, i[0], c))?
            }
            "limb.scale_sub" => {
                let c = call.attrs.uint("c")?;
                kernel(move |i, out, _| words.scale_sub(out, i[0], i[1], c))?
            }
            "limb.dot" if limb.n.is_multiple_of(sums::BLOCK) && call.inputs.len() <= 2 * sums::TERMS => {
                let terms = call.inputs.len() / 2;
                kernel(move |i, out, _| sums::dot::<false>(&words, out, terms, |t| (i[2 * t], i[2 * t + 1])))?
            }
            "limb.convolve" if limb.n.is_multiple_of(sums::BLOCK) && call.inputs.len() < sums::TERMS => {
                for index in 0..call.inputs.len() {
                    if Words::new(Modulus::new(call.limb(index)?.q)?).is_none() {
                        return Ok(None);
                    }
                }
                let Some(transform) = self.transform(limb)? else { return Ok(None) };
                let outputs = call.attrs.size("outputs")?;
                let terms = call.inputs.len() / (outputs + 1);
                let convolution = products::Convolution { n: limb.n, terms, outputs, words, transform };
                kernel_with_scratch(convolution.scratch(), move |i, out, s| convolution.run(out, i, s))?
            }
            "limb.tensor" if limb.n.is_multiple_of(sums::BLOCK) => {
                let Some(transform) = self.transform(limb)? else { return Ok(None) };
                kernel(move |i, out, _| products::tensor(&words, &*transform, out, i))?
            }
            "rns.convert" if limb.n.is_multiple_of(sums::BLOCK) && call.inputs.len() <= sums::TERMS => {
                for index in 0..call.attrs.uints("c")?.len() {
                    if Words::new(Modulus::new(call.limb(index)?.q)?).is_none() {
                        return Ok(None);
                    }
                }
                let mut c = call.attrs.uints("c")?;
                if call.attrs.get("w").is_some() {
                    c.push(modulus.neg(call.attrs.uint("w")?));
                }
                let constants: Vec<_> = c.into_iter().map(|c| (c, words.ratio(c))).collect();
                kernel(move |i, out, _| sums::combine(&words, out, i, &constants))?
            }
            _ => return Ok(None),
        }))
    }
}

impl Platform for Simd {
    fn name(&self) -> &str {
        "simd"
    }

    fn implements(&self, op: &str) -> bool {
        self.scalar.implements(op)
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Arc<dyn Kernel>> {
        match self.own_kernel(call, output)? {
            Some(kernel) => Ok(kernel),
            None => self.scalar.kernel(call, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::conformance;

    #[test]
    fn fused_or_not_the_bits_are_the_same() {
        for fused in [false, true] {
            conformance::check(&Simd { fused, ..Simd::new() }).unwrap();
        }
        assert!(Simd::new().fused, "tests have a fused multiplication");
    }
}
