//! The whole road: a task literal, a client, an evaluator that sees bytes only, decrypted numbers.

mod road;

use cipherloom::platform::{Scalar, Simd};
use cipherloom::program::{Client, CompileOptions, Evaluator, Outcome, Program, Stage};
use cipherloom::schemes::columns::Keys;
use road::{Road, numbers, part, task};
use std::sync::Arc;

#[test]
fn statistics_of_two_columns() {
    let (a, b) = (numbers(1, 569, 0, 120), numbers(2, 569, -300, 300));
    let task = task(
        r#"{"inputs":[{"name":"a","rows":569,"min":"0","max":"120"},{"name":"b","rows":569,"min":"-300","max":"300"}],
        "nodes":[{"op":"stats.mean","inputs":[0]},{"op":"stats.variance","inputs":[1],"attrs":{"population":1}},
        {"op":"stats.covariance","inputs":[0,1]},{"op":"stats.correlation","inputs":[0,1]},{"op":"stats.count","inputs":[0]}],
        "outputs":[{"name":"mean","operand":2},{"name":"var","operand":3},{"name":"cov","operand":4},
        {"name":"cor","operand":5},{"name":"count","operand":6}]}"#,
    );
    let road = Road::new(task);
    let results = road.run(&vec![("a", a.clone(), None), ("b", b.clone(), None)]);
    let sum = |f: &dyn Fn(i128, i128) -> i128| -> i128 {
        a.iter().zip(&b).map(|(&a, &b)| f(a.into(), b.into())).sum()
    };
    assert_eq!(part(&results["mean"], "sum"), sum(&|a, _| a));
    assert_eq!(part(&results["mean"], "n"), 569);
    assert_eq!(part(&results["var"], "sumSquares"), sum(&|_, b| b * b));
    assert_eq!(part(&results["cov"], "sumXY"), sum(&|a, b| a * b));
    assert_eq!(part(&results["cor"], "sumXX"), sum(&|a, _| a * a));
    assert_eq!(part(&results["cor"], "sumYY"), sum(&|_, b| b * b));
    assert_eq!(part(&results["count"], "n"), 569);
    let info = road.program.info(&Scalar::new(), 1).unwrap();
    for (name, values) in &results {
        assert!(values.noise_budget_bits >= info.params.noise_budget_bits, "the bound is a bound: {name}");
    }
}

#[test]
fn missing_cells_drop_their_rows_pairwise() {
    let rows = 5000;
    let (a, b) = (numbers(3, rows, -50, 1000), numbers(4, rows, 0, 9));
    let present = |seed| numbers(seed, rows, 0, 4).iter().map(|&v| u8::from(v > 0)).collect::<Vec<u8>>();
    let (pa, pb) = (present(5), present(6));
    let task = task(
        r#"{"inputs":[{"name":"a","rows":5000,"min":"-50","max":"1000","missing":true},
        {"name":"b","rows":5000,"min":"0","max":"9","missing":true}],
        "nodes":[{"op":"stats.correlation","inputs":[0,1]},{"op":"stats.mean","inputs":[0]}],
        "outputs":[{"name":"cor","operand":2},{"name":"mean","operand":3}]}"#,
    );
    let data = vec![("a", a.clone(), Some(pa.clone())), ("b", b.clone(), Some(pb.clone()))];
    let results = Road::new(task).run(&data);
    let both = |f: &dyn Fn(i128, i128) -> i128| -> i128 {
        (0..rows).filter(|&i| pa[i] == 1 && pb[i] == 1).map(|i| f(a[i].into(), b[i].into())).sum()
    };
    let cor = &results["cor"];
    assert_eq!(part(cor, "n"), both(&|_, _| 1));
    assert_eq!(part(cor, "sumX"), both(&|a, _| a));
    assert_eq!(part(cor, "sumY"), both(&|_, b| b));
    assert_eq!(part(cor, "sumXX"), both(&|a, _| a * a));
    assert_eq!(part(cor, "sumYY"), both(&|_, b| b * b));
    assert_eq!(part(cor, "sumXY"), both(&|a, b| a * b));
    let mean = &results["mean"];
    assert_eq!(part(mean, "n"), pa.iter().map(|&p| i128::from(p)).sum());
    assert_eq!(part(mean, "sum"), (0..rows).filter(|&i| pa[i] == 1).map(|i| i128::from(a[i])).sum());
}

