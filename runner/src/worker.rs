//! A worker's half: does tasks, and keeps circuits, programs and keys between them.

use crate::blob::Blob;
use crate::chunk::{Row, decode};
use crate::circuit::{OpenCircuit, of_both};
use crate::data::Data;
use crate::definition::Operator;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::program::OpenProgram;
use crate::results::{Reduce, Results, merged, rows_of};
use crate::task::{Calls, Outcome, Task, Work};
use crate::template::ResultType;
use std::collections::HashMap;
use std::rc::Rc;

/// How many circuits, and how many programs, stay open.
const MOST_OPEN: usize = 16;

/// Does one task after the other.
#[derive(Default)]
pub struct Worker {
    circuits: HashMap<u32, Rc<OpenCircuit>>,
    /// By the numbers of program and keys.
    programs: HashMap<(u32, u32), Rc<OpenProgram>>,
}

/// What is called with rows.
enum Open {
    Circuit(Rc<OpenCircuit>),
    Program(Rc<OpenProgram>),
}

impl Open {
    fn call(&self, value: &Data) -> Result<Data> {
        match self {
            Self::Circuit(circuit) => circuit.call(value),
            Self::Program(program) => program.call(value),
        }
    }
}

impl Worker {
    /// Does a task.
    ///
    /// # Errors
    /// `job.operator`, `job.result`, `job.key`, `job.template`, `job.chunk`, which name round, part and key.
    pub fn run(&mut self, task: &Task) -> Result<Outcome> {
        match &task.work {
            Work::Map(calls) => self.mapped(task, calls),
            Work::Reduce { runs, of, reduce } => {
                let mut kind = ResultType::new(Some(*of), Some(*of), format!("{}, reduced", at(task)));
                let mut reduce = self.reducer(task, reduce)?;
                let chunks = merged(runs, &mut *reduce, &mut kind)?;
                Ok(Outcome { chunks, template: Some(*of), calls: 0 })
            }
        }
    }

    fn mapped(&mut self, task: &Task, work: &Calls) -> Result<Outcome> {
        let read = |chunk| rows_of(chunk).map_err(|error| told(task, &error));
        let (from, to) = (work.range.0 as usize, work.range.1 as usize);
        let mut rows: Vec<Row> = read(&work.chunk)?.into_iter().take(to).skip(from).collect();
        let mut others = work.other.as_ref().map(read).transpose()?;
        let mut of = Some(work.of);
        let mut calls = 0;
        let Some((last, before)) = work.steps.split_last() else {
            return Ok(Outcome { chunks: Vec::new(), template: None, calls });
        };
        for operator in before {
            let open = self.open(task, operator)?;
            let mut kind = ResultType::new(of, None, at(task));
            let mut given = Vec::new();
            calls += each(task, (operator, &open), &rows, others.as_deref(), |key, value| {
                kind.check(&key, &value)?;
                given.push((key, value));
                Ok(())
            })?;
            (of, rows, others) = (kind.template, given, None);
        }
        let open = self.open(task, last)?;
        let reduce = work.reduce.as_ref().map(|reduce| self.reducer(task, reduce)).transpose()?;
        let mut results = Results::new(ResultType::new(of, work.result, at(task)), reduce);
        calls += each(task, (last, &open), &rows, others.as_deref(), |key, value| results.give(key, value))?;
        let (chunks, kind) = results.end()?;
        let template = kind.template.filter(|_| !chunks.is_empty());
        Ok(Outcome { chunks, template, calls })
    }

    fn reducer<'t>(&mut self, task: &'t Task, reduce: &'t Blob) -> Result<Box<Reduce<'t>>> {
        let circuit = self.circuit(task, reduce)?;
        Ok(Box::new(move |key, a, b| {
            let operator = || Operator::Circuit(reduce.clone());
            let both = of_both(a.clone(), b.clone());
            circuit.call(&both).map_err(|error| call_failed(task, key, &operator(), &error))
        }))
    }

