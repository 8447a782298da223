//! Very large graphs of four shapes, built as a user builds them: through the circuit builder, call by call.

use cipherloom::Result;
use cipherloom::circuit::{Circuit, CircuitBuilder};
use cipherloom::graph::{Attrs, OperandId};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::Registry;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{Ciphertext, Scheme, SwitchingKey};
use std::sync::Arc;

/// Names of the shapes, and what they are.
pub const SHAPES: [(&str, Build); 4] =
    [("chain", chain), ("wide", wide), ("random", random), ("products", products)];

/// Builds a circuit of about so many base operators.
type Build = fn(&Arc<Registry>, usize) -> Result<Circuit>;

/// Ring dimension, data primes and auxiliary ones of the products; inputs that operators of all shapes begin with.
const N: usize = 4096;
const DATA: usize = 2;
const AUX: usize = 3;
const INPUTS: usize = 64;
/// Base operators of a product, a relinearization and a sum.
const PER_PRODUCT: usize = 47;

/// The circuit of that name.
pub fn build(shape: &str, registry: &Arc<Registry>, count: usize) -> Result<Circuit> {
    let known = SHAPES.iter().find(|(name, _)| *name == shape);
    let (_, build) = known.ok_or(cipherloom::Error::Job("no such shape of graph"))?;
    build(registry, count)
}

/// Each operator waits for the one before.
fn chain(registry: &Arc<Registry>, count: usize) -> Result<Circuit> {
    let mut g = CircuitBuilder::new(32, registry)?;
    let ty = Tensor::new(Element::U32, [8]).ty(32)?;
    let (step, mut value) = (g.input("step", ty.clone())?, g.input("x", ty)?);
    for index in 0..count {
        value = g.op(["u32.add", "u32.xor"][index % 2], Attrs::new(), &[value, step])?;
    }
    g.output("y", value);
    g.finish()
}

/// Operators on pairs of inputs, each pair once; outputs of a thousand results each.
fn wide(registry: &Arc<Registry>, count: usize) -> Result<Circuit> {
    let mut g = CircuitBuilder::new(32, registry)?;
    let ty = Tensor::new(Element::U32, [8]).ty(32)?;
    let sides = (count as f64).sqrt().ceil() as usize;
    let mut inputs = Vec::with_capacity(2 * sides);
    for index in 0..2 * sides {
        inputs.push(g.input(&index.to_string(), ty.clone())?);
    }
    let (mut results, mut outputs) = (Vec::new(), 0);
    for index in 0..count {
        let pair = [inputs[index % sides], inputs[sides + index / sides]];
        results.push(g.op("u32.mul", Attrs::new(), &pair)?);
        if results.len() == 1000 || index + 1 == count {
            let rows = Tensor::new(Element::U32, [results.len() as u64, 8]).ty(32)?;
            let merged = g.merge(&results, rows)?;
            g.output(&outputs.to_string(), merged);
            outputs += 1;
            results.clear();
        }
    }
    g.finish()
}

/// Operators on two of the last 64 results, by chance.
fn random(registry: &Arc<Registry>, count: usize) -> Result<Circuit> {
    let mut g = CircuitBuilder::new(32, registry)?;
    let ty = Tensor::new(Element::U32, [8]).ty(32)?;
    let mut values = Vec::with_capacity(INPUTS);
    for index in 0..INPUTS {
        values.push(g.input(&index.to_string(), ty.clone())?);
    }
    for index in 0..count {
        let hash = (index as u32).wrapping_mul(2_654_435_761) >> 8;
        let pair = [hash % 64, hash / 64 % 64].map(|at| values[at as usize]);
        let name = ["u32.add", "u32.mul", "u32.xor"][index % 3];
        values[index % INPUTS] = g.op(name, Attrs::new(), &pair)?;
    }
    for (index, &value) in values.iter().enumerate() {
        g.output(&index.to_string(), value);
    }
    g.finish()
}

/// Sums of products of ciphertexts, as in a matrix product: operators that expand to dozens each, over views and merges.
fn products(registry: &Arc<Registry>, count: usize) -> Result<Circuit> {
    let t = ntt_primes(20, N, 1, &[])?[0];
    let primes = ntt_primes(50, N, DATA + 1 + AUX, &[])?;
    let (q, rest) = primes.split_at(DATA);
    let (special, aux) = rest.split_at(1);
    let ty = Ciphertext::new(N, q.to_vec(), 2, Scheme::Bfv { t }).ty();
    let key =
        SwitchingKey { n: N, q: q.to_vec(), special: special.to_vec(), digit: 1, factor: 1, parties: 1 }.ty();
    let multiply = Attrs::new().with("aux", aux);
    let mut g = CircuitBuilder::new(64, registry)?;
    let key = g.input("key", key)?;
    let mut values = Vec::with_capacity(INPUTS);
    for index in 0..INPUTS {
        values.push(g.input(&index.to_string(), ty.clone())?);
    }
    let mut sum: Option<OperandId> = None;
    for index in 0..count.div_ceil(PER_PRODUCT) {
        let hash = (index as u32).wrapping_mul(2_654_435_761) >> 8;
        let pair = [hash % 64, hash / 64 % 64].map(|at| values[at as usize]);
        let product = g.op("bfv.multiply", multiply.clone(), &pair)?;
        let product = g.op("rlwe.relinearize", Attrs::new(), &[product, key])?;
        values[index % INPUTS] = product;
        sum = Some(match sum {
            None => product,
            Some(sum) => g.op("rlwe.add", Attrs::new(), &[sum, product])?,
        });
    }
    if let Some(sum) = sum {
        g.output("sum", sum);
    }
    g.finish()
}
