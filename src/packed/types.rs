//! The type of a vector of slots.

use super::layout::Frame;
use crate::Result;
use crate::graph::{Attrs, GraphError, ValueType};
use crate::ops::Call;

/// The head of the type.
const HEAD: &str = "packed";

/// One ciphertext, or one vector that is not encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotVector {
    /// How many slots there are.
    pub frame: Frame,
    /// Attribute `where`: `encrypted` or `clear`.
    pub encrypted: bool,
}

impl SlotVector {
    /// Reads a type.
    ///
    /// # Errors
    /// `Attribute` for what is no such type.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let read = || {
            let log = |name| ty.attrs.size(name).ok().filter(|size| size.is_power_of_two()).map(usize::ilog2);
            let frame = Frame { ring: log("ring")?, rings: log("rings")? };
            let encrypted = match ty.attrs.text("where").ok()? {
                "encrypted" => true,
                "clear" => false,
                _ => return None,
            };
            Some(Self { frame, encrypted })
        };
        let whole = ty.head == HEAD && ty.size == 1 && ty.attrs.iter().count() == 3;
        read().filter(|_| whole).ok_or_else(|| {
            let (name, expected) =
                ("type".to_owned(), "packed[1]{ring=..., rings=1 or 2, where=\"encrypted\" or \"clear\"}");
            GraphError::Attribute { name, found: ty.to_string(), expected }.into()
        })
    }

    /// As a value type.
    pub fn ty(self) -> ValueType {
        let attrs =
            Attrs::new().with("ring", 1u64 << self.frame.ring).with("rings", 1u64 << self.frame.rings);
        ValueType::new(HEAD, 1, attrs.with("where", if self.encrypted { "encrypted" } else { "clear" }))
    }
}

/// What operators on vectors of slots ask of a call.
pub(super) trait PackedCall {
    /// Input `index` as an encrypted vector.
    ///
    /// # Errors
    /// `Operator` when it is missing or not encrypted.
    fn encrypted(&self, index: usize) -> Result<SlotVector>;

    /// An encrypted vector, and another of as many slots that may be clear.
    ///
    /// # Errors
    /// `Operator` for others.
    fn with_any(&self) -> Result<SlotVector>;
}

impl PackedCall for Call<'_> {
    fn encrypted(&self, index: usize) -> Result<SlotVector> {
        let vector = SlotVector::of(self.input(index, HEAD)?)?;
        if vector.encrypted {
            Ok(vector)
        } else {
            Err(self.error(format!("input {index}"), &self.inputs[index], "an encrypted vector"))
        }
    }

    fn with_any(&self) -> Result<SlotVector> {
        self.arity(2)?;
        let (vector, other) = (self.encrypted(0)?, SlotVector::of(self.input(1, HEAD)?)?);
        if vector.frame == other.frame {
            Ok(vector)
        } else {
            Err(self.error("slots of input 1", &self.inputs[1], &self.inputs[0]))
        }
    }
}
