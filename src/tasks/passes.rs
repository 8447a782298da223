//! The passes of a task, from what is asked to what is run: each on, unless it is told otherwise.

use serde::{Deserialize, Serialize};

/// Which passes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Passes {
    /// f(x, x) for what it is: squares (`values::square`).
    pub square: bool,
    /// Products in a row as trees of least depth (`values::balance`).
    pub balance: bool,
    /// Turns along several dimensions in one order (`values::turns`).
    pub turns: bool,
    /// What is computed twice is computed once, on values, on vectors of slots and on ciphertexts.
    pub dedup: bool,
    /// Real numbers go into clear factors (`packed::factors`).
    pub factors: bool,
    /// Turns of sums of masked vectors are sums of turns (`packed::flatten`).
    pub flatten: bool,
    /// Sums of many turns of one vector of few (`packed::giant_steps`).
    pub giant_steps: bool,
    /// What is summed up stays in its slots until somebody needs the sum; several are then added up at once (`packed::Packer`).
    pub late_sums: bool,
    /// Sums that are outputs are added up by who decrypts (`rlwe.extract`).
    pub extract: bool,
    /// Products are relinearized after they were added up, not before.
    pub lazy_relinearization: bool,
    /// Products that are results are not relinearized at all where nothing else needs a key and no more has to travel: who decrypts has s^2.
    pub open_results: bool,
    /// Primes are dropped as soon as that costs next to none of the noise budget, not at the end.
    pub early_switching: bool,
    /// What turns of one ciphertext share is computed once (`optimize::hoist`).
    pub hoist: bool,
    /// Divisions that follow one another, or products that are added up, are one (`optimize::fuse`, `optimize::sum_products`), and so are sums of products of limbs.
    pub fuse: bool,
}

impl Default for Passes {
    fn default() -> Self {
        Self::ALL
    }
}

impl Passes {
    /// All of them.
    pub const ALL: Self = Self {
        square: true,
        balance: true,
        turns: true,
        dedup: true,
        factors: true,
        flatten: true,
        giant_steps: true,
        late_sums: true,
        extract: true,
        lazy_relinearization: true,
        open_results: true,
        early_switching: true,
        hoist: true,
        fuse: true,
    };

    /// True where none was told otherwise.
    pub fn all(&self) -> bool {
        *self == Self::ALL
    }
}
