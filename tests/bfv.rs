//! BFV as a graph, against plain slot arithmetic: every operator, at small ring dimensions and several parameters.

use cipherloom::engine::{Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId};
use cipherloom::math::prime::ntt_primes;
use cipherloom::math::slots::{galois_conjugate, galois_element};
use cipherloom::ops::{Registry, Session, types};
use cipherloom::platform::{Platform, Scalar};
use cipherloom::schemes::{self, noise};
use proptest::prelude::*;
use std::sync::Arc;

struct Context {
    n: usize,
    t: u64,
    q: Vec<u64>,
    special: Vec<u64>,
    digit: usize,
    aux: Vec<u64>,
}

impl Context {
    fn new(n: usize, t_bits: u32, limbs: usize, bits: u32, digit: usize) -> Self {
        let t = ntt_primes(t_bits, n, 1, &[]).unwrap()[0];
        let all = ntt_primes(bits, n, limbs + digit, &[t]).unwrap();
        let (special, q) = (all[..digit].to_vec(), all[digit..].to_vec());
        let taken = [all.as_slice(), &[t]].concat();
        let aux = schemes::bfv::auxiliary_primes(n, &q, &taken).unwrap();
        Self { n, t, q, special, digit, aux }
    }
    fn all(&self) -> Vec<u64> {
        [self.q.as_slice(), &self.special].concat()
    }
}

/// A graph under construction with a secret key, a seed of each kind, and data.
struct Bench<'r> {
    s: Session<'r>,
    c: &'r Context,
    secret: OperandId,
    seeds: [OperandId; 2],
    data: Vec<Vec<u64>>,
}

impl<'r> Bench<'r> {
    fn new(c: &'r Context, registry: &'r Registry) -> Self {
        let mut s = Session::new(Graph::new(64), registry);
        let public = s.graph_mut().add_input("public seed", types::public_seed()).unwrap();
        let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
        let attrs = Attrs::new().with("n", c.n).with("q", c.all());
        let secret = s.op("rlwe.secret_key", attrs, &[hidden]).unwrap();
        Self { s, c, secret, seeds: [public, hidden], data: vec![vec![1, 2, 3, 4], vec![5, 6, 7, 8]] }
    }
    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> OperandId {
        self.s.op(name, attrs, inputs).unwrap()
    }
    fn plain(&mut self, values: &[u64]) -> OperandId {
        let name = format!("x{}", self.data.len());
        let slots = self.s.graph_mut().add_input(&name, types::slots(self.c.n, self.c.t)).unwrap();
        self.data.push(values.to_vec());
        self.op("bfv.encode", Attrs::new(), &[slots])
    }
    fn encrypt(&mut self, values: &[u64]) -> OperandId {
        let plain = self.plain(values);
        let attrs = Attrs::new().with("q", self.c.q.as_slice());
        self.op("bfv.encrypt_secret", attrs, &[self.secret, plain, self.seeds[0], self.seeds[1]])
    }
    fn encrypt_public(&mut self, values: &[u64], drop: &[u64]) -> OperandId {
        let q = [self.c.q.as_slice(), drop].concat();
        let attrs = Attrs::new().with("q", q);
        let key = self.op("rlwe.public_key", attrs, &[self.secret, self.seeds[0], self.seeds[1]]);
        let plain = self.plain(values);
        let attrs = if drop.is_empty() { Attrs::new() } else { Attrs::new().with("drop", drop) };
        self.op("bfv.encrypt_public", attrs, &[key, plain, self.seeds[1]])
    }
    fn key(&mut self, level: usize, from: &str, g: u64) -> OperandId {
        let attrs = Attrs::new().with("q", &self.c.q[..level]).with("special", self.c.special.as_slice());
        let attrs = attrs.with("digit", self.c.digit).with("from", from).with("g", g);
        self.op("rlwe.switching_key", attrs, &[self.secret, self.seeds[0], self.seeds[1]])
    }
    fn rotate(&mut self, x: OperandId, g: u64) -> OperandId {
        let key = self.key(self.c.q.len(), "galois", g);
        self.op("bfv.rotate", Attrs::new().with("g", g), &[x, key])
    }
    fn multiply(&mut self, a: OperandId, b: OperandId) -> OperandId {
        self.op("bfv.multiply", Attrs::new().with("aux", self.c.aux.as_slice()), &[a, b])
    }
    fn output(&mut self, x: OperandId) {
        let plain = self.op("bfv.decrypt", Attrs::new(), &[self.secret, x]);
        let slots = self.op("bfv.decode", Attrs::new(), &[plain]);
        let noise = self.op("bfv.noise", Attrs::new(), &[self.secret, x]);
        self.s.graph_mut().declare_output("slots", slots);
        self.s.graph_mut().declare_output("noise", noise);
    }
    /// (slots, log2 of the measured noise [t x]_Q) of each output.
    fn run(self, registry: &Registry) -> Vec<(Vec<u64>, f64)> {
        let platform = Scalar::new();
        let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
        let graph = Expander::new(registry).expand(&self.s.finish(), &base).unwrap();
        let plan =
            Arc::new(Plan::new(&graph, &Registry::lattice(), &platform, PlanOptions::default()).unwrap());
        let mut run = Run::new(plan, self.data.into_iter().map(Into::into).collect(), || 0.0).unwrap();
        run.finish();
        let outputs = graph.outputs().len() / 2;
        let noise = |i| f64::from_bits(run.output(i).unwrap()[0]);
        (0..outputs).map(|i| (run.output(2 * i).unwrap(), noise(2 * i + 1))).collect()
    }
}

