//! Bad input from outside: a typed error that names the place, and the same objects go on working.

use crate::road::{TaskBuilder, compile, expected, turning};
use cipherloom::circuit::Outcome;
use cipherloom::error::FormatProblem;
use cipherloom::ops::fused;
use cipherloom::platform::{Scalar, Simd};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Evaluator, Literal, Options, Program};
use cipherloom::values::{Exact, GivenCells};
use cipherloom::{Error, Result};
use std::sync::Arc;

fn clear() -> SortedMap<String, GivenCells> {
    SortedMap::new()
}

/// A task of one operator on ten numbers up to a bound.
fn one(op: &str, attrs: &str, max: &str) -> Literal {
    let mut task = TaskBuilder::default();
    let x = task.input("a", r#"kind="integer", shape=[10], where="encrypted""#, Some(["0", max]));
    let y = task.op(op, attrs, &[x]);
    task.output("s", y);
    task.finish()
}

fn sum() -> Literal {
    one("value.sum", "", "9")
}

fn data() -> Exact {
    Exact::integers(0..10)
}

/// A program with a client, and an evaluator that has its keys.
struct Road {
    program: Arc<Program>,
    client: Client,
    evaluator: Evaluator,
    keys: Vec<Vec<u8>>,
}

impl Road {
    fn new(task: &Literal) -> Self {
        Self::of(Program::compile(task.clone(), &turning()).unwrap())
    }

    fn of(program: Program) -> Self {
        let program = Arc::new(program);
        let client = Client::new(Arc::clone(&program), Arc::new(Simd::new()), || 0.0).unwrap();
        let evaluator = Evaluator::new(&program.bytes(), &Simd::new(), || 0.0).unwrap();
        let key = |name: String| match client.key(&name).unwrap().complete().unwrap() {
            Outcome::Bytes(bytes) => bytes,
            _ => panic!("a key is bytes"),
        };
        let keys = evaluator.missing_keys().into_iter().map(key).collect();
        Self { program, client, evaluator, keys }
    }

    fn with_keys(task: &Literal) -> Self {
        let mut road = Self::new(task);
        road.keys.clone().iter().for_each(|key| road.evaluator.load_key(key).unwrap());
        road
    }

    fn input(&self) -> Vec<u8> {
        match self.client.encrypt(&[("a", &data().into())]).unwrap().complete().unwrap() {
            Outcome::Objects(mut objects) => objects.remove(0).bytes,
            _ => panic!("values are objects"),
        }
    }

    fn result(&self) -> Vec<u8> {
        let run = self.evaluator.run(&[("a", &self.input())], &clear()).unwrap();
        match run.complete().unwrap() {
            Outcome::Objects(mut objects) => objects.remove(0).bytes,
            _ => panic!("results are objects"),
        }
    }

    fn decrypted(&self, result: &[u8]) -> Result<Exact> {
        match self.client.decrypt(&[result], &clear(), None)?.complete()? {
            Outcome::Cells(mut cells) => cells.remove(0).cells,
            _ => panic!("cells are expected"),
        }
    }

    fn works(&self) {
        let expected = &expected(self.program.task(), &SortedMap::from([("a".to_owned(), data())]))["s"];
        assert_eq!(self.decrypted(&self.result()).unwrap(), *expected);
    }
}

fn code<T>(result: Result<T>) -> &'static str {
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
    let mut road = Road::with_keys(&sum());
    for bad in damaged(&road.program.bytes()) {
        assert!(code(Program::from_bytes(&bad)).starts_with("format."));
    }
    for bad in damaged(&road.keys[0].clone()) {
        assert!(code(road.evaluator.load_key(&bad)).starts_with("format."));
    }
    for bad in damaged(&road.input()) {
        assert!(code(road.evaluator.run(&[("a", &bad)], &clear())).starts_with("format."));
    }
    for bad in damaged(&road.result()) {
        assert!(code(road.decrypted(&bad)).starts_with("format."));
    }
    // One of which the sum alone is there.
    let total = Road::of(Program::compile(sum(), &Options::default()).unwrap());
    let result = total.result();
    assert!(result.len() < road.result().len());
    for bad in damaged(&result) {
        assert!(code(total.decrypted(&bad)).starts_with("format."));
    }
    total.works();
    for bad in damaged(&road.client.save()) {
        let restored = Client::restore(road.program.clone(), Arc::new(Scalar::new()), || 0.0, &bad);
        assert!(code(restored).starts_with("format."));
    }
    road.works();
}

