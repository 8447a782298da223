//! A task as it comes from outside: unchecked names and numbers. `Program::compile` turns it into graphs.

use crate::graph::{Attr, Attrs};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A task: declared inputs, operators over them and over earlier results, outputs.
///
/// Operands are numbered: inputs first, then nodes in order; a node uses smaller numbers only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskLiteral {
    /// Encrypted inputs.
    pub inputs: Vec<InputLiteral>,
    /// Operators.
    pub nodes: Vec<NodeLiteral>,
    /// Results.
    pub outputs: Vec<OutputLiteral>,
}

/// An encrypted input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputLiteral {
    /// Its name, unique among the inputs.
    pub name: String,
    /// Number of integers.
    pub rows: usize,
    /// Smallest integer that can occur, decimal.
    pub min: String,
    /// Largest integer that can occur, decimal.
    pub max: String,
    /// True when cells may be missing.
    #[serde(default)]
    pub missing: bool,
    /// How rows lie in ciphertexts.
    #[serde(default)]
    pub layout: Layout,
    /// Rings of equal length that the rows of layout slots form: 1 or 2.
    #[serde(default = "one")]
    pub rings: usize,
    /// Decimal places: the integers stand for units of 10^-decimals.
    #[serde(default)]
    pub decimals: u32,
}

fn one() -> usize {
    1
}

/// How the rows of an input lie in ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Layout {
    /// As many ciphertexts as it takes.
    #[default]
    Column,
    /// One ciphertext; the rows form one or two rings, which can be rotated.
    Slots,
}

/// An operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeLiteral {
    /// The operator type.
    pub op: String,
    /// Operand numbers.
    pub inputs: Vec<usize>,
    /// Attributes.
    #[serde(default)]
    pub attrs: BTreeMap<String, AttrLiteral>,
}

/// An attribute value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AttrLiteral {
    /// An integer.
    Int(i64),
    /// A number with a fraction: never valid, but named in the error.
    Float(f64),
    /// A text.
    Text(String),
    /// Integers.
    Ints(Vec<i64>),
    /// Texts.
    Texts(Vec<String>),
}

/// A declared result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputLiteral {
    /// Its name, unique among the outputs.
    pub name: String,
    /// Operand number.
    pub operand: usize,
    /// Decimal places of a column or a sum, or of the integers that a statistic is made of.
    #[serde(default)]
    pub decimals: u32,
}

/// Most bytes of a name: names are compared with one another.
const MOST_NAME: usize = 256;
const SHORT_NAME: &str = "at most 256 bytes";
/// Most decimal places of an input: 62 bits keep no more.
const MOST_INPUT_DECIMALS: u32 = 18;
/// Most decimal places of an output; products add them up.
const MOST_OUTPUT_DECIMALS: u32 = 1000;
/// Most rows of a ring: slots in a row of the largest ring dimension.
const MOST_RING_ROWS: usize = 1 << 14;

/// The name of the graph input that holds the evaluation keys.
pub(super) const KEYS: &str = "evaluation keys";

