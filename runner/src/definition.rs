//! What a job computes: its definition, read from a job file and resolved to what tasks do.
//!
//! A native process has no JavaScript. So what needs it (functions of modules, and conditions, which are such) is refused here, before anything runs, and so are directories.

use crate::blob::{Blob, Blobs};
use crate::chunk::{number_of, text_of};
use crate::error::{Error, Result};
use crate::key::is_index;
use crate::template::Template;
use rmpv::ValueRef;
use std::collections::HashMap;

/// A job, resolved.
pub struct Definition {
    /// Names and templates of inputs.
    pub inputs: Vec<(String, Template)>,
    /// Names of globals.
    pub globals: Vec<String>,
    /// What is done.
    pub rounds: Vec<Round>,
}

/// Which rows an operator is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// `VectorMap`, `MatrixMap`: each sub-vector its own rows.
    Own,
    /// `TaskMap`: the same, by so many threads.
    Threads(u64),
    /// `GlobalMap`: each sub-vector all rows.
    All,
    /// `CrossMap`: each sub-vector its own rows with those of all others.
    Cross,
}

/// One round.
pub struct Round {
    /// Which rows.
    pub map: Map,
    /// What is done with them, one after the other.
    pub phases: Vec<Phase>,
    /// The vector; what the round before gave where there is none.
    pub over: Option<String>,
    /// Makes one value of two with equal keys.
    pub reduce: Option<Blob>,
    /// Where results go, if it is said.
    pub result: Option<Template>,
    /// Into how many sub-vectors results are cut anew; they stay in those of the rows that they come from where there is no number.
    pub parts: Option<u32>,
    /// The name of the result.
    pub name: Option<String>,
    /// The name under which the result becomes a global.
    pub global: Option<String>,
}

/// Operators between two points where rows have to be counted anew.
pub struct Phase {
    /// One after the other.
    pub steps: Vec<Operator>,
    /// Of a loop: positions of the rows of each of its parts.
    pub ranges: Option<Vec<Range>>,
}

/// Positions in a sub-vector, half-open.
pub type Range = (u64, u64);

/// What computes one row.
#[derive(Clone, Debug)]
pub enum Operator {
    /// A graph.
    Circuit(Blob),
    /// A program over ciphertexts.
    Program {
        /// Its bytes.
        bytes: Blob,
        /// The global that has its evaluation keys.
        keys: String,
    },
}

/// Most sub-vectors of a vector, and parts of a loop.
pub const MOST_PARTS: u64 = 65_536;
const MOST_THREADS: u64 = 256;
/// Most operators that a round comes to.
const MOST_OPERATORS: usize = 10_000;
/// Most operators in each other, names included.
const MOST_DEPTH: usize = 128;

/// Reads and resolves a definition.
///
/// # Errors
/// `job.definition` for what breaks a rule, and for what a native process does not run; `job.kind` for operators that are pinned to other workers than CPUs.
pub fn read(value: &ValueRef<'_>, blobs: &mut Blobs) -> Result<Definition> {
    let fields = Fields::read("definition", value, &["inputs", "globals", "rounds", "library", "operators"])?;
    let mut inputs = Vec::new();
    for (name, template) in fields.named("inputs")? {
        inputs.push((name.to_owned(), read_template(&format!("inputs.{name}"), template)?.0));
    }
    let globals: Vec<String> = fields.named("globals")?.map(|(name, _)| name.to_owned()).collect();
    let mut operators = HashMap::new();
    for library in ["operators", "library"] {
        operators.extend(fields.named(library)?);
    }
    let mut reader = Reader { operators, blobs, count: 0 };
    let rounds = fields.list("rounds")?;
    let mut read = Vec::new();
    for (index, round) in rounds.iter().enumerate() {
        read.push(reader.round(&format!("rounds[{index}]"), round)?);
    }
    let definition = Definition { inputs, globals, rounds: read };
    check_names(&definition)?;
    Ok(definition)
}

