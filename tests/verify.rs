//! Verification: what is right passes; ten planted faults are each found, and located by name.

use crate::common::{self, Random, Task};
use crate::tensors;
use cipherloom::circuit::{Circuit, CircuitBuilder, Precompute, To, Trials, pass_names};
use cipherloom::expand::BaseSet;
use cipherloom::graph::{Attrs, Graph, GraphError, OperandId, ValueType, parse, print};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{self, Form, Poly};
use cipherloom::ops::{Call, Registry};
use cipherloom::optimize::{PASSES, Pass};
use cipherloom::platform::{Kernel, Platform, Scalar, Simd, WordKernel};
use cipherloom::schemes::bfv::auxiliary_primes;
use cipherloom::tasks;
use cipherloom::{At, Difference, Error, Result};
use std::sync::Arc;

fn registry() -> Arc<Registry> {
    Arc::new(cipherloom::registry())
}

/// Trials of that many rounds.
fn rounds(rounds: u32) -> Trials<'static> {
    Trials { rounds, ..Trials::default() }
}

/// x, y -> 3x + ntt(-y c) - x, with a constant c and a part of x.
const GRAPH: &str = r#"cipherloom-graph 1
unit 64
type !0 = limb[4]{form="ntt", n=4, q=97}
type !1 = limb[4]{form="coeff", n=4, q=97}
type !2 = slots[4]{n=4, t=97}
attrs #0 = {c=3}
attrs #1 = {n=4, t=97, values=[5,6,7,8]}
attrs #2 = {c=4}
input %0 : !0 [0,4) "x"
input %1 : !1 [4,8) "y"
op %2 = slots.constant#1() : !2 [8,12)
op %3 = slots.write(%2) : !0 [12,16)
op %4 = limb.neg(%1) : !1 [16,20)
op %5 = limb.ntt(%4) : !0 [20,24)
op %6 = limb.mul(%5, %3) : !0 [24,28)
op %7 = limb.mul_scalar#0(%0) : !0 [28,32)
op %8 = limb.mul_scalar#2(%0) : !0 [32,36)
op %9 = limb.add(%7, %6) : !0 [36,40)
op %10 = limb.sub(%9, !0 [2,4)+[32,34)) : !0 [40,44)
op %11 = limb.mul(%10, %8) : !0 [44,48)
output %11 "z"
"#;

fn circuit(text: &str) -> Circuit {
    Circuit::from_text(text, registry()).unwrap()
}

/// The number of the first operator of that name.
fn first(circuit: &Circuit, name: &str) -> String {
    let graph = circuit.graph();
    let number = graph.operators().iter().position(|op| graph.signature(op).name == name).unwrap();
    format!("operator {number} ({name})")
}

/// The stage of an error, and what differs there.
fn located(error: Error) -> (String, String) {
    let Error::AtStage { stage, error } = error else { panic!("{error}") };
    (stage, found_at(*error))
}

/// What differs, and where it was seen.
fn found_at(error: Error) -> String {
    let Error::Differs(difference) = error else { panic!("{error}") };
    let Difference { what, operator, seen, units, at, .. } = *difference;
    let At::Byte { found, expected, .. } = at else { panic!("{at}") };
    assert_ne!(found, expected);
    assert!(!units.is_empty());
    if let Some((number, name)) = operator {
        assert!(what.starts_with(&format!("operator {number} ({name})")));
    }
    what + &seen.map_or_else(String::new, |output| format!(", seen in {output}"))
}

#[test]
fn what_is_right_passes() {
    let circuit = circuit(GRAPH);
    let report = circuit.verify(&circuit, &Scalar::new(), &rounds(4)).unwrap();
    assert_eq!((report.compared, report.skipped, report.bytes), (vec!["output `z`".into()], vec![], 4 * 32));
    let passes: Vec<&dyn Pass> = PASSES.iter().map(|pass| pass as &dyn Pass).collect();
    assert_eq!(circuit.verify_passes(&passes, &Simd::new(), &rounds(4)).unwrap().len(), PASSES.len());
    let report = circuit.verify_platforms(&Simd::new(), &Scalar::new(), &rounds(4)).unwrap();
    assert_eq!((report.compared.len(), report.bytes), (10, 4 * 10 * 32));
    assert_eq!(report.compared[2], "operator 2 (limb.neg)");
}

