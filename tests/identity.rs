//! What a program, a key and a result are bound to, and what is told of bytes before there are any.

use crate::road::{self, TaskBuilder, by_name, compile, evaluator, expected, given, sealed};
use cipherloom::circuit::{Job, Named, Outcome, OutputCells};
use cipherloom::platform::Simd;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Evaluator, Literal, Options, Program, Step};
use cipherloom::values::Exact;
use cipherloom::values::number::Number;
use std::sync::Arc;

type Cells = SortedMap<String, Exact>;

fn clear() -> Cells {
    SortedMap::new()
}

/// The sum of three numbers of so many decimals.
fn sum(decimals: u32) -> Literal {
    let mut task = TaskBuilder::default();
    let places = if decimals > 0 { format!(", decimals={decimals}") } else { String::new() };
    let attrs = format!(r#"kind="integer", shape=[3], where="encrypted"{places}"#);
    let x = task.input("x", &attrs, Some(["0", "999"]));
    let s = task.op("value.sum", "", &[x]);
    task.output("s", s);
    task.finish()
}

fn client(program: &Arc<Program>) -> Client {
    Client::new(Arc::clone(program), Arc::new(Simd::new()), || 0.0).unwrap()
}

fn objects(job: Job) -> Vec<Named> {
    match job.complete().unwrap() {
        Outcome::Objects(objects) => objects,
        _ => panic!("objects are expected"),
    }
}

fn cells(job: Job) -> Vec<OutputCells> {
    match job.complete().unwrap() {
        Outcome::Cells(cells) => cells,
        _ => panic!("cells are expected"),
    }
}

fn results(client: &Client, program: &Arc<Program>, sealed: &SortedMap<String, Vec<u8>>) -> Vec<Vec<u8>> {
    let run = evaluator(client, program).run(&by_name(sealed), &given(&clear())).unwrap();
    objects(run).into_iter().map(|object| object.bytes).collect()
}

fn code<T>(result: cipherloom::Result<T>) -> String {
    result.err().map_or("no error".into(), |e| format!("{}: {e}", e.code()))
}

fn borrowed(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}

#[test]
fn decimals_belong_to_the_program_and_its_results() {
    let [whole, cents] = [0, 2].map(|decimals| compile(&sum(decimals)));
    assert_eq!(whole.parameters().literal(), cents.parameters().literal());
    assert_ne!(whole.id(), cents.id());
    let owner = client(&whole);
    let inputs = sealed(&owner, &[("x".to_owned(), Exact::integers([100, 200, 300]))].into());
    let results = results(&owner, &whole, &inputs);
    // One key, other decimals.
    let reader = owner.for_program(cents).unwrap();
    let refused = code(reader.decrypt(&borrowed(&results), &given(&clear()), None));
    assert!(refused.starts_with("key.foreign") && refused.contains("another program"), "{refused}");
}

#[test]
fn results_belong_to_their_program() {
    let program = |(op, name): (&str, &str)| {
        let mut task = TaskBuilder::default();
        let x = task.input("x", r#"kind="integer", shape=[3], where="encrypted""#, Some(["-9", "9"]));
        let y = task.op(op, "", &[x, x]);
        task.output(name, y);
        compile(&task.finish())
    };
    let [sum, difference, other] =
        [("value.add", "y"), ("value.sub", "y"), ("value.sub", "another")].map(program);
    assert_eq!(sum.parameters().literal(), difference.parameters().literal());
    let owner = client(&sum);
    let inputs = sealed(&owner, &[("x".to_owned(), Exact::integers([1, 2, 3]))].into());
    let results = results(&owner, &sum, &inputs);
    // One key, one type, another question, whose result is called the same, or not.
    for question in [difference, other] {
        let reader = owner.for_program(question).unwrap();
        let refused = code(reader.decrypt(&borrowed(&results), &SortedMap::new(), None));
        assert!(refused.starts_with("key.foreign") && refused.contains("another program"), "{refused}");
    }
    assert_eq!(code(owner.decrypt(&borrowed(&results), &SortedMap::new(), None)), "no error");
}

/// Programs with one set of parameters have keys of the same names for as many primes as each needs them.
#[test]
fn keys_belong_to_their_program() {
    let task = |squares: usize| {
        let mut task = TaskBuilder::default();
        let mut x = task.input("x", r#"kind="real", shape=[3, 4], where="encrypted""#, Some(["-1", "1"]));
        for _ in 0..squares {
            x = task.op("value.square", "", &[x]);
        }
        let turned = task.op("value.rotate", "axis=1, steps=1", &[x]);
        let product = task.op("value.multiply", "", &[x, turned]);
        let sum = task.op("value.sum", "axis=1", &[product]);
        let again = task.op("value.square", "", &[sum]);
        task.output("y", again);
        task.finish()
    };
    let steps = [0, 3].map(|squares| Step::from(task(squares))).into();
    let programs = Program::compile_all(steps, &Options::default()).unwrap();
    let [shallow, deep] = <[Program; 2]>::try_from(programs).ok().unwrap().map(Arc::new);
    let owner = client(&shallow);
    let other = owner.for_program(Arc::clone(&deep)).unwrap();
    let mut refused = 0;
    for (owner, of, program) in [(&owner, &shallow, &deep), (&other, &deep, &shallow)] {
        let mut evaluator = Evaluator::opened(&program.bytes(), false, &Simd::new(), || 0.0).unwrap();
        for (name, level) in of.keys() {
            let Outcome::Bytes(key) = owner.key(&name.to_string()).unwrap().complete().unwrap() else {
                panic!("a key is bytes")
            };
            let same = program.keys().get(name).is_none_or(|own| own == level);
            match evaluator.load_key(&key) {
                Ok(()) => assert!(same, "{name}: {level}"),
                Err(error) => {
                    assert!(!same && error.code() == "key.foreign", "{name}: {error}");
                    assert!(error.to_string().contains(&format!("{level} primes")), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 1, "{refused}");
}

#[test]
fn results_belong_to_their_run() {
    let mut task = TaskBuilder::default();
    let attrs = r#"kind="integer", shape=[300], where="encrypted""#;
    let [a, b] = ["a", "b"].map(|name| task.input(name, attrs, Some(["0", "9"])));
    let product = task.op("value.multiply", "", &[a, b]);
    task.output("product", product);
    task.output("a", a);
    let program = compile(&task.finish());
    let owner = client(&program);
    let data = |cell: i128| -> Cells {
        ["a", "b"].map(|name| (name.to_owned(), Exact::integers(vec![cell; 300]))).into()
    };
    let (first, second) = (sealed(&owner, &data(1)), sealed(&owner, &data(2)));
    let (old, new) = (results(&owner, &program, &first), results(&owner, &program, &second));
    assert_eq!(old.len(), 2, "two objects");
    let decrypt = |results: &[&[u8]], inputs: Option<&SortedMap<String, Vec<u8>>>| {
        let given = inputs.map(by_name);
        code(owner.decrypt(results, &road::given(&clear()), given.as_deref()))
    };
    assert_eq!(decrypt(&borrowed(&old), None), "no error");
    assert_eq!(decrypt(&borrowed(&old), Some(&first)), "no error");
    let mixed =
        SortedMap::from([("a".to_owned(), first["a"].clone()), ("b".to_owned(), second["b"].clone())]);
    for refused in [
        decrypt(&[&old[0], &new[1]], None),
        decrypt(&borrowed(&old), Some(&second)),
        decrypt(&borrowed(&old), Some(&mixed)),
    ] {
        assert!(refused.starts_with("key.foreign") && refused.contains("another run"), "{refused}");
    }
    let only = SortedMap::from([("a".to_owned(), first["a"].clone())]);
    assert!(decrypt(&borrowed(&old), Some(&only)).starts_with("input.missing"));
    assert!(decrypt(&[&old[0]], None).starts_with("input.missing"), "a result that lacks");
}

#[test]
fn a_saved_key_is_the_key_or_nothing() {
    let program = compile(&sum(0));
    let restore =
        |saved: &[u8]| code(Client::restore(Arc::clone(&program), Arc::new(Simd::new()), || 0.0, saved));
    let saved = client(&program).save();
    assert_eq!(restore(&saved), "no error");
    // A seed from which another key follows, with a checksum that is right.
    let mut other = saved.to_vec();
    let end = other.len() - 16;
    other[end - 1] ^= 1;
    let checksum = twox_hash::XxHash3_128::oneshot(&other[..end]);
    other[end..].copy_from_slice(&checksum.to_le_bytes());
    let refused = restore(&other);
    assert!(refused.starts_with("format.content") && refused.contains("secret key"), "{refused}");
}

/// Statistics of two values, one with missing cells, in several ciphertexts.
fn statistics(kind: &str) -> Literal {
    let mut task = TaskBuilder::default();
    let attrs = format!(r#"kind="{kind}", shape=[9000], where="encrypted""#);
    let x = task.input("an input", &format!("{attrs}, missing=1"), Some(["-9", "9"]));
    let y = task.input("y", &attrs, Some(["0", "9"]));
    let r = task.op("stats.correlation", "", &[x, y]);
    let mean = task.op("stats.mean", "", &[y]);
    task.output("r", r);
    task.output("mean", mean);
    task.output("y", y);
    task.finish()
}

#[test]
fn what_is_told_of_bytes_is_their_length() {
    for kind in ["integer", "real"] {
        let literal = statistics(kind);
        let program = compile(&literal);
        let (report, owner) = (program.report().unwrap(), client(&program));
        let missing = Exact::with_missing((0..9000).map(|k| (k % 7 != 0).then(|| Number::from(k % 19 - 9))));
        let y = Exact::integers((0..9000).map(|k| k % 10));
        let inputs = sealed(&owner, &[("an input".to_owned(), missing), ("y".to_owned(), y)].into());
        for (name, bytes) in &inputs {
            assert_eq!(report.inputs[name].bytes, bytes.len() as u64, "{name}");
            assert!(report.inputs[name].ciphertexts > 1, "{name}");
        }
        let results = results(&owner, &program, &inputs);
        let lengths: u64 = results.iter().map(|bytes| bytes.len() as u64).sum();
        assert_eq!(report.download_bytes, lengths);
        assert!(report.seconds > 0.0 && report.total_bits <= f64::from(report.max_total_bits));
        let sizes = program.sizes(&Simd::new()).unwrap();
        assert_eq!(sizes.stages.iter().map(|stage| stage.stage).collect::<Vec<_>>(), Program::STAGES);
        let base = program.base(&Simd::new()).unwrap();
        assert_eq!(sizes.stages[5].operators, base.operators().len());
        assert!(sizes.memory_bytes > lengths);
    }
}

#[test]
fn what_decrypts_is_what_the_plain_task_gives_with_the_noise_that_was_promised() {
    let literal = statistics("integer");
    let program = compile(&literal);
    let owner = client(&program);
    let data: Cells = [
        (
            "an input".to_owned(),
            Exact::with_missing((0..9000).map(|k| (k % 5 > 0).then(|| Number::from(k % 17 - 8)))),
        ),
        ("y".to_owned(), Exact::integers((0..9000).map(|k| (k * k) % 10))),
    ]
    .into();
    let results = results(&owner, &program, &sealed(&owner, &data));
    let found = cells(owner.decrypt(&borrowed(&results), &given(&clear()), None).unwrap());
    let promised =
        program.report().unwrap().outputs.iter().map(|o| o.budget_bits).fold(f64::INFINITY, f64::min);
    let plain: Cells = owner
        .plain(&given(&data))
        .unwrap()
        .into_iter()
        .map(|output| (output.name, output.cells.unwrap()))
        .collect();
    assert_eq!(plain, expected(&literal, &data));
    for output in found {
        assert_eq!(output.cells.unwrap(), plain[&output.name]);
        assert!(output.budget.unwrap() >= promised, "{}: {:?} of {promised}", output.name, output.budget);
    }
    let few = Cells::from([("y".to_owned(), data["y"].clone())]);
    assert!(code(owner.plain(&given(&few))).starts_with("input.missing"));
    let wide: Cells = [data.clone(), [("y".to_owned(), Exact::integers(vec![10; 9000]))].into()]
        .into_iter()
        .flatten()
        .collect();
    assert!(code(owner.plain(&given(&wide))).starts_with("range.value"));
}

#[test]
fn an_output_without_a_value_leaves_the_others() {
    let literal = statistics("integer");
    let program = compile(&literal);
    let owner = client(&program);
    let none = Exact::with_missing(vec![None; 9000]);
    let y = Exact::integers((0..9000).map(|k| k % 10));
    let data: Cells = [("an input".to_owned(), none), ("y".to_owned(), y)].into();
    let results = results(&owner, &program, &sealed(&owner, &data));
    let decrypted = cells(owner.decrypt(&borrowed(&results), &given(&clear()), None).unwrap());
    for all in [decrypted, owner.plain(&given(&data)).unwrap()] {
        for output in all {
            match output.name.as_str() {
                "r" => {
                    let error = output.cells.unwrap_err();
                    assert_eq!(error.code(), "statistic.undefined");
                    assert!(error.to_string().contains("`r` has no value"), "{error}");
                }
                "mean" => assert_eq!(output.cells.unwrap().cells[0].to_f64(), 4.5),
                _ => assert_eq!(output.cells.unwrap(), data["y"]),
            }
        }
    }
}

#[test]
fn what_is_public_has_no_noise() {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[3], where="encrypted""#, Some(["0", "9"]));
    let count = task.op("stats.count", "", &[x]);
    let sum = task.op("value.sum", "", &[x]);
    task.output("count", count);
    task.output("sum", sum);
    let program = compile(&task.finish());
    let owner = client(&program);
    let results =
        results(&owner, &program, &sealed(&owner, &[("x".to_owned(), Exact::integers([1, 2, 3]))].into()));
    let found = cells(owner.decrypt(&borrowed(&results), &given(&clear()), None).unwrap());
    assert_eq!(found[0].budget, Some(f64::INFINITY));
    assert!(found[1].budget.unwrap() < 100.0);
    let options = Options { n: Some(4096), ..Options::default() };
    assert_eq!(Program::compile(sum_of_reals(), &options).unwrap().report().unwrap().n, 4096);
}

fn sum_of_reals() -> Literal {
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="real", shape=[3], where="encrypted""#, Some(["0", "9"]));
    task.output("x", x);
    task.finish()
}
