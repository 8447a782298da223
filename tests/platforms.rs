//! Operators placed by name, several platforms in one run, and operators that somebody else computes.

use cipherloom::circuit::{Circuit, CircuitBuilder, Execution, Recorded, RunOptions, To};
use cipherloom::engine::{Outgoing, Run};
use cipherloom::graph::{Attrs, OperandId};
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{Form, Limb};
use cipherloom::ops::{Level, OpDef, Registry};
use cipherloom::platform::{Foreign, Mixed, Platform, Scalar, Simd};
use cipherloom::{Error, Result};
use std::sync::Arc;

fn tensor(element: Element, len: u64) -> Tensor {
    Tensor { element, shape: vec![len] }
}

/// A builder over f32 in a graph of unit 32, with an input `x` of four elements.
fn builder(registry: &Arc<Registry>) -> (CircuitBuilder<'_>, OperandId) {
    let mut g = CircuitBuilder::new(32, registry).unwrap();
    let x = g.input("x", tensor(Element::F32, 4).ty(32).unwrap()).unwrap();
    (g, x)
}

fn core() -> Arc<Registry> {
    Arc::new(Registry::core())
}

/// The name and platform of each operator.
fn places(circuit: &Circuit) -> Vec<String> {
    let graph = circuit.graph();
    graph.operators().iter().map(|op| graph.signature(op).written_name().into_owned()).collect()
}

fn both() -> Mixed {
    Mixed::new([Arc::new(Simd::new()) as Arc<dyn Platform>, Arc::new(Scalar::new())], [])
}

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn a_place_is_part_of_the_name_in_every_form() {
    let registry = core();
    let (mut g, x) = builder(&registry);
    let here = g.op("f32.exp@scalar", Attrs::new(), &[x]).unwrap();
    let there = g.op("f32.exp", Attrs::new(), &[x]).unwrap();
    let sum = g.op("f32.add@simd", Attrs::new(), &[here, there]).unwrap();
    g.output("sum", sum);
    let circuit = g.finish().unwrap();
    let expected = ["f32.exp@scalar", "f32.exp", "f32.add@simd"];
    assert_eq!(places(&circuit), expected);
    let text = circuit.to_text();
    assert!(text.contains("op %1 = f32.exp@scalar(%0)"), "{text}");
    assert_eq!(Circuit::from_text(&text, Arc::clone(&registry)).unwrap().to_text(), text);
    let bytes = circuit.to_bytes();
    assert_eq!(places(&Circuit::from_bytes(&bytes, Arc::clone(&registry)).unwrap()), expected);
    // What is computed elsewhere is another operator: `dedup` keeps both.
    assert_eq!(places(&circuit.optimize(&["dedup"]).unwrap()), expected);

    for (from, found) in [("exp@scalar", "exp@"), ("exp@scalar", "exp@ @"), ("exp@scalar", "exp@a@b")] {
        let error = Circuit::from_text(&text.replace(from, found), Arc::clone(&registry)).err().unwrap();
        assert_eq!(error.code(), "graph.syntax", "{found}: {error}");
    }
    let (mut g, x) = builder(&registry);
    for name in ["f32.exp@", "@scalar", "f32.nothing@scalar"] {
        let error = g.op(name, Attrs::new(), &[x]).unwrap_err();
        assert!(matches!(error, Error::UnknownOperator { .. }), "{name}: {error}");
    }
}

#[test]
fn what_an_operator_expands_to_is_where_it_is() {
    let registry = Arc::new(cipherloom::schemes::registry());
    let primes = [97, 193];
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let ty = cipherloom::ops::types::Poly { n: 16, q: primes.to_vec(), form: Form::Ntt }.ty();
    let x = g.input("x", ty).unwrap();
    let y = g.op("poly.add@scalar", Attrs::new(), &[x, x]).unwrap();
    let z = g.op("poly.add", Attrs::new(), &[y, x]).unwrap();
    g.output("z", z);
    let base = g.finish().unwrap().expand(To::Platform(&Simd::new())).unwrap();
    assert_eq!(places(&base), ["limb.add@scalar", "limb.add@scalar", "limb.add", "limb.add"]);
}

