//! Results that may be published: noise that hides the key, as much as is promised, and no more of them than were declared.

use crate::road::{TaskBuilder, by_name, evaluator, expected, given, parameters, sealed};
use cipherloom::circuit::{Outcome, OutputCells};
use cipherloom::platform::Simd;
use cipherloom::schemes::SchemeName;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Literal, Options, Program, Releases, ResultOf, Step};
use cipherloom::values::Exact;
use cipherloom::values::number::Number;
use cipherloom::{Error, Result};
use cipherloom_fuzz::container::{content, sealed as sealed_like};
use std::sync::Arc;

type Cells = SortedMap<String, Exact>;

fn options(count: u64, statistical_bits: u32, precision: f64) -> Options {
    let releases = Some(Releases { count, statistical_bits });
    Options { releases, precision: Some(precision), ..Options::default() }
}

fn compiled(task: &Literal, options: &Options) -> Arc<Program> {
    Arc::new(Program::compile(task.clone(), options).unwrap_or_else(|error| panic!("{error}")))
}

fn client(program: &Arc<Program>) -> Client {
    Client::new(Arc::clone(program), Arc::new(Simd::new()), || 0.0).unwrap()
}

/// Twice a column of numbers, and their sum.
fn task(kind: &str, rows: usize) -> Literal {
    let mut task = TaskBuilder::default();
    let attrs = format!(r#"kind="{kind}", shape=[{rows}], where="encrypted""#);
    let x = task.input("x", &attrs, Some(["-1", "1"]));
    let (double, total) = (task.op("value.add", "", &[x, x]), task.op("value.sum", "axis=0", &[x]));
    task.output("double", double);
    task.output("total", total);
    task.finish()
}

fn reals(rows: usize) -> Cells {
    let at = |k: usize| Number::from_f64(((k * k) as f64 * 0.7).sin()).unwrap();
    Cells::from([("x".to_owned(), Exact::new((0..rows).map(at).collect()))])
}

fn results(client: &Client, program: &Arc<Program>, values: &Cells) -> Vec<Vec<u8>> {
    let job = evaluator(client, program).run(&by_name(&sealed(client, values)), &SortedMap::new()).unwrap();
    let Outcome::Objects(results) = job.complete().unwrap() else { panic!("results") };
    results.into_iter().map(|result| result.bytes).collect()
}

fn decrypted(client: &Client, results: &[Vec<u8>]) -> Result<Vec<OutputCells>> {
    let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
    match client.decrypt(&results, &given(&Cells::new()), None)?.complete()? {
        Outcome::Cells(cells) => Ok(cells),
        _ => panic!("cells"),
    }
}

/// All numbers of an output.
fn numbers(outputs: &[OutputCells], name: &str) -> Vec<f64> {
    let output = outputs.iter().find(|output| output.name == name).unwrap();
    output.cells.as_ref().unwrap().cells.iter().map(Number::to_f64).collect()
}

#[test]
fn what_is_decrypted_has_noise_of_the_deviation_that_is_told_and_is_as_precise_as_promised() {
    for (count, bits, precision) in [(1, 20, 12.0), (100, 30, 6.0)] {
        let task = task("real", 1000);
        let program = compiled(&task, &options(count, bits, precision));
        let program = Arc::new(Program::from_bytes(&program.bytes()).unwrap());
        let report = program.report().unwrap();
        assert_eq!(report.releases, Some(Releases { count, statistical_bits: bits }));
        let (values, client) = (reals(1000), client(&program));
        let (expected, results) = (expected(&task, &values), results(&client, &program, &values));
        let found = decrypted(&client, &results).unwrap();
        for output in &report.outputs {
            let error = output.error_bits.unwrap();
            for name in &output.values {
                let exact: Vec<f64> = expected[name].cells.iter().map(Number::to_f64).collect();
                let off: Vec<f64> = numbers(&found, name).iter().zip(&exact).map(|(a, b)| a - b).collect();
                let largest = exact.iter().copied().fold(1.0, f64::max);
                assert!(off.iter().all(|off| off.abs() <= error.exp2()), "{name}: {error}");
                assert!(error <= f64::log2(1000.0 * largest) - precision, "{name}: {error}");
                if name == "double" {
                    // Two-sided: the squares of a thousand, of which any two share what is left of their correlation, which is nothing.
                    let told = output.noise_bits.unwrap().exp2();
                    let square: f64 = off.iter().map(|off| (off / told).powi(2)).sum();
                    let statistic = (square - 1000.0) / 2000f64.sqrt();
                    assert!(statistic.abs() < 6.0, "{statistic} of 2^{:?}", output.noise_bits);
                }
            }
        }
        if count == 1 {
            let Err(Error::Released { found: 2, expected: 1 }) = decrypted(&client, &results) else {
                panic!("a second one")
            };
            continue;
        }
        // Drawn anew.
        let again = decrypted(&client, &results).unwrap();
        assert_ne!(numbers(&found, "double"), numbers(&again, "double"));
        assert_eq!(client.released(), 2);
    }
}

/// More results, or more bits, are more noise, by the formula: four times as many are twice as much.
#[test]
fn noise_follows_from_what_is_declared() {
    let most = compiled(&task("real", 1000), &options(40, 32, 4.0)).report().unwrap();
    let noise = |count, bits| {
        let options = Options { parameters: Some(parameters(&most)), ..options(count, bits, 4.0) };
        let outputs = compiled(&task("real", 1000), &options).report().unwrap().outputs;
        (outputs[0].noise_bits.unwrap(), outputs[0].error_bits.unwrap())
    };
    let (first, error) = noise(10, 30);
    for (count, bits) in [(40, 30), (10, 32)] {
        let (more, larger) = noise(count, bits);
        assert!((more - first - 1.0).abs() < 1e-6 && (larger - error - 1.0).abs() < 0.01, "{first} {more}");
    }
    let own = Options { parameters: Some(parameters(&most)), precision: Some(4.0), ..Options::default() };
    let without = compiled(&task("real", 1000), &own);
    let report = without.report().unwrap();
    assert!(report.releases.is_none() && report.outputs.iter().all(|output| output.noise_bits.is_none()));
    assert!(report.outputs[0].error_bits.unwrap() < error - 15.0);
    assert!(!String::from_utf8_lossy(&without.bytes()).contains("releases"));
}

#[test]
fn precision_that_is_not_to_be_had_is_told_with_the_one_that_is() {
    let task = task("real", 1000);
    let Err(Error::NoParameters { reason, .. }) = Program::compile(task.clone(), &options(100, 30, 20.0))
    else {
        panic!("20 bits")
    };
    let (_, had) = reason.split_once("a precision of ").unwrap_or_else(|| panic!("{reason}"));
    let had: f64 = had.split(' ').next().unwrap().parse().unwrap();
    assert!((4.0..20.0).contains(&had), "{reason}");
    compiled(&task, &options(100, 30, had));
}

#[test]
fn exact_results_are_counted_and_no_budget_is_told() {
    let task = task("integer", 50);
    let program = compiled(&task, &options(2, 30, 20.0));
    let report = program.report().unwrap();
    assert_eq!((report.scheme, report.outputs[0].noise_bits), (SchemeName::Bgv, None));
    let client = client(&program);
    let values = Cells::from([("x".to_owned(), Exact::integers((0..50).map(|k| k % 3 - 1)))]);
    let results = results(&client, &program, &values);
    let found = decrypted(&client, &results).unwrap();
    for output in &found {
        assert!(output.budget.is_none(), "{}", output.name);
        assert_eq!(output.cells.as_ref().unwrap().cells, expected(&task, &values)[&output.name].cells);
    }
    // Whether it fails is an answer, too: it counts, and tells no number.
    let broken: Vec<Vec<u8>> = results
        .iter()
        .map(|result| {
            let mut inside = content(result).to_vec();
            let at = inside.len() - 60;
            inside[at..].fill(0x15);
            sealed_like(result, &inside)
        })
        .collect();
    let error = decrypted(&client, &broken).err().unwrap();
    assert!(matches!(error, Error::NoiseHidden { .. }), "{error}");
    assert!(!error.to_string().contains(|c: char| c.is_ascii_digit()), "{error}");
    assert_eq!(client.released(), 2);
    let error = decrypted(&client, &results).err().unwrap();
    assert_eq!((error.code(), error.details()[1].1.as_str()), ("key.released", "2"));
}

/// The count is the key's: it goes along where the key is saved, and other programs under it count on.
#[test]
fn results_are_counted_for_each_key() {
    let task = task("integer", 50);
    let program = compiled(&task, &options(3, 30, 20.0));
    let restored = |program: &Arc<Program>, saved: &[u8]| {
        Client::restore(Arc::clone(program), Arc::new(Simd::new()), || 0.0, saved)
    };
    let first = client(&program);
    let fresh = first.save();
    let values = Cells::from([("x".to_owned(), Exact::integers((0..50).map(|k| k % 3 - 1)))]);
    let results = results(&first, &program, &values);
    decrypted(&first, &results).unwrap();
    let saved = first.save();
    assert_eq!(saved.len(), fresh.len() + 24);
    let second = restored(&program, &saved).unwrap();
    assert_eq!(second.released(), 1);
    // Jobs that were begun before the last one that may be do not tell more than that.
    let bytes: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
    let jobs: Vec<_> = (0..3).map(|_| second.decrypt(&bytes, &SortedMap::new(), None).unwrap()).collect();
    let told: Vec<bool> = jobs.into_iter().map(|job| job.complete().is_ok()).collect();
    assert_eq!(told, [true, true, false]);
    let third = restored(&program, &second.save()).unwrap();
    assert!(matches!(decrypted(&third, &results), Err(Error::Released { found: 4, expected: 3 })));
    // What is for the client alone is no release; nor does another declaration begin anew.
    let own = Options { parameters: Some(parameters(&program.report().unwrap())), ..Options::default() };
    let alone = compiled(&task, &own);
    let others = compiled(&task, &Options { releases: Some(Releases::new(5)), ..own });
    assert_eq!(alone.parameters().id(), program.parameters().id());
    let client = third.for_program(Arc::clone(&alone)).unwrap();
    let kept = self::results(&client, &alone, &values);
    assert!(decrypted(&client, &kept).unwrap()[0].budget.is_some());
    assert_eq!(client.released(), 3);
    let client = third.for_program(Arc::clone(&others)).unwrap();
    let kept = self::results(&client, &others, &values);
    let error = decrypted(&client, &kept).err().unwrap();
    assert_eq!(error.code(), "key.foreign");
    assert!(
        error.to_string().contains("5 of 30 bits") && error.to_string().contains("3 of 30 bits"),
        "{error}"
    );
    // Counts that cannot be are no saved client's.
    for (at, value) in [(8, 1u8), (16, 0), (16, 4), (0, 0)] {
        let mut inside = content(&saved).to_vec();
        let place = inside.len() - 24 + at;
        inside[place] = value;
        let error = restored(&program, &sealed_like(&saved, &inside)).err().unwrap();
        assert_eq!(error.code(), "format.content", "{at}");
    }
    let inside = content(&saved);
    let error = restored(&program, &sealed_like(&saved, &inside[..inside.len() - 8])).err().unwrap();
    assert_eq!(error.code(), "format.truncated");
}

/// What another program computes on is not what is published: noise is added where it is decrypted, and to that alone.
#[test]
fn results_that_others_compute_on_are_without_noise() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[1000], where="encrypted""#, Some(["-1", "1"]));
    let double = task.op("value.add", "", &[x, x]);
    task.output("double", double);
    let first = task.finish();
    let mut task = TaskBuilder::default();
    let y = task.input("y", r#"kind="real", shape=[1000], where="encrypted""#, None);
    let four = task.op("value.add", "", &[y, y]);
    task.output("four", four);
    let from = SortedMap::from([(
        "y".to_owned(),
        ResultOf { task: 0, output: "double".to_owned(), refreshed: false },
    )]);
    let steps = vec![first.into(), Step { from, ..task.finish().into() }];
    let all = Program::compile_all(steps, &options(10, 20, 8.0)).unwrap();
    let [first_program, second_program] = all.try_into().unwrap_or_else(|_| panic!("two programs"));
    let report = first_program.report().unwrap();
    let (told, kept) = (&report.outputs[0], &report.results["double"].given.ciphertexts[0]);
    let scale = report.scale.unwrap().log2();
    assert!(told.error_bits.unwrap() > kept.error - scale + 10.0, "{told:?} {kept:?}");
    let next = second_program.report().unwrap();
    assert!(
        (next.outputs[0].error_bits.unwrap() - told.error_bits.unwrap() - 1.0).abs() < 0.1,
        "twice the error"
    );
    assert_eq!(next.releases, report.releases);
}

/// Beneath much noise the scale is larger than primes are, and levels have two of them each: products, sums over levels, and what another program computes on.
#[test]
fn levels_of_two_primes_carry_what_one_would() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[1000], where="encrypted""#, Some(["-1", "1"]));
    let square = task.op("value.multiply", "", &[x, x]);
    let cube = task.op("value.multiply", "", &[square, x]);
    let sum = task.op("value.add", "", &[cube, x]);
    task.output("sum", sum);
    task.output("square", square);
    let first = task.finish();
    let mut task = TaskBuilder::default();
    let y = task.input("y", r#"kind="real", shape=[1000], where="encrypted""#, None);
    let fourth = task.op("value.multiply", "", &[y, y]);
    task.output("fourth", fourth);
    let from = SortedMap::from([(
        "y".to_owned(),
        ResultOf { task: 0, output: "square".to_owned(), refreshed: false },
    )]);
    let second = task.finish();
    let steps = vec![first.clone().into(), Step { from, ..second.clone().into() }];
    let all = Program::compile_all(steps, &options(4, 30, 12.0)).unwrap();
    let all = all.iter().map(|program| Arc::new(Program::from_bytes(&program.bytes()).unwrap()));
    let [first_program, second_program] =
        all.collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("two"));
    let report = first_program.report().unwrap();
    let primes = report.moduli.iter().map(|q| q.parse::<f64>().unwrap().log2());
    assert!(report.scale.unwrap().log2() > 50.0 && primes.fold(0.0, f64::max) <= 50.0, "{report:?}");
    assert_eq!(report.moduli.len() % 2, 0);
    let client = client(&first_program);
    let values = reals(1000);
    let squares = results(&client, &first_program, &values);
    let near = |program: &Program, found: &[OutputCells], expected: &Cells| {
        for output in program.report().unwrap().outputs {
            for name in &output.values {
                let exact = expected[name].cells.iter().map(Number::to_f64);
                let off = numbers(found, name).into_iter().zip(exact).map(|(a, b)| (a - b).abs());
                let (off, told) = (off.fold(0.0, f64::max).log2(), output.error_bits.unwrap());
                assert!(off < told && off > told - 6.0 && told < -11.0, "{name}: 2^{off}, told 2^{told}");
            }
        }
    };
    let expected_first = expected(&first, &values);
    near(&first_program, &decrypted(&client, &squares).unwrap(), &expected_first);
    let kept = &squares[1];
    let holder = client.for_program(Arc::clone(&second_program)).unwrap();
    let job = evaluator(&holder, &second_program).run(&[("y", kept)], &SortedMap::new()).unwrap();
    let Outcome::Objects(fourth) = job.complete().unwrap() else { panic!("results") };
    let fourth: Vec<Vec<u8>> = fourth.into_iter().map(|result| result.bytes).collect();
    let given = Cells::from([("y".to_owned(), expected_first["square"].clone())]);
    near(&second_program, &decrypted(&holder, &fourth).unwrap(), &expected(&second, &given));
    assert_eq!(holder.released(), 2);
}
