//! The solution of m linear equations in as many unknowns, for m^2 + m single numbers: the matrix row by row, then the right side. A vector of m reals, each the binary64 that is nearest to the exact
//! number, which the interpreter finds by Gauss' elimination. A singular matrix is an error of the interpreter, and so is one of decrypted numbers that may be singular for all that is known. No scheme computes it.

use super::arithmetic::{any_encrypted, real, seen};
use super::{PRIMITIVE, Primitive};
use crate::memory::room;
use crate::ops::Call;
use crate::values::exact::MOST_BITS;
use crate::values::near::Near;
use crate::values::number::{Bits, Number};
use crate::values::types::{Kind, Place, ValueCall};
use crate::{Error, Result};

/// Unknowns, at most.
const MOST: usize = 64;

/// `value.solve`; see the module.
pub(super) const SOLVE: Primitive = Primitive {
    name: "value.solve",
    output: |call| {
        let mut place = Place::Public;
        for index in 0..call.inputs.len() {
            let x = call.number(index)?;
            if !x.shape.is_empty() {
                return Err(call.error(format!("input {index}"), x, "a single number"));
            }
            place = place.max(x.place);
        }
        Ok(real(vec![unknowns(call)? as u64], place))
    },
    exact: |call, inputs| {
        let cell = |index: usize| {
            let x = seen(call, index, Kind::Real, inputs[index])?;
            Ok(About { number: x.cells[0].clone(), off: 0.0 })
        };
        solved(call, cell).map(|near| near.cells.clone())
    },
    near: |call, inputs| {
        let cell = |index: usize| {
            let x = seen(call, index, Kind::Real, inputs[index])?;
            Ok(About { number: x.cells.cells[0].clone(), off: x.off(0) })
        };
        solved(call, cell).map(Some)
    },
    bits,
    client_only: any_encrypted,
    ..PRIMITIVE
};

/// How many, of so many inputs.
fn unknowns(call: &Call<'_>) -> Result<usize> {
    let found = call.inputs.len();
    let count = (1..=MOST).find(|count| count * (count + 1) == found);
    count.ok_or_else(|| call.error("number of inputs", found, format!("m^2 + m, for m from 1 to {MOST}")))
}

/// Of binary64. By Cramer's rule what is rounded are quotients of determinants, of integers once rows are brought to one denominator; elimination has none but such, either.
fn bits(call: &Call<'_>, inputs: &[Bits]) -> Result<Bits> {
    let count = unknowns(call)? as u32;
    let mut decimals = Vec::with_capacity(inputs.len());
    for index in 0..inputs.len() {
        decimals.push(call.value(index)?.decimals);
    }
    let most = decimals.iter().copied().max().unwrap_or(0);
    // In units of the most decimals, log2 10 < 10/3; odd denominators may differ along a row.
    let entry = |(bits, own): (&Bits, &u32)| {
        let finer = (most - own).saturating_mul(10).div_ceil(3);
        let denominators = bits.odd.saturating_mul(count + 1).saturating_add(bits.twos);
        bits.size.saturating_add(finer).saturating_add(denominators)
    };
    let largest = inputs.iter().zip(&decimals).map(entry).max().unwrap_or(0);
    let determinant = largest.saturating_add(count.ilog2() + 1).saturating_mul(count);
    if determinant > MOST_BITS {
        let (what, found, limit) = ("bits of a determinant", determinant.into(), MOST_BITS.into());
        return Err(Error::TooLarge { what, found, limit });
    }
    Ok(Bits::of_double())
}

/// A number, and by how much it may be off.
#[derive(Clone)]
struct About {
    number: Number,
    off: f64,
}

impl Drop for About {
    fn drop(&mut self) {
        self.number.overwrite();
        self.off = 0.0;
    }
}

impl About {
    fn size(&self) -> f64 {
        self.number.to_f64().abs()
    }

    /// x - y z.
    fn less(&self, y: &Self, z: &Self) -> Self {
        let off = if y.off == 0.0 && z.off == 0.0 {
            0.0
        } else {
            y.size() * z.off + z.size() * y.off + y.off * z.off
        };
        Self { number: &self.number - &(&y.number * &z.number), off: self.off + off }
    }

    /// x / y; none where y may be 0.
    fn over(&self, y: &Self) -> Option<Self> {
        let number = self.number.quotient(&y.number).filter(|_| y.is_apart())?;
        let off = match self.off == 0.0 && y.off == 0.0 {
            true => 0.0,
            false => (self.off + number.to_f64().abs() * y.off) / (y.size() - y.off),
        };
        Some(Self { number, off })
    }

    /// Whether it cannot be 0.
    fn is_apart(&self) -> bool {
        self.number != Number::ZERO && (self.off == 0.0 || self.size() > self.off)
    }
}

fn solved(call: &Call<'_>, cell: impl Fn(usize) -> Result<About>) -> Result<Near> {
    let count = unknowns(call)?;
    // No number is told: errors end in logs.
    let singular = || call.error("matrix", "one that is singular, or may be", "one that cannot be");
    let mut rows: Vec<Vec<About>> = room(count)?;
    for row in 0..count {
        let mut cells = room(count + 1)?;
        for column in 0..count {
            cells.push(cell(row * count + column)?);
        }
        cells.push(cell(count * count + row)?);
        rows.push(cells);
    }
    for pivot in 0..count {
        let sure = |row: &usize| rows[*row][pivot].is_apart();
        let size = |row: &usize| rows[*row][pivot].size() - rows[*row][pivot].off;
        let best = (pivot..count).filter(sure).max_by(|a, b| size(a).total_cmp(&size(b)));
        rows.swap(pivot, best.ok_or_else(singular)?);
        let (above, below) = rows.split_at_mut(pivot + 1);
        let own = &above[pivot];
        for row in below {
            crate::watch::ask()?;
            let factor = row[pivot].over(&own[pivot]).ok_or_else(singular)?;
            for column in pivot + 1..=count {
                row[column] = row[column].less(&factor, &own[column]);
            }
        }
    }
    let mut found: Vec<About> = room(count)?;
    for row in (0..count).rev() {
        let mut rest = rows[row][count].clone();
        for (column, x) in (row + 1..count).rev().zip(&found) {
            rest = rest.less(&rows[row][column], x);
        }
        found.push(rest.over(&rows[row][row]).ok_or_else(singular)?);
    }
    Near::made(count, |index| {
        let x = &found[count - 1 - index];
        let double = x.number.to_f64();
        let number = Number::from_f64(double)
            .ok_or_else(|| call.error("solution", "a number beyond those of binary64", "smaller ones"))?;
        // Rounded once.
        let off = if x.off == 0.0 { 0.0 } else { x.off + double.abs() * f64::EPSILON };
        Ok((number, off))
    })
}
