//! Randomness as it leaves a client: nothing is drawn twice, and what is drawn has the distribution that it should have.
//! A client whose seeds were constant would compute every number rightly.
//!
//! Thresholds: no test fails by chance with a probability above 1e-9; each says how it was computed.

use crate::recorder::{Draw, Recorder};
use crate::rlwe_model::{Model, key_at, limbs, value_at};
use crate::road::{self, TaskBuilder, evaluator};
use cipherloom::circuit::{Job, Outcome};
use cipherloom::ops::types::SwitchingKey;
use cipherloom::platform::{Platform, Simd};
use cipherloom::schemes::close::KeyName;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Literal, Options, Program};
use cipherloom::values::Exact;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn bytes(job: Job) -> Vec<Vec<u8>> {
    match job.complete().unwrap() {
        Outcome::Bytes(bytes) => vec![bytes],
        Outcome::Objects(objects) => objects.into_iter().map(|object| object.bytes).collect(),
        Outcome::Cells(_) => panic!("bytes are expected"),
    }
}

/// What leaves clients, and what they drew for it.
struct Traffic {
    n: usize,
    /// Each with the words that say what it is, and all of its limbs, those too that travel as a seed.
    sent: Vec<(String, Vec<Vec<u64>>)>,
    draws: Vec<Draw>,
    clients: usize,
    /// Values and keys, each of which has its own seeds.
    seeded: usize,
}

/// The covariance of two values, in several ciphertexts modulo several plaintext moduli.
fn covariance() -> Literal {
    let mut task = TaskBuilder::default();
    let attrs = r#"kind="integer", shape=[10000], where="encrypted""#;
    let [a, b] = ["a", "b"].map(|name| task.input(name, attrs, Some(["-1000000", "1000000"])));
    let product = task.op("value.multiply", "", &[a, b]);
    let sum = task.op("value.sum", "", &[product]);
    task.output("sum", sum);
    task.finish()
}

/// Two values, encrypted twice by a client, by it after it was restored, in two tabs, and by another client; keys of all of them, of the first one twice.
fn traffic() -> Traffic {
    let options = Options { n: Some(8192), ..road::turning() };
    let program = Arc::new(Program::compile(covariance(), &options).unwrap());
    let l = program.parameters().literal();
    let platform = Arc::new(Recorder::default());
    let draws = Arc::clone(&platform.draws);
    let shared: Arc<dyn Platform> = platform;
    let new = || Client::new(Arc::clone(&program), Arc::clone(&shared), || 0.0).unwrap();
    let first = new();
    let saved = first.save();
    let restored = || Client::restore(Arc::clone(&program), Arc::clone(&shared), || 0.0, &saved).unwrap();
    let (tabs, other) = ([restored(), restored()], new());
    // The same numbers in both values and every time.
    let cells = Exact::integers(vec![7; 10_000]).into();
    let report = program.report().unwrap();
    let mut sent = Vec::new();
    let mut send = |client: &Client, who: &str, encryptions: usize, key_sets: usize| {
        for time in 0..encryptions {
            let values = bytes(client.encrypt(&[("a", &cells), ("b", &cells)]).unwrap());
            for (input, bytes) in ["a", "b"].iter().zip(values) {
                let part = |uniform: bool| l.q.iter().map(move |&q| (q, uniform));
                let one: Vec<_> = part(false).chain(part(true)).collect();
                let primes = one.repeat(report.inputs[*input].ciphertexts);
                assert!(report.inputs[*input].ciphertexts > 1);
                sent.push((
                    format!("{who}, {input}, time {time}"),
                    limbs(&bytes, value_at(&bytes), l.n, &primes),
                ));
            }
        }
        for time in 0..key_sets {
            for (name, &level) in program.keys().iter().take(3) {
                let bytes = bytes(client.key(&name.to_string()).unwrap()).remove(0);
                let all = [&l.q[..level], &l.special].concat();
                let half = |half: usize| all.iter().map(move |&q| (q, half % 2 == 1)).collect::<Vec<_>>();
                let primes: Vec<_> = (0..2 * level.div_ceil(l.digit())).flat_map(half).collect();
                sent.push((
                    format!("{who}, key {name}, time {time}"),
                    limbs(&bytes, key_at(&bytes), l.n, &primes),
                ));
            }
        }
    };
    send(&first, "first", 2, 2);
    for (client, who) in tabs.iter().zip(["one tab", "another tab"]) {
        send(client, who, 1, 1);
    }
    send(&other, "other", 1, 1);
    let seeded = sent.len();
    let draws = std::mem::take(&mut *draws.lock().unwrap());
    Traffic { n: l.n, sent, draws, clients: 2, seeded }
}

