//! Keys of rows, and their order.

use crate::data::text_size;
use std::cmp::Ordering;
use std::fmt;

/// A key: a finite number (never -0), text, or the position of an element of a matrix.
#[derive(Clone, Debug)]
pub enum Key {
    /// A finite number.
    Number(f64),
    /// Text.
    Text(String),
    /// Row and column, whole numbers from 0.
    Position(f64, f64),
}

/// The largest whole number that doubles hold with all below.
pub const MOST_WHOLE: f64 = 9_007_199_254_740_991.0;

/// A whole number from 0 that doubles hold exactly.
pub fn is_index(number: f64) -> bool {
    (0.0..=MOST_WHOLE).contains(&number) && number.fract() == 0.0 && number.is_sign_positive()
}

impl Key {
    /// About as many bytes does it take in a chunk.
    pub fn size(&self) -> usize {
        match self {
            Self::Text(text) => text_size(text),
            _ => 16,
        }
    }

    /// The number, where it is a whole one from 0.
    pub fn index(&self) -> Option<f64> {
        match *self {
            Self::Number(number) if is_index(number) => Some(number),
            _ => None,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Text(_) => 1,
            Self::Position(..) => 2,
        }
    }
}

/// Numbers by size, then texts by UTF-16 units as in JavaScript; positions by row, then by column.
impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.encode_utf16().cmp(b.encode_utf16()),
            (Self::Position(a, x), Self::Position(b, y)) => a.total_cmp(b).then(x.total_cmp(y)),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Position(row, column) => write!(f, "[{row},{column}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_javascript() {
        let text = |text: &str| Key::Text(text.into());
        let sorted = [
            Key::Number(-1.5),
            Key::Number(0.0),
            Key::Number(1e300),
            text(""),
            text("B"),
            text("a"),
            // Half a pair comes before what one unit says.
            text("😀"),
            text("\u{ff01}"),
            Key::Position(0.0, 9.0),
            Key::Position(1.0, 0.0),
        ];
        for (at, key) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(key.cmp(other), at.cmp(&other_at), "{key} and {other}");
            }
        }
    }
}
