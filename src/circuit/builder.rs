//! Builds a circuit, call by call.

use super::{Circuit, Origin};
use crate::graph::{Attrs, Graph, OperandId, ValueType};
use crate::ops::tensor::Tensor;
use crate::ops::{Registry, Session};
use crate::{Error, Result};
use std::sync::Arc;

/// A graph under construction: inputs, operators, views, constants, outputs.
///
/// Every call that makes an operand gives its handle, for later calls; operands are never changed.
/// Operators of one's own are used like any other:
///
/// ```
/// use cipherloom::Result;
/// use cipherloom::circuit::{CircuitBuilder, RunOptions, To};
/// use cipherloom::graph::{Attrs, OperandId, ValueType};
/// use cipherloom::ops::tensor::{Element, Tensor};
/// use cipherloom::ops::{Call, Level, OpDef, Session};
/// use cipherloom::platform::Scalar;
/// use std::sync::Arc;
///
/// /// The squares of f32 elements.
/// struct Square;
///
/// impl OpDef for Square {
///     fn name(&self) -> &str {
///         "my.square"
///     }
///     fn level(&self) -> Level {
///         // Base is for what has kernels.
///         Level::Task
///     }
///     fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
///         call.arity(1)?;
///         call.tensor_of(0, Element::F32)?.ty(call.unit)
///     }
///     fn expand(&self, session: &mut Session<'_>, _: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
///         session.op("f32.mul", Attrs::new(), &[inputs[0], inputs[0]])
///     }
/// }
///
/// let mut registry = cipherloom::registry();
/// registry.add(Arc::new(Square));
/// let registry = Arc::new(registry);
/// let mut g = CircuitBuilder::new(32, &registry)?;
/// let x = g.input("x", Tensor::new(Element::F32, [3]).ty(32)?)?;
/// let y = g.op("my.square", Attrs::new(), &[x])?;
/// g.output("y", y);
/// let platform = Scalar::new();
/// let base = g.finish()?.expand(To::Platform(&platform))?;
/// let execution = base.plan(&platform, &[], RunOptions::default())?;
/// let x: Vec<u8> = [1f32, -2.0, 3.0].into_iter().flat_map(f32::to_le_bytes).collect();
/// let mut run = execution.start(&[("x", &x)], || 0.0)?;
/// run.finish();
/// let y: Vec<u8> = [1f32, 4.0, 9.0].into_iter().flat_map(f32::to_le_bytes).collect();
/// assert_eq!(execution.output(&run, 0)?, y);
/// # Ok::<(), cipherloom::Error>(())
/// ```
pub struct CircuitBuilder<'r> {
    session: Session<'r>,
    registry: &'r Arc<Registry>,
    operands: Vec<OperandId>,
}

impl<'r> CircuitBuilder<'r> {
    /// An empty circuit whose unit has so many bits, over the operator types of a registry.
    ///
    /// # Errors
    /// `Attribute` for other units than 1, 2, 4, 8, 16, 32 and 64 bits.
    pub fn new(unit: u32, registry: &'r Arc<Registry>) -> Result<Self> {
        let graph = Graph::new(unit);
        graph.check_unit()?;
        Ok(Self { session: Session::new(graph, registry), registry, operands: Vec::new() })
    }

    /// Bits of the unit.
    pub fn unit(&self) -> u32 {
        self.session.graph().unit_bits()
    }

    /// A declared input.
    ///
    /// # Errors
    /// `EmptyAllocation`, `AddressSpace`.
    pub fn input(&mut self, name: &str, ty: ValueType) -> Result<OperandId> {
        let operand = self.session.graph_mut().add_input(name, ty)?;
        Ok(self.keep(operand))
    }

    /// The output of a new operator.
    ///
    /// # Errors
    /// `UnknownOperator`; what the operator type says of its operands and attributes; `Task` for operands of a larger
    /// builder. (What is another builder's cannot be told otherwise.)
    pub fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<OperandId> {
        self.check_known(inputs)?;
        let operand = self.session.op(name, attrs, inputs)?;
        Ok(self.keep(operand))
    }

    /// A tensor that is part of the circuit, from the bytes of its elements.
    ///
    /// # Errors
    /// `Operator` for another number of bytes than the tensor has.
    pub fn constant(&mut self, tensor: &Tensor, value: Arc<[u8]>) -> Result<OperandId> {
        self.op("constant", tensor.constant(value), &[])
    }

    /// Units `from..` of an operand, as many as `ty` has, seen as `ty`: a part, or all of it as another type.
    ///
    /// # Errors
    /// `SplitOutside` beyond the operand's end.
    pub fn view(&mut self, operand: OperandId, from: u64, ty: ValueType) -> Result<OperandId> {
        self.check_known(&[operand])?;
        let view = self.session.split(operand, from, ty)?;
        Ok(self.keep(view))
    }

    /// Operands one after the other, seen as `ty`.
    ///
    /// # Errors
    /// `Size` when the sizes do not add up.
    pub fn merge(&mut self, parts: &[OperandId], ty: ValueType) -> Result<OperandId> {
        self.check_known(parts)?;
        let merged = self.session.merge(parts, ty)?;
        Ok(self.keep(merged))
    }

    /// Declares an output.
    pub fn output(&mut self, name: &str, operand: OperandId) {
        self.session.graph_mut().declare_output(name, operand);
    }

    /// The type of an operand.
    pub fn ty(&self, operand: OperandId) -> &ValueType {
        self.session.ty(operand)
    }

    /// The operands so far, in the order of the calls that made them.
    pub fn operands(&self) -> &[OperandId] {
        &self.operands
    }

    /// The finished circuit.
    ///
    /// # Errors
    /// As [`Circuit::new`]; `Task` for an output that is no operand of this builder; `Attribute` for words seen as residues that may be none.
    pub fn finish(self) -> Result<Circuit> {
        let outputs: Vec<_> = self.session.graph().outputs().iter().map(|port| port.operand).collect();
        self.check_known(&outputs)?;
        let mut graph = self.session.finish();
        graph.shrink();
        let circuit = Circuit::from_outside(graph.clone(), Arc::clone(self.registry))?;
        Ok(Circuit {
            origin: Some(Arc::new(Origin { graph: graph.without_operators(), operands: self.operands })),
            ..circuit
        })
    }

    fn check_known(&self, operands: &[OperandId]) -> Result<()> {
        let count = self.session.graph().operand_count();
        let Some(unknown) = operands.iter().find(|operand| operand.0 as usize >= count) else {
            return Ok(());
        };
        let (at, found) = ("operand".into(), format!("number {}", unknown.0));
        Err(Error::Task { at, found, expected: format!("one of the {count} of this builder") })
    }

    fn keep(&mut self, operand: OperandId) -> OperandId {
        self.operands.push(operand);
        operand
    }
}
