//! The mean and the variance of a column that only the client may see: `cargo run --release --example mean`.

use cipherloom::circuit::Outcome;
use cipherloom::platform::Simd;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{
    Client, Evaluator, InputLiteral, Literal, NodeLiteral, Options, OutputLiteral, Program,
};
use cipherloom::values::GivenCells;
use std::sync::Arc;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// Milliseconds, for traces.
fn clock() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

/// A task over values says what is asked, and nothing of schemes, parameters or keys.
fn task(rows: usize) -> Literal {
    let column = InputLiteral {
        name: "age".into(),
        ty: format!("value[1]{{kind=\"integer\", shape=[{rows}], where=\"encrypted\"}}"),
        min: Some("0".into()),
        max: Some("120".into()),
        digits: None,
    };
    let statistic =
        |op: &str, attrs: &str| NodeLiteral { op: op.into(), inputs: vec![0], attrs: attrs.into() };
    // Operands are numbered: inputs first, then what nodes make.
    let output = |name: &str, operand| OutputLiteral { name: name.into(), operand };
    Literal {
        inputs: vec![column],
        nodes: vec![statistic("stats.mean", ""), statistic("stats.variance", "{of=\"population\"}")],
        outputs: vec![output("mean", 1), output("variance", 2)],
    }
}

/// Mean and variance, of numbers that are encrypted before anybody computes with them.
pub fn mean_and_variance(ages: &[i64]) -> Result<[f64; 2], Failure> {
    // Scheme, ring, primes and keys are the compiler's choice.
    let program = Arc::new(Program::compile(task(ages.len()), &Options::default())?);

    // The client has the secret key.
    let client = Client::new(Arc::clone(&program), Arc::new(Simd::new()), clock)?;
    let column = GivenCells::integers(ages.to_vec().into(), None).ok_or("a column")?;
    let Outcome::Objects(encrypted) = client.encrypt(&[("age", &column)])?.complete()? else {
        return Err("values are objects".into());
    };

    // The server has the program, evaluation keys and ciphertexts, as bytes.
    let mut server = Evaluator::new(&program.bytes(), &Simd::new(), clock)?;
    for name in server.missing_keys() {
        let Outcome::Bytes(key) = client.key(&name)?.complete()? else { return Err("a key is bytes".into()) };
        server.load_key(&key)?;
    }
    let inputs: Vec<(&str, &[u8])> =
        encrypted.iter().map(|value| (value.names[0].as_str(), value.bytes.as_slice())).collect();
    let Outcome::Objects(results) = server.run(&inputs, &SortedMap::new())?.complete()? else {
        return Err("results are objects".into());
    };

    // The client decrypts sums, and divides.
    let results: Vec<&[u8]> = results.iter().map(|result| result.bytes.as_slice()).collect();
    let Outcome::Cells(cells) = client.decrypt(&results, &SortedMap::new(), None)?.complete()? else {
        return Err("what is decrypted are cells".into());
    };
    let number = |name: &str| -> Result<f64, Failure> {
        let output = cells.iter().find(|output| output.name == name).ok_or("an output")?;
        Ok(output.cells.as_ref().map_err(Clone::clone)?.cells[0].to_f64())
    };
    Ok([number("mean")?, number("variance")?])
}

#[allow(dead_code, reason = "tests call what it calls")]
fn main() -> Result<(), Failure> {
    let [mean, variance] = mean_and_variance(&[20, 31, 47, 52, 60])?;
    println!("mean {mean}, variance {variance}");
    (mean == 42.0 && variance == 210.8).then_some(()).ok_or_else(|| "that is not right".into())
}
