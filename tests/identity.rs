//! What a program, a key and a result are bound to.

mod road;

use cipherloom::program::{Client, CompileOptions, Evaluator, Named, Program};
use road::{Road, task};
use std::sync::Arc;

/// The sum of three numbers of so many decimals.
fn sum(decimals: u32) -> String {
    format!(
        r#"{{"inputs":[{{"name":"a","rows":3,"min":"0","max":"999","decimals":{decimals}}}],
        "nodes":[{{"op":"stats.sum","inputs":[0]}}],"outputs":[{{"name":"s","operand":1,"decimals":{decimals}}}]}}"#
    )
}

fn code<T>(result: cipherloom::Result<T>) -> String {
    result.err().map_or("no error".into(), |e| format!("{}: {e}", e.code()))
}

#[test]
fn decimals_belong_to_the_program() {
    let whole = Road::new(task(&sum(0)));
    let cents = Program::compile(task(&sum(2)), &CompileOptions::default()).unwrap();
    assert_eq!(whole.program.parameters().literal(), cents.parameters().literal());
    assert_ne!(whole.program.id(), cents.id());
    let platform = Arc::new(cipherloom::platform::Scalar::new());
    let reader = Client::restore(Arc::new(cents), platform, road::CLOCK, &whole.client.save()).unwrap();
    let outputs = whole.evaluate(&whole.encrypt(&vec![("a", vec![100, 200, 300], None)]));
    let refused = code(reader.decrypt(&[("s", &outputs[0].bytes)], None));
    assert!(refused.starts_with("key.foreign"), "{refused}");
    for wrong in [r#""decimals":19"#, r#""decimals":-1"#, r#""decimals":0.5"#] {
        let json = sum(0).replacen(r#""decimals":0"#, wrong, 1);
        let refused = serde_json::from_str(&json)
            .ok()
            .map(|t| Program::compile(t, &CompileOptions::default()).is_err());
        assert_ne!(refused, Some(false), "{wrong}");
    }
}

/// Identity of the run over encrypted inputs, in the program's order.
fn run_of(road: &Road, inputs: &[Vec<u8>]) -> [u8; 16] {
    let checksums: Vec<[u8; 16]> = inputs.iter().map(|bytes| *bytes.last_chunk().unwrap()).collect();
    road.program.run_id(&checksums)
}

#[test]
fn results_belong_to_their_run() {
    let json = r#"{"inputs":[{"name":"a","rows":3000,"min":"0","max":"9"},{"name":"b","rows":3,"min":"0","max":"9"}],
        "nodes":[{"op":"stats.sum","inputs":[0]},{"op":"stats.sum","inputs":[1]},{"op":"stats.count","inputs":[0]}],
        "outputs":[{"name":"a","operand":2},{"name":"b","operand":3},{"name":"n","operand":4}]}"#;
    let road = Road::new(task(json));
    let data = |a: i64| vec![("a", vec![a; 3000], None), ("b", vec![a; 3], None)];
    let (first, second) = (road.encrypt(&data(1)), road.encrypt(&data(2)));
    let (old, new) = (road.evaluate(&first), road.evaluate(&second));
    let of = |outputs: &[Named], name: &str| -> Vec<u8> {
        outputs.iter().find(|o| o.names.iter().any(|n| n == name)).unwrap().bytes.clone()
    };
    assert_ne!(of(&old, "a"), of(&old, "b"), "two objects");
    let decrypt = |a: &[Named], b: &[Named], run| {
        code(road.client.decrypt(&[("a", &of(a, "a")), ("n", &[]), ("b", &of(b, "b"))], run))
    };
    assert_eq!(decrypt(&old, &old, None), "no error");
    assert_eq!(decrypt(&old, &old, Some(run_of(&road, &first))), "no error");
    // Outputs of two runs, and those of other inputs.
    for refused in [
        decrypt(&old, &new, None),
        decrypt(&old, &old, Some(run_of(&road, &second))),
        decrypt(&new, &new, Some(run_of(&road, &[first[0].clone(), second[1].clone()]))),
    ] {
        assert!(refused.starts_with("key.foreign") && refused.contains("run"), "{refused}");
    }
    // The order of the inputs' bytes at the evaluator does not matter.
    let turned = road.evaluate(&[first[1].clone(), first[0].clone()]);
    assert_eq!(decrypt(&turned, &old, Some(run_of(&road, &first))), "no error");
}

#[test]
fn a_saved_key_is_the_key_or_nothing() {
    let road = Road::without_keys(task(&sum(0)));
    let restore = |saved: &[u8]| {
        let platform = Arc::new(cipherloom::platform::Scalar::new());
        code(Client::restore(Arc::clone(&road.program), platform, road::CLOCK, saved))
    };
    let saved = road.client.save();
    assert_eq!(restore(&saved), "no error");
    // A seed from which another key follows, with a checksum that is right.
    let mut other = saved.clone();
    let end = other.len() - 16;
    other[end - 1] ^= 1;
    let checksum = twox_hash::XxHash3_128::oneshot(&other[..end]);
    other[end..].copy_from_slice(&checksum.to_le_bytes());
    let refused = restore(&other);
    assert!(refused.starts_with("format.content") && refused.contains("secret key"), "{refused}");
}

#[test]
fn lengths_are_known_before() {
    let json = r#"{"inputs":[{"name":"an input","rows":5000,"min":"-9","max":"9","missing":true},
        {"name":"b","rows":5000,"min":"0","max":"9"}],
        "nodes":[{"op":"stats.correlation","inputs":[0,1]},{"op":"stats.mean","inputs":[1]}],
        "outputs":[{"name":"r","operand":2},{"name":"m","operand":3}]}"#;
    let mut road = Road::without_keys(task(json));
    let info = road.program.info(&cipherloom::platform::Scalar::new(), 1).unwrap();
    let keys = road.keys();
    assert_eq!(info.keys.iter().map(|k| k.bytes).collect::<Vec<_>>(), lengths(&keys));
    for key in &keys {
        road.evaluator.load_key(key).unwrap();
    }
    let inputs =
        road.encrypt(&vec![("an input", vec![1; 5000], Some(vec![1; 5000])), ("b", vec![2; 5000], None)]);
    assert_eq!(info.inputs.iter().map(|i| i.bytes).collect::<Vec<_>>(), lengths(&inputs));
    for object in road.evaluate(&inputs) {
        for name in &object.names {
            let output = info.outputs.iter().find(|o| o.name == *name).unwrap();
            assert_eq!(output.bytes, object.bytes.len() as u64);
        }
    }
    let evaluator = Evaluator::new(&road.program.bytes(), &cipherloom::platform::Scalar::new(), road::CLOCK);
    assert_eq!(evaluator.unwrap().missing_keys().len(), keys.len());
}

fn lengths(objects: &[Vec<u8>]) -> Vec<u64> {
    objects.iter().map(|bytes| bytes.len() as u64).collect()
}
