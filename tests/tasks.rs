//! Tasks over values, encrypted: what comes back is what the exact interpreter says.

use crate::road::random::{Random, random};
use crate::road::{self, TaskBuilder, answers, by_name, compile, evaluator, expected, opened, run, sealed};
use cipherloom::Error;
use cipherloom::graph::{Attrs, Operator, Real};
use cipherloom::ops::types::{Ciphertext, Extract};
use cipherloom::packed::bytes;
use cipherloom::platform::Simd;
use cipherloom::schemes::SchemeName;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, GivenParameters, Literal, Meaning, Options, OutputReport, Passes, Program};
use cipherloom::values::number::Number;
use cipherloom::values::{Exact, Values};
use std::sync::Arc;

fn given<const N: usize>(inputs: [(&str, Exact); N]) -> SortedMap<String, Exact> {
    inputs.into_iter().map(|(name, cells)| (name.to_owned(), cells)).collect()
}

fn reals(cells: impl IntoIterator<Item = f64>) -> Exact {
    Exact::new(cells.into_iter().map(|cell| Number::from_f64(cell).unwrap()).collect())
}

#[test]
fn statistics_of_integers() {
    let mut task = TaskBuilder::default();
    let x = task.input(
        "x",
        r#"kind="integer", shape=[569], where="encrypted", decimals=1"#,
        Some(["-1000", "1000"]),
    );
    let y = task.input("y", r#"kind="integer", shape=[569], where="encrypted""#, Some(["0", "200"]));
    let mean = task.op("stats.mean", "", &[x]);
    let variance = task.op("stats.variance", "of=\"sample\"", &[x]);
    let covariance = task.op("stats.covariance", "of=\"population\"", &[x, y]);
    task.output("mean", mean);
    task.output("variance", variance);
    task.output("covariance", covariance);
    let task = task.finish();
    let inputs = given([
        ("x", Exact::integers((0..569).map(|k| k * k % 2001 - 1000))),
        ("y", Exact::integers((0..569).map(|k| k * 7 % 201))),
    ]);
    let right = expected(&task, &inputs);
    assert_eq!(run(&compile(&task), &inputs), right);
    for scheme in [SchemeName::Bfv, SchemeName::Bgv] {
        let program = Program::compile(task.clone(), &Options { scheme: Some(scheme), ..Options::default() });
        let program = Arc::new(program.unwrap());
        assert_eq!(program.parameters().literal().scheme, scheme);
        assert_eq!(run(&program, &inputs), right, "{scheme:?}");
        explained(&program);
    }
}

#[test]
fn a_scheme_of_integers_takes_no_reals() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[4], where="encrypted""#, Some(["0", "1"]));
    let sum = task.op("value.sum", "", &[x]);
    task.output("sum", sum);
    let task = task.finish();
    for scheme in [SchemeName::Bfv, SchemeName::Bgv] {
        let options = Options { scheme: Some(scheme), ..Options::default() };
        let refused = Program::compile(task.clone(), &options).err().unwrap().to_string();
        assert!(refused.contains("CKKS: something real is encrypted"), "{refused}");
    }
}

#[test]
fn results_of_sums_hold_the_sums_alone() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[12, 50], where="encrypted""#, Some(["-100", "100"]));
    let squares = task.op("value.multiply", "", &[x, x]);
    let rows = task.op("value.sum", "axis=1", &[squares]);
    let one = task.op("value.sum", "", &[rows]);
    task.output("rows", rows);
    task.output("one", one);
    let task = task.finish();
    let inputs = given([("x", Exact::integers((0..600).map(|k| k * 7 % 201 - 100)))]);
    let program = compile(&task);
    assert_eq!(run(&program, &inputs), expected(&task, &inputs));
    // No key for a turn is made, and of c_0 travels what has the sums, and the gaps beside them, which are 0.
    let report = program.report().unwrap();
    assert!(report.keys.iter().all(|key| !key.0.starts_with("galois")), "{:?}", report.keys);
    for port in program.scheme().outputs() {
        let ty = program.scheme().ty(port.operand);
        assert_eq!(ty.head, "extract", "{}", port.name);
        let extract = Extract::of(ty).unwrap();
        let kept = if port.name.starts_with("rows") { 64 } else { 16 };
        assert!(extract.kept() <= kept, "{}: {}", port.name, extract.kept());
        let Ciphertext { n, q, parts, .. } = &extract.ciphertext;
        assert!(ty.size <= ((n * (parts - 1) + kept) * q.len()) as u64);
    }
}

#[test]
fn outputs_may_be_called_as_inputs_are() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[2], where="public""#, Some(["0", "9"]));
    let y = task.input("y", r#"kind="integer", shape=[2], where="encrypted""#, Some(["0", "9"]));
    let [public, sum] = [x, y].map(|value| task.op("value.sum", "", &[value]));
    let share = task.op("value.divide", "", &[sum, public]);
    let inverse = task.op("value.divide", "", &[public, sum]);
    // What is computed of the other one, and crosses to the client's half, too.
    task.output("x", sum);
    task.output("y", share);
    task.output("inverse", inverse);
    let task = task.finish();
    let inputs = given([("x", Exact::integers([5, 4])), ("y", Exact::integers([1, 2]))]);
    assert_eq!(run(&compile(&task), &inputs), expected(&task, &inputs));
}

