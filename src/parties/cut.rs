//! The part of one party.
//!
//! Units keep their places, so that own operators stay as they are: a `party.receive` writes, where the producer would have, those units that
//! are read here. Everything is put in the order in which the whole graph has it, a send right behind its producer and a receive in the place of
//! the other party's. A plan lets operators wait for such as are before them, since they use storage again; with one order for all parties
//! nobody then waits in a ring.

use super::owners::{NOBODY, Owners, producers, wrong};
use super::part::part;
use super::receive::Receive;
use super::send::Send;
use super::shared::{Shared, id_of};
use crate::Result;
use crate::analyze::{analyze, topological_order};
use crate::circuit::{Circuit, ResidueBounds};
use crate::graph::{Attrs, Graph, OperandId, Operator, Placeholder, ValueType, push_joined};
use crate::math::bits::bytes_of;
use crate::ops::types::{Extract, WORD};
use crate::sorted::{SortedMap, SortedSet};
use crate::watch::Steps;
use std::collections::HashSet;

/// The nonce of sends and receives: passes neither drop nor move what has one and draws nothing.
const PIN: u32 = 1;

/// What crosses from one producer to one party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Who sends.
    pub from: String,
    /// Who receives.
    pub to: String,
    /// The producer's number in the shared graph: inputs first, then operators.
    pub number: u32,
    /// True where the producer is an input.
    pub input: bool,
    /// The input's name, or the operator's type.
    pub producer: String,
    /// The type of all that the producer writes.
    pub of: ValueType,
    /// The type of what crosses: the same, or that of a part.
    pub ty: ValueType,
    /// Bytes that cross.
    pub bytes: u64,
    /// The scheme, where the producer's type is that of a ciphertext.
    pub encrypted: Option<&'static str>,
    /// What the ends call it: BLAKE3 of the shared graph's identity, the producer and the receiver.
    pub channel: [u8; 16],
    /// The number of the operator of the cut that sends or receives it.
    pub operator: u32,
}

/// An operator or input of another party that shares an edge with an own operator: it is not part of the cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interaction {
    /// Its number in the shared graph: inputs first, then operators.
    pub number: u32,
    /// True for an input.
    pub input: bool,
    /// The input's name, or the operator's type.
    pub name: String,
    /// Whose it is.
    pub party: String,
    /// Own operators that read it, as numbers of operators of the shared graph.
    pub feeds: Vec<u32>,
    /// Own operators and inputs that it reads, as numbers of producers.
    pub reads: Vec<u32>,
}

/// One party's part of a shared graph.
#[derive(Clone)]
pub struct Cut {
    /// What it runs; each operator's `parent` is the one of the shared graph that it is, sends or stands for.
    pub circuit: Circuit,
    /// Its operators, as numbers of the shared graph.
    pub own: Vec<u32>,
    /// Operators of nobody that it has, too.
    pub common: Vec<u32>,
    /// What it sends, in the order of the producers, then of the parties.
    pub sends: Vec<Crossing>,
    /// What it receives, in the order of the producers.
    pub receives: Vec<Crossing>,
    /// The other parties' neighbours.
    pub interactions: Vec<Interaction>,
}

pub(super) fn cut(shared: &Shared, me: &str) -> Result<Cut> {
    let Owners { parties, .. } = shared.owners();
    let found = parties.iter().position(|name| name == me);
    let me = found.ok_or_else(|| wrong("party", format!("`{me}`"), parties.join(", ")))? as u32;
    let id = id_of(&shared.save()?);
    let edges = Edges::new(shared, me)?;
    Cutter { shared, me, id, bounds: None }.cut(&edges)
}

/// Who reads what of whom, as far as one party is concerned.
struct Edges {
    /// By producer and reading party the units that are read, in order, where these are two and one is this party.
    crossing: SortedMap<(u32, u32), Vec<Placeholder>>,
    /// Producers and the operators that read them, where these are of two parties and one is this.
    neighbours: SortedSet<(u32, u32)>,
    /// Operators of nobody that this party reads, directly or not.
    common: HashSet<u32>,
    /// An order of the shared graph's operators.
    order: Vec<u32>,
}

