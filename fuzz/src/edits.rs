//! Keys and ciphertexts are large and new in every process, so what is fuzzed is a short script of edits to pristine ones.
//! Any bytes are a script.
//!
//! ```text
//! flags u8 | base u8 | (edit u8, operands)*
//! ```

use super::container;
use twox_hash::XxHash3_128;

/// A container that the package made, and what is known of the residues at its end.
pub struct Pristine {
    /// The container.
    pub bytes: Vec<u8>,
    /// The prime that each of the residues at its end is of; empty for containers without residues.
    primes: Vec<u64>,
    /// Where each residue begins, in bits from the first one; then where the last one ends.
    starts: Vec<usize>,
}

impl Pristine {
    /// A container that does not end in residues.
    pub fn plain(bytes: Vec<u8>) -> Self {
        Self { bytes, primes: vec![], starts: vec![0] }
    }

    /// A container whose content ends in `limbs` of `n` residues each, in as many bits as their prime has, behind a number that says how many bytes these are.
    ///
    /// # Panics
    /// When it does not: the oracle of the targets would look at the wrong place.
    pub fn new(bytes: Vec<u8>, n: usize, limbs: &[u64]) -> Self {
        let primes: Vec<u64> = limbs.iter().flat_map(|&q| std::iter::repeat_n(q, n)).collect();
        let mut starts = vec![0];
        for q in &primes {
            starts.push(starts[starts.len() - 1] + 64 - (q - 1).leading_zeros() as usize);
        }
        let pristine = Self { bytes, primes, starts };
        let content = container::content(&pristine.bytes);
        let at = content.len() - pristine.tail() - 8;
        assert_eq!(content[at..at + 8], (pristine.tail() as u64).to_le_bytes());
        assert!(pristine.residues(content));
        pristine
    }

    /// Bytes of the residues; limbs are whole bytes.
    fn tail(&self) -> usize {
        self.starts[self.starts.len() - 1] / 8
    }

    /// Bytes of the content before the residues.
    pub fn head(&self) -> usize {
        container::content(&self.bytes).len() - self.tail()
    }

    /// Whether content of the same length ends in residues of these primes.
    pub fn residues(&self, content: &[u8]) -> bool {
        let words = &content[content.len() - self.tail()..];
        let residue = |at: &[usize]| {
            // Up to 62 bits, anywhere in 9 bytes.
            let mut bytes = [0; 16];
            let own = &words[at[0] / 8..at[1].div_ceil(8)];
            bytes[..own.len()].copy_from_slice(own);
            (u128::from_le_bytes(bytes) >> (at[0] % 8)) as u64 & ((1 << (at[1] - at[0])) - 1)
        };
        self.starts.windows(2).zip(&self.primes).all(|(at, &q)| residue(at) < q)
    }

    /// Whether other content is as long as this one, and its residues are such.
    pub fn is_as_long(&self, content: &[u8]) -> bool {
        container::content(&self.bytes).len() == content.len() && self.residues(content)
    }

    /// Writes a word where a residue stands, counted from the end.
    fn put(&self, bytes: &mut [u8], index: usize, word: u64) {
        let Some(&[start, end]) = self.starts.get(index..index + 2) else { return };
        let Some(first) = bytes.len().checked_sub(self.tail()) else { return };
        for bit in start..end {
            let (byte, value) = (&mut bytes[first + bit / 8], (word >> (bit - start) & 1) as u8);
            *byte = *byte & !(1 << (bit % 8)) | value << (bit % 8);
        }
    }
}

/// What a script makes of a pristine container.
pub struct Edited {
    /// The bytes that go in.
    pub bytes: Vec<u8>,
    /// Free for the target, below 32.
    pub flags: u8,
    /// True for one script in 256: what takes a hundred times as long as a refusal is seldom done.
    pub seldom: bool,
}

/// Most bytes that one edit adds.
const MOST: usize = 1 << 12;

