//! The management node's half: one run of a job's rounds, cut into tasks as the npm package cuts them.

use crate::blob::Blob;
use crate::chunk::decode;
use crate::crew::Crew;
use crate::cutter::Cutter;
use crate::definition::{Map, Operator, Phase, Range, Round};
use crate::error::{Error, Result};
use crate::job_file::JobFile;
use crate::key::Key;
use crate::reduction::{Group, Reduction, Run};
use crate::results::one_chunk;
use crate::task::{Calls, Outcome, Task, Work};
use crate::template::Template;
use crate::vector::{Placed, Vector};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// What a job gave.
pub struct Results {
    /// By the last round.
    pub last: Vector,
    /// By rounds that have names.
    pub named: Vec<(String, Vector)>,
    /// Tasks that were done.
    pub tasks: u64,
    /// How often operators were called.
    pub calls: u64,
}

/// Does all rounds.
///
/// # Errors
/// Those of tasks; `job.result` where tasks of a round give rows of several types.
pub fn run(job: JobFile, crew: &mut dyn Crew) -> Result<Results> {
    let JobFile { definition, inputs, globals, blobs } = job;
    let mut run = JobRun { crew, vectors: inputs, globals, blobs, next: 0, calls: 0 };
    let only = if run.vectors.len() == 1 { run.vectors.keys().next().cloned() } else { None };
    let mut last: Option<Vector> = None;
    let mut named = Vec::new();
    for (index, round) in definition.rounds.iter().enumerate() {
        let over = match (&round.over, last.take()) {
            (None, Some(last)) => last,
            (over, _) => {
                let name = over.as_ref().or(only.as_ref());
                let later = &definition.rounds[index + 1..];
                run.vector(name, |name| later.iter().any(|round| round.over.as_ref() == Some(name)))?
            }
        };
        let goes_on = index + 1 < definition.rounds.len();
        let result = run.round(index as u32, round, over, goes_on)?;
        if let Some(name) = &round.global {
            run.set_global(name, &result)?;
        }
        if let Some(name) = &round.name {
            run.vectors.insert(name.clone(), result.clone());
            named.push((name.clone(), result.clone()));
        }
        last = Some(result);
    }
    let last = last.ok_or_else(|| Error::new("job.definition", "A job has at least one round"))?;
    Ok(Results { last, named, tasks: run.next, calls: run.calls })
}

struct JobRun<'c> {
    crew: &'c mut dyn Crew,
    vectors: BTreeMap<String, Vector>,
    globals: BTreeMap<String, Blob>,
    blobs: crate::blob::Blobs,
    /// The name of the next task.
    next: u64,
    calls: u64,
}

impl JobRun<'_> {
    /// A vector by name, which goes with that unless it is read later.
    fn vector(&mut self, name: Option<&String>, later: impl Fn(&String) -> bool) -> Result<Vector> {
        let found = name.and_then(|name| match later(name) {
            true => self.vectors.get(name).cloned(),
            false => self.vectors.remove(name),
        });
        found.ok_or_else(|| Error::new("job.definition", "A round reads a vector that is not there"))
    }

    fn round(&mut self, index: u32, round: &Round, over: Vector, goes_on: bool) -> Result<Vector> {
        let mut vector = over;
        for (number, phase) in round.phases.iter().enumerate() {
            // Only the first operator of a sequence is called as the map says; the others, with each row of what came of it.
            let map = if number == 0 { round.map } else { Map::Own };
            let last = number + 1 == round.phases.len();
            let settings = Settings {
                round: index,
                map,
                phase,
                reduce: round.reduce.as_ref().filter(|_| last),
                result: round.result.filter(|_| last),
                goes_on,
            };
            vector = PhaseRun::new(self, settings, &vector).result()?;
        }
        match round.parts {
            Some(parts) => cut_anew(index, &vector, parts),
            None => Ok(vector),
        }
    }

    fn set_global(&mut self, name: &str, vector: &Vector) -> Result<()> {
        let at = format!("global {name:?}");
        let mut rows = Vec::new();
        let mut keys = BTreeSet::new();
        for placed in &vector.chunks {
            for (key, value) in decode(&placed.chunk.bytes)? {
                let expected = match key {
                    Key::Position(..) => "text or a finite number",
                    _ => "a key that is not there yet",
                };
                if matches!(key, Key::Position(..)) || !keys.insert(key.clone()) {
                    return Err(Error::unexpected("job.key", &at, key, expected));
                }
                rows.push((key, value));
            }
        }
        self.globals.insert(name.to_owned(), self.blobs.keep(&one_chunk(&rows)?.bytes));
        Ok(())
    }
}

