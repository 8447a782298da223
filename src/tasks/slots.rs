//! Cells of values as slots, and back.

use crate::graph::Attr;
use crate::math::Modulus;
use crate::memory::room;
use crate::packed::{ClearInput, Frame, Layout, Slots, Source};
use crate::values::number::Number;
use crate::values::types::{Kind, Value};
use crate::{Error, Result};
use zeroize::Zeroizing;

/// The slots of a vector modulo t, of cells that are residues.
///
/// # Errors
/// `OutOfMemory`.
pub fn integers(vector: &ClearInput, t: &Modulus, cells: &[u64]) -> Result<Vec<u64>> {
    let mut all = vector.written(cells)?;
    match vector.times {
        Attr::Int(1) => {}
        Attr::Int(by) => {
            let by = t.reduce_i128(by);
            all.iter_mut().for_each(|slot| *slot = t.mul(*slot, by));
        }
        _ => return Err(Error::Job("slots are integers here")),
    }
    Ok(all)
}

/// The slots of a vector as doubles, in their bits, of cells that are such.
///
/// # Errors
/// `OutOfMemory`.
pub fn reals(vector: &ClearInput, cells: &[u64]) -> Result<Vec<u64>> {
    let by = match &vector.times {
        Attr::Int(by) => *by as f64,
        Attr::Real(by) => by.get(),
        _ => return Err(Error::Job("factors are numbers")),
    };
    let mut all = vector.written(cells)?;
    if by != 1.0 {
        all.iter_mut()
            .filter(|slot| **slot != 0)
            .for_each(|slot| *slot = (by * f64::from_bits(*slot)).to_bits());
    }
    Ok(all)
}

/// All slots of a ciphertext, of those of a subring: each of its rows again and again.
///
/// # Errors
/// `OutOfMemory`.
pub fn repeated(own: &[u64], frame: Frame) -> Result<Zeroizing<Vec<u64>>> {
    let mut all = Zeroizing::new(room(1 << frame.slots())?);
    for row in own.chunks_exact(own.len() >> frame.rings) {
        all.extend(row.iter().cycle().take(1 << frame.ring));
    }
    Ok(all)
}

/// All cells of a value in one of its ciphertexts.
pub fn whole(layout: &Layout, frame: Frame, part: u64) -> ClearInput {
    let axes = (0..layout.axes.len()).map(Some).collect();
    let slots = Slots::Cells { source: Source::Value(0), axes, layout: layout.clone(), base: 0, part };
    ClearInput { name: String::new(), slots, right: 0, times: Attr::Int(1), frame }
}

/// What cells of such a value are divided by where they stand for numbers.
pub fn unit(value: &Value) -> f64 {
    Number::power_of_ten(value.decimals).to_f64()
}

/// A decrypted number as a cell.
pub fn cell(number: f64, value: &Value) -> Option<Number> {
    match value.kind {
        Kind::Real => Number::from_f64(number),
        _ => Number::from_f64((number * unit(value)).round_ties_even()),
    }
}

/// The cells of a value, from the slots of its ciphertexts: `slot` gives that of a number in a part; `base` is added to all.
pub fn cells<T>(layout: &Layout, base: u64, frame: Frame, slot: impl Fn(u64, usize) -> T) -> Vec<T> {
    let inside = (1u64 << frame.slots()) - 1;
    let slot = |at: u64| slot(at >> frame.slots(), (at & inside) as usize);
    layout.addresses().into_iter().map(|at| slot(at | base)).collect()
}
