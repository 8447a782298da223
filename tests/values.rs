//! Tasks without a scheme: the interpreter against a slow model that knows nothing of it, ranges against the interpreter, statistics
//! against their formulas, halves of a cut against the whole.

use cipherloom::analyze::check;
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attr, Attrs, Graph, OperandId, Real, ValueType, parse, print};
use cipherloom::ops::{Call, Level, OpDef, Registry, Session};
use cipherloom::sorted::SortedMap;
use cipherloom::values::number::Number;
use cipherloom::values::types::{Kind, Place, Value, ValueCall};
use cipherloom::values::{
    Exact, Known, Range, ValueDef, Values, balance, bits, check_values, cut, interpret, range_of, ranges,
    square, turns,
};
use cipherloom::{Error, Result};
use num_bigint::BigInt;
use proptest::prelude::*;
use std::cmp::Ordering;
use std::sync::Arc;

// --- a slow model ---------------------------------------------------------------------------------------------------------

/// A rational number, never reduced: numerator, denominator above 0.
#[derive(Clone, Debug)]
struct Q(BigInt, BigInt);

impl Q {
    fn int(value: i128) -> Self {
        Self(value.into(), 1.into())
    }

    fn zero(&self) -> bool {
        self.0 == BigInt::from(0)
    }

    fn add(&self, o: &Self) -> Self {
        Self(&self.0 * &o.1 + &o.0 * &self.1, &self.1 * &o.1)
    }

    fn sub(&self, o: &Self) -> Self {
        Self(&self.0 * &o.1 - &o.0 * &self.1, &self.1 * &o.1)
    }

    fn mul(&self, o: &Self) -> Self {
        Self(&self.0 * &o.0, &self.1 * &o.1)
    }

    fn div(&self, o: &Self) -> Self {
        let (a, b) = (&self.0 * &o.1, &self.1 * &o.0);
        if b < BigInt::from(0) { Self(-a, -b) } else { Self(a, b) }
    }

    fn cmp(&self, o: &Self) -> Ordering {
        (&self.0 * &o.1).cmp(&(&o.0 * &self.1))
    }

    fn of(value: f64) -> Self {
        let two = |k: i32| BigInt::from(2).pow(k as u32);
        let (mut mantissa, mut exponent) = (value, 0);
        // Exact: powers of two.
        while mantissa != mantissa.trunc() {
            (mantissa, exponent) = (mantissa * 2.0, exponent - 1);
        }
        while mantissa.abs() >= 2f64.powi(60) {
            (mantissa, exponent) = (mantissa / 2.0, exponent + 1);
        }
        let mantissa = BigInt::from(mantissa as i64);
        if exponent < 0 { Self(mantissa, two(-exponent)) } else { Self(mantissa * two(exponent), 1.into()) }
    }

    /// About this.
    fn about(&self) -> f64 {
        let shift = 80 + self.1.bits() as i64 - self.0.bits() as i64;
        let shifted = if shift > 0 { (&self.0 << shift) / &self.1 } else { &self.0 / (&self.1 << -shift) };
        let low = i128::try_from(&shifted).unwrap() as f64;
        (0..shift.abs()).fold(low, |x, _| if shift > 0 { x / 2.0 } else { x * 2.0 })
    }

    /// The binary64 nearest to the square root: that whose neighbors in the middle lie on both sides.
    fn root(&self) -> Self {
        let mut root = self.about().sqrt();
        let middle = |a: f64, b: f64| Self::of(a).add(&Self::of(b)).div(&Self::int(2));
        loop {
            let (down, up) = (middle(root, root.next_down().max(0.0)), middle(root, root.next_up()));
            if down.mul(&down).cmp(self) == Ordering::Greater {
                root = root.next_down();
            } else if up.mul(&up).cmp(self) == Ordering::Less {
                root = root.next_up();
            } else {
                // A tie has 54 bits, and so its square more than any operand of these tests.
                return Self::of(root);
            }
        }
    }

    fn number(&self) -> Number {
        Number::ratio(self.0.clone(), self.1.clone()).unwrap()
    }
}

fn ten(decimals: u32) -> Q {
    Q(BigInt::from(10).pow(decimals), 1.into())
}

/// Cells as the numbers that they stand for, in order; none where one is missing.
type Cells = Vec<Option<Q>>;

fn exact(value: &Value, cells: &Cells) -> Exact {
    let unit = ten(value.decimals);
    let cells: Vec<Option<Number>> =
        cells.iter().map(|q| q.as_ref().map(|q| q.mul(&unit).number())).collect();
    match value.missing {
        true => Exact::with_missing(cells),
        false => Exact::new(cells.into_iter().map(|cell| cell.unwrap()).collect()),
    }
}

/// All places of a shape, in order.
fn places(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![vec![]], |all, &dim| {
        all.iter().flat_map(|place| (0..dim).map(move |at| [place.as_slice(), &[at]].concat())).collect()
    })
}

/// The cell of a value at a place, whose first dimensions may be more than it has.
fn at<'a>(value: &Value, cells: &'a Cells, place: &[u64]) -> &'a Q {
    let place = &place[place.len() - value.shape.len()..];
    let own: Vec<u64> = place.iter().zip(&value.shape).map(|(&at, &dim)| at.min(dim - 1)).collect();
    cells[places(&value.shape).iter().position(|p| *p == own).unwrap()].as_ref().unwrap()
}

