//! Baby steps and giant steps: a sum of turns of one vector, each times a clear one, needs about as many turns as twice the root of its terms (Halevi and Shoup, ia.cr/2014/106, section 4).
//! With k = i + j, sum of turn_k(x) v_k = sum over j of turn_j(sum over i of turn_i(x) turn_-j(v_k)).

use super::ops::Role;
use super::packer::ClearInput;
use super::{ops, types::SlotVector};
use crate::analyze::{Facts, topological_order};
use crate::graph::{Attrs, Graph, OperandId, Operator};
use crate::ops::{Registry, Session};
use crate::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The same graph, with such sums made of fewer turns where that is asked for, and without what leads to no output.
///
/// # Errors
/// What is wrong with the graph.
pub(super) fn giant_steps(
    graph: &Graph,
    vectors: Vec<ClearInput>,
    registry: &Registry,
    split: bool,
) -> Result<(Graph, Vec<ClearInput>)> {
    let order = topological_order(graph, &Facts::new(graph)?.dependencies)?;
    let mut old = Old { graph, producers: HashMap::new(), readers: HashMap::new() };
    for op in graph.operators() {
        old.producers.insert(old.unit(op.output), op);
    }
    let read = graph.operators().iter().flat_map(|op| graph.inputs_of(op));
    for operand in read.copied().chain(graph.outputs().iter().map(|port| port.operand)) {
        *old.readers.entry(old.unit(operand)).or_default() += 1;
    }
    let mut new = New {
        session: Session::new(Graph::new(graph.unit_bits()), registry),
        made: HashMap::new(),
        names: HashMap::new(),
        vectors: Vec::new(),
        turned: HashMap::new(),
    };
    // What is read at last: of sums that are made anew, other things than before.
    let mut wanted: BTreeSet<u64> = graph.outputs().iter().map(|port| old.unit(port.operand)).collect();
    let mut sums: HashMap<u64, Sum> = HashMap::new();
    for &number in order.iter().rev() {
        let op = &graph.operators()[number as usize];
        let unit = old.unit(op.output);
        if !wanted.contains(&unit) {
            continue;
        }
        match if split { old.sum(op)? } else { None } {
            Some(sum) => {
                wanted.extend(sum.leaves.iter().chain(sum.groups.keys()));
                sums.insert(unit, sum);
            }
            None => wanted.extend(graph.inputs_of(op).iter().map(|&input| old.unit(input))),
        }
    }
    let clear: HashMap<&str, &ClearInput> =
        vectors.iter().map(|vector| (vector.name.as_str(), vector)).collect();
    for port in graph.inputs() {
        let unit = old.unit(port.operand);
        match clear.get(port.name.as_str()) {
            None => {
                let operand =
                    new.session.graph_mut().add_input(&port.name, graph.ty(port.operand).clone())?;
                new.made.insert(unit, operand);
            }
            Some(&vector) => drop(new.names.insert(unit, vector.clone())),
        }
    }
    for &number in &order {
        let op = &graph.operators()[number as usize];
        let unit = old.unit(op.output);
        if !wanted.contains(&unit) {
            continue;
        }
        new.session.set_parent(op.parent);
        let made = match sums.get(&unit) {
            Some(sum) => new.sum(sum, SlotVector::of(graph.ty(op.output))?.frame.ring)?,
            None => {
                let inputs = graph.inputs_of(op).iter().map(|&input| new.operand(old.unit(input)));
                let inputs = inputs.collect::<Result<Vec<_>>>()?;
                let signature = graph.signature(op);
                new.session.op(&signature.name, signature.attrs.clone(), &inputs)?
            }
        };
        new.made.insert(unit, made);
    }
    for port in graph.outputs() {
        let operand = new.operand(old.unit(port.operand))?;
        new.session.graph_mut().declare_output(&port.name, operand);
    }
    Ok((new.session.finish(), new.vectors))
}

/// A sum that is made anew.
struct Sum {
    /// What is added as it is.
    leaves: Vec<u64>,
    /// Of each vector its turns, and what each is multiplied with.
    groups: BTreeMap<u64, Vec<(u64, u64)>>,
}

/// The graph as it is.
struct Old<'g> {
    graph: &'g Graph,
    producers: HashMap<u64, &'g Operator>,
    readers: HashMap<u64, usize>,
}