#[test]
fn large_values_take_several_plaintext_moduli() {
    let big = 1i64 << 40;
    let task = task(&format!(
        r#"{{"inputs":[{{"name":"a","rows":300,"min":"-{big}","max":"{big}"}}],
        "nodes":[{{"op":"stats.variance","inputs":[0]}}],"outputs":[{{"name":"v","operand":1}}]}}"#
    ));
    let a = numbers(9, 300, -big, big);
    let road = Road::new(task);
    assert!(road.program.parameters().literal().t.len() > 1);
    let results = road.run(&vec![("a", a.clone(), None)]);
    assert_eq!(part(&results["v"], "sumSquares"), a.iter().map(|&a| i128::from(a) * i128::from(a)).sum());
    assert_eq!(part(&results["v"], "sum"), a.iter().map(|&a| i128::from(a)).sum());
}

#[test]
fn a_saved_client_decrypts() {
    let json = r#"{"inputs":[{"name":"a","rows":10,"min":"0","max":"9"}],
        "nodes":[{"op":"stats.sum","inputs":[0]}],"outputs":[{"name":"s","operand":1}]}"#;
    let mut road = Road::new(task(json));
    let outputs = road.evaluate(&road.encrypt(&vec![("a", (0..10).collect(), None)]));
    let saved = road.client.save();
    let platform = std::sync::Arc::new(Scalar::new());
    road.client =
        cipherloom::program::Client::restore(road.program.clone(), platform, road::CLOCK, &saved).unwrap();
    assert_eq!(part(&road.decrypt(&outputs)["s"], "sum"), 45);
}

#[test]
fn deep_tasks_switch_keys_in_larger_digits() {
    let square = |operand: usize| format!(r#"{{"op":"column.multiply","inputs":[{operand},{operand}]}}"#);
    let squares: Vec<String> = (0..6).map(square).collect();
    let json = format!(
        r#"{{"inputs":[{{"name":"a","rows":1000,"min":"-2","max":"2"}}],
        "nodes":[{},{{"op":"column.sum","inputs":[6]}}],"outputs":[{{"name":"s","operand":7}}]}}"#,
        squares.join(",")
    );
    let mut road = Road::on(Arc::new(Simd::new()), task(&json));
    let parameters = road.program.parameters().literal();
    assert!(parameters.special.len() > 1, "{parameters:?}");
    let keys = road.program.keys().unwrap();
    assert_eq!(keys.digit, parameters.special.len());
    // Fewer digits, and so smaller keys than those of one prime per digit.
    let single = Keys { special: parameters.special[..1].to_vec(), digit: 1, ..keys.clone() };
    assert!(keys.ty().size < single.ty().size);
    road.load_keys();
    let a = numbers(5, 1000, -2, 2);
    let expected: i128 = a.iter().map(|&a| i128::from(a).pow(64)).sum();
    let results = road.run(&vec![("a", a, None)]);
    assert_eq!(part(&results["s"], "value"), expected);
    assert!(results["s"].noise_budget_bits >= 2.0);
}

