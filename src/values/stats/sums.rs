//! The sums that statistics are made of.

use super::{integer, op};
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::{Call, Session};
use crate::values::types::{Kind, Place, Value, ValueCall};

/// Input `index` as numbers, some of which may be missing.
pub(super) fn numbers(call: &Call<'_>, index: usize) -> Result<Value> {
    let value = call.value(index)?;
    match value.kind {
        Kind::Integer | Kind::Real | Kind::Boolean => Ok(value),
        Kind::Date | Kind::Category { .. } => {
            Err(call.error(format!("input {index}"), value, "integers, reals or booleans"))
        }
    }
}

/// Checks a statistic of `columns` values of one shape, of at least `least` cells where none is missing; its result is a single real.
pub(super) fn statistic(call: &Call<'_>, columns: usize, least: u64) -> Result<Value> {
    call.arity(columns)?;
    let first = numbers(call, 0)?;
    let (mut place, mut missing) = (first.place, first.missing);
    for index in 1..columns {
        let next = numbers(call, index)?;
        call.same_shape(index, &next, &first)?;
        place = place.max(next.place);
        missing |= next.missing;
    }
    if !missing && first.cells() < least {
        return Err(call.error("number of cells", first.cells(), format!("at least {least}")));
    }
    Ok(Value::new(Kind::Real, []).at(place))
}

/// How many cells are counted.
#[derive(Clone, Copy)]
enum Count {
    /// All.
    Public(u64),
    /// Those that are there.
    Sum(OperandId),
}

/// The values of a statistic, 0 where a cell is not counted, and how many are counted.
pub(super) struct Sums {
    columns: Vec<OperandId>,
    count: Count,
    /// Whether sums are the client's: not where some are the server's own, which have to stay with it.
    finished: bool,
}

impl Sums {
    /// Of all inputs of a statistic.
    pub(super) fn of(s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<Self> {
        let mut columns = Vec::with_capacity(inputs.len());
        let mut masks = Vec::new();
        for (index, &input) in inputs.iter().enumerate() {
            if !call.value(index)?.missing {
                columns.push(input);
                continue;
            }
            columns.push(op(s, "value.cells", &[input])?);
            masks.push((index, op(s, "value.present", &[input])?));
        }
        let mut finished = true;
        for index in 0..inputs.len() {
            finished &= call.value(index)?.place != Place::Plain;
        }
        let Some(&(_, first)) = masks.first() else {
            return Ok(Self { columns, count: Count::Public(call.value(0)?.cells()), finished });
        };
        // A cell is 0 already where it is missing itself.
        for (index, column) in columns.iter_mut().enumerate() {
            for &(of, mask) in &masks {
                if of != index {
                    *column = op(s, "value.multiply", &[*column, mask])?;
                }
            }
        }
        let mut all = first;
        for &(_, mask) in &masks[1..] {
            all = op(s, "value.and", &[all, mask])?;
        }
        let mut sums = Self { columns, count: Count::Public(0), finished };
        sums.count = Count::Sum(sums.total(s, all)?);
        Ok(sums)
    }

    /// The sum of all cells, the client's where it may be: what is made of sums then costs no products of ciphertexts.
    fn total(&self, s: &mut Session<'_>, of: OperandId) -> Result<OperandId> {
        let sum = op(s, "value.sum", &[of])?;
        if self.finished { op(s, "value.finish", &[sum]) } else { Ok(sum) }
    }

    /// n.
    pub(super) fn count(&self, s: &mut Session<'_>) -> Result<OperandId> {
        match self.count {
            Count::Public(count) => integer(s, count),
            Count::Sum(count) => Ok(count),
        }
    }

    /// The sum of a column.
    pub(super) fn sum(&self, s: &mut Session<'_>, column: usize) -> Result<OperandId> {
        self.total(s, self.columns[column])
    }

    /// The sum of the products of two columns, or of the squares of one.
    pub(super) fn products(&self, s: &mut Session<'_>, a: usize, b: usize) -> Result<OperandId> {
        let product = match a == b {
            true => op(s, "value.square", &[self.columns[a]])?,
            false => op(s, "value.multiply", &[self.columns[a], self.columns[b]])?,
        };
        self.total(s, product)
    }

    /// n x.
    pub(super) fn times_count(&self, s: &mut Session<'_>, x: OperandId) -> Result<OperandId> {
        match self.count {
            Count::Public(count) => s.op("value.scale", Attrs::new().with("numerator", count), &[x]),
            Count::Sum(count) => op(s, "value.multiply", &[x, count]),
        }
    }

    /// n sum(x y) - sum(x) sum(y): n^2 times the covariance of the population.
    pub(super) fn co_moment(&self, s: &mut Session<'_>, a: usize, b: usize) -> Result<OperandId> {
        let (products, x) = (self.products(s, a, b)?, self.sum(s, a)?);
        let products = self.times_count(s, products)?;
        let of_sums = match a == b {
            true => op(s, "value.square", &[x])?,
            false => {
                let y = self.sum(s, b)?;
                op(s, "value.multiply", &[x, y])?
            }
        };
        op(s, "value.sub", &[products, of_sums])
    }

    /// A co-moment over what makes the (co)variance of it: n^2 of a population, n (n - 1) of a sample.
    pub(super) fn moment(&self, s: &mut Session<'_>, a: usize, b: usize, of: Of) -> Result<OperandId> {
        let moment = self.co_moment(s, a, b)?;
        let divisor = match (self.count, of) {
            // At most 2^64: counts have 32 bits.
            (Count::Public(n), Of::Population) => integer(s, n.saturating_mul(n))?,
            (Count::Public(n), Of::Sample) => integer(s, n.saturating_mul(n - 1))?,
            (Count::Sum(n), Of::Population) => op(s, "value.square", &[n])?,
            (Count::Sum(n), Of::Sample) => {
                let one = integer(s, 1)?;
                let less = op(s, "value.sub", &[n, one])?;
                op(s, "value.multiply", &[n, less])?
            }
        };
        op(s, "value.divide", &[moment, divisor])
    }
}

/// What cells are: attribute `of`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// All that there is.
    Population,
    /// A sample of it.
    Sample,
}

impl Of {
    /// Attribute `of`: `population` or `sample`.
    pub(super) fn attr(call: &Call<'_>) -> Result<Self> {
        match call.attrs.text("of")? {
            "population" => Ok(Self::Population),
            "sample" => Ok(Self::Sample),
            other => Err(call.error("of", other, "population or sample")),
        }
    }

    /// The fewest cells that it takes.
    pub(super) fn least(self) -> u64 {
        match self {
            Self::Population => 1,
            Self::Sample => 2,
        }
    }
}
