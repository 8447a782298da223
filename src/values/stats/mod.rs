//! Operators that are made of primitive ones, one file each: statistics, products of matrices, powers. They have no rule of their
//! own but how they expand, as a user's have.
//!
//! Statistics are of all cells of a value, or of all pairs of two of one shape; missing ones are left out, of a pair both where one is
//! missing. Each is one quotient of exact sums, so that where schemes are exact the division is all that the client computes.

mod correlation;
mod count;
mod covariance;
mod dot;
mod matrix_multiply;
mod matrix_vector;
mod mean;
mod power;
mod regression;
mod sums;
mod variance;

use super::types::Value;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::{Call, Level, OpDef, Session};
use std::sync::Arc;

/// What is told of an operator that expands into primitive ones.
#[derive(Clone, Copy)]
struct Composite {
    name: &'static str,
    attributes: &'static [&'static str],
    /// Checks a call, and gives the type of the result.
    output: fn(&Call<'_>) -> Result<Value>,
    expand: fn(&mut Session<'_>, &Call<'_>, &[OperandId]) -> Result<OperandId>,
}

/// The operators of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    let all = [
        count::COUNT,
        mean::MEAN,
        variance::VARIANCE,
        covariance::COVARIANCE,
        correlation::CORRELATION,
        regression::REGRESSION,
        matrix_multiply::MULTIPLY,
        matrix_vector::VECTOR,
        dot::DOT,
        power::POWER,
    ];
    all.into_iter().map(|composite| Arc::new(composite) as Arc<dyn OpDef>).collect()
}

impl OpDef for Composite {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(self.attributes)
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        (self.output)(call)?.ty()
    }

    fn expand(&self, session: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        // What is refused is refused before anything is recorded.
        self.assemble(call)?;
        (self.expand)(session, call, inputs)
    }
}

/// An operator without attributes.
fn op(session: &mut Session<'_>, name: &str, inputs: &[OperandId]) -> Result<OperandId> {
    session.op(name, Attrs::new(), inputs)
}

/// A public integer, a single value.
fn integer(session: &mut Session<'_>, value: u64) -> Result<OperandId> {
    let attrs = Attrs::new().with("kind", "integer").with("shape", Vec::<u64>::new()).with("value", value);
    session.op("value.constant", attrs, &[])
}

/// The same cells in another shape.
fn shaped(session: &mut Session<'_>, name: &str, input: OperandId, shape: &[u64]) -> Result<OperandId> {
    session.op(name, Attrs::new().with("shape", shape), &[input])
}
