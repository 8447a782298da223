//! One walk over a task graph for all rules of its operators: the flow engine, with the name of each input and which value an
//! operand is.

use super::types::{HEAD, Value, ValueCall};
use super::{ValueDef, Values};
use crate::graph::{Attrs, Graph, OperandId, ValueType};
use crate::ops::flow::{Flow, States};
use crate::ops::{Call, Level, OpDef, Registry};
use crate::{Error, Result};
use std::cell::Cell;
use std::sync::Arc;

/// What is worked out for every value.
pub(super) trait Rule {
    /// What is known of one.
    type State: Clone;

    /// Of an input.
    fn given(&self, name: &str, value: &Value) -> Result<Self::State>;

    /// Of what a primitive operator makes, from those of its operands, each with the number of the value that it is.
    fn of(
        &self,
        def: &dyn ValueDef,
        call: &Call<'_>,
        output: &Value,
        inputs: &[(&Self::State, u32)],
    ) -> Result<Self::State>;
}

/// A state, the value that was written, and its number.
pub(super) struct Written<S> {
    state: S,
    value: Arc<Value>,
    source: u32,
}

impl<S: Clone> Clone for Written<S> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), value: Arc::clone(&self.value), source: self.source }
    }
}

/// A walk by one rule.
pub(super) struct Walk<'v, R> {
    values: &'v Values,
    rule: R,
    /// How many values were written.
    written: Cell<u32>,
}

/// Stands for whoever gives an input: the flow engine asks operators, and inputs have none.
struct Given;

impl Given {
    const NAME: &'static str = "value.given";
}

impl OpDef for Given {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Err(call.error("operator", "in a task", "only inputs"))
    }
}

/// A graph that was checked, whose inputs are given by operators.
pub(super) struct Walked {
    graph: Graph,
    registry: Registry,
}

impl Walked {
    pub(super) fn new(graph: &Graph, registry: &Registry) -> Result<Self> {
        registry.check_graph(graph)?;
        let (mut graph, mut registry) = (graph.clone(), registry.clone());
        registry.add(Arc::new(Given));
        for port in graph.inputs().to_vec() {
            let signature =
                graph.intern_signature(Given::NAME, Attrs::new().with("name", port.name.as_str()));
            graph.push_operator(signature, &[], port.operand, 0, u32::MAX);
        }
        Ok(Self { graph, registry })
    }
}

impl<'v, R: Rule> Walk<'v, R> {
    pub(super) fn new(values: &'v Values, rule: R) -> Self {
        Self { values, rule, written: Cell::new(0) }
    }

    /// The states of all operands, by number; none for what is no value.
    pub(super) fn run(&self, graph: &Graph, registry: &Registry) -> Result<Vec<Option<R::State>>> {
        self.run_in(&Walked::new(graph, registry)?)
    }

    /// The same, of a graph that others walk through, too.
    pub(super) fn run_in(&self, Walked { graph, registry }: &Walked) -> Result<Vec<Option<R::State>>> {
        let states = States::new(graph, registry, self)?;
        for port in graph.outputs() {
            let (seen, written) = (graph.ty(port.operand), states.of(port.operand));
            let value = written.map(|written| written.value.ty()).transpose()?;
            if value.as_ref() != Some(seen) {
                let at = format!("output `{}`", port.name);
                let expected =
                    value.map_or("a value that an input or an operator gives".into(), |ty| ty.to_string());
                return Err(Error::Task { at, found: seen.to_string(), expected });
            }
        }
        let operands = (0..graph.operand_count() as u32).map(OperandId);
        Ok(operands.map(|operand| states.of(operand).map(|written| written.state)).collect())
    }

    fn write(&self, state: R::State, value: Value) -> Written<R::State> {
        let source = self.written.get();
        self.written.set(source.wrapping_add(1));
        Written { state, value: Arc::new(value), source }
    }
}

impl<R: Rule> Flow for Walk<'_, R> {
    type State = Option<Written<R::State>>;

    fn given(&self, _: &ValueType) -> Self::State {
        None
    }

    fn join(&self, first: Self::State, second: &Self::State) -> Self::State {
        // A value is one unit: whatever has several is none.
        first.zip(second.as_ref()).filter(|(a, b)| a.source == b.source).map(|(a, _)| a)
    }

    fn step(
        &self,
        def: &dyn OpDef,
        call: &Call<'_>,
        output: &ValueType,
        inputs: &[Self::State],
    ) -> Result<Self::State> {
        if call.name == Given::NAME {
            let value = Value::of(output)?;
            return Ok(Some(self.write(self.rule.given(call.attrs.text("name")?, &value)?, value)));
        }
        let operand = |(index, state): (usize, &'_ Self::State)| match state {
            // Nobody sees a value as another one. What moves it sees its unit.
            Some(written) if call.inputs[index].head != HEAD || call.value(index)? == *written.value => {
                Ok(())
            }
            Some(written) => {
                Err(call.error(format!("input {index}"), &call.inputs[index], written.value.ty()?))
            }
            None => {
                let expected = "a value that an input or an operator gives";
                Err(call.error(format!("input {index}"), &call.inputs[index], expected))
            }
        };
        inputs.iter().enumerate().try_for_each(operand)?;
        if def.moves() {
            return match inputs {
                [one] if output.size == 1 => Ok(one.clone()),
                _ => Err(call.error("output", output, "one value")),
            };
        }
        let def = self.values.get(call.name)?;
        let value = Value::of(output)?;
        let known: Vec<(&R::State, u32)> = inputs.iter().flatten().map(|w| (&w.state, w.source)).collect();
        let state = self.rule.of(&**def, call, &value, &known)?;
        Ok(Some(self.write(state, value)))
    }
}

/// That each operand is the value that was written is all that this rule wants to know.
struct Checked;

impl Rule for Checked {
    type State = ();

    fn given(&self, _: &str, _: &Value) -> Result<()> {
        Ok(())
    }

    fn of(&self, _: &dyn ValueDef, _: &Call<'_>, _: &Value, _: &[(&(), u32)]) -> Result<()> {
        Ok(())
    }
}

/// Checks a task graph: its operators are primitive and take their operands, and what is read is a value as it was written.
///
/// # Errors
/// `UnknownOperator`; `Operator` names an operator that is not primitive, that does not take its operands, or that reads what is no value
/// or another one; `Task` an output that is such; `OverlappingOutputs`, `Cycle`; `Cancelled`.
pub fn check_values(graph: &Graph, registry: &Registry, values: &Values) -> Result<()> {
    Walk::new(values, Checked).run(graph, registry).map(drop)
}

/// Says that an operator is none of the primitive ones.
pub(super) fn no_primitive(op: &str) -> Error {
    Error::Operator {
        op: op.to_owned(),
        what: "operator of a task".to_owned(),
        found: "no primitive operator of values".to_owned(),
        expected: "a primitive one, or one that is expanded into these first".to_owned(),
    }
}
