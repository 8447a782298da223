//! Bad input from outside: a typed error that names the place, and the same objects go on working.

mod road;

use cipherloom::Error;
use cipherloom::circuit::Circuit;
use cipherloom::error::FormatProblem;
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::ops::fused;
use cipherloom::platform::{Platform, Scalar};
use cipherloom::program::{Client, CompileOptions, Evaluator, Outcome, Program, Stage, Values};
use road::{CLOCK, Data, Road, part, task};
use std::sync::Arc;

const SUM: &str = r#"{"inputs":[{"name":"a","rows":10,"min":"0","max":"9"}],
    "nodes":[{"op":"stats.sum","inputs":[0]}],"outputs":[{"name":"s","operand":1}]}"#;

fn data() -> Data<'static> {
    vec![("a", (0..10).collect(), None)]
}

fn works(road: &Road) {
    assert_eq!(part(&road.run(&data())["s"], "sum"), 45);
}

fn code<T>(result: Result<T, Error>) -> &'static str {
    result.err().map_or("no error", |e| e.code())
}

/// Every truncation (in steps) and every bit flip (in steps) of some bytes.
fn damaged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let step = (bytes.len() / 40).max(1);
    let mut all: Vec<Vec<u8>> = (0..bytes.len()).step_by(step).map(|end| bytes[..end].to_vec()).collect();
    for (k, at) in (0..30).chain((30..bytes.len()).step_by(step)).enumerate() {
        let mut flipped = bytes.to_vec();
        flipped[at] ^= 1 << (k % 8);
        all.push(flipped);
    }
    all.push([bytes, &[0]].concat());
    all
}

#[test]
fn damaged_bytes_are_refused() {
    let mut road = Road::new(task(SUM));
    let program = road.program.bytes();
    for bad in damaged(&program) {
        assert!(code(Program::from_bytes(&bad)).starts_with("format."));
    }
    let key = road.keys().remove(0);
    for bad in damaged(&key) {
        assert!(code(road.evaluator.load_key(&bad)).starts_with("format."));
    }
    let input = road.encrypt(&data()).remove(0);
    for bad in damaged(&input) {
        assert!(code(road.evaluator.run(&[&bad])).starts_with("format."));
    }
    let output = road.evaluate(&[input]).remove(0).bytes;
    for bad in damaged(&output) {
        assert!(code(road.client.decrypt(&[("s", &bad)], None)).starts_with("format."));
    }
    let saved = road.client.save();
    for bad in damaged(&saved) {
        let restored = Client::restore(road.program.clone(), Arc::new(Scalar::new()), CLOCK, &bad);
        assert!(code(restored).starts_with("format."));
    }
    works(&road);
}

