//! Random protection: every kind alone and all together give what the circuit without it gives, bit for bit; two seeds give
//! two structures; growth is kept; passes leave it where they are told to.

use crate::common::Random;
use cipherloom::circuit::{Circuit, CircuitBuilder, Precompute, RunOptions, To, Trials};
use cipherloom::graph::{Attrs, OperandId};
use cipherloom::math::sample::Seed;
use cipherloom::ops::Registry;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{Form, Limb};
use cipherloom::optimize::Pass;
use cipherloom::platform::{Platform, Scalar, Simd};
use cipherloom::protect::{Growth, Kind, Policy, Protection};
use cipherloom::{Error, Result};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(cipherloom::registry()));

const INTEGERS: [Element; 6] =
    [Element::Bit, Element::U8, Element::I32, Element::U32, Element::I64, Element::U64];

fn seed(number: u64) -> Seed {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Seed::from(&bytes)
}

fn only(kind: Kind, growth: f64) -> Policy {
    Policy { kinds: vec![kind], growth, ..Policy::default() }
}

/// How often each kind changed something.
type Changes = BTreeMap<&'static str, usize>;

fn add(all: &mut Changes, growth: &Growth) {
    for kind in &growth.kinds {
        *all.entry(kind.kind.name()).or_default() += kind.changes;
    }
}

/// Protects, and compares with what is not protected, on both platforms.
fn protected(circuit: &Circuit, policy: &Policy, number: u64) -> (Circuit, Growth) {
    let (protected, growth) = circuit.protect(policy, &seed(number)).unwrap();
    let (before, after) = (circuit.graph().operators().len(), protected.graph().operators().len());
    assert_eq!((growth.before, growth.after), (before, after));
    assert_eq!(
        growth.kinds.iter().map(|kind| kind.operators).sum::<usize>(),
        after + growth.dropped - before
    );
    assert!(after as f64 <= before as f64 * policy.growth, "{growth:?}");
    let trials = Trials { seed: number, rounds: 3, ..Trials::default() };
    for platform in [&Scalar::new() as &dyn Platform, &Simd::new()] {
        if let Err(error) = protected.verify(circuit, platform, &trials) {
            panic!("{error}\n{policy:?}, seed {number}\n{}\n{}", circuit.to_text(), protected.to_text());
        }
    }
    (protected, growth)
}

/// A circuit of one operator over inputs.
fn once(unit: u32, name: &str, attrs: Attrs, inputs: &[Tensor]) -> Result<Circuit> {
    let mut g = CircuitBuilder::new(unit, &REGISTRY)?;
    let mut operands = Vec::new();
    for (index, tensor) in inputs.iter().enumerate() {
        operands.push(g.input(&index.to_string(), tensor.ty(unit)?)?);
    }
    let out = g.op(name, attrs, &operands)?;
    g.output("out", out);
    g.finish()
}

/// The unsigned integers of an element's width, as comparisons give them.
fn mask(element: Element) -> Element {
    match element {
        Element::I32 => Element::U32,
        Element::I64 => Element::U64,
        other => other,
    }
}

/// Every operation on one element, in some shapes.
fn operations(element: Element) -> Vec<(&'static str, Attrs, Vec<Tensor>)> {
    let of = |shape: &[u64]| Tensor::new(element, shape);
    let (none, axis) = (Attrs::new, |axis: u64| Attrs::new().with("axis", axis));
    let mut all = Vec::new();
    for name in [
        "add", "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor", "eq", "ne", "lt", "le", "shl",
        "shr", "rotl",
    ] {
        for [a, b] in [[&[4, 64][..], &[4, 64]], [&[4, 64], &[64]], [&[64], &[4, 64]], [&[64, 1], &[64]]] {
            all.push((name, none(), vec![of(a), of(b)]));
        }
    }
    for name in ["neg", "abs", "not"] {
        all.push((name, none(), vec![of(&[2, 64])]));
    }
    let condition = |shape: &[u64]| Tensor::new(mask(element), shape);
    all.push(("select", none(), vec![condition(&[2, 64]), of(&[2, 64]), of(&[2, 64])]));
    all.push(("select", none(), vec![condition(&[64]), of(&[2, 64]), of(&[64])]));
    for name in
        ["sum", "product", "reduce_min", "reduce_max", "reduce_xor", "reduce_and", "reduce_or", "argmax"]
    {
        all.push((name, axis(0), vec![of(&[3, 64])]));
    }
    for of_ in ["sum", "max"] {
        all.push(("scan", axis(0).with("of", of_), vec![of(&[3, 64])]));
    }
    all.push(("matmul", none(), vec![of(&[8, 64]), of(&[64, 8])]));
    all.push(("sort", axis(1), vec![of(&[2, 64])]));
    all.push((
        "slice",
        none().with("start", [1u64, 64].as_slice()).with("size", [2u64, 64].as_slice()),
        vec![of(&[3, 192])],
    ));
    all.push(("concat", axis(0), vec![of(&[2, 64]), of(&[1, 64]), of(&[2, 64])]));
    all.push(("transpose", none().with("axes", [1u64, 0].as_slice()), vec![of(&[2, 64])]));
    all.push(("broadcast", none().with("shape", [3u64, 64].as_slice()), vec![of(&[64])]));
    for (index, rows) in [(Element::U8, 32), (Element::I32, 7), (Element::U64, 5)] {
        all.push(("gather", axis(0), vec![of(&[rows, 64]), Tensor::new(index, [64])]));
        let inputs = vec![of(&[rows, 64]), Tensor::new(index, [8]), of(&[8, 64])];
        all.push(("scatter", axis(0).with("mode", "add"), inputs));
    }
    all
}

