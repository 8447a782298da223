//! Results of a run, decrypted: what a client does with the secret key, and several parties with what they made of it together.

use super::finish::{self, Decrypted};
use super::program::Program;
use super::residues::{Residues, combine};
use super::runner::{Given, Runner, plan_name};
use super::slots;
use super::travel;
use crate::bytes::{foreign, hex, shown};
use crate::circuit::{Job, Outcome};
use crate::engine::Run;
use crate::graph::{Attrs, OperandId, Real};
use crate::ops::Session;
use crate::ops::types::Extract;
use crate::packed::Layout;
use crate::schemes::noise;
use crate::sorted::SortedMap;
use crate::values::number::Number;
use crate::values::types::{Kind as ValueKind, Value};
use crate::values::{Exact, PackedValue};
use crate::{Error, Result, memory};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bits of measured noise budget below which a decryption is refused: once noise wraps around, its largest coefficient lies near Q/2 and the budget near 0.
pub const LEAST_BUDGET: f64 = 1.0;

/// Bits that a budget may be less than bounds promise: of an extract, since it has few coefficients, of which the largest may lie anywhere, and of all numbers under CKKS.
const SLACK: f64 = 1.0;

/// Results of one run of a program, all of them.
pub struct Results {
    /// Identity of the run.
    pub run: [u8; 16],
    /// Each value and the types of its ciphertexts, in the program's order.
    pub values: Vec<(PackedValue, Vec<Extract>)>,
    /// Words of each ciphertext of each value.
    pub words: Vec<Vec<Vec<u64>>>,
}

/// Reads results of a run, all of them or those that are `wanted`; `run` says which one, where that is known.
///
/// # Errors
/// `MissingInput` for a result that is not given, `UnknownResult` for what is none; `Foreign` for what another key, run or program has made; `Format` and `Task` for bytes that are not such a result; `OutOfMemory`.
pub fn read(
    program: &Program,
    key_id: &[u8; 16],
    results: &[&[u8]],
    run: Option<[u8; 16]>,
    wanted: impl Fn(&PackedValue) -> bool,
) -> Result<Results> {
    let (parameters, own) = (program.parameters().id(), hex(&program.id()));
    let (mut of_run, mut read) = (run, SortedMap::new());
    for bytes in results {
        let (origin, found, reader) = travel::reader(bytes, &parameters)?;
        let at = || format!("value `{}`", shown(&found.name));
        if origin.owner != *key_id {
            return Err(foreign(at(), "client", &origin.owner, key_id));
        }
        let run = *of_run.get_or_insert(origin.run);
        if origin.run != run {
            return Err(foreign(at(), "run", &origin.run, &run));
        }
        if let Some(found) = found.program.as_ref().filter(|found| **found != own) {
            let found = shown(found).to_owned();
            return Err(Error::Foreign { what: at(), of: "program", found, expected: own });
        }
        let outputs = &program.packing().outputs;
        let Some(value) = outputs.iter().find(|value| value.name == found.name) else {
            let names: Vec<&str> = outputs.iter().map(|value| value.name.as_str()).collect();
            let (name, expected) = (shown(&found.name).to_owned(), names.join(", "));
            return Err(Error::UnknownResult { name, expected });
        };
        let (expected, types) = program.descriptor(value, false)?;
        if !expected.takes(&found) {
            return Err(travel::mismatch(&value.name, &found, expected));
        }
        read.insert(found.name, (travel::words(reader, types, None)?, types.clone()));
    }
    let mut all = Results { run: of_run.unwrap_or(travel::FRESH), values: Vec::new(), words: Vec::new() };
    for value in program.packing().outputs.iter().filter(|value| wanted(value)) {
        let known = read.remove(&value.name);
        let (words, types) = known.ok_or_else(|| Error::MissingInput { name: value.name.clone() })?;
        all.values.push((value.clone(), types));
        all.words.push(words);
    }
    Ok(all)
}

