//! Platforms: implementations of base operators, and nothing else.
//!
//! A platform turns one base operator signature into a kernel; the engine runs kernels over storage. `scalar` is
//! the reference: every other platform gives the same bits, shown by the one suite in [`conformance`]; `simd` is the
//! fast one. `null` computes nothing, so that scheduling can be tested and measured alone.
//!
//! Room rule: knows base operators; knows no scheme, no engine.

pub mod conformance;
mod kernel;
mod null;
mod plain;
mod ring_cache;
mod samples;
mod scalar;
mod simd;

pub use kernel::{ByteKernel, Kernel, WordKernel};
pub use null::Null;
pub use scalar::Scalar;
pub use simd::Simd;

use crate::Result;
use crate::graph::ValueType;
use crate::ops::Call;

/// A set of base operator implementations for one kind of processor.
pub trait Platform: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// True when it implements the base operator type: the set at which expansion stops.
    fn implements(&self, op: &str) -> bool;

    /// The implementation of one signature: constants are prepared here, once, not in every run.
    ///
    /// # Errors
    /// `NotImplemented` names a type that the platform lacks; `Math` and `Operator` for constants that do not fit.
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel>;
}
