//! Operators on polynomials of several limbs: they expand into base operators and know no scheme.

mod limbwise;

use super::OpDef;
use std::sync::Arc;

/// All polynomial operator types.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    limbwise::all()
}
