//! AES and GCM as the standards write them: a byte, a block, a bit at a time.

/// xorshift64*.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}

fn times(a: u8, b: u8) -> u8 {
    let mut product = 0u16;
    for i in 0..8 {
        if b >> i & 1 == 1 {
            product ^= u16::from(a) << i;
        }
    }
    for i in (8..15).rev() {
        if product >> i & 1 == 1 {
            product ^= 0x11b << (i - 8);
        }
    }
    product as u8
}

/// The S-box by search for the inverse.
fn s_box() -> [u8; 256] {
    let mut table = [0; 256];
    for (x, out) in table.iter_mut().enumerate() {
        let inverse = (0..=255).find(|&y| times(x as u8, y) == 1).unwrap_or(0);
        for i in 0..8 {
            let bit = [0, 4, 5, 6, 7].iter().fold(0x63 >> i, |sum, k| sum ^ inverse >> ((i + k) % 8));
            *out |= (bit & 1) << i;
        }
    }
    table
}

fn words(key: &[u8], s_box: &[u8; 256]) -> Vec<[u8; 4]> {
    let own = key.len() / 4;
    let mut words: Vec<[u8; 4]> = key.chunks(4).map(|word| word.try_into().unwrap()).collect();
    let mut round = 1;
    for i in own..4 * (own + 7) {
        let mut word = words[i - 1];
        if i % own == 0 {
            word.rotate_left(1);
            word = word.map(|b| s_box[usize::from(b)]);
            word[0] ^= round;
            round = times(round, 2);
        } else if own > 6 && i % own == 4 {
            word = word.map(|b| s_box[usize::from(b)]);
        }
        words.push(std::array::from_fn(|b| word[b] ^ words[i - own][b]));
    }
    words
}

struct Aes {
    s_box: [u8; 256],
    words: Vec<[u8; 4]>,
}

impl Aes {
    fn new(key: &[u8]) -> Self {
        static S_BOX: std::sync::LazyLock<[u8; 256]> = std::sync::LazyLock::new(s_box);
        Self { s_box: *S_BOX, words: words(key, &S_BOX) }
    }

    fn encrypt(&self, block: &[u8]) -> [u8; 16] {
        let mut state: [u8; 16] = block.try_into().unwrap();
        let rounds = self.words.len() / 4 - 1;
        let add = |state: &mut [u8; 16], round: usize| {
            state.iter_mut().enumerate().for_each(|(i, b)| *b ^= self.words[4 * round + i / 4][i % 4]);
        };
        add(&mut state, 0);
        for round in 1..=rounds {
            let old = state.map(|b| self.s_box[usize::from(b)]);
            for (i, b) in state.iter_mut().enumerate() {
                *b = old[(i + 4 * (i % 4)) % 16];
            }
            if round < rounds {
                let old = state;
                for (i, b) in state.iter_mut().enumerate() {
                    let at = |k: usize| old[i / 4 * 4 + (i + k) % 4];
                    *b = times(at(0), 2) ^ times(at(1), 3) ^ at(2) ^ at(3);
                }
            }
            add(&mut state, round);
        }
        state
    }
}

/// Counts the last `counted` bytes up.
fn next(counter: &mut [u8], counted: usize) {
    for byte in counter.iter_mut().rev().take(counted) {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
}

pub fn counter_mode(key: &[u8], counter: &[u8], message: &[u8], counted: usize) -> Vec<u8> {
    let (aes, mut counter) = (Aes::new(key), counter.to_vec());
    let mut out = Vec::new();
    for part in message.chunks(16) {
        let stream = aes.encrypt(&counter);
        out.extend(part.iter().zip(stream).map(|(a, b)| a ^ b));
        next(&mut counter, counted);
    }
    out
}

fn product(x: u128, y: u128) -> u128 {
    let (mut sum, mut v) = (0, y);
    for i in (0..128).rev() {
        if x >> i & 1 == 1 {
            sum ^= v;
        }
        v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    sum
}

/// GHASH of byte strings, each filled up to blocks.
fn hash(h: u128, parts: &[&[u8]]) -> u128 {
    let mut sum = 0;
    for block in parts.iter().flat_map(|part| part.chunks(16)) {
        let mut whole = [0; 16];
        whole[..block.len()].copy_from_slice(block);
        sum = product(sum ^ u128::from_be_bytes(whole), h);
    }
    sum
}

/// Ciphertext and tag.
pub fn seal(key: &[u8], iv: &[u8], message: &[u8], additional: &[u8]) -> Vec<u8> {
    let aes = Aes::new(key);
    let h = u128::from_be_bytes(aes.encrypt(&[0; 16]));
    let lengths = |a: &[u8], b: &[u8]| (((8 * a.len() as u128) << 64) | (8 * b.len() as u128)).to_be_bytes();
    let first = match iv.len() {
        12 => [iv, &[0, 0, 0, 1]].concat(),
        _ => hash(h, &[iv, &lengths(&[], iv)]).to_be_bytes().to_vec(),
    };
    let mut counter = first.clone();
    next(&mut counter, 4);
    let mut out = counter_mode(key, &counter, message, 4);
    let tag =
        hash(h, &[additional, &out, &lengths(additional, &out)]) ^ u128::from_be_bytes(aes.encrypt(&first));
    out.extend(tag.to_be_bytes());
    out
}
