//! Numbers that look random and follow from a seed, and changes of bytes without knowledge of what they mean.

/// SplitMix64.
pub struct Random(u64);

/// Where lengths and ranges go wrong.
pub const INTERESTING: [u64; 24] = [
    0,
    1,
    2,
    3,
    7,
    8,
    16,
    127,
    128,
    255,
    256,
    1024,
    2048,
    4096,
    65535,
    65536,
    (1 << 31) - 1,
    1 << 31,
    u32::MAX as u64,
    1 << 32,
    1 << 53,
    1 << 62,
    1 << 63,
    u64::MAX,
];

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    /// The next number, of 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 where there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.word()) * limit as u128) >> 64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// A number at which something may change.
    pub fn interesting(&mut self) -> u64 {
        let near = self.pick(&INTERESTING).wrapping_add(self.below(3) as u64).wrapping_sub(1);
        if self.chance(80) { near } else { self.word() >> self.below(64) }
    }
}

/// Changes some bytes: as what a fuzzer does, but without its knowledge of what was compared.
pub fn mutate_bytes(data: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(data.len() + 1);
        match random.below(8) {
            0 | 1 if at < data.len() => data[at] ^= 1 << random.below(8),
            2 if at < data.len() => data[at] = random.word() as u8,
            3 => {
                let end = (at + 1 + random.below(8)).min(data.len());
                data.drain(at..end);
            }
            4 => {
                let size = 1 << random.below(4);
                let word = random.interesting().to_le_bytes();
                let end = (at + size).min(data.len());
                data.splice(at..end, word[..size.min(8)].iter().copied());
            }
            5 => {
                let from = random.below(data.len() + 1);
                let piece = data[from..(from + random.below(32)).min(data.len())].to_vec();
                data.splice(at..at, piece);
            }
            _ => {
                let fresh: Vec<u8> = (0..1 + random.below(8)).map(|_| random.word() as u8).collect();
                data.splice(at..at, fresh);
            }
        }
    }
}
