//! One error type for the whole crate; every variant carries data and has a stable string code.

use crate::graph::{GraphError, Placeholder};
use crate::math::MathError;

/// Everything that can go wrong in cipherloom, one variant per subsystem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Numbers: a modulus, a transform size, a residue number system.
    #[error(transparent)]
    Math(#[from] MathError),
    /// The graph: placeholders, operands, operators, text form.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An operator was given operands or attributes that it does not take.
    #[error("{op}: {what}: found {found}, expected {expected}")]
    Operator {
        /// The operator type.
        op: String,
        /// Which operand or attribute is wrong.
        what: String,
        /// What was given.
        found: String,
        /// What the operator takes.
        expected: String,
    },
    /// Nobody registered this operator type.
    #[error("unknown operator type `{op}`{at}: neither built in nor registered", at = place(.at))]
    UnknownOperator {
        /// The operator type.
        op: String,
        /// Where it was met; empty when unknown.
        at: String,
    },
    /// A type is neither in the base set nor has it an expand function.
    #[error(
        "operator type `{op}` is not in the base set of platform `{platform}` and has no expand function{led}",
        led = led(.chain)
    )]
    NoExpansion {
        /// The operator type.
        op: String,
        /// Whose base set was asked for.
        platform: String,
        /// The operator of the graph and those that led from it to `op`; empty when unknown.
        chain: Vec<String>,
    },
    /// A call of a recorded graph was refused.
    #[error("{error}")]
    AtCall {
        /// Its number, from 0.
        call: usize,
        /// Why.
        error: Box<Error>,
    },
    /// What a line of a text says is wrong.
    #[error("line {line}: {error}")]
    AtLine {
        /// Its number, from 1.
        line: usize,
        /// What.
        error: Box<Error>,
    },
    /// What an operator of a user's own means was not recorded for such operands yet.
    #[error("operator `{op}` is not recorded for operands {}", .inputs.join(", "))]
    NotRecorded {
        /// The operator type.
        op: String,
        /// Its attributes, in their text form.
        attrs: String,
        /// The types of its operands, in their text form.
        inputs: Vec<String>,
        /// Bits of the graph's unit.
        unit: u32,
    },
    /// Something went wrong with one operator of a graph.
    #[error("operator {op} ({name}): {error}")]
    AtOperator {
        /// Its number in the graph.
        op: u32,
        /// Its type.
        name: String,
        /// What.
        error: Box<Error>,
    },
    /// Something went wrong in one of several stages.
    #[error("{stage}: {error}")]
    AtStage {
        /// The pass or platform.
        stage: String,
        /// What.
        error: Box<Error>,
    },
    /// Two computations that have to give the same do not.
    #[error("{0}")]
    Differs(Box<Difference>),
    /// No input has this name.
    #[error("there is no input `{name}`")]
    UnknownInput {
        /// The name.
        name: String,
    },
    /// No result of a program has this name.
    #[error("there is no result `{name}`, expected one of {expected}")]
    UnknownResult {
        /// The name.
        name: String,
        /// The results that there are.
        expected: String,
    },
    /// No optimization pass has this name.
    #[error("there is no optimization pass `{name}`, expected one of {expected}")]
    UnknownPass {
        /// The name.
        name: String,
        /// The passes that there are.
        expected: String,
    },
    /// The data of an operand is asked for that the graph does not compute any more.
    #[error(
        "operand {operand} is not computed by this graph: expansion kept it, optimization did not; declare it as an output"
    )]
    NotKept {
        /// Its number.
        operand: u32,
    },
    /// An operator has no implementation on the chosen platform.
    #[error(
        "platform `{platform}` has no kernel for `{op}`: the graph is to be expanded for its platform first"
    )]
    NotImplemented {
        /// The operator type.
        op: String,
        /// The platform.
        platform: String,
    },
    /// There is no platform of that name.
    #[error("platform `{found}`: expected one of {expected}")]
    NoPlatform {
        /// The name.
        found: String,
        /// Those that there are.
        expected: String,
    },
    /// A device's memory cannot be overwritten for certain.
    #[error("`{op}`: data that are to be overwritten after a run do not go to a device")]
    SecretOnDevice {
        /// The first operator that is placed there.
        op: String,
    },
    /// Expansion did not reach the base set.
    #[error("expansion of `{op}` did not end after {levels} levels")]
    EndlessExpansion {
        /// An operator type that is still not in the base set.
        op: String,
        /// How many levels were tried.
        levels: usize,
    },
    /// Owners that are none of a shared graph, or a party that it has not.
    #[error("{what}: found {found}, expected {expected}")]
    Party {
        /// What is wrong.
        what: String,
        /// What was found.
        found: String,
        /// What is taken.
        expected: String,
    },
    /// What came of an operator that was computed elsewhere is no value of its type.
    #[error("{op}{attrs}: its result: found {found}, expected {expected}")]
    Delivered {
        /// The operator type.
        op: String,
        /// Its attributes, in their text form.
        attrs: String,
        /// What was delivered; no value.
        found: &'static str,
        /// What is taken.
        expected: String,
    },
    /// A task literal names something that is not there, or in the wrong way.
    #[error("task: {at}: found {found}, expected {expected}")]
    Task {
        /// Which input, node or output.
        at: String,
        /// What was given.
        found: String,
        /// What is taken.
        expected: String,
    },
    /// What a task would become is more than any run should take.
    #[error("the program is too large: found {found} {what}, at most {limit} are possible")]
    TooLarge {
        /// What is counted: operators, bytes, keys.
        what: &'static str,
        /// How many there would be, at most.
        found: u64,
        /// How many there may be.
        limit: u64,
    },
    /// A declared value range could overflow what parameters can hold.
    #[error("{at} may need {} bits, at most {limit} are possible: narrower ranges need fewer", bits(*found))]
    RangeOverflow {
        /// Which operand of the task.
        at: String,
        /// Bits that the value may need; 128 where it is an integer that may need more than 127.
        found: u32,
        /// Bits that can be had.
        limit: u32,
    },
    /// An input value lies outside its declared range. The value itself is not told: errors end in logs.
    #[error("input `{input}`, row {row}: a value outside {min} to {max}")]
    ValueOutOfRange {
        /// The input.
        input: String,
        /// Row number, from 0.
        row: usize,
        /// Declared minimum.
        min: i128,
        /// Declared maximum.
        max: i128,
    },
    /// An input has another number of values than declared.
    #[error("input `{input}`: found {found} values, expected {expected}")]
    InputLength {
        /// The input.
        input: String,
        /// How many were given.
        found: usize,
        /// How many were declared.
        expected: usize,
    },
    /// No secure parameters can carry the task.
    #[error("no parameters up to N = {max_n} carry this task at {level}: {reason}")]
    NoParameters {
        /// The largest ring dimension that was tried.
        max_n: usize,
        /// The security level that was asked for.
        level: String,
        /// Why the best candidate failed, and what would help.
        reason: String,
    },
    /// Parameters are below the security level that was asked for, and nobody has allowed that.
    #[error(
        "not secure: {what}: found {found}, expected {expected}; for teaching only, `allowInsecure: true` takes it"
    )]
    Insecure {
        /// Which parameter.
        what: String,
        /// What it is.
        found: String,
        /// What the level takes, and which it is.
        expected: String,
    },
    /// Parameters given by the caller do not fit.
    #[error("parameters: {what}: found {found}, expected {expected}")]
    Parameters {
        /// Which parameter.
        what: String,
        /// What was given.
        found: String,
        /// What is taken.
        expected: String,
    },
    /// Bytes from outside do not decode.
    #[error("{what}: {problem}")]
    Format {
        /// What the bytes should have been: program, ciphertext, key, client.
        what: &'static str,
        /// What is wrong with them.
        problem: FormatProblem,
    },
    /// A ciphertext or key belongs to other parameters, another program or another client.
    #[error("{what} belongs to another {of}: found {found}, expected {expected}")]
    Foreign {
        /// What was given.
        what: String,
        /// What it is bound to: program, parameters, key.
        of: &'static str,
        /// Identity found.
        found: String,
        /// Identity expected.
        expected: String,
    },
    /// What a public key is, or was made with one, for a program whose bounds do not hold for it.
    #[error(
        "{what}: found one of a public key, expected a program that was compiled for data owners (`publicKey`)"
    )]
    NoPublicKey {
        /// What was given or asked for.
        what: String,
    },
    /// An evaluation key that the program needs was not loaded.
    #[error("evaluation key `{name}` is missing")]
    MissingKey {
        /// The key's name.
        name: String,
    },
    /// An input that the program needs was not given.
    #[error("input `{name}` is missing")]
    MissingInput {
        /// The input's name.
        name: String,
    },
    /// The noise of a ciphertext reached the limit: decryption would give a wrong number.
    #[error("noise budget of `{what}` is exhausted: {budget:.1} bits left, at least {needed:.1} needed")]
    NoiseExhausted {
        /// Which output.
        what: String,
        /// Measured budget, bits.
        budget: f64,
        /// Needed budget, bits.
        needed: f64,
    },
    /// The same of a result that may be published: how much noise it has tells of the key.
    #[error("noise budget of `{what}` is exhausted; results may be published, so what is left is not told")]
    NoiseHidden {
        /// Which output.
        what: String,
    },
    /// As many results were decrypted under a key as may be published.
    #[error(
        "results decrypted under this key: found {found}, expected at most {expected}, the releases of its program"
    )]
    Released {
        /// How many there would be.
        found: u64,
        /// How many there may be.
        expected: u64,
    },
    /// An output that has no value for these data, such as the mean of no cells.
    #[error("output `{output}` has no value: {why}")]
    NoValue {
        /// Which output.
        output: String,
        /// The operator that has none.
        why: String,
    },
    /// The plan needs more memory than there is.
    #[error("the plan needs {needed} bytes, the limit is {limit}")]
    MemoryLimit {
        /// Bytes that the plan needs.
        needed: u64,
        /// The limit, bytes.
        limit: u64,
    },
    /// Memory that was asked for cannot be had.
    #[error("out of memory: {asked} bytes were asked for")]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
    },
    /// Whoever listened to the work ended it ([`crate::watch`]).
    #[error("the work was cancelled")]
    Cancelled,
    /// A job was used in a state that does not allow it.
    #[error("job: {0}")]
    Job(&'static str),
}

