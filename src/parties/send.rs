//! Hands the units of its input to another party: of what one producer wrote those that this party reads. Attributes `to`, the party, and
//! `number`, the producer's in the shared graph: inputs first, then operators. The output is one unit that holds 0, written once the other
//! party has all of them; nobody reads it, and a nonce keeps passes from dropping the operator.

use crate::Result;
use crate::graph::{Attrs, ValueType};
use crate::ops::{Call, Level, OpDef};

/// `party.send`; see the module.
pub struct Send;

impl Send {
    pub(super) const NAME: &str = "party.send";

    pub(super) fn attrs(to: &str, number: u32) -> Attrs {
        Attrs::new().with("to", to).with("number", u64::from(number))
    }

    /// The type of its output.
    pub(super) fn sent() -> ValueType {
        ValueType::new("raw", 1, Attrs::new())
    }
}

impl OpDef for Send {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["to", "number"])
    }

    /// # Errors
    /// `Operator` for another number of inputs than one; `Graph` for an attribute that is missing or of another kind.
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        call.attrs.text("to")?;
        call.attrs.size("number")?;
        Ok(Self::sent())
    }
}
