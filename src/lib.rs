//! cipherloom: compute on data that you may not see.
//!
//! A task over encrypted data is kept as one graph. High-order operators expand, level by level, into a small base set
//! of lattice-algebra operators; the graph is optimized, its dependencies analyzed, and an engine runs it on whatever
//! the platform has. Start at [`program::Program::compile`]; `ARCHITECTURE.md` draws the rooms.

pub mod analyze;
mod bytes;
pub mod ciphers;
pub mod circuit;
pub mod engine;
pub mod error;
mod error_details;
pub mod expand;
pub mod graph;
mod limbs;
pub mod math;
pub mod memory;
pub mod ops;
pub mod optimize;
pub mod packed;
pub mod place;
pub mod platform;
pub mod program;
pub mod protect;
pub mod schemes;
pub mod tasks;
pub mod values;
pub mod watch;

pub use error::{At, Difference, Error, Result};

/// Version of the package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All operator types of cipherloom: of schemes, on plain data, and of ciphers.
pub fn registry() -> ops::Registry {
    let mut registry = schemes::registry();
    registry.add_all(ops::plain::all());
    registry.add_all(ciphers::all());
    registry
}
