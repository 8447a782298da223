//! The data of a graph input.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use zeroize::Zeroize;

/// The data of one graph input; shared, so that keys are held once for many runs.
#[derive(Clone)]
pub struct Input(Arc<Words>);

/// Words of one owner.
struct Words {
    words: Vec<u64>,
    secret: bool,
    /// Tells them from all others of the process.
    id: u64,
}

impl Words {
    fn new(words: Vec<u64>, secret: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { words, secret, id: NEXT.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Input {
    /// Words of keys, seeds or plaintexts: overwritten when the last holder drops them.
    pub fn secret(words: Vec<u64>) -> Self {
        Self(Arc::new(Words::new(words, true)))
    }

    /// A number that no other data of the process have, or had.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// True where somebody else holds them, too: they may come again.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1 && !self.0.secret
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if self.secret {
            self.words.zeroize();
        }
    }
}

impl Deref for Input {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0.words
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({} words)", self.len())
    }
}

/// Words that everybody may see.
impl From<Vec<u64>> for Input {
    fn from(words: Vec<u64>) -> Self {
        Self(Arc::new(Words::new(words, false)))
    }
}

/// Words that everybody may see.
impl From<&[u64]> for Input {
    fn from(words: &[u64]) -> Self {
        words.to_vec().into()
    }
}

/// Words that everybody may see.
impl<const N: usize> From<[u64; N]> for Input {
    fn from(words: [u64; N]) -> Self {
        words.to_vec().into()
    }
}
