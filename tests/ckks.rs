//! CKKS as graphs, against arithmetic on doubles: every operator, at small ring dimensions and several parameters; errors are within the bound that is told
//! for them, and the bound says something.

use cipherloom::engine::{Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId, Real};
use cipherloom::math::prime::ntt_primes;
use cipherloom::math::slots::{galois_conjugate, galois_element};
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::Form;
use cipherloom::ops::{Registry, Session, types};
use cipherloom::platform::{Platform, Scalar};
use cipherloom::schemes;
use std::sync::Arc;

type Complex = (f64, f64);

fn mul(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

struct Context {
    n: usize,
    q: Vec<u64>,
    special: Vec<u64>,
    digit: usize,
    scale: f64,
}

impl Context {
    /// `limbs` primes of so many bits, the first and the special ones larger.
    fn new(n: usize, limbs: usize, bits: u32, digit: usize) -> Self {
        let large = ntt_primes(bits.max(48) + 10, n, 1 + digit, &[]).unwrap();
        let rest = ntt_primes(bits, n, limbs - 1, &large).unwrap();
        let q = [&large[..1], &rest].concat();
        Self { n, q, special: large[1..].to_vec(), digit, scale: 2f64.powi(bits as i32) }
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

fn real(value: f64) -> Real {
    Real::new(value).unwrap()
}

impl<'r> Bench<'r> {
    fn new(c: &'r Context, registry: &'r Registry) -> Self {
        let mut s = Session::new(Graph::new(64), registry);
        let public = s.graph_mut().add_input("public seed", types::public_seed()).unwrap();
        let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
        let attrs = Attrs::new().with("n", c.n).with("q", [c.q.as_slice(), &c.special].concat());
        let secret = s.op("rlwe.secret_key", attrs, &[hidden]).unwrap();
        Self { s, c, secret, seeds: [public, hidden], data: vec![vec![1, 2, 3, 4], vec![5, 6, 7, 8]] }
    }
    fn op(&mut self, name: &str, attrs: Attrs, inputs: &[OperandId]) -> OperandId {
        self.s.op(name, attrs, inputs).unwrap()
    }
    fn plain(&mut self, values: &[Complex], scale: f64) -> OperandId {
        let name = format!("x{}", self.data.len());
        let ty = Tensor::new(Element::F64, [self.c.n as u64 / 2, 2]).ty(64).unwrap();
        let slots = self.s.graph_mut().add_input(&name, ty).unwrap();
        self.data.push(values.iter().flat_map(|x| [x.0.to_bits(), x.1.to_bits()]).collect());
        self.op("ckks.encode", Attrs::new().with("scale", real(scale)), &[slots])
    }
    fn encrypt(&mut self, values: &[Complex]) -> OperandId {
        let plain = self.plain(values, self.c.scale);
        let attrs = Attrs::new().with("q", self.c.q.as_slice());
        self.op("ckks.encrypt_secret", attrs, &[self.secret, plain, self.seeds[0], self.seeds[1]])
    }
    fn encrypt_public(&mut self, values: &[Complex], drop: &[u64]) -> OperandId {
        let attrs = Attrs::new().with("q", [self.c.q.as_slice(), drop].concat());
        let key = self.op("rlwe.public_key", attrs, &[self.secret, self.seeds[0], self.seeds[1]]);
        let plain = self.plain(values, self.c.scale);
        let attrs = if drop.is_empty() { Attrs::new() } else { Attrs::new().with("drop", drop) };
        self.op("ckks.encrypt_public", attrs, &[key, plain, self.seeds[1]])
    }
    fn key(&mut self, level: usize, from: &str, g: u64) -> OperandId {
        let attrs = Attrs::new().with("q", &self.c.q[..level]).with("special", self.c.special.as_slice());
        let attrs = attrs.with("digit", self.c.digit).with("from", from).with("g", g);
        self.op("rlwe.switching_key", attrs, &[self.secret, self.seeds[0], self.seeds[1]])
    }
    fn map(&mut self, x: OperandId, g: u64) -> OperandId {
        let key = self.key(self.c.q.len(), "galois", g);
        self.op("rlwe.automorphism", Attrs::new().with("g", g), &[x, key])
    }
    fn scale_of(&self, x: OperandId) -> f64 {
        types::scale(&self.s.ty(x).attrs).unwrap().get()
    }
    fn output(&mut self, x: OperandId) {
        let plain = self.op("ckks.decrypt", Attrs::new(), &[self.secret, x]);
        let slots = self.op("ckks.decode", Attrs::new().with("complex", 1u64), &[plain]);
        self.s.graph_mut().declare_output("slots", slots);
        self.s.graph_mut().declare_output("cipher", x);
    }
    /// The slots of each output, the bounds that are told for them, and the budget of the ciphertext.
    fn run(self, registry: &Registry, largest: f64) -> Vec<(Vec<Complex>, schemes::Bound, f64)> {
        let platform = Scalar::new();
        let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
        let top = self.s.finish();
        let bounds = schemes::bounds(&top, registry, largest.log2()).unwrap();
        let graph = Expander::new(registry).expand(&top, &base).unwrap();
        let plan =
            Arc::new(Plan::new(&graph, &cipherloom::registry(), &platform, PlanOptions::default()).unwrap());
        let mut run = Run::new(plan, self.data.into_iter().map(Into::into).collect(), || 0.0).unwrap();
        run.finish();
        let slots = |i: usize| {
            let words = run.output(2 * i).unwrap();
            words.as_chunks().0.iter().map(|&[re, im]| (f64::from_bits(re), f64::from_bits(im))).collect()
        };
        (0..bounds.len() / 2).map(|i| (slots(i), bounds[2 * i], bounds[2 * i + 1].budget)).collect()
    }
}

/// Numbers in the unit disc, which look random.
fn values(count: usize, seed: u64) -> Vec<Complex> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count)
        .map(|_| {
            let (size, angle) = (next().sqrt(), next() * std::f64::consts::TAU);
            (size * angle.cos(), size * angle.sin())
        })
        .collect()
}

fn every_operator(c: &Context, form: Form, a: &[Complex], b: &[Complex]) {
    let registry = cipherloom::registry();
    let mut bench = Bench::new(c, &registry);
    let none = Attrs::new;
    let (x, y) = (bench.encrypt(a), bench.encrypt_public(b, &c.special));
    let y_at_once = bench.encrypt_public(b, &[]);
    let [x, y, y_at_once] = [x, y, y_at_once].map(|fresh| match form {
        Form::Coeff => fresh,
        Form::Ntt => bench.op("rlwe.ntt", none(), &[fresh]),
    });
    let m = bench.plain(b, c.scale);
    let relin = bench.key(c.q.len(), "square", 0);
    let product = bench.op("ckks.multiply", none(), &[x, y]);
    let relinearized = bench.op("rlwe.relinearize", none(), &[product, relin]);
    let keep = c.q.len() - 1;
    let rescaled = bench.op("ckks.rescale", none().with("keep", keep), &[relinearized]);
    let declared = bench.scale_of(rescaled) * (1.0 + 2f64.powi(-46));
    let declared = none().with("keep", keep).with("scale", real(declared));
    let declared = bench.op("ckks.rescale", declared, &[relinearized]);
    let at_once = bench.op("ckks.relinearize_rescale", none().with("keep", keep), &[product, relin]);
    let square = bench.op("ckks.multiply", none(), &[x, x]);
    let inner = bench.op("ckks.multiply", none(), &[x, y, y, y].repeat(5));
    let add = bench.op("rlwe.add", none(), &[x, y]);
    let sub = bench.op("rlwe.sub", none(), &[x, y]);
    let neg = bench.op("rlwe.negate", none(), &[x]);
    let add_plain = bench.op("ckks.add_plain", none(), &[x, m]);
    let mul_plain = bench.op("ckks.multiply_plain", none(), &[x, m]);
    let by = none().with("value", real(-1.75)).with("by", real(c.scale));
    let mul_scalar = bench.op("ckks.multiply_scalar", by, &[x]);
    // It is added to values at roots, of which all are the same.
    let ntt = if form == Form::Ntt { x } else { bench.op("rlwe.ntt", none(), &[x]) };
    let add_scalar = bench.op("ckks.add_scalar", none().with("value", real(-0.625)), &[ntt]);
    let rotated = bench.map(x, galois_element(c.n, 3));
    let conjugated = bench.map(x, galois_conjugate(c.n));
    let low = bench.op("rlwe.drop_primes", none().with("keep", keep), &[y]);
    // A fresh one meets a product.
    let scale = real(bench.scale_of(rescaled));
    let adjusted = bench.op("ckks.adjust", none().with("keep", keep).with("scale", scale), &[x]);
    let met = bench.op("rlwe.add", none(), &[adjusted, rescaled]);
    let zip = |f: fn(Complex, Complex) -> Complex| -> Vec<Complex> {
        a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
    };
    let products = zip(mul);
    let half = c.n / 2;
    let plus = |a: Complex, b: Complex| (a.0 + b.0, a.1 + b.1);
    let expected = [
        ("encrypt", x, a.to_vec()),
        ("divided encryption", y, b.to_vec()),
        ("encryption at once", y_at_once, b.to_vec()),
        ("product", product, products.clone()),
        ("relinearize", relinearized, products.clone()),
        ("rescale", rescaled, products.clone()),
        ("rescale, declared", declared, products.clone()),
        ("relinearize and rescale", at_once, products.clone()),
        ("square", square, a.iter().map(|&a| mul(a, a)).collect()),
        (
            "sum of products",
            inner,
            zip(|a, b| {
                let (x, y) = (mul(a, b), mul(b, b));
                (5.0 * (x.0 + y.0), 5.0 * (x.1 + y.1))
            }),
        ),
        ("add", add, zip(plus)),
        ("sub", sub, zip(|a, b| (a.0 - b.0, a.1 - b.1))),
        ("negate", neg, zip(|a, _| (-a.0, -a.1))),
        ("add_plain", add_plain, zip(plus)),
        ("multiply_plain", mul_plain, products.clone()),
        ("multiply_scalar", mul_scalar, zip(|a, _| (-1.75 * a.0, -1.75 * a.1))),
        ("add_scalar", add_scalar, zip(|a, _| (a.0 - 0.625, a.1))),
        ("rotate", rotated, (0..half).map(|i| a[(i + 3) % half]).collect()),
        ("conjugate", conjugated, zip(|a, _| (a.0, -a.1))),
        ("drop", low, b.to_vec()),
        ("adjusted", adjusted, a.to_vec()),
        (
            "met",
            met,
            zip(|a, b| {
                let p = mul(a, b);
                (a.0 + p.0, a.1 + p.1)
            }),
        ),
    ];
    for (_, operand, _) in &expected {
        bench.output(*operand);
    }
    let found = bench.run(&registry, 1.0);
    for ((name, _, expected), (found, bound, budget)) in expected.iter().zip(&found) {
        let error = |(a, b): (&Complex, &Complex)| (a.0 - b.0).hypot(a.1 - b.1);
        let worst = expected.iter().zip(found).map(error).fold(0.0, f64::max).log2();
        let told = bound.noise.error;
        assert!(worst < told && worst > told - 9.0, "{name}: off by 2^{worst}, bound 2^{told}");
        assert!(*budget > 1.0, "{name}: budget {budget}");
        let largest = expected.iter().map(|x| x.0.hypot(x.1)).fold(0.0, f64::max).log2();
        let message = bound.noise.message;
        assert!(largest <= message && message < largest + 3.0, "{name}: 2^{largest}, told 2^{message}");
    }
}

#[test]
fn every_operator_at_several_parameters() {
    for (n, limbs, bits, digit) in
        [(32, 3, 40, 1), (256, 4, 40, 1), (1024, 5, 45, 2), (64, 3, 30, 1), (2048, 4, 50, 3)]
    {
        let c = Context::new(n, limbs, bits, digit);
        for form in [Form::Coeff, Form::Ntt] {
            every_operator(&c, form, &values(n / 2, 1), &values(n / 2, 2));
        }
    }
}

#[test]
fn sums_are_left_to_who_decrypts() {
    let registry = cipherloom::registry();
    for n in [16, 256, 2048] {
        let c = Context::new(n, 3, 40, 1);
        for form in [Form::Coeff, Form::Ntt] {
            let x = values(n / 2, 3);
            let mut b = Bench::new(&c, &registry);
            let mut fresh = b.encrypt(&x);
            if form == Form::Ntt {
                fresh = b.op("rlwe.ntt", Attrs::new(), &[fresh]);
            }
            let mut expected = Vec::new();
            for (stride, conjugated) in [(2, false), (n / 4, false), (1, true), (n / 2, true)] {
                let attrs = Attrs::new().with("stride", stride).with("conjugated", u64::from(conjugated));
                let total = b.op("rlwe.extract", attrs, &[fresh]);
                b.output(total);
                let period = n / 2 / stride;
                let sum = |at: usize| {
                    let all = x.iter().skip(at).step_by(period);
                    let (re, im) = all.fold((0.0, 0.0), |sum, x| (sum.0 + x.0, sum.1 + x.1));
                    if conjugated { (re, 0.0) } else { (re, im) }
                };
                expected.push((stride, (0..period).map(sum).collect::<Vec<_>>()));
            }
            // Rescaled before, or on the way.
            let square = b.op("ckks.multiply", Attrs::new(), &[fresh, fresh]);
            let (keep, attrs) =
                (Attrs::new().with("keep", 2u64), Attrs::new().with("stride", 2u64).with("conjugated", 1u64));
            let low = b.op("ckks.rescale", keep, &[square]);
            for total in [
                b.op("rlwe.extract", attrs.clone(), &[low]),
                b.op("ckks.rescale_extract", attrs.with("keep", 2u64), &[square]),
            ] {
                b.output(total);
            }
            let mut all = b.run(&registry, 1.0);
            let [apart, at_once] = [0, 1].map(|_| all.pop().unwrap().0);
            assert_eq!(apart, at_once);
            for ((found, bound, budget), (stride, expected)) in all.into_iter().zip(expected) {
                assert_eq!(found.len(), expected.len());
                let off = |(a, b): (&Complex, &Complex)| (a.0 - b.0).hypot(a.1 - b.1);
                let worst = expected.iter().zip(&found).map(off).fold(0.0, f64::max).log2();
                assert!(worst < bound.noise.error, "{n}/{stride}: 2^{worst}, told {:?}", bound.noise);
                let largest = expected.iter().map(|x| x.0.hypot(x.1)).fold(0.0, f64::max).log2();
                assert!(largest <= bound.noise.message && budget > 1.0);
            }
        }
    }
}

/// Noise for results that may be published: of the deviation that is asked for in the coefficients, by a two-sided test of their squares, of a fixed seed; other for each
/// ciphertext; and what is told afterwards holds.
#[test]
fn noise_that_hides_errors_has_the_deviation_that_is_asked_for() {
    let registry = cipherloom::registry();
    let deviation = 1.5e9;
    let c = Context::new(8192, 2, 50, 1);
    let x = values(4096, 3);
    for form in [Form::Coeff, Form::Ntt] {
        let mut b = Bench::new(&c, &registry);
        let mut fresh = b.encrypt(&x);
        if form == Form::Ntt {
            fresh = b.op("rlwe.ntt", Attrs::new(), &[fresh]);
        }
        let total = |conjugated: u64, stride: usize| {
            Attrs::new().with("stride", stride).with("conjugated", conjugated)
        };
        let all = [
            fresh,
            fresh,
            b.op("rlwe.extract", total(0, 2), &[fresh]),
            b.op("rlwe.extract", total(1, 1), &[fresh]),
        ];
        let scales = all.map(|x| b.scale_of(x));
        for x in all {
            b.output(x);
            let attrs = Attrs::new().with("deviation", real(deviation));
            let noisy = b.op("ckks.release", attrs, &[x, b.seeds[1]]);
            assert_eq!(b.s.ty(noisy), b.s.ty(x));
            b.output(noisy);
        }
        let found = b.run(&registry, 1.0);
        let mut noises = Vec::new();
        for (pair, scale) in found.chunks(2).zip(scales) {
            let [(exact, before, _), (noisy, after, _)] = pair else { unreachable!() };
            let noise: Vec<Complex> = exact.iter().zip(noisy).map(|(a, b)| (b.0 - a.0, b.1 - a.1)).collect();
            // The squares at all roots are n times those of the coefficients; slots are half of the roots.
            let coefficients = 2.0 * noise.len() as f64;
            let square: f64 =
                noise.iter().map(|x| (x.0 * x.0 + x.1 * x.1) * (scale / deviation).powi(2)).sum();
            let statistic = (square / (coefficients / 2.0) - coefficients) / (2.0 * coefficients).sqrt();
            assert!(statistic.abs() < 5.0, "{form:?}, {coefficients} coefficients: {statistic}");
            let worst = noise.iter().map(|x| x.0.hypot(x.1)).fold(0.0, f64::max).log2();
            assert!(worst < after.noise.error, "2^{worst}, told {:?}", after.noise);
            assert!(before.noise.error + 10.0 < after.noise.error && after.noise.error < worst + 2.0);
            noises.push(noise);
        }
        assert_ne!(noises[0], noises[1]);
    }
    let mut b = Bench::new(&c, &registry);
    let fresh = b.encrypt(&x);
    for wrong in [7.9, 2f64.powi(57), -1.0] {
        let attrs = Attrs::new().with("deviation", real(wrong));
        let error = b.s.op("ckks.release", attrs, &[fresh, b.seeds[1]]).unwrap_err();
        assert!(error.to_string().contains("expected 8.0 to"), "{error}");
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let registry = cipherloom::registry();
    let c = Context::new(64, 3, 40, 1);
    let mut bench = Bench::new(&c, &registry);
    let numbers = values(32, 1);
    let x = bench.encrypt(&numbers);
    let none = Attrs::new;
    let scaled = |scale: f64| none().with("scale", real(scale));
    let other = bench.plain(&numbers, c.scale * 2.0);
    let tensor = |bench: &mut Bench<'_>, name: &str, shape: &[u64]| {
        let ty = Tensor::new(Element::F64, shape).ty(64).unwrap();
        bench.s.graph_mut().add_input(name, ty).unwrap()
    };
    let (odd, triples) = (tensor(&mut bench, "odd", &[31]), tensor(&mut bench, "triples", &[32, 3]));
    let square = bench.op("ckks.multiply", none(), &[x, x]);
    let attrs = none().with("q", c.q.as_slice()).with("factor", 97u64);
    let enlarged = bench.op("rlwe.public_key", attrs, &[bench.secret, bench.seeds[0], bench.seeds[1]]);
    let seed = bench.seeds[1];
    let key = none().with("q", c.q.as_slice()).with("special", c.special.as_slice()).with("digit", 1u64);
    let key = key.with("from", "galois").with("g", 6u64);
    let shared = none().with("q", c.q.as_slice()).with("factor", c.q[1]);
    let scheme = types::Scheme::Ckks { scale: real(1e200) };
    let huge = types::Ciphertext::new(64, c.q.clone(), 2, scheme).ty();
    let huge = bench.s.graph_mut().add_input("huge", huge).unwrap();
    let secret = [bench.secret, bench.seeds[0], bench.seeds[1]];
    let cases: [(&str, Attrs, Vec<OperandId>, &str); 19] = [
        ("ckks.add_scalar", none().with("value", real(0.5)), vec![x], "form of the ciphertext"),
        ("rlwe.add", none(), vec![x, square], "input 1"),
        ("ckks.add_plain", none(), vec![x, other], "input 1"),
        ("ckks.multiply", none(), vec![x, square], "parts of input 1: found 3, expected 2"),
        ("ckks.multiply", scaled(c.scale * c.scale * 1.01), vec![x, x], "scale"),
        ("ckks.rescale", none().with("keep", 0u64), vec![square], "keep: found 0, expected 1 to 2"),
        ("ckks.rescale", none().with("keep", 3u64), vec![square], "keep: found 3"),
        ("ckks.rescale", scaled(-1.0).with("keep", 2u64), vec![square], "a number above 0"),
        ("ckks.adjust", scaled(1e-30).with("keep", 2u64), vec![x], "scale"),
        ("ckks.encode", scaled(0.0), vec![odd], "n: found 62"),
        ("ckks.encode", scaled(0.0), vec![triples], "shape"),
        ("ckks.encrypt_public", none(), vec![enlarged, other, seed], "factor of the public key"),
        ("bgv.decrypt", none(), vec![bench.secret, x], "scheme of the ciphertext: found CKKS, expected BGV"),
        ("ckks.multiply_scalar", none().with("value", real(1e300)).with("by", real(1e300)), vec![x], "by"),
        ("ckks.multiply", scaled(1.0), vec![huge, huge], "scale"),
        ("ckks.adjust", scaled(c.scale * 0.4 / c.q[2] as f64 * 1024.0).with("keep", 2u64), vec![x], "scale"),
        ("rlwe.public_key", shared.clone(), secret.to_vec(), "no divisor in common"),
        (
            "rlwe.switching_key",
            key.clone().with("g", 3u64).with("factor", c.special[0]),
            secret.to_vec(),
            "no divisor in common",
        ),
        ("rlwe.switching_key", key, secret.to_vec(), "g: found 6, expected an odd number below 128"),
    ];
    for (op, attrs, inputs, told) in cases {
        let error = bench.s.op(op, attrs, &inputs).unwrap_err().to_string();
        assert!(error.contains(told), "{op}: {error}");
    }
}

#[test]
fn inputs_of_a_graph_have_bounds() {
    let registry = cipherloom::registry();
    let mut graph = Graph::new(64);
    let scale = real(2f64.powi(40));
    let q = ntt_primes(50, 64, 3, &[]).unwrap();
    let ciphertext = types::Ciphertext::new(64, q, 2, types::Scheme::Ckks { scale }).ty();
    let x = graph.add_input("x", ciphertext.clone()).unwrap();
    let plain = graph.add_input("m", types::reals(64, scale)).unwrap();
    let mut s = Session::new(graph, &registry);
    let sum = s.op("ckks.add_plain", Attrs::new(), &[x, plain]).unwrap();
    s.graph_mut().declare_output("sum", sum);
    let [bound] = schemes::bounds(s.graph(), &registry, 3.0).unwrap().try_into().unwrap();
    // 2^3 2^40, twice; the error of a fresh ciphertext and that of rounding.
    assert!((bound.noise.message - 44.0).abs() < 1e-9, "{bound:?}");
    assert!(bound.noise.error > 8.0 && bound.noise.error < 20.0, "{bound:?}");
    assert!((bound.budget - (150.0 - 1.0 - 44.0)).abs() < 0.1, "{bound:?}");
}

#[test]
fn weights_have_a_size() {
    let registry = cipherloom::registry();
    let c = Context::new(64, 3, 40, 1);
    let mut bench = Bench::new(&c, &registry);
    let numbers = values(32, 1);
    let x = bench.encrypt(&numbers);
    let weights: Vec<u8> = (0..32).flat_map(|slot| (1000.0 - f64::from(slot)).to_le_bytes()).collect();
    let attrs = Tensor::new(Element::F64, [32]).constant(weights.into());
    let weights = bench.op("constant", attrs, &[]);
    let doubled = bench.op("f64.add", Attrs::new(), &[weights, weights]);
    let [weights, doubled] =
        [weights, doubled].map(|w| bench.op("ckks.encode", Attrs::new().with("scale", real(c.scale)), &[w]));
    let product = bench.op("ckks.multiply_plain", Attrs::new(), &[x, weights]);
    let unknown = bench.op("ckks.multiply_plain", Attrs::new(), &[x, doubled]);
    bench.output(product);
    bench.output(unknown);
    // A key beside them is no matter.
    let key = bench.key(3, "square", 0);
    let bounds = {
        let mut graph = bench.s.graph().clone();
        graph.declare_output("key", key);
        schemes::bounds(&graph, &registry, 0.0).unwrap()
    };
    assert!(bounds[0].noise.message > 9.9 && bounds[0].noise.message < 11.0, "{:?}", bounds[0]);
    assert_eq!((bounds[2].noise.error, bounds[3].budget), (f64::INFINITY, f64::NEG_INFINITY));
    assert_eq!(bounds[4].budget, f64::INFINITY);
    let found = bench.run(&registry, 1.0);
    let right = numbers
        .iter()
        .zip(0..)
        .map(|(x, slot)| (x.0 * (1000.0 - f64::from(slot)), x.1 * (1000.0 - f64::from(slot))));
    let worst = found[0].0.iter().zip(right).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).fold(0.0, f64::max);
    let told = found[0].1.noise.error;
    assert!(worst.log2() < told && worst.log2() > told - 9.0, "off by {worst}, bound 2^{told}");
}
