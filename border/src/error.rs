//! Errors and plain data across the border.

use super::js::{self, JsValue, Object, Reflect};
use cipherloom::Error;

/// A JavaScript `Error` about to be thrown.
pub struct Thrown(JsValue);

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        thrown.0
    }
}

impl From<Error> for Thrown {
    fn from(error: Error) -> Self {
        let js = js::Error::new(&error.to_string());
        let details = Object::new();
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
    js::plain(value).ok_or_else(|| Error::Job("a value has no JavaScript form").into())
}
