//! Keys that nobody holds alone: protocols between parties whose secrets add up to the secret key, as graphs that they share (`crate::parties`).
//!
//! Multiparty encryption from ring learning with errors: C. Mouchet, J. Troncoso-Pastoriza, J.-P. Bossuat, J.-P. Hubaux, ia.cr/2020/304; any t of N: C. Mouchet, E. Bertrand, J.-P. Hubaux, ia.cr/2022/780.
//!
//! Room rule: says protocols in operators of schemes and its own; knows parties, and no tasks. One protocol, one file.

mod decryption;
mod galois;
mod group;
mod ops;
mod protocol;
mod public_key;
mod refreshing;
mod relinearization;
mod switching;
mod threshold;

pub use group::{Active, Group};
pub use ops::all;
pub use protocol::{Protocol, common_seed};

/// The operator types that graphs of protocols are made of.
pub fn registry() -> crate::ops::Registry {
    let mut registry = crate::schemes::registry();
    registry.add_all(all());
    registry.add_all(crate::parties::all());
    registry
        .add_residues([(crate::parties::PART, crate::parties::part_residues as crate::ops::types::Residues)]);
    registry
}
