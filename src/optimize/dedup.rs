//! Operators that do the same to the same units become one (SPEC G7), in whatever order a commutative one takes its
//! operands. Operators that draw random numbers stay apart (G16), and so do others with nonces of their own.

use super::{Known, is_derived_output, of_signatures};
use crate::Result;
use crate::analyze::{Dependencies, topological_order};
use crate::graph::{Graph, Numbers, Placeholder, hash};
use crate::ops::Registry;
use crate::watch::Steps;
use std::hash::{Hash, Hasher};

/// The graph without duplicates: readers of the second read the first.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn dedup(graph: &Graph, registry: &Registry) -> Result<Graph> {
    Known::new(graph.clone())?.after(work, registry)
}

pub(super) fn work(Known { graph, deps, .. }: &Known, registry: &Registry) -> Result<Option<Graph>> {
    let kinds =
        of_signatures(graph, registry, |def| Kind { commutative: def.commutative(), random: def.random() });
    let order = topological_order(graph, deps)?;
    let mut out = graph.clone();
    let mut drop = vec![false; graph.operators().len()];
    let mut first = Numbers::default();
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
        own.read(graph, &out, deps, &drop, index, kind);
        let hash = hash(&own);
        let same = first.find(hash, |known| {
            other.read(graph, &out, deps, &drop, known as usize, kind);
            own == other
        });
        match same {
            Some(same) => {
                let place = |op: usize| graph.operators()[op].output;
                out.alias(place(index), graph.pieces(place(same as usize)))?;
                drop[index] = true;
            }
            None => first.insert(hash, op),
        }
    }
    if !drop.contains(&true) {
        return Ok(None);
    }
    out.retain_operators(|op| !drop[op]);
    out.settle();
    Ok(Some(out))
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
        drop: &[bool],
        index: usize,
        kind: Kind,
    ) {
        let op = &graph.operators()[index];
        (self.signature, self.nonce, self.output) = (op.signature, op.nonce, graph.type_number(op.output));
        self.inputs.clear();
        self.pieces.clear();
        // Only what was dropped lies elsewhere now.
        let moved = deps.dep(index).iter().any(|&d| drop[d as usize]);
        for &input in graph.inputs_of(op) {
            let start = self.pieces.len() as u32;
            if moved {
                self.pieces.extend(out.placeholders(input));
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
