//! How large the values of a task can get: the plaintext modulus follows from the outputs. Intermediate values may
//! wrap around, since all arithmetic is modulo t; only what is decrypted must fit.

use super::literal::{NodeLiteral, TaskLiteral};
use crate::schemes::columns::statistic_sums;
use crate::{Error, Result};

/// Most bits of an output, with sign: what the combined plaintext moduli can hold.
pub const MAX_BITS: u32 = 116;

/// An interval of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    min: i128,
    max: i128,
}

impl Range {
    fn of(corners: &[Option<i128>]) -> Option<Self> {
        let all: Option<Vec<i128>> = corners.iter().copied().collect();
        let all = all?;
        Some(Self { min: *all.iter().min()?, max: *all.iter().max()? })
    }

    fn product(self, other: Self) -> Option<Self> {
        let p = |a: i128, b: i128| a.checked_mul(b);
        Self::of(&[
            p(self.min, other.min),
            p(self.min, other.max),
            p(self.max, other.min),
            p(self.max, other.max),
        ])
    }

    fn sum(self, other: Self) -> Option<Self> {
        Self::of(&[self.min.checked_add(other.min), self.max.checked_add(other.max)])
    }

    fn negative(self) -> Option<Self> {
        Self::of(&[self.min.checked_neg(), self.max.checked_neg()])
    }

    /// Of the sum of up to `rows` values.
    fn total(self, rows: usize) -> Option<Self> {
        let rows = rows as i128;
        Self::of(&[self.min.min(0).checked_mul(rows), self.max.max(0).checked_mul(rows)])
    }

    /// Bits of a modulus that holds the interval, centered.
    fn bits(self) -> u32 {
        128 - self.largest().leading_zeros() + 1
    }

    /// The largest absolute value.
    fn largest(self) -> u128 {
        self.min.unsigned_abs().max(self.max.unsigned_abs())
    }
}

/// A range and the number of rows that it is the range of; 1 for numbers.
#[derive(Clone, Copy)]
struct Value {
    range: Range,
    rows: usize,
}

/// The least plaintext modulus that every output of the task fits into, centered: below 2^117.
///
/// # Errors
/// `RangeOverflow` when an output may need more than 116 bits; `Task` for operators that are no task operators.
pub fn least_modulus(task: &TaskLiteral) -> Result<u128> {
    let mut values: Vec<Option<Value>> = Vec::new();
    for input in &task.inputs {
        let (min, max) = input.bounds()?;
        let zero_too = Range { min: min.min(0), max: max.max(0) };
        values.push(Some(Value { range: zero_too, rows: input.rows }));
    }
    for node in &task.nodes {
        values.push(step(node, &values)?);
    }
    let mut largest = 1;
    for output in &task.outputs {
        let range = values[output.operand].map(|v| v.range);
        let found = range.map_or(128, Range::bits);
        let Some(range) = range.filter(|_| found <= MAX_BITS) else {
            return Err(Error::RangeOverflow {
                at: format!("output `{}`", output.name),
                found,
                limit: MAX_BITS,
            });
        };
        largest = range.largest().max(largest);
    }
    Ok(2 * largest + 1)
}

/// The value of a node; `None` when it may exceed 127 bits (which matters only if it is decrypted).
fn step(node: &NodeLiteral, values: &[Option<Value>]) -> Result<Option<Value>> {
    let wrong = |found: String, expected: &str| Error::Task {
        at: node.op.clone(),
        found,
        expected: expected.to_owned(),
    };
    let input = |k: usize| -> Result<Option<Value>> {
        let index =
            node.inputs.get(k).ok_or_else(|| wrong(format!("{} operands", node.inputs.len()), "more"))?;
        Ok(values[*index])
    };
    let unary = |f: &dyn Fn(Value) -> Option<Range>| -> Result<Option<Value>> {
        Ok(input(0)?.and_then(|v| Some(Value { range: f(v)?, rows: v.rows })))
    };
    let binary = |f: &dyn Fn(Range, Range) -> Option<Range>| -> Result<Option<Value>> {
        let (a, b) = (input(0)?, input(1)?);
        Ok(a.zip(b).and_then(|(a, b)| Some(Value { range: f(a.range, b.range)?, rows: a.rows })))
    };
    let constant = || -> Result<Range> {
        let attrs = node.graph_attrs()?;
        let mut range = Range { min: 0, max: 0 };
        let texts = match attrs.get("scalar") {
            Some(_) => vec![attrs.text("scalar")?.to_owned()],
            None => attrs.texts("values")?.to_vec(),
        };
        for text in &texts {
            let value: i128 = text.parse().map_err(|_| wrong(text.clone(), "integers as decimal texts"))?;
            range = Range { min: range.min.min(value), max: range.max.max(value) };
        }
        Ok(range)
    };
    match node.op.as_str() {
        "column.add" => binary(&Range::sum),
        "column.sub" => binary(&|a, b| a.sum(b.negative()?)),
        "column.multiply" => binary(&Range::product),
        "column.negate" => unary(&|v| v.range.negative()),
        "column.rotate_rows" | "column.rotate_columns" => unary(&|v| Some(v.range)),
        "column.add_plain" => {
            let constant = constant()?;
            unary(&|v| v.range.sum(constant))
        }
        "column.multiply_plain" => {
            let constant = constant()?;
            unary(&|v| v.range.product(constant))
        }
        "column.sum" => Ok(unary(&|v| v.range.total(v.rows))?.map(|v| Value { rows: 1, ..v })),
        name => {
            let Some(parts) = statistic_sums(name) else {
                return Err(Error::UnknownOperator { op: name.to_owned(), at: "the task".into() });
            };
            let x = input(0)?;
            let y = if node.inputs.len() > 1 { input(1)? } else { x };
            let Some((x, y)) = x.zip(y) else { return Ok(None) };
            let count = Range { min: 0, max: x.rows as i128 };
            let mut all = Vec::new();
            for part in parts {
                let range = match part {
                    "n" => Some(count),
                    "sum" | "sumX" => x.range.total(x.rows),
                    "sumY" => y.range.total(x.rows),
                    "sumSquares" | "sumXX" => x.range.product(x.range).and_then(|r| r.total(x.rows)),
                    "sumYY" => y.range.product(y.range).and_then(|r| r.total(x.rows)),
                    _ => x.range.product(y.range).and_then(|r| r.total(x.rows)),
                };
                all.extend([range.map(|r| r.min), range.map(|r| r.max)]);
            }
            Ok(Range::of(&all).map(|range| Value { range, rows: 1 }))
        }
    }
}