/// Results that are to be decrypted and finished.
pub struct Decryption<'a> {
    /// Of which program.
    pub program: &'a Arc<Program>,
    /// What plans and runs its graph.
    pub runner: &'a Runner,
    /// The values, and the types of their ciphertexts.
    pub values: Vec<(PackedValue, Vec<Extract>)>,
    /// log2 of the deviation of noise that each ciphertext gets before it is decrypted, where it gets some.
    pub deviations: Vec<Option<f64>>,
}

impl Decryption<'_> {
    /// The job over what is given: `keys` keys, 1 or none, and the ciphertexts. `public` are the public inputs. `count` is called before anything is told.
    ///
    /// # Errors
    /// What the graph is refused for; `OutOfMemory`; the finished job gives `NoiseExhausted`, or `NoiseHidden` of what may be published.
    pub fn job(
        self,
        mut given: Given,
        keys: usize,
        public: SortedMap<String, Exact>,
        count: impl FnOnce() -> Result<()> + Send + 'static,
    ) -> Result<Job> {
        let Self { program, runner, values, deviations } = self;
        let mut parts: Vec<String> = given.types.iter().map(ToString::to_string).collect();
        let noisy = deviations.iter().any(Option::is_some);
        if noisy {
            given.secret_seed()?;
            parts.push(format!("{deviations:?}"));
        }
        let names = program.parameters().literal().scheme.operators();
        // Slots of reals are real numbers here.
        let decoded = if program.halves().exact { Attrs::new() } else { Attrs::new().with("complex", 0u64) };
        let build = |s: &mut Session<'_>, given: &[OperandId]| {
            let mut out = Vec::new();
            for (&(mut ciphertext), deviation) in given[keys..].iter().zip(&deviations) {
                if let Some(log) = deviation {
                    let finite = Error::Job("deviations are finite");
                    let deviation = Real::new(libm::exp2(*log)).ok_or(finite)?;
                    let inputs = [ciphertext, given[given.len() - 1]];
                    ciphertext = s.op("ckks.release", Attrs::new().with("deviation", deviation), &inputs)?;
                }
                let inputs = [&given[..keys], &[ciphertext]].concat();
                let plain = s.op(names.decrypt, Attrs::new(), &inputs)?;
                out.push(("slots".to_owned(), s.op(names.decode, decoded.clone(), &[plain])?));
                if let Some(noise) = names.noise {
                    out.push(("noise".to_owned(), s.op(noise, Attrs::new(), &inputs)?));
                }
            }
            Ok(out)
        };
        let program = Arc::clone(program);
        runner.job(Some(plan_name("decrypt", &parts)), given, build, move |run| {
            // Whether decryption fails is something that is told, too.
            count()?;
            let mut first = 0;
            let mut all = Decrypted::default();
            for (value, types) in &values {
                decrypted(&program, run, value, types, first, &mut all)?;
                first += types.len();
            }
            Ok(Outcome::Cells(finish::outputs(&program, all, &public)?))
        })
    }
}

