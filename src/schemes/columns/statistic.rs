//! `stats.*`: the raw sums that a statistic needs, over the rows that are present in all its columns. Division and
//! square root follow on the client, after decryption. One file, because they share one rule: multiply what is listed,
//! mask what may be missing, sum.
//!
//! Values are 0 where a row is missing, so that x is its own masked form, and x y needs no mask. With a second column, x
//! is multiplied by the mask of y where y may be missing. The count is public for complete columns and then not computed.
//! Attributes `low` and `aux` as in `column.sum` and `column.multiply`.

use super::layout::{Column, Number, columns_and_keys, low, mask, values};
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};

/// A statistic of one or two columns.
pub struct Statistic {
    pub(super) name: &'static str,
    pub(super) columns: usize,
    /// The sums, in order; see [`Sum`].
    pub(super) sums: &'static [(&'static str, Sum)],
}

/// What is summed; X is x over the common rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    /// 1: the number of common rows.
    Count,
    /// X.
    X,
    /// Y.
    Y,
    /// X^2.
    XX,
    /// Y^2.
    YY,
    /// X Y.
    XY,
}

/// All statistics.
pub(super) const ALL: &[Statistic] = &[
    Statistic { name: "stats.count", columns: 1, sums: &[("n", Sum::Count)] },
    Statistic { name: "stats.sum", columns: 1, sums: &[("sum", Sum::X)] },
    Statistic { name: "stats.mean", columns: 1, sums: &[("n", Sum::Count), ("sum", Sum::X)] },
    Statistic {
        name: "stats.variance",
        columns: 1,
        sums: &[("n", Sum::Count), ("sum", Sum::X), ("sumSquares", Sum::XX)],
    },
    Statistic {
        name: "stats.covariance",
        columns: 2,
        sums: &[("n", Sum::Count), ("sumX", Sum::X), ("sumY", Sum::Y), ("sumXY", Sum::XY)],
    },
    Statistic {
        name: "stats.correlation",
        columns: 2,
        sums: &[
            ("n", Sum::Count),
            ("sumX", Sum::X),
            ("sumY", Sum::Y),
            ("sumXX", Sum::XX),
            ("sumYY", Sum::YY),
            ("sumXY", Sum::XY),
        ],
    },
];

impl Statistic {
    /// The sums that are computed: the count only where a cell may be missing.
    fn computed(&self, missing: bool) -> impl Iterator<Item = &(&'static str, Sum)> {
        self.sums.iter().filter(move |(_, sum)| missing || *sum != Sum::Count)
    }

    fn columns(&self, call: &Call<'_>) -> Result<(Vec<Column>, Number)> {
        let mut columns = Vec::new();
        for index in 0..self.columns {
            columns.push(Column::of(call.input(index, "column")?)?);
        }
        let first = columns[0].clone();
        if columns.iter().any(|c| c.values_with_parts(2) != first.values_with_parts(2)) {
            return Err(call.error("rows and level of input 1", &call.inputs[1], &call.inputs[0]));
        }
        let q = first.q[..low(call, &first)?].to_vec();
        Ok((columns, Number { n: first.n, t: first.t, q }))
    }
}

impl OpDef for Statistic {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["aux", "low"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        columns_and_keys(call, self.columns)?;
        let (columns, number) = self.columns(call)?;
        let missing = columns.iter().any(|c| c.missing);
        let parts: Vec<&str> = self.computed(missing).map(|s| s.0).collect();
        if parts.is_empty() {
            return Err(call.error(
                "column",
                "a complete column",
                "one with missing cells: the count is public",
            ));
        }
        Ok(number.statistic(&parts))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let keys: Vec<OperandId> = inputs[self.columns..].to_vec();
        let aux = Attrs::new().with("aux", call.moduli("aux")?);
        let low = Attrs::new().with("low", call.attrs.size("low")?);
        let multiply = |s: &mut Session<'_>, a: OperandId, b: OperandId| {
            let operands = [[a, b].as_slice(), &keys].concat();
            s.op("column.multiply", aux.clone(), &operands)
        };
        let x = values(s, inputs[0])?;
        let y = values(s, inputs[self.columns - 1])?;
        let mask_x = mask(s, inputs[0])?;
        let mask_y = if self.columns == 2 { mask(s, inputs[1])? } else { None };
        let over = |s: &mut Session<'_>, value: OperandId, mask: Option<OperandId>| match mask {
            Some(mask) => multiply(s, value, mask),
            None => Ok(value),
        };
        let mut sums = Vec::new();
        for &(_, sum) in self.computed(mask_x.is_some() || mask_y.is_some()) {
            let column = match sum {
                Sum::Count => match (mask_x, mask_y) {
                    (Some(a), Some(b)) => multiply(s, a, b)?,
                    (Some(mask), None) | (None, Some(mask)) => mask,
                    (None, None) => continue,
                },
                Sum::X => over(s, x, mask_y)?,
                Sum::Y => over(s, y, mask_x)?,
                Sum::XX => {
                    let masked = over(s, x, mask_y)?;
                    multiply(s, masked, x)?
                }
                Sum::YY => {
                    let masked = over(s, y, mask_x)?;
                    multiply(s, masked, y)?
                }
                Sum::XY => multiply(s, x, y)?,
            };
            let operands = [[column].as_slice(), &keys].concat();
            sums.push(s.op("column.sum", low.clone(), &operands)?);
        }
        s.merge(&sums, output)
    }
}

/// Names and kinds of the sums of a statistic; `None` for other operators.
pub fn sums(name: &str) -> Option<Vec<&'static str>> {
    ALL.iter().find(|s| s.name == name).map(|s| s.sums.iter().map(|s| s.0).collect())
}

/// Most products of columns that a statistic takes; 0 for other operators.
pub fn products(name: &str, missing: bool) -> usize {
    let of_sum = |sum: &Sum, columns: usize| match sum {
        Sum::Count | Sum::X | Sum::Y => usize::from(missing && columns == 2),
        Sum::XX | Sum::YY => 1 + usize::from(missing && columns == 2),
        Sum::XY => 1,
    };
    let all = ALL.iter().filter(|s| s.name == name);
    all.flat_map(|s| s.sums.iter().map(move |(_, sum)| of_sum(sum, s.columns))).sum()
}

/// True for a statistic that multiplies ciphertexts: where there are two columns, at least with a mask.
pub fn multiplies(name: &str) -> bool {
    let products = |sum: &Sum| matches!(sum, Sum::XX | Sum::YY | Sum::XY);
    ALL.iter().any(|s| s.name == name && (s.columns == 2 || s.sums.iter().any(|(_, sum)| products(sum))))
}
