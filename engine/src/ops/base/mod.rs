//! The base operators: lattice algebra on single limbs, and what any graph needs; what a platform implements.

mod add;
mod add_scalar;
mod automorphism;
mod constant;
mod convert;
pub(crate) mod copy;
mod decimate;
mod dot;
mod fold;
mod from_real;
mod from_small;
mod intt;
mod mul;
mod mul_scalar;
mod neg;
mod norm;
mod ntt;
mod permute;
mod quotient;
mod sample_common;
mod sample_error;
mod sample_gaussian;
mod sample_mask;
mod sample_secret;
mod sample_ternary;
mod sample_uniform;
mod sample_words;
mod scale_sub;
mod slots_constant;
mod slots_embed;
mod slots_read;
mod slots_unembed;
mod slots_write;
mod sub;
mod to_real;

pub use sample_common::common;
pub use sample_gaussian::deviation;
pub use slots_embed::embedded;
pub use slots_unembed::unembedded;

use super::{Call, OpDef};
use crate::Result;
use crate::graph::ValueType;
use crate::math::ntt::MAX_DEGREE;
use crate::ops::types::{Form, Limb};
use std::sync::Arc;

/// All base operator types.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(add::Add),
        Arc::new(sub::Sub),
        Arc::new(neg::Neg),
        Arc::new(mul::Mul),
        Arc::new(add_scalar::AddScalar),
        Arc::new(mul_scalar::MulScalar),
        Arc::new(scale_sub::ScaleSub),
        Arc::new(dot::Dot),
        Arc::new(ntt::Ntt),
        Arc::new(intt::Intt),
        Arc::new(automorphism::Automorphism),
        Arc::new(decimate::Decimate),
        Arc::new(fold::Fold),
        Arc::new(permute::Permute),
        Arc::new(from_small::FromSmall),
        Arc::new(from_real::FromReal),
        Arc::new(to_real::ToReal),
        Arc::new(quotient::Quotient),
        Arc::new(convert::Convert),
        Arc::new(norm::Norm),
        Arc::new(constant::Constant),
        Arc::new(copy::Copy),
        Arc::new(sample_uniform::SampleUniform),
        Arc::new(sample_common::SampleCommon),
        Arc::new(sample_mask::SampleMask),
        Arc::new(sample_secret::SampleSecret),
        Arc::new(sample_ternary::SampleTernary),
        Arc::new(sample_error::SampleError),
        Arc::new(sample_gaussian::SampleGaussian),
        Arc::new(sample_words::SampleWords),
        Arc::new(slots_write::SlotsWrite),
        Arc::new(slots_read::SlotsRead),
        Arc::new(slots_constant::SlotsConstant),
        Arc::new(slots_embed::SlotsEmbed),
        Arc::new(slots_unembed::SlotsUnembed),
    ]
}

/// The limb that comes of one and attribute `c`, which is below its prime.
fn with_constant(call: &Call<'_>) -> Result<ValueType> {
    call.arity(1)?;
    let limb = call.limb(0)?;
    below(call, "c", limb.q)?;
    Ok(call.inputs[0].clone())
}

/// Checks that attribute `name` is below `limit`.
pub(in crate::ops) fn below(call: &Call<'_>, name: &str, limit: u64) -> Result<()> {
    match call.attrs.uint(name)? {
        value if value < limit => Ok(()),
        value => Err(call.error(name, value, format!("less than {limit}"))),
    }
}

/// Checks that a ring dimension is one that transforms have.
pub(in crate::ops) fn degree(call: &Call<'_>, n: usize) -> Result<()> {
    if n.is_power_of_two() && (2..=MAX_DEGREE).contains(&n) {
        return Ok(());
    }
    Err(call.error("n", n, format!("a power of two from 2 to {MAX_DEGREE}")))
}

/// Attribute `g`, checked to be a Galois element: odd, below 2n.
///
/// # Errors
/// `Operator` for another number, or where `n` is no ring dimension.
pub fn galois(call: &Call<'_>, n: usize) -> Result<u64> {
    degree(call, n)?;
    let g = call.attrs.uint("g")?;
    if g % 2 == 0 || g >= 2 * n as u64 {
        return Err(call.error("g", g, format!("an odd number below {}", 2 * n)));
    }
    Ok(g)
}

/// Checks that the first `count` inputs are coefficient limbs of one length, at least one, and gives it.
fn residues(call: &Call<'_>, count: usize) -> Result<usize> {
    use super::types::Form;
    call.at_least(1)?;
    let n = call.limb_in(0, Form::Coeff)?.n;
    for index in 1..count {
        if call.limb_in(index, Form::Coeff)?.n != n {
            return Err(call.error(
                format!("input {index}"),
                &call.inputs[index],
                format!("a limb with n={n}"),
            ));
        }
    }
    Ok(n)
}

/// A limb that is drawn uniformly from a seed, NTT form: attributes `n`, `q`.
fn uniform_limb(call: &Call<'_>, seed: &str) -> Result<ValueType> {
    call.arity(1)?;
    call.input(0, seed)?;
    let q = call.modulus("q")?.value();
    Ok(Limb { n: call.attrs.size("n")?, q, form: Form::Ntt }.ty())
}

/// Units of the first input, or attribute `n` where there is none: the length that costs scale with.
fn length(call: &Call<'_>) -> f64 {
    let own = call.attrs.size("n").ok();
    own.or_else(|| call.inputs.first().map(|t| t.size as usize)).unwrap_or(1) as f64
}
