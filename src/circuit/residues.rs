//! Words that are seen as residues have to be such: kernels rely on every residue being below its prime.

use crate::Result;
use crate::analyze::{analyze, topological_order};
use crate::graph::{Graph, GraphError, Intervals, OperandId, Operator, Placeholder};
use crate::ops::Registry;
use crate::watch::{Steps, pause};
use std::collections::BTreeMap;

/// In place of a prime, for words that may be any.
const ANY: u64 = 0;

/// Checks a graph that was not built but read: an operand of a type of residues is what an operator or an input of the
/// graph gave as residues below primes that are no larger.
///
/// # Errors
/// `Attribute` names the type.
pub(super) fn check(graph: &Graph, registry: &Registry) -> Result<()> {
    let mut types = Types::new(graph, registry);
    let views = views(graph, &mut types)?;
    if views.is_empty() {
        return Ok(());
    }
    pause()?;
    let bounds = Bounds::new(graph, registry)?;
    let mut limbs = Vec::new();
    let mut steps = Steps::new(views.len());
    for view in views {
        steps.step()?;
        limbs.clear();
        types.limbs(view, &mut limbs)?;
        for &(limb, prime) in limbs.iter().filter(|&&(_, prime)| prime != ANY) {
            if bounds.of(limb).is_none_or(|bound| bound > prime) {
                let found = format!("{} over words that may be larger than its primes", graph.ty(view));
                let expected = "a view of residues of the same primes";
                return Err(GraphError::Attribute { name: "type".into(), found, expected }.into());
            }
        }
    }
    Ok(())
}

/// Operands of types of residues that are neither an input of the graph nor what an operator gave, each once.
fn views(graph: &Graph, types: &mut Types<'_>) -> Result<Vec<OperandId>> {
    let mut seen = vec![false; graph.operand_count()];
    let whole = graph.operators().iter().map(|op| op.output);
    for operand in whole.chain(graph.inputs().iter().map(|port| port.operand)) {
        seen[operand.0 as usize] = true;
    }
    let read = graph.operators().iter().flat_map(|op| graph.inputs_of(op)).copied();
    let mut views = Vec::new();
    for operand in read.chain(graph.outputs().iter().map(|port| port.operand)) {
        if !std::mem::replace(&mut seen[operand.0 as usize], true) && types.of(operand)?.is_some() {
            views.push(operand);
        }
    }
    Ok(views)
}

/// Ring dimension and primes, for a type of residues.
type Residues = Option<(usize, Vec<u64>)>;

/// Which types are those of residues, each asked once.
struct Types<'g> {
    graph: &'g Graph,
    registry: &'g Registry,
    known: Vec<Option<Residues>>,
    /// Whether a type that is none, such as one of another dimension than rings have, is an error; else it is not one of residues.
    strict: bool,
}

impl<'g> Types<'g> {
    fn new(graph: &'g Graph, registry: &'g Registry) -> Self {
        Self { graph, registry, known: vec![None; graph.types().len()], strict: true }
    }

    fn of(&mut self, operand: OperandId) -> Result<&Residues> {
        let known = &mut self.known[self.graph.type_number(operand) as usize];
        if known.is_none() {
            let residues = self.registry.residues(self.graph.ty(operand));
            *known = Some(if self.strict { residues? } else { residues.unwrap_or_default() });
        }
        Ok(known.get_or_insert(None))
    }

    /// Appends the placeholders of an operand limb by limb, each with its prime; nothing where its type is not one of
    /// residues.
    fn limbs(&mut self, operand: OperandId, limbs: &mut Vec<(Placeholder, u64)>) -> Result<()> {
        let graph = self.graph;
        let Some((n, primes)) = self.of(operand)? else { return Ok(()) };
        let (n, mut done) = (*n as u64, 0);
        for &piece in graph.pieces(operand) {
            let mut from = 0;
            while from < piece.size() {
                let size = (n - done % n).min(piece.size() - from);
                // A type whose size does not fit its attributes has no prime there, and no residue is below 1.
                let prime = primes.get((done / n) as usize).copied().unwrap_or(1);
                limbs.push((piece.part(from, size), prime));
                from += size;
                done += size;
            }
        }
        Ok(())
    }
}

/// Where residues lie in a graph, and below what they are: of inputs and outputs of operators what their types say, of what is moved what it
/// was before.
pub(crate) struct ResidueBounds(Bounds);

impl ResidueBounds {
    /// Of a checked graph.
    ///
    /// # Errors
    /// What analysis finds; `Cancelled`.
    pub(crate) fn new(graph: &Graph, registry: &Registry) -> Result<Self> {
        Ok(Self(Bounds::new(graph, registry)?))
    }

