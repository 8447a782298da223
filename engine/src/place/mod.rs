//! Placement: from an analyzed graph to one that kernels and storage can serve.

mod assign;
mod blocks;
mod cross;
mod gather;

pub use assign::{place, unplace, unplace_from};
pub use blocks::{Blocks, Owner, Run};
pub use cross::{Crossed, DOWNLOAD, UPLOAD, cross};
pub use gather::{gather, gather_by};
