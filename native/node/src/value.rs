//! Values, and what they are asked.
//!
//! # Soundness
//! A value's handle is used after [`Handle::get`] alone, which sees that its call is under way, on this thread; the environment is that call's.
//! All pointers that Node-API is given are of live locals.
#![allow(unsafe_code, reason = "calls of Node-API: see above")]

use crate::call::{self, environment};
use napi_sys::{self as sys, ValueType};
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;

/// A handle, and the call in which it was made.
#[derive(Clone, Copy)]
pub(crate) struct Handle {
    raw: sys::napi_value,
    call: u64,
    /// Of one thread.
    own: PhantomData<*const ()>,
}

impl Handle {
    fn get(self) -> sys::napi_value {
        assert!(call::is_active(self.call), "a value of a call that has ended");
        self.raw
    }
}

/// Any value.
#[derive(Clone, Copy)]
pub struct JsValue(Inner);

#[derive(Clone, Copy)]
enum Inner {
    Undefined,
    Null,
    Made(Handle),
}

impl JsValue {
    /// `undefined`.
    pub const UNDEFINED: Self = Self(Inner::Undefined);
    /// `null`.
    pub const NULL: Self = Self(Inner::Null);

    /// A handle of the call that is under way.
    pub(crate) fn here(raw: sys::napi_value) -> Self {
        Self(Inner::Made(Handle { raw, call: call::current(), own: PhantomData }))
    }

    /// What `create` makes; undefined where it fails, as everything does in a thread that is being ended.
    pub(crate) fn made(create: impl FnOnce(sys::napi_env, &mut sys::napi_value) -> sys::napi_status) -> Self {
        let mut raw = ptr::null_mut();
        if create(environment(), &mut raw) == 0 { Self::here(raw) } else { Self::UNDEFINED }
    }

    /// A handle of it.
    pub(crate) fn raw(&self) -> sys::napi_value {
        let mut raw = ptr::null_mut();
        match self.0 {
            Inner::Made(handle) => return handle.get(),
            // SAFETY: see the module.
            Inner::Undefined => unsafe { sys::napi_get_undefined(environment(), &mut raw) },
            // SAFETY: see the module.
            Inner::Null => unsafe { sys::napi_get_null(environment(), &mut raw) },
        };
        raw
    }

    pub(crate) fn kind(&self) -> i32 {
        let mut found = ValueType::napi_undefined;
        // SAFETY: see the module.
        unsafe { sys::napi_typeof(environment(), self.raw(), &mut found) };
        found
    }

    /// Whether it is undefined.
    pub fn is_undefined(&self) -> bool {
        self.kind() == ValueType::napi_undefined
    }

    /// Whether it is undefined or null.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self.kind(), ValueType::napi_undefined | ValueType::napi_null)
    }

    /// Whether it counts as true.
    pub fn is_truthy(&self) -> bool {
        // SAFETY: see the module.
        Self::made(|env, out| unsafe { sys::napi_coerce_to_bool(env, self.raw(), out) }).as_bool()
            == Some(true)
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        let mut found = false;
        // SAFETY: see the module. It fails for other values.
        let status = unsafe { sys::napi_get_value_bool(environment(), self.raw(), &mut found) };
        (status == 0).then_some(found)
    }

    /// A number.
    pub fn as_f64(&self) -> Option<f64> {
        let mut found = 0.0;
        // SAFETY: see the module. It fails for other values.
        let status = unsafe { sys::napi_get_value_double(environment(), self.raw(), &mut found) };
        (status == 0).then_some(found)
    }

    /// A text; surrogates without their other half are replaced, as in wasm.
    pub fn as_string(&self) -> Option<String> {
        let (env, raw) = (environment(), self.raw());
        let mut length = 0;
        // SAFETY: see the module. It fails for other values.
        if unsafe { sys::napi_get_value_string_utf8(env, raw, ptr::null_mut(), 0, &mut length) } != 0 {
            return None;
        }
        // One more for the zero at the end.
        let mut bytes = vec![0u8; length + 1];
        let (to, size) = (bytes.as_mut_ptr().cast(), bytes.len());
        // SAFETY: as many bytes as are said are there.
        unsafe { sys::napi_get_value_string_utf8(env, raw, to, size, &mut length) };
        bytes.truncate(length);
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The low 64 bits of a BigInt, and whether these are all.
    pub(crate) fn as_u64(&self) -> Option<(u64, bool)> {
        let (mut found, mut whole) = (0, false);
        // SAFETY: see the module. It fails for other values.
        let status =
            unsafe { sys::napi_get_value_bigint_uint64(environment(), self.raw(), &mut found, &mut whole) };
        (status == 0).then_some((found, whole))
    }
}

impl AsRef<JsValue> for JsValue {
    fn as_ref(&self) -> &JsValue {
        self
    }
}

