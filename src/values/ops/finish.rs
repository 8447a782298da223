//! x, which is the client's from here on where it is encrypted: a complete single value, which is decrypted, so that what follows
//! costs the server nothing. Of other values it is x, whoever has it.

use super::arithmetic::{any_encrypted, one};
use super::{PRIMITIVE, Primitive};
use crate::values::types::ValueCall;

/// `value.finish`; see the module.
pub(super) const FINISH: Primitive = Primitive {
    name: "value.finish",
    output: |call| {
        call.arity(1)?;
        let x = call.complete(0)?;
        match x.shape.is_empty() {
            true => Ok(x),
            false => Err(call.error("input 0", x, "a single value, for it is decrypted")),
        }
    },
    range: |call, inputs| one(call, inputs).map(|x| x.range),
    exact: |call, inputs| one(call, inputs).map(|x| (*x).clone()),
    linear_in: |_| vec![0],
    client_only: any_encrypted,
    lower: |_, x, _| Ok(x[0].cells.clone()),
    ..PRIMITIVE
};