#[test]
fn the_cheapest_platform_is_chosen_unless_pinned() {
    let registry = core();
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    // One prime that vectors serve, and one that only scalar kernels do.
    let (small, large) = (0x3001, 1152921504606830593);
    for (name, q) in [("small", small), ("large", large)] {
        let x = g.input(name, Limb { n: 1024, q, form: Form::Ntt }.ty()).unwrap();
        let y = g.op("limb.mul", Attrs::new(), &[x, x]).unwrap();
        let y = g.op("limb.intt", Attrs::new(), &[y]).unwrap();
        g.output(name, y);
    }
    let circuit = g.finish().unwrap();
    let placed = |platform: &Mixed, pins: &[(&str, &str)]| places(&circuit.place(platform, pins).unwrap());
    let turned = Mixed::new([Arc::new(Scalar::new()) as Arc<dyn Platform>, Arc::new(Simd::new())], []);
    let at = ["limb.mul@simd", "limb.intt@simd", "limb.mul@simd", "limb.intt@simd"];
    assert_eq!(placed(&both(), &[]), at);
    // Of two that take as long the first one: vectors serve no such large prime.
    assert_eq!(placed(&turned, &[])[..2], at[..2]);
    assert_eq!(placed(&turned, &[])[2..], ["limb.mul@scalar", "limb.intt@scalar"]);
    let pinned = circuit.place(&both(), &[("limb.mul", "scalar")]).unwrap();
    assert_eq!(places(&pinned), ["limb.mul@scalar", at[1], "limb.mul@scalar", at[3]]);
    // What is placed stays.
    assert_eq!(places(&pinned.place(&both(), &[("limb.mul", "simd")]).unwrap()), places(&pinned));
    assert_eq!(places(&circuit.place(&Scalar::new(), &[]).unwrap())[0], "limb.mul@scalar");

    let wrong = |pins: &[(&str, &str)]| circuit.place(&both(), pins).err().unwrap();
    assert_eq!(
        wrong(&[("limb.mul", "gpu")]),
        Error::NoPlatform { found: "gpu".into(), expected: "simd, scalar".into() }
    );
    assert!(matches!(wrong(&[("limb.nothing", "simd")]), Error::UnknownOperator { .. }));
}

/// Runs a circuit over `x`; what is computed elsewhere by `answer`.
fn run(
    circuit: &Circuit,
    platform: &dyn Platform,
    x: &[u8],
    answer: impl Fn(&Outgoing) -> Vec<u8>,
) -> Result<Vec<u8>> {
    let execution = circuit.plan(platform, &[], RunOptions::default())?;
    let mut run = execution.start(&[("x", x)], || 0.0)?;
    serve(&mut run, answer);
    execution.output(&run, 0)
}

/// Goes on with a run until it is done.
fn serve(run: &mut Run, answer: impl Fn(&Outgoing) -> Vec<u8>) {
    let mut away: Vec<Outgoing> = Vec::new();
    while !run.step(f64::INFINITY) {
        away.extend(run.hand_out().unwrap());
        // The last one first: answers come in any order.
        let outgoing = away.pop().expect("a run that is not done waits for something");
        run.deliver(outgoing.op, &answer(&outgoing)).unwrap();
    }
}

#[test]
fn platforms_share_one_run_and_give_the_same_bytes() {
    let registry = Arc::new(cipherloom::registry());
    let mut g = CircuitBuilder::new(8, &registry).unwrap();
    let two = Tensor { element: Element::U8, shape: vec![2, 16] };
    let x = g.input("x", two.ty(8).unwrap()).unwrap();
    let bytes = |at: u8| -> Arc<[u8]> { (at..at + 16).collect::<Vec<u8>>().into() };
    let key = g.constant(&tensor(Element::U8, 16), bytes(0)).unwrap();
    let keys = g.op("aes.key_schedule", Attrs::new(), &[key]).unwrap();
    let y = g.op("aes.encrypt_blocks", Attrs::new(), &[x, keys]).unwrap();
    g.output("y", y);
    let mixed = both();
    let base = g.finish().unwrap().expand(To::Platform(&mixed)).unwrap();
    let data: Vec<u8> = (100..132).collect();
    let nothing = |_: &Outgoing| Vec::new();
    let expected = run(&base, &Scalar::new(), &data, nothing).unwrap();
    let mut kinds: Vec<String> = places(&base);
    kinds.sort();
    kinds.dedup();
    assert!(kinds.len() > 4, "{kinds:?}");
    for kind in &kinds {
        let placed = base.place(&mixed, &[(kind, "scalar")]).unwrap();
        assert!(places(&placed).contains(&format!("{kind}@scalar")));
        assert_eq!(run(&placed, &mixed, &data, nothing).unwrap(), expected, "{kind}");
        let error = run(&placed, &Simd::new(), &data, nothing).unwrap_err();
        assert_eq!(error.code(), "platform.unknown", "{error}");
    }
}

