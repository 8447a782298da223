//! Tasks over values (`crate::values`) as programs of a scheme that is chosen for them: compiled, encrypted for, run, decrypted and finished.
//!
//! Program, client, data owner and evaluator are separate types that speak in bytes, so that they can live in separate workers or on separate machines; only the client
//! holds a secret key, and data owners its public one. Encrypted values belong to parameters and a key: several programs under one set of parameters take the same bytes.

mod body;
mod build;
mod choose;
mod client;
mod decrypt;
mod encrypt;
mod evaluator;
mod explain;
mod finish;
#[cfg(test)]
mod golden;
mod halves;
mod holder;
mod literal;
mod member;
mod onward;
mod owner;
mod passes;
mod program;
mod report;
mod residues;
mod runner;
mod slots;
mod travel;
mod verify;

pub use crate::schemes::Releases;
pub use client::Client;
pub use evaluator::{Evaluator, Held};
pub use explain::{ExplainedKey, ExplainedValue, Explanation, Reason};
pub use literal::{DigitsLiteral, InputLiteral, Literal, NodeLiteral, OutputLiteral};
pub use member::{Member, Opening, Sharing};
pub use onward::{GivenCiphertext, GivenResult, ResultOf};
pub use owner::Owner;
pub use passes::Passes;
pub use program::{GivenParameters, Options, Program, Step};
pub use report::{InputReport, OutputReport, Report, ResultReport, Sizes, StageSize};
pub use travel::Place;
pub use verify::Meaning;
