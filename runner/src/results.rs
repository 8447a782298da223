//! What the calls of a task give: rows of one type, as chunks.

use crate::chunk::{Row, decode, encode};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::template::ResultType;
use crate::vector::Chunk;
use std::collections::BTreeMap;

/// Most rows of a chunk.
pub const MOST_ROWS: usize = 4096;
/// About as many bytes has a chunk at most, but for a row that has more.
pub const MOST_BYTES: usize = 1 << 20;
/// Keys that are held for a reducer; more are put away as a run.
const MOST_KEYS: usize = 1 << 16;

/// Makes one value of two with equal keys.
pub type Reduce<'a> = dyn FnMut(&Key, &Data, &Data) -> Result<Data> + 'a;

/// Rows into chunks, which are cut where the npm package cuts them.
#[derive(Default)]
pub struct Writer {
    chunks: Vec<Chunk>,
    rows: Vec<Row>,
    bytes: usize,
}

impl Writer {
    /// Takes a row.
    ///
    /// # Errors
    /// As [`encode`].
    pub fn add(&mut self, row: Row) -> Result<()> {
        self.bytes += row.0.size() + row.1.size();
        self.rows.push(row);
        if self.rows.len() >= MOST_ROWS || self.bytes >= MOST_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if !self.rows.is_empty() {
            self.chunks.push(one_chunk(&self.rows)?);
        }
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }

    /// All chunks.
    ///
    /// # Errors
    /// As [`encode`].
    pub fn end(mut self) -> Result<Vec<Chunk>> {
        self.flush()?;
        Ok(self.chunks)
    }
}

/// Rows as one chunk, however many.
///
/// # Errors
/// As [`encode`].
pub fn one_chunk(rows: &[Row]) -> Result<Chunk> {
    Ok(Chunk { rows: rows.len() as u64, bytes: encode(rows)?.into() })
}

/// The rows of a chunk, as many as it says.
///
/// # Errors
/// As [`decode`].
pub fn rows_of(chunk: &Chunk) -> Result<Vec<Row>> {
    let rows = decode(&chunk.bytes)?;
    if rows.len() as u64 == chunk.rows {
        return Ok(rows);
    }
    Err(Error::unexpected("job.chunk", "The rows of a chunk", rows.len(), chunk.rows))
}

/// Results of one task.
pub struct Results<'a> {
    kind: ResultType,
    reduce: Option<Box<Reduce<'a>>>,
    writer: Writer,
    held: BTreeMap<Key, Data>,
    runs: Vec<Vec<Chunk>>,
}

impl<'a> Results<'a> {
    /// None yet.
    pub fn new(kind: ResultType, reduce: Option<Box<Reduce<'a>>>) -> Self {
        Self { kind, reduce, writer: Writer::default(), held: BTreeMap::new(), runs: Vec::new() }
    }

    /// Takes a row.
    ///
    /// # Errors
    /// `job.result`, `job.key`, those of the reducer.
    pub fn give(&mut self, key: Key, value: Data) -> Result<()> {
        self.kind.check(&key, &value)?;
        let Some(reduce) = &mut self.reduce else { return self.writer.add((key, value)) };
        match self.held.get_mut(&key) {
            Some(held) => {
                let reduced = reduce(&key, held, &value)?;
                self.kind.check(&key, &reduced)?;
                *held = reduced;
            }
            None => {
                self.held.insert(key, value);
            }
        }
        if self.held.len() >= MOST_KEYS {
            let run = self.sorted()?;
            self.runs.push(run);
        }
        Ok(())
    }

    fn sorted(&mut self) -> Result<Vec<Chunk>> {
        let mut writer = Writer::default();
        std::mem::take(&mut self.held).into_iter().try_for_each(|row| writer.add(row))?;
        writer.end()
    }

    /// All of it, and what the rows are.
    ///
    /// # Errors
    /// As of [`Results::give`].
    pub fn end(mut self) -> Result<(Vec<Chunk>, ResultType)> {
        if self.reduce.is_none() {
            return Ok((self.writer.end()?, self.kind));
        }
        let last = self.sorted()?;
        if self.runs.is_empty() {
            return Ok((last, self.kind));
        }
        self.runs.push(last);
        let chunks = match &mut self.reduce {
            Some(reduce) => merged(&self.runs, &mut **reduce, &mut self.kind)?,
            None => Vec::new(),
        };
        Ok((chunks, self.kind))
    }
}

