//! Tables that are made once per ring dimension and prime, and shared by all kernels that need them.

use crate::Result;
use crate::ops::types::Limb;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What was made, by ring dimension and prime.
pub(super) struct RingCache<T>(Mutex<HashMap<(usize, u64), T>>);

impl<T> Default for RingCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> RingCache<T> {
    /// What belongs to the ring of a limb; made on first use.
    ///
    /// # Errors
    /// What `make` says; nothing is kept then.
    pub(super) fn get(&self, limb: Limb, make: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = known.get(&(limb.n, limb.q)) {
            return Ok(made.clone());
        }
        let made = make()?;
        known.insert((limb.n, limb.q), made.clone());
        Ok(made)
    }
}