/// A platform with one wrong kernel.
struct Faulty {
    scalar: Scalar,
    op: &'static str,
    spoil: fn(&[&[u64]], &mut [u64]),
}

struct Spoiled {
    kernel: Kernel,
    spoil: fn(&[&[u64]], &mut [u64]),
}

impl WordKernel for Spoiled {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], scratch: &mut [u64], nonce: u32) {
        self.kernel.run(inputs, out, scratch, nonce);
        (self.spoil)(inputs, out);
    }
    fn scratch(&self) -> usize {
        self.kernel.scratch()
    }
}

impl Platform for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }
    fn implements(&self, op: &str) -> bool {
        self.scalar.implements(op)
    }
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let kernel = self.scalar.kernel(call, output)?;
        let spoil = self.spoil;
        Ok(if call.name == self.op { Kernel::on_words(Spoiled { kernel, spoil }) } else { kernel })
    }
}

/// Faults 1 to 3.
#[test]
fn wrong_kernels_are_found() {
    // With the limb, modulo 17 or 97, whose kernel shows it.
    type Fault = (&'static str, u32, fn(&[&[u64]], &mut [u64]));
    let faults: [Fault; 3] = [
        // The last word is forgotten.
        ("limb.add", 0, |inputs, out| *out.last_mut().unwrap() = *inputs[0].last().unwrap()),
        // Zero has no canonical negative: only at an edge.
        ("limb.neg", 0, |inputs, out| {
            for (out, _) in out.iter_mut().zip(inputs[0]).filter(|(_, input)| **input == 0) {
                *out = 97;
            }
        }),
        // One factor is taken twice where the other is q - 1.
        ("limb.mul", 1, |inputs, out| {
            for (out, (a, b)) in out.iter_mut().zip(inputs[0].iter().zip(inputs[1])) {
                if *a == 96 {
                    *out = b * b % 97;
                }
            }
        }),
    ];
    let circuit = circuit(GRAPH);
    for (op, limb, spoil) in faults {
        let faulty = Faulty { scalar: Scalar::new(), op, spoil };
        let error = circuit.verify_platforms(&faulty, &Scalar::new(), &rounds(200)).unwrap_err();
        assert_eq!(error.code(), "verify.differs");
        assert_eq!(located(error), ("platform `faulty`".into(), first(&circuit, op)));
        // In polynomials, too, by the limb operator.
        let mut g = CircuitBuilder::new(64, circuit.registry()).unwrap();
        let ty = Poly { n: 4, q: vec![17, 97], form: Form::Ntt }.ty();
        let (a, b) = (g.input("a", ty.clone()).unwrap(), g.input("b", ty).unwrap());
        let name = op.replace("limb", "poly");
        let inputs = if op == "limb.neg" { vec![a] } else { vec![a, b] };
        let out = g.op(&name, Attrs::new(), &inputs).unwrap();
        g.output("out", out);
        let (_, what) =
            located(g.finish().unwrap().verify_platforms(&faulty, &Scalar::new(), &rounds(200)).unwrap_err());
        assert_eq!(what, format!("operator {limb} ({op}), part of operator 0 ({name})"));
    }
}

/// A pass made of a function.
struct Own(&'static str, fn(&Graph) -> Graph);

impl Pass for Own {
    fn name(&self) -> &str {
        self.0
    }
    fn run(&self, graph: &Graph, _: &Registry) -> Result<Graph> {
        Ok((self.1)(graph))
    }
}

/// The graph with operator `from` gone, and its output taken for another operand.
fn taken_for(graph: &Graph, op: usize, other: OperandId) -> Graph {
    let mut out = graph.clone();
    let target = out.placeholders(other);
    out.alias(graph.operators()[op].output, &target).unwrap();
    out.retain_operators(|number| number != op);
    out.settle();
    out
}

/// Faults 4 to 6.
#[test]
fn wrong_passes_are_found() {
    // The attributes of two operators differ, and it merges them.
    let greedy = Own("greedy", |graph| taken_for(graph, 6, graph.operators()[5].output));
    // It takes a negative for its operand.
    let careless = Own("careless", |graph| taken_for(graph, 2, graph.inputs()[1].operand));
    // It drops what is still read.
    let eager = Own("eager", |graph| {
        let mut out = graph.clone();
        out.retain_operators(|op| op != 5);
        out
    });
    let circuit = circuit(GRAPH);
    let passes = |wrong| -> [&dyn Pass; 3] { [&PASSES[0], wrong, &PASSES[2]] };
    let error = |wrong| circuit.verify_passes(&passes(wrong), &Scalar::new(), &rounds(6)).unwrap_err();
    // The first readers of what is wrong, by their numbers after the pass.
    let expected = ("pass `greedy`".into(), "operator 7 (limb.sub), seen in output `z`".into());
    assert_eq!(located(error(&greedy)), expected);
    let expected = ("pass `careless`".into(), "operator 2 (limb.ntt), seen in output `z`".into());
    assert_eq!(located(error(&careless)), expected);
    let Error::AtStage { stage, error } = error(&eager) else { panic!() };
    assert_eq!((stage.as_str(), error.code()), ("pass `eager`", "graph.undefined"));
    assert!(error.to_string().contains("limb.add"), "{error}");
    // What a pass makes is checked, even where nobody verifies it.
    let refused = circuit.apply(&[&eager]).err().unwrap();
    assert!(matches!(refused, Error::AtStage { stage, .. } if stage == "pass `eager`"));
}

/// Faults 7 to 10.
#[test]
fn wrong_graphs_are_found() {
    let faults = [
        // A dependency is dropped: the product does not wait for the transform.
        ("limb.mul(%5, %3)", "limb.mul(%3, %3)", "operator 4 (limb.mul)"),
        // A wrong interval.
        ("!0 [2,4)+[32,34)", "!0 [2,4)+[33,35)", "operator 8 (limb.sub)"),
        // A wrong attribute.
        ("attrs #0 = {c=3}", "attrs #0 = {c=2}", "operator 5 (limb.mul_scalar)"),
        // A wrong constant.
        ("values=[5,6,7,8]", "values=[5,6,7,9]", "operator 0 (slots.constant)"),
    ];
    let right = circuit(GRAPH);
    for (from, to, place) in faults {
        let wrong = GRAPH.replace(from, to);
        assert_ne!(wrong, GRAPH);
        let error = circuit(&wrong).verify(&right, &Simd::new(), &rounds(6)).unwrap_err();
        assert_eq!(found_at(error), format!("{place}, seen in output `z`"));
    }
}

#[test]
fn wrong_structures_are_found() {
    let good = circuit(GRAPH);
    let names = ["limb.neg".to_owned()];
    let base = BaseSet { platform: "mine", contains: &|op| op != names[0] };
    let error = good.verify_structure(Some(&base)).unwrap_err();
    assert_eq!(error.code(), "operator.not_implemented");
    assert!(matches!(error, Error::AtOperator { op: 2, ref name, .. } if name == "limb.neg"), "{error}");
    type Fault = (fn(&mut Graph), u32, &'static str);
    let faults: [Fault; 3] = [
        // An operand that is shorter than its type.
        (
            |graph| {
                let ty = graph.ty(graph.operators()[4].output).clone();
                let place = graph.reserve(3).unwrap();
                let short = graph.view(ty, vec![place]);
                let op = graph.operators()[2];
                let inputs = graph.inputs_of(&op).to_vec();
                graph.push_operator(op.signature, &inputs, short, 0, u32::MAX);
            },
            10,
            "graph.size",
        ),
        // A unit that two operators write.
        (
            |graph| {
                let op = graph.operators()[2];
                let inputs = graph.inputs_of(&op).to_vec();
                graph.push_operator(op.signature, &inputs, op.output, 0, u32::MAX);
            },
            10,
            "graph.overlapping_outputs",
        ),
        // An operand of the wrong form.
        (
            |graph| {
                let (op, input) = (graph.operators()[3], graph.inputs()[0].operand);
                let ty = graph.ty(op.output).clone();
                let place = graph.reserve(4).unwrap();
                let output = graph.view(ty, vec![place]);
                graph.push_operator(op.signature, &[input], output, 0, u32::MAX);
            },
            10,
            "operator.invalid",
        ),
    ];
    for (spoil, op, code) in faults {
        struct Spoil(fn(&mut Graph));
        impl Pass for Spoil {
            fn name(&self) -> &str {
                "spoil"
            }
            fn run(&self, graph: &Graph, _: &Registry) -> Result<Graph> {
                let mut out = graph.clone();
                (self.0)(&mut out);
                Ok(out)
            }
        }
        let error = good.apply(&[&Spoil(spoil)]).err().unwrap();
        assert_eq!(error.code(), code, "{error}");
        let Error::AtStage { error, .. } = error else { panic!("{error}") };
        assert!(matches!(*error, Error::AtOperator { op: found, .. } if found == op), "{error}");
    }
    // Other ports.
    let other = circuit(&GRAPH.replace("\"z\"", "\"w\""));
    let error = other.verify(&good, &Scalar::new(), &rounds(1)).unwrap_err();
    assert!(matches!(&error, Error::Task { found, .. } if found == "nothing"), "{error}");
    let given = Trials { given: &[("v", &[])], ..rounds(1) };
    assert_eq!(good.verify(&good, &Scalar::new(), &given).unwrap_err().code(), "input.unknown");
    let given = Trials { given: &[("x", &[1; 8])], ..rounds(1) };
    assert_eq!(good.verify(&good, &Scalar::new(), &given).unwrap_err().code(), "input.length");
    let cycle = parse(&GRAPH.replace("limb.mul(%5, %3)", "limb.mul(%5, !0 [40,44))")).unwrap();
    let error = Circuit::new(cycle, registry()).err().unwrap();
    assert!(matches!(error, Error::Graph(GraphError::Cycle { .. })), "{error}");
}

/// Two encryptions, of which one is not read.
fn encryptions() -> Circuit {
    let registry = registry();
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let (n, t, q) = (16u64, 97u64, ntt_primes(50, 16, 2, &[]).unwrap());
    let attrs = |name: &str| Attrs::new().with(name, q.as_slice());
    let public = g.input("public seed", types::public_seed()).unwrap();
    let hidden = g.input("secret seed", types::secret_seed()).unwrap();
    let slots = g.input("slots", types::slots(n as usize, t)).unwrap();
    let secret = g.op("rlwe.secret_key", attrs("q").with("n", n), &[hidden]).unwrap();
    let plain = g.op("slots.encode", Attrs::new(), &[slots]).unwrap();
    let encrypt = |g: &mut CircuitBuilder<'_>| {
        g.op("bfv.encrypt_secret", attrs("q"), &[secret, plain, public, hidden]).unwrap()
    };
    let (_, read) = (encrypt(&mut g), encrypt(&mut g));
    let back = g.op("slots.decode", Attrs::new(), &[plain]).unwrap();
    g.output("ciphertext", read);
    g.output("slots", back);
    g.finish().unwrap()
}

#[test]
fn what_draws_other_numbers_is_not_compared() {
    let prune: [&dyn Pass; 1] = [&PASSES[2]];
    let circuit = encryptions();
    // Nonces that come out of an expansion count the operators before.
    let [report] = circuit.verify_passes(&prune, &Scalar::new(), &rounds(2)).unwrap().try_into().unwrap();
    let skipped: Vec<&str> = report.skipped.iter().map(|skipped| &*skipped.what).collect();
    assert_eq!((report.compared, skipped), (vec!["output `slots`".into()], vec!["output `ciphertext`"]));
    // Those of operators that are there stay.
    let base = circuit.expand(To::Platform(&Scalar::new())).unwrap();
    let [report] = base.verify_passes(&prune, &Scalar::new(), &rounds(2)).unwrap().try_into().unwrap();
    assert_eq!((report.compared.len(), report.skipped.len()), (2, 0));
}

/// Two encryptions' products, added and decrypted.
#[test]
fn what_is_decrypted_is_compared_where_ciphertexts_change() {
    let registry = registry();
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let (n, t) = (16, ntt_primes(12, 16, 1, &[]).unwrap()[0]);
    let q = ntt_primes(45, n, 3, &[t]).unwrap();
    let aux = auxiliary_primes(n, &q, &[t]).unwrap();
    let attrs = |name: &str, primes: &[u64]| Attrs::new().with(name, primes);
    let public = g.input("public seed", types::public_seed()).unwrap();
    let hidden = g.input("secret seed", types::secret_seed()).unwrap();
    let secret = g.op("rlwe.secret_key", attrs("q", &q).with("n", n), &[hidden]).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| {
        let slots = g.input(name, types::slots(n, t)).unwrap();
        let plain = g.op("slots.encode", Attrs::new(), &[slots]).unwrap();
        g.op("bfv.encrypt_secret", attrs("q", &q), &[secret, plain, public, hidden]).unwrap()
    });
    let [ab, bc] =
        [[a, b], [b, c]].map(|factors| g.op("bfv.multiply", attrs("aux", &aux), &factors).unwrap());
    let sum = g.op("rlwe.add", Attrs::new(), &[ab, bc]).unwrap();
    let plain = g.op("bfv.decrypt", Attrs::new(), &[secret, sum]).unwrap();
    let slots = g.op("slots.decode", Attrs::new(), &[plain]).unwrap();
    g.output("slots", slots);
    let mut circuit = g.finish().unwrap();
    let passes: Vec<&dyn Pass> = PASSES.iter().map(|pass| pass as &dyn Pass).collect();
    for report in circuit.verify_passes(&passes, &Simd::new(), &rounds(4)).unwrap() {
        assert_eq!(
            (report.compared.as_slice(), report.bytes),
            (["output `slots`".to_owned()].as_slice(), 4 * 128)
        );
    }
    assert!(circuit.apply(&passes).unwrap().graph().operators().len() < circuit.graph().operators().len());
    // The ciphertext itself has other bits.
    let mut graph = circuit.graph().clone();
    graph.declare_output("sum", sum);
    circuit = Circuit::new(graph, registry).unwrap();
    let error = circuit.verify_passes(&passes, &Simd::new(), &rounds(4)).unwrap_err();
    let sum_products = "pass `sum_products`".to_owned();
    assert_eq!(located(error), (sum_products, "operator 7 (bfv.multiply), seen in output `sum`".into()));
}

/// Rounds are the same data whether they are made at once or some at a time.
#[test]
fn rounds_are_made_some_at_a_time() {
    let (right, wrong) = (circuit(GRAPH), circuit(&GRAPH.replace("c=3", "c=2")));
    let found = |first, count| {
        let trials = Trials { first, ..rounds(count) };
        let Error::Differs(difference) = wrong.verify(&right, &Scalar::new(), &trials).unwrap_err() else {
            panic!("another error")
        };
        difference.at
    };
    let each: Vec<_> = (0..4).map(|round| found(round, 1)).collect();
    assert_eq!((found(0, 4), found(2, 2)), (each[0].clone(), each[2].clone()));
    assert!(each.iter().any(|other| *other != each[0]));
}

#[test]
fn outputs_that_nobody_declared_are_compared() {
    let undeclared = circuit(GRAPH.split("output").next().unwrap());
    let report = undeclared.verify(&undeclared, &Scalar::new(), &rounds(1)).unwrap();
    assert_eq!(report.compared, ["operator 9 (limb.mul)"]);
    let forgetful = Own("forgetful", |graph| {
        let mut out = graph.clone();
        out.retain_operators(|op| op != 9);
        out
    });
    let error = undeclared.verify_passes(&[&forgetful], &Scalar::new(), &rounds(1)).unwrap_err();
    assert!(error.to_string().starts_with("pass `forgetful`: task: operator 9 (limb.mul)"), "{error}");
}

#[test]
fn all_passes_keep_the_meaning_of_random_graphs() {
    let mut registry = Registry::lattice();
    registry.add_all(common::Nested::all());
    let registry = Arc::new(registry);
    let passes: Vec<&dyn Pass> = PASSES.iter().map(|pass| pass as &dyn Pass).collect();
    let (mut compared, mut bytes) = (0, 0);
    for seed in 0..120 {
        let depth = seed as usize % 3;
        let task = Task::random(seed, 30, &registry, depth, true);
        let task = if seed % 2 == 0 { task } else { task.scattered(seed) };
        let data: Vec<Vec<u8>> = task
            .data
            .iter()
            .map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect())
            .collect();
        let names: Vec<String> = task.graph.inputs().iter().map(|port| port.name.clone()).collect();
        let given: Vec<(&str, &[u8])> =
            names.iter().map(String::as_str).zip(data.iter().map(Vec::as_slice)).collect();
        let trials = Trials { given: &given, ..rounds(1) };
        let circuit = Circuit::new(task.graph, Arc::clone(&registry)).unwrap();
        for report in circuit.verify_passes(&passes, &Scalar::new(), &trials).unwrap() {
            compared += report.compared.len();
            bytes += report.bytes;
        }
        circuit.verify_platforms(&Simd::new(), &Scalar::new(), &trials).unwrap();
    }
    assert!(compared > 1000 && bytes > 100_000, "{compared} outputs, {bytes} bytes");
}

