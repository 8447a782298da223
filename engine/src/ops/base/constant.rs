//! A tensor that is part of the graph: attribute `value` holds its bytes (`ops::tensor`), `of` its element, `shape` its
//! dimensions.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Level, Noise, OpDef};

/// `constant`; see the module.
pub struct Constant;

impl OpDef for Constant {
    fn name(&self) -> &str {
        "constant"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["of", "shape", "value"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(0)?;
        let of = call.attrs.text("of")?;
        let element = Element::named(of).ok_or_else(|| call.error("of", of, "the name of an element"))?;
        let tensor = Tensor::new(element, call.attrs.uints("shape")?);
        let ty = tensor.ty(call.unit)?;
        let (found, expected) = (call.attrs.bytes("value")?.len(), tensor.bytes());
        if found != expected {
            return Err(call.error("bytes of the value", found, expected));
        }
        Ok(ty)
    }

    /// Of doubles, the largest.
    fn noise(&self, call: &Call<'_>, _: &[Noise]) -> Option<Noise> {
        if call.attrs.text("of").ok()? != Element::F64.name() {
            return None;
        }
        let (doubles, _) = call.attrs.bytes("value").ok()?.as_chunks::<8>();
        let largest = doubles.iter().map(|bytes| f64::from_le_bytes(*bytes).abs()).fold(0.0, f64::max);
        Some(Noise { message: libm::log2(largest), error: f64::NEG_INFINITY })
    }
}
