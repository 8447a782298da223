//! What must not change by itself: bytes that were written once are read by every later version, a saved key stays that
//! key, and a task gets the parameters that it got. `BLESS=1 cargo test --test golden` writes the files anew, which is
//! right only where the format's version was raised, or where parameters were meant to change.

mod road;

use cipherloom::engine::{Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph};
use cipherloom::ops::{Registry, Session, types};
use cipherloom::platform::{Platform, Scalar};
use cipherloom::program::{Client, CompileOptions, Evaluator, Outcome, Program};
use cipherloom::schemes::registry;
use road::{Road, part, task};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", name].iter().collect()
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut all, byte| {
        let _ = write!(all, "{byte:02x}");
        all
    })
}

/// The sum of two rows, which takes a rotation key, and the rows.
const TASK: &str = r#"{"inputs":[{"name":"a","rows":2,"min":"-9","max":"9","decimals":1}],
    "nodes":[{"op":"stats.sum","inputs":[0]},{"op":"column.negate","inputs":[0]}],
    "outputs":[{"name":"sum","operand":1,"decimals":1},{"name":"rows","operand":2,"decimals":1}]}"#;

const ROWS: [i64; 2] = [-7, 4];

fn bless_bytes() {
    let mut road = Road::without_keys(task(TASK));
    let write = |name: &str, bytes: &[u8]| std::fs::write(file(name), bytes).unwrap();
    write("program.bin", &road.program.bytes());
    write("client.bin", &road.client.save());
    for (index, key) in road.keys().iter().enumerate() {
        write(&format!("key-{index}.bin"), key);
        road.evaluator.load_key(key).unwrap();
    }
    let inputs = road.encrypt(&vec![("a", ROWS.to_vec(), None)]);
    write("input.bin", &inputs[0]);
    for (index, output) in road.evaluate(&inputs).iter().enumerate() {
        write(&format!("output-{index}.bin"), &output.bytes);
    }
}

#[test]
fn bytes_that_were_written_once_are_read() {
    if blessing() {
        bless_bytes();
    }
    let read = |name: &str| std::fs::read(file(name)).unwrap();
    let program = Arc::new(Program::from_bytes(&read("program.bin")).unwrap());
    assert_eq!(program.task(), &task(TASK));
    assert_eq!(program.bytes(), read("program.bin"));
    let client =
        Client::restore(Arc::clone(&program), Arc::new(Scalar::new()), road::CLOCK, &read("client.bin"));
    let client = client.unwrap();
    assert_eq!(*client.save(), read("client.bin"));
    let mut evaluator = Evaluator::new(&read("program.bin"), &Scalar::new(), road::CLOCK).unwrap();
    for index in 0..program.keys().unwrap().names.len() {
        evaluator.load_key(&read(&format!("key-{index}.bin"))).unwrap();
    }
    let outputs = road::objects(evaluator.run(&[&read("input.bin")]).unwrap());
    for (index, output) in outputs.iter().enumerate() {
        // Evaluation draws nothing: the same bytes come out of it.
        assert!(output.bytes == read(&format!("output-{index}.bin")), "{:?}", output.names);
    }
    let wanted: Vec<(&str, &[u8])> =
        outputs.iter().flat_map(|o| o.names.iter().map(|name| (name.as_str(), o.bytes.as_slice()))).collect();
    let Outcome::Values(values) = client.decrypt(&wanted, None).unwrap().complete().unwrap() else {
        panic!("expected values")
    };
    let of = |name: &str| &values.iter().find(|v| v.0 == name).unwrap().1;
    assert_eq!(part(of("sum"), "sum"), -3);
    assert_eq!(of("rows").parts["values"], [7, -4]);
}

