//! Programs, clients, data owners and evaluators across the border.

use super::device::pins_of;
use super::js::{Array, BigInt64Array, Float64Array, Function, JsCast, JsValue, Uint8Array, wasm_bindgen};
use super::{CLOCK, RawJob, Thrown, copy, js_outputs, platform, view_of, watched};
use cipherloom::circuit::Job;
use cipherloom::place::Times;
use cipherloom::platform::Platform;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Evaluator, Held, Meaning, Options, Owner, Program, Step};
use cipherloom::values::GivenCells;
use cipherloom::{memory, parallel};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Parts of the work of compiling, about: parameter sets that are tried, and graphs of some.
const COMPILE_PARTS: usize = 100;

/// See [`Program`].
#[wasm_bindgen]
pub struct RawProgram {
    pub(super) program: Arc<Program>,
}

#[wasm_bindgen]
impl RawProgram {
    /// See [`Program::compile_all`]; steps and options are JSON texts.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = compileAll)]
    pub fn compile_all(
        steps: &str,
        options: &str,
        hear: Option<Function>,
    ) -> Result<Vec<RawProgram>, Thrown> {
        let (steps, options): (Vec<Step>, Options) = (read("tasks", steps)?, read("options", options)?);
        watched(hear, COMPILE_PARTS, || {
            let programs = Program::compile_all(steps, &options)?;
            Ok(programs.into_iter().map(|program| Self { program: Arc::new(program) }).collect())
        })
    }

    /// See [`Program::opened`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(
        bytes: &Uint8Array,
        allow_insecure: bool,
        hear: Option<Function>,
    ) -> Result<RawProgram, Thrown> {
        let bytes = copy(bytes)?;
        watched(hear, COMPILE_PARTS, || {
            Ok(Self { program: Arc::new(Program::opened(&bytes, allow_insecure)?) })
        })
    }

    /// See [`Program::bytes`].
    pub fn bytes(&self) -> Vec<u8> {
        self.program.bytes()
    }

    /// See [`Program::report`]; a JSON text.
    ///
    /// # Errors
    /// Throws.
    pub fn report(&self) -> Result<String, Thrown> {
        // Texts and numbers always have a JSON form.
        Ok(serde_json::to_string(&self.program.report()?).unwrap_or_default())
    }

    /// See [`Program::sizes`]; a JSON text.
    ///
    /// # Errors
    /// Throws.
    pub fn sizes(&self) -> Result<String, Thrown> {
        Ok(serde_json::to_string(&self.program.sizes(&*platform())?).unwrap_or_default())
    }

    /// See [`Program::uses`]; a JSON text.
    ///
    /// # Errors
    /// Throws.
    pub fn uses(&self) -> Result<String, Thrown> {
        let uses = self.program.uses(&(platform() as Arc<dyn Platform>))?;
        Ok(serde_json::to_string(&uses).unwrap_or_default())
    }

    /// See [`Program::explain`]; a JSON text.
    ///
    /// # Errors
    /// Throws.
    pub fn explain(&self) -> Result<String, Thrown> {
        Ok(serde_json::to_string(&self.program.explain()?).unwrap_or_default())
    }

    /// The task as it was given; a JSON text.
    pub fn literal(&self) -> String {
        serde_json::to_string(self.program.task()).unwrap_or_default()
    }

    /// See [`Program::verify`]: some rounds of a stage, `server`, `finish` or `packed`; a JSON text.
    ///
    /// # Errors
    /// Throws.
    pub fn verify(
        &self,
        stage: &str,
        seed: u64,
        first: u32,
        rounds: u32,
        hear: Option<Function>,
    ) -> Result<String, Thrown> {
        let meaning = match stage {
            "server" => Meaning::Server,
            "finish" => Meaning::Finish,
            "packed" => Meaning::Packed,
            other => {
                let (at, found) = ("stage".into(), other.into());
                let expected = "server, finish or packed".into();
                return Err(cipherloom::Error::Task { at, found, expected }.into());
            }
        };
        let report = watched(hear, COMPILE_PARTS, || {
            self.program.verify(meaning, seed, first..first.saturating_add(rounds))
        })?;
        Ok(serde_json::to_string(&report).unwrap_or_default())
    }

    /// The text form of a stage: `server`, `finish`, `packed`, `scheme`, `polynomial` or `base`.
    ///
    /// # Errors
    /// Throws.
    pub fn text(&self, stage: &str) -> Result<String, Thrown> {
        Ok(self.program.text(stage, &*platform())?)
    }

    /// The graph of a stage, as arrays.
    ///
    /// # Errors
    /// Throws.
    pub fn graph(&self, stage: &str) -> Result<JsValue, Thrown> {
        view_of(&self.program.stage(stage, &*platform())?)
    }
}

