//! Graphs of lattice algebra, as text: what parses is analyzed, expanded and planned; what is small is run.

use super::{Limits, Target};
use crate::lines;
use crate::road::{CLOCK, platform};
use crate::watch::Verdict;
use cipherloom::analyze::{check, waves};
use cipherloom::circuit::GraphView;
use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, ValueType, parse, print};
use cipherloom::ops::types::{self, Form, Limb, Poly};
use cipherloom::ops::{Registry, Session};
use cipherloom::{Result, optimize};
use std::sync::{Arc, LazyLock};

pub(super) const LIMITS: Limits = Limits { bytes: 64 << 20, refused: 100.0, accepted: 1000.0 };

pub const TARGET: Target = Target { name: "graph", run, seeds, mutate: Some(lines::mutate), limits: LIMITS };

/// Most bytes of a run.
const MEMORY: u64 = 1 << 20;
/// Most operators that are expanded: what a text of so many bytes says, not what it could grow to.
const MOST_OPERATORS: usize = 200;

fn run(text: &[u8]) -> Verdict {
    read(text, registry(), optimize::optimize)
}

/// Reads a graph over the types of a registry, and takes it as far as it goes: through `passes` and expansion to a run.
///
/// # Panics
/// When a graph that was checked does not come back to itself.
fn read(text: &[u8], registry: &Registry, passes: fn(&Graph, &Registry) -> Result<Graph>) -> Verdict {
    let Ok(text) = std::str::from_utf8(text) else { return Verdict::Refused };
    let Ok(graph) = parse(text) else { return Verdict::Refused };
    let printed = print(&graph);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error} in\n{printed}"));
    assert_eq!(print(&again), printed, "what is printed parses back");
    let Ok(deps) = check(&graph) else { return Verdict::Refused };
    waves(&graph, &deps).expect("waves of a graph that was checked");
    GraphView::new(&graph).expect("a drawing of a graph that was checked");
    if graph.operators().len() > MOST_OPERATORS {
        return Verdict::Accepted;
    }
    if let Ok(base) = passes(&graph, registry).and_then(|graph| expanded(&graph, registry)) {
        execute(&base);
    }
    Verdict::Accepted
}

fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::lattice);
    &REGISTRY
}

fn expanded(graph: &Graph, registry: &Registry) -> Result<Graph> {
    let platform = platform();
    let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
    optimize::optimize(&Expander::new(registry).expand(graph, &base)?, registry)
}

/// Plans a graph, and runs it where the plan is small.
fn execute(graph: &Graph) {
    let options = PlanOptions { memory_limit: MEMORY, ..PlanOptions::default() };
    let Ok(plan) = Plan::new(graph, &Registry::lattice(), &*platform(), options) else { return };
    let inputs = plan.graph().inputs().iter().map(|port| words(plan.graph().ty(port.operand))).collect();
    if let Ok(mut run) = Run::new(Arc::new(plan), inputs, CLOCK) {
        run.finish();
        for index in 0..run.plan().graph().outputs().len() {
            run.output(index).expect("the output of a run that ended");
        }
    }
}

/// Words that an input of a type may hold.
fn words(ty: &ValueType) -> Input {
    let moduli = match ty.head.as_str() {
        "poly" | "secret_key" => Poly::of(ty).map(|p| p.q).unwrap_or_default(),
        _ => ty.attrs.uint("q").or(ty.attrs.uint("t")).map(|q| vec![q]).unwrap_or_default(),
    };
    let n = ty.dim("n").unwrap_or(1).max(1);
    let word = |k: u64| {
        let q = moduli.get(k as usize / n).or(moduli.first()).copied().unwrap_or(2).max(1);
        k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % q
    };
    (0..ty.size).map(word).collect::<Vec<_>>().into()
}

fn seeds() -> Vec<Vec<u8>> {
    let graphs = [limbs(), polynomials()].map(|graph| graph.expect("a graph to start from"));
    graphs.iter().map(|graph| print(graph).into_bytes()).collect()
}

/// Base operators on small limbs.
fn limbs() -> Result<Graph> {
    let mut s = Session::new(Graph::new(64), registry());
    let coeff = Limb { n: 8, q: 97, form: Form::Coeff };
    let x = s.graph_mut().add_input("x", coeff.ty())?;
    let seed = s.graph_mut().add_input("seed", types::secret_seed())?;
    let shown = s.graph_mut().add_input("shown", types::public_seed())?;
    let small = s.op("sample.error", Attrs::new().with("n", 8u64), &[seed])?;
    let error = s.op("limb.from_small", Attrs::new().with("q", 97u64), &[small])?;
    let sum = s.op("limb.add", Attrs::new(), &[x, error])?;
    let values = s.op("limb.ntt", Attrs::new(), &[sum])?;
    let uniform = s.op("sample.uniform", Attrs::new().with("n", 8u64).with("q", 97u64), &[shown])?;
    let product = s.op("limb.mul", Attrs::new(), &[values, uniform])?;
    let turned = s.op("limb.permute", Attrs::new().with("g", 3u64), &[product])?;
    let back = s.op("limb.intt", Attrs::new(), &[turned])?;
    let scaled = s.op("limb.mul_scalar", Attrs::new().with("c", 3u64), &[back])?;
    let turned = s.op("limb.automorphism", Attrs::new().with("g", 5u64), &[scaled])?;
    s.graph_mut().declare_output("y", turned);
    Ok(s.finish())
}

/// Operators on polynomials, and views of their limbs.
fn polynomials() -> Result<Graph> {
    let mut s = Session::new(Graph::new(64), registry());
    let ty = Poly { n: 8, q: vec![97, 113], form: Form::Coeff };
    let x = s.graph_mut().add_input("x", ty.ty())?;
    let y = s.op("poly.ntt", Attrs::new(), &[x])?;
    let z = s.op("poly.add", Attrs::new(), &[y, y])?;
    let z = s.op("poly.intt", Attrs::new(), &[z])?;
    let mut limbs = s.limbs(z)?;
    limbs.reverse();
    s.graph_mut().declare_output("z", z);
    s.graph_mut().declare_output("last limb", limbs[0]);
    Ok(s.finish())
}
