//! Schemes: high-order operators on keys and ciphertexts, their noise rules, and secure parameters.
//!
//! Room rule: expands into lattice operators; knows no platform.

pub mod bfv;
pub mod bgv;
mod budget;
pub mod canonical;
pub mod ckks;
pub mod close;
pub mod noise;
mod operators;
mod parameters;
mod releases;
pub mod rlwe;
pub mod security;
mod slots;

pub use budget::{Bound, bounds, noise_budget};
pub use operators::Operators;
pub use parameters::{MOST_PLAIN_BITS, ParameterLiteral, Parameters, SchemeName};
pub use releases::{Flooding, Releases};

use crate::ops::Registry;

/// The operator types that schemes are made of; [`crate::registry`] has ciphers and plain data, too.
pub fn registry() -> Registry {
    let mut registry = Registry::lattice();
    registry.add_all(rlwe::all());
    registry.add_all(slots::all());
    registry.add_all(bfv::all());
    registry.add_all(bgv::all());
    registry.add_all(ckks::all());
    registry.add_residues(rlwe::residues());
    registry
}