impl Edges {
    fn new(shared: &Shared, me: u32) -> Result<Self> {
        let (graph, owners) = (shared.circuit().graph(), shared.owners());
        let index = producers(graph);
        let inputs = graph.inputs().len() as u32;
        let order = topological_order(graph, &analyze(graph)?)?;
        let (mut crossing, mut neighbours) = (Vec::new(), Vec::new());
        let mut open: Vec<u32> = Vec::new();
        let mut read = |operand: OperandId, reader: u32, op: Option<u32>| {
            for &piece in graph.pieces(operand) {
                for hit in index.search(piece) {
                    let producer = index.owners()[hit];
                    let owner = owners.of(producer);
                    if owner == NOBODY && reader == me {
                        open.push(producer);
                    }
                    if owner == NOBODY || owner == reader || (owner != me && reader != me) {
                        continue;
                    }
                    let units = index.places()[hit].intersection(&piece);
                    crossing.push(((producer, reader), units));
                    neighbours.extend(op.map(|op| (producer, op)));
                }
            }
        };
        let mut steps = Steps::new(graph.operators().len());
        for ((op, &owner), number) in graph.operators().iter().zip(&owners.operators).zip(0..) {
            steps.step()?;
            // What nobody owns reads nothing but such.
            if owner != NOBODY {
                graph.inputs_of(op).iter().for_each(|&input| read(input, owner, Some(number)));
            }
        }
        for (port, &owner) in graph.outputs().iter().zip(&owners.outputs) {
            read(port.operand, owner, None);
        }
        let mut common = HashSet::new();
        while let Some(producer) = open.pop() {
            let number = producer - inputs;
            if common.insert(number) {
                let read = graph.inputs_of(&graph.operators()[number as usize]).iter();
                let pieces = read.flat_map(|&input| graph.pieces(input));
                open.extend(pieces.flat_map(|&piece| &index.owners()[index.search(piece)]));
            }
        }
        crossing.sort_unstable();
        let together = crossing.chunk_by(|a, b| a.0 == b.0);
        let crossing = together.map(|all| (all[0].0, union(all.iter().map(|&(_, units)| units)))).collect();
        Ok(Self { crossing, neighbours: neighbours.into(), common, order })
    }
}

/// Units that come in order, each once.
fn union(units: impl Iterator<Item = Placeholder>) -> Vec<Placeholder> {
    let mut out: Vec<Placeholder> = Vec::new();
    for piece in units {
        match out.last_mut() {
            Some(last) if piece.start <= last.end => last.end = last.end.max(piece.end),
            _ => out.push(piece),
        }
    }
    out
}

struct Cutter<'s> {
    shared: &'s Shared,
    me: u32,
    id: [u8; 16],
    /// What words of the shared graph are below, once something crosses that is asked about.
    bounds: Option<ResidueBounds>,
}

