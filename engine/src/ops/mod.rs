//! Operator types: what each takes and gives, and how the high-order ones expand.
//!
//! One operator, one file: `base/` holds the small set of lattice-algebra operators that platforms implement, `plain/`
//! those on plain data, `fused/` several in one, `high/` the operators that expand into them, level by level. Users add their own to a [`Registry`].
//!
//! Room rule: builds graphs; knows no platform and no engine.

pub mod base;
mod call;
pub mod flow;
pub mod fused;
pub mod high;
pub mod plain;
mod registry;
mod session;
pub mod tensor;
pub mod types;

pub use call::Call;
pub use registry::Registry;
pub use session::Session;

use crate::graph::{Attrs, OperandId, ValueType};
use crate::{Error, Result};

/// Bounds on what an operand holds, as log2, in the norm that its scheme counts in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// What is meant: under CKKS the values times their scale; -infinity where the scheme does not ask.
    pub message: f64,
    /// What is off.
    pub error: f64,
}

impl Noise {
    /// Of exact schemes, which do not ask how large a message is.
    pub fn error(error: f64) -> Self {
        Self { message: f64::NEG_INFINITY, error }
    }
}

/// What several operators that read one operand can share.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// The operator that is done once.
    pub prepare: &'static str,
    /// Its attributes.
    pub attrs: Attrs,
    /// Which of the operator's inputs it takes.
    pub inputs: Vec<usize>,
    /// The operator that takes its output, after the inputs of the one that it replaces, and has the attributes of that.
    pub then: &'static str,
}

/// How far an operator type is from the base set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What a task is written in: values and their statistics.
    Task,
    /// Whole ciphertexts, keys and plaintexts.
    Scheme,
    /// Polynomials over several limbs.
    Polynomial,
    /// Single limbs, and plain data.
    Base,
}

/// One operator type: a base operator, which platforms have kernels for, or a higher one, which says what it means in lower ones.
pub trait OpDef: Send + Sync {
    /// Its name, such as `limb.add`; unique in a registry.
    fn name(&self) -> &str;

    /// How far it is from the base set.
    fn level(&self) -> Level;

    /// Names of the attributes that it takes, by default none; `None` for any. Others are refused, and editors complete these.
    fn attributes(&self) -> Option<&[&str]> {
        Some(&[])
    }

    /// The type of the output: a function of attributes and input types (SPEC G3).
    ///
    /// # Errors
    /// When operands or attributes are not what the operator takes.
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType>;

    /// Records at least one lower operator that together do the same, and gives their output (SPEC G4).
    ///
    /// # Errors
    /// `NoExpansion` for types that have none.
    fn expand(&self, session: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let _ = (session, inputs);
        Err(Error::NoExpansion { op: call.name.to_owned(), platform: String::new(), chain: vec![] })
    }

    /// True when it draws random numbers: every operator of the type then carries a nonce of its own, so that
    /// two samples are never merged (SPEC G16).
    fn random(&self) -> bool {
        false
    }

    /// What tells two operator types of one name apart, for types whose meaning a user gave: bytes of a graph carry it.
    fn fingerprint(&self, call: &Call<'_>) -> Option<[u8; 16]> {
        let _ = call;
        None
    }

    /// True when the output holds the units of the inputs, one after the other.
    fn moves(&self) -> bool {
        false
    }

    /// True when the order of its inputs does not matter: the output is the same, bit for bit, whichever it is. `dedup` then
    /// takes operators that differ in it only as one.
    fn commutative(&self) -> bool {
        false
    }

    /// The operator type that undoes this one, where both have one input and the same attributes: applied to the output it
    /// gives the input back, bit for bit, whatever that was. `cancel` then reads around the two.
    fn inverse(&self) -> Option<&str> {
        None
    }

    /// What it has in common with others of its type that read the same operand, where that can be done once for all. The pass `hoist` asks.
    fn shared(&self, call: &Call<'_>) -> Option<Shared> {
        let _ = call;
        None
    }

    /// The operator that does what this one does to the outputs of operators of which each is an `inner`, one for each of its inputs: it has their inputs, one after the
    /// other, and the attributes of all. The pass `fuse` asks, and where nobody else reads what is between puts it in their place, if they all answer alike.
    fn fused(&self, inner: &str) -> Option<&str> {
        let _ = inner;
        None
    }

    /// The same of operators that round, where the one operator rounds once what they round each: other bits, with less of an error. The pass `sum_products` asks.
    fn rounded_once(&self, inner: &str) -> Option<&str> {
        let _ = inner;
        None
    }

    /// Work of one operator, in multiplications modulo a prime; for estimates.
    fn cost(&self, call: &Call<'_>) -> f64 {
        let _ = call;
        0.0
    }

    /// Whether that attribute says how much work one is: [`crate::expand::CostModel`] takes operators that differ in others alone as one.
    fn costs_by(&self, attribute: &str) -> bool {
        let _ = attribute;
        true
    }

    /// Scheme level only: the noise bound of the output from those of the inputs (see `schemes::noise`). `None` where noise has no
    /// meaning.
    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let _ = (call, inputs);
        None
    }

    /// Scheme level only: log2 of a bound on that part of the noise that the operator adds whose coefficients are independent of each other and of all else, given the
    /// secret and the keys: what it rounds. -infinity where there is none, or nobody counts on it.
    fn random_noise(&self, call: &Call<'_>) -> f64 {
        let _ = call;
        f64::NEG_INFINITY
    }
}