/// What an operator gives; none for a division by 0 or a root of what is below.
fn model(name: &str, attrs: &Attrs, output: &Value, inputs: &[(Value, Cells)]) -> Option<Cells> {
    let zip = |f: &dyn Fn(&Q, &Q) -> Q| -> Option<Cells> {
        let pairs = inputs[0].1.iter().zip(&inputs[1].1);
        Some(pairs.map(|(a, b)| Some(f(a.as_ref().unwrap(), b.as_ref().unwrap()))).collect())
    };
    let map = |f: &dyn Fn(&Q) -> Q| -> Option<Cells> {
        Some(inputs[0].1.iter().map(|a| Some(f(a.as_ref().unwrap()))).collect())
    };
    let from = |f: &dyn Fn(&[u64]) -> Vec<u64>| -> Option<Cells> {
        let cell = |place: &Vec<u64>| Some(at(&inputs[0].0, &inputs[0].1, &f(place)).clone());
        Some(places(&output.shape).iter().map(cell).collect())
    };
    let truth = |is: bool| Q::int(is.into());
    let axis = || attrs.uint("axis").unwrap() as usize;
    match name {
        "value.add" => zip(&Q::add),
        "value.sub" => zip(&Q::sub),
        "value.multiply" => zip(&Q::mul),
        "value.divide" => (!inputs[1].1.iter().flatten().any(Q::zero)).then(|| zip(&Q::div))?,
        "value.negate" => map(&|a| Q::int(0).sub(a)),
        "value.square" => map(&|a| a.mul(a)),
        "value.polynomial" => {
            let Some(Attr::Ints(all)) = attrs.get("coefficients") else { panic!("integers") };
            let unit = ten(attrs.uint("decimals").unwrap() as u32);
            map(&|a| {
                let powers = all.iter().scan(Q::int(1), |power, &c| {
                    let term = Q::int(c).div(&unit).mul(power);
                    *power = power.mul(a);
                    Some(term)
                });
                powers.fold(Q::int(0), |sum, term| sum.add(&term))
            })
        }
        "value.within" => {
            let far = Q::int(2000);
            let outside =
                |a: &Q| a.cmp(&far) == Ordering::Greater || Q::int(0).sub(a).cmp(&far) == Ordering::Greater;
            (!inputs[0].1.iter().flatten().any(outside)).then(|| inputs[0].1.clone())
        }
        "value.finish" => Some(inputs[0].1.clone()),
        "value.root" => {
            let below = inputs[0].1.iter().flatten().any(|a| a.cmp(&Q::int(0)) == Ordering::Less);
            (!below).then(|| map(&|a| if a.zero() { Q::int(0) } else { a.root() }))?
        }
        "value.scale" => {
            let factor =
                Q::int(attrs.int("numerator").unwrap()).div(&ten(attrs.uint("decimals").unwrap() as u32));
            map(&|a| a.mul(&factor))
        }
        "value.compare" => {
            let holds: fn(Ordering) -> bool = match attrs.text("relation").unwrap() {
                "lt" => Ordering::is_lt,
                "le" => Ordering::is_le,
                _ => Ordering::is_eq,
            };
            zip(&|a, b| truth(holds(a.cmp(b))))
        }
        "value.solve" => {
            // Cramer's rule, of one or two unknowns.
            let one = |k: usize| inputs[k].1[0].clone().unwrap();
            let minor =
                |a: usize, b: usize, c: usize, d: usize| one(a).mul(&one(d)).sub(&one(b).mul(&one(c)));
            let all = match inputs.len() {
                2 => vec![(one(1), one(0))],
                _ => vec![(minor(4, 1, 5, 3), minor(0, 1, 2, 3)), (minor(0, 4, 2, 5), minor(0, 1, 2, 3))],
            };
            if all[0].1.zero() {
                return None;
            }
            Some(all.iter().map(|(a, b)| Some(Q::of(a.div(b).about()))).collect())
        }
        "value.and" => zip(&Q::mul),
        "value.or" => zip(&|a, b| truth(!a.zero() || !b.zero())),
        "value.not" => map(&|a| truth(a.zero())),
        "value.select" => {
            let all = inputs[0].1.iter().zip(&inputs[1].1).zip(&inputs[2].1);
            Some(
                all.map(|((c, a), b)| if c.as_ref().unwrap().zero() { b.clone() } else { a.clone() })
                    .collect(),
            )
        }
        "value.cells" => {
            let fill = match attrs.get("fill") {
                Some(Attr::Int(fill)) => Q::int(*fill).div(&ten(output.decimals)),
                Some(Attr::Real(fill)) => Q::of(fill.get()),
                _ => Q::int(0),
            };
            Some(inputs[0].1.iter().map(|a| Some(a.clone().unwrap_or_else(|| fill.clone()))).collect())
        }
        "value.gaps" => {
            let all = inputs[0].1.iter().zip(&inputs[1].1);
            Some(all.map(|(a, there)| a.clone().filter(|_| !there.as_ref().unwrap().zero())).collect())
        }
        "value.present" => Some(inputs[0].1.iter().map(|a| Some(truth(a.is_some()))).collect()),
        "value.reshape" => Some(inputs[0].1.clone()),
        "value.constant" => {
            let unit = ten(output.decimals);
            let cell = |k: usize| match attrs.get("value").unwrap() {
                Attr::Ints(all) => Q::int(all[k]).div(&unit),
                Attr::Real(all) => Q::of(all.get()),
                Attr::Int(all) => Q::int(*all).div(&unit),
                other => panic!("{other}"),
            };
            Some((0..output.cells() as usize).map(|k| Some(cell(k))).collect())
        }
        "value.broadcast" => from(&|place| place.to_vec()),
        // The shape of the operand is that of the result, at other places.
        "value.transpose" => {
            let axes = attrs.uints("axes").unwrap();
            from(&|place| {
                let at = |axis: u64| place[axes.iter().position(|&from| from == axis).unwrap()];
                (0..axes.len() as u64).map(at).collect()
            })
        }
        "value.rotate" => from(&|place| {
            let (mut place, dim) = (place.to_vec(), i128::from(output.shape[axis()]));
            let to = (i128::from(place[axis()]) + attrs.int("steps").unwrap()).rem_euclid(dim);
            place[axis()] = to as u64;
            place
        }),
        "value.slice" => {
            let start = attrs.uints("start").unwrap();
            from(&|place| place.iter().zip(&start).map(|(a, b)| a + b).collect())
        }
        "value.sum" => {
            let (value, cells) = &inputs[0];
            let sum = |place: &Vec<u64>| {
                let own =
                    places(&value.shape).into_iter().zip(cells).filter(|(p, _)| match attrs.get("axis") {
                        None => true,
                        Some(_) => [&p[..axis()], &p[axis() + 1..]].concat() == *place,
                    });
                Some(own.fold(Q::int(0), |sum, (_, cell)| sum.add(cell.as_ref().unwrap())))
            };
            Some(places(&output.shape).iter().map(sum).collect())
        }
        "value.concat" => {
            let cell = |place: &Vec<u64>| {
                let mut place = place.clone();
                for (value, cells) in inputs {
                    if place[axis()] < value.shape[axis()] {
                        return Some(at(value, cells, &place).clone());
                    }
                    place[axis()] -= value.shape[axis()];
                }
                panic!("outside")
            };
            Some(places(&output.shape).iter().map(cell).collect())
        }
        other => panic!("{other} has no model"),
    }
}

// --- random tasks ---------------------------------------------------------------------------------------------------------

/// A task under construction, with what the model knows of every operand.
struct Task<'r> {
    session: Session<'r>,
    known: Vec<(OperandId, Value, Cells, usize)>,
    inputs: SortedMap<String, Exact>,
    ranges: SortedMap<String, Range>,
    /// What schemes that are exact compute, of what is encrypted or public.
    exact_only: bool,
}

/// Numbers from a list, again and again.
struct Dice {
    numbers: Vec<u64>,
    at: usize,
}

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        self.at += 1;
        let drawn = self.numbers[self.at % self.numbers.len()];
        (drawn ^ (self.at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7) % below
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}

const SHAPES: [&[u64]; 5] = [&[], &[3], &[1], &[2, 3], &[3, 2]];
const PLACES: [Place; 3] = [Place::Public, Place::Plain, Place::Encrypted];
const DEEPEST: usize = 8;

impl<'r> Task<'r> {
    fn new(registry: &'r Registry) -> Self {
        let session = Session::new(Graph::new(64), registry);
        Self {
            session,
            known: Vec::new(),
            inputs: SortedMap::new(),
            ranges: SortedMap::new(),
            exact_only: false,
        }
    }

    fn input(&mut self, value: &Value, cells: Cells, range: Range) -> OperandId {
        let name = format!("x{}", self.inputs.len());
        let operand = self.session.graph_mut().add_input(&name, value.ty().unwrap()).unwrap();
        self.inputs.insert(name.clone(), exact(value, &cells));
        self.ranges.insert(name, range);
        self.known.push((operand, value.clone(), cells, 0));
        operand
    }

    fn random_input(&mut self, dice: &mut Dice) {
        let kind = dice.of(&[
            Kind::Integer,
            Kind::Integer,
            Kind::Real,
            Kind::Boolean,
            Kind::Date,
            Kind::Category { categories: 3 },
        ]);
        let mut value = Value::new(kind, dice.of(&SHAPES)).at(dice.of(&PLACES));
        value.decimals = if kind == Kind::Integer { dice.below(3) as u32 } else { 0 };
        value.missing = dice.below(5) == 0;
        if self.exact_only && value.place == Place::Plain {
            value.place = Place::Encrypted;
        }
        let mut all = Vec::new();
        let mut cells = Vec::new();
        for _ in 0..value.cells() {
            let (size, unit) = (dice.of(&[3, 40, 100_000]), ten(value.decimals));
            let drawn = dice.below(2 * size) as i128 - size as i128;
            let cell = match kind {
                Kind::Integer | Kind::Date => Q::int(drawn).div(&unit),
                Kind::Real => Q::of(drawn as f64 / 64.0),
                Kind::Boolean => Q::int(drawn.rem_euclid(2)),
                Kind::Category { categories } => Q::int(drawn.rem_euclid(categories.into())),
            };
            let there = !value.missing || dice.below(3) > 0;
            if there {
                all.push(cell.clone());
            }
            cells.push(there.then_some(cell));
        }
        let bound = |pick: Ordering| {
            let best = all.iter().reduce(|a, b| if b.cmp(a) == pick { b } else { a });
            best.map_or(Q::int(1), Q::clone)
        };
        let (least, most) = (bound(Ordering::Less), bound(Ordering::Greater));
        let units = |q: &Q| (&q.mul(&ten(value.decimals)).0 / &q.1).try_into().unwrap_or(0i128);
        let slack = dice.below(3) as i128;
        let range = match kind {
            Kind::Real => {
                Range::Reals { min: least.about() - slack as f64, max: most.about() + slack as f64 }
            }
            Kind::Integer | Kind::Date => {
                Range::Integers { min: units(&least) - slack, max: units(&most) + slack }
            }
            _ => Range::Integers { min: units(&least), max: units(&most) },
        };
        let range = if dice.below(8) == 0 { Range::Unknown } else { range };
        self.input(&value, cells, range);
    }