/// Two limbs of independent words share few of them, even if one stream was cut for primes of other sizes or shifted by a
/// rejected word.
///
/// The low 28 bits of two words are the same with probability 2^-28, so that of two limbs of 2^13 words fewer than 16 are
/// the same but with probability (2^26 / 2^28)^16 / 16! < 2^-76, and of all 2^22 pairs of limbs with one below 2^-54.
#[test]
fn no_two_polynomials_share_words() {
    const MOST: u32 = 15;
    let traffic = traffic();
    let mut words: Vec<(u32, u32)> = Vec::new();
    let mut names = Vec::new();
    for (name, limbs) in &traffic.sent {
        for (index, limb) in limbs.iter().enumerate() {
            // A limb has few words twice: each counts once.
            let distinct: BTreeSet<u32> = limb.iter().map(|&word| (word & 0xfff_ffff) as u32).collect();
            assert!(
                distinct.len() > traffic.n - 64,
                "{name}, limb {index}: {} different words",
                distinct.len()
            );
            words.extend(distinct.iter().map(|&word| (word, names.len() as u32)));
            names.push(format!("{name}, limb {index}"));
        }
    }
    assert!((100..2048).contains(&names.len()), "{} limbs", names.len());
    words.sort_unstable();
    let mut shared: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for same in words.chunk_by(|a, b| a.0 == b.0) {
        for (at, &(_, a)) in same.iter().enumerate() {
            for &(_, b) in &same[at + 1..] {
                *shared.entry((a, b)).or_default() += 1;
            }
        }
    }
    let most = shared.into_iter().max_by_key(|&(_, count)| count);
    let ((a, b), count) = most.unwrap();
    assert!(
        count <= MOST,
        "{count} words are both in `{}` and in `{}`",
        names[a as usize],
        names[b as usize]
    );
}

/// Nothing here depends on chance but the last check, which fails with probability 512 / 2^seeds < 2^-30.
#[test]
fn nothing_is_drawn_twice() {
    let traffic = traffic();
    let of = |op: &str| traffic.draws.iter().filter(|draw| draw.op == op).collect::<Vec<_>>();
    let seeds = |op: &str| of(op).iter().map(|draw| draw.seed.clone()).collect::<BTreeSet<_>>();
    let ops: BTreeSet<&str> = traffic.draws.iter().map(|draw| draw.op.as_str()).collect();
    assert_eq!(ops.into_iter().collect::<Vec<_>>(), ["sample.error", "sample.secret", "sample.uniform"]);
    for op in ["sample.error", "sample.uniform"] {
        let draws = of(op);
        assert!(draws.len() >= 40, "{op}: {}", draws.len());
        let distinct: BTreeSet<_> = draws.iter().collect();
        assert_eq!(distinct.len(), draws.len(), "{op}: the same number of the same stream twice");
        assert_eq!(seeds(op).len(), traffic.seeded, "{op}: of each input and key a seed of its own");
    }
    // A secret key is drawn again when its client is restored, always the same way.
    assert_eq!(seeds("sample.secret").len(), traffic.clients);
    assert_eq!(of("sample.secret").into_iter().collect::<BTreeSet<_>>().len(), traffic.clients);
    let [uniform, error, ternary] = ["sample.uniform", "sample.error", "sample.secret"].map(seeds);
    assert!(uniform.is_disjoint(&error), "a secret is drawn from a seed that may be shown");
    assert!(
        uniform.is_disjoint(&ternary) && error.is_disjoint(&ternary),
        "the client's seed is for its key alone"
    );
    let all: Vec<&Vec<u64>> = uniform.iter().chain(&error).collect();
    assert!(all.len() >= 40 && all.iter().all(|seed| seed.len() == 4));
    for bit in 0..256 {
        let ones = all.iter().filter(|seed| seed[bit / 64] >> (bit % 64) & 1 == 1).count();
        assert!(0 < ones && ones < all.len(), "bit {bit} of all {} seeds is the same", all.len());
    }
}

/// -ln of the probability with which one comparison may fail by chance, below 1e-13: some hundred of them in a test stay
/// below 1e-10.
const TAIL: f64 = 30.0;

/// Pearson's statistic of counts whose expected shares are given lies where a chi-square variable with k degrees of freedom
/// does but with probability 2 e^-x: between k - 2 sqrt(k x) and k + 2 sqrt(k x) + 2 x (B. Laurent, P. Massart, 2000,
/// lemma 1). The statistic is chi-square in the limit only; counts here are large, and 1e-13 leaves room.
fn like(counts: &[u64], shares: &[f64], what: &str) {
    let all = counts.iter().sum::<u64>() as f64;
    let square = |(&count, share): (&u64, &f64)| (count as f64 - all * share).powi(2) / (all * share);
    let statistic: f64 = counts.iter().zip(shares).map(square).sum();
    let freedom = counts.len() as f64 - 1.0;
    let reach = 2.0 * (freedom * TAIL).sqrt();
    let range = freedom - reach..freedom + reach + 2.0 * TAIL;
    assert!(range.contains(&statistic), "{what}: {statistic} is outside {range:?}, {counts:?}");
}

