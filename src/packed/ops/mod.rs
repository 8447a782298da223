//! The operators on vectors of slots, one file each: `packed.*`.

mod add;
mod lookup;
mod multiply;
mod multiply_number;
mod negate;
mod polynomial;
mod rotate;
mod sub;
mod swap;
mod total;
mod within;

pub use lookup::MOST_ENTRIES;

use super::target::{Handle, Target};
use super::types::{PackedCall, SlotVector};
use crate::Result;
use crate::graph::{Attr, Attrs, ValueType};
use crate::ops::{Call, Level, OpDef};

/// What an operator is to a pass that makes others of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// x + y.
    Sum,
    /// x y, slot by slot.
    Product,
    /// The slots of each ring to the left, by attribute `steps`.
    Turn,
    /// Linear in what is encrypted, with numbers for coefficients: x - y, -x, numbers times x.
    Linear,
    /// None that a pass asks for.
    Other,
}

/// Who takes a real number that what comes of an operator is multiplied with.
#[derive(Clone, Copy)]
pub enum Takes {
    /// Every operand, and the attributes are those that this makes of them.
    Operands(fn(&Attrs, f64) -> Result<Attrs>),
    /// The clear operand, where there is one.
    Clear,
    /// Nobody.
    Nothing,
}

/// Every operand, and nothing else.
const OPERANDS: Takes = Takes::Operands(|attrs, _| Ok(attrs.clone()));

/// What is told of an operator.
#[derive(Clone, Copy)]
pub struct Operator {
    pub name: &'static str,
    pub attributes: &'static [&'static str],
    /// Checks a call, and gives the vector that comes of it.
    pub output: fn(&Call<'_>) -> Result<SlotVector>,
    pub commutative: bool,
    pub inverse: Option<&'static str>,
    pub role: Role,
    pub takes: Takes,
    /// Where it adds its operands up, all encrypted: what each is multiplied with before.
    pub coefficients: fn(&Call<'_>) -> Option<Vec<Attr>>,
    /// What it is for a target.
    pub close: fn(&Call<'_>, &[Handle], &mut dyn Target) -> Result<Handle>,
}

/// All of them.
pub const ALL: &[Operator] = &[
    add::ADD,
    lookup::LOOKUP,
    multiply::MULTIPLY,
    multiply_number::MULTIPLY_NUMBER,
    negate::NEGATE,
    polynomial::POLYNOMIAL,
    rotate::ROTATE,
    sub::SUB,
    swap::SWAP,
    total::TOTAL,
    within::WITHIN,
];

impl OpDef for Operator {
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
        Ok((self.output)(call)?.ty())
    }

    fn commutative(&self) -> bool {
        self.commutative
    }

    fn inverse(&self) -> Option<&str> {
        self.inverse
    }
}

/// The only operand, encrypted.
fn one(call: &Call<'_>) -> Result<SlotVector> {
    call.arity(1)?;
    call.encrypted(0)
}