/// That what rounds read is there by then.
fn check_names(definition: &Definition) -> Result<()> {
    let mut vectors: Vec<&str> = definition.inputs.iter().map(|(name, _)| name.as_str()).collect();
    let mut globals: Vec<&str> = definition.globals.iter().map(String::as_str).collect();
    for (index, round) in definition.rounds.iter().enumerate() {
        let at = format!("rounds[{index}]");
        match &round.over {
            Some(over) if !vectors.contains(&over.as_str()) => {
                let expected =
                    format!("an input, or the name of an earlier round's result: {}", vectors.join(", "));
                return Err(wrong(&format!("{at}.over"), format!("{over:?}"), expected));
            }
            None if index == 0 && vectors.len() != 1 => {
                return Err(wrong(&format!("{at}.over"), "nothing", "an input that the first round reads"));
            }
            _ => {}
        }
        for operator in round.phases.iter().flat_map(|phase| &phase.steps) {
            if let Operator::Program { keys, .. } = operator
                && !globals.contains(&keys.as_str())
            {
                return Err(wrong(
                    &format!("{at}.operator.keys"),
                    format!("{keys:?}"),
                    "a global that is there",
                ));
            }
        }
        vectors.extend(round.name.as_deref());
        globals.extend(round.global.as_deref());
    }
    Ok(())
}

/// A template, the number of its sub-vectors, and whether it has a Partitioner.
fn read_template(at: &str, value: &ValueRef<'_>) -> Result<(Template, Option<u32>, bool)> {
    let fields = Fields::read(at, value, &["template", "parts", "partitioner"])?;
    let name = fields.text("template")?;
    let template = Template::named(name).ok_or_else(|| {
        let names = Template::ALL.map(Template::name).join(", ");
        wrong(&format!("{at}.template"), format!("{name:?}"), names)
    })?;
    let parts = fields.whole("parts", 1, MOST_PARTS)?.map(|parts| parts as u32);
    Ok((template, parts, fields.get("partitioner").is_some()))
}

struct Reader<'v> {
    /// Operators by name.
    operators: HashMap<&'v str, &'v ValueRef<'v>>,
    blobs: &'v mut Blobs,
    /// Operators of the round at hand.
    count: usize,
}

/// A loop, or what computes one row.
enum Step {
    Loop(Phase),
    Row(Operator),
}

impl<'v> Reader<'v> {
    fn round(&mut self, at: &str, value: &'v ValueRef<'v>) -> Result<Round> {
        let known =
            ["map", "operator", "over", "reduce", "result", "as", "global", "threads", "directory", "shared"];
        let fields = Fields::read(at, value, &known)?;
        let threads = fields.whole("threads", 1, MOST_THREADS)?.unwrap_or(1);
        let map = match fields.text("map")? {
            "VectorMap" | "MatrixMap" => Map::Own,
            "TaskMap" => Map::Threads(threads),
            "GlobalMap" => Map::All,
            "CrossMap" => Map::Cross,
            "DirMap" => return Err(refused(at, "DirMap", "it calls functions with files")),
            other => return Err(wrong(&format!("{at}.map"), format!("{other:?}"), "a map")),
        };
        self.count = 0;
        let mut steps = Vec::new();
        self.steps(&format!("{at}.operator"), fields.need("operator")?, 0, &mut steps)?;
        let reduce = match fields.get("reduce") {
            None => None,
            Some(reduce) => match self.simple(&format!("{at}.reduce"), reduce)? {
                Operator::Circuit(bytes) => Some(bytes),
                Operator::Program { .. } => {
                    return Err(wrong(&format!("{at}.reduce"), "a program", "a circuit"));
                }
            },
        };
        let (result, parts) = match fields.get("result") {
            None => (None, None),
            Some(result) => match read_template(&format!("{at}.result"), result)? {
                (template, parts, false) => (Some(template), parts),
                _ => {
                    return Err(refused(
                        &format!("{at}.result"),
                        "a Partitioner",
                        "it is a function of a module",
                    ));
                }
            },
        };
        Ok(Round {
            map,
            phases: phases(steps),
            over: fields.maybe_text("over")?,
            reduce,
            result,
            parts,
            name: fields.maybe_text("as")?,
            global: fields.maybe_text("global")?,
        })
    }

    /// An operator's steps, with what names stand for. Into which parts it is split by the library makes no difference where all workers are of one kind.
    fn steps(&mut self, at: &str, value: &'v ValueRef<'v>, depth: usize, out: &mut Vec<Step>) -> Result<()> {
        self.count += 1;
        if self.count > MOST_OPERATORS || depth > MOST_DEPTH {
            let found = "too many operators, or too many in each other";
            return Err(wrong(at, found, format!("{MOST_OPERATORS} and {MOST_DEPTH} levels at most")));
        }
        if let Some(name) = text_of(value) {
            let found = self.operators.get(name).copied();
            let found = found.ok_or_else(|| wrong(at, format!("{name:?}"), "the name of an operator"))?;
            return self.steps(&format!("{at} ({name:?})"), found, depth + 1, out);
        }
        match Fields::any(at, value)?.text("kind")? {
            "sequence" => {
                let fields = self.operator(at, value, &["steps"])?;
                for (index, step) in fields.list("steps")?.iter().enumerate() {
                    self.steps(&format!("{at}.steps[{index}]"), step, depth + 1, out)?;
                }
            }
            "for" => out.push(Step::Loop(self.for_loop(at, value, depth)?)),
            _ => out.push(Step::Row(self.simple(at, value)?)),
        }
        Ok(())
    }

