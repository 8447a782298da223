//! BGV: errors are divided away by switching, which multiplies plaintexts with a factor.

use super::Chain;
use super::exact::Integers;
use crate::Result;
use crate::graph::Attrs;
use crate::ops::types::{Ciphertext, Scheme};
use crate::schemes::{SchemeName, bgv, noise};

/// BGV.
pub struct Bgv;

impl Integers for Bgv {
    fn scheme(&self, t: u64) -> Scheme {
        Scheme::Bgv { t, factor: 1 }
    }

    fn fresh(&self, chain: &Chain, t: u64) -> f64 {
        chain.fresh_noise(bgv::fresh_secret(t), |log_special| {
            noise::fresh_bgv(chain.secret(), t, noise::log2(&[chain.factor]), log_special)
        })
    }

    fn name(&self) -> SchemeName {
        SchemeName::Bgv
    }

    fn multiply_number(&self) -> Option<&'static str> {
        Some("bgv.multiply_number")
    }

    fn drops(&self) -> bool {
        true
    }

    fn switched(&self, ty: &Ciphertext, t: u64, error: f64, keep: usize) -> f64 {
        noise::switched_bgv(ty, t, error, keep).unwrap_or(f64::INFINITY)
    }

    fn switched_factor(&self, ty: &Ciphertext, t: u64, factor: u64, keep: usize) -> Result<u64> {
        bgv::switched_factor(ty, t, factor, keep)
    }

    /// Errors are multiplied.
    fn product_error(&self, first: f64, second: f64) -> f64 {
        first + second
    }

    fn product_attrs(&self, _: &[u64]) -> Attrs {
        Attrs::new()
    }

    fn budget(&self, _: u64, log_q: f64, error: f64) -> f64 {
        noise::budget_bgv(log_q, error)
    }

    /// Up to t / 2.
    fn mask_error(&self, t: u64) -> f64 {
        noise::log2(&[t]) - 1.0
    }

    fn refreshed(&self, chain: &Chain, t: u64) -> f64 {
        noise::refreshed_bgv(chain.secret(), t)
    }
}