/// See [`Client`].
#[wasm_bindgen]
pub struct RawClient {
    client: Client,
}

#[wasm_bindgen]
impl RawClient {
    /// See [`Client::new`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(constructor)]
    pub fn new(program: &RawProgram) -> Result<RawClient, Thrown> {
        Ok(Self { client: Client::new(Arc::clone(&program.program), platform(), CLOCK)? })
    }

    /// See [`Client::restore`].
    ///
    /// # Errors
    /// Throws.
    pub fn restore(program: &RawProgram, saved: &Uint8Array) -> Result<RawClient, Thrown> {
        let saved = Zeroizing::new(copy(saved)?);
        Ok(Self { client: Client::restore(Arc::clone(&program.program), platform(), CLOCK, &saved)? })
    }

    /// See [`Client::for_program`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = forProgram)]
    pub fn for_program(&self, program: &RawProgram) -> Result<RawClient, Thrown> {
        Ok(Self { client: self.client.for_program(Arc::clone(&program.program))? })
    }

    /// See [`Client::save`].
    pub fn save(&self) -> Uint8Array {
        Uint8Array::from(self.client.save().as_slice())
    }

    /// See [`Client::released`].
    pub fn released(&self) -> f64 {
        self.client.released() as f64
    }

    /// See [`Client::key`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = keyJob)]
    pub fn key_job(&self, name: &str) -> Result<RawJob, Thrown> {
        Ok(RawJob(self.client.key(name)?))
    }

    /// See [`Client::public_key`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = publicKeyJob)]
    pub fn public_key_job(&self) -> Result<RawJob, Thrown> {
        Ok(RawJob(self.client.public_key()?))
    }

    /// See [`Client::encrypt`]; `present` is undefined for complete values.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = encryptJob)]
    pub fn encrypt_job(
        &self,
        names: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        encryption(&names, &cells, &present, |given| self.client.encrypt(given))
    }

    /// See [`Client::decrypt`]: bytes of all results, public inputs by name, and, where the results are to be those of certain inputs, `bound`, these.
    ///
    /// # Errors
    /// Throws.
    #[allow(clippy::too_many_arguments, reason = "what JavaScript hands over is flat")]
    #[wasm_bindgen(js_name = decryptJob)]
    pub fn decrypt_job(
        &self,
        results: Vec<Uint8Array>,
        names: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
        bound: bool,
        inputs: Vec<String>,
        encrypted: Vec<Uint8Array>,
    ) -> Result<RawJob, Thrown> {
        let results = results.iter().map(copy).collect::<Result<Vec<_>, _>>()?;
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        let given = Given::read(inputs, &encrypted, names, &cells, &present)?;
        let inputs = by_name(&given.encrypted);
        Ok(RawJob(self.client.decrypt(&results, &given.clear, bound.then_some(&inputs))?))
    }

    /// See [`Client::plain`]; outputs as of [`RawJob::take_cells`].
    ///
    /// # Errors
    /// Throws.
    pub fn plain(
        &self,
        names: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<Array, Thrown> {
        Ok(js_outputs(self.client.plain(&named(names, &cells, &present)?)?)?)
    }
}

/// See [`Owner`].
#[wasm_bindgen]
pub struct RawOwner {
    owner: Owner,
}

#[wasm_bindgen]
impl RawOwner {
    /// See [`Owner::new`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(constructor)]
    pub fn new(program: &RawProgram, public_key: &Uint8Array) -> Result<RawOwner, Thrown> {
        let key = copy(public_key)?;
        Ok(Self { owner: Owner::new(Arc::clone(&program.program), platform(), CLOCK, &key)? })
    }

