//! The primitive operators on values, one file each: `value.*`.
//!
//! Element-wise ones take operands of one shape: `value.broadcast` makes them alike. Integers keep to their decimals: what has
//! others is brought to them by `value.scale`, which is exact. Booleans count as the integers 0 and 1. Where one operand is real,
//! integers are the numbers that they stand for, and the result is real. A result is where the most hidden of its operands is.

mod add;
mod and;
mod arithmetic;
mod broadcast;
mod cells;
mod compare;
mod concat;
mod constant;
mod divide;
mod logic;
mod moves;
mod multiply;
mod negate;
mod not;
mod or;
mod present;
mod reshape;
mod root;
mod rotate;
mod scale;
mod select;
mod slice;
mod square;
mod sub;
mod sum;

use super::number::Bits;
use super::range::{Known, Range};
use super::types::Value;
use super::{Exact, Squared, ValueDef};
use crate::Result;
use crate::graph::ValueType;
use crate::ops::{Call, Level, OpDef};
use std::sync::Arc;

/// What is told of a primitive operator.
#[derive(Clone, Copy)]
struct Primitive {
    name: &'static str,
    attributes: &'static [&'static str],
    /// Checks a call, and gives the type of the result.
    output: fn(&Call<'_>) -> Result<Value>,
    range: fn(&Call<'_>, &[Known]) -> Result<Range>,
    exact: fn(&Call<'_>, &[&Exact]) -> Result<Exact>,
    bits: fn(&Call<'_>, &[Bits]) -> Result<Bits>,
    commutative: bool,
    associative: bool,
    squared: fn(&Call<'_>) -> Option<Squared>,
    linear_in: fn(&Call<'_>) -> Vec<usize>,
    client_only: fn(&Call<'_>) -> bool,
}

/// What most operators have in common; what has no default is overwritten by each.
const PRIMITIVE: Primitive = Primitive {
    name: "",
    attributes: &[],
    output: |call| call.value(0),
    range: |_, _| Ok(Range::Unknown),
    exact: |call, _| Err(call.error("exact rule", "none", "one")),
    // Cells that are moved, chosen, or single bits.
    bits: |_, inputs| Ok(inputs.iter().copied().fold(Bits { numerator: 1, ..Bits::default() }, Bits::join)),
    commutative: false,
    associative: false,
    squared: |_| None,
    linear_in: |_| Vec::new(),
    client_only: |_| false,
};

/// All of them.
const PRIMITIVES: &[Primitive] = &[
    add::ADD,
    sub::SUB,
    negate::NEGATE,
    multiply::MULTIPLY,
    square::SQUARE,
    scale::SCALE,
    sum::SUM,
    rotate::ROTATE,
    slice::SLICE,
    concat::CONCAT,
    reshape::RESHAPE,
    broadcast::BROADCAST,
    compare::COMPARE,
    select::SELECT,
    and::AND,
    or::OR,
    not::NOT,
    cells::CELLS,
    present::PRESENT,
    divide::DIVIDE,
    root::ROOT,
    constant::CONSTANT,
];

/// The primitive operators.
pub fn all() -> Vec<Arc<dyn ValueDef>> {
    PRIMITIVES.iter().map(|&primitive| Arc::new(primitive) as Arc<dyn ValueDef>).collect()
}

impl OpDef for Primitive {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(self.attributes)
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        (self.output)(call)?.ty()
    }

    fn commutative(&self) -> bool {
        self.commutative
    }
}

impl ValueDef for Primitive {
    fn range(&self, call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
        (self.range)(call, inputs)
    }

    fn exact(&self, call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
        (self.exact)(call, inputs)
    }

    fn bits(&self, call: &Call<'_>, inputs: &[Bits]) -> Result<Bits> {
        (self.bits)(call, inputs)
    }

    fn squared(&self, call: &Call<'_>) -> Option<Squared> {
        (self.squared)(call)
    }

    fn associative(&self) -> bool {
        self.associative
    }

    fn linear_in(&self, call: &Call<'_>) -> Vec<usize> {
        (self.linear_in)(call)
    }

    fn client_only(&self, call: &Call<'_>) -> bool {
        (self.client_only)(call)
    }
}