    fn open(&mut self, task: &Task, operator: &Operator) -> Result<Open> {
        match operator {
            Operator::Circuit(bytes) => Ok(Open::Circuit(self.circuit(task, bytes)?)),
            Operator::Program { bytes, keys } => Ok(Open::Program(self.program(task, bytes, keys)?)),
        }
    }

    fn circuit(&mut self, task: &Task, bytes: &Blob) -> Result<Rc<OpenCircuit>> {
        if let Some(open) = self.circuits.get(&bytes.number) {
            return Ok(Rc::clone(open));
        }
        let failed = |error: Error| not_opened(task, &Operator::Circuit(bytes.clone()), &error);
        let open = Rc::new(OpenCircuit::new(&bytes.bytes).map_err(failed)?);
        make_room(&mut self.circuits);
        self.circuits.insert(bytes.number, Rc::clone(&open));
        Ok(open)
    }

    fn program(&mut self, task: &Task, bytes: &Blob, keys: &str) -> Result<Rc<OpenProgram>> {
        let operator = || Operator::Program { bytes: bytes.clone(), keys: keys.to_owned() };
        let failed = |error: Error| not_opened(task, &operator(), &error);
        let global = task.globals.iter().find(|(name, _)| name == keys).map(|(_, rows)| rows);
        let global = global.ok_or_else(|| {
            let message = format!("there is no global {keys:?} with its evaluation keys");
            failed(Error::new("input.missing", message))
        })?;
        let number = (bytes.number, global.number);
        if let Some(open) = self.programs.get(&number) {
            return Ok(Rc::clone(open));
        }
        let rows = decode(&global.bytes).map_err(failed)?;
        let open = OpenProgram::new(&bytes.bytes, rows.iter().map(|(_, value)| value)).map_err(failed)?;
        let open = Rc::new(open);
        make_room(&mut self.programs);
        self.programs.insert(number, Rc::clone(&open));
        Ok(open)
    }
}

/// Calls an operator with each row, and each of the other rows where there are such; gives how often.
fn each(
    task: &Task,
    (operator, open): (&Operator, &Open),
    rows: &[Row],
    others: Option<&[Row]>,
    mut give: impl FnMut(Key, Data) -> Result<()>,
) -> Result<u64> {
    let mut calls = 0;
    let mut call = |key: &Key, value: &Data| {
        calls += 1;
        open.call(value).map_err(|error| call_failed(task, key, operator, &error))
    };
    for (key, value) in rows {
        let Some(others) = others else {
            give(key.clone(), call(key, value)?)?;
            continue;
        };
        for (other, other_value) in others {
            let given = call(key, &of_both(value.clone(), other_value.clone()))?;
            let (Some(row), Some(column)) = (key.index(), other.index()) else {
                let message = format!(
                    "{}: a result for the rows {key} and {other} has no key, since these are not both whole numbers",
                    at(task)
                );
                return Err(Error::new("job.result", message));
            };
            give(Key::Position(row, column), given)?;
        }
    }
    Ok(calls)
}

fn call_failed(task: &Task, key: &Key, operator: &Operator, error: &Error) -> Error {
    let message = format!("{}, key {key}: {}: {error}", at(task), name(operator));
    Error::new("job.operator", message)
}

/// Lets all go that is open where there is too much: what is needed is opened again.
fn make_room<K, V>(open: &mut HashMap<K, V>) {
    if open.len() >= MOST_OPEN {
        open.clear();
    }
}

fn at(task: &Task) -> String {
    format!("round {}, part {}", task.round, task.part)
}

fn name(operator: &Operator) -> String {
    match operator {
        Operator::Circuit(bytes) => format!("circuit {} of {} bytes", bytes.number, bytes.bytes.len()),
        Operator::Program { bytes, .. } => format!("program {} of {} bytes", bytes.number, bytes.bytes.len()),
    }
}

fn not_opened(task: &Task, operator: &Operator, error: &Error) -> Error {
    let message = format!("{}: {}: it could not be opened: {error}", at(task), name(operator));
    Error::new("job.operator", message)
}

fn told(task: &Task, error: &Error) -> Error {
    Error { code: error.code.clone(), message: format!("{}: {}", at(task), error.message) }
}
