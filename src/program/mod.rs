//! What a user holds: a task literal becomes a program; a client encrypts and decrypts; an evaluator runs.
//!
//! The three are separate types that speak in bytes (`crate::bytes`), so that they can live in separate workers or
//! on separate machines. Only the client ever holds a secret key.

mod bounds;
mod bundle;
mod choose;
mod client;
mod compile;
mod evaluator;
mod holder;
mod job;
mod literal;
mod parameters;
mod range;
mod view;

pub(crate) use choose::plain_moduli;
pub use client::{Client, Values};
pub(crate) use client::{LEAST_BUDGET, Residues, combine};
pub use compile::{CompileOptions, Program};
pub(crate) use compile::{MOST_MEMORY, base, memory_limit, security};
pub use evaluator::Evaluator;
pub(crate) use holder::{Given, Holder, PublicSeed, Setting, plan_name};
pub use job::{Job, Named, Outcome, OutputCells, OutputValues};
pub use literal::{InputLiteral, Layout, NodeLiteral, OutputLiteral, TaskLiteral};
pub use parameters::{ParameterLiteral, Parameters, SchemeName};
pub use view::{
    Cost, GraphView, InputInfo, KeyInfo, OutputInfo, OutputView, ParameterInfo, ProgramInfo, Stage, StageInfo,
};
