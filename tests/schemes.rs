//! BFV and BGV as graphs, against plain slot arithmetic: every operator, at small ring dimensions and several parameters; noise as measured is
//! within its bound.

use cipherloom::engine::{Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId, ValueType};
use cipherloom::math::Modulus;
use cipherloom::math::prime::ntt_primes;
use cipherloom::math::slots::{galois_conjugate, galois_element};
use cipherloom::ops::{Registry, Session, types};
use cipherloom::optimize::{fuse, hoist};
use cipherloom::platform::{Platform, Scalar, Simd};
use cipherloom::schemes::{self, noise};
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Of {
    Bfv,
    /// In NTT form.
    BfvNtt,
    Bgv,
    /// In NTT form.
    BgvNtt,
}
use Of::{Bfv, BfvNtt, Bgv, BgvNtt};

impl Of {
    fn bfv(self) -> bool {
        matches!(self, Bfv | BfvNtt)
    }
}

struct Context {
    scheme: Of,
    n: usize,
    t: u64,
    q: Vec<u64>,
    special: Vec<u64>,
    digit: usize,
    aux: Vec<u64>,
}

impl Context {
    fn new(scheme: Of, n: usize, t_bits: u32, limbs: usize, bits: u32, digit: usize) -> Self {
        let t = ntt_primes(t_bits, n, 1, &[]).unwrap()[0];
        let all = ntt_primes(bits, n, limbs + digit, &[t]).unwrap();
        let (special, q) = (all[..digit].to_vec(), all[digit..].to_vec());
        let taken = [all.as_slice(), &[t]].concat();
        let aux = schemes::bfv::auxiliary_primes(n, &q, &taken).unwrap();
        Self { scheme, n, t, q, special, digit, aux }
    }
    /// The scheme's own operator.
    fn name(&self, op: &str) -> String {
        format!("{}.{op}", if self.scheme.bfv() { "bfv" } else { "bgv" })
    }
    /// What keys need to be told.
    fn key_attrs(&self, attrs: Attrs) -> Attrs {
        if self.scheme.bfv() { attrs } else { attrs.with("factor", self.t) }
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
    /// An operator of the scheme itself.
    fn own(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> OperandId {
        self.op(&self.c.name(name), attrs, inputs)
    }
    fn plain(&mut self, values: &[u64]) -> OperandId {
        let name = format!("x{}", self.data.len());
        let slots = self.s.graph_mut().add_input(&name, types::slots(self.c.n, self.c.t)).unwrap();
        self.data.push(values.to_vec());
        self.op("slots.encode", Attrs::new(), &[slots])
    }
    fn encrypt(&mut self, values: &[u64]) -> OperandId {
        let plain = self.plain(values);
        let attrs = Attrs::new().with("q", self.c.q.as_slice());
        let fresh = self.own("encrypt_secret", attrs, &[self.secret, plain, self.seeds[0], self.seeds[1]]);
        self.formed(fresh)
    }
    fn formed(&mut self, fresh: OperandId) -> OperandId {
        match self.c.scheme {
            BfvNtt | BgvNtt => self.op("rlwe.ntt", Attrs::new(), &[fresh]),
            Bfv | Bgv => fresh,
        }
    }
    fn encrypt_public(&mut self, values: &[u64], drop: &[u64]) -> OperandId {
        let q = [self.c.q.as_slice(), drop].concat();
        let attrs = self.c.key_attrs(Attrs::new().with("q", q));
        let key = self.op("rlwe.public_key", attrs, &[self.secret, self.seeds[0], self.seeds[1]]);
        let plain = self.plain(values);
        let attrs = if drop.is_empty() { Attrs::new() } else { Attrs::new().with("drop", drop) };
        let fresh = self.own("encrypt_public", attrs, &[key, plain, self.seeds[1]]);
        self.formed(fresh)
    }
    fn key(&mut self, level: usize, from: &str, g: u64) -> OperandId {
        let attrs = Attrs::new().with("q", &self.c.q[..level]).with("special", self.c.special.as_slice());
        let attrs = self.c.key_attrs(attrs.with("digit", self.c.digit).with("from", from).with("g", g));
        self.op("rlwe.switching_key", attrs, &[self.secret, self.seeds[0], self.seeds[1]])
    }
    fn rotate(&mut self, x: OperandId, g: u64) -> OperandId {
        let key = self.key(self.c.q.len(), "galois", g);
        self.op("rlwe.automorphism", Attrs::new().with("g", g), &[x, key])
    }
    fn multiply(&mut self, a: OperandId, b: OperandId) -> OperandId {
        self.products(&[a, b])
    }
    fn products(&mut self, inputs: &[OperandId]) -> OperandId {
        let attrs = Attrs::new();
        let aux = self.c.aux.as_slice();
        self.own("multiply", if self.c.scheme.bfv() { attrs.with("aux", aux) } else { attrs }, inputs)
    }
    fn output(&mut self, x: OperandId) {
        let plain = self.own("decrypt", Attrs::new(), &[self.secret, x]);
        let slots = self.op("slots.decode", Attrs::new(), &[plain]);
        let noise = self.own("noise", Attrs::new(), &[self.secret, x]);
        self.s.graph_mut().declare_output("slots", slots);
        self.s.graph_mut().declare_output("noise", noise);
    }
    /// (slots, log2 of the measured noise [t x]_Q) of each output.
    fn run(self, registry: &Registry) -> Vec<(Vec<u64>, f64)> {
        self.run_after(|graph| graph, registry)
    }
    /// After a pass at the level of schemes.
    fn run_after(self, pass: impl Fn(Graph) -> Graph, registry: &Registry) -> Vec<(Vec<u64>, f64)> {
        let platform = Scalar::new();
        let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
        let top = pass(self.s.finish());
        let graph = Expander::new(registry).expand(&top, &base).unwrap();
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
    let relinearized = bench.op("rlwe.relinearize", none(), &[product, relin]);
    // More products than are summed at a time.
    let inner = bench.products(&[x, y, y, y].repeat(5));
    let add = bench.op("rlwe.add", none(), &[x, y]);
    let sub = bench.op("rlwe.sub", none(), &[x, y]);
    let neg = bench.op("rlwe.negate", none(), &[x]);
    let add_plain = bench.own("add_plain", none(), &[x, m]);
    let mul_plain = bench.own("multiply_plain", none(), &[x, m]);
    let rotated = bench.rotate(x, galois_element(c.n, 3));
    let swapped = bench.rotate(x, galois_conjugate(c.n));
    let low = bench.own("mod_switch", none().with("keep", 2u64), &[product]);
    let low_key = bench.key(2, "square", 0);
    let low = bench.op("rlwe.relinearize", none(), &[low, low_key]);
    let steps: Vec<u64> =
        (0..(c.n / 2).ilog2()).map(|k| galois_element(c.n, 1 << k)).chain([galois_conjugate(c.n)]).collect();
    let mut sum = x;
    for g in steps {
        let key = bench.key(c.q.len(), "galois", g);
        let rotated = bench.op("rlwe.automorphism", none().with("g", g), &[sum, key]);
        sum = bench.op("rlwe.add", none(), &[sum, rotated]);
    }
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
    let bound = |operand: OperandId| {
        let mut graph = bench.s.graph().clone();
        graph.declare_output("one", operand);
        schemes::noise_budget(&graph, &registry).unwrap()
    };
    let bounds: Vec<f64> = expected.iter().map(|(_, operand, _)| bound(*operand)).collect();
    for (_, operand, _) in &expected {
        bench.output(*operand);
    }
    let found = bench.run(&registry);
    let [.., (_, divided), (_, at_once)] = found.as_slice() else { panic!("two encryptions") };
    assert!(divided < at_once, "{divided} < {at_once}");
    for (((name, _, expected), (found, noise)), bound) in expected.iter().zip(found).zip(bounds) {
        assert_eq!(&found, expected, "{name}");
        let log_q = noise::log2(if *name == "switched product" { &c.q[..2] } else { &c.q });
        let budget = log_q - 1.0 - noise;
        assert!(budget > 5.0 && noise > 0.0, "{name}: budget {budget} of {log_q}");
        // A bound that holds, and says something.
        assert!(
            bound < budget && bound > budget - 0.6 * log_q,
            "{name}: budget {budget}, bound {bound} of {log_q}"
        );
    }
}

#[test]
fn every_operator_at_several_parameters() {
    for (n, t_bits, limbs, bits, digit) in
        [(16, 12, 3, 40, 1), (64, 17, 4, 50, 1), (64, 17, 5, 50, 2), (128, 20, 3, 60, 1), (32, 30, 4, 45, 3)]
    {
        for scheme in [Bfv, BfvNtt, Bgv, BgvNtt] {
            let c = Context::new(scheme, n, t_bits, limbs, bits, digit);
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
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn every_operator_on_random_values(values in prop::collection::vec(0u64..4000, 32)) {
        for scheme in [Bfv, BfvNtt, Bgv, BgvNtt] {
            let c = Context::new(scheme, 16, 12, 3, 45, 1);
            let values: Vec<u64> = values.iter().map(|v| v % c.t).collect();
            every_operator(&c, &values[..16], &values[16..]);
        }
    }
}

#[test]
fn factors_are_part_of_the_meaning() {
    let registry = schemes::registry();
    let c = Context::new(Bgv, 64, 17, 4, 50, 1);
    let mut bench = Bench::new(&c, &registry);
    let values: Vec<u64> = (0..64).map(|v| v * v + 1).collect();
    let x = bench.encrypt(&values);
    let none = Attrs::new;
    // Down in one step, down in two, and down after a product: three roads to one level.
    let direct = bench.own("mod_switch", none().with("keep", 2u64), &[x]);
    let step = bench.own("mod_switch", none().with("keep", 3u64), &[x]);
    let steps = bench.own("mod_switch", none().with("keep", 2u64), &[step]);
    let key = bench.key(3, "square", 0);
    let product = bench.own("multiply", none(), &[step, step]);
    let product = bench.op("rlwe.relinearize", none(), &[product, key]);
    let product = bench.own("mod_switch", none().with("keep", 2u64), &[product]);
    let same = bench.op("rlwe.add", none(), &[direct, steps]);
    let refused = bench.s.op("rlwe.add", none(), &[direct, product]).unwrap_err().to_string();
    assert!(refused.contains("factor="), "{refused}");
    let factor = bench.s.ty(product).attrs.uint("factor").unwrap();
    let adjusted = bench.own("adjust", none().with("factor", factor), &[direct]);
    let sum = bench.op("rlwe.add", none(), &[adjusted, product]);
    let m = bench.plain(&values);
    let sum = bench.own("add_plain", none(), &[sum, m]);
    // Another scheme's operators and keys are refused.
    let attrs = none().with("q", &c.q[..3]).with("special", c.special.as_slice()).with("digit", 1u64);
    let attrs = attrs.with("from", "square");
    let bfv_key = bench.op("rlwe.switching_key", attrs, &[bench.secret, bench.seeds[0], bench.seeds[1]]);
    let squared = bench.own("multiply", none(), &[step, step]);
    let refused = bench.s.op("rlwe.relinearize", none(), &[squared, bfv_key]).unwrap_err().to_string();
    assert!(refused.contains("factor of key 1"), "{refused}");
    let refused = bench.s.op("bfv.decrypt", none(), &[bench.secret, x]).unwrap_err().to_string();
    assert!(refused.contains("scheme of the ciphertext"), "{refused}");
    bench.output(same);
    bench.output(sum);
    let found = bench.run(&registry);
    let t = c.t;
    let expected = |f: fn(u64) -> u64| values.iter().map(|&v| f(v) % t).collect::<Vec<u64>>();
    assert_eq!(found[0].0, expected(|v| 2 * v));
    assert_eq!(found[1].0, expected(|v| v * v + 2 * v));
}

/// In every slot the sum of those in its row that are a multiple of `period` further on, and of `rows` rows.
fn totals(x: &[u64], period: usize, rows: usize, t: u64) -> Vec<u64> {
    let row = x.len() / 2;
    let of = |row_of: usize, at: usize| {
        let own = (at % period..row).step_by(period).map(|at| x[row_of * row + at]);
        own.fold(0, |sum, x| (sum + x) % t)
    };
    let sum = |slot: usize| match rows {
        2 => (of(0, slot % row) + of(1, slot % row)) % t,
        _ => of(slot / row, slot % row),
    };
    (0..x.len()).map(sum).collect()
}

#[test]
fn sums_are_left_to_who_decrypts() {
    let registry = cipherloom::registry();
    for (scheme, n) in
        [(Bfv, 16), (BfvNtt, 64), (Bgv, 16), (BgvNtt, 16), (BgvNtt, 64), (Bgv, 256), (BgvNtt, 1024)]
    {
        let c = Context::new(scheme, n, 18, 3, 40, 1);
        let values: Vec<u64> = (0..n as u64).map(|k| k * k * 7919 % c.t).collect();
        let mut b = Bench::new(&c, &registry);
        let fresh = b.encrypt(&values);
        // Of two parts and of three, of a factor that is 1 and of another one.
        let product = b.products(&[fresh, fresh]);
        let low = b.own("mod_switch", Attrs::new().with("keep", 2u64), &[product]);
        let squares: Vec<u64> = values.iter().map(|&x| x * x % c.t).collect();
        let mut expected = Vec::new();
        for (x, of) in [(fresh, &values), (product, &squares), (low, &squares)] {
            b.output(x);
            expected.push(of.clone());
            for stride in (0..n.ilog2()).map(|log| 1usize << log) {
                for rows in
                    [1, 2].into_iter().filter(|rows| stride * rows > 1 && (stride < n / 2 || *rows == 2))
                {
                    let attrs = Attrs::new().with("stride", stride).with("conjugated", rows as u64 - 1);
                    // Divided, where something is there to be divided: modulo t, whatever it is.
                    let repeats = if stride == 2 { 3 } else { 1 };
                    let attrs = if repeats == 1 { attrs } else { attrs.with("repeats", repeats) };
                    let total = b.op("rlwe.extract", attrs.clone(), &[x]);
                    b.output(total);
                    let small = totals(of, n / 2 / stride, rows, c.t);
                    let part = Modulus::new(c.t).unwrap().inv(repeats).unwrap();
                    let small: Vec<u64> = small.iter().map(|&sum| sum * part % c.t).collect();
                    // The slots of the subring: each row once.
                    let row = n / 2 / stride;
                    let small = [&small[..row], &small[n / 2..][..row]].concat();
                    if x == low {
                        // Switched on the way.
                        let total = b.own("switch_extract", attrs.with("keep", 2u64), &[product]);
                        b.output(total);
                        expected.push(small.clone());
                    }
                    expected.push(small);
                }
            }
        }
        let mut largest = f64::NAN;
        for ((found, noise), expected) in b.run(&registry).into_iter().zip(expected) {
            assert_eq!(found, expected, "{n}");
            if found.len() == n && noise > largest || largest.is_nan() {
                largest = noise;
            }
            assert!(noise <= largest + 1.0, "{n}: {noise}, of all coefficients {largest}");
        }
    }
}

#[test]
fn extracts_are_refused_where_they_are_none() {
    let registry = cipherloom::registry();
    let c = Context::new(BgvNtt, 16, 18, 2, 40, 1);
    let mut b = Bench::new(&c, &registry);
    let x = b.encrypt(&[3; 16]);
    for (stride, conjugated) in [(0u64, 0u64), (1, 0), (3, 0), (8, 0), (16, 1), (4, 2)] {
        let attrs = Attrs::new().with("stride", stride).with("conjugated", conjugated);
        let error = b.s.op("rlwe.extract", attrs, &[x]).unwrap_err().to_string();
        assert!(error.contains("stride"), "{error}");
    }
    let attrs = Attrs::new().with("stride", 4u64).with("conjugated", 0u64);
    let total = b.op("rlwe.extract", attrs, &[x]);
    // It is no ciphertext any more.
    for op in ["rlwe.negate", "rlwe.intt", "bgv.multiply"] {
        let inputs = vec![total; if op == "bgv.multiply" { 2 } else { 1 }];
        assert!(b.s.op(op, Attrs::new(), &inputs).is_err(), "{op}");
    }
    // What of the sum the message is, no type says twice.
    let ty = b.s.ty(total);
    let twice = ValueType::new("extract", ty.size, ty.attrs.clone().with("times", 5u64));
    assert!(types::Extract::of(&twice).unwrap_err().to_string().contains("its scheme tells"));
}

/// Of polynomials in either form, against integers: (x - d) / A with the least d that is x modulo A, and 0 modulo t under BGV.
#[test]
fn divisions_are_those_of_integers() {
    let registry = schemes::registry();
    let (n, t) = (16, ntt_primes(12, 16, 1, &[]).unwrap()[0]);
    let q = ntt_primes(20, n, 3, &[t]).unwrap();
    let product = |q: &[u64]| q.iter().map(|&q| i128::from(q)).product::<i128>();
    let residues = |x: &[i128], q: &[u64]| -> Vec<u64> {
        let limb = |x: &[i128], q: u64| x.iter().map(|x| x.rem_euclid(q.into()) as u64).collect::<Vec<_>>();
        x.chunks(n).flat_map(|part| q.iter().flat_map(move |&q| limb(part, q))).collect()
    };
    for (scheme, op, factor) in [
        (types::Scheme::Bgv { t, factor: 1 }, "bgv.mod_switch", i128::from(t)),
        (types::Scheme::Bfv { t }, "bfv.mod_switch", 1),
    ] {
        for (keep, platform) in [1, 2].into_iter().flat_map(|keep| [(keep, 0), (keep, 1)]) {
            let (all, a) = (product(&q), product(&q[keep..]));
            let ends = [0, 1, all - 1, a / 2, a / 2 + 1, a - 1, a, all / 2];
            let any = (1i128..).map(|i| i * i * i * 0x9e37_79b9_7f4a_7c15 % all);
            let x: Vec<i128> = ends.into_iter().chain(any).take(2 * n).collect();
            let divided = |&x: &i128| {
                let r = (x + a / 2).rem_euclid(a) - a / 2;
                let d = (-factor / 2..=factor / 2).map(|k| r + a * k).find(|d| d % factor == 0).unwrap();
                (x - d) / a
            };
            let expected = residues(&x.iter().map(divided).collect::<Vec<_>>(), &q[..keep]);
            let mut s = Session::new(Graph::new(64), &registry);
            let ty = types::Ciphertext::new(n, q.clone(), 2, scheme).ty();
            let input = s.graph_mut().add_input("x", ty).unwrap();
            let attrs = Attrs::new().with("keep", keep);
            let coefficients = s.op(op, attrs.clone(), &[input]).unwrap();
            let values = s.op("rlwe.ntt", Attrs::new(), &[input]).unwrap();
            let values = s.op(op, attrs, &[values]).unwrap();
            let values = s.op("rlwe.intt", Attrs::new(), &[values]).unwrap();
            s.graph_mut().declare_output("coefficients", coefficients);
            s.graph_mut().declare_output("values", values);
            let platforms: [Box<dyn Platform>; 2] = [Box::new(Scalar::new()), Box::new(Simd::new())];
            let platform = &*platforms[platform];
            let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
            let graph = Expander::new(&registry).expand(&s.finish(), &base).unwrap();
            let plan = Plan::new(&graph, &Registry::lattice(), platform, PlanOptions::default()).unwrap();
            let words: Vec<u64> = residues(&x, &q);
            let mut run = Run::new(Arc::new(plan), vec![words.into()], || 0.0).unwrap();
            run.finish();
            for output in [0, 1] {
                assert_eq!(run.output(output).unwrap(), expected, "{op}, {keep}, {}", platform.name());
            }
        }
    }
}

#[test]
fn hoisted_rotations_are_the_same_bits() {
    let registry = schemes::registry();
    for (scheme, digit) in [(Bfv, 1), (Bgv, 1), (BgvNtt, 1), (Bfv, 2), (BfvNtt, 2), (Bgv, 3), (BgvNtt, 2)] {
        let c = Context::new(scheme, 64, 17, 4, 50, digit);
        let values: Vec<u64> = (0..64).map(|v| v * v + 1).collect();
        let steps = [1usize, 3, 7];
        let run = |pass: &dyn Fn(Graph) -> Graph| {
            let mut bench = Bench::new(&c, &registry);
            let x = bench.encrypt(&values);
            let alone = bench.encrypt(&values);
            for step in steps {
                let rotated = bench.rotate(x, galois_element(64, step as i64));
                bench.output(rotated);
            }
            let swapped = bench.rotate(alone, galois_conjugate(64));
            bench.output(swapped);
            bench.run_after(pass, &registry)
        };
        let hoisted = run(&|graph| {
            let graph = hoist(&graph, &registry).unwrap();
            let count =
                |name: &str| graph.operators().iter().filter(|op| graph.signature(op).name == name).count();
            let names = ["rlwe.decompose", "rlwe.automorphism_hoisted", "rlwe.automorphism"];
            assert_eq!(names.map(count), [1, 3, 1]);
            assert!(schemes::noise_budget(&graph, &registry).is_ok());
            graph
        });
        assert_eq!(hoisted, run(&|graph| graph));
        for ((found, _), step) in hoisted.iter().zip(steps) {
            assert_eq!(found, &rotate_rows(&values, step));
        }
        assert_eq!(hoisted[3].0, [&values[32..], &values[..32]].concat());
    }
}

#[test]
fn a_relinearization_and_a_switch_are_one_operator() {
    let registry = schemes::registry();
    for (scheme, digit, keep) in
        [(Bfv, 1, 3), (BfvNtt, 2, 2), (Bgv, 1, 3), (BgvNtt, 1, 3), (Bgv, 2, 2), (BgvNtt, 2, 1)]
    {
        let c = Context::new(scheme, 64, 17, 4, 50, digit);
        let (a, b): (Vec<u64>, Vec<u64>) = (0..64).map(|v| (v * v + 1, 7 * v + 2)).unzip();
        let run = |pass: &dyn Fn(Graph) -> Graph| {
            let mut bench = Bench::new(&c, &registry);
            let (x, y, key) = (bench.encrypt(&a), bench.encrypt(&b), bench.key(4, "square", 0));
            let product = bench.multiply(x, y);
            let both = bench.op("rlwe.relinearize", Attrs::new(), &[product, key]);
            let low = bench.own("mod_switch", Attrs::new().with("keep", keep as u64), &[both]);
            bench.output(low);
            bench.run_after(pass, &registry)
        };
        let fused = run(&|graph| {
            let graph = fuse(&graph, &registry).unwrap();
            let names = graph.operators().iter().map(|op| graph.signature(op).name.as_str());
            let left: Vec<&str> =
                names.filter(|name| name.contains("relin") || name.contains("mod_")).collect();
            assert_eq!(left, [c.name("relinearize_switch")]);
            graph
        });
        let [(apart, _)] = run(&|graph| graph).try_into().unwrap();
        let [(slots, noise)] = fused.try_into().unwrap();
        let expected: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a * b % c.t).collect();
        assert_eq!((&slots, &apart), (&expected, &expected));
        let mut bench = Bench::new(&c, &registry);
        let (x, key) = (bench.encrypt(&a), bench.key(4, "square", 0));
        let product = bench.multiply(x, x);
        let both = bench.own("relinearize_switch", Attrs::new().with("keep", keep as u64), &[product, key]);
        bench.s.graph_mut().declare_output("one", both);
        let bound = schemes::noise_budget(bench.s.graph(), &registry).unwrap();
        assert!(noise::log2(&c.q[..keep]) - 1.0 - noise >= bound, "{noise}, {bound}");
    }
}

#[test]
fn digits_of_other_keys_are_refused() {
    let registry = schemes::registry();
    let c = Context::new(Bgv, 64, 17, 4, 50, 2);
    let mut bench = Bench::new(&c, &registry);
    let x = bench.encrypt(&[1; 64]);
    let key = bench.key(4, "galois", 3);
    let digits = Attrs::new().with("special", c.special.as_slice()).with("digit", 1u64);
    let digits = bench.op("rlwe.decompose", digits, &[x]);
    let g = Attrs::new().with("g", 3u64);
    let refused = bench.s.op("rlwe.automorphism_hoisted", g, &[x, key, digits]).unwrap_err().to_string();
    assert!(refused.contains("input 2"), "{refused}");
    let even = bench.s.op("rlwe.automorphism", Attrs::new().with("g", 4u64), &[x, key]).unwrap_err();
    assert!(even.to_string().contains("an odd number below 128"), "{even}");
}

#[test]
fn forms_are_part_of_the_type() {
    let registry = schemes::registry();
    for scheme in [Bgv, Bfv] {
        let c = Context::new(scheme, 64, 17, 4, 50, 1);
        let mut bench = Bench::new(&c, &registry);
        let x = bench.encrypt(&[3; 64]);
        let y = bench.op("rlwe.ntt", Attrs::new(), &[x]);
        let refused = bench.s.op("rlwe.add", Attrs::new(), &[x, y]).unwrap_err().to_string();
        assert!(refused.contains(r#"form="ntt""#), "{refused}");
        let refused = bench.s.op("rlwe.ntt", Attrs::new(), &[y]).unwrap_err().to_string();
        assert!(refused.contains("found ntt, expected coeff"), "{refused}");
        let back = bench.op("rlwe.intt", Attrs::new(), &[y]);
        let sum = bench.op("rlwe.add", Attrs::new(), &[x, back]);
        bench.output(sum);
        assert_eq!(bench.run(&registry)[0].0, [6; 64]);
    }
}

#[test]
fn what_was_placed_stays_as_it_is() {
    let registry = schemes::registry();
    let c = Context::new(Bgv, 64, 17, 4, 50, 1);
    let mut bench = Bench::new(&c, &registry);
    let x = bench.encrypt(&[3; 64]);
    let [key, square] = [bench.key(4, "galois", 3), bench.key(4, "square", 0)];
    let product = bench.multiply(x, x);
    let mut graph = bench.s.graph().clone();
    let ty = graph.ty(x).clone();
    let g = Attrs::new().with("g", 3u64);
    for name in ["a", "b"] {
        let rotated =
            graph.add_operator("rlwe.automorphism@scalar", g.clone(), &[x, key], ty.clone()).unwrap();
        graph.declare_output(name, rotated);
    }
    let both = graph.add_operator("rlwe.relinearize@scalar", Attrs::new(), &[product, square], ty).unwrap();
    let mut s = Session::new(graph, &registry);
    let low = s.op("bgv.mod_switch", Attrs::new().with("keep", 2u64), &[both]).unwrap();
    s.graph_mut().declare_output("low", low);
    let graph = s.finish();
    let after = hoist(&fuse(&graph, &registry).unwrap(), &registry).unwrap();
    assert_eq!(cipherloom::graph::print(&after), cipherloom::graph::print(&graph));
}

#[test]
fn what_is_handed_on_has_the_noise_of_what_is_given() {
    let registry = schemes::registry();
    let (n, q) = (64, ntt_primes(50, 64, 2, &[]).unwrap());
    // Types that hold ciphertexts, as inputs of tasks do, and a ciphertext.
    let column = Attrs::new().with("n", n).with("q", q.as_slice()).with("t", vec![257u64]);
    let ciphertext = types::Ciphertext::new(n, q.clone(), 2, types::Scheme::Bfv { t: 257 }).ty();
    for ty in [cipherloom::graph::ValueType::new("column", 256, column), ciphertext] {
        let mut graph = Graph::new(64);
        let x = graph.add_input("x", ty).unwrap();
        graph.declare_output("x", x);
        let budget = schemes::noise_budget(&graph, &registry).unwrap();
        let expected = noise::log2(&q) - 1.0 - 257f64.log2() - noise::fresh_public(n);
        assert!((budget - expected).abs() < 1e-9, "{budget}, {expected}");
    }
}
