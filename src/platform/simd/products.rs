//! Products of polynomials that transform on the way: `limb.convolve` and `limb.tensor`.

use super::ntt::Transform;
use super::pointwise::Words;
use super::sums::dot;
use std::sync::Arc;

/// Words of transformed factors that are kept at a time: half of a second-level cache.
const KEPT: usize = 1 << 16;

/// A prepared `limb.convolve`.
pub(super) struct Convolution {
    pub(super) n: usize,
    pub(super) terms: usize,
    pub(super) outputs: usize,
    pub(super) words: Words,
    pub(super) transform: Arc<dyn Transform>,
}

impl Convolution {
    /// How many factors are transformed before they are multiplied.
    fn group(&self) -> usize {
        (KEPT / self.n).clamp(1, self.terms)
    }

    /// Units of scratch.
    pub(super) fn scratch(&self) -> usize {
        self.group() * self.n
    }

    /// Factors in coefficient form are words up to `2^50`, prepared ones in `[0, q)`; so are the outputs.
    pub(super) fn run(&self, out: &mut [u64], inputs: &[&[u64]], scratch: &mut [u64]) {
        let (n, group) = (self.n, self.group());
        let (x, y) = inputs.split_at(self.terms);
        for start in (0..self.terms).step_by(group) {
            let x = &x[start..self.terms.min(start + group)];
            for (transformed, x) in scratch.chunks_exact_mut(n).zip(x) {
                self.transform.forward(transformed, x);
            }
            for (k, out) in out.chunks_exact_mut(n).enumerate() {
                let pair = |i: usize| (&scratch[i * n..(i + 1) * n], y[(start + i) * self.outputs + k]);
                match start {
                    0 => dot::<false>(&self.words, out, x.len(), pair),
                    _ => dot::<true>(&self.words, out, x.len(), pair),
                }
            }
        }
        out.chunks_exact_mut(n).for_each(|out| self.transform.inverse_in_place(out));
    }
}

/// `limb.tensor`: inputs and outputs in `[0, q)`.
pub(super) fn tensor(words: &Words, transform: &dyn Transform, out: &mut [u64], inputs: &[&[u64]]) {
    let [a0, a1, b0, b1] = *inputs else { return };
    let n = a0.len();
    let (first, rest) = out.split_at_mut(n);
    let (second, third) = rest.split_at_mut(n);
    words.mul(first, a0, b0);
    dot::<false>(words, second, 2, |i| if i == 0 { (a0, b1) } else { (a1, b0) });
    words.mul(third, a1, b1);
    out.chunks_exact_mut(n).for_each(|part| transform.inverse_in_place(part));
}
