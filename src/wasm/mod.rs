//! The JavaScript border: the only place that knows `wasm_bindgen`. Thin classes over `program`; names, defaults and
//! documentation for users are TypeScript's (`bindings/src`).
//!
//! Every throw is an `Error` with a stable `code` and with `details`.

pub mod circuit;
mod error;
#[cfg(feature = "threads")]
pub mod pool;

use crate::engine::Clock;
use crate::graph::Graph;
use crate::memory;
use crate::platform::Simd;
use crate::program::{
    Client, CompileOptions, Evaluator, GraphView, Job, Named, Outcome, Program, ProgramInfo, Stage,
    TaskLiteral, Values,
};
pub use error::Thrown;
use error::{from_js, to_js};
use js_sys::{Array, Function, Object, Reflect, Uint8Array};
use std::sync::{Arc, OnceLock};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
    static TIME_ORIGIN: f64;
}

/// Every worker counts from its own start; only with that added do the threads of a pool agree on a deadline.
const CLOCK: Clock = || TIME_ORIGIN.with(|origin| *origin) + performance_now();

/// Makes panics readable on the console; a panic traps, and the module is then of no more use.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// Version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Threads of this instance.
#[wasm_bindgen]
pub fn threads() -> usize {
    rayon::current_num_threads().max(1)
}

/// One platform for all programs: they share its tables.
fn platform() -> Arc<Simd> {
    static PLATFORM: OnceLock<Arc<Simd>> = OnceLock::new();
    Arc::clone(PLATFORM.get_or_init(|| Arc::new(Simd::new())))
}

fn stage_of(name: &str) -> Result<Stage, Thrown> {
    let found = name.to_owned();
    let error =
        crate::Error::Task { at: "stage".into(), found, expected: "task, scheme, polynomial or base".into() };
    Ok(Stage::named(name).ok_or(error)?)
}

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
        Ok(crate::graph::print(&self.program.graph(stage_of(stage)?, &*platform())?))
    }

    /// The graph of a stage, as arrays.
    ///
    /// # Errors
    /// Throws.
    pub fn graph(&self, stage: &str) -> Result<JsValue, Thrown> {
        view_of(&self.program.graph(stage_of(stage)?, &*platform())?)
    }
}

/// Parts of the work that a task takes, about: parameter sets that are tried, and graphs of some.
const COMPILE_PARTS: usize = 60;
const OPEN_PARTS: usize = 30;

/// Work of about so many parts, which tells `hear`, if that is there, how far it is, from 0 to 1; what is false of its
/// answer ends the work.
fn watched<T>(
    hear: Option<Function>,
    parts: usize,
    work: impl FnOnce() -> Result<T, crate::Error>,
) -> Result<T, Thrown> {
    let Some(hear) = hear else { return Ok(work()?) };
    let asked = move |far: f64| hear.call1(&JsValue::NULL, &far.into()).is_ok_and(|go| go.is_truthy());
    Ok(crate::watch::watched(parts, asked, work)?)
}

