//! The functions of Node-API that are used, version 8, as <https://nodejs.org/docs/latest/api/n-api.html> has them. Their ABI stays
//! as it is in later versions of Node. The executable that loads the addon has them.

#![allow(unsafe_code, missing_docs, reason = "declarations of another language")]

use std::ffi::{c_char, c_void};

/// What an object of V8 is named by, for as long as the call lasts in which it was named.
pub type Value = *mut c_void;
pub type Env = *mut c_void;
pub type Info = *mut c_void;
pub type Reference = *mut c_void;
/// 0 for success.
pub type Status = i32;
pub type Callback = unsafe extern "C" fn(Env, Info) -> Value;
pub type Finalize = unsafe extern "C" fn(Env, *mut c_void, *mut c_void);

/// `napi_static`.
pub const STATIC: i32 = 1 << 10;
/// `napi_default_method`: writable and configurable.
pub const METHOD: i32 = 1 | 1 << 2;

/// `napi_valuetype`.
pub mod kind {
    pub const UNDEFINED: i32 = 0;
    pub const NULL: i32 = 1;
    pub const BOOLEAN: i32 = 2;
    pub const NUMBER: i32 = 3;
    pub const STRING: i32 = 4;
    pub const FUNCTION: i32 = 7;
    pub const BIGINT: i32 = 9;
}

#[repr(C)]
pub struct Property {
    pub utf8name: *const c_char,
    pub name: Value,
    pub method: Option<Callback>,
    pub getter: Option<Callback>,
    pub setter: Option<Callback>,
    pub value: Value,
    pub attributes: i32,
    pub data: *mut c_void,
}

#[repr(C)]
pub struct Tag {
    pub lower: u64,
    pub upper: u64,
}

unsafe extern "C" {
    pub fn napi_get_undefined(env: Env, result: *mut Value) -> Status;
    pub fn napi_get_null(env: Env, result: *mut Value) -> Status;
    pub fn napi_get_global(env: Env, result: *mut Value) -> Status;
    pub fn napi_get_boolean(env: Env, value: bool, result: *mut Value) -> Status;
    pub fn napi_create_object(env: Env, result: *mut Value) -> Status;
    pub fn napi_create_array_with_length(env: Env, length: usize, result: *mut Value) -> Status;
    pub fn napi_create_double(env: Env, value: f64, result: *mut Value) -> Status;
    pub fn napi_create_string_utf8(
        env: Env,
        text: *const c_char,
        length: usize,
        result: *mut Value,
    ) -> Status;
    pub fn napi_create_bigint_uint64(env: Env, value: u64, result: *mut Value) -> Status;
    pub fn napi_create_error(env: Env, code: Value, message: Value, result: *mut Value) -> Status;
    pub fn napi_create_type_error(env: Env, code: Value, message: Value, result: *mut Value) -> Status;
    pub fn napi_create_function(
        env: Env,
        name: *const c_char,
        length: usize,
        callback: Callback,
        data: *mut c_void,
        result: *mut Value,
    ) -> Status;
    pub fn napi_typeof(env: Env, value: Value, result: *mut i32) -> Status;
    pub fn napi_get_value_double(env: Env, value: Value, result: *mut f64) -> Status;
    pub fn napi_get_value_bool(env: Env, value: Value, result: *mut bool) -> Status;
    pub fn napi_get_value_string_utf8(
        env: Env,
        value: Value,
        buffer: *mut c_char,
        size: usize,
        result: *mut usize,
    ) -> Status;
    pub fn napi_get_value_bigint_uint64(env: Env, value: Value, result: *mut u64, whole: *mut bool)
    -> Status;
    pub fn napi_coerce_to_bool(env: Env, value: Value, result: *mut Value) -> Status;
    pub fn napi_set_property(env: Env, object: Value, key: Value, value: Value) -> Status;
    pub fn napi_get_property(env: Env, object: Value, key: Value, result: *mut Value) -> Status;
    pub fn napi_set_element(env: Env, object: Value, index: u32, value: Value) -> Status;
    pub fn napi_get_element(env: Env, object: Value, index: u32, result: *mut Value) -> Status;
    pub fn napi_is_array(env: Env, value: Value, result: *mut bool) -> Status;
    pub fn napi_get_array_length(env: Env, value: Value, result: *mut u32) -> Status;
    pub fn napi_is_typedarray(env: Env, value: Value, result: *mut bool) -> Status;
    pub fn napi_get_typedarray_info(
        env: Env,
        value: Value,
        kind: *mut i32,
        length: *mut usize,
        data: *mut *mut c_void,
        buffer: *mut Value,
        offset: *mut usize,
    ) -> Status;
    pub fn napi_create_arraybuffer(
        env: Env,
        length: usize,
        data: *mut *mut c_void,
        result: *mut Value,
    ) -> Status;
    pub fn napi_create_typedarray(
        env: Env,
        kind: i32,
        length: usize,
        buffer: Value,
        offset: usize,
        result: *mut Value,
    ) -> Status;
    pub fn napi_call_function(
        env: Env,
        this: Value,
        function: Value,
        count: usize,
        arguments: *const Value,
        result: *mut Value,
    ) -> Status;
    pub fn napi_new_instance(
        env: Env,
        constructor: Value,
        count: usize,
        arguments: *const Value,
        result: *mut Value,
    ) -> Status;
    pub fn napi_get_cb_info(
        env: Env,
        info: Info,
        count: *mut usize,
        arguments: *mut Value,
        this: *mut Value,
        data: *mut *mut c_void,
    ) -> Status;
    pub fn napi_define_class(
        env: Env,
        name: *const c_char,
        length: usize,
        constructor: Callback,
        data: *mut c_void,
        count: usize,
        properties: *const Property,
        result: *mut Value,
    ) -> Status;
    pub fn napi_wrap(
        env: Env,
        object: Value,
        native: *mut c_void,
        finalize: Finalize,
        hint: *mut c_void,
        reference: *mut Reference,
    ) -> Status;
    pub fn napi_unwrap(env: Env, object: Value, result: *mut *mut c_void) -> Status;
    pub fn napi_type_tag_object(env: Env, object: Value, tag: *const Tag) -> Status;
    pub fn napi_check_object_type_tag(env: Env, object: Value, tag: *const Tag, result: *mut bool) -> Status;
    pub fn napi_create_reference(env: Env, value: Value, count: u32, result: *mut Reference) -> Status;
    pub fn napi_get_reference_value(env: Env, reference: Reference, result: *mut Value) -> Status;
    pub fn napi_throw(env: Env, error: Value) -> Status;
    pub fn napi_is_exception_pending(env: Env, result: *mut bool) -> Status;
    pub fn napi_get_and_clear_last_exception(env: Env, result: *mut Value) -> Status;
}
