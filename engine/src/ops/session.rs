//! Where operators are assembled: a graph and the types that it may use.

use super::types::{Ciphertext, Poly};
use super::{Call, Registry};
use crate::Result;
use crate::graph::{Attrs, Graph, Interner, OperandId, Signature, ValueType, hash};

/// A graph under construction. Tasks are built in one, and expand functions record into one.
pub struct Session<'r> {
    graph: Graph,
    registry: &'r Registry,
    /// Numbers of the signature and of the input types of every call so far.
    calls: Interner<Box<[u32]>>,
    /// What came of each: the number of the output's type, and whether it draws random numbers.
    outcomes: Vec<(u32, bool)>,
    scratch: Vec<u32>,
    /// The operator one level up that the next ones are made from.
    parent: u32,
}

impl<'r> Session<'r> {
    /// A session that adds to `graph`.
    pub fn new(graph: Graph, registry: &'r Registry) -> Self {
        let (calls, outcomes, scratch) = (Interner::default(), Vec::new(), Vec::new());
        Self { graph, registry, calls, outcomes, scratch, parent: u32::MAX }
    }

    /// Says which operator one level up the next ones are made from; `u32::MAX` for none.
    pub fn set_parent(&mut self, parent: u32) {
        self.parent = parent;
    }

    /// The assemble function: looks the type up, works out the output's type, allocates the output and adds
    /// the operator (SPEC G3). The output's type is a function of attributes and input types, so that it is worked out
    /// once for all calls that share them. The name may say a platform ([`Signature::parts`]), which then computes whatever
    /// the operator expands to.
    ///
    /// # Errors
    /// `UnknownOperator`, or what the type's `assemble` says.
    pub fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<OperandId> {
        let (signature, (output, random)) = match self.known(name, &attrs, inputs) {
            Some(known) => known,
            None => self.assemble(name, attrs, inputs)?,
        };
        let output = self.graph.add_interned(signature, inputs, output)?;
        if random {
            self.graph.mark_last_random();
        }
        if self.parent != u32::MAX {
            self.graph.set_parent_of_last(self.parent);
        }
        Ok(output)
    }

    /// The signature and outcome of a call like one before.
    fn known(&mut self, name: &str, attrs: &Attrs, inputs: &[OperandId]) -> Option<(u32, (u32, bool))> {
        let signature = self.graph.find_signature(name, attrs)?;
        self.read_call(signature, inputs);
        let call = self.scratch.as_slice();
        let number = self.calls.find(hash(call), |known| **known == *call)?;
        Some((signature, self.outcomes[number as usize]))
    }

    fn assemble(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> Result<(u32, (u32, bool))> {
        let (op, _) = Signature::parts(name);
        let types: Vec<ValueType> = inputs.iter().map(|&i| self.graph.ty(i).clone()).collect();
        let call = Call { name: op, attrs: &attrs, inputs: &types, unit: self.graph.unit_bits() };
        let output = self.registry.assemble(&call)?;
        let random = self.registry.get(op)?.random();
        let signature = self.graph.intern_signature(name, attrs);
        let outcome = (self.graph.intern_type(output), random);
        self.read_call(signature, inputs);
        let call = self.scratch.as_slice();
        self.calls.push(hash(call), call.into());
        self.outcomes.push(outcome);
        Ok((signature, outcome))
    }

    fn read_call(&mut self, signature: u32, inputs: &[OperandId]) {
        self.scratch.clear();
        self.scratch.push(signature);
        self.scratch.extend(inputs.iter().map(|&i| self.graph.type_number(i)));
    }

    /// The type of an operand.
    pub fn ty(&self, operand: OperandId) -> &ValueType {
        self.graph.ty(operand)
    }

    /// Units `from..` of an operand, as many as `ty` has, seen as `ty`.
    ///
    /// # Errors
    /// `SplitOutside` beyond the operand's end.
    pub fn split(&mut self, operand: OperandId, from: u64, ty: ValueType) -> Result<OperandId> {
        let size = ty.size;
        Ok(self.graph.split(operand, from, size, ty)?)
    }

    /// Operands one after the other, seen as `ty`.
    ///
    /// # Errors
    /// `Size` when the sizes do not add up.
    pub fn merge(&mut self, parts: &[OperandId], ty: ValueType) -> Result<OperandId> {
        Ok(self.graph.merge(parts, ty)?)
    }

    /// The limbs of a polynomial.
    ///
    /// # Errors
    /// `Graph` when the operand is no polynomial.
    pub fn limbs(&mut self, poly: OperandId) -> Result<Vec<OperandId>> {
        let ty = Poly::of(self.ty(poly))?;
        (0..ty.q.len()).map(|i| self.split(poly, (i * ty.n) as u64, ty.limb(i).ty())).collect()
    }

    /// The polynomials of a ciphertext.
    ///
    /// # Errors
    /// `Graph` when the operand is no ciphertext.
    pub fn parts(&mut self, ciphertext: OperandId) -> Result<Vec<OperandId>> {
        let ty = Ciphertext::of(self.ty(ciphertext))?;
        let poly = ty.poly().ty();
        (0..ty.parts).map(|i| self.split(ciphertext, i as u64 * poly.size, poly.clone())).collect()
    }

    /// The same placeholders seen as another type of the same size.
    ///
    /// # Errors
    /// `Size` when the sizes differ.
    pub fn retype(&mut self, operand: OperandId, ty: ValueType) -> Result<OperandId> {
        self.split(operand, 0, ty)
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph so far, to declare inputs and outputs. Not to be exchanged for another one: the session knows its
    /// signatures and types by number.
    pub fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }

    /// The finished graph.
    pub fn finish(self) -> Graph {
        self.graph
    }
}