/// Stages of programs over values from ciphertexts on are circuits, too: keys, values and clear vectors are random data.
#[test]
fn a_task_is_the_same_from_ciphertexts_to_base_operators() {
    for (kind, rotation) in [("integer", "steps=1"), ("real", "steps=2")] {
        let task = format!(
            r#"{{"inputs":[{{"name":"x","type":"value[1]{{kind=\"{kind}\", shape=[40], where=\"encrypted\"}}","min":"-9","max":"9"}},
                {{"name":"w","type":"value[1]{{kind=\"{kind}\", shape=[40], where=\"plain\"}}","min":"-9","max":"9"}}],
            "nodes":[{{"op":"value.multiply","inputs":[0,1]}},{{"op":"value.rotate","inputs":[2],"attrs":"{{axis=0, {rotation}}}"}},
                {{"op":"value.multiply","inputs":[0,3]}}],"outputs":[{{"name":"y","operand":4}}]}}"#
        );
        let program =
            tasks::Program::compile(serde_json::from_str(&task).unwrap(), &Default::default()).unwrap();
        let open = |graph: &Graph| Circuit::from_text(&print(graph), registry()).unwrap();
        let scheme = open(program.scheme());
        let polynomial = open(&program.polynomial().unwrap());
        let base = open(&program.base(&Simd::new()).unwrap());
        let report = polynomial.verify(&scheme, &Simd::new(), &rounds(2)).unwrap();
        assert!(!report.compared.is_empty() && report.skipped.is_empty());
        base.verify(&polynomial, &Simd::new(), &rounds(2)).unwrap();
        base.verify_platforms(&Simd::new(), &Scalar::new(), &rounds(1)).unwrap();
        // One operator of thousands.
        let text = print(polynomial.graph());
        let wrong = open(&parse(&text.replacen("= poly.add(", "= poly.sub(", 1)).unwrap());
        let found = found_at(wrong.verify(&polynomial, &Simd::new(), &rounds(1)).unwrap_err());
        assert!(found.starts_with("operator ") && found.contains("(poly.sub)"), "{found}");
    }
}

