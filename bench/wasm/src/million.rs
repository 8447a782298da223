//! A very large graph, taken through the first stages: built from scheme operators as a user does, expanded to the base
//! set, analyzed. It is never run.

use cipherloom::analyze::{self, Dependencies};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::types::{Ciphertext, SwitchingKey};
use cipherloom::ops::{Registry, Session};
use cipherloom::platform::{Platform, Simd};
use cipherloom::schemes;
use wasm_bindgen::prelude::*;

type Result<T> = std::result::Result<T, JsError>;

/// Ring dimension of the graph's ciphertexts; data primes, and auxiliary ones of a multiplication.
const N: usize = 4096;
const DATA: usize = 2;
const AUX: usize = 3;
/// Ciphertexts that are multiplied with each other.
const INPUTS: usize = 64;

/// One large graph, stage by stage.
#[wasm_bindgen]
pub struct Large {
    registry: Registry,
    platform: Simd,
    scheme: Graph,
    base: Graph,
    dependencies: Dependencies,
}

#[wasm_bindgen]
impl Large {
    /// Nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Large {
        let (scheme, base) = (Graph::new(64), Graph::new(64));
        Self {
            registry: schemes::registry(),
            platform: Simd::new(),
            scheme,
            base,
            dependencies: Dependencies::default(),
        }
    }

    /// Sums of products, as in a matrix product: `count` multiplications, relinearizations and additions.
    pub fn build(&mut self, count: usize) -> Result<usize> {
        let t = ntt_primes(20, N, 1, &[])?[0];
        let primes = ntt_primes(50, N, DATA + 1 + AUX, &[])?;
        let (q, rest) = primes.split_at(DATA);
        let (special, aux) = rest.split_at(1);
        let ty = Ciphertext { n: N, t, q: q.to_vec(), parts: 2 }.ty();
        let key = SwitchingKey { n: N, q: q.to_vec(), special: special.to_vec(), digit: 1 }.ty();
        let multiply = Attrs::new().with("aux", aux);
        let mut s = Session::new(Graph::new(64), &self.registry);
        let key = s.graph_mut().add_input("key", key)?;
        let mut inputs = Vec::with_capacity(INPUTS);
        for index in 0..INPUTS {
            inputs.push(s.graph_mut().add_input(&index.to_string(), ty.clone())?);
        }
        let mut sum = None;
        for index in 0..count {
            let factors = [inputs[index % INPUTS], inputs[(index / INPUTS + index) % INPUTS]];
            let product = s.op("bfv.multiply", multiply.clone(), &factors)?;
            let product = s.op("bfv.relinearize", Attrs::new(), &[product, key])?;
            sum = Some(match sum {
                None => product,
                Some(sum) => s.op("bfv.add", Attrs::new(), &[sum, product])?,
            });
        }
        if let Some(sum) = sum {
            s.graph_mut().declare_output("sum", sum);
        }
        self.scheme = s.finish();
        Ok(self.scheme.operators().len())
    }

    /// Down to the base set; gives the number of base operators.
    pub fn expand(&mut self) -> Result<usize> {
        let base = BaseSet { platform: self.platform.name(), contains: &|op| self.platform.implements(op) };
        self.base = Expander::new(&self.registry).expand(&self.scheme, &base)?;
        Ok(self.base.operators().len())
    }

    /// Who waits for whom; gives the number of base operators that were analyzed.
    pub fn analyze(&mut self) -> Result<usize> {
        self.dependencies = analyze::analyze(&self.base).map_err(cipherloom::Error::from)?;
        Ok(self.dependencies.len())
    }
}

impl Default for Large {
    fn default() -> Self {
        Self::new()
    }
}