    /// One more operator, if the dice give one that takes what they give.
    fn random_operator(&mut self, dice: &mut Dice) {
        const NAMES: [&str; 33] = [
            "value.finish",
            "value.polynomial",
            "value.within",
            "value.reshape",
            "value.constant",
            "value.divide",
            "value.add",
            "value.add",
            "value.sub",
            "value.sub",
            "value.multiply",
            "value.multiply",
            "value.square",
            "value.negate",
            "value.scale",
            "value.divide",
            "value.root",
            "value.solve",
            "value.compare",
            "value.compare",
            "value.select",
            "value.and",
            "value.or",
            "value.not",
            "value.cells",
            "value.present",
            "value.gaps",
            "value.sum",
            "value.rotate",
            "value.transpose",
            "value.slice",
            "value.concat",
            "value.broadcast",
        ];
        let name = dice.of(&NAMES);
        if self.exact_only && matches!(name, "value.divide" | "value.root" | "value.solve") {
            return;
        }
        let first = dice.below(self.known.len() as u64) as usize;
        let mut operands = vec![first];
        let arity = match name {
            "value.add" | "value.sub" | "value.multiply" | "value.divide" | "value.compare" | "value.and"
            | "value.or" | "value.gaps" => 2,
            "value.select" => 3,
            "value.solve" => dice.of(&[2, 6]),
            "value.concat" => 1 + dice.below(3) as usize,
            "value.constant" => 0,
            _ => 1,
        };
        if name == "value.constant" {
            operands.clear();
        }
        let shape = self.known[first].1.shape.clone();
        let alike: Vec<usize> = (0..self.known.len()).filter(|&k| self.known[k].1.shape == shape).collect();
        while operands.len() < arity {
            operands.push(dice.of(&alike));
        }
        let masks: Vec<usize> =
            alike.iter().copied().filter(|&k| self.known[k].1.kind == Kind::Boolean).collect();
        if name == "value.gaps" && !masks.is_empty() {
            operands[1] = dice.of(&masks);
        }
        let dims = shape.len() as u64;
        let axis = |dice: &mut Dice| Attrs::new().with("axis", dice.below(dims.max(1)));
        let attrs = match name {
            "value.cells" if dice.below(2) == 0 => match self.known[first].1.kind {
                Kind::Real => Attrs::new().with("fill", Real::new(1.5).unwrap()),
                Kind::Integer => Attrs::new().with("fill", Attr::Int(dice.below(41) as i128 - 20)),
                _ => Attrs::new().with("fill", 1u64),
            },
            "value.scale" => {
                let numerator = dice.below(41) as i64 - 20;
                Attrs::new().with("numerator", numerator).with("decimals", dice.below(3))
            }
            "value.polynomial" => {
                let mut all: Vec<i128> =
                    (0..1 + dice.below(5)).map(|_| dice.below(41) as i128 - 20).collect();
                all.push(1 + dice.below(9) as i128);
                Attrs::new().with("coefficients", Attr::Ints(all.into())).with("decimals", dice.below(3))
            }
            "value.within" => {
                let decimals = self.known[first].1.decimals;
                if decimals > 30 {
                    return;
                }
                let far = 2000 * 10i128.pow(decimals);
                Attrs::new().with("min", Attr::Int(-far)).with("max", Attr::Int(far))
            }
            "value.compare" => Attrs::new().with("relation", dice.of(&["lt", "le", "eq"])),
            "value.sum" if dice.below(2) == 0 => Attrs::new(),
            "value.sum" | "value.concat" => axis(dice),
            "value.transpose" => {
                let mut axes: Vec<u64> = (0..dims).collect();
                axes.rotate_left(dice.below(dims.max(1)) as usize);
                Attrs::new().with("axes", axes)
            }
            "value.rotate" => axis(dice).with("steps", dice.below(9) as i64 - 4),
            "value.slice" => {
                let start: Vec<u64> = shape.iter().map(|&dim| dice.below(dim)).collect();
                let size: Vec<u64> =
                    shape.iter().zip(&start).map(|(dim, start)| 1 + dice.below(dim - start)).collect();
                Attrs::new().with("start", start).with("size", size)
            }
            "value.reshape" => {
                let turned: Vec<u64> = shape.iter().rev().copied().collect();
                Attrs::new().with("shape", dice.of(&[turned, vec![shape.iter().product()]]))
            }
            "value.constant" => {
                let attrs = Attrs::new().with("shape", shape.as_slice());
                let cells: Vec<i128> =
                    (0..shape.iter().product()).map(|_| dice.below(60) as i128 - 30).collect();
                match dice.below(4) {
                    0 => attrs
                        .with("kind", "integer")
                        .with("decimals", 2u64)
                        .with("value", Attr::Ints(cells.into())),
                    1 => attrs.with("kind", "real").with("value", Real::new(cells[0] as f64 / 8.0).unwrap()),
                    2 => attrs.with("kind", "boolean").with("value", Attr::Int(cells[0].rem_euclid(2))),
                    _ => attrs.with("kind", "date").with("value", Attr::Int(cells[0])),
                }
            }
            "value.broadcast" => {
                let from: Vec<u64> =
                    shape.iter().map(|&dim| if dim == 1 { dice.of(&[1, 3]) } else { dim }).collect();
                Attrs::new()
                    .with("shape", if dice.below(2) == 0 { [&[2], from.as_slice()].concat() } else { from })
            }
            _ => Attrs::new(),
        };
        self.operator(name, attrs, &operands);
    }

    /// Sums, and what the client makes of them.
    fn random_finish(&mut self, dice: &mut Dice) {
        let before = self.known.len();
        for _ in 0..6 {
            let operand = dice.below(before as u64) as usize;
            self.operator("value.sum", Attrs::new(), &[operand]);
        }
        for _ in 0..6 {
            let finish = |k: &usize| *k >= before && self.known[*k].1.shape.is_empty();
            let singles: Vec<usize> = (0..self.known.len()).filter(finish).collect();
            if singles.is_empty() {
                return;
            }
            let name =
                dice.of(&["value.divide", "value.divide", "value.root", "value.add", "value.multiply"]);
            let operands = [dice.of(&singles), dice.of(&singles)];
            self.operator(name, Attrs::new(), &operands[..if name == "value.root" { 1 } else { 2 }]);
        }
    }

    fn operator(&mut self, name: &str, attrs: Attrs, operands: &[usize]) {
        let depth = 1 + operands.iter().map(|&k| self.known[k].3).max().unwrap_or(0);
        let inputs: Vec<(Value, Cells)> =
            operands.iter().map(|&k| (self.known[k].1.clone(), self.known[k].2.clone())).collect();
        let ids: Vec<OperandId> = operands.iter().map(|&k| self.known[k].0).collect();
        let types: Vec<ValueType> = ids.iter().map(|&id| self.session.ty(id).clone()).collect();
        let call = Call { name, attrs: &attrs, inputs: &types, unit: 64 };
        let Ok(output) = self.session_registry().assemble(&call) else { return };
        let output = Value::of(&output).unwrap();
        // What has grown too much is left out, as is what has no result.
        let small = |cells: &Cells| cells.iter().flatten().all(|q| q.0.bits() + q.1.bits() < 6000);
        if depth > DEEPEST || output.cells() > 200 {
            return;
        }
        let Some(cells) = model(name, &attrs, &output, &inputs).filter(small) else { return };
        let operand = self.session.op(name, attrs, &ids).unwrap();
        self.known.push((operand, output, cells, depth));
    }

    fn session_registry(&self) -> Registry {
        Values::new().registry()
    }
}

/// What random tasks were made of.
#[derive(Debug, Default)]
struct Counts {
    operands: usize,
    bounded: usize,
    deepest: usize,
    /// Too large for the interpreter, by its bound.
    refused: usize,
    /// With something that crosses.
    cut: usize,
    names: SortedMap<String, usize>,
}

