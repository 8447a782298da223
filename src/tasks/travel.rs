//! Encrypted values as bytes: what they are, of which parameters, under whose key, from which run; then the residues of their ciphertexts.

use super::body::{self, Limbs, Samplers};
use crate::bytes::{Kind, Reader, Writer, foreign};
use crate::ops::types::Extract;
use crate::packed::{Axis, Frame, Layout, bits, part_name};
use crate::values::{MOST_ADDRESS_BITS, PackedValue};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What bytes say of the value in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// Its name, which may be another in the program that it is given to.
    pub name: String,
    /// Its type in text form.
    pub value: String,
    /// Least and most, where these are known, as in the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[String; 2]>,
    /// Where its cells lie.
    pub cells: Place,
    /// Where it lies which cells are there, where some may be missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<Place>,
    /// Other values in the same ciphertexts, which travel with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<Companion>,
    /// Of a result, the identity of the program that it is of, in hexadecimal digits; older ones do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// True of a result that the parties of its key refreshed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refreshed: bool,
    /// True of what a data owner encrypted with the public key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub public: bool,
    /// The types of its ciphertexts in text form, cells first, each part modulo each plaintext modulus.
    pub ciphertexts: Vec<String>,
}

impl Descriptor {
    /// True where a value of the other one can be given for one of this: the name may be another, and what is no result may be of a data owner.
    pub fn takes(&self, other: &Self) -> bool {
        let (name, program) = (other.name.clone(), other.program.clone());
        let public = other.public && self.program.is_none();
        Self { name, program, public, ..self.clone() } == *other
    }

    /// The names of all values in its ciphertexts.
    pub fn names(&self) -> Vec<String> {
        let with = self.with.iter().map(|other| other.name.clone());
        std::iter::once(self.name.clone()).chain(with).collect()
    }

    /// Its range, in words.
    fn bounds(&self) -> String {
        match &self.range {
            Some([least, most]) => format!("values from {least} to {most}"),
            None => "values without known bounds".to_owned(),
        }
    }

    /// As it travels.
    pub fn text(&self) -> String {
        // Texts and numbers always have a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A value in the ciphertexts of another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// Its name.
    pub name: String,
    /// Its type in text form.
    pub value: String,
    /// Where its cells lie.
    pub cells: Place,
}

/// A layout, as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Length and lowest bit of each dimension.
    axes: Vec<(u64, Option<u32>)>,
    /// Gaps along which slots repeat.
    repeated: u64,
    /// What is added to the numbers of its cells' slots.
    #[serde(default, skip_serializing_if = "is_zero")]
    base: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Place {
    /// Of a layout.
    pub fn of(layout: &Layout, base: u64) -> Self {
        let axes = layout.axes.iter().map(|&Axis { size, low, .. }| (size, low)).collect();
        Self { axes, repeated: layout.repeated, base }
    }

    /// In words: lengths, each with its lowest bit in the number of a slot.
    fn shown(&self, what: &str) -> String {
        let axis = |&(size, low): &(u64, Option<u32>)| match low {
            Some(bit) => format!("{size} from bit {bit}"),
            None => size.to_string(),
        };
        let axes: Vec<String> = self.axes.iter().map(axis).collect();
        format!(
            "{what} at [{}], repeated along {:#b}, from slot {}",
            axes.join(", "),
            self.repeated,
            self.base
        )
    }

    /// The layout of an input that is to lie so, if that is one: of what is encrypted each cell has a slot of its own, of a result those along a dimension may be one.
    pub fn layout(&self, frame: Frame, is_result: bool) -> Option<Layout> {
        let mut taken = 0u64;
        let mut axes = Vec::with_capacity(self.axes.len());
        for &(size, low) in &self.axes {
            let axis = Axis { size, low, dirty: false };
            let free = || {
                low.unwrap_or(0).saturating_add(bits(size)) <= MOST_ADDRESS_BITS && taken & axis.mask() == 0
            };
            let has_bits = low.is_some();
            let is_axis = has_bits == (size > 1) || (is_result && !has_bits);
            if size > 1 << MOST_ADDRESS_BITS || !is_axis || !free() {
                return None;
            }
            taken |= axis.mask();
            axes.push(axis);
        }
        let mut layout = Layout { axes, repeated: self.repeated, zero: 0 };
        let gaps = layout.gaps(frame);
        layout.zero = gaps & !self.repeated;
        (self.base == 0 && self.repeated & !gaps == 0).then_some(layout)
    }
}

/// The run of what was encrypted.
pub const FRESH: [u8; 16] = [0; 16];

/// Whose ciphertexts they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Identity of the parameters.
    pub parameters: [u8; 16],
    /// Identity of the key.
    pub owner: [u8; 16],
    /// Identity of the run; [`FRESH`] for what was encrypted.
    pub run: [u8; 16],
}

impl Origin {
    /// True of what was encrypted.
    pub fn is_fresh(&self) -> bool {
        self.run == FRESH
    }
}