#[test]
fn every_kind_does_every_operation_right() {
    let mut changes = Changes::new();
    for element in INTEGERS {
        for (operation, attrs, inputs) in operations(element) {
            let name = format!("{element}.{operation}");
            if REGISTRY.get(&name).is_err() {
                continue;
            }
            let unit = if element == Element::Bit { 1 } else { 8 };
            let circuit = once(unit, &name, attrs, &inputs).unwrap_or_else(|error| panic!("{name}: {error}"));
            for kind in Kind::ALL {
                for number in 0..4 {
                    add(&mut changes, &protected(&circuit, &only(kind, 24.0), number).1);
                }
            }
        }
    }
    // Its tables are constants, for which there is a test of its own.
    assert_eq!(changes.remove("table_splitting"), Some(0));
    assert!(changes.values().all(|&count| count > 1000), "{changes:?}");
}

/// Grows a circuit over tensors of 64 columns, so that every unit and element fits.
struct Grower<'r> {
    g: CircuitBuilder<'r>,
    random: Random,
    /// By element; those of floats hold no NaN.
    pool: BTreeMap<Element, Vec<OperandId>>,
}

impl Grower<'_> {
    fn pick(&mut self, element: Element) -> OperandId {
        let pool = &self.pool[&element];
        // What was made last more often than what was made first.
        let at = self.random.index(pool.len()).max(self.random.index(pool.len()));
        pool[at]
    }

    fn constant(&mut self, element: Element, shape: &[u64], limit: u64) -> OperandId {
        let tensor = Tensor::new(element, shape);
        let value: Vec<u8> = if limit < 256 && element != Element::Bit {
            let width = element.bits() as usize / 8;
            let random = &mut self.random;
            (0..tensor.len())
                .flat_map(|_| random.below(limit).to_le_bytes().into_iter().take(width))
                .collect()
        } else {
            (0..tensor.bytes()).map(|_| self.random.next() as u8).collect()
        };
        self.g.constant(&tensor, value.into()).unwrap()
    }

    /// One more operator.
    fn grow(&mut self) {
        let element = self.random.pick(&INTEGERS);
        let names = [
            "add",
            "sub",
            "mul",
            "div",
            "min",
            "max",
            "and",
            "or",
            "xor",
            "eq",
            "lt",
            "le",
            "shl",
            "shr",
            "rotl",
            "neg",
            "abs",
            "not",
            "select",
            "gather",
            "slice",
            "concat",
            "transpose",
            "reduce_xor",
            "sum",
            "sort",
            "convert",
            "view",
            "f32",
            "constant",
            "scan",
            "matmul",
        ];
        let name = self.random.pick(&names);
        let axis = |axis: u64| Attrs::new().with("axis", axis);
        let square = |a: u64, b: u64| [a, b];
        let (attrs, inputs) = match name {
            "neg" | "abs" | "not" => (Attrs::new(), vec![self.pick(element)]),
            "select" => {
                let condition = self.pick(mask(element));
                (Attrs::new(), vec![condition, self.pick(element), self.pick(element)])
            }
            "gather" => {
                let (index, rows) =
                    self.random.pick(&[(Element::U8, 256u64), (Element::I32, 192), (Element::U8, 64)]);
                let index = self.pick(index);
                // Of one dimension, so that the result has the shape of the index.
                (axis(0), vec![self.constant(element, &[rows], 256), index])
            }
            "slice" => {
                let x = self.pick(element);
                let twice = self.g.op(&format!("{element}.concat"), axis(1), &[x, x]).unwrap();
                let start = [0, self.random.below(64)];
                let attrs = Attrs::new().with("start", start.as_slice());
                (attrs.with("size", square(2, 64).as_slice()), vec![twice])
            }
            "concat" => {
                let x = self.pick(element);
                let inputs = [x, self.pick(element)];
                let both = self.g.op(&format!("{element}.concat"), axis(0), &inputs).unwrap();
                let size = self.g.ty(x).size;
                let from = size / 2;
                let ty = self.g.ty(x).clone();
                let part = self.g.view(both, from, ty).unwrap();
                self.pool.get_mut(&element).unwrap().push(part);
                return;
            }
            "transpose" => {
                let x = self.pick(element);
                let turned = Attrs::new().with("axes", square(1, 0).as_slice());
                let turned = self.g.op(&format!("{element}.transpose"), turned, &[x]).unwrap();
                let ty = self.g.ty(x).clone();
                let back = self.g.view(turned, 0, ty).unwrap();
                self.pool.get_mut(&element).unwrap().push(back);
                return;
            }
            "reduce_xor" | "sum" => {
                let x = self.pick(element);
                let name = format!("{element}.{name}");
                let row = self.g.op(&name, axis(0), &[x]).unwrap();
                let element = Element::named(&self.g.ty(row).head).unwrap();
                let shape = Attrs::new().with("shape", square(2, 64).as_slice());
                let out = self.g.op(&format!("{element}.broadcast"), shape, &[row]).unwrap();
                self.pool.get_mut(&element).unwrap().push(out);
                return;
            }
            "sort" => (axis(1), vec![self.pick(element)]),
            "scan" => (axis(1).with("of", "sum"), vec![self.pick(element)]),
            "convert" => {
                let from = self.random.pick(&INTEGERS);
                (Attrs::new(), vec![self.pick(from)])
            }
            "view" => {
                // Half of one with half of another, as any element.
                let (a, b) = (self.random.pick(&INTEGERS), self.random.pick(&INTEGERS));
                let tensor = Tensor::new(element, [2, 64]).ty(self.g.unit()).unwrap();
                let (a, b) = (self.pick(a), self.pick(b));
                let units = self.g.ty(a).size + self.g.ty(b).size;
                if units >= tensor.size {
                    let raw = cipherloom::graph::ValueType::new("raw", units, Attrs::new());
                    let both = self.g.merge(&[a, b], raw).unwrap();
                    let from = self.random.below(units - tensor.size + 1);
                    let view = self.g.view(both, from, tensor).unwrap();
                    self.pool.get_mut(&element).unwrap().push(view);
                }
                return;
            }
            "f32" => {
                // Bytes are no NaN.
                let (a, b) = (self.pick(Element::U8), self.pick(Element::U8));
                let [a, b] = [a, b].map(|x| self.g.op("f32.convert", Attrs::new(), &[x]).unwrap());
                let name = self.random.pick(&["f32.add", "f32.mul", "f32.sub"]);
                let sum = self.g.op(name, Attrs::new(), &[a, b]).unwrap();
                let back = self.g.op("i32.convert", Attrs::new(), &[sum]).unwrap();
                self.pool.get_mut(&Element::I32).unwrap().push(back);
                return;
            }
            "constant" => {
                let constant = self.constant(element, &[2, 64], 256);
                self.pool.get_mut(&element).unwrap().push(constant);
                return;
            }
            "matmul" => {
                let (a, b) = (self.pick(element), self.constant(element, &[64, 64], 256));
                (Attrs::new(), vec![a, b])
            }
            _ => (Attrs::new(), vec![self.pick(element), self.pick(element)]),
        };
        let name = format!("{element}.{name}");
        if REGISTRY.get(&name).is_ok() {
            let out = self.g.op(&name, attrs, &inputs).unwrap();
            let element = Element::named(&self.g.ty(out).head).unwrap();
            self.pool.get_mut(&element).unwrap().push(out);
        }
    }
}

