//! Errors and plain data across the border.

use crate::Error;
use js_sys::Reflect;
use serde::{Serialize, de::DeserializeOwned};
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
        for (name, value) in details_of(&error) {
            let _ = Reflect::set(&details, &name.into(), &value.into());
        }
        let _ = Reflect::set(&js, &"code".into(), &error.code().into());
        let _ = Reflect::set(&js, &"details".into(), &details);
        Self(js.into())
    }
}

/// The data that an error carries, as texts.
fn details_of(error: &Error) -> Vec<(&'static str, String)> {
    match error {
        Error::Operator { op, what, found, expected } => {
            vec![
                ("operator", op.clone()),
                ("what", what.clone()),
                ("found", found.clone()),
                ("expected", expected.clone()),
            ]
        }
        Error::UnknownOperator { op, at } => vec![("operator", op.clone()), ("at", at.clone())],
        Error::NoExpansion { op, platform } | Error::NotImplemented { op, platform } => {
            vec![("operator", op.clone()), ("platform", platform.clone())]
        }
        Error::Task { at, found, expected } => {
            vec![("at", at.clone()), ("found", found.clone()), ("expected", expected.clone())]
        }
        Error::RangeOverflow { at, found, limit } => {
            vec![("at", at.clone()), ("found", found.to_string()), ("limit", limit.to_string())]
        }
        Error::ValueOutOfRange { input, row, min, max } => vec![
            ("input", input.clone()),
            ("row", row.to_string()),
            ("min", min.to_string()),
            ("max", max.to_string()),
        ],
        Error::InputLength { input, found, expected } => {
            vec![("input", input.clone()), ("found", found.to_string()), ("expected", expected.to_string())]
        }
        Error::Parameters { what, found, expected } => {
            vec![("what", what.clone()), ("found", found.clone()), ("expected", expected.clone())]
        }
        Error::Foreign { what, of, found, expected } => vec![
            ("what", what.clone()),
            ("of", (*of).to_owned()),
            ("found", found.clone()),
            ("expected", expected.clone()),
        ],
        Error::MissingKey { name } | Error::MissingInput { name } => vec![("name", name.clone())],
        Error::NoiseExhausted { what, budget, needed } => {
            vec![("what", what.clone()), ("budget", budget.to_string()), ("needed", needed.to_string())]
        }
        Error::MemoryLimit { needed, limit } => {
            vec![("needed", needed.to_string()), ("limit", limit.to_string())]
        }
        Error::NoParameters { max_n, table, reason } => {
            vec![("maxN", max_n.to_string()), ("table", (*table).to_owned()), ("reason", reason.clone())]
        }
        _ => vec![],
    }
}

/// A plain JavaScript value as Rust data.
pub(super) fn from_js<T: DeserializeOwned>(what: &str, value: JsValue) -> Result<T, Thrown> {
    serde_wasm_bindgen::from_value(value).map_err(|e| {
        Error::Task { at: what.into(), found: e.to_string(), expected: "the documented shape".into() }.into()
    })
}

/// Rust data as a plain JavaScript value: maps become objects.
pub(super) fn to_js(value: &impl Serialize) -> Result<JsValue, Thrown> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|_| Error::Job("a value has no JavaScript form").into())
}