/// Identity of a run of a program: over which bytes of its encrypted inputs, of each of which `checksum` tells that of the bytes that were given.
///
/// # Errors
/// `MissingInput` for one that was not given.
pub fn run(
    program: &[u8; 16],
    inputs: &[PackedValue],
    checksum: impl Fn(&PackedValue) -> Option<[u8; 16]>,
) -> Result<[u8; 16]> {
    let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 task run identity v1");
    hasher.update(program);
    for value in inputs {
        let own = checksum(value).ok_or_else(|| Error::MissingInput { name: value.name.clone() })?;
        hasher.update(&own);
    }
    let mut run = [0; 16];
    hasher.finalize_xof().fill(&mut run);
    Ok(run)
}

/// The names of a value's ciphertexts, in the order in which they travel, without those of plaintext moduli.
pub fn ports(value: &PackedValue, frame: Frame) -> Vec<String> {
    let parts = |name: &str, layout: &Layout| {
        layout.parts(frame).into_iter().map(|part| part_name(name, part)).collect::<Vec<_>>()
    };
    let mut names = parts(&value.name, &value.layout);
    if let Some(present) = &value.present {
        names.extend(parts(&value.present_name(), present));
    }
    names
}

/// Begins the bytes of a value; its residues follow.
pub fn writer(origin: &Origin, descriptor: &Descriptor) -> Writer {
    Writer::new(Kind::Value)
        .raw(&origin.parameters)
        .raw(&origin.owner)
        .raw(&origin.run)
        .text(&descriptor.text())
}

/// Reads what a value is; its residues follow.
///
/// # Errors
/// `Format` for bytes that do not decode; `Foreign` for other parameters.
pub fn reader<'a>(bytes: &'a [u8], parameters: &[u8; 16]) -> Result<(Origin, Descriptor, Reader<'a>)> {
    let mut reader = Reader::new(bytes, Kind::Value)?;
    let origin = Origin { parameters: reader.id()?, owner: reader.id()?, run: reader.id()? };
    let text = reader.text()?;
    let descriptor: Descriptor =
        serde_json::from_str(text).map_err(|error| reader.error(error.to_string()))?;
    if origin.parameters != *parameters {
        let at = format!("value `{}`", crate::bytes::shown(&descriptor.name));
        return Err(foreign(at, "set of parameters", &origin.parameters, parameters));
    }
    Ok((origin, descriptor, reader))
}

/// Reads the words of ciphertexts of these types; `samplers` where the value may be a fresh one.
///
/// # Errors
/// As [`body::read`].
pub fn words(reader: Reader<'_>, types: &[Extract], samplers: Option<&Samplers>) -> Result<Vec<Vec<u64>>> {
    body::read(reader, &Limbs::of_ciphertexts(types), samplers)
}

/// Says that a value is not what a program takes.
pub fn mismatch(what: &str, found: &Descriptor, expected: &Descriptor) -> Error {
    let (found, expected) = if found.value != expected.value {
        (found.value.clone(), expected.value.clone())
    } else if found.range != expected.range {
        (found.bounds(), expected.bounds())
    } else if found.cells != expected.cells {
        (found.cells.shown("cells"), expected.cells.shown("cells"))
    } else if found.present != expected.present {
        let shown = |of: &Descriptor| {
            of.present.as_ref().map_or_else(|| "no cell missing".to_owned(), |at| at.shown("which are there"))
        };
        (shown(found), shown(expected))
    } else if found.with != expected.with {
        (format!("ciphertexts of {}", found.names().join(", ")), expected.names().join(", "))
    } else if found.refreshed != expected.refreshed {
        let how =
            |refreshed: bool| if refreshed { "a result, refreshed" } else { "one that is not refreshed" };
        (how(found.refreshed).to_owned(), how(expected.refreshed).to_owned())
    } else if found.public && expected.program.is_some() {
        ("what a data owner encrypted".to_owned(), "a result".to_owned())
    } else {
        let count = found.ciphertexts.len().max(expected.ciphertexts.len());
        let other = (0..count).find(|&at| found.ciphertexts.get(at) != expected.ciphertexts.get(at));
        let shown = |of: &Descriptor| {
            let one = of.ciphertexts.get(other.unwrap_or_default());
            one.map_or_else(|| format!("{} ciphertexts", of.ciphertexts.len()), Clone::clone)
        };
        (shown(found), shown(expected))
    };
    Error::Task { at: format!("value for `{what}`"), found: found.chars().take(200).collect(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told() {
        let text = r#"{"name":"x","value":"v[4]","range":["0","9"],"cells":{"axes":[[4,0]],"repeated":0},"ciphertexts":["c{t=3}"]}"#;
        let one: Descriptor = serde_json::from_str(text).unwrap();
        for (from, to, found, expected) in [
            (r#""v[4]""#, r#""w[4]""#, "v[4]", "w[4]"),
            (r#""9""#, r#""8""#, "values from 0 to 9", "values from 0 to 8"),
            (r#""range":["0","9"],"#, "", "values from 0 to 9", "values without known bounds"),
            ("[[4,0]]", "[[4,1]]", "cells at [4 from bit 0]", "cells at [4 from bit 1]"),
            ("t=3", "t=5", "c{t=3}", "c{t=5}"),
        ] {
            let other: Descriptor = serde_json::from_str(&text.replace(from, to)).unwrap();
            let Error::Task { at, found: told, expected: wanted } = mismatch("x", &one, &other) else {
                panic!()
            };
            assert_eq!(at, "value for `x`");
            assert!(told.starts_with(found) && wanted.starts_with(expected), "{told}; {wanted}");
        }
    }
}
