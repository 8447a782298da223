//! Goes through a graph once, in any order, and changes operators until the graph has grown as far as it may.

use super::choices::Choices;
use super::{Change, Growth, Kind, Recorder, Site};
use crate::Result;
use crate::analyze::{Dependencies, Method, OutputIndex, check};
use crate::graph::{Graph, OperandId, Operator, Placeholder};
use crate::ops::Registry;
use std::collections::HashSet;
use std::ops::Range;

/// One time through a graph.
pub(super) struct Round<'r> {
    pub registry: &'r Registry,
    pub choices: &'r mut Choices,
    /// Ends when there are so many operators.
    pub goal: usize,
    /// Never makes more.
    pub limit: usize,
}

/// What was recorded for an operator.
struct Recorded {
    /// The operators.
    range: Range<usize>,
    /// What takes the place of the output; none where the operator stays.
    instead: Option<OperandId>,
}

impl Round<'_> {
    pub fn run(self, graph: &Graph, growth: &mut Growth) -> Result<Graph> {
        let deps = check(graph)?;
        let mut size = deps.len();
        let mut sites: Vec<usize> = (0..size).collect();
        self.choices.shuffle(&mut sites);
        let mut recorder = Recorder::new(graph.clone(), self.registry, &deps, self.choices)?;
        let kinds = growth.all_kinds();
        let mut changes: Vec<Option<Recorded>> = Vec::new();
        changes.resize_with(size, || None);
        for number in sites {
            if size >= self.goal {
                break;
            }
            let site = recorder.at(number);
            if let Some((kind, recorded)) = change(&mut recorder, &site, &kinds, self.limit - size)? {
                let more = recorded.range.len() - usize::from(recorded.instead.is_some());
                growth.add(kind, more);
                size += more;
                changes[number] = Some(recorded);
            }
        }
        let out = rebuilt(&recorder.finish(), &changes)?;
        let out = without_orphans(graph, &deps, &out)?;
        growth.dropped += size - out.operators().len();
        Ok(out)
    }
}

/// A change of an operator by the first kind, in random order, that has one with at most `room` operators more.
fn change(
    recorder: &mut Recorder<'_>,
    site: &Site,
    kinds: &[Kind],
    room: usize,
) -> Result<Option<(Kind, Recorded)>> {
    let mut kinds = kinds.to_vec();
    recorder.choices.shuffle(&mut kinds);
    for kind in kinds {
        let start = recorder.len();
        let change = kind.transformation().change(recorder, site)?;
        let range = start..recorder.len();
        let recorded = match change {
            Some(Change::Instead(out)) if stands_for(recorder, site, &range, out) => {
                Some(Recorded { range, instead: Some(out) })
            }
            Some(Change::Beside) => Some(Recorded { range, instead: None }),
            _ => None,
        };
        match recorded {
            Some(own) if own.range.len() <= room + usize::from(own.instead.is_some()) => {
                return Ok(Some((kind, own)));
            }
            _ => recorder.forget(start),
        }
    }
    Ok(None)
}

/// Whether an operand is the output of one of these operators, and of the site's type.
fn stands_for(recorder: &Recorder<'_>, site: &Site, range: &Range<usize>, out: OperandId) -> bool {
    let graph = recorder.graph();
    let made = graph.operators()[range.clone()].iter().any(|op| op.output == out);
    made && graph.type_number(out) == graph.type_number(site.output)
}

/// The graph with what was recorded in the place of operators, or behind them. Outputs stay where they were.
fn rebuilt(graph: &Graph, changes: &[Option<Recorded>]) -> Result<Graph> {
    let mut copy = Copy { from: graph, to: graph.next_level(), of: vec![None; graph.operand_count()] };
    for port in graph.inputs() {
        let operand = copy.operand(port.operand);
        copy.to.declare_input(&port.name, operand);
    }
    for (op, change) in graph.operators().iter().zip(changes) {
        if change.as_ref().is_none_or(|change| change.instead.is_none()) {
            copy.operator(op, op.parent);
        }
        let Some(Recorded { range, instead }) = change else { continue };
        for new in &graph.operators()[range.clone()] {
            copy.operator(new, op.parent);
        }
        if let Some(new) = *instead {
            let (new, old) = (copy.operand(new), copy.operand(op.output));
            copy.to.absorb(new, old)?;
        }
    }
    for port in graph.outputs() {
        let operand = copy.operand(port.operand);
        copy.to.declare_output(&port.name, operand);
    }
    copy.to.settle();
    Ok(copy.to)
}

/// The new graph without operators that were read before and are not any more: tables in the place of which there are others.
fn without_orphans(before: &Graph, deps: &Dependencies, after: &Graph) -> Result<Graph> {
    let read = |op: &usize| !deps.notify(*op).is_empty();
    let place = |graph: &Graph, op: usize| graph.pieces(graph.operators()[op].output).to_vec();
    let read: HashSet<Vec<Placeholder>> = (0..deps.len()).filter(read).map(|op| place(before, op)).collect();
    let index = OutputIndex::new(after)?;
    let deps = Dependencies::new(after, &index, Method::Search);
    let mut orphans: Vec<bool> =
        (0..deps.len()).map(|op| deps.notify(op).is_empty() && read.contains(&place(after, op))).collect();
    for &piece in after.outputs().iter().flat_map(|port| after.pieces(port.operand)) {
        index.producers()[index.search(piece)].iter().for_each(|&op| orphans[op as usize] = false);
    }
    let mut out = after.clone();
    out.retain_operators(|op| !orphans[op]);
    Ok(out)
}

/// Copies what is used of a graph, each operand once.
struct Copy<'g> {
    from: &'g Graph,
    to: Graph,
    of: Vec<Option<OperandId>>,
}

impl Copy<'_> {
    fn operand(&mut self, operand: OperandId) -> OperandId {
        let Self { from, to, of } = self;
        let new = || to.view_interned(from.type_number(operand), from.pieces(operand).iter().copied());
        *of[operand.0 as usize].get_or_insert_with(new)
    }

    fn operator(&mut self, op: &Operator, parent: u32) {
        let inputs: Vec<OperandId> =
            self.from.inputs_of(op).iter().map(|&input| self.operand(input)).collect();
        let output = self.operand(op.output);
        self.to.push_operator(op.signature, &inputs, output, op.nonce, parent);
    }
}
