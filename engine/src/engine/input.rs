//! The data of a graph input.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use zeroize::Zeroize;

/// The data of one graph input; shared, so that keys are held once for many runs.
#[derive(Clone)]
pub struct Input(Arc<Words>);

/// Words of one owner.
struct Words {
    words: Vec<u64>,
    secret: bool,
}

impl Input {
    /// Words of keys, seeds or plaintexts: overwritten when the last holder drops them.
    pub fn secret(words: Vec<u64>) -> Self {
        Self(Arc::new(Words { words, secret: true }))
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
        Self(Arc::new(Words { words, secret: false }))
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
