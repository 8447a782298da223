//! Known answer K-G8 by the expander itself: splits and merges inside an expansion, two levels deep. Dependencies are those
//! of each level, never those of the level above.

use cipherloom::Result;
use cipherloom::analyze::{Method, analyze, analyze_by};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId, ValueType};
use cipherloom::ops::{Call, Level, OpDef, Registry, Session};
use std::sync::Arc;

fn units(size: u64) -> ValueType {
    ValueType::new("raw", size, Attrs::new())
}

type Expand = fn(&mut Session<'_>) -> Result<OperandId>;

/// An operator with an output of that size.
struct Op {
    name: &'static str,
    size: u64,
    expand: Option<Expand>,
}

impl OpDef for Op {
    fn name(&self) -> &str {
        self.name
    }
    fn level(&self) -> Level {
        Level::Polynomial
    }
    fn assemble(&self, _: &Call<'_>) -> Result<ValueType> {
        Ok(units(self.size))
    }
    fn expand(&self, s: &mut Session<'_>, _: &Call<'_>, _: &[OperandId]) -> Result<OperandId> {
        self.expand.unwrap()(s)
    }
}

fn op(s: &mut Session<'_>, name: &str, inputs: &[OperandId]) -> Result<OperandId> {
    s.op(name, Attrs::new(), inputs)
}

/// a1 is split into p and q; a3 reads p and a2's output as one, a4 reads q.
fn expand_a(s: &mut Session<'_>) -> Result<OperandId> {
    let (a1, a2) = (op(s, "a1", &[])?, op(s, "a2", &[])?);
    let (p, q) = (s.split(a1, 0, units(2))?, s.split(a1, 2, units(2))?);
    let merged = s.merge(&[p, a2], units(4))?;
    let (a3, a4) = (op(s, "a3", &[merged])?, op(s, "a4", &[q])?);
    s.merge(&[a3, a4], units(8))
}

/// a1x writes p, a1y writes q.
fn expand_a1(s: &mut Session<'_>) -> Result<OperandId> {
    let parts = [op(s, "a1x", &[])?, op(s, "a1y", &[])?];
    s.merge(&parts, units(4))
}

/// Operators with those that they wait for, and those that wait for them.
fn table(graph: &Graph) -> Vec<String> {
    let deps = analyze(graph).unwrap();
    assert_eq!(deps, analyze_by(graph, Method::Scan).unwrap());
    let names = |ops: &[u32]| {
        let mut names: Vec<&str> =
            ops.iter().map(|&op| graph.signature(&graph.operators()[op as usize]).name.as_str()).collect();
        names.sort_unstable();
        names.join(" ")
    };
    let row = |op: u32| {
        format!("{}: {} | {}", names(&[op]), names(deps.dep(op as usize)), names(deps.notify(op as usize)))
    };
    let mut rows: Vec<String> = (0..deps.len() as u32).map(row).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn k_g8_split_and_merge_inside_an_expansion() {
    let mut registry = Registry::lattice();
    let sizes = [("a2", 2), ("a3", 4), ("a4", 4), ("a1x", 2), ("a1y", 2)];
    for (name, size) in sizes {
        registry.add(Arc::new(Op { name, size, expand: None }));
    }
    registry.add(Arc::new(Op { name: "a", size: 8, expand: Some(expand_a) }));
    registry.add(Arc::new(Op { name: "a1", size: 4, expand: Some(expand_a1) }));
    let mut s = Session::new(Graph::new(64), &registry);
    let a = op(&mut s, "a", &[]).unwrap();
    s.graph_mut().declare_output("a", a);
    let graph = s.finish();

    let mut expander = Expander::new(&registry);
    let contains = |name: &str| sizes.iter().any(|(known, _)| *known == name);
    let base = BaseSet { platform: "test", contains: &contains };
    let first = expander.level(&graph, &base).unwrap();
    assert_eq!(table(&first), ["a1:  | a3 a4", "a2:  | a3", "a3: a1 a2 | ", "a4: a1 | "]);
    let second = expander.level(&first, &base).unwrap();
    assert_eq!(table(&second), ["a1x:  | a3", "a1y:  | a4", "a2:  | a3", "a3: a1x a2 | ", "a4: a1y | "]);
    // In one go it is the same set.
    assert_eq!(table(&expander.expand(&graph, &base).unwrap()), table(&second));
}
