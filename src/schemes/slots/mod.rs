//! Batching: n values modulo t as one plaintext polynomial, slot by slot, as BFV and BGV encrypt them.

mod decode;
mod encode;

use crate::ops::OpDef;
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![Arc::new(decode::Decode), Arc::new(encode::Encode)]
}
