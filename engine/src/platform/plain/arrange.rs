//! Elements in another order: `slice`, `concat`, `transpose`, `broadcast`.

use super::element::Number;
use super::{Use, bits, by_width, typed};
use crate::Result;
use crate::ops::Call;
use crate::ops::plain::{slice, transpose};
use crate::ops::tensor::Tensor;
use crate::platform::Kernel;

/// Steps between neighbors along each dimension.
fn strides(shape: &[u64]) -> Vec<usize> {
    let mut step = 1usize;
    let mut strides = Vec::with_capacity(shape.len());
    for &dim in shape.iter().rev() {
        strides.push(step);
        step = step.wrapping_mul(dim as usize);
    }
    strides.reverse();
    strides
}

/// The kernels of this module.
///
/// # Errors
/// `Operator` for wrong attributes.
pub(super) fn kernel(uses: &Use, call: &Call<'_>, operation: &str) -> Result<Option<Kernel>> {
    let x = uses.first();
    let own = strides(&x.shape);
    let walk = match operation {
        "concat" => return Ok(concat(uses, call.axis(x)?)),
        "broadcast" => return Ok(spread(x, &uses.out.shape)),
        "slice" => {
            let start = slice::start(call, x)?;
            let from = start.iter().zip(&own).map(|(&start, &step)| start as usize * step).sum();
            Walk::new(&uses.out.shape, &own, from)
        }
        "transpose" => {
            let steps: Vec<usize> = transpose::axes(call, x)?.into_iter().map(|axis| own[axis]).collect();
            Walk::new(&uses.out.shape, &steps, 0)
        }
        _ => return Ok(None),
    };
    Ok(walk.kernel(x, &uses.out))
}

/// A tensor repeated to a shape that it broadcasts to.
pub(super) fn spread(x: &Tensor, shape: &[u64]) -> Option<Kernel> {
    let missing = shape.len().checked_sub(x.shape.len())?;
    let own = strides(&x.shape);
    let step = |d: usize| match d.checked_sub(missing) {
        Some(d) if x.shape[d] != 1 => own[d],
        _ => 0,
    };
    let steps: Vec<usize> = (0..shape.len()).map(step).collect();
    Walk::new(shape, &steps, 0).kernel(x, &Tensor::new(x.element, shape))
}

/// A way through a tensor: nested loops.
struct Walk {
    from: usize,
    /// Sizes and steps, innermost first; at least one.
    dims: Vec<(usize, usize)>,
}

impl Walk {
    fn new(shape: &[u64], steps: &[usize], from: usize) -> Self {
        let mut dims: Vec<(usize, usize)> = Vec::new();
        for (&size, &step) in shape.iter().zip(steps).rev().filter(|(size, _)| **size != 1) {
            match dims.last_mut() {
                Some((inner, inside)) if *inside * *inner == step => *inner *= size as usize,
                _ => dims.push((size as usize, step)),
            }
        }
        if dims.is_empty() {
            dims.push((1, 1));
        }
        Self { from, dims }
    }

    fn kernel(self, x: &Tensor, out: &Tensor) -> Option<Kernel> {
        let kernel = by_width!(x.element, T => typed(move |i: &[&[T]], out: &mut [T]| self.run(i[0], out)));
        Some(bits::unpacked(kernel?, std::slice::from_ref(x), out))
    }

    fn run<T: Number>(&self, x: &[T], out: &mut [T]) {
        match *self.dims.as_slice() {
            [(size, 1)] => out.copy_from_slice(&x[self.from..][..size]),
            // Two dimensions change their places: by tiles, so that both stay in the cache.
            [(columns, step), (rows, 1)] => tiles(&x[self.from..], out, rows, columns, step),
            [inner, ref outer @ ..] => self.rows(x, out, inner, outer),
            [] => {}
        }
    }

    fn rows<T: Number>(
        &self,
        x: &[T],
        out: &mut [T],
        (size, step): (usize, usize),
        outer: &[(usize, usize)],
    ) {
        let mut counts = vec![0; outer.len()];
        let mut at = self.from;
        for row in out.chunks_exact_mut(size) {
            match step {
                0 => row.fill(x[at]),
                1 => row.copy_from_slice(&x[at..][..size]),
                _ => row.iter_mut().zip(x[at..].iter().step_by(step)).for_each(|(out, &x)| *out = x),
            }
            for (count, &(size, step)) in counts.iter_mut().zip(outer) {
                *count += 1;
                if *count < size {
                    at += step;
                    break;
                }
                *count = 0;
                at -= step * (size - 1);
            }
        }
    }
}

/// `out` as rows of so many columns; rows are neighbors in `x`, columns `step` apart.
fn tiles<T: Number>(x: &[T], out: &mut [T], rows: usize, columns: usize, step: usize) {
    const SIDE: usize = 16;
    for row in (0..rows).step_by(SIDE) {
        for column in (0..columns).step_by(SIDE) {
            for r in row..rows.min(row + SIDE) {
                let end = columns.min(column + SIDE);
                for (c, out) in (column..end).zip(&mut out[r * columns + column..]) {
                    *out = x[c * step + r];
                }
            }
        }
    }
}

/// `concat`: of each input so many elements at a time as lie within the axis.
fn concat(uses: &Use, axis: usize) -> Option<Kernel> {
    let along = |tensor: &Tensor| {
        let (_, n, inner) = tensor.around(axis);
        n.wrapping_mul(inner)
    };
    let pieces: Vec<usize> = uses.inputs.iter().map(along).collect();
    let row = along(&uses.out);
    let kernel = by_width!(uses.element, T => typed(move |i: &[&[T]], out: &mut [T]| {
        for (o, row) in out.chunks_exact_mut(row).enumerate() {
            let mut rest = row;
            for (&x, &piece) in i.iter().zip(&pieces) {
                let (head, tail) = rest.split_at_mut(piece);
                head.copy_from_slice(&x[o * piece..][..piece]);
                rest = tail;
            }
        }
    }));
    Some(bits::unpacked(kernel?, &uses.inputs, &uses.out))
}