/// The same frame around other content.
fn sealed(like: &[u8], content: &[u8]) -> Vec<u8> {
    let mut out = like[..13].to_vec();
    out.extend_from_slice(&(content.len() as u64).to_le_bytes());
    out.extend_from_slice(content);
    let checksum = twox_hash::XxHash3_128::oneshot(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

#[test]
fn hostile_descriptions_do_not_fill_errors() {
    let road = Road::with_keys(&sum());
    let result = road.result();
    // Parameters, key and run as they should be, then a description that is not.
    let described = |text: &str| {
        let mut content = result[21..21 + 48].to_vec();
        content.extend_from_slice(&(text.len() as u32).to_le_bytes());
        content.extend_from_slice(text.as_bytes());
        sealed(&result, &content)
    };
    let name = "n".repeat(1 << 20);
    let descriptor = |name: &str, value: &str| {
        format!(
            r#"{{"name":"{name}","value":"{value}","cells":{{"axes":[],"repeated":0}},"ciphertexts":["{value}"]}}"#
        )
    };
    for text in
        [name.clone(), descriptor(&name, "x"), descriptor("s", &name), descriptor("s", "na\u{1f980}me")]
    {
        let error = road.decrypted(&described(&text)).unwrap_err();
        assert!(
            ["format.content", "task.invalid", "input.unknown"].contains(&error.code()),
            "{}",
            error.code()
        );
        assert!(error.to_string().len() < 2000, "{}", error.to_string().len());
        let run = road.evaluator.run(&[("a", &described(&text))], &clear()).err().unwrap();
        assert!(run.to_string().len() < 2000, "{}", run.to_string().len());
    }
    road.works();
}

#[test]
fn bytes_of_another_kind_name_both() {
    let mut road = Road::with_keys(&sum());
    let error = road.evaluator.load_key(&road.program.bytes()).unwrap_err();
    let expected = "evaluation key of a compiled task: found: compiled task; expected: evaluation key of a compiled task";
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error, Error::Format { problem: FormatProblem::Kind { .. }, .. }));
}

#[test]
fn strangers_are_refused() {
    let mut road = Road::with_keys(&sum());
    let (mut other, wide) = (Road::with_keys(&sum()), Road::with_keys(&one("value.sum", "", "99999999999")));
    // Another client's ciphertext, key and result; ciphertext and key of other parameters.
    for stranger in [&other, &wide] {
        let input = stranger.input();
        assert_eq!(code(road.evaluator.run(&[("a", &input)], &clear())), "key.foreign");
        assert_eq!(code(road.evaluator.load_key(&stranger.keys[0])), "key.foreign");
        assert_eq!(code(road.decrypted(&stranger.result())), "key.foreign");
        let platform = Arc::new(Scalar::new());
        let restored = Client::restore(road.program.clone(), platform, || 0.0, &stranger.client.save());
        assert_eq!(restored.is_ok(), stranger.program.parameters().id() == road.program.parameters().id());
    }
    road.works();
    other.works();
    other.client = Client::new(other.program.clone(), Arc::new(Scalar::new()), || 0.0).unwrap();
    let input = other.input();
    assert_eq!(code(other.evaluator.run(&[("a", &input)], &clear())), "key.foreign");
}

#[test]
fn a_missing_key_or_input_is_named() {
    let mut road = Road::new(&sum());
    let input = road.input();
    for (index, key) in road.keys.clone().iter().enumerate() {
        let missing = road.evaluator.missing_keys();
        assert_eq!(missing.len(), road.keys.len() - index);
        let error = road.evaluator.run(&[("a", &input)], &clear()).err().unwrap();
        assert_eq!(error, Error::MissingKey { name: missing[0].clone() });
        assert!(missing[0].starts_with("galois "), "{missing:?}");
        road.evaluator.load_key(key).unwrap();
    }
    assert_eq!(road.evaluator.run(&[], &clear()).err().unwrap(), Error::MissingInput { name: "a".into() });
    road.works();
}

#[test]
fn values_must_be_as_declared() {
    let road = Road::with_keys(&sum());
    let encrypt = |cells: Exact| road.client.encrypt(&[("a", &cells.into())]);
    let outside = encrypt(Exact::integers([0, 1, 2, 3, 4, 5, 6, 7, 8, 10])).err().unwrap();
    assert_eq!(outside.to_string(), "input `a`, row 9: a value outside 0 to 9");
    // Errors end in logs, values do not.
    let secret = 987_654_321;
    let outside = encrypt(Exact::integers([secret; 10])).err().unwrap();
    let told = format!("{outside} {outside:?} {:?}", outside.details());
    assert!(!told.contains(&secret.to_string()), "{told}");
    let facts = [("input", "a"), ("row", "0"), ("min", "0"), ("max", "9")];
    assert_eq!(outside.details(), facts.map(|(name, fact)| (name, fact.to_owned())));
    assert_eq!(code(encrypt(Exact::integers([-1; 10]))), "range.value");
    assert_eq!(code(encrypt(Exact::integers([1; 9]))), "input.length");
    assert_eq!(code(encrypt(Exact::masked(data().cells.clone(), vec![true; 10]))), "task.invalid");
    assert_eq!(code(road.client.encrypt(&[("b", &data().into())])), "input.missing");
    road.works();
}

