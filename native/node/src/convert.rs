//! What functions take and give.

use crate::class::{Class, Slot, slot};
use crate::typed::{Uint8Array, Uint32Array};
use crate::value::{Array, Function, JsCast, JsValue, Object, not};
use std::rc::Rc;

/// An argument that a function takes whole.
pub trait FromJs: Sized {
    /// From a value.
    ///
    /// # Errors
    /// A TypeError for another one.
    fn from_js(value: JsValue) -> Result<Self, JsValue>;

    /// An array of them.
    ///
    /// # Errors
    /// A TypeError for another value.
    fn many(value: JsValue) -> Result<Vec<Self>, JsValue> {
        let array = value.dyn_ref::<Array>().ok_or_else(|| not("an array"))?;
        array.iter().map(Self::from_js).collect()
    }
}

/// An argument that a function borrows.
pub trait FromReference {
    /// What is borrowed from.
    type Held: std::ops::Deref<Target = Self>;

    /// From a value.
    ///
    /// # Errors
    /// A TypeError for another one.
    fn from_reference(value: JsValue) -> Result<Self::Held, JsValue>;
}

/// A result.
pub trait IntoJs {
    /// As a value, or what is thrown.
    ///
    /// # Errors
    /// What is thrown.
    fn into_js(self) -> Result<JsValue, JsValue>;
}

/// What a constructor gives.
pub trait IntoOwn {
    /// The value, or what is thrown.
    ///
    /// # Errors
    /// What is thrown.
    fn into_own(self) -> Result<Rc<dyn Slot>, JsValue>;
}

impl<T: Class> IntoOwn for T {
    fn into_own(self) -> Result<Rc<dyn Slot>, JsValue> {
        Ok(slot(self))
    }
}

impl<T: Class, E: Into<JsValue>> IntoOwn for Result<T, E> {
    fn into_own(self) -> Result<Rc<dyn Slot>, JsValue> {
        self.map(slot).map_err(Into::into)
    }
}

impl FromJs for JsValue {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        Ok(value)
    }
}

impl FromJs for String {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        value.as_string().ok_or_else(|| not("a text"))
    }
}

impl FromJs for bool {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        Ok(value.is_truthy())
    }
}

impl FromJs for f64 {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        value.as_f64().ok_or_else(|| not("a number"))
    }
}

impl FromJs for u64 {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        // Larger ones lose what is above, as in wasm.
        value.as_u64().map(|(found, _)| found).ok_or_else(|| not("a BigInt"))
    }
}

impl FromJs for usize {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        u32::from_js(value).map(|number| number as Self)
    }
}

impl FromJs for u32 {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        Ok(f64::from_js(value)? as Self)
    }

    fn many(value: JsValue) -> Result<Vec<Self>, JsValue> {
        if let Some(words) = value.dyn_ref::<Uint32Array>() {
            let mut copy = vec![0; words.length() as usize];
            words.copy_to(&mut copy);
            return Ok(copy);
        }
        let array = value.dyn_ref::<Array>().ok_or_else(|| not("an array of numbers"))?;
        array.iter().map(Self::from_js).collect()
    }
}

impl<T: FromJs> FromJs for Vec<T> {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        T::many(value)
    }
}

impl<T: FromJs> FromJs for Option<T> {
    fn from_js(value: JsValue) -> Result<Self, JsValue> {
        if value.is_none() { Ok(None) } else { T::from_js(value).map(Some) }
    }
}

macro_rules! cast {
    ($($ty:ty: $what:literal),*) => {$(
        impl FromJs for $ty {
            fn from_js(value: JsValue) -> Result<Self, JsValue> {
                value.dyn_ref::<Self>().copied().ok_or_else(|| not($what))
            }
        }

        impl IntoJs for $ty {
            fn into_js(self) -> Result<JsValue, JsValue> {
                Ok(self.into())
            }
        }
    )*};
}

cast!(Uint8Array: "bytes", Function: "a function", Object: "an object", Array: "an array");

macro_rules! borrowed {
    ($($ty:ty: $held:ty),*) => {$(
        impl FromReference for $ty {
            type Held = $held;
            fn from_reference(value: JsValue) -> Result<Self::Held, JsValue> {
                <$held as Holder>::hold(value)
            }
        }
    )*};
}

/// Holds what is borrowed.
trait Holder: Sized {
    fn hold(value: JsValue) -> Result<Self, JsValue>;
}

impl<T: FromJs> Holder for Box<T> {
    fn hold(value: JsValue) -> Result<Self, JsValue> {
        T::from_js(value).map(Self::new)
    }
}

impl Holder for String {
    fn hold(value: JsValue) -> Result<Self, JsValue> {
        Self::from_js(value)
    }
}

impl Holder for Vec<u32> {
    fn hold(value: JsValue) -> Result<Self, JsValue> {
        Self::from_js(value)
    }
}

borrowed!(str: String, [u32]: Vec<u32>, JsValue: Box<JsValue>, Uint8Array: Box<Uint8Array>);

macro_rules! given {
    ($($ty:ty),*) => {$(
        impl IntoJs for $ty {
            fn into_js(self) -> Result<JsValue, JsValue> {
                Ok(self.into())
            }
        }
    )*};
}

given!(JsValue, bool, f64, u32, usize, String);

impl IntoJs for () {
    fn into_js(self) -> Result<JsValue, JsValue> {
        Ok(JsValue::UNDEFINED)
    }
}

impl IntoJs for Vec<u8> {
    fn into_js(self) -> Result<JsValue, JsValue> {
        Ok(Uint8Array::from(self.as_slice()).into())
    }
}

impl IntoJs for Vec<String> {
    fn into_js(self) -> Result<JsValue, JsValue> {
        Ok(self.iter().map(JsValue::from).collect::<Array>().into())
    }
}

impl IntoJs for Option<String> {
    fn into_js(self) -> Result<JsValue, JsValue> {
        Ok(self.map_or(JsValue::UNDEFINED, JsValue::from))
    }
}

impl<T: Class> IntoJs for T {
    fn into_js(self) -> Result<JsValue, JsValue> {
        Ok(crate::class::instance(self))
    }
}

impl<T: Class> IntoJs for Vec<T> {
    fn into_js(self) -> Result<JsValue, JsValue> {
        Ok(self.into_iter().map(crate::class::instance).collect::<Array>().into())
    }
}

impl<T: IntoJs, E: Into<JsValue>> IntoJs for Result<T, E> {
    fn into_js(self) -> Result<JsValue, JsValue> {
        self.map_err(Into::into)?.into_js()
    }
}
