//! Operators on tensors of u64, as a user would add them, and a platform that has them beside the scalar one's.

use cipherloom::Result;
use cipherloom::graph::ValueType;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::{Call, Level, OpDef, Registry};
use cipherloom::platform::{Kernel, Platform, Scalar};
use std::sync::Arc;

/// A tensor operator; see [`operators`].
pub struct TensorOp {
    name: &'static str,
    inputs: usize,
    random: bool,
    shape: fn(&Call<'_>) -> Result<u64>,
}

/// `test.add` (two of one shape, wrapping), `test.repeat` (attribute `times`), `test.draw` (random, two elements),
/// `test.show` (of small integers), `test.not` and `test.mirror` (each its own inverse).
pub fn operators() -> [TensorOp; 6] {
    let first = |call: &Call<'_>| Ok(call.inputs[0].size);
    [
        TensorOp { name: "test.add", inputs: 2, random: false, shape: first },
        TensorOp {
            name: "test.repeat",
            inputs: 1,
            random: false,
            shape: |call| Ok(call.inputs[0].size * call.attrs.uint("times")?),
        },
        TensorOp { name: "test.draw", inputs: 0, random: true, shape: |_| Ok(2) },
        TensorOp { name: "test.show", inputs: 1, random: false, shape: first },
        TensorOp { name: "test.not", inputs: 1, random: false, shape: first },
        TensorOp { name: "test.mirror", inputs: 1, random: false, shape: first },
    ]
}

pub fn registry() -> Arc<Registry> {
    let mut registry = cipherloom::registry();
    registry.add_all(operators().map(|op| Arc::new(op) as Arc<dyn OpDef>));
    Arc::new(registry)
}

impl OpDef for TensorOp {
    fn name(&self) -> &str {
        self.name
    }
    fn attributes(&self) -> Option<&[&str]> {
        Some(if self.name == "test.repeat" { &["times"] } else { &[] })
    }
    fn level(&self) -> Level {
        Level::Base
    }
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(self.inputs)?;
        Tensor::new(Element::U64, [(self.shape)(call)?]).ty(call.unit)
    }
    fn random(&self) -> bool {
        self.random
    }
    fn commutative(&self) -> bool {
        self.name == "test.add"
    }
    fn inverse(&self) -> Option<&str> {
        matches!(self.name, "test.not" | "test.mirror").then_some(self.name)
    }
}

/// The scalar platform and the kernels of [`operators`].
#[derive(Default)]
pub struct Tensors(Scalar);

impl Platform for Tensors {
    fn name(&self) -> &str {
        "tensors"
    }

    fn implements(&self, op: &str) -> bool {
        op.starts_with("test.") || self.0.implements(op)
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let words = |bytes: &[u8]| -> Vec<u64> {
            bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
        };
        let write = |out: &mut [u8], of: &dyn Fn(usize) -> u64| {
            for (i, word) in out.chunks_mut(8).enumerate() {
                word.copy_from_slice(&of(i).to_le_bytes());
            }
        };
        Ok(match call.name {
            "test.add" => Kernel::on_bytes(move |inputs: &[&[u8]], out: &mut [u8]| {
                let (a, b) = (words(inputs[0]), words(inputs[1]));
                write(out, &|i| a[i].wrapping_add(b[i]));
            }),
            "test.repeat" | "test.show" => Kernel::on_bytes(move |inputs: &[&[u8]], out: &mut [u8]| {
                let a = words(inputs[0]);
                write(out, &|i| a[i % a.len()]);
            }),
            "test.not" => Kernel::on_bytes(move |inputs: &[&[u8]], out: &mut [u8]| {
                let a = words(inputs[0]);
                write(out, &|i| !a[i]);
            }),
            "test.mirror" => Kernel::on_bytes(move |inputs: &[&[u8]], out: &mut [u8]| {
                let a = words(inputs[0]);
                write(out, &|i| a[a.len() - 1 - i]);
            }),
            "test.draw" => Kernel::on_bytes(move |_: &[&[u8]], out: &mut [u8]| write(out, &|i| 4 + i as u64)),
            _ => self.0.kernel(call, output)?,
        })
    }
}
