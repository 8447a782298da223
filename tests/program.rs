//! The whole road: a task literal, a client, an evaluator that sees bytes only, decrypted numbers.

use cipherloom::engine::Clock;
use cipherloom::platform::Scalar;
use cipherloom::program::{Client, CompileOptions, Evaluator, Job, OutputValues, Program, TaskLiteral};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Instant;

const CLOCK: Clock = || {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
};

fn bytes(job: Job) -> Vec<u8> {
    match job.complete().unwrap() {
        cipherloom::program::Outcome::Bytes(bytes) => bytes,
        _ => panic!("expected bytes"),
    }
}

fn task(json: &str) -> TaskLiteral {
    serde_json::from_str(json).unwrap()
}

type Data<'a> = Vec<(&'a str, Vec<i64>, Option<Vec<u8>>)>;

fn run(task: TaskLiteral, data: &Data<'_>) -> (BTreeMap<String, OutputValues>, Program) {
    let program = Arc::new(Program::compile(task, &CompileOptions::default()).unwrap());
    let platform = Arc::new(Scalar::new());
    println!("{}", serde_json::to_string_pretty(&program.info(&*platform, 1).unwrap()).unwrap());
    let mut evaluator = Evaluator::new(&program.bytes(), &*platform, CLOCK).unwrap();
    let client = Client::new(Arc::clone(&program), platform, CLOCK).unwrap();
    for index in 0..program.keys().map_or(0, |k| k.names.len()) {
        evaluator.load_key(&bytes(client.key(index).unwrap())).unwrap();
    }
    let inputs: Vec<Vec<u8>> = data
        .iter()
        .map(|(name, values, present)| bytes(client.encrypt(name, values, present.as_deref()).unwrap()))
        .collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let cipherloom::program::Outcome::Outputs(outputs) = evaluator.run(&inputs).unwrap().complete().unwrap() else {
        panic!("expected outputs")
    };
    let mut results = BTreeMap::new();
    for output in &program.task().outputs {
        let bytes = outputs.iter().find(|o| o.0 == output.name).map_or(&[][..], |o| &o.1);
        let job = client.decrypt(&output.name, bytes).unwrap();
        let cipherloom::program::Outcome::Values(values) = job.complete().unwrap() else { panic!("values") };
        results.insert(output.name.clone(), values);
    }
    drop(client);
    let program = Arc::try_unwrap(program).ok();
    (results, program.unwrap_or_else(|| panic!("the client is gone")))
}

fn numbers(seed: u64, rows: usize, min: i64, max: i64) -> Vec<i64> {
    let mut x = seed;
    (0..rows)
        .map(|_| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            min + ((x >> 33) as i64).rem_euclid(max - min + 1)
        })
        .collect()
}

fn part(values: &OutputValues, name: &str) -> i128 {
    values.parts[name][0].parse().unwrap()
}

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
    let (results, program) = run(task, &vec![("a", a.clone(), None), ("b", b.clone(), None)]);
    let sum = |f: &dyn Fn(i128, i128) -> i128| -> i128 {
        a.iter().zip(&b).map(|(&a, &b)| f(a.into(), b.into())).sum()
    };
    println!("{:?}", program.parameters());
    assert_eq!(part(&results["mean"], "sum"), sum(&|a, _| a));
    assert_eq!(part(&results["mean"], "n"), 569);
    assert_eq!(part(&results["var"], "sumSquares"), sum(&|_, b| b * b));
    assert_eq!(part(&results["cov"], "sumXY"), sum(&|a, b| a * b));
    assert_eq!(part(&results["cor"], "sumXX"), sum(&|a, _| a * a));
    assert_eq!(part(&results["cor"], "sumYY"), sum(&|_, b| b * b));
    assert_eq!(part(&results["count"], "n"), 569);
    let info = program.info(&Scalar::new(), 1).unwrap();
    for (name, values) in &results {
        println!("{name}: {}", values.noise_budget_bits);
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
    let (results, program) = run(task, &data);
    println!("{:?}", program.parameters());
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
