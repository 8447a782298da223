//! A uniform limb that everybody has alike, in NTT form: the common reference of protocols between several parties. It has no inputs: attribute
//! `seed` is a public seed as four words (bytes little-endian), `stream` the number of the stream that it is drawn from, below 2^32. Other attributes: `n`, `q`.
//!
//! Not a random operator: its attributes say what it is, so that each party that has it has the same. What [`sample.uniform`](super::sample_uniform) draws from that seed in an operator with
//! that nonce is the same limb.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, OpDef};

/// The words of attribute `seed`, and attribute `stream`.
///
/// # Errors
/// `Graph` where one is missing; `Operator` for another number of words, or a stream that there is not.
pub fn common(call: &Call<'_>) -> Result<([u64; 4], u32)> {
    let words = call.attrs.uints("seed")?;
    let seed = <[u64; 4]>::try_from(words.as_slice());
    let seed = seed.map_err(|_| call.error("words of the seed", words.len(), 4))?;
    let stream = call.attrs.uint("stream")?;
    Ok((seed, u32::try_from(stream).map_err(|_| call.error("stream", stream, "below 2^32"))?))
}

/// `sample.common`; see the module.
pub struct SampleCommon;

impl OpDef for SampleCommon {
    fn name(&self) -> &str {
        "sample.common"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["n", "q", "seed", "stream"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(0)?;
        common(call)?;
        let q = call.modulus("q")?.value();
        let n = call.attrs.size("n")?;
        super::degree(call, n)?;
        Ok(Limb { n, q, form: Form::Ntt }.ty())
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        2.0 * super::length(call)
    }
}
