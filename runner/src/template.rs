//! Templates of vectors: what each takes, and where results go.

use crate::data::Data;
use crate::error::{Error, Result};
use crate::key::Key;

/// Templates by the names of the npm package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// Dense numbers.
    FixValueVector,
    /// Sparse numbers.
    SparseValueVector,
    /// Sparse texts.
    SparseTextVector,
    /// Any values.
    VariableLenVector,
    /// Numbers under positions.
    SparseMatrix,
}

impl Template {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::FixValueVector,
        Self::SparseValueVector,
        Self::SparseTextVector,
        Self::VariableLenVector,
        Self::SparseMatrix,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FixValueVector => "FixValueVector",
            Self::SparseValueVector => "SparseValueVector",
            Self::SparseTextVector => "SparseTextVector",
            Self::VariableLenVector => "VariableLenVector",
            Self::SparseMatrix => "SparseMatrix",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.name() == name)
    }

    /// That of a row's type: where a result goes if nobody says otherwise.
    pub fn of(key: &Key, value: &Data) -> Self {
        match (key, value) {
            (Key::Position(..), _) => Self::SparseMatrix,
            (_, Data::Number(_)) => Self::SparseValueVector,
            (_, Data::Text(_)) => Self::SparseTextVector,
            _ => Self::VariableLenVector,
        }
    }

    /// Numbers are at home in dense and in sparse vectors, and all but positions in those of varying length.
    fn takes_those_of(self, found: Self) -> bool {
        found == self
            || (self == Self::FixValueVector && found == Self::SparseValueVector)
            || (self == Self::VariableLenVector && found != Self::SparseMatrix)
    }

    /// Checks a row. That a `FixValueVector` has each key once, in order, is the vector's business.
    ///
    /// # Errors
    /// `job.key`, `job.template`, without the value.
    pub fn check(self, key: &Key, value: &Data, at: &str) -> Result<()> {
        let name = self.name();
        let key_rule = match (self, key) {
            (Self::FixValueVector, _) if key.index().is_none() => Some("a whole number from 0"),
            (Self::SparseMatrix, Key::Number(_) | Key::Text(_)) => Some("a position"),
            (Self::SparseMatrix, _) => None,
            (_, Key::Position(..)) => Some("text or a finite number"),
            _ => None,
        };
        if let Some(expected) = key_rule {
            let expected = format!("as key of a {name} {expected}");
            return Err(Error::unexpected("job.key", at, key, expected));
        }
        let value_rule = match (self, value) {
            (Self::VariableLenVector, _) | (Self::SparseTextVector, Data::Text(_)) => None,
            (Self::SparseTextVector, _) => Some("text"),
            (_, Data::Number(_)) => None,
            _ => Some("a number"),
        };
        match value_rule {
            Some(expected) => {
                let at = format!("{at}, key {key}");
                let expected = format!("in a {name} {expected}");
                Err(Error::unexpected("job.template", &at, value.sort(), expected))
            }
            None => Ok(()),
        }
    }
}

/// The type of results: the template that a round says, or else what the first of them asks for. That they are dense shows when all are there.
pub struct ResultType {
    of: Option<Template>,
    at: String,
    /// None before the first result.
    pub template: Option<Template>,
}

impl ResultType {
    /// `of`: the template of the rows that the operator is called with. `at`: where, in words.
    pub fn new(of: Option<Template>, result: Option<Template>, at: String) -> Self {
        Self { of, at, template: result }
    }

    /// Checks a result.
    ///
    /// # Errors
    /// `job.result` for another type than those before it; `job.key`.
    pub fn check(&mut self, key: &Key, value: &Data) -> Result<()> {
        let found = Template::of(key, value);
        let of = self.of.filter(|&of| of != Template::FixValueVector && of.takes_those_of(found));
        let own = of.unwrap_or(found);
        let template = *self.template.get_or_insert(own);
        if template.takes_those_of(found) {
            return template.check(key, value, &self.at);
        }
        let message = format!(
            "{}: the result under key {key} is {}, which does not go to {} as the results before it, or as the round says",
            self.at,
            value.sort(),
            template.name(),
        );
        Err(Error::new("job.result", message))
    }
}
