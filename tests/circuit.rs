//! Circuits as a user holds them: built, expanded, analyzed, optimized, printed, saved, run over named data.

use cipherloom::circuit::{Circuit, CircuitBuilder, CircuitLiteral, RunOptions, To};
use cipherloom::graph::{Attrs, GraphError, ValueType};
use cipherloom::ops::Registry;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{Form, Poly, sized};
use cipherloom::platform::{Platform, Scalar, Simd};
use cipherloom::watch::watched;
use cipherloom::{Error, Result};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

fn registry() -> Arc<Registry> {
    Arc::new(cipherloom::registry())
}

fn run(circuit: &Circuit, platform: &dyn Platform, data: &[(&str, &[u8])]) -> Result<Vec<Vec<u8>>> {
    let execution = circuit.plan(platform, &[], RunOptions::default())?;
    let mut run = execution.start(data, || 0.0)?;
    run.finish();
    (0..execution.outputs().count()).map(|index| execution.output(&run, index)).collect()
}

/// A product of polynomials of two limbs, and their sum.
fn polynomials(registry: &Arc<Registry>) -> Circuit {
    let mut g = CircuitBuilder::new(64, registry).unwrap();
    let ty = Poly { n: 8, q: vec![17, 97], form: Form::Coeff }.ty();
    let (a, b) = (g.input("a", ty.clone()).unwrap(), g.input("b", ty).unwrap());
    let sum = g.op("poly.add", Attrs::new(), &[a, b]).unwrap();
    let [x, y] = [a, b].map(|p| g.op("poly.ntt", Attrs::new(), &[p]).unwrap());
    let product = g.op("poly.mul", Attrs::new(), &[x, y]).unwrap();
    let product = g.op("poly.intt", Attrs::new(), &[product]).unwrap();
    g.output("sum", sum);
    g.output("product", product);
    g.finish().unwrap()
}

/// What is told of the work, in parts of the whole; it ends when so much was told.
fn heard<T>(most: usize, work: impl FnOnce() -> Result<T>) -> (Vec<f64>, Result<T>) {
    let told = Rc::new(RefCell::new(Vec::new()));
    let hears = Rc::clone(&told);
    let hear = move |far| {
        hears.borrow_mut().push(far);
        hears.borrow().len() < most
    };
    let result = watched(6, hear, work);
    (told.take(), result)
}

