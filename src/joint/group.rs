//! Who shares a secret key.

use crate::ops::types::MOST_PARTIES;
use crate::{Error, Result};

/// Parties whose secrets add up to the secret key, and how many of them have to take part in what needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their names, in an order that all agree on: number i has point i + 1.
    names: Vec<String>,
    /// How many of them are enough, where that is fewer than all.
    threshold: Option<usize>,
}

/// Those of a group who take part in a protocol, by number, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active(Vec<usize>);

impl Group {
    /// All have to take part.
    ///
    /// # Errors
    /// `Party` for fewer than 2 or more than 256, and for a name that is there twice (what names may be is checked where a graph is shared).
    pub fn new(names: &[String]) -> Result<Self> {
        Self::with_threshold(names, None)
    }

    /// Any `threshold` of them are enough, once shares were dealt.
    ///
    /// # Errors
    /// As [`Group::new`]; `Party` for a threshold that is not from 2 to one less than there are.
    pub fn of_threshold(names: &[String], threshold: usize) -> Result<Self> {
        Self::with_threshold(names, Some(threshold))
    }

    fn with_threshold(names: &[String], threshold: Option<usize>) -> Result<Self> {
        let count = names.len();
        let wrong = |what: &str, found: usize, expected: String| {
            Err(Error::Party { what: what.into(), found: found.to_string(), expected })
        };
        if !(2..=MOST_PARTIES).contains(&count) {
            return wrong("number of parties that share a key", count, format!("2 to {MOST_PARTIES}"));
        }
        if let Some(threshold) = threshold.filter(|threshold| !(2..count).contains(threshold)) {
            let expected = format!("2 to {}; of all {count}, none", count - 1);
            return wrong("threshold", threshold, expected);
        }
        if let Some(twice) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            let (found, expected) = (format!("`{}` twice", twice.1), "each once".into());
            return Err(Error::Party { what: "parties that share a key".into(), found, expected });
        }
        Ok(Self { names: names.to_vec(), threshold })
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many parties' secrets the secret key is the sum of.
    pub fn parties(&self) -> usize {
        self.names.len()
    }

    /// How many are enough, where that is fewer than all.
    pub fn threshold(&self) -> Option<usize> {
        self.threshold
    }

    /// 16 bytes of BLAKE3 of the threshold (0 where all take part) and of the names in their order, each behind its length, as 8 bytes.
    pub fn id(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 v1 group of a shared key");
        hasher.update(&(self.threshold.unwrap_or(0) as u64).to_le_bytes());
        for name in &self.names {
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        }
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        id
    }

    /// All of them.
    pub fn everybody(&self) -> Active {
        Active((0..self.names.len()).collect())
    }

    /// Those of these names.
    ///
    /// # Errors
    /// `Party` for a name that is none of theirs or there twice, for fewer than are needed, and where all are needed for any other set.
    pub fn active(&self, names: &[String]) -> Result<Active> {
        let wrong = |what: &str, found: String, expected: String| {
            Err(Error::Party { what: what.into(), found, expected })
        };
        let mut numbers = Vec::with_capacity(names.len());
        for name in names {
            let Some(number) = self.names.iter().position(|own| own == name) else {
                return wrong("party that takes part", format!("`{name}`"), self.names.join(", "));
            };
            if numbers.contains(&number) {
                return wrong("party that takes part", format!("`{name}` twice"), "each once".into());
            }
            numbers.push(number);
        }
        numbers.sort_unstable();
        let least = self.threshold.unwrap_or(self.names.len());
        if numbers.len() < least {
            return wrong("parties that take part", numbers.len().to_string(), format!("at least {least}"));
        }
        Ok(Active(numbers))
    }

    /// The point of party number `number`.
    pub(super) fn point(number: usize) -> u64 {
        number as u64 + 1
    }
}

impl Active {
    /// Their numbers in the group.
    pub fn numbers(&self) -> &[usize] {
        &self.0
    }
}
