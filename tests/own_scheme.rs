//! A cryptographer's own circuits, by the public builder only: BFV with keys of one's own. bindings/test/e2e/own-scheme.test.ts builds the same from TypeScript, and gets the same bytes.

use cipherloom::circuit::{Circuit, CircuitBuilder, RunOptions, To};
use cipherloom::graph::{Attrs, ValueType};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::Registry;
use cipherloom::ops::types::{self, Ciphertext, Scheme, SwitchingKey};
use cipherloom::platform::Simd;
use cipherloom::schemes::bfv::auxiliary_primes;
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
        SwitchingKey {
            n: self.n,
            q: self.q.clone(),
            special: self.special.clone(),
            digit: 1,
            factor: 1,
            parties: 1,
        }
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
    let key = g.input("public", types::public_key(ring.n, &ring.q, 1, 1)).unwrap();
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