/// Bytes of an object with `length` words announced at the place of its list of words, header and checksum as they
/// should be.
fn announcing(bytes: &[u8], words: usize, length: u64) -> Vec<u8> {
    let content = bytes.len() - 16;
    let at = content - 8 * words - 8;
    let mut out = bytes[..content].to_vec();
    assert_eq!(out[at..at + 8], (words as u64).to_le_bytes());
    out[at..at + 8].copy_from_slice(&length.to_le_bytes());
    let checksum = twox_hash::XxHash3_128::oneshot(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

#[test]
fn lists_of_another_length_are_refused_before_they_are_copied() {
    let mut road = Road::new(task(SUM));
    let literal = road.program.parameters().literal().clone();
    let input = road.encrypt(&data()).remove(0);
    let words = 2 * literal.n * literal.q.len();
    for length in [0, words as u64 - 1, words as u64 + 1, 1 << 60, 1 << 61, u64::MAX] {
        let error = road.evaluator.run(&[&announcing(&input, words, length)]).err().unwrap();
        assert_eq!(
            error.to_string(),
            format!("encrypted input: wrong size: found {length} words, expected {words}")
        );
    }
    let output = road.evaluate(&[input]).remove(0).bytes;
    let words = 2 * literal.n * literal.low;
    for length in [0, 1 << 60, u64::MAX] {
        let error = road.client.decrypt(&[("s", &announcing(&output, words, length))], None).err().unwrap();
        assert_eq!(
            error.to_string(),
            format!("encrypted output: wrong size: found {length} words, expected {words}")
        );
    }
    let key = road.keys().remove(0);
    let all = literal.low + literal.special.len();
    let words = 2 * literal.n * all * literal.low.div_ceil(literal.digit());
    let error = road.evaluator.load_key(&announcing(&key, words, 1 << 60)).unwrap_err();
    assert!(error.to_string().starts_with("evaluation key: wrong size"), "{error}");
    works(&road);
}

#[test]
fn hostile_names_do_not_fill_errors() {
    let road = Road::new(task(SUM));
    let output = road.evaluate(&road.encrypt(&data())).remove(0).bytes;
    // Kind, program, client and run as they should be, then a list of names that is not.
    let names = |count: u32, name: &str| {
        let mut out = output[..21 + 48].to_vec();
        out.extend_from_slice(&count.to_le_bytes());
        for _ in 0..count.min(1000) {
            out.extend_from_slice(&(name.len() as u32).to_le_bytes());
            out.extend_from_slice(name.as_bytes());
        }
        let length = out.len() as u64 - 21;
        out[13..21].copy_from_slice(&length.to_le_bytes());
        let checksum = twox_hash::XxHash3_128::oneshot(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    };
    for (count, name) in
        [(1, "n".repeat(1 << 20)), (1000, "na\u{1f980}me".to_owned()), (u32::MAX, String::new())]
    {
        let error = road.client.decrypt(&[("s", &names(count, &name))], None).err().unwrap();
        assert_eq!(error.code(), "format.content");
        assert!(error.to_string().len() < 2000, "{}", error.to_string().len());
    }
    works(&road);
}

#[test]
fn bytes_of_another_kind_name_both() {
    let mut road = Road::new(task(SUM));
    let error = road.evaluator.load_key(&road.program.bytes()).unwrap_err();
    let expected = "evaluation key: found: program; expected: evaluation key";
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error, Error::Format { problem: FormatProblem::Kind { .. }, .. }));
}

#[test]
fn strangers_are_refused() {
    let mut road = Road::new(task(SUM));
    let mut other = Road::new(task(SUM));
    let wide = SUM.replace("\"max\":\"9\"", "\"max\":\"99999999999\"");
    let wide = Road::new(task(&wide));
    // Another client's ciphertext, another client's key, another program's ciphertext and key.
    let foreign = other.encrypt(&data()).remove(0);
    assert_eq!(code(road.evaluator.run(&[&foreign])), "key.foreign");
    assert_eq!(code(road.evaluator.load_key(&other.keys()[0])), "key.foreign");
    let foreign = wide.encrypt(&data()).remove(0);
    assert_eq!(code(road.evaluator.run(&[&foreign])), "key.foreign");
    assert_eq!(code(road.evaluator.load_key(&wide.keys()[0])), "key.foreign");
    let output = other.evaluate(&other.encrypt(&data())).remove(0).bytes;
    assert_eq!(code(road.client.decrypt(&[("s", &output)], None)), "key.foreign");
    works(&road);
    works(&other);
    other.client = Client::new(other.program.clone(), Arc::new(Scalar::new()), CLOCK).unwrap();
    let fresh = other.encrypt(&data()).remove(0);
    assert_eq!(code(other.evaluator.run(&[&fresh])), "key.foreign");
}

#[test]
fn a_missing_key_or_input_is_named() {
    let mut road = Road::without_keys(task(SUM));
    let keys = road.keys();
    let input = road.encrypt(&data()).remove(0);
    for (index, key) in keys.iter().enumerate() {
        let missing = road.evaluator.missing_keys();
        assert_eq!(missing.len(), keys.len() - index);
        let error = road.evaluator.run(&[&input]).err().unwrap();
        assert_eq!(error, Error::MissingKey { name: missing[0].clone() });
        assert!(missing[0].starts_with("galois "), "{missing:?}");
        road.evaluator.load_key(key).unwrap();
    }
    assert_eq!(road.evaluator.run(&[]).err().unwrap(), Error::MissingInput { name: "a".into() });
    works(&road);
}

#[test]
fn values_must_be_as_declared() {
    let road = Road::new(task(SUM));
    let encrypt = |values: Vec<i64>, present: Option<&[u8]>| {
        road.client.encrypt(&[Values { input: "a", values: &values, present }])
    };
    let outside = encrypt(vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 10], None).err().unwrap();
    assert_eq!(outside.to_string(), "input `a`, row 9: a value outside 0 to 9");
    // Errors end in logs, values do not.
    let secret = 987_654_321;
    let outside = encrypt(vec![secret; 10], None).err().unwrap();
    let told = format!("{outside} {outside:?} {:?}", outside.details());
    assert!(!told.contains(&secret.to_string()), "{told}");
    let facts = [("input", "a"), ("row", "0"), ("min", "0"), ("max", "9")];
    assert_eq!(outside.details(), facts.map(|(name, fact)| (name, fact.to_owned())));
    assert_eq!(code(encrypt(vec![-1; 10], None)), "range.value");
    assert_eq!(code(encrypt(vec![1; 9], None)), "input.length");
    assert_eq!(code(encrypt(vec![1; 10], Some(&[1; 10]))), "task.invalid");
    let unknown = Values { input: "b", values: &[1; 10], present: None };
    assert_eq!(code(road.client.encrypt(&[unknown])), "input.missing");
    works(&road);
}

