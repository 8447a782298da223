//! Placement: from an analyzed graph to one that kernels and storage can serve.

mod gather;

pub use gather::gather;