/// `my.reverse`: the elements in reverse, known here by its type alone; and a platform that says it computes it.
fn reverse(element: &str, bits: u32, len: u64) -> (Arc<Registry>, Mixed) {
    let own = Recorded::new("my.reverse", Level::Base);
    let text = format!("{element}{{shape=[{len}]}}");
    own.record_output(bits, "{}", std::slice::from_ref(&text), &text).unwrap();
    let mut registry = Registry::core();
    registry.add(Arc::new(own) as Arc<dyn OpDef>);
    let foreign = Foreign::new("elsewhere", |op| op == "my.reverse");
    let platform = Mixed::new([Arc::new(Simd::new()) as Arc<dyn Platform>, Arc::new(foreign)], []);
    (Arc::new(registry), platform)
}

fn reversed(outgoing: &Outgoing) -> Vec<u8> {
    assert_eq!((&*outgoing.call.platform, &*outgoing.call.name), ("elsewhere", "my.reverse"));
    assert_eq!(outgoing.call.inputs, std::slice::from_ref(&outgoing.call.output));
    let [input] = outgoing.inputs.as_slice() else { panic!("{} inputs", outgoing.inputs.len()) };
    input.as_chunks::<4>().0.iter().rev().flatten().copied().collect()
}

fn f32_reverse() -> (Arc<Registry>, Mixed) {
    reverse("f32", 32, 4)
}