/// What a round gave, in as many sub-vectors as it says.
fn cut_anew(round: u32, found: &Vector, parts: u32) -> Result<Vector> {
    let mut cutter = Cutter::new(Vector::new(found.template, parts));
    let mut rows = 0.0;
    for placed in &found.chunks {
        for (key, value) in decode(&placed.chunk.bytes)? {
            let at = format!("round {round}, its result, row {rows}");
            found.template.check(&key, &value, &at)?;
            if found.template == Template::FixValueVector && key.index() != Some(rows) {
                return Err(Error::unexpected("job.key", &at, key, format!("{rows}: keys are 0, 1, 2, ...")));
            }
            cutter.add((key, value))?;
            rows += 1.0;
        }
    }
    cutter.end()
}

struct Settings<'s> {
    round: u32,
    map: Map,
    phase: &'s Phase,
    reduce: Option<&'s Blob>,
    result: Option<Template>,
    /// Whether a round follows.
    goes_on: bool,
}

/// What a task is made of, beside its operators.
struct Unit<'v> {
    /// The sub-vector whose worker does it.
    part: u32,
    /// Where its results stand among those of the round.
    order: (u64, u64),
    chunk: &'v Placed,
    /// Positions in the sub-vector.
    range: Range,
    other: Option<&'v Placed>,
}

impl Unit<'_> {
    /// With how many rows it calls.
    fn rows(&self) -> u64 {
        (self.range.1 - self.range.0) * self.other.map_or(1, |other| other.chunk.rows)
    }
}

/// What came of a unit, and where it belongs.
struct Given {
    part: u32,
    order: (u64, u64),
    chunks: Run,
}

/// What the crew is at.
enum Ticket {
    /// A unit, by its number, and its place in the reduction of its part.
    Unit { number: usize, part: u32, place: u64 },
    /// A group of a part.
    Group { part: u32, place: (usize, u64) },
    /// All parts.
    Parts,
}

/// One phase of a round: its units as tasks, and what comes of these as a vector.
struct PhaseRun<'r, 'c, 's> {
    run: &'r mut JobRun<'c>,
    settings: Settings<'s>,
    over: &'s Vector,
    tickets: HashMap<u64, Ticket>,
    /// Groups that are to be merged: they go first.
    groups: VecDeque<(u32, Group)>,
    /// Of units, in the order in which these were made.
    given: Vec<Given>,
    reductions: BTreeMap<u32, Reduction>,
    template: Option<Template>,
    /// The one run of all parts.
    whole: Run,
    rows: u64,
}

impl<'r, 'c, 's> PhaseRun<'r, 'c, 's> {
    fn new(run: &'r mut JobRun<'c>, settings: Settings<'s>, over: &'s Vector) -> Self {
        Self {
            run,
            settings,
            over,
            tickets: HashMap::new(),
            groups: VecDeque::new(),
            given: Vec::new(),
            reductions: BTreeMap::new(),
            template: None,
            whole: Vec::new(),
            rows: 0,
        }
    }

    fn result(mut self) -> Result<Vector> {
        let mut units = units(self.settings.map, self.over, self.settings.phase.ranges.as_deref());
        loop {
            while self.run.crew.has_room() {
                if let Some((part, group)) = self.groups.pop_front() {
                    self.merge(part, group.runs, Ticket::Group { part, place: group.place })?;
                } else if let Some(unit) = units.next() {
                    self.begin(&unit)?;
                } else {
                    break;
                }
            }
            if !self.tickets.is_empty() {
                self.wait()?;
            } else if !self.go_on() {
                break;
            }
        }
        let Settings { round, result, reduce, goes_on, .. } = self.settings;
        let (found, aligned) = if reduce.is_none() { self.in_order() } else { (self.reduced()?, false) };
        // Reduced rows in fewer chunks than there are sub-vectors are no sub-vector's in particular.
        let lacks_chunks =
            reduce.is_some() && goes_on && found.rows() > 1 && found.chunks.len() < found.parts as usize;
        // Whether rows are dense is seen when they are cut.
        let unseen = result == Some(Template::FixValueVector) && !aligned;
        if lacks_chunks || unseen { cut_anew(round, &found, found.parts) } else { Ok(found) }
    }

