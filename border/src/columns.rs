//! Programs over columns, clients and evaluators across the border.

use super::{CLOCK, RawJob, Thrown, copy, from_js, platform, threads, to_js, view_of, watched};
use cipherloom::memory;
use cipherloom::program::{
    Client, CompileOptions, Evaluator, Program, ProgramInfo, Stage, TaskLiteral, Values,
};
use js_sys::{Function, Uint8Array};
use std::sync::Arc;
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

fn stage_of(name: &str) -> Result<Stage, Thrown> {
    let found = name.to_owned();
    let error = cipherloom::Error::Task {
        at: "stage".into(),
        found,
        expected: "task, scheme, polynomial or base".into(),
    };
    Ok(Stage::named(name).ok_or(error)?)
}

/// Parts of the work that a task takes, about: parameter sets that are tried, and graphs of some.
const COMPILE_PARTS: usize = 600;
const OPEN_PARTS: usize = 30;

/// See [`Program`].
#[wasm_bindgen]
pub struct RawProgram {
    program: Arc<Program>,
    info: ProgramInfo,
}

#[wasm_bindgen]
impl RawProgram {
    /// See [`Program::compile`].
    ///
    /// # Errors
    /// Throws.
    pub fn compile(task: JsValue, options: JsValue, hear: Option<Function>) -> Result<RawProgram, Thrown> {
        let task: TaskLiteral = from_js("task", task)?;
        let options: CompileOptions =
            if options.is_undefined() { CompileOptions::default() } else { from_js("options", options)? };
        let threads = options.threads.unwrap_or_else(threads);
        watched(hear, COMPILE_PARTS, || Self::of(Program::compile(task, &options)?, threads))
    }

    /// See [`Program::from_bytes`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &Uint8Array, hear: Option<Function>) -> Result<RawProgram, Thrown> {
        let bytes = copy(bytes)?;
        watched(hear, OPEN_PARTS, || Self::of(Program::from_bytes(&bytes)?, threads()))
    }

    /// See [`Program::bytes`].
    pub fn bytes(&self) -> Vec<u8> {
        self.program.bytes()
    }

    /// See [`Program::info`].
    ///
    /// # Errors
    /// Throws.
    pub fn info(&self) -> Result<JsValue, Thrown> {
        to_js(&self.info)
    }

    /// The text form of a stage.
    ///
    /// # Errors
    /// Throws.
    pub fn text(&self, stage: &str) -> Result<String, Thrown> {
        Ok(cipherloom::graph::print(&self.program.graph(stage_of(stage)?, &*platform())?))
    }

    /// The graph of a stage, as arrays.
    ///
    /// # Errors
    /// Throws.
    pub fn graph(&self, stage: &str) -> Result<JsValue, Thrown> {
        view_of(&self.program.graph(stage_of(stage)?, &*platform())?)
    }
}

impl RawProgram {
    /// A plan that does not fit is refused here.
    fn of(program: Program, threads: usize) -> Result<Self, cipherloom::Error> {
        let info = program.info(&*platform(), threads)?;
        Ok(Self { program: Arc::new(program), info })
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
        let client = Client::new(Arc::clone(&program.program), platform(), CLOCK)?;
        Ok(Self { client })
    }

    /// See [`Client::restore`].
    ///
    /// # Errors
    /// Throws.
    pub fn restore(program: &RawProgram, saved: &Uint8Array) -> Result<RawClient, Thrown> {
        let saved = Zeroizing::new(copy(saved)?);
        let client = Client::restore(Arc::clone(&program.program), platform(), CLOCK, &saved)?;
        Ok(Self { client })
    }

    /// See [`Client::save`].
    pub fn save(&self) -> Uint8Array {
        Uint8Array::from(self.client.save().as_slice())
    }

    /// See [`Client::key`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = keyJob)]
    pub fn key_job(&self, index: usize) -> Result<RawJob, Thrown> {
        Ok(RawJob(self.client.key(index)?))
    }

    /// See [`Client::encrypt`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = encryptJob)]
    pub fn encrypt_job(
        &self,
        names: Vec<String>,
        values: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        let values = values.iter().map(integers).collect::<Result<Vec<_>, _>>()?;
        let flags = |flags: &JsValue| flags.dyn_ref().map(|f| copy(f).map(Zeroizing::new)).transpose();
        let present = present.iter().map(flags).collect::<Result<Vec<_>, _>>()?;
        let inputs = names.iter().zip(&values).zip(&present).map(|((input, values), present)| Values {
            input,
            values,
            present: present.as_ref().map(|flags| flags.as_slice()),
        });
        Ok(RawJob(self.client.encrypt(&inputs.collect::<Vec<_>>())?))
    }

    /// See [`Client::decrypt`]; `inputs`: the last 16 bytes of each encrypted input of the run, in the program's order, or
    /// undefined.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = decryptJob)]
    pub fn decrypt_job(
        &self,
        names: Vec<String>,
        at: Vec<usize>,
        bytes: Vec<Uint8Array>,
        inputs: Option<Vec<Uint8Array>>,
    ) -> Result<RawJob, Thrown> {
        let bytes = bytes.iter().map(copy).collect::<Result<Vec<_>, _>>()?;
        let of = |at: usize| bytes.get(at).map_or(&[][..], Vec::as_slice);
        let outputs = names.iter().zip(&at).map(|(name, &at)| (name.as_str(), of(at)));
        // Of another length, they are those of no run.
        let checksum = |bytes: &Uint8Array| {
            let mut checksum = [0; 16];
            if bytes.length() == 16 {
                bytes.copy_to(&mut checksum);
            }
            checksum
        };
        let run = inputs
            .map(|inputs| self.client.program().run_id(&inputs.iter().map(checksum).collect::<Vec<_>>()));
        Ok(RawJob(self.client.decrypt(&outputs.collect::<Vec<_>>(), run)?))
    }
}

/// See [`Evaluator`].
#[wasm_bindgen]
pub struct RawEvaluator {
    evaluator: Evaluator,
}

#[wasm_bindgen]
impl RawEvaluator {
    /// See [`Evaluator::new`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(constructor)]
    pub fn new(program: &Uint8Array) -> Result<RawEvaluator, Thrown> {
        Ok(Self { evaluator: Evaluator::new(&copy(program)?, &*platform(), CLOCK)? })
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

    /// See [`Evaluator::run`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = runJob)]
    pub fn run_job(&self, inputs: Vec<Uint8Array>) -> Result<RawJob, Thrown> {
        let inputs = inputs.iter().map(copy).collect::<Result<Vec<_>, _>>()?;
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        Ok(RawJob(self.evaluator.run(&inputs)?))
    }
}

/// The integers of a `Float64Array`, or of a `BigInt64Array` where doubles do not hold them; overwritten when they are
/// dropped.
fn integers(values: &JsValue) -> Result<Zeroizing<Vec<i64>>, cipherloom::Error> {
    let mut integers = Zeroizing::new(Vec::new());
    if let Some(values) = values.dyn_ref::<js_sys::Float64Array>() {
        let mut doubles = Zeroizing::new(memory::zeros(values.length() as usize)?);
        values.copy_to(&mut doubles);
        *integers = memory::room(doubles.len())?;
        integers.extend(doubles.iter().map(|&value: &f64| value as i64));
    } else if let Some(values) = values.dyn_ref::<js_sys::BigInt64Array>() {
        *integers = memory::zeros(values.length() as usize)?;
        values.copy_to(&mut integers);
    }
    Ok(integers)
}