#[test]
fn a_seed_gives_the_key_that_it_gave() {
    let registry = registry();
    let primes = [1_099_510_054_913, 1_099_507_695_617];
    // As part of other graphs, and after other random operators: the key belongs to its seed.
    for before in 0..3 {
        let mut s = Session::new(Graph::new(64), &registry);
        let seed = s.graph_mut().add_input("seed", types::secret_seed()).unwrap();
        for _ in 0..before {
            let drawn = s.op("sample.ternary", Attrs::new().with("n", 4096u64), &[seed]).unwrap();
            s.graph_mut().declare_output("drawn", drawn);
        }
        let attrs = Attrs::new().with("n", 4096u64).with("q", primes.as_slice());
        let secret = s.op("rlwe.secret_key", attrs, &[seed]).unwrap();
        s.graph_mut().declare_output("secret", secret);
        let platform = Scalar::new();
        let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
        let graph = Expander::new(&registry).expand(&s.finish(), &base).unwrap();
        let plan =
            Arc::new(Plan::new(&graph, &Registry::lattice(), &platform, PlanOptions::default()).unwrap());
        let mut run = Run::new(plan, vec![vec![1, 2, 3, 4].into()], road::CLOCK).unwrap();
        run.finish();
        let words = run.output(before).unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(hex(&blake3::hash(&bytes).as_bytes()[..16]), KEY_HASH, "after {before} other samples");
    }
}

/// BLAKE3 of the secret key of the seed 1, 2, 3, 4 at N = 4096 modulo two primes, in NTT form.
const KEY_HASH: &str = "4edc66c09e25e07bb25b6cbeb3183d4f";

/// Twenty tasks: name, inputs, nodes; the last node is the output.
fn tasks() -> Vec<(String, String)> {
    let column = |name: &str, rows: usize, least: i64, most: i64, more: &str| {
        format!(r#"{{"name":"{name}","rows":{rows},"min":"{least}","max":"{most}"{more}}}"#)
    };
    let op = |name: &str, inputs: &str| format!(r#"{{"op":"{name}","inputs":[{inputs}]}}"#);
    let mut all = Vec::new();
    let mut push = |name: String, inputs: &[String], nodes: &[String]| {
        let output = inputs.len() + nodes.len() - 1;
        let (inputs, nodes) = (inputs.join(","), nodes.join(","));
        let output = format!(r#"{{"name":"out","operand":{output}}}"#);
        all.push((name, format!(r#"{{"inputs":[{inputs}],"nodes":[{nodes}],"outputs":[{output}]}}"#)));
    };
    for rows in [1, 569, 5000, 100_000] {
        for missing in ["", r#","missing":true"#] {
            let pair = [column("x", rows, 0, 120, missing), column("y", rows, -300, 300, "")];
            push(format!("correlation {rows}{missing}"), &pair, &[op("stats.correlation", "0,1")]);
        }
        push(format!("mean {rows}"), &[column("x", rows, 0, 1_000_000, "")], &[op("stats.mean", "0")]);
    }
    for depth in [1, 3, 5] {
        let squares: Vec<String> = (0..depth).map(|k| op("column.multiply", &format!("{k},{k}"))).collect();
        push(format!("power 2^{depth}"), &[column("x", 16, -3, 3, "")], &squares);
    }
    for (rows, rings) in [(3, 1), (64, 1), (4096, 2)] {
        let ring = [column("x", rows, -9, 9, &format!(r#","layout":"slots","rings":{rings}"#))];
        let turn = r#"{"op":"column.rotate_rows","inputs":[0],"attrs":{"steps":1}}"#.to_owned();
        push(format!("ring of {rows} in {rings}"), &ring, &[turn, op("column.multiply", "0,1")]);
    }
    push("large".into(), &[column("x", 300, -(1 << 40), 1 << 40, "")], &[op("stats.variance", "0")]);
    push("untouched".into(), &[column("x", 4, 0, 10_000_000_000_000, "")], &[op("column.add", "0,0")]);
    all
}

#[test]
fn tasks_get_the_parameters_that_they_got() {
    let mut found = String::new();
    for (name, json) in tasks() {
        let program = Program::compile(task(&json), &CompileOptions::default()).unwrap();
        let l = program.parameters().literal();
        let _ = writeln!(
            found,
            "{name}: n={} t={:?} q={:?} special={:?} aux={:?} low={} pack={} id={}",
            l.n,
            l.t,
            l.q,
            l.special,
            l.aux,
            l.low,
            l.pack,
            hex(&program.id())
        );
    }
    assert_eq!(found.lines().count(), 20);
    if blessing() {
        std::fs::write(file("parameters.txt"), &found).unwrap();
    }
    let expected = std::fs::read_to_string(file("parameters.txt")).unwrap();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
}
