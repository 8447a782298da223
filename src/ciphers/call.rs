//! Checks that operators of ciphers share: units, bytes, blocks, round keys.

use crate::Result;
use crate::graph::ValueType;
use crate::ops::Call;
use crate::ops::tensor::{Element, Tensor};

/// Bytes of a block.
pub(super) const BLOCK: u64 = 16;

/// A tensor of bytes.
pub(super) fn bytes(shape: &[u64]) -> Tensor {
    Tensor::new(Element::U8, shape)
}

/// A tensor of bits.
pub(super) fn bits(shape: &[u64]) -> Tensor {
    Tensor::new(Element::Bit, shape)
}

/// What operators of ciphers ask of a call.
pub(super) trait CipherCall {
    /// Checks that the unit is one that ciphers know: 8 bits or 1.
    ///
    /// # Errors
    /// `Operator` for another unit.
    fn cipher_unit(&self) -> Result<()>;

    /// Checks that there are `least..=most` inputs in a graph of a unit that ciphers know.
    ///
    /// # Errors
    /// `Operator` for others.
    fn cipher(&self, least: usize, most: usize) -> Result<()>;

    /// How many bytes input `index` has, which is `u8[bytes]`.
    ///
    /// # Errors
    /// `Operator` for another shape or element.
    fn message(&self, index: usize) -> Result<u64>;

    /// Checks that input `index` is `u8[16]`: a block, a round key.
    ///
    /// # Errors
    /// `Operator` for another shape or element.
    fn block(&self, index: usize) -> Result<()>;

    /// How many blocks input `index` has, which is `u8[blocks,16]`.
    ///
    /// # Errors
    /// `Operator` for another shape or element.
    fn blocks(&self, index: usize) -> Result<u64>;

    /// How many rounds the round keys at input `index` are for: `u8[rounds+1,16]` with 10, 12 or 14 rounds.
    ///
    /// # Errors
    /// `Operator` for another shape or element.
    fn round_keys(&self, index: usize) -> Result<u64>;

    /// The type of that tensor in this graph.
    ///
    /// # Errors
    /// `Graph` for one that does not fit its unit.
    fn ty(&self, tensor: &Tensor) -> Result<ValueType>;
}

impl CipherCall for Call<'_> {
    fn cipher_unit(&self) -> Result<()> {
        match self.unit {
            1 | 8 => Ok(()),
            other => Err(self.error("unit of the graph", other, "8 bits, or 1 for circuits of bits")),
        }
    }

    fn cipher(&self, least: usize, most: usize) -> Result<()> {
        self.cipher_unit()?;
        match self.inputs.len() {
            found if (least..=most).contains(&found) => Ok(()),
            found if least == most => Err(self.error("number of inputs", found, least)),
            found => Err(self.error("number of inputs", found, format!("{least} to {most}"))),
        }
    }

    fn message(&self, index: usize) -> Result<u64> {
        let found = self.tensor(index)?;
        match found.shape.as_slice() {
            &[len] if found.element == Element::U8 => Ok(len),
            _ => Err(self.error(format!("input {index}"), found, "u8[bytes]")),
        }
    }

    fn block(&self, index: usize) -> Result<()> {
        match self.tensor(index)? {
            found if found == bytes(&[BLOCK]) => Ok(()),
            found => Err(self.error(format!("input {index}"), found, bytes(&[BLOCK]))),
        }
    }

    fn blocks(&self, index: usize) -> Result<u64> {
        let found = self.tensor(index)?;
        match found.shape.as_slice() {
            &[n, BLOCK] if found.element == Element::U8 => Ok(n),
            _ => Err(self.error(format!("input {index}"), found, "u8[blocks,16]")),
        }
    }

    fn round_keys(&self, index: usize) -> Result<u64> {
        let found = self.tensor(index)?;
        match found.shape.as_slice() {
            &[keys @ (11 | 13 | 15), BLOCK] if found.element == Element::U8 => Ok(keys - 1),
            _ => {
                let expected = "round keys: u8[11,16], u8[13,16] or u8[15,16]";
                Err(self.error(format!("input {index}"), found, expected))
            }
        }
    }

    fn ty(&self, tensor: &Tensor) -> Result<ValueType> {
        tensor.ty(self.unit)
    }
}