#[test]
fn tasks_that_make_no_sense_are_refused_when_compiled() {
    let compile = |from: &str, to: &str| {
        assert!(SUM.contains(from), "{from}");
        Program::compile(task(&SUM.replacen(from, to, 1)), &CompileOptions::default())
    };
    let cases = [
        ("\"rows\":10", "\"rows\":0", "task.invalid"),
        ("\"max\":\"9\"", "\"max\":\"-9\"", "task.invalid"),
        ("\"max\":\"9\"", "\"max\":\"nine\"", "task.invalid"),
        ("\"max\":\"9\"", "\"max\":\"9223372036854775807\"", "task.invalid"),
        ("\"name\":\"a\"", "\"name\":\"\"", "task.invalid"),
        ("\"inputs\":[0]", "\"inputs\":[1]", "task.invalid"),
        ("\"inputs\":[0]", "\"inputs\":[]", "task.invalid"),
        ("\"operand\":1", "\"operand\":2", "task.invalid"),
        ("[{\"name\":\"s\",\"operand\":1}]", "[]", "task.invalid"),
        ("stats.sum", "stats.median", "operator.unknown"),
        ("stats.sum", "rlwe.add", "operator.unknown"),
    ];
    for (from, to, expected) in cases {
        assert_eq!(code(compile(from, to)), expected, "{from} -> {to}");
    }
    let error = compile("stats.sum", "stats.median").err().unwrap();
    assert_eq!(
        error.to_string(),
        "unknown operator type `stats.median` at the task: neither built in nor registered"
    );
}

#[test]
fn a_range_that_could_overflow_is_refused_when_compiled() {
    let wide = r#"{"inputs":[{"name":"a","rows":1000000,"min":"0","max":"4611686018427387903"}],
        "nodes":[{"op":"stats.variance","inputs":[0]}],"outputs":[{"name":"v","operand":1}]}"#;
    let error = Program::compile(task(wide), &CompileOptions::default()).err().unwrap();
    assert!(matches!(error, Error::RangeOverflow { found: 117.., limit: 116, .. }), "{error}");
}

