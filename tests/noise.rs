//! What operators make ciphertexts off by, as their rules bound it and as it is measured under many keys: no bound is broken. The figures of `docs/noise.md` are made
//! here, too: `npm run docs:noise`.

use cipherloom::engine::{Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId, Real};
use cipherloom::math::prime::ntt_primes;
use cipherloom::math::slots::galois_element;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::Ciphertext;
use cipherloom::ops::{Registry, Session, types};
use cipherloom::optimize::hoist;
use cipherloom::platform::{Platform, Simd};
use cipherloom::schemes::{self, noise};
use serde::Serialize;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Bfv,
    Bgv,
    Ckks,
}
use Of::{Bfv, Bgv, Ckks};

/// One line of a figure: log2 of the largest coefficient of the noise, of which the budget is what is left to half of Q, or under CKKS of the largest error in a slot.
#[derive(Serialize)]
struct Row {
    scheme: &'static str,
    n: usize,
    operator: String,
    /// What the rule says.
    bound: f64,
    /// What was measured: in the middle, and the most.
    median: f64,
    worst: f64,
    runs: usize,
}

/// Rotations of one ciphertext that share its decomposition.
const HOISTED: i64 = 8;
/// Bits of the scale under CKKS, and of all primes but the lowest and the special one.
const BITS: u32 = 40;
const T_BITS: u32 = 20;

struct Bench<'r> {
    s: Session<'r>,
    scheme: Of,
    n: usize,
    q: Vec<u64>,
    special: u64,
    t: u64,
    secret: OperandId,
    seeds: [OperandId; 2],
    data: Vec<Vec<u64>>,
    /// Name, ciphertext, and what is in its slots under CKKS.
    made: Vec<(String, OperandId, Vec<f64>)>,
}

impl<'r> Bench<'r> {
    /// `limbs` primes, the lowest one of so many bits.
    fn new(scheme: Of, n: usize, limbs: usize, lowest: u32, registry: &'r Registry) -> Self {
        let t = ntt_primes(T_BITS, n, 1, &[]).unwrap()[0];
        let special = ntt_primes(50, n, 1, &[]).unwrap()[0];
        let first = ntt_primes(lowest, n, 1, &[special]).unwrap()[0];
        let rest = ntt_primes(BITS, n, limbs - 1, &[special, first]).unwrap();
        let q: Vec<u64> = std::iter::once(first).chain(rest).collect();
        let mut s = Session::new(Graph::new(64), registry);
        let public = s.graph_mut().add_input("public seed", types::public_seed()).unwrap();
        let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
        let attrs = Attrs::new().with("n", n).with("q", [q.as_slice(), &[special]].concat());
        let secret = s.op("rlwe.secret_key", attrs, &[hidden]).unwrap();
        let (data, made) = (vec![Vec::new(); 2], Vec::new());
        Self { s, scheme, n, q, special, t, secret, seeds: [public, hidden], data, made }
    }

    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> OperandId {
        self.s.op(name, attrs, inputs).unwrap()
    }

    fn own(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> OperandId {
        let scheme = self.name().to_lowercase();
        self.op(&format!("{scheme}.{name}"), attrs, inputs)
    }

    fn name(&self) -> &'static str {
        match self.scheme {
            Bfv => "BFV",
            Bgv => "BGV",
            Ckks => "CKKS",
        }
    }

    /// Errors of keys are multiples of t under BGV.
    fn errors(&self, attrs: Attrs) -> Attrs {
        if self.scheme == Bgv { attrs.with("factor", self.t) } else { attrs }
    }

    /// Numbers that look random: residues, or reals between -1 and 1.
    fn numbers(&self, seed: u64) -> (Vec<u64>, Vec<f64>) {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        if self.scheme != Ckks {
            return ((0..self.n).map(|_| next() % self.t).collect(), Vec::new());
        }
        let reals: Vec<f64> = (0..self.n / 2).map(|_| next() as f64 / (1u64 << 52) as f64 - 1.0).collect();
        (reals.iter().map(|x| x.to_bits()).collect(), reals)
    }

    fn plain(&mut self, (words, reals): (Vec<u64>, Vec<f64>)) -> (OperandId, Vec<f64>) {
        let name = format!("x{}", self.data.len());
        let ty = if self.scheme == Ckks {
            Tensor::new(Element::F64, [self.n as u64 / 2]).ty(64).unwrap()
        } else {
            types::slots(self.n, self.t)
        };
        let slots = self.s.graph_mut().add_input(&name, ty).unwrap();
        self.data.push(words);
        let scale = Real::new(2f64.powi(BITS as i32)).unwrap();
        let plain = match self.scheme {
            Ckks => self.op("ckks.encode", Attrs::new().with("scale", scale), &[slots]),
            _ => self.op("slots.encode", Attrs::new(), &[slots]),
        };
        (plain, reals)
    }

