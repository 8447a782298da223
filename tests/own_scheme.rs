//! A cryptographer's own circuits, by the public builder only: BFV with keys of one's own, and a statistic of a column
//! without the column layer. bindings/test/e2e/own-scheme.test.ts builds the same from TypeScript, and gets the same bytes.

#![allow(clippy::unwrap_used, reason = "tests")]

use cipherloom::circuit::{Circuit, CircuitBuilder, RunOptions, To};
use cipherloom::graph::{Attrs, OperandId, ValueType, print};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::Registry;
use cipherloom::ops::types::{self, Ciphertext, Scheme, SwitchingKey};
use cipherloom::platform::Simd;
use cipherloom::program::{CompileOptions, Program, Stage};
use cipherloom::schemes::bfv::auxiliary_primes;
use cipherloom::schemes::columns::{Column, KeyName, Keys};
use std::sync::Arc;

fn registry() -> Arc<Registry> {
    Arc::new(cipherloom::registry())
}

fn hex(id: [u8; 16]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The outputs of a circuit, in words.
fn run(circuit: &Circuit, data: &[(&str, &[u64])]) -> Vec<Vec<u64>> {
    let simd = Simd::new();
    let base = circuit.expand(To::Platform(&simd)).unwrap().optimize_by_default().unwrap();
    let plan = base.plan(&simd, &[], RunOptions { secret: true, ..RunOptions::default() }).unwrap();
    let bytes: Vec<(&str, Vec<u8>)> = data
        .iter()
        .map(|(name, words)| (*name, words.iter().flat_map(|w| w.to_le_bytes()).collect()))
        .collect();
    let bytes: Vec<(&str, &[u8])> = bytes.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    let mut run = plan.start(&bytes, || 0.0).unwrap();
    run.finish();
    let words = |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
    (0..plan.outputs().count()).map(|index| words(plan.output(&run, index).unwrap())).collect()
}

/// Parameters of a ring that is far too small to be secure.
struct Ring {
    n: usize,
    t: u64,
    q: Vec<u64>,
    special: Vec<u64>,
    aux: Vec<u64>,
}

impl Ring {
    fn small() -> Self {
        let n = 64;
        let t = ntt_primes(17, n, 1, &[]).unwrap()[0];
        let all = ntt_primes(45, n, 4, &[t]).unwrap();
        let (special, q) = (all[..1].to_vec(), all[1..].to_vec());
        let aux = auxiliary_primes(n, &q, &[all.as_slice(), &[t]].concat()).unwrap();
        Self { n, t, q, special, aux }
    }
    fn all(&self) -> Vec<u64> {
        [self.q.as_slice(), &self.special].concat()
    }
    fn key(&self) -> SwitchingKey {
        SwitchingKey { n: self.n, q: self.q.clone(), special: self.special.clone(), digit: 1, factor: 1 }
    }
    fn ciphertext(&self) -> ValueType {
        Ciphertext::new(self.n, self.q.clone(), 2, Scheme::Bfv { t: self.t }).ty()
    }
    fn slots(&self) -> ValueType {
        types::slots(self.n, self.t)
    }
}

/// The attributes of a switching key of that level.
fn key_attrs(key: &SwitchingKey) -> Attrs {
    let attrs = Attrs::new().with("q", key.q.as_slice()).with("special", key.special.as_slice());
    attrs.with("digit", key.digit)
}

/// Secret key, public key and relinearization key, from seeds.
fn keys(ring: &Ring, registry: &Arc<Registry>) -> Circuit {
    let mut g = CircuitBuilder::new(64, registry).unwrap();
    let hidden = g.input("secret seed", types::secret_seed()).unwrap();
    let public = g.input("public seed", types::public_seed()).unwrap();
    let q = ring.all();
    let secret = g.op("rlwe.secret_key", Attrs::new().with("n", ring.n).with("q", q), &[hidden]).unwrap();
    let q = Attrs::new().with("q", ring.q.as_slice());
    let public_key = g.op("rlwe.public_key", q, &[secret, public, hidden]).unwrap();
    let attrs = key_attrs(&ring.key()).with("from", "square");
    let relinearization = g.op("rlwe.switching_key", attrs, &[secret, public, hidden]).unwrap();
    for (name, key) in [("secret", secret), ("public", public_key), ("relinearization", relinearization)] {
        g.output(name, key);
    }
    g.finish().unwrap()
}

/// Slots under the public key.
fn encryption(ring: &Ring, registry: &Arc<Registry>) -> Circuit {
    let mut g = CircuitBuilder::new(64, registry).unwrap();
    let key = g.input("public", types::public_key(ring.n, &ring.q, 1)).unwrap();
    let slots = g.input("slots", ring.slots()).unwrap();
    let seed = g.input("seed", types::secret_seed()).unwrap();
    let plain = g.op("slots.encode", Attrs::new(), &[slots]).unwrap();
    let ciphertext = g.op("bfv.encrypt_public", Attrs::new(), &[key, plain, seed]).unwrap();
    g.output("ciphertext", ciphertext);
    g.finish().unwrap()
}

/// a b, relinearized, plus a.
fn evaluation(ring: &Ring, registry: &Arc<Registry>) -> Circuit {
    let mut g = CircuitBuilder::new(64, registry).unwrap();
    let [a, b] = ["a", "b"].map(|name| g.input(name, ring.ciphertext()).unwrap());
    let key = g.input("relinearization", ring.key().ty()).unwrap();
    let aux = Attrs::new().with("aux", ring.aux.as_slice());
    let product = g.op("bfv.multiply", aux, &[a, b]).unwrap();
    let product = g.op("rlwe.relinearize", Attrs::new(), &[product, key]).unwrap();
    let sum = g.op("rlwe.add", Attrs::new(), &[product, a]).unwrap();
    g.output("sum", sum);
    g.finish().unwrap()
}

/// What a ciphertext holds, and the bits of its noise.
fn decryption(ring: &Ring, registry: &Arc<Registry>) -> Circuit {
    let mut g = CircuitBuilder::new(64, registry).unwrap();
    let secret = g.input("secret", types::secret_key(ring.n, &ring.all())).unwrap();
    let ciphertext = g.input("ciphertext", ring.ciphertext()).unwrap();
    let plain = g.op("bfv.decrypt", Attrs::new(), &[secret, ciphertext]).unwrap();
    let slots = g.op("slots.decode", Attrs::new(), &[plain]).unwrap();
    let noise = g.op("bfv.noise", Attrs::new(), &[secret, ciphertext]).unwrap();
    g.output("slots", slots);
    g.output("noise", noise);
    g.finish().unwrap()
}

/// Numbers below t.
fn values(seed: u64, ring: &Ring) -> Vec<u64> {
    let next = |x: &u64| Some(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    std::iter::successors(Some(seed), next).skip(1).map(|x| (x >> 20) % ring.t).take(ring.n).collect()
}

#[test]
fn a_scheme_with_keys_of_ones_own() {
    let (ring, registry) = (Ring::small(), registry());
    let circuits = [keys, encryption, evaluation, decryption].map(|make| make(&ring, &registry));
    let [keys, encryption, evaluation, decryption] = &circuits;
    // As TypeScript's, and through bytes and text.
    let ids: Vec<String> = circuits.iter().map(|circuit| hex(circuit.id())).collect();
    assert_eq!(ids, GOLDEN);
    for circuit in &circuits {
        let read = Circuit::from_bytes(&circuit.to_bytes(), Arc::clone(&registry)).unwrap();
        let text = Circuit::from_text(&circuit.to_text(), Arc::clone(&registry)).unwrap();
        assert_eq!([read.id(), text.id()], [circuit.id(); 2]);
    }
    let keys = run(keys, &[("secret seed", &[1, 2, 3, 4]), ("public seed", &[5, 6, 7, 8])]);
    let [secret, public, relinearization] = keys.as_slice() else { unreachable!() };
    let (a, b) = (values(1, &ring), values(2, &ring));
    // One seed for each encryption.
    let encrypt = |slots: &[u64], seed: u64| {
        run(encryption, &[("public", public), ("slots", slots), ("seed", &[seed, 10, 11, 12])]).remove(0)
    };
    let (x, y) = (encrypt(&a, 100), encrypt(&b, 101));
    assert_ne!(x, encrypt(&a, 102));
    let sum = run(evaluation, &[("a", &x), ("b", &y), ("relinearization", relinearization)]).remove(0);
    let expected: Vec<u64> = a.iter().zip(&b).map(|(&a, &b)| (a * b + a) % ring.t).collect();
    let out = run(decryption, &[("secret", secret), ("ciphertext", &sum)]);
    assert_eq!(out[0], expected);
    let bits: f64 = ring.q.iter().map(|&q| (q as f64).log2()).sum();
    assert!(bits - 1.0 - f64::from_bits(out[1][0]) > 20.0, "noise budget");
    assert_eq!(run(decryption, &[("secret", secret), ("ciphertext", &x)])[0], a);
    // Under other keys there is nothing to be read.
    let other =
        run(&circuits[0], &[("secret seed", &[1, 2, 3, 5]), ("public seed", &[5, 6, 7, 8])]).remove(0);
    assert_ne!(run(decryption, &[("secret", &other), ("ciphertext", &sum)])[0], expected);
}

/// Of the circuits above, in TypeScript, too.
const GOLDEN: [&str; 4] = [
    "b9360a811d52102b0c1b76ca3ffff03c",
    "f4bc1e8484fb743cd9f16109278efeb6",
    "64e3f2bfdb4cb6cf111ad7432d132d50",
    "f9f49a7b9b2c220af4eead2cbbb2caf9",
];

/// The statistics task: the variance of a column of 20 rows.
const TASK: &str = r#"{"inputs":[{"name":"x","rows":20,"min":"-30","max":"30"}],
    "nodes":[{"op":"stats.variance","inputs":[0]}],"outputs":[{"name":"variance","operand":1}]}"#;

const STATISTICS: [&str; 2] = ["f5e691cea546668c33556101c9e9d931", "bee449d1ad3b8d920b33bf719ae985be"];

/// What a column is made of, as the compiler chose it.
fn column_and_keys(program: &Program) -> (Column, Keys) {
    let l = program.parameters().literal();
    let column =
        Column { n: l.n, t: l.t.clone(), q: l.q.clone(), parts: 2, rows: 20, missing: false, rings: 0 };
    (column, program.keys().unwrap().clone())
}

#[test]
fn a_statistic_without_the_column_layer() {
    let options = CompileOptions { n: Some(4096), ..CompileOptions::default() };
    let program = Program::compile(serde_json::from_str(TASK).unwrap(), &options).unwrap();
    let (column, keys) = column_and_keys(&program);
    let (l, registry) = (program.parameters().literal(), registry());
    let attrs = || Attrs::new().with("aux", l.aux.as_slice()).with("low", l.low);

    // As the compiler has it.
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let x = g.input("x", column.ty()).unwrap();
    let evaluation = g.input("evaluation keys", keys.ty()).unwrap();
    let variance = g.op("stats.variance", attrs(), &[x, evaluation]).unwrap();
    g.output("variance", variance);
    let task = g.finish().unwrap();
    let compiled = print(&program.graph(Stage::Task, &Simd::new()).unwrap());
    assert_eq!(task.to_text(), compiled);

    // With keys, encryption and decryption around it.
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let hidden = g.input("secret seed", types::secret_seed()).unwrap();
    let public = g.input("public seed", types::public_seed()).unwrap();
    let slots = g.input("slots", types::slots(column.n, column.t[0])).unwrap();
    let all = [l.q.as_slice(), l.special.as_slice()].concat();
    let secret = g.op("rlwe.secret_key", Attrs::new().with("n", l.n).with("q", all), &[hidden]).unwrap();
    let parts: Vec<OperandId> = keys
        .names
        .iter()
        .map(|name| {
            let attrs = key_attrs(&keys.key(name));
            let attrs = match name {
                KeyName::Relinearization(_) => attrs.with("from", "square"),
                KeyName::Galois(element, _) => attrs.with("from", "galois").with("g", *element),
            };
            g.op("rlwe.switching_key", attrs, &[secret, public, hidden]).unwrap()
        })
        .collect();
    let evaluation = g.merge(&parts, keys.ty()).unwrap();
    let plain = g.op("slots.encode", Attrs::new(), &[slots]).unwrap();
    let q = Attrs::new().with("q", column.q.as_slice());
    let encrypted = g.op("bfv.encrypt_secret", q, &[secret, plain, public, hidden]).unwrap();
    let x = g.view(encrypted, 0, column.ty()).unwrap();
    let sums = g.op("stats.variance", attrs(), &[x, evaluation]).unwrap();
    for (index, name) in ["sum", "sumSquares"].into_iter().enumerate() {
        let low = column.q[..l.low].to_vec();
        let ty = Ciphertext::new(l.n, low, 2, Scheme::Bfv { t: column.t[0] }).ty();
        let number = g.view(sums, index as u64 * ty.size, ty).unwrap();
        let plain = g.op("bfv.decrypt", Attrs::new(), &[secret, number]).unwrap();
        let slots = g.op("slots.decode", Attrs::new(), &[plain]).unwrap();
        g.output(name, slots);
    }
    let whole = g.finish().unwrap();
    assert_eq!([task.id(), whole.id()].map(hex), STATISTICS);

    let rows: Vec<i64> = (0..20).map(|row| (7 * row + 3) % 61 - 30).collect();
    let t = column.t[0].cast_signed();
    let slots = column.slots(0, |row| rows[row].rem_euclid(t).cast_unsigned());
    let seeds: [(&str, &[u64]); 2] = [("secret seed", &[1, 2, 3, 4]), ("public seed", &[5, 6, 7, 8])];
    let out = run(&whole, &[seeds[0], seeds[1], ("slots", &slots)]);
    let centered =
        |word: u64| if word.cast_signed() > t / 2 { word.cast_signed() - t } else { word.cast_signed() };
    let (sum, squares) = (rows.iter().sum::<i64>(), rows.iter().map(|x| x * x).sum::<i64>());
    assert_eq!([centered(out[0][0]), centered(out[1][0])], [sum, squares]);
}
