//! One graph, several parties: who owns what, and each party's own part of it.
//!
//! A shared graph is a circuit and, beside it, the party of each input, operator and output. Every party cuts it for itself
//! ([`Shared::cut`]): its own operators, a `party.send` for what others read of them, and a `party.receive` for what it reads of others.
//! Both are operators of a platform that is not here: a run hands them out, and whoever holds the ends of channels delivers.
//! So the engine knows no parties, and no message of another one can change what is run.
//!
//! Room rule: reads graphs and makes graphs; knows no scheme, no transport and no run.

mod cut;
mod owners;
mod part;
mod receive;
mod send;
mod shared;

pub use cut::{Crossing, Cut, Interaction};
pub use owners::{NOBODY, Owners};
pub use part::{PART, part_residues};
pub use receive::Receive;
pub use send::Send;
pub use shared::Shared;

use crate::ops::OpDef;
use crate::platform::Foreign;
use std::sync::Arc;

/// The name of the platform that sends and receives.
pub const PLATFORM: &str = "party";

/// The operator types of this room.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![Arc::new(Send), Arc::new(Receive)]
}

/// True for an operator type of this room.
fn is_own(op: &str) -> bool {
    all().iter().any(|def| def.name() == op)
}

/// The platform that computes them: nobody's kernels.
pub fn platform() -> Foreign {
    Foreign::new(PLATFORM, is_own)
}