/// Random sums and repetitions of constants and inputs, with what they have to be.
fn random_tensors(seed: u64, registry: &Arc<Registry>) -> (Circuit, Vec<Vec<u64>>, Vec<u64>) {
    let mut random = Random::new(seed);
    let mut g = CircuitBuilder::new(64, registry).unwrap();
    let pair = Tensor::new(Element::U64, [2]);
    let x: Vec<u64> = (0..2).map(|_| random.next()).collect();
    let mut known = vec![(g.input("x", pair.ty(64).unwrap()).unwrap(), x.clone())];
    for _ in 0..3 {
        let words: Vec<u64> = (0..2).map(|_| random.next()).collect();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        known.push((g.constant(&pair, bytes.into()).unwrap(), words));
    }
    let mut outputs = Vec::new();
    for number in 0..random.index(40) {
        let (a, words) = known[random.index(known.len())].clone();
        let same: Vec<_> = known.iter().filter(|(_, other)| other.len() == words.len()).cloned().collect();
        let (b, others) = same[random.index(same.len())].clone();
        let made = if random.chance(80) {
            let sum = words.iter().zip(&others).map(|(a, b)| a.wrapping_add(*b)).collect();
            (g.op("test.add", Attrs::new(), &[a, b]).unwrap(), sum)
        } else {
            let times = 1 + random.index(3);
            let attrs = Attrs::new().with("times", times);
            (g.op("test.repeat", attrs, &[a]).unwrap(), words.repeat(times))
        };
        if random.chance(30) {
            g.output(&number.to_string(), made.0);
            outputs.push(made.1.clone());
        }
        known.push(made);
    }
    (g.finish().unwrap(), outputs, x)
}

