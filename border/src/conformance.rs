//! The conformance suite across the border, operator type by operator type: the worker that asks looks at its messages between
//! them. A module of its own, since its cases are a third as large as all that they try.

use super::{Thrown, to_js};
use cipherloom::Error;
use cipherloom::platform::conformance::{self, Tried, operators, try_operator};
use cipherloom::platform::{Platform, Scalar, Simd};
use serde::Serialize;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The conformance suite of a platform.
#[wasm_bindgen]
pub struct RawConformance {
    platform: Arc<dyn Platform>,
    operators: Vec<Arc<dyn cipherloom::ops::OpDef>>,
}

#[wasm_bindgen]
impl RawConformance {
    /// See [`conformance::operators`].
    ///
    /// # Errors
    /// Throws for a platform that does not exist.
    #[wasm_bindgen(constructor)]
    pub fn new(platform: &str) -> Result<RawConformance, Thrown> {
        let platform: Arc<dyn Platform> = match platform {
            "simd" => Arc::new(Simd::new()),
            "scalar" => Arc::new(Scalar::new()),
            found => {
                let (at, expected) = ("platform".into(), "simd or scalar".into());
                return Err(Error::Task { at, found: found.into(), expected }.into());
            }
        };
        let operators = operators(&*platform);
        Ok(Self { platform, operators })
    }

    /// Names of the operator types.
    pub fn names(&self) -> Vec<String> {
        self.operators.iter().map(|def| def.name().to_owned()).collect()
    }

    /// See [`conformance::try_operator`]: type number `index`.
    ///
    /// # Errors
    /// Throws where there is no such type.
    pub fn check(&self, index: usize) -> Result<JsValue, Thrown> {
        #[derive(Serialize)]
        struct Outcome {
            cases: usize,
            passed: usize,
            problem: Option<String>,
        }
        let def = self.operators.get(index).ok_or(Error::Job("there is no such operator type"))?;
        let Tried { cases, passed, failure, .. } = try_operator(&*self.platform, &**def);
        let problem = failure.as_ref().map(conformance::Failure::to_string);
        to_js(&Outcome { cases, passed, problem })
    }
}
