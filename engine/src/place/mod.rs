//! Placement: from an analyzed graph to one that kernels and storage can serve.

mod assign;
mod blocks;
mod gather;

pub use assign::{place, unplace};
pub use blocks::{Blocks, Owner, Run};
pub use gather::{gather, gather_by};
