//! Sums of products of ciphertexts are divided and rounded once: `rlwe.add` of two results of `bfv.multiply`, which nobody
//! else reads, becomes one `bfv.multiply` over all their factors.
//!
//! Works at scheme level. The sum differs from the one before by its rounding, which is smaller.

use super::{Change, Private, after, is_pinned};
use crate::Result;
use crate::analyze::Facts;
use crate::graph::{Graph, OperandId, Operator};
use crate::ops::Registry;
use std::collections::HashMap;

/// The graph with fewer divisions.
///
/// # Errors
/// `OverlappingOutputs`.
pub fn sum_products(graph: &Graph) -> Result<Graph> {
    after(graph, work, &Registry::empty())
}

pub(super) fn work(graph: &Graph, facts: &Facts, _: &Registry) -> Result<Option<Change>> {
    let private = Private::new(graph, facts);
    let name = |op: &Operator| graph.signature(op).name.as_str();
    // Of each operator that is a sum of products: the signature of the products, and their factors.
    let mut sums: HashMap<usize, (u32, Vec<OperandId>)> = HashMap::new();
    let mut merged = vec![false; graph.operators().len()];
    // Neither of them draws anything, so that a nonce pins it.
    for (number, op) in graph.operators().iter().enumerate().filter(|(_, op)| !is_pinned(op, false)) {
        match name(op) {
            "bfv.multiply" => {
                sums.insert(number, (op.signature, graph.inputs_of(op).to_vec()));
            }
            "rlwe.add" => {
                let &[a, b] = graph.inputs_of(op) else { continue };
                let (Some(a), Some(b)) = (private.writer(a), private.writer(b)) else { continue };
                let signature = |op: usize| sums.get(&op).map(|(signature, _)| *signature);
                if a == b || signature(a).is_none() || signature(a) != signature(b) {
                    continue;
                }
                // Nobody else asks for them.
                if let (Some(mut sum), Some(other)) = (sums.remove(&a), sums.remove(&b)) {
                    sum.1.extend(other.1);
                    sums.insert(number, sum);
                    merged[a] = true;
                    merged[b] = true;
                }
            }
            _ => {}
        }
    }
    if !merged.contains(&true) {
        return Ok(None);
    }
    let mut out = graph.clone();
    out.retain_operators(|_| false);
    for (number, op) in graph.operators().iter().enumerate().filter(|(number, _)| !merged[*number]) {
        let (signature, inputs) = match sums.get(&number) {
            Some((signature, factors)) => (*signature, factors.as_slice()),
            None => (op.signature, graph.inputs_of(op)),
        };
        out.push_operator(signature, inputs, op.output, op.nonce, op.parent);
    }
    Ok(Some(Change::Rebuilt(out)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Attrs;
    use crate::ops::Session;
    use crate::ops::types::{Ciphertext, Scheme};

    /// The numbers of inputs of all operators after the pass, over a graph that `build` makes of four ciphertexts.
    fn arities(build: impl Fn(&mut Session<'_>, &[OperandId])) -> Vec<usize> {
        let registry = crate::schemes::registry();
        let mut s = Session::new(Graph::new(64), &registry);
        let ty = Ciphertext::new(16, vec![193, 257], 2, Scheme::Bfv { t: 97 });
        let inputs: Vec<OperandId> =
            ["a", "b", "c", "d"].map(|name| s.graph_mut().add_input(name, ty.ty()).unwrap()).to_vec();
        build(&mut s, &inputs);
        let graph = sum_products(&s.finish()).unwrap();
        graph.operators().iter().map(|op| graph.inputs_of(op).len()).collect()
    }

    fn multiply(s: &mut Session<'_>, a: OperandId, b: OperandId) -> OperandId {
        s.op("bfv.multiply", Attrs::new().with("aux", [353, 449].as_slice()), &[a, b]).unwrap()
    }

    fn add(s: &mut Session<'_>, a: OperandId, b: OperandId) -> OperandId {
        s.op("rlwe.add", Attrs::new(), &[a, b]).unwrap()
    }

    #[test]
    fn a_tree_of_sums_becomes_one_product() {
        let tree = |s: &mut Session<'_>, i: &[OperandId]| {
            let (ab, cd, ac) = (multiply(s, i[0], i[1]), multiply(s, i[2], i[3]), multiply(s, i[0], i[2]));
            let sum = add(s, ab, cd);
            let sum = add(s, ac, sum);
            s.graph_mut().declare_output("sum", sum);
        };
        assert_eq!(arities(tree), [6]);
    }

    #[test]
    fn what_others_read_stays() {
        let read = |s: &mut Session<'_>, i: &[OperandId]| {
            let (ab, cd) = (multiply(s, i[0], i[1]), multiply(s, i[2], i[3]));
            let sum = add(s, ab, cd);
            s.graph_mut().declare_output("sum", sum);
            s.graph_mut().declare_output("product", cd);
        };
        assert_eq!(arities(read), [2, 2, 2]);
        let twice = |s: &mut Session<'_>, i: &[OperandId]| {
            let ab = multiply(s, i[0], i[1]);
            let sum = add(s, ab, ab);
            s.graph_mut().declare_output("sum", sum);
        };
        assert_eq!(arities(twice), [2, 2]);
        let mixed = |s: &mut Session<'_>, i: &[OperandId]| {
            let sum = add(s, i[0], i[1]);
            s.graph_mut().declare_output("sum", sum);
        };
        assert_eq!(arities(mixed), [2]);
    }
}
