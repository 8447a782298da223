//! Operators that JavaScript computes or has computed, handed out by a run.

use super::circuit::Port;
use super::js::{Array, Uint8Array, wasm_bindgen};
use super::{RawJob, Thrown, copy, set, to_js};
use cipherloom::platform::ForeignCall;
use serde::Serialize;
use zeroize::Zeroizing;

/// An operator for JavaScript to compute.
#[derive(Serialize)]
struct Outgoing<'a> {
    op: u32,
    platform: &'a str,
    name: &'a str,
    attributes: String,
    inputs: Vec<Port>,
    output: Port,
}

#[wasm_bindgen]
impl RawJob {
    /// See [`Job::hand_out`]: for each operator its number, platform, name and attributes, the types of its operands, and their data.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = handOut)]
    pub fn hand_out(&mut self) -> Result<Array, Thrown> {
        let unit = self.0.graph().unit_bits();
        let out = Array::new();
        for outgoing in self.0.hand_out()? {
            let ForeignCall { platform, name, attrs, inputs, output } = &*outgoing.call;
            let item = to_js(&Outgoing {
                op: outgoing.op,
                platform,
                name,
                attributes: attrs.to_string(),
                inputs: inputs.iter().map(|ty| Port::new("", ty, unit)).collect(),
                output: Port::new("", output, unit),
            })?;
            let data = outgoing.inputs.iter().map(|bytes| Uint8Array::from(bytes.as_slice()));
            set(&item, "data", &data.collect::<Array>());
            out.push(&item);
        }
        Ok(out)
    }

    /// See [`Job::deliver`].
    ///
    /// # Errors
    /// Throws.
    pub fn deliver(&mut self, op: u32, bytes: &Uint8Array) -> Result<(), Thrown> {
        let bytes = Zeroizing::new(copy(bytes)?);
        Ok(self.0.deliver(op, &bytes)?)
    }
}
