//! Cases of the operations on plain data.

use super::super::cases::{Case, Expected};
use super::super::values::Random;
use super::tensors::{Data, lists};
use super::{elements, tensors};
use crate::graph::Attrs;
use crate::ops::plain::{mask, parts, total};
use crate::ops::tensor::Element;

/// The cases of an operator on plain data; none for others.
pub(in crate::platform::conformance) fn cases(op: &str) -> Vec<Case> {
    let Some((element, operation)) = parts(op) else { return Vec::new() };
    let mut maker = Maker { element, random: Random(14), made: 0 };
    let given: Vec<Given> = match operation {
        "neg" | "abs" | "sqrt" | "exp" | "log" | "tanh" | "not" => maker.unary(operation),
        "eq" | "ne" | "lt" | "le" => maker.binary(operation, mask(element)),
        "select" => maker.select(),
        "convert" => maker.convert(),
        "gather" => maker.gather(),
        "scatter" => maker.scatter(),
        "slice" => maker.slice(),
        "concat" => maker.concat(),
        "transpose" => maker.transpose(),
        "broadcast" => maker.broadcast(),
        "sum" | "product" => {
            maker.reduced(total(element), &|line| elements::reduce(operation, element, line))
        }
        "reduce_min" | "reduce_max" | "reduce_xor" | "reduce_and" | "reduce_or" => {
            maker.reduced(element, &|line| elements::reduce(operation, element, line))
        }
        "argmin" | "argmax" => maker.reduced(Element::U64, &|line| elements::place(operation, element, line)),
        "scan" => maker.scan(),
        "matmul" => maker.matmul(),
        "sort" => maker.sort(),
        _ => maker.binary(operation, element),
    };
    given.into_iter().filter_map(|given| maker.case(given)).collect()
}

/// Attributes, inputs, and the model's output.
type Given = (Attrs, Vec<Data>, Data);

/// Shapes that broadcast: equal ones, one element with many, each dimension of either.
const PAIRS: &[[&[u64]; 2]] = &[
    [&[], &[]],
    [&[1], &[1, 1]],
    [&[8], &[8]],
    [&[13], &[13]],
    [&[1037], &[1037]],
    [&[64], &[]],
    [&[], &[600]],
    [&[1], &[531]],
    [&[7, 5], &[5]],
    [&[200, 3], &[3]],
    [&[1, 3], &[200, 3]],
    [&[5], &[7, 5]],
    [&[9, 1], &[1, 3]],
    [&[2, 3, 1, 5], &[4, 1]],
    [&[6, 1], &[6, 700]],
    [&[3, 2, 4], &[3, 1, 4]],
    [&[4, 3, 2], &[3, 1]],
];

/// Shapes, each with an axis: lines that are neighbors and lines that are not, more than one block of 1,024.
const LINES: &[(&[u64], usize)] = &[
    (&[1], 0),
    (&[9], 0),
    (&[64], 0),
    (&[1024], 0),
    (&[3079], 0),
    (&[5127], 0),
    (&[3, 17], 1),
    (&[17, 3], 0),
    (&[40, 32], 0),
    (&[1030, 35], 0),
    (&[3, 20, 5], 1),
    (&[2, 1, 3], 1),
    (&[8, 2, 16], 2),
];

struct Maker {
    element: Element,
    random: Random,
    made: usize,
}

impl Maker {
    /// A case, in a graph of one unit of those that fit; the next one takes another.
    fn case(&mut self, (attrs, inputs, out): Given) -> Option<Case> {
        let fits = |unit: &u32| inputs.iter().chain([&out]).all(|data| data.ty(*unit).is_some());
        let units: Vec<u32> = [64, 32, 16, 8, 4, 2, 1].into_iter().filter(fits).collect();
        let unit = units[self.made % units.len()];
        self.made += 1;
        let inputs = inputs.iter().map(|data| Some((data.ty(unit)?, data.pack()))).collect::<Option<_>>()?;
        Some(Case { attrs, inputs, unit, nonce: 0, expected: Expected::Tensor(out) })
    }