/// The mean of independent values is the expected one, but with probability 2 e^-x: of n of them with this variance, none
/// further than `most` from the mean, it is off by at most sqrt(2 v x / n) + 2 m x / 3 n (Bernstein's inequality).
fn averages(values: impl ExactSizeIterator<Item = f64>, expected: f64, variance: f64, most: f64, what: &str) {
    let n = values.len() as f64;
    let mean = values.sum::<f64>() / n;
    let reach = (2.0 * variance * TAIL / n).sqrt() + 2.0 * most * TAIL / (3.0 * n);
    assert!(
        (mean - expected).abs() <= reach,
        "{what}: {mean} instead of {expected}, off by more than {reach}"
    );
}

/// Errors of the centered binomial distribution, k = 21: P(e) = C(42, 21 + e) / 2^42.
fn binomial(errors: &[i64], what: &str) {
    let range = errors.iter().min().unwrap()..=errors.iter().max().unwrap();
    assert!(**range.start() >= -21 && **range.end() <= 21, "{what}: {range:?}");
    let number = errors.len() as f64;
    let values = || errors.iter().map(|&e| e as f64);
    // The fourth moment of a sum of 42 signs, each 1/2, is 3 (42/4)^2 - 42/8; of squares the variance is that minus v^2.
    let v = 10.5f64;
    averages(values(), 0.0, v, 21.0, &format!("mean of {what}"));
    averages(
        values().map(|e| e * e),
        v,
        3.0 * v * v - v / 2.0 - v * v,
        441.0,
        &format!("variance of {what}"),
    );
    // Neighbors have nothing to do with each other.
    let pairs = errors.chunks_exact(2).map(|pair| (pair[0] * pair[1]) as f64).collect::<Vec<_>>();
    averages(pairs.into_iter(), 0.0, v * v, 441.0, &format!("products of neighbors of {what}"));
    // A cell for each value that is expected 1000 times, one for each of the tails.
    let choose = |k: i64| (1..=21 + k).fold(1.0, |c, i| c * (43 - i) as f64 / i as f64);
    let share = |e: i64| choose(e) / 2f64.powi(42);
    let widest = (0..=21).take_while(|&e| number * share(e) >= 1000.0).last().unwrap();
    let tail = (widest + 1..=21).map(share).sum();
    let shares: Vec<f64> = [tail].into_iter().chain((-widest..=widest).map(share)).chain([tail]).collect();
    let mut counts = vec![0; shares.len()];
    errors.iter().for_each(|e| counts[(e.clamp(&(-widest - 1), &(widest + 1)) + widest + 1) as usize] += 1);
    like(&counts, &shares, what);
}

/// Residues modulo q in 256 cells of one size, by their high and by their low bits.
fn uniform(residues: &[u64], q: u64, what: &str) {
    assert!(q > 1 << 26, "cells of one size, but for a part in 2^18");
    for high in [true, false] {
        let mut counts = [0; 256];
        let cell =
            |&r: &u64| if high { (u128::from(r) * 256 / u128::from(q)) as usize } else { r as usize % 256 };
        residues.iter().map(cell).for_each(|cell| counts[cell] += 1);
        like(&counts, &[1.0 / 256.0; 256], &format!("{} bits of {what}", if high { "high" } else { "low" }));
    }
}

/// A task that hands its input on, n numbers, and has keys.
struct Mirror {
    program: Arc<Program>,
    client: Client,
}

