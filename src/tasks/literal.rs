//! A task as it comes from outside: unchecked names, types and numbers, which become a graph of values.

use crate::expand::{BaseSet, Expander};
use crate::graph::{Attrs, Graph, OperandId, parse_attrs, parse_type};
use crate::math::doubles::parse;
use crate::ops::types::sized;
use crate::ops::{Registry, Session};
use crate::sorted::SortedMap;
use crate::values::types::{Kind, Value};
use crate::values::{Range, Values};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A task: declared inputs, operators over them and over earlier results, outputs. Operands are numbered: inputs first, then nodes in order; a node uses
/// smaller numbers only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Literal {
    /// What is given.
    pub inputs: Vec<InputLiteral>,
    /// Operators.
    pub nodes: Vec<NodeLiteral>,
    /// Results.
    pub outputs: Vec<OutputLiteral>,
}

/// What is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputLiteral {
    /// Its name, unique among the inputs.
    pub name: String,
    /// Its type in text form: `value[1]{kind="integer", shape=[8], where="encrypted"}`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The least that a cell can be, in units of 10^-decimals: an integer, or of reals a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<String>,
    /// The most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
    /// What its cells are made of by whoever gives them, where that is another input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digits: Option<DigitsLiteral>,
}

/// Digits of another input: along the first dimension, the lowest one first, those of factor x - low, which is never below 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DigitsLiteral {
    /// The name of that input, which stands before.
    pub of: String,
    /// How many values a digit has.
    pub base: u32,
    /// What cells are multiplied with, in their units: a decimal integer.
    pub factor: String,
    /// What is 0 then: a decimal integer.
    pub low: String,
}

/// An operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeLiteral {
    /// The operator type.
    pub op: String,
    /// Operand numbers.
    pub inputs: Vec<usize>,
    /// Attributes in text form: `{axis=0}`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub attrs: String,
}

/// A declared result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputLiteral {
    /// Its name, unique among the outputs.
    pub name: String,
    /// Which operand it is.
    pub operand: usize,
}

/// Most inputs, operators and outputs together.
const MOST: usize = 1 << 20;

impl Literal {
    /// The graph of the task, of primitive operators, and the ranges of its inputs.
    ///
    /// # Errors
    /// `TooLarge`; `Task` for an operand or a range that is none, a name that is taken or a task without outputs; what the operators say.
    pub fn assemble(
        &self,
        registry: &Registry,
        values: &Values,
    ) -> Result<(Graph, SortedMap<String, Range>)> {
        let found = self.inputs.len() + self.nodes.len() + self.outputs.len();
        if found > MOST {
            return Err(Error::TooLarge {
                what: "inputs, operators and outputs of a task",
                found: found as u64,
                limit: MOST as u64,
            });
        }
        let mut session = Session::new(Graph::new(64), registry);
        let mut operands: Vec<OperandId> = Vec::new();
        // A literal is anybody's: names may come in the worst of orders, and are sorted once.
        let (mut ranges, mut seen) = (Vec::new(), HashSet::new());
        for input in &self.inputs {
            let (head, size, attrs) = parse_type(&input.ty)?;
            let ty = sized(&head, size, attrs, 64)?;
            let value = Value::of(&ty)?;
            check_name("input", &input.name)?;
            let range = input.range(&value)?;
            if let Some(digits) = input.digits.as_ref().filter(|digits| !seen.contains(digits.of.as_str())) {
                return Err(Error::Task {
                    at: format!("digits `{}`", input.name),
                    found: format!("those of `{}`", digits.of),
                    expected: "those of an input that stands before".into(),
                });
            }
            if !seen.insert(input.name.as_str()) {
                return Err(taken("input", &input.name));
            }
            ranges.push((input.name.clone(), range));
            operands.push(session.graph_mut().add_input(&input.name, ty)?);
        }
        for (number, node) in self.nodes.iter().enumerate() {
            let at = || format!("operator {number} ({})", node.op);
            let inputs = node.inputs.iter().map(|&operand| known(&operands, operand, at));
            let attrs = if node.attrs.is_empty() { Attrs::new() } else { parse_attrs(&node.attrs)? };
            let output = session.op(&node.op, attrs, &inputs.collect::<Result<Vec<_>>>()?).map_err(
                |error| match error {
                    Error::UnknownOperator { op, .. } => Error::UnknownOperator { op, at: at() },
                    other => other,
                },
            )?;
            operands.push(output);
        }
        let mut names = HashSet::new();
        for output in &self.outputs {
            check_name("output", &output.name)?;
            if !names.insert(output.name.as_str()) {
                return Err(taken("output", &output.name));
            }
            let operand = known(&operands, output.operand, || format!("output `{}`", output.name))?;
            session.graph_mut().declare_output(&output.name, operand);
        }
        if self.outputs.is_empty() {
            return Err(Error::Task {
                at: "outputs".into(),
                found: "none".into(),
                expected: "at least one".into(),
            });
        }
        let contains = |op: &str| values.is_base(op, registry);
        let base = BaseSet { platform: "tasks", contains: &contains };
        let graph = Expander::new(registry).expand(&session.finish(), &base)?;
        Ok((graph, ranges.into()))
    }
}

/// Most bytes of a name.
const MOST_NAME: usize = 256;

fn check_name(what: &str, name: &str) -> Result<()> {
    if (1..=MOST_NAME).contains(&name.len()) {
        return Ok(());
    }
    let (at, found) = (format!("name of an {what}"), format!("{} bytes", name.len()));
    Err(Error::Task { at, found, expected: format!("1 to {MOST_NAME}") })
}

fn taken(what: &str, name: &str) -> Error {
    let (at, expected) = (format!("{what} `{name}`"), "a name that no other has".to_owned());
    Error::Task { at, found: "a name that another has".to_owned(), expected }
}

fn known(operands: &[OperandId], operand: usize, at: impl Fn() -> String) -> Result<OperandId> {
    operands.get(operand).copied().ok_or_else(|| Error::Task {
        at: at(),
        found: format!("operand {operand}"),
        expected: format!("one that is there before: 0 to {}", operands.len().saturating_sub(1)),
    })
}

impl InputLiteral {
    fn range(&self, value: &Value) -> Result<Range> {
        let (Some(min), Some(max)) = (&self.min, &self.max) else {
            return if self.min.is_none() && self.max.is_none() {
                Ok(Range::of_kind(value.kind))
            } else {
                Err(self.wrong("one bound", "both, or none"))
            };
        };
        let parsed = if value.kind == Kind::Real {
            parse(min).zip(parse(max)).map(|(min, max)| Range::Reals { min, max })
        } else {
            min.parse().ok().zip(max.parse().ok()).map(|(min, max)| Range::Integers { min, max })
        };
        parsed.ok_or_else(|| self.wrong(&format!("{min} to {max}"), "numbers of its kind, as decimals"))
    }

    fn wrong(&self, found: &str, expected: &str) -> Error {
        Error::Task {
            at: format!("range of input `{}`", self.name),
            found: found.to_owned(),
            expected: expected.to_owned(),
        }
    }
}
