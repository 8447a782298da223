//! The one suite that every platform passes: the same bits as the reference, on edge values and random ones.
//!
//! The reference for base operators is not another platform but a model of every base operator, written out slowly from its
//! definition: all residues 0, 1, q - 1, alternating and random, rings of dimension 2 to 32768, primes of 17 to
//! 61 bits, bases of 1 to 70 primes. Only `rns.norm`, a measurement, is compared but for 1e-9: its logarithm is
//! the machine's own. A fused operator that a platform implements is compared with its expansion into base operators.

mod cases;
mod fused;
mod models;
mod values;

use super::Platform;
use crate::Error;
use crate::ops::types::{WORD, block_size};
use crate::ops::{Call, OpDef, base, fused as fused_operators};
use cases::{Case, Expected, cases};
use std::sync::Arc;

/// What a platform passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Base operator types, each with its number of cases.
    pub operators: Vec<(String, usize)>,
    /// Words that were compared.
    pub words: usize,
}

/// Why a platform did not pass.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A base operator type that this suite does not know: it needs a model and cases.
    #[error("base operator `{op}` has no conformance case")]
    NoCase {
        /// The operator type.
        op: String,
    },
    /// The platform has no kernel for an operator, or refuses what it must take.
    #[error("platform `{platform}`, `{op}`, {case}: {reason}")]
    Refused {
        /// The platform.
        platform: String,
        /// The operator type.
        op: String,
        /// Attributes and inputs.
        case: String,
        /// What it said.
        reason: Box<Error>,
    },
    /// The platform computes something else.
    #[error("platform `{platform}`, `{op}`, {case}, word {index}: found {found:#x}, expected {expected:#x}")]
    Wrong {
        /// The platform.
        platform: String,
        /// The operator type.
        op: String,
        /// Attributes and inputs.
        case: String,
        /// The first word that differs.
        index: usize,
        /// What the platform computed.
        found: u64,
        /// What the model says.
        expected: u64,
    },
}

/// Runs every base operator type on the platform, and every fused one that it implements, and compares with its model. Each case runs twice, on outputs that
/// hold different rubbish before: what a kernel leaves unwritten, adds to, or remembers shows.
///
/// # Errors
/// The first [`Failure`].
pub fn check(platform: &dyn Platform) -> Result<Report, Failure> {
    let fused = fused_operators::all().into_iter().filter(|def| platform.implements(def.name()));
    check_operators(platform, &base::all().into_iter().chain(fused).collect::<Vec<_>>())
}

/// As [`check`], for these operator types only.
///
/// # Errors
/// As [`check`].
pub fn check_operators(platform: &dyn Platform, types: &[Arc<dyn OpDef>]) -> Result<Report, Failure> {
    let mut report = Report::default();
    for def in types {
        let cases = cases(def.name());
        if cases.is_empty() {
            return Err(Failure::NoCase { op: def.name().to_owned() });
        }
        for case in &cases {
            report.words += run(platform, def.as_ref(), case)?;
        }
        report.operators.push((def.name().to_owned(), cases.len()));
    }
    Ok(report)
}

fn run(platform: &dyn Platform, def: &dyn OpDef, case: &Case) -> Result<usize, Failure> {
    let types: Vec<_> = case.inputs.iter().map(|(ty, _)| ty.clone()).collect();
    let inputs = case.inputs.iter().flat_map(|(ty, words)| words.chunks(block_size(ty).max(1) as usize));
    let inputs: Vec<&[u64]> = inputs.collect();
    let call = Call { name: def.name(), attrs: &case.attrs, inputs: &types, unit: WORD };
    let prepared = def.assemble(&call).and_then(|ty| Ok((platform.kernel(&call, &ty)?, ty.size as usize)));
    let (platform, op) = (platform.name().to_owned(), def.name().to_owned());
    let (kernel, size) = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => {
            let (case, reason) = (describe(&call), Box::new(reason));
            return Err(Failure::Refused { platform, op, case, reason });
        }
    };
    for rubbish in [u64::MAX, 0x0123_4567_89ab_cdef] {
        let (mut out, mut scratch) = (vec![rubbish; size], vec![rubbish; kernel.scratch()]);
        kernel.run(&inputs, &mut out, &mut scratch, case.nonce);
        if let Some((index, expected)) = difference(&out, &case.expected) {
            let (case, found) = (describe(&call), out.get(index).copied().unwrap_or(rubbish));
            return Err(Failure::Wrong { platform, op, case, index, found, expected });
        }
    }
    Ok(size)
}

/// The first word that differs, and what it should be.
fn difference(out: &[u64], expected: &Expected) -> Option<(usize, u64)> {
    match expected {
        Expected::Words(words) => {
            let index = (0..words.len().max(out.len())).find(|&i| words.get(i) != out.get(i))?;
            Some((index, words.get(index).copied().unwrap_or(0)))
        }
        Expected::Double(value) => {
            let near = out.len() == 1 && (f64::from_bits(out[0]) - value).abs() < 1e-9;
            (!near).then_some((0, value.to_bits()))
        }
    }
}

fn describe(call: &Call<'_>) -> String {
    let attrs: String = call.attrs.to_string().chars().take(100).collect();
    match call.inputs.first() {
        None => format!("{attrs}, no input"),
        Some(first) => format!("{attrs}, {} inputs, the first {first}", call.inputs.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::ValueType;
    use crate::ops::Level;
    use crate::platform::Scalar;

    struct New;

    impl OpDef for New {
        fn name(&self) -> &str {
            "limb.new"
        }
        fn level(&self) -> Level {
            Level::Base
        }
        fn assemble(&self, call: &Call<'_>) -> crate::Result<ValueType> {
            Ok(call.inputs[0].clone())
        }
    }

    #[test]
    fn an_operator_without_a_case_fails() {
        let failure = check_operators(&Scalar::new(), &[Arc::new(New)]).unwrap_err();
        assert_eq!(failure, Failure::NoCase { op: "limb.new".into() });
    }
}
