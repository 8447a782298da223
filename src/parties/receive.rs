//! Units that another party sends: of what one producer wrote those that this party reads, in the producer's order. Attributes `from`, the
//! party, `number`, the producer's in the shared graph (inputs first, then operators), and `type`, that of the output, in its text form with
//! its size. No inputs: whoever starts a run does not wait for it, and a run goes on with what does not either.

use super::part::{PART, part_residues};
use crate::Result;
use crate::graph::{Attrs, ValueType, parse_type};
use crate::ops::types::sized;
use crate::ops::{Call, Level, OpDef};

/// `party.receive`; see the module.
pub struct Receive;

impl Receive {
    pub(super) const NAME: &str = "party.receive";

    pub(super) fn attrs(from: &str, number: u32, ty: &ValueType) -> Attrs {
        let attrs = Attrs::new().with("from", from).with("number", u64::from(number));
        attrs.with("type", ty.to_string().as_str())
    }
}

impl OpDef for Receive {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["from", "number", "type"])
    }

    /// # Errors
    /// `Operator` for inputs, or a type whose size is missing or does not fit its attributes or the unit; `Graph` for an attribute that is missing or of
    /// another kind.
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(0)?;
        call.attrs.text("from")?;
        call.attrs.size("number")?;
        let (head, size, attrs) = parse_type(call.attrs.text("type")?)?;
        let ty = sized(&head, size, attrs, call.unit)?;
        if ty.head == PART {
            call.words(PART)?;
            part_residues(&ty)?;
        }
        Ok(ty)
    }
}