/// Where two computations differ first.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{}: {}", .what, seen_in(.seen), .at)]
pub struct Difference {
    /// The first operator that gives something else, with what it is part of; or an output where no single operator does.
    pub what: String,
    /// Number and type of that operator.
    pub operator: Option<(u32, String)>,
    /// Number and type of the operator that it was expanded from.
    pub part_of: Option<(u32, String)>,
    /// The output in which it was noticed.
    pub seen: Option<String>,
    /// The type of what differs.
    pub ty: String,
    /// Its units.
    pub units: Vec<Placeholder>,
    /// The first place in it that differs, what is there, and what has to be.
    pub at: At,
}

/// The first place that differs, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum At {
    /// A byte of data.
    #[error("byte {at} is {found:#04x}, expected {expected:#04x}")]
    Byte {
        /// Its number.
        at: u64,
        /// What it is.
        found: u8,
        /// What it has to be.
        expected: u8,
    },
    /// A number: a cell of a value, or a slot of a vector.
    #[error("{of} {at} is {found}, expected {expected}")]
    Number {
        /// `cell` or `slot`.
        of: &'static str,
        /// Its number.
        at: u64,
        /// What it is, as text.
        found: String,
        /// What it has to be.
        expected: String,
    },
}

fn seen_in(output: &Option<String>) -> String {
    output.as_ref().map_or_else(String::new, |output| format!(", seen in {output}"))
}

