//! The kernels that compute in 32-bit words, for primes below `2^30`.

use super::Family;
use super::field32::{Field32, LANES};
use super::ntt32::Tables;
use super::products::ring_kernel;
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

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Option<Kernel>> {
        let Ok(limb) = Limb::of(output) else { return Ok(None) };
        let field = Field32::new(Modulus::new(limb.q)?).filter(|_| limb.n.is_multiple_of(LANES));
        let Some(field) = field else { return Ok(None) };
        ring_kernel(call, limb.n, field.load(), || self.ring(limb, field))
    }
}
