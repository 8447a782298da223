//! Each distinct value is stored once and named by a small number.

use std::hash::{Hash, Hasher};

/// A table of distinct values, numbered in order of first appearance.
#[derive(Clone, Debug)]
pub struct Interner<T> {
    values: Vec<T>,
    numbers: Numbers,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: Numbers::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The number of `value`, new or known.
    pub fn intern(&mut self, value: T) -> u32 {
        let hash = hash(&value);
        let number = self.find(hash, |known| *known == value);
        number.unwrap_or_else(|| self.push(hash, value))
    }

    /// The number of the value of that [`hash`] for which `same` says yes: looks up what is borrowed.
    pub fn find(&self, hash: u64, same: impl Fn(&T) -> bool) -> Option<u32> {
        self.numbers.find(hash, |number| same(&self.values[number as usize]))
    }

    /// Adds a value that [`Interner::find`] did not find.
    pub fn push(&mut self, hash: u64, value: T) -> u32 {
        let number = self.values.len() as u32;
        self.values.push(value);
        self.numbers.insert(hash, number);
        number
    }

    /// The value behind a number that this table gave out.
    pub fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// All values, by number.
    pub fn values(&self) -> &[T] {
        &self.values
    }
}

/// A hash table of numbers below 2^32 - 1 whose keys lie elsewhere, so that it holds 8 bytes per slot whatever the keys
/// are: open addressing, linear probing.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Low half of the hash, and the number; a power of two of them.
    slots: Vec<(u32, u32)>,
    len: usize,
}

const FREE: u32 = u32::MAX;

impl Numbers {
    /// The number of that [`hash`] for which `same` says yes.
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let tag = hash as u32;
        for at in self.probe(tag) {
            match self.slots[at] {
                (_, FREE) => return None,
                (known, number) if known == tag && same(number) => return Some(number),
                _ => {}
            }
        }
        None
    }

    /// Adds a number that [`Numbers::find`] did not find.
    pub fn insert(&mut self, hash: u64, number: u32) {
        if self.len * 4 >= self.slots.len() * 3 {
            let larger = vec![(0, FREE); (self.slots.len() * 2).max(16)];
            for (tag, number) in std::mem::replace(&mut self.slots, larger) {
                if number != FREE {
                    self.place(tag, number);
                }
            }
        }
        self.place(hash as u32, number);
        self.len += 1;
    }

    fn place(&mut self, tag: u32, number: u32) {
        if let Some(at) = self.probe(tag).find(|&at| self.slots[at].1 == FREE) {
            self.slots[at] = (tag, number);
        }
    }

    /// Every slot, from where the tag belongs.
    fn probe(&self, tag: u32) -> impl Iterator<Item = usize> + use<> {
        let size = self.slots.len();
        (0..size).map(move |i| (tag as usize + i) & (size - 1))
    }
}

/// The hash that tables of this file are asked with. Fast and fixed: nothing here depends on its order.
pub fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut state = Mixer(0);
    value.hash(&mut state);
    state.finish()
}

struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|&word| self.write_u64(u64::from_le_bytes(word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, x: u8) {
        self.write_u64(u64::from(x));
    }

    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }

    fn write_u64(&mut self, x: u64) {
        // 2^64 divided by the golden ratio, odd.
        self.0 = (self.0.rotate_left(23) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }

    fn finish(&self) -> u64 {
        // The high bits are the mixed ones.
        let x = (self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^ x >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_first_appearance() {
        let mut table = Interner::default();
        let word = |x: u64| format!("{}", x * 7919 % 5000);
        let mut order: Vec<String> = Vec::new();
        for x in 0..20_000 {
            let value = word(x);
            let known = order.iter().position(|v| *v == value);
            let expected = known.unwrap_or_else(|| {
                order.push(value.clone());
                order.len() - 1
            });
            assert_eq!(table.find(hash(&value), |v| *v == value), known.map(|k| k as u32));
            assert_eq!(table.intern(value), expected as u32);
        }
        assert_eq!(table.values(), order);
    }

    #[test]
    fn one_hash_for_all() {
        let mut numbers = Numbers::default();
        for number in 0..100 {
            assert_eq!(numbers.find(5, |n| n == number), None);
            numbers.insert(5, number);
        }
        assert!((0..100).all(|number| numbers.find(5, |n| n == number) == Some(number)));
    }
}