#[test]
fn what_is_computed_elsewhere_is_handed_out_and_waited_for() {
    let (registry, platform) = f32_reverse();
    let (mut g, x) = builder(&registry);
    let a = g.op("my.reverse", Attrs::new(), &[x]).unwrap();
    let b = g.op("f32.add", Attrs::new(), &[a, x]).unwrap();
    let c = g.op("f32.mul", Attrs::new(), &[x, x]).unwrap();
    let d = g.op("my.reverse", Attrs::new(), &[c]).unwrap();
    // What no input leads to is handed out in every run all the same.
    let one = g.constant(&tensor(Element::F32, 4), f32s(&[1.0, 2.0, 3.0, 4.0]).into()).unwrap();
    let e = g.op("my.reverse", Attrs::new(), &[one]).unwrap();
    let all = [b, d, e].into_iter().reduce(|a, b| g.op("f32.add", Attrs::new(), &[a, b]).unwrap()).unwrap();
    g.output("y", all);
    let circuit = g.finish().unwrap();
    let placed = circuit.place(&platform, &[]).unwrap();
    let elsewhere = places(&placed).iter().filter(|place| *place == "my.reverse@elsewhere").count();
    assert_eq!((elsewhere, placed.graph().operators().len()), (3, 8));
    let expected = f32s(&[5.0 + 16.0 + 4.0, 5.0 + 9.0 + 3.0, 5.0 + 4.0 + 2.0, 5.0 + 1.0 + 1.0]);
    for circuit in [&circuit, &placed, &circuit.optimize_by_default().unwrap()] {
        let data = f32s(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(run(circuit, &platform, &data, reversed).unwrap(), expected);
        // The plan is used again, on several threads.
        let options = RunOptions { alone: 0.0, ..RunOptions::default() };
        let execution = circuit.plan(&platform, &[], options).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for _ in 0..5 {
            let mut run = execution.start(&[("x", &data)], || 0.0).unwrap();
            run.set_trace(true);
            pool.install(|| serve(&mut run, reversed));
            assert_eq!(execution.output(&run, 0).unwrap(), expected);
            let spans = run.trace().spans;
            assert_eq!(spans.iter().filter(|span| span.thread == 3).count(), 3);
        }
    }
}

fn started(execution: &Execution) -> Run {
    execution.start(&[("x", &f32s(&[1.0, 2.0, 3.0, 4.0]))], || 0.0).unwrap()
}

#[test]
fn wrong_deliveries_are_refused_and_the_run_goes_on() {
    let (registry, platform) = f32_reverse();
    let (mut g, x) = builder(&registry);
    let y = g.op("my.reverse", Attrs::new(), &[x]).unwrap();
    g.output("y", y);
    let circuit = g.finish().unwrap();
    let execution = circuit.plan(&platform, &[], RunOptions::default()).unwrap();
    let mut run = started(&execution);
    assert!(!run.waits());
    assert!(matches!(run.deliver(0, &[0; 16]), Err(Error::Job(_))), "nothing was handed out yet");
    // It comes back instead of waiting for ever.
    run.finish();
    assert!(run.waits());
    assert!(matches!(execution.output(&run, 0), Err(Error::Job(_))));
    let outgoing = run.hand_out().unwrap();
    assert_eq!(outgoing.len(), 1);
    assert!(run.hand_out().unwrap().is_empty(), "each once");
    let wrong = run.deliver(outgoing[0].op, &[0; 15]).unwrap_err();
    assert_eq!(wrong, Error::InputLength { input: "output of my.reverse".into(), found: 15, expected: 16 });
    assert!(matches!(run.deliver(7, &[0; 16]), Err(Error::Job(_))));
    run.deliver(outgoing[0].op, &reversed(&outgoing[0])).unwrap();
    assert!(matches!(run.deliver(outgoing[0].op, &[0; 16]), Err(Error::Job(_))), "each once");
    run.finish();
    assert_eq!(execution.output(&run, 0).unwrap(), f32s(&[4.0, 3.0, 2.0, 1.0]));
    assert!(matches!(started(&execution).finish_straight(), Err(Error::Job(_))));

    // No platform of its own, no expansion: both say so, and who wanted it.
    let error = circuit.expand(To::Platform(&Simd::new())).err().unwrap();
    assert!(matches!(&error, Error::NoExpansion { op, .. } if op == "my.reverse"), "{error}");
    let error = circuit.plan(&Simd::new(), &[], RunOptions::default()).err().unwrap();
    assert!(matches!(&error, Error::NotImplemented { op, .. } if op == "my.reverse"), "{error}");
}

#[test]
fn bits_beyond_the_end_of_a_delivery_are_cleared() {
    let (registry, platform) = reverse("bit", 1, 5);
    let mut g = CircuitBuilder::new(1, &registry).unwrap();
    let x = g.input("x", tensor(Element::Bit, 5).ty(1).unwrap()).unwrap();
    let y = g.op("my.reverse", Attrs::new(), &[x]).unwrap();
    g.output("y", y);
    let answered = run(&g.finish().unwrap(), &platform, &[0b1_0110], |_| vec![0xff]).unwrap();
    assert_eq!(answered, [0b1_1111]);
}

#[test]
fn operators_elsewhere_are_recorded_for_tensors_only() {
    let own = Recorded::new("my.own", Level::Base);
    let limb = "limb{form=\"ntt\", n=8, q=17}".to_owned();
    let tensor = "u64{shape=[8]}".to_owned();
    for (input, output) in [(&limb, &tensor), (&tensor, &limb)] {
        let error = own.record_output(64, "{}", std::slice::from_ref(input), output).unwrap_err();
        assert!(matches!(&error, Error::Operator { op, .. } if op == "my.own"), "{error}");
    }
    own.record_output(64, "{}", &[], &tensor).unwrap();
}

#[test]
fn precompute_leaves_what_is_placed_elsewhere() {
    let registry = core();
    let (mut g, x) = builder(&registry);
    let one = g.constant(&tensor(Element::F32, 4), f32s(&[1.0; 4]).into()).unwrap();
    let here = g.op("f32.exp", Attrs::new(), &[one]).unwrap();
    let there = g.op("f32.exp@simd", Attrs::new(), &[one]).unwrap();
    let sum = g.op("f32.add", Attrs::new(), &[here, there]).unwrap();
    let y = g.op("f32.mul", Attrs::new(), &[sum, x]).unwrap();
    g.output("y", y);
    let circuit = g.finish().unwrap().optimize(&["precompute", "prune"]).unwrap();
    let expected = ["constant", "constant", "f32.exp@simd", "f32.add", "f32.mul"];
    assert_eq!(places(&circuit), expected);
}
