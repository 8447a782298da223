//! Kernels of the base operators on plain data, for every platform that has no faster ones. Loops are written so that
//! the compiler turns them into vectors where a build has them.
//!
//! Operations that only move elements are compiled once per width, not per element; those of bits, where there is no faster
//! way, unpack to a byte each.

mod arithmetic;
mod arrange;
mod bits;
mod compare;
mod convert;
mod element;
#[cfg(target_arch = "wasm32")]
mod extremes;
mod gather;
mod logic;
mod matmul;
mod places;
mod reduce;
mod rows;
mod scan;
mod sort;
#[cfg(target_arch = "wasm32")]
mod tanh_lanes;

use super::Kernel;
use crate::Result;
use crate::ops::Call;
use crate::ops::plain::parts;
use crate::ops::tensor::{Element, Tensor};
use bytemuck::Pod;

/// True for the operators that [`kernel`] serves.
pub(super) fn implements(op: &str) -> bool {
    parts(op).is_some()
}

/// A prepared operator on plain data; none for other operators.
///
/// # Errors
/// `Operator` and `Graph` for operands and attributes that the operator does not take.
pub(super) fn kernel(call: &Call<'_>) -> Result<Option<Kernel>> {
    let Some((element, operation)) = parts(call.name) else { return Ok(None) };
    let uses = Use::new(call, element)?;
    Ok(match operation {
        "add" | "sub" | "mul" | "div" | "rem" | "neg" | "abs" | "min" | "max" | "sqrt" | "exp" | "log"
        | "tanh" => arithmetic::kernel(&uses, operation),
        "eq" | "ne" | "lt" | "le" => compare::kernel(&uses, operation),
        "and" | "or" | "xor" | "not" | "shl" | "shr" | "rotl" | "select" => logic::kernel(&uses, operation),
        "convert" => convert::kernel(&uses),
        "gather" => gather::gather(&uses, call)?,
        "scatter" => gather::scatter(&uses, call)?,
        "slice" | "concat" | "transpose" | "broadcast" => arrange::kernel(&uses, call, operation)?,
        "sum" | "product" | "reduce_min" | "reduce_max" | "reduce_xor" | "reduce_and" | "reduce_or" => {
            reduce::kernel(&uses, operation, call.axis(uses.first())?)
        }
        "argmin" | "argmax" => places::kernel(&uses, operation, call.axis(uses.first())?),
        "scan" => scan::kernel(&uses, call)?,
        "matmul" => matmul::kernel(&uses),
        "sort" => sort::kernel(&uses, call.axis(uses.first())?),
        _ => None,
    })
}

/// The tensors of a call.
struct Use {
    element: Element,
    inputs: Vec<Tensor>,
    out: Tensor,
}

impl Use {
    /// # Errors
    /// What the operator type says about the call.
    fn new(call: &Call<'_>, element: Element) -> Result<Self> {
        let inputs = (0..call.inputs.len()).map(|index| call.tensor(index)).collect::<Result<_>>()?;
        Ok(Self { element, inputs, out: crate::ops::plain::output(call)? })
    }

    /// Every operation has an input, and its output tells as much where one has none.
    fn first(&self) -> &Tensor {
        self.inputs.first().unwrap_or(&self.out)
    }
}

/// What wrapping arithmetic on an element may be done with: signed and unsigned integers have the same bits.
fn unsigned(element: Element) -> Element {
    match element {
        Element::I32 => Element::U32,
        Element::I64 => Element::U64,
        other => other,
    }
}

/// A kernel over one element.
fn typed<T: Pod, R: Pod>(f: impl Fn(&[&[T]], &mut [R]) + Send + Sync + 'static) -> Option<Kernel> {
    Some(Kernel::on_bytes(move |inputs: &[&[u8]], out: &mut [u8]| {
        let inputs: Vec<&[T]> = inputs.iter().map(|&bytes| bytemuck::cast_slice(bytes)).collect();
        f(&inputs, bytemuck::cast_slice_mut(out));
    }))
}

/// An expression for the type that stands for an element.
macro_rules! by_type {
    ($element:expr, $t:ident => $body:expr, $($($name:ident)|+ : $type:ty),+ $(; $rest:expr)?) => {
        match $element {
            $($($crate::ops::tensor::Element::$name)|+ => {
                type $t = $type;
                $body
            })+
            $(_ => $rest,)?
        }
    };
}

/// For each type of numbers; none for bits.
macro_rules! by_number {
    ($element:expr, $t:ident => $body:expr) => {
        $crate::platform::plain::by_type!($element, $t => $body,
            U8: u8, I32: i32, U32: u32, I64: i64, U64: u64, F32: f32, F64: f64; None)
    };
}

/// For each type of integers; none for others.
macro_rules! by_integer {
    ($element:expr, $t:ident => $body:expr) => {
        $crate::platform::plain::by_type!($element, $t => $body,
            U8: u8, I32: i32, U32: u32, I64: i64, U64: u64; None)
    };
}

/// For the unsigned integers of an element's width; bits count as bytes.
macro_rules! by_width {
    ($element:expr, $t:ident => $body:expr) => {
        $crate::platform::plain::by_type!($element, $t => $body,
            Bit | U8: u8, I32 | U32 | F32: u32, I64 | U64 | F64: u64)
    };
}

use {by_integer, by_number, by_type, by_width};