fn check_task(
    task: Task<'_>,
    registry: &Registry,
    values: &Values,
) -> std::result::Result<Counts, TestCaseError> {
    let Task { session, known, inputs, ranges: given, .. } = task;
    let mut graph = session.finish();
    for (operand, ..) in known.iter().rev().step_by(11).take(3) {
        graph.declare_output(&format!("y{}", operand.0), *operand);
    }
    let found = match interpret(&graph, registry, values, &inputs) {
        // The bound is one of the worst case.
        Err(Error::TooLarge { .. }) => return Ok(Counts { refused: 1, ..Counts::default() }),
        found => found.unwrap(),
    };
    // Passes keep the meaning.
    for pass in [balance, square, turns] {
        let changed = pass(&graph, registry, values).unwrap();
        check(&changed).unwrap();
        prop_assert_eq!(interpret(&changed, registry, values, &inputs).unwrap().outputs(), found.outputs());
    }
    let mut counts = Counts { operands: known.len(), ..Counts::default() };
    for op in graph.operators() {
        *counts.names.entry(graph.signature(op).name.clone()).or_default() += 1;
    }
    if let Ok(halves) = cut(&graph, registry, values) {
        counts.cut = usize::from(!halves.crossing.is_empty());
        for graph in [&halves.server, &halves.client] {
            check(graph).unwrap();
        }
        for op in halves.server.operators() {
            let (types, signature) = (halves.server.input_types(op), halves.server.signature(op));
            let call = Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit: 64 };
            prop_assert!(!values.get(call.name).unwrap().client_only(&call));
        }
        for crossing in &halves.crossing {
            prop_assert!(crossing.value.shape.is_empty() && crossing.value.place == Place::Encrypted);
        }
        let mut all = interpret(&halves.server, registry, values, &inputs).unwrap().outputs();
        let public =
            halves.client.inputs().iter().filter_map(|port| Some((&port.name, inputs.get(&port.name)?)));
        let mut given: SortedMap<String, Exact> =
            public.map(|(name, exact)| (name.clone(), exact.clone())).collect();
        given.extend(all.clone());
        all.extend(interpret(&halves.client, registry, values, &given).unwrap().outputs());
        for (name, expected) in found.outputs() {
            prop_assert_eq!(&all[&name], &expected);
        }
    }
    let known_ranges = match ranges(&graph, registry, values, &given) {
        // Days that there are not are computed all the same, and compiled by nobody.
        Err(Error::Operator { what, .. }) if what == "dates" => {
            return Ok(Counts { refused: 1, ..Counts::default() });
        }
        known_ranges => known_ranges.unwrap(),
    };
    let bits = bits(&graph, registry, values, &inputs).unwrap();
    for (operand, value, cells, depth) in known {
        let expected = exact(&value, &cells);
        prop_assert_eq!(found.of(operand).unwrap(), &expected, "{} {}", value, print(&graph));
        let (range, bound) = (range_of(&known_ranges, operand), bits[operand.0 as usize].unwrap());
        counts.bounded += usize::from(range != Range::Unknown);
        counts.deepest = counts.deepest.max(depth);
        for (number, there) in expected.cells.iter().zip(cells) {
            let own = number.bits();
            prop_assert!(there.is_none() || range.contains(number), "{number:?} {range:?} {}", print(&graph));
            let within = own.size <= bound.size && own.odd <= bound.odd && own.twos <= bound.twos;
            prop_assert!(within, "{own:?} {bound:?} {}", print(&graph));
        }
    }
    Ok(counts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_computed_is_the_model_s_and_lies_in_its_range(numbers in prop::collection::vec(any::<u64>(), 64)) {
        let values = Values::new();
        let registry = values.registry();
        let mut dice = Dice { numbers, at: 0 };
        let mut task = Task::new(&registry);
        for _ in 0..4 + dice.below(3) {
            task.random_input(&mut dice);
        }
        for _ in 0..60 {
            task.random_operator(&mut dice);
        }
        check_task(task, &registry, &values)?;
    }

    #[test]
    fn the_halves_of_a_cut_are_the_whole(numbers in prop::collection::vec(any::<u64>(), 64)) {
        let values = Values::new();
        let registry = values.registry();
        check_task(finished(&registry, Dice { numbers, at: 0 }), &registry, &values)?;
    }
}

/// A task that ends with what the client computes.
fn finished(registry: &Registry, mut dice: Dice) -> Task<'_> {
    let mut task = Task { exact_only: true, ..Task::new(registry) };
    for _ in 0..4 {
        task.random_input(&mut dice);
    }
    for _ in 0..20 {
        task.random_operator(&mut dice);
    }
    task.random_finish(&mut dice);
    task
}

