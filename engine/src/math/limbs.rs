//! Limbs as bytes: each residue in as many bits as its prime has, one after the other.
//!
//! Residue i of a limb modulo q takes bits i b to (i + 1) b - 1, b = ceil(log2 q), counted from the lowest bit of the first byte; the bits that fill up
//! the last byte are 0. A ring's limb is a whole number of words where its dimension is a multiple of 64.

/// Bits of a residue modulo `q`, which is 2 to 2^63: ceil(log2 q).
pub fn bits(q: u64) -> u32 {
    u64::BITS - (q - 1).leading_zeros()
}

/// Bytes of `n` residues modulo `q`.
pub fn size(n: usize, q: u64) -> u64 {
    (n as u64 * u64::from(bits(q))).div_ceil(8)
}

/// Writes a limb, whose residues may come in several pieces.
pub struct Packer<'a> {
    out: &'a mut [u8],
    bits: u32,
    /// Bits that are not written yet, from the lowest up, and how many; fewer than 64.
    word: u64,
    held: u32,
}

impl<'a> Packer<'a> {
    /// Into as many bytes as [`size`] says.
    pub fn new(q: u64, out: &'a mut [u8]) -> Self {
        Self { out, bits: bits(q), word: 0, held: 0 }
    }

    /// More residues of the limb, no more than it has in all.
    pub fn add(&mut self, residues: &[u64]) {
        let Self { bits, mut word, mut held, .. } = *self;
        let out = std::mem::take(&mut self.out);
        let mut written = 0;
        let (words, _) = out.as_chunks_mut::<8>();
        let mut words = words.iter_mut();
        for &residue in residues {
            word |= residue << held;
            held += bits;
            if held >= u64::BITS {
                if let Some(next) = words.next() {
                    *next = word.to_le_bytes();
                    written += 8;
                }
                held -= u64::BITS;
                // What had no room: nothing, where the residue ended with the word.
                word = residue >> (bits - held);
            }
        }
        (self.word, self.held) = (word, held);
        self.out = &mut out[written..];
    }

    /// Writes what is left, where a limb is no whole number of words.
    pub fn finish(self) {
        for (byte, rest) in self.out.iter_mut().zip(self.word.to_le_bytes()) {
            *byte = rest;
        }
    }
}

/// Words as bytes, little-endian, of which there are 8 for each; where one of both ends, so does the other.
pub fn write_words(words: &[u64], out: &mut [u8]) {
    for (bytes, word) in out.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

/// Words from their bytes, see [`write_words`].
pub fn read_words(bytes: &[u8], out: &mut [u64]) {
    for (word, bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
}

/// True when all are residues modulo `q`.
pub fn fit(residues: &[u64], q: u64) -> bool {
    residues.iter().all(|&residue| residue < q)
}

/// Reads a limb from as many bytes as [`size`] says; false where a word is no residue modulo `q`, or a bit that fills up is 1.
#[must_use]
pub fn unpack(bytes: &[u8], q: u64, out: &mut [u64]) -> bool {
    let bits = bits(q) as usize;
    if bits <= FIELD {
        return unpack_by(bytes, q, out, 8, |bytes, at| field(bytes, at, bits));
    }
    // In two parts.
    unpack_by(bytes, q, out, 12, |bytes, at| field(bytes, at, 32) | field(bytes, at + 32, bits - 32) << 32)
}

/// Most bits that 8 bytes hold, wherever in the first of them they begin.
const FIELD: usize = 57;

/// So many bits, at most [`FIELD`], from bit `at` on.
#[inline(always)]
fn field(bytes: &[u8], at: usize, bits: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at / 8..at / 8 + 8]);
    u64::from_le_bytes(word) >> (at % 8) & (u64::MAX >> (64 - bits))
}

