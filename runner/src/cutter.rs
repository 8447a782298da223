//! Rows cut into sub-vectors anew, where a round says into how many: as the npm package cuts rows that are emitted, by count.

use crate::chunk::Row;
use crate::error::Result;
use crate::results::{MOST_BYTES, MOST_ROWS, one_chunk};
use crate::vector::Vector;

/// So many full runs are held at most before any is given; where there are more parts than that, runs are shorter.
const HELD_RUNS: usize = 64;
/// What a row takes in memory beside its data.
const ROW_BYTES: usize = 32;

/// When a run is full: as soon as it has as many rows, or bytes.
#[derive(Clone, Copy)]
struct Limits {
    rows: usize,
    bytes: f64,
}

/// Rows on their way to be a chunk.
#[derive(Default)]
struct Held {
    rows: Vec<Row>,
    bytes: usize,
}

impl Held {
    fn add(&mut self, row: Row) {
        self.bytes += row.0.size() + row.1.size() + ROW_BYTES;
        self.rows.push(row);
    }

    fn has(&self, limits: Limits, times: usize) -> bool {
        self.rows.len() >= limits.rows * times || self.bytes as f64 >= limits.bytes * times as f64
    }

    /// All are full but for the last.
    fn runs(self, limits: Limits) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for row in self.rows {
            let mut run = runs.pop_if(|run| !run.has(limits, 1)).unwrap_or_default();
            run.add(row);
            runs.push(run);
        }
        runs
    }
}

/// What fills all parts is dealt to them in turn, a run at a time; what ends before is cut into as many lengths as there are parts.
pub struct Cutter {
    vector: Vector,
    limits: Limits,
    held: Held,
    turn: u64,
    dealing: bool,
}

impl Cutter {
    /// Cuts rows for a vector, which has none yet.
    pub fn new(vector: Vector) -> Self {
        let parts = vector.parts as usize;
        let bytes = MOST_BYTES as f64;
        let bytes =
            if parts <= HELD_RUNS { bytes } else { (bytes * HELD_RUNS as f64 / parts as f64).max(1.0) };
        let limits = Limits { rows: MOST_ROWS, bytes };
        Self { vector, limits, held: Held::default(), turn: 0, dealing: false }
    }

    /// Takes a row.
    ///
    /// # Errors
    /// `job.chunk` for what is too large.
    pub fn add(&mut self, row: Row) -> Result<()> {
        self.held.add(row);
        let times = if self.dealing { 1 } else { self.vector.parts as usize };
        if !self.held.has(self.limits, times) {
            return Ok(());
        }
        self.dealing = true;
        let mut runs = std::mem::take(&mut self.held).runs(self.limits);
        if let Some(last) = runs.pop_if(|last| !last.has(self.limits, 1)) {
            self.held = last;
        }
        runs.into_iter().try_for_each(|run| self.deal(&run))
    }

    fn deal(&mut self, run: &Held) -> Result<()> {
        let part = self.turn % u64::from(self.vector.parts.max(1));
        self.turn += 1;
        self.vector.push(part as u32, one_chunk(&run.rows)?);
        Ok(())
    }

    /// The vector, once all rows were taken.
    ///
    /// # Errors
    /// As of [`Cutter::add`].
    pub fn end(mut self) -> Result<Vector> {
        let held = std::mem::take(&mut self.held);
        if held.rows.is_empty() {
            return Ok(self.vector);
        }
        if self.dealing {
            self.deal(&held)?;
            return Ok(self.vector);
        }
        let length = held.rows.len().div_ceil(self.vector.parts.max(1) as usize);
        for (part, rows) in (0..).zip(held.rows.chunks(length)) {
            let some = Held { rows: rows.to_vec(), bytes: 0 };
            for run in some.runs(self.limits) {
                self.vector.push(part, one_chunk(&run.rows)?);
            }
        }
        Ok(self.vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::key::Key;
    use crate::template::Template;

    /// Sub-vector and number of rows of each chunk.
    fn cut(parts: u32, rows: usize, bytes: usize) -> Vec<(u32, u64)> {
        let mut cutter = Cutter::new(Vector::new(Template::VariableLenVector, parts));
        for row in 0..rows {
            cutter.add((Key::Number(row as f64), Data::Bytes(vec![0; bytes]))).unwrap();
        }
        cutter.end().unwrap().chunks.into_iter().map(|placed| (placed.part, placed.chunk.rows)).collect()
    }

    #[test]
    fn what_ends_early_is_cut_evenly() {
        assert_eq!(cut(3, 10, 0), [(0, 4), (1, 4), (2, 2)]);
        assert_eq!(cut(4, 2, 0), [(0, 1), (1, 1)]);
        assert_eq!(cut(4, 0, 0), []);
        assert_eq!(cut(1, 4000, 0), [(0, 4000)]);
        // By bytes: 300,056 of each row.
        assert_eq!(cut(2, 7, 300_000), [(0, 4), (1, 3)]);
    }

    #[test]
    fn what_fills_all_is_dealt_in_turn() {
        assert_eq!(cut(2, 2 * 4096 + 5000, 0), [(0, 4096), (1, 4096), (0, 4096), (1, 904)]);
        assert_eq!(cut(2, 9, 300_000), [(0, 4), (1, 4), (0, 1)]);
    }

    #[test]
    fn many_parts_have_shorter_chunks() {
        let found = cut(128, 400, 200_000);
        assert_eq!(found.len(), 134);
        assert!(found.iter().all(|&(_, rows)| rows <= 3));
    }
}
