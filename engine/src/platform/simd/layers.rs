//! What the transforms of all families share: the factors of their layers, and the parts of a block.

/// Factors of two layers: one of the layer with fewer blocks, two of the other.
pub(super) type Step<F> = [F; 3];

/// The factors of one direction, an `F` each, those of the last layers in groups `L`.
pub(super) struct Factors<F, L> {
    /// The layer with one block, alone when the number of layers is odd.
    pub(super) single: Option<F>,
    /// Two layers each, few blocks first; not the last ones.
    pub(super) steps: Vec<Vec<Step<F>>>,
    /// What groups of neighbors need in the last layers.
    pub(super) last: Vec<L>,
}

impl<F, L> Factors<F, L> {
    /// From powers in bit-reversed order: block `i` of the layer with `m` blocks uses `powers[m + i]`. Layers whose blocks
    /// are at most `neighbors` long are left to `last`: it makes the factors of each `group` of values, from the number
    /// of its power and the step that begins at a power.
    pub(super) fn new(
        powers: &[u64],
        neighbors: usize,
        group: usize,
        factor: impl Fn(u64) -> F,
        last: impl Fn(usize, &dyn Fn(usize) -> Step<F>) -> L,
    ) -> Self {
        let n = powers.len();
        let single = (n.ilog2() % 2 == 1).then(|| factor(powers[1]));
        let step = |at: usize| [at, 2 * at, 2 * at + 1].map(|at| factor(powers[at]));
        let first = if single.is_some() { 2 } else { 1 };
        let groups = n / group;
        let layers = std::iter::successors(Some(first), |m| Some(4 * m)).take_while(|&m| m < n / neighbors);
        Self {
            steps: layers.map(|m| (m..2 * m).map(step).collect()).collect(),
            last: (groups..2 * groups).map(|at| last(at, &step)).collect(),
            single,
        }
    }
}

/// The four quarters of a block.
#[inline(always)]
pub(super) fn quarters<T>(block: &mut [T]) -> [&mut [T]; 4] {
    let (left, right) = block.split_at_mut(block.len() / 2);
    let (a, b) = left.split_at_mut(left.len() / 2);
    let (c, d) = right.split_at_mut(right.len() / 2);
    [a, b, c, d]
}
