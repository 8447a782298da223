//! The one suite that every platform passes: the same bits as the reference, on edge values and random ones.
//!
//! The reference for base operators is not another platform but a model of every base operator, written out slowly from its
//! definition. Lattice algebra: all residues 0, 1, q - 1, alternating and random, rings of dimension 2 to 32768, primes of 17 to
//! 61 bits, bases of 1 to 70 primes. Only `rns.norm`, a measurement, is compared but for 1e-9: its logarithm is
//! the machine's own; and what is computed on doubles (`rns.to_real`, `slots.embed`, `slots.unembed`) but for what these can tell. Plain data: element by element, on edge values, in graphs of all units, with arbitrary bits where
//! a tensor does not fill its last byte; any NaN is as good as any other. A fused operator that a platform implements is compared with its expansion into base operators.

mod cases;
mod fused;
mod models;
mod plain;
mod sample;
mod values;

use super::{Kernel, Platform};
use crate::Error;
use crate::graph::ValueType;
use crate::ops::types::{WORD, block_size};
use crate::ops::{Call, OpDef, base, fused as fused_operators, plain as plain_operators};
use cases::{Case, Expected, cases};
pub use sample::{Prepared, Sample};
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
    #[error(
        "platform `{platform}`, `{op}`, {case}, element {index}: found {found:#x}, expected {expected:#x}"
    )]
    Wrong {
        /// The platform.
        platform: String,
        /// The operator type.
        op: String,
        /// Attributes and inputs.
        case: String,
        /// The first element that differs; of lattice algebra, the first word.
        index: usize,
        /// What the platform computed.
        found: u64,
        /// What the model says.
        expected: u64,
    },
}

/// What one operator type passed on a platform.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Its cases.
    pub cases: usize,
    /// Those that passed.
    pub passed: usize,
    /// Words that were compared and found to be right.
    pub words: usize,
    /// The first case that did not pass.
    pub failure: Option<Failure>,
}

/// The operator types that a platform is tried on: every one of the base set, and every fused one that it implements.
pub fn operators(platform: &dyn Platform) -> Vec<Arc<dyn OpDef>> {
    let fused = fused_operators::all().into_iter().filter(|def| platform.implements(def.name()));
    base::all().into_iter().chain(plain_operators::all()).chain(fused).collect()
}

/// Runs all of [`operators`] on the platform, and compares each with its model. Each case runs twice, on outputs that
/// hold different rubbish before: what a kernel leaves unwritten, adds to, or remembers shows.
///
/// # Errors
/// The first [`Failure`].
pub fn check(platform: &dyn Platform) -> Result<Report, Failure> {
    check_operators(platform, &operators(platform))
}

/// As [`check`], for these operator types only.
///
/// # Errors
/// As [`check`].
pub fn check_operators(platform: &dyn Platform, types: &[Arc<dyn OpDef>]) -> Result<Report, Failure> {
    let mut report = Report::default();
    for def in types {
        let Tried { cases, words, failure, .. } = try_operator(platform, def.as_ref());
        if let Some(failure) = failure {
            return Err(failure);
        }
        report.words += words;
        report.operators.push((def.name().to_owned(), cases));
    }
    Ok(report)
}

/// Runs all cases of one operator type, as [`check`] does, also those after one that does not pass.
pub fn try_operator(platform: &dyn Platform, def: &dyn OpDef) -> Tried {
    let cases = cases(def.name());
    let mut tried = Tried { cases: cases.len(), passed: 0, words: 0, failure: None };
    for case in &cases {
        match run(platform, def, case) {
            Ok(words) => {
                tried.passed += 1;
                tried.words += words;
            }
            Err(failure) => {
                tried.failure.get_or_insert(failure);
            }
        }
    }
    if cases.is_empty() {
        tried.failure = Some(Failure::NoCase { op: def.name().to_owned() });
    }
    tried
}

/// The cases of one operator type, for whoever computes elsewhere: these are given out, and what was computed is judged.
pub struct Trials {
    def: Arc<dyn OpDef>,
    cases: Vec<Case>,
}

impl Trials {
    /// Of an operator type on words.
    pub fn new(def: Arc<dyn OpDef>) -> Self {
        let cases = cases(def.name());
        Self { def, cases }
    }

