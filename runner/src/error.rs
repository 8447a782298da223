//! What a run can fail of.

use std::borrow::Cow;

/// A code, as of the errors of the npm package, and what happened, in words. It travels between processes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Error {
    /// Stable: `job.chunk`, `job.operator`, ...
    pub code: Cow<'static, str>,
    /// For people. It tells no value of a row.
    pub message: String,
}

/// What may fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of this code.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    /// Something else than what belongs there.
    pub fn unexpected(
        code: &'static str,
        at: &str,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Self {
        Self::new(code, format!("{at}: expected {expected}, found {found}"))
    }
}

impl From<cipherloom::Error> for Error {
    fn from(error: cipherloom::Error) -> Self {
        Self { code: error.code().into(), message: error.to_string() }
    }
}
