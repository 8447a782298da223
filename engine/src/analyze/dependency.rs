//! Dependency and notification sets (SPEC G6), always worked out on the set as it is, never carried down
//! from a higher level (G6c).

use crate::graph::{Graph, GraphError, Intervals, OperandId, Placeholder};
use std::ops::Range;

/// How the producers that overlap a placeholder are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Method A: a binary search in the outputs sorted by start, O(log n + k) for k hits.
    Search,
    /// Method B, the oracle: a linear scan over all outputs, O(n).
    Scan,
}

/// All output placeholders of a set, sorted by start, with their producers.
#[derive(Clone, Debug, Default)]
pub struct OutputIndex {
    intervals: Intervals,
    /// Which operands are the output of an operator, whole.
    whole: Vec<bool>,
    /// Of each of these the operator; of the others the first of `intervals` that their first placeholder can meet. Every
    /// stage asks for every operand: a search for each is enough.
    found: Vec<u32>,
}

/// For operators that are gone.
pub(super) const NOBODY: u32 = u32::MAX;

impl OutputIndex {
    /// The index of a settled graph.
    ///
    /// # Errors
    /// `OverlappingOutputs` when two operators write one unit.
    pub fn new(graph: &Graph) -> Result<Self, GraphError> {
        let outputs = graph.operators().iter().zip(0..);
        let pieces =
            outputs.flat_map(|(op, number)| graph.pieces(op.output).iter().map(move |&p| (p, number)));
        let (mut whole, mut found) = (vec![false; graph.operand_count()], vec![0; graph.operand_count()]);
        for (op, number) in graph.operators().iter().zip(0..) {
            let output = op.output.0 as usize;
            (whole[output], found[output]) = (true, number);
        }
        let mut index = Self { intervals: Intervals::new(pieces), whole, found };
        if let Some((a, b)) = index.intervals.overlap() {
            let at = index.places()[a].intersection(&index.places()[b]);
            let (first, second) = (index.producers()[a], index.producers()[b]);
            return Err(GraphError::OverlappingOutputs { first, second, at });
        }
        for operand in (0..).take(index.whole.len()).map(OperandId) {
            if !index.whole[operand.0 as usize] {
                index.find(graph, operand);
            }
        }
        Ok(index)
    }

    /// Notes where an operand, no output, lies.
    fn find(&mut self, graph: &Graph, operand: OperandId) {
        let first = graph.pieces(operand).first().map_or(0, |&piece| self.intervals.first(piece));
        self.found[operand.0 as usize] = first as u32;
    }

    /// Gives the operators the numbers that they have in `graph`, `NOBODY` to those that are dropped. What lay in the output of
    /// one of these lies elsewhere now, or nobody reads it.
    pub(super) fn renumber(&mut self, graph: &Graph, numbers: &[u32]) {
        let mut kept = 0..;
        let position =
            |&op: &u32| if numbers[op as usize] == NOBODY { NOBODY } else { kept.next().unwrap_or(NOBODY) };
        let positions: Vec<u32> = self.producers().iter().map(position).collect();
        self.intervals.renumber(|op| Some(numbers[op as usize]).filter(|&number| number != NOBODY));
        for operand in (0..).take(self.whole.len()).map(OperandId) {
            let index = operand.0 as usize;
            let before = self.found[index] as usize;
            let moved = if self.whole[index] { numbers.get(before) } else { positions.get(before) };
            match moved {
                Some(&now) if now != NOBODY => self.found[index] = now,
                _ => {
                    self.whole[index] = false;
                    self.find(graph, operand);
                }
            }
        }
    }

    /// Sorted output placeholders.
    pub fn places(&self) -> &[Placeholder] {
        self.intervals.places()
    }

    /// The producer of each of [`OutputIndex::places`].
    pub fn producers(&self) -> &[u32] {
        self.intervals.owners()
    }

    /// Method A: [`Intervals::search`].
    pub fn search(&self, target: Placeholder) -> Range<usize> {
        self.intervals.search(target)
    }

    /// The operator whose output an operand of the graph is; none for views of outputs, and for what nobody writes. A view of all
    /// of an output, as passes that rebuild a graph make them, is a view: [`OutputIndex::hits`] tells who writes its units.
    pub fn writer(&self, operand: OperandId) -> Option<u32> {
        let index = operand.0 as usize;
        (self.whole.get(index) == Some(&true)).then(|| self.found[index])
    }

    /// The placeholders of an operand of the graph, in order, each with what [`OutputIndex::search`] finds for it. The graph is
    /// that of the index, as it was then.
    pub fn hits<'g>(
        &'g self,
        graph: &'g Graph,
        operand: OperandId,
    ) -> impl Iterator<Item = (Placeholder, Range<usize>)> + use<'g> {
        let index = operand.0 as usize;
        let mut first = if self.whole.get(index) == Some(&false) { Some(self.found[index]) } else { None };
        graph.pieces(operand).iter().map(move |&piece| {
            let first = first.take().map(|first| first as usize);
            (piece, self.intervals.meeting(first.unwrap_or_else(|| self.intervals.first(piece)), piece))
        })
    }

    /// Appends the producers of an operand's units, in the order of the units.
    fn producers_of(&self, graph: &Graph, operand: OperandId, out: &mut Vec<u32>) {
        match self.writer(operand) {
            Some(op) => out.push(op),
            None => {
                self.hits(graph, operand).for_each(|(_, hits)| out.extend_from_slice(&self.producers()[hits]))
            }
        }
    }

    /// Method B: indices of all placeholders that overlap.
    pub fn scan(&self, target: Placeholder) -> Vec<usize> {
        (0..self.places().len()).filter(|&i| self.places()[i].overlaps(&target)).collect()
    }
}

