//! Bytes and objects of JavaScript.

use super::js::{JsValue, Reflect, Uint8Array};
use cipherloom::memory;

/// Bytes from JavaScript. The glue's own copy would trap where memory is short.
pub(super) fn copy(bytes: &Uint8Array) -> Result<Vec<u8>, cipherloom::Error> {
    let mut copy = memory::zeros(bytes.length() as usize)?;
    bytes.copy_to(&mut copy);
    Ok(copy)
}

/// Sets a property of a plain object, which cannot fail.
pub(super) fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
