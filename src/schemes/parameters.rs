//! Encryption parameters: a literal from outside becomes a value only when it is secure and fits together.

use super::noise;
use super::releases::Releases;
use super::security::{SecurityBits, SecurityLevel, SecurityTable};
use crate::bytes::shown;
use crate::math::Modulus;
use crate::math::prime::is_prime;
use crate::ops::types::MOST_PARTIES;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What parameters are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SchemeName {
    /// Integers modulo t, in the high bits.
    #[serde(rename = "BFV")]
    Bfv,
    /// Integers modulo t, in the low bits.
    #[serde(rename = "BGV")]
    Bgv,
    /// Reals, approximately.
    #[serde(rename = "CKKS")]
    Ckks,
}

impl SchemeName {
    /// What people call it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Bfv => "BFV",
            Self::Bgv => "BGV",
            Self::Ckks => "CKKS",
        }
    }
}

/// Parameters as they come from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ParameterLiteral {
    /// Of which scheme.
    pub scheme: SchemeName,
    /// The scale of fresh ciphertexts, under CKKS only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Ring dimension.
    pub n: usize,
    /// Plaintext moduli, combined by CRT; none under CKKS.
    pub t: Vec<u64>,
    /// Primes of the ciphertext modulus.
    pub q: Vec<u64>,
    /// Special primes of key switching, as many as a digit has primes; none without keys.
    pub special: Vec<u64>,
    /// Name of the security table.
    pub table: String,
    /// Bits of security: 128, 192 or 256.
    #[serde(default = "least_bits", skip_serializing_if = "is_least")]
    pub bits: u32,
    /// Whether they are against quantum computers, too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quantum: bool,
    /// True where they are below that level, for teaching.
    #[serde(default, skip_serializing_if = "is_false")]
    pub insecure: bool,
    /// Whether values may be encrypted with a public key, too: bounds of fresh ones then hold for both ways.
    #[serde(default, skip_serializing_if = "is_false")]
    pub public_key: bool,
    /// Results that may be published: bounds on what is decrypted are with the noise that hides the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub releases: Option<Releases>,
    /// How many parties share the secret key, each with a secret of its own that it is the sum of; 1 where one holds it. Bounds of keys and ciphertexts follow from it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub parties: usize,
}

// What serde asks fields is asked by reference.
fn is_least(bits: &u32) -> bool {
    *bits == least_bits()
}

fn one() -> usize {
    1
}

fn is_one(parties: &usize) -> bool {
    *parties == 1
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn least_bits() -> u32 {
    SecurityBits::default().get()
}

/// Checked parameters: of a security level by a published table, or said to be below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    literal: ParameterLiteral,
    level: SecurityLevel,
    max_bits: Option<u32>,
}

/// Most bits of all plaintext moduli together: errors of keys of BGV are multiples of their product, a word.
pub const MOST_PLAIN_BITS: u32 = 62;

/// Most moduli: more than any table's bits have room for.
const MOST_MODULI: usize = 256;

impl ParameterLiteral {
    /// Primes per digit of key switching: as many as there are special primes (hybrid key switching, Han and Ki, ia.cr/2019/688). Their product may be
    /// smaller than a digit: the noise of key switching is then larger by so many bits, as its bound says.
    pub fn digit(&self) -> usize {
        self.special.len().max(1)
    }

    /// Whether there can be no evaluation keys.
    pub fn keyless(&self) -> bool {
        self.special.is_empty()
    }

    /// The level that is asked for.
    ///
    /// # Errors
    /// `Parameters` for a table or a number of bits that there is not.
    pub fn level(&self) -> Result<SecurityLevel> {
        let wrong = |what: &str, found: String, expected: &str| {
            let (what, expected) = (what.to_owned(), expected.to_owned());
            Error::Parameters { what, found, expected }
        };
        let table = SecurityTable::named(&self.table).ok_or_else(|| {
            wrong("security", shown(&self.table).to_owned(), "guidelines-2024 or standard-2018")
        })?;
        let bits = SecurityBits::try_from(self.bits)
            .map_err(|_| wrong("bits of security", self.bits.to_string(), "128, 192 or 256"))?;
        Ok(SecurityLevel { table, bits, quantum: self.quantum })
    }

    /// Bits of data and special primes together.
    fn total_bits(&self) -> f64 {
        noise::log2(&self.q) + noise::log2(&self.special)
    }

    /// What is below the level: found and expected.
    fn below(&self, level: SecurityLevel) -> Option<Error> {
        let (what, found, expected) = match level.max_bits(self.n) {
            None => ("n", self.n.to_string(), format!("one of {} for {level}", level.rings())),
            Some(most) => {
                let total = self.total_bits();
                if total <= f64::from(most) {
                    return None;
                }
                let expected = format!("at most {most} at n = {} for {level}", self.n);
                ("bits of all moduli", format!("{total:.1}"), expected)
            }
        };
        Some(Error::Insecure { what: what.to_owned(), found, expected })
    }

    /// The same, said to be insecure where they are below their level and that is allowed.
    ///
    /// # Errors
    /// As [`ParameterLiteral::level`].
    pub fn allowed(mut self, insecure: bool) -> Result<Self> {
        self.insecure = insecure && self.below(self.level()?).is_some();
        Ok(self)
    }
}