impl Mirror {
    fn new() -> Self {
        let mut task = TaskBuilder::default();
        let a = task.input("a", r#"kind="integer", shape=[8192], where="encrypted""#, Some(["0", "9"]));
        let square = task.op("value.square", "", &[a]);
        let sum = task.op("value.sum", "", &[square]);
        task.output("same", a);
        task.output("sum", sum);
        let options = Options { n: Some(8192), ..road::turning() };
        let program = Arc::new(Program::compile(task.finish(), &options).unwrap());
        Self { client: Self::client(&program), program }
    }

    fn client(program: &Arc<Program>) -> Client {
        Client::new(Arc::clone(program), Arc::new(Simd::new()), || 0.0).unwrap()
    }

    fn input(&self, message: &[i128]) -> Vec<u8> {
        let cells = Exact::integers(message.iter().copied()).into();
        bytes(self.client.encrypt(&[("a", &cells)]).unwrap()).remove(0)
    }

    fn model(&self) -> Model {
        let input = self.input(&[0; 8192]);
        let run = evaluator(&self.client, &self.program).run(&[("a", &input)], &SortedMap::new()).unwrap();
        let results = bytes(run);
        // All results are decrypted together: the other one stays as it is.
        let same = results
            .iter()
            .position(|bytes| bytes.windows(13).any(|text| text == br#""name":"same""#))
            .unwrap();
        Model::new(&self.program, &self.client, &results, same)
    }
}

#[test]
fn errors_and_residues_of_encryptions() {
    let mirror = Mirror::new();
    let model = mirror.model();
    let (n, q) = (model.n, model.q.clone());
    let mut errors: Vec<Vec<i64>> = Vec::new();
    let mut residues: Vec<Vec<u64>> = vec![Vec::new(); 2 * q.len()];
    let digits: Vec<i128> = (0..n as i128).map(|k| (k * k + 3 * k) % 10).collect();
    for (message, times) in [(vec![0; n], 12), (digits, 12)] {
        let polynomial = model.polynomial(&message.iter().map(|&m| m as u64).collect::<Vec<_>>());
        for _ in 0..times {
            let limbs = model.input(&mirror.input(&message));
            let error = model.error(&limbs, &polynomial, 0);
            for index in 1..q.len() {
                assert_eq!(model.error(&limbs, &polynomial, index), error, "one error modulo all primes");
            }
            errors.push(error);
            // As values, of which c_1 was drawn; among coefficients a bias of these would be lost.
            for (index, limb) in limbs.into_iter().enumerate() {
                residues[index].extend(limb);
            }
        }
    }
    binomial(&errors.concat(), "errors of encryptions");
    assert_eq!(errors.iter().collect::<BTreeSet<_>>().len(), errors.len(), "an error of its own each");
    for (index, residues) in residues.iter().enumerate() {
        let (part, q) = (index / q.len(), q[index % q.len()]);
        uniform(residues, q, &format!("c_{part} modulo {q}"));
    }
}

#[test]
fn errors_and_residues_of_keys() {
    let mirror = Mirror::new();
    let model = mirror.model();
    let chain = mirror.program.parameters().literal();
    let mut errors: Vec<Vec<i64>> = Vec::new();
    let mut residues: BTreeMap<(usize, u64), Vec<u64>> = BTreeMap::new();
    for (name, &level) in mirror.program.keys() {
        let (q, special) = (chain.q[..level].to_vec(), chain.special.clone());
        let ty =
            SwitchingKey { n: model.n, q, special, digit: chain.digit(), factor: chain.t[0], parties: 1 };
        let key = bytes(mirror.client.key(&name.to_string()).unwrap()).remove(0);
        let to = match name {
            KeyName::Galois(g) => model.mapped_back(*g),
            KeyName::Relinearization => model.secret.clone(),
        };
        let limbs = model.key(&key, &ty);
        let found = model.key_errors(&limbs, &ty, &to);
        assert_eq!(found.len(), ty.digits());
        errors.extend(found);
        for (row, limbs) in limbs.chunks_exact(ty.all().len()).enumerate() {
            for (q, limb) in ty.all().into_iter().zip(limbs) {
                residues.entry((row % 2, q)).or_default().extend(limb);
            }
        }
    }
    assert!(errors.len() >= 8, "{} errors", errors.len());
    binomial(&errors.concat(), "errors of keys");
    assert_eq!(errors.iter().collect::<BTreeSet<_>>().len(), errors.len(), "an error of its own each");
    for ((half, q), residues) in residues {
        uniform(&residues, q, &format!("{} modulo {q}", ["b", "a"][half]));
    }
}

#[test]
fn secrets_are_ternary() {
    let mut mirror = Mirror::new();
    let mut secrets: Vec<Vec<i64>> = Vec::new();
    for client in 0..12 {
        secrets.push(mirror.model().secret);
        if client == 0 {
            let saved = mirror.client.save();
            let platform = Arc::new(Simd::new());
            mirror.client = Client::restore(Arc::clone(&mirror.program), platform, || 0.0, &saved).unwrap();
            assert_eq!(mirror.model().secret, secrets[0], "a restored client has its secret");
        }
        mirror.client = Mirror::client(&mirror.program);
    }
    assert_eq!(secrets.iter().collect::<BTreeSet<_>>().len(), secrets.len(), "of each client another secret");
    let (mut counts, mut pairs) = ([0; 3], [0; 9]);
    for secret in &secrets {
        secret.iter().for_each(|s| counts[(s + 1) as usize] += 1);
        secret.chunks_exact(2).for_each(|s| pairs[(3 * s[0] + s[1] + 4) as usize] += 1);
    }
    like(&counts, &[1.0 / 3.0; 3], "-1, 0 and 1");
    like(&pairs, &[1.0 / 9.0; 9], "pairs of neighbors");
}
