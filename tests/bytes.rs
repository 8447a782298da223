//! What programs, their values and their keys are as bytes.

use crate::recorder::{Draw, Recorder};
use crate::road::{self, TaskBuilder};
use cipherloom::Error;
use cipherloom::circuit::Outcome;
use cipherloom::error::FormatProblem;
use cipherloom::platform::{Platform, Scalar, Simd};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Evaluator, Literal, Options, Program};
use cipherloom::values::Exact;
use cipherloom::values::number::Number;
use cipherloom_fuzz::container::{content, sealed};
use std::sync::Arc;

/// A sum of squares: products, and turns.
fn task(kind: &str) -> Literal {
    let mut task = TaskBuilder::default();
    let x = task.input("x", &format!(r#"kind="{kind}", shape=[6], where="encrypted""#), Some(["-9", "9"]));
    let square = task.op("value.square", "", &[x]);
    let sum = task.op("value.sum", "", &[square]);
    task.output("sum", sum);
    task.finish()
}

fn cells(kind: &str) -> Exact {
    let cells = [-7, 3, 0, 9, -9, 2];
    if kind == "integer" {
        return Exact::integers(cells);
    }
    Exact::new(cells.map(|cell| Number::from_f64(cell as f64 / 4.0).unwrap()).to_vec())
}

/// Everything of one program that travels.
struct Traffic {
    program: Arc<Program>,
    client: Client,
    keys: Vec<Vec<u8>>,
    value: Vec<u8>,
}

fn traffic(kind: &str, platform: Arc<dyn Platform>) -> Traffic {
    let program = Arc::new(Program::compile(task(kind), &road::turning()).unwrap());
    let client = Client::new(Arc::clone(&program), platform, || 0.0).unwrap();
    let key = |name: &String| match client.key(name).unwrap().complete().unwrap() {
        Outcome::Bytes(bytes) => bytes,
        _ => panic!("a key is bytes"),
    };
    let names: Vec<String> = program.keys().keys().map(ToString::to_string).collect();
    let keys: Vec<Vec<u8>> = names.iter().map(key).collect();
    let Outcome::Objects(mut values) =
        client.encrypt(&[("x", &cells(kind).into())]).unwrap().complete().unwrap()
    else {
        panic!("values are objects")
    };
    Traffic { program, client, keys, value: values.remove(0).bytes }
}

impl Traffic {
    fn evaluator(&self) -> Evaluator {
        Evaluator::new(&self.program.bytes(), &Simd::new(), || 0.0).unwrap()
    }

    fn result(&self) -> Vec<u8> {
        let mut evaluator = self.evaluator();
        self.keys.iter().for_each(|key| evaluator.load_key(key).unwrap());
        let run = evaluator.run(&[("x", &self.value)], &SortedMap::new()).unwrap();
        let Outcome::Objects(mut results) = run.complete().unwrap() else { panic!("results are objects") };
        assert_eq!(results.len(), 1);
        results.remove(0).bytes
    }

    fn decrypted(&self, result: &[u8]) -> Exact {
        let job = self.client.decrypt(&[result], &SortedMap::new(), None).unwrap();
        let Outcome::Cells(mut cells) = job.complete().unwrap() else { panic!("cells") };
        cells.remove(0).cells.unwrap()
    }

    /// Bytes of one residue of each of these primes, times the ring dimension.
    fn limbs(&self, primes: &[u64]) -> usize {
        let n = self.program.parameters().literal().n;
        primes.iter().map(|q| n * (64 - (q - 1).leading_zeros() as usize) / 8).sum()
    }
}

/// More than what says what an object is.
const HEAD: usize = 1024;

#[test]
fn what_is_fresh_travels_without_its_uniform_half() {
    let platforms: [fn() -> Arc<dyn Platform>; 2] = [|| Arc::new(Scalar::new()), || Arc::new(Simd::new())];
    for (kind, platform) in ["integer", "real"].into_iter().zip(platforms) {
        let all = traffic(kind, platform());
        let l = all.program.parameters().literal().clone();
        let half = all.limbs(&l.q) * l.t.len().max(1);
        assert!((half..half + HEAD).contains(&all.value.len()), "{} bytes, half {half}", all.value.len());
        for (key, (name, bytes)) in all.keys.iter().zip(all.program.report().unwrap().keys) {
            assert!((bytes as usize..bytes as usize + HEAD).contains(&key.len()), "{name}");
        }
        for (key, &level) in all.keys.iter().zip(all.program.keys().values()) {
            let (primes, digits) = ([&l.q[..level], &l.special].concat(), level.div_ceil(l.digit()));
            let half = digits * all.limbs(&primes);
            assert!((half..half + HEAD).contains(&key.len()), "{} bytes, half {half}", key.len());
        }
        let result = all.result();
        let levels: Vec<usize> =
            all.program.report().unwrap().outputs.iter().map(|output| output.level).collect();
        let whole: usize = levels.iter().map(|&level| 2 * all.limbs(&l.q[..level])).sum();
        assert!((whole..whole + HEAD).contains(&result.len()), "{} bytes, whole {whole}", result.len());
        let found = &all.decrypted(&result).cells[0];
        let expected = if kind == "integer" { 224.0 } else { 14.0 };
        assert!((found.to_f64() - expected).abs() < 1e-4, "{found:?}");
    }
}

#[test]
fn only_seeds_of_uniform_halves_travel() {
    let recorder = Recorder::default();
    let draws = Arc::clone(&recorder.draws);
    let all = traffic("integer", Arc::new(recorder));
    let draws = draws.lock().unwrap();
    let sent: Vec<&[u8]> = all.keys.iter().map(Vec::as_slice).chain([all.value.as_slice()]).collect();
    let mut public = std::collections::BTreeSet::new();
    for Draw { op, seed, .. } in draws.iter() {
        let seed: Vec<u8> = seed.iter().flat_map(|word| word.to_le_bytes()).collect();
        let times = sent.iter().filter(|bytes| bytes.windows(32).any(|window| window == seed)).count();
        // Each object has a seed of its own, and no secret is drawn from it.
        assert_eq!(times, usize::from(op == "sample.uniform"), "{op}");
        if op == "sample.uniform" {
            public.insert(seed);
        }
    }
    assert_eq!(public.len(), sent.len());
}

/// Where the residues of an object begin: behind its form, the seed and the streams, and the size.
fn body(bytes: &[u8], residues: usize) -> usize {
    content(bytes).len() - residues
}

#[test]
fn bodies_that_no_client_makes_are_refused() {
    let all = traffic("integer", Arc::new(Simd::new()));
    let l = all.program.parameters().literal().clone();
    let residues = all.limbs(&l.q) * l.t.len();
    let at = body(&all.value, residues);
    let streams = 4 * l.q.len() * l.t.len();
    let form = at - 8 - streams - 32 - 1;
    let evaluator = {
        let mut evaluator = all.evaluator();
        all.keys.iter().for_each(|key| evaluator.load_key(key).unwrap());
        evaluator
    };
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut inside = content(&all.value).to_vec();
        change(&mut inside);
        match evaluator.run(&[("x", &sealed(&all.value, &inside))], &SortedMap::new()) {
            Err(Error::Format { problem, .. }) => problem.to_string(),
            Err(Error::Task { found, .. }) => found,
            Err(other) => panic!("{other}"),
            Ok(_) => String::new(),
        }
    };
    assert_eq!(refused(&|_| {}), "");
    assert_eq!(content(&all.value)[form], 1);
    assert!(refused(&|inside| inside[form] = 2).contains("form 2"));
    assert!(refused(&|inside| inside[form] = 0).contains("wrong size"));
    assert!(refused(&|inside| inside[at - 8] ^= 1).contains("wrong size"));
    assert!(refused(&|inside| inside[at - 1] = 255).contains("wrong size"));
    assert!(refused(&|inside| inside.truncate(inside.len() - 1)).contains("truncated"));
    assert!(refused(&|inside| inside.push(0)).contains("1 bytes too many"));
    assert!(refused(&|inside| inside[at..at + 8].fill(255)).contains("outside their primes"));
    let last = content(&all.value).len();
    assert!(refused(&|inside| inside[last - 8..].fill(255)).contains("outside their primes"));
    // What says that it is a result is none that the program takes.
    assert_eq!(refused(&|inside| inside[32] = 1), "a result");
    // Another seed is another ciphertext, and no error.
    assert_eq!(refused(&|inside| inside[form + 1] ^= 1), "");

    // The same for a key.
    let mut key = content(&all.keys[0]).to_vec();
    key.last_chunk_mut::<8>().unwrap().fill(255);
    let error = all.evaluator().load_key(&sealed(&all.keys[0], &key)).unwrap_err().to_string();
    assert!(error.contains("outside their primes"), "{error}");
    // Nothing of it was taken.
    let mut evaluator = all.evaluator();
    let _ = evaluator.load_key(&sealed(&all.keys[0], &key));
    assert_eq!(evaluator.missing_keys().len(), all.keys.len());
    let other = traffic("integer", Arc::new(Simd::new()));
    other.keys.iter().for_each(|key| evaluator.load_key(key).unwrap());
}

#[test]
fn a_result_travels_in_full() {
    let all = traffic("integer", Arc::new(Simd::new()));
    let result = all.result();
    assert_eq!(all.decrypted(&result), Exact::integers([224]));
    let level = all.program.report().unwrap().outputs[0].level;
    let l = all.program.parameters().literal().clone();
    let at = body(&result, 2 * all.limbs(&l.q[..level]) * l.t.len());
    let mut inside = content(&result).to_vec();
    assert_eq!(inside[at - 9], 0);
    inside[at - 9] = 1;
    let error =
        all.client.decrypt(&[&sealed(&result, &inside)], &SortedMap::new(), None).err().unwrap().to_string();
    assert!(error.contains("a seed in what is not fresh"), "{error}");
}

#[test]
fn what_was_decided_is_checked() {
    let program = Program::compile(task("integer"), &Options::default()).unwrap();
    let bytes = program.bytes();
    assert_eq!(Program::from_bytes(&bytes).unwrap().bytes(), bytes);
    let inside = content(&bytes);
    for (index, expected) in ["values", "keys", "halves"].into_iter().enumerate() {
        let mut changed = inside.to_vec();
        let at = inside.len() - 48 + 16 * index;
        changed[at] ^= 1;
        let error = Program::from_bytes(&sealed(&bytes, &changed)).err().unwrap();
        assert_eq!(error.code(), "format.decisions");
        let Error::Format { problem: FormatProblem::Decisions { what, found, expected: own }, .. } = error
        else {
            panic!("{error}")
        };
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!((what, found, own), (expected, hex(&changed[at..at + 16]), hex(&inside[at..at + 16])));
    }
    let error = Program::from_bytes(&sealed(&bytes, &inside[..inside.len() - 1])).err().unwrap();
    assert_eq!(error.code(), "format.truncated");
}