/// What is wrong with bytes from outside.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    /// Another number of bytes than the header or the header's length field says.
    #[error("{}: found {found} bytes, expected {expected}", if found < expected { "truncated" } else { "too long" })]
    Truncated {
        /// Bytes found.
        found: usize,
        /// Bytes expected.
        expected: usize,
    },
    /// The first bytes are not those of cipherloom.
    #[error("not made by cipherloom")]
    Magic,
    /// Another kind of object.
    #[error("found: {found}; expected: {expected}")]
    Kind {
        /// Kind found.
        found: String,
        /// Kind expected.
        expected: &'static str,
    },
    /// A version that this build does not read.
    #[error("format version {found}, expected {expected}")]
    Version {
        /// Version found.
        found: u16,
        /// Version expected.
        expected: u16,
    },
    /// What this version makes of a task is not what was made of it by the version that wrote the bytes: its keys, values or results are others.
    #[error("this version decides otherwise on {what}: found {found}, expected {expected}")]
    Decisions {
        /// On what: values, keys, halves.
        what: &'static str,
        /// Hash of what the bytes say was decided.
        found: String,
        /// Hash of what this version decides.
        expected: String,
    },
    /// The checksum does not fit the content: bits were flipped.
    #[error("checksum does not fit the content")]
    Checksum,
    /// The content breaks a rule of its kind.
    #[error("{0}")]
    Content(String),
}