/// [`unpack`] where `read` gives the residue that begins with a bit, and looks at so many bytes from the one on in which that lies.
#[inline(always)]
fn unpack_by(bytes: &[u8], q: u64, out: &mut [u64], seen: usize, read: impl Fn(&[u8], usize) -> u64) -> bool {
    let bits = bits(q) as usize;
    // Those that are far enough from the end, then the others, with zeros behind it.
    let inside = (bytes.len() + 1).checked_sub(seen).map_or(0, |bytes| (8 * bytes).div_ceil(bits));
    let inside = inside.min(out.len());
    let (first, last) = out.split_at_mut(inside);
    let mut good = true;
    for (index, residue) in first.iter_mut().enumerate() {
        *residue = read(bytes, index * bits);
        good &= *residue < q;
    }
    let from = inside * bits / 8;
    let mut end = [0; 32];
    end.iter_mut().zip(bytes.get(from..).unwrap_or_default()).for_each(|(to, byte)| *to = *byte);
    for (index, residue) in last.iter_mut().enumerate() {
        *residue = read(&end, (inside + index) * bits - 8 * from);
        good &= *residue < q;
    }
    let over = out.len() * bits % 8;
    good && (over == 0 || bytes.last().is_some_and(|byte| byte >> over == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, as the module says.
    fn slow(residues: &[u64], q: u64) -> Vec<u8> {
        let bits = (0..).find(|&bits| 1u128 << bits >= u128::from(q)).unwrap();
        let mut bytes = vec![0; (residues.len() * bits).div_ceil(8)];
        for (index, residue) in residues.iter().enumerate() {
            for bit in 0..bits {
                let at = index * bits + bit;
                bytes[at / 8] |= ((residue >> bit & 1) as u8) << (at % 8);
            }
        }
        bytes
    }

    fn packed(residues: &[u64], q: u64, cut: usize) -> Vec<u8> {
        let mut bytes = vec![0; size(residues.len(), q) as usize];
        let mut packer = Packer::new(q, &mut bytes);
        let (first, second) = residues.split_at(cut);
        packer.add(first);
        packer.add(second);
        packer.finish();
        bytes
    }

    fn residues(n: usize, q: u64) -> Vec<u64> {
        let mut state = q;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state
        };
        // Both ends among them.
        (0..n).map(|i| if i % 7 == 3 { q - 1 } else { next() % q }).collect()
    }

    #[test]
    fn every_width_and_length_as_bit_by_bit() {
        for bits in 1..=61u32 {
            for q in [(1u64 << (bits - 1)) + 1, (1 << bits) - 1, 1 << bits].into_iter().filter(|&q| q > 1) {
                for n in [1, 2, 7, 63, 64, 65, 128, 200] {
                    let residues = residues(n, q);
                    let expected = slow(&residues, q);
                    for cut in [0, 1, n / 2, n] {
                        assert_eq!(packed(&residues, q, cut), expected, "q {q}, n {n}, cut {cut}");
                    }
                    let mut back = vec![u64::MAX; n];
                    assert!(unpack(&expected, q, &mut back), "q {q}, n {n}");
                    assert_eq!(back, residues, "q {q}, n {n}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_residue_is_refused_wherever_it_stands() {
        let q = (1 << 50) - 27;
        for n in [5, 64, 130] {
            for at in 0..n {
                let mut words = residues(n, q);
                words[at] = q;
                assert!(!unpack(&slow(&words, q), q, &mut vec![0; n]), "{at} of {n}");
                words[at] = q - 1;
                assert!(unpack(&slow(&words, q), q, &mut vec![0; n]), "{at} of {n}");
            }
        }
    }

    #[test]
    fn bits_that_fill_up_are_0() {
        // 5 residues of 50 bits leave 6 bits.
        let (q, n) = ((1 << 50) - 27, 5);
        let bytes = slow(&residues(n, q), q);
        for bit in 2..8 {
            let mut bytes = bytes.clone();
            *bytes.last_mut().unwrap() |= 1 << bit;
            assert!(!unpack(&bytes, q, &mut vec![0; n]), "{bit}");
        }
    }

    /// `cargo test --release --lib limbs -- --ignored --nocapture`.
    #[test]
    #[ignore = "measures"]
    fn how_fast() {
        for q in [(1u64 << 28) - 57, (1 << 36) - 5, (1 << 50) - 27, (1 << 60) - 93] {
            let residues = residues(1 << 16, q);
            let mut bytes = vec![0; size(residues.len(), q) as usize];
            let mut back = vec![0; residues.len()];
            let (mut pack, mut unpacked) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..50 {
                let start = std::time::Instant::now();
                let mut packer = Packer::new(q, std::hint::black_box(&mut bytes));
                packer.add(&residues);
                packer.finish();
                pack = pack.min(start.elapsed().as_secs_f64());
                let start = std::time::Instant::now();
                assert!(unpack(std::hint::black_box(&bytes), q, &mut back));
                unpacked = unpacked.min(start.elapsed().as_secs_f64());
            }
            let rate = |seconds: f64| (residues.len() * 8) as f64 / seconds / 1e9;
            println!("{} bits: {:.2} GB/s in, {:.2} GB/s out", bits(q), rate(pack), rate(unpacked));
        }
    }
}
