//! `aes.counter_blocks`: `u8[16]` -> `u8[n,16]`: the block, and those that follow it when its last `bits` bits are
//! counted up as a big-endian number, which wraps. Attributes: `n`, and `bits`, 32 (GCM) or 128 (counter mode).

use crate::Result;
use crate::ciphers::call::{BLOCK, CipherCall, bits, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Level, OpDef, Session};

/// `aes.counter_blocks`; see the module.
pub(super) struct CounterBlocks;

/// The attributes `n` and `bits`.
fn counts(call: &Call<'_>) -> Result<(u64, u64)> {
    let (n, bits) = (call.attrs.uint("n")?, call.attrs.uint("bits")?);
    match bits {
        32 if n > 1 << 32 => Err(call.error("n", n, "at most 2^32, for a counter of 32 bits")),
        32 | 128 => Ok((n, bits)),
        other => Err(call.error("bits", other, "32 or 128")),
    }
}

impl OpDef for CounterBlocks {
    fn name(&self) -> &str {
        "aes.counter_blocks"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["bits", "n"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(1, 1)?;
        call.block(0)?;
        call.ty(&bytes(&[counts(call)?.0, BLOCK]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (n, counted) = counts(call)?;
        match logic::in_bits(s) {
            true => by_bits(s, inputs[0], n, counted),
            false => by_words(s, inputs[0], n, counted),
        }
    }
}

/// The two halves of a block as numbers, counted up for all blocks at once.
fn by_words(s: &mut Session<'_>, block: OperandId, n: u64, counted: u64) -> Result<OperandId> {
    let words = |shape: &[u64]| Tensor::new(Element::U64, shape);
    let swap = logic::constant(s, &bytes(&[16]), &[7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8])?;
    let along = |axis: u64| Attrs::new().with("axis", axis);
    let block = s.op("u8.gather", along(0), &[block, swap])?;
    let high = logic::part(s, block, 0, &bytes(&[8]))?;
    let high = logic::retype(s, high, &words(&[1]))?;
    let low = logic::part(s, block, 8, &bytes(&[8]))?;
    let low = logic::retype(s, low, &words(&[1]))?;
    let mut number = |value: u64| logic::constant(s, &words(&[1]), &value.to_le_bytes());
    let (one, lowest, others) = (number(1)?, number(u32::MAX.into())?, number(!u64::from(u32::MAX))?);
    let spread = || Attrs::new().with("shape", [n].as_slice());
    let ones = s.op("u64.broadcast", spread(), &[one])?;
    let numbers = s.op("u64.scan", along(0).with("of", "sum"), &[ones])?;
    let index = logic::op(s, "u64.sub", &[numbers, one])?;
    let sums = logic::op(s, "u64.add", &[low, index])?;
    let halves = if counted == 32 {
        let kept = logic::op(s, "u64.and", &[low, others])?;
        let sums = logic::op(s, "u64.and", &[sums, lowest])?;
        [s.op("u64.broadcast", spread(), &[high])?, logic::op(s, "u64.or", &[kept, sums])?]
    } else {
        let carries = logic::op(s, "u64.lt", &[sums, low])?;
        [logic::op(s, "u64.add", &[high, carries])?, sums]
    };
    let halves = logic::merge(s, &halves, &words(&[2, n]))?;
    let blocks = logic::transpose(s, halves, &[1, 0])?;
    let blocks = logic::retype(s, blocks, &bytes(&[n, BLOCK]))?;
    s.op("u8.gather", along(1), &[blocks, swap])
}

/// An adder of bits, for all blocks at once: what is added is constant.
fn by_bits(s: &mut Session<'_>, block: OperandId, n: u64, counted: u64) -> Result<OperandId> {
    let mut carry = None;
    let mut sums = Vec::new();
    for bit in 0..128 {
        let own = logic::part(s, block, place(bit), &bits(&[1]))?;
        let own = s.op("bit.broadcast", Attrs::new().with("shape", [n].as_slice()), &[own])?;
        if bit >= counted {
            sums.push(own);
            continue;
        }
        let added = if bit < 64 && (n - 1) >> bit > 0 { Some(index_bits(s, n, bit)?) } else { None };
        let (sum, next) = add(s, own, added, carry)?;
        sums.push(sum);
        carry = next;
    }
    // In the order of memory.
    let planes: Vec<OperandId> = (0..128).filter_map(|at| sums.get(place(at) as usize)).copied().collect();
    let planes = logic::merge(s, &planes, &bits(&[128, n]))?;
    let blocks = logic::transpose(s, planes, &[1, 0])?;
    logic::retype(s, blocks, &bytes(&[n, BLOCK]))
}

/// Where bit `bit` of a block that is a big-endian number lies; the other way round, too.
fn place(bit: u64) -> u64 {
    8 * (15 - bit / 8) + bit % 8
}

/// Bit `bit` of the numbers from 0 to n - 1.
fn index_bits(s: &mut Session<'_>, n: u64, bit: u64) -> Result<OperandId> {
    let tensor = bits(&[n]);
    let mut value = vec![0u8; tensor.bytes()];
    for index in (0..n).filter(|index| index >> bit & 1 == 1) {
        value[index as usize / 8] |= 1 << (index % 8);
    }
    logic::constant(s, &tensor, &value)
}

/// The sum of bits, and what is carried.
fn add(
    s: &mut Session<'_>,
    a: OperandId,
    b: Option<OperandId>,
    carry: Option<OperandId>,
) -> Result<(OperandId, Option<OperandId>)> {
    let half = |s: &mut Session<'_>, a, b| -> Result<(OperandId, OperandId)> {
        Ok((logic::op(s, "bit.xor", &[a, b])?, logic::op(s, "bit.and", &[a, b])?))
    };
    let (sum, first) = match b {
        Some(b) => half(s, a, b).map(|(sum, carry)| (sum, Some(carry)))?,
        None => (a, None),
    };
    let Some(carry) = carry else { return Ok((sum, first)) };
    let (sum, second) = half(s, sum, carry)?;
    // Never both.
    let carry = match first {
        Some(first) => logic::op(s, "bit.xor", &[first, second])?,
        None => second,
    };
    Ok((sum, Some(carry)))
}
