//! What the client makes of decrypted reals, which may be off: within the error that it tells, and nothing where nothing can be told.

use crate::common::Random;
use crate::road::{TaskBuilder, by_name, evaluator, expected, given, sealed};
use cipherloom::Error;
use cipherloom::circuit::{Outcome, OutputCells};
use cipherloom::platform::Simd;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Literal, Options, Program};
use cipherloom::values::Exact;
use cipherloom::values::number::Number;
use std::sync::Arc;

/// A task of x and y, reals, and who has the key of its program.
struct Asked {
    task: Literal,
    program: Arc<Program>,
    client: Client,
}

impl Asked {
    fn new(
        attrs: &str,
        cells: usize,
        [least, most]: [&str; 2],
        build: impl FnOnce(&mut TaskBuilder, [usize; 2]),
    ) -> Self {
        let mut task = TaskBuilder::default();
        let ty = format!(r#"kind="real", shape=[{cells}], where="encrypted"{attrs}"#);
        let [x, y] = ["x", "y"].map(|name| task.input(name, &ty, Some([least, most])));
        build(&mut task, [x, y]);
        let task = task.finish();
        let program = Arc::new(Program::compile(task.clone(), &Options::default()).unwrap());
        let client = Client::new(Arc::clone(&program), Arc::new(Simd::new()), || 0.0).unwrap();
        Self { task, program, client }
    }

    /// What is decrypted, by name.
    fn details(&self, inputs: &SortedMap<String, Exact>) -> SortedMap<String, OutputCells> {
        let job = evaluator(&self.client, &self.program);
        let job = job.run(&by_name(&sealed(&self.client, inputs)), &SortedMap::new()).unwrap();
        let Outcome::Objects(results) = job.complete().unwrap() else { panic!("results") };
        let results: Vec<&[u8]> = results.iter().map(|r| r.bytes.as_slice()).collect();
        let job = self.client.decrypt(&results, &given(&SortedMap::new()), None).unwrap();
        let Outcome::Cells(cells) = job.complete().unwrap() else { panic!("cells") };
        cells.into_iter().map(|output| (output.name.clone(), output)).collect()
    }

    /// That each output is what it should be but for what it tells, and how much that is at most.
    fn check(&self, inputs: &SortedMap<String, Exact>) -> SortedMap<String, f64> {
        let (found, expected) = (self.details(inputs), expected(&self.task, inputs));
        let all = found.iter().map(|(name, output)| {
            let (cells, error) = (output.cells.as_ref().unwrap(), output.error.unwrap());
            for (a, b) in cells.cells.iter().zip(&expected[name].cells) {
                let off = (a.to_f64() - b.to_f64()).abs();
                assert!(off <= error, "{name}: {a:?} is off by {off:e}, and by {error:e} at most");
            }
            (name.clone(), error)
        });
        all.collect()
    }
}

fn cells(all: impl IntoIterator<Item = f64>) -> Exact {
    Exact::new(all.into_iter().map(|x| Number::from_f64(x).unwrap()).collect())
}

fn columns(x: Exact, y: Exact) -> SortedMap<String, Exact> {
    SortedMap::from([("x".to_owned(), x), ("y".to_owned(), y)])
}

fn statistics(task: &mut TaskBuilder, [x, y]: [usize; 2]) {
    let r = task.op("stats.correlation", "", &[x, y]);
    let line = task.op("stats.regression", "", &[x, y]);
    task.output("r", r);
    task.output("line", line);
}

#[test]
fn statistics_of_too_few_or_equal_cells_have_no_value() {
    let asked = Asked::new(", missing=1", 8, ["0", "10"], statistics);
    let y = || Exact::with_missing((1..=8).map(|y| Some(Number::from(y))));
    let none = Exact::with_missing((0..8).map(|_| None));
    let one = Exact::with_missing((0..8).map(|k| (k == 1).then(|| Number::from_f64(3.5).unwrap())));
    let equal = Exact::with_missing((0..8).map(|_| Number::from_f64(7.25)));
    for x in [none, one, equal] {
        // Of noise, which is another one each time.
        for _ in 0..4 {
            for (name, output) in asked.details(&columns(x.clone(), y())) {
                assert!(matches!(output.cells, Err(Error::NoValue { .. })), "{name}: {:?}", output.cells);
            }
        }
    }
    let spread = Exact::with_missing((0..8).map(|k| (k != 3).then(|| Number::from(k * k % 10))));
    asked.check(&columns(spread, y()));
}

#[test]
fn a_root_of_what_may_be_0_is_near_0() {
    let asked = Asked::new("", 3, ["0", "1"], |task, [x, y]| {
        let difference = task.op("value.sub", "", &[x, y]);
        let square = task.op("value.square", "", &[difference]);
        let sum = task.op("value.sum", "", &[square]);
        let root = task.op("value.root", "", &[sum]);
        task.output("distance", root);
        let finished = task.op("value.finish", "", &[sum]);
        let told = task.op("value.within", "max=3.0, min=0.0", &[finished]);
        let root = task.op("value.root", "", &[told]);
        task.output("told", root);
    });
    let x = || cells([0.1, 0.7, 0.3]);
    for _ in 0..12 {
        let errors = asked.check(&columns(x(), x()));
        assert!(errors.values().all(|&error| error < 0.01), "{errors:?}");
    }
}

#[test]
fn a_polynomial_tells_by_how_much_it_may_be_off() {
    let asked = Asked::new("", 3, ["-2", "2"], |task, [x, y]| {
        let [x, y] = [x, y].map(|all| task.op("value.sum", "", &[all]));
        let [x, y] = [x, y].map(|sum| task.op("value.finish", "", &[sum]));
        let p = task.op("value.polynomial", "coefficients=[10, -25, 0, 5], decimals=1", &[x]);
        let zero = task.op("value.polynomial", "coefficients=[0, 1, 1]", &[y]);
        let quotient = task.op("value.divide", "", &[x, zero]);
        task.output("p", p);
        task.output("quotient", quotient);
    });
    for _ in 0..4 {
        let inputs = columns(cells([0.25, 1.5, -0.875]), cells([0.75, -1.5, 0.75]));
        for (name, output) in asked.details(&inputs) {
            let none = matches!(output.cells, Err(Error::NoValue { .. }));
            assert_eq!(none, name == "quotient", "{name}: {:?}", output.cells);
            let told = output.error.is_some_and(|error| error > 0.0 && error < 0.01);
            assert!(none || told, "{name}: {:?}", output.error);
        }
    }
    let errors = asked.check(&columns(cells([0.25, 1.5, -0.875]), cells([1.75, -1.5, 0.75])));
    assert!(errors.values().all(|&error| error < 0.01), "{errors:?}");
}

/// From columns that have all that they may have to such that are almost one number: what is told is right, and a correlation is none beyond 1.
#[test]
fn what_is_told_of_finished_reals_holds() {
    let asked = Asked::new("", 20, ["-1", "1"], |task, [x, y]| {
        statistics(task, [x, y]);
        let variance = task.op("stats.variance", r#"of="population""#, &[x]);
        let deviation = task.op("value.root", "", &[variance]);
        let [of_x, of_y] = [x, y].map(|x| task.op("stats.mean", "", &[x]));
        let quotient = task.op("value.divide", "", &[of_x, of_y]);
        task.output("deviation", deviation);
        task.output("quotient", quotient);
    });
    let mut random = Random::new(9);
    let (mut told, mut none) = (0, 0);
    for spread in [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
        let middle = (1.0 - spread) * 0.623;
        let mut column =
            || cells((0..20).map(|_| middle + spread * (random.below(2001) as f64 / 1000.0 - 1.0)));
        let inputs = columns(column(), column());
        let expected = expected(&asked.task, &inputs);
        for (name, output) in asked.details(&inputs) {
            let Ok(cells) = output.cells else {
                none += 1;
                continue;
            };
            told += 1;
            let error = output.error.unwrap();
            for (a, b) in cells.cells.iter().zip(&expected[&name].cells) {
                let (a, b) = (a.to_f64(), b.to_f64());
                assert!(
                    (a - b).abs() <= error,
                    "{name}, {spread:e}: {a} is {b}, and off by {error:e} at most"
                );
                assert!(name != "r" || a.abs() <= 1.0, "{a}");
            }
        }
    }
    assert!(told >= 16 && none >= 2, "{told} told, {none} not");
}

/// Where two numbers are no further apart than noise may have moved them, what is made of their comparison may be off, and says by how much.
#[test]
fn what_noise_may_have_decided_is_told() {
    let asked = Asked::new("", 8, ["-1", "1"], |task, [x, y]| {
        let [x, y] = [x, y].map(|x| {
            let sum = task.op("value.sum", "", &[x]);
            task.op("value.finish", "", &[sum])
        });
        let integer = |value: &str| format!(r#"kind="integer", shape=[], decimals=2, value={value}"#);
        let [six, seven] = ["60", "70"].map(|value| task.op("value.constant", &integer(value), &[]));
        let below = task.op("value.compare", r#"relation="lt""#, &[x, y]);
        let equal = task.op("value.compare", r#"relation="eq""#, &[x, y]);
        let square = task.op("value.square", "", &[y]);
        let chosen = task.op("value.select", "", &[below, x, square]);
        let units = task.op("value.select", "", &[below, six, seven]);
        let scaled = task.op("value.multiply", "", &[units, seven]);
        let quotient = task.op("value.divide", "", &[x, units]);
        let not = task.op("value.not", "", &[below]);
        let both = task.op("value.and", "", &[not, equal]);
        let either = task.op("value.or", "", &[not, equal]);
        let category = |value: u32| format!(r#"kind="category", categories=9, shape=[], value={value}"#);
        let [one, eight] = [1, 8].map(|value| task.op("value.constant", &category(value), &[]));
        let chosen_category = task.op("value.select", "", &[below, one, eight]);
        let is_eight = task.op("value.compare", r#"relation="eq""#, &[chosen_category, eight]);
        // A choice among choices, and one by a polynomial, which noise does not decide.
        let inner = task.op("value.select", "", &[equal, below, equal]);
        let nested = task.op("value.select", "", &[below, inner, equal]);
        let product = task.op("value.polynomial", "coefficients=[0, 1, 1], decimals=0", &[x]);
        let product = task.op("value.multiply", "", &[product, y]);
        let by_product = task.op("value.compare", r#"relation="lt""#, &[product, y]);
        let by_product = task.op("value.select", "", &[by_product, x, y]);
        for (name, value) in [("category", chosen_category), ("is eight", is_eight), ("nested", nested)] {
            task.output(name, value);
        }
        task.output("by product", by_product);
        let all =
            [("below", below), ("equal", equal), ("chosen", chosen), ("units", units), ("scaled", scaled)];
        let others = [("quotient", quotient), ("both", both), ("either", either)];
        for (name, value) in all.into_iter().chain(others) {
            task.output(name, value);
        }
    });
    let column = |first: i32| cells((0..8).map(|k| f64::from((k + first) % 8) / 8.0 - 0.25));
    let mut others = 0;
    for is_near in [false, true] {
        // The same cells in another order, or all of one.
        let x = if is_near { column(3) } else { cells([0.9; 8]) };
        let inputs = columns(x, column(0));
        let expected = expected(&asked.task, &inputs);
        for _ in 0..if is_near { 24 } else { 2 } {
            let found = asked.details(&inputs);
            for (name, output) in &found {
                let error = output.error.unwrap_or(0.0);
                let unit = match name.as_str() {
                    "units" => 1e2,
                    "scaled" => 1e4,
                    "category" => 7.0,
                    _ => 1.0,
                };
                let cells = &output.cells.as_ref().unwrap().cells;
                let off = (cells[0].to_f64() - expected[name].cells[0].to_f64()).abs() / unit;
                assert!(
                    off <= error + 1e-12,
                    "{name}, near: {is_near}: off by {off:e}, and {error:e} at most"
                );
                others += usize::from(name == "below" && off > 0.0);
            }
            let error = |name: &str| found[name].error;
            let may = |error: f64| is_near.then_some(error);
            assert_eq!(["below", "equal", "both", "either"].map(error), [may(1.0); 4]);
            assert_eq!([error("units"), error("scaled")], [may(0.1), may(0.07)]);
            assert_eq!(["category", "is eight", "nested"].map(error), [may(1.0); 3]);
            assert!(error("by product").is_some_and(|error| error < 1e-3));
            let told = error("chosen").unwrap();
            assert!(if is_near { told > 0.1 } else { told > 0.0 && told < 1e-3 }, "{told:e}");
        }
    }
    assert!((1..24).contains(&others), "noise alone decides: {others} of 24 are the other way");
}
