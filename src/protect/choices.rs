//! What is left to chance, from a seed.

use crate::math::sample::{Domain, Seed};
use blake3::OutputReader;

/// A stream of random numbers: stream 0 of [`Domain::Protection`].
pub(super) struct Choices(OutputReader);

impl Choices {
    pub(super) fn new(seed: &Seed) -> Self {
        Self(Domain::Protection.stream(seed.as_bytes(), 0))
    }

    /// 64 random bits.
    pub(super) fn word(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A number below `count`, which is not 0; none is likelier than another by more than `count` in 2^64.
    pub(super) fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(count)) >> 64) as u64
    }

    /// A place in a list of so many.
    pub(super) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    pub(super) fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// One of several, if there is any.
    pub(super) fn of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.index(all.len())])
    }

    /// Any order.
    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for end in (1..all.len()).rev() {
            all.swap(end, self.index(end + 1));
        }
    }
}
