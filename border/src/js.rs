//! JavaScript, as wasm and addons of Node (feature `native`) have it: the same names, so that the border is written once.
#![allow(unused_imports, reason = "which of them are used, the features say")]

#[cfg(feature = "native")]
pub(super) use cipherloom_node::{
    Array, BigInt, BigInt64Array, Error, Float64Array, Function, Int32Array, JsCast, JsValue, Object,
    Reflect, Uint8Array, Uint32Array, plain, wasm_bindgen,
};
#[cfg(not(feature = "native"))]
pub(super) use js_sys::{
    Array, BigInt, BigInt64Array, Error, Float64Array, Function, Int32Array, Object, Reflect, Uint8Array,
    Uint32Array,
};
#[cfg(not(feature = "native"))]
pub(super) use wasm_bindgen::{JsCast, JsError, JsValue, prelude::wasm_bindgen};

/// Rust data as a plain JavaScript value, as JSON has it; none for what has no such form.
#[cfg(not(feature = "native"))]
pub(super) fn plain(value: &impl serde::Serialize) -> Option<JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()
}
