//! Bytes and objects of JavaScript.

use super::js::{JsValue, Reflect, Uint8Array};
use cipherloom::memory;

/// Bytes from JavaScript. The glue's own copy would trap where memory is short.
pub(super) fn copy(bytes: &Uint8Array) -> Result<Vec<u8>, cipherloom::Error> {
    memory::written(bytes.length() as usize, |place| bytes.copy_to_uninit(place))
}

/// Sets a property of a plain object, which cannot fail.
pub(super) fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