/// Follows a script.
pub fn edited(script: &[u8], bases: &[Pristine]) -> Edited {
    let seldom = XxHash3_128::oneshot(script).is_multiple_of(256);
    let mut script = Script(script);
    let flags = script.byte();
    let base = &bases[script.byte() as usize % bases.len()];
    // With or without the frame.
    let raw = flags & 3 == 3;
    let mut bytes = if raw { base.bytes.clone() } else { container::content(&base.bytes).to_vec() };
    while !script.0.is_empty() {
        edit(&mut script, &mut bytes, base, bases);
    }
    let bytes = match flags & 7 {
        3 => bytes,
        7 => container::checked(bytes),
        _ => container::sealed(&base.bytes, &bytes),
    };
    Edited { bytes, flags: flags >> 3, seldom }
}

fn edit(script: &mut Script<'_>, bytes: &mut Vec<u8>, base: &Pristine, bases: &[Pristine]) {
    match script.byte() % 12 {
        0 => set(bytes, script.short(), &script.take::<1>()),
        1 => set(bytes, script.short(), &script.take::<4>()),
        2 => set(bytes, script.short(), &script.take::<8>()),
        3 => {
            let (at, length) = (script.short(), script.short());
            let at = at.min(bytes.len());
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        4 => {
            let (at, length) = (script.short().min(bytes.len()), script.byte() as usize);
            let fresh = script.text(length).to_vec();
            bytes.splice(at..at, fresh);
        }
        5 => bytes.truncate(u32::from_le_bytes(script.take()) as usize),
        6 => {
            let index = script.residue(base);
            base.put(bytes, index, u64::from_le_bytes(script.take()));
        }
        7 => {
            // A word near the prime that it has to be below.
            let index = script.residue(base);
            let near = i64::from(script.byte() as i8);
            if let Some(q) = base.primes.get(index) {
                base.put(bytes, index, q.wrapping_add_signed(near));
            }
        }
        8 => {
            let other = &bases[script.byte() as usize % bases.len()].bytes;
            let (from, length, at) = (script.short(), script.short(), script.short());
            let from = from.min(other.len());
            set(bytes, at, &other[from..(from + length).min(other.len())]);
        }
        9 => {
            let size = bytes.len() + u32::from_le_bytes(script.take()) as usize % MOST;
            bytes.resize(size, 0);
        }
        10 => {
            let at = script.short();
            let change = script.byte();
            if let Some(byte) = bytes.get_mut(at) {
                *byte = byte.wrapping_add(change);
            }
        }
        _ => {
            // The content of another one in the frame of this.
            let other = &bases[script.byte() as usize % bases.len()].bytes;
            *bytes = container::content(other).to_vec();
        }
    }
}

/// Overwrites what is there; nothing beyond the end.
fn set(bytes: &mut [u8], at: usize, with: &[u8]) {
    let at = at.min(bytes.len());
    for (byte, new) in bytes[at..].iter_mut().zip(with) {
        *byte = *new;
    }
}

/// Reads numbers; zeros behind the end.
struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    fn text(&mut self, length: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        head
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        let found = self.text(N);
        out[..found.len()].copy_from_slice(found);
        out
    }

    fn byte(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn short(&mut self) -> usize {
        u16::from_le_bytes(self.take()).into()
    }

    /// Number of one of the residues at the end.
    fn residue(&mut self, base: &Pristine) -> usize {
        u32::from_le_bytes(self.take()) as usize % base.primes.len().max(1)
    }
}

/// Scripts to start from: no edit, and some of each.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut all = vec![vec![0, 0], vec![0, 1], vec![3, 0], vec![7, 0], vec![8, 0], vec![16, 0], vec![32, 1]];
    for edit in 0..12u8 {
        for operand in [0u8, 1, 16, 32, 40] {
            all.push(vec![0, 0, edit, operand, 0, 1, 0, 0, 0, 1, 2, 3, 4]);
        }
    }
    // Frame fields, with a checksum that fits.
    for at in [0u8, 10, 11, 12, 13, 17, 20] {
        all.push(vec![7, 0, 0, at, 0, 255]);
    }
    // Words at and around their primes.
    for near in [0u8, 1, 255] {
        for index in [0u8, 255] {
            all.push(vec![0, 0, 7, index, index, 0, 0, near]);
        }
    }
    all
}
