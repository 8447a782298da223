//! Cells that were decrypted and may be off, and by how much what is made of them may be off then.
//!
//! For reals x, y that are off by at most d, e: x + y is off by d + e, x y by |x| e + |y| d + d e, x / y by (d + |x / y| e) / (|y| - e), which is no number where
//! |y| <= e. What is linear in an operand takes its errors as it takes its cells. These are worst cases of each operator by itself.
//!
//! A boolean is off by 1 where it may be the other one: of a comparison where operands are no further apart than they may be off together. What such a boolean chooses may be
//! what it did not choose.

use super::ValueDef;
use super::exact::{Exact, cells};
use super::number::Number;
use crate::Result;
use crate::memory::room;
use crate::ops::Call;
use zeroize::Zeroize;

/// Cells, and by how much each may be off.
#[derive(Clone, Debug)]
pub struct Near {
    /// The cells.
    pub cells: Exact,
    /// For each cell at most how much it is off; infinite where that is not known. Empty where none is off.
    pub off: Vec<f64>,
}

impl Drop for Near {
    /// What cells are off by tells how large they are: it is overwritten, too.
    fn drop(&mut self) {
        self.off.zeroize();
    }
}

impl Near {
    /// Cells that are right.
    pub fn right(cells: Exact) -> Self {
        Self { cells, off: Vec::new() }
    }

    /// Cells of which each may be off by so much.
    pub fn within(cells: Exact, off: f64) -> Self {
        let off = if off == 0.0 { Vec::new() } else { vec![off; cells.cells.len()] };
        Self { cells, off }
    }

    /// `count` cells, made one by one, each with how much it may be off.
    pub(super) fn made(count: usize, mut cell: impl FnMut(usize) -> Result<(Number, f64)>) -> Result<Self> {
        let mut made = Self { cells: Exact::new(Vec::new()), off: room(count)? };
        made.cells = cells(count as u64, |index| {
            let (cell, off) = cell(index)?;
            // 0 times what is not known is not known.
            made.off.push(if off.is_nan() { f64::INFINITY } else { off });
            Ok(cell)
        })?;
        Ok(made)
    }

    /// The most that a cell may be off.
    pub fn most(&self) -> f64 {
        self.off.iter().copied().fold(0.0, f64::max)
    }

    /// The booleans that a cell may be.
    pub(super) fn may_be(&self, index: usize) -> Vec<bool> {
        let is = self.cells.cells[index] == Number::ONE;
        if self.off(index) > 0.0 { vec![is, !is] } else { vec![is] }
    }

    fn is_right(&self) -> bool {
        self.off.is_empty()
    }

    /// How much a cell may be off.
    pub(super) fn off(&self, index: usize) -> f64 {
        self.off.get(index).copied().unwrap_or(0.0)
    }

    /// Its errors as the cells of a value; none where they are not known.
    fn errors(&self) -> Option<Exact> {
        let all = self.off.iter().map(|&off| Number::from_f64(off)).collect::<Option<_>>()?;
        Some(Exact { cells: all, present: self.cells.present.clone() })
    }
}

/// What an operator makes of such cells, and by how much that may be off: by its own rule, or by what it is linear in.
///
/// # Errors
/// Those of its rules: what has no value, for all that is known.
pub(super) fn computed(def: &dyn ValueDef, call: &Call<'_>, inputs: &[&Near]) -> Result<Near> {
    if inputs.iter().all(|input| input.is_right()) {
        return exact(def, call, inputs).map(Near::right);
    }
    if let Some(near) = def.near(call, inputs)? {
        return Ok(near);
    }
    let cells = exact(def, call, inputs)?;
    let off = linear(def, call, inputs)?.unwrap_or_else(|| vec![f64::INFINITY; cells.cells.len()]);
    Ok(Near { cells, off })
}

fn exact(def: &dyn ValueDef, call: &Call<'_>, inputs: &[&Near]) -> Result<Exact> {
    def.exact(call, &inputs.iter().map(|input| &input.cells).collect::<Vec<_>>())
}

/// The sum of the errors of all operands, each as the operator takes it; none where it is not linear in one that may be off.
fn linear(def: &dyn ValueDef, call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Vec<f64>>> {
    let linear = def.linear_in(call);
    let zeros = |input: &Near| Exact {
        cells: vec![Number::ZERO; input.cells.cells.len()],
        present: input.cells.present.clone(),
    };
    let mut off: Vec<f64> = Vec::new();
    for (index, input) in inputs.iter().enumerate().filter(|(_, input)| !input.is_right()) {
        let Some(errors) = input.errors().filter(|_| linear.contains(&index)) else { return Ok(None) };
        let operands: Vec<Exact> = (inputs.iter().enumerate())
            .map(|(other, input)| match linear.contains(&other) {
                _ if other == index => errors.clone(),
                true => zeros(input),
                false => input.cells.clone(),
            })
            .collect();
        let own = def.exact(call, &operands.iter().collect::<Vec<_>>())?;
        off.resize(own.cells.len(), 0.0);
        off.iter_mut().zip(&own.cells).for_each(|(off, own)| *off += own.to_f64().abs());
    }
    Ok(Some(off))
}
