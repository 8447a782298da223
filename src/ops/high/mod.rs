//! Operators on polynomials of several limbs: they expand into base operators and know no scheme.

mod limbwise;
mod rns_extend;
mod rns_scale_round;

use super::OpDef;
use std::sync::Arc;

/// All polynomial operator types.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    let mut all = limbwise::all();
    all.push(Arc::new(rns_extend::Extend));
    all.push(Arc::new(rns_scale_round::ScaleRound));
    all
}
