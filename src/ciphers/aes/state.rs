//! The state of all blocks at once (see the folder), and its rows.

use crate::Result;
use crate::ciphers::call::{bits, bytes};
use crate::ciphers::logic;
use crate::graph::OperandId;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Session};

/// The state of so many blocks.
#[derive(Clone, Copy)]
pub(super) struct State {
    /// True where it is made of bits.
    pub bits: bool,
    /// Blocks.
    pub n: u64,
}

/// Operands that together are part of a state: one of bytes, or one for each bit, the lowest first.
pub(super) type Planes = Vec<OperandId>;

impl State {
    /// Input `index` as a state, in the form that the graph's unit has.
    ///
    /// # Errors
    /// `Operator` for another shape or element.
    pub(super) fn of(call: &Call<'_>, index: usize) -> Result<Self> {
        let found = call.tensor(index)?;
        let bits = call.unit == 1;
        match (found.element, found.shape.as_slice()) {
            (Element::U8, &[4, 4, n]) if !bits => Ok(Self { bits, n }),
            (Element::Bit, &[8, 4, 4, n]) if bits => Ok(Self { bits, n }),
            _ => {
                let expected = if bits { "a state: bit[8,4,4,blocks]" } else { "a state: u8[4,4,blocks]" };
                Err(call.error(format!("input {index}"), found, expected))
            }
        }
    }

    /// The whole state.
    pub(super) fn tensor(self) -> Tensor {
        match self.bits {
            true => bits(&[8, 4, 4, self.n]),
            false => bytes(&[4, 4, self.n]),
        }
    }

    /// `columns` elements of a row of each plane, from column `from` on.
    ///
    /// # Errors
    /// `Graph` beyond the state.
    pub(super) fn columns(
        self,
        s: &mut Session<'_>,
        state: OperandId,
        row: u64,
        (from, columns): (u64, u64),
    ) -> Result<Planes> {
        let (planes, part) = match self.bits {
            true => (8, bits(&[columns, self.n])),
            false => (1, bytes(&[columns, self.n])),
        };
        let first = |plane: u64| (16 * plane + 4 * row + from) * self.n;
        (0..planes).map(|plane| logic::part(s, state, first(plane), &part)).collect()
    }

    /// The state of four rows.
    ///
    /// # Errors
    /// `Graph` for parts of other sizes.
    pub(super) fn of_rows(self, s: &mut Session<'_>, rows: &[Planes]) -> Result<OperandId> {
        let planes = if self.bits { 8 } else { 1 };
        let parts: Vec<OperandId> =
            (0..planes).flat_map(|plane| rows.iter().map(move |row| row[plane])).collect();
        logic::merge(s, &parts, &self.tensor())
    }
}

/// Sum modulo 2, plane by plane.
///
/// # Errors
/// `Operator` for planes that do not broadcast.
pub(super) fn xor(s: &mut Session<'_>, a: &Planes, b: &Planes) -> Result<Planes> {
    let name = if a.len() == 1 { "u8.xor" } else { "bit.xor" };
    a.iter().zip(b).map(|(&a, &b)| logic::op(s, name, &[a, b])).collect()
}
