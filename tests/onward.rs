//! Results that are inputs of the next program: what two programs make one after the other is what one would make of both tasks.

use crate::road::random::{Dice, Random, random};
use crate::road::{self, TaskBuilder, answers, evaluator, expected, given, parameters, sealed};
use cipherloom::circuit::Outcome;
use cipherloom::platform::Simd;
use cipherloom::schemes::SchemeName;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{
    Client, GivenResult, InputLiteral, Literal, Options, OutputLiteral, Program, ResultOf, Step,
};
use cipherloom::values::number::Number;
use cipherloom::values::{Exact, Values};
use cipherloom::{Error, Result};
use cipherloom_fuzz::container::{content, sealed as sealed_like};
use std::sync::Arc;

type Cells = SortedMap<String, Exact>;

const PRECISION: Option<f64> = Some(16.0);

/// Two programs, of which the second takes the result `output` of the first as `name`.
fn chained(first: &Literal, second: &Literal, [output, name]: [&str; 2]) -> Result<[Program; 2]> {
    let from = SortedMap::from([(
        name.to_owned(),
        ResultOf { task: 0, output: output.to_owned(), refreshed: false },
    )]);
    let steps = vec![first.clone().into(), Step { from, ..second.clone().into() }];
    let all = Program::compile_all(steps, &Options { precision: PRECISION, ..Options::default() })?;
    Ok(all.try_into().unwrap_or_else(|_| panic!("two programs")))
}

/// A program whose outputs of these names others compute on.
fn keeping(task: &Literal, kept: &[&str], options: &Options) -> Program {
    let kept = kept.iter().map(|&name| name.to_owned()).collect();
    Program::compile_all(vec![Step { kept, ..task.clone().into() }], options).unwrap().remove(0)
}

/// A program under the parameters of another one, of which results are inputs: by name, and as what.
fn following(first: &Program, task: &Literal, results: &[(&str, &str)]) -> Result<Program> {
    let report = first.report().unwrap();
    let result = |&(input, output): &(&str, &str)| (input.to_owned(), report.results[output].given.clone());
    let results = results.iter().map(result).collect();
    let options =
        Options { parameters: Some(parameters(&report)), precision: PRECISION, ..Options::default() };
    Ok(Program::compile_all(vec![Step { results, ..task.clone().into() }], &options)?.remove(0))
}

/// A result as an input: of the type and range that its program tells.
fn input(first: &Program, output: &str, name: &str) -> InputLiteral {
    let result = first.report().unwrap().results[output].clone();
    InputLiteral { name: name.to_owned(), ty: result.ty, min: result.min, max: result.max, digits: None }
}

/// What comes of the second program, given the result `output` of the first as `name`, after its bytes went through that of another evaluator.
fn both(
    [first, second]: [Program; 2],
    [output, name]: [&str; 2],
    inputs: &Cells,
    clear: &Cells,
) -> (Cells, Cells) {
    let [first, second] =
        [first, second].map(|program| Arc::new(Program::from_bytes(&program.bytes()).unwrap()));
    let client = Client::new(Arc::clone(&first), Arc::new(Simd::new()), || 0.0).unwrap();
    let next = client.for_program(Arc::clone(&second)).unwrap();
    let of = |program: &Program, all: &Cells| -> Cells {
        let own = |name: &String| program.task().inputs.iter().any(|input| input.name == *name);
        all.clone().into_iter().filter(|(name, _)| own(name)).collect()
    };
    let (own, others) = (of(&first, inputs), of(&second, inputs));
    let mut values = sealed(&client, &own);
    let job = evaluator(&client, &first).run(&road::by_name(&values), &given(&of(&first, clear))).unwrap();
    let Outcome::Objects(results) = job.complete().unwrap() else { panic!("results") };
    let bytes: Vec<&[u8]> = results.iter().map(|result| result.bytes.as_slice()).collect();
    let clear_of = given(&of(&first, clear));
    let Outcome::Cells(found) = client.decrypt(&bytes, &clear_of, None).unwrap().complete().unwrap() else {
        panic!("cells")
    };
    let found = found.into_iter().map(|output| (output.name, output.cells.unwrap())).collect();
    // What both take was encrypted once.
    let new = others.into_iter().filter(|(name, _)| !values.contains_key(name)).collect();
    values.extend(sealed(&next, &new));
    values.retain(|name, _| second.task().inputs.iter().any(|input| input.name == *name));
    let result = results.iter().find(|result| result.names.iter().any(|own| own == output)).unwrap();
    values.insert(name.to_owned(), result.bytes.clone());
    (found, answers(&next, &second, &values, &of(&second, clear)))
}

