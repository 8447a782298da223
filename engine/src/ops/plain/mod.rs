//! The base operators on plain data: tensors of bits, integers and floating-point numbers.
//!
//! One operation, one file: it says which elements it makes sense for, what it takes and gives, and what it costs.
//! Here each becomes a base operator per element, named `ELEMENT.OPERATION`, such as `f32.matmul`.

mod abs;
mod add;
mod and;
mod argmax;
mod argmin;
mod broadcast;
mod concat;
mod convert;
mod div;
mod eq;
mod exp;
mod gather;
mod le;
mod log;
mod lt;
mod matmul;
mod max;
mod min;
mod mul;
mod ne;
mod neg;
mod not;
mod or;
mod product;
mod reduce_and;
mod reduce_max;
mod reduce_min;
mod reduce_or;
mod reduce_xor;
mod rem;
mod rotl;
pub(crate) mod scan;
pub(crate) mod scatter;
mod select;
mod shapes;
mod shl;
mod shr;
pub(crate) mod slice;
mod sort;
mod sqrt;
mod sub;
mod sum;
mod tanh;
pub(crate) mod transpose;
mod xor;

use super::tensor::{Element, Tensor};
use super::{Call, Level, OpDef};
use crate::graph::ValueType;
use crate::{Error, Result};
use Element::{Bit, F32, F64, I32, I64, U8, U32, U64};
use std::sync::Arc;

/// Whatever has arithmetic.
const NUMBERS: &[Element] = &[U8, I32, U32, I64, U64, F32, F64];
/// Numbers below 0.
const SIGNED: &[Element] = &[I32, I64, F32, F64];
/// IEEE 754.
const FLOATS: &[Element] = &[F32, F64];
/// Integers of at least a byte.
const INTEGERS: &[Element] = &[U8, I32, U32, I64, U64];
/// Whatever is a row of bits.
const LOGIC: &[Element] = &[Bit, U8, I32, U32, I64, U64];
/// All elements.
const EVERY: &[Element] = &Element::ALL;

/// One operation, for all elements that it makes sense for.
struct Operation {
    name: &'static str,
    elements: &'static [Element],
    /// Checks a call of the operator of that element, and gives the output.
    output: fn(&Call<'_>, Element) -> Result<Tensor>,
    /// Names of the attributes that it takes.
    attributes: &'static [&'static str],
    /// True when the order of its inputs does not matter.
    commutative: bool,
    cost: Cost,
}

/// Work of a call, in multiplications modulo a prime.
enum Cost {
    /// So much for each element of the output or of the largest input, whichever has more.
    Each(f64),
    /// From the call and its output.
    Of(fn(&Call<'_>, &Tensor) -> f64),
}

/// All operations.
const OPERATIONS: &[Operation] = &[
    add::ADD,
    sub::SUB,
    mul::MUL,
    div::DIV,
    rem::REM,
    neg::NEG,
    abs::ABS,
    min::MIN,
    max::MAX,
    sqrt::SQRT,
    exp::EXP,
    log::LOG,
    tanh::TANH,
    eq::EQ,
    ne::NE,
    lt::LT,
    le::LE,
    select::SELECT,
    and::AND,
    or::OR,
    xor::XOR,
    not::NOT,
    shl::SHL,
    shr::SHR,
    rotl::ROTL,
    convert::CONVERT,
    sum::SUM,
    product::PRODUCT,
    reduce_min::REDUCE_MIN,
    reduce_max::REDUCE_MAX,
    reduce_xor::REDUCE_XOR,
    reduce_and::REDUCE_AND,
    reduce_or::REDUCE_OR,
    argmin::ARGMIN,
    argmax::ARGMAX,
    scan::SCAN,
    matmul::MATMUL,
    sort::SORT,
    gather::GATHER,
    scatter::SCATTER,
    slice::SLICE,
    concat::CONCAT,
    transpose::TRANSPOSE,
    broadcast::BROADCAST,
];

/// All base operator types on plain data.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    let of_each = |operation: &'static Operation| {
        operation.elements.iter().map(move |&element| -> Arc<dyn OpDef> {
            Arc::new(Operator { name: format!("{element}.{}", operation.name), operation, element })
        })
    };
    OPERATIONS.iter().flat_map(of_each).collect()
}

/// The element and the operation that an operator is named by; none for other operators.
pub fn parts(op: &str) -> Option<(Element, &'static str)> {
    find(op).map(|(element, operation)| (element, operation.name))
}

fn find(op: &str) -> Option<(Element, &'static Operation)> {
    let (element, name) = op.split_once('.')?;
    let element = Element::named(element)?;
    let is = |operation: &&Operation| operation.name == name && operation.elements.contains(&element);
    OPERATIONS.iter().find(is).map(|operation| (element, operation))
}

/// Checks a call, and gives its output.
///
/// # Errors
/// `Operator` and `Graph` for what the operator does not take; `UnknownOperator` for one of other data.
pub(crate) fn output(call: &Call<'_>) -> Result<Tensor> {
    let unknown = || Error::UnknownOperator { op: call.name.to_owned(), at: String::new() };
    let (element, operation) = find(call.name).ok_or_else(unknown)?;
    (operation.output)(call, element)
}

/// An operation on tensors of one element.
struct Operator {
    name: String,
    operation: &'static Operation,
    element: Element,
}

impl OpDef for Operator {
    fn name(&self) -> &str {
        &self.name
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        (self.operation.output)(call, self.element)?.ty(call.unit)
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(self.operation.attributes)
    }

    fn commutative(&self) -> bool {
        self.operation.commutative
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let Ok(out) = (self.operation.output)(call, self.element) else { return 0.0 };
        match self.operation.cost {
            Cost::Each(weight) => {
                let inputs = (0..call.inputs.len()).filter_map(|index| call.tensor(index).ok());
                weight * inputs.map(|input| input.len()).fold(out.len(), usize::max) as f64
            }
            Cost::Of(cost) => cost(call, &out),
        }
    }
}

/// The unsigned integers of an element's width: what comparisons give and `select` takes.
pub const fn mask(element: Element) -> Element {
    match element {
        Bit => Bit,
        U8 => U8,
        I32 | U32 | F32 => U32,
        I64 | U64 | F64 => U64,
    }
}

/// What sums, products and scans are made of.
pub(crate) const fn total(element: Element) -> Element {
    match element {
        F32 => F32,
        F64 => F64,
        I32 | I64 => I64,
        Bit | U8 | U32 | U64 => U64,
    }
}
