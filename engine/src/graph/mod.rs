//! The computation graph: placeholders, operands, operators, absorb, and the text form.
//!
//! Room rule: knows numbers only as attributes; knows no scheme, no platform.

mod absorb;
mod attrs;
mod intern;
mod intervals;
mod kinds;
mod operand;
mod operator;
mod placeholder;
mod store;
mod text;

pub use absorb::{Redirects, Synchronizer};
pub use attrs::{Attr, Attrs, Real};
pub use intern::{Interner, Numbers, hash};
pub use intervals::Intervals;
pub use kinds::Kinds;
pub use operand::{Identity, OperandId, ValueType};
pub use operator::{Operator, Signature};
pub use placeholder::{Allocator, Placeholder, cut, push_joined};
pub use store::{Graph, Port};
pub use text::{parse, parse_attrs, parse_type, print};

/// What can be wrong with a graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Placeholders have at least one unit.
    #[error("a placeholder of size 0 was asked for")]
    EmptyAllocation,
    /// The address space of the graph has 2^63 units.
    #[error("the graph's address space is used up: {found} units asked for at {at}")]
    AddressSpace {
        /// Units asked for.
        found: u64,
        /// The allocator's counter.
        at: u64,
    },
    /// A split reaches beyond its operand.
    #[error("split of units {start}..{end} from an operand of size {size}")]
    SplitOutside {
        /// First unit.
        start: u64,
        /// One past the last unit.
        end: u64,
        /// The operand's size.
        size: u64,
    },
    /// Sizes that must be equal differ.
    #[error("{what}: found size {found}, expected {expected}")]
    Size {
        /// What was compared.
        what: &'static str,
        /// Size found, units.
        found: u64,
        /// Size expected, units.
        expected: u64,
    },
    /// Two operators write one unit.
    #[error("operators {first} and {second} both write {at}")]
    OverlappingOutputs {
        /// One operator.
        first: u32,
        /// The other.
        second: u32,
        /// The shared units.
        at: Placeholder,
    },
    /// Two declared inputs share units: which one is meant?
    #[error("graph inputs `{first}` and `{second}` both hold {at}")]
    OverlappingInputs {
        /// One input's name.
        first: String,
        /// The other's.
        second: String,
        /// The shared units.
        at: Placeholder,
    },
    /// An operator writes what is a declared input.
    #[error("operator {op} writes {at}, which is graph input `{input}`")]
    WritesInput {
        /// The operator.
        op: u32,
        /// The input's name.
        input: String,
        /// The shared units.
        at: Placeholder,
    },
    /// The operators wait for each other in a ring.
    #[error("the graph has a cycle through operator {op} ({name})")]
    Cycle {
        /// An operator on the cycle, or behind it.
        op: u32,
        /// Its type.
        name: String,
    },
    /// Something is read that nobody writes and no input declares.
    #[error("operator {op} ({name}) reads {at}, which no operator writes and no input declares")]
    Undefined {
        /// The operator, or u32::MAX for a declared output.
        op: u32,
        /// Its type, or the output's name.
        name: String,
        /// The units.
        at: Placeholder,
    },
    /// An attribute is missing or of another kind.
    #[error("attribute `{name}`: found {found}, expected {expected}")]
    Attribute {
        /// The attribute's name.
        name: String,
        /// What was there.
        found: String,
        /// What is taken.
        expected: &'static str,
    },
    /// The text form breaks its grammar.
    #[error("line {line}: found {found}, expected {expected}")]
    Syntax {
        /// Line number, from 1.
        line: usize,
        /// What was met.
        found: String,
        /// What the grammar wants.
        expected: String,
    },
}

impl GraphError {
    /// The number of the operator that it is about, if it is about one.
    pub fn operator(&self) -> Option<usize> {
        match *self {
            Self::OverlappingOutputs { second: op, .. }
            | Self::WritesInput { op, .. }
            | Self::Cycle { op, .. }
            | Self::Undefined { op, .. } => Some(op as usize).filter(|_| op != u32::MAX),
            _ => None,
        }
    }

    /// A stable string that names the kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyAllocation => "graph.empty_allocation",
            Self::AddressSpace { .. } => "graph.address_space",
            Self::SplitOutside { .. } => "graph.split",
            Self::Size { .. } => "graph.size",
            Self::OverlappingOutputs { .. } => "graph.overlapping_outputs",
            Self::OverlappingInputs { .. } => "graph.overlapping_inputs",
            Self::WritesInput { .. } => "graph.writes_input",
            Self::Cycle { .. } => "graph.cycle",
            Self::Undefined { .. } => "graph.undefined",
            Self::Attribute { .. } => "graph.attribute",
            Self::Syntax { .. } => "graph.syntax",
        }
    }
}

/// For tests: a number below the one asked for, the same ones every time.
#[cfg(test)]
fn random_numbers() -> impl FnMut(u64) -> u64 {
    let mut state = 1u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}