#[test]
fn a_task_that_is_too_deep_is_refused_when_compiled() {
    let mut nodes = Vec::new();
    for depth in 0..40 {
        nodes.push(format!(r#"{{"op":"column.multiply","inputs":[{depth},{depth}]}}"#));
    }
    let deep = format!(
        r#"{{"inputs":[{{"name":"a","rows":8,"min":"0","max":"1"}}],"nodes":[{}],"outputs":[{{"name":"v","operand":40}}]}}"#,
        nodes.join(",")
    );
    let error = Program::compile(task(&deep), &CompileOptions::default()).err().unwrap();
    assert!(matches!(error, Error::NoParameters { max_n: 32768, .. }), "{error}");
}

#[test]
fn insecure_parameters_are_refused() {
    let compile = |options: CompileOptions| code(Program::compile(task(SUM), &options));
    let big = Some(vec!["1125899906826241".into(), "1125899906629633".into(), "1125899905744897".into()]);
    assert_eq!(
        compile(CompileOptions { n: Some(4096), moduli: big.clone(), ..Default::default() }),
        "parameters.invalid"
    );
    assert_eq!(compile(CompileOptions { n: Some(1000), ..Default::default() }), "parameters.invalid");
    assert_eq!(
        compile(CompileOptions { security: Some("none".into()), ..Default::default() }),
        "parameters.invalid"
    );
    let composite = Some(vec!["1125899906826243".into(), "1125899906629633".into()]);
    assert_eq!(
        compile(CompileOptions { n: Some(8192), moduli: composite, ..Default::default() }),
        "parameters.invalid"
    );
    let small =
        CompileOptions { n: Some(8192), plain_moduli: Some(vec!["65537".into()]), ..Default::default() };
    assert_eq!(compile(small), "no error");
    // The same bytes with a ring that is too small for its moduli.
    let program = Program::compile(task(SUM), &CompileOptions::default()).unwrap();
    assert_eq!(code(Program::from_bytes(&program.bytes())), "no error");
}

#[test]
fn a_plan_that_does_not_fit_is_refused_before_the_run() {
    let options = CompileOptions { memory_limit: Some(100_000.0), ..Default::default() };
    let program = Program::compile(task(SUM), &options).unwrap();
    let error = program.info(&Scalar::new(), 1).err().unwrap();
    assert!(matches!(error, Error::MemoryLimit { limit: 100_000, .. }), "{error}");
    assert_eq!(code(Evaluator::new(&program.bytes(), &Scalar::new(), CLOCK)), "memory.limit");
}

#[test]
fn noise_at_the_limit_is_an_error_not_a_number() {
    // Multiplications beyond what the parameters were chosen for: the same ciphertext, with more noise.
    let road = Road::new(task(SUM));
    let outputs = road.evaluate(&road.encrypt(&data()));
    let literal = road.program.parameters().literal();
    let words = literal.n * literal.low * 2;
    let mut bytes = outputs[0].bytes.clone();
    let content = bytes.len() - 16;
    for word in bytes[content - 8 * words..content].chunks_exact_mut(8) {
        // Still residues, but of no encryption of anything.
        let value = u64::from_le_bytes(word.try_into().unwrap());
        word.copy_from_slice(&(value / 3).to_le_bytes());
    }
    let checksum = twox_hash::XxHash3_128::oneshot(&bytes[..content]);
    bytes[content..].copy_from_slice(&checksum.to_le_bytes());
    let result = road.client.decrypt(&[("s", &bytes)], None).unwrap().complete();
    assert_eq!(code(result), "noise.exhausted");
    works(&road);
}

#[test]
fn a_job_is_used_in_order() {
    let road = Road::new(task(SUM));
    let values: Vec<i64> = (0..10).collect();
    let mut job = road.client.encrypt(&[Values { input: "a", values: &values, present: None }]).unwrap();
    assert_eq!(code(job.take()), "job.state");
    while !job.step(0.0) {}
    assert!(matches!(job.take(), Ok(Outcome::Objects(_))));
    assert_eq!(code(job.take()), "job.state");
    // A run that is dropped half way is a cancelled run; the evaluator goes on.
    let input = road.encrypt(&data()).remove(0);
    let mut job = road.evaluator.run(&[&input]).unwrap();
    assert!(!job.step(0.0));
    drop(job);
    works(&road);
}

#[test]
fn only_the_printed_base_program_is_run() {
    let program = Program::compile(task(SUM), &CompileOptions::default()).unwrap();
    let base = program.graph(Stage::Base, &Scalar::new()).unwrap();
    let mut types: Vec<String> = base.operators().iter().map(|o| base.signature(o).name.clone()).collect();
    types.sort();
    types.dedup();
    for op in &types {
        let platform = Scalar::new().without(op);
        let evaluator = Evaluator::new(&program.bytes(), &platform, CLOCK);
        if fused::all().iter().any(|def| def.name() == op) {
            // Without it the base program is another one: its expansion.
            assert!(evaluator.is_ok(), "{op}");
            continue;
        }
        let error = evaluator.err().unwrap();
        assert!(error.to_string().contains(&format!("`{op}`")), "{op}: {error}");
    }
    // An operator that is in no printed line is not needed.
    let text = cipherloom::graph::print(&base);
    assert!(!text.contains("limb.neg("));
    assert!(Evaluator::new(&program.bytes(), &Scalar::new().without("limb.neg"), CLOCK).is_ok());
    let platform = Scalar::new();
    let set = BaseSet { platform: platform.name(), contains: &|op| types.iter().any(|t| t == op) };
    let scheme = program.graph(Stage::Scheme, &platform).unwrap();
    assert!(Expander::new(program.registry()).expand(&scheme, &set).is_ok());
}

/// A program's bytes with its literal changed, checksum and all.
fn forged(program: &Program, from: &str, to: &str) -> Vec<u8> {
    let bytes = program.bytes();
    let text = std::str::from_utf8(&bytes[25..bytes.len() - 16]).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    let text = text.replace(from, to);
    let mut out = bytes[..13].to_vec();
    out.extend_from_slice(&(text.len() as u64 + 4).to_le_bytes());
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    let checksum = twox_hash::XxHash3_128::oneshot(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

#[test]
fn forged_programs_meet_the_same_checks() {
    let slots = SUM.replace("\"max\":\"9\"", "\"max\":\"9\",\"layout\":\"slots\"");
    let program = Program::compile(task(&slots), &CompileOptions::default()).unwrap();
    let load = |from: &str, to: &str| code(Program::from_bytes(&forged(&program, from, to)));
    assert_eq!(load("\"rows\":10", "\"rows\":10"), "no error");
    assert_eq!(load("\"rows\":10", "\"rows\":40000"), "task.invalid");
    let l = program.parameters().literal();
    let t = format!("\"t\":[{}]", l.t[0]);
    let wide = cipherloom::math::prime::ntt_primes(60, l.n, 3, &[]).unwrap();
    assert_eq!(load(&t, &format!("\"t\":[{}]", wide[0])), "parameters.invalid");
    assert_eq!(load(&t, &format!("\"t\":[{},{},{}]", wide[0], wide[1], wide[2])), "parameters.invalid");
    assert_eq!(load(&format!("\"n\":{}", l.n), "\"n\":1024"), "parameters.invalid");
    let greedy = forged(
        &program,
        &format!("\"memory_limit\":{}", program.memory_limit()),
        "\"memory_limit\":9999999999999",
    );
    assert_eq!(Program::from_bytes(&greedy).unwrap().memory_limit(), program.memory_limit());
}

#[test]
fn operands_that_make_no_sense_are_refused() {
    let compile = |nodes: &str, output: usize| {
        let json = format!(
            r#"{{"inputs":[{{"name":"a","rows":10,"min":"0","max":"100"}}],"nodes":[{nodes}],"outputs":[{{"name":"s","operand":{output}}}]}}"#
        );
        code(Program::compile(task(&json), &CompileOptions::default()))
    };
    assert_eq!(compile(r#"{"op":"column.add","inputs":[0,0]}"#, 1), "no error");
    assert_eq!(compile(r#"{"op":"column.add","inputs":[0,0,0]}"#, 1), "operator.invalid");
    assert_eq!(compile(r#"{"op":"column.add","inputs":[0]}"#, 1), "task.invalid");
    // Rotations move slots, which are rows in layout slots only.
    assert_eq!(
        compile(r#"{"op":"column.rotate_rows","inputs":[0],"attrs":{"steps":1}}"#, 1),
        "operator.invalid"
    );
    // A count is of one column.
    let count = r#"{"op":"stats.count","inputs":[0]}"#;
    assert_eq!(compile(count, 1), "no error");
    assert_eq!(compile(&count.replace("[0]", "[0,0]"), 1), "task.invalid");
    assert_eq!(compile(&count.replace("[0]", "[]"), 1), "task.invalid");
    assert_eq!(
        compile(&format!(r#"{{"op":"stats.sum","inputs":[0]}},{}"#, count.replace("[0]", "[1]")), 2),
        "task.invalid"
    );
    // A public count is no ciphertext.
    let sum_of_count = r#"{"op":"stats.count","inputs":[0]},{"op":"column.sum","inputs":[1]}"#;
    assert_eq!(compile(sum_of_count, 2), "task.invalid");
}

#[test]
fn hostile_graphs_end() {
    let ring = "cipherloom-graph 1\nunit 64\ntype !0 = limb[4]{form=\"coeff\", n=4, q=17}\ntype !1 = limb[4]{form=\"ntt\", n=4, q=17}\n\
        op %0 = limb.ntt(!0 [4,8)) : !1 [0,4)\nop %1 = limb.intt(%0) : !0 [4,8)\n";
    let graph = cipherloom::graph::parse(ring).unwrap();
    use cipherloom::optimize::Pass;
    for pass in cipherloom::optimize::DEFAULT_PASSES {
        let result = pass.run(&graph, &cipherloom::ops::Registry::lattice());
        assert!(result.is_err() || pass.name == "prune", "{}", pass.name);
    }
    let nonce = ring.replace(": !1 [0,4)", ": !1 [0,4) nonce=4294967295");
    assert_eq!(cipherloom::graph::parse(&nonce).unwrap_err().code(), "graph.syntax");
}

#[test]
fn rows_of_a_type_are_not_listed() {
    // Almost 2^32 rows: no list of them fits into any memory.
    let text = "cipherloom-graph 1\nunit 64\n\
        type !0 = column[8589930496]{missing=0, n=2048, parts=2, q=[65537], rings=0, rows=4294965248, t=[12289]}\n\
        attrs #0 = {scalar=\"5\"}\n\
        input %0 : !0 [0,8589930496) \"x\"\n\
        op %1 = column.add_plain#0(%0) : !0 [8589930496,17179860992)\n\
        output !0 [8589930496,17179860992) \"y\"\n";
    Circuit::from_text(text, Arc::new(cipherloom::registry())).unwrap();
}
