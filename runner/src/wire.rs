//! Tasks and outcomes as bytes between processes of one run, which are one build: nobody else reads them. Blobs are told by their numbers.

use crate::blob::Blob;
use crate::definition::Operator;
use crate::error::{Error, Result};
use crate::task::{Calls, Outcome, Task, Work};
use crate::template::Template;
use crate::vector::Chunk;

/// Writes what is sent.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|one| item(self, one));
    }

    fn maybe<T>(&mut self, one: Option<&T>, item: impl FnOnce(&mut Self, &T)) {
        self.number(one.is_some().into());
        if let Some(one) = one {
            item(self, one);
        }
    }

    fn chunk(&mut self, chunk: &Chunk) {
        self.number(chunk.rows);
        self.bytes(&chunk.bytes);
    }

    fn blob(&mut self, blob: &Blob) {
        self.number(blob.number.into());
    }

    fn template(&mut self, template: &Template) {
        self.bytes(template.name().as_bytes());
    }

    fn operator(&mut self, operator: &Operator) {
        match operator {
            Operator::Circuit(bytes) => {
                self.number(0);
                self.blob(bytes);
            }
            Operator::Program { bytes, keys } => {
                self.number(1);
                self.blob(bytes);
                self.bytes(keys.as_bytes());
            }
        }
    }
}

/// The blobs that a task needs.
pub fn blobs_of(task: &Task) -> Vec<&Blob> {
    let mut blobs: Vec<&Blob> = task.globals.iter().map(|(_, rows)| rows).collect();
    match &task.work {
        Work::Reduce { reduce, .. } => blobs.push(reduce),
        Work::Map(calls) => {
            blobs.extend(&calls.reduce);
            blobs.extend(calls.steps.iter().map(|step| match step {
                Operator::Circuit(bytes) | Operator::Program { bytes, .. } => bytes,
            }));
        }
    }
    blobs
}

/// A task and its name.
pub fn task_bytes(name: u64, task: &Task) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(name);
    out.number(task.round.into());
    out.number(task.part.into());
    out.list(&task.globals, |out, (name, rows)| {
        out.bytes(name.as_bytes());
        out.blob(rows);
    });
    match &task.work {
        Work::Map(calls) => {
            out.number(0);
            out.list(&calls.steps, Writer::operator);
            out.chunk(&calls.chunk);
            out.number(calls.range.0);
            out.number(calls.range.1);
            out.maybe(calls.other.as_ref(), Writer::chunk);
            out.template(&calls.of);
            out.maybe(calls.result.as_ref(), Writer::template);
            out.maybe(calls.reduce.as_ref(), Writer::blob);
        }
        Work::Reduce { runs, of, reduce } => {
            out.number(1);
            out.list(runs, |out, run| out.list(run, Writer::chunk));
            out.template(of);
            out.blob(reduce);
        }
    }
    out.0
}

/// What came of a task, with its name.
pub fn outcome_bytes(name: u64, outcome: &Result<Outcome>) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(name);
    match outcome {
        Ok(outcome) => {
            out.number(0);
            out.list(&outcome.chunks, Writer::chunk);
            out.maybe(outcome.template.as_ref(), Writer::template);
            out.number(outcome.calls);
        }
        Err(error) => {
            out.number(1);
            out.bytes(error.code.as_bytes());
            out.bytes(error.message.as_bytes());
        }
    }
    out.0
}

/// Reads what was sent.
struct Reader<'b, F> {
    rest: &'b [u8],
    blob: F,
}