    fn for_loop(&mut self, at: &str, value: &'v ValueRef<'v>, depth: usize) -> Result<Phase> {
        let fields = self.operator(at, value, &["from", "to", "parts", "independent", "body"])?;
        let from = fields.whole("from", 0, u64::MAX)?.ok_or_else(|| fields.missing("from"))?;
        let to = fields.whole("to", from, u64::MAX)?.ok_or_else(|| fields.missing("to"))?;
        let independent = matches!(fields.get("independent"), Some(ValueRef::Boolean(true)));
        let parts = fields.whole("parts", 1, MOST_PARTS)?.filter(|_| independent).unwrap_or(1);
        let mut body = Vec::new();
        self.steps(&format!("{at}.body"), fields.need("body")?, depth + 1, &mut body)?;
        let row = |step| match step {
            Step::Row(operator) => Ok(operator),
            Step::Loop(_) => Err(wrong(&format!("{at}.body"), "a loop", "an operator over one row")),
        };
        let steps = body.into_iter().map(row).collect::<Result<_>>()?;
        Ok(Phase { steps, ranges: Some(ranges(from, to, parts)) })
    }

    fn simple(&mut self, at: &str, value: &'v ValueRef<'v>) -> Result<Operator> {
        let kind = Fields::any(at, value)?.text("kind")?;
        match kind {
            "circuit" => {
                let bytes = self.operator(at, value, &["bytes"])?.bytes("bytes")?;
                Ok(Operator::Circuit(self.blobs.keep(bytes)))
            }
            "program" => {
                let fields = self.operator(at, value, &["bytes", "keys"])?;
                let bytes = self.blobs.keep(fields.bytes("bytes")?);
                Ok(Operator::Program { bytes, keys: fields.text("keys")?.to_owned() })
            }
            "function" => Err(refused(at, "a function of a module", "modules are JavaScript")),
            "while" | "if" => Err(refused(
                at,
                &format!("{kind:?}"),
                "its condition is a function of a module, which is JavaScript",
            )),
            other => Err(wrong(at, format!("an operator of kind {other:?}"), "a circuit or a program")),
        }
    }

    /// Properties of an operator, whose traits are let pass: all workers here are CPUs.
    fn operator(&self, at: &str, value: &'v ValueRef<'v>, known: &[&str]) -> Result<Fields<'v>> {
        let known = [&["kind", "type", "need", "processor"], known].concat();
        let fields = Fields::read(at, value, &known)?;
        match fields.get("processor").map(text_of) {
            None | Some(Some("cpu")) => Ok(fields),
            Some(found) => {
                let found = format!("{:?}", found.unwrap_or("something else"));
                Err(Error::unexpected(
                    "job.kind",
                    &format!("{at}.processor"),
                    found,
                    "cpu: here are no others",
                ))
            }
        }
    }
}

/// A round's steps, cut before and after each loop, whose parts go by positions in the sub-vector.
fn phases(steps: Vec<Step>) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    for step in steps {
        match (step, phases.last_mut()) {
            (Step::Loop(phase), _) => phases.push(phase),
            (Step::Row(operator), Some(last)) if last.ranges.is_none() => last.steps.push(operator),
            (Step::Row(operator), _) => phases.push(Phase { steps: vec![operator], ranges: None }),
        }
    }
    phases
}

/// A loop as shorter ones, of which the first have one turn more where it does not divide.
fn ranges(from: u64, to: u64, parts: u64) -> Vec<Range> {
    let turns = to - from;
    let count = parts.min(turns).max(1);
    let (least, more) = (turns / count, turns % count);
    let start = |index: u64| from + index * least + index.min(more);
    (0..count).map(|index| (start(index), start(index + 1))).collect()
}

/// Properties of something.
struct Fields<'v> {
    at: String,
    of: &'v [(ValueRef<'v>, ValueRef<'v>)],
}

