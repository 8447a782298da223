//! Tensors of bytes in a session, looked at as the graph's unit does: bytes in unit 8, bits in unit 1.

use super::call::{BLOCK, bits, bytes};
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::Session;
use crate::ops::tensor::Tensor;

/// True where ciphers are circuits of bits.
pub(super) fn in_bits(s: &Session<'_>) -> bool {
    unit(s) == 1
}

/// Bits of the graph's unit.
fn unit(s: &Session<'_>) -> u32 {
    s.graph().unit_bits()
}

/// The tensor that an operand is.
pub(super) fn tensor(s: &Session<'_>, operand: OperandId) -> Result<Tensor> {
    Tensor::of(s.ty(operand), unit(s))
}

/// An operand seen as another tensor of its size.
pub(super) fn retype(s: &mut Session<'_>, operand: OperandId, to: &Tensor) -> Result<OperandId> {
    let ty = to.ty(unit(s))?;
    s.retype(operand, ty)
}

/// Part of an operand: `to`, from that element of its kind on.
pub(super) fn part(s: &mut Session<'_>, operand: OperandId, from: u64, to: &Tensor) -> Result<OperandId> {
    let ty = to.ty(unit(s))?;
    s.split(operand, from * to.element.bits() / u64::from(unit(s)), ty)
}

/// Operands one after the other, seen as `to`.
pub(super) fn merge(s: &mut Session<'_>, parts: &[OperandId], to: &Tensor) -> Result<OperandId> {
    let ty = to.ty(unit(s))?;
    s.merge(parts, ty)
}

/// A constant, from the bytes of its elements.
pub(super) fn constant(s: &mut Session<'_>, tensor: &Tensor, value: &[u8]) -> Result<OperandId> {
    s.op("constant", tensor.constant(value.into()), &[])
}

/// An operator without attributes.
pub(super) fn op(s: &mut Session<'_>, name: &str, inputs: &[OperandId]) -> Result<OperandId> {
    s.op(name, Attrs::new(), inputs)
}

/// `ELEMENT.transpose`.
pub(super) fn transpose(s: &mut Session<'_>, x: OperandId, axes: &[u64]) -> Result<OperandId> {
    let name = format!("{}.transpose", tensor(s, x)?.element);
    s.op(&name, Attrs::new().with("axes", axes), &[x])
}

/// `xor`, `and` or `or` of tensors of bytes, which broadcast.
pub(super) fn logic(s: &mut Session<'_>, name: &str, a: OperandId, b: OperandId) -> Result<OperandId> {
    if !in_bits(s) {
        return op(s, &format!("u8.{name}"), &[a, b]);
    }
    let (a, b) = (byte_bits(s, a)?, byte_bits(s, b)?);
    let out = op(s, &format!("bit.{name}"), &[a, b])?;
    let mut shape = tensor(s, out)?.shape;
    shape.pop();
    retype(s, out, &bytes(&shape))
}

/// Bytes as bits: one dimension more.
fn byte_bits(s: &mut Session<'_>, x: OperandId) -> Result<OperandId> {
    let mut shape = tensor(s, x)?.shape;
    shape.push(8);
    retype(s, x, &bits(&shape))
}

/// Sum modulo 2 of bytes.
pub(super) fn xor(s: &mut Session<'_>, a: OperandId, b: OperandId) -> Result<OperandId> {
    logic(s, "xor", a, b)
}

/// Tensors of bytes one after the other, each filled up with zeros to whole blocks.
pub(super) fn padded(s: &mut Session<'_>, parts: &[OperandId]) -> Result<OperandId> {
    let (mut all, mut total) = (Vec::new(), 0);
    for &operand in parts {
        let len = tensor(s, operand)?.len() as u64;
        all.push(operand);
        let missing = len.next_multiple_of(BLOCK) - len;
        if missing > 0 {
            all.push(constant(s, &bytes(&[missing]), &vec![0; missing as usize])?);
        }
        total += len + missing;
    }
    merge(s, &all, &bytes(&[total / BLOCK, BLOCK]))
}