/// Adds a decrypted value, whose ciphertexts are from number `first` on, and those in the same ciphertexts.
fn decrypted(
    program: &Program,
    run: &Run,
    value: &PackedValue,
    types: &[Extract],
    first: usize,
    all: &mut Decrypted,
) -> Result<()> {
    let exact = program.halves().exact;
    let (mut worst, mut error_bits) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut parts = Vec::with_capacity(types.len());
    let hidden = program.releases().is_some();
    let all_closed = program.closed(value)?;
    for (number, (ty, closed)) in types.iter().zip(all_closed).enumerate() {
        let number = first + number;
        let own = Zeroizing::new(run.output(if exact { 2 * number } else { number })?);
        let (budget, needed) = match closed.room(&own) {
            // Noise that wraps around is large in some of many numbers: of few, what bounds promise tells more.
            Some((room, promised)) => (room, LEAST_BUDGET.max(promised - SLACK)),
            None => {
                let noise = run.output(2 * number + 1)?.first().map_or(f64::INFINITY, |&b| f64::from_bits(b));
                let budget = noise::log2(&ty.ciphertext.q) - 1.0 - noise;
                let held = !ty.is_whole() && closed.budget.is_finite();
                (budget, if held { LEAST_BUDGET.max(closed.budget - SLACK) } else { LEAST_BUDGET })
            }
        };
        if budget.is_nan() || budget < needed {
            let what = value.name.clone();
            return Err(match (hidden, exact) {
                (true, _) => Error::NoiseHidden { what },
                (false, true) => Error::NoiseExhausted { what, budget, needed },
                // It would tell how large the number is.
                (false, false) => Error::NoiseExhausted { what, budget: 0.0, needed: LEAST_BUDGET },
            });
        }
        worst = worst.min(budget);
        error_bits = error_bits.max(closed.error_bits().unwrap_or(f64::NEG_INFINITY));
        parts.push(if ty.stride == 1 { own } else { slots::repeated(&own, program.frame())? });
    }
    if exact && !hidden {
        all.budgets.extend(value.all().map(|own| (own.name.clone(), worst)));
    }
    let reals = value.all().filter(|own| own.value.kind == ValueKind::Real);
    all.off.extend(reals.map(|own| (own.name.clone(), libm::exp2(error_bits))));
    cells_of(program, value, &parts, &mut all.cells)
}

/// Adds the cells of a value, from the slots of its ciphertexts, in the order in which they travel, and of those in the same ciphertexts.
pub fn cells_of(
    program: &Program,
    value: &PackedValue,
    parts: &[impl AsRef<[u64]>],
    all: &mut SortedMap<String, Exact>,
) -> Result<()> {
    let (frame, exact, moduli) = (program.frame(), program.halves().exact, program.moduli());
    // From ciphertext number `from` on, of each part those of all plaintext moduli.
    let read = |from: usize, layout: &Layout, base: u64, value: &Value| -> Result<Vec<Number>> {
        let numbers = layout.parts(frame);
        let slot = |t: usize, part: u64, at: usize| {
            let index = numbers.binary_search(&part).ok();
            let own = index.and_then(|index| parts.get(from + index * moduli.len() + t));
            own.and_then(|own| own.as_ref().get(at).copied()).unwrap_or(0)
        };
        let rows = |t: usize| Zeroizing::new(slots::cells(layout, base, frame, |part, at| slot(t, part, at)));
        if exact {
            let residues = moduli
                .iter()
                .enumerate()
                .filter_map(|(index, t)| Some(Residues { t: (*t)?, cells: rows(index) }));
            return Ok(combine(&residues.collect::<Vec<_>>())?.iter().copied().map(Number::from).collect());
        }
        let cell = |bits: u64| {
            slots::cell(f64::from_bits(bits), value).ok_or_else(|| Error::NoiseExhausted {
                what: value.to_string(),
                budget: 0.0,
                needed: LEAST_BUDGET,
            })
        };
        // Cells that move to a larger block would stay in the smaller one.
        let bits = rows(0);
        let mut cells = memory::room(bits.len())?;
        for &bits in bits.iter() {
            cells.push(cell(bits)?);
        }
        Ok(cells)
    };
    for own in value.all() {
        let cells = read(0, &own.layout, own.base, &own.value)?;
        let flags = own.present.as_ref().map(|layout| {
            let from = own.layout.parts(frame).len() * moduli.len();
            read(from, layout, 0, &Value::new(ValueKind::Boolean, own.value.shape.as_slice()))
        });
        let cells = match flags.transpose()? {
            None => Exact::new(cells),
            Some(flags) => Exact::masked(cells, flags.iter().map(|flag| *flag == Number::ONE).collect()),
        };
        all.insert(own.name.clone(), cells);
    }
    Ok(())
}
