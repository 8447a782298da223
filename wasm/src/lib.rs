//! What the package loads: the border, with the parts that its features ask for.

pub use cipherloom_border::*;
