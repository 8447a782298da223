//! Placement: from an analyzed graph to one that kernels and storage can serve.

mod blocks;
mod gather;

pub use blocks::{Blocks, Owner, Run};
pub use gather::{gather, gather_by};
