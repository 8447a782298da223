//! Operator types that a user records: used, nested, saved, and refused where they are wrong.

use cipherloom::circuit::{Circuit, CircuitBuilder, CircuitLiteral, Recorded, RunOptions, To};
use cipherloom::graph::{Attrs, OperandId, ValueType};
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::{Call, Level, OpDef, Registry, Session};
use cipherloom::platform::Scalar;
use cipherloom::{Error, Result};
use std::sync::Arc;

/// A registry with operator types of a user's own.
fn declared(names: &[&str]) -> (Arc<Registry>, Vec<Arc<Recorded>>) {
    let mut registry = cipherloom::registry();
    let own: Vec<Arc<Recorded>> =
        names.iter().map(|name| Arc::new(Recorded::new(name, Level::Task))).collect();
    registry.add_all(own.iter().map(|own| Arc::clone(own) as Arc<dyn OpDef>));
    (Arc::new(registry), own)
}

/// Calls over `u32` of that length, without attributes.
fn literal(names: &[&str], length: usize, tape: &[u32]) -> CircuitLiteral {
    CircuitLiteral {
        unit: 32,
        names: names.iter().map(|&name| name.to_owned()).collect(),
        types: vec![format!("u32{{shape=[{length}]}}")],
        tape: tape.to_vec(),
        ..CircuitLiteral::default()
    }
}

/// x * x + x
const POLYNOMIAL: (&[&str], &[u32]) =
    (&["x", "u32.mul", "u32.add", "y"], &[0, 0, 0, 1, 1, 0, 2, 0, 0, 1, 2, 0, 2, 1, 0, 5, 3, 2]);

fn of(length: usize) -> Vec<String> {
    vec![format!("u32[{length}]{{shape=[{length}]}}")]
}

