//! Expansion (SPEC G4): what it refuses, what it copies, and base sets that can be chosen.

use cipherloom::analyze::{analyze, check};
use cipherloom::engine::{Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, GraphError, OperandId, Placeholder, ValueType, parse};
use cipherloom::ops::types::{self, Form, Limb};
use cipherloom::ops::{Call, Level, OpDef, Registry, Session};
use cipherloom::optimize::dedup;
use cipherloom::platform::{Kernel, Platform, Scalar, WordKernel};
use cipherloom::{Error, Result};
use std::collections::BTreeSet;
use std::sync::Arc;

const Q: u64 = 97;

fn limb(form: Form) -> ValueType {
    Limb { n: 8, q: Q, form }.ty()
}

fn raw(size: u64) -> ValueType {
    ValueType::new("raw", size, Attrs::new())
}

type Expand = fn(&mut Session<'_>, &Call<'_>, &[OperandId]) -> Result<OperandId>;

/// An operator of a user; its output has the type of its first input, or of a limb where it has none.
struct User {
    name: &'static str,
    expand: Option<Expand>,
}

impl OpDef for User {
    fn name(&self) -> &str {
        self.name
    }
    fn attributes(&self) -> Option<&[&str]> {
        None
    }
    fn level(&self) -> Level {
        Level::Polynomial
    }
    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(call.inputs.first().cloned().unwrap_or_else(|| limb(Form::Ntt)))
    }
    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        match self.expand {
            Some(expand) => expand(s, call, inputs),
            None => {
                Err(Error::NoExpansion { op: call.name.to_owned(), platform: String::new(), chain: vec![] })
            }
        }
    }
}

