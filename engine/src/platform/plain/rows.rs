//! Broadcasting: an output as rows, along each of which every input goes on by one or stands still; short rows one after the
//! other as one, where inputs go on or begin again.

use bytemuck::Pod;

/// Elements that an input is repeated to at a time.
const CHUNK: usize = 256;

/// How `N` inputs lie under an output.
pub(super) struct Rows<const N: usize> {
    /// Elements of a row.
    row: usize,
    /// The dimensions around rows, innermost first: how often, and by how much each input goes on.
    outer: Vec<(usize, [usize; N])>,
    /// Of each input the number of elements that it has along a row, over and over; 0 for as many as the row has.
    repeats: [usize; N],
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
            return Self { row: 1, outer: dims, repeats: [0; N] };
        }
        let (row, steps) = dims.remove(0);
        if let [(count, around)] = *dims.as_slice()
            && row <= CHUNK / 4
            && let Some(repeats) = one_row(row, steps, around)
        {
            return Self { row: row * count, outer: Vec::new(), repeats };
        }
        Self { row, outer: dims, repeats: steps.map(|step| usize::from(step == 0)) }
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
        let chunk = match self.repeats.iter().max() {
            None | Some(0) => self.row,
            Some(period) => self.row.min(CHUNK - CHUNK % period),
        };
        self.each(|starts, from| {
            for i in (0..N).filter(|&i| self.repeats[i] > 0) {
                let own = &inputs[i][starts[i]..][..self.repeats[i]];
                for held in held[i][..chunk].chunks_mut(own.len()) {
                    held.copy_from_slice(&own[..held.len()]);
                }
            }
            for (k, out) in out[from..from + self.row].chunks_mut(chunk).enumerate() {
                let part = |i: usize| {
                    let goes_on = self.repeats[i] == 0;
                    let all = if goes_on { &inputs[i][starts[i] + k * chunk..] } else { &held[i][..] };
                    &all[..out.len()]
                };
                f(std::array::from_fn(part), out);
            }
        });
    }
}

/// How often inputs repeat themselves where all rows are taken as one, if they do: `steps` are those within rows, `around`
/// those from row to row.
fn one_row<const N: usize>(row: usize, steps: [usize; N], around: [usize; N]) -> Option<[usize; N]> {
    let mut repeats = [0; N];
    for (repeats, steps) in repeats.iter_mut().zip(steps.into_iter().zip(around)) {
        *repeats = match steps {
            (1, step) if step == row => 0,
            (1, 0) => row,
            (0, 0) => 1,
            _ => return None,
        };
    }
    Some(repeats)
}
