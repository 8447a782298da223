//! Operators of a device, for JavaScript that has one: see [`cipherloom::engine::Submission`].

use super::js::{Array, JsValue, Object, Uint8Array, Uint32Array, wasm_bindgen};
use super::{RawJob, Thrown, copy, set};
use cipherloom::engine::{Command, Submission};
use cipherloom::math::limbs::write_words;

/// Numbers of one command: what it is, then up to four.
const COMMAND: usize = 5;

#[wasm_bindgen]
impl RawJob {
    /// What a device has to know of the run: words of memory, shaders (`source`, `passes`), identities of tables, and of inputs that somebody else holds, too,
    /// so that they may be there in later runs (`number`, `id`, `words`). Undefined where no operator is a device's.
    pub fn device(&self) -> JsValue {
        let run = self.0.run();
        let Some(device) = run.plan().device() else { return JsValue::UNDEFINED };
        let out = Object::new();
        set(&out, "words", &(device.words() as f64).into());
        let shaders = device.shaders().map(|shader| {
            let own = Object::new();
            set(&own, "source", &shader.source.as_str().into());
            set(&own, "passes", &Uint32Array::from(shader.passes.as_slice()));
            own
        });
        set(&out, "shaders", &shaders.collect::<Array>());
        let tables = device.tables().iter().map(|table| JsValue::from(hexadecimal(&table.id)));
        set(&out, "tables", &tables.collect::<Array>());
        let inputs = run.inputs().iter().enumerate().filter(|(_, input)| input.is_shared());
        let inputs = inputs.map(|(number, input)| {
            let own = Object::new();
            set(&own, "number", &(number as u32).into());
            set(&own, "id", &input.id().to_string().into());
            set(&own, "words", &(input.len() as f64).into());
            own
        });
        set(&out, "inputs", &inputs.collect::<Array>());
        out.into()
    }

    /// The words of table number `index`.
    pub fn table(&self, index: usize) -> Uint8Array {
        let table = self.0.run().plan().device().and_then(|device| device.tables().get(index));
        table.map_or_else(|| Uint8Array::new_with_length(0), |table| bytes_of(table.words()))
    }

    /// The words of input number `index`.
    pub fn input(&self, index: usize) -> Uint8Array {
        self.0
            .run()
            .inputs()
            .get(index)
            .map_or_else(|| Uint8Array::new_with_length(0), |input| bytes_of(input))
    }

    /// See [`cipherloom::engine::Run::open_device`]; `kept`: numbers of inputs.
    #[wasm_bindgen(js_name = openDevice)]
    pub fn open_device(&mut self, tables: Vec<u32>, kept: &[u32]) {
        let run = self.0.run_mut();
        let kept = (0..run.inputs().len() as u32).map(|input| kept.contains(&input)).collect();
        run.open_device(tables, kept);
    }

    /// See [`cipherloom::engine::Run::encode`]: `bytes`; `commands`, five numbers each; words of `downloads`. Undefined where nothing is ready.
    pub fn encode(&mut self, budget: f64) -> JsValue {
        let Some(submission) = self.0.run_mut().encode(budget) else { return JsValue::UNDEFINED };
        let Submission { bytes, commands, downloads, cost } = submission;
        let numbers: Vec<u32> = commands.iter().flat_map(numbers_of).collect();
        let out = Object::new();
        set(&out, "bytes", &Uint8Array::from(bytes.as_slice()));
        set(&out, "commands", &Uint32Array::from(numbers.as_slice()));
        set(&out, "downloads", &(downloads as f64).into());
        set(&out, "cost", &cost.into());
        out.into()
    }

    /// See [`cipherloom::engine::Run::landed`].
    ///
    /// # Errors
    /// Throws.
    pub fn landed(&mut self, bytes: &Uint8Array) -> Result<(), Thrown> {
        Ok(self.0.run_mut().landed(&copy(bytes)?)?)
    }

    /// See [`cipherloom::circuit::Job::waits`].
    pub fn waits(&self) -> bool {
        self.0.waits()
    }

    /// True where operators wait to be encoded.
    #[wasm_bindgen(js_name = hasDeviceWork)]
    pub fn has_device_work(&self) -> bool {
        self.0.run().has_device_work()
    }

    /// See [`cipherloom::circuit::Job::fall_back`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = fallBack)]
    pub fn fall_back(&mut self) -> Result<(), Thrown> {
        Ok(self.0.fall_back()?)
    }
}

/// Offsets of bytes in words, those of records in numbers.
fn numbers_of(command: &Command) -> [u32; COMMAND] {
    match *command {
        Command::Upload { from, to, words } => [0, (from / 8) as u32, to, words, 0],
        Command::Kept { input, from, to, words } => [1, input, from, to, words],
        Command::Dispatch { shader, from, bytes, ref ops } => {
            [2, shader, (from / 4) as u32, (bytes / 4) as u32, ops.len() as u32]
        }
        Command::Download { from, to, words } => [3, from, to, words, 0],
    }
}

fn bytes_of(words: &[u64]) -> Uint8Array {
    let mut bytes = vec![0; 8 * words.len()];
    write_words(words, &mut bytes);
    Uint8Array::from(bytes.as_slice())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Pins: operator types, and the platform of each.
pub(super) fn pins_of<'a>(operators: &'a [String], to: &'a [String]) -> Vec<(&'a str, &'a str)> {
    operators.iter().zip(to).map(|(op, to)| (op.as_str(), to.as_str())).collect()
}
