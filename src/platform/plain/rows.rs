//! Broadcasting: an output as rows, along each of which every input goes on by one or stands still.

use bytemuck::Pod;

/// Elements that a standing input is repeated to at a time.
const CHUNK: usize = 256;

/// How `N` inputs lie under an output.
pub(super) struct Rows<const N: usize> {
    /// Elements of a row.
    row: usize,
    /// The dimensions around rows, innermost first: how often, and by how much each input goes on.
    outer: Vec<(usize, [usize; N])>,
    /// The inputs that stand still along a row.
    stands: [bool; N],
}

impl<const N: usize> Rows<N> {
    /// Rows of an output, for inputs whose shapes broadcast to its shape.
    pub(super) fn new(out: &[u64], inputs: [&[u64]; N]) -> Self {
        let mut dims: Vec<(usize, [usize; N])> = Vec::new();
        let mut elements = [1; N];
        for back in 0..out.len() {
            let size = out[out.len() - 1 - back] as usize;
            let own = inputs.map(|shape| shape.len().checked_sub(back + 1).map_or(1, |d| shape[d] as usize));
            let steps = std::array::from_fn(|i| if own[i] == 1 { 0 } else { elements[i] });
            for (elements, own) in elements.iter_mut().zip(own) {
                *elements *= own;
            }
            match dims.last_mut() {
                _ if size == 1 => {}
                // Goes on where the dimension inside ended.
                Some((inner, inside)) if steps == inside.map(|step| step * *inner) => *inner *= size,
                _ => dims.push((size, steps)),
            }
        }
        if dims.is_empty() {
            return Self { row: 1, outer: dims, stands: [false; N] };
        }
        let (row, steps) = dims.remove(0);
        Self { row, outer: dims, stands: steps.map(|step| step == 0) }
    }

    /// Where each row begins: in the inputs and in the output.
    fn each(&self, mut visit: impl FnMut([usize; N], usize)) {
        let mut at = [0; N];
        let mut counts = vec![0; self.outer.len()];
        let mut out = 0;
        loop {
            visit(at, out);
            out += self.row;
            let mut dims = counts.iter_mut().zip(&self.outer);
            loop {
                let Some((count, &(size, steps))) = dims.next() else { return };
                *count += 1;
                if *count < size {
                    (0..N).for_each(|i| at[i] += steps[i]);
                    break;
                }
                *count = 0;
                (0..N).for_each(|i| at[i] -= steps[i] * (size - 1));
            }
        }
    }

    /// Applies `f` to parts of rows: of each input as many elements as of the output.
    pub(super) fn map<T: Pod, R: Pod>(&self, inputs: [&[T]; N], out: &mut [R], f: fn([&[T]; N], &mut [R])) {
        let mut held = [[T::zeroed(); CHUNK]; N];
        let chunk = if self.stands.contains(&true) { CHUNK.min(self.row) } else { self.row };
        self.each(|starts, from| {
            for i in 0..N {
                if self.stands[i] {
                    held[i][..chunk].fill(inputs[i][starts[i]]);
                }
            }
            for (k, out) in out[from..from + self.row].chunks_mut(chunk).enumerate() {
                let part = |i: usize| {
                    let all = if self.stands[i] { &held[i][..] } else { &inputs[i][starts[i] + k * chunk..] };
                    &all[..out.len()]
                };
                f(std::array::from_fn(part), out);
            }
        });
    }
}