#[test]
fn random_tasks_are_deep_large_and_mostly_bounded() {
    let values = Values::new();
    let registry = values.registry();
    let mut all = Counts::default();
    let dice = |seed: u64| {
        let numbers = (0..64).map(|k| (seed * 64 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Dice { numbers: numbers.collect(), at: 0 }
    };
    for seed in 0..200u64 {
        let task = finished(&registry, dice(seed));
        all.cut += check_task(task, &registry, &values).unwrap().cut;
    }
    for seed in 0..200u64 {
        let mut dice = dice(seed);
        let mut task = Task::new(&registry);
        for _ in 0..5 {
            task.random_input(&mut dice);
        }
        for _ in 0..60 {
            task.random_operator(&mut dice);
        }
        let counts = check_task(task, &registry, &values).unwrap();
        all.operands += counts.operands;
        all.bounded += counts.bounded;
        all.deepest = all.deepest.max(counts.deepest);
        all.refused += counts.refused;
        all.cut += counts.cut;
        for (name, count) in counts.names {
            *all.names.entry(name).or_default() += count;
        }
    }
    println!("{all:?}");
    assert!(all.operands > 5000 && 4 * all.bounded > 3 * all.operands && all.deepest == DEEPEST, "{all:?}");
    assert!(all.refused < 20 && all.cut > 50, "{all:?}");
    // What Chebyshev polynomials give is rounded: the operators' own test computes it.
    for def in values.iter().filter(|def| def.name() != "value.chebyshev") {
        assert!(all.names.get(def.name()).is_some_and(|&count| count > 10), "{}: {all:?}", def.name());
    }
}

// --- tasks by hand --------------------------------------------------------------------------------------------------------

fn expanded(graph: &Graph, registry: &Registry, values: &Values) -> Result<Graph> {
    let contains = |name: &str| values.is_base(name, registry);
    Expander::new(registry).expand(graph, &BaseSet { platform: "values", contains: &contains })
}

/// A task over columns, written, expanded, and interpreted.
struct Run {
    values: Values,
    registry: Registry,
    inputs: SortedMap<String, Exact>,
    types: Vec<(String, Value)>,
}

impl Run {
    fn new() -> Self {
        let values = Values::new();
        Self { registry: values.registry(), values, inputs: SortedMap::new(), types: Vec::new() }
    }

    fn column(mut self, name: &str, value: Value, cells: Exact) -> Self {
        self.inputs.insert(name.to_owned(), cells);
        self.types.push((name.to_owned(), value));
        self
    }

    fn integers(self, name: &str, shape: &[u64], cells: &[i128]) -> Self {
        self.column(name, Value::new(Kind::Integer, shape), Exact::integers(cells.iter().copied()))
    }

    fn missing(self, name: &str, decimals: u32, cells: &[Option<i128>]) -> Self {
        let value = Value::new(Kind::Integer, [cells.len() as u64]).with_decimals(decimals).with_missing();
        self.column(name, value, Exact::with_missing(cells.iter().map(|cell| cell.map(Number::from))))
    }

    fn graph(&self, task: impl FnOnce(&mut Session<'_>, &[OperandId]) -> Result<OperandId>) -> Result<Graph> {
        let mut session = Session::new(Graph::new(64), &self.registry);
        let mut inputs = Vec::new();
        for (name, value) in &self.types {
            inputs.push(session.graph_mut().add_input(name, value.ty()?)?);
        }
        let out = task(&mut session, &inputs)?;
        session.graph_mut().declare_output("out", out);
        expanded(&session.finish(), &self.registry, &self.values)
    }

    /// The cells of the result; the halves of the cut give the same.
    fn cells(
        &self,
        task: impl FnOnce(&mut Session<'_>, &[OperandId]) -> Result<OperandId>,
    ) -> Result<Vec<Number>> {
        let graph = self.graph(task)?;
        check(&graph).unwrap();
        // Every stage has a text that reads back.
        assert_eq!(print(&parse(&print(&graph)).unwrap()), print(&graph));
        let whole = interpret(&graph, &self.registry, &self.values, &self.inputs)?;
        let out = whole.outputs()["out"].clone();
        if let Ok(halves) = cut(&graph, &self.registry, &self.values) {
            check(&halves.server).unwrap();
            check(&halves.client).unwrap();
            let mut all = interpret(&halves.server, &self.registry, &self.values, &self.inputs)?.outputs();
            let mut inputs = self.inputs.clone();
            inputs.extend(all.clone());
            all.extend(interpret(&halves.client, &self.registry, &self.values, &inputs)?.outputs());
            assert_eq!(all["out"], out);
        }
        Ok(out.cells.clone())
    }

    fn op(&self, name: &str, attrs: Attrs) -> Result<Vec<Number>> {
        self.cells(|s, inputs| s.op(name, attrs, inputs))
    }
}

fn ratio(a: i128, b: i128) -> Number {
    Number::ratio(a, b).unwrap()
}

fn of(what: &str) -> Attrs {
    Attrs::new().with("of", what)
}

const X: [i128; 6] = [3, -1, 4, 1, -5, 9];
const Y: [i128; 6] = [2, 7, 1, 8, 2, 8];

/// sum((x - mean x)(y - mean y)), as textbooks have it.
fn deviations(x: &[i128], y: &[i128]) -> Q {
    let n = Q::int(x.len() as i128);
    let mean = |x: &[i128]| Q::int(x.iter().sum()).div(&n);
    let (of_x, of_y) = (mean(x), mean(y));
    let products = x.iter().zip(y).map(|(&x, &y)| Q::int(x).sub(&of_x).mul(&Q::int(y).sub(&of_y)));
    products.fold(Q::int(0), |sum, product| sum.add(&product))
}

#[test]
fn statistics_are_those_of_textbooks() {
    let run = || Run::new().integers("x", &[6], &X);
    let pair = || run().integers("y", &[6], &Y);
    assert_eq!(run().op("stats.count", Attrs::new()).unwrap(), [Number::from(6)]);
    let flags = Exact::integers([1, 0, 1, 0, 0, 1]);
    let flags = Run::new().column("b", Value::new(Kind::Boolean, [6]), flags);
    assert_eq!(flags.op("stats.count", Attrs::new()).unwrap(), [Number::from(3)]);
    assert_eq!(run().op("stats.mean", Attrs::new()).unwrap(), [ratio(11, 6)]);
    for (what, less) in [("sample", 1), ("population", 0)] {
        let n = Q::int(6 - less);
        assert_eq!(run().op("stats.variance", of(what)).unwrap(), [deviations(&X, &X).div(&n).number()]);
        assert_eq!(pair().op("stats.covariance", of(what)).unwrap(), [deviations(&X, &Y).div(&n).number()]);
    }
    let square = deviations(&X, &X).mul(&deviations(&Y, &Y));
    let together = deviations(&X, &Y);
    // Rounded once.
    let root = together.mul(&together).div(&square).root();
    let correlation = if together.about() < 0.0 { Q::int(0).sub(&root) } else { root }.number();
    assert_eq!(pair().op("stats.correlation", Attrs::new()).unwrap(), std::slice::from_ref(&correlation));
    assert!((correlation.to_f64() - deviations(&X, &Y).about() / square.about().sqrt()).abs() < 1e-15);
    let slope = deviations(&X, &Y).div(&deviations(&X, &X));
    let intercept = Q::int(Y.iter().sum()).sub(&slope.mul(&Q::int(X.iter().sum()))).div(&Q::int(6));
    assert_eq!(pair().op("stats.regression", Attrs::new()).unwrap(), [slope.number(), intercept.number()]);
}

#[test]
fn statistics_leave_out_what_is_missing() {
    let x = [Some(3), None, Some(4), Some(1), None, Some(9)];
    let y = [Some(2), Some(7), Some(1), None, None, Some(8)];
    let run = || Run::new().missing("x", 1, &x);
    let pair = || run().missing("y", 0, &y);
    assert_eq!(run().op("stats.count", Attrs::new()).unwrap(), [Number::from(4)]);
    let flags = [Some(1), None, Some(0), Some(1), None].map(|flag| flag.map(Number::from));
    let flags =
        Run::new().column("b", Value::new(Kind::Boolean, [5]).with_missing(), Exact::with_missing(flags));
    assert_eq!(flags.op("stats.count", Attrs::new()).unwrap(), [Number::from(2)]);
    assert_eq!(run().op("stats.mean", Attrs::new()).unwrap(), [ratio(17, 40)]);
    let there = [3, 4, 1, 9];
    let variance = deviations(&there, &there).div(&Q::int(3 * 100)).number();
    assert_eq!(run().op("stats.variance", of("sample")).unwrap(), [variance]);
    let (x, y) = ([3, 4, 9], [2, 1, 8]);
    let covariance = deviations(&x, &y).div(&Q::int(2 * 10)).number();
    assert_eq!(pair().op("stats.covariance", of("sample")).unwrap(), [covariance]);
    // One with gaps and one without.
    let mixed = run().integers("y", &[6], &Y);
    let covariance = deviations(&there, &[2, 1, 8, 8]).div(&Q::int(4 * 10)).number();
    assert_eq!(mixed.op("stats.covariance", of("population")).unwrap(), [covariance]);
    let slope = deviations(&x, &y).div(&deviations(&x, &x)).mul(&Q::int(10)).number();
    assert_eq!(pair().op("stats.regression", Attrs::new()).unwrap()[0], slope);
    // A share: the mean of booleans.
    let answers = [Some(1), Some(0), None, Some(1)].map(|cell: Option<i128>| cell.map(Number::from));
    let share =
        Run::new().column("x", Value::new(Kind::Boolean, [4]).with_missing(), Exact::with_missing(answers));
    assert_eq!(share.op("stats.mean", Attrs::new()).unwrap(), [ratio(2, 3)]);
    // Nothing there: no mean.
    let none = Run::new().missing("x", 0, &[None, None]).op("stats.mean", Attrs::new()).unwrap_err();
    assert_eq!(none.to_string(), "value.divide: divisor: found 0, expected numbers other than 0");
}

#[test]
fn products_and_polynomials() {
    let (a, b) = ([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]);
    let matrices = Run::new().integers("a", &[2, 3], &a).integers("b", &[3, 2], &b);
    let numbers = |all: &[i128]| all.iter().map(|&x| Number::from(x)).collect::<Vec<_>>();
    assert_eq!(matrices.op("matrix.multiply", Attrs::new()).unwrap(), numbers(&[58, 64, 139, 154]));
    let vector = Run::new().integers("a", &[2, 3], &a).integers("x", &[3], &[1, 0, -1]);
    assert_eq!(vector.op("matrix.vector", Attrs::new()).unwrap(), numbers(&[-2, -2]));
    let dot = Run::new().integers("x", &[6], &X).integers("y", &[6], &Y);
    let expected = X.iter().zip(Y).map(|(x, y)| x * y).sum();
    assert_eq!(dot.op("value.dot", Attrs::new()).unwrap(), numbers(&[expected]));
    for exponent in 2..20u32 {
        let run = Run::new().integers("x", &[6], &X);
        let found = run.op("value.power", Attrs::new().with("exponent", u64::from(exponent))).unwrap();
        assert_eq!(found, numbers(&X.map(|x| x.pow(exponent))));
    }
    // 5 - 0.25 x^2 + 0.01 x^3 of x = cells / 10: in units of 10^-5.
    let attrs = Attrs::new().with("coefficients", Attr::Ints([500, 0, -25, 1].into())).with("decimals", 2u64);
    let value = Value::new(Kind::Integer, [6]).with_decimals(1);
    let run = Run::new().column("x", value, Exact::integers(X));
    let expected = X.map(|x| 500_000 - 250 * x * x + x * x * x);
    assert_eq!(run.op("value.polynomial", attrs.clone()).unwrap(), numbers(&expected));
    let run =
        Run::new().column("x", Value::new(Kind::Real, [6]), Exact::new(X.map(|x| ratio(x, 10)).to_vec()));
    assert_eq!(run.op("value.polynomial", attrs).unwrap(), expected.map(|x| ratio(x, 100_000)));
}

#[test]
fn composites_refuse_what_they_do_not_take() {
    let refused = |run: Run, name: &str, attrs: Attrs, part: &str| {
        let error = run.op(name, attrs).unwrap_err().to_string();
        assert!(error.contains(part), "{name}: {error}");
    };
    let one = || Run::new().integers("x", &[1], &[1]);
    let two = || Run::new().integers("x", &[2], &[1, 2]);
    let dates = || Run::new().column("x", Value::new(Kind::Date, [2]), Exact::integers([1, 2]));
    refused(one(), "stats.variance", of("sample"), "number of cells: found 1, expected at least 2");
    refused(two(), "stats.variance", of("all"), "population or sample");
    refused(two(), "stats.variance", Attrs::new(), "`of`");
    refused(dates(), "stats.mean", Attrs::new(), "integers, reals or booleans");
    refused(two(), "stats.covariance", of("sample"), "number of inputs");
    refused(two().integers("y", &[3], &[1, 2, 3]), "stats.regression", Attrs::new(), "shape of input 1");
    refused(one().integers("y", &[1], &[1]), "stats.correlation", Attrs::new(), "at least 2");
    refused(two().integers("y", &[2], &[1, 2]), "matrix.multiply", Attrs::new(), "[m, k] and [k, n]");
    refused(two().integers("y", &[2], &[1, 2]), "matrix.vector", Attrs::new(), "[m, k] and [k]");
    refused(two(), "value.power", Attrs::new().with("exponent", 1u64), "2 to 1000");
    refused(two(), "value.power", Attrs::new().with("exponent", 1001u64), "2 to 1000");
    let polynomial = |all: &[i128]| Attrs::new().with("coefficients", Attr::Ints(all.into()));
    refused(two(), "value.polynomial", polynomial(&[1, 0]), "the last one not 0");
    refused(two(), "value.polynomial", polynomial(&[1]), "2 to 101 integers");
    let large = Value::new(Kind::Integer, [1 << 12, 1 << 12]).ty().unwrap();
    let call =
        Call { name: "matrix.multiply", attrs: &Attrs::new(), inputs: &[large.clone(), large], unit: 64 };
    assert!(two().registry.assemble(&call).unwrap_err().to_string().contains("at most 2^32 cells"));
}

#[test]
fn an_expansion_gives_the_type_that_was_said() {
    let registry = Values::new().registry();
    let (kinds, mut tried) = ([Kind::Integer, Kind::Real, Kind::Boolean], 0);
    let composites = [
        ("stats.count", Attrs::new(), vec![6]),
        ("stats.mean", Attrs::new(), vec![6]),
        ("stats.variance", of("sample"), vec![6]),
        ("stats.covariance", of("population"), vec![6, 6]),
        ("stats.correlation", Attrs::new(), vec![6, 6]),
        ("stats.regression", Attrs::new(), vec![6, 6]),
        ("matrix.multiply", Attrs::new(), vec![23, 32]),
        ("matrix.vector", Attrs::new(), vec![23, 3]),
        ("value.dot", Attrs::new(), vec![6, 6]),
        ("value.power", Attrs::new().with("exponent", 5u64), vec![6]),
    ];
    for (name, attrs, shapes) in composites {
        for choice in 0..1024usize {
            let value = |index: usize| {
                let choice = choice >> (5 * index) & 31;
                let shape: &[u64] = match shapes[index] {
                    23 => &[2, 3],
                    32 => &[3, 2],
                    3 => &[3],
                    _ => &[6],
                };
                let value = Value::new(kinds[(choice & 3) % 3], shape).at(PLACES[(choice >> 2 & 3) % 3]);
                let decimals = if value.kind == Kind::Integer { (choice >> 1) as u32 & 1 } else { 0 };
                Value { missing: choice & 16 != 0, decimals, ..value }
            };
            let mut s = Session::new(Graph::new(64), &registry);
            let types: Vec<ValueType> = (0..shapes.len()).map(|index| value(index).ty().unwrap()).collect();
            let call = Call { name, attrs: &attrs, inputs: &types, unit: 64 };
            let Ok(expected) = registry.assemble(&call) else { continue };
            let inputs = types.iter().map(|ty| s.graph_mut().add_input("x", ty.clone()).unwrap());
            let inputs: Vec<OperandId> = inputs.collect();
            let found = registry.get(name).unwrap().expand(&mut s, &call, &inputs).unwrap();
            assert_eq!(*s.ty(found), expected, "{name} of {types:?}");
            tried += 1;
        }
    }
    assert!(tried > 5000, "{tried}");
}

#[test]
fn operators_work_together() {
    let run = Run::new().integers("x", &[2, 3], &[1, 2, 3, 10, 20, 30]).integers("y", &[3], &[5, 15, 25]);
    let numbers = |all: &[i128]| all.iter().map(|&x| Number::from(x)).collect::<Vec<_>>();
    let axis = |axis: u64| Attrs::new().with("axis", axis);
    // Two rings turned, their rows added up.
    let turned = run.cells(|s, i| {
        let turned = s.op("value.rotate", axis(1).with("steps", -1i64), &[i[0]])?;
        let weighted = s.op("value.broadcast", Attrs::new().with("shape", vec![2, 3]), &[i[1]])?;
        let products = s.op("value.multiply", Attrs::new(), &[turned, weighted])?;
        s.op("value.sum", axis(1), &[products])
    });
    assert_eq!(turned.unwrap(), numbers(&[3 * 5 + 15 + 2 * 25, 10 * (3 * 5 + 15 + 2 * 25)]));
    // The mean of the larger of two, and a statistic more.
    let larger = run.cells(|s, i| {
        let y = s.op("value.broadcast", Attrs::new().with("shape", vec![2, 3]), &[i[1]])?;
        let less = s.op("value.compare", Attrs::new().with("relation", "lt"), &[i[0], y])?;
        let larger = s.op("value.select", Attrs::new(), &[less, y, i[0]])?;
        let mean = s.op("stats.mean", Attrs::new(), &[larger])?;
        let variance = s.op("stats.variance", of("population"), &[i[1]])?;
        let count = s.op("stats.count", Attrs::new(), &[i[1]])?;
        let both = s.op("value.add", Attrs::new(), &[mean, variance])?;
        s.op("value.add", Attrs::new(), &[both, count])
    });
    let mean = ratio(5 + 15 + 25 + 10 + 20 + 30, 6);
    assert_eq!(larger.unwrap(), [&(&mean + &ratio(200, 3)) + &Number::from(3)]);
}

#[test]
fn ranges_know_one_value_from_two() {
    let values = Values::new();
    let registry = values.registry();
    let mut s = Session::new(Graph::new(64), &registry);
    let ty = || Value::new(Kind::Integer, [3]).ty().unwrap();
    let x = s.graph_mut().add_input("x", ty()).unwrap();
    let y = s.graph_mut().add_input("y", ty()).unwrap();
    let none = Attrs::new;
    let square = s.op("value.multiply", none(), &[x, x]).unwrap();
    let product = s.op("value.multiply", none(), &[x, y]).unwrap();
    let zero = s.op("value.sub", none(), &[x, x]).unwrap();
    let difference = s.op("value.sub", none(), &[x, y]).unwrap();
    let at_most = s.op("value.compare", none().with("relation", "le"), &[y, y]).unwrap();
    let moved = s.op("value.rotate", none().with("axis", 0u64).with("steps", 1u64), &[x]).unwrap();
    let of_moved = s.op("value.multiply", none(), &[x, moved]).unwrap();
    let root = s.op("value.root", none(), &[square]).unwrap();
    let constant = |s: &mut Session<'_>, value: i64| {
        s.op(
            "value.constant",
            none().with("kind", "integer").with("shape", vec![3]).with("value", value),
            &[],
        )
    };
    let (two, other_two) = (constant(&mut s, 2).unwrap(), constant(&mut s, 2).unwrap());
    let one = s.op("value.divide", none(), &[two, two]).unwrap();
    let eq = s.op("value.compare", none().with("relation", "eq"), &[two, other_two]).unwrap();
    let chosen = s.op("value.select", none(), &[eq, y, two]).unwrap();
    let unknown = s.op("value.divide", none(), &[two, y]).unwrap();
    let graph = s.finish();
    let given =
        SortedMap::from(["x", "y"].map(|name| (name.to_owned(), Range::Integers { min: -3, max: 2 })));
    let found = ranges(&graph, &registry, &values, &given).unwrap();
    let of = |min, max| Range::Integers { min, max };
    for (operand, range) in [
        (square, of(0, 9)),
        (product, of(-6, 9)),
        (zero, of(0, 0)),
        (difference, of(-5, 5)),
        (at_most, of(1, 1)),
        (of_moved, of(-6, 9)),
        (root, Range::Reals { min: 0.0, max: 3.0 }),
        (one, Range::Reals { min: 1.0, max: 1.0 }),
        (eq, of(1, 1)),
        (chosen, of(-3, 2)),
        (unknown, Range::Unknown),
    ] {
        assert_eq!(range_of(&found, operand), range);
    }
    // A range that is none of the input's.
    for range in [of(1, 0), Range::Reals { min: 0.0, max: 1.0 }] {
        let given = SortedMap::from([("x".to_owned(), range)]);
        assert_eq!(ranges(&graph, &registry, &values, &given).unwrap_err().code(), "task.invalid");
    }
    assert_eq!(
        range_of(&ranges(&graph, &registry, &values, &SortedMap::new()).unwrap(), product),
        Range::Unknown
    );
}

#[test]
fn what_would_take_too_much_is_refused_before_it_starts() {
    // x^(2^20): far more than 8,192 bits.
    let many = Run::new()
        .integers("x", &[1], &[2])
        .cells(|s, i| (0..20).try_fold(i[0], |x, _| s.op("value.square", Attrs::new(), &[x])));
    assert!(
        matches!(many, Err(Error::TooLarge { what: "bits of an exact number", limit: 8192, .. })),
        "{many:?}"
    );
    let wide = Run::new()
        .integers("x", &[1], &[2])
        .cells(|s, i| s.op("value.broadcast", Attrs::new().with("shape", vec![1 << 32]), &[i[0]]));
    assert!(matches!(wide, Err(Error::TooLarge { what: "steps of exact arithmetic", .. })), "{wide:?}");
    // Sums of what has a denominator in common are no larger for it, however many they are.
    let decimals = Value::new(Kind::Integer, [5000]).with_decimals(3);
    let weights = Exact::new((0..5000).map(|k| ratio(k, 7 + k % 5)).collect());
    let run = Run::new().column("x", decimals, Exact::integers(0..5000));
    let run = run.column("w", Value::new(Kind::Real, [5000]), weights);
    let expected = (0..5000).fold(Number::ZERO, |sum, k| &sum + &ratio(k * k, 1000 * (7 + k % 5)));
    assert_eq!(run.op("value.dot", Attrs::new()).unwrap(), [expected]);
    let constant = Attrs::new().with("kind", "real").with("shape", vec![1 << 31]);
    let constant = constant.with("value", Real::new(0.1).unwrap());
    let wide = Run::new().op("value.constant", constant);
    assert!(matches!(wide, Err(Error::TooLarge { .. })), "{wide:?}");
}

#[test]
fn inputs_are_checked() {
    let of = |value: Value, cells: Exact| Run::new().column("x", value, cells).cells(|_, i| Ok(i[0]));
    let (int, boolean) = (Value::new(Kind::Integer, [2]), Value::new(Kind::Boolean, [2]));
    assert!(of(int.clone(), Exact::integers([1, 2])).is_ok());
    let wrong = [
        (int.clone(), Exact::integers([1])),
        (int.clone(), Exact::new(vec![Number::ONE, ratio(1, 2)])),
        (int.clone().with_missing(), Exact::integers([1, 2])),
        (int.clone(), Exact::with_missing([Some(Number::ONE), None])),
        (int.with_missing(), Exact { cells: vec![Number::ONE; 2], present: Some(vec![true, false]) }),
        (boolean, Exact::integers([1, 2])),
        (Value::new(Kind::Category { categories: 2 }, [2]), Exact::integers([-1, 1])),
    ];
    for (value, cells) in wrong {
        assert_eq!(of(value, cells).unwrap_err().code(), "task.invalid");
    }
    let run = Run::new().integers("x", &[1], &[1]);
    let graph = run.graph(|s, i| s.op("value.negate", Attrs::new(), i)).unwrap();
    let missing = interpret(&graph, &run.registry, &run.values, &SortedMap::new()).err().unwrap();
    assert_eq!(missing, Error::MissingInput { name: "x".into() });
    let root = Run::new().integers("x", &[2], &[4, -1]).op("value.root", Attrs::new()).unwrap_err();
    assert_eq!(root.code(), "operator.invalid");
}

#[test]
fn a_value_is_not_seen_as_another_one() {
    let run = Run::new().integers("x", &[2], &[0, 1]);
    let mut s = Session::new(Graph::new(64), &run.registry);
    let x = s.graph_mut().add_input("x", run.types[0].1.ty().unwrap()).unwrap();
    let seen = s.retype(x, Value::new(Kind::Boolean, [2]).ty().unwrap()).unwrap();
    s.op("value.not", Attrs::new(), &[seen]).unwrap();
    let error = interpret(&s.finish(), &run.registry, &run.values, &run.inputs).err().unwrap();
    assert!(error.to_string().starts_with("value.not: input 0: found value[1]"), "{error}");
    // Not as an output either; and a column is not cut as a single value, nor what is encrypted as what is public.
    let mut s = Session::new(Graph::new(64), &run.registry);
    let x = s.graph_mut().add_input("x", run.types[0].1.ty().unwrap()).unwrap();
    let single = s.retype(x, Value::new(Kind::Integer, []).ty().unwrap()).unwrap();
    let public = s.retype(x, Value::new(Kind::Integer, [2]).at(Place::Public).ty().unwrap()).unwrap();
    let root = s.op("value.root", Attrs::new(), &[single]).unwrap();
    let square = s.op("value.square", Attrs::new(), &[public]).unwrap();
    for output in [single, root, square] {
        let mut graph = s.graph().clone();
        graph.declare_output("out", output);
        assert!(cut(&graph, &run.registry, &run.values).is_err());
    }
    let mut s = Session::new(Graph::new(64), &run.registry);
    let x = s.graph_mut().add_input("x", run.types[0].1.ty().unwrap()).unwrap();
    let single = s.retype(x, Value::new(Kind::Integer, []).ty().unwrap()).unwrap();
    s.graph_mut().declare_output("out", single);
    assert_eq!(check_values(s.graph(), &run.registry, &run.values).unwrap_err().code(), "task.invalid");
    // Nor is what is written twice, or by nobody, one.
    let mut s = Session::new(Graph::new(64), &run.registry);
    let place = s.graph_mut().reserve(1).unwrap();
    let nobody = s.graph_mut().view(run.types[0].1.ty().unwrap(), vec![place]);
    s.op("value.negate", Attrs::new(), &[nobody]).unwrap();
    let error = interpret(&s.finish(), &run.registry, &run.values, &SortedMap::new()).err().unwrap();
    assert!(error.to_string().contains("a value that an input or an operator gives"), "{error}");
}

// --- operators of users' own ----------------------------------------------------------------------------------------------

/// Whatever a user makes of primitive operators.
struct Own(&'static str);

impl OpDef for Own {
    fn name(&self) -> &str {
        self.0
    }
    fn level(&self) -> Level {
        Level::Task
    }
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let kind = if self.0 == "my.liar" { Kind::Boolean } else { Kind::Integer };
        Value { kind, ..call.number(0)? }.ty()
    }
    fn expand(&self, s: &mut Session<'_>, _: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        match self.0 {
            // x less its neighbor.
            "my.steps" => {
                let next =
                    s.op("value.rotate", Attrs::new().with("axis", 0u64).with("steps", 1u64), inputs)?;
                s.op("value.sub", Attrs::new(), &[next, inputs[0]])
            }
            "my.same" => Ok(inputs[0]),
            "my.liar" => s.op("value.negate", Attrs::new(), inputs),
            _ => Err(Error::NoExpansion { op: self.0.into(), platform: String::new(), chain: vec![] }),
        }
    }
}

/// |x|, with rules.
struct Absolute;

impl OpDef for Absolute {
    fn name(&self) -> &str {
        "my.absolute"
    }
    fn level(&self) -> Level {
        Level::Task
    }
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        call.number(0)?.ty()
    }
}

impl ValueDef for Absolute {
    fn range(&self, _: &Call<'_>, inputs: &[Known]) -> Result<Range> {
        Ok(inputs[0].range.union(inputs[0].range.negative()))
    }
    fn exact(&self, _: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
        let absolute = |x: &Number| if *x < Number::ZERO { -x } else { x.clone() };
        Ok(Exact::new(inputs[0].cells.iter().map(absolute).collect()))
    }
    fn bits(
        &self,
        _: &Call<'_>,
        inputs: &[cipherloom::values::number::Bits],
    ) -> Result<cipherloom::values::number::Bits> {
        Ok(inputs[0])
    }
}

#[test]
fn operators_of_a_user_s_own() {
    let own = || {
        let mut run = Run::new().integers("x", &[6], &X);
        run.values.add(Arc::new(Absolute));
        run.registry = run.values.registry();
        for name in ["my.steps", "my.same", "my.liar", "my.none"] {
            run.registry.add(Arc::new(Own(name)));
        }
        run
    };
    let numbers = |all: &[i128]| all.iter().map(|&x| Number::from(x)).collect::<Vec<_>>();
    assert_eq!(own().op("my.steps", Attrs::new()).unwrap(), numbers(&[-4, 5, -3, -6, 14, -6]));
    assert_eq!(own().op("my.absolute", Attrs::new()).unwrap(), numbers(&X.map(i128::abs)));
    // An expansion that gives its own input is a copy; what follows reads on.
    let same = own().cells(|s, i| {
        let same = s.op("my.same", Attrs::new(), i)?;
        let mean = s.op("stats.mean", Attrs::new(), &[same])?;
        s.op("value.square", Attrs::new(), &[mean])
    });
    assert_eq!(same.unwrap(), [ratio(121, 36)]);
    // One that gives another value than it said is found by who reads it.
    let liar = own().cells(|s, i| {
        let liar = s.op("my.liar", Attrs::new(), i)?;
        s.op("value.not", Attrs::new(), &[liar])
    });
    assert!(liar.unwrap_err().to_string().starts_with("value.not: input 0: found"));
    let none = own().op("my.none", Attrs::new()).unwrap_err();
    assert!(matches!(&none, Error::NoExpansion { op, .. } if op == "my.none"), "{none}");
    // Not expanded: neither primitive nor made of such.
    let run = own();
    let mut s = Session::new(Graph::new(64), &run.registry);
    let x = s.graph_mut().add_input("x", run.types[0].1.ty().unwrap()).unwrap();
    let y = s.op("my.steps", Attrs::new(), &[x]).unwrap();
    s.graph_mut().declare_output("y", y);
    let graph = s.finish();
    let refused = [
        interpret(&graph, &run.registry, &run.values, &run.inputs).err(),
        ranges(&graph, &run.registry, &run.values, &SortedMap::new()).err(),
        cut(&graph, &run.registry, &run.values).err(),
    ];
    for error in refused {
        let text = "my.steps: operator of a task: found no primitive operator of values, expected a primitive one, or one \
                    that is expanded into these first";
        assert_eq!(error.unwrap().to_string(), text);
    }
}

// --- the cut --------------------------------------------------------------------------------------------------------------

fn names(graph: &Graph) -> Vec<&str> {
    graph.operators().iter().map(|op| graph.signature(op).name.as_str()).collect()
}

fn ports(ports: &[cipherloom::graph::Port]) -> Vec<&str> {
    ports.iter().map(|port| port.name.as_str()).collect()
}

#[test]
fn the_client_divides_and_the_server_does_the_rest() {
    let run = Run::new().integers("x", &[6], &X).integers("y", &[6], &Y);
    let graph = run.graph(|s, i| {
        let variance = s.op("stats.variance", of("sample"), &[i[0]])?;
        s.op("value.root", Attrs::new(), &[variance])
    });
    let graph = graph.unwrap();
    let halves = cut(&graph, &run.registry, &run.values).unwrap();
    assert_eq!(names(&halves.server), ["value.square", "value.sum", "value.sum"]);
    let sums = ["value.finish", "value.finish", "value.scale", "value.square", "value.sub"];
    let rest = ["value.constant", "value.divide", "value.root"];
    assert_eq!(names(&halves.client), [&sums[..], &rest[..]].concat());
    assert_eq!(
        (ports(halves.server.inputs()), ports(halves.server.outputs())),
        (vec!["x", "y"], vec!["crossing 0", "crossing 1"])
    );
    assert_eq!(
        (ports(halves.client.inputs()), ports(halves.client.outputs())),
        (vec!["crossing 0", "crossing 1"], vec!["out"])
    );
    // Of the server's own values nothing crosses: it makes them one with what is encrypted before.
    let own = Run::new().integers("x", &[6], &X);
    let own = own.column("p", Value::new(Kind::Integer, [6]).at(Place::Plain), Exact::integers(Y));
    let graph = own.graph(|s, i| s.op("stats.covariance", of("sample"), i)).unwrap();
    let mixed = cut(&graph, &own.registry, &own.values).unwrap();
    assert_eq!(mixed.crossing.len(), 1);
    assert!(names(&mixed.server).contains(&"value.sub"));
    assert_eq!(halves.crossing[0].value, Value::new(Kind::Integer, []));
}

#[test]
fn what_crosses_is_a_single_encrypted_value() {
    let refused = |place: Place, task: &dyn Fn(&mut Session<'_>, &[OperandId]) -> Result<OperandId>| {
        let run = Run::new().integers("x", &[6], &X);
        let run = run.column("p", Value::new(Kind::Integer, []).at(place), Exact::integers([4]));
        let graph = run.graph(task).unwrap();
        cut(&graph, &run.registry, &run.values).map(|halves| halves.crossing.len())
    };
    let none = Attrs::new;
    // x less its mean: all of x would be decrypted.
    let centered = |s: &mut Session<'_>, i: &[OperandId]| {
        let mean = s.op("stats.mean", none(), &[i[0]])?;
        let mean = s.op("value.broadcast", none().with("shape", vec![6]), &[mean])?;
        s.op("value.sub", none(), &[i[0], mean])
    };
    let error = refused(Place::Public, &centered).unwrap_err().to_string();
    assert!(
        error.starts_with("value.sub: input 0 of the client's half: found encrypted integer[6]"),
        "{error}"
    );
    assert!(error.contains("Sum it up first"), "{error}");
    // A quotient by what is the server's own; or public; or encrypted.
    let quotient = |s: &mut Session<'_>, i: &[OperandId]| {
        let sum = s.op("value.sum", none(), &[i[0]])?;
        s.op("value.divide", none(), &[sum, i[1]])
    };
    let error = refused(Place::Plain, &quotient).unwrap_err().to_string();
    assert!(
        error.starts_with("value.divide: input 1 of the client's half: found plain integer[]"),
        "{error}"
    );
    assert_eq!(refused(Place::Public, &quotient).unwrap(), 1);
    assert_eq!(refused(Place::Encrypted, &quotient).unwrap(), 2);
    // Of the server's own values alone, it divides itself.
    let of_plain = |s: &mut Session<'_>, i: &[OperandId]| s.op("value.divide", none(), &[i[1], i[1]]);
    assert_eq!(refused(Place::Plain, &of_plain).unwrap(), 0);
}

