//! A public value, part of the program, from no input. Attributes `kind`, `shape`, `decimals`, `categories` and `names` as of its type, and `value`:
//! an integer or a real number, which every cell is; a list of integers, one for each cell; for reals also data, a little-endian
//! binary64 for each. Integers count units of 10^-decimals. They are exact.

use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::graph::{Attr, Attrs, ValueType};
use crate::ops::Call;
use crate::values::Exact;
use crate::values::exact::cells;
use crate::values::number::{Bits, Number};
use crate::values::range::Range;
use crate::values::types::{HEAD, Kind, Place, Value};

/// `value.constant`; see the module.
pub(super) const CONSTANT: Primitive = Primitive {
    name: "value.constant",
    attributes: &["categories", "decimals", "kind", "names", "shape", "value"],
    output,
    range: |call, _| {
        let kind = value(call)?.kind;
        let all = numbers(call)?.iter().map(|number| Range::of_number(number, kind)).reduce(Range::union);
        Ok(all.unwrap_or(Range::Unknown))
    },
    exact,
    bits: |call, _| Ok(Bits::of(&numbers(call)?)),
    ..PRIMITIVE
};

fn value(call: &Call<'_>) -> Result<Value> {
    call.arity(0)?;
    let own = call.attrs.iter().filter(|(name, _)| *name != "value");
    let attrs = own.fold(Attrs::new(), |attrs, (name, attr)| attrs.with(name, attr.clone()));
    Value::of(&ValueType::new(HEAD, 1, attrs.with("where", "public")))
}

/// Its cells; one where all are the same.
fn numbers(call: &Call<'_>) -> Result<Vec<Number>> {
    let wrong = || call.error("value", "another", "an integer, a real number, integers, or data");
    let real = |value: f64| {
        Number::from_f64(value).ok_or_else(|| call.error("value", "infinite or no number", "finite numbers"))
    };
    match call.attrs.get("value").ok_or_else(wrong)? {
        Attr::Int(value) => Ok(vec![(*value).into()]),
        Attr::Ints(values) => Ok(values.iter().map(|&value| value.into()).collect()),
        Attr::Real(value) => Ok(vec![real(value.get())?]),
        Attr::Bytes(bytes) => {
            let (values, rest) = bytes.as_chunks();
            let values = values.iter().map(|&bytes| real(f64::from_le_bytes(bytes)));
            if rest.is_empty() { values.collect() } else { Err(wrong()) }
        }
        Attr::Text(_) | Attr::Texts(_) => Err(wrong()),
    }
}

fn output(call: &Call<'_>) -> Result<Value> {
    let (value, numbers) = (value(call)?, numbers(call)?);
    let single = matches!(call.attrs.get("value"), Some(Attr::Int(_) | Attr::Real(_)));
    if !single && numbers.len() as u64 != value.cells() {
        return Err(call.error(
            "value",
            format!("{} cells", numbers.len()),
            format!("{} cells", value.cells()),
        ));
    }
    let real = matches!(call.attrs.get("value"), Some(Attr::Real(_) | Attr::Bytes(_)));
    let one = Exact::new(numbers);
    let fits = one.cells_fit(value.kind) && (value.kind == Kind::Real || !real);
    if !fits || value.missing {
        return Err(call.error("value", "cells of another kind", format!("cells of {value}")));
    }
    Ok(value.at(Place::Public))
}

fn exact(call: &Call<'_>, _: &[&Exact]) -> Result<Exact> {
    let numbers = numbers(call)?;
    cells(output(call)?.cells(), |index| Ok(numbers[index % numbers.len()].clone()))
}