    /// Some of the cases alone.
    #[must_use]
    pub fn only(mut self, wanted: impl Fn(&Call<'_>) -> bool) -> Self {
        let def = &*self.def;
        self.cases.retain(|case| wanted(&call_of(def, case, &types_of(case))));
        self
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.cases.len()
    }

    /// What `f` makes of case number `index`: of the call, the type of its output and the words of its inputs.
    ///
    /// # Errors
    /// `Job` where there is no such case; what the operator type and `f` say.
    pub fn given<T>(
        &self,
        index: usize,
        f: impl FnOnce(&Call<'_>, &ValueType, &[&[u64]]) -> crate::Result<T>,
    ) -> crate::Result<T> {
        let case = self.cases.get(index).ok_or(Error::Job("there is no such case"))?;
        let types = types_of(case);
        let call = call_of(&*self.def, case, &types);
        let words: Vec<&[u64]> = case.inputs.iter().map(|(_, words)| words.as_slice()).collect();
        f(&call, &self.def.assemble(&call)?, &words)
    }

    /// Judges what a platform made of case number `index`.
    ///
    /// # Errors
    /// [`Failure`], and `NoCase` where there is no such case.
    pub fn check(&self, platform: &str, index: usize, out: &[u64]) -> Result<(), Failure> {
        let op = self.def.name().to_owned();
        let case = self.cases.get(index).ok_or(Failure::NoCase { op })?;
        compare(platform, &*self.def, case, out)
    }
}

fn types_of(case: &Case) -> Vec<ValueType> {
    case.inputs.iter().map(|(ty, _)| ty.clone()).collect()
}

fn call_of<'c>(def: &'c dyn OpDef, case: &'c Case, types: &'c [ValueType]) -> Call<'c> {
    Call { name: def.name(), attrs: &case.attrs, inputs: types, unit: case.unit }
}

fn compare(platform: &str, def: &dyn OpDef, case: &Case, out: &[u64]) -> Result<(), Failure> {
    let Some(Difference { index, found, expected }) = difference(out, &case.expected) else { return Ok(()) };
    let types = types_of(case);
    let call = call_of(def, case, &types);
    let (platform, op, case) = (platform.to_owned(), def.name().to_owned(), describe(&call));
    Err(Failure::Wrong { platform, op, case, index, found, expected })
}

fn run(platform: &dyn Platform, def: &dyn OpDef, case: &Case) -> Result<usize, Failure> {
    let types = types_of(case);
    let call = call_of(def, case, &types);
    let kernel = |ty| match platform.kernel(&call, &ty)? {
        Kernel::Words(_) if call.unit != WORD => {
            Err(call.error("unit of the graph", call.unit, format!("{WORD} bits")))
        }
        Kernel::Elsewhere(_) | Kernel::Device(_) | Kernel::Upload | Kernel::Download => {
            Err(call.error("kernel", "one elsewhere", "one that runs here"))
        }
        kernel => Ok((kernel, ty.size * u64::from(call.unit))),
    };
    let prepared = def.assemble(&call).and_then(kernel);
    let (kernel, bits) = prepared.map_err(|reason| Failure::Refused {
        platform: platform.name().to_owned(),
        op: def.name().to_owned(),
        case: describe(&call),
        reason: Box::new(reason),
    })?;
    let words = bits.div_ceil(64) as usize;
    for rubbish in [u64::MAX, 0x0123_4567_89ab_cdef] {
        let mut out = vec![rubbish; words];
        match &kernel {
            Kernel::Words(_) => on_words(&kernel, case, &mut out, rubbish),
            _ => on_bytes(&kernel, case, &mut out, bits, rubbish),
        }
        compare(platform.name(), def, case, &out)?;
    }
    Ok(words)
}

fn on_words(kernel: &Kernel, case: &Case, out: &mut [u64], rubbish: u64) {
    let inputs = case.inputs.iter().flat_map(|(ty, words)| words.chunks(block_size(ty).max(1) as usize));
    kernel.run(&inputs.collect::<Vec<_>>(), out, &mut vec![rubbish; kernel.scratch()], case.nonce);
}

