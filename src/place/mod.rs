//! Placement: from an analyzed graph to one that kernels and storage can serve.

mod assign;
mod gather;

pub use assign::{place, unplace};
pub use gather::gather;
