//! The client's half: from decrypted values to the declared outputs of a task; and the whole task, unencrypted, to compare with.

use super::halves::Halves;
use super::program::Program;
use super::slots;
use crate::circuit::OutputCells;
use crate::sorted::SortedMap;
use crate::values::types::Value;
use crate::values::{Exact, GivenCells, Interpreted, interpret_defined};
use crate::{Error, Result};

/// Values by name.
type Cells = SortedMap<String, Exact>;

/// What was decrypted, by the names of the outputs of the server's half.
#[derive(Default)]
pub struct Decrypted {
    pub cells: Cells,
    /// The noise budget that the worst of a value's ciphertexts has left, where it is measured.
    pub budgets: SortedMap<String, f64>,
    /// By how much the reals of a value may be off.
    pub off: SortedMap<String, f64>,
}

/// Values as exact numbers.
///
/// # Errors
/// `OutOfMemory`.
pub fn exact(given: &SortedMap<String, GivenCells>) -> Result<Cells> {
    given.iter().map(|(name, cells)| Ok((name.clone(), cells.exact()?.into_owned()))).collect()
}

/// The declared outputs of a program's task; `public` are its public inputs.
///
/// # Errors
/// As [`crate::values::interpret`], but for what has no value.
pub fn outputs(program: &Program, decrypted: Decrypted, public: &Cells) -> Result<Vec<OutputCells>> {
    let Decrypted { cells, budgets, off } = decrypted;
    let (finish, Halves { registry, values, exact, .. }) = (program.finish(), program.halves());
    // Of what may be published it is nobody else's affair.
    let told = *exact && program.releases().is_none();
    // An output may be called as a public input is, and what crosses is not.
    let known = |name: &String| public.get(name).or_else(|| cells.get(name));
    let given =
        finish.inputs().iter().filter_map(|port| Some((port.name.clone(), known(&port.name)?.clone())));
    let interpreted = interpret_defined(finish, registry, values, &given.collect(), &off)?;
    let (mut all, finished) = (results(&interpreted), interpreted.off());
    let sources = program.halves().sources()?;
    let worst = |name: &String| {
        let from: Vec<&String> = match sources.get(name) {
            Some(names) => names.iter().filter(|name| !public.contains_key(*name)).collect(),
            None => vec![name],
        };
        from.into_iter().filter_map(|name| budgets.get(name)).copied().fold(f64::INFINITY, f64::min)
    };
    let output = |name: &String| {
        let cells = all.remove(name).or_else(|| cells.get(name).cloned().map(Ok));
        let cells = cells.ok_or(Error::Job("every output is computed in one of the halves"))?;
        // Integers are in units.
        let ty = finish.outputs().iter().find(|port| port.name == *name).map(|port| finish.ty(port.operand));
        let unit = ty.and_then(|ty| Value::of(ty).ok()).map_or(1.0, |value| slots::unit(&value));
        let error = finished.get(name).map(|off| off / unit).or_else(|| off.get(name).copied());
        let error = error.filter(|error| cells.is_ok() && *error > 0.0 && error.is_finite());
        Ok(OutputCells { name: name.clone(), cells, budget: told.then(|| worst(name)), error })
    };
    program.task().outputs.iter().map(|declared| &declared.name).map(output).collect()
}

/// The declared outputs of a program's task of all its inputs, none of them encrypted.
///
/// # Errors
/// As [`outputs`].
pub fn plain(program: &Program, inputs: &Cells) -> Result<Vec<OutputCells>> {
    let Halves { registry, values, .. } = program.halves();
    let (task, _) = program.task().assemble(registry, values)?;
    let all = results(&interpret_defined(&task, registry, values, inputs, &SortedMap::new())?);
    let output = |(name, cells)| OutputCells { name, cells, budget: None, error: None };
    Ok(all.into_iter().map(output).collect())
}

/// The outputs of an interpretation: `NoValue` for those that have none.
fn results(interpreted: &Interpreted) -> SortedMap<String, Result<Exact>> {
    let mut all: SortedMap<String, Result<Exact>> =
        interpreted.outputs().into_iter().map(|(name, cells)| (name, Ok(cells))).collect();
    all.extend(interpreted.undefined().into_iter().map(|(name, why)| {
        let error = Error::NoValue { output: name.clone(), why: why.to_string() };
        (name, Err(error))
    }));
    all
}
