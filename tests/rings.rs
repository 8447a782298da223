//! What a column of layout slots means: its rows form rings, and nothing else exists.

mod road;

use cipherloom::Result;
use cipherloom::graph::{Attrs, Graph, ValueType};
use cipherloom::ops::types::{Ciphertext, Scheme};
use cipherloom::ops::{Call, Level, Noise, OpDef, Registry, Session};
use cipherloom::program::{CompileOptions, Program};
use cipherloom::schemes::columns::Number;
use cipherloom::schemes::{noise, noise_budget, registry};
use road::{Road, numbers, part, task};
use std::sync::Arc;

/// A task over one column `x` of layout slots.
fn on_rings(rows: usize, rings: usize, nodes: &str, outputs: &str) -> String {
    format!(
        r#"{{"inputs":[{{"name":"x","rows":{rows},"rings":{rings},"min":"-9","max":"9","layout":"slots"}}],
        "nodes":[{nodes}],"outputs":[{outputs}]}}"#
    )
}

/// Each ring of `rings` turned to the left.
fn turned(x: &[i64], rings: usize, steps: i64) -> Vec<i64> {
    let length = x.len() / rings;
    let at = |row: usize| ((row % length) as i64 + steps).rem_euclid(length as i64) as usize;
    (0..x.len()).map(|row| x[row / length * length + at(row)]).collect()
}

/// Sum, sum of squares and rows behind a variance.
fn moments(road: &Road, x: &[i64]) -> (i128, i128, i128) {
    let result = &road.run(&vec![("x", x.to_vec(), None)])["v"];
    (part(result, "sum"), part(result, "sumSquares"), part(result, "n"))
}