impl<F: Fn(u32) -> Option<Blob>> Reader<'_, F> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&[u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        Some(std::str::from_utf8(self.bytes()?).ok()?.to_owned())
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| item(self)).collect()
    }

    fn maybe<T>(&mut self, item: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.number()? == 0 { Some(None) } else { Some(Some(item(self)?)) }
    }

    fn chunk(&mut self) -> Option<Chunk> {
        Some(Chunk { rows: self.number()?, bytes: self.bytes()?.into() })
    }

    fn blob(&mut self) -> Option<Blob> {
        let number = u32::try_from(self.number()?).ok()?;
        (self.blob)(number)
    }

    fn template(&mut self) -> Option<Template> {
        Template::named(&self.text()?)
    }

    fn operator(&mut self) -> Option<Operator> {
        match self.number()? {
            0 => Some(Operator::Circuit(self.blob()?)),
            _ => Some(Operator::Program { bytes: self.blob()?, keys: self.text()? }),
        }
    }

    fn task(&mut self) -> Option<(u64, Task)> {
        let name = self.number()?;
        let (round, part) = (self.number()? as u32, self.number()? as u32);
        let globals = self.list(|reader| Some((reader.text()?, reader.blob()?)))?;
        let work = match self.number()? {
            0 => Work::Map(Calls {
                steps: self.list(Self::operator)?,
                chunk: self.chunk()?,
                range: (self.number()?, self.number()?),
                other: self.maybe(Self::chunk)?,
                of: self.template()?,
                result: self.maybe(Self::template)?,
                reduce: self.maybe(Self::blob)?,
            }),
            _ => Work::Reduce {
                runs: self.list(|reader| reader.list(Self::chunk))?,
                of: self.template()?,
                reduce: self.blob()?,
            },
        };
        Some((name, Task { round, part, work, globals }))
    }

    fn outcome(&mut self) -> Option<(u64, Result<Outcome>)> {
        let name = self.number()?;
        let outcome = match self.number()? {
            0 => Ok(Outcome {
                chunks: self.list(Self::chunk)?,
                template: self.maybe(Self::template)?,
                calls: self.number()?,
            }),
            _ => Err(Error { code: self.text()?.into(), message: self.text()? }),
        };
        Some((name, outcome))
    }
}

/// A task and its name; `blob` gives blobs by number.
///
/// # Errors
/// `job.worker` for bytes that another build sent.
pub fn read_task(bytes: &[u8], blob: impl Fn(u32) -> Option<Blob>) -> Result<(u64, Task)> {
    Reader { rest: bytes, blob }.task().ok_or_else(other_build)
}

/// What came of a task, with its name.
///
/// # Errors
/// As of [`read_task`].
pub fn read_outcome(bytes: &[u8]) -> Result<(u64, Result<Outcome>)> {
    Reader { rest: bytes, blob: |_| None }.outcome().ok_or_else(other_build)
}

fn other_build() -> Error {
    Error::new("job.worker", "processes of one run do not understand each other: are they of one build?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::Blobs;

    fn tasks(blobs: &mut Blobs) -> Vec<Task> {
        let chunk = |bytes: &[u8]| Chunk { rows: 7, bytes: bytes.into() };
        let (circuit, program, keys) = (blobs.keep(b"circuit"), blobs.keep(b"program"), blobs.keep(b"keys"));
        let calls = Calls {
            steps: vec![
                Operator::Circuit(circuit.clone()),
                Operator::Program { bytes: program, keys: "k".into() },
            ],
            chunk: chunk(b"rows"),
            range: (1, 5),
            other: Some(chunk(b"")),
            of: Template::FixValueVector,
            result: Some(Template::SparseMatrix),
            reduce: Some(circuit.clone()),
        };
        let bare = Calls { steps: vec![], other: None, result: None, reduce: None, ..calls.clone() };
        let merge = Work::Reduce {
            runs: vec![vec![chunk(b"a"), chunk(b"b")], vec![]],
            of: Template::SparseTextVector,
            reduce: circuit,
        };
        let task = |work| Task { round: 3, part: 9, work, globals: vec![("k".into(), keys.clone())] };
        [Work::Map(calls), Work::Map(bare), merge].map(task).into()
    }

    #[test]
    fn tasks_come_as_they_went() {
        let mut blobs = Blobs::default();
        for task in tasks(&mut blobs) {
            let bytes = task_bytes(5, &task);
            let known: Vec<Blob> = blobs_of(&task).into_iter().cloned().collect();
            let blob = |number| known.iter().find(|blob| blob.number == number).cloned();
            let (name, read) = read_task(&bytes, blob).unwrap();
            assert_eq!((name, format!("{read:?}")), (5, format!("{task:?}")));
            for length in 0..bytes.len() {
                assert!(read_task(&bytes[..length], blob).is_err());
            }
        }
    }

    #[test]
    fn outcomes_come_as_they_went() {
        let chunks = vec![Chunk { rows: 2, bytes: b"x".as_slice().into() }];
        let outcome = Outcome { chunks, template: Some(Template::SparseMatrix), calls: 8 };
        for outcome in [Ok(outcome), Err(Error::new("job.result", "why"))] {
            let (name, read) = read_outcome(&outcome_bytes(6, &outcome)).unwrap();
            assert_eq!((name, format!("{read:?}")), (6, format!("{outcome:?}")));
        }
    }
}
