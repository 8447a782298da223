//! The kernels that compute in doubles, for primes below `2^50`, in one of two arithmetics.

use super::base_change::{BaseChange, MadeChange};
use super::field::{Arithmetic, BLOCK, BlockSums, Field, MOST_TERMS, all};
use super::ntt::Tables;
use super::pointwise::Words;
use super::products::ring_kernel;
use super::{Family, kernel};
use crate::Result;
use crate::graph::ValueType;
use crate::math::Modulus;
use crate::ops::types::{Limb, Poly};
use crate::ops::{Call, fused};
use crate::platform::Kernel;
use crate::platform::ring_cache::RingCache;
use std::sync::Arc;

/// Kernels in arithmetic `A`. Transform tables are made once per size and prime.
pub(super) struct Doubles<A, const K: usize> {
    name: &'static str,
    /// `None` for rings that the transforms cannot serve.
    rings: RingCache<Option<Arc<Tables<A, K>>>>,
}

impl<A: Arithmetic<K> + BlockSums, const K: usize> Doubles<A, K> {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, rings: RingCache::default() }
    }

    fn ring(&self, limb: Limb, field: Field) -> Result<Option<Arc<Tables<A, K>>>> {
        self.rings.get(limb, || Ok(Tables::new(limb.n, field)?.map(Arc::new)))
    }
}

/// The prime of a limb, if it is below `2^50`.
fn field(limb: Limb) -> Result<Option<Field>> {
    Ok(Field::new(Modulus::new(limb.q)?))
}

impl<A: Arithmetic<K> + BlockSums, const K: usize> Family for Doubles<A, K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Option<Kernel>> {
        if let Some(change) = fused::base_change(call)? {
            let n = Poly::of(output)?.n;
            if A::MADE
                && let Some(made) = MadeChange::find(&change, n)?
            {
                let names = vec![made.name().to_owned()];
                return Ok(Some(kernel(move |i, out, _| made.run(out, i))?.named(names)));
            }
            let change = BaseChange::<A>::new(&change);
            return change
                .filter(|_| n.is_multiple_of(BLOCK))
                .map(|c| kernel(move |i, out, _| c.run(out, i)))
                .transpose();
        }
        let Ok(limb) = Limb::of(output) else { return Ok(None) };
        let Some(field) = field(limb)? else { return Ok(None) };
        if !limb.n.is_multiple_of(BLOCK) || call.inputs.len() > MOST_TERMS {
            return Ok(None);
        }
        if matches!(call.name, "limb.convolve" | "limb.ntt_from" | "limb.ntt_divide") {
            for index in 0..call.inputs.len() {
                if self::field(call.limb(index)?)?.is_none() {
                    return Ok(None);
                }
            }
        }
        if let Some(kernel) =
            ring_kernel(call, limb.n, A::prime(&field, field.bits()), || self.ring(limb, field))?
        {
            return Ok(Some(kernel));
        }
        let words = Words::of(&field);
        match call.name {
            "limb.add" => Some(kernel(move |i, out, _| words.add(out, i[0], i[1]))),
            "limb.sub" => Some(kernel(move |i, out, _| words.sub(out, i[0], i[1]))),
            "limb.from_small" => Some(kernel(move |i, out, _| words.reduce_signed(out, i[0]))),
            "limb.mul_scalar" => {
                let (prime, c) = (A::load(&field), A::factor(&field, call.attrs.uint("c")?));
                Some(kernel(move |i, out, _| {
                    let c = all(&c);
                    for (out, &a) in out.as_chunks_mut().0.iter_mut().zip(i[0].as_chunks().0) {
                        *out = prime.finish_product(prime.mul(prime.read(a), &c));
                    }
                }))
            }
            _ => None,
        }
        .transpose()
    }
}