impl<'v> Fields<'v> {
    fn any(at: &str, value: &'v ValueRef<'v>) -> Result<Self> {
        let at = at.to_owned();
        match value {
            ValueRef::Map(of) => Ok(Self { at, of }),
            _ => Err(wrong(&at, "something else", "an object")),
        }
    }

    fn read(at: &str, value: &'v ValueRef<'v>, known: &[&str]) -> Result<Self> {
        let fields = Self::any(at, value)?;
        let unknown =
            fields.of.iter().find(|(name, _)| !text_of(name).is_some_and(|name| known.contains(&name)));
        match unknown {
            Some((name, _)) => Err(wrong(at, name, format!("one of {}", known.join(", ")))),
            None => Ok(fields),
        }
    }

    fn get(&self, name: &str) -> Option<&'v ValueRef<'v>> {
        self.of.iter().find(|(own, _)| text_of(own) == Some(name)).map(|(_, value)| value)
    }

    fn missing(&self, name: &str) -> Error {
        wrong(&format!("{}.{name}", self.at), "nothing", "a value")
    }

    fn need(&self, name: &str) -> Result<&'v ValueRef<'v>> {
        self.get(name).ok_or_else(|| self.missing(name))
    }

    fn maybe_text(&self, name: &str) -> Result<Option<String>> {
        let text = |value| text_of(value).map(str::to_owned);
        let wrong = || wrong(&format!("{}.{name}", self.at), "something else", "text");
        self.get(name).map(|value| text(value).ok_or_else(wrong)).transpose()
    }

    fn text(&self, name: &str) -> Result<&'v str> {
        let wrong = || wrong(&format!("{}.{name}", self.at), "something else", "text");
        text_of(self.need(name)?).ok_or_else(wrong)
    }

    fn bytes(&self, name: &str) -> Result<&'v [u8]> {
        bytes_of(self.need(name)?)
            .ok_or_else(|| wrong(&format!("{}.{name}", self.at), "something else", "bytes"))
    }

    fn list(&self, name: &str) -> Result<&'v [ValueRef<'v>]> {
        match self.need(name)? {
            ValueRef::Array(items) if !items.is_empty() => Ok(items),
            _ => Err(wrong(&format!("{}.{name}", self.at), "something else", "a list that is not empty")),
        }
    }

    fn whole(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = number_of(value).filter(|&number| is_index(number)).map(|number| number as u64);
        let wrong = || wrong(&format!("{}.{name}", self.at), value, format!("a whole number from {least}"));
        number.filter(|number| (least..=most).contains(number)).ok_or_else(wrong).map(Some)
    }

    /// Things by names of the user's; none where there is no such property.
    fn named(&self, name: &str) -> Result<impl Iterator<Item = (&'v str, &'v ValueRef<'v>)> + use<'v>> {
        let of: &'v [(ValueRef<'v>, ValueRef<'v>)] = match self.get(name) {
            None => &[],
            Some(ValueRef::Map(of)) => of,
            Some(_) => return Err(wrong(name, "something else", "an object")),
        };
        if of.iter().any(|(name, _)| text_of(name).is_none()) {
            return Err(wrong(name, "something else", "names that are texts"));
        }
        Ok(of.iter().filter_map(|(name, value)| Some((text_of(name)?, value))))
    }
}

/// Bytes, as the npm package writes them.
pub fn bytes_of<'v>(value: &ValueRef<'v>) -> Option<&'v [u8]> {
    match *value {
        ValueRef::Binary(bytes) => Some(bytes),
        _ => None,
    }
}

fn wrong(at: &str, found: impl std::fmt::Display, expected: impl std::fmt::Display) -> Error {
    Error::unexpected("job.definition", &format!("Definition of a job, {at}"), found, expected)
}

fn refused(at: &str, what: &str, why: &str) -> Error {
    let message = format!(
        "Definition of a job, {at}: {what} does not run in a native process: {why}. It runs circuits and programs"
    );
    Error::new("job.definition", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_cut_as_the_npm_package_cuts_them() {
        assert_eq!(ranges(2, 12, 4), [(2, 5), (5, 8), (8, 10), (10, 12)]);
        assert_eq!(ranges(0, 2, 4), [(0, 1), (1, 2)]);
        assert_eq!(ranges(3, 3, 4), [(3, 3)]);
        assert_eq!(ranges(3, 9, 1), [(3, 9)]);
    }
}
