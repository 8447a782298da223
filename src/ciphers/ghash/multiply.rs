//! `ghash.multiply`: every block times h in GF(2^128), for inputs (blocks, h) of types `u8[n,16]`, `u8[16]`; gives
//! `u8[n,16]`.
//!
//! Few blocks, and all in unit 1: the sum of the multiples h x^k for which a block has x^k. Many: 16 tables, one for each
//! byte of a block, of h times what the byte stands for.

use crate::Result;
use crate::ciphers::call::{BLOCK, CipherCall, bits, bytes};
use crate::ciphers::logic;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::tensor::{Element, Tensor};
use crate::ops::{Call, Level, OpDef, Session};

/// `ghash.multiply`; see the module.
pub(super) struct Multiply;

/// From so many blocks on tables are worth what they cost to make.
const MANY: u64 = 4;

impl OpDef for Multiply {
    fn name(&self) -> &str {
        "ghash.multiply"
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.cipher(2, 2)?;
        call.block(1)?;
        call.ty(&bytes(&[call.blocks(0)?, BLOCK]))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let n = call.blocks(0)?;
        let multiples = logic::op(s, "ghash.multiples", &inputs[1..])?;
        let product = match n >= MANY && !logic::in_bits(s) {
            true => by_tables(s, inputs[0], n, multiples)?,
            false => by_bits(s, inputs[0], n, multiples)?,
        };
        logic::retype(s, product, &bytes(&[n, BLOCK]))
    }
}

fn by_bits(s: &mut Session<'_>, blocks: OperandId, n: u64, multiples: OperandId) -> Result<OperandId> {
    let x = logic::retype(s, blocks, &bits(&[n, 128, 1]))?;
    let taken = logic::op(s, "bit.and", &[x, multiples])?;
    s.op("bit.reduce_xor", Attrs::new().with("axis", 1u64), &[taken])
}

fn by_tables(s: &mut Session<'_>, blocks: OperandId, n: u64, multiples: OperandId) -> Result<OperandId> {
    let tables = tables(s, multiples)?;
    let table = words(&[256, 2]);
    let turned = logic::transpose(s, blocks, &[1, 0])?;
    let mut sum = None;
    for byte in 0..BLOCK {
        let table = logic::part(s, tables, 512 * byte, &table)?;
        let index = logic::part(s, turned, n * byte, &bytes(&[n]))?;
        let product = s.op("u64.gather", Attrs::new().with("axis", 0u64), &[table, index])?;
        sum = Some(match sum {
            Some(sum) => logic::op(s, "u64.xor", &[sum, product])?,
            None => product,
        });
    }
    Ok(sum.unwrap_or(blocks))
}

/// For each byte of a block and each value the sum of the multiples of its bits, `u64[16,256,2]`: bit after bit, what is
/// there and the same with one multiple more.
fn tables(s: &mut Session<'_>, multiples: OperandId) -> Result<OperandId> {
    let multiples = logic::retype(s, multiples, &words(&[BLOCK, 8, 2]))?;
    let mut tables = logic::constant(s, &words(&[BLOCK, 1, 2]), &[0; 256])?;
    for bit in 0..8u64 {
        let slice = Attrs::new().with("start", [0, bit, 0].as_slice());
        let multiple = s.op("u64.slice", slice.with("size", [BLOCK, 1, 2].as_slice()), &[multiples])?;
        let more = logic::op(s, "u64.xor", &[tables, multiple])?;
        tables = s.op("u64.concat", Attrs::new().with("axis", 1u64), &[tables, more])?;
    }
    Ok(tables)
}

fn words(shape: &[u64]) -> Tensor {
    Tensor::new(Element::U64, shape)
}
