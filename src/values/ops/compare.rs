//! Whether x < y, x <= y or x = y, cell by cell, of one shape: attribute `relation`, one of `lt`, `le`, `eq`. Booleans.
//!
//! Numbers: integers of equal decimals; where one is real, both are compared as reals, exactly. Dates with dates. Categories for
//! equality only, with such of the same categories.
//!
//! Schemes of integers look the difference up. Schemes of reals approximate its sign, from as little as attribute `gap`, a real number, on: where the operands are nearer to each other,
//! the result is anything from 0 to 1. Of what is whole (integers in their units, days, categories, booleans) it is the sign of what lies half a unit off, so that all are right without a gap, and with one
//! that is no larger than a unit; and where neither is less, they are equal. What is not encrypted is compared exactly, whatever the gap is.

use super::arithmetic::{aligned_pair, any_encrypted, joined, range_pair, same, seen, two, zip, zip_near};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::{Cells, MOST_ENTRIES};
use crate::values::chebyshev::Interval;
use crate::values::near::Near;
use crate::values::number::Number;
use crate::values::range::{Order, Range};
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Exact, Known, Lowered, Lowering, Squared, sign};

/// `value.compare`; see the module.
pub(super) const COMPARE: Primitive = Primitive {
    name: "value.compare",
    attributes: &["gap", "relation"],
    output: |call| {
        Relation::of(call)?;
        gap(call)?;
        Ok(compared(call)?.with_kind(Kind::Boolean))
    },
    range,
    exact,
    near,
    sure,
    lower,
    bits: |_, _| Ok(Number::ONE.bits()),
    squared: |call| {
        Relation::of(call).ok().map(|relation| Squared::Number((relation != Relation::Less).into()))
    },
    ..PRIMITIVE
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Less,
    AtMost,
    Equal,
}

impl Relation {
    fn of(call: &Call<'_>) -> Result<Self> {
        match call.attrs.text("relation")? {
            "lt" => Ok(Self::Less),
            "le" => Ok(Self::AtMost),
            "eq" => Ok(Self::Equal),
            other => Err(call.error("relation", other, "lt, le or eq")),
        }
    }

    fn holds(self, a: &Number, b: &Number) -> Number {
        let holds = match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Equal => a == b,
        };
        i128::from(holds).into()
    }
}

/// What is compared.
fn compared(call: &Call<'_>) -> Result<Value> {
    call.arity(2)?;
    let (a, b) = (call.complete(0)?, call.complete(1)?);
    match (a.kind, b.kind) {
        (Kind::Date, Kind::Date) => joined(call, &a, &b),
        (Kind::Category { .. }, _) | (_, Kind::Category { .. }) => {
            if (a.kind, &a.names) != (b.kind, &b.names) {
                return Err(call.error("input 1", b, format!("the categories of input 0 ({a})")));
            }
            if Relation::of(call)? != Relation::Equal {
                return Err(call.error(
                    "relation",
                    call.attrs.text("relation")?,
                    "eq: categories have no order",
                ));
            }
            joined(call, &a, &b)
        }
        _ => aligned_pair(call),
    }
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let (relation, kind) = (Relation::of(call)?, compared(call)?.kind);
    let known = |same: bool, a: Range, b: Range| {
        let order = a.order(b);
        match relation {
            _ if same => Some(relation != Relation::Less),
            Relation::Less => order.and_then(|order| order.less),
            Relation::AtMost => order.and_then(|order| order.at_most),
            Relation::Equal => {
                order.and_then(|Order { less, at_most }| match (less, at_most) {
                    (Some(true), _) | (_, Some(false)) => Some(false),
                    // Two single numbers that are one.
                    (Some(false), Some(true)) => Some(true),
                    _ => None,
                })
            }
        }
    };
    let found = match unsure(call)? {
        None => {
            let (a, b) = range_pair(call, kind, inputs)?;
            known(same(inputs), a, b)
        }
        // Both where one is that much more, and that much less.
        Some(gap) => {
            let (a, b) = range_pair(call, Kind::Real, inputs)?;
            let [more, less] =
                [gap, -gap].map(|by| known(false, a, b.sum(Range::Reals { min: by, max: by })));
            more.filter(|_| more == less)
        }
    };
    Ok(found.map_or(Range::of_kind(Kind::Boolean), |known| Range::integers([Some(known.into())])))
}

fn exact(call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
    let relation = Relation::of(call)?;
    zip(call, compared(call)?.kind, inputs, |a, b| Ok(relation.holds(a, b)))
}