    /// Appends runs of units with their bound, 0 where they may hold any words, to what was there.
    pub(crate) fn runs(&self, place: Placeholder, runs: &mut Vec<(u64, u64)>) {
        let mut at = place.start;
        while at < place.end {
            let rest = Placeholder::new(at, place.end);
            let (end, bound) = self.0.at(at).unwrap_or_else(|| (self.0.next_after(rest), ANY));
            let size = end.min(place.end) - at;
            match runs.last_mut() {
                Some((run, last)) if *last == bound => *run += size,
                _ => runs.push((size, bound)),
            }
            at += size;
        }
    }
}

struct Bounds {
    /// Of inputs and of what operators computed, with where in `primes` their bounds stand.
    limbs: Intervals,
    primes: Vec<u64>,
    /// Of what operators moved, by the first unit: one past the last one, and the bound.
    moved: BTreeMap<u64, (u64, u64)>,
}

impl Bounds {
    fn new(graph: &Graph, registry: &Registry) -> Result<Self> {
        // Of what has no such type nothing is known.
        let mut types = Types { strict: false, ..Types::new(graph, registry) };
        let names = graph.signatures().iter().map(|signature| &signature.name);
        let moves: Vec<bool> = names.map(|name| registry.get(name).is_ok_and(|def| def.moves())).collect();
        let moves = |op: &Operator| moves[op.signature as usize];
        let mut limbs = Vec::new();
        for port in graph.inputs() {
            types.limbs(port.operand, &mut limbs)?;
        }
        for op in graph.operators().iter().filter(|op| !moves(op)) {
            types.limbs(op.output, &mut limbs)?;
        }
        limbs.retain(|&(_, prime)| prime > 1);
        let primes = limbs.iter().map(|&(_, prime)| prime).collect();
        let places = limbs.iter().map(|&(limb, _)| limb).zip(0..);
        let mut bounds = Self { limbs: Intervals::new(places), primes, moved: BTreeMap::new() };
        if graph.operators().iter().any(moves) {
            for op in topological_order(graph, &analyze(graph)?)? {
                let op = &graph.operators()[op as usize];
                if moves(op) {
                    bounds.follow(graph, graph.inputs_of(op), op.output);
                }
            }
        }
        Ok(bounds)
    }

    /// Notes what an output has from operands that are moved there, one after the other.
    fn follow(&mut self, graph: &Graph, inputs: &[OperandId], output: OperandId) {
        let mut targets = graph.pieces(output).iter().copied();
        let mut target = targets.next();
        for mut source in inputs.iter().flat_map(|&input| graph.pieces(input)).copied() {
            while !source.is_empty()
                && let Some(to) = target
            {
                // As far as one bound reaches.
                let (known, end) = match self.at(source.start) {
                    Some((end, bound)) => (Some(bound), end),
                    None => (None, self.next_after(source)),
                };
                let size = source.size().min(to.size()).min(end - source.start);
                if let Some(bound) = known {
                    self.moved.insert(to.start, (to.start + size, bound));
                }
                source.start += size;
                target = Some(Placeholder::new(to.start + size, to.end)).filter(|to| !to.is_empty());
                target = target.or_else(|| targets.next());
            }
        }
    }

    /// Where the bound of a unit ends, and that bound; none where it has none.
    fn at(&self, unit: u64) -> Option<(u64, u64)> {
        if let Some(hit) = self.limbs.search(Placeholder::new(unit, unit + 1)).next() {
            let bound = self.primes[self.limbs.owners()[hit] as usize];
            return Some((self.limbs.places()[hit].end, bound));
        }
        let (_, &moved) = self.moved.range(..=unit).next_back()?;
        Some(moved).filter(|&(end, _)| end > unit)
    }

    /// The first unit of a placeholder that has a bound, or its end.
    fn next_after(&self, place: Placeholder) -> u64 {
        let limb = self.limbs.search(place).next().map(|hit| self.limbs.places()[hit].start);
        let moved = self.moved.range(place.start..place.end).next().map(|(&start, _)| start);
        limb.into_iter().chain(moved).fold(place.end, u64::min)
    }

    /// The largest bound in a placeholder; none where some of it has none.
    fn of(&self, place: Placeholder) -> Option<u64> {
        let (mut at, mut largest) = (place.start, 0);
        while at < place.end {
            let (end, bound) = self.at(at)?;
            largest = bound.max(largest);
            at = end;
        }
        Some(largest)
    }
}
