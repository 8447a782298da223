//! Job files, as `Job.toBytes` of the npm package writes them, and the files of rows that a run gives (`FORMAT.md`).

use crate::blob::{Blob, Blobs};
use crate::chunk::{number_of, text_of, unpacked};
use crate::definition::{self, Definition, MOST_PARTS, bytes_of};
use crate::error::{Error, Result};
use crate::template::Template;
use crate::vector::{Chunk, Vector};
use rmp::encode as write;
use rmpv::ValueRef;
use std::collections::BTreeMap;

const JOB: &str = "cipherloom job";
const ROWS: &str = "cipherloom rows";
const VERSION: f64 = 1.0;

/// Lists, objects and texts in each other: more than any definition has.
const MOST_DEPTH: usize = 600;

/// A job and its data.
pub struct JobFile {
    /// What is computed.
    pub definition: Definition,
    /// Inputs by name.
    pub inputs: BTreeMap<String, Vector>,
    /// Rows of globals by name.
    pub globals: BTreeMap<String, Blob>,
    /// What the operators and globals are made of.
    pub blobs: Blobs,
}

impl JobFile {
    /// Reads a job file. Rows are read when they are worked on, not here.
    ///
    /// # Errors
    /// `format.job` for bytes that are none, or of another version; as [`definition::read`].
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let file =
            unpacked(bytes, MOST_DEPTH).ok_or_else(|| wrong("the file", "other bytes", "MessagePack"))?;
        let [definition, inputs, globals] = contents(&file, JOB)?;
        let mut blobs = Blobs::default();
        let definition = definition::read(definition, &mut blobs)?;
        let mut vectors = BTreeMap::new();
        for (name, value) in named("inputs", inputs)? {
            let template =
                definition.inputs.iter().find(|(input, _)| input == name).map(|&(_, template)| template);
            let template = template.ok_or_else(|| wrong("inputs", name, "inputs of the definition"))?;
            vectors.insert(name.to_owned(), vector(name, template, value)?);
        }
        let mut rows = BTreeMap::new();
        for (name, value) in named("globals", globals)? {
            if !definition.globals.iter().any(|global| global == name) {
                return Err(wrong("globals", name, "globals of the definition"));
            }
            let bytes = bytes_of(value)
                .ok_or_else(|| wrong(&format!("global {name:?}"), "something else", "bytes"))?;
            rows.insert(name.to_owned(), blobs.keep(bytes));
        }
        let lacking =
            definition.inputs.iter().map(|(name, _)| name).find(|name| !vectors.contains_key(*name));
        let lacking = lacking.or_else(|| definition.globals.iter().find(|name| !rows.contains_key(*name)));
        match lacking {
            Some(name) => Err(wrong(&format!("{name:?}"), "nothing", "its rows")),
            None => Ok(Self { definition, inputs: vectors, globals: rows, blobs }),
        }
    }
}

/// What follows the name and the version of a file.
fn contents<'v, const N: usize>(file: &'v ValueRef<'v>, name: &str) -> Result<&'v [ValueRef<'v>; N]> {
    let items = file.as_array().map_or(&[][..], Vec::as_slice);
    match items.first().and_then(text_of) {
        Some(found) if found == name => {}
        found => {
            let found = found.map_or_else(|| "something else".to_owned(), |found| format!("{found:?}"));
            return Err(wrong("the file", found, format!("an array that begins with {name:?}")));
        }
    }
    match items.get(1).and_then(number_of) {
        Some(VERSION) => {}
        found => {
            let found = found.map_or_else(|| "something else".to_owned(), |found| found.to_string());
            return Err(Error::unexpected("format.job", "A job file, version", found, VERSION));
        }
    }
    items
        .get(2..)
        .and_then(|rest| rest.try_into().ok())
        .ok_or_else(|| wrong("the file", items.len(), format!("an array of {}", N + 2)))
}

fn named<'v>(at: &str, value: &'v ValueRef<'v>) -> Result<Vec<(&'v str, &'v ValueRef<'v>)>> {
    let ValueRef::Map(of) = value else { return Err(wrong(at, "something else", "an object")) };
    let names = of.iter().map(|(name, value)| Some((text_of(name)?, value)));
    names.collect::<Option<_>>().ok_or_else(|| wrong(at, "something else", "names that are texts"))
}

/// `[parts, [[part, rows, bytes], ...]]`.
fn vector(name: &str, template: Template, value: &ValueRef<'_>) -> Result<Vector> {
    let at = format!("input {name:?}");
    let Some([parts, ValueRef::Array(chunks)]) = value.as_array().map(Vec::as_slice) else {
        return Err(wrong(&at, "something else", "a number of parts, and chunks"));
    };
    let whole = |value: &ValueRef<'_>, least: u64, most: u64| {
        let number = number_of(value).filter(|number| number.fract() == 0.0 && *number >= 0.0);
        number.map(|number| number as u64).filter(|number| (least..=most).contains(number))
    };
    let parts = whole(parts, 1, MOST_PARTS);
    let parts = parts.ok_or_else(|| wrong(&at, "other parts", format!("1 to {MOST_PARTS}")))?;
    let mut vector = Vector::new(template, parts as u32);
    for (number, chunk) in chunks.iter().enumerate() {
        let read = || {
            let [part, rows, bytes] = chunk.as_array()?.as_slice() else { return None };
            let (part, rows) = (whole(part, 0, parts - 1)?, whole(rows, 0, u32::MAX.into())?);
            Some((part as u32, Chunk { rows, bytes: bytes_of(bytes)?.into() }))
        };
        let read = read();
        let (part, chunk) =
            read.ok_or_else(|| wrong(&format!("{at}, chunk {number}"), "something else", "a chunk"))?;
        vector.push(part, chunk);
    }
    Ok(vector)
}

/// A file of rows: what the last round gave, and what other rounds gave that have names.
///
/// # Errors
/// `format.job` for what is too large for one file.
pub fn rows_file(results: &[(Option<&str>, &Vector)]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    results_into(&mut out, results).ok_or_else(|| wrong("the rows", "too many", "what a file holds"))?;
    Ok(out)
}

fn results_into(out: &mut Vec<u8>, results: &[(Option<&str>, &Vector)]) -> Option<()> {
    write::write_array_len(out, 3).ok()?;
    write::write_str(out, ROWS).ok()?;
    write::write_f64(out, VERSION).ok()?;
    write::write_array_len(out, u32::try_from(results.len()).ok()?).ok()?;
    for (name, vector) in results {
        write::write_array_len(out, 4).ok()?;
        match name {
            Some(name) => write::write_str(out, name).ok()?,
            None => write::write_nil(out).ok()?,
        }
        write::write_str(out, vector.template.name()).ok()?;
        write::write_f64(out, vector.parts.into()).ok()?;
        write::write_array_len(out, u32::try_from(vector.chunks.len()).ok()?).ok()?;
        for placed in &vector.chunks {
            u32::try_from(placed.chunk.bytes.len()).ok()?;
            write::write_array_len(out, 3).ok()?;
            write::write_f64(out, placed.part.into()).ok()?;
            write::write_f64(out, placed.chunk.rows as f64).ok()?;
            write::write_bin(out, &placed.chunk.bytes).ok()?;
        }
    }
    Some(())
}

fn wrong(at: &str, found: impl std::fmt::Display, expected: impl std::fmt::Display) -> Error {
    Error::unexpected("format.job", &format!("A job file, {at}"), found, expected)
}