fn cells<const N: usize>(all: [(&str, Exact); N]) -> Cells {
    all.into_iter().map(|(name, cells)| (name.to_owned(), cells)).collect()
}

fn reals(cells: impl IntoIterator<Item = f64>) -> Exact {
    Exact::new(cells.into_iter().map(|cell| Number::from_f64(cell).unwrap()).collect())
}

/// x y, its sum and mean; then z w + x, its mean and sum, where z is x y.
fn tasks(kind: &str, bounds: [&str; 2]) -> [Literal; 2] {
    let attrs = format!(r#"kind="{kind}", shape=[40], where="encrypted""#);
    let mut first = TaskBuilder::default();
    let [x, y] = ["x", "y"].map(|name| first.input(name, &attrs, Some(bounds)));
    let product = first.op("value.multiply", "", &[x, y]);
    let [sum, mean] = ["value.sum", "stats.mean"].map(|op| first.op(op, "", &[product]));
    for (name, operand) in [("product", product), ("sum", sum), ("mean", mean)] {
        first.output(name, operand);
    }
    let mut second = TaskBuilder::default();
    let [z, w, x] = ["z", "w", "x"].map(|name| second.input(name, &attrs, Some(bounds)));
    let product = second.op("value.multiply", "", &[z, w]);
    let more = second.op("value.add", "", &[product, x]);
    let [mean, sum] = ["stats.mean", "value.sum"].map(|op| second.op(op, "", &[more]));
    for (name, operand) in [("mean", mean), ("sum", sum), ("more", more)] {
        second.output(name, operand);
    }
    [first.finish(), second.finish()]
}

/// What the second task is of the first one's result, exactly.
fn expected_after(tasks: &[Literal; 2], [output, name]: [&str; 2], inputs: &Cells) -> (Cells, Cells) {
    let of = |task: &Literal, all: &Cells| -> Cells {
        let own = |name: &String| task.inputs.iter().any(|input| input.name == *name);
        all.clone().into_iter().filter(|(name, _)| own(name)).collect()
    };
    let first = expected(&tasks[0], &of(&tasks[0], inputs));
    let mut inputs = inputs.clone();
    inputs.insert(name.to_owned(), first[output].clone());
    let second = expected(&tasks[1], &of(&tasks[1], &inputs));
    (first, second)
}

fn near(found: &Cells, expected: &Cells, off: f64, at: &str) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, cells) in expected {
        for (a, b) in found[name].cells.iter().zip(&cells.cells) {
            assert!((a.to_f64() - b.to_f64()).abs() <= off, "{at}, {name}: {} {}", a.to_f64(), b.to_f64());
        }
    }
}

#[test]
fn a_result_of_integers_is_an_input() {
    // One plaintext modulus, and several.
    for most in [9, 30_000] {
        let bounds = [-most, most].map(|bound: i128| bound.to_string());
        let tasks = tasks("integer", [&bounds[0], &bounds[1]]);
        let programs = chained(&tasks[0], &tasks[1], ["product", "z"]).unwrap();
        assert_eq!(programs[0].parameters().id(), programs[1].parameters().id());
        assert_eq!(programs[0].parameters().literal().t.len() > 1, most > 9);
        let inputs = cells([
            ("x", Exact::integers((0..40).map(|k| k * 7 % 19 * most / 18))),
            ("y", Exact::integers((0..40).map(|k| k * 5 % 19 * most / 9 - most))),
            ("w", Exact::integers((0..40).map(|k| most - k * 3 % most))),
        ]);
        let found = both(programs, ["product", "z"], &inputs, &Cells::new());
        // Ranges of the second are those of the product.
        let mut tasks = tasks;
        let square = (most * most).to_string();
        (tasks[1].inputs[0].min, tasks[1].inputs[0].max) = (Some(format!("-{square}")), Some(square));
        assert_eq!(found, expected_after(&tasks, ["product", "z"], &inputs));
    }
}