#[test]
fn keys_that_do_not_fit_are_chosen_last() {
    let rotated =
        |by: usize| format!(r#"{{"op":"column.rotate_rows","inputs":[0],"attrs":{{"steps":{by}}}}}"#);
    let mut nodes: Vec<String> = (1..9).map(rotated).collect();
    nodes.extend((1..9).map(|index| format!(r#"{{"op":"column.multiply","inputs":[{index},{index}]}}"#)));
    nodes.extend((9..17).map(|index| format!(r#"{{"op":"column.multiply","inputs":[{index},{index}]}}"#)));
    let outputs: Vec<String> = (17..25).map(|o| format!(r#"{{"name":"o{o}","operand":{o}}}"#)).collect();
    let json = format!(
        r#"{{"inputs":[{{"name":"a","rows":8,"min":"-1000","max":"1000","layout":"slots"}}],"nodes":[{}],"outputs":[{}]}}"#,
        nodes.join(","),
        outputs.join(",")
    );
    let keys = |memory_limit: Option<f64>| {
        let options = CompileOptions { n: Some(16384), memory_limit, ..CompileOptions::default() };
        let program = Program::compile(task(&json), &options).unwrap();
        program.keys().unwrap().ty().size * 8
    };
    let free = keys(None);
    let held = keys(Some(free as f64));
    assert!(held < free, "{free} bytes of keys, {held} under a limit");
}

#[test]
fn names_of_inputs_may_hold_anything() {
    let names = ["a", "b", "a\nb", "a 1:b"];
    let inputs = names.map(|name| {
        format!(r#"{{"name":{},"rows":4,"min":"0","max":"9"}}"#, serde_json::to_string(name).unwrap())
    });
    let json = format!(
        r#"{{"inputs":[{}],"nodes":[{{"op":"column.add","inputs":[0,1]}}],"outputs":[{{"name":"s","operand":4}}]}}"#,
        inputs.join(",")
    );
    let road = Road::new(task(&json));
    for group in [&["a\nb"][..], &["a", "b"], &["a 1:b"], &["a"], &["b", "a"], &["a", "b", "a\nb"]] {
        let data = group.iter().map(|&name| (name, vec![1, 2, 3, 4], None)).collect();
        assert_eq!(road.encrypt(&data).len(), group.len());
    }
}

#[test]
fn outputs_that_share_ciphertexts_travel_together() {
    let json = r#"{"inputs":[{"name":"a","rows":20,"min":"0","max":"9"},{"name":"b","rows":20,"min":"0","max":"9"}],
        "nodes":[{"op":"stats.variance","inputs":[0]},{"op":"stats.mean","inputs":[0]},{"op":"stats.count","inputs":[1]},
        {"op":"column.add","inputs":[0,1]}],
        "outputs":[{"name":"sum","operand":5},{"name":"v","operand":2},{"name":"n","operand":4},{"name":"m","operand":3}]}"#;
    let road = Road::new(task(json));
    let data = vec![("a", numbers(1, 20, 0, 9), None), ("b", numbers(2, 20, 0, 9), None)];
    let outputs = road.evaluate(&road.encrypt(&data));
    // What is public does not travel.
    let names: Vec<&[String]> = outputs.iter().map(|object| object.names.as_slice()).collect();
    assert_eq!(names, [&["sum".to_owned()][..], &["v".to_owned(), "m".to_owned()]]);
    let results = road.decrypt(&outputs);
    let total: i128 = data[0].1.iter().map(|&a| i128::from(a)).sum();
    assert_eq!(part(&results["m"], "sum"), total);
    assert_eq!(part(&results["v"], "sum"), total);
    assert_eq!(part(&results["n"], "n"), 20);
    let sums: Vec<i128> = data[0].1.iter().zip(&data[1].1).map(|(a, b)| i128::from(a + b)).collect();
    assert_eq!(results["sum"].parts["values"], sums);
    // Copies of the bytes do as well as the same bytes, and one output can be read alone.
    let copy = outputs[1].bytes.clone();
    let job = road.client.decrypt(&[("m", &copy), ("v", &outputs[1].bytes)], None).unwrap();
    assert!(
        matches!(job.complete(), Ok(Outcome::Values(values)) if values.len() == 2 && part(&values[0].1, "sum") == total)
    );
    // Bytes of other outputs are refused.
    assert_eq!(road.client.decrypt(&[("sum", &copy)], None).err().unwrap().code(), "format.content");
}

#[test]
fn every_platform_gives_the_same_bytes() {
    let json = r#"{"inputs":[{"name":"a","rows":569,"min":"0","max":"120"},{"name":"b","rows":569,"min":"-300","max":"300"}],
        "nodes":[{"op":"stats.correlation","inputs":[0,1]}],"outputs":[{"name":"cor","operand":2}]}"#;
    let mut road = Road::without_keys(task(json));
    let mut simd = Evaluator::new(&road.program.bytes(), &Simd::new(), road::CLOCK).unwrap();
    for key in road.keys() {
        road.evaluator.load_key(&key).unwrap();
        simd.load_key(&key).unwrap();
    }
    let inputs =
        road.encrypt(&vec![("a", numbers(1, 569, 0, 120), None), ("b", numbers(2, 569, -300, 300), None)]);
    let scalar = road.evaluate(&inputs);
    road.evaluator = simd;
    assert!(road.evaluate(&inputs) == scalar);
    let secret = road.client.save();
    road.client = Client::restore(road.program.clone(), Arc::new(Simd::new()), road::CLOCK, &secret).unwrap();
    assert_eq!(part(&road.decrypt(&scalar)["cor"], "n"), 569);
}

#[test]
fn an_untouched_input_is_an_output_with_room_for_its_noise() {
    let task = task(
        r#"{"inputs":[{"name":"a","rows":4,"min":"0","max":"10000000000000"}],"nodes":[],
        "outputs":[{"name":"a again","operand":0}]}"#,
    );
    let results = Road::new(task).run(&vec![("a", vec![10_000_000_000_000, 0, 1, 2], None)]);
    assert_eq!(results["a again"].parts["values"], [10_000_000_000_000, 0, 1, 2]);
}

#[test]
fn sums_of_short_columns_share_ciphertexts() {
    for rows in [1, 2, 5, 600, 1024, 2048, 2049, 5000] {
        let task = task(&format!(
            r#"{{"inputs":[{{"name":"a","rows":{rows},"min":"0","max":"99"}},{{"name":"b","rows":{rows},"min":"-9","max":"9"}}],
            "nodes":[{{"op":"stats.correlation","inputs":[0,1]}},{{"op":"stats.variance","inputs":[0]}},
            {{"op":"column.sub","inputs":[0,1]}},{{"op":"column.sum","inputs":[4]}}],
            "outputs":[{{"name":"cor","operand":2}},{{"name":"var","operand":3}},{{"name":"difference","operand":5}}]}}"#
        ));
        let road = Road::new(task);
        let (n, t) = (road.program.parameters().literal().n, road.program.parameters().literal().t.len());
        let scheme = road.program.graph(Stage::Scheme, &Scalar::new()).unwrap();
        let count =
            |name: &str| scheme.operators().iter().filter(|op| scheme.signature(op).name == name).count();
        // x, y, x^2, y^2, x y, x - y; so many lanes has a ciphertext.
        let lanes = if rows > n / 2 { 1 } else { n / rows.next_power_of_two() };
        let steps = rows.next_power_of_two().trailing_zeros();
        let sums = if lanes > 1 && steps > 1 { 6usize.div_ceil(lanes) } else { 6 };
        assert_eq!(count("bfv.sum_slots"), if rows == 1 { 0 } else { sums * t }, "{rows} rows, n = {n}");
        let (a, b) = (numbers(3, rows, 0, 99), numbers(4, rows, -9, 9));
        let results = road.run(&vec![("a", a.clone(), None), ("b", b.clone(), None)]);
        let sum = |f: &dyn Fn(i128, i128) -> i128| -> i128 {
            a.iter().zip(&b).map(|(&a, &b)| f(a.into(), b.into())).sum()
        };
        let cor = |name: &str| part(&results["cor"], name);
        assert_eq!(
            [cor("sumX"), cor("sumY"), cor("sumXX"), cor("sumYY"), cor("sumXY")],
            [sum(&|a, _| a), sum(&|_, b| b), sum(&|a, _| a * a), sum(&|_, b| b * b), sum(&|a, b| a * b)],
            "{rows} rows"
        );
        assert_eq!(part(&results["var"], "sumSquares"), sum(&|a, _| a * a));
        assert_eq!(part(&results["difference"], "value"), sum(&|a, b| a - b));
    }
}