/// Operands that are no further apart than they may be off may compare otherwise.
fn near(call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
    let (relation, kind) = (Relation::of(call)?, compared(call)?.kind);
    let cell = |(a, d): (&Number, f64), (b, e): (&Number, f64)| {
        // A category that may be another may be any.
        let apart = if matches!(kind, Kind::Category { .. }) { 0.0 } else { (a - b).to_f64().abs() };
        let may_differ = d + e > 0.0 && apart <= (d + e) * (1.0 + f64::EPSILON);
        Ok((relation.holds(a, b), f64::from(u8::from(may_differ))))
    };
    zip_near(call, kind, inputs, cell).map(Some)
}

/// Nearer to each other than the gap is only what is nobody's to compare.
fn sure(call: &Call<'_>, inputs: &[&Exact]) -> Result<bool> {
    let Some(gap) = unsure(call)?.and_then(Number::from_f64) else { return Ok(true) };
    let [a, b] = two(call, inputs)?;
    let (a, b) = (seen(call, 0, Kind::Real, *a)?, seen(call, 1, Kind::Real, *b)?);
    Ok(a.cells.iter().zip(&b.cells).all(|(a, b)| *a >= b + &gap || *b >= a + &gap))
}

/// From which difference on a scheme of reals has to be right; none where it always is.
fn unsure(call: &Call<'_>) -> Result<Option<f64>> {
    Ok(gap(call)?.filter(|&gap| any_encrypted(call) && unit(call).is_none_or(|unit| gap > unit)))
}

/// What whole numbers, days and categories differ by at least; none for reals.
fn unit(call: &Call<'_>) -> Option<f64> {
    let [a, b] = [0, 1].map(|index| call.value(index).ok());
    let (a, b) = (a?, b?);
    let whole = a.kind != Kind::Real && b.kind != Kind::Real && a.decimals == b.decimals;
    whole.then(|| Number::ONE.quotient(&Number::power_of_ten(a.decimals)).unwrap_or(Number::ONE).to_f64())
}

fn gap(call: &Call<'_>) -> Result<Option<f64>> {
    let gap = call.attrs.get("gap").map(|_| call.attrs.real("gap")).transpose()?;
    match gap {
        Some(gap) if gap <= 0.0 => Err(call.error("gap", gap, "a number above 0")),
        gap => Ok(gap),
    }
}

fn lower(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let known = |(source, x): (u32, &Lowered)| Known { range: x.range, source };
    // What is clear and no number by itself may have no value: it has to be read.
    let is_read = x.iter().any(|x| x.is_clear() && !x.is_number());
    match range(call, &(0..).zip(x).map(known).collect::<Vec<_>>())? {
        Range::Integers { min, max } if min == max && !is_read => decided(call, x, l, min),
        _ if l.exact => looked_up(call, x, l),
        _ => approximated(call, x, l),
    }
}

/// What bounds tell already, in ciphertexts all the same.
fn decided(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>, found: i128) -> Result<Cells> {
    let value = compared(call)?.with_kind(Kind::Boolean);
    let encrypted = x.iter().find(|x| !x.is_clear());
    let encrypted = encrypted.ok_or_else(|| call.error("operands", "clear ones", "an encrypted one"))?;
    let (zero, found) = (l.number(&Number::ZERO, &value)?, l.number(&found.into(), &value)?);
    let zeros = l.packer.multiply(&encrypted.cells, &zero)?;
    l.packer.add(&zeros, &found)
}