#[test]
fn a_result_of_reals_is_an_input() {
    let tasks = tasks("real", ["-2", "2"]);
    let programs = chained(&tasks[0], &tasks[1], ["product", "z"]).unwrap();
    assert_eq!(programs[0].parameters().literal().scheme, SchemeName::Ckks);
    let inputs = cells([
        ("x", reals((0..40).map(|k| f64::from(k) / 32.0))),
        ("y", reals((0..40).map(|k| 2.0 - f64::from(k) / 16.0))),
        ("w", reals((0..40).map(|k| f64::from(k % 7) / 4.0))),
    ]);
    let found = both(programs, ["product", "z"], &inputs, &Cells::new());
    let exact = expected_after(&tasks, ["product", "z"], &inputs);
    near(&found.0, &exact.0, 1e-3, "first");
    near(&found.1, &exact.1, 1e-2, "second");
}

#[test]
fn integers_are_counted_for_a_task_of_reals() {
    let [first, _] = tasks("integer", ["-9", "9"]);
    let mut second = TaskBuilder::default();
    let z = second.input("z", r#"kind="integer", shape=[], where="encrypted""#, None);
    let w = second.input("w", r#"kind="real", shape=[], where="encrypted""#, Some(["-1", "1"]));
    let product = second.op("value.multiply", "", &[z, w]);
    second.output("product", product);
    let tasks = [first, second.finish()];
    let programs = chained(&tasks[0], &tasks[1], ["sum", "z"]).unwrap();
    assert_eq!(programs[0].parameters().literal().scheme, SchemeName::Ckks);
    let inputs = cells([
        ("x", Exact::integers((0..40).map(|k| k * 7 % 19 - 9))),
        ("y", Exact::integers((0..40).map(|k| k * 5 % 19 - 9))),
        ("w", reals([0.375])),
    ]);
    let found = both(programs, ["sum", "z"], &inputs, &Cells::new());
    let mut tasks = tasks;
    (tasks[1].inputs[0].min, tasks[1].inputs[0].max) = (Some("-3240".into()), Some("3240".into()));
    let exact = expected_after(&tasks, ["sum", "z"], &inputs);
    assert_eq!(found.0, exact.0);
    near(&found.1, &exact.1, 1e-2, "second");
}

/// A random task, cut at an operator of the server's.
fn cut(task: &Literal, number: usize) -> [Literal; 2] {
    let (inputs, operand) = (task.inputs.len(), task.inputs.len() + number);
    let mut first = task.clone();
    first.nodes.truncate(number + 1);
    first.outputs = vec![OutputLiteral { name: "cut".into(), operand }];
    let mut second = task.clone();
    second.inputs.push(InputLiteral { name: "cut".into(), ..task.inputs[0].clone() });
    let moved = |at: usize| match at {
        at if at == operand => inputs,
        at if at >= inputs => at + 1,
        at => at,
    };
    second.nodes.iter_mut().for_each(|node| node.inputs.iter_mut().for_each(|at| *at = moved(*at)));
    second.outputs.iter_mut().for_each(|output| output.operand = moved(output.operand));
    [first, second]
}

/// Gives how many random tasks were cut in two and run.
fn random_tasks(seeds: std::ops::Range<u64>, real: bool) -> usize {
    let values = Values::new();
    let registry = values.registry();
    let mut done = 0;
    for seed in seeds {
        let Random { task, inputs } = random(&registry, seed, 4, real);
        let tasks = cut(&task, Dice(seed).below(task.nodes.len() as u64) as usize);
        let programs = match chained(&tasks[0], &tasks[1], ["cut", "cut"]) {
            Ok(programs) => programs,
            // Too deep; or what is cut is clear, or may have missing cells, or is the client's.
            Err(Error::NoParameters { .. } | Error::RangeOverflow { .. } | Error::Task { .. }) => continue,
            Err(Error::Operator { op, .. }) if op == "value.compare" => continue,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let hidden = |name: &String| {
            task.inputs.iter().any(|input| input.name == *name && input.ty.contains("encrypted"))
        };
        let (own, clear): (Cells, Cells) = inputs.clone().into_iter().partition(|(name, _)| hidden(name));
        let bounds = programs.each_ref().map(|program| {
            let outputs = program.report().unwrap().outputs;
            outputs.iter().filter_map(|output| output.error_bits).fold(-30.0, f64::max).exp2()
        });
        let (_, found) = both(programs, ["cut", "cut"], &own, &clear);
        let exact = expected(&task, &inputs);
        if real {
            // The client divides by what may be small.
            let finished =
                tasks[1].nodes.iter().any(|node| node.op == "value.divide" || node.op == "value.root");
            if !finished {
                near(&found, &exact, bounds[1], &format!("seed {seed}"));
            }
        } else {
            assert_eq!(found, exact, "seed {seed}");
        }
        done += 1;
    }
    done
}

#[test]
fn random_tasks_of_integers_in_two_programs() {
    let done = random_tasks(0..40, false);
    assert!(done > 10, "{done}");
}

#[test]
fn random_tasks_of_reals_in_two_programs() {
    let done = random_tasks(0..40, true);
    assert!(done > 10, "{done}");
}

#[test]
fn only_that_result_is_taken() {
    let [task, mut next] = tasks("integer", ["-9", "9"]);
    let whole = chained(&task, &next, ["product", "z"]).unwrap();
    // By hand: programs that are compiled one after the other.
    let options = Options { parameters: Some(parameters(&whole[0].report().unwrap())), ..Options::default() };
    let first = keeping(&task, &["product", "sum"], &options);
    next.inputs[0] = input(&first, "product", "z");
    let second = following(&first, &next, &[("z", "product")]).unwrap();
    assert_eq!(second.report().unwrap().scheme, SchemeName::Bgv);
    let plain = following(&first, &next, &[]).unwrap();
    let [first, second, plain] = [first, second, plain].map(Arc::new);
    let client = Client::new(Arc::clone(&first), Arc::new(Simd::new()), || 0.0).unwrap();
    let next = client.for_program(Arc::clone(&second)).unwrap();
    let some = || Exact::integers((0..40).map(|k| k % 10));
    let values = sealed(&client, &cells([("x", some()), ("y", some())]));
    let job = evaluator(&client, &first).run(&road::by_name(&values), &SortedMap::new()).unwrap();
    let Outcome::Objects(results) = job.complete().unwrap() else { panic!("results") };
    let of = |name: &str| {
        results.iter().find(|result| result.names.iter().any(|own| own == name)).unwrap().bytes.clone()
    };
    let w = sealed(&next, &cells([("w", some())]));
    let ask = |z: Vec<u8>| {
        let all = SortedMap::from([
            ("z".into(), z),
            ("w".into(), w["w"].clone()),
            ("x".into(), values["x"].clone()),
        ]);
        evaluator(&next, &second).run(&road::by_name(&all), &SortedMap::new()).map(drop)
    };
    ask(of("product")).unwrap();
    let found = |error: Result<()>| match error {
        Err(Error::Task { found, .. }) => found,
        Err(Error::Foreign { of, .. }) => of.to_owned(),
        Err(Error::Format { problem, .. }) => problem.to_string(),
        other => panic!("{other:?}"),
    };
    // Only what is fresh travels as a seed: the form stands behind three identities and the description.
    let mut inside = content(&of("product")).to_vec();
    let form = 52 + u32::from_le_bytes(inside[48..52].try_into().unwrap()) as usize;
    inside[form] ^= 1;
    assert!(found(ask(sealed_like(&of("product"), &inside))).contains("a seed in what is not fresh"));
    assert_eq!(found(ask(of("sum"))), "the result `sum`");
    assert_eq!(found(ask(values["y"].clone())), "what was encrypted");
    // Of the same task and parameters, but with other bounds: its results are another program's.
    let other = Arc::new(Program::compile(task.clone(), &options).unwrap());
    let job = evaluator(&client.for_program(Arc::clone(&other)).unwrap(), &other)
        .run(&road::by_name(&values), &SortedMap::new())
        .unwrap();
    let Outcome::Objects(others) = job.complete().unwrap() else { panic!("results") };
    let of_other = others.iter().find(|result| result.names.iter().any(|own| own == "product")).unwrap();
    assert_eq!(found(ask(of_other.bytes.clone())), "program");
    // A result is not encrypted, and is no fresh value.
    let given = road::given_cells(&some());
    assert_eq!(found(next.encrypt(&[("z", &given)]).map(drop)), "cells that are to be encrypted");
    let all = SortedMap::from([
        ("z".into(), of("product")),
        ("w".into(), w["w"].clone()),
        ("x".into(), values["x"].clone()),
    ]);
    let holder = client.for_program(Arc::clone(&plain)).unwrap();
    assert_eq!(
        found(evaluator(&holder, &plain).run(&road::by_name(&all), &SortedMap::new()).map(drop)),
        "a result"
    );
}

#[test]
fn what_is_no_result_is_refused_when_compiled() {
    let tasks = tasks("integer", ["-9", "9"]);
    let refused = |from: [&str; 2]| match chained(&tasks[0], &tasks[1], from).err() {
        Some(Error::Task { at, expected, .. }) => format!("{at}: {expected}"),
        other => panic!("{other:?}"),
    };
    for (from, what) in [
        // What the client finishes, what is not there, and what is no input.
        (["mean", "z"], "kept output `mean`: one that the client does not finish"),
        (["none", "z"], "kept output `none`: one that the client does not finish"),
        (["product", "none"], "input `none`: an encrypted input, and an output of a task before"),
    ] {
        assert_eq!(refused(from), what);
    }
    let itself =
        SortedMap::from([("z".to_owned(), ResultOf { task: 1, output: "more".into(), refreshed: false })]);
    let steps = vec![tasks[0].clone().into(), Step { from: itself, ..tasks[1].clone().into() }];
    let error = Program::compile_all(steps, &Options::default()).err();
    assert!(matches!(&error, Some(Error::Task { at, .. }) if at == "input `z`"), "{error:?}");
    // Changed by hand.
    let first = keeping(&tasks[0], &["product"], &Options::default());
    let report = first.report().unwrap();
    let given = &report.results["product"].given;
    let change = |change: fn(&mut GivenResult)| {
        let mut given = given.clone();
        change(&mut given);
        let options = Options { parameters: Some(parameters(&report)), ..Options::default() };
        let results = SortedMap::from([("z".to_owned(), given)]);
        match Program::compile_all(vec![Step { results, ..tasks[1].clone().into() }], &options).err() {
            Some(Error::Parameters { what, .. }) => what,
            other => panic!("{other:?}"),
        }
    };
    for wrong in [
        |given: &mut GivenResult| given.ciphertexts[0].error = f64::NAN,
        |given: &mut GivenResult| given.ciphertexts[0].message = Some(1.0),
        |given: &mut GivenResult| given.ciphertexts.clear(),
        |given: &mut GivenResult| {
            given.ciphertexts[0].ty = given.ciphertexts[0].ty.replace("parts=2", "parts=3")
        },
        |given: &mut GivenResult| {
            given.ciphertexts[0].ty = given.ciphertexts[0].ty.replace("factor=", "factor=-")
        },
    ] {
        let what = change(wrong);
        assert!(what.contains("result `z`") || what.contains("factor"), "{what}");
    }
    let alone =
        Step { results: SortedMap::from([("z".to_owned(), given.clone())]), ..tasks[1].clone().into() };
    let error = Program::compile_all(vec![alone], &Options::default()).err();
    assert!(matches!(&error, Some(Error::Parameters { what, .. }) if what == "parameters"), "{error:?}");
}
