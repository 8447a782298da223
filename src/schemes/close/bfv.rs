//! BFV: errors grow by what the ring and t say, whatever the modulus is, which is switched to a smaller one because that is cheaper.

use super::Chain;
use super::exact::Integers;
use crate::Result;
use crate::graph::Attrs;
use crate::ops::types::{Ciphertext, Scheme};
use crate::schemes::{SchemeName, bfv, noise};

/// BFV.
pub struct Bfv {
    /// Auxiliary primes of products at the highest level.
    aux: Vec<u64>,
}

impl Bfv {
    /// BFV over a chain, with these plaintext moduli.
    ///
    /// # Errors
    /// `Math` where there are too few primes for products.
    pub fn new(chain: &Chain, t: &[u64]) -> Result<Self> {
        let aux = bfv::auxiliary_primes(chain.n, &chain.q, &[&chain.special, t].concat())?;
        Ok(Self { aux })
    }
}

impl Integers for Bfv {
    fn scheme(&self, t: u64) -> Scheme {
        Scheme::Bfv { t }
    }

    fn fresh(&self, chain: &Chain, _: u64) -> f64 {
        chain.fresh_noise(noise::fresh_secret(), |log_special| noise::fresh_bfv(chain.secret(), log_special))
    }

    fn name(&self) -> SchemeName {
        SchemeName::Bfv
    }

    fn multiply_number(&self) -> Option<&'static str> {
        None
    }

    fn drops(&self) -> bool {
        false
    }

    fn switched(&self, ty: &Ciphertext, _: u64, error: f64, keep: usize) -> f64 {
        noise::switched_bfv(ty, error, keep).unwrap_or(f64::INFINITY)
    }

    fn switched_factor(&self, _: &Ciphertext, _: u64, factor: u64, _: usize) -> Result<u64> {
        Ok(factor)
    }

    /// Each is multiplied with what does not depend on the modulus.
    fn product_error(&self, first: f64, second: f64) -> f64 {
        noise::sum(&[first, second])
    }

    fn product_attrs(&self, q: &[u64]) -> Attrs {
        Attrs::new().with("aux", bfv::enough(&self.aux, q))
    }

    fn budget(&self, t: u64, log_q: f64, error: f64) -> f64 {
        noise::budget(t, log_q, error)
    }

    /// It is rounded.
    fn mask_error(&self, _: u64) -> f64 {
        -1.0
    }

    fn refreshed(&self, chain: &Chain, _: u64) -> f64 {
        noise::refreshed_bfv(chain.secret())
    }
}
