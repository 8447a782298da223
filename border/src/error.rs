//! Errors and plain data across the border.

use cipherloom::Error;
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

/// A JavaScript `Error` about to be thrown.
pub struct Thrown(JsValue);

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        thrown.0
    }
}

impl From<Error> for Thrown {
    fn from(error: Error) -> Self {
        let js = js_sys::Error::new(&error.to_string());
        let details = js_sys::Object::new();
        for (name, value) in error.details() {
            let _ = Reflect::set(&details, &name.into(), &value.into());
        }
        let _ = Reflect::set(&js, &"code".into(), &error.code().into());
        let _ = Reflect::set(&js, &"details".into(), &details);
        Self(js.into())
    }
}

/// Rust data as a plain JavaScript value: maps become objects.
#[cfg(any(feature = "tasks", feature = "graphs", feature = "conformance"))]
pub(super) fn to_js(value: &impl serde::Serialize) -> Result<JsValue, Thrown> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|_| Error::Job("a value has no JavaScript form").into())
}
