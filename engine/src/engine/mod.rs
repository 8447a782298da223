//! The engine: storage for every placeholder, operators that run when nobody is left to wait for, and notices
//! to those who wait for them (SPEC G9). It knows nothing of the high-order level.

mod device;
mod input;
#[cfg(all(test, loom))]
mod models;
mod plan;
mod run;
mod storage;
mod sync;
mod trace;
mod workspace;

pub use device::{Command, OnDevice, Submission, Table};
pub use input::Input;
pub use plan::{Plan, PlanOptions, SMALL};
pub use run::{Clock, Outgoing, Run};
pub use trace::{Span, Trace, Traced};
