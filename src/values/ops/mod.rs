//! The primitive operators on values, one file each: `value.*`.
//!
//! Element-wise ones take operands of one shape: `value.broadcast` makes them alike. Integers keep to their decimals: what has
//! others is brought to them by `value.scale`, which is exact. Booleans count as the integers 0 and 1. Where one operand is real,
//! integers are the numbers that they stand for, and the result is real. A result is where the most hidden of its operands is.

mod add;
mod and;
mod arithmetic;
mod broadcast;
mod cells;
mod chebyshev;
mod compare;
mod concat;
mod constant;
mod divide;
mod finish;
mod gaps;
mod logic;
mod moves;
mod multiply;
mod negate;
mod not;
mod or;
mod polynomial;
mod present;
mod reshape;
mod root;
mod rotate;
mod scale;
mod select;
mod slice;
mod solve;
mod square;
mod sub;
mod sum;
mod transpose;
mod within;

use super::lower::{cell_by_cell, not_lowered};
use super::near::Near;
use super::number::Bits;
use super::range::{Known, Range};
use super::types::{Value, ValueCall};
use super::{Axes, Exact, Lowered, Lowering, Squared, Turn, ValueDef};
use crate::Result;
use crate::graph::{Attrs, ValueType};
use crate::ops::{Call, Level, OpDef};
use crate::packed::Cells;
use std::sync::Arc;

