//! Changes of JSON that keep it JSON: values for values, items more or less.

use super::random::{Random, mutate_bytes};
use serde_json::{Map, Number, Value};
use std::sync::LazyLock;

/// Changes a JSON text; bytes that are none are changed as bytes.
pub fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let Ok(mut value) = serde_json::from_slice::<Value>(text) else { return mutate_bytes(text, random) };
    for _ in 0..1 + random.below(4) {
        change(&mut value, random);
    }
    *text = value.to_string().into_bytes();
    if random.chance(2) {
        mutate_bytes(text, random);
    }
}

/// Words that mean something to some reader.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let registry = cipherloom::values::Values::new().registry();
    let own = [
        "",
        "a",
        "y",
        "shape",
        "axis",
        "steps",
        "where",
        "kind",
        "missing",
        "decimals",
        "categories",
        "attrs",
        "layouts",
        "passes",
        "precision",
        "BGV",
        "CKKS",
        "guidelines-2024",
        "standard-2018",
        "bits",
        "quantum",
        "insecure",
        "0",
        "-1",
        "1",
        "5",
        "4611686018427387903",
        "-4611686018427387904",
        "9223372036854775808",
        "1e3",
        " 7",
        "+7",
        "170141183460469231731687303715884105727",
        "-170141183460469231731687303715884105728",
        "340282366920938463463374607431768211456",
    ];
    let operators = registry.iter().map(|def| def.name().to_owned());
    operators.chain(own.map(str::to_owned)).collect()
});

/// A change somewhere.
fn change(root: &mut Value, random: &mut Random) {
    let donor = node(root, random.below(count(root))).clone();
    let at = random.below(count(root));
    let target = node_mut(root, at);
    match target {
        _ if random.chance(10) => *target = donor,
        Value::Null => *target = donor,
        Value::Bool(truth) => *truth = !*truth,
        Value::Number(number) => *number = changed_number(number, random),
        Value::String(text) => *text = changed_text(text, random),
        Value::Array(items) => change_items(items, donor, random),
        Value::Object(fields) => change_fields(fields, donor, random),
    }
}

fn changed_number(number: &Number, random: &mut Random) -> Number {
    let found = number.as_u64().unwrap_or(0);
    match random.below(8) {
        0 => found.wrapping_add(1).into(),
        1 => found.wrapping_sub(1).into(),
        2 => found.wrapping_mul(2).into(),
        3 => (found as i64).wrapping_neg().into(),
        4 => (found ^ (1 << random.below(64))).into(),
        5 => Number::from_f64(found as f64 + 0.5).unwrap_or_else(|| 0.into()),
        _ => random.interesting().into(),
    }
}

fn changed_text(text: &str, random: &mut Random) -> String {
    match random.below(6) {
        0 => random.interesting().to_string(),
        1 => format!("-{}", random.interesting() >> 1),
        2 => text.repeat(random.below(4)),
        3 => text.chars().rev().collect(),
        _ => random.pick(&WORDS).clone(),
    }
}

fn change_items(items: &mut Vec<Value>, donor: Value, random: &mut Random) {
    let at = random.below(items.len() + 1);
    match random.below(6) {
        0 if at < items.len() => drop(items.remove(at)),
        1 => items.insert(at, donor),
        2 if at < items.len() => {
            let other = random.below(items.len());
            items.swap(at, other);
        }
        3 if at < items.len() => {
            let item = items[at].clone();
            items.extend(std::iter::repeat_n(item, 1 + random.below(4)));
        }
        4 => items.truncate(at),
        _ => {
            if let Some(item) = items.get(at).cloned() {
                items.insert(at, item);
            }
        }
    }
}

fn change_fields(fields: &mut Map<String, Value>, donor: Value, random: &mut Random) {
    let known: Vec<String> = fields.keys().cloned().collect();
    let name = known.get(random.below(known.len())).cloned();
    match (random.below(4), name) {
        (0, Some(name)) => drop(fields.remove(&name)),
        (1, Some(name)) => drop(fields.insert(name, donor)),
        (2, Some(name)) => {
            if let Some(value) = fields.remove(&name) {
                fields.insert(random.pick(&WORDS).clone(), value);
            }
        }
        _ => drop(fields.insert(random.pick(&WORDS).clone(), donor)),
    }
}

/// How many values there are in a value, itself included.
fn count(value: &Value) -> usize {
    1 + children(value).map(count).sum::<usize>()
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    items.chain(value.as_object().into_iter().flat_map(Map::values))
}

/// Number `at` of the values in a value.
fn node(value: &Value, mut at: usize) -> &Value {
    if at == 0 {
        return value;
    }
    at -= 1;
    for child in children(value) {
        let size = count(child);
        if at < size {
            return node(child, at);
        }
        at -= size;
    }
    value
}

fn node_mut(value: &mut Value, mut at: usize) -> &mut Value {
    if at == 0 {
        return value;
    }
    at -= 1;
    let sizes: Vec<usize> = children(value).map(count).collect();
    let Some(number) = sizes.iter().position(|&size| {
        let here = at < size;
        if !here {
            at -= size;
        }
        here
    }) else {
        return value;
    };
    let child = match value {
        Value::Array(items) => items.get_mut(number),
        Value::Object(fields) => fields.values_mut().nth(number),
        _ => None,
    };
    node_mut(child.expect("a child that was counted"), at)
}