    fn begin(&mut self, unit: &Unit<'_>) -> Result<()> {
        let number = self.given.len();
        self.given.push(Given { part: unit.part, order: unit.order, chunks: Vec::new() });
        self.rows = self.rows.saturating_add(unit.rows());
        let first = unit.chunk.first;
        let work = Work::Map(Calls {
            steps: self.settings.phase.steps.clone(),
            chunk: unit.chunk.chunk.clone(),
            range: (unit.range.0 - first, unit.range.1 - first),
            other: unit.other.map(|other| other.chunk.clone()),
            of: self.over.template,
            result: self.settings.result,
            reduce: self.settings.reduce.cloned(),
        });
        let reduction = self.settings.reduce.map(|_| self.reductions.entry(unit.part).or_default().begin());
        let place = reduction.unwrap_or_default();
        self.give(unit.part, work, Ticket::Unit { number, part: unit.part, place })
    }

    fn merge(&mut self, part: u32, runs: Vec<Run>, ticket: Ticket) -> Result<()> {
        let (Some(of), Some(reduce)) = (self.template, self.settings.reduce) else {
            return Err(Error::new("worker.unexpected", "runs are merged by a reducer"));
        };
        self.give(part, Work::Reduce { runs, of, reduce: reduce.clone() }, ticket)
    }

    fn give(&mut self, part: u32, work: Work, ticket: Ticket) -> Result<()> {
        let used = self.settings.phase.steps.iter().filter_map(|step| match step {
            Operator::Program { keys, .. } => self.run.globals.get_key_value(keys),
            Operator::Circuit(_) => None,
        });
        let globals = used.map(|(name, rows)| (name.clone(), rows.clone())).collect();
        let task = Task { round: self.settings.round, part, work, globals };
        let name = self.run.next;
        self.run.next += 1;
        self.tickets.insert(name, ticket);
        self.run.crew.give(name, task)
    }

    fn wait(&mut self) -> Result<()> {
        let (name, Outcome { chunks, template, calls }) = self.run.crew.wait()?;
        self.run.calls += calls;
        match self.tickets.remove(&name) {
            Some(Ticket::Unit { number, part, place }) => {
                if let Some(found) = template {
                    self.set_template(found, part)?;
                }
                if self.settings.reduce.is_some() {
                    self.put(part, (0, place), chunks);
                } else {
                    self.given[number].chunks = chunks;
                }
            }
            Some(Ticket::Group { part, place }) => self.put(part, place, chunks),
            Some(Ticket::Parts) => self.whole = chunks,
            None => return Err(Error::new("worker.unexpected", "an outcome of no task")),
        }
        Ok(())
    }

    fn put(&mut self, part: u32, place: (usize, u64), run: Run) {
        let group = self.reductions.entry(part).or_default().put(place, run);
        self.groups.extend(group.map(|group| (part, group)));
    }

    /// Once nothing is under way: the next groups of parts that have several runs. False where there is nothing more.
    fn go_on(&mut self) -> bool {
        let before = self.groups.len();
        let mut more = false;
        for (&part, reduction) in &mut self.reductions {
            if !reduction.is_done() {
                let group = reduction.go_on();
                self.groups.extend(group.map(|group| (part, group)));
                more |= !reduction.is_done();
            }
        }
        more || self.groups.len() > before
    }

    fn set_template(&mut self, found: Template, part: u32) -> Result<()> {
        let template = *self.template.get_or_insert(found);
        if template == found {
            return Ok(());
        }
        let message = format!(
            "round {}, part {part}: its results go to {}, those before it to {}",
            self.settings.round,
            found.name(),
            template.name(),
        );
        Err(Error::new("job.result", message))
    }