impl Error {
    /// A stable string that names the kind of error; documented, never changed.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Math(_) => "math.invalid",
            Self::Graph(e) => e.code(),
            Self::Operator { .. } => "operator.invalid",
            Self::UnknownOperator { .. } => "operator.unknown",
            Self::NoExpansion { .. } => "operator.no_expansion",
            Self::AtCall { error, .. }
            | Self::AtLine { error, .. }
            | Self::AtOperator { error, .. }
            | Self::AtStage { error, .. } => error.code(),
            Self::NotRecorded { .. } => "operator.not_recorded",
            Self::Differs(_) => "verify.differs",
            Self::UnknownInput { .. } | Self::UnknownResult { .. } => "input.unknown",
            Self::UnknownPass { .. } => "pass.unknown",
            Self::NotKept { .. } => "operand.not_kept",
            Self::NotImplemented { .. } => "operator.not_implemented",
            Self::NoPlatform { .. } => "platform.unknown",
            Self::SecretOnDevice { .. } => "gpu.secret",
            Self::EndlessExpansion { .. } => "operator.endless_expansion",
            Self::Party { .. } => "party.shared",
            Self::Delivered { .. } => "operator.result",
            Self::Task { .. } => "task.invalid",
            Self::TooLarge { .. } => "program.too_large",
            Self::RangeOverflow { .. } => "range.overflow",
            Self::ValueOutOfRange { .. } => "range.value",
            Self::InputLength { .. } => "input.length",
            Self::NoParameters { .. } => "parameters.none",
            Self::Insecure { .. } => "parameters.insecure",
            Self::Parameters { .. } => "parameters.invalid",
            Self::Format { problem, .. } => match problem {
                FormatProblem::Truncated { .. } => "format.truncated",
                FormatProblem::Magic => "format.magic",
                FormatProblem::Kind { .. } => "format.kind",
                FormatProblem::Version { .. } => "format.version",
                FormatProblem::Decisions { .. } => "format.decisions",
                FormatProblem::Checksum => "format.checksum",
                FormatProblem::Content(_) => "format.content",
            },
            Self::Foreign { .. } => "key.foreign",
            Self::NoPublicKey { .. } => "key.public",
            Self::MissingKey { .. } => "key.missing",
            Self::MissingInput { .. } => "input.missing",
            Self::NoiseExhausted { .. } | Self::NoiseHidden { .. } => "noise.exhausted",
            Self::Released { .. } => "key.released",
            Self::NoValue { .. } => "statistic.undefined",
            Self::MemoryLimit { .. } => "memory.limit",
            Self::OutOfMemory { .. } => "memory.exhausted",
            Self::Cancelled => "cancelled",
            Self::Job(_) => "job.state",
        }
    }
}

fn bits(found: u32) -> String {
    if found == 128 { "more than 127".to_owned() } else { found.to_string() }
}

fn led(chain: &[String]) -> String {
    if chain.is_empty() { String::new() } else { format!("; {} led to it", chain.join(" -> ")) }
}

fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!(" at {at}") }
}

/// The crate's result type.
pub type Result<T> = std::result::Result<T, Error>;