impl Cutter<'_> {
    fn cut(&mut self, edges: &Edges) -> Result<Cut> {
        let shared = self.shared;
        let (graph, owners) = (shared.circuit().graph(), shared.owners());
        let inputs = graph.inputs().len() as u32;
        let mut out = Copied { graph: graph.next_level(), of: vec![None; graph.operand_count()] };
        let (mut own, mut common) = (Vec::new(), Vec::new());
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for (port, &owner) in graph.inputs().iter().zip(&owners.inputs) {
            if owner == self.me {
                let operand = out.operand(graph, port.operand);
                out.graph.declare_input(&port.name, operand);
            }
        }
        for input in 0..inputs {
            self.cross(input, edges, &mut out.graph, &mut sends, &mut receives)?;
        }
        let mut steps = Steps::new(edges.order.len());
        for &number in &edges.order {
            steps.step()?;
            let op = &graph.operators()[number as usize];
            if owners.operators[number as usize] == self.me {
                own.push(number);
                out.operator(graph, op, number);
            } else if edges.common.contains(&number) {
                common.push(number);
                out.operator(graph, op, number);
            }
            self.cross(inputs + number, edges, &mut out.graph, &mut sends, &mut receives)?;
        }
        for (port, &owner) in graph.outputs().iter().zip(&owners.outputs) {
            if owner == self.me {
                let operand = out.operand(graph, port.operand);
                out.graph.declare_output(&port.name, operand);
            }
        }
        own.sort_unstable();
        common.sort_unstable();
        sends.sort_by_key(|send: &Crossing| send.number);
        receives.sort_by_key(|receive: &Crossing| receive.number);
        let circuit = Circuit::new(out.graph, shared.circuit().registry().clone())?;
        let interactions = self.interactions(edges);
        Ok(Cut { circuit, own, common, sends, receives, interactions })
    }

    /// Adds the sends of an own producer, or the receive of another party's.
    fn cross(
        &mut self,
        producer: u32,
        edges: &Edges,
        out: &mut Graph,
        sends: &mut Vec<Crossing>,
        receives: &mut Vec<Crossing>,
    ) -> Result<()> {
        let parties = &self.shared.owners().parties;
        for (&(_, to), units) in edges.crossing.range((producer, 0)..=(producer, u32::MAX)) {
            let (pieces, mut crossing) = self.crossing(producer, to, units)?;
            crossing.operator = out.operators().len() as u32;
            let view = out.view(crossing.ty.clone(), pieces);
            let parent = producer.checked_sub(self.shared.circuit().graph().inputs().len() as u32);
            let parent = parent.unwrap_or(u32::MAX);
            if to == self.me {
                let attrs = Receive::attrs(&crossing.from, producer, &crossing.ty);
                let signature = out.intern_placed(Receive::NAME, attrs, None);
                out.push_operator(signature, &[], view, PIN, parent);
                receives.push(crossing);
            } else {
                let signature =
                    out.intern_placed(Send::NAME, Send::attrs(&parties[to as usize], producer), None);
                let place = out.reserve(1)?;
                let sent = out.view(Send::sent(), vec![place]);
                out.push_operator(signature, &[view], sent, PIN, parent);
                sends.push(crossing);
            }
        }
        Ok(())
    }

    /// What crosses, and where it lies: in the order in which the producer has it.
    fn crossing(
        &mut self,
        producer: u32,
        to: u32,
        units: &[Placeholder],
    ) -> Result<(Vec<Placeholder>, Crossing)> {
        let owners = self.shared.owners();
        let graph = self.shared.circuit().graph();
        let operand = self.operand(producer);
        let mut pieces = Vec::new();
        for piece in graph.pieces(operand) {
            let first = units.partition_point(|units| units.end <= piece.start);
            for units in units[first..].iter().take_while(|units| units.start < piece.end) {
                push_joined(&mut pieces, piece.intersection(units));
            }
        }
        let of = graph.ty(operand).clone();
        let ty = self.type_of(&of, &pieces)?;
        let (input, name) = self.name(producer);
        let to = &owners.parties[to as usize];
        let crossing = Crossing {
            from: owners.parties[owners.of(producer) as usize].clone(),
            to: to.clone(),
            number: producer,
            input,
            producer: name,
            bytes: bytes_of(ty.size.saturating_mul(graph.unit_bits().into())),
            encrypted: scheme_of(&of),
            channel: channel(&self.id, producer, to),
            operator: 0,
            of,
            ty,
        };
        Ok((pieces, crossing))
    }

    /// The producer's type for all of it; of a part, or of words that are more than their type says, what is known.
    fn type_of(&mut self, of: &ValueType, pieces: &[Placeholder]) -> Result<ValueType> {
        let (graph, registry) = (self.shared.circuit().graph(), self.shared.circuit().registry());
        let size: u64 = pieces.iter().map(Placeholder::size).sum();
        let whole = size == of.size;
        // A type may be none of residues that anybody could check.
        let residues = registry.residues(of);
        if whole && matches!(residues, Ok(Some(_))) {
            return Ok(of.clone());
        }
        if graph.unit_bits() == WORD {
            if self.bounds.is_none() {
                self.bounds = Some(ResidueBounds::new(graph, registry)?);
            }
            let mut runs = Vec::new();
            for &piece in pieces {
                self.bounds.iter().for_each(|bounds| bounds.runs(piece, &mut runs));
            }
            if runs.iter().any(|&(_, below)| below != 0) {
                return Ok(part(&runs));
            }
        }
        Ok(if whole && residues.is_ok() { of.clone() } else { ValueType::new("raw", size, Attrs::new()) })
    }

    fn operand(&self, producer: u32) -> OperandId {
        let graph = self.shared.circuit().graph();
        let number = producer as usize;
        match graph.inputs().get(number) {
            Some(port) => port.operand,
            None => graph.operators()[number - graph.inputs().len()].output,
        }
    }

    /// Whether a producer is an input, and its name.
    fn name(&self, producer: u32) -> (bool, String) {
        let graph = self.shared.circuit().graph();
        let number = producer as usize;
        match graph.inputs().get(number) {
            Some(port) => (true, port.name.clone()),
            None => {
                let op = &graph.operators()[number - graph.inputs().len()];
                (false, graph.signature(op).written_name().into_owned())
            }
        }
    }

    fn interactions(&self, edges: &Edges) -> Vec<Interaction> {
        let owners = self.shared.owners();
        let inputs = self.shared.circuit().graph().inputs().len() as u32;
        let ends = edges.neighbours.iter().map(|&(producer, reader)| {
            let is_own = owners.of(producer) == self.me;
            if is_own { (inputs + reader, (is_own, producer)) } else { (producer, (is_own, reader)) }
        });
        let of = |(number, ends): (u32, Vec<(bool, u32)>)| {
            let (input, name) = self.name(number);
            let party = owners.parties[owners.of(number) as usize].clone();
            let these = |own: bool| ends.iter().filter(|end| end.0 == own).map(|end| end.1).collect();
            Interaction { number, input, name, party, feeds: these(false), reads: these(true) }
        };
        SortedMap::grouped(ends.collect()).into_iter().map(of).collect()
    }
}

