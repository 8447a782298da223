//! Vectors of slots: what a task is under any scheme that packs numbers into ciphertexts, before primes, levels, scales and keys are known.
//!
//! An operand of type `packed[1]{ring=..., rings=..., where=...}` is one ciphertext, or one vector that is to meet one, as one opaque unit. [`Packer`] makes
//! such graphs of values that have a [`Layout`]; what an operator means under a scheme, its definition tells a [`Target`] ([`close`]).
//!
//! Room rule: knows no value type of tasks, no scheme and no prime.

mod factors;
mod flatten;
mod giant_steps;
mod layout;
mod model;
mod ops;
mod packer;
mod rebuild;
mod series;
mod target;
mod types;

pub use layout::{Axis, Frame, Layout, bits, place};
pub use model::{Numbers, computed};
pub use ops::MOST_ENTRIES;
pub use packer::{
    Cells, Clear, ClearInput, Finished, Output, Packed, Packer, PackerPasses, Slots, Source, part_name,
};
pub use series::{Basis, Series, beyond, bytes, chebyshev, doubles, extremes};
pub use target::{Handle, Target, close};
pub use types::SlotVector;

use crate::ops::{OpDef, Registry};
use std::sync::Arc;

/// The operator types of this room, and what moves operands.
pub fn registry() -> Registry {
    let mut registry = Registry::lattice();
    registry.add_all(ops::ALL.iter().map(|&def| Arc::new(def) as Arc<dyn OpDef>));
    registry
}