fn registry(types: &[(&'static str, Expand)]) -> Registry {
    let mut registry = Registry::lattice();
    registry.add(Arc::new(User { name: "user.opaque", expand: None }));
    for &(name, expand) in types {
        registry.add(Arc::new(User { name, expand: Some(expand) }));
    }
    registry
}

/// One operator over two limbs x and y, with its output declared.
fn task(registry: &Registry, op: &str) -> Graph {
    let mut s = Session::new(Graph::new(64), registry);
    let inputs = ["x", "y"].map(|name| s.graph_mut().add_input(name, limb(Form::Ntt)).unwrap());
    let output = s.op(op, Attrs::new(), &inputs).unwrap();
    s.graph_mut().declare_output("out", output);
    s.finish()
}

fn expand(registry: &Registry, graph: &Graph, platform: &dyn Platform) -> Result<Graph> {
    let contains = |op: &str| platform.implements(op);
    Expander::new(registry).expand(graph, &BaseSet { platform: platform.name(), contains: &contains })
}

fn run(graph: &Graph, platform: &dyn Platform, data: &[Vec<u64>]) -> Vec<u64> {
    run_with(&Registry::lattice(), graph, platform, data)
}

fn run_with(registry: &Registry, graph: &Graph, platform: &dyn Platform, data: &[Vec<u64>]) -> Vec<u64> {
    let plan = Plan::new(graph, registry, platform, PlanOptions::default()).unwrap();
    let inputs = data.iter().map(|words| words.as_slice().into()).collect();
    let mut run = Run::new(Arc::new(plan), inputs, || 0.0).unwrap();
    run.finish();
    run.output(0).unwrap()
}

fn x_and_y() -> Vec<Vec<u64>> {
    vec![(1..9).collect(), (11..19).collect()]
}

fn names(graph: &Graph) -> Vec<&str> {
    graph.operators().iter().map(|op| graph.signature(op).name.as_str()).collect()
}

/// Expands the one operator type with this expand function, to the scalar platform.
fn expanded(expand_function: Expand) -> Result<Graph> {
    let registry = registry(&[("user.op", expand_function)]);
    expand(&registry, &task(&registry, "user.op"), &Scalar::new())
}

#[test]
fn no_expand_function() {
    let expected = |chain: &[&str]| Error::NoExpansion {
        op: "user.opaque".into(),
        platform: "scalar".into(),
        chain: chain.iter().map(|&name| name.to_owned()).collect(),
    };
    let registry = registry(&[("user.op", |s, _, i| s.op("user.opaque", Attrs::new(), i))]);
    for (op, chain) in [("user.opaque", &[][..]), ("user.op", &["user.op", "user.opaque"])] {
        let error = expand(&registry, &task(&registry, op), &Scalar::new()).unwrap_err();
        assert_eq!(error, expected(chain), "{op}");
    }
}

#[test]
fn unknown_types() {
    let unknown = |e: Error| matches!(e, Error::UnknownOperator { op, .. } if op == "user.nobody");
    assert!(unknown(expanded(|s, _, i| s.op("user.nobody", Attrs::new(), i)).unwrap_err()));
    let text = "cipherloom-graph 1\nunit 64\ntype !0 = raw[4]\nop %0 = user.nobody() : !0 [0,4)\n";
    assert!(unknown(expand(&Registry::lattice(), &parse(text).unwrap(), &Scalar::new()).unwrap_err()));
}

#[test]
fn endless_expansions() {
    let endless = |result: Result<Graph>, names: [&str; 2]| match result.unwrap_err() {
        Error::EndlessExpansion { op, levels } => {
            assert!(names.contains(&op.as_str()) && levels == 64, "{op}, {levels}")
        }
        other => panic!("{other}"),
    };
    endless(expanded(|s, call, i| s.op(call.name, Attrs::new(), i)), ["user.op"; 2]);
    // With other attributes on every level.
    let next: Expand = |s, call, i| {
        let level = call.attrs.uint("level").unwrap_or(0);
        s.op(call.name, Attrs::new().with("level", level + 1), i)
    };
    endless(expanded(next), ["user.op"; 2]);
    let ring = registry(&[
        ("user.ping", |s, _, i| s.op("user.pong", Attrs::new(), i)),
        ("user.pong", |s, _, i| s.op("user.ping", Attrs::new(), i)),
    ]);
    endless(expand(&ring, &task(&ring, "user.ping"), &Scalar::new()), ["user.ping", "user.pong"]);
}

#[test]
fn only_own_inputs_are_read() {
    let undefined = |e: Error| match e {
        Error::Graph(GraphError::Undefined { name, .. }) => assert_eq!(name, "user.op"),
        other => panic!("{other}"),
    };
    // Units far away.
    undefined(
        expanded(|s, _, i| {
            let far = s.graph_mut().view(limb(Form::Ntt), vec![Placeholder::new(1000, 1008)]);
            s.op("limb.add", Attrs::new(), &[i[0], far])
        })
        .unwrap_err(),
    );
    // An input of its own.
    undefined(
        expanded(|s, _, i| {
            let mine = s.graph_mut().add_input("mine", limb(Form::Ntt))?;
            s.op("limb.add", Attrs::new(), &[i[0], mine])
        })
        .unwrap_err(),
    );
    // An output that nobody writes, or only in part.
    undefined(
        expanded(|s, _, i| {
            s.op("limb.neg", Attrs::new(), i.get(..1).unwrap_or(i))?;
            let place = s.graph_mut().reserve(8)?;
            Ok(s.graph_mut().view(limb(Form::Ntt), vec![place]))
        })
        .unwrap_err(),
    );
    undefined(
        expanded(|s, _, i| {
            let neg = s.op("limb.neg", Attrs::new(), &i[..1])?;
            let half = s.split(neg, 0, raw(4))?;
            let place = s.graph_mut().reserve(4)?;
            let rest = s.graph_mut().view(raw(4), vec![place]);
            s.merge(&[half, rest], limb(Form::Ntt))
        })
        .unwrap_err(),
    );
}

#[test]
fn only_own_units_are_written() {
    let onto: Expand = |s, _, i| {
        let neg = s.graph_mut().intern_signature("limb.neg", Attrs::new());
        s.graph_mut().push_operator(neg, &[i[0]], i[1], 0, u32::MAX);
        s.op("limb.add", Attrs::new(), i)
    };
    assert!(matches!(expanded(onto).unwrap_err(), Error::Graph(GraphError::WritesInput { .. })));
    let twice: Expand = |s, _, i| {
        let out = s.op("limb.add", Attrs::new(), i)?;
        let neg = s.graph_mut().intern_signature("limb.neg", Attrs::new());
        s.graph_mut().push_operator(neg, &[i[0]], out, 0, u32::MAX);
        Ok(out)
    };
    assert!(matches!(expanded(twice).unwrap_err(), Error::Graph(GraphError::OverlappingOutputs { .. })));
    // The output of the replaced operator, which the set itself will write.
    let ring: Expand = |s, _, i| {
        let replaced = s.graph().operators()[0].output;
        s.op("limb.add", Attrs::new(), &[i[0], replaced])
    };
    assert!(matches!(expanded(ring).unwrap_err(), Error::Graph(GraphError::Cycle { .. })));
}

#[test]
fn the_output_keeps_its_size() {
    let wrong: Expand = |s, _, i| {
        let sum = s.op("limb.add", Attrs::new(), i)?;
        s.split(sum, 0, raw(7))
    };
    let text = expanded(wrong).unwrap_err().to_string();
    assert_eq!(
        text,
        r#"user.op: output of its expansion: found raw[7], expected limb[8]{form="ntt", n=8, q=97}"#
    );
    // What an operator of the expansion says of its inputs comes through.
    let bad =
        expanded(|s, _, i| s.op("limb.mul_scalar", Attrs::new().with("c", 97u64), &i[..1])).unwrap_err();
    assert_eq!(bad.code(), "operator.invalid");
}

#[test]
fn what_cannot_be_renamed_is_copied() {
    let cases: [(Expand, usize, [u64; 8]); 6] = [
        // Its own input, as it is.
        (|_, _, i| Ok(i[1]), 1, [11, 12, 13, 14, 15, 16, 17, 18]),
        // Parts of both inputs.
        (
            |s, _, i| {
                let parts = [s.split(i[1], 0, raw(4))?, s.split(i[0], 4, raw(4))?];
                s.merge(&parts, limb(Form::Ntt))
            },
            2,
            [11, 12, 13, 14, 5, 6, 7, 8],
        ),
        // One half twice: the first is renamed, the second copied.
        (
            |s, _, i| {
                let sum = s.op("limb.add", Attrs::new(), i)?;
                let half = s.split(sum, 0, raw(4))?;
                s.merge(&[half, half], limb(Form::Ntt))
            },
            2,
            [12, 14, 16, 18, 12, 14, 16, 18],
        ),
        // Halves that share two units.
        (
            |s, _, i| {
                let sum = s.op("limb.add", Attrs::new(), i)?;
                let parts = [s.split(sum, 2, raw(4))?, s.split(sum, 0, raw(4))?];
                s.merge(&parts, limb(Form::Ntt))
            },
            2,
            [16, 18, 20, 22, 12, 14, 16, 18],
        ),
        // Fresh and its own input mixed; one operator reads what is renamed.
        (
            |s, _, i| {
                let sum = s.op("limb.add", Attrs::new(), i)?;
                let neg = s.op("limb.neg", Attrs::new(), &[sum])?;
                let parts = [s.split(neg, 6, raw(2))?, s.split(i[0], 0, raw(4))?, s.split(sum, 0, raw(2))?];
                s.merge(&parts, limb(Form::Ntt))
            },
            3,
            [97 - 24, 97 - 26, 1, 2, 3, 4, 12, 14],
        ),
        // Nothing to copy: the halves changed places.
        (
            |s, _, i| {
                let sum = s.op("limb.add", Attrs::new(), i)?;
                let parts = [s.split(sum, 4, raw(4))?, s.split(sum, 0, raw(4))?];
                s.merge(&parts, limb(Form::Ntt))
            },
            1,
            [20, 22, 24, 26, 12, 14, 16, 18],
        ),
    ];
    for (number, (function, operators, expected)) in cases.into_iter().enumerate() {
        let graph = expanded(function).unwrap();
        check(&graph).unwrap();
        assert_eq!(names(&graph).len(), operators, "case {number}: {:?}", names(&graph));
        assert_eq!(run(&graph, &Scalar::new(), &x_and_y()), expected, "case {number}");
    }
}

#[test]
fn expansions_without_inputs() {
    let registry = registry(&[("user.constant", |s, _, _| {
        let attrs = Attrs::new().with("n", 8u64).with("t", Q).with("values", vec![5, 6, 7]);
        s.op("slots.constant", attrs, &[])
    })]);
    let mut s = Session::new(Graph::new(64), &registry);
    let output = s.op("user.constant", Attrs::new(), &[]).unwrap();
    s.graph_mut().declare_output("out", output);
    let graph = expand(&registry, &s.finish(), &Scalar::new()).unwrap();
    assert_eq!(run(&graph, &Scalar::new(), &[]), [5, 6, 7, 0, 0, 0, 0, 0]);
}

#[test]
fn a_missing_base_operator_is_named() {
    let registry = registry(&[("user.op", |s, _, i| s.op("limb.add", Attrs::new(), i))]);
    let graph = task(&registry, "user.op");
    let poor = Scalar::new().without("limb.add");
    let error = expand(&registry, &graph, &poor).unwrap_err();
    let chain = ["user.op", "limb.add"].map(str::to_owned).to_vec();
    assert_eq!(error, Error::NoExpansion { op: "limb.add".into(), platform: "scalar".into(), chain });
    // The same when it was expanded for a platform that has the operator.
    let graph = expand(&registry, &graph, &Scalar::new()).unwrap();
    let error =
        Plan::new(&graph, &Registry::lattice(), &poor, PlanOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::NotImplemented { op: "limb.add".into(), platform: "scalar".into() });
}

/// H1 = transform(x) a, H2 = transform(x) b.
fn two_products(first: Expand) -> Graph {
    let registry = registry(&[("user.first", first)]);
    let mut registry = registry;
    registry.add(Arc::new(User {
        name: "user.product",
        expand: Some(|s, _, i| {
            let values = s.op("user.first", Attrs::new(), &[i[1]])?;
            s.op("limb.mul", Attrs::new(), &[values, i[0]])
        }),
    }));
    let mut s = Session::new(Graph::new(64), &registry);
    let x = s.graph_mut().add_input("x", limb(Form::Coeff)).unwrap();
    let x = s.retype(x, limb(Form::Ntt)).unwrap();
    for name in ["a", "b"] {
        let factor = s.graph_mut().add_input(name, limb(Form::Ntt)).unwrap();
        let product = s.op("user.product", Attrs::new(), &[factor, x]).unwrap();
        s.graph_mut().declare_output(name, product);
    }
    expand(&registry, &s.finish(), &Scalar::new()).unwrap()
}

#[test]
fn k_g12_expanded_sets_are_merged() {
    let graph = two_products(|s, _, i| {
        let x = s.retype(i[0], limb(Form::Coeff))?;
        s.op("limb.ntt", Attrs::new(), &[x])
    });
    assert_eq!(names(&graph), ["limb.ntt", "limb.mul", "limb.ntt", "limb.mul"]);
    let merged = dedup(&graph, &Registry::lattice()).unwrap();
    assert_eq!(names(&merged), ["limb.ntt", "limb.mul", "limb.mul"]);
    let deps = analyze(&merged).unwrap();
    assert_eq!([deps.dep(0), deps.dep(1), deps.dep(2)], [[].as_slice(), &[0], &[0]]);
    assert_eq!(deps.notify(0), [1, 2]);
    let [n1, _, m2] = merged.operators() else { panic!() };
    assert_eq!(merged.pieces(merged.inputs_of(m2)[0]), merged.pieces(n1.output));
}

#[test]
fn k_g12_samples_stay_apart() {
    let graph = two_products(|s, _, _| {
        let attrs = Attrs::new().with("n", 8u64).with("t", Q).with("values", vec![1, 2, 3, 4]);
        let seed = s.op("slots.constant", attrs, &[])?;
        let seed = s.split(seed, 0, types::public_seed())?;
        s.op("sample.uniform", Attrs::new().with("n", 8u64).with("q", Q), &[seed])
    });
    let merged = dedup(&graph, &Registry::lattice()).unwrap();
    // The seeds are one, the samples are two.
    assert_eq!(
        names(&merged),
        ["slots.constant", "sample.uniform", "limb.mul", "sample.uniform", "limb.mul"]
    );
    let nonces: BTreeSet<u32> = merged.operators().iter().map(|op| op.nonce).filter(|&n| n != 0).collect();
    assert_eq!(nonces.len(), 2);
    let data: Vec<Vec<u64>> = vec![vec![0; 8], vec![1; 8], vec![1; 8]];
    let plan =
        Arc::new(Plan::new(&merged, &Registry::lattice(), &Scalar::new(), PlanOptions::default()).unwrap());
    let mut run = Run::new(plan, data.iter().map(|d| d.as_slice().into()).collect(), || 0.0).unwrap();
    run.finish();
    assert_ne!(run.output(0).unwrap(), run.output(1).unwrap());
}

/// A platform with a coarse operator of its own: a b + a at once.
struct Coarse(Scalar);

struct MulAdd;

impl WordKernel for MulAdd {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], _: &mut [u64], _: u32) {
        for ((out, &a), &b) in out.iter_mut().zip(inputs[0]).zip(inputs[1]) {
            *out = (a * b + a) % Q;
        }
    }
}

