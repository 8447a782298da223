//! Words that are seen as residues have to be such: kernels rely on every residue being below its prime.

use crate::Result;
use crate::analyze::{analyze, topological_order};
use crate::graph::{Graph, GraphError, OperandId, Placeholder};
use crate::ops::Registry;
use std::collections::{BTreeMap, HashSet};

/// Checks a graph that was not built but read: an operand of a type of residues is what an operator or an input of the
/// graph gave as residues below primes that are no larger.
///
/// # Errors
/// `Attribute` names the type.
pub(super) fn check(graph: &Graph, registry: &Registry) -> Result<()> {
    let ports = || graph.inputs().iter().map(|port| port.operand);
    let whole: HashSet<OperandId> = graph.operators().iter().map(|op| op.output).chain(ports()).collect();
    let views = graph.operators().iter().flat_map(|op| graph.inputs_of(op)).copied();
    let outputs = graph.outputs().iter().map(|port| port.operand);
    let mut views = views.chain(outputs).filter(|view| !whole.contains(view)).peekable();
    if views.peek().is_none() {
        return Ok(());
    }
    let bounds = Bounds::new(graph, registry)?;
    for view in views {
        for (limb, prime) in limbs(graph, registry, view)? {
            if bounds.of(limb).is_none_or(|bound| bound > prime) {
                let found = format!("{} over words that may be larger than its primes", graph.ty(view));
                let expected = "a view of residues of the same primes";
                return Err(GraphError::Attribute { name: "type".into(), found, expected }.into());
            }
        }
    }
    Ok(())
}

/// The placeholders of an operand limb by limb, each with its prime; none where its type is not one of residues.
fn limbs(graph: &Graph, registry: &Registry, operand: OperandId) -> Result<Vec<(Placeholder, u64)>> {
    let Some((n, primes)) = registry.residues(graph.ty(operand))? else { return Ok(Vec::new()) };
    let (n, mut done, mut limbs) = (n as u64, 0, Vec::new());
    for &piece in graph.pieces(operand) {
        let mut from = 0;
        while from < piece.size() {
            let size = (n - done % n).min(piece.size() - from);
            // A type whose size does not fit its attributes has no prime there.
            let prime = primes.get((done / n) as usize).copied().unwrap_or(0);
            limbs.push((piece.part(from, size), prime));
            from += size;
            done += size;
        }
    }
    Ok(limbs)
}

/// Where residues lie, by their first unit: one past the last one, and a bound.
struct Bounds(BTreeMap<u64, (u64, u64)>);

impl Bounds {
    fn new(graph: &Graph, registry: &Registry) -> Result<Self> {
        let mut bounds = Self(BTreeMap::new());
        for port in graph.inputs() {
            bounds.add(limbs(graph, registry, port.operand)?);
        }
        for op in topological_order(graph, &analyze(graph)?)? {
            let op = &graph.operators()[op as usize];
            let mut written = limbs(graph, registry, op.output)?;
            if registry.get(&graph.signature(op).name)?.moves() {
                written = bounds.moved(graph, graph.inputs_of(op), op.output);
            }
            bounds.add(written);
        }
        Ok(bounds)
    }

    fn add(&mut self, limbs: Vec<(Placeholder, u64)>) {
        self.0.extend(limbs.into_iter().map(|(limb, prime)| (limb.start, (limb.end, prime))));
    }

    /// What an output has from operands that are moved there, one after the other.
    fn moved(&self, graph: &Graph, inputs: &[OperandId], output: OperandId) -> Vec<(Placeholder, u64)> {
        let mut targets = graph.pieces(output).iter().copied();
        let (mut target, mut moved) = (targets.next(), Vec::new());
        for mut source in inputs.iter().flat_map(|&input| graph.pieces(input)).copied() {
            while !source.is_empty()
                && let Some(to) = target
            {
                // As far as one bound reaches.
                let (known, end) = match self.0.range(..=source.start).next_back() {
                    Some((_, &(end, bound))) if end > source.start => (Some(bound), end),
                    _ => (None, self.0.range(source.start..).next().map_or(u64::MAX, |(&start, _)| start)),
                };
                let size = source.size().min(to.size()).min(end - source.start);
                moved.extend(known.map(|bound| (to.part(0, size), bound)));
                source.start += size;
                target = Some(Placeholder::new(to.start + size, to.end)).filter(|to| !to.is_empty());
                target = target.or_else(|| targets.next());
            }
        }
        moved
    }

    /// The largest bound in a placeholder; none where some of it has none.
    fn of(&self, place: Placeholder) -> Option<u64> {
        let (mut at, mut largest) = (place.start, 0);
        while at < place.end {
            let (_, &(end, bound)) = self.0.range(..=at).next_back().filter(|(_, (end, _))| *end > at)?;
            largest = bound.max(largest);
            at = end;
        }
        Some(largest)
    }
}
