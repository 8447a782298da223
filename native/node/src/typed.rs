//! Typed arrays: copied as a whole, in and out.
//!
//! # Soundness
//! What Node-API says to be an array's data is copied at once, before anything else runs on this thread. Elements have no invalid bits. Data that threads
//! share and change meanwhile is not given to the border: messages copy.
#![allow(unsafe_code, reason = "copies from and to memory of JavaScript: see above")]

use crate::call::environment;
use crate::value::{JsValue, wrapped};
use napi_sys::{self as sys, TypedarrayType};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// Kind, number of elements, where they are.
pub(crate) fn data_of(value: &JsValue) -> Option<(i32, usize, *mut c_void)> {
    let (env, raw, mut is) = (environment(), value.raw(), false);
    // SAFETY: pointers are of locals.
    unsafe { sys::napi_is_typedarray(env, raw, &mut is) };
    if !is {
        return None;
    }
    let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
    let (mut buffer, mut offset) = (ptr::null_mut(), 0);
    // SAFETY: pointers are of locals.
    let status = unsafe {
        sys::napi_get_typedarray_info(env, raw, &mut kind, &mut length, &mut data, &mut buffer, &mut offset)
    };
    (status == 0).then_some((kind, length, data))
}

/// A new array of a copy of these.
fn array<T: bytemuck::Pod>(kind: i32, from: &[T]) -> JsValue {
    let (bytes, mut data) = (size_of_val(from), ptr::null_mut());
    // SAFETY: pointers are of locals.
    let buffer =
        JsValue::made(|env, out| unsafe { sys::napi_create_arraybuffer(env, bytes, &mut data, out) });
    if data.is_null() && bytes > 0 {
        return JsValue::UNDEFINED;
    }
    if bytes > 0 {
        // SAFETY: the buffer is new and has as many bytes.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr().cast::<u8>(), data.cast::<u8>(), bytes) };
    }
    let buffer = buffer.raw();
    // SAFETY: pointers are of locals.
    JsValue::made(|env, out| unsafe { sys::napi_create_typedarray(env, kind, from.len(), buffer, 0, out) })
}

macro_rules! typed {
    ($(#[$doc:meta])* $name:ident, $element:ty, $kind:expr) => {
        wrapped!(
            $(#[$doc])*
            $name,
            |value| data_of(value).is_some_and(|(kind, ..)| kind == $kind)
        );

        impl From<&[$element]> for $name {
            fn from(from: &[$element]) -> Self {
                Self(array($kind, from))
            }
        }

        impl $name {
            /// Elements.
            pub fn length(&self) -> u32 {
                data_of(self).map_or(0, |(_, length, _)| length as u32)
            }

            /// Copies all to a slice of as many.
            ///
            /// # Panics
            /// For a slice of another length.
            pub fn copy_to(&self, out: &mut [$element]) {
                // SAFETY: room for as many elements, all of which are written.
                self.copy_to_uninit(unsafe { &mut *(ptr::from_mut(out) as *mut [MaybeUninit<$element>]) });
            }

            /// Copies all to a place for as many, and gives it.
            ///
            /// # Panics
            /// For a place of another length.
            pub fn copy_to_uninit<'a>(&self, out: &'a mut [MaybeUninit<$element>]) -> &'a mut [$element] {
                let (kind, length, data) = data_of(self).unwrap_or(($kind, 0, ptr::null_mut()));
                assert!(kind == $kind && length == out.len(), "an array of another length");
                // SAFETY: as many elements of this type are there, and `out` is of no JavaScript; so all of it is written.
                unsafe {
                    if length > 0 {
                        let bytes = size_of_val(out);
                        ptr::copy_nonoverlapping(data.cast::<u8>(), out.as_mut_ptr().cast::<u8>(), bytes);
                    }
                    out.assume_init_mut()
                }
            }
        }
    };
}

typed!(
    /// Bytes.
    Uint8Array, u8, TypedarrayType::uint8_array
);
typed!(
    /// Signed words of 32 bits.
    Int32Array, i32, TypedarrayType::int32_array
);
typed!(
    /// Words of 32 bits.
    Uint32Array, u32, TypedarrayType::uint32_array
);
typed!(
    /// Doubles.
    Float64Array, f64, TypedarrayType::float64_array
);
typed!(
    /// Signed words of 64 bits.
    BigInt64Array, i64, TypedarrayType::bigint64_array
);

impl Uint8Array {
    /// Zeros.
    pub fn new_with_length(length: u32) -> Self {
        Self::from(vec![0; length as usize].as_slice())
    }
}