impl TaskLiteral {
    /// Checks what can be checked without parameters: names, numbers, order.
    ///
    /// # Errors
    /// `Task` names the input, node or output.
    pub fn check(&self) -> Result<()> {
        let wrong = |at: String, found: String, expected: &str| -> Result<()> {
            Err(Error::Task { at, found, expected: expected.to_owned() })
        };
        let mut names = BTreeSet::from([KEYS]);
        for (index, input) in self.inputs.iter().enumerate() {
            let at = || format!("input {index} (`{}`)", input.name);
            if input.name.len() > MOST_NAME {
                return wrong(
                    format!("input {index}"),
                    format!("a name of {} bytes", input.name.len()),
                    SHORT_NAME,
                );
            }
            if input.name.is_empty() || !names.insert(&input.name) {
                return wrong(at(), format!("name `{}`", input.name), "a name that no other input has");
            }
            if input.rows == 0 || input.rows > 1 << 24 {
                return wrong(at(), format!("{} rows", input.rows), "1 to 2^24 rows");
            }
            let (min, max) = input.bounds()?;
            if min > max {
                return wrong(at(), format!("min {min}, max {max}"), "min <= max");
            }
            if input.decimals > MOST_INPUT_DECIMALS {
                return wrong(at(), format!("{} decimals", input.decimals), "at most 18");
            }
            let rings = input.rings;
            match input.layout {
                Layout::Column if rings != 1 => {
                    return wrong(at(), format!("{rings} rings in layout column"), "layout slots");
                }
                Layout::Column => {}
                Layout::Slots if input.missing => {
                    return wrong(at(), "layout slots with missing cells".into(), "layout column");
                }
                Layout::Slots if !(1..=2).contains(&rings) => {
                    return wrong(at(), format!("{rings} rings"), "1 or 2");
                }
                Layout::Slots if input.rows % rings != 0 || input.rows / rings > MOST_RING_ROWS => {
                    let found = format!("{} rows in {rings} rings", input.rows);
                    return wrong(at(), found, "rings of equal length, at most 2^14 rows each");
                }
                Layout::Slots => {}
            }
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let limit = self.inputs.len() + index;
            if let Some(&operand) = node.inputs.iter().find(|&&i| i >= limit) {
                let expected = "an input or an earlier node";
                return wrong(format!("node {index} ({})", node.op), format!("operand {operand}"), expected);
            }
        }
        if self.outputs.is_empty() {
            return wrong("outputs".into(), "none".into(), "at least one output");
        }
        let mut names = BTreeSet::new();
        for (index, output) in self.outputs.iter().enumerate() {
            let at = || format!("output {index} (`{}`)", output.name);
            if output.name.len() > MOST_NAME {
                return wrong(
                    format!("output {index}"),
                    format!("a name of {} bytes", output.name.len()),
                    SHORT_NAME,
                );
            }
            if output.name.is_empty() || !names.insert(&output.name) {
                return wrong(at(), format!("name `{}`", output.name), "a name that no other output has");
            }
            if output.operand >= self.inputs.len() + self.nodes.len() {
                return wrong(at(), format!("operand {}", output.operand), "an input or a node");
            }
            if output.decimals > MOST_OUTPUT_DECIMALS {
                return wrong(at(), format!("{} decimals", output.decimals), "at most 1000");
            }
            if self.inputs.get(output.operand).is_some_and(|input| input.missing) {
                // Decrypted alone, a cell that is missing would read as 0.
                return wrong(at(), "a column with missing cells".into(), "a column without, or a statistic");
            }
        }
        Ok(())
    }

    /// For each operand the number of the input that its rows are those of: that of its first operand; `None` without any.
    pub fn sources(&self) -> Vec<Option<usize>> {
        let mut sources: Vec<Option<usize>> = (0..self.inputs.len()).map(Some).collect();
        for node in &self.nodes {
            let first = node.inputs.first().and_then(|&first| sources.get(first));
            sources.push(first.copied().flatten());
        }
        sources
    }

    /// The operator of an operand; `None` for inputs.
    pub fn node(&self, operand: usize) -> Option<&NodeLiteral> {
        self.nodes.get(operand.checked_sub(self.inputs.len())?)
    }
}

impl InputLiteral {
    /// (min, max).
    ///
    /// # Errors
    /// `Task` when they are not integers of at most 63 bits.
    pub fn bounds(&self) -> Result<(i128, i128)> {
        let bound = |which: &str, text: &str| {
            let value = text.trim().parse::<i64>().ok().filter(|v| v.unsigned_abs() < 1 << 62);
            value.map(i128::from).ok_or_else(|| Error::Task {
                at: format!("input `{}`, {which}", self.name),
                found: text.to_owned(),
                expected: "an integer between -2^62 and 2^62".into(),
            })
        };
        Ok((bound("min", &self.min)?, bound("max", &self.max)?))
    }
}

impl NodeLiteral {
    /// Its attributes as the graph has them.
    ///
    /// # Errors
    /// `Task` for a number with a fraction.
    pub fn graph_attrs(&self) -> Result<Attrs> {
        let mut attrs = Attrs::new();
        for (name, value) in &self.attrs {
            let value = match value {
                AttrLiteral::Int(v) => Attr::Int((*v).into()),
                AttrLiteral::Text(v) => Attr::Text(v.clone()),
                AttrLiteral::Ints(v) => Attr::Ints(v.iter().map(|&v| v.into()).collect()),
                AttrLiteral::Texts(v) => Attr::Texts(v.as_slice().into()),
                AttrLiteral::Float(v) => {
                    return Err(Error::Task {
                        at: format!("{}, attribute `{name}`", self.op),
                        found: v.to_string(),
                        expected: "an integer".into(),
                    });
                }
            };
            attrs = attrs.with(name, value);
        }
        Ok(attrs)
    }
}