#[test]
fn what_leads_to_no_output_is_not_decrypted_and_what_is_one_crosses_under_its_name() {
    let run = Run::new().integers("x", &[6], &X);
    let mut s = Session::new(Graph::new(64), &run.registry);
    let x = s.graph_mut().add_input("x", run.types[0].1.ty().unwrap()).unwrap();
    let none = Attrs::new;
    let _dead = s.op("value.root", none(), &[x]).unwrap();
    let sum = s.op("value.sum", none(), &[x]).unwrap();
    let six = s.op("stats.count", none(), &[x]).unwrap();
    let mean = s.op("value.divide", none(), &[sum, six]).unwrap();
    let square = s.op("value.square", none(), &[sum]).unwrap();
    for (name, operand) in [("crossing 0", square), ("sum", sum), ("mean", mean), ("count", six)] {
        s.graph_mut().declare_output(name, operand);
    }
    let graph = expanded(&s.finish(), &run.registry, &run.values).unwrap();
    let halves = cut(&graph, &run.registry, &run.values).unwrap();
    assert_eq!(names(&halves.server), ["value.sum", "value.square"]);
    assert_eq!(ports(halves.server.outputs()), ["crossing 0", "sum"]);
    assert_eq!(ports(halves.client.inputs()), ["sum"]);
    assert_eq!(ports(halves.client.outputs()), ["mean", "count"]);
    assert_eq!(halves.crossing.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["sum"]);
}