/// A circuit of about so many operators.
fn random_circuit(unit: u32, number: u64, operators: usize) -> Circuit {
    let g = CircuitBuilder::new(unit, &REGISTRY).unwrap();
    let mut grower = Grower { g, random: Random::new(number), pool: BTreeMap::new() };
    for element in INTEGERS {
        let ty = Tensor::new(element, [2, 64]).ty(unit).unwrap();
        let input = grower.g.input(element.name(), ty).unwrap();
        grower.pool.insert(element, vec![input]);
    }
    (0..operators).for_each(|_| grower.grow());
    for element in INTEGERS {
        for name in ["x", "y"] {
            let out = grower.pick(element);
            grower.g.output(&format!("{element} {name}"), out);
        }
    }
    grower.g.finish().unwrap()
}

#[test]
fn random_circuits_stay_the_same() {
    let mut changes = Changes::new();
    for number in 0..60 {
        let unit = [1, 8, 32, 64, 2, 16][number as usize % 6];
        let circuit = random_circuit(unit, number, 30);
        for kind in Kind::ALL {
            add(&mut changes, &protected(&circuit, &only(kind, 3.0), number).1);
        }
        let (once, growth) = protected(&circuit, &Policy { growth: 6.0, ..Policy::default() }, number);
        add(&mut changes, &growth);
        // Once more, on top of it.
        let twice = protected(&once, &Policy { growth: 2.0, ..Policy::default() }, number + 1).0;
        twice.verify(&circuit, &Scalar::new(), &Trials::default()).unwrap();
    }
    assert!(changes.values().all(|&count| count > 100), "{changes:?}");
}

