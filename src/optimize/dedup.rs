//! Operators that do the same to the same units become one (SPEC G7), in whatever order a commutative one takes its
//! operands. Operators that draw random numbers stay apart (G16), and so do others with nonces of their own.

use super::met::Met;
use super::{Change, after, is_derived_output, of_signatures};
use crate::Result;
use crate::analyze::{Dependencies, Facts, topological_order};
use crate::graph::{Graph, Placeholder, hash};
use crate::ops::Registry;
use crate::watch::Steps;
use std::hash::{Hash, Hasher};

/// The graph without duplicates: readers of the second read the first.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn dedup(graph: &Graph, registry: &Registry) -> Result<Graph> {
    after(graph, work, registry)
}

pub(super) fn work(graph: &Graph, facts: &Facts, registry: &Registry) -> Result<Option<Change>> {
    let deps = &*facts.dependencies;
    let kinds =
        of_signatures(graph, registry, |def| Kind { commutative: def.commutative(), random: def.random() });
    let order = topological_order(graph, deps)?;
    let mut out = graph.clone();
    // Those that are there already, with the operator that does the same; the others stand for themselves.
    let mut first: Vec<u32> = (0..deps.len() as u32).collect();
    let mut met = Met::new(deps.len());
    let (mut own, mut other) = (Key::default(), Key::default());
    let mut steps = Steps::new(order.len());
    for op in order {
        steps.step()?;
        let index = op as usize;
        let kind = kinds[graph.operators()[index].signature as usize];
        if kind.random || is_derived_output(graph, deps, index) {
            continue;
        }
        // Producers come first, so that their aliases are known here.
        own.read(graph, &out, deps, &first, index, kind);
        let latest = deps.dep(index).iter().map(|&dep| first[dep as usize]).max();
        let same = met.find_or_add(hash(&own), latest, op, |known| {
            other.read(graph, &out, deps, &first, known as usize, kind);
            own == other
        });
        if let Some(same) = same {
            let place = |op: usize| graph.operators()[op].output;
            out.alias(place(index), graph.pieces(place(same as usize)))?;
            first[index] = same;
        }
    }
    let dropped: Vec<bool> = first.iter().zip(0..).map(|(&first, op)| first != op).collect();
    Ok(dropped.contains(&true).then_some(Change::Fewer(out, dropped)))
}

/// What the registry says of an operator.
#[derive(Clone, Copy, Default)]
struct Kind {
    commutative: bool,
    random: bool,
}

/// What an operator does, and to which units.
#[derive(Default)]
struct Key {
    signature: u32,
    nonce: u32,
    output: u32,
    inputs: Vec<Input>,
    /// Of all inputs, one after the other.
    pieces: Vec<Placeholder>,
    scratch: Vec<Placeholder>,
}

/// An input in a key: its type, and which of the key's pieces are its own.
#[derive(Clone, Copy)]
struct Input {
    ty: u32,
    start: u32,
    end: u32,
}

impl Key {
    /// Reads it anew for an operator of `graph`, whose aliases so far are in `out`.
    fn read(
        &mut self,
        graph: &Graph,
        out: &Graph,
        deps: &Dependencies,
        first: &[u32],
        index: usize,
        kind: Kind,
    ) {
        let op = &graph.operators()[index];
        (self.signature, self.nonce, self.output) = (op.signature, op.nonce, graph.type_number(op.output));
        self.inputs.clear();
        self.pieces.clear();
        // Only what was dropped lies elsewhere now.
        let moved = deps.dep(index).iter().any(|&d| first[d as usize] != d);
        for &input in graph.inputs_of(op) {
            let start = self.pieces.len() as u32;
            if moved {
                out.read_placeholders(input, &mut self.scratch);
                self.pieces.extend_from_slice(&self.scratch);
            } else {
                self.pieces.extend_from_slice(graph.pieces(input));
            }
            self.inputs.push(Input { ty: graph.type_number(input), start, end: self.pieces.len() as u32 });
        }
        if kind.commutative {
            let pieces = &self.pieces;
            self.inputs.sort_by(|a, b| a.units(pieces).cmp(&b.units(pieces)));
        }
    }

    fn units(&self) -> impl Iterator<Item = (u32, &[Placeholder])> {
        self.inputs.iter().map(|input| input.units(&self.pieces))
    }
}

impl Input {
    fn units(self, pieces: &[Placeholder]) -> (u32, &[Placeholder]) {
        (self.ty, &pieces[self.start as usize..self.end as usize])
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        (self.signature, self.nonce, self.output) == (other.signature, other.nonce, other.output)
            && self.units().eq(other.units())
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.signature, self.nonce, self.output).hash(state);
        self.units().for_each(|units| units.hash(state));
    }
}
