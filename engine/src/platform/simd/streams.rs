//! Streams of BLAKE3's extendable output, four blocks at a time: lane i of every vector belongs to block i (J. O'Connor
//! et al., "BLAKE3: one function, fast everywhere", 2020, sections 2.1 to 2.6). The library computes one after the other.

use super::super::Kernel;
use super::super::samples::kernel_over;
use super::Family;
use super::lanes32::U4;
use crate::Result;
use crate::graph::ValueType;
use crate::math::sample::{Domain, Stream, key_material};
use crate::ops::Call;

/// The family of random operators.
pub(super) struct Streams {
    /// The key of each domain, in the order of [`Domain::ALL`].
    keys: [[u32; 8]; Domain::ALL.len()],
}

impl Default for Streams {
    fn default() -> Self {
        Self { keys: Domain::ALL.map(|domain| words(&domain.key())) }
    }
}

impl Family for Streams {
    fn name(&self) -> &'static str {
        "blake3x4"
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Option<Kernel>> {
        let keys = self.keys;
        kernel_over(call, output, move |domain, seed, number| {
            Blocks::new(keys[domain as usize], &key_material(seed, number))
        })
    }
}

/// Bytes of four blocks.
const BLOCKS: usize = 256;

/// The first words of the square roots of small primes, as in SHA-256.
const IV: [u32; 4] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];

/// First and last block of the only chunk, root, derivation from key material.
const FLAGS: u32 = 1 | 1 << 1 | 1 << 3 | 1 << 6;

/// Which word of the message is used where, for each round.
const SCHEDULE: [[usize; 16]; 7] = {
    const NEXT: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut rounds = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; 7];
    let mut round = 1;
    while round < 7 {
        let mut word = 0;
        while word < 16 {
            rounds[round][word] = rounds[round - 1][NEXT[word]];
            word += 1;
        }
        round += 1;
    }
    rounds
};

/// An output, from its next block on.
struct Blocks {
    key: [u32; 8],
    message: [u32; 16],
    length: u32,
    /// Number of the next block.
    next: u64,
    /// Bytes that were made, those before `used` given out.
    bytes: [u8; BLOCKS],
    used: usize,
}

impl Blocks {
    /// The output for a key and at most one block of key material.
    fn new(key: [u32; 8], material: &[u8; 40]) -> Self {
        let mut message = [0; 16];
        message[..10].copy_from_slice(&words::<10>(material));
        Self { key, message, length: material.len() as u32, next: 0, bytes: [0; BLOCKS], used: BLOCKS }
    }

    fn make(&mut self, bytes: &mut [u8; BLOCKS]) {
        let number =
            |shift: u32| U4::from_array([0, 1, 2, 3].map(|lane| ((self.next + lane) >> shift) as u32));
        let mut v = [U4::splat(0); 16];
        for (word, &key) in v.iter_mut().zip(self.key.iter().chain(&IV)) {
            *word = U4::splat(key);
        }
        v[12] = number(0);
        v[13] = number(32);
        v[14] = U4::splat(self.length);
        v[15] = U4::splat(FLAGS);
        for round in &SCHEDULE {
            // Indices that the compiler knows keep the state in registers: as a loop over them it lay in memory, and took twice as long.
            let word = |at: usize| U4::splat(self.message[round[at] & 15]);
            mix(&mut v, [0, 4, 8, 12], [word(0), word(1)]);
            mix(&mut v, [1, 5, 9, 13], [word(2), word(3)]);
            mix(&mut v, [2, 6, 10, 14], [word(4), word(5)]);
            mix(&mut v, [3, 7, 11, 15], [word(6), word(7)]);
            mix(&mut v, [0, 5, 10, 15], [word(8), word(9)]);
            mix(&mut v, [1, 6, 11, 12], [word(10), word(11)]);
            mix(&mut v, [2, 7, 8, 13], [word(12), word(13)]);
            mix(&mut v, [3, 4, 9, 14], [word(14), word(15)]);
        }
        for i in 0..8 {
            v[i] = v[i].xor(v[8 + i]);
            v[8 + i] = v[8 + i].xor(U4::splat(self.key[i]));
        }
        for (quarter, words) in v.as_chunks::<4>().0.iter().enumerate() {
            for (block, row) in U4::transpose(*words).into_iter().enumerate() {
                let [low, high] = row.to_bits();
                let at = 64 * block + 16 * quarter;
                bytes[at..at + 8].copy_from_slice(&low.to_le_bytes());
                bytes[at + 8..at + 16].copy_from_slice(&high.to_le_bytes());
            }
        }
        self.next += 4;
    }
}

impl Stream for Blocks {
    fn fill(&mut self, mut bytes: &mut [u8]) {
        loop {
            let size = bytes.len().min(BLOCKS - self.used);
            let (head, rest) = bytes.split_at_mut(size);
            head.copy_from_slice(&self.bytes[self.used..self.used + size]);
            self.used += size;
            let (whole, last) = rest.as_chunks_mut::<BLOCKS>();
            whole.iter_mut().for_each(|bytes| self.make(bytes));
            if last.is_empty() {
                return;
            }
            let mut made = [0; BLOCKS];
            self.make(&mut made);
            (self.bytes, self.used) = (made, 0);
            bytes = last;
        }
    }
}

/// The columns of the state are mixed, then its diagonals: each time four words of it.
#[inline(always)]
fn mix(v: &mut [U4; 16], [a, b, c, d]: [usize; 4], [x, y]: [U4; 2]) {
    v[a] = v[a] + v[b] + x;
    v[d] = v[d].xor(v[a]).rotate_right::<16>();
    v[c] = v[c] + v[d];
    v[b] = v[b].xor(v[c]).rotate_right::<12>();
    v[a] = v[a] + v[b] + y;
    v[d] = v[d].xor(v[a]).rotate_right::<8>();
    v[c] = v[c] + v[d];
    v[b] = v[b].xor(v[c]).rotate_right::<7>();
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_library() {
        let family = Streams::default();
        for (domain, key) in Domain::ALL.into_iter().zip(family.keys) {
            let seed = [7; 32];
            let (mut own, mut library) = (Blocks::new(key, &key_material(&seed, 3)), domain.stream(&seed, 3));
            for size in [1, 255, 256, 0, 257, 1022, 64, 4096, 300] {
                let (mut found, mut expected) = (vec![0; size], vec![0; size]);
                own.fill(&mut found);
                library.fill(&mut expected);
                assert_eq!(found, expected, "{size} bytes");
            }
        }
    }

    #[test]
    fn numbers_of_blocks_have_64_bits() {
        let seed = [9; 32];
        let mut own = Blocks::new(words(&Domain::SecretError.key()), &key_material(&seed, 0));
        let mut library = Domain::SecretError.stream(&seed, 0);
        own.next = (1 << 32) - 2;
        library.set_position(64 * ((1 << 32) - 2));
        let (mut found, mut expected) = ([0; 512], [0; 512]);
        own.fill(&mut found);
        library.fill(&mut expected);
        assert_eq!(found, expected);
    }
}
