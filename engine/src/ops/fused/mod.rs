//! Fused operators: several base operators in one, for platforms that do them in one go. Each has an expansion into
//! base operators, which is its definition, serves platforms that lack it, and is the oracle of those that have it.

mod base_change;
mod convolve;
mod extend;
mod ntt_divide;
mod ntt_from;
mod scale_round;
mod switch;
mod tensor;

pub use base_change::{base_change, moduli};
pub use ntt_from::transformed;

use super::OpDef;
use std::sync::Arc;

/// Whether an operator type is one of these.
pub fn is_fused(op: &str) -> bool {
    all().iter().any(|def| def.name() == op)
}

/// All fused operator types.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(extend::Extend),
        Arc::new(switch::Switch),
        Arc::new(scale_round::ScaleRound),
        Arc::new(convolve::Convolve),
        Arc::new(tensor::Tensor),
        Arc::new(ntt_from::NttFrom),
        Arc::new(ntt_divide::NttDivide),
    ]
}