fn run(circuit: &Circuit, x: &[u32]) -> Vec<u32> {
    let scalar = Scalar::new();
    let base = circuit.expand(To::Platform(&scalar)).unwrap();
    let execution = base.plan(&scalar, &[], RunOptions::default()).unwrap();
    let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut run = execution.start(&[("x", &bytes)], || 0.0).unwrap();
    run.finish();
    let bytes = execution.output(&run, 0).unwrap();
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn record(
    own: &Recorded,
    registry: &Arc<Registry>,
    length: usize,
    (names, tape): (&[&str], &[u32]),
) -> Result<()> {
    own.record(registry, "{}", &of(length), literal(names, length, tape))
}

/// The operator once, over `length` elements.
fn once(registry: &Arc<Registry>, op: &str, length: usize) -> Result<Circuit> {
    literal(&["x", op, "y"], length, &[0, 0, 0, 1, 1, 0, 1, 0, 5, 2, 1]).build(registry)
}

#[test]
fn an_operator_is_what_was_recorded() {
    let (registry, own) = declared(&["user.polynomial", "user.twice"]);
    let missing = once(&registry, "user.polynomial", 4).err().unwrap();
    assert_eq!(missing.code(), "operator.not_recorded");
    let details = missing.details();
    let fact = |name: &str| details.iter().find(|(n, _)| *n == name).unwrap().1.clone();
    assert_eq!(
        (fact("operator").as_str(), fact("attrs").as_str(), fact("unit").as_str()),
        ("user.polynomial", "{}", "32")
    );
    assert_eq!(fact("inputs"), of(4)[0]);
    // Twice: the polynomial of the polynomial, which has to be known first.
    let nested: (&[&str], &[u32]) =
        (&["x", "user.polynomial", "y"], &[0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 5, 2, 2]);
    let first = record(&own[1], &registry, 4, nested).unwrap_err();
    assert_eq!(first.code(), "operator.not_recorded");
    record(&own[0], &registry, 4, POLYNOMIAL).unwrap();
    record(&own[1], &registry, 4, nested).unwrap();
    let twice = once(&registry, "user.twice", 4).unwrap();
    let p = |x: u32| x.wrapping_mul(x).wrapping_add(x);
    let x = [0, 1, 7, u32::MAX - 5];
    assert_eq!(run(&twice, &x), x.map(|x| p(p(x))));
    // Level by level.
    let names = |circuit: &Circuit| {
        let graph = circuit.graph();
        graph.operators().iter().map(|op| graph.signature(op).name.clone()).collect::<Vec<_>>()
    };
    let one = twice.expand(To::Steps(1)).unwrap();
    assert_eq!(names(&one), ["user.polynomial", "user.polynomial"]);
    assert_eq!(names(&one.expand(To::Steps(1)).unwrap()), ["u32.mul", "u32.add", "u32.mul", "u32.add"]);
    // Another length is another use.
    assert_eq!(once(&registry, "user.twice", 5).err().unwrap().code(), "operator.not_recorded");
}

#[test]
fn bytes_carry_the_name_and_what_it_meant() {
    let (registry, own) = declared(&["user.polynomial"]);
    record(&own[0], &registry, 4, POLYNOMIAL).unwrap();
    let circuit = once(&registry, "user.polynomial", 4).unwrap();
    let bytes = circuit.to_bytes();
    assert_eq!(Circuit::from_bytes(&bytes, Arc::clone(&registry)).unwrap().to_text(), circuit.to_text());
    let unknown = Circuit::from_bytes(&bytes, Arc::new(cipherloom::registry())).err().unwrap();
    assert_eq!(unknown, Error::UnknownOperator { op: "user.polynomial".into(), at: String::new() });
    // The same name, not recorded yet, and with another meaning: x * x * x.
    let (other, own) = declared(&["user.polynomial"]);
    let error = |registry: &Arc<Registry>| Circuit::from_bytes(&bytes, Arc::clone(registry)).err().unwrap();
    assert_eq!(error(&other).code(), "operator.not_recorded");
    let cube: (&[&str], &[u32]) =
        (&["x", "u32.mul", "y"], &[0, 0, 0, 1, 1, 0, 2, 0, 0, 1, 1, 0, 2, 1, 0, 5, 2, 2]);
    record(&own[0], &other, 4, cube).unwrap();
    assert!(
        error(&other).to_string().contains("another meaning of operator `user.polynomial`"),
        "{}",
        error(&other)
    );
}

#[test]
fn wrong_recordings_are_refused() {
    let (registry, own) = declared(&["user.x"]);
    let refused = |names: &[&str], tape: &[u32]| record(&own[0], &registry, 4, (names, tape)).unwrap_err();
    // No output, two outputs, no input, an unknown operator, wrong operands, itself.
    assert_eq!(refused(&["x"], &[0, 0, 0]).code(), "operator.invalid");
    assert_eq!(refused(&["x", "y"], &[0, 0, 0, 5, 0, 0, 5, 1, 0]).code(), "operator.invalid");
    let constant: &[u32] = &[1, 1, 0, 2, 0, 0, 5, 0, 1];
    assert!(matches!(refused(&["x", "u32.add"], constant), Error::AtCall { call: 0, .. }));
    let unknown = refused(&["x", "user.none"], &[0, 0, 0, 1, 1, 0, 1, 0, 5, 0, 1]);
    assert!(
        matches!(&unknown, Error::AtCall { call: 1, error } if matches!(**error, Error::UnknownOperator { .. }))
    );
    assert_eq!(refused(&["x", "f32.neg"], &[0, 0, 0, 1, 1, 0, 1, 0, 5, 0, 1]).code(), "operator.invalid");
    assert_eq!(refused(&["x", "user.x"], &[0, 0, 0, 1, 1, 0, 1, 0, 5, 0, 1]).code(), "operator.not_recorded");
    // What was recorded once stays.
    record(&own[0], &registry, 4, POLYNOMIAL).unwrap();
    record(&own[0], &registry, 4, (&["x", "u32.add", "y"], &[0, 0, 0, 1, 1, 0, 2, 0, 0, 5, 2, 1])).unwrap();
    assert_eq!(run(&once(&registry, "user.x", 4).unwrap(), &[1, 2, 3, 4]), [2, 6, 12, 20]);
}

/// An operator whose expansion gives another type than it said.
struct Liar;

impl OpDef for Liar {
    fn name(&self) -> &str {
        "user.liar"
    }
    fn level(&self) -> Level {
        Level::Task
    }
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Tensor::new(Element::F32, [4]).ty(call.unit)
    }
    fn expand(&self, session: &mut Session<'_>, _: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        session.op("u32.not", Attrs::new(), inputs)
    }
}

#[test]
fn what_an_expansion_gives_is_what_the_operator_said() {
    let mut registry = cipherloom::registry();
    registry.add(Arc::new(Liar));
    let circuit = once(&Arc::new(registry), "user.liar", 4).unwrap();
    let error = circuit.expand(To::Platform(&Scalar::new())).err().unwrap();
    assert_eq!(error.code(), "operator.invalid");
    let text = error.to_string();
    for part in ["user.liar", "output of its expansion", "u32[4]", "f32[4]"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_builder_refuses_operands_that_it_has_not() {
    let registry = Arc::new(cipherloom::registry());
    let ty = Tensor::new(Element::U32, [4]).ty(32).unwrap();
    let mut large = CircuitBuilder::new(32, &registry).unwrap();
    let operands: Vec<OperandId> =
        (0..4).map(|index| large.input(&format!("x{index}"), ty.clone()).unwrap()).collect();
    let mut small = CircuitBuilder::new(32, &registry).unwrap();
    let own = small.input("x", ty.clone()).unwrap();
    let other = operands[3];
    let refused = [
        small.op("u32.add", Attrs::new(), &[own, other]),
        small.view(other, 0, ty.clone()),
        small.merge(&[own, other], Tensor::new(Element::U32, [8]).ty(32).unwrap()),
    ];
    for refused in refused {
        assert_eq!(
            refused.unwrap_err().to_string(),
            "task: operand: found number 3, expected one of the 1 of this builder"
        );
    }
    small.output("y", other);
    assert_eq!(small.finish().err().unwrap().code(), "task.invalid");
}
