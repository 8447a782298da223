//! Tensors as lists, and models of what happens to them as a whole.

use super::elements;
use crate::graph::{Attrs, ValueType};
use crate::ops::tensor::{Element, Tensor};

/// A tensor, each element by its bits.
#[derive(Clone)]
pub(in crate::platform::conformance) struct Data {
    pub(in crate::platform::conformance) element: Element,
    pub(in crate::platform::conformance) shape: Vec<u64>,
    pub(in crate::platform::conformance) bits: Vec<u64>,
}

impl Data {
    /// Bits, one in a word.
    pub(in crate::platform::conformance) fn bits(bits: Vec<u64>) -> Self {
        Self { element: Element::Bit, shape: vec![bits.len() as u64], bits }
    }

    /// As it lies in memory, the last word filled up with zeros.
    pub(in crate::platform::conformance) fn pack(&self) -> Vec<u64> {
        let width = self.element.bits() as usize;
        let mut words = vec![0; (self.bits.len() * width).div_ceil(64)];
        for (i, &bits) in self.bits.iter().enumerate() {
            words[i * width / 64] |= bits << (i * width % 64);
        }
        words
    }

    /// From memory.
    pub(in crate::platform::conformance) fn unpack(element: Element, shape: &[u64], words: &[u64]) -> Self {
        let (len, width) = (shape.iter().product::<u64>() as usize, element.bits() as usize);
        let at = |i: usize| {
            let word = words.get(i * width / 64).copied().unwrap_or(0);
            word >> (i * width % 64) & (u64::MAX >> (64 - width))
        };
        Self { element, shape: shape.to_vec(), bits: (0..len).map(at).collect() }
    }

    /// True for bits that stand for one number, or both for none.
    pub(in crate::platform::conformance) fn alike(&self, a: u64, b: u64) -> bool {
        let nan = |bits| self.element.is_float() && elements::float(self.element, bits).is_nan();
        a == b || nan(a) && nan(b)
    }

    /// Its type in a graph of that unit; none where it is no whole number of units.
    pub(super) fn ty(&self, unit: u32) -> Option<ValueType> {
        Tensor::new(self.element, self.shape.as_slice()).ty(unit).ok()
    }

    /// From a function of the index.
    pub(super) fn build(element: Element, shape: &[u64], f: &dyn Fn(&[u64]) -> u64) -> Self {
        let len: u64 = shape.iter().product();
        let at = |i: u64| {
            let mut rest = i;
            let mut index: Vec<u64> = shape
                .iter()
                .rev()
                .map(|dim| {
                    let own = rest % dim;
                    rest /= dim;
                    own
                })
                .collect();
            index.reverse();
            f(&index)
        };
        Self { element, shape: shape.to_vec(), bits: (0..len).map(at).collect() }
    }

    /// The element at an index.
    fn at(&self, index: &[u64]) -> u64 {
        let place = index.iter().zip(&self.shape).fold(0, |place, (i, dim)| place * dim + i);
        self.bits[place as usize]
    }

    /// The element at an index of a shape that this one broadcasts to.
    fn broadcast_at(&self, index: &[u64]) -> u64 {
        let own = &index[index.len() - self.shape.len()..];
        let own: Vec<u64> =
            own.iter().zip(&self.shape).map(|(&i, &dim)| if dim == 1 { 0 } else { i }).collect();
        self.at(&own)
    }

    /// The elements along an axis, at an index that has any number there.
    fn line(&self, index: &[u64], axis: usize) -> Vec<u64> {
        let at = |k: u64| {
            let mut index = index.to_vec();
            index[axis] = k;
            self.at(&index)
        };
        (0..self.shape[axis]).map(at).collect()
    }
}

/// Element by element; `f` gets an element of each input.
pub(super) fn elementwise(inputs: &[Data], to: Element, f: &dyn Fn(&[u64]) -> u64) -> Data {
    let rank = inputs.iter().map(|input| input.shape.len()).max().unwrap_or(0);
    let dim = |d: usize| {
        let own = |input: &Data| (d + input.shape.len()).checked_sub(rank).map_or(1, |d| input.shape[d]);
        inputs.iter().map(own).max().unwrap_or(1)
    };
    let shape: Vec<u64> = (0..rank).map(dim).collect();
    Data::build(to, &shape, &|index| {
        f(&inputs.iter().map(|input| input.broadcast_at(index)).collect::<Vec<_>>())
    })
}

