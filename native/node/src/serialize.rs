//! Data of Rust as plain values, as `serde-wasm-bindgen` makes them for JSON: maps and structs become objects, what is missing `null`,
//! integers numbers, as far as these are exact. Doubles stay what they are, also those that JSON has no form for.

use crate::typed::Uint8Array;
use crate::value::{Array, JsValue, Object, Reflect};
use serde::ser::{self, Serialize};
use std::fmt;

/// What has no form.
#[derive(Debug)]
pub(crate) struct Unknown;

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value has no JavaScript form")
    }
}

impl std::error::Error for Unknown {}

impl ser::Error for Unknown {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

type Made = Result<JsValue, Unknown>;

/// A plain value; none for what has no form.
pub fn plain(value: &impl Serialize) -> Option<JsValue> {
    value.serialize(Plain).ok()
}

struct Plain;

/// The largest integer up to which all are doubles.
const EXACT: u64 = (1 << 53) - 1;

/// An array that grows, perhaps as the only property of an object.
struct Items {
    items: Vec<JsValue>,
    within: Option<&'static str>,
}

/// An object that grows, perhaps as the only property of another one.
struct Fields {
    object: Object,
    key: JsValue,
    within: Option<&'static str>,
}

/// An object of one property, where there is a name for it.
fn within(name: Option<&'static str>, value: JsValue) -> JsValue {
    let Some(name) = name else { return value };
    let object = Object::new();
    put(&object, &name.into(), &value);
    object.into()
}

fn put(object: &Object, key: &JsValue, value: &JsValue) {
    let _ = Reflect::set(object, key, value);
}

impl Fields {
    fn new(within: Option<&'static str>) -> Self {
        Self { object: Object::new(), key: JsValue::UNDEFINED, within }
    }

    fn add(&mut self, key: &'static str, value: &(impl Serialize + ?Sized)) -> Result<(), Unknown> {
        put(&self.object, &key.into(), &value.serialize(Plain)?);
        Ok(())
    }

    fn made(self) -> Made {
        Ok(within(self.within, self.object.into()))
    }
}

impl Items {
    fn new(length: usize, within: Option<&'static str>) -> Self {
        Self { items: Vec::with_capacity(length), within }
    }

    fn add(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Unknown> {
        self.items.push(value.serialize(Plain)?);
        Ok(())
    }

    fn made(self) -> Made {
        Ok(within(self.within, self.items.iter().collect::<Array>().into()))
    }
}

macro_rules! numbers {
    ($($name:ident: $ty:ty),*) => {$(
        fn $name(self, value: $ty) -> Made {
            Ok(f64::from(value).into())
        }
    )*};
}

impl ser::Serializer for Plain {
    type Ok = JsValue;
    type Error = Unknown;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    numbers!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32,
        serialize_f32: f32, serialize_f64: f64
    );

    fn serialize_bool(self, value: bool) -> Made {
        Ok(value.into())
    }

    fn serialize_i64(self, value: i64) -> Made {
        if value.unsigned_abs() <= EXACT { Ok((value as f64).into()) } else { Err(Unknown) }
    }

    fn serialize_u64(self, value: u64) -> Made {
        if value <= EXACT { Ok((value as f64).into()) } else { Err(Unknown) }
    }

    fn serialize_char(self, value: char) -> Made {
        Ok(value.to_string().into())
    }

    fn serialize_str(self, value: &str) -> Made {
        Ok(value.into())
    }

    fn serialize_bytes(self, value: &[u8]) -> Made {
        Ok(Uint8Array::from(value).into())
    }

    fn serialize_none(self) -> Made {
        Ok(JsValue::NULL)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made {
        Ok(JsValue::NULL)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Made {
        Ok(JsValue::NULL)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Made {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Made {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Made {
        Ok(within(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items, Unknown> {
        Ok(Items::new(length.unwrap_or(0), None))
    }

    fn serialize_tuple(self, length: usize) -> Result<Items, Unknown> {
        Ok(Items::new(length, None))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items, Unknown> {
        Ok(Items::new(length, None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Items, Unknown> {
        Ok(Items::new(length, Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields, Unknown> {
        Ok(Fields::new(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, Unknown> {
        Ok(Fields::new(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields, Unknown> {
        Ok(Fields::new(Some(variant)))
    }
}

macro_rules! items {
    ($($trait:ident: $add:ident),*) => {$(
        impl ser::$trait for Items {
            type Ok = JsValue;
            type Error = Unknown;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unknown> {
                self.add(value)
            }

            fn end(self) -> Made {
                self.made()
            }
        }
    )*};
}

items!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl ser::$trait for Fields {
            type Ok = JsValue;
            type Error = Unknown;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Unknown> {
                self.add(key, value)
            }

            fn end(self) -> Made {
                self.made()
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Fields {
    type Ok = JsValue;
    type Error = Unknown;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unknown> {
        self.key = key.serialize(Plain)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unknown> {
        put(&self.object, &self.key, &value.serialize(Plain)?);
        Ok(())
    }

    fn end(self) -> Made {
        self.made()
    }
}