/// One run of several, each of which is sorted by key and has each key once. Values of equal keys are reduced in the order of the runs. Holds one chunk of each.
///
/// # Errors
/// Those of the reducer, and of what it gives; `job.chunk`.
pub fn merged(runs: &[Vec<Chunk>], reduce: &mut Reduce<'_>, kind: &mut ResultType) -> Result<Vec<Chunk>> {
    let mut cursors = runs.iter().map(|run| Cursor::new(run)).collect::<Result<Vec<_>>>()?;
    let mut writer = Writer::default();
    while let Some(key) = cursors.iter().filter_map(Cursor::key).min().cloned() {
        let mut value: Option<Data> = None;
        for cursor in &mut cursors {
            if cursor.key() != Some(&key) {
                continue;
            }
            let Some((_, next)) = cursor.step()? else { continue };
            value = Some(match value {
                None => next,
                Some(value) => {
                    let reduced = reduce(&key, &value, &next)?;
                    kind.check(&key, &reduced)?;
                    reduced
                }
            });
        }
        writer.add((key, value.unwrap_or(Data::Null)))?;
    }
    writer.end()
}

/// Where a run is read.
struct Cursor<'c> {
    chunks: std::slice::Iter<'c, Chunk>,
    rows: std::vec::IntoIter<Row>,
    row: Option<Row>,
}

impl<'c> Cursor<'c> {
    fn new(run: &'c [Chunk]) -> Result<Self> {
        let mut cursor = Self { chunks: run.iter(), rows: Vec::new().into_iter(), row: None };
        cursor.step()?;
        Ok(cursor)
    }

    fn key(&self) -> Option<&Key> {
        self.row.as_ref().map(|(key, _)| key)
    }

    /// Gives the row, and goes on to the next one.
    fn step(&mut self) -> Result<Option<Row>> {
        let mut next = self.rows.next();
        while next.is_none() {
            let Some(chunk) = self.chunks.next() else { break };
            self.rows = rows_of(chunk)?.into_iter();
            next = self.rows.next();
        }
        let before = std::mem::replace(&mut self.row, next);
        match (&before, &self.row) {
            (Some((before, _)), Some((after, _))) if before >= after => {
                Err(Error::new("job.chunk", "A run of reduced rows is not sorted by key"))
            }
            _ => Ok(before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    fn run(rows: &[(f64, f64)]) -> Vec<Chunk> {
        // Chunks of two rows.
        let chunk = |rows: &[(f64, f64)]| {
            let rows: Vec<Row> =
                rows.iter().map(|&(key, value)| (Key::Number(key), Data::Number(value))).collect();
            one_chunk(&rows).unwrap()
        };
        rows.chunks(2).map(chunk).collect()
    }

    fn rows(chunks: &[Chunk]) -> Vec<Row> {
        chunks.iter().flat_map(|chunk| rows_of(chunk).unwrap()).collect()
    }

    /// Ten times the first, and the second: tells the order.
    fn digits(_: &Key, a: &Data, b: &Data) -> Result<Data> {
        match (a, b) {
            (Data::Number(a), Data::Number(b)) => Ok(Data::Number(10.0 * a + b)),
            _ => panic!("numbers"),
        }
    }

    fn kind() -> ResultType {
        ResultType::new(None, Some(Template::SparseValueVector), "test".into())
    }

    #[test]
    fn runs_are_merged_in_their_order() {
        let runs = [
            run(&[(-1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]),
            run(&[]),
            run(&[(2.0, 4.0)]),
            run(&[(-1.0, 5.0), (2.0, 6.0), (9.0, 7.0)]),
        ];
        let merged = merged(&runs, &mut digits, &mut kind()).unwrap();
        let expected = run(&[(-1.0, 15.0), (2.0, 246.0), (3.0, 3.0), (9.0, 7.0)]);
        assert_eq!(rows(&merged), rows(&expected));
        assert_eq!(merged.len(), 1);
    }

    #[test]
    fn runs_that_are_not_sorted_are_told() {
        let error = merged(&[run(&[(2.0, 1.0), (1.0, 1.0)])], &mut digits, &mut kind()).unwrap_err();
        assert_eq!(error.code, "job.chunk");
    }

    #[test]
    fn what_is_held_is_put_away_and_merged() {
        let keys = MOST_KEYS + 10;
        let mut results = Results::new(kind(), Some(Box::new(digits)));
        for round in 1..=2 {
            for key in (0..keys).rev() {
                results.give(Key::Number(key as f64), Data::Number(round.into())).unwrap();
            }
        }
        let (chunks, _) = results.end().unwrap();
        let rows = rows(&chunks);
        assert_eq!(rows.len(), keys);
        assert!(rows.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(rows.iter().all(|(_, value)| *value == Data::Number(12.0)));
        assert!(chunks.iter().all(|chunk| chunk.rows <= 4096));
    }

    #[test]
    fn another_type_is_an_error_that_names_the_key() {
        let mut results = Results::new(ResultType::new(None, None, "round 0, part 1".into()), None);
        results.give(Key::Number(0.0), Data::Number(1.0)).unwrap();
        let error = results.give(Key::Text("k".into()), Data::Null).unwrap_err();
        assert_eq!(error.code, "job.result");
        assert!(error.message.starts_with("round 0, part 1: the result under key \"k\" is null"), "{error}");
    }
}