// --- text -----------------------------------------------------------------------------------------------------------------

const MEAN: &str = r#"cipherloom-graph 1
unit 64
type !0 = value[1]{decimals=2, kind="integer", missing=1, shape=[3], where="encrypted"}
type !1 = value[1]{kind="real", shape=[], where="encrypted"}
type !2 = value[1]{decimals=2, kind="integer", shape=[3], where="encrypted"}
type !3 = value[1]{kind="boolean", shape=[3], where="encrypted"}
type !4 = value[1]{kind="integer", shape=[], where="encrypted"}
type !5 = value[1]{decimals=2, kind="integer", shape=[], where="encrypted"}
input %0 : !0 [0,1) "x"
op %1 = value.cells(%0) : !2 [2,3) parent=0
op %2 = value.present(%0) : !3 [3,4) parent=0
op %3 = value.sum(%2) : !4 [4,5) parent=0
op %4 = value.finish(%3) : !4 [5,6) parent=0
op %5 = value.sum(%1) : !5 [6,7) parent=0
op %6 = value.finish(%5) : !5 [7,8) parent=0
op %7 = value.divide(%6, %4) : !1 [1,2) parent=0
output %7 "out"
"#;

#[test]
fn a_task_prints_as_it_always_did() {
    let run = Run::new().missing("x", 2, &[Some(1), None, Some(3)]);
    let graph = run.graph(|s, i| s.op("stats.mean", Attrs::new(), i)).unwrap();
    assert_eq!(print(&graph), MEAN);
}