impl Parameters {
    /// Checks a literal.
    ///
    /// # Errors
    /// `Parameters` says what does not fit: an unknown table, no such ring dimension, a modulus that is no
    /// prime = 1 mod 2n or appears twice, no such releases; `Insecure` what is below the level, if they do not say that they are: a ring that its table lacks, more bits than it allows.
    pub fn new(literal: ParameterLiteral) -> Result<Self> {
        let wrong = |what: &str, found: String, expected: String| -> Result<Self> {
            Err(Error::Parameters { what: what.to_owned(), found, expected })
        };
        let level = literal.level()?;
        if !level.has_ring(literal.n) {
            return wrong("n", literal.n.to_string(), format!("one of {}", level.rings()));
        }
        let ckks = literal.scheme == SchemeName::Ckks;
        if literal.t.is_empty() != ckks || literal.q.is_empty() {
            return wrong("moduli", "none".into(), "at least one; of plaintexts none under CKKS".into());
        }
        if literal.scale.is_some() != ckks
            || !literal.scale.is_none_or(|scale| (1.0..=libm::exp2(100.0)).contains(&scale))
        {
            return wrong("scale", format!("{:?}", literal.scale), "1 to 2^100 under CKKS, none else".into());
        }
        literal.releases.map(Releases::check).transpose()?;
        if !(1..=MOST_PARTIES).contains(&literal.parties) {
            return wrong("parties", literal.parties.to_string(), format!("1 to {MOST_PARTIES}"));
        }
        if literal.parties > 1 && !literal.public_key {
            return wrong(
                "public key",
                "false".into(),
                "true: nobody has the secret key of several parties".into(),
            );
        }
        if literal.parties > 1 && literal.releases.is_none() {
            let expected = "a number of decryptions: each shows the other parties a share of it";
            return wrong("releases", "none".into(), expected.into());
        }
        let count = literal.t.len() + literal.q.len() + literal.special.len();
        if count > MOST_MODULI {
            return wrong("number of moduli", count.to_string(), format!("at most {MOST_MODULI}"));
        }
        let plain = noise::log2(&literal.t);
        if plain > f64::from(MOST_PLAIN_BITS) {
            let expected = format!("at most {MOST_PLAIN_BITS}");
            return wrong("bits of the plain moduli", format!("{plain:.1}"), expected);
        }
        let mut seen = std::collections::BTreeSet::new();
        for &p in literal.t.iter().chain(&literal.q).chain(&literal.special) {
            Modulus::new(p)?;
            if !is_prime(p) || p % (2 * literal.n as u64) != 1 || !seen.insert(p) {
                let expected = format!("distinct primes = 1 modulo {}", 2 * literal.n);
                return wrong("modulus", p.to_string(), expected);
            }
        }
        match (literal.below(level), literal.insecure) {
            (Some(error), false) => return Err(error),
            // What is said of it has to be true.
            (None, true) => return wrong("insecure", "true".into(), format!("false: it is {level}")),
            (Some(_), true) | (None, false) => {}
        }
        let max_bits = level.max_bits(literal.n);
        Ok(Self { literal, level, max_bits })
    }

    /// The numbers.
    pub fn literal(&self) -> &ParameterLiteral {
        &self.literal
    }

    /// The security level that they have, or were asked for and do not have ([`Parameters::insecure`]).
    pub fn level(&self) -> SecurityLevel {
        self.level
    }

    /// Whether they are below their level: for teaching only.
    pub fn insecure(&self) -> bool {
        self.literal.insecure
    }

    /// Most bits that the level allows at this ring dimension; `None` where its table has no such ring.
    pub fn max_bits(&self) -> Option<u32> {
        self.max_bits
    }

    /// Bits of data and special primes together.
    pub fn total_bits(&self) -> f64 {
        self.literal.total_bits()
    }

    /// Data primes, then special primes: those of the secret key.
    pub fn secret_primes(&self) -> Vec<u64> {
        [self.literal.q.as_slice(), &self.literal.special].concat()
    }

    /// Identity: keys and ciphertexts carry it. Who may encrypt is no part of it, since primes and keys are the same.
    pub fn id(&self) -> [u8; 16] {
        let l = &self.literal;
        // A key of one scheme is none of another: errors are multiples of other numbers.
        let mut hasher = blake3::Hasher::new_derive_key(match l.scheme {
            SchemeName::Bfv => "cipherloom 2026 BFV parameters v1",
            SchemeName::Bgv => "cipherloom 2026 BGV parameters v1",
            SchemeName::Ckks => "cipherloom 2026 CKKS parameters v1",
        });
        for list in [&[l.n as u64][..], &l.t, &l.q, &l.special] {
            hasher.update(&(list.len() as u64).to_le_bytes());
            for v in list {
                hasher.update(&v.to_le_bytes());
            }
        }
        // Keys of several parties have other errors.
        if l.parties > 1 {
            hasher.update(&(l.parties as u64).to_le_bytes());
        }
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        id
    }
}
