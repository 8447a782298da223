//! What must not change by itself: bytes of tasks that were written once are read by every later version, give what they gave, and are written again as
//! they were. `BLESS=1 cargo test --lib golden` writes the files anew, which is right only where a version of the format was raised, or where decisions were
//! meant to change.

use super::{Client, Evaluator, InputLiteral, Literal, NodeLiteral, Options, OutputLiteral, Owner, Program};
use crate::circuit::{Job, Outcome};
use crate::math::sample::fixed;
use crate::platform::{Platform, Scalar, Simd};
use crate::sorted::SortedMap;
use crate::values::number::Number;
use crate::values::{Exact, GivenCells};
use std::path::PathBuf;
use std::sync::Arc;

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", "tasks", name].iter().collect()
}

/// All that travels, by the names of files.
type Files = SortedMap<String, Vec<u8>>;

/// A task of one operator on four cells.
fn task(kind: &str, op: &str) -> Literal {
    let ty = format!(r#"value[1]{{kind="{kind}", shape=[4], where="encrypted"}}"#);
    let bound = |text: &str| Some(text.to_owned());
    Literal {
        inputs: vec![InputLiteral { name: "x".into(), ty, min: bound("-9"), max: bound("9"), digits: None }],
        nodes: vec![NodeLiteral { op: op.into(), inputs: vec![0], attrs: String::new() }],
        outputs: vec![OutputLiteral { name: "y".into(), operand: 1 }],
    }
}

fn bytes(job: Job) -> Vec<u8> {
    match job.complete().unwrap() {
        Outcome::Bytes(bytes) => bytes,
        Outcome::Objects(objects) => {
            assert_eq!(objects.len(), 1);
            objects.into_iter().next().unwrap().bytes
        }
        _ => panic!("bytes are expected"),
    }
}

/// Makes everything of a program from known seeds.
fn written(program: Program, cells: &Exact, platform: &Arc<dyn Platform>) -> Files {
    let program = Arc::new(program);
    let client = Client::new(Arc::clone(&program), Arc::clone(platform), || 0.0).unwrap();
    let mut files =
        Files::from([("program".into(), program.bytes()), ("client".into(), client.save().to_vec())]);
    for (index, name) in program.keys().keys().enumerate() {
        files.insert(format!("key-{index}"), bytes(client.key(&name.to_string()).unwrap()));
    }
    let cells = cells.clone().into();
    let mut value = bytes(client.encrypt(&[("x", &cells)]).unwrap());
    if program.parameters().literal().public_key {
        let key = bytes(client.public_key().unwrap());
        value = encrypted(&program, &key, &cells, platform);
        files.insert("public".into(), key);
    }
    files.insert("value".into(), value);
    let result = evaluated(&files, &**platform);
    files.insert("result".into(), result);
    files
}

/// What a data owner makes of bytes alone.
fn encrypted(
    program: &Arc<Program>,
    key: &[u8],
    cells: &GivenCells,
    platform: &Arc<dyn Platform>,
) -> Vec<u8> {
    let owner = Owner::new(Arc::clone(program), Arc::clone(platform), || 0.0, key).unwrap();
    bytes(owner.encrypt(&[("x", cells)]).unwrap())
}

/// What an evaluator makes of bytes alone.
fn evaluated(files: &Files, platform: &dyn Platform) -> Vec<u8> {
    let mut evaluator = Evaluator::new(&files["program"], platform, || 0.0).unwrap();
    files
        .iter()
        .filter(|(name, _)| name.starts_with("key"))
        .for_each(|(_, key)| evaluator.load_key(key).unwrap());
    bytes(evaluator.run(&[("x", &files["value"])], &SortedMap::new()).unwrap())
}

/// Checks the files of a task; gives what the result in them decrypts to, in the order of the names. Without options its program is not compiled, but read: an earlier
/// version decided otherwise.
fn golden(folder: &str, task: &Literal, options: Option<&Options>, cells: &Exact) -> Vec<Exact> {
    let platform: Arc<dyn Platform> = Arc::new(Simd::new());
    let program = match options {
        Some(options) => Program::compile(task.clone(), options).unwrap(),
        None => Program::from_bytes(&std::fs::read(file(folder).join("program.bin")).unwrap()).unwrap(),
    };
    let made = fixed::seeds(|| written(program, cells, &platform));
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(file(folder)).unwrap();
        made.iter().for_each(|(name, bytes)| {
            std::fs::write(file(folder).join(format!("{name}.bin")), bytes).unwrap()
        });
    }
    let read = std::fs::read_dir(file(folder)).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap())
    });
    let read: Files = read.collect();
    assert!(read.keys().eq(made.keys()), "{:?}", read.keys().collect::<Vec<_>>());
    for (name, bytes) in &read {
        assert!(made[name] == *bytes, "{folder}: {name} is written otherwise");
    }
    // Whoever has the bytes alone, on whatever computes.
    let program = Arc::new(Program::from_bytes(&read["program"]).unwrap());
    assert_eq!(program.task(), task);
    for platform in [Arc::new(Scalar::new()) as Arc<dyn Platform>, platform] {
        assert!(evaluated(&read, &*platform) == read["result"], "{folder}: another result");
    }
    let client = Client::restore(Arc::clone(&program), Arc::new(Scalar::new()), || 0.0, &read["client"]);
    let client = client.unwrap();
    assert_eq!(*client.save(), read["client"]);
    let opened = |result: &[u8]| -> Vec<Exact> {
        match client.decrypt(&[result], &SortedMap::new(), None).unwrap().complete().unwrap() {
            Outcome::Cells(cells) => cells.into_iter().map(|output| output.cells.unwrap()).collect(),
            _ => panic!("cells are expected"),
        }
    };
    let found = opened(&read["result"]);
    if let Some(key) = read.get("public") {
        // Who encrypts with it today is understood, too.
        let platform: Arc<dyn Platform> = Arc::new(Scalar::new());
        let value = encrypted(&program, key, &cells.clone().into(), &platform);
        let files = read.clone().into_iter().chain([("value".to_owned(), value)]).collect();
        assert_eq!(opened(&evaluated(&files, &*platform)), found);
    }
    found
}

