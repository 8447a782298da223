//! Calls of a builder, recorded elsewhere: what TypeScript hands over.

use super::{Circuit, CircuitBuilder};
use crate::graph::{Attrs, OperandId, ValueType, parse_attrs, parse_type};
use crate::ops::tensor::Tensor;
use crate::ops::types::sized;
use crate::ops::{Registry, Session};
use crate::watch::Steps;
use crate::{Error, Result};
use std::sync::Arc;

/// Recorded calls, one after the other in `tape`, with tables that it names entries of. Operands are numbered from 0 in the
/// order of the calls that make one.
///
/// ```text
/// 0 input    name type
/// 1 op       name attrs+1 (0: none) count operand...
/// 2 view     operand from (low, high 32 bits) type
/// 3 merge    type count operand...
/// 4 constant type constant
/// 5 output   name operand
/// ```
#[derive(Clone, Debug, Default)]
pub struct CircuitLiteral {
    /// Bits of the unit.
    pub unit: u32,
    /// Names of operators and ports.
    pub names: Vec<String>,
    /// Attributes, in their text form.
    pub attrs: Vec<String>,
    /// Types, in their text form, without their sizes where these follow.
    pub types: Vec<String>,
    /// Bytes of the elements of constants.
    pub constants: Vec<Arc<[u8]>>,
    /// The calls.
    pub tape: Vec<u32>,
}

impl CircuitLiteral {
    /// Makes the calls.
    ///
    /// # Errors
    /// `AtCall` tells the number of the call that was refused, and why; otherwise as [`Circuit::new`].
    pub fn build(&self, registry: &Arc<Registry>) -> Result<Circuit> {
        let mut builder = CircuitBuilder::new(self.unit, registry)?;
        self.calls(&mut builder)?;
        builder.finish()
    }

    /// Makes the calls in a session, with these operands in place of the inputs, in order; gives the only output.
    ///
    /// # Errors
    /// As [`CircuitLiteral::build`]; `Task` for another number of inputs or outputs.
    pub(super) fn replay(&self, session: &mut Session<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let mut replay = Replay { session, inputs: inputs.iter(), operands: Vec::new(), output: None };
        self.calls(&mut replay)?;
        replay.output.ok_or_else(|| broken("one output"))
    }

    fn calls(&self, calls: &mut impl Calls) -> Result<()> {
        let mut tape = Tape { rest: self.tape.iter() };
        let (attrs, types) = (vec![None; self.attrs.len()], vec![None; self.types.len()]);
        let mut known = Known { literal: self, attrs, types };
        let mut call = 0;
        // Words, of which a call has about four.
        let mut steps = Steps::new(self.tape.len() / 4);
        while let Some(kind) = tape.rest.next() {
            steps.step()?;
            let made = make(calls, &mut known, *kind, &mut tape);
            made.map_err(|error| Error::AtCall { call, error: Box::new(error) })?;
            call += 1;
        }
        Ok(())
    }
}

/// What calls are made on.
trait Calls {
    fn input(&mut self, name: &str, ty: ValueType) -> Result<()>;
    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<()>;
    fn view(&mut self, operand: OperandId, from: u64, ty: ValueType) -> Result<()>;
    fn merge(&mut self, parts: &[OperandId], ty: ValueType) -> Result<()>;
    fn constant(&mut self, ty: &ValueType, value: &Arc<[u8]>) -> Result<()>;
    fn output(&mut self, name: &str, operand: OperandId) -> Result<()>;
    fn operands(&self) -> &[OperandId];
}

impl Calls for CircuitBuilder<'_> {
    fn input(&mut self, name: &str, ty: ValueType) -> Result<()> {
        CircuitBuilder::input(self, name, ty).map(drop)
    }
    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<()> {
        CircuitBuilder::op(self, name, attrs, inputs).map(drop)
    }
    fn view(&mut self, operand: OperandId, from: u64, ty: ValueType) -> Result<()> {
        CircuitBuilder::view(self, operand, from, ty).map(drop)
    }
    fn merge(&mut self, parts: &[OperandId], ty: ValueType) -> Result<()> {
        CircuitBuilder::merge(self, parts, ty).map(drop)
    }
    fn constant(&mut self, ty: &ValueType, value: &Arc<[u8]>) -> Result<()> {
        let tensor = Tensor::of(ty, self.unit())?;
        CircuitBuilder::constant(self, &tensor, Arc::clone(value)).map(drop)
    }
    fn output(&mut self, name: &str, operand: OperandId) -> Result<()> {
        CircuitBuilder::output(self, name, operand);
        Ok(())
    }
    fn operands(&self) -> &[OperandId] {
        CircuitBuilder::operands(self)
    }
}

/// Calls inside an expansion.
struct Replay<'s, 'r, 'i> {
    session: &'s mut Session<'r>,
    inputs: std::slice::Iter<'i, OperandId>,
    operands: Vec<OperandId>,
    output: Option<OperandId>,
}