/// What is told of a primitive operator.
#[derive(Clone, Copy)]
struct Primitive {
    name: &'static str,
    attributes: &'static [&'static str],
    /// Checks a call, and gives the type of the result.
    output: fn(&Call<'_>) -> Result<Value>,
    range: fn(&Call<'_>, &[Known]) -> Result<Range>,
    exact: fn(&Call<'_>, &[&Exact]) -> Result<Exact>,
    sure: fn(&Call<'_>, &[&Exact]) -> Result<bool>,
    near: fn(&Call<'_>, &[&Near]) -> Result<Option<Near>>,
    bits: fn(&Call<'_>, &[Bits]) -> Result<Bits>,
    commutative: bool,
    associative: bool,
    squared: fn(&Call<'_>) -> Option<Squared>,
    linear_in: fn(&Call<'_>) -> Vec<usize>,
    client_only: fn(&Call<'_>) -> bool,
    turn: fn(&Call<'_>) -> Result<Option<Turn>>,
    turning: fn(usize, u64) -> Attrs,
    axes: fn(&Call<'_>) -> Result<Axes>,
    view: bool,
    lower: fn(&Call<'_>, &[Lowered], &mut Lowering<'_>) -> Result<Cells>,
    present: fn(&[Lowered]) -> Option<Cells>,
}

/// What most operators have in common; what has no default is overwritten by each.
const PRIMITIVE: Primitive = Primitive {
    name: "",
    attributes: &[],
    output: |call| call.value(0),
    range: |_, _| Ok(Range::Unknown),
    exact: |call, _| Err(call.error("exact rule", "none", "one")),
    sure: |_, _| Ok(true),
    near: |_, _| Ok(None),
    // Cells that are moved, chosen, or single bits.
    bits: |_, inputs| Ok(inputs.iter().copied().fold(Bits { size: 1, ..Bits::default() }, Bits::join)),
    commutative: false,
    associative: false,
    squared: |_| None,
    linear_in: |_| Vec::new(),
    client_only: |_| false,
    turn: |_| Ok(None),
    turning: |_, _| Attrs::new(),
    axes: cell_by_cell,
    view: false,
    lower: |call, _, _| Err(not_lowered(call)),
    present: |_| None,
};

/// All of them.
const PRIMITIVES: &[Primitive] = &[
    add::ADD,
    sub::SUB,
    negate::NEGATE,
    multiply::MULTIPLY,
    square::SQUARE,
    scale::SCALE,
    polynomial::POLYNOMIAL,
    chebyshev::CHEBYSHEV,
    within::WITHIN,
    sum::SUM,
    rotate::ROTATE,
    slice::SLICE,
    concat::CONCAT,
    reshape::RESHAPE,
    broadcast::BROADCAST,
    transpose::TRANSPOSE,
    compare::COMPARE,
    select::SELECT,
    and::AND,
    or::OR,
    not::NOT,
    cells::CELLS,
    present::PRESENT,
    gaps::GAPS,
    finish::FINISH,
    divide::DIVIDE,
    root::ROOT,
    solve::SOLVE,
    constant::CONSTANT,
];

/// The primitive operators.
pub fn all() -> Vec<Arc<dyn ValueDef>> {
    PRIMITIVES.iter().map(|&primitive| Arc::new(primitive) as Arc<dyn ValueDef>).collect()
}

impl OpDef for Primitive {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(self.attributes)
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        (self.output)(call)?.ty()
    }

    fn commutative(&self) -> bool {
        self.commutative
    }
}

impl ValueDef for Primitive {
    fn range(&self, call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
        (self.range)(call, inputs)
    }

    fn exact(&self, call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact> {
        (self.exact)(call, inputs)
    }

    fn sure(&self, call: &Call<'_>, inputs: &[&Exact]) -> Result<bool> {
        (self.sure)(call, inputs)
    }

    fn near(&self, call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
        (self.near)(call, inputs)
    }

    fn bits(&self, call: &Call<'_>, inputs: &[Bits]) -> Result<Bits> {
        (self.bits)(call, inputs)
    }

    fn squared(&self, call: &Call<'_>) -> Option<Squared> {
        (self.squared)(call)
    }

    fn associative(&self) -> bool {
        self.associative
    }

    fn linear_in(&self, call: &Call<'_>) -> Vec<usize> {
        (self.linear_in)(call)
    }

    fn client_only(&self, call: &Call<'_>) -> bool {
        (self.client_only)(call)
    }

    fn turn(&self, call: &Call<'_>) -> Result<Option<Turn>> {
        (self.turn)(call)
    }

    fn turning(&self, axis: usize, steps: u64) -> Attrs {
        (self.turning)(axis, steps)
    }

    fn axes(&self, call: &Call<'_>) -> Result<Axes> {
        (self.axes)(call)
    }

    fn is_view(&self) -> bool {
        self.view
    }

    fn lower(&self, call: &Call<'_>, inputs: &[Lowered], lowering: &mut Lowering<'_>) -> Result<Cells> {
        (self.lower)(call, inputs, lowering)
    }

    fn present(&self, inputs: &[Lowered]) -> Option<Cells> {
        (self.present)(inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Attr, Attrs, Real};
    use crate::values::Values;
    use crate::values::number::Number;
    use crate::values::types::{Kind, Place};
    use std::collections::BTreeSet;

    fn int(shape: &[u64]) -> Value {
        Value::new(Kind::Integer, shape)
    }

    fn real(shape: &[u64]) -> Value {
        Value::new(Kind::Real, shape)
    }

    fn boolean(shape: &[u64]) -> Value {
        Value::new(Kind::Boolean, shape)
    }

    fn date(shape: &[u64]) -> Value {
        Value::new(Kind::Date, shape)
    }

    fn category(shape: &[u64], categories: u64) -> Value {
        Value::new(Kind::Category { categories }, shape)
    }

    fn shape(shape: &[u64]) -> Attrs {
        Attrs::new().with("shape", shape)
    }

    fn axis(axis: u64) -> Attrs {
        Attrs::new().with("axis", axis)
    }

    fn relation(relation: &str) -> Attrs {
        Attrs::new().with("relation", relation)
    }

    fn scale(numerator: i64, decimals: u64) -> Attrs {
        Attrs::new().with("numerator", numerator).with("decimals", decimals)
    }

    fn constant(kind: &str, dims: &[u64], value: impl Into<Attr>) -> Attrs {
        shape(dims).with("kind", kind).with("value", value)
    }

    /// One call and what comes of it: a type, or a part of what the error says.
    type Case = (&'static str, Attrs, Vec<Value>, std::result::Result<Value, &'static str>);

    #[allow(clippy::too_many_lines)]
    fn cases() -> Vec<Case> {
        let none = Attrs::new;
        let (public, plain) = (Place::Public, Place::Plain);
        let (x, y) = (int(&[3]).with_decimals(2), int(&[3]));
        let mut cases: Vec<Case> = vec![
            ("value.add", none(), vec![x.clone(), x.clone()], Ok(x.clone())),
            ("value.add", none(), vec![x.clone().at(plain), x.clone().at(public)], Ok(x.clone().at(plain))),
            ("value.add", none(), vec![y.clone().at(plain), y.clone()], Ok(y.clone())),
            ("value.add", none(), vec![x.clone(), real(&[3])], Ok(real(&[3]))),
            ("value.add", none(), vec![boolean(&[3]), y.clone()], Ok(y.clone())),
            ("value.add", none(), vec![boolean(&[]), boolean(&[])], Ok(int(&[]))),
            ("value.add", none(), vec![date(&[3]), y.clone()], Ok(date(&[3]))),
            ("value.add", none(), vec![y.clone(), date(&[3])], Ok(date(&[3]))),
            ("value.add", none(), vec![date(&[3]), date(&[3])], Err("two dates have no sum")),
            ("value.add", none(), vec![date(&[3]), x.clone()], Err("whole days")),
            ("value.add", none(), vec![date(&[3]), real(&[3])], Err("whole days")),
            (
                "value.add",
                none(),
                vec![x.clone(), y.clone()],
                Err("decimals of input 1: found 0, expected 2"),
            ),
            ("value.add", none(), vec![x.clone(), int(&[4])], Err("value.broadcast")),
            ("value.add", none(), vec![x.clone()], Err("number of inputs: found 1, expected 2")),
            ("value.add", none(), vec![category(&[3], 2), y.clone()], Err("input 0")),
            ("value.add", axis(0), vec![x.clone(), x.clone()], Err("no attributes")),
            ("value.sub", none(), vec![x.clone(), x.clone()], Ok(x.clone())),
            ("value.sub", none(), vec![date(&[3]), date(&[3])], Ok(y.clone())),
            ("value.sub", none(), vec![date(&[3]), y.clone()], Ok(date(&[3]))),
            ("value.sub", none(), vec![y.clone(), date(&[3])], Err("input 1")),
            ("value.sub", none(), vec![x.clone(), y.clone()], Err("decimals")),
            ("value.negate", none(), vec![x.clone()], Ok(x.clone())),
            ("value.negate", none(), vec![boolean(&[3])], Ok(y.clone())),
            ("value.negate", none(), vec![date(&[3])], Err("integers, reals or booleans")),
            ("value.multiply", none(), vec![x.clone(), x.clone()], Ok(int(&[3]).with_decimals(4))),
            ("value.multiply", none(), vec![x.clone(), boolean(&[3])], Ok(x.clone())),
            ("value.multiply", none(), vec![real(&[3]), x.clone()], Ok(real(&[3]))),
            (
                "value.multiply",
                none(),
                vec![x.clone().with_decimals(600), x.clone().with_decimals(401)],
                Err("decimals"),
            ),
            ("value.multiply", none(), vec![category(&[3], 2), y.clone()], Err("input 0")),
            ("value.square", none(), vec![x.clone()], Ok(x.clone().with_decimals(4))),
            ("value.square", none(), vec![date(&[])], Err("input 0")),
            ("value.scale", scale(100, 2), vec![x.clone()], Ok(x.clone().with_decimals(4))),
            ("value.scale", scale(-3, 2), vec![real(&[3])], Ok(real(&[3]))),
            ("value.scale", scale(1, 1001), vec![x.clone()], Err("at most 1000")),
            ("value.scale", scale(1, 999), vec![x.clone()], Err("decimals")),
            ("value.scale", none(), vec![x.clone()], Err("`numerator`: found nothing")),
            ("value.sum", none(), vec![x.clone()], Ok(int(&[]).with_decimals(2))),
            ("value.sum", axis(1), vec![boolean(&[3, 4, 5])], Ok(int(&[3, 5]))),
            ("value.sum", axis(1), vec![x.clone()], Err("a dimension of [3], counted from 0")),
            ("value.sum", none(), vec![date(&[3])], Err("input 0")),
            (
                "value.rotate",
                axis(1).with("steps", -7i64),
                vec![category(&[2, 3], 4)],
                Ok(category(&[2, 3], 4)),
            ),
            ("value.rotate", axis(0), vec![x.clone()], Err("`steps`")),
            (
                "value.transpose",
                none().with("axes", vec![2, 0, 1]),
                vec![category(&[2, 3, 4], 5)],
                Ok(category(&[4, 2, 3], 5)),
            ),
            ("value.transpose", none().with("axes", vec![1, 1]), vec![int(&[2, 3])], Err("axes")),
            ("value.transpose", none().with("axes", vec![0]), vec![int(&[2, 3])], Err("axes")),
            ("value.rotate", axis(0).with("steps", 1u64), vec![int(&[])], Err("axis")),
            (
                "value.slice",
                Attrs::new().with("start", vec![1]).with("size", vec![2]),
                vec![x.clone()],
                Ok(x.clone().shaped([2])),
            ),
            (
                "value.slice",
                Attrs::new().with("start", vec![2]).with("size", vec![2]),
                vec![x.clone()],
                Err("within it"),
            ),
            (
                "value.slice",
                Attrs::new().with("start", vec![u64::MAX]).with("size", vec![2]),
                vec![x.clone()],
                Err("within it"),
            ),
            (
                "value.slice",
                Attrs::new().with("start", vec![0, 0]).with("size", vec![2]),
                vec![x.clone()],
                Err("each dimension"),
            ),
            (
                "value.slice",
                Attrs::new().with("start", vec![0]).with("size", vec![0]),
                vec![x.clone()],
                Err("at least 1"),
            ),
            (
                "value.concat",
                axis(0),
                vec![x.clone(), int(&[4]).with_decimals(2).at(plain)],
                Ok(x.clone().shaped([7])),
            ),
            (
                "value.concat",
                axis(0),
                vec![int(&[4]).at(plain), int(&[1]).at(public)],
                Ok(int(&[5]).at(plain)),
            ),
            ("value.concat", axis(1), vec![int(&[2, 1]), int(&[2, 3])], Ok(int(&[2, 4]))),
            ("value.concat", axis(0), vec![x.clone(), y.clone()], Err("but for dimension 0")),
            ("value.concat", axis(0), vec![int(&[2, 1]), int(&[2, 3])], Err("but for dimension 0")),
            ("value.concat", axis(0), vec![int(&[2]), int(&[])], Err("but for dimension 0")),
            ("value.concat", axis(0), vec![int(&[1 << 32]), int(&[1])], Err("at most 2^32 cells")),
            ("value.concat", axis(0), vec![], Err("number of inputs")),
            ("value.reshape", shape(&[3, 1]), vec![date(&[3])], Ok(date(&[3, 1]))),
            ("value.reshape", shape(&[]), vec![x.clone()], Err("a shape of 3 cells")),
            ("value.reshape", shape(&[0]), vec![x.clone()], Err("a shape of 3 cells")),
            ("value.broadcast", shape(&[2, 3]), vec![x.clone()], Ok(x.clone().shaped([2, 3]))),
            ("value.broadcast", shape(&[2, 3]), vec![int(&[2, 1])], Ok(int(&[2, 3]))),
            ("value.broadcast", shape(&[3, 2]), vec![x.clone()], Err("one that [3] broadcasts to")),
            ("value.broadcast", shape(&[]), vec![x.clone()], Err("one that [3] broadcasts to")),
            ("value.broadcast", shape(&[0, 3]), vec![x.clone()], Err("shape")),
            ("value.compare", relation("lt"), vec![x.clone(), x.clone().at(public)], Ok(boolean(&[3]))),
            ("value.compare", relation("le"), vec![date(&[]), date(&[])], Ok(boolean(&[]))),
            ("value.compare", relation("eq"), vec![category(&[3], 4), category(&[3], 4)], Ok(boolean(&[3]))),
            (
                "value.compare",
                relation("lt"),
                vec![category(&[3], 4), category(&[3], 4)],
                Err("categories have no order"),
            ),
            (
                "value.compare",
                relation("eq"),
                vec![category(&[3], 4), category(&[3], 5)],
                Err("the categories of input 0"),
            ),
            ("value.compare", relation("eq"), vec![date(&[3]), y.clone()], Err("input 0")),
            ("value.compare", relation("lt"), vec![x.clone(), y.clone()], Err("decimals")),
            ("value.compare", relation("gt"), vec![x.clone(), x.clone()], Err("lt, le or eq")),
            (
                "value.select",
                none(),
                vec![boolean(&[3]).at(plain), x.clone().at(public), x.clone().at(public)],
                Ok(x.clone().at(plain)),
            ),
            (
                "value.select",
                none(),
                vec![boolean(&[3]), category(&[3], 4), category(&[3], 4)],
                Ok(category(&[3], 4)),
            ),
            ("value.select", none(), vec![y.clone(), x.clone(), x.clone()], Err("input 0")),
            ("value.select", none(), vec![boolean(&[3]), x.clone(), y.clone()], Err("input 2")),
            (
                "value.select",
                none(),
                vec![boolean(&[3]), x.clone(), int(&[4]).with_decimals(2)],
                Err("shape of input 2"),
            ),
            ("value.not", none(), vec![boolean(&[3])], Ok(boolean(&[3]))),
            ("value.not", none(), vec![y.clone()], Err("booleans")),
            ("value.cells", none(), vec![category(&[3], 4).with_missing()], Ok(category(&[3], 4))),
            ("value.cells", none(), vec![x.clone()], Err("cells may be missing")),
            (
                "value.cells",
                none().with("fill", 3u64),
                vec![category(&[3], 4).with_missing()],
                Ok(category(&[3], 4)),
            ),
            (
                "value.cells",
                none().with("fill", 4u64),
                vec![category(&[3], 4).with_missing()],
                Err("a cell of the operand's kind"),
            ),
            (
                "value.cells",
                none().with("fill", Real::new(-0.5).unwrap()),
                vec![real(&[3]).with_missing()],
                Ok(real(&[3])),
            ),
            ("value.cells", none().with("fill", "1"), vec![real(&[3]).with_missing()], Err("fill")),
            ("value.cells", none().with("fill", "1"), vec![int(&[3]).with_missing()], Err("fill")),
            ("value.present", none(), vec![real(&[3]).with_missing().at(plain)], Ok(boolean(&[3]).at(plain))),
            ("value.present", none(), vec![x.clone()], Err("cells may be missing")),
            ("value.gaps", none(), vec![x.clone(), boolean(&[3])], Ok(x.clone().with_missing())),
            (
                "value.gaps",
                none().with("zeroed", 1u64),
                vec![category(&[3], 4).at(plain), boolean(&[3])],
                Ok(category(&[3], 4).with_missing()),
            ),
            (
                "value.gaps",
                none(),
                vec![real(&[3]).at(public), boolean(&[3]).at(plain)],
                Ok(real(&[3]).at(plain).with_missing()),
            ),
            ("value.gaps", none(), vec![x.clone(), boolean(&[3]).at(plain)], Err("encrypted booleans")),
            ("value.gaps", none(), vec![x.clone(), y.clone()], Err("booleans")),
            ("value.gaps", none(), vec![x.clone(), boolean(&[4])], Err("shape of input 1")),
            ("value.gaps", none(), vec![x.clone()], Err("number of inputs")),
            ("value.gaps", none().with("zeroed", 2u64), vec![x.clone(), boolean(&[3])], Err("zeroed")),
            ("value.divide", none(), vec![x.clone(), y.clone()], Ok(real(&[3]))),
            ("value.divide", none(), vec![x.clone(), int(&[])], Err("shape of input 1")),
            ("value.divide", none(), vec![x.clone(), date(&[3])], Err("input 1")),
            ("value.root", none(), vec![x.clone()], Ok(real(&[3]))),
            ("value.root", none(), vec![category(&[3], 4)], Err("input 0")),
            ("value.solve", none(), vec![int(&[]), real(&[]).at(plain)], Ok(real(&[1]))),
            ("value.solve", none(), vec![int(&[]).at(public); 6], Ok(real(&[2]).at(public))),
            ("value.solve", none(), vec![int(&[]); 3], Err("number of inputs")),
            ("value.solve", none(), vec![int(&[]), int(&[1])], Err("a single number")),
            ("value.solve", none(), vec![int(&[]), date(&[])], Err("input 1")),
            (
                "value.constant",
                constant("integer", &[3], 7u64).with("decimals", 2u64),
                vec![],
                Ok(x.clone().at(public)),
            ),
            (
                "value.constant",
                constant("category", &[2], vec![0, 3]).with("categories", 4u64),
                vec![],
                Ok(category(&[2], 4).at(public)),
            ),
            (
                "value.constant",
                constant("real", &[], Real::new(0.5).unwrap()),
                vec![],
                Ok(real(&[]).at(public)),
            ),
            ("value.constant", constant("real", &[3], 2u64), vec![], Ok(real(&[3]).at(public))),
            (
                "value.constant",
                constant("category", &[2], vec![0, 4]).with("categories", 4u64),
                vec![],
                Err("cells of another kind"),
            ),
            ("value.constant", constant("boolean", &[], 2u64), vec![], Err("cells of another kind")),
            (
                "value.constant",
                constant("integer", &[], Real::new(2.0).unwrap()),
                vec![],
                Err("cells of another kind"),
            ),
            (
                "value.constant",
                constant("integer", &[3], vec![1, 2]),
                vec![],
                Err("found 2 cells, expected 3 cells"),
            ),
            ("value.constant", constant("integer", &[], "7"), vec![], Err("value")),
            (
                "value.constant",
                constant("real", &[], std::sync::Arc::from([0u8; 7].as_slice())),
                vec![],
                Err("value"),
            ),
            (
                "value.constant",
                constant("integer", &[], 1u64).with("missing", 1u64),
                vec![],
                Err("attributes"),
            ),
            ("value.constant", shape(&[]).with("kind", "integer"), vec![], Err("value")),
        ];
        let coefficients = |all: &[i128]| none().with("coefficients", Attr::Ints(all.into()));
        let series = |all: &[f64], min: f64, max: f64| {
            let bounds = none().with("min", Real::new(min).unwrap()).with("max", Real::new(max).unwrap());
            bounds.with("coefficients", crate::packed::bytes(all))
        };
        let to = |min: i128, max: i128| none().with("min", Attr::Int(min)).with("max", Attr::Int(max));
        cases.extend([
            ("value.polynomial", coefficients(&[1, 0, 2]), vec![y.clone()], Ok(y.clone())),
            (
                "value.polynomial",
                coefficients(&[1, 0, 2]).with("decimals", 1u64),
                vec![x.clone()],
                Ok(int(&[3]).with_decimals(5)),
            ),
            ("value.polynomial", coefficients(&[1, 2]), vec![real(&[3])], Ok(real(&[3]))),
            ("value.polynomial", coefficients(&[1, 0]), vec![y.clone()], Err("the last one not 0")),
            ("value.polynomial", coefficients(&[1, 2]), vec![boolean(&[3])], Ok(int(&[3]))),
            ("value.chebyshev", series(&[0.5, 1.0], 0.0, 3.0), vec![y.clone()], Ok(real(&[3]))),
            (
                "value.chebyshev",
                series(&[0.5, 1.0], 0.0, 3.0),
                vec![real(&[3]).at(plain)],
                Ok(real(&[3]).at(plain)),
            ),
            ("value.chebyshev", series(&[0.5], 0.0, 3.0), vec![y.clone()], Err("2 to 1024")),
            ("value.chebyshev", series(&[0.5, 1.0], 3.0, 3.0), vec![y.clone()], Err("min below max")),
            ("value.within", to(0, 3), vec![y.clone()], Ok(y.clone())),
            ("value.within", to(0, 3), vec![date(&[3])], Ok(date(&[3]))),
            ("value.within", to(4, 3), vec![y.clone()], Err("min no larger than max")),
            ("value.within", to(0, 3), vec![real(&[3])], Ok(real(&[3]))),
            ("value.within", to(0, 3), vec![category(&[3], 2)], Err("numbers or dates")),
            ("value.finish", none(), vec![int(&[])], Ok(int(&[]))),
            ("value.finish", none(), vec![y.clone()], Err("a single value")),
        ]);
        for name in ["value.and", "value.or"] {
            cases.push((name, none(), vec![boolean(&[3]), boolean(&[3])], Ok(boolean(&[3]))));
            cases.push((
                name,
                none(),
                vec![boolean(&[3]).at(plain), boolean(&[3]).at(public)],
                Ok(boolean(&[3]).at(plain)),
            ));
            cases.push((name, none(), vec![boolean(&[3]), y.clone()], Err("booleans")));
            cases.push((name, none(), vec![boolean(&[3]), boolean(&[])], Err("shape of input 1")));
        }
        cases
    }

    fn types(inputs: &[Value]) -> Vec<ValueType> {
        inputs.iter().map(|value| value.ty().unwrap()).collect()
    }

    #[test]
    fn what_operators_take_and_give() {
        let registry = Values::new().registry();
        let mut seen = BTreeSet::new();
        for (name, attrs, inputs, expected) in cases() {
            let inputs = types(&inputs);
            let call = Call { name, attrs: &attrs, inputs: &inputs, unit: 64 };
            match (registry.assemble(&call), expected) {
                (Ok(found), Ok(expected)) => {
                    assert_eq!(Value::of(&found).unwrap(), expected, "{name}{attrs}")
                }
                (Err(error), Err(part)) => {
                    assert!(error.to_string().contains(part), "{name}{attrs}: {error}")
                }
                (found, expected) => panic!("{name}{attrs}: found {found:?}, expected {expected:?}"),
            }
            seen.insert(name);
        }
        assert_eq!(seen, PRIMITIVES.iter().map(|primitive| primitive.name).collect());
    }

    #[test]
    fn missing_cells_are_refused_but_where_they_are_taken_apart() {
        let registry = Values::new().registry();
        for (name, attrs, inputs, expected) in cases() {
            for index in 0..inputs.len() {
                let mut inputs = inputs.clone();
                if expected.is_err() || inputs[index].missing {
                    continue;
                }
                inputs[index].missing = true;
                let inputs = types(&inputs);
                let error =
                    registry.assemble(&Call { name, attrs: &attrs, inputs: &inputs, unit: 64 }).unwrap_err();
                let part = "value.cells and value.present take one with missing cells apart";
                assert!(error.to_string().contains(part), "{name}: {error}");
            }
        }
    }

    #[test]
    fn operators_refuse_what_is_no_value() {
        let registry = Values::new().registry();
        let other = ValueType::new("u64", 1, shape(&[]));
        for (name, attrs, inputs, expected) in cases() {
            for index in 0..inputs.len() {
                let mut inputs = types(&inputs);
                inputs[index] = other.clone();
                let call = Call { name, attrs: &attrs, inputs: &inputs, unit: 64 };
                assert!(expected.is_err() || registry.assemble(&call).is_err(), "{name}");
            }
        }
    }

    /// What definitions say is so, on numbers of all kinds.
    #[test]
    fn facts_hold() {
        let values = Values::new();
        let registry = values.registry();
        let mut state = 1u64;
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut counts = [0; 4];
        for (name, attrs, inputs, expected) in cases() {
            if expected.is_err() {
                continue;
            }
            let def = values.get(name).unwrap();
            let tys = types(&inputs);
            let call = Call { name, attrs: &attrs, inputs: &tys, unit: 64 };
            let run = |name: &str, attrs: &Attrs, inputs: &[&Exact], tys: &[ValueType]| {
                values.get(name).unwrap().exact(&Call { name, attrs, inputs: tys, unit: 64 }, inputs).unwrap()
            };
            let mut random = |value: &Value| {
                let below = if value.kind == Kind::Boolean { 2 } else { 4 };
                let cells = (0..value.cells().min(100)).map(|_| i128::from(next(below)));
                let exact = Exact::integers(cells);
                Exact {
                    present: value.missing.then(|| vec![true; exact.cells.len()]),
                    cells: exact.cells.clone(),
                }
            };
            let a: Vec<Exact> = inputs.iter().map(&mut random).collect();
            let refs: Vec<&Exact> = a.iter().collect();
            if def.commutative() {
                let turned: Vec<ValueType> = tys.iter().rev().cloned().collect();
                let there = run(name, &attrs, &refs, &tys);
                let back = run(name, &attrs, &refs.iter().rev().copied().collect::<Vec<_>>(), &turned);
                assert_eq!(there, back, "{name}");
                counts[0] += 1;
            }
            let same = inputs.len() == 2 && tys[0] == tys[1];
            if same && let Some(squared) = def.squared(&call) {
                let twice = run(name, &attrs, &[&a[0], &a[0]], &tys);
                match squared {
                    Squared::Operand => assert_eq!(twice, a[0], "{name}"),
                    Squared::Number(number) => {
                        assert!(twice.cells.iter().all(|cell| *cell == Number::from(number)))
                    }
                    Squared::Operator(other, attrs) => {
                        let call = Call { name: other, attrs: &attrs, inputs: &tys[..1], unit: 64 };
                        assert_eq!(
                            registry.assemble(&call).unwrap(),
                            registry
                                .assemble(&Call {
                                    name,
                                    attrs: &Attrs::new(),
                                    ..Call { inputs: &tys, ..call }
                                })
                                .unwrap()
                        );
                        assert_eq!(twice, run(other, &attrs, &[&a[0]], &tys[..1]), "{name}");
                    }
                }
                counts[1] += 1;
            }
            if same && def.associative() {
                let b = random(&inputs[0]);
                let middle =
                    vec![Value::of(&def.assemble(&call).unwrap()).unwrap().ty().unwrap(), tys[0].clone()];
                let turned: Vec<ValueType> = middle.iter().rev().cloned().collect();
                let left = run(name, &attrs, &[&run(name, &attrs, &refs, &tys), &b], &middle);
                let right = run(name, &attrs, &[&a[0], &run(name, &attrs, &[&a[1], &b], &tys)], &turned);
                assert_eq!(left, right, "{name}");
                counts[2] += 1;
            }
            let linear = def.linear_in(&call);
            let numbers = |index: &usize| matches!(inputs[*index].kind, Kind::Integer | Kind::Real);
            if !linear.is_empty() && linear.iter().all(numbers) {
                let sum = |a: &Exact, b: &Exact| {
                    Exact::new(a.cells.iter().zip(&b.cells).map(|(a, b)| a + b).collect())
                };
                let mut divisor = a.clone();
                for index in (0..inputs.len()).filter(|index| !linear.contains(index) && numbers(index)) {
                    divisor[index].cells.iter_mut().for_each(|cell| *cell = &*cell + &Number::ONE);
                }
                let (mut more, mut both) = (divisor.clone(), divisor.clone());
                for &index in &linear {
                    more[index] = random(&inputs[index]);
                    both[index] = sum(&divisor[index], &more[index]);
                }
                let of = |inputs: &[Exact]| run(name, &attrs, &inputs.iter().collect::<Vec<_>>(), &tys);
                assert_eq!(of(&both), sum(&of(&divisor), &of(&more)), "{name}");
                counts[3] += 1;
            }
        }
        assert!(counts.iter().zip([15, 9, 5, 17]).all(|(found, least)| *found >= least), "{counts:?}");
    }
}