    /// BGV and CKKS compute in NTT form.
    fn formed(&mut self, fresh: OperandId) -> OperandId {
        if self.scheme == Bfv { fresh } else { self.op("rlwe.ntt", Attrs::new(), &[fresh]) }
    }

    fn key(&mut self, level: usize, from: &str, g: u64) -> OperandId {
        let attrs = Attrs::new().with("q", &self.q[..level]).with("special", vec![self.special]);
        let attrs = self.errors(attrs.with("digit", 1u64).with("from", from).with("g", g));
        self.op("rlwe.switching_key", attrs, &[self.secret, self.seeds[0], self.seeds[1]])
    }

    fn turned(&mut self, x: OperandId, steps: i64) -> OperandId {
        let g = galois_element(self.n, steps);
        let key = self.key(self.q.len(), "galois", g);
        self.op("rlwe.automorphism", Attrs::new().with("g", g), &[x, key])
    }

    fn level(&self, x: OperandId) -> usize {
        Ciphertext::of(self.s.ty(x)).unwrap().q.len()
    }

    /// A product, relinearized.
    fn product(&mut self, x: OperandId, y: OperandId) -> OperandId {
        let attrs = match self.scheme {
            Bfv => {
                let taken = [self.q.as_slice(), &[self.special, self.t]].concat();
                Attrs::new().with("aux", schemes::bfv::auxiliary_primes(self.n, &self.q, &taken).unwrap())
            }
            _ => Attrs::new(),
        };
        let product = self.own("multiply", attrs, &[x, y]);
        let key = self.key(self.level(x), "square", 0);
        self.op("rlwe.relinearize", Attrs::new(), &[product, key])
    }

    /// With a prime less.
    fn lowered(&mut self, x: OperandId) -> OperandId {
        let attrs = Attrs::new().with("keep", self.level(x) - 1);
        self.own(if self.scheme == Ckks { "rescale" } else { "mod_switch" }, attrs, &[x])
    }

    fn keep(&mut self, name: &str, x: OperandId, reals: Vec<f64>) {
        self.made.push((name.to_owned(), x, reals));
    }

    /// All operators, and products in a row.
    fn every_operator(&mut self, depth: usize) {
        let none = Attrs::new;
        let [a, b] = [1, 2].map(|seed| self.numbers(seed));
        let (plain, ra) = self.plain(a);
        let (other, rb) = self.plain(b);
        let attrs = none().with("q", self.q.as_slice());
        let [public, hidden] = self.seeds;
        let x = self.own("encrypt_secret", attrs, &[self.secret, plain, public, hidden]);
        let x = self.formed(x);
        let all = [self.q.as_slice(), &[self.special]].concat();
        let attrs = self.errors(none().with("q", all));
        let key = self.op("rlwe.public_key", attrs, &[self.secret, public, hidden]);
        let y = self.own("encrypt_public", none().with("drop", vec![self.special]), &[key, other, hidden]);
        let y = self.formed(y);
        let zip = |f: fn(f64, f64) -> f64| ra.iter().zip(&rb).map(|(&a, &b)| f(a, b)).collect::<Vec<f64>>();
        let rotated =
            |steps: usize| (0..ra.len()).map(|at| ra[(at + steps) % ra.len()]).collect::<Vec<f64>>();
        self.keep("encryption, secret key", x, ra.clone());
        self.keep("encryption, public key", y, rb.clone());
        let sum = self.op("rlwe.add", none(), &[x, y]);
        self.keep("sum", sum, zip(|a, b| a + b));
        let product = self.own("multiply_plain", none(), &[x, other]);
        self.keep("product with a plaintext", product, zip(|a, b| a * b));
        let turned = self.turned(x, 3);
        self.keep("rotation", turned, rotated(3));
        let (mut sum, mut reals) = (self.turned(x, 1), rotated(1));
        for steps in 2..=HOISTED {
            let turned = self.turned(x, steps);
            sum = self.op("rlwe.add", none(), &[sum, turned]);
            reals.iter_mut().zip(rotated(steps as usize)).for_each(|(all, own)| *all += own);
        }
        self.keep("sum of 8 hoisted rotations", sum, reals);
        let mut product = self.product(x, y);
        let mut reals = zip(|a, b| a * b);
        self.keep("product, relinearized", product, reals.clone());
        for level in 1..=depth {
            product = self.lowered(product);
            let how = if self.scheme == Ckks { "rescaled" } else { "switched" };
            let name = if level == 1 { format!("the same, {how}") } else { format!("depth {level}") };
            self.keep(&name, product, reals.clone());
            if level < depth {
                product = self.product(product, product);
                reals.iter_mut().for_each(|x| *x *= *x);
            }
        }
    }

