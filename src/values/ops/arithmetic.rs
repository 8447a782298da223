//! What arithmetic operators share: numbers that fit together, and operands as the result counts them.

use crate::Result;
use crate::ops::Call;
use crate::values::Exact;
use crate::values::exact::cells;
use crate::values::near::Near;
use crate::values::number::{Bits, Number};
use crate::values::range::{Known, Range};
use crate::values::types::{Kind, Place, Value, ValueCall};
use std::borrow::Cow;

/// Two numbers of one shape as numbers of one kind: of which the decimals are those of input 0.
pub(super) fn pair(call: &Call<'_>) -> Result<Value> {
    call.arity(2)?;
    joined(call, &call.number(0)?, &call.number(1)?)
}

/// The same, of equal decimals where both are integers.
pub(super) fn aligned_pair(call: &Call<'_>) -> Result<Value> {
    let pair = pair(call)?;
    let (a, b) = (call.value(0)?.decimals, call.value(1)?.decimals);
    if pair.kind == Kind::Integer && a != b {
        return Err(call.error(
            "decimals of input 1",
            b,
            format!("{a}: value.scale brings integers to others"),
        ));
    }
    Ok(pair)
}

/// What two values of one shape make.
pub(super) fn joined(call: &Call<'_>, a: &Value, b: &Value) -> Result<Value> {
    call.same_shape(1, b, a)?;
    let place = a.place.max(b.place);
    if a.kind == Kind::Real || b.kind == Kind::Real {
        return Ok(real(a.shape.clone(), place));
    }
    Ok(Value { place, ..a.clone() })
}

/// Reals.
pub(super) fn real(shape: Vec<u64>, place: Place) -> Value {
    Value::new(Kind::Real, shape).at(place)
}

/// True when operand `index` is encrypted.
pub(super) fn encrypted(call: &Call<'_>, index: usize) -> bool {
    call.value(index).is_ok_and(|value| value.place == Place::Encrypted)
}

/// True when an operand is encrypted.
pub(super) fn any_encrypted(call: &Call<'_>) -> bool {
    (0..call.inputs.len()).any(|index| encrypted(call, index))
}

/// What is known of integers, seen as the reals that they stand for.
pub(super) trait InUnits: Clone {
    /// Of integers in units of 10^-decimals.
    fn in_units(&self, decimals: u32) -> Self;
}

impl InUnits for Range {
    fn in_units(&self, decimals: u32) -> Self {
        Self::in_units(*self, decimals)
    }
}

impl InUnits for Bits {
    fn in_units(&self, decimals: u32) -> Self {
        self.over_ten(decimals)
    }
}

impl InUnits for Exact {
    fn in_units(&self, decimals: u32) -> Self {
        let unit = Number::power_of_ten(decimals);
        let cell = |cell: &Number| cell.quotient(&unit).unwrap_or(Number::ZERO);
        if decimals == 0 {
            self.clone()
        } else {
            Self { cells: self.cells.iter().map(cell).collect(), present: self.present.clone() }
        }
    }
}

impl InUnits for Near {
    fn in_units(&self, decimals: u32) -> Self {
        let unit = Number::power_of_ten(decimals).to_f64();
        Self { cells: self.cells.in_units(decimals), off: self.off.iter().map(|off| off / unit).collect() }
    }
}

/// The operand of that number, as reals where the kind is real.
pub(super) fn seen<'a, T: InUnits>(
    call: &Call<'_>,
    index: usize,
    kind: Kind,
    operand: &'a T,
) -> Result<Cow<'a, T>> {
    let value = call.value(index)?;
    let turned = kind == Kind::Real && value.kind != Kind::Real;
    Ok(if turned { Cow::Owned(operand.in_units(value.decimals)) } else { Cow::Borrowed(operand) })
}

