//! Expansion: high-order operators become lower ones, level by level, until all are in the base set.

mod expander;
mod template;

pub use expander::{BaseSet, Expander};
