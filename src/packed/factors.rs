//! Numbers go into clear factors: c (v_1 x_1 + turn(v_2 x_2) + v_3) = (c v_1) x_1 + turn((c v_2) x_2) + c v_3. A product with a real number costs a level, like one with a clear
//! vector; so one of both is enough.

use super::ops::Takes;
use super::packer::ClearInput;
use super::rebuild::{Given, Made, rebuilt};
use crate::graph::{Attr, Graph, OperandId, Operator, Real};
use crate::ops::Registry;
use crate::sorted::SortedMap;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};

/// The operators that a number goes through that one vector is multiplied with; none where it would reach what is encrypted.
pub(super) fn chain<'g>(old: &Given<'g>, x: u64) -> Option<Vec<&'g Operator>> {
    let (mut all, mut next, mut seen) = (Vec::new(), vec![x], HashSet::from([x]));
    while let Some(unit) = next.pop() {
        let op = *old.producers.get(&unit)?;
        let clear = |index: &usize| old.clear(op, *index);
        let inputs = old.inputs(op);
        match old.takes(op) {
            Takes::Operands(_) => {
                let encrypted = (0..inputs.len()).filter(|index| !clear(index));
                next.extend(encrypted.map(|index| inputs[index]).filter(|&input| seen.insert(input)));
            }
            Takes::Clear if (0..inputs.len()).any(|index| clear(&index)) => {}
            Takes::Clear | Takes::Nothing => return None,
        }
        all.push(op);
    }
    Some(all)
}

/// A graph with numbers in clear factors.
pub(super) struct Scaled {
    pub graph: Graph,
    pub clear: Vec<ClearInput>,
    /// By parent, what the vectors are a multiple of that it made before.
    pub multiples: SortedMap<u32, f64>,
    /// The vectors that are still multiplied with a number, by their units in the graph that was given.
    pub left: HashSet<u64>,
}

/// The graph with real numbers in clear factors, where nobody else reads what they are taken through.
///
/// # Errors
/// What is wrong with the graph.
pub(super) fn factors(graph: &Graph, vectors: &[ClearInput], registry: &Registry) -> Result<Scaled> {
    let old = Given::new(graph);
    let order = old.order()?;
    let readers = readers(&old, &order);
    let (mut by, mut gone, mut left) = (HashMap::new(), HashSet::new(), HashSet::new());
    for &number in order.iter().rev() {
        let op = &graph.operators()[number as usize];
        let numbers = old.coefficients(op).unwrap_or_default();
        let (unit, [Attr::Real(number)]) = (old.unit(op.output), numbers.as_slice()) else { continue };
        if !readers.contains_key(&unit) {
            continue;
        }
        left.insert(unit);
        let x = old.inputs(op)[0];
        let Some(chain) = chain(&old, x) else { continue };
        let mut inside = HashMap::from([(x, 1)]);
        for input in chain.iter().flat_map(|op| old.inputs(op)) {
            *inside.entry(input).or_insert(0) += 1;
        }
        let alone = |op: &&Operator| inside.get(&old.unit(op.output)) == readers.get(&old.unit(op.output));
        if chain.iter().all(alone) {
            chain.iter().for_each(|op| *by.entry(old.unit(op.output)).or_insert(1.0) *= number.get());
            left.remove(&unit);
            gone.insert(unit);
        }
    }
    let mut multiples = SortedMap::new();
    let wanted = |unit| readers.contains_key(&unit);
    let (graph, clear) = rebuilt(&old, &order, (vectors, registry), wanted, |new, op, unit| {
        // The last one is what leaves the operator of the task.
        match by.get(&unit) {
            Some(&by) => drop(multiples.insert(op.parent, by)),
            None => drop(multiples.remove(&op.parent)),
        }
        match by.get(&unit) {
            _ if gone.contains(&unit) => new.operand(old.inputs(op)[0]),
            Some(&by) => multiplied(new, &old, op, by),
            None => new.same(&old, op),
        }
    })?;
    Ok(Scaled { graph, clear, multiples, left })
}

/// How often each vector is read that leads to an output; as an output, too.
fn readers(old: &Given<'_>, order: &[u32]) -> HashMap<u64, usize> {
    let mut all = HashMap::new();
    for port in old.graph.outputs() {
        *all.entry(old.unit(port.operand)).or_insert(0) += 1;
    }
    for &number in order.iter().rev() {
        let op = &old.graph.operators()[number as usize];
        if all.contains_key(&old.unit(op.output)) {
            old.inputs(op).into_iter().for_each(|input| *all.entry(input).or_insert(0) += 1);
        }
    }
    all
}

/// The same operator, of operands that were multiplied with a number, or of a clear one that is.
fn multiplied(new: &mut Made<'_>, old: &Given<'_>, op: &Operator, by: f64) -> Result<OperandId> {
    let signature = old.graph.signature(op);
    let attrs = match old.takes(op) {
        Takes::Operands(scaled) => scaled(&signature.attrs, by)?,
        Takes::Clear | Takes::Nothing => signature.attrs.clone(),
    };
    let number = Real::new(by).map(Attr::Real).ok_or(Error::Job("factors are finite"))?;
    let inputs = old.inputs(op).into_iter().enumerate().map(|(index, unit)| match old.clear(op, index) {
        true => new.clear((unit, 0, number.clone())),
        false => new.operand(unit),
    });
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    new.session.op(&signature.name, attrs, &inputs)
}