    /// See [`Owner::encrypt`]; as of [`RawClient::encrypt_job`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = encryptJob)]
    pub fn encrypt_job(
        &self,
        names: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        encryption(&names, &cells, &present, |given| self.owner.encrypt(given))
    }
}

/// A job that encrypts values by the names of inputs.
fn encryption(
    names: &[String],
    cells: &[JsValue],
    present: &[JsValue],
    encrypt: impl FnOnce(&[(&str, &GivenCells)]) -> Result<Job, cipherloom::Error>,
) -> Result<RawJob, Thrown> {
    let values = cells.iter().zip(present).map(|(cells, present)| given(cells, present));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let given: Vec<(&str, &GivenCells)> = names.iter().map(String::as_str).zip(&values).collect();
    let job = encrypt(&given);
    // They are overwritten.
    parallel::map(values.iter().map(GivenCells::len).sum(), values, drop);
    Ok(RawJob(job?))
}

/// See [`Evaluator`].
#[wasm_bindgen]
pub struct RawEvaluator {
    evaluator: Evaluator,
}

#[wasm_bindgen]
impl RawEvaluator {
    /// See [`Evaluator::opened`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(constructor)]
    pub fn new(program: &Uint8Array, allow_insecure: bool) -> Result<RawEvaluator, Thrown> {
        let evaluator = Evaluator::opened(&copy(program)?, allow_insecure, &*platform(), CLOCK)?;
        Ok(Self { evaluator })
    }

    /// See [`Evaluator::load_key`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = loadKey)]
    pub fn load_key(&mut self, bytes: &Uint8Array) -> Result<(), Thrown> {
        Ok(self.evaluator.load_key(&copy(bytes)?)?)
    }

    /// See [`Evaluator::missing_keys`].
    #[wasm_bindgen(js_name = missingKeys)]
    pub fn missing_keys(&self) -> Vec<String> {
        self.evaluator.missing_keys()
    }