    /// Measured under so many keys.
    fn rows(mut self, runs: usize, registry: &Registry) -> Vec<Row> {
        let (scheme, name, n) = (self.scheme, self.name(), self.n);
        let made = std::mem::take(&mut self.made);
        for &(_, x, _) in &made {
            let plain = self.own("decrypt", Attrs::new(), &[self.secret, x]);
            let told = match scheme {
                Ckks => self.op("ckks.decode", Attrs::new().with("complex", 0u64), &[plain]),
                _ => self.own("noise", Attrs::new(), &[self.secret, x]),
            };
            self.s.graph_mut().declare_output("told", told);
            self.s.graph_mut().declare_output("cipher", x);
        }
        let log_q: Vec<f64> = made.iter().map(|&(_, x, _)| noise::log2(&self.q[..self.level(x)])).collect();
        let top = hoist(&self.s.finish(), registry).unwrap();
        // Numbers are at most 1.
        let bounds = schemes::bounds(&top, registry, 0.0).unwrap();
        let platform = Simd::new();
        let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
        let graph = Expander::new(registry).expand(&top, &base).unwrap();
        let plan = Arc::new(Plan::new(&graph, registry, &platform, PlanOptions::default()).unwrap());
        let mut measured = vec![Vec::new(); made.len()];
        for seed in 1..=runs as u64 {
            let mut data = self.data.clone();
            data[0] = (0..4).map(|word| seed * 8 + word).collect();
            data[1] = (4..8).map(|word| seed * 8 + word).collect();
            let mut run =
                Run::new(Arc::clone(&plan), data.into_iter().map(Into::into).collect(), || 0.0).unwrap();
            run.finish();
            for (index, (_, _, reals)) in made.iter().enumerate() {
                let words = run.output(2 * index).unwrap();
                measured[index].push(if scheme == Ckks {
                    let off = words.iter().zip(reals).map(|(&word, x)| (f64::from_bits(word) - x).abs());
                    off.fold(0.0, f64::max).log2()
                } else {
                    f64::from_bits(words[0])
                });
            }
        }
        let rows = made.into_iter().zip(measured).enumerate().map(|(index, ((operator, ..), mut all))| {
            all.sort_by(f64::total_cmp);
            let bound = match scheme {
                Ckks => bounds[2 * index].noise.error,
                _ => log_q[index] - 1.0 - bounds[2 * index + 1].budget,
            };
            let round = |x: f64| (x * 10.0).round() / 10.0;
            let [bound, median, worst] = [bound, all[all.len() / 2], all[all.len() - 1]].map(round);
            Row { scheme: name, n, operator, bound, median, worst, runs }
        });
        rows.collect()
    }
}

fn measured(scheme: Of, n: usize, (limbs, lowest): (usize, u32), depth: usize, runs: usize) -> Vec<Row> {
    let registry = cipherloom::registry();
    let mut bench = Bench::new(scheme, n, limbs, lowest, &registry);
    bench.every_operator(depth);
    let rows = bench.rows(runs, &registry);
    for Row { scheme, operator, bound, median, worst, .. } in &rows {
        assert!(worst <= bound, "{scheme}, n = {n}, {operator}: {worst} (median {median}), bound {bound}");
    }
    rows
}

#[test]
fn no_bound_is_broken() {
    for scheme in [Bfv, Bgv, Ckks] {
        let rows = measured(scheme, 2048, (4, 44), 3, 3);
        // And each says something.
        for Row { scheme, operator, bound, median, .. } in rows {
            assert!(bound < median + 12.0, "{scheme}, {operator}: {median}, bound {bound}");
        }
    }
}

#[test]
#[ignore = "writes docs/noise/noise.json: npm run docs:noise"]
fn figures() {
    let mut all = Vec::new();
    for (n, chain, depth) in [(8192, (4, 44), 3), (16384, (9, 50), 6)] {
        for scheme in [Bfv, Bgv, Ckks] {
            all.extend(measured(scheme, n, chain, depth, 25));
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/noise/noise.json");
    std::fs::write(file, serde_json::to_string_pretty(&all).unwrap() + "\n").unwrap();
}