#[test]
fn saved_ones_are_the_same() {
    for number in 0..10 {
        let circuit = random_circuit([1, 8][number as usize % 2], number, 20);
        let (protected, _) = protected(&circuit, &Policy::default(), number);
        let text = protected.to_text();
        let read = Circuit::from_text(&text, Arc::clone(&REGISTRY)).unwrap();
        assert_eq!(read.to_text(), text);
        let read = Circuit::from_bytes(&protected.to_bytes(), Arc::clone(&REGISTRY)).unwrap();
        assert_eq!(read.id(), protected.id());
        // What was pinned is pinned in what was read.
        assert_eq!(read.optimize_by_default().unwrap().to_text(), text);
    }
}

#[test]
fn a_pass_like_any_other() {
    let circuit = random_circuit(8, 5, 30);
    let protection = Protection::new(Policy::default(), &seed(5)).unwrap();
    let reports = circuit.verify_passes(&[&protection], &Simd::new(), &Trials::default()).unwrap();
    assert!(reports[0].compared.len() >= 12);
    let applied = circuit.apply(&[&protection]).unwrap();
    let (called, _) = circuit.protect(&Policy::default(), &seed(5)).unwrap();
    assert_eq!(applied.to_text(), called.to_text());
    assert_eq!(protection.name(), "protect");
}

/// Names of operators, counted.
fn names(circuit: &Circuit) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for op in circuit.graph().operators() {
        *names.entry(circuit.graph().signature(op).name.clone()).or_default() += 1;
    }
    names
}

#[test]
fn passes_leave_what_is_kept_and_may_remove_what_is_not() {
    let (all, mut removed) = (["dedup", "cancel", "prune", "sum_products", Precompute::NAME], Changes::new());
    for number in 0..12 {
        let circuit = random_circuit(8, number, 30).optimize(&all).unwrap();
        for kind in Kind::ALL {
            let kept = protected(&circuit, &only(kind, 3.0), number).0;
            assert_eq!(kept.optimize(&all).unwrap().to_text(), kept.to_text(), "{kind:?}");
            let policy = Policy { keep: false, ..only(kind, 3.0) };
            let bare = protected(&circuit, &policy, number).0;
            // But for the nonces it is the same.
            assert_eq!(names(&bare), names(&kept));
            let left = bare.optimize(&all).unwrap();
            left.verify(&circuit, &Simd::new(), &Trials::default()).unwrap();
            let count = |circuit: &Circuit| circuit.graph().operators().len();
            *removed.entry(kind.name()).or_default() += count(&bare) - count(&left);
            if kind == Kind::DeadCode {
                assert_eq!(left.to_text(), circuit.to_text(), "dead code is gone without a trace");
            }
        }
    }
    // Which kinds lose something is for the passes; dead code and what is computed from constants do.
    assert!(removed["dead_code"] > 100 && removed["xor_shares"] > 10, "{removed:?}");
}