    /// Values where something changes.
    fn edges(element: Element) -> Vec<u64> {
        let ones = u64::MAX >> (64 - element.bits());
        match element {
            Element::Bit => vec![0, 1],
            Element::F32 | Element::F64 => {
                let own = |x: f64| elements::round(element, x);
                let sign = 1 << (element.bits() - 1);
                let least = 1;
                let smallest = if element == Element::F32 { 1 << 23 } else { 1 << 52 };
                let largest = own(f64::INFINITY) - 1;
                let known = [
                    0.0,
                    0.5,
                    1.0,
                    1.5,
                    2.0,
                    3.0,
                    0.1,
                    10.0,
                    88.0,
                    255.5,
                    256.0,
                    2_147_483_647.5,
                    2_147_483_648.0,
                    4_294_967_296.0,
                    16_777_217.0,
                    9_223_372_036_854_775_808.0,
                    18_446_744_073_709_551_616.0,
                    1e30,
                    709.0,
                    f64::INFINITY,
                    f64::NAN,
                ];
                let positive = known.map(own).into_iter().chain([least, smallest, smallest - 1, largest]);
                positive.flat_map(|bits| [bits, bits ^ sign]).collect()
            }
            _ => {
                let middle = 1u64 << (element.bits() - 1);
                let list = [
                    0,
                    1,
                    2,
                    3,
                    7,
                    8,
                    31,
                    32,
                    33,
                    63,
                    64,
                    100,
                    255,
                    middle - 1,
                    middle,
                    middle + 1,
                    ones - 1,
                    ones,
                    ones / 3,
                ];
                list.map(|x| x & ones).into()
            }
        }
    }

    /// A value: an edge, anything at all, or a small number.
    fn value(&mut self, element: Element) -> u64 {
        let edges = Self::edges(element);
        let ones = u64::MAX >> (64 - element.bits());
        match self.random.below(4) {
            0 => edges[self.random.below(edges.len() as u64) as usize],
            1 => self.random.next() & ones,
            _ if element.is_float() => {
                elements::round(element, (self.random.below(2_000_001) as f64 - 1e6) / 1024.0)
            }
            _ => self.random.below(41).wrapping_sub(20) & ones,
        }
    }

    fn data_of(&mut self, element: Element, shape: &[u64]) -> Data {
        let len: u64 = shape.iter().product();
        let bits = (0..len).map(|_| self.value(element)).collect();
        Data { element, shape: shape.to_vec(), bits }
    }

    fn data(&mut self, shape: &[u64]) -> Data {
        self.data_of(self.element, shape)
    }

    /// Values of which few are infinite or not a number, so that sums stay numbers.
    fn tame(&mut self, shape: &[u64]) -> Data {
        let mut data = self.data(shape);
        if self.element.is_float() {
            for bits in &mut data.bits {
                let number = (self.random.below(2_000_001) as f64 - 1e6) / 1024.0;
                *bits = elements::round(self.element, number);
            }
        }
        data
    }

    /// All edges, along the given dimension of a shape of `rank` dimensions.
    fn edge_data(element: Element, shape: impl Fn(u64) -> Vec<u64>) -> Data {
        let bits = Self::edges(element);
        Data { element, shape: shape(bits.len() as u64), bits }
    }

    fn unary(&mut self, op: &str) -> Vec<Given> {
        let element = self.element;
        let mut inputs = vec![Self::edge_data(element, |k| vec![k])];
        for shape in [&[][..], &[1], &[8], &[5, 13], &[64, 32], &[1037]] {
            inputs.push(self.data(shape));
        }
        let given = |x: Data| {
            let out = tensors::elementwise(std::slice::from_ref(&x), element, &|a| {
                elements::one(op, element, a[0])
            });
            (Attrs::new(), vec![x], out)
        };
        inputs.into_iter().map(given).collect()
    }

    fn binary(&mut self, op: &str, to: Element) -> Vec<Given> {
        let element = self.element;
        let edges = |shape: fn(u64) -> Vec<u64>| Self::edge_data(element, shape);
        let mut pairs = vec![vec![edges(|k| vec![k, 1]), edges(|k| vec![k])]];
        pairs.extend(PAIRS.iter().map(|shapes| shapes.iter().map(|shape| self.data(shape)).collect()));
        let given = |inputs: Vec<Data>| {
            let out = tensors::elementwise(&inputs, to, &|x| elements::two(op, element, x[0], x[1]));
            (Attrs::new(), inputs, out)
        };
        pairs.into_iter().map(given).collect()
    }

    fn select(&mut self) -> Vec<Given> {
        let shapes: [[&[u64]; 3]; 8] = [
            [&[], &[], &[]],
            [&[200, 3], &[3], &[]],
            [&[8], &[8], &[8]],
            [&[1037], &[1037], &[1037]],
            [&[7, 1], &[5], &[1]],
            [&[], &[33], &[33]],
            [&[300], &[], &[300]],
            [&[2, 1, 4], &[3, 4], &[2, 3, 1]],
        ];
        let mut cases = Vec::new();
        for [c, a, b] in shapes {
            let inputs = vec![self.data_of(mask(self.element), c), self.data(a), self.data(b)];
            let out = tensors::elementwise(&inputs, self.element, &|x| if x[0] == 0 { x[2] } else { x[1] });
            cases.push((Attrs::new(), inputs, out));
        }
        cases
    }

