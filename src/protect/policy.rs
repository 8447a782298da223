//! What is asked of a protection, and what it tells.

use super::{
    Transformation, additive_shares, branches, dead_code, multiplicative_shares, rewriting, table_splitting,
    xor_shares,
};
use crate::{Error, Result};

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `dead_code`: operators whose results nobody needs. Beside any operator.
    DeadCode,
    /// `branches`: a value computed in two ways, or rightly and wrongly, of which a condition chooses that is always true, or
    /// never, though it is computed from data. Integers and bits.
    Branches,
    /// `additive_shares`: x = r + (x - r), wrapping, carried through what is linear. Integers.
    AdditiveShares,
    /// `multiplicative_shares`: x = (x m) m', with odd m and its inverse modulo 2^bits. Integers.
    MultiplicativeShares,
    /// `xor_shares`: x = r xor (x xor r), carried through what is linear in bits. Integers and bits.
    XorShares,
    /// `table_splitting`: a look-up in a constant table becomes two, in tables that combine to it, or one in a permuted
    /// table at a permuted index. Integers and bits.
    TableSplitting,
    /// `rewriting`: identities such as a + b = (a xor b) + 2 (a and b). Integers, bits, and limbs.
    Rewriting,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::DeadCode,
        Self::Branches,
        Self::AdditiveShares,
        Self::MultiplicativeShares,
        Self::XorShares,
        Self::TableSplitting,
        Self::Rewriting,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DeadCode => "dead_code",
            Self::Branches => "branches",
            Self::AdditiveShares => "additive_shares",
            Self::MultiplicativeShares => "multiplicative_shares",
            Self::XorShares => "xor_shares",
            Self::TableSplitting => "table_splitting",
            Self::Rewriting => "rewriting",
        }
    }

    /// The kind of that name.
    ///
    /// # Errors
    /// `Task` for another name.
    pub fn named(name: &str) -> Result<Self> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| wrong("kind", name, names()))
    }

    pub(super) fn transformation(self) -> &'static dyn Transformation {
        match self {
            Self::DeadCode => &dead_code::DeadCode,
            Self::Branches => &branches::Branches,
            Self::AdditiveShares => &additive_shares::AdditiveShares,
            Self::MultiplicativeShares => &multiplicative_shares::MultiplicativeShares,
            Self::XorShares => &xor_shares::XorShares,
            Self::TableSplitting => &table_splitting::TableSplitting,
            Self::Rewriting => &rewriting::Rewriting,
        }
    }
}

/// What to do to a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The kinds of change, at least one.
    pub kinds: Vec<Kind>,
    /// At most so many times the operators, from 1 to [`Policy::MOST_GROWTH`]; about so many it becomes, where there is enough to
    /// change.
    pub growth: f64,
    /// Whether passes leave the result as it is: then every operator gets a nonce of its own (SPEC G16), those that were
    /// there before, too, so that nonces do not tell which are new.
    pub keep: bool,
    /// Whether units and parents of operators are taken away, which tell what is new and what it was made from. Then no operand of
    /// the builder can be kept any more, and verification compares outputs only.
    pub anonymous: bool,
}

impl Policy {
    /// The largest `growth`.
    pub const MOST_GROWTH: f64 = 256.0;

    pub(super) fn check(&self) -> Result<()> {
        if self.kinds.is_empty() {
            return Err(wrong("kinds", "none", "at least one"));
        }
        if !(1.0..=Self::MOST_GROWTH).contains(&self.growth) {
            return Err(wrong("growth", self.growth, format!("a number from 1 to {}", Self::MOST_GROWTH)));
        }
        Ok(())
    }
}

impl Default for Policy {
    /// All kinds, up to four times the operators, kept, not anonymous.
    fn default() -> Self {
        Self { kinds: Kind::ALL.to_vec(), growth: 4.0, keep: true, anonymous: false }
    }
}

fn wrong(what: &str, found: impl ToString, expected: impl ToString) -> Error {
    let (found, expected) = (found.to_string(), expected.to_string());
    Error::Task { at: format!("protection: {what}"), found, expected }
}

/// By how much a graph grew.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// Operators before.
    pub before: usize,
    /// Operators after.
    pub after: usize,
    /// What each kind of the policy did.
    pub kinds: Vec<KindGrowth>,
    /// Constant tables that were dropped, since all that read them read others now.
    pub dropped: usize,
    /// From the graph before, as [`super::difference`] measures it.
    pub difference: f64,
}

/// What one kind did.
#[derive(Clone, Debug, PartialEq)]
pub struct KindGrowth {
    /// Which.
    pub kind: Kind,
    /// Operators that it changed, or put others beside.
    pub changes: usize,
    /// How many operators more there are for it.
    pub operators: usize,
}

impl Growth {
    pub(super) fn new(before: usize, kinds: &[Kind]) -> Self {
        let kinds = kinds.iter().map(|&kind| KindGrowth { kind, changes: 0, operators: 0 }).collect();
        Self { before, after: before, kinds, dropped: 0, difference: 0.0 }
    }

    /// The kinds of the policy.
    pub(super) fn all_kinds(&self) -> Vec<Kind> {
        self.kinds.iter().map(|own| own.kind).collect()
    }

    pub(super) fn add(&mut self, kind: Kind, operators: usize) {
        if let Some(own) = self.kinds.iter_mut().find(|own| own.kind == kind) {
            own.changes += 1;
            own.operators += operators;
        }
    }
}