/// The kernel sees the bytes that operands take up; in the last ones, rubbish fills up what no operand holds.
fn on_bytes(kernel: &Kernel, case: &Case, out: &mut [u64], bits: u64, rubbish: u64) {
    let Kernel::Bytes(kernel) = kernel else { return };
    let filled = |(ty, words): &(ValueType, Vec<u64>)| {
        let (bits, mut words) = (ty.size * u64::from(case.unit), words.clone());
        if let Some(last) = words.last_mut().filter(|_| !bits.is_multiple_of(64)) {
            *last |= rubbish << (bits % 64);
        }
        (words, bits.div_ceil(8) as usize)
    };
    let inputs: Vec<(Vec<u64>, usize)> = case.inputs.iter().map(filled).collect();
    let inputs: Vec<&[u8]> =
        inputs.iter().map(|(words, bytes)| &bytemuck::cast_slice(words)[..*bytes]).collect();
    let (out, beyond) = bytemuck::cast_slice_mut(out).split_at_mut(bits.div_ceil(8) as usize);
    kernel.run(&inputs, out);
    beyond.fill(0);
}

/// The first element that differs, and what it should be.
struct Difference {
    index: usize,
    found: u64,
    expected: u64,
}

fn difference(out: &[u64], expected: &Expected) -> Option<Difference> {
    let at = |words: &[u64], index: usize| words.get(index).copied().unwrap_or(0);
    match expected {
        Expected::Words(words) => {
            let index = (0..words.len().max(out.len())).find(|&i| words.get(i) != out.get(i))?;
            Some(Difference { index, found: at(out, index), expected: at(words, index) })
        }
        Expected::Double(value) => {
            let near = out.len() == 1 && (f64::from_bits(out[0]) - value).abs() < 1e-9;
            (!near).then(|| Difference { index: 0, found: at(out, 0), expected: value.to_bits() })
        }
        Expected::Doubles(values, most) => {
            let near = |i: &usize| (f64::from_bits(at(out, *i)) - values[*i]).abs() <= *most;
            let index = (0..values.len()).find(|i| !near(i))?;
            Some(Difference { index, found: at(out, index), expected: values[index].to_bits() })
        }
        Expected::Tensor(tensor) => {
            let found = plain::Data::unpack(tensor.element, &tensor.shape, out);
            let differs = |i: &usize| !tensor.alike(found.bits[*i], tensor.bits[*i]);
            let index = (0..tensor.bits.len()).find(differs);
            if let Some(index) = index {
                return Some(Difference { index, found: found.bits[index], expected: tensor.bits[index] });
            }
            // What fills up the last byte.
            let index = tensor.bits.len();
            let filled = out.last() != found.pack().last();
            filled.then(|| Difference { index, found: at(out, out.len() - 1), expected: 0 })
        }
    }
}

fn describe(call: &Call<'_>) -> String {
    let attrs: String = call.attrs.to_string().chars().take(100).collect();
    match call.inputs.first() {
        None => format!("{attrs}, no input"),
        Some(first) if call.unit == WORD => {
            format!("{attrs}, {} inputs, the first {first}", call.inputs.len())
        }
        Some(_) => {
            let inputs: Vec<String> = call.inputs.iter().map(ToString::to_string).collect();
            format!("unit {}, {attrs}, inputs {}", call.unit, inputs.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Attrs;
    use crate::ops::Level;
    use crate::platform::{Scalar, Simd};
    use std::collections::BTreeSet;

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

    #[test]
    fn operators_name_the_attributes_that_they_read() {
        for def in operators(&Simd::new()) {
            let mut seen = BTreeSet::new();
            for case in cases(def.name()) {
                let inputs: Vec<ValueType> = case.inputs.iter().map(|(ty, _)| ty.clone()).collect();
                for (attr, _) in case.attrs.iter() {
                    if !seen.insert(attr.to_owned()) {
                        continue;
                    }
                    let other =
                        case.attrs.iter().fold(Attrs::new(), |all, (name, value)| match name == attr {
                            true => all.with(name, "no such word"),
                            false => all.with(name, value.clone()),
                        });
                    let call = |attrs| Call { name: def.name(), attrs, inputs: &inputs, unit: case.unit };
                    assert!(def.assemble(&call(&case.attrs)).is_ok(), "{}", def.name());
                    let found = def.assemble(&call(&other));
                    assert!(found.is_err(), "{} does not read `{attr}`", def.name());
                }
            }
            let named = def.attributes().unwrap_or_default().iter().map(|&name| name.to_owned()).collect();
            assert_eq!(seen, named, "{}", def.name());
        }
    }
}