/// The dependency set and the notification set of every operator, sorted by operator number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    dep_start: Vec<u32>,
    deps: Vec<u32>,
    notify_start: Vec<u32>,
    notifies: Vec<u32>,
}

impl Dependencies {
    /// Operators that must be done before `op` may run.
    pub fn dep(&self, op: usize) -> &[u32] {
        &self.deps[self.dep_start[op] as usize..self.dep_start[op + 1] as usize]
    }

    /// Operators that wait for `op`.
    pub fn notify(&self, op: usize) -> &[u32] {
        &self.notifies[self.notify_start[op] as usize..self.notify_start[op + 1] as usize]
    }

    /// Where each operator's members start in a list, and that list: of the dependency sets, then of the notification sets.
    pub fn tables(&self) -> [(&[u32], &[u32]); 2] {
        [(&self.dep_start, &self.deps), (&self.notify_start, &self.notifies)]
    }

    /// Number of operators.
    pub fn len(&self) -> usize {
        self.dep_start.len().saturating_sub(1)
    }

    /// True for an empty set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sets of a settled graph whose index is there already.
    pub fn new(graph: &Graph, index: &OutputIndex, method: Method) -> Self {
        Self::from_sets(graph.operators().len(), input_count(graph), |op, set| {
            for &input in graph.inputs_of(&graph.operators()[op]) {
                match method {
                    Method::Search => index.producers_of(graph, input, set),
                    Method::Scan => {
                        let hits = graph.pieces(input).iter().flat_map(|&piece| index.scan(piece));
                        set.extend(hits.map(|hit| index.producers()[hit]));
                    }
                }
            }
        })
    }

    /// The sets of `graph`, which has the same operators under other numbers, but for those that were dropped (`NOBODY`).
    /// Who read what one of these wrote reads something else now, and is looked up in `index`; all others wait for whom they
    /// waited for.
    pub(super) fn renumbered(mut self, graph: &Graph, index: &OutputIndex, numbers: &[u32]) -> Self {
        (self.notifies, self.notify_start) = (Vec::new(), Vec::new());
        let mut kept = (0..numbers.len()).filter(|&op| numbers[op] != NOBODY);
        Self::from_sets(graph.operators().len(), self.deps.len(), |op, set| {
            let before = kept.next().map_or(&[][..], |op| self.dep(op));
            set.extend(before.iter().map(|&dep| numbers[dep as usize]));
            if set.contains(&NOBODY) {
                set.clear();
                let inputs = graph.inputs_of(&graph.operators()[op]);
                inputs.iter().for_each(|&input| index.producers_of(graph, input, set));
            }
        })
    }

    /// From the dependency sets of operators 0..n, which have about `members` members: `add` appends that of one operator
    /// to a list, operator by operator, in any order, members more than once if need be.
    pub fn from_sets(n: usize, members: usize, mut add: impl FnMut(usize, &mut Vec<u32>)) -> Self {
        let (dep_start, deps) = (Vec::with_capacity(n + 1), Vec::with_capacity(members));
        let mut d = Self { dep_start, deps, ..Self::default() };
        d.dep_start.push(0);
        let mut set: Vec<u32> = Vec::new();
        for op in 0..n {
            set.clear();
            add(op, &mut set);
            if !set.is_sorted_by(|a, b| a < b) {
                sort(&mut set);
                set.dedup();
            }
            d.deps.extend_from_slice(&set);
            d.dep_start.push(d.deps.len() as u32);
        }
        d.deps.shrink_to_fit();
        d.invert();
        d
    }

    /// b is in dep(a) if and only if a is in notify(b): a counting sort of the edges.
    fn invert(&mut self) {
        let n = self.len();
        // Counts are shifted by one operator, so that they turn into starts while they are used up.
        let mut start = vec![0u32; n + 2];
        for &d in &self.deps {
            start[d as usize + 2] += 1;
        }
        for i in 2..start.len() {
            start[i] += start[i - 1];
        }
        self.notifies = vec![0; self.deps.len()];
        for op in 0..n {
            for i in self.dep_start[op]..self.dep_start[op + 1] {
                let next = &mut start[self.deps[i as usize] as usize + 1];
                self.notifies[*next as usize] = op as u32;
                *next += 1;
            }
        }
        start.pop();
        self.notify_start = start;
    }
}

/// Sorts a list, most of which are short: what the standard library has for builds that must be small is slow at these.
fn sort(list: &mut [u32]) {
    if list.len() > 20 {
        return list.sort_unstable();
    }
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && list[at - 1] > list[at] {
            list.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// How many inputs the operators have.
fn input_count(graph: &Graph) -> usize {
    graph.operators().iter().map(|op| graph.inputs_of(op).len()).sum()
}

/// The dependency and notification sets of a settled graph, by method A.
///
/// # Errors
/// `OverlappingOutputs`; cycles are found by [`super::topological_order`].
pub fn analyze(graph: &Graph) -> Result<Dependencies, GraphError> {
    analyze_by(graph, Method::Search)
}

/// As [`analyze`], by the method asked for.
///
/// # Errors
/// As [`analyze`].
pub fn analyze_by(graph: &Graph, method: Method) -> Result<Dependencies, GraphError> {
    Ok(Dependencies::new(graph, &OutputIndex::new(graph)?, method))
}
