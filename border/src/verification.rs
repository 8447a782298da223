//! Verification of circuits across the border, check by check: the worker that asks looks at its messages between them.

use super::circuit::{RawCircuit, option, platform_of, text, texts};
use super::js::{Array, BigInt, JsCast, JsValue, wasm_bindgen};
use super::{Thrown, copy, to_js};
use cipherloom::Error;
use cipherloom::circuit::{Trials, default_pass_names, pass_named};
use cipherloom::platform::Platform;
use std::sync::Arc;
use zeroize::Zeroizing;

/// On what data and platform circuits are compared.
struct Options {
    platform: Arc<dyn Platform>,
    seed: u64,
    rounds: u32,
    first: u32,
    names: Vec<String>,
    data: Vec<Zeroizing<Vec<u8>>>,
}

impl Options {
    #[allow(clippy::clone_on_copy, reason = "js-sys's BigInt is no copy, that of addons is")]
    fn of(options: &JsValue) -> Result<Self, Error> {
        let defaults = Trials::default();
        let mut data = Vec::new();
        for bytes in Array::from(&option(options, "data")).iter() {
            data.push(Zeroizing::new(bytes.dyn_ref().map_or(Ok(Vec::new()), copy)?));
        }
        let seed = option(options, "seed");
        Ok(Self {
            platform: platform_of(&text(options, "platform").unwrap_or_else(|| "simd".into()))?,
            seed: seed
                .dyn_ref::<BigInt>()
                .map_or(defaults.seed, |seed| u64::try_from(seed.clone()).unwrap_or(0)),
            rounds: option(options, "rounds").as_f64().map_or(defaults.rounds, |rounds| rounds as u32),
            first: option(options, "first").as_f64().map_or(defaults.first, |first| first as u32),
            names: texts(&option(options, "names")),
            data,
        })
    }

    fn with<T>(
        &self,
        check: impl FnOnce(&dyn Platform, &Trials<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let names = self.names.iter().map(String::as_str);
        let given: Vec<(&str, &[u8])> = names.zip(self.data.iter().map(|data| data.as_slice())).collect();
        let Self { seed, rounds, first, .. } = *self;
        check(&*self.platform, &Trials { seed, rounds, first, given: &given })
    }
}

#[wasm_bindgen]
impl RawCircuit {
    /// See [`cipherloom::circuit::Circuit::verify_structure`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = verifyStructure)]
    pub fn verify_structure(&self) -> Result<(), Thrown> {
        Ok(self.0.verify_structure(None)?)
    }

    /// See [`cipherloom::circuit::Circuit::verify`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = verifyAgainst)]
    pub fn verify_against(&self, against: &RawCircuit, options: &JsValue) -> Result<JsValue, Thrown> {
        to_js(&Options::of(options)?.with(|platform, trials| self.0.verify(&against.0, platform, trials))?)
    }

    /// See [`cipherloom::circuit::Circuit::verify_passes`]: one pass.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = verifyPass)]
    pub fn verify_pass(&self, pass: &str, options: &JsValue) -> Result<JsValue, Thrown> {
        let pass = pass_named(pass)?;
        let reports = Options::of(options)?
            .with(|platform, trials| self.0.verify_passes(&[&*pass], platform, trials))?;
        to_js(&reports.into_iter().next().unwrap_or_default())
    }

    /// See [`cipherloom::circuit::Circuit::verify_platforms`]: the platform of the options against `reference`.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = verifyPlatform)]
    pub fn verify_platform(&self, reference: &str, options: &JsValue) -> Result<JsValue, Thrown> {
        let reference = platform_of(reference)?;
        to_js(
            &Options::of(options)?
                .with(|platform, trials| self.0.verify_platforms(platform, &*reference, trials))?,
        )
    }
}

/// Names of the passes that [`RawCircuit::optimize`] runs where none are named, in order.
#[wasm_bindgen(js_name = defaultPasses)]
pub fn default_passes() -> Vec<String> {
    default_pass_names().into_iter().map(str::to_owned).collect()
}
