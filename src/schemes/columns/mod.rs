//! What tasks are written in.
use crate::ops::OpDef;
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![]
}
