//! Operators: a type, its attributes, inputs and one output (SPEC G3).

use super::{Attrs, OperandId};
use std::borrow::Cow;
use std::fmt;

/// Operator type, attributes and place: what two operators share that do the same to their inputs, in the same place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The operator type, such as `limb.add`.
    pub name: String,
    /// Its attributes.
    pub attrs: Attrs,
    /// The platform whose kernels compute it; none for whichever a run prefers.
    pub platform: Option<String>,
}

impl Signature {
    /// Operator type and platform of a name as people write it: `f32.exp`, or `f32.exp@scalar`.
    pub fn parts(name: &str) -> (&str, Option<&str>) {
        match name.split_once('@') {
            Some((op, platform)) if !op.is_empty() && !platform.is_empty() => (op, Some(platform)),
            _ => (name, None),
        }
    }

    /// The name as people write it, see [`Signature::parts`].
    pub fn written_name(&self) -> Cow<'_, str> {
        match &self.platform {
            None => Cow::Borrowed(&self.name),
            Some(platform) => Cow::Owned(format!("{}@{platform}", self.name)),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written_name())?;
        if self.attrs.is_empty() { Ok(()) } else { write!(f, "{}", self.attrs) }
    }
}

/// One operator of a graph. Signature and inputs lie in tables of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Number of the signature in the graph's table.
    pub signature: u32,
    /// Where its inputs start in the graph's input table.
    pub(super) inputs_start: u32,
    /// How many inputs it has.
    pub(super) inputs_len: u32,
    /// What it writes.
    pub output: OperandId,
    /// Tells two samples of one random operator apart, and keeps passes off others (`optimize::is_pinned`); 0 for none
    /// (SPEC G16).
    pub nonce: u32,
    /// The operator of the graph one level up that this one was expanded from; `u32::MAX` for none.
    pub parent: u32,
}
