//! The conformance suite across the border, operator type by operator type: the worker that asks looks at its messages between
//! them. A module of its own, since its cases are a third as large as all that they try.

use super::js::{Array, JsValue, Object, Uint8Array, Uint32Array, wasm_bindgen};
use super::{Thrown, copy, set, to_js};
use cipherloom::Error;
use cipherloom::graph::ValueType;
use cipherloom::math::limbs::{read_words, write_words};
use cipherloom::ops::{Call, OpDef, base};
use cipherloom::platform::conformance::{self, Prepared, Sample, Trials, Tried, operators, try_operator};
use cipherloom::platform::{Platform, Scalar, Simd, gpu};
use serde::Serialize;
use std::sync::Arc;

/// The conformance suite of a platform.
#[wasm_bindgen]
pub struct RawConformance {
    platform: Arc<dyn Platform>,
    operators: Vec<Arc<dyn OpDef>>,
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

/// One use of an operator, on data that reach the bounds: tried against the reference, and run to be measured.
#[wasm_bindgen]
pub struct RawSample {
    platform: Arc<dyn Platform>,
    sample: Sample,
    prepared: Option<Prepared>,
}

#[wasm_bindgen]
impl RawSample {
    /// See [`Sample::new`]. `platform`: `simd`, with the kernels that were offered until now, `scalar`, or one family of kernels.
    ///
    /// # Errors
    /// Throws for what is no use of an operator, and for a platform that does not exist.
    #[wasm_bindgen(constructor)]
    pub fn new(platform: &str, name: &str, attrs: &str, inputs: Vec<String>) -> Result<RawSample, Thrown> {
        let platform: Arc<dyn Platform> = match platform {
            "scalar" => Arc::new(Scalar::new()),
            "simd" => Arc::new(Simd::lattice()),
            family => {
                let families = Simd::lattice().families();
                if !families.contains(&family) {
                    let expected = format!("simd, scalar, {}", families.join(", "));
                    return Err(Error::Task { at: "platform".into(), found: family.into(), expected }.into());
                }
                Arc::new(Simd::only(family))
            }
        };
        Ok(Self { platform, sample: Sample::new(name, attrs, &inputs)?, prepared: None })
    }

    /// The same with operands of any type, by the vectors of this build: to be measured, and compared with nothing.
    ///
    /// # Errors
    /// Throws for what is no use of an operator.
    #[wasm_bindgen(js_name = toMeasure)]
    pub fn to_measure(name: &str, attrs: &str, inputs: Vec<String>) -> Result<RawSample, Thrown> {
        let sample = Sample::to_measure(name, attrs, &inputs)?;
        Ok(Self { platform: Arc::new(Simd::lattice()), sample, prepared: None })
    }

    /// Its shader, and what it brings to that.
    ///
    /// # Errors
    /// Throws where there is none.
    pub fn shader(&self) -> Result<Object, Thrown> {
        Ok(self.sample.given(shader_call)?)
    }

    /// How many ways there are to fill it: see [`Sample::patterns`].
    pub fn patterns() -> usize {
        Sample::patterns()
    }

    /// Its shader with what it brings to that, filled in way number `index`: what comes of it is to be judged.
    ///
    /// # Errors
    /// Throws for what cannot be tried, and where there is no shader.
    pub fn given(&mut self, index: usize) -> Result<Object, Thrown> {
        self.sample.expect(index)?;
        Ok(self.sample.given(shader_call)?)
    }

    /// What is wrong with what came of it, if anything is.
    ///
    /// # Errors
    /// Throws: `OutOfMemory`.
    pub fn judge(&self, out: &Uint8Array) -> Result<Option<String>, Thrown> {
        let words = words_of(out)?;
        Ok(self.sample.judge("gpu", &words).err().map(|failure| failure.to_string()))
    }

