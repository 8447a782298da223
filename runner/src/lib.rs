//! Runs job files of cipherloom without JavaScript: in the threads of one process, or in many processes by MPI (feature `mpi`).
//!
//! A job file is what `Job.toBytes` of the npm package writes; rows are encoded as there (`FORMAT.md`), and rounds cut, mapped and reduced as there (`ARCHITECTURE.md`,
//! "Jobs over vectors"), so that results are the same bits. What needs JavaScript is refused: [`definition`].

pub mod blob;
pub mod cells;
pub mod chunk;
pub mod circuit;
pub mod crew;
pub mod cutter;
pub mod data;
pub mod definition;
pub mod error;
pub mod job_file;
pub mod key;
#[cfg(feature = "mpi")]
pub mod mpi;
mod platform;
pub mod program;
pub mod reduction;
pub mod results;
pub mod run;
pub mod task;
pub mod template;
pub mod vector;
#[cfg(any(feature = "mpi", test))]
pub mod wire;
pub mod worker;

pub use error::{Error, Result};