    /// See [`Evaluator::hold`]: encrypted values by name, then values that are not encrypted.
    ///
    /// # Errors
    /// Throws.
    pub fn hold(
        &self,
        names: Vec<String>,
        encrypted: Vec<Uint8Array>,
        clear: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawHeld, Thrown> {
        let given = Given::read(names, &encrypted, clear, &cells, &present)?;
        Ok(RawHeld { held: self.evaluator.hold(&by_name(&given.encrypted), given.clear, &*platform())? })
    }

    /// See [`Evaluator::run`]: encrypted values by name, then values that are not encrypted.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = runJob)]
    pub fn run_job(
        &self,
        names: Vec<String>,
        encrypted: Vec<Uint8Array>,
        clear: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        let given = Given::read(names, &encrypted, clear, &cells, &present)?;
        Ok(RawJob(self.evaluator.run(&by_name(&given.encrypted), &given.clear)?))
    }

    /// See [`Evaluator::place_by_times`]; `times` is a JSON text, `ops` and `to` are the pins; gives a JSON text.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = placeByTimes)]
    pub fn place_by_times(
        &mut self,
        times: &str,
        ops: Vec<String>,
        to: Vec<String>,
    ) -> Result<String, Thrown> {
        let pins = pins_of(&ops, &to);
        let (platform, times) = (platform() as Arc<dyn Platform>, Times::parse(times)?);
        let placement = self.evaluator.place_by_times(&platform, &times, &pins)?;
        Ok(serde_json::to_string(&placement).unwrap_or_default())
    }

    /// See [`Evaluator::run_on_gpu`].
    ///
    /// # Errors
    /// Throws.
    #[allow(clippy::too_many_arguments, reason = "what JavaScript hands over is flat")]
    #[wasm_bindgen(js_name = runJobOnGpu)]
    pub fn run_job_on_gpu(
        &self,
        by_times: bool,
        names: Vec<String>,
        encrypted: Vec<Uint8Array>,
        clear: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        self.on_gpu(by_times, None, Given::read(names, &encrypted, clear, &cells, &present)?)
    }

    /// The same, with values that stay.
    ///
    /// # Errors
    /// Throws.
    #[allow(clippy::too_many_arguments, reason = "what JavaScript hands over is flat")]
    #[wasm_bindgen(js_name = runHeldJobOnGpu)]
    pub fn run_held_job_on_gpu(
        &self,
        by_times: bool,
        held: &RawHeld,
        names: Vec<String>,
        encrypted: Vec<Uint8Array>,
        clear: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        self.on_gpu(by_times, Some(held), Given::read(names, &encrypted, clear, &cells, &present)?)
    }

    fn on_gpu(&self, by_times: bool, held: Option<&RawHeld>, given: Given) -> Result<RawJob, Thrown> {
        let (held, platform) = (held.map(|held| &held.held), platform() as Arc<dyn Platform>);
        let on = (&platform, by_times);
        Ok(RawJob(self.evaluator.run_on_gpu(held, &by_name(&given.encrypted), &given.clear, on)?))
    }

    /// See [`Evaluator::run_with`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = runHeldJob)]
    pub fn run_held_job(
        &self,
        held: &RawHeld,
        names: Vec<String>,
        encrypted: Vec<Uint8Array>,
        clear: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        let given = Given::read(names, &encrypted, clear, &cells, &present)?;
        Ok(RawJob(self.evaluator.run_with(&held.held, &by_name(&given.encrypted), &given.clear)?))
    }
}

/// See [`Held`].
#[wasm_bindgen]
pub struct RawHeld {
    held: Held,
}

/// Values that an evaluator is given, copied from JavaScript.
struct Given {
    encrypted: Vec<(String, Vec<u8>)>,
    clear: SortedMap<String, GivenCells>,
}

impl Given {
    fn read(
        names: Vec<String>,
        encrypted: &[Uint8Array],
        clear: Vec<String>,
        cells: &[JsValue],
        present: &[JsValue],
    ) -> Result<Self, cipherloom::Error> {
        let bytes = encrypted.iter().map(copy).collect::<Result<Vec<_>, _>>()?;
        let encrypted = names.into_iter().zip(bytes).collect();
        Ok(Self { encrypted, clear: named(clear, cells, present)? })
    }
}

fn by_name(values: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    values.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
}

/// JSON is read by the reader that bytes of programs are read by: one is enough.
fn read<T: DeserializeOwned>(at: &str, text: &str) -> Result<T, cipherloom::Error> {
    serde_json::from_str(text).map_err(|error| cipherloom::Error::Task {
        at: at.into(),
        found: error.to_string(),
        expected: "the documented shape".into(),
    })
}

/// Clear values by name.
pub(super) fn named(
    names: Vec<String>,
    cells: &[JsValue],
    present: &[JsValue],
) -> Result<SortedMap<String, GivenCells>, cipherloom::Error> {
    let values = cells.iter().zip(present).map(|(cells, present)| given(cells, present));
    names.into_iter().zip(values).map(|(name, value)| Ok((name, value?))).collect()
}

/// The cells of a `Float64Array`, a `BigInt64Array` or an array of decimal integers; `present`: a `Uint8Array`, or undefined.
fn given(cells: &JsValue, present: &JsValue) -> Result<GivenCells, cipherloom::Error> {
    let wrong = |expected: &str| cipherloom::Error::Task {
        at: "cells".into(),
        found: "something else".into(),
        expected: expected.into(),
    };
    let flags = present.dyn_ref::<Uint8Array>().map(copy).transpose()?;
    let flags = flags.map(|flags| flags.iter().map(|&flag| flag != 0).collect());
    let expected = "finite numbers, and as many flags as cells";
    if let Some(cells) = cells.dyn_ref::<Float64Array>() {
        let length = cells.length() as usize;
        let doubles = Zeroizing::new(memory::written(length, |place| cells.copy_to_uninit(place))?);
        GivenCells::doubles(doubles, flags).ok_or_else(|| wrong(expected))
    } else if let Some(cells) = cells.dyn_ref::<BigInt64Array>() {
        let length = cells.length() as usize;
        let integers = Zeroizing::new(memory::written(length, |place| cells.copy_to_uninit(place))?);
        GivenCells::integers(integers, flags).ok_or_else(|| wrong(expected))
    } else if let Some(cells) = cells.dyn_ref::<Array>() {
        let mut numbers = memory::room(cells.length() as usize)?;
        for text in cells.iter() {
            let integer = text.as_string().and_then(|text| text.parse::<i128>().ok());
            numbers.push(integer.ok_or_else(|| wrong("decimal integers of 127 bits"))?.into());
        }
        GivenCells::numbers(numbers, flags).ok_or_else(|| wrong(expected))
    } else {
        Err(wrong("a Float64Array, a BigInt64Array or decimal texts"))
    }
}