    fn convert(&mut self) -> Vec<Given> {
        let mut cases = Vec::new();
        for from in Element::ALL {
            for x in [
                Self::edge_data(from, |k| vec![k]),
                self.data_of(from, &[64]),
                self.data_of(from, &[7, 31]),
                self.data_of(from, &[]),
            ] {
                let to = |a: &[u64]| elements::convert(from, self.element, a[0]);
                let out = tensors::elementwise(std::slice::from_ref(&x), self.element, &to);
                cases.push((Attrs::new(), vec![x], out));
            }
        }
        cases
    }

    /// Indices into `n` elements, some outside.
    fn index(&mut self, element: Element, shape: &[u64], n: u64) -> Data {
        let mut index = self.data_of(element, shape);
        for bits in &mut index.bits {
            if self.random.below(8) > 0 {
                *bits = self.random.below(n) & (u64::MAX >> (64 - element.bits()));
            }
        }
        index
    }

    /// Tensors, axes and indices for `gather` and `scatter`.
    fn indexed(&mut self) -> Vec<(Data, usize, Data)> {
        let shapes: [(&[u64], usize, &[u64]); 8] = [
            (&[256], 0, &[700]),
            (&[16], 0, &[]),
            (&[5], 0, &[2, 4]),
            (&[8, 16], 0, &[8]),
            (&[9, 7], 0, &[5]),
            (&[9, 7], 1, &[3, 2]),
            (&[2, 6, 3], 1, &[11]),
            (&[300, 3], 0, &[520]),
        ];
        let kinds = [Element::U8, Element::I32, Element::U32, Element::I64, Element::U64];
        let mut all = Vec::new();
        for (number, (shape, axis, index)) in shapes.into_iter().enumerate() {
            for skip in 0..2 {
                let kind = kinds[(number + 2 * skip) % kinds.len()];
                let index = self.index(kind, index, shape[axis]);
                all.push((self.data(shape), axis, index));
            }
        }
        all
    }

    fn gather(&mut self) -> Vec<Given> {
        let given = |(x, axis, index): (Data, usize, Data)| {
            let out = tensors::gather(&x, &index, axis);
            (Attrs::new().with("axis", axis), vec![x, index], out)
        };
        self.indexed().into_iter().map(given).collect()
    }

    fn scatter(&mut self) -> Vec<Given> {
        let mut cases = Vec::new();
        for (x, axis, index) in self.indexed() {
            let shape = tensors::gather(&x, &index, axis).shape;
            for mode in ["set", "add"] {
                let (x, updates) = (self.tame(&x.shape), self.tame(&shape));
                let out = tensors::scatter(&x, &index, &updates, axis, mode == "add");
                let attrs = Attrs::new().with("axis", axis).with("mode", mode);
                cases.push((attrs, vec![x, index.clone(), updates], out));
            }
        }
        cases
    }

    fn slice(&mut self) -> Vec<Given> {
        let boxes: [[&[u64]; 3]; 8] = [
            [&[], &[], &[]],
            [&[64], &[0], &[64]],
            [&[1037], &[5], &[1000]],
            [&[9], &[8], &[1]],
            [&[5, 16], &[1, 0], &[3, 16]],
            [&[5, 16], &[0, 3], &[5, 8]],
            [&[3, 4, 5], &[1, 1, 1], &[2, 2, 3]],
            [&[3, 4, 5], &[1, 0, 2], &[1, 4, 1]],
        ];
        let given = |[shape, start, size]: [&[u64]; 3]| {
            let x = self.data(shape);
            let out = tensors::slice(&x, start, size);
            (lists(&[("start", start), ("size", size)]), vec![x], out)
        };
        boxes.map(given).into()
    }

    fn concat(&mut self) -> Vec<Given> {
        let shapes: [(&[&[u64]], usize); 7] = [
            (&[&[8]], 0),
            (&[&[5], &[3], &[1]], 0),
            (&[&[64], &[1000]], 0),
            (&[&[2, 3], &[4, 3]], 0),
            (&[&[2, 3], &[2, 1], &[2, 5]], 1),
            (&[&[3, 8], &[3, 16]], 1),
            (&[&[2, 1, 3], &[2, 4, 3]], 1),
        ];
        let given = |(shapes, axis): (&[&[u64]], usize)| {
            let inputs: Vec<Data> = shapes.iter().map(|shape| self.data(shape)).collect();
            let out = tensors::concat(&inputs, axis);
            (Attrs::new().with("axis", axis), inputs, out)
        };
        shapes.map(given).into()
    }

