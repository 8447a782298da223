//! A graph of slot vectors, read and made anew: what its operators are for passes, and the graph that a pass makes of it.

use super::ops::{self, Role, Takes};
use super::packer::ClearInput;
use super::types::SlotVector;
use crate::analyze::{Facts, topological_order};
use crate::graph::{Attr, Attrs, Graph, OperandId, Operator};
use crate::ops::{Call, Registry, Session};
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};

/// The graph as it is.
pub(super) struct Given<'g> {
    pub graph: &'g Graph,
    /// Of each vector the operator that writes it.
    pub producers: HashMap<u64, &'g Operator>,
    /// How often each is read; as an output, too.
    pub readers: HashMap<u64, usize>,
    /// Those that are not encrypted, all of which are inputs.
    clear: HashSet<u64>,
}

impl<'g> Given<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        let clear =
            |operand: OperandId| SlotVector::of(graph.ty(operand)).is_ok_and(|vector| !vector.encrypted);
        let inputs = graph.inputs().iter().map(|port| port.operand).filter(|&operand| clear(operand));
        let clear = inputs.map(|operand| graph.first_unit(operand)).collect();
        let mut old = Self { graph, producers: HashMap::new(), readers: HashMap::new(), clear };
        for op in graph.operators() {
            old.producers.insert(old.unit(op.output), op);
        }
        let read = graph.operators().iter().flat_map(|op| graph.inputs_of(op));
        for operand in read.copied().chain(graph.outputs().iter().map(|port| port.operand)) {
            *old.readers.entry(old.unit(operand)).or_default() += 1;
        }
        old
    }

    /// The numbers of the operators, in an order in which they can run.
    pub fn order(&self) -> Result<Vec<u32>> {
        Ok(topological_order(self.graph, &Facts::new(self.graph)?.dependencies)?)
    }

    pub fn unit(&self, operand: OperandId) -> u64 {
        self.graph.first_unit(operand)
    }

    fn def(&self, op: &Operator) -> Option<&'static ops::Operator> {
        let name = &self.graph.signature(op).name;
        ops::ALL.iter().find(|def| def.name == *name)
    }

    pub fn role(&self, op: &Operator) -> Role {
        self.def(op).map_or(Role::Other, |def| def.role)
    }

    /// Who takes a number that it is multiplied with.
    pub fn takes(&self, op: &Operator) -> Takes {
        self.def(op).map_or(Takes::Nothing, |def| def.takes)
    }

    /// What its operands are multiplied with before they are added up, where that is what it does.
    pub fn coefficients(&self, op: &Operator) -> Option<Vec<Attr>> {
        let (signature, inputs) = (self.graph.signature(op), self.graph.input_types(op));
        let unit = self.graph.unit_bits();
        let call = Call { name: &signature.name, attrs: &signature.attrs, inputs: &inputs, unit };
        (self.def(op)?.coefficients)(&call)
    }

    /// How far it turns its operand.
    pub fn steps(&self, op: &Operator) -> Result<u64> {
        Ok(self.graph.signature(op).attrs.uint("steps")?)
    }

    pub fn inputs(&self, op: &Operator) -> Vec<u64> {
        self.graph.inputs_of(op).iter().map(|&input| self.unit(input)).collect()
    }

    pub fn clear(&self, op: &Operator, index: usize) -> bool {
        self.graph.inputs_of(op).get(index).is_some_and(|&operand| self.clear.contains(&self.unit(operand)))
    }

    /// log2 of the slots of a ring.
    pub fn ring(&self, op: &Operator) -> Result<u32> {
        Ok(SlotVector::of(self.graph.ty(op.output))?.frame.ring)
    }
}

/// The graph that `make` makes, in order, of the operators of which the vectors, told by their units, are `wanted`; and its clear inputs.
///
/// # Errors
/// Those of `make`.
pub(super) fn rebuilt<'r>(
    old: &Given<'_>,
    order: &[u32],
    (vectors, registry): (&[ClearInput], &'r Registry),
    wanted: impl Fn(u64) -> bool,
    mut make: impl FnMut(&mut Made<'r>, &Operator, u64) -> Result<OperandId>,
) -> Result<(Graph, Vec<ClearInput>)> {
    let mut new = Made::new(old, vectors, registry)?;
    for &number in order {
        let op = &old.graph.operators()[number as usize];
        let unit = old.unit(op.output);
        if wanted(unit) {
            new.session.set_parent(op.parent);
            let made = make(&mut new, op, unit)?;
            new.made.insert(unit, made);
        }
    }
    new.finish(old)
}

/// A clear vector as it is read: each ring turned to the right, times a number.
pub(super) type Read = (u64, u64, Attr);

/// The graph that is made.
pub(super) struct Made<'r> {
    pub session: Session<'r>,
    made: HashMap<u64, OperandId>,
    /// Clear vectors by their units; they become inputs when they are read.
    names: HashMap<u64, ClearInput>,
    vectors: Vec<ClearInput>,
    read: HashMap<Read, OperandId>,
    turned: HashMap<(OperandId, u64), OperandId>,
}