/// A graph as arrays.
fn view_of(graph: &Graph) -> Result<JsValue, Thrown> {
    let view = GraphView::new(graph)?;
    let out = to_js(&view)?;
    // Numbers travel as typed arrays.
    let arrays: [(&str, JsValue); 7] = [
        ("type", js_sys::Uint32Array::from(view.r#type.as_slice()).into()),
        ("parent", js_sys::Int32Array::from(view.parent.as_slice()).into()),
        ("inputsStart", js_sys::Uint32Array::from(view.inputs_start.as_slice()).into()),
        ("inputs", js_sys::Int32Array::from(view.inputs.as_slice()).into()),
        ("placeholders", js_sys::Float64Array::from(view.placeholders.as_slice()).into()),
        ("label", js_sys::Uint32Array::from(view.label.as_slice()).into()),
        ("wave", js_sys::Uint32Array::from(view.wave.as_slice()).into()),
    ];
    for (name, array) in arrays {
        set(&out, name, &array);
    }
    Ok(out)
}

impl RawProgram {
    /// A plan that does not fit is refused here.
    fn of(program: Program, threads: usize) -> Result<Self, crate::Error> {
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

/// See [`Job`].
#[wasm_bindgen]
pub struct RawJob(Job);

#[wasm_bindgen]
impl RawJob {
    /// See [`Job::step`].
    pub fn step(&mut self, milliseconds: f64) -> bool {
        self.0.step(milliseconds)
    }

    /// Operators done and in all.
    pub fn progress(&self) -> Object {
        let (done, total) = self.0.progress();
        let out = Object::new();
        set(&out, "done", &(done as f64).into());
        set(&out, "total", &(total as f64).into());
        out
    }

    /// See [`Job::set_trace`].
    #[wasm_bindgen(js_name = setTrace)]
    pub fn set_trace(&mut self, on: bool) {
        self.0.set_trace(on);
    }

    /// What ran where and when; operators are those of the base stage.
    pub fn trace(&self) -> Object {
        let trace = self.0.trace();
        let out = Object::new();
        let numbers =
            |f: &dyn Fn(&crate::engine::Span) -> u32| -> Vec<u32> { trace.spans.iter().map(f).collect() };
        let times =
            |f: &dyn Fn(&crate::engine::Span) -> f64| -> Vec<f64> { trace.spans.iter().map(f).collect() };
        set(&out, "op", &js_sys::Uint32Array::from(numbers(&|s| s.op).as_slice()));
        set(&out, "thread", &js_sys::Uint32Array::from(numbers(&|s| s.thread).as_slice()));
        set(&out, "start", &js_sys::Float64Array::from(times(&|s| s.start).as_slice()));
        set(&out, "end", &js_sys::Float64Array::from(times(&|s| s.end).as_slice()));
        out
    }

    /// The result of a job that gives one object's bytes.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = takeBytes)]
    pub fn take_bytes(&mut self) -> Result<Vec<u8>, Thrown> {
        match self.0.take()? {
            Outcome::Bytes(bytes) => Ok(bytes),
            _ => Err(crate::Error::Job("this job gives no bytes").into()),
        }
    }

    /// The result of a run or of an encryption: objects with the names that they hold and their bytes.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = takeObjects)]
    pub fn take_objects(&mut self) -> Result<Array, Thrown> {
        let Outcome::Objects(objects) = self.0.take()? else {
            return Err(crate::Error::Job("this job gives no objects").into());
        };
        let out = Array::new();
        for Named { names, bytes } in objects {
            let item = Object::new();
            set(&item, "names", &names.into_iter().map(JsValue::from).collect::<Array>());
            set(&item, "bytes", &Uint8Array::from(bytes.as_slice()));
            out.push(&item);
        }
        Ok(out)
    }

    /// The result of a decryption: for each output its name, its parts and its noise budget.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = takeValues)]
    pub fn take_values(&mut self) -> Result<Array, Thrown> {
        let Outcome::Values(values) = self.0.take()? else {
            return Err(crate::Error::Job("this job gives no numbers").into());
        };
        let out = Array::new();
        for (name, values) in values {
            let (item, parts) = (Object::new(), Object::new());
            for (part, integers) in &values.parts {
                set(&parts, part, &js_integers(integers)?);
            }
            set(&item, "name", &name.into());
            set(&item, "parts", &parts);
            set(&item, "noiseBudgetBits", &values.noise_budget_bits.into());
            out.push(&item);
        }
        Ok(out)
    }
}

/// Bytes from JavaScript. The glue's own copy would trap where memory is short.
fn copy(bytes: &Uint8Array) -> Result<Vec<u8>, crate::Error> {
    let mut copy = memory::zeros(bytes.length() as usize)?;
    bytes.copy_to(&mut copy);
    Ok(copy)
}

/// The integers of a `Float64Array`, or of a `BigInt64Array` where doubles do not hold them; overwritten when they are
/// dropped.
fn integers(values: &JsValue) -> Result<Zeroizing<Vec<i64>>, crate::Error> {
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

/// A `BigInt64Array`, or decimal texts where an integer does not fit.
fn js_integers(integers: &[i128]) -> Result<JsValue, crate::Error> {
    if integers.iter().any(|&i| i64::try_from(i).is_err()) {
        return Ok(integers.iter().map(|i| JsValue::from(i.to_string())).collect::<Array>().into());
    }
    let mut words = Zeroizing::new(memory::room(integers.len())?);
    words.extend(integers.iter().map(|&i| i as i64));
    Ok(js_sys::BigInt64Array::from(words.as_slice()).into())
}

/// Sets a property of a plain object, which cannot fail.
fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