/// x < y, and x <= y, is (1 - s(d)) / 2 for the sign s of d = x - y. Of what is whole, with a unit u, x < y is that of d + u/2, x <= y of
/// d - u/2, and x = y is (s(d + u/2) - s(d - u/2)) / 2.
fn approximated(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let [a, b] = two(call, x)?;
    let (va, vb) = (call.value(0)?, call.value(1)?);
    let relation = Relation::of(call)?;
    let (gap, off) = match (gap(call)?, unit(call)) {
        (gap, Some(unit)) => (gap.unwrap_or(unit).max(unit) - unit / 2.0, unit / 2.0),
        (Some(gap), None) if relation != Relation::Equal => (gap, 0.0),
        _ => {
            let (found, expected) = (
                "encrypted reals",
                "an order, and attribute `gap`: from which difference on it has to be right",
            );
            return Err(call.error("operands", found, expected));
        }
    };
    if are_bits([a, b]) && va.decimals == 0 && vb.decimals == 0 {
        return of_bits(relation, call, [a, b], l);
    }
    let difference = a.range.in_units(va.decimals).sum(b.range.in_units(vb.decimals).negative());
    let Range::Reals { min, max } = difference else {
        return Err(call.error("difference of the operands", "a range that is not known", "bounds of both"));
    };
    let value = compared(call)?.with_kind(Kind::Real);
    let difference = l.packer.sub(&a.cells, &b.cells)?;
    let mut halved = |by: f64, half: f64| {
        let largest = (min + by).abs().max((max + by).abs()).max(gap);
        let Some(mut chain) = sign::chain(gap / largest) else {
            let expected = format!("at least a part of {largest} that few polynomials tell from 0");
            return Err(call.error("gap", gap, expected));
        };
        if let Some(last) = chain.last_mut() {
            last.iter_mut().for_each(|c| *c *= half);
        }
        let mut s = difference.clone();
        if by != 0.0 {
            let by = l.number(&Number::from_f64(by).unwrap_or(Number::ZERO), &value)?;
            s = l.packer.add(&s, &by)?;
        }
        let clear = || call.error("operands", "clear ones", "an encrypted one");
        let Cells::Encrypted(mut s) = s else { return Err(clear()) };
        let mut interval = Interval { min: -largest, max: largest };
        let count = chain.len();
        for (number, p) in chain.iter().enumerate() {
            let off = if number + 1 == count { sign::OFF } else { 0.0 };
            s = match l.chebyshev(&s, interval, p, off, &value)? {
                Cells::Encrypted(s) => s,
                Cells::Clear(_) => return Err(clear()),
            };
            interval = Interval { min: -1.0, max: 1.0 };
        }
        Ok(Cells::Encrypted(s))
    };
    if relation == Relation::Equal {
        let (above, below) = (halved(off, 0.5)?, halved(-off, -0.5)?);
        return l.packer.add(&above, &below);
    }
    let s = halved(if relation == Relation::Less { off } else { -off }, -0.5)?;
    let half = l.number(&Number::from_f64(0.5).unwrap_or(Number::ZERO), &value)?;
    l.packer.add(&s, &half)
}

/// x < y is d < 0 for d = x - y, x <= y is not d > 0, x = y is not d /= 0: three tables whose entry for 0 is 0.
fn looked_up(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let [a, b] = two(call, x)?;
    let difference = match (a.range, b.range) {
        _ if call.inputs.iter().any(|ty| ty.attrs.get("kind") == Some(&"real".into())) => Range::Unknown,
        (a, b) => a.sum(b.negative()),
    };
    let Range::Integers { min, max } = difference else {
        return Err(call.error("difference of the operands", "a range that is not known", "bounds of both"));
    };
    // 0 is there for slots that are no cell's.
    let (min, max) = (min.min(0), max.max(0));
    if max - min >= MOST_ENTRIES as i128 {
        let expected = format!("at most {MOST_ENTRIES} values: comparisons are polynomials of that degree");
        return Err(call.error("difference of the operands", format!("{min} to {max}"), expected));
    }
    let relation = Relation::of(call)?;
    // Of an encrypted bit and a clear one, all is linear: y - x y and the like.
    if are_bits([a, b]) && (a.is_clear() || b.is_clear()) {
        return of_bits(relation, call, [a, b], l);
    }
    let entry = |d: i128| match relation {
        Relation::Less => d < 0,
        Relation::AtMost => d > 0,
        Relation::Equal => d != 0,
    };
    let Cells::Encrypted(difference) = l.packer.sub(&a.cells, &b.cells)? else {
        return Err(call.error("operands", "clear ones", "an encrypted one"));
    };
    let found = l.packer.lookup(&difference, min as i64, (min..=max).map(|d| entry(d).into()).collect())?;
    let found = Cells::Encrypted(found);
    if relation == Relation::Less {
        return Ok(found);
    }
    let ones = l.number(&Number::ONE, &compared(call)?.with_kind(Kind::Boolean))?;
    l.packer.sub(&ones, &found)
}

fn are_bits(all: [&Lowered; 2]) -> bool {
    all.iter().all(|x| matches!(x.range, Range::Integers { min: 0.., max: ..=1 }))
}

/// x < y is y - x y, x <= y is 1 - x + x y, and x = y is 1 - x - y + 2 x y, of bits.
fn of_bits(
    relation: Relation,
    call: &Call<'_>,
    [a, b]: [&Lowered; 2],
    l: &mut Lowering<'_>,
) -> Result<Cells> {
    let product = l.packer.multiply(&a.cells, &b.cells)?;
    if relation == Relation::Less {
        return l.packer.sub(&b.cells, &product);
    }
    let ones = l.number(&Number::ONE, &compared(call)?.with_kind(Kind::Boolean))?;
    let without = l.packer.sub(&product, &a.cells)?;
    if relation == Relation::AtMost {
        return l.packer.add(&without, &ones);
    }
    let without = l.packer.sub(&without, &b.cells)?;
    let sum = l.packer.add(&without, &product)?;
    l.packer.add(&sum, &ones)
}