    /// What is wrong with what the platform computes, if anything is.
    ///
    /// # Errors
    /// Throws for what cannot be tried.
    pub fn check(&mut self) -> Result<Option<String>, Thrown> {
        let failure = self.sample.check(&*self.platform)?;
        Ok(failure.map(|failure| failure.to_string()))
    }

    /// Computes it so many times.
    ///
    /// # Errors
    /// Throws where the platform has no kernel for it.
    pub fn run(&mut self, times: u32) -> Result<(), Thrown> {
        let prepared = match &mut self.prepared {
            Some(prepared) => prepared,
            none => none.insert(self.sample.prepare(&*self.platform)?),
        };
        prepared.run(times);
        Ok(())
    }
}

/// The same suite for shaders, which JavaScript runs on a device.
#[wasm_bindgen]
pub struct RawShaders {
    operators: Vec<Arc<dyn OpDef>>,
    trials: Option<Trials>,
}

#[wasm_bindgen]
impl RawShaders {
    /// Of all operator types that there are shaders of.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "JavaScript has no defaults")]
    pub fn new() -> RawShaders {
        let operators = base::all().into_iter().filter(|def| gpu::implements(def.name())).collect();
        Self { operators, trials: None }
    }

    /// Names of the operator types.
    pub fn names(&self) -> Vec<String> {
        self.operators.iter().map(|def| def.name().to_owned()).collect()
    }

    /// Makes the cases of type number `index`, and says how many there are.
    ///
    /// # Errors
    /// Throws where there is no such type.
    pub fn open(&mut self, index: usize) -> Result<usize, Thrown> {
        let def = self.operators.get(index).ok_or(Error::Job("there is no such operator type"))?;
        // Of units other than words there is no shader.
        let words = |call: &Call<'_>| call.unit == cipherloom::ops::types::WORD;
        let trials = Trials::new(Arc::clone(def)).only(words);
        let count = trials.count();
        self.trials = Some(trials);
        Ok(count)
    }

    fn opened(&self) -> Result<&Trials, Error> {
        self.trials.as_ref().ok_or(Error::Job("an operator type is opened first"))
    }

    /// Case number `at` of the opened type: its shader and what it brings to it.
    ///
    /// # Errors
    /// Throws where there is no such case.
    pub fn given(&self, at: usize) -> Result<Object, Thrown> {
        Ok(self.opened()?.given(at, shader_call)?)
    }

    /// What is wrong with what came of it, if anything is.
    ///
    /// # Errors
    /// Throws where there is no such case; `OutOfMemory`.
    pub fn check(&self, at: usize, out: &Uint8Array) -> Result<Option<String>, Thrown> {
        let words = words_of(out)?;
        Ok(self.opened()?.check("gpu", at, &words).err().map(|failure| failure.to_string()))
    }
}

fn words_of(bytes: &Uint8Array) -> Result<Vec<u64>, Error> {
    let bytes = copy(bytes)?;
    let mut words = vec![0; bytes.len() / 8];
    read_words(&bytes, &mut words);
    Ok(words)
}

/// A shader, and what one operator brings to it.
fn shader_call(call: &Call<'_>, output: &ValueType, inputs: &[&[u64]]) -> Result<Object, Error> {
    let shader = gpu::shader(call, output)?;
    let given = Object::new();
    let passes = Uint32Array::from(shader.passes.as_slice());
    let constants = Uint32Array::from(shader.constants.as_slice());
    let bytes = |words: &[u64]| {
        let mut bytes = vec![0; 8 * words.len()];
        write_words(words, &mut bytes);
        Uint8Array::from(bytes.as_slice())
    };
    let (table, all) = (bytes(&shader.table), inputs.iter().map(|words| bytes(words)));
    set(&given, "source", &shader.source.into());
    set(&given, "passes", &passes);
    set(&given, "constants", &constants);
    set(&given, "table", &table);
    set(&given, "inputs", &all.collect::<Array>());
    set(&given, "size", &(output.size as u32).into());
    Ok(given)
}
