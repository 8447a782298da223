//! Calls of a builder, recorded elsewhere: what TypeScript hands over.

use super::{Circuit, CircuitBuilder};
use crate::graph::{Attrs, OperandId, ValueType, parse_attrs, parse_type};
use crate::ops::Registry;
use crate::ops::tensor::Tensor;
use crate::ops::types::sized;
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
        let mut tape = Tape { rest: self.tape.iter() };
        let mut known =
            Known { literal: self, attrs: vec![None; self.attrs.len()], types: vec![None; self.types.len()] };
        let mut call = 0;
        while let Some(kind) = tape.rest.next() {
            let made = make(&mut builder, &mut known, *kind, &mut tape);
            made.map_err(|error| Error::AtCall { call, error: Box::new(error) })?;
            call += 1;
        }
        builder.finish()
    }
}

/// Makes one call.
fn make(
    builder: &mut CircuitBuilder<'_>,
    known: &mut Known<'_>,
    kind: u32,
    tape: &mut Tape<'_>,
) -> Result<()> {
    match kind {
        0 => {
            let (name, ty) = (known.name(tape.next()?)?, known.ty(tape.next()?)?);
            builder.input(name, ty)?;
        }
        1 => {
            let (name, attrs) = (known.name(tape.next()?)?, known.attrs(tape.next()?)?);
            let inputs = tape.operands(builder)?;
            builder.op(name, attrs, &inputs)?;
        }
        2 => {
            let operand = tape.operand(builder)?;
            let from = u64::from(tape.next()?) | u64::from(tape.next()?) << 32;
            let ty = known.ty(tape.next()?)?;
            builder.view(operand, from, ty)?;
        }
        3 => {
            let ty = known.ty(tape.next()?)?;
            let parts = tape.operands(builder)?;
            builder.merge(&parts, ty)?;
        }
        4 => {
            let ty = known.ty(tape.next()?)?;
            let value =
                known.literal.constants.get(tape.next()? as usize).ok_or_else(|| broken("a constant"))?;
            builder.constant(&Tensor::of(&ty, builder.unit())?, Arc::clone(value))?;
        }
        5 => {
            let name = known.name(tape.next()?)?;
            let operand = tape.operand(builder)?;
            builder.output(name, operand);
        }
        _ => return Err(broken("the number of a kind of call")),
    }
    Ok(())
}

fn broken(expected: &str) -> Error {
    Error::Task { at: "recorded calls".into(), found: "another number".into(), expected: expected.into() }
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
        let (head, size, attrs) = parse_type(&self.literal.types[number as usize])?;
        let ty = sized(&head, size, attrs, self.literal.unit)?;
        *known = Some(ty.clone());
        Ok(ty)
    }
}

struct Tape<'a> {
    rest: std::slice::Iter<'a, u32>,
}

impl Tape<'_> {
    fn next(&mut self) -> Result<u32> {
        self.rest.next().copied().ok_or_else(|| broken("more numbers"))
    }

    fn operand(&mut self, builder: &CircuitBuilder<'_>) -> Result<OperandId> {
        builder
            .operands()
            .get(self.next()? as usize)
            .copied()
            .ok_or_else(|| broken("an operand that was made before"))
    }

    fn operands(&mut self, builder: &CircuitBuilder<'_>) -> Result<Vec<OperandId>> {
        let count = self.next()? as usize;
        if count > self.rest.len() {
            return Err(broken("as many operands as are said"));
        }
        (0..count).map(|_| self.operand(builder)).collect()
    }
}
