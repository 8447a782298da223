//! `bfv.pack_slots`: several ciphertexts whose slots are 0 but for every w-th slot of the first row, side by side in one:
//! number j moves by j mod w slots to the right, and into the second row from j = w on. By Horner's rule, so that one
//! rotation key serves all: x_0 + r(x_1 + r(x_2 + ...)), r the rotation by one slot to the right.
//!
//! Inputs: the ciphertexts, at most 2 w; the switching key of attribute `shift`, the Galois element of r, where w > 1 and
//! there are several; that of `swap`, which exchanges the rows, where there are more than w. Attribute `width`: w.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// `bfv.pack_slots`; see the module.
pub struct PackSlots;

/// What the inputs are.
struct Shape {
    ciphertexts: usize,
    width: usize,
    /// Index of the key of `shift`.
    shift: Option<usize>,
    /// Index of the key of `swap`.
    swap: Option<usize>,
}

impl Shape {
    fn of(call: &Call<'_>) -> Result<Self> {
        let ciphertexts = call.inputs.iter().take_while(|ty| ty.head == "ciphertext").count();
        let width = call.attrs.size("width")?;
        if ciphertexts == 0 || ciphertexts > 2 * width {
            return Err(call.error("number of ciphertexts", ciphertexts, format!("1 to {}", 2 * width)));
        }
        let shift = (ciphertexts.min(width) > 1).then_some(ciphertexts);
        let swap = (ciphertexts > width).then_some(ciphertexts + usize::from(shift.is_some()));
        call.arity(ciphertexts + usize::from(shift.is_some()) + usize::from(swap.is_some()))?;
        Ok(Self { ciphertexts, width, shift, swap })
    }
}

impl OpDef for PackSlots {
    fn name(&self) -> &str {
        "bfv.pack_slots"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["shift", "swap", "width"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let shape = Shape::of(call)?;
        let (ty, _) = super::ciphertext(call, 0)?;
        if ty.parts != 2 {
            return Err(call.error("parts", ty.parts, 2));
        }
        for other in 1..shape.ciphertexts {
            call.same(0, other)?;
        }
        call.attrs.uint("shift")?;
        call.attrs.uint("swap")?;
        for key in shape.ciphertexts..call.inputs.len() {
            rlwe::key_at_level(call, key, &ty)?;
        }
        Ok(ty.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let shape = Shape::of(call)?;
        let (shift, swap) = (call.attrs.uint("shift")?, call.attrs.uint("swap")?);
        let rotate = |s: &mut Session<'_>, x: OperandId, g: u64, key: Option<usize>| match key {
            Some(key) => s.op("rlwe.automorphism", Attrs::new().with("g", g), &[x, inputs[key]]),
            None => Ok(x),
        };
        let mut rows = Vec::with_capacity(2);
        for row in inputs[..shape.ciphertexts].chunks(shape.width) {
            let mut sum = row[row.len() - 1];
            for &x in row[..row.len() - 1].iter().rev() {
                sum = rotate(s, sum, shift, shape.shift)?;
                sum = s.op("rlwe.add", Attrs::new(), &[sum, x])?;
            }
            rows.push(sum);
        }
        let [first, second] = rows[..] else { return Ok(rows[0]) };
        let second = rotate(s, second, swap, shape.swap)?;
        s.op("rlwe.add", Attrs::new(), &[first, second])
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let shape = Shape::of(call).ok()?;
        let mut terms: Vec<f64> = inputs.get(..shape.ciphertexts)?.iter().map(|input| input.error).collect();
        // One key switch for each ciphertext but the first.
        if let Some(key) = shape.shift.or(shape.swap) {
            let added = rlwe::switching_noise(call, key)?;
            terms.extend((1..shape.ciphertexts).map(|_| added));
        }
        Some(Noise::error(noise::sum(&terms)))
    }
}