    fn transpose(&mut self) -> Vec<Given> {
        let shapes: [[&[u64]; 2]; 9] = [
            [&[], &[]],
            [&[13], &[0]],
            [&[3, 5], &[0, 1]],
            [&[3, 5], &[1, 0]],
            [&[35, 40], &[1, 0]],
            [&[2, 3, 4], &[2, 0, 1]],
            [&[2, 3, 4], &[1, 2, 0]],
            [&[2, 3, 8], &[1, 0, 2]],
            [&[2, 1, 3, 5], &[3, 1, 2, 0]],
        ];
        let given = |[shape, axes]: [&[u64]; 2]| {
            let x = self.data(shape);
            let out = tensors::transpose(&x, axes);
            (lists(&[("axes", axes)]), vec![x], out)
        };
        shapes.map(given).into()
    }

    fn broadcast(&mut self) -> Vec<Given> {
        let shapes: [[&[u64]; 2]; 8] = [
            [&[], &[]],
            [&[], &[777]],
            [&[1], &[2, 3]],
            [&[5], &[5]],
            [&[5], &[3, 5]],
            [&[5, 1], &[5, 8]],
            [&[3, 1, 5], &[2, 3, 4, 5]],
            [&[4, 1, 1], &[4, 3, 2]],
        ];
        let given = |[shape, to]: [&[u64]; 2]| {
            let x = self.data(shape);
            let out = tensors::broadcast(&x, to);
            (lists(&[("shape", to)]), vec![x], out)
        };
        shapes.map(given).into()
    }

    /// Tensors with an axis: of any values, and of those whose sums and products stay numbers.
    fn lines(&mut self) -> Vec<(Data, usize)> {
        let mut all = Vec::new();
        let mut near_one = self.data(&[2600]);
        if self.element.is_float() {
            for bits in &mut near_one.bits {
                let number = 1.0 + (self.random.below(2001) as f64 - 1000.0) / 65536.0;
                *bits = elements::round(self.element, number);
            }
        }
        all.push((near_one, 0));
        for &(shape, axis) in LINES {
            all.push((self.tame(shape), axis));
            if shape.iter().product::<u64>() < 3000 {
                all.push((self.data(shape), axis));
            }
        }
        all
    }

    fn reduced(&mut self, to: Element, f: &dyn Fn(&[u64]) -> u64) -> Vec<Given> {
        let given = |(x, axis): (Data, usize)| {
            let out = tensors::reduced(&x, axis, to, f);
            (Attrs::new().with("axis", axis), vec![x], out)
        };
        self.lines().into_iter().map(given).collect()
    }

    fn scan(&mut self) -> Vec<Given> {
        let mut cases = Vec::new();
        let small = |(x, axis): &(Data, usize)| x.shape[*axis] < 100;
        for (x, axis) in self.lines().into_iter().filter(small) {
            for of in ["sum", "product", "min", "max"] {
                let f = |line: &[u64]| elements::scan(of, self.element, line);
                let out = tensors::lines(&x, axis, total(self.element), &f);
                cases.push((Attrs::new().with("axis", axis).with("of", of), vec![x.clone()], out));
            }
        }
        cases
    }

    fn matmul(&mut self) -> Vec<Given> {
        let mut cases = Vec::new();
        for [m, k, n] in
            [[1, 1, 1], [2, 3, 4], [5, 9, 17], [4, 300, 8], [3, 2, 33], [13, 1, 7], [8, 600, 3], [16, 16, 16]]
        {
            for tame in [true, false] {
                let data = if tame { Self::tame } else { Self::data };
                let (a, b) = (data(self, &[m, k]), data(self, &[k, n]));
                let out = tensors::matmul(&a, &b);
                cases.push((Attrs::new(), vec![a, b], out));
            }
        }
        cases
    }

    fn sort(&mut self) -> Vec<Given> {
        let mut inputs: Vec<(Data, usize)> = self.lines();
        inputs.retain(|(x, axis)| x.shape[*axis] < 100);
        inputs.push((Self::edge_data(self.element, |k| vec![k]), 0));
        let element = self.element;
        let given = |(x, axis): (Data, usize)| {
            let out = tensors::lines(&x, axis, element, &|line| {
                let mut line = line.to_vec();
                line.sort_by(|&a, &b| elements::order(element, a, b));
                line
            });
            (Attrs::new().with("axis", axis), vec![x], out)
        };
        inputs.into_iter().map(given).collect()
    }
}