#[test]
fn what_carries_a_nonce_is_left_to_the_operator() {
    // A pair that undoes itself, twice the same, one that nobody needs, and one that no input leads to.
    let text = |nonces: [&str; 6]| {
        let ops = [
            "%1 = limb.neg(%0) : !0 [4,8)",
            "%2 = limb.neg(%1) : !0 [8,12)",
            "%3 = limb.add(%0, %2) : !0 [12,16)",
            "%4 = limb.add(%0, %2) : !0 [16,20)",
            "%5 = constant#0() : !1 [20,21)",
            "%6 = u64.not(%5) : !1 [21,22)",
        ];
        let ops: String =
            ops.into_iter().zip(nonces).map(|(op, nonce)| format!("op {op}{nonce}\n")).collect();
        format!(
            "cipherloom-graph 1\nunit 64\ntype !0 = limb[4]{{form=\"coeff\", n=4, q=97}}\n\
             type !1 = u64[1]{{shape=[1]}}\nattrs #0 = {{of=\"u64\", shape=[1], value=@\"AQAAAAAAAAA=\"}}\n\
             input %0 : !0 [0,4) \"x\"\n{ops}output %3 \"a\"\noutput %4 \"b\"\noutput %6 \"c\"\n"
        )
    };
    let optimized = |nonces| {
        let circuit = Circuit::from_text(&text(nonces), Arc::clone(&REGISTRY)).unwrap();
        let after = circuit.optimize(&["dedup", "cancel", "prune", Precompute::NAME]).unwrap();
        after
            .graph()
            .operators()
            .iter()
            .map(|op| after.graph().signature(op).name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(optimized([""; 6]), ["limb.add", "constant"]);
    let [a, b, c, d, e, f] = [" nonce=1", " nonce=2", " nonce=3", " nonce=4", " nonce=5", " nonce=6"];
    let all = ["limb.neg", "limb.neg", "limb.add", "limb.add", "constant", "u64.not"];
    assert_eq!(optimized([a, b, c, d, e, f]), all);
    // Each alone.
    assert_eq!(optimized(["", b, "", "", "", ""]), ["limb.neg", "limb.neg", "limb.add", "constant"]);
    assert_eq!(optimized([a, "", "", "", "", ""]), ["limb.neg", "limb.add", "constant"], "nobody needs it");
    assert_eq!(optimized(["", "", c, d, "", ""]), ["limb.add", "limb.add", "constant"]);
    assert_eq!(optimized(["", "", "", "", "", f]), ["limb.add", "constant", "u64.not"]);
}

#[test]
fn anonymous_ones_tell_no_units_and_no_parents() {
    let whole = aes_whole(8, "aes.encrypt_blocks", 16);
    let circuit = whole.expand(To::Platform(&Scalar::new())).unwrap();
    let policy = Policy { anonymous: true, ..Policy::default() };
    let (hidden, growth) = protected(&circuit, &policy, 4);
    let plain = circuit.protect(&Policy::default(), &seed(4)).unwrap();
    assert_eq!(growth, plain.1);
    assert_eq!(hidden.difference(&plain.0).unwrap(), 0.0);
    let starts: Vec<u64> = {
        let graph = hidden.graph();
        graph.operators().iter().flat_map(|op| graph.pieces(op.output)).map(|piece| piece.start).collect()
    };
    assert!(starts.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(plain.0.to_text().contains("parent=") && !hidden.to_text().contains("parent="));
    assert_eq!(run(&hidden, &Simd::new(), &[&hex(PLAIN), &hex(VECTORS[0].0)]), hex(VECTORS[0].1));
    // What the builder made is not there any more; it is where only new operators are.
    let kept = |circuit: &Circuit| circuit.plan(&Scalar::new(), &[2], RunOptions::default()).map(drop);
    assert_eq!(kept(&hidden), Err(Error::NotKept { operand: 2 }));
    assert_eq!(kept(&plain.0), Ok(()));
}

#[test]
fn nonces_do_not_tell_what_is_new() {
    let circuit = random_circuit(8, 3, 30);
    let (protected, _) = circuit.protect(&Policy::default(), &seed(3)).unwrap();
    let nonces: Vec<u32> = protected.graph().operators().iter().map(|op| op.nonce).collect();
    assert!(nonces[0] > 0 && nonces.windows(2).all(|pair| pair[0] < pair[1]), "{nonces:?}");
}

#[test]
fn two_seeds_give_two_structures() {
    let circuit = random_circuit(8, 1, 60);
    assert_eq!(circuit.difference(&circuit).unwrap(), 0.0);
    let policy = Policy::default();
    let all: Vec<(Circuit, Growth)> =
        (0..6).map(|number| circuit.protect(&policy, &seed(number)).unwrap()).collect();
    for (i, (first, growth)) in all.iter().enumerate() {
        assert_eq!(growth.difference, first.difference(&circuit).unwrap());
        assert!(growth.difference > 0.5, "{growth:?}");
        for (second, _) in &all[i + 1..] {
            let difference = first.difference(second).unwrap();
            assert!(difference > 0.5, "{difference}");
            assert_eq!(second.difference(first).unwrap(), difference);
        }
    }
    // The same seed, the same circuit.
    let again = circuit.protect(&policy, &seed(0)).unwrap();
    assert_eq!((again.0.to_text(), &again.1), (all[0].0.to_text(), &all[0].1));
    // One that only differs in a constant has the structure.
    let constant = |value: u8| {
        let mut g = CircuitBuilder::new(8, &REGISTRY).unwrap();
        let constant = g.constant(&Tensor::new(Element::U8, [2]), vec![value, 1].into()).unwrap();
        g.output("out", constant);
        g.finish().unwrap()
    };
    assert_eq!(constant(1).difference(&constant(2)).unwrap(), 0.0);
    assert_eq!(constant(1).difference(&circuit).unwrap(), 1.0);
}

#[test]
fn growth_is_what_was_asked_for() {
    let circuit = random_circuit(8, 2, 100);
    let before = circuit.graph().operators().len();
    for growth in [1.0, 1.01, 1.5, 2.0, 4.0, 12.0] {
        for number in 0..4 {
            let policy = Policy { growth, ..Policy::default() };
            let (_, told) = protected(&circuit, &policy, number);
            let limit = (before as f64 * growth) as usize;
            assert!(told.after <= limit && limit - told.after < 24, "{told:?}");
        }
    }
    let same = circuit.protect(&Policy { growth: 1.0, ..Policy::default() }, &seed(1)).unwrap();
    assert_eq!(same.1.difference, 0.0);
}

#[test]
fn wrong_policies_are_refused() {
    let circuit = random_circuit(8, 2, 5);
    for growth in [0.99, 0.0, -1.0, f64::NAN, f64::INFINITY, 256.5] {
        let error = circuit.protect(&Policy { growth, ..Policy::default() }, &seed(0)).map(drop).unwrap_err();
        assert!(matches!(&error, Error::Task { at, .. } if at == "protection: growth"), "{error}");
    }
    let none = Policy { kinds: Vec::new(), ..Policy::default() };
    let error = circuit.protect(&none, &seed(0)).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "task: protection: kinds: found none, expected at least one");
    assert!(matches!(Kind::named("dead"), Err(Error::Task { found, .. }) if found == "dead"));
    for kind in Kind::ALL {
        assert_eq!(Kind::named(kind.name()), Ok(kind));
    }
}

/// Residues and words of 64 bits.
#[test]
fn operators_on_residues_are_left_or_rewritten() {
    let mut g = CircuitBuilder::new(64, &REGISTRY).unwrap();
    let limb = |form| Limb { n: 16, q: 12289, form }.ty();
    let a = g.input("a", limb(Form::Coeff)).unwrap();
    let b = g.input("b", limb(Form::Coeff)).unwrap();
    let mut values = vec![a, b];
    for (round, name) in ["limb.add", "limb.sub", "limb.neg", "limb.add", "limb.sub"].into_iter().enumerate()
    {
        let inputs = [values[values.len() - 1], values[round]];
        let inputs = if name == "limb.neg" { &inputs[..1] } else { &inputs };
        values.push(g.op(name, Attrs::new(), inputs).unwrap());
    }
    let [x, y] = [values[5], values[6]].map(|x| g.op("limb.ntt", Attrs::new(), &[x]).unwrap());
    let product = g.op("limb.mul", Attrs::new(), &[x, y]).unwrap();
    let words = g.view(product, 0, Tensor::new(Element::U64, [16]).ty(64).unwrap()).unwrap();
    let sum = g.op("u64.sum", Attrs::new().with("axis", 0u64), &[words]).unwrap();
    g.output("product", product);
    g.output("sum", sum);
    let circuit = g.finish().unwrap();
    let mut changes = Changes::new();
    for number in 0..40 {
        for kind in [Kind::DeadCode, Kind::Rewriting] {
            let (protected, growth) = protected(&circuit, &only(kind, 5.0), number);
            add(&mut changes, &growth);
            assert_eq!(protected.optimize_by_default().unwrap().to_text(), protected.to_text());
            let count = |name| names(&protected)[name];
            assert_eq!(count("limb.ntt"), 2);
            let read = Circuit::from_bytes(&protected.to_bytes(), Arc::clone(&REGISTRY)).unwrap();
            assert_eq!(read.id(), protected.id(), "what is seen as residues is below their prime");
        }
        // Others find only the sum to change, or what they made of it.
        let shares = protected(&circuit, &only(Kind::XorShares, 5.0), number).0;
        let limbs = |circuit: &Circuit| {
            let names = names(circuit).into_iter();
            names.filter(|(name, _)| name.starts_with("limb.")).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(limbs(&shares), limbs(&circuit));
        add(&mut changes, &protected(&circuit, &Policy::default(), number).1);
    }
    assert!(changes["dead_code"] > 100 && changes["rewriting"] > 100, "{changes:?}");
}

/// Floats, operators of higher levels and random ones stay as they are.
#[test]
fn what_must_not_change_does_not() {
    let f = |shape: &[u64]| Tensor::new(Element::F32, shape);
    let floats = [
        once(32, "f32.add", Attrs::new(), &[f(&[2, 4]), f(&[4])]),
        once(32, "f32.matmul", Attrs::new(), &[f(&[2, 4]), f(&[4, 3])]),
        once(32, "f32.convert", Attrs::new(), &[Tensor::new(Element::I32, [4])]),
        once(8, "aes.sub_bytes", Attrs::new(), &[Tensor::new(Element::U8, [16])]),
    ];
    for circuit in floats {
        let circuit = circuit.unwrap();
        for kind in Kind::ALL {
            let (after, growth) = protected(&circuit, &only(kind, 24.0), 1);
            let own = circuit.graph().signatures()[0].name.clone();
            assert_eq!(names(&after)[&own], 1);
            assert_eq!(growth.after > 1, kind == Kind::DeadCode, "{kind:?}");
        }
    }
    let derived = "cipherloom-graph 1\nunit 8\ntype !0 = u8[4]{shape=[4]}\ninput %0 : !0 [0,4) \"a\"\n\
                   op %1 = u8.not(%0) : !0 [4,8)\n";
    let circuit = Circuit::from_text(derived, Arc::clone(&REGISTRY)).unwrap();
    let (same, _) = circuit.protect(&only(Kind::DeadCode, 8.0), &seed(0)).unwrap();
    assert_eq!(same.graph().operators().len(), 1, "dead code would be an output");
}

/// The S-box, as the standard prints it.
#[test]
fn tables_are_split() {
    let table: Vec<u8> = {
        let mut g = CircuitBuilder::new(8, &REGISTRY).unwrap();
        let all: Vec<u8> = (0..=255).collect();
        let x = g.constant(&Tensor::new(Element::U8, [256]), all.into()).unwrap();
        let out = g.op("aes.sub_bytes", Attrs::new(), &[x]).unwrap();
        g.output("out", out);
        run(&g.finish().unwrap().expand(To::Platform(&Scalar::new())).unwrap(), &Scalar::new(), &[])
    };
    assert_eq!((table[0], table[0x53], table[0xff]), (0x63, 0xed, 0x16), "FIPS-197, figure 7");
    let all: Vec<u8> = (0..=255).collect();
    let mut gathers = BTreeMap::new();
    for number in 0..60 {
        let mut g = CircuitBuilder::new(8, &REGISTRY).unwrap();
        let x = g.input("0", Tensor::new(Element::U8, [256]).ty(8).unwrap()).unwrap();
        let out = g.op("aes.sub_bytes", Attrs::new(), &[x]).unwrap();
        g.output("out", out);
        let circuit = g.finish().unwrap().expand(To::Platform(&Scalar::new())).unwrap();
        let (split, growth) = protected(&circuit, &only(Kind::TableSplitting, 24.0), number);
        assert!(growth.kinds[0].changes > 0);
        for platform in [&Scalar::new() as &dyn Platform, &Simd::new()] {
            assert_eq!(run(&split, platform, &[&all]), table);
        }
        *gathers.entry(names(&split)["u8.gather"]).or_insert(0) += 1;
        // The table itself is nowhere any more.
        let constants = split.graph().operators().iter().filter_map(|op| {
            let value = split.graph().signature(op).attrs.bytes("value").ok();
            value.map(|value| value.to_vec())
        });
        assert!(constants.into_iter().all(|value| value != table));
    }
    assert!(gathers.len() > 3, "{gathers:?}");
}

/// Tables of all elements and lengths, along both axes, with indices inside and outside.
#[test]
fn split_tables_give_zeros_outside() {
    for element in INTEGERS {
        for (index, rows) in [
            (Element::U8, 256),
            (Element::U8, 64),
            (Element::U8, 300),
            (Element::U8, 1),
            (Element::I32, 8),
            (Element::I32, 24),
            (Element::U32, 16),
            (Element::I64, 13),
            (Element::U64, 12),
        ] {
            for axis in [0, 1] {
                let unit = if element == Element::Bit { 1 } else { 8 };
                let mut random = Random::new(rows);
                let mut g = CircuitBuilder::new(unit, &REGISTRY).unwrap();
                let tensor = Tensor::new(element, if axis == 0 { [rows, 8] } else { [8, rows] });
                let value: Vec<u8> = (0..tensor.bytes()).map(|_| random.next() as u8).collect();
                let table = g.constant(&tensor, value.into()).unwrap();
                let at = g.input("at", Tensor::new(index, [64]).ty(unit).unwrap()).unwrap();
                let out =
                    g.op(&format!("{element}.gather"), Attrs::new().with("axis", axis as u64), &[table, at]);
                g.output("out", out.unwrap());
                let circuit = g.finish().unwrap();
                for number in 0..12 {
                    let (_, growth) = protected(&circuit, &only(Kind::TableSplitting, 8.0), number);
                    assert!(growth.kinds[0].changes > 0, "{element} {index} {rows}");
                }
            }
        }
    }
}

fn run(circuit: &Circuit, platform: &dyn Platform, data: &[&[u8]]) -> Vec<u8> {
    let execution = circuit.plan(platform, &[], RunOptions::default()).unwrap();
    let names: Vec<String> = (0..data.len()).map(|index| index.to_string()).collect();
    let data: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(data.iter().copied()).collect();
    let mut run = execution.start(&data, || 0.0).unwrap();
    run.finish();
    execution.output(&run, 0).unwrap()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// FIPS 197, appendix C: AES-128, 192, 256.
const VECTORS: [(&str, &str); 3] = [
    ("000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ("000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191"),
    ("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "8ea2b7ca516745bfeafc49904b496089"),
];
const PLAIN: &str = "00112233445566778899aabbccddeeff";

fn aes_whole(unit: u32, op: &str, key: u64) -> Circuit {
    let mut g = CircuitBuilder::new(unit, &REGISTRY).unwrap();
    let bytes = |shape: &[u64]| Tensor::new(Element::U8, shape).ty(unit).unwrap();
    let (x, key) = (g.input("0", bytes(&[1, 16])).unwrap(), g.input("1", bytes(&[key])).unwrap());
    let keys = g.op("aes.key_schedule", Attrs::new(), &[key]).unwrap();
    let out = g.op(op, Attrs::new(), &[x, keys]).unwrap();
    g.output("out", out);
    g.finish().unwrap()
}

fn aes(unit: u32, op: &str, key: u64) -> Circuit {
    let base = aes_whole(unit, op, key).expand(To::Platform(&Scalar::new())).unwrap();
    base.optimize_by_default().unwrap()
}

#[test]
fn protected_aes_is_that_of_the_standard() {
    for unit in [8, 1] {
        for (key, cipher) in VECTORS {
            let (key, cipher, plain) = (hex(key), hex(cipher), hex(PLAIN));
            for (op, from, to) in
                [("aes.encrypt_blocks", &plain, &cipher), ("aes.decrypt_blocks", &cipher, &plain)]
            {
                let circuit = aes(unit, op, key.len() as u64);
                let before = circuit.graph().operators().len();
                let mut all: Vec<Circuit> = Vec::new();
                for number in 0..3 {
                    let (protected, growth) = circuit.protect(&Policy::default(), &seed(number)).unwrap();
                    assert!(growth.after > 3 * before && growth.after <= 4 * before, "{growth:?}");
                    for platform in [&Scalar::new() as &dyn Platform, &Simd::new()] {
                        assert_eq!(run(&protected, platform, &[from, &key]), *to, "{op} in unit {unit}");
                    }
                    if number == 0 {
                        let left = protected.optimize_by_default().unwrap();
                        assert_eq!(left.graph().operators().len(), growth.after);
                    }
                    all.push(protected);
                }
                let differences = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| all[i].difference(&all[j]).unwrap());
                assert!(differences.iter().all(|&difference| difference > 0.6), "{differences:?}");
                println!("{op} unit {unit}, key {}: {before} operators, {differences:.3?}", key.len());
            }
        }
    }
}

#[test]
fn aes_by_each_kind_alone() {
    let (key, cipher) = (hex(VECTORS[0].0), hex(VECTORS[0].1));
    for unit in [8, 1] {
        let circuit = aes(unit, "aes.encrypt_blocks", 16);
        for kind in Kind::ALL {
            let (protected, growth) = circuit.protect(&only(kind, 3.0), &seed(9)).unwrap();
            assert_eq!(run(&protected, &Simd::new(), &[&hex(PLAIN), &key]), cipher, "{kind:?}");
            println!("unit {unit} {growth:?}");
        }
    }
}