impl From<&str> for JsValue {
    fn from(text: &str) -> Self {
        let (from, length) = (text.as_ptr().cast(), text.len().cast_signed());
        // SAFETY: as many bytes as are said are there.
        Self::made(|env, out| unsafe { sys::napi_create_string_utf8(env, from, length, out) })
    }
}

impl From<String> for JsValue {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for JsValue {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<bool> for JsValue {
    fn from(value: bool) -> Self {
        // SAFETY: see the module.
        Self::made(|env, out| unsafe { sys::napi_get_boolean(env, value, out) })
    }
}

impl From<f64> for JsValue {
    fn from(value: f64) -> Self {
        // SAFETY: see the module.
        Self::made(|env, out| unsafe { sys::napi_create_double(env, value, out) })
    }
}

impl From<u32> for JsValue {
    fn from(value: u32) -> Self {
        f64::from(value).into()
    }
}

impl From<i32> for JsValue {
    fn from(value: i32) -> Self {
        f64::from(value).into()
    }
}

impl From<usize> for JsValue {
    fn from(value: usize) -> Self {
        (value as f64).into()
    }
}

impl From<u64> for JsValue {
    /// A BigInt.
    fn from(value: u64) -> Self {
        // SAFETY: see the module.
        Self::made(|env, out| unsafe { sys::napi_create_bigint_uint64(env, value, out) })
    }
}

/// Values of one type.
pub trait JsCast: Sized + AsRef<JsValue> {
    /// Whether a value is of it.
    fn is(value: &JsValue) -> bool;
    /// The value, as one of it.
    fn wrap_ref(value: &JsValue) -> &Self;

    /// As another type, if it is one.
    fn dyn_ref<T: JsCast>(&self) -> Option<&T> {
        let value = self.as_ref();
        T::is(value).then(|| T::wrap_ref(value))
    }
}

impl JsCast for JsValue {
    fn is(_: &JsValue) -> bool {
        true
    }