#[test]
fn precomputed_graphs_give_the_same() {
    let registry = tensors::registry();
    let platform = Arc::new(tensors::Tensors::default());
    let pass = Precompute::new(Arc::clone(&platform) as Arc<dyn Platform>);
    let mut fewer = 0;
    for seed in 0..300 {
        let (circuit, expected, x) = random_tensors(seed, &registry);
        let passes: [&dyn Pass; 3] = [&PASSES[0], &pass, &PASSES[2]];
        circuit.verify_passes(&passes, &*platform, &rounds(1)).unwrap();
        let after = circuit.apply(&passes).unwrap();
        fewer += circuit.graph().operators().len() - after.graph().operators().len();
        let bytes = |words: &[u64]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
        let plan = after.plan(&*platform, &[], Default::default()).unwrap();
        let mut run = plan.start(&[("x", &bytes(&x))], || 0.0).unwrap();
        run.finish();
        for (index, expected) in expected.iter().enumerate() {
            assert_eq!(plan.output(&run, index).unwrap(), bytes(expected), "seed {seed}");
        }
        assert!(after.to_bytes().len() <= 3 * circuit.to_bytes().len(), "seed {seed}");
    }
    assert!(fewer > 500, "{fewer} operators less");
    assert!(pass_names().contains(&"precompute"));
    // By name, on the scalar platform, which does not have these operators.
    let (circuit, ..) = random_tensors(1, &registry);
    assert_eq!(circuit.optimize(&["precompute"]).unwrap().to_text(), circuit.to_text());
}