#[test]
fn tasks_that_make_no_sense_are_refused_when_compiled() {
    let text = serde_json::to_string(&sum()).unwrap();
    let compile = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        let literal: Literal = serde_json::from_str(&text.replacen(from, to, 1)).unwrap();
        Program::compile(literal, &Options::default())
    };
    let cases = [
        ("shape=[10]", "shape=[0]", "graph.attribute"),
        ("shape=[10]", "shape=[4294967297]", "graph.attribute"),
        (r#""max":"9""#, r#""max":"-9""#, "task.invalid"),
        (r#""max":"9""#, r#""max":"nine""#, "task.invalid"),
        (r#""name":"a""#, r#""name":"""#, "task.invalid"),
        (r#""inputs":[0]"#, r#""inputs":[1]"#, "task.invalid"),
        (r#""inputs":[0]"#, r#""inputs":[]"#, "operator.invalid"),
        (r#""inputs":[0]"#, r#""inputs":[0,0]"#, "operator.invalid"),
        (r#""operand":1"#, r#""operand":2"#, "task.invalid"),
        (r#"[{"name":"s","operand":1}]"#, "[]", "task.invalid"),
        ("value.sum", "stats.median", "operator.unknown"),
        ("value.sum", "rlwe.add", "operator.unknown"),
    ];
    let found: Vec<_> = cases.iter().map(|(from, to, _)| (*to, code(compile(from, to)))).collect();
    assert_eq!(found, cases.map(|(_, to, expected)| (to, expected)));
    let error = compile("value.sum", "stats.median").err().unwrap();
    assert!(error.to_string().contains("`stats.median` at operator 0"), "{error}");
}

#[test]
fn a_range_that_could_overflow_is_refused_when_compiled() {
    let wide = one("value.square", "", "85070591730234615865843651857942052863");
    let error = Program::compile(wide, &Options::default()).err().unwrap();
    assert!(["range.overflow", "parameters.none"].contains(&error.code()), "{error}");
}

#[test]
fn a_task_that_is_too_deep_is_refused_when_compiled() {
    let mut task = TaskBuilder::default();
    let mut x = task.input("a", r#"kind="integer", shape=[8], where="encrypted""#, Some(["0", "1"]));
    for _ in 0..40 {
        x = task.op("value.square", "", &[x]);
    }
    task.output("v", x);
    let error = Program::compile(task.finish(), &Options::default()).err().unwrap();
    assert!(matches!(error, Error::NoParameters { max_n: 32768, .. }), "{error}");
}

#[test]
fn options_that_cannot_be_are_refused() {
    let compile = |options: Options| code(Program::compile(sum(), &options));
    assert_eq!(compile(Options { n: Some(1000), ..Options::default() }), "parameters.invalid");
    assert_eq!(
        compile(Options { security: Some("none".into()), ..Options::default() }),
        "parameters.invalid"
    );
    assert_eq!(compile(Options { precision: Some(60.0), ..Options::default() }), "parameters.invalid");
    assert_eq!(compile(Options { n: Some(8192), ..Options::default() }), "no error");
    // Given by hand: too large for the ring, no primes, none at all.
    let with = |n: usize, moduli: &[&str]| {
        let parameters = serde_json::json!({
            "scheme": "BGV", "n": n, "moduli": moduli, "special": ["1125899906826241"], "plainModuli": ["65537"]
        });
        let parameters = Some(serde_json::from_value(parameters).unwrap());
        compile(Options { parameters, ..Options::default() })
    };
    assert_eq!(with(4096, &["1125899906629633", "1125899905744897"]), "parameters.insecure");
    assert_eq!(with(8192, &["1125899906629634"]), "parameters.invalid");
    assert_eq!(with(8192, &["ten"]), "parameters.invalid");
    assert_eq!(with(8192, &[]), "parameters.invalid");
}

#[test]
fn a_plan_that_does_not_fit_is_refused_before_the_run() {
    let options = Options { memory_limit: Some(100_000.0), ..turning() };
    let program = Program::compile(sum(), &options).unwrap();
    let error = program.sizes(&Scalar::new()).err().unwrap();
    assert!(matches!(error, Error::MemoryLimit { limit: 100_000, .. }), "{error}");
    assert_eq!(code(Evaluator::new(&program.bytes(), &Scalar::new(), || 0.0)), "memory.limit");
}

#[test]
fn noise_at_the_limit_is_an_error_not_a_number() {
    let road = Road::with_keys(&sum());
    let result = road.result();
    let mut content = result[21..result.len() - 16].to_vec();
    // Still residues, most likely, but of no encryption of anything.
    let last = content.len();
    for byte in content[last - 4096..].iter_mut().step_by(50) {
        *byte = byte.wrapping_mul(5) / 7;
    }
    let found = code(road.decrypted(&sealed(&result, &content)));
    assert!(["noise.exhausted", "format.content"].contains(&found), "{found}");
    road.works();
}

#[test]
fn a_job_is_used_in_order() {
    let road = Road::with_keys(&sum());
    let mut job = road.client.encrypt(&[("a", &data().into())]).unwrap();
    assert_eq!(code(job.take()), "job.state");
    while !job.step(0.0) {}
    assert!(matches!(job.take(), Ok(Outcome::Objects(_))));
    assert_eq!(code(job.take()), "job.state");
    // A run that is dropped half way is a cancelled run; the evaluator goes on.
    let mut job = road.evaluator.run(&[("a", &road.input())], &clear()).unwrap();
    assert!(!job.step(0.0));
    drop(job);
    road.works();
}

#[test]
fn only_the_printed_base_program_is_run() {
    let program = compile(&sum());
    let base = program.base(&Scalar::new()).unwrap();
    let mut types: Vec<String> = base.operators().iter().map(|o| base.signature(o).name.clone()).collect();
    types.sort();
    types.dedup();
    for op in &types {
        let platform = Scalar::new().without(op);
        let evaluator = Evaluator::new(&program.bytes(), &platform, || 0.0);
        if fused::all().iter().any(|def| def.name() == op) {
            // Without it the base program is another one: its expansion.
            assert!(evaluator.is_ok(), "{op}");
            continue;
        }
        let error = evaluator.err().unwrap();
        assert!(error.to_string().contains(&format!("`{op}`")), "{op}: {error}");
    }
    // An operator that is in no printed line is not needed.
    assert!(!cipherloom::graph::print(&base).contains("limb.neg("));
    assert!(Evaluator::new(&program.bytes(), &Scalar::new().without("limb.neg"), || 0.0).is_ok());
}

/// A program's bytes with its literal changed, checksum and all.
fn forged(program: &Program, from: &str, to: &str) -> Vec<u8> {
    let bytes = program.bytes();
    let content = &bytes[21..bytes.len() - 16];
    let (text, rest) = content[4..].split_at(content.len() - 4 - 48);
    let text = std::str::from_utf8(text).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    let text = text.replace(from, to);
    let mut changed = (text.len() as u32).to_le_bytes().to_vec();
    changed.extend_from_slice(text.as_bytes());
    changed.extend_from_slice(rest);
    sealed(&bytes, &changed)
}

#[test]
fn forged_programs_meet_the_same_checks() {
    let program = compile(&sum());
    let load = |from: &str, to: &str| code(Program::from_bytes(&forged(&program, from, to)));
    assert_eq!(load("shape=[10]", "shape=[10]"), "no error");
    assert_eq!(load("shape=[10]", "shape=[11]"), "format.decisions");
    assert_eq!(load("shape=[10]", "shape=[4294967296]"), "parameters.invalid");
    let l = program.parameters().literal();
    let t = format!("\"t\":[{}]", l.t[0]);
    let wide = cipherloom::math::prime::ntt_primes(60, l.n, 3, &[]).unwrap();
    assert_eq!(load(&t, &format!("\"t\":[{}]", wide[0])), "parameters.invalid");
    assert_eq!(load(&t, &format!("\"t\":[{},{},{}]", wide[0], wide[1], wide[2])), "parameters.invalid");
    assert_eq!(load(&format!("\"n\":{}", l.n), "\"n\":1024"), "parameters.insecure");
    let table = r#""table":"guidelines-2024""#;
    let also = |field: &str| load(table, &format!("{table},{field}"));
    assert_eq!(also(r#""bits":256"#), "parameters.insecure");
    assert_eq!(also(r#""bits":100"#), "parameters.invalid");
    assert_eq!(also(r#""insecure":true"#), "format.content");
    let limit = format!("\"memory_limit\":{}", program.memory_limit());
    let greedy = forged(&program, &limit, "\"memory_limit\":9999999999999");
    assert_eq!(Program::from_bytes(&greedy).unwrap().memory_limit(), program.memory_limit());
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
