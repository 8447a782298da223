//! The kernels that compute in 32-bit words, for primes below `2^30`.

use super::field32::{Field32, LANES};
use super::ntt32::Tables;
use super::{Family, kernel, kernel_with_scratch, products, products32};
use crate::Result;
use crate::graph::ValueType;
use crate::math::Modulus;
use crate::ops::Call;
use crate::ops::types::Limb;
use crate::platform::Kernel;
use crate::platform::ring_cache::RingCache;
use std::sync::Arc;

/// Transforms and what multiplies limbs. Transform tables are made once per size and prime.
#[derive(Default)]
pub(super) struct Words32 {
    /// `None` for rings that the transforms cannot serve.
    rings: RingCache<Option<Arc<Tables>>>,
}

impl Words32 {
    fn ring(&self, limb: Limb, field: Field32) -> Result<Option<Arc<Tables>>> {
        self.rings.get(limb, || Ok(Tables::new(limb.n, field)?.map(Arc::new)))
    }
}

impl Family for Words32 {
    fn name(&self) -> &'static str {
        "u32x4"
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Option<Arc<dyn Kernel>>> {
        let Ok(limb) = Limb::of(output) else { return Ok(None) };
        let field = Field32::new(Modulus::new(limb.q)?).filter(|_| limb.n.is_multiple_of(LANES));
        let Some(field) = field else { return Ok(None) };
        let ring = || self.ring(limb, field);
        match call.name {
            "limb.ntt" => ring()?.map(|ring| kernel(move |i, out, _| ring.forward(out, i[0]))),
            "limb.intt" => ring()?.map(|ring| kernel(move |i, out, _| ring.inverse(out, i[0]))),
            "limb.tensor" => ring()?.map(|ring| kernel(move |i, out, _| products32::tensor(&ring, out, i))),
            "limb.convolve" => {
                let outputs = call.attrs.size("outputs")?;
                let terms = call.inputs.len() / (outputs + 1);
                let scratch = products::convolve_scratch(limb.n, terms);
                let run = |ring: Arc<Tables>| {
                    kernel_with_scratch(scratch, move |i, out, scratch| {
                        products32::convolve(&ring, (terms, outputs), out, i, scratch);
                    })
                };
                ring()?.map(run)
            }
            "limb.mul" | "limb.dot" => Some(kernel(move |i, out, _| products32::dot(&field, out, i))),
            _ => None,
        }
        .transpose()
    }
}
