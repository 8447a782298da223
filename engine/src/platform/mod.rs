//! Platforms: implementations of base operators, and nothing else.
//!
//! A platform turns one base operator signature into a kernel; the engine runs kernels over storage. `scalar` is
//! the reference: every other platform gives the same bits, shown by the one suite in [`conformance`]; `simd` is the
//! fast one. `null` computes nothing, so that scheduling can be tested and measured alone.
//!
//! Room rule: knows base operators; knows no scheme, no engine.

// Models of threads use neither this nor `simd`, which take longest to compile.
#[cfg(not(loom))]
pub mod conformance;
mod foreign;
pub mod gpu;
mod kernel;
pub mod made;
mod mixed;
mod null;
mod plain;
mod ring_cache;
mod samples;
mod scalar;
#[cfg(not(loom))]
mod simd;

pub use foreign::{Foreign, ForeignCall};
pub use gpu::Gpu;
pub use kernel::{ByteKernel, Kernel, WordKernel};
pub use mixed::Mixed;
pub use null::Null;
pub use scalar::Scalar;
#[cfg(not(loom))]
pub use simd::Simd;

use crate::graph::ValueType;
use crate::ops::Call;
use crate::{Error, Result};
use std::sync::Arc;

/// A set of base operator implementations for one kind of processor.
pub trait Platform: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// True when it implements the base operator type: the set at which expansion stops.
    fn implements(&self, op: &str) -> bool;

    /// Whether it serves this use of a type that it implements: some platforms have kernels for some operands only.
    fn serves(&self, call: &Call<'_>, output: &ValueType) -> bool {
        let _ = output;
        self.implements(call.name)
    }

    /// True where it computes in a memory of its own: what its operators read is moved there, and what others read of theirs back.
    fn is_apart(&self) -> bool {
        false
    }

    /// The implementation of one signature: constants are prepared here, once, not in every run.
    ///
    /// # Errors
    /// `NotImplemented` names a type that the platform lacks; `Math` and `Operator` for constants that do not fit.
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel>;

    /// What one operator that it implements takes here, for the choice between platforms: `work`, which is what the operator
    /// type says of itself (multiplications modulo a prime), where this platform has fast kernels; more where it has not.
    fn cost(&self, call: &Call<'_>, output: &ValueType, work: f64) -> f64 {
        let _ = (call, output);
        work
    }

    /// The platforms that it is made of, where operators can be placed by name; none for a single one.
    fn parts(&self) -> &[Arc<dyn Platform>] {
        &[]
    }

    /// Those of its parts that operators go to which nobody has placed.
    fn preferred(&self) -> &[Arc<dyn Platform>] {
        self.parts()
    }
}

/// The platform of that name: itself, or one of its parts.
///
/// # Errors
/// `NoPlatform` where there is none.
pub fn part<'p>(platform: &'p dyn Platform, name: &str) -> Result<&'p dyn Platform> {
    let mut parts = platform.parts().iter().map(|part| &**part);
    let found = if platform.name() == name { Some(platform) } else { parts.find(|part| part.name() == name) };
    found.ok_or_else(|| {
        let parts = platform.parts().iter().map(|part| part.name());
        let expected = if platform.parts().is_empty() {
            platform.name().into()
        } else {
            parts.collect::<Vec<_>>().join(", ")
        };
        Error::NoPlatform { found: name.to_owned(), expected }
    })
}