#[test]
fn every_stage_tells_how_far_it_is_and_can_be_ended() {
    let registry = registry();
    let ty = Poly { n: 8, q: vec![17, 97], form: Form::Coeff }.ty();
    let build = || {
        let mut g = CircuitBuilder::new(64, &registry)?;
        let (mut x, y) = (g.input("x", ty.clone())?, g.input("y", ty.clone())?);
        for _ in 0..20_000 {
            x = g.op("poly.add", Attrs::new(), &[x, y])?;
        }
        g.output("x", x);
        g.finish()
    };
    let platform = Scalar::new();
    let circuit = build().unwrap();
    let base = circuit.expand(To::Platform(&platform)).unwrap();
    let bytes = base.to_bytes();
    // Copies of it: what is known of a circuit after the first time is not worked out again.
    let stages: [(&str, &dyn Fn() -> Result<()>); 7] = [
        ("build", &|| build().map(drop)),
        ("expand", &|| circuit.expand(To::Platform(&platform)).map(drop)),
        ("optimize", &|| base.optimize_by_default().map(drop)),
        ("analyze", &|| base.clone().analyze().map(drop)),
        ("plan", &|| base.clone().plan(&platform, &[], RunOptions::default()).map(drop)),
        ("save", &|| base.save().map(drop)),
        ("load", &|| Circuit::from_bytes(&bytes, Arc::clone(&registry)).map(drop)),
    ];
    for (name, stage) in stages {
        let (told, result) = heard(usize::MAX, stage);
        assert_eq!(result, Ok(()), "{name}");
        assert!(told.len() >= 4, "{name}: {told:?}");
        assert!(told.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: {told:?}");
        assert!(told.iter().all(|far| (0.0..1.0).contains(far)), "{name}: {told:?}");
        for most in [1, told.len() / 2, told.len()] {
            let (told, result) = heard(most, stage);
            assert_eq!(result, Err(Error::Cancelled), "{name}");
            assert_eq!(told.len(), most, "{name}");
        }
    }
    // Who does not listen cannot end it.
    assert_eq!(heard(1, || Ok(base.to_bytes())), (vec![], Ok(bytes)));
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[test]
fn every_granularity_gives_the_same_bytes() {
    let registry = registry();
    let circuit = polynomials(&registry);
    let a: Vec<u64> = (0..16).map(|i| i * 7 % 17).collect();
    let b: Vec<u64> = (0..16).map(|i| (i * i + 3) % 17).collect();
    let (a, b) = (words(&a), words(&b));
    let data = [("a", a.as_slice()), ("b", b.as_slice())];
    let limbs = ["limb.add", "limb.ntt", "limb.intt", "limb.mul"].map(str::to_owned);
    let scalar = Scalar::new();
    let base = circuit.expand(To::Platform(&scalar)).unwrap();
    let expected = run(&base, &scalar, &data).unwrap();
    // Schoolbook, modulo X^8 + 1.
    for (limb, q) in [17u64, 97].into_iter().enumerate() {
        let of = |bytes: &[u8]| -> Vec<u64> {
            bytes
                .chunks(8)
                .skip(8 * limb)
                .take(8)
                .map(|w| u64::from_le_bytes(w.try_into().unwrap()))
                .collect()
        };
        let (x, y, z) = (of(&a), of(&b), of(&expected[1]));
        for (k, z) in z.iter().enumerate() {
            let term = |i: usize| {
                let j = (8 + k - i) % 8;
                if i <= k { x[i] * y[j] % q } else { (q - x[i] * y[j] % q) % q }
            };
            assert_eq!(*z, (0..8).map(term).sum::<u64>() % q);
        }
    }
    for way in [To::Base(&limbs), To::Steps(1), To::Platform(&Simd::new())] {
        let other = circuit.expand(way).unwrap();
        for circuit in [other.clone(), other.optimize_by_default().unwrap()] {
            assert_eq!(run(&circuit, &Simd::new(), &data).unwrap(), expected);
        }
    }
}

#[test]
fn bytes_and_text_are_the_circuit() {
    let registry = registry();
    let circuit = polynomials(&registry);
    let base = circuit.expand(To::Platform(&Scalar::new())).unwrap();
    for circuit in [circuit, base.optimize_by_default().unwrap(), base] {
        let bytes = circuit.to_bytes();
        let read = Circuit::from_bytes(&bytes, Arc::clone(&registry)).unwrap();
        assert_eq!(read.to_text(), circuit.to_text());
        assert_eq!((read.to_bytes(), read.id()), (bytes.clone(), circuit.id()));
        let parsed = Circuit::from_text(&circuit.to_text(), Arc::clone(&registry)).unwrap();
        assert_eq!(parsed.id(), circuit.id());
        // Whatever is cut off or flipped is refused, and every flipped bit is.
        for length in 0..bytes.len() {
            assert!(Circuit::from_bytes(&bytes[..length], Arc::clone(&registry)).is_err());
        }
        let mut flipped = bytes;
        for bit in (0..8 * flipped.len()).step_by(7) {
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Circuit::from_bytes(&flipped, Arc::clone(&registry)).is_err());
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn operands_are_kept_by_number() {
    let registry = registry();
    let circuit = polynomials(&registry);
    let scalar = Scalar::new();
    let (a, b) = (words(&[1; 16]), words(&[2; 16]));
    let data = [("a", a.as_slice()), ("b", b.as_slice())];
    let base = circuit.expand(To::Platform(&scalar)).unwrap();
    // The fourth operand is the transform of a.
    let kept = base.plan(&scalar, &[3, 0], RunOptions::default()).unwrap();
    let names: Vec<&str> = kept.outputs().map(|(port, _)| port.name.as_str()).collect();
    assert_eq!(names, ["sum", "product", "%3", "%0"]);
    let mut run = kept.start(&data, || 0.0).unwrap();
    run.finish();
    assert_eq!(kept.output(&run, 3).unwrap(), a);
    assert_ne!(kept.output(&run, 2).unwrap(), a);
    let error =
        |circuit: &Circuit, number| circuit.plan(&scalar, &[number], RunOptions::default()).err().unwrap();
    assert_eq!(error(&base, 99), Error::NotKept { operand: 99 });
    let parsed = Circuit::from_text(&base.to_text(), Arc::clone(&registry)).unwrap();
    assert_eq!(error(&parsed, 3), Error::NotKept { operand: 3 });
}

#[test]
fn analysis_of_the_seed_s_table() {
    // K-G3.
    let mut text =
        String::from("cipherloom-graph 1\nunit 64\ntype !0 = raw[1]\ntype !1 = raw[3]\ntype !2 = raw[4]\n");
    for input in 0..4 {
        text += &format!("input %{input} : !0 [{input},{}) \"x{input}\"\n", input + 1);
    }
    text += "op %4 = copy(%0) : !0 [4,5)\nop %5 = copy(%1) : !0 [5,6)\nop %6 = copy(%2) : !0 [6,7)\n";
    text += "op %7 = copy(%3) : !0 [7,8)\nop %8 = copy(!1 [4,7), !0 [8,9)) : !2 [9,13)\n";
    text += "op %9 = copy(%7) : !0 [8,9)\nop %10 = copy(%8) : !2 [13,17)\n";
    let circuit = Circuit::from_text(&text, registry()).unwrap();
    let analysis = circuit.analyze().unwrap();
    let sets: Vec<(&[u32], &[u32])> =
        (0..7).map(|op| (analysis.dependencies.dep(op), analysis.dependencies.notify(op))).collect();
    let expected: [(&[u32], &[u32]); 7] = [
        (&[], &[4]),
        (&[], &[4]),
        (&[], &[4]),
        (&[], &[5]),
        (&[0, 1, 2, 5], &[6]),
        (&[3], &[4]),
        (&[4], &[]),
    ];
    assert_eq!(sets, expected);
    assert_eq!(analysis.waves, [0, 0, 0, 0, 2, 1, 3]);
    assert_eq!(analysis.critical_path, [3, 5, 4, 6]);
    assert_eq!(analysis.outputs, [6]);
    let inputs: Vec<(u64, u64)> = analysis.inputs.iter().map(|p| (p.start, p.end)).collect();
    assert_eq!(inputs, [(0, 4)]);
}

#[test]
fn recorded_calls_say_which_one_is_wrong() {
    let literal = |tape: &[u32]| CircuitLiteral {
        unit: 8,
        names: ["x", "copy", "constant", "y", "no.such"].map(str::to_owned).to_vec(),
        attrs: vec!["{of=\"u8\", shape=[2], value=@\"AQI=\"}".into(), "{of=\"u8\"".into()],
        types: ["u8{shape=[2]}", "raw[2]", "raw", "u8{shape=[0]}", "limb{form=\"ntt\", n=8, q=17}"]
            .map(str::to_owned)
            .to_vec(),
        constants: vec![Arc::from([7u8, 9].as_slice())],
        tape: tape.to_vec(),
    };
    // x, a constant of attributes, one by value, all three copied, seen as u8, its middle, output.
    let all =
        literal(&[0, 0, 0, 1, 2, 1, 0, 4, 0, 0, 1, 1, 0, 3, 0, 1, 2, 2, 3, 1, 0, 0, 3, 0, 1, 4, 5, 3, 5]);
    let circuit = all.build(&registry()).unwrap();
    let out = run(&circuit, &Scalar::new(), &[("x", &[40, 41])]).unwrap();
    assert_eq!(out, [[41, 1]]);
    let failing: [(&[u32], usize, &str); 10] = [
        (&[0, 0, 0, 1, 4, 0, 1, 0], 1, "operator.unknown"),
        (&[0, 0, 0, 1, 1, 2, 1, 0], 1, "graph.syntax"),
        (&[0, 0, 2], 0, "operator.invalid"),
        (&[0, 0, 3], 0, "graph.attribute"),
        (&[0, 0, 4], 0, "operator.invalid"),
        (&[0, 0, 0, 2, 0, 1, 0, 0], 1, "graph.split"),
        (&[0, 0, 0, 3, 0, 2, 0, 0], 1, "graph.size"),
        (&[0, 0, 0, 1, 1, 0, 1, 1], 1, "task.invalid"),
        (&[0, 0, 0, 1, 1, 0, 4_000_000_000, 1], 1, "task.invalid"),
        (&[9], 0, "task.invalid"),
    ];
    for (tape, call, code) in failing {
        let error = literal(tape).build(&registry()).map(|_| ()).unwrap_err();
        let Error::AtCall { call: found, .. } = error else { panic!("{error:?}") };
        assert_eq!((found, error.code()), (call, code), "{tape:?}: {error}");
        assert!(error.details().iter().any(|(name, value)| *name == "call" && *value == call.to_string()));
    }
}

#[test]
fn data_are_checked_by_name_length_and_residue() {
    let registry = registry();
    let circuit = polynomials(&registry).expand(To::Platform(&Scalar::new())).unwrap();
    let good = words(&[16; 16]);
    let bad = words(&[17; 16]);
    let error = |data: &[(&str, &[u8])]| run(&circuit, &Scalar::new(), data).unwrap_err();
    assert_eq!(error(&[("a", &good)]), Error::MissingInput { name: "b".into() });
    let unknown = Error::UnknownInput { name: "c".into() };
    assert_eq!(error(&[("a", &good), ("b", &good), ("c", &good)]), unknown);
    let short = Error::InputLength { input: "b".into(), found: 127, expected: 128 };
    assert_eq!(error(&[("a", &good), ("b", &good[1..])]), short);
    assert_eq!(error(&[("a", &bad), ("b", &good)]).code(), "task.invalid");
}

#[test]
fn words_seen_as_residues_are_such() {
    let registry = registry();
    let limb =
        |q: u64| ValueType::new("limb", 8, Attrs::new().with("n", 8u64).with("q", q).with("form", "ntt"));
    let small = || ValueType::new("small", 8, Attrs::new().with("n", 8u64));
    let words = || Tensor::new(Element::U64, [8]).ty(64).unwrap();
    // From, as what it is copied or not, to; and whether that is a circuit.
    let cases = [
        (limb(17), limb(17), true),
        (limb(17), limb(97), true),
        (limb(97), limb(17), false),
        (words(), limb(97), false),
        (limb(97), words(), true),
        (words(), small(), true),
        (small(), limb(97), false),
    ];
    for (from, to, fits) in cases {
        for copied in [false, true] {
            let mut g = CircuitBuilder::new(64, &registry).unwrap();
            let mut x = g.input("x", from.clone()).unwrap();
            if copied {
                // Half by half, the other way round.
                let half = |g: &mut CircuitBuilder<'_>, at| {
                    g.view(x, at, ValueType::new("raw", 4, Attrs::new())).unwrap()
                };
                let halves = [half(&mut g, 4), half(&mut g, 0)];
                x = g.op("copy", Attrs::new(), &halves).unwrap();
            }
            let y = g.view(x, 0, to.clone()).unwrap();
            let y = if to.head == "limb" { g.op("limb.neg", Attrs::new(), &[y]).unwrap() } else { y };
            g.output("y", y);
            let built = g.finish().map(|_| ());
            assert_eq!(built.is_ok(), fits, "{from} as {to}, copied {copied}: {built:?}");
        }
    }
}

#[test]
fn what_makes_no_circuit_is_refused() {
    let registry = registry();
    assert_eq!(CircuitBuilder::new(24, &registry).err().unwrap().code(), "graph.attribute");
    // Types of words need words.
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let x = g.input("x", Tensor::new(Element::U64, [8]).ty(64).unwrap()).unwrap();
    let limb =
        sized("limb", None, Attrs::new().with("n", 8u64).with("q", 17u64).with("form", "ntt"), 64).unwrap();
    let raw = g.op("copy", Attrs::new(), &[x]).unwrap();
    assert_eq!(sized("limb", None, limb.attrs.clone(), 32).unwrap_err().code(), "operator.invalid");
    assert!(matches!(sized("limb", Some(9), limb.attrs, 64), Err(Error::Operator { .. })));
    // Two ports of one name.
    g.output("y", x);
    g.output("y", raw);
    let error = g.finish().err().unwrap();
    assert!(matches!(error, Error::Graph(GraphError::Attribute { .. })), "{error}");
    // 3 bits are no unit of 8, and 3 times 8 are no unit of 64.
    assert!(Tensor::new(Element::Bit, [3]).ty(8).is_err() && Tensor::new(Element::U8, [3]).ty(64).is_err());
    assert_eq!(Tensor::new(Element::Bit, [3]).ty(1).unwrap().size, 3);
    let error = polynomials(&registry).optimize(&["dedup", "fold"]).err().unwrap();
    assert_eq!(error.code(), "pass.unknown");
}

#[test]
fn a_text_tells_the_line_of_an_operator_that_is_wrong() {
    let head = "cipherloom-graph 1\nunit 32\ntype !0 = f32[2]{shape=[2]}\n\ninput %0 : !0 [0,2) \"x\"\n";
    let cases = [
        ("op %1 = f32.neg(%0) : !0 [2,4)\nop %2 = f32.nothing(%1) : !0 [4,6)\n", 7, "operator.unknown"),
        ("op %1 = f32.add(%0) : !0 [2,4)\nop %2 = f32.neg(%1) : !0 [4,6)\n", 6, "operator.invalid"),
        (
            "op %1 = f32.neg(%0) : !0 [2,4)\n  op %2 = f32.neg(%1) : !0 [3,5)\n",
            7,
            "graph.overlapping_outputs",
        ),
        ("op %1 = f32.neg(!0 [8,10)) : !0 [2,4)\n", 6, "graph.undefined"),
    ];
    for (lines, line, code) in cases {
        let error = Circuit::from_text(&format!("{head}{lines}"), registry()).err().unwrap();
        assert_eq!(error.code(), code, "{error}");
        let Error::AtLine { line: found, .. } = &error else { panic!("{error}") };
        assert_eq!(*found, line, "{error}");
        assert!(error.details().iter().any(|(name, value)| *name == "line" && *value == line.to_string()));
    }
}
