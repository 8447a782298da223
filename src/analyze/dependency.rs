//! Dependency and notification sets (SPEC G6), always worked out on the set as it is, never carried down
//! from a higher level (G6c).

use crate::graph::{Graph, GraphError, Placeholder};

/// How the producers that overlap a placeholder are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Method A: two binary searches in the outputs sorted by start, O(log n + k) for k hits.
    Search,
    /// Method B, the oracle: a linear scan over all outputs, O(n).
    Scan,
}

/// All output placeholders of a set, sorted by start, with their producers.
#[derive(Clone, Debug, Default)]
pub struct OutputIndex {
    places: Vec<Placeholder>,
    producers: Vec<u32>,
}

impl OutputIndex {
    /// The index of a settled graph.
    ///
    /// # Errors
    /// `OverlappingOutputs` when two operators write one unit.
    pub fn new(graph: &Graph) -> Result<Self, GraphError> {
        let mut all: Vec<(Placeholder, u32)> = Vec::with_capacity(graph.operators().len());
        for (index, op) in graph.operators().iter().enumerate() {
            all.extend(graph.pieces(op.output).iter().map(|&p| (p, index as u32)));
        }
        // Program order is address order for most graphs: then this is one pass.
        all.sort_unstable();
        if let Some(w) = all.windows(2).find(|w| w[0].0.overlaps(&w[1].0)) {
            let at = w[0].0.intersection(&w[1].0);
            return Err(GraphError::OverlappingOutputs { first: w[0].1, second: w[1].1, at });
        }
        Ok(Self { places: all.iter().map(|a| a.0).collect(), producers: all.iter().map(|a| a.1).collect() })
    }

    /// Sorted output placeholders.
    pub fn places(&self) -> &[Placeholder] {
        &self.places
    }

    /// The producer of each of [`OutputIndex::places`].
    pub fn producers(&self) -> &[u32] {
        &self.producers
    }

    /// Method A. For `[x, y)`: the smallest l with `end_l > x`, the smallest r with `start_r >= y`; the hits
    /// are `[l, r)`. An empty target has none.
    pub fn search(&self, target: Placeholder) -> std::ops::Range<usize> {
        if target.is_empty() {
            return 0..0;
        }
        let l = self.places.partition_point(|p| p.end <= target.start);
        // Few placeholders meet one target: walk from l instead of searching again.
        let r = l + self.places[l..].iter().take_while(|p| p.start < target.end).count();
        l..r
    }

    /// Method B: indices of all placeholders that overlap.
    pub fn scan(&self, target: Placeholder) -> Vec<usize> {
        (0..self.places.len()).filter(|&i| self.places[i].overlaps(&target)).collect()
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

    /// Number of operators.
    pub fn len(&self) -> usize {
        self.dep_start.len().saturating_sub(1)
    }

    /// True for an empty set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From the dependency sets of operators 0, 1, ..., one list each.
    pub fn from_sets(sets: impl Iterator<Item = Vec<u32>>) -> Self {
        let mut d = Self { dep_start: vec![0], ..Self::default() };
        for set in sets {
            d.deps.extend_from_slice(&set);
            d.dep_start.push(d.deps.len() as u32);
        }
        d.invert();
        d
    }

    /// b is in dep(a) if and only if a is in notify(b): a counting sort of the edges.
    fn invert(&mut self) {
        let n = self.len();
        let mut start = vec![0u32; n + 1];
        for &d in &self.deps {
            start[d as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        self.notifies = vec![0; self.deps.len()];
        for op in 0..n {
            for i in self.dep_start[op]..self.dep_start[op + 1] {
                let producer = self.deps[i as usize] as usize;
                self.notifies[next[producer] as usize] = op as u32;
                next[producer] += 1;
            }
        }
        self.notify_start = start;
    }
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
    let index = OutputIndex::new(graph)?;
    let mut set: Vec<u32> = Vec::new();
    Ok(Dependencies::from_sets(graph.operators().iter().map(|op| {
        set.clear();
        for &input in graph.inputs_of(op) {
            for &piece in graph.pieces(input) {
                match method {
                    Method::Search => set.extend_from_slice(&index.producers[index.search(piece)]),
                    Method::Scan => set.extend(index.scan(piece).into_iter().map(|i| index.producers[i])),
                }
            }
        }
        set.sort_unstable();
        set.dedup();
        set.clone()
    })))
}
