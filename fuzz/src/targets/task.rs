//! Tasks over values as a page hands them in, compiled, and opened again as others do.

use super::{Limits, Target};
use crate::json;
use crate::random::Random;
use crate::road::turning;
use crate::watch::Verdict;
use cipherloom::schemes::SchemeName;
use cipherloom::tasks::{Literal, Options, Program};
use cipherloom::values::Values;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Trying parameters takes its time.
const LIMITS: Limits = Limits { bytes: 512 << 20, refused: 5000.0, accepted: 10_000.0 };

pub const TARGET: Target = Target { name: "task", run, seeds, mutate: Some(mutate), limits: LIMITS };

/// Attributes that some operator has.
const ATTRS: [&str; 14] = [
    "",
    "{axis=0}",
    "{axis=1}",
    "{axis=0, steps=3}",
    "{shape=[2, 3]}",
    "{shape=[6]}",
    "{shape=[4, 2, 3]}",
    "{start=[0, 1], size=[2, 2]}",
    "{numerator=-7, decimals=1}",
    "{relation=\"lt\"}",
    "{relation=\"eq\"}",
    "{of=\"sample\"}",
    "{kind=\"integer\", shape=[2, 3], value=5}",
    "{kind=\"real\", shape=[2, 3], value=0.5}",
];

/// Types to start from.
const TYPES: [&str; 6] = [
    r#"value[1]{kind="integer", shape=[2, 3], where="encrypted"}"#,
    r#"value[1]{kind="integer", shape=[6], where="encrypted", decimals=2}"#,
    r#"value[1]{kind="real", shape=[2, 3], where="encrypted"}"#,
    r#"value[1]{kind="boolean", shape=[2, 3], where="plain"}"#,
    r#"value[1]{kind="integer", shape=[2, 3], where="public", missing=1}"#,
    r#"value[1]{kind="category", shape=[6], where="encrypted", categories=5}"#,
];

/// A task of one operator on two inputs.
pub(crate) fn task(ty: &str, op: &str, attrs: &str, operands: &[usize]) -> Value {
    let input = |name: &str| json!({"name": name, "type": ty, "min": "-3", "max": "9"});
    let node = json!({"op": op, "inputs": operands, "attrs": attrs});
    let output = json!({"name": "y", "operand": 2});
    json!({"inputs": [input("a"), input("b")], "nodes": [node], "outputs": [output]})
}

fn seeds() -> Vec<Vec<u8>> {
    let own = [
        ("value.multiply", "", [0, 1].as_slice()),
        ("value.sum", "{axis=0}", &[0]),
        ("value.add", "", &[0, 1]),
    ];
    let all = TYPES[..3].iter().flat_map(|ty| own.map(|(op, attrs, operands)| task(ty, op, attrs, operands)));
    let options = [
        json!({"n": 4096}),
        json!({"n": 4096, "scheme": "BFV"}),
        json!({"n": 4096, "keyBytes": 400_000, "passes": {"extract": false}}),
    ];
    // Each operator with each of them.
    let with = |(number, task): (usize, Value)| {
        let options = &options[(number + number / own.len()) % options.len()];
        json!({"task": task, "options": options}).to_string().into_bytes()
    };
    all.enumerate().map(with).collect()
}

/// Small programs over values.
pub(super) fn programs() -> &'static [Program] {
    static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
        let own = [("value.add", "", [0, 1].as_slice()), ("value.sum", "{axis=0}", &[0])];
        let all =
            TYPES[..3].iter().flat_map(|ty| own.map(|(op, attrs, operands)| task(ty, op, attrs, operands)));
        let usual = Options { n: Some(4096), ..Options::default() };
        let few_keys = Options { key_bytes: Some(400_000.0), n: Some(4096), ..turning() };
        let options = [usual.clone(), Options { scheme: Some(SchemeName::Bfv), ..usual }, few_keys];
        let compiled = all
            .zip(options.iter().cycle())
            .filter_map(|(task, options)| Program::compile(Literal::deserialize(task).ok()?, options).ok());
        let all: Vec<Program> = compiled.collect();
        assert!(all.len() > 3, "only {} tasks to start from compile", all.len());
        all
    });
    &PROGRAMS
}

fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    if random.chance(40) { json::mutate(text, random) } else { mutate_task(text, random) }
}

/// Changes the task in a JSON text as tasks are changed; others as JSON.
pub(super) fn mutate_task(text: &mut Vec<u8>, random: &mut Random) {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let registry = Values::new().registry();
        let own = |name: &&str| ["value.", "stats.", "matrix."].iter().any(|head| name.starts_with(head));
        registry.iter().map(|def| def.name()).filter(own).map(str::to_owned).collect()
    });
    let Ok(mut all) = serde_json::from_slice::<Value>(text) else { return json::mutate(text, random) };
    let Some(task) = all.get_mut("task").filter(|task| task.is_object()) else {
        return json::mutate(text, random);
    };
    if random.chance(20)
        && let Some(inputs) = task["inputs"].as_array_mut()
        && let Some(input) = inputs.first_mut()
        && input.is_object()
    {
        input["type"] = TYPES[random.below(TYPES.len())].into();
    }
    let inputs = task["inputs"].as_array().map_or(0, Vec::len);
    if let Some(nodes) = task["nodes"].as_array_mut() {
        for _ in 0..1 + random.below(4) {
            let known = inputs + nodes.len();
            let operands: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(known.max(1))).collect();
            let (op, attrs) = (&NAMES[random.below(NAMES.len())], ATTRS[random.below(ATTRS.len())]);
            nodes.push(json!({"op": op, "inputs": operands, "attrs": attrs}));
        }
        let last = inputs + nodes.len() - 1;
        task["outputs"] = json!([{"name": "y", "operand": last}]);
    }
    *text = all.to_string().into_bytes();
}

fn run(text: &[u8]) -> Verdict {
    let Ok(all) = serde_json::from_slice::<Value>(text) else { return Verdict::Refused };
    let Ok(task) = Literal::deserialize(&all["task"]) else { return Verdict::Refused };
    let options = Options::deserialize(&all["options"]).unwrap_or_default();
    let Ok(program) = Program::compile(task, &options) else { return Verdict::Refused };
    let again = Program::from_bytes(&program.bytes()).map(|again| again.id());
    assert_eq!(again, Ok(program.id()), "a program's own bytes give the program");
    Verdict::Accepted
}
