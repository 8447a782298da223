//! The byte form of everything that travels: a header, the content, a checksum. Decoding checks all three before
//! anything is used.
//!
//! ```text
//! "cipherloom" | kind u8 | version u16 | content length u64 | content | XXH3-128 of all before (16 bytes)
//! ```
//!
//! The checksum finds accidents. It is no proof of origin, as none without a key is, so it is the fastest good one.
//!
//! Numbers are little-endian; texts and lists carry their length as u32 and u64. FORMAT.md says what each kind holds.

use crate::error::FormatProblem;
use crate::math::checksum::{SIZE as CHECKSUM, checksum};
use crate::math::limbs::fit;
use crate::{Error, Result, memory};

const MAGIC: &[u8; 10] = b"cipherloom";
const HEADER: usize = 10 + 1 + 2 + 8;
/// The kind of a saved client under a passphrase, of which else the core knows nothing.
const UNDER_PASSPHRASE: u8 = 10;
/// What small objects are no longer than. A saved client is one: since it does not grow while it is written, it leaves
/// no copies in freed memory.
const SMALL: usize = 256;

/// What bytes are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Client = 2,
    Circuit = 6,
    Task = 7,
    Value = 8,
    ValueKey = 9,
    // 10 is UNDER_PASSPHRASE.
    PublicKey = 11,
    Shared = 12,
    Member = 13,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "saved client",
            Self::Circuit => "circuit",
            Self::Task => "compiled task",
            Self::Value => "encrypted value",
            Self::ValueKey => "evaluation key of a compiled task",
            Self::PublicKey => "public key",
            Self::Shared => "shared graph",
            Self::Member => "saved party of a shared key",
        }
    }

    /// The version that is written, and the only one that is read: each kind has its own, so that a change of one leaves the others readable.
    fn version(self) -> u16 {
        match self {
            Self::Task => 6,
            Self::Value | Self::ValueKey => 5,
            Self::PublicKey | Self::Shared => 1,
            Self::Member => 2,
            _ => 4,
        }
    }

    fn of(byte: u8) -> Option<Self> {
        [
            Self::Client,
            Self::Circuit,
            Self::Task,
            Self::Value,
            Self::ValueKey,
            Self::PublicKey,
            Self::Shared,
            Self::Member,
        ]
        .into_iter()
        .find(|k| *k as u8 == byte)
    }
}

/// The checksum that bytes end with: what tells one encrypted input from another. 0 where there is none.
pub fn checksum_of(bytes: &[u8]) -> [u8; CHECKSUM] {
    bytes.last_chunk().copied().unwrap_or_default()
}

/// The length of an object's byte form, counted as [`Writer`] would write it.
pub struct Length(u64);

impl Length {
    pub fn new() -> Self {
        Self((HEADER + CHECKSUM) as u64)
    }

    pub fn id(self) -> Self {
        Self(self.0 + 16)
    }

    pub fn text(self, text: &str) -> Self {
        Self(self.0 + 4 + text.len() as u64)
    }

    /// With so many bytes at the end.
    pub fn raw(self, bytes: u64) -> u64 {
        self.0 + bytes
    }
}

/// Builds the byte form of one object.
pub struct Writer(Vec<u8>);

impl Writer {
    /// A number, 7 bits a byte, the low ones first; the high bit says that more follow.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn new(kind: Kind) -> Self {
        let mut bytes = Vec::with_capacity(SMALL);
        bytes.extend_from_slice(MAGIC);
        bytes.push(kind as u8);
        bytes.extend_from_slice(&kind.version().to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        Self(bytes)
    }

    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A text whose length is a [`Writer::number`].
    pub fn short(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub fn text(self, text: &str) -> Self {
        self.raw(&(text.len() as u32).to_le_bytes()).raw(text.as_bytes())
    }

    /// `size` bytes that are 0, to be written: the last of the object.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn last(&mut self, size: usize) -> Result<&mut [u8]> {
        let start = self.0.len();
        let mut all = memory::zeros(start.saturating_add(size).saturating_add(CHECKSUM))?;
        all[..start].copy_from_slice(&self.0);
        all.truncate(start + size);
        self.0 = all;
        Ok(&mut self.0[start..])
    }

    pub fn finish(mut self) -> Vec<u8> {
        let length = (self.0.len() - HEADER) as u64;
        self.0[HEADER - 8..HEADER].copy_from_slice(&length.to_le_bytes());
        let checksum = checksum(&self.0);
        self.0.extend_from_slice(&checksum);
        self.0
    }
}