/// The scheme of a type of ciphertexts.
fn scheme_of(ty: &ValueType) -> Option<&'static str> {
    let is_one = matches!(ty.head.as_str(), "ciphertext" | "extract");
    let extract = is_one.then(|| Extract::of(ty).ok()).flatten();
    extract.map(|extract| extract.ciphertext.scheme.name())
}

fn channel(id: &[u8; 16], producer: u32, to: &str) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 channel between parties v1");
    hasher.update(id).update(&producer.to_le_bytes()).update(to.as_bytes());
    let mut channel = [0; 16];
    channel.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    channel
}

/// The cut under construction: operands of the shared graph are copied to it once, with the numbers of their types.
struct Copied {
    graph: Graph,
    of: Vec<Option<OperandId>>,
}

impl Copied {
    fn operand(&mut self, from: &Graph, operand: OperandId) -> OperandId {
        let to = &mut self.graph;
        let copy = || to.view_interned(from.type_number(operand), from.pieces(operand).iter().copied());
        *self.of[operand.0 as usize].get_or_insert_with(copy)
    }

    fn operator(&mut self, from: &Graph, op: &Operator, number: u32) {
        let inputs: Vec<OperandId> =
            from.inputs_of(op).iter().map(|&input| self.operand(from, input)).collect();
        let output = self.operand(from, op.output);
        self.graph.push_operator(op.signature, &inputs, output, op.nonce, number);
    }
}