#[test]
fn bytes_of_a_mean_of_integers() {
    let options = Options::default();
    let cells = Exact::integers([-7, 4, 9, 0]);
    let found = golden("bgv", &task("integer", "stats.mean"), Some(&options), &cells);
    assert_eq!(found, [Exact::new(vec![Number::ratio(3, 2).unwrap()])]);
}

#[test]
fn bytes_of_a_data_owner() {
    let options = Options { public_key: Some(true), ..Options::default() };
    let cells = Exact::integers([-7, 4, 9, 0]);
    let found = golden("owners", &task("integer", "value.sum"), Some(&options), &cells);
    assert_eq!(found, [Exact::integers([6])]);
}

#[test]
fn bytes_of_two_sums_in_one_ciphertext() {
    let mut task = task("integer", "value.sum");
    let node = |op: &str, input| NodeLiteral { op: op.into(), inputs: vec![input], attrs: String::new() };
    task.nodes.extend([node("value.square", 0), node("value.sum", 2)]);
    task.outputs.push(OutputLiteral { name: "z".into(), operand: 3 });
    let found = golden("sums", &task, None, &Exact::integers([-7, 4, 9, 0]));
    assert_eq!(found, [Exact::integers([6]), Exact::integers([146])]);
}

#[test]
fn bytes_of_a_sum_of_three_parts() {
    let mut task = task("integer", "value.square");
    task.nodes.push(NodeLiteral { op: "value.sum".into(), inputs: vec![1], attrs: String::new() });
    task.outputs[0].operand = 2;
    let found = golden("open-sum", &task, Some(&Options::default()), &Exact::integers([-7, 4, 9, 0]));
    assert_eq!(found, [Exact::integers([146])]);
}

#[test]
fn bytes_of_squares_of_reals_in_two_parts_and_in_three() {
    let options = Options { precision: Some(8.0), ..Options::default() };
    let cells = [-1.5, 0.25, 9.0, 0.0];
    let given = Exact::new(cells.map(|cell| Number::from_f64(cell).unwrap()).to_vec());
    for (folder, options) in [("ckks", None), ("open-ckks", Some(&options))] {
        let found = golden(folder, &task("real", "value.square"), options, &given);
        for (found, cell) in found[0].cells.iter().zip(cells) {
            assert!((found.to_f64() - cell * cell).abs() < 0.5, "{found:?}");
        }
    }
}