#[test]
fn a_plain_number_reaches_the_rows_wherever_they_were_turned() {
    let nodes = r#"{"op":"column.rotate_rows","inputs":[0],"attrs":{"steps":1}},
        {"op":"column.add_plain","inputs":[1],"attrs":{"scalar":"5"}},
        {"op":"stats.variance","inputs":[2],"attrs":{"population":1}}"#;
    let road =
        Road::new(task(&on_rings(3, 1, nodes, r#"{"name":"v","operand":3},{"name":"rows","operand":2}"#)));
    // 14, 5, 6: the variance is (257 - 25^2 / 3) / 3 = 16.22.
    assert_eq!(moments(&road, &[1, 9, 0]), (25, 257, 3));
    assert_eq!(road.run(&vec![("x", vec![1, 9, 0], None)])["rows"].parts["values"], [14, 5, 6]);
}

#[test]
fn a_scalar_is_added_to_the_rows_and_to_nothing_else() {
    let nodes =
        r#"{"op":"column.add_plain","inputs":[0],"attrs":{"scalar":"5"}},{"op":"stats.mean","inputs":[1]}"#;
    let road = Road::new(task(&on_rings(3, 1, nodes, r#"{"name":"m","operand":2}"#)));
    let result = &road.run(&vec![("x", vec![1, 2, 3], None)])["m"];
    assert_eq!((part(result, "sum"), part(result, "n")), (21, 3));
}

#[test]
fn rings_of_every_length_turn_as_wholes() {
    for (rows, rings) in [
        (1, 1),
        (2, 1),
        (2, 2),
        (3, 1),
        (6, 2),
        (7, 1),
        (8, 1),
        (8, 2),
        (100, 2),
        (1000, 1),
        (2048, 1),
        (4096, 2),
    ] {
        let x = numbers(rows as u64, rows, -9, 9);
        for steps in [1, -1, 3, rows as i64 / 2, rows as i64, 1_000_003] {
            let nodes = format!(
                r#"{{"op":"column.rotate_rows","inputs":[0],"attrs":{{"steps":{steps}}}}},
                {{"op":"column.multiply","inputs":[1,0]}},
                {{"op":"column.add_plain","inputs":[2],"attrs":{{"scalar":"-4"}}}},
                {{"op":"column.rotate_rows","inputs":[3],"attrs":{{"steps":2}}}},{{"op":"column.sum","inputs":[4]}}"#
            );
            let json =
                on_rings(rows, rings, &nodes, r#"{"name":"rows","operand":4},{"name":"sum","operand":5}"#);
            let results = Road::new(task(&json)).run(&vec![("x", x.clone(), None)]);
            let y: Vec<i64> = turned(&x, rings, steps).iter().zip(&x).map(|(y, x)| y * x - 4).collect();
            let expected: Vec<i128> = turned(&y, rings, 2).into_iter().map(i128::from).collect();
            assert_eq!(
                results["rows"].parts["values"], expected,
                "{rows} rows, {rings} rings, {steps} steps"
            );
            assert_eq!(part(&results["sum"], "value"), expected.iter().sum());
        }
    }
}

#[test]
fn two_rings_are_exchanged_and_one_is_not() {
    let nodes = r#"{"op":"column.rotate_columns","inputs":[0]},{"op":"column.add_plain","inputs":[1],"attrs":{"values":["1","2","3","4","5","6"]}}"#;
    let json = |rings| on_rings(6, rings, nodes, r#"{"name":"rows","operand":2}"#);
    let results = Road::new(task(&json(2))).run(&vec![("x", vec![1, 2, 3, 4, 5, 6], None)]);
    assert_eq!(results["rows"].parts["values"], [5, 7, 9, 5, 7, 9]);
    let refused = |json: &str| Program::compile(task(json), &CompileOptions::default()).err().unwrap().code();
    assert_eq!(refused(&json(1)), "operator.invalid");
    assert_eq!(refused(&json(3)), "task.invalid");
    // A list has a number for each row.
    assert_eq!(refused(&json(2).replace(r#","6""#, "")), "operator.invalid");
}

#[test]
fn rings_that_do_not_fit_together_are_refused() {
    let compile = |first: &str, second: &str| {
        let json = format!(
            r#"{{"inputs":[{{"name":"x","min":"0","max":"9",{first}}},{{"name":"y","min":"0","max":"9",{second}}}],
            "nodes":[{{"op":"column.add","inputs":[0,1]}}],"outputs":[{{"name":"s","operand":2}}]}}"#
        );
        Program::compile(task(&json), &CompileOptions::default()).map_or_else(|e| e.code(), |_| "no error")
    };
    let (one, two) = (r#""rows":8,"layout":"slots""#, r#""rows":8,"layout":"slots","rings":2"#);
    assert_eq!(compile(one, one), "no error");
    assert_eq!(compile(two, two), "no error");
    assert_eq!(compile(one, two), "operator.invalid");
    assert_eq!(compile(one, r#""rows":8"#), "operator.invalid");
    assert_eq!(compile(one, r#""rows":7,"layout":"slots""#), "operator.invalid");
    assert_eq!(compile(r#""rows":8,"rings":2"#, r#""rows":8"#), "task.invalid");
    assert_eq!(compile(r#""rows":7,"rings":2,"layout":"slots""#, one), "task.invalid");
    assert_eq!(compile(r#""rows":16385,"layout":"slots""#, one), "task.invalid");
}

#[test]
fn noise_that_cannot_be_told_is_no_bound() {
    let (inf, none) = (f64::INFINITY, f64::NEG_INFINITY);
    assert_eq!(noise::sum(&[inf, inf]), inf);
    assert_eq!(noise::sum(&[f64::NAN, 3.0]), inf);
    assert_eq!(noise::sum(&[none, none]), none);
    assert_eq!(noise::multiply(4096, 65537, 100.0, inf, inf), inf);
    assert_eq!(noise::multiply(4096, 65537, 100.0, none, inf), inf);
    // The budget is none at all, not one that is no number.
    let mut registry = registry();
    let rules = [("test.none", None), ("test.nan", Some(f64::NAN))];
    registry.add_all(rules.map(|(name, noise)| Arc::new(Unbounded { name, noise }) as Arc<dyn OpDef>));
    for (name, _) in rules {
        assert_eq!(budget_of_a_sum(&registry, name), none, "{name}");
    }
}

/// The noise budget of what an operator makes, added to itself.
fn budget_of_a_sum(registry: &Registry, name: &str) -> f64 {
    let ty = Ciphertext::new(16, vec![193], 2, Scheme::Bfv { t: 97 }).ty();
    let mut s = Session::new(Graph::new(64), registry);
    let fresh = s.graph_mut().add_input("x", ty).unwrap();
    let unbounded = s.op(name, Attrs::new(), &[fresh]).unwrap();
    let sum = s.op("rlwe.add", Attrs::new(), &[unbounded, unbounded]).unwrap();
    let sum = s.merge(&[sum], Number { n: 16, t: vec![97], q: vec![193] }.ty()).unwrap();
    s.graph_mut().declare_output("sum", sum);
    noise_budget(&s.finish(), registry).unwrap()
}

/// A ciphertext operator whose noise nobody can tell.
struct Unbounded {
    name: &'static str,
    noise: Option<f64>,
}

impl OpDef for Unbounded {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(call.inputs[0].clone())
    }

    fn noise(&self, _: &Call<'_>, _: &[Noise]) -> Option<Noise> {
        self.noise.map(Noise::error)
    }
}
