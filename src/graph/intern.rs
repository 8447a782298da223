//! Each distinct value is stored once and named by a small number.

use std::collections::HashMap;
use std::hash::Hash;

/// A table of distinct values, numbered in order of first appearance.
#[derive(Clone, Debug)]
pub struct Interner<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The number of `value`, new or known.
    pub fn intern(&mut self, value: T) -> u32 {
        if let Some(&number) = self.numbers.get(&value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
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
