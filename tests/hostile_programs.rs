//! Programs from outside that would become too much are refused before anything is expanded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod road;

use cipherloom::Error;
use cipherloom::ops::Registry;
use cipherloom::program::{CompileOptions, Program};
use road::task;
use std::time::{Duration, Instant};

/// A task of one column and nodes, with its last node as output.
fn literal(rows: usize, layout: &str, nodes: &[String]) -> String {
    format!(
        r#"{{"inputs":[{{"name":"a","rows":{rows},"min":"-9","max":"9","missing":false,"layout":"{layout}"}}],
        "nodes":[{}],"outputs":[{{"name":"s","operand":{}}}]}}"#,
        nodes.join(","),
        nodes.len()
    )
}

fn node(op: &str, input: usize, attrs: &str) -> String {
    format!(r#"{{"op":"{op}","inputs":[{input}],"attrs":{{{attrs}}}}}"#)
}

fn chain(op: &str, length: usize, attrs: &str) -> Vec<String> {
    (0..length).map(|k| node(op, k, attrs)).collect()
}

/// A container around a text, header and checksum as they should be.
fn bytes_of(text: &str) -> Vec<u8> {
    let header = Program::compile(
        task(&literal(8, "column", &chain("column.negate", 1, ""))),
        &CompileOptions::default(),
    );
    let mut out = header.unwrap().bytes()[..13].to_vec();
    out.extend_from_slice(&(text.len() as u64 + 4).to_le_bytes());
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    let checksum = twox_hash::XxHash3_128::oneshot(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

/// The bytes of a program with this task, under parameters that a small one has.
fn forged(task_text: &str) -> Vec<u8> {
    let small =
        literal(4096, "slots", &[node("column.rotate_rows", 0, r#""steps":1"#), node("column.sum", 1, "")]);
    let small = small.replace(r#""max":"9""#, r#""max":"900000000000""#);
    let options = CompileOptions { n: Some(8192), ..Default::default() };
    let bytes = Program::compile(task(&small), &options).unwrap().bytes();
    let text = std::str::from_utf8(&bytes[25..bytes.len() - 16]).unwrap();
    let parameters = &text[text.find("\"parameters\"").unwrap()..];
    bytes_of(&format!("{{\"task\":{task_text},{parameters}"))
}

/// What is said, and how long it takes to say so.
fn open(name: &str, result: impl FnOnce() -> Result<Program, Error>) -> Error {
    let start = Instant::now();
    let error = result().err().unwrap_or(Error::Job("it was not refused"));
    let time = start.elapsed();
    println!("{name}: {:.1} ms: {error}", time.as_secs_f64() * 1e3);
    assert!(time < Duration::from_secs(5), "{name}: {time:?}");
    error
}

#[test]
fn programs_that_become_too_much_are_refused_at_once() {
    let small = |nodes: &[String]| literal(8, "column", nodes);
    let many =
        |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(",");
    let numbers = |count: usize| many(count, &|k| k.to_string());
    let cases: Vec<(&str, String, &str)> = vec![
        (
            "2^24 rows, 700 negations",
            literal(1 << 24, "column", &chain("column.negate", 700, "")),
            "ciphertext operators",
        ),
        (
            "2^20 rows, 200 sums with a number",
            literal(1 << 20, "column", &chain("column.add_plain", 200, r#""scalar":"1""#)),
            "slots of known numbers",
        ),
        ("100,000 negations", small(&chain("column.negate", 100_000, "")), "operators of the task"),
        (
            "60,000 statistics",
            small(&(0..60_000).map(|_| node("stats.variance", 0, "")).collect::<Vec<_>>()),
            "ciphertext operators",
        ),
        (
            "20,000 sums",
            literal(4096, "slots", &(0..20_000).map(|_| node("column.sum", 0, "")).collect::<Vec<_>>()),
            "base operators",
        ),
        (
            "2,000 rotations",
            literal(
                4096,
                "slots",
                &(0..2000)
                    .map(|k| node("column.rotate_rows", k, &format!("\"steps\":{k}")))
                    .collect::<Vec<_>>(),
            ),
            "keys times operators",
        ),
        (
            "800 rotations of rings of four lengths",
            {
                let input = |rows: &usize| {
                    format!(r#"{{"name":"{rows}","rows":{rows},"min":"0","max":"1","layout":"slots"}}"#)
                };
                let turn =
                    |k: usize| node("column.rotate_rows", k / 200, &format!("\"steps\":{}", k % 200 + 1));
                format!(
                    r#"{{"inputs":[{}],"nodes":[{}],"outputs":[{{"name":"s","operand":4}}]}}"#,
                    [2048, 2047, 1500, 1025].iter().map(input).collect::<Vec<_>>().join(","),
                    many(800, &turn)
                )
            },
            "keys times operators",
        ),
        (
            "a number of 100 digits",
            small(&[node("column.add_plain", 0, &format!("\"scalar\":\"{}\"", "1".repeat(100)))]),
            "bytes of a name or number",
        ),
        (
            "an operator's name of 100 bytes",
            small(&[node(&"x".repeat(100), 0, "")]),
            "bytes of a name or number",
        ),
        (
            "a list of 3,000,000 numbers",
            small(&[node("column.negate", 0, &format!("\"values\":[{}]", numbers(3_000_000)))]),
            "things in its text",
        ),
        ("a text of 40 MB", small(&[node(&"x".repeat(40 << 20), 0, "")]), "bytes of text"),
        (
            "1,000,000 operands",
            format!(
                r#"{{"inputs":[{{"name":"a","rows":8,"min":"0","max":"9"}}],
                "nodes":[{{"op":"stats.count","inputs":[{}]}}],"outputs":[{{"name":"s","operand":1}}]}}"#,
                many(1_000_000, &|_| "0".to_owned())
            ),
            "operands of an operator",
        ),
        (
            "10,000 outputs",
            format!(
                r#"{{"inputs":[{{"name":"a","rows":8,"min":"0","max":"9"}}],"nodes":[],"outputs":[{}]}}"#,
                many(10_000, &|k| format!(r#"{{"name":"{k}","operand":0}}"#))
            ),
            "outputs",
        ),
        (
            "10,000 inputs",
            format!(
                r#"{{"inputs":[{}],"nodes":[],"outputs":[{{"name":"s","operand":0}}]}}"#,
                many(10_000, &|k| format!(r#"{{"name":"{k}","rows":1,"min":"0","max":"9"}}"#))
            ),
            "inputs",
        ),
    ];
    for (name, text, expected) in cases {
        let bytes = forged(&text);
        let error = open(name, || Program::from_bytes(&bytes));
        assert_eq!(error.code(), "program.too_large", "{name}: {error}");
        assert!(matches!(error, Error::TooLarge { what, .. } if what == expected), "{name}: {error}");
        // Which primes there will be is known late.
        if text.len() < 4 << 20 && expected != "base operators" {
            let task = task(&text);
            let error =
                open(&format!("{name}, compiled"), || Program::compile(task, &CompileOptions::default()));
            assert_eq!(error.code(), "program.too_large", "{name}: {error}");
        }
    }
}

#[test]
fn texts_that_are_deep_or_long_are_refused_at_once() {
    let deep = bytes_of(&format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000)));
    assert_eq!(open("a million brackets", || Program::from_bytes(&deep)).code(), "format.content");
    let task = literal(8, "column", &chain("column.negate", 1, ""));
    let text = String::from_utf8(forged(&task)[25..].to_vec().into_iter().take_while(|&b| b < 128).collect())
        .unwrap();
    let q = text.find("\"q\":[").unwrap() + 5;
    let moduli: Vec<String> = (0..500_000u64).map(|k| (16384 * k + 1).to_string()).collect();
    let end = text.rfind('}').unwrap() + 1;
    let long = bytes_of(&format!("{}{},{}", &text[..q], moduli.join(","), &text[q..end]));
    assert_eq!(open("500,000 moduli", || Program::from_bytes(&long)).code(), "parameters.invalid");
}

#[test]
fn the_rows_of_a_long_chain_are_found() {
    let nodes = chain("column.negate", 100_000, "");
    assert_eq!(task(&literal(77, "column", &nodes)).sources()[100_000], Some(0));
}

#[test]
fn a_long_chain_opens_without_a_deep_stack() {
    let bytes = forged(&literal(8, "column", &chain("column.negate", 20_000, "")));
    let open = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
        let program = Program::from_bytes(&bytes).unwrap();
        program.info(&cipherloom::platform::Simd::new(), 1).unwrap().stats.len()
    });
    assert_eq!(open.unwrap().join().unwrap(), 4);
}

/// How long the largest programs take that are not refused: run it with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn the_largest_programs_open() {
    use cipherloom::engine::{Plan, PlanOptions};
    use cipherloom::platform::Simd;
    use cipherloom::program::Stage;
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
        };
        (line("VmRSS"), line("VmHWM"))
    };
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    for (rows, length) in [(8192, 60_000), (1 << 20, 600)] {
        let bytes = forged(&literal(rows, "column", &chain("column.negate", length, "")));
        all.push((format!("{rows} rows, {length} negations"), bytes));
    }
    for rows in [1 << 18, 1 << 20, 1 << 21, 1 << 22] {
        let input =
            |name| format!(r#"{{"name":"{name}","rows":{rows},"min":"0","max":"100","missing":true}}"#);
        let text = format!(
            r#"{{"inputs":[{},{}],"nodes":[{{"op":"stats.correlation","inputs":[0,1]}}],"outputs":[{{"name":"c","operand":2}}]}}"#,
            input("a"),
            input("b")
        );
        let options = CompileOptions { n: Some(8192), ..Default::default() };
        let start = Instant::now();
        match Program::compile(task(&text), &options) {
            Ok(program) => all.push((format!("correlation of {rows} rows"), program.bytes())),
            Err(error) => println!("correlation of {rows} rows: {error}"),
        }
        println!("compiled in {:.2?}", start.elapsed());
    }
    for (name, bytes) in all {
        let start = Instant::now();
        let program = match Program::from_bytes(&bytes) {
            Ok(program) => program,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let opened = start.elapsed();
        let base = program.graph(Stage::Base, &Simd::new()).unwrap();
        let expanded = start.elapsed();
        let plan = Plan::new(
            &base,
            &Registry::lattice(),
            &Simd::new(),
            PlanOptions { memory_limit: 1 << 40, ..PlanOptions::default() },
        )
        .unwrap();
        let l = program.parameters().literal();
        println!(
            "{name}: n = {}, {} x {} primes: {} and {} operators: opened {opened:.2?}, expanded {expanded:.2?}, \
             planned {:.2?}, plan of {} MiB, process {:?} MiB",
            l.n,
            l.t.len(),
            l.q.len(),
            program.scheme().operators().len(),
            plan.len(),
            start.elapsed(),
            plan.memory_bytes() >> 20,
            resident(),
        );
    }
}
