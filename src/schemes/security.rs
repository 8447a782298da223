//! Which ring dimensions and moduli are 128-bit secure (classical) for ternary secrets and errors of standard
//! deviation 3.19 or more.

/// A published table of the largest modulus for each ring dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SecurityTable {
    /// Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption", ia.cr/2024/463: the default.
    #[default]
    Guidelines2024,
    /// Albrecht et al., "Homomorphic Encryption Security Standard", 2018: the table of Microsoft SEAL.
    Standard2018,
}

impl SecurityTable {
    /// Its name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guidelines2024 => "guidelines-2024",
            Self::Standard2018 => "standard-2018",
        }
    }

    /// The table of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Guidelines2024, Self::Standard2018].into_iter().find(|t| t.name() == name)
    }

    /// Rows (N, most bits of the whole modulus, special primes included), smallest N first.
    pub fn rows(self) -> &'static [(usize, u32)] {
        match self {
            Self::Guidelines2024 => &[(2048, 53), (4096, 106), (8192, 214), (16384, 430), (32768, 868)],
            Self::Standard2018 => &[(2048, 54), (4096, 109), (8192, 218), (16384, 438), (32768, 881)],
        }
    }

    /// Most bits of the modulus at ring dimension `n`; `None` for dimensions outside the table.
    pub fn max_bits(self, n: usize) -> Option<u32> {
        self.rows().iter().find(|r| r.0 == n).map(|r| r.1)
    }
}