/// One element of each line.
pub(super) fn reduced(x: &Data, axis: usize, to: Element, f: &dyn Fn(&[u64]) -> u64) -> Data {
    let mut shape = x.shape.clone();
    shape.remove(axis);
    Data::build(to, &shape, &|index| f(&x.line(&[&index[..axis], &[0], &index[axis..]].concat(), axis)))
}

/// A line for each line.
pub(super) fn lines(x: &Data, axis: usize, to: Element, f: &dyn Fn(&[u64]) -> Vec<u64>) -> Data {
    Data::build(to, &x.shape, &|index| f(&x.line(index, axis))[index[axis] as usize])
}

/// The place that index number `j` points at, if it lies within `n`.
fn place(index: &Data, j: &[u64], n: u64) -> Option<u64> {
    let place = elements::int(index.element, index.at(j));
    (0..i128::from(n)).contains(&place).then_some(place as u64)
}

pub(super) fn gather(x: &Data, index: &Data, axis: usize) -> Data {
    let shape = [&x.shape[..axis], &index.shape, &x.shape[axis + 1..]].concat();
    Data::build(x.element, &shape, &|at| {
        let (before, rest) = at.split_at(axis);
        let (j, after) = rest.split_at(index.shape.len());
        place(index, j, x.shape[axis]).map_or(0, |place| x.at(&[before, &[place], after].concat()))
    })
}

pub(super) fn scatter(x: &Data, index: &Data, updates: &Data, axis: usize, adds: bool) -> Data {
    let every = Data::build(Element::U64, &index.shape, &|_| 0);
    Data::build(x.element, &x.shape, &|at| {
        let mut value = x.at(at);
        let mut j = vec![0; index.shape.len()];
        for _ in &every.bits {
            if place(index, &j, x.shape[axis]) == Some(at[axis]) {
                let new = updates.at(&[&at[..axis], &j, &at[axis + 1..]].concat());
                value = if adds { elements::two("add", x.element, value, new) } else { new };
            }
            for (own, &dim) in j.iter_mut().zip(&index.shape).rev() {
                *own = (*own + 1) % dim;
                if *own != 0 {
                    break;
                }
            }
        }
        value
    })
}

pub(super) fn slice(x: &Data, start: &[u64], size: &[u64]) -> Data {
    let moved = |at: &[u64]| at.iter().zip(start).map(|(i, start)| i + start).collect::<Vec<_>>();
    Data::build(x.element, size, &|at| x.at(&moved(at)))
}

pub(super) fn concat(inputs: &[Data], axis: usize) -> Data {
    let mut shape = inputs[0].shape.clone();
    shape[axis] = inputs.iter().map(|input| input.shape[axis]).sum();
    Data::build(inputs[0].element, &shape, &|at| {
        let mut at = at.to_vec();
        for input in inputs {
            if at[axis] < input.shape[axis] {
                return input.at(&at);
            }
            at[axis] -= input.shape[axis];
        }
        0
    })
}

pub(super) fn transpose(x: &Data, axes: &[u64]) -> Data {
    let shape: Vec<u64> = axes.iter().map(|&axis| x.shape[axis as usize]).collect();
    Data::build(x.element, &shape, &|at| {
        let own = |d: u64| axes.iter().position(|&axis| axis == d).map_or(0, |place| at[place]);
        x.at(&(0..axes.len() as u64).map(own).collect::<Vec<_>>())
    })
}

pub(super) fn broadcast(x: &Data, shape: &[u64]) -> Data {
    Data::build(x.element, shape, &|at| x.broadcast_at(at))
}

pub(super) fn matmul(a: &Data, b: &Data) -> Data {
    let element = a.element;
    let two = |op, x, y| elements::two(op, element, x, y);
    Data::build(element, &[a.shape[0], b.shape[1]], &|at| {
        (0..a.shape[1]).fold(0, |sum, k| two("add", sum, two("mul", a.at(&[at[0], k]), b.at(&[k, at[1]]))))
    })
}

/// Attributes of lists.
pub(super) fn lists(named: &[(&str, &[u64])]) -> Attrs {
    named.iter().fold(Attrs::new(), |attrs, &(name, list)| attrs.with(name, list))
}