impl Calls for Replay<'_, '_, '_> {
    fn input(&mut self, _: &str, ty: ValueType) -> Result<()> {
        let &input = self.inputs.next().ok_or_else(|| broken("as many inputs as operands"))?;
        let found = self.session.ty(input);
        if *found != ty {
            let at = "input of a recorded operator".into();
            return Err(Error::Task { at, found: found.to_string(), expected: ty.to_string() });
        }
        self.operands.push(input);
        Ok(())
    }
    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<()> {
        self.operands.push(self.session.op(name, attrs, inputs)?);
        Ok(())
    }
    fn view(&mut self, operand: OperandId, from: u64, ty: ValueType) -> Result<()> {
        self.operands.push(self.session.split(operand, from, ty)?);
        Ok(())
    }
    fn merge(&mut self, parts: &[OperandId], ty: ValueType) -> Result<()> {
        self.operands.push(self.session.merge(parts, ty)?);
        Ok(())
    }
    fn constant(&mut self, ty: &ValueType, value: &Arc<[u8]>) -> Result<()> {
        let tensor = Tensor::of(ty, self.session.graph().unit_bits())?;
        self.op("constant", tensor.constant(Arc::clone(value)), &[])
    }
    fn output(&mut self, _: &str, operand: OperandId) -> Result<()> {
        match self.output.replace(operand) {
            None => Ok(()),
            Some(_) => Err(broken("one output")),
        }
    }
    fn operands(&self) -> &[OperandId] {
        &self.operands
    }
}

/// Makes one call.
fn make(calls: &mut impl Calls, known: &mut Known<'_>, kind: u32, tape: &mut Tape<'_>) -> Result<()> {
    match kind {
        0 => {
            let (name, ty) = (known.name(tape.next()?)?, known.ty(tape.next()?)?);
            calls.input(name, ty)
        }
        1 => {
            let (name, attrs) = (known.name(tape.next()?)?, known.attrs(tape.next()?)?);
            let inputs = tape.operands(calls)?;
            calls.op(name, attrs, &inputs)
        }
        2 => {
            let operand = tape.operand(calls)?;
            let from = u64::from(tape.next()?) | u64::from(tape.next()?) << 32;
            let ty = known.ty(tape.next()?)?;
            calls.view(operand, from, ty)
        }
        3 => {
            let ty = known.ty(tape.next()?)?;
            let parts = tape.operands(calls)?;
            calls.merge(&parts, ty)
        }
        4 => {
            let ty = known.ty(tape.next()?)?;
            let value = known.literal.constants.get(tape.next()? as usize);
            calls.constant(&ty, value.ok_or_else(|| broken("a constant"))?)
        }
        5 => {
            let name = known.name(tape.next()?)?;
            let operand = tape.operand(calls)?;
            calls.output(name, operand)
        }
        _ => Err(broken("the number of a kind of call")),
    }
}

fn broken(expected: &str) -> Error {
    Error::Task { at: "recorded calls".into(), found: "something else".into(), expected: expected.into() }
}

/// Tables whose entries are read once.
struct Known<'a> {
    literal: &'a CircuitLiteral,
    attrs: Vec<Option<Attrs>>,
    types: Vec<Option<ValueType>>,
}

impl<'a> Known<'a> {
    fn name(&self, number: u32) -> Result<&'a str> {
        self.literal.names.get(number as usize).map(String::as_str).ok_or_else(|| broken("a name"))
    }

    fn attrs(&mut self, number: u32) -> Result<Attrs> {
        let Some(number) = number.checked_sub(1) else { return Ok(Attrs::new()) };
        let known = self.attrs.get_mut(number as usize).ok_or_else(|| broken("attributes"))?;
        if known.is_none() {
            *known = Some(parse_attrs(&self.literal.attrs[number as usize])?);
        }
        Ok(known.clone().unwrap_or_default())
    }

    fn ty(&mut self, number: u32) -> Result<ValueType> {
        let known = self.types.get_mut(number as usize).ok_or_else(|| broken("a type"))?;
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let ty = read_type(&self.literal.types[number as usize], self.literal.unit)?;
        *known = Some(ty.clone());
        Ok(ty)
    }
}

/// A type from its text form, whose size may be left out where it follows.
///
/// # Errors
/// `Syntax`, and as [`sized`].
pub(super) fn read_type(text: &str, unit: u32) -> Result<ValueType> {
    let (head, size, attrs) = parse_type(text)?;
    sized(&head, size, attrs, unit)
}

struct Tape<'a> {
    rest: std::slice::Iter<'a, u32>,
}

impl Tape<'_> {
    fn next(&mut self) -> Result<u32> {
        self.rest.next().copied().ok_or_else(|| broken("more numbers"))
    }

    fn operand(&mut self, calls: &impl Calls) -> Result<OperandId> {
        let known = calls.operands().get(self.next()? as usize);
        known.copied().ok_or_else(|| broken("an operand that was made before"))
    }

    fn operands(&mut self, calls: &impl Calls) -> Result<Vec<OperandId>> {
        let count = self.next()? as usize;
        if count > self.rest.len() {
            return Err(broken("as many operands as are said"));
        }
        (0..count).map(|_| self.operand(calls)).collect()
    }
}
