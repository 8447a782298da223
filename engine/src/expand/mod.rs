//! Expansion: high-order operators become lower ones, level by level, until all are in the base set.

mod cost;
mod expander;
mod template;

pub use cost::CostModel;
pub use expander::{BaseSet, Expander};