impl Platform for Coarse {
    fn name(&self) -> &str {
        "coarse"
    }
    fn implements(&self, op: &str) -> bool {
        op == "user.mul_add" || (op != "limb.mul" && self.0.implements(op))
    }
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        if call.name == "user.mul_add" { Ok(Kernel::on_words(MulAdd)) } else { self.0.kernel(call, output) }
    }
}

#[test]
fn the_base_set_can_be_chosen() {
    let registry = registry(&[
        ("user.mul_add", |s, _, i| {
            let product = s.op("limb.mul", Attrs::new(), i)?;
            s.op("limb.add", Attrs::new(), &[product, i[0]])
        }),
        ("user.cube", |s, _, i| {
            let once = s.op("user.mul_add", Attrs::new(), i)?;
            let twice = s.op("user.mul_add", Attrs::new(), &[once, i[1]])?;
            s.op("limb.neg", Attrs::new(), &[twice])
        }),
    ]);
    let task = task(&registry, "user.cube");
    let (fine, coarse) = (Scalar::new(), Coarse(Scalar::new()));
    let fine_graph = expand(&registry, &task, &fine).unwrap();
    let coarse_graph = expand(&registry, &task, &coarse).unwrap();
    assert_eq!(names(&fine_graph), ["limb.mul", "limb.add", "limb.mul", "limb.add", "limb.neg"]);
    assert_eq!(names(&coarse_graph), ["user.mul_add", "user.mul_add", "limb.neg"]);
    let expected: Vec<u64> = (1..9u64).map(|x| Q - x * (x + 11) * (x + 11) % Q).collect();
    let data = x_and_y();
    assert_eq!(run(&fine_graph, &fine, &data), expected);
    assert_eq!(run_with(&registry, &coarse_graph, &coarse, &data), expected);
    // Provenance leads to the task on both.
    assert!(fine_graph.operators().iter().chain(coarse_graph.operators()).all(|op| op.parent == 0));
    // The graph for one platform is refused by the other, by name.
    let refused = |graph: &Graph, platform: &dyn Platform| {
        Plan::new(graph, &Registry::lattice(), platform, PlanOptions::default())
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&coarse_graph, &fine).contains("`user.mul_add`"));
}

#[test]
fn stages_stop_at_a_level() {
    let registry = registry(&[("user.op", |s, _, i| s.op("user.opaque", Attrs::new(), i))]);
    // Both are of polynomial level: there is nothing to expand.
    let task = task(&registry, "user.op");
    let stage = Expander::new(&registry).expand_to_level(&task, Level::Polynomial).unwrap();
    assert_eq!(names(&stage), ["user.op"]);
    assert!(Expander::new(&registry).expand_to_level(&task, Level::Base).is_err());
}
