//! Runs across the border, step by step.

#[cfg(feature = "tasks")]
use super::js::BigInt64Array;
use super::js::{Array, Float64Array, Function, JsValue, Object, Uint8Array, Uint32Array, wasm_bindgen};
use super::{Thrown, set};
#[cfg(feature = "tasks")]
use cipherloom::circuit::OutputCells;
use cipherloom::circuit::{Job, Named, Outcome};
use cipherloom::engine::Traced;
#[cfg(feature = "tasks")]
use cipherloom::memory;
use cipherloom::platform::Simd;
#[cfg(feature = "tasks")]
use cipherloom::values::number::Number;
use std::sync::{Arc, OnceLock};
use zeroize::Zeroize;
#[cfg(feature = "tasks")]
use zeroize::Zeroizing;

/// One platform for all programs or circuits: they share its tables.
pub(super) fn platform() -> Arc<Simd> {
    static PLATFORM: OnceLock<Arc<Simd>> = OnceLock::new();
    // Tasks are made of lattice operators.
    let new = if cfg!(feature = "graphs") { Simd::new } else { Simd::lattice };
    Arc::clone(PLATFORM.get_or_init(|| Arc::new(new())))
}

/// See [`Job`].
#[wasm_bindgen]
pub struct RawJob(pub(super) Job);

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

    /// What ran where and when; operators are those of the graph that was run, and are told of, too.
    ///
    /// # Errors
    /// None on a graph that was planned.
    pub fn trace(&self) -> Result<Object, Thrown> {
        let trace = self.0.trace();
        let Traced { types, types_of, kernels, kernels_of, starts, waits } = self.0.run().plan().traced()?;
        let out = Object::new();
        set(&out, "origin", &trace.origin.into());
        set(&out, "threads", &trace.threads.into());
        set(&out, "types", &types.into_iter().map(JsValue::from).collect::<Array>());
        let names = |all: Vec<String>| all.into_iter().map(JsValue::from).collect::<Array>();
        set(&out, "kernels", &kernels.into_iter().map(names).collect::<Array>());
        let tables = [("type", types_of), ("kernel", kernels_of), ("waitsStart", starts), ("waits", waits)];
        for (name, table) in tables {
            set(&out, name, &Uint32Array::from(table.as_slice()));
        }
        let numbers = |f: &dyn Fn(&cipherloom::engine::Span) -> u32| -> Vec<u32> {
            trace.spans.iter().map(f).collect()
        };
        let times = |f: &dyn Fn(&cipherloom::engine::Span) -> f64| -> Vec<f64> {
            trace.spans.iter().map(f).collect()
        };
        set(&out, "op", &Uint32Array::from(numbers(&|s| s.op).as_slice()));
        set(&out, "thread", &Uint32Array::from(numbers(&|s| s.thread).as_slice()));
        set(&out, "start", &Float64Array::from(times(&|s| s.start).as_slice()));
        set(&out, "end", &Float64Array::from(times(&|s| s.end).as_slice()));
        Ok(out)
    }

    /// The result of a job that gives one object's bytes.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = takeBytes)]
    pub fn take_bytes(&mut self) -> Result<Vec<u8>, Thrown> {
        match self.0.take()? {
            Outcome::Bytes(bytes) => Ok(bytes),
            _ => Err(cipherloom::Error::Job("this job gives no bytes").into()),
        }
    }

    /// The result of a run or of an encryption: objects with the names that they hold and their bytes.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = takeObjects)]
    pub fn take_objects(&mut self) -> Result<Array, Thrown> {
        let Outcome::Objects(objects) = self.0.take()? else {
            return Err(cipherloom::Error::Job("this job gives no objects").into());
        };
        let out = Array::new();
        for Named { names, mut bytes, secret } in objects {
            let item = Object::new();
            set(&item, "names", &names.into_iter().map(JsValue::from).collect::<Array>());
            set(&item, "bytes", &Uint8Array::from(bytes.as_slice()));
            if secret {
                bytes.zeroize();
            }
            out.push(&item);
        }
        Ok(out)
    }
}

#[cfg(feature = "tasks")]
#[wasm_bindgen]
impl RawJob {
    /// The result of the decryption of a task: see [`js_outputs`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = takeCells)]
    pub fn take_cells(&mut self) -> Result<Array, Thrown> {
        let Outcome::Cells(cells) = self.0.take()? else {
            return Err(cipherloom::Error::Job("this job gives no cells").into());
        };
        Ok(js_outputs(cells)?)
    }
}

/// For each output of a task its name, its measured noise budget and how much it may be off, where there is such a thing, and either its cells, which of them are there (undefined where all are),
/// and, where all cells are integers, these (a `BigInt64Array`, or decimal texts); or the error that says why it has no value.
#[cfg(feature = "tasks")]
pub(super) fn js_outputs(outputs: Vec<OutputCells>) -> Result<Array, cipherloom::Error> {
    let out = Array::new();
    for OutputCells { name, cells, budget, error } in outputs {
        let item = Object::new();
        set(&item, "name", &name.into());
        if let Some(budget) = budget {
            set(&item, "budgetBits", &budget.into());
        }
        if let Some(error) = error {
            set(&item, "error", &error.into());
        }
        out.push(&item);
        let exact = match cells {
            Ok(exact) => exact,
            Err(error) => {
                set(&item, "problem", &Thrown::from(error).into());
                continue;
            }
        };
        let mut doubles = Zeroizing::new(memory::room::<f64>(exact.cells.len())?);
        doubles.extend(exact.cells.iter().map(Number::to_f64));
        set(&item, "cells", &Float64Array::from(doubles.as_slice()));
        if let Some(present) = &exact.present {
            let flags: Vec<u8> = present.iter().map(|&flag| flag.into()).collect();
            set(&item, "present", &Uint8Array::from(flags.as_slice()));
        }
        let mut integers = Zeroizing::new(memory::room::<i128>(exact.cells.len())?);
        integers.extend(exact.cells.iter().map_while(Number::small));
        if integers.len() == exact.cells.len() {
            set(&item, "integers", &js_integers(&integers)?);
        }
    }
    Ok(out)
}

/// A `BigInt64Array`, or decimal texts where an integer does not fit.
#[cfg(feature = "tasks")]
fn js_integers(integers: &[i128]) -> Result<JsValue, cipherloom::Error> {
    if integers.iter().any(|&i| i64::try_from(i).is_err()) {
        return Ok(integers.iter().map(|i| JsValue::from(i.to_string())).collect::<Array>().into());
    }
    let mut words = Zeroizing::new(memory::room(integers.len())?);
    words.extend(integers.iter().map(|&i| i as i64));
    Ok(BigInt64Array::from(words.as_slice()).into())
}

/// Work of about so many parts, which tells `hear`, if that is there, how far it is, from 0 to 1; what is false of its
/// answer ends the work.
pub(super) fn watched<T>(
    hear: Option<Function>,
    parts: usize,
    work: impl FnOnce() -> Result<T, cipherloom::Error>,
) -> Result<T, Thrown> {
    let Some(hear) = hear else { return Ok(work()?) };
    let asked = move |far: f64| hear.call1(&JsValue::NULL, &far.into()).is_ok_and(|go| go.is_truthy());
    Ok(cipherloom::watch::watched(parts, asked, work)?)
}