#[test]
fn a_matrix_of_the_server_times_a_vector() {
    let mut task = TaskBuilder::default();
    let m = task.input("m", r#"kind="integer", shape=[24, 50], where="plain""#, Some(["-9", "9"]));
    let v = task.input("v", r#"kind="integer", shape=[50], where="encrypted""#, Some(["-100", "100"]));
    let product = task.op("matrix.vector", "", &[m, v]);
    task.output("product", product);
    let task = task.finish();
    let inputs = given([
        ("m", Exact::integers((0..1200).map(|k| k * 31 % 19 - 9))),
        ("v", Exact::integers((0..50).map(|k| k * 17 % 201 - 100))),
    ]);
    assert_eq!(run(&compile(&task), &inputs), expected(&task, &inputs));
}

#[test]
fn a_polynomial_of_reals() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[300], where="encrypted""#, Some(["-1", "1"]));
    let w = task.input("w", r#"kind="real", shape=[300], where="plain""#, Some(["-2", "2"]));
    let square = task.op("value.square", "", &[x]);
    let half = task.op("value.constant", r#"kind="real", shape=[300], value=0.3125"#, &[]);
    let scaled = task.op("value.multiply", "", &[square, half]);
    let weighted = task.op("value.multiply", "", &[x, w]);
    let sum = task.op("value.add", "", &[scaled, weighted]);
    let cube = task.op("value.multiply", "", &[sum, square]);
    let total = task.op("value.sum", "", &[cube]);
    task.output("cells", cube);
    task.output("total", total);
    let task = task.finish();
    let inputs = given([
        ("x", reals((0..300).map(|k| f64::from(k * 37 % 200 - 100) / 100.0))),
        ("w", reals((0..300).map(|k| f64::from(k * 11 % 400 - 200) / 128.0))),
    ]);
    let (found, exact) = (run(&compile(&task), &inputs), expected(&task, &inputs));
    for (name, bound) in [("cells", 1e-6), ("total", 1e-4)] {
        let worst = apart(&found[name], &exact[name]);
        println!("{name}: {worst:e}");
        assert!(worst < bound, "{name}: {worst}");
    }
}

/// The most that reals are off by.
fn apart(found: &Exact, exact: &Exact) -> f64 {
    let pairs = found.cells.iter().zip(&exact.cells);
    pairs.map(|(a, b)| (a.to_f64() - b.to_f64()).abs()).fold(0.0, f64::max)
}

/// A probability, of scores that are taken to be small.
fn probability(task: &mut TaskBuilder, score: usize) -> usize {
    let near = task.op("value.within", "max=8, min=-8", &[score]);
    task.op("value.polynomial", "coefficients=[500000, 150120, 0, -1593], decimals=6", &[near])
}

#[test]
fn numbers_before_a_polynomial_go_into_weights() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[700, 30], where="encrypted""#, Some(["-4", "4"]));
    let w = task.input("w", r#"kind="real", shape=[30], where="plain""#, Some(["-0.5", "0.5"]));
    let score = task.op("matrix.vector", "", &[x, w]);
    let bias = task.op("value.constant", r#"kind="real", shape=[700], value=-0.25"#, &[]);
    let score = task.op("value.add", "", &[score, bias]);
    let probability = probability(&mut task, score);
    task.output("probability", probability);
    let task = task.finish();
    let inputs = given([
        ("x", reals((0..21_000).map(|k| f64::from(k * 37 % 800 - 400) / 100.0))),
        ("w", reals((0..30).map(|k| f64::from(k * 11 % 100 - 50) / 128.0))),
    ]);
    let exact = expected(&task, &inputs);
    let with = |factors| {
        let passes = Passes { factors, ..Passes::default() };
        Program::compile(task.clone(), &Options { passes, ..Options::default() }).unwrap()
    };
    let (with, without) = (with(true), with(false));
    // Rescaled late, and with a polynomial on [-1, 1]: precise enough for a ring of half the size.
    assert_eq!((with.report().unwrap().n, without.report().unwrap().n), (8192, 16384));
    let messages = [&with, &without].map(|program| {
        let told = program.explain().unwrap().values;
        // Scores, the bias, scores with it: what is told is of these, not of an eighth of them.
        [2, 4].map(|number| told[number].message_bits.unwrap().round())
    });
    assert_eq!(messages[0], messages[1]);
    for program in [with, without].map(Arc::new) {
        explained(&program);
        assert_eq!(means_what_it_says(&program, 1), [""; 0]);
        let bound = program.report().unwrap().outputs[0].error_bits.unwrap().exp2();
        let off = apart(&run(&program, &inputs)["probability"], &exact["probability"]);
        println!("off by {off:e}, bound {bound:e}");
        assert!(off <= bound && bound < 2f64.powi(-19), "{off:e} {bound:e}");
    }
}

#[test]
fn a_score_beside_its_probability_costs_no_level_more() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[40, 8], where="encrypted""#, Some(["-4", "4"]));
    let w = task.input("w", r#"kind="real", shape=[8], where="plain""#, Some(["-0.5", "0.5"]));
    let score = task.op("matrix.vector", "", &[x, w]);
    let probability = probability(&mut task, score);
    task.output("score", score);
    task.output("probability", probability);
    let task = task.finish();
    let levels = |factors| {
        let passes = Passes { factors, ..Passes::default() };
        let options = Options { passes, precision: Some(14.0), ..Options::default() };
        let program = Program::compile(task.clone(), &options).unwrap();
        explained(&program);
        program.report().unwrap().moduli.len()
    };
    assert_eq!((levels(true), levels(false)), (4, 4));
}

/// The largest difference of what comes back from what is expected, and the largest bound that the program tells.
fn off(task: &Literal, inputs: &SortedMap<String, Exact>, precision: f64) -> SortedMap<String, (f64, f64)> {
    let options = Options { precision: Some(precision), ..Options::default() };
    let program = Arc::new(Program::compile(task.clone(), &options).unwrap());
    let (found, exact) = (run(&program, inputs), expected(task, inputs));
    let report = program.report().unwrap();
    println!("n {}, {} primes, scale {:?}", report.n, report.moduli.len(), report.scale.map(f64::log2));
    let worst = |name: &str, exact: &Exact| {
        let worst = apart(&found[name], exact);
        let own = report.outputs.iter().filter(|output| output.values.iter().any(|own| own == name));
        let bound = own.filter_map(|output| output.error_bits).fold(f64::NEG_INFINITY, f64::max).exp2();
        println!("{name}: off by {worst:e}, bound {bound:e}");
        assert!(worst <= bound, "{name}");
        (worst, bound)
    };
    exact.iter().map(|(name, exact)| (name.clone(), worst(name, exact))).collect()
}

#[test]
fn forty_bits_of_reals_are_to_be_had() {
    let mut task = TaskBuilder::default();
    let bounds = Some(["-1", "1"]);
    let [x, y] =
        ["x", "y"].map(|name| task.input(name, r#"kind="real", shape=[20], where="encrypted""#, bounds));
    let product = task.op("value.multiply", "", &[x, y]);
    let cube = task.op("value.multiply", "", &[product, x]);
    let sum = task.op("value.sum", "", &[y]);
    for (name, value) in [("x", x), ("product", product), ("cube", cube), ("sum", sum)] {
        task.output(name, value);
    }
    let cells =
        |k: f64| Exact::new((0..20).map(|i| Number::from_f64((k * f64::from(i)).sin()).unwrap()).collect());
    let inputs: SortedMap<_, _> = [("x".to_owned(), cells(0.37)), ("y".to_owned(), cells(1.9))].into();
    for (name, (off, bound)) in off(&task.finish(), &inputs, 40.0) {
        let largest = if name == "sum" { 20.0 } else { 1.0 };
        assert!(bound <= largest * 2f64.powi(-40), "{name}: {off:e}, {bound:e}");
    }
}

/// The coefficients of a function's interpolation in Chebyshev's nodes, as the text form has data.
fn interpolated(of: impl Fn(f64) -> f64, min: f64, max: f64, degree: usize) -> String {
    let count = degree + 1;
    let angle = |k: usize| std::f64::consts::PI * (k as f64 + 0.5) / count as f64;
    let at = |k: usize| of((min + max) / 2.0 + (max - min) / 2.0 * angle(k).cos());
    let coefficient = |j: usize| {
        let sum: f64 = (0..count).map(|k| at(k) * (j as f64 * angle(k)).cos()).sum();
        sum * if j == 0 { 1.0 } else { 2.0 } / count as f64
    };
    let all: Vec<f64> = (0..count).map(coefficient).collect();
    let attrs = Attrs::new().with("coefficients", bytes(&all));
    let attrs = attrs.with("min", Real::new(min).unwrap()).with("max", Real::new(max).unwrap()).to_string();
    attrs.trim_matches(['{', '}']).to_owned()
}

#[test]
fn functions_of_reals() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[20, 8], where="encrypted""#, Some(["-1", "1"]));
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    // What lies beside sums is anything, and is not to be a function's operand.
    let sum = task.op("value.sum", "axis=1", &[x]);
    let of_sum = task.op("value.chebyshev", &interpolated(sigmoid, -8.0, 8.0, 31), &[sum]);
    let near = task.op("value.within", "max=4.0, min=-4.0", &[sum]);
    let power =
        task.op("value.polynomial", "coefficients=[5, -3, 0, 2, 0, 0, 0, -1, 1], decimals=3", &[near]);
    let twice = task.op("value.chebyshev", &interpolated(f64::exp, -0.2, 1.2, 9), &[of_sum]);
    task.output("sigmoid", of_sum);
    task.output("power", power);
    task.output("twice", twice);
    let task = task.finish();
    let cells: Vec<f64> = (0..160).map(|k| f64::from(k * 37 % 101 - 50) / 64.0).collect();
    let inputs = given([("x", reals(cells.iter().copied()))]);
    let off = off(&task, &inputs, 20.0);
    assert!(off["sigmoid"].1 < 1e-5 && off["twice"].1 < 1e-5, "{off:?}");
    for (row, found) in cells.chunks(8).zip(&expected(&task, &inputs)["sigmoid"].cells) {
        assert!((sigmoid(row.iter().sum()) - found.to_f64()).abs() < 1e-4);
    }
}

#[test]
fn a_function_needs_bounds() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[4], where="encrypted""#, Some(["-1", "2"]));
    let root = task.op("value.chebyshev", &interpolated(f64::sqrt, 0.0, 2.0, 5), &[x]);
    task.output("root", root);
    let error = Program::compile(task.finish(), &Options::default()).err().unwrap().to_string();
    assert!(error.contains("found -1 to 2, expected 0 to 2") && error.contains("value.within"), "{error}");
}

#[test]
fn comparisons_of_reals() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[600], where="encrypted""#, Some(["-1", "1"]));
    let y = task.input("y", r#"kind="real", shape=[600], where="plain""#, Some(["-1", "1"]));
    let less = task.op("value.compare", r#"gap=0.0625, relation="lt""#, &[x, y]);
    let count = task.op("value.sum", "", &[less]);
    let largest = task.op("value.select", "", &[less, y, x]);
    task.output("less", less);
    task.output("count", count);
    task.output("largest", largest);
    let task = task.finish();
    let inputs = given([
        ("x", reals((0..600).map(|k| f64::from(k * 37 % 17 - 8) / 8.0))),
        ("y", reals((0..600).map(|k| f64::from(k * 11 % 16 - 8) / 8.0 + 0.0625))),
    ]);
    let off = off(&task, &inputs, 12.0);
    // Booleans and counts of them are rounded, and so right.
    assert_eq!((off["less"].0, off["count"].0), (0.0, 0.0));
    assert!(off["largest"].0 < 1e-4);
}

#[test]
fn counts_by_comparison() {
    let mut task = TaskBuilder::default();
    let age = task.input("age", r#"kind="integer", shape=[500], where="encrypted""#, Some(["0", "120"]));
    let region =
        task.input("region", r#"kind="category", shape=[500], where="encrypted", categories=5"#, None);
    let forty = task.op("value.constant", r#"kind="integer", shape=[500], value=40"#, &[]);
    let north = task.op("value.constant", r#"kind="category", shape=[500], value=2, categories=5"#, &[]);
    let older = task.op("value.compare", r#"relation="lt""#, &[forty, age]);
    let there = task.op("value.compare", r#"relation="eq""#, &[region, north]);
    let both = task.op("value.and", "", &[older, there]);
    let count = task.op("value.sum", "", &[both]);
    task.output("count", count);
    let task = task.finish();
    let inputs = given([
        ("age", Exact::integers((0..500).map(|k| k * k % 121))),
        ("region", Exact::integers((0..500).map(|k| k * 7 % 5))),
    ]);
    assert_eq!(run(&compile(&task), &inputs), expected(&task, &inputs));
}

/// Bytes of all evaluation keys.
fn key_bytes(program: &Program) -> u64 {
    program.report().unwrap().keys.iter().map(|(_, bytes)| bytes).sum()
}

/// The same program with two thirds of the bytes of keys, where it can do with these.
fn with_fewer_keys(program: &Program, options: &Options) -> Option<Arc<Program>> {
    let most = key_bytes(program) * 2 / 3;
    let options = Options { key_bytes: Some(most as f64), ..options.clone() };
    let found = match Program::compile(program.task().clone(), &options) {
        Err(Error::NoParameters { .. }) => return None,
        found => found.unwrap(),
    };
    assert!(key_bytes(&found) <= most);
    let read = Program::from_bytes(&found.bytes()).unwrap();
    assert_eq!((read.id(), read.keys()), (found.id(), found.keys()));
    Some(Arc::new(found))
}

#[test]
fn keys_have_no_more_bytes_than_they_may() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[256], where="encrypted""#, Some(["-9", "9"]));
    let mut sum = None;
    for steps in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233] {
        let turned = task.op("value.rotate", &format!("axis=0, steps={steps}"), &[x]);
        let square = task.op("value.multiply", "", &[turned, turned]);
        sum = Some(sum.map_or(square, |sum| task.op("value.add", "", &[sum, square])));
    }
    task.output("sum", sum.unwrap());
    let task = task.finish();
    let inputs = given([("x", Exact::integers((0..256).map(|k| k * 7 % 19 - 9)))]);
    let whole = Program::compile(task.clone(), &Options::default()).unwrap();
    let (all, one) = (key_bytes(&whole), whole.report().unwrap().keys[0].1);
    let mut turns = 0;
    for most in [all, all / 2, all * 2 / 5] {
        let options = Options { key_bytes: Some(most as f64), ..Options::default() };
        let program = Program::compile(task.clone(), &options).unwrap();
        let report = program.report().unwrap();
        assert!(key_bytes(&program) <= most, "{most}: {:?}", report.keys);
        let operators = report.operators.iter().filter(|(name, _)| name.contains("automorphism"));
        let own = operators.map(|(_, count)| count).sum::<usize>();
        assert!(own >= turns, "{most}: {own} after {turns}");
        turns = own;
        explained(&program);
        assert_eq!(means_what_it_says(&program, 2), [""; 0]);
        assert_eq!(run(&Arc::new(program), &inputs), expected(&task, &inputs));
    }
    let options = Options { key_bytes: Some(one as f64), ..Options::default() };
    let refused = Program::compile(task.clone(), &options).err().unwrap().to_string();
    assert!(refused.contains("bytes of evaluation keys"), "{refused}");
    // Parameters that are given are judged by the same limit.
    let parameters = Some(road::parameters(&whole.report().unwrap()));
    let refused = Program::compile(task, &Options { parameters, ..options }).err().unwrap();
    assert!(matches!(refused, Error::Parameters { .. }), "{refused}");
}

#[test]
fn keys_under_a_limit_are_of_as_few_primes_as_do() {
    let mut task = TaskBuilder::default();
    let [x, y] = ["x", "y"]
        .map(|name| task.input(name, r#"kind="integer", shape=[8], where="encrypted""#, Some(["0", "9"])));
    let product = task.op("value.multiply", "", &[x, y]);
    task.output("product", product);
    let passes = Passes { open_results: false, ..Passes::ALL };
    let options = Options { n: Some(16_384), key_bytes: Some(1e6), passes, ..Options::default() };
    let program = Program::compile(task.finish(), &options).unwrap();
    assert!((1..=1_000_000).contains(&key_bytes(&program)), "{}", key_bytes(&program));
}

#[test]
fn what_a_small_ring_gives_as_precisely_takes_no_larger_one() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[8], where="encrypted""#, Some(["-1", "1"]));
    let negative = task.op("value.negate", "", &[x]);
    task.output("negative", negative);
    let task = task.finish();
    let options = Options { precision: Some(37.0), ..Options::default() };
    assert_eq!(Program::compile(task.clone(), &options).unwrap().parameters().literal().n, 4096);
}

/// All passes, or some of them, by the bits of every second seed.
fn passes(seed: u64) -> Passes {
    if seed.is_multiple_of(2) {
        return Passes::default();
    }
    let on = |bit: u32| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (40 + bit) & 1 == 1;
    Passes {
        square: on(0),
        balance: on(1),
        turns: on(8),
        dedup: on(2),
        factors: on(11),
        flatten: on(9),
        giant_steps: on(3),
        late_sums: on(10),
        extract: on(12),
        lazy_relinearization: on(4),
        early_switching: on(5),
        open_results: on(13),
        hoist: on(6),
        fuse: on(7),
    }
}

/// What is told of a program fits to it: all operators on ciphertexts belong to one of the task, shares of the work are a whole, and levels are there.
fn explained(program: &Program) {
    let (told, report) = (program.explain().unwrap(), program.report().unwrap());
    let task = program.task();
    assert_eq!(told.values.len(), task.inputs.len() + task.nodes.len());
    let mut operators: SortedMap<String, usize> = SortedMap::new();
    for (name, count) in told.values.iter().flat_map(|value| &value.operators) {
        *operators.entry(name.clone()).or_default() += count;
    }
    // What makes results of inputs as they are belongs to no operator.
    assert!(operators.iter().all(|(name, count)| *count <= report.operators[name]), "{operators:?}");
    let cost: f64 = told.values.iter().map(|value| value.cost).sum();
    assert!((0.0..1.0 + 1e-9).contains(&cost), "{cost}");
    // What is times 0 has to hold nothing.
    let scheme = program.scheme();
    let by_zero =
        |op: &Operator| scheme.signature(op).attrs.get("by").is_some_and(|by| by.to_string() == "0");
    let zero = told.values.iter().any(|value| value.budget_bits == Some(f64::INFINITY))
        || scheme.operators().iter().any(by_zero);
    for value in &told.values {
        assert!(value.ciphertexts == 0 || value.encrypted);
        assert!(value.level.is_none_or(|level| 1 <= level && level <= report.moduli.len()));
        assert_eq!(value.level.is_some(), value.ciphertexts > 0);
        assert!(zero || value.budget_bits.is_none_or(|bits| bits > 0.0), "{value:?}");
    }
    for output in &task.outputs {
        let value = &told.values[output.operand];
        assert!(value.encrypted || value.clear || value.finished || output.operand >= task.inputs.len());
    }
    assert_eq!(told.keys.len(), report.keys.len());
    assert!(told.keys.iter().all(|key| !key.of.is_empty()), "{:?}", told.keys);
}

#[test]
fn a_program_is_explained() {
    let mut task = TaskBuilder::default();
    let typed = r#"kind="integer", shape=[100], where="encrypted""#;
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let inputs = names.map(|name| task.input(name, typed, Some(["-2", "2"])));
    let mut product = inputs[0];
    for &input in &inputs[1..] {
        product = task.op("value.multiply", "", &[product, input]);
    }
    let sum = task.op("value.sum", "", &[product]);
    let mean = task.op("stats.mean", "", &[product]);
    task.output("sum", sum);
    task.output("mean", mean);
    let task = task.finish();
    // With a sum that takes turns, so that there is a key for one.
    let passes = Passes { extract: false, ..Passes::ALL };
    let program = Program::compile(task.clone(), &Options { passes, ..Options::default() }).unwrap();
    explained(&program);
    let told = program.explain().unwrap();
    let cost: f64 = told.values.iter().map(|value| value.cost).sum();
    assert!((cost - 1.0).abs() < 1e-9, "{cost}");
    let reason = |about: &str| told.reasons.iter().find(|r| r.about == about).unwrap().text.clone();
    assert!(reason("scheme").starts_with("BGV"), "{}", reason("scheme"));
    // a b is computed, but a b c is not: the last product of the row is where the tree is made.
    let [first, second, last] = [8, 9, 14].map(|number: usize| &told.values[number]);
    assert_eq!((first.operators["bgv.multiply"], second.ciphertexts), (1, 0));
    assert!(second.operators.is_empty() && last.operators["bgv.multiply"] == 6);
    let [sum, mean] = [&told.values[15], &told.values[16]];
    assert!(sum.operators["rlwe.automorphism"] == 7 && sum.encrypted && !sum.finished, "{sum:?}");
    assert!(mean.finished && mean.operators.is_empty(), "{mean:?}");
    let turned = told.keys.iter().find(|key| key.name.starts_with("galois")).unwrap();
    assert_eq!(turned.of, [15]);
    // Without the pass there are seven in a row, which need more primes.
    let row = Passes { balance: false, ..passes };
    let row = Program::compile(task, &Options { passes: row, ..Options::default() }).unwrap();
    let bits = |program: &Program| program.parameters().total_bits();
    assert!(bits(&row) > bits(&program), "{} {}", bits(&row), bits(&program));
}

/// Every stage that is no circuit, on random data; gives what was left out, and why.
fn means_what_it_says(program: &Program, seed: u64) -> Vec<String> {
    let mut left_out = Vec::new();
    let server = program.stage("server", &Simd::new()).unwrap();
    for stage in [Meaning::Server, Meaning::Finish, Meaning::Packed] {
        let report = program
            .verify(stage, seed, 0..6)
            .unwrap_or_else(|error| panic!("seed {seed}, {stage:?}: {error}"));
        // Where outputs are inputs the server has nothing to compute.
        let none = stage == Meaning::Server && server.operators().is_empty();
        assert!(none || !report.compared.is_empty() || !report.skipped.is_empty(), "seed {seed}, {stage:?}");
        left_out
            .extend(report.skipped.into_iter().map(|skipped| format!("{}: {}", skipped.what, skipped.why)));
    }
    left_out
}

#[test]
fn what_data_do_not_decide_is_left_out() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[40], where="encrypted""#, Some(["-1", "1"]));
    let c = task.input("c", r#"kind="real", shape=[40], where="public""#, Some(["-1", "1"]));
    let apart = task.op("value.compare", r#"relation="lt", gap=0.0125"#, &[x, c]);
    let near = task.op("value.compare", r#"relation="lt", gap=1.5"#, &[x, c]);
    let sum = task.op("value.sum", "", &[x]);
    for (name, operand) in [("apart", apart), ("near", near), ("sum", sum)] {
        task.output(name, operand);
    }
    let left_out = means_what_it_says(&compile(&task.finish()), 1);
    assert!(left_out.len() == 1 && left_out[0].starts_with("output `near`: reals"), "{left_out:?}");
    // What divides by 0 whatever is drawn, and what is told of numbers that never are.
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[4], where="encrypted""#, Some(["100", "200"]));
    let near = task.op("value.within", "max=7, min=-7", &[x]);
    let square = task.op("value.square", "", &[near]);
    task.output("square", square);
    let left_out = means_what_it_says(&compile(&task.finish()), 1);
    assert_eq!(left_out.len(), 3);
    assert!(left_out[0].starts_with("everything: it is not computed exactly of the data"), "{left_out:?}");
    // Only small data are within.
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[4], where="encrypted""#, Some(["-100000", "200000"]));
    let near = task.op("value.within", "max=7, min=-7", &[x]);
    let square = task.op("value.square", "", &[near]);
    task.output("square", square);
    assert_eq!(means_what_it_says(&compile(&task.finish()), 1), [""; 0]);
}

#[test]
fn statistics_of_what_is_missing_mean_what_they_say() {
    let mut task = TaskBuilder::default();
    let gaps = r#"kind="integer", shape=[50], where="encrypted", decimals=2, missing=1"#;
    let x = task.input("x", gaps, Some(["-1000", "1000"]));
    let y = task.input("y", gaps, Some(["0", "200"]));
    let day = task.input("day", r#"kind="date", shape=[50], where="encrypted""#, Some(["0", "20000"]));
    let sort = task.input("sort", r#"kind="category", categories=3, shape=[50], where="plain""#, None);
    let covariance = task.op("stats.covariance", "of=\"population\"", &[x, y]);
    let mean = task.op("stats.mean", "", &[x]);
    let own = task.op("value.compare", r#"relation="eq""#, &[sort, sort]);
    let cells = task.op("value.cells", "", &[x]);
    let kept = task.op("value.multiply", "", &[cells, own]);
    let sum = task.op("value.sum", "", &[kept]);
    // What is made of them has gaps where one has.
    let own_mask = task.op("value.present", "", &[x]);
    let (other, mask) = (task.op("value.cells", "", &[y]), task.op("value.present", "", &[y]));
    let both = task.op("value.and", "", &[own_mask, mask]);
    let (total, product) =
        (task.op("value.add", "", &[cells, other]), task.op("value.multiply", "", &[cells, other]));
    let (total, product) =
        (task.op("value.gaps", "", &[total, both]), task.op("value.gaps", "zeroed=1", &[product, both]));
    let of_total = task.op("stats.variance", "of=\"sample\"", &[total]);
    let of_product = task.op("stats.mean", "", &[product]);
    let both = task.op("stats.covariance", "of=\"population\"", &[total, y]);
    let filled = task.op("value.cells", "fill=-250", &[y]);
    let filled = task.op("value.sum", "axis=0", &[filled]);
    let all = [
        ("filled", filled),
        ("covariance", covariance),
        ("mean", mean),
        ("sum", sum),
        ("day", day),
        ("x", x),
        ("total", total),
        ("of_total", of_total),
        ("of_product", of_product),
        ("both", both),
    ];
    for (name, operand) in all {
        task.output(name, operand);
    }
    assert_eq!(means_what_it_says(&compile(&task.finish()), 5), [""; 0]);
}

/// Tells the seed of the task at which a test fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("at seed {}", self.0);
        }
    }
}

/// Random tasks, encrypted; gives how many were run. What is too deep for any parameters, or too large to be looked up, is left out.
fn random_tasks(seeds: std::ops::Range<u64>, real: bool) -> usize {
    let values = Values::new();
    let registry = values.registry();
    let mut done = 0;
    for seed in seeds {
        let _told = Seed(seed);
        let Random { task, inputs } = random(&registry, seed, 4, real);
        // Integers under both schemes of them.
        let scheme = (!real && seed & 2 == 2).then_some(SchemeName::Bfv);
        let options = Options { scheme, precision: Some(16.0), passes: passes(seed), ..Options::default() };
        let mut program = match Program::compile(task.clone(), &options) {
            Ok(program) => Arc::new(program),
            Err(Error::NoParameters { .. } | Error::RangeOverflow { .. }) => continue,
            Err(Error::Operator { op, .. }) if op == "value.compare" => continue,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        if seed.is_multiple_of(3) {
            program = with_fewer_keys(&program, &options).unwrap_or(program);
        }
        let (found, exact) = (run(&program, &inputs), expected(&task, &inputs));
        let report = program.report().unwrap();
        explained(&program);
        means_what_it_says(&program, seed);
        for (name, exact) in &exact {
            if !real {
                assert_eq!(&found[name], exact, "seed {seed}, {name}");
                continue;
            }
            // Its ciphertexts may be named after another one that lies in them.
            let bound = |output: &&OutputReport| output.values.contains(name);
            let bound = report
                .outputs
                .iter()
                .filter(bound)
                .filter_map(|output| output.error_bits)
                .fold(f64::NEG_INFINITY, f64::max);
            for (a, b) in found[name].cells.iter().zip(&exact.cells) {
                let off = (a.to_f64() - b.to_f64()).abs();
                assert!(off <= bound.exp2(), "seed {seed}, {name}: off by {off:e}, bound 2^{bound:.1}");
            }
        }
        done += 1;
    }
    done
}

#[test]
fn random_tasks_of_integers() {
    let done = random_tasks(0..40, false);
    assert!(done > 20, "{done}");
}

#[test]
fn random_tasks_of_reals() {
    let done = random_tasks(0..40, true);
    assert!(done > 20, "{done}");
}

/// Of each scheme as many as `CIPHERLOOM_TASKS` says.
#[test]
#[ignore = "long: npm run test:long"]
fn many_random_tasks() {
    let first = std::env::var("CIPHERLOOM_FIRST").ok().and_then(|first| first.parse().ok()).unwrap_or(1_000);
    let count = std::env::var("CIPHERLOOM_TASKS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000);
    println!(
        "{} of {} of integers, half of them under BFV",
        random_tasks(first..first + 2 * count, false),
        2 * count
    );
    println!("{} of {count} of reals", random_tasks(first..first + count, true));
}

#[test]
fn integers_beside_reals_are_right_or_refused() {
    // Counted in hundredths: what CKKS gives must be nearer than half of one.
    let task = |most: &str| {
        let mut task = TaskBuilder::default();
        let x = task.input(
            "x",
            r#"kind="integer", shape=[64], where="encrypted", decimals=2"#,
            Some(["0", most]),
        );
        let y = task.input("y", r#"kind="real", shape=[64], where="encrypted""#, Some(["0", "1"]));
        let double = task.op("value.add", "", &[x, x]);
        task.output("double", double);
        task.output("y", y);
        task.finish()
    };
    let cells = |most: i128| Exact::integers((0..64).map(|k| most - k));
    let inputs = given([("x", cells(90_000)), ("y", reals((0..64).map(|k| f64::from(k) / 64.0)))]);
    let small = task("90000");
    assert_eq!(run(&compile(&small), &inputs)["double"], expected(&small, &inputs)["double"]);
    let large = Program::compile(task("900000000000000"), &Options::default());
    assert!(matches!(large, Err(Error::NoParameters { .. })), "{:?}", large.err());
}

#[test]
fn a_slice_of_reals_is_precise() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[2, 3, 4], where="encrypted""#, Some(["-1", "1"]));
    let slice = task.op("value.slice", "size=[1, 3, 4], start=[1, 0, 0]", &[x]);
    let flat = task.op("value.reshape", "shape=[3, 4]", &[slice]);
    task.output("flat", flat);
    let task = task.finish();
    let inputs = given([("x", reals((0..24).map(|k| f64::from(k) / 32.0)))]);
    let (found, exact) = (run(&compile(&task), &inputs), expected(&task, &inputs));
    for (a, b) in found["flat"].cells.iter().zip(&exact["flat"].cells) {
        assert!((a.to_f64() - b.to_f64()).abs() < 1e-6);
    }
}

#[test]
fn one_key_and_one_value_serve_several_programs() {
    let question = |build: fn(&mut TaskBuilder, usize) -> usize| {
        let mut task = TaskBuilder::default();
        let x = task.input("x", r#"kind="integer", shape=[6], where="encrypted""#, Some(["0", "50"]));
        let y = build(&mut task, x);
        task.output("y", y);
        task.finish()
    };
    // Several sums: these leave room for each other, so that x does not lie as for one sum.
    let first = question(|task, x| {
        let square = task.op("value.square", "", &[x]);
        let [sum, squares] = [x, square].map(|x| task.op("value.sum", "", &[x]));
        task.output("sum", sum);
        task.output("squares", squares);
        square
    });
    let second = question(|task, x| task.op("value.sum", "", &[x]));
    let passes = Passes { open_results: false, ..Passes::ALL };
    let asked = Arc::new(Program::compile(first.clone(), &Options { passes, ..Options::default() }).unwrap());
    let report = asked.report().unwrap();
    assert!(report.outputs.iter().any(|output| output.values.len() == 2), "{:?}", report.outputs);
    let parameters = road::parameters(&report);
    let under = |parameters: GivenParameters, task: &Literal| {
        Program::compile(task.clone(), &Options { parameters: Some(parameters), ..Options::default() })
    };
    let again = Arc::new(under(parameters.clone(), &second).unwrap());
    assert_eq!(again.parameters().id(), asked.parameters().id());
    let inputs = given([("x", Exact::integers([3, 50, 0, 7, 11, 1]))]);
    let client = Client::new(Arc::clone(&asked), Arc::new(Simd::new()), || 0.0).unwrap();
    let (sealed, clear) = (sealed(&client, &inputs), SortedMap::new());
    assert_eq!(answers(&client, &asked, &sealed, &clear), expected(&first, &inputs));
    let holder = client.for_program(Arc::clone(&again)).unwrap();
    assert_eq!(answers(&holder, &again, &sealed, &clear), expected(&second, &inputs));
    // Under another name: the one layout of that shape.
    let mut renamed = second.clone();
    renamed.inputs[0].name = "other".into();
    let renamed = under(parameters.clone(), &renamed).unwrap().report().unwrap().inputs;
    assert_eq!(renamed["other"].layout, parameters.layouts["x"]);
    let without = GivenParameters { layouts: SortedMap::new(), ..parameters.clone() };
    assert_ne!(
        under(without, &second).unwrap().report().unwrap().inputs["x"].layout,
        parameters.layouts["x"]
    );
    for wrong in [
        r#"{"axes":[[6,null]],"repeated":0}"#,
        r#"{"axes":[[6,62]],"repeated":0}"#,
        r#"{"axes":[[6,0]],"repeated":1}"#,
    ] {
        let layouts = SortedMap::from([("x".to_owned(), serde_json::from_str(wrong).unwrap())]);
        let error = under(GivenParameters { layouts, ..parameters.clone() }, &second).err();
        assert!(
            matches!(&error, Some(Error::Parameters { what, .. }) if what.contains("layout")),
            "{error:?}"
        );
    }
    let error = under(GivenParameters { plain_moduli: vec!["5".into()], ..parameters }, &second).err();
    assert!(matches!(error, Some(Error::Parameters { .. })), "{error:?}");
}

#[test]
fn what_is_held_is_as_good_as_what_is_given() {
    let mut task = TaskBuilder::default();
    let value = |place: &str| format!(r#"kind="integer", shape=[40], where="{place}""#);
    let [x, y] = ["x", "y"].map(|name| task.input(name, &value("encrypted"), Some(["-9", "9"])));
    let [v, w] = ["v", "w"].map(|name| task.input(name, &value("plain"), Some(["-9", "9"])));
    let product = task.op("value.multiply", "", &[x, y]);
    let weights = task.op("value.multiply", "", &[v, w]);
    let weighted = task.op("value.multiply", "", &[product, weights]);
    let shifted = task.op("value.add", "", &[weighted, v]);
    let sum = task.op("value.sum", "", &[shifted]);
    task.output("cells", shifted);
    task.output("sum", sum);
    let task = task.finish();
    let cells = |by: i128| Exact::integers((0..40).map(|k| k * by % 19 - 9));
    let sets = [3, 8].map(|first| {
        let numbers = [first, first + 1, first + 2, first + 3].map(cells);
        ["x", "y", "v", "w"].map(String::from).into_iter().zip(numbers).collect::<SortedMap<_, _>>()
    });
    let program = compile(&task);
    let client = Client::new(Arc::clone(&program), Arc::new(Simd::new()), || 0.0).unwrap();
    let evaluator = evaluator(&client, &program);
    let is_encrypted = |name: &String| ["x", "y"].contains(&name.as_str());
    let of = |inputs: &SortedMap<String, Exact>, names: &str| -> (SortedMap<_, _>, SortedMap<_, _>) {
        let own = inputs.clone().into_iter().filter(|(name, _)| names.contains(name.as_str()));
        let (own, clear): (SortedMap<_, _>, _) = own.partition(|(name, _)| is_encrypted(name));
        (sealed(&client, &own), clear)
    };
    for (held, given) in [("x", "yvw"), ("v", "xyw"), ("vw", "xy"), ("xvw", "y"), ("xyvw", ""), ("", "xyvw")]
    {
        let (own, clear) = of(&sets[0], held);
        let stays = evaluator.hold(&by_name(&own), road::given(&clear), &Simd::new()).unwrap();
        // Twice with other values for the rest: what was kept of the first run is right in the second.
        for inputs in &sets {
            let (own, clear) = of(inputs, given);
            let job = evaluator.run_with(&stays, &by_name(&own), &road::given(&clear)).unwrap();
            let from = |name: &String| &sets[0][name];
            let all = inputs.iter().map(|(name, cells)| {
                (name.clone(), if held.contains(name.as_str()) { from(name) } else { cells }.clone())
            });
            let found = opened(&client, job, &SortedMap::new());
            assert_eq!(found, expected(&task, &all.collect()), "held {held}");
        }
    }
    let (x, v) = (of(&sets[0], "x").0, of(&sets[0], "v").1);
    let stays = evaluator.hold(&by_name(&x), road::given(&v), &Simd::new()).unwrap();
    for (own, clear) in [("xy", "w"), ("y", "vw")] {
        let error = evaluator
            .run_with(&stays, &by_name(&of(&sets[1], own).0), &road::given(&of(&sets[1], clear).1))
            .err();
        assert!(matches!(&error, Some(Error::Task { found, .. }) if found.contains("held")), "{error:?}");
    }
    let error = evaluator.run_with(&stays, &[], &road::given(&of(&sets[1], "w").1)).err();
    assert!(matches!(&error, Some(Error::MissingInput { name }) if name == "y"), "{error:?}");
    let error = evaluator.run_with(&stays, &by_name(&of(&sets[1], "y").0), &SortedMap::new()).err();
    assert!(matches!(&error, Some(Error::MissingInput { name }) if name == "w"), "{error:?}");
    let wrong = SortedMap::from([("v".to_owned(), Exact::integers([10; 40]))]);
    let error = evaluator.hold(&[], road::given(&wrong), &Simd::new()).err();
    assert!(matches!(&error, Some(Error::ValueOutOfRange { .. })), "{error:?}");
}

#[test]
fn what_grows_too_large_says_so() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[], where="encrypted""#, Some(["0", "1000"]));
    let power = task.op("value.power", "exponent=1000", &[x]);
    task.output("power", power);
    let error = Program::compile(task.finish(), &Options::default()).err();
    assert!(matches!(error, Some(Error::RangeOverflow { .. })), "{error:?}");
    let mut task = TaskBuilder::default();
    let attrs = r#"kind="integer", shape=[3], where="encrypted""#;
    let x = task.input("x", attrs, Some(["0", "4611686018427387904"]));
    let sum = task.op("value.sum", "axis=0", &[x]);
    task.output("sum", sum);
    let error = Program::compile(task.finish(), &Options::default()).err();
    assert!(matches!(error, Some(Error::RangeOverflow { found: 65, limit: 62, .. })), "{error:?}");
}

#[test]
fn turns_of_a_picture_are_shared() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[16, 16], where="encrypted""#, Some(["0", "9"]));
    let mut sum = None;
    for (dy, dx) in (-1..2).flat_map(|dy| (-1..2).map(move |dx| (dy, dx))) {
        let down = task.op("value.rotate", &format!("axis=0, steps={dy}"), &[x]);
        let turned = task.op("value.rotate", &format!("axis=1, steps={dx}"), &[down]);
        sum = Some(sum.map_or(turned, |sum| task.op("value.add", "", &[sum, turned])));
    }
    task.output("window", sum.unwrap());
    let task = task.finish();
    let count = |passes| {
        let program = Program::compile(task.clone(), &Options { passes, ..Options::default() }).unwrap();
        let inputs = given([("x", Exact::integers((0..256).map(|k| k * 7 % 10)))]);
        let operators = program.report().unwrap().operators;
        assert_eq!(means_what_it_says(&program, 2), [""; 0]);
        assert_eq!(run(&Arc::new(program), &inputs), expected(&task, &inputs));
        operators
            .iter()
            .filter(|(name, _)| name.contains("automorphism"))
            .map(|(_, count)| count)
            .sum::<usize>()
    };
    let as_they_are = Passes { turns: false, flatten: false, giant_steps: false, ..Passes::default() };
    let (with, without) = (count(Passes::default()), count(as_they_are));
    assert!(with < without, "{with} {without}");
}

#[test]
fn products_of_bfv_that_are_added_up_are_divided_once() {
    let mut task = TaskBuilder::default();
    let [a, b, c] = ["a", "b", "c"]
        .map(|name| task.input(name, r#"kind="integer", shape=[8], where="encrypted""#, Some(["0", "9"])));
    let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|factors| task.op("value.multiply", "", &factors));
    let sum = task.op("value.add", "", &[ab, bc]);
    let sum = task.op("value.add", "", &[sum, ca]);
    task.output("sum", sum);
    let task = task.finish();
    let inputs = given(["a", "b", "c"].map(|name| (name, Exact::integers((0..8).map(|k| k * 7 % 10)))));
    let products = |fuse| {
        let passes = Passes { fuse, ..Passes::default() };
        let options = Options { scheme: Some(SchemeName::Bfv), passes, ..Options::default() };
        let program = Program::compile(task.clone(), &options).unwrap();
        let count = program.report().unwrap().operators["bfv.multiply"];
        assert_eq!(means_what_it_says(&program, 3), [""; 0]);
        assert_eq!(run(&Arc::new(program), &inputs), expected(&task, &inputs));
        count
    };
    assert_eq!((products(true), products(false)), (1, 3));
}

#[test]
fn the_precision_that_is_to_be_had_is_told() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[512], where="encrypted""#, Some(["-1", "1"]));
    let power = (0..2).fold(x, |x, _| {
        let square = task.op("value.square", "", &[x]);
        let sum = task.op("value.sum", "", &[square]);
        let sum = task.op("value.broadcast", "shape=[512]", &[sum]);
        let mean = task.op("value.multiply", "", &[sum, x]);
        task.op("value.within", "max=1, min=-1", &[mean])
    });
    task.output("power", power);
    let task = task.finish();
    let at = |precision: f64| {
        Program::compile(task.clone(), &Options { precision: Some(precision), ..Options::default() })
    };
    let Err(Error::NoParameters { reason, .. }) = at(40.0) else { panic!("precise enough") };
    let (_, told) = reason.split_once("a precision of ").unwrap();
    let had: f64 = told.split_once(' ').unwrap().0.parse().unwrap();
    assert!((1.0..40.0).contains(&had), "{reason}");
    at(had).unwrap();
}

#[test]
fn what_is_0_keeps_its_levels() {
    // Nothing is spent of its budget at any level, but what comes after it needs some.
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[10], where="encrypted""#, Some(["-9", "9"]));
    let zero = task.op("value.constant", r#"kind="integer", shape=[10], value=0"#, &[]);
    let nothing = task.op("value.multiply", "", &[x, zero]);
    let product = task.op("value.multiply", "", &[nothing, nothing]);
    let sum = task.op("value.sum", "", &[product]);
    let square = task.op("value.square", "", &[x]);
    let fourth = task.op("value.square", "", &[square]);
    task.output("sum", sum);
    task.output("fourth", fourth);
    let task = task.finish();
    let inputs = SortedMap::from([("x".to_owned(), Exact::integers(-5..5))]);
    assert_eq!(run(&compile(&task), &inputs), expected(&task, &inputs));
}