    /// Results in the order of the rows that they come from, in the sub-vectors of these; whether each row gave one, under its own key.
    fn in_order(mut self) -> (Vector, bool) {
        let mut given = std::mem::take(&mut self.given);
        given.sort_by_key(|given| given.order);
        // Each call gives one row, under its own key where there is no other row.
        let own_keys = self.settings.map != Map::Cross || given.is_empty();
        // Parts of a loop may leave rows out, and visit others several times.
        let aligned = self.rows == self.over.rows() && own_keys && self.settings.phase.ranges.is_none();
        let mut vector = Vector::new(self.template_of(aligned), self.over.parts);
        for Given { part, chunks, .. } in given {
            chunks.into_iter().for_each(|chunk| vector.push(part, chunk));
        }
        (vector, aligned)
    }

    /// Results of all sub-vectors, reduced, and dealt out again.
    fn reduced(mut self) -> Result<Vector> {
        let runs = std::mem::take(&mut self.reductions).into_values().map(Reduction::result);
        let mut runs: Vec<Run> = runs.filter(|run| !run.is_empty()).collect();
        if runs.len() > 1 {
            self.merge(0, runs, Ticket::Parts)?;
            self.wait()?;
        } else {
            self.whole = runs.pop().unwrap_or_default();
        }
        let mut vector = Vector::new(self.template_of(false), self.over.parts);
        let parts = self.over.parts.max(1);
        for (chunk, index) in self.whole.drain(..).zip((0..parts).cycle()) {
            vector.push(index, chunk);
        }
        Ok(vector)
    }

    /// Dense numbers stay dense if each row gave one.
    fn template_of(&self, aligned: bool) -> Template {
        if let Some(result) = self.settings.result {
            return result;
        }
        let of = self.over.template;
        match self.template.unwrap_or(of) {
            Template::FixValueVector | Template::SparseValueVector => match of {
                Template::FixValueVector if aligned => of,
                _ => Template::SparseValueVector,
            },
            found => found,
        }
    }
}

/// Which rows an operator is called with, by map: a vector cut into units.
fn units<'v>(
    map: Map,
    over: &'v Vector,
    ranges: Option<&'v [Range]>,
) -> Box<dyn Iterator<Item = Unit<'v>> + 'v> {
    let chunks = || (0..).zip(&over.chunks);
    let own = move |number: u64, chunk: &'v Placed, part: u32| {
        let unit = move |(index, range)| Unit { part, order: (number, index), chunk, range, other: None };
        (0..).zip(within(chunk, ranges)).map(unit)
    };
    match map {
        Map::Own => Box::new(chunks().flat_map(move |(number, chunk)| own(number, chunk, chunk.part))),
        Map::Threads(threads) => Box::new(chunks().flat_map(move |(number, chunk)| {
            let lanes = own(number, chunk, chunk.part).flat_map(move |unit| {
                let (from, to) = unit.range;
                let length = (to - from).div_ceil(threads).max(1);
                (from..to).step_by(length as usize).map(move |start| (start, (start + length).min(to)))
            });
            let unit = move |(index, range)| Unit {
                part: chunk.part,
                order: (number, index),
                chunk,
                range,
                other: None,
            };
            (0..).zip(lanes).map(unit)
        })),
        Map::All => Box::new(chunks().flat_map(move |(number, chunk)| {
            let order = move |unit: Unit<'v>| Unit { order: (unit.part.into(), number), ..unit };
            (0..over.parts).flat_map(move |part| own(number, chunk, part).map(order))
        })),
        Map::Cross => Box::new(chunks().flat_map(move |(number, chunk)| {
            own(number, chunk, chunk.part).flat_map(move |unit| {
                let others = chunks().filter(move |(_, other)| other.part != chunk.part);
                let order = move |(other_number, other)| Unit {
                    order: (number, other_number),
                    other: Some(other),
                    ..unit
                };
                others.map(order)
            })
        })),
    }
}

/// A chunk's positions in its sub-vector, or what of them lies in ranges.
fn within(chunk: &Placed, ranges: Option<&[Range]>) -> Vec<Range> {
    let (first, end) = (chunk.first, chunk.first.saturating_add(chunk.chunk.rows));
    let Some(ranges) = ranges else { return vec![(first, end)] };
    let cut = ranges.iter().map(|&(from, to)| (from.max(first), to.min(end)));
    cut.filter(|(from, to)| from < to).collect()
}