    fn wrap_ref(value: &JsValue) -> &Self {
        value
    }
}

/// A type whose values are values.
macro_rules! wrapped {
    ($(#[$doc:meta])* $name:ident, $is:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name(pub(crate) $crate::value::JsValue);

        impl std::ops::Deref for $name {
            type Target = $crate::value::JsValue;
            fn deref(&self) -> &$crate::value::JsValue {
                &self.0
            }
        }

        impl AsRef<$crate::value::JsValue> for $name {
            fn as_ref(&self) -> &$crate::value::JsValue {
                &self.0
            }
        }

        impl From<$name> for $crate::value::JsValue {
            fn from(own: $name) -> Self {
                own.0
            }
        }

        impl $crate::value::JsCast for $name {
            fn is(value: &$crate::value::JsValue) -> bool {
                let is: fn(&$crate::value::JsValue) -> bool = $is;
                is(value)
            }

            fn wrap_ref(value: &$crate::value::JsValue) -> &Self {
                // SAFETY: the type is transparent, and holds nothing but a value.
                unsafe { &*std::ptr::from_ref(value).cast::<Self>() }
            }
        }
    };
}
pub(crate) use wrapped;

wrapped!(
    /// An object.
    Object,
    |value| !matches!(value.kind(), ValueType::napi_undefined | ValueType::napi_null | ValueType::napi_boolean | ValueType::napi_number | ValueType::napi_string)
);
wrapped!(
    /// A function.
    Function,
    |value| value.kind() == ValueType::napi_function
);
wrapped!(
    /// An integer of any size.
    BigInt,
    |value| value.kind() == ValueType::napi_bigint
);
wrapped!(
    /// An array.
    Array,
    |value| {
        let mut is = false;
        // SAFETY: see the module.
        unsafe { sys::napi_is_array(environment(), value.raw(), &mut is) };
        is
    }
);

impl Object {
    /// Without properties.
    #[allow(clippy::new_without_default, reason = "js-sys has none")]
    pub fn new() -> Self {
        // SAFETY: see the module.
        Self(JsValue::made(|env, out| unsafe { sys::napi_create_object(env, out) }))
    }
}

impl TryFrom<BigInt> for u64 {
    type Error = BigInt;

    fn try_from(value: BigInt) -> Result<Self, BigInt> {
        value.as_u64().filter(|&(_, whole)| whole).map(|(found, _)| found).ok_or(value)
    }
}

impl Array {
    /// Without elements.
    #[allow(clippy::new_without_default, reason = "js-sys has none")]
    pub fn new() -> Self {
        Self::of_length(0)
    }

    fn of_length(length: usize) -> Self {
        // SAFETY: see the module.
        Self(JsValue::made(|env, out| unsafe { sys::napi_create_array_with_length(env, length, out) }))
    }

    /// The same array; an empty one for what is none.
    pub fn from(value: &JsValue) -> Self {
        if Self::is(value) { Self(*value) } else { Self::new() }
    }

    /// Elements.
    pub fn length(&self) -> u32 {
        let mut length = 0;
        // SAFETY: see the module.
        unsafe { sys::napi_get_array_length(environment(), self.raw(), &mut length) };
        length
    }

    /// An element; undefined behind the last.
    pub fn get(&self, index: u32) -> JsValue {
        // SAFETY: see the module.
        JsValue::made(|env, out| unsafe { sys::napi_get_element(env, self.raw(), index, out) })
    }

    fn set(&self, index: u32, value: &JsValue) {
        // SAFETY: see the module.
        unsafe { sys::napi_set_element(environment(), self.raw(), index, value.raw()) };
    }

    /// Adds an element.
    pub fn push(&self, value: &JsValue) {
        self.set(self.length(), value);
    }

    /// All elements.
    pub fn iter(&self) -> impl Iterator<Item = JsValue> + '_ {
        (0..self.length()).map(|index| self.get(index))
    }
}

impl<T: AsRef<JsValue>> FromIterator<T> for Array {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let array = Self::new();
        for (index, item) in (0..).zip(items) {
            array.set(index, item.as_ref());
        }
        array
    }
}

impl Function {
    /// Calls it with one argument.
    ///
    /// # Errors
    /// What it throws.
    pub fn call1(&self, this: &JsValue, argument: &JsValue) -> Result<JsValue, JsValue> {
        let env = environment();
        let (this, argument, mut out) = (this.raw(), argument.raw(), ptr::null_mut());
        // SAFETY: see the module; one argument is there.
        let status = unsafe { sys::napi_call_function(env, this, self.raw(), 1, &argument, &mut out) };
        if status == 0 { Ok(JsValue::here(out)) } else { Err(thrown()) }
    }
}

/// What was thrown, which then is not thrown any more; undefined where nothing was.
pub(crate) fn thrown() -> JsValue {
    let (env, mut pending) = (environment(), false);
    // SAFETY: see the module.
    unsafe { sys::napi_is_exception_pending(env, &mut pending) };
    if !pending {
        return JsValue::UNDEFINED;
    }
    // SAFETY: see the module.
    JsValue::made(|env, out| unsafe { sys::napi_get_and_clear_last_exception(env, out) })
}

/// An error to be thrown.
pub struct Error(JsValue);

impl Error {
    /// Of that message.
    pub fn new(message: &str) -> Self {
        let (none, message) = (ptr::null_mut(), JsValue::from(message).raw());
        // SAFETY: see the module; without a code.
        Self(JsValue::made(|env, out| unsafe { sys::napi_create_error(env, none, message, out) }))
    }
}

impl Deref for Error {
    type Target = JsValue;
    fn deref(&self) -> &JsValue {
        &self.0
    }
}

impl From<Error> for JsValue {
    fn from(error: Error) -> Self {
        error.0
    }
}

/// A TypeError of what a value is not.
pub(crate) fn not(expected: &str) -> JsValue {
    let (none, message) = (ptr::null_mut(), JsValue::from(format!("expected {expected}")).raw());
    // SAFETY: see the module; without a code.
    JsValue::made(|env, out| unsafe { sys::napi_create_type_error(env, none, message, out) })
}

/// Properties of objects.
pub struct Reflect;

impl Reflect {
    /// A property; undefined where there is none.
    ///
    /// # Errors
    /// What it throws.
    pub fn get(object: &JsValue, key: &JsValue) -> Result<JsValue, JsValue> {
        let (env, mut out) = (environment(), ptr::null_mut());
        // SAFETY: see the module.
        let status = unsafe { sys::napi_get_property(env, object.raw(), key.raw(), &mut out) };
        if status == 0 { Ok(JsValue::here(out)) } else { Err(thrown()) }
    }

    /// Sets a property.
    ///
    /// # Errors
    /// What it throws.
    pub fn set(object: &JsValue, key: &JsValue, value: &JsValue) -> Result<bool, JsValue> {
        // SAFETY: see the module.
        let status = unsafe { sys::napi_set_property(environment(), object.raw(), key.raw(), value.raw()) };
        if status == 0 { Ok(true) } else { Err(thrown()) }
    }
}

/// The global object.
pub(crate) fn global() -> JsValue {
    // SAFETY: see the module.
    JsValue::made(|env, out| unsafe { sys::napi_get_global(env, out) })
}

/// `new constructor(...arguments)`.
pub(crate) fn construct(constructor: &JsValue, argument: Option<&JsValue>) -> JsValue {
    let argument = argument.map(JsValue::raw);
    let (count, first) =
        (usize::from(argument.is_some()), argument.as_ref().map_or(ptr::null(), ptr::from_ref));
    // SAFETY: see the module; as many arguments as are said are there.
    JsValue::made(|env, out| unsafe { sys::napi_new_instance(env, constructor.raw(), count, first, out) })
}
