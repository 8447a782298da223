//! The pass that sees ciphertexts of BFV, on random graphs: what decrypts is the same before and after them, and what plain
//! numbers give.

use crate::common::Random;
use cipherloom::engine::{Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::{Registry, Session, types};
use cipherloom::optimize::{optimize, sum_products};
use cipherloom::platform::{Platform, Simd};
use cipherloom::schemes;
use std::sync::Arc;

const N: usize = 16;

/// A random tree of sums and products of three ciphertexts, with what its slots have to be; some products are outputs, too.
struct Tree<'r> {
    s: Session<'r>,
    random: Random,
    t: u64,
    aux: Vec<u64>,
    /// Of ciphertexts of two parts and of three, with their slots.
    pairs: Vec<(OperandId, Vec<u64>)>,
    products: Vec<(OperandId, Vec<u64>)>,
}

impl Tree<'_> {
    fn step(&mut self) {
        let zip = |a: &[u64], b: &[u64], f: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
            a.iter().zip(b).map(|(&a, &b)| f(a, b) % self.t).collect()
        };
        let t = self.t;
        let sum = |a: u64, b: u64| a + b;
        match self.random.index(5) {
            0 | 1 => {
                let [i, j] = [0; 2].map(|_| self.random.index(self.pairs.len()));
                let ((a, x), (b, y)) = (&self.pairs[i], &self.pairs[j]);
                let values = zip(x, y, &|a, b| a * b % t);
                let attrs = Attrs::new().with("aux", self.aux.as_slice());
                let product = self.s.op("bfv.multiply", attrs, &[*a, *b]).unwrap();
                self.products.push((product, values));
            }
            2 => {
                let [i, j] = [0; 2].map(|_| self.random.index(self.pairs.len()));
                let ((a, x), (b, y)) = (&self.pairs[i], &self.pairs[j]);
                let values = zip(x, y, &sum);
                let operand = self.s.op("rlwe.add", Attrs::new(), &[*a, *b]).unwrap();
                self.pairs.push((operand, values));
            }
            _ if self.products.len() > 1 => {
                // The latest ones, so that most are read once.
                let back = |random: &mut Random| random.index(3.min(self.products.len())) + 1;
                let [i, j] = [back(&mut self.random), back(&mut self.random)];
                let last = self.products.len();
                let ((a, x), (b, y)) = (&self.products[last - i], &self.products[last - j]);
                let values = zip(x, y, &sum);
                let operand = self.s.op("rlwe.add", Attrs::new(), &[*a, *b]).unwrap();
                self.products.push((operand, values));
            }
            _ => {}
        }
    }
}

/// The slots of all outputs of a graph of scheme level.
fn run(registry: &Registry, graph: &Graph, data: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let platform = Simd::new();
    let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
    let graph = Expander::new(registry).expand(graph, &base).unwrap();
    let plan = Arc::new(Plan::new(&graph, &Registry::lattice(), &platform, PlanOptions::default()).unwrap());
    let mut run = Run::new(plan, data.iter().map(|words| words.as_slice().into()).collect(), || 0.0).unwrap();
    run.finish();
    (0..graph.outputs().len()).map(|index| run.output(index).unwrap()).collect()
}

#[test]
fn sums_of_products_mean_the_same() {
    let registry = schemes::registry();
    let t = ntt_primes(12, N, 1, &[]).unwrap()[0];
    let all = ntt_primes(45, N, 3, &[t]).unwrap();
    let aux = schemes::bfv::auxiliary_primes(N, &all, &[all.as_slice(), &[t]].concat()).unwrap();
    let mut merged = 0;
    for seed in 0..300 {
        let mut s = Session::new(Graph::new(64), &registry);
        let public = s.graph_mut().add_input("public seed", types::public_seed()).unwrap();
        let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
        let attrs = Attrs::new().with("n", N).with("q", all.as_slice());
        let secret = s.op("rlwe.secret_key", attrs, &[hidden]).unwrap();
        let mut data = vec![vec![1, 2, 3, seed], vec![5, 6, 7, seed]];
        let mut random = Random::new(seed);
        let mut pairs = Vec::new();
        for name in ["a", "b", "c"] {
            let values: Vec<u64> = (0..N).map(|_| random.below(t)).collect();
            let slots = s.graph_mut().add_input(name, types::slots(N, t)).unwrap();
            let plain = s.op("slots.encode", Attrs::new(), &[slots]).unwrap();
            let attrs = Attrs::new().with("q", all.as_slice());
            let operand = s.op("bfv.encrypt_secret", attrs, &[secret, plain, public, hidden]).unwrap();
            data.push(values.clone());
            pairs.push((operand, values));
        }
        let mut tree = Tree { s, random, t, aux: aux.clone(), pairs, products: Vec::new() };
        while tree.products.len() < 12 {
            tree.step();
        }
        let Tree { mut s, mut random, products, .. } = tree;
        let mut expected = Vec::new();
        for (index, (operand, values)) in products.iter().enumerate() {
            if index + 1 == products.len() || random.chance(15) {
                let plain = s.op("bfv.decrypt", Attrs::new(), &[secret, *operand]).unwrap();
                let slots = s.op("slots.decode", Attrs::new(), &[plain]).unwrap();
                s.graph_mut().declare_output(&index.to_string(), slots);
                expected.push(values.clone());
            }
        }
        let before = optimize(&s.finish(), &registry).unwrap();
        let after = sum_products(&before, &registry).unwrap();
        merged += before.operators().len() - after.operators().len();
        assert_eq!(run(&registry, &before, &data), expected, "seed {seed}: before");
        assert_eq!(run(&registry, &after, &data), expected, "seed {seed}: after");
    }
    assert!(merged > 100, "{merged} operators less");
}
