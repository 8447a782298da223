//! What operators share that give cells of their operands, of any kind, as they are.

use super::arithmetic::one;
use crate::Result;
use crate::ops::Call;
use crate::packed::place;
use crate::values::exact::cells;
use crate::values::range::Range;
use crate::values::types::{Value, ValueCall};
use crate::values::{Exact, Known};

/// A complete value in another shape.
pub(super) fn shaped(call: &Call<'_>, shape: impl FnOnce(&Value) -> Result<Vec<u64>>) -> Result<Value> {
    call.arity(1)?;
    let x = call.complete(0)?;
    let shape = shape(&x)?;
    Ok(x.shaped(shape))
}

/// The range of all operands.
pub(super) fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let all = inputs.iter().map(|known| known.range).reduce(Range::union);
    all.ok_or_else(|| call.error("number of inputs", 0, "at least 1"))
}

/// Cells of the only operand: `from` tells of the place of each result in which place of the operand it is.
pub(super) fn moved(
    call: &Call<'_>,
    inputs: &[&Exact],
    output: &Value,
    from: impl Fn(&[u64]) -> Vec<u64>,
) -> Result<Exact> {
    let (x, shape) = (one(call, inputs)?, call.value(0)?.shape);
    cells(output.cells(), |index| {
        let place = from(&place(index as u64, &output.shape));
        let from = place.iter().zip(&shape).fold(0, |index, (&at, &dim)| index * dim + at);
        Ok(x.cells[from as usize].clone())
    })
}
