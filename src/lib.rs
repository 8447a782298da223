//! cipherloom: compute on data that you may not see.
//!
//! A task over encrypted data is kept as one graph. High-order operators expand, level by level, into a small base set
//! of lattice-algebra operators; the graph is optimized, its dependencies analyzed, and an engine runs it on whatever
//! the platform has. Start at [`tasks::Program::compile`]; `ARCHITECTURE.md` draws the rooms.
//!
//! A whole example, `examples/mean.rs`: a column is encrypted, a server computes with what it cannot read, and the client decrypts.
//!
//! ```
#![doc = include_str!("../examples/mean.rs")]
//! ```

mod bytes;
pub mod ciphers;
pub mod circuit;
pub mod joint;
pub mod optimize;
pub mod packed;
pub mod parties;
pub mod protect;
pub mod schemes;
pub mod tasks;
pub mod values;

pub use cipherloom_engine::{
    At, Difference, Error, Result, analyze, engine, error, expand, graph, math, memory, ops, parallel, place,
    platform, sorted, watch,
};

/// Version of the package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All operator types of cipherloom: of schemes, on plain data, of ciphers, and what parties send each other.
pub fn registry() -> ops::Registry {
    let mut registry = schemes::registry();
    registry.add_all(ops::plain::all());
    registry.add_all(ciphers::all());
    registry.add_all(parties::all());
    registry.add_all(joint::all());
    registry.add_residues([(parties::PART, parties::part_residues as ops::types::Residues)]);
    registry
}
