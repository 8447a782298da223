//! Operands: typed, ordered sets of disjoint placeholders (SPEC G2, G16).

use super::{Attrs, GraphError};
use std::fmt;

/// Number of an operand in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperandId(pub u32);

/// What an operand is called; unique in its graph, moved by absorb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity(pub u32);

/// The type of an operand: a name, a size in units, and attributes such as `n` and `q`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// The type's name, such as `limb`.
    pub head: String,
    /// Size in units.
    pub size: u64,
    /// What else belongs to the type.
    pub attrs: Attrs,
}

impl ValueType {
    /// A type.
    pub fn new(head: &str, size: u64, attrs: Attrs) -> Self {
        Self { head: head.to_owned(), size, attrs }
    }

    /// The integer attribute `name` as a size.
    ///
    /// # Errors
    /// `Attribute` when it is missing.
    pub fn dim(&self, name: &str) -> Result<usize, GraphError> {
        self.attrs.size(name)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.head, self.size)?;
        if self.attrs.is_empty() { Ok(()) } else { write!(f, "{}", self.attrs) }
    }
}
