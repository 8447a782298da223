//! Very large graphs, stage by stage. Nothing is run.

use crate::shapes;
use cipherloom::circuit::{Analysis, Circuit, Execution, RunOptions, To};
use cipherloom::ops::Registry;
use cipherloom::platform::Simd;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

type Result<T> = std::result::Result<T, JsError>;

/// One graph. Every stage keeps its result, but drops the graph that it was made of, as `using` does.
#[wasm_bindgen]
pub struct Scale {
    registry: Arc<Registry>,
    platform: Simd,
    built: Option<Circuit>,
    base: Option<Circuit>,
    lean: Option<Circuit>,
    analysis: Option<Analysis>,
    execution: Option<Execution>,
    bytes: Vec<u8>,
}

/// Names of the shapes of graphs.
#[wasm_bindgen]
pub fn shapes() -> Vec<String> {
    shapes::SHAPES.iter().map(|(name, _)| (*name).to_owned()).collect()
}

fn made<T>(result: &Option<T>) -> cipherloom::Result<&T> {
    result.as_ref().ok_or(cipherloom::Error::Job("stages come in order"))
}

fn operators(circuit: &Circuit) -> usize {
    circuit.graph().operators().len()
}

#[wasm_bindgen]
impl Scale {
    /// Nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Scale {
        Self {
            registry: Arc::new(cipherloom::registry()),
            platform: Simd::new(),
            built: None,
            base: None,
            lean: None,
            analysis: None,
            execution: None,
            bytes: Vec::new(),
        }
    }

    /// A graph of that shape and of about so many base operators; gives its operators.
    pub fn build(&mut self, shape: &str, count: usize) -> Result<usize> {
        Ok(operators(self.built.insert(shapes::build(shape, &self.registry, count)?)))
    }

    /// Down to what the platform implements; gives the operators.
    pub fn expand(&mut self) -> Result<usize> {
        let base = made(&self.built)?.expand(To::Platform(&self.platform))?;
        self.built = None;
        Ok(operators(self.base.insert(base)))
    }

    /// The default passes; gives the operators that are left.
    pub fn optimize(&mut self) -> Result<usize> {
        let lean = made(&self.base)?.optimize_by_default()?;
        self.base = None;
        Ok(operators(self.lean.insert(lean)))
    }

    /// Who waits for whom.
    pub fn analyze(&mut self) -> Result<()> {
        self.analysis = Some(made(&self.lean)?.analyze()?);
        Ok(())
    }

    /// A plan for one platform.
    pub fn plan(&mut self) -> Result<()> {
        self.execution = Some(made(&self.lean)?.plan(&self.platform, &[], RunOptions::default())?);
        Ok(())
    }

    /// Saves the optimized graph; gives the number of bytes.
    pub fn save(&mut self) -> Result<usize> {
        self.bytes = made(&self.lean)?.to_bytes();
        Ok(self.bytes.len())
    }

    /// Loads what was saved.
    pub fn load(&mut self) -> Result<usize> {
        Ok(operators(&Circuit::from_bytes(&self.bytes, Arc::clone(&self.registry))?))
    }

    /// Forgets all but the optimized graph.
    pub fn release(&mut self) {
        let lean = self.lean.take();
        *self = Self { lean, ..Self::new() };
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::new()
    }
}
