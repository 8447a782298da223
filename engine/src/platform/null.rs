//! The platform that computes nothing: for tests and measurements of everything around kernels.

use super::{Kernel, Platform, WordKernel};
use crate::Result;
use crate::graph::ValueType;
use crate::ops::Call;
use crate::ops::types::WORD;

/// Implements every base operator by doing nothing.
#[derive(Debug, Default)]
pub struct Null;

struct Nothing;

impl WordKernel for Nothing {
    fn run(&self, _: &[&[u64]], _: &mut [u64], _: &mut [u64], _: u32) {}
}

impl Platform for Null {
    fn name(&self) -> &str {
        "null"
    }

    fn implements(&self, op: &str) -> bool {
        super::plain::implements(op) || crate::ops::base::all().iter().any(|def| def.name() == op)
    }

    fn kernel(&self, call: &Call<'_>, _: &ValueType) -> Result<Kernel> {
        Ok(if call.unit == WORD {
            Kernel::on_words(Nothing)
        } else {
            Kernel::on_bytes(|_: &[&[u8]], _: &mut [u8]| {})
        })
    }
}