impl Old<'_> {
    fn unit(&self, operand: OperandId) -> u64 {
        self.graph.first_unit(operand)
    }

    fn role(&self, op: &Operator) -> Role {
        let name = &self.graph.signature(op).name;
        ops::ALL.iter().find(|def| def.name == *name).map_or(Role::Other, |def| def.role)
    }

    fn inputs(&self, op: &Operator) -> Vec<u64> {
        self.graph.inputs_of(op).iter().map(|&input| self.unit(input)).collect()
    }

    fn clear(&self, op: &Operator, index: usize) -> bool {
        let operand = self.graph.inputs_of(op).get(index);
        operand.is_some_and(|&operand| {
            SlotVector::of(self.graph.ty(operand)).is_ok_and(|vector| !vector.encrypted)
        })
    }

    /// The sum that ends in an operator, where it saves turns to make it anew.
    fn sum(&self, op: &Operator) -> Result<Option<Sum>> {
        if self.role(op) != Role::Sum || self.clear(op, 1) {
            return Ok(None);
        }
        let (mut open, mut sum) = (self.inputs(op), Sum { leaves: Vec::new(), groups: BTreeMap::new() });
        let mut products: BTreeMap<u64, Vec<(u64, u64, u64)>> = BTreeMap::new();
        while let Some(unit) = open.pop() {
            let single = self.readers.get(&unit) == Some(&1);
            let producer = self.producers.get(&unit).filter(|_| single);
            match producer.map(|&op| (op, self.role(op))) {
                Some((op, Role::Sum)) if !self.clear(op, 1) => open.extend(self.inputs(op)),
                Some((op, Role::Product)) if self.clear(op, 1) => {
                    let inputs = self.inputs(op);
                    let (x, steps) = self.turn(inputs[0])?;
                    products.entry(x).or_default().push((steps, inputs[1], unit));
                }
                _ => sum.leaves.push(unit),
            }
        }
        for (x, terms) in products {
            let steps: BTreeSet<u64> = terms.iter().map(|term| term.0).collect();
            let (_, turns) = split(&steps);
            if turns < steps.iter().filter(|&&steps| steps > 0).count() {
                sum.groups.insert(x, terms.into_iter().map(|(steps, clear, _)| (steps, clear)).collect());
            } else {
                sum.leaves.extend(terms.into_iter().map(|term| term.2));
            }
        }
        Ok((!sum.groups.is_empty()).then_some(sum))
    }

    /// The vector that a unit is a turn of, and how far.
    fn turn(&self, unit: u64) -> Result<(u64, u64)> {
        match self.producers.get(&unit) {
            Some(&op) if self.role(op) == Role::Turn => {
                Ok((self.inputs(op)[0], self.graph.signature(op).attrs.uint("steps")?))
            }
            _ => Ok((unit, 0)),
        }
    }
}

/// The size of a giant step, a power of two, for which there are fewest turns of both kinds, and how many.
fn split(steps: &BTreeSet<u64>) -> (u64, usize) {
    let turns = |size: u64| {
        let distinct = |of: fn(u64, u64) -> u64| {
            steps
                .iter()
                .map(|&steps| of(steps, size))
                .filter(|&steps| steps > 0)
                .collect::<BTreeSet<_>>()
                .len()
        };
        distinct(|steps, size| steps % size) + distinct(|steps, size| steps - steps % size)
    };
    let sizes = (0..32).map(|log| 1u64 << log);
    sizes.map(|size| (size, turns(size))).min_by_key(|&(_, turns)| turns).unwrap_or((1, steps.len()))
}

/// The graph that is made.
struct New<'r> {
    session: Session<'r>,
    made: HashMap<u64, OperandId>,
    /// Clear vectors by their units; they become inputs when they are read.
    names: HashMap<u64, ClearInput>,
    vectors: Vec<ClearInput>,
    turned: HashMap<(u64, u64), OperandId>,
}

impl New<'_> {
    fn operand(&mut self, unit: u64) -> Result<OperandId> {
        match self.made.get(&unit) {
            Some(&operand) => Ok(operand),
            None => self.clear(unit, 0),
        }
    }

    /// A clear vector, each ring turned to the right.
    fn clear(&mut self, unit: u64, right: u64) -> Result<OperandId> {
        if let Some(&known) = self.turned.get(&(unit, right)) {
            return Ok(known);
        }
        let own = self
            .names
            .get(&unit)
            .ok_or(Error::Job("a vector of slots is given or written before it is read"))?;
        let name = format!("clear {}", self.vectors.len());
        let vector = ClearInput { name: name.clone(), right: own.right + right, ..own.clone() };
        let ty = SlotVector { frame: own.frame, encrypted: false }.ty();
        let operand = self.session.graph_mut().add_input(&name, ty)?;
        self.vectors.push(vector);
        self.turned.insert((unit, right), operand);
        Ok(operand)
    }

    fn turn(&mut self, x: OperandId, steps: u64) -> Result<OperandId> {
        if steps == 0 {
            return Ok(x);
        }
        self.session.op("packed.rotate", Attrs::new().with("steps", steps), &[x])
    }

    fn sum(&mut self, sum: &Sum, ring: u32) -> Result<OperandId> {
        let mut all = sum.leaves.iter().map(|&leaf| self.operand(leaf)).collect::<Result<Vec<_>>>()?;
        for (&x, terms) in &sum.groups {
            let x = self.operand(x)?;
            let (size, _) = split(&terms.iter().map(|term| term.0).collect());
            let mut babies: BTreeMap<u64, OperandId> = BTreeMap::new();
            let mut giants: BTreeMap<u64, Vec<OperandId>> = BTreeMap::new();
            for &(steps, clear) in terms {
                let (baby, giant) = (steps % size, steps - steps % size);
                let turned = match babies.get(&baby) {
                    Some(&known) => known,
                    None => self.turn(x, baby)?,
                };
                babies.insert(baby, turned);
                let clear = self.clear(clear, giant & ((1 << ring) - 1))?;
                giants.entry(giant).or_default().push(self.session.op(
                    "packed.multiply",
                    Attrs::new(),
                    &[turned, clear],
                )?);
            }
            for (giant, terms) in giants {
                let inner = self.balanced(terms)?;
                all.push(self.turn(inner, giant)?);
            }
        }
        self.balanced(all)
    }

    fn balanced(&mut self, terms: Vec<OperandId>) -> Result<OperandId> {
        super::packer::balanced(&mut self.session, terms)
    }
}
