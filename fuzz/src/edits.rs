//! Keys and ciphertexts are large and new in every process, so what is fuzzed is a short script of edits to pristine ones.
//! Any bytes are a script.
//!
//! ```text
//! flags u8 | base u8 | (edit u8, operands)*
//! ```

use super::container;
use twox_hash::XxHash3_128;

/// A container that the package made, and what is known of the words at its end.
pub struct Pristine {
    /// The container.
    pub bytes: Vec<u8>,
    /// The prime that each of its last words is a residue of; empty for containers without words.
    pub primes: Vec<u64>,
}

impl Pristine {
    /// A container whose content ends in `limbs` of `n` words each.
    ///
    /// # Panics
    /// When it does not: the oracle of the targets would look at the wrong place.
    pub fn new(bytes: Vec<u8>, n: usize, limbs: &[u64]) -> Self {
        let primes: Vec<u64> = limbs.iter().flat_map(|&q| std::iter::repeat_n(q, n)).collect();
        let pristine = Self { bytes, primes };
        if !pristine.primes.is_empty() {
            let content = container::content(&pristine.bytes);
            let count = content.len() - 8 * pristine.primes.len() - 8;
            assert_eq!(content[count..count + 8], (pristine.primes.len() as u64).to_le_bytes());
            assert!(pristine.residues(content));
        }
        pristine
    }

    /// Whether content of the same length ends in residues of these primes.
    pub fn residues(&self, content: &[u8]) -> bool {
        let words = &content[content.len() - 8 * self.primes.len()..];
        let words = words.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        words.zip(&self.primes).all(|(word, &q)| word < q)
    }

    /// Whether other content is this one's but for its words, and these are residues.
    pub fn is_like(&self, content: &[u8]) -> bool {
        let own = container::content(&self.bytes);
        let head = own.len() - 8 * self.primes.len();
        self.is_as_long(content) && own[..head] == content[..head]
    }

    /// Whether other content is as long as this one, and its words are residues.
    pub fn is_as_long(&self, content: &[u8]) -> bool {
        container::content(&self.bytes).len() == content.len() && self.residues(content)
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
            let at = script.word(bytes, base);
            let word = script.take::<8>();
            set(bytes, at, &word);
        }
        7 => {
            // A word near the prime that it has to be below.
            let index = u32::from_le_bytes(script.take()) as usize % base.primes.len().max(1);
            let near = i64::from(script.byte() as i8);
            if let Some(q) = base.primes.get(index) {
                let at = bytes.len().saturating_sub(8 * (base.primes.len() - index));
                set(bytes, at, &q.wrapping_add_signed(near).to_le_bytes());
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

    /// Where one of the words at the end starts.
    fn word(&mut self, bytes: &[u8], base: &Pristine) -> usize {
        let index = u32::from_le_bytes(self.take()) as usize % base.primes.len().max(1);
        bytes.len().saturating_sub(8 * (base.primes.len() - index.min(base.primes.len())))
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