#[test]
fn residues_are_drawn_below_the_primes_that_they_are_read_with() {
    // Words without a type of their own, read as residues of several primes.
    let mut text = String::from("cipherloom-graph 1\nunit 64\ntype !0 = raw[8]\n");
    for (index, q) in [97, 193, 17].into_iter().enumerate() {
        text += &format!("type !{} = limb[4]{{form=\"coeff\", n=4, q={q}}}\n", index + 1);
    }
    text += "input %0 : !0 [0,2)+[4,10) \"x\"\n";
    for (index, place) in ["[0,2)+[4,6)", "[6,10)", "[4,8)"].into_iter().enumerate() {
        let (ty, at) = (index + 1, 10 + 8 * index);
        text += &format!("op %{} = limb.neg(!{ty} {place}) : !{ty} [{at},{})\n", 2 * index + 1, at + 4);
        text += &format!(
            "op %{} = limb.neg(!{ty} [{at},{})) : !{ty} [{},{})\n",
            2 * index + 2,
            at + 4,
            at + 4,
            at + 8
        );
        text += &format!("output %{} \"{index}\"\n", 2 * index + 2);
    }
    let circuit = Circuit::new(parse(&text).unwrap(), registry()).unwrap();
    let after = circuit.verify_passes(&[&PASSES[1]], &Scalar::new(), &rounds(20)).unwrap();
    assert_eq!(after[0].bytes, 20 * 3 * 32);
}
