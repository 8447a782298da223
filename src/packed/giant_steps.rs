//! Baby steps and giant steps: a sum of turns of one vector, each times a clear one, needs about as many turns as twice the root of its terms (Halevi and Shoup, ia.cr/2014/106, section 4).
//! With k = i + j, sum of turn_k(x) v_k = sum over j of turn_j(sum over i of turn_i(x) turn_-j(v_k)).

use super::ops::Role;
use super::packer::ClearInput;
use super::rebuild::{Given, Made, rebuilt};
use crate::Result;
use crate::graph::{Attr, Attrs, Graph, OperandId, Operator};
use crate::ops::Registry;
use crate::sorted::{SortedMap, SortedSet};
use std::collections::{HashMap, HashSet};

/// The same graph, with such sums made of fewer turns where that is asked for, and without what leads to no output.
///
/// # Errors
/// What is wrong with the graph.
pub(super) fn giant_steps(
    graph: &Graph,
    vectors: &[ClearInput],
    registry: &Registry,
    split: bool,
) -> Result<(Graph, Vec<ClearInput>)> {
    let old = Given::new(graph);
    let order = old.order()?;
    // What is read at last: of sums that are made anew, other things than before.
    let mut wanted: HashSet<u64> = graph.outputs().iter().map(|port| old.unit(port.operand)).collect();
    let mut sums: HashMap<u64, Sum> = HashMap::new();
    let inner = inner(&old);
    for &number in order.iter().rev() {
        let op = &graph.operators()[number as usize];
        let unit = old.unit(op.output);
        if !wanted.contains(&unit) {
            continue;
        }
        match if split && !inner.contains(&unit) { Sum::of(&old, op)? } else { None } {
            Some(sum) => {
                wanted.extend(sum.leaves.iter().chain(sum.groups.keys()));
                sums.insert(unit, sum);
            }
            None => wanted.extend(old.inputs(op)),
        }
    }
    let wanted = |unit| wanted.contains(&unit);
    rebuilt(&old, &order, (vectors, registry), wanted, |new, op, unit| match sums.get(&unit) {
        Some(sum) => sum.make(new, old.ring(op)?),
        None => new.same(&old, op),
    })
}

/// Whether it adds up encrypted vectors.
fn adds(old: &Given<'_>, op: &Operator) -> bool {
    old.role(op) == Role::Sum && !old.clear(op, 1)
}

/// What only other sums read: these have all of its terms.
fn inner(old: &Given<'_>) -> HashSet<u64> {
    let sums = old.graph.operators().iter().filter(|op| adds(old, op));
    sums.flat_map(|op| old.inputs(op)).filter(|unit| old.readers.get(unit) == Some(&1)).collect()
}

/// A sum that is made anew.
struct Sum {
    /// What is added as it is.
    leaves: Vec<u64>,
    /// Of each vector its turns, and what each is multiplied with.
    groups: SortedMap<u64, Vec<(u64, u64)>>,
}

impl Sum {
    /// The sum that ends in an operator, where it saves turns to make it anew.
    fn of(old: &Given<'_>, op: &Operator) -> Result<Option<Self>> {
        if !adds(old, op) {
            return Ok(None);
        }
        let (mut open, mut sum) = (old.inputs(op), Self { leaves: Vec::new(), groups: SortedMap::new() });
        let mut products = Vec::new();
        while let Some(unit) = open.pop() {
            let single = old.readers.get(&unit) == Some(&1);
            let producer = old.producers.get(&unit).filter(|_| single);
            match producer.map(|&op| (op, old.role(op))) {
                Some((op, _)) if adds(old, op) => open.extend(old.inputs(op)),
                Some((op, Role::Product)) if old.clear(op, 1) => {
                    let inputs = old.inputs(op);
                    let (x, steps) = turn(old, inputs[0])?;
                    products.push((x, (steps, inputs[1], unit)));
                }
                _ => sum.leaves.push(unit),
            }
        }
        for (x, terms) in SortedMap::grouped(products) {
            let steps: SortedSet<u64> = terms.iter().map(|term| term.0).collect();
            let (_, turns) = split(&steps);
            if turns < steps.iter().filter(|&&steps| steps > 0).count() {
                // In the order of the vectors.
                sum.groups.insert(x, terms.into_iter().map(|(steps, clear, _)| (steps, clear)).collect());
            } else {
                sum.leaves.extend(terms.into_iter().map(|term| term.2));
            }
        }
        Ok((!sum.groups.is_empty()).then_some(sum))
    }

    fn make(&self, new: &mut Made<'_>, ring: u32) -> Result<OperandId> {
        let mut all = self.leaves.iter().map(|&leaf| new.operand(leaf)).collect::<Result<Vec<_>>>()?;
        for (&x, terms) in &self.groups {
            let x = new.operand(x)?;
            let (size, _) = split(&terms.iter().map(|term| term.0).collect());
            let mut giants: SortedMap<u64, Vec<OperandId>> = SortedMap::new();
            for &(steps, clear) in terms {
                let (baby, giant) = (steps % size, steps - steps % size);
                let turned = new.turn(x, baby)?;
                let clear = new.clear((clear, giant & ((1 << ring) - 1), Attr::Int(1)))?;
                let product = new.session.op("packed.multiply", Attrs::new(), &[turned, clear])?;
                giants.entry(giant).or_default().push(product);
            }
            for (giant, terms) in giants {
                let inner = new.balanced(terms)?;
                all.push(new.turn(inner, giant)?);
            }
        }
        new.balanced(all)
    }
}

/// The vector that a unit is a turn of, and how far.
fn turn(old: &Given<'_>, unit: u64) -> Result<(u64, u64)> {
    match old.producers.get(&unit) {
        Some(&op) if old.role(op) == Role::Turn => Ok((old.inputs(op)[0], old.steps(op)?)),
        _ => Ok((unit, 0)),
    }
}

/// The size of a giant step, a power of two, for which there are fewest turns of both kinds, and how many.
fn split(steps: &SortedSet<u64>) -> (u64, usize) {
    let turns = |size: u64| {
        let distinct = |of: fn(u64, u64) -> u64| {
            steps
                .iter()
                .map(|&steps| of(steps, size))
                .filter(|&steps| steps > 0)
                .collect::<SortedSet<_>>()
                .len()
        };
        distinct(|steps, size| steps % size) + distinct(|steps, size| steps - steps % size)
    };
    let sizes = (0..32).map(|log| 1u64 << log);
    sizes.map(|size| (size, turns(size))).min_by_key(|&(_, turns)| turns).unwrap_or((1, steps.len()))
}