/// A number, which may be off by so much, of a value that lies in that range: what is outside for what it may be off by is at the bound; none for what is further outside.
pub(super) fn brought_into(range: Range, x: &Number, d: f64) -> Option<Number> {
    if range.contains(x) {
        return Some(x.clone());
    }
    let (ends, [least, most]) = match range {
        Range::Reals { min, max } => ([min, max], [min, max].map(Number::from_f64)),
        Range::Integers { min, max } => {
            ([min as f64, max as f64], [min, max].map(|end| Some(Number::from(end))))
        }
        Range::Unknown => return None,
    };
    let size = x.to_f64();
    let may_be_inside = d.is_finite() && size + d >= ends[0] && size - d <= ends[1];
    if !may_be_inside {
        return None;
    }
    if size < ends[0] { least } else { most }
}

/// Two ranges, as of the kind.
pub(super) fn range_pair(call: &Call<'_>, kind: Kind, inputs: &[Known]) -> Result<(Range, Range)> {
    let [a, b] = two(call, inputs)?;
    Ok((*seen(call, 0, kind, &a.range)?, *seen(call, 1, kind, &b.range)?))
}

/// Two bounds, as of the kind.
pub(super) fn bits_pair(call: &Call<'_>, kind: Kind, inputs: &[Bits]) -> Result<(Bits, Bits)> {
    let [a, b] = two(call, inputs)?;
    Ok((*seen(call, 0, kind, a)?, *seen(call, 1, kind, b)?))
}

/// A number for each two cells, as of the kind.
pub(super) fn zip(
    call: &Call<'_>,
    kind: Kind,
    inputs: &[&Exact],
    cell: impl Fn(&Number, &Number) -> Result<Number>,
) -> Result<Exact> {
    let [a, b] = two(call, inputs)?;
    let (a, b) = (seen(call, 0, kind, *a)?, seen(call, 1, kind, *b)?);
    cells(a.cells.len() as u64, |index| cell(&a.cells[index], &b.cells[index]))
}

/// The same of operands that may be off: each cell and how much it is off by, of what the operands' are and are off by.
pub(super) fn zip_near(
    call: &Call<'_>,
    kind: Kind,
    inputs: &[&Near],
    cell: impl Fn((&Number, f64), (&Number, f64)) -> Result<(Number, f64)>,
) -> Result<Near> {
    let [a, b] = two(call, inputs)?;
    let (a, b) = (seen(call, 0, kind, *a)?, seen(call, 1, kind, *b)?);
    Near::made(a.cells.cells.len(), |at| {
        cell((&a.cells.cells[at], a.off(at)), (&b.cells.cells[at], b.off(at)))
    })
}

/// A number for each cell.
pub(super) fn map(
    call: &Call<'_>,
    inputs: &[&Exact],
    cell: impl Fn(&Number) -> Result<Number>,
) -> Result<Exact> {
    let x = one(call, inputs)?;
    cells(x.cells.len() as u64, |index| cell(&x.cells[index]))
}

/// The same of an operand that may be off.
pub(super) fn map_near(
    call: &Call<'_>,
    inputs: &[&Near],
    cell: impl Fn(&Number, f64) -> Result<(Number, f64)>,
) -> Result<Near> {
    let x = one(call, inputs)?;
    Near::made(x.cells.cells.len(), |index| cell(&x.cells.cells[index], x.off(index)))
}

/// The only operand.
pub(super) fn one<'a, T>(call: &Call<'_>, inputs: &'a [T]) -> Result<&'a T> {
    match inputs {
        [one] => Ok(one),
        _ => Err(call.error("number of inputs", inputs.len(), 1)),
    }
}

/// Two operands.
pub(super) fn two<'a, T>(call: &Call<'_>, inputs: &'a [T]) -> Result<&'a [T; 2]> {
    inputs.try_into().map_err(|_| call.error("number of inputs", inputs.len(), 2))
}

/// True when both operands are one value.
pub(super) fn same(inputs: &[Known]) -> bool {
    matches!(inputs, [a, b] if a.source == b.source)
}