/// Reads the byte form of one object.
pub struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// Checks header and checksum.
    ///
    /// # Errors
    /// `Format` says which of them is wrong.
    pub fn new(bytes: &'a [u8], kind: Kind) -> Result<Self> {
        let what = kind.name();
        let wrong = |problem| Err(Error::Format { what, problem });
        if !bytes.starts_with(&MAGIC[..MAGIC.len().min(bytes.len())]) {
            return wrong(FormatProblem::Magic);
        }
        if bytes.len() < HEADER + CHECKSUM {
            let expected = HEADER + CHECKSUM;
            return wrong(FormatProblem::Truncated { found: bytes.len(), expected });
        }
        let (header, rest) = bytes.split_at(HEADER);
        // It ends with what only its passphrase can tell to be right.
        if header[10] == UNDER_PASSPHRASE {
            let found = "saved client under a passphrase".to_owned();
            return wrong(FormatProblem::Kind { found, expected: what });
        }
        let mut length = [0; 8];
        length.copy_from_slice(&header[HEADER - 8..]);
        let expected = u64::from_le_bytes(length).saturating_add((HEADER + CHECKSUM) as u64);
        if bytes.len() as u64 != expected {
            let expected = usize::try_from(expected).unwrap_or(usize::MAX);
            return wrong(FormatProblem::Truncated { found: bytes.len(), expected });
        }
        let (content, found) = rest.split_at(rest.len() - CHECKSUM);
        if checksum(&bytes[..bytes.len() - CHECKSUM]) != found {
            return wrong(FormatProblem::Checksum);
        }
        if header[10] != kind as u8 {
            let found =
                Kind::of(header[10]).map_or_else(|| format!("kind {}", header[10]), |k| k.name().into());
            return wrong(FormatProblem::Kind { found, expected: what });
        }
        let (found, expected) = (u16::from_le_bytes([header[11], header[12]]), kind.version());
        if found != expected {
            return wrong(FormatProblem::Version { found, expected });
        }
        Ok(Self { rest: content, what })
    }

    /// The error for content that breaks a rule of its kind.
    pub fn error(&self, problem: impl Into<String>) -> Error {
        self.wrong(FormatProblem::Content(problem.into()))
    }

    /// The error for what is wrong with these bytes.
    pub fn wrong(&self, problem: FormatProblem) -> Error {
        Error::Format { what: self.what, problem }
    }

    pub fn raw(&mut self, size: usize) -> Result<&'a [u8]> {
        let found = self.rest.len();
        let (head, rest) = self.rest.split_at_checked(size).ok_or(Error::Format {
            what: self.what,
            problem: FormatProblem::Truncated { found, expected: size },
        })?;
        self.rest = rest;
        Ok(head)
    }

    pub fn id<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut id = [0; N];
        id.copy_from_slice(self.raw(N)?);
        Ok(id)
    }

    /// A number that [`Writer::number`] wrote.
    ///
    /// # Errors
    /// `Format` beyond the content's end, or for more than 64 bits.
    pub fn number(&mut self) -> Result<u64> {
        // Most have one byte.
        if let [byte @ 0..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Ok((*byte).into());
        }
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.id()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.error("a number of more than 64 bits"))
    }

    /// A text that [`Writer::short`] wrote.
    ///
    /// # Errors
    /// `Format` beyond the content's end, or for bytes that are no UTF-8.
    pub fn short(&mut self) -> Result<&'a str> {
        let length = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let bytes = self.raw(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.error("a text is not UTF-8"))
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn text(&mut self) -> Result<&'a str> {
        let length = u32::from_le_bytes(self.id()?) as usize;
        let bytes = self.raw(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.error("a text is not UTF-8"))
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// `Format` says how much is.
    pub fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.error(format!("{} bytes too many", self.rest.len())))
        }
    }
}

/// The error for bytes that are bound to something else: `found` and `expected` are identities.
pub fn foreign(what: String, of: &'static str, found: &[u8], expected: &[u8]) -> Error {
    Error::Foreign { what, of, found: hex(found), expected: hex(expected) }
}

/// A name that came from outside, as it stands in errors: its beginning.
pub fn shown(name: &str) -> &str {
    const MOST: usize = 100;
    name.char_indices().nth(MOST).map_or(name, |(end, _)| &name[..end])
}

/// Hexadecimal digits of an identity.
pub fn hex(id: &[u8]) -> String {
    id.iter().map(|b| format!("{b:02x}")).collect()
}

/// Words, checked to be residues: word i below the prime of the limb that it lies in; a prime of 0 stands for any words.
pub fn check_residues(words: &[u64], n: usize, primes: impl Iterator<Item = u64>) -> bool {
    words.chunks(n).zip(primes).all(|(limb, q)| q == 0 || fit(limb, q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_every_kind_and_its_version() {
        let (_, page) = include_str!("../FORMAT.md").split_once("| kind | what | version |").unwrap();
        let row = |kind: Kind| (format!("| {} |", kind as u8), format!("| {} |", kind.version()));
        let known: Vec<Kind> = (0..=u8::MAX).filter_map(Kind::of).collect();
        for &kind in &known {
            let (number, version) = row(kind);
            let of = page.lines().find(|line| line.starts_with(&number)).unwrap_or_default();
            assert!(of.contains(&version), "{kind:?}: `{of}`");
        }
        // The page's own (`bindings/src/sealed-key.ts`).
        assert!(known.iter().all(|&kind| kind as u8 != 10));
    }
}