impl<'r> Made<'r> {
    /// A graph with the encrypted inputs of another one.
    fn new(old: &Given<'_>, vectors: &[ClearInput], registry: &'r Registry) -> Result<Self> {
        let mut new = Self {
            session: Session::new(Graph::new(old.graph.unit_bits()), registry),
            made: HashMap::new(),
            names: HashMap::new(),
            vectors: Vec::new(),
            read: HashMap::new(),
            turned: HashMap::new(),
        };
        let clear: HashMap<&str, &ClearInput> =
            vectors.iter().map(|vector| (vector.name.as_str(), vector)).collect();
        for port in old.graph.inputs() {
            let unit = old.unit(port.operand);
            match clear.get(port.name.as_str()) {
                None => {
                    let ty = old.graph.ty(port.operand).clone();
                    new.made.insert(unit, new.session.graph_mut().add_input(&port.name, ty)?);
                }
                Some(&vector) => drop(new.names.insert(unit, vector.clone())),
            }
        }
        Ok(new)
    }

    /// What stands for a vector of the old graph.
    pub fn operand(&mut self, unit: u64) -> Result<OperandId> {
        match self.made.get(&unit) {
            Some(&operand) => Ok(operand),
            None => self.clear((unit, 0, Attr::Int(1))),
        }
    }

    /// The same operator.
    pub fn same(&mut self, old: &Given<'_>, op: &Operator) -> Result<OperandId> {
        let inputs = old.inputs(op).into_iter().map(|unit| self.operand(unit)).collect::<Result<Vec<_>>>()?;
        let signature = old.graph.signature(op);
        self.session.op(&signature.name, signature.attrs.clone(), &inputs)
    }

    /// A clear vector as it is read.
    pub fn clear(&mut self, read: Read) -> Result<OperandId> {
        if let Some(&known) = self.read.get(&read) {
            return Ok(known);
        }
        let (unit, right, by) = &read;
        let own = self
            .names
            .get(unit)
            .ok_or(Error::Job("a vector of slots is given or written before it is read"))?;
        let name = format!("clear {}", self.vectors.len());
        let times = product(&own.times, by).ok_or(Error::Job("factors were multiplied before"))?;
        let right = (own.right + right) & ((1 << own.frame.ring) - 1);
        let vector = ClearInput { name: name.clone(), right, times, ..own.clone() };
        let ty = SlotVector { frame: own.frame, encrypted: false }.ty();
        let operand = self.session.graph_mut().add_input(&name, ty)?;
        self.vectors.push(vector);
        self.read.insert(read, operand);
        Ok(operand)
    }

    /// What a clear vector is multiplied with already.
    pub fn times(&self, unit: u64) -> Attr {
        self.names.get(&unit).map_or(Attr::Int(1), |vector| vector.times.clone())
    }

    pub fn turn(&mut self, x: OperandId, steps: u64) -> Result<OperandId> {
        if steps == 0 {
            return Ok(x);
        }
        if let Some(&known) = self.turned.get(&(x, steps)) {
            return Ok(known);
        }
        let turned = self.session.op("packed.rotate", Attrs::new().with("steps", steps), &[x])?;
        self.turned.insert((x, steps), turned);
        Ok(turned)
    }

    pub fn balanced(&mut self, terms: Vec<OperandId>) -> Result<OperandId> {
        super::packer::balanced(&mut self.session, terms)
    }

    /// The graph, with the outputs of the old one, and its clear inputs.
    fn finish(mut self, old: &Given<'_>) -> Result<(Graph, Vec<ClearInput>)> {
        for port in old.graph.outputs() {
            let operand = self.operand(old.unit(port.operand))?;
            self.session.graph_mut().declare_output(&port.name, operand);
        }
        Ok((self.session.finish(), self.vectors))
    }
}

/// The product of two numbers; none where it has too many bits.
pub(super) fn product(a: &Attr, b: &Attr) -> Option<Attr> {
    match (a, b) {
        (Attr::Int(a), Attr::Int(b)) => {
            a.checked_mul(*b).filter(|c| c.unsigned_abs() < 1 << 100).map(Attr::Int)
        }
        _ => crate::graph::Real::new(real(a)? * real(b)?).map(Attr::Real),
    }
}

/// The sum of two numbers, as [`product`].
pub(super) fn sum(a: &Attr, b: &Attr) -> Option<Attr> {
    match (a, b) {
        (Attr::Int(a), Attr::Int(b)) => a.checked_add(*b).map(Attr::Int),
        _ => crate::graph::Real::new(real(a)? + real(b)?).map(Attr::Real),
    }
}

fn real(number: &Attr) -> Option<f64> {
    match number {
        // Exact.
        Attr::Int(number) if number.unsigned_abs() < 1 << 53 => Some(*number as f64),
        Attr::Real(number) => Some(number.get()),
        _ => None,
    }
}