fn rotate_rows(x: &[u64], step: usize) -> Vec<u64> {
    let half = x.len() / 2;
    (0..x.len()).map(|i| x[i / half * half + (i % half + step) % half]).collect()
}

fn every_operator(c: &Context, a: &[u64], b: &[u64]) {
    let registry = schemes::registry();
    let mut bench = Bench::new(c, &registry);
    let (x, y) = (bench.encrypt(a), bench.encrypt_public(b, &c.special));
    let y_at_once = bench.encrypt_public(b, &[]);
    let m = bench.plain(b);
    let none = Attrs::new;
    let relin = bench.key(c.q.len(), "square", 0);
    let product = bench.multiply(x, y);
    let relinearized = bench.op("bfv.relinearize", none(), &[product, relin]);
    // More products than are summed at a time.
    let aux = none().with("aux", c.aux.as_slice());
    let inner = bench.op("bfv.multiply", aux, &[x, y, y, y].repeat(5));
    let add = bench.op("bfv.add", none(), &[x, y]);
    let sub = bench.op("bfv.sub", none(), &[x, y]);
    let neg = bench.op("bfv.negate", none(), &[x]);
    let add_plain = bench.op("bfv.add_plain", none(), &[x, m]);
    let mul_plain = bench.op("bfv.multiply_plain", none(), &[x, m]);
    let rotated = bench.rotate(x, galois_element(c.n, 3));
    let swapped = bench.rotate(x, galois_conjugate(c.n));
    let low = bench.op("bfv.mod_switch", none().with("keep", 2u64), &[product]);
    let low_key = bench.key(2, "square", 0);
    let low = bench.op("bfv.relinearize", none(), &[low, low_key]);
    let steps: Vec<u64> =
        (0..(c.n / 2).ilog2()).map(|k| galois_element(c.n, 1 << k)).chain([galois_conjugate(c.n)]).collect();
    let mut inputs = vec![x];
    inputs.extend(steps.iter().map(|&g| bench.key(c.q.len(), "galois", g)));
    let sum = bench.op("bfv.sum_slots", none().with("g", steps), &inputs);
    let t = u128::from(c.t);
    let zip = |f: fn(u128, u128, u128) -> u128| -> Vec<u64> {
        a.iter().zip(b).map(|(&a, &b)| f(a.into(), b.into(), t) as u64).collect()
    };
    let products = zip(|a, b, t| a * b % t);
    let total = (a.iter().map(|&v| u128::from(v)).sum::<u128>() % t) as u64;
    let half = c.n / 2;
    let expected = [
        ("product", product, products.clone()),
        ("relinearize", relinearized, products.clone()),
        ("sum of products", inner, zip(|a, b, t| 5 * (a * b + b * b) % t)),
        ("add", add, zip(|a, b, t| (a + b) % t)),
        ("sub", sub, zip(|a, b, t| (a + t - b) % t)),
        ("negate", neg, zip(|a, _, t| (t - a) % t)),
        ("add_plain", add_plain, zip(|a, b, t| (a + b) % t)),
        ("multiply_plain", mul_plain, products.clone()),
        ("rotate", rotated, rotate_rows(a, 3)),
        ("swap", swapped, [&a[half..], &a[..half]].concat()),
        ("switched product", low, products),
        ("sum", sum, vec![total; c.n]),
        ("divided encryption", y, b.to_vec()),
        ("encryption at once", y_at_once, b.to_vec()),
    ];
    for (_, operand, _) in &expected {
        bench.output(*operand);
    }
    let found = bench.run(&registry);
    let [.., (_, divided), (_, at_once)] = found.as_slice() else { panic!("two encryptions") };
    assert!(divided < at_once, "{divided} < {at_once}");
    for ((name, _, expected), (found, noise)) in expected.iter().zip(found) {
        assert_eq!(&found, expected, "{name}");
        let log_q = noise::log2(if *name == "switched product" { &c.q[..2] } else { &c.q });
        let budget = log_q - 1.0 - noise;
        assert!(budget > 5.0 && noise > 0.0, "{name}: budget {budget} of {log_q}");
    }
}

#[test]
fn every_operator_at_several_parameters() {
    for (n, t_bits, limbs, bits, digit) in
        [(16, 12, 3, 40, 1), (64, 17, 4, 50, 1), (64, 17, 5, 50, 2), (128, 20, 3, 60, 1), (32, 30, 4, 45, 3)]
    {
        let c = Context::new(n, t_bits, limbs, bits, digit);
        let mut x = 12345u64;
        let mut values = || -> Vec<u64> {
            (0..n)
                .map(|_| {
                    x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (x >> 20) % c.t
                })
                .collect()
        };
        let (a, b) = (values(), values());
        every_operator(&c, &a, &b);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn every_operator_on_random_values(values in prop::collection::vec(0u64..4000, 32)) {
        let c = Context::new(16, 12, 3, 45, 1);
        let values: Vec<u64> = values.iter().map(|v| v % c.t).collect();
        every_operator(&c, &values[..16], &values[16..]);
    }
}
