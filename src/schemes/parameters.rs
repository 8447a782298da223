//! Encryption parameters: a literal from outside becomes a value only when it is secure and fits together.

use super::noise;
use super::security::SecurityTable;
use crate::math::Modulus;
use crate::math::prime::is_prime;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What parameters are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SchemeName {
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
    /// Whether values may be encrypted with a public key, too: bounds of fresh ones then hold for both ways.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub public_key: bool,
}

/// Checked parameters: 128-bit secure (classical) by a published table.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    literal: ParameterLiteral,
    table: SecurityTable,
    max_bits: u32,
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
}

impl Parameters {
    /// Checks a literal.
    ///
    /// # Errors
    /// `Parameters` says what does not fit: an unknown table, a ring dimension outside it, a modulus that is no
    /// prime = 1 mod 2n or appears twice, more bits than the table allows.
    pub fn new(literal: ParameterLiteral) -> Result<Self> {
        let wrong = |what: &str, found: String, expected: String| -> Result<Self> {
            Err(Error::Parameters { what: what.to_owned(), found, expected })
        };
        let Some(table) = SecurityTable::named(&literal.table) else {
            return wrong("security", literal.table.clone(), "guidelines-2024 or standard-2018".into());
        };
        let Some(max_bits) = table.max_bits(literal.n) else {
            let known: Vec<usize> = table.rows().iter().map(|r| r.0).collect();
            return wrong("n", literal.n.to_string(), format!("one of {known:?}"));
        };
        let ckks = literal.scheme == SchemeName::Ckks;
        if literal.t.is_empty() != ckks || literal.q.is_empty() {
            return wrong("moduli", "none".into(), "at least one; of plaintexts none under CKKS".into());
        }
        if literal.scale.is_some() != ckks
            || !literal.scale.is_none_or(|scale| (1.0..=libm::exp2(100.0)).contains(&scale))
        {
            return wrong("scale", format!("{:?}", literal.scale), "1 to 2^100 under CKKS, none else".into());
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
        let special = noise::log2(&literal.special);
        let total = noise::log2(&literal.q) + special;
        if total > f64::from(max_bits) {
            let expected = format!("at most {max_bits} at n = {} ({})", literal.n, table.name());
            return wrong("bits of all moduli", format!("{total:.1}"), expected);
        }
        Ok(Self { literal, table, max_bits })
    }

    /// The numbers.
    pub fn literal(&self) -> &ParameterLiteral {
        &self.literal
    }

    /// The security table that they satisfy.
    pub fn table(&self) -> SecurityTable {
        self.table
    }

    /// Most bits that the table allows at this ring dimension.
    pub fn max_bits(&self) -> u32 {
        self.max_bits
    }

    /// Bits of data and special primes together.
    pub fn total_bits(&self) -> f64 {
        noise::log2(&self.literal.q) + noise::log2(&self.literal.special)
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
            SchemeName::Bgv => "cipherloom 2026 BGV parameters v1",
            SchemeName::Ckks => "cipherloom 2026 CKKS parameters v1",
        });
        for list in [&[l.n as u64][..], &l.t, &l.q, &l.special] {
            hasher.update(&(list.len() as u64).to_le_bytes());
            for v in list {
                hasher.update(&v.to_le_bytes());
            }
        }
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        id
    }
}
