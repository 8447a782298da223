//! Placement: from an analyzed graph to one that kernels and storage can serve.

mod assign;
mod blocks;
mod cross;
mod gather;
mod schedule;
mod times;

pub use assign::{place, unplace, unplace_from};
pub use blocks::{Blocks, Owner, Run};
pub use cross::{Crossed, DOWNLOAD, UPLOAD, cross};
pub use gather::{gather, gather_by};
pub use schedule::{Circumstances, Placed, Way, place_by_times};
pub use times::{Line, OnDevice, Times, Use};
