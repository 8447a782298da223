//! Sums of products of ciphertexts are divided and rounded once: the sum of two results of `bfv.multiply`, which nobody else reads, becomes one `bfv.multiply`
//! over all their factors. Which operators these are, types say themselves ([`crate::ops::OpDef::rounded_once`]).
//!
//! Works at scheme level. The sum differs from the one before by its rounding, which is smaller.

use super::fuse::as_one;
use super::{Change, after};
use crate::Result;
use crate::analyze::Facts;
use crate::graph::Graph;
use crate::ops::Registry;

/// The graph with fewer divisions.
///
/// # Errors
/// `OverlappingOutputs`, `Cycle`.
pub fn sum_products(graph: &Graph, registry: &Registry) -> Result<Graph> {
    after(graph, work, registry)
}

pub(super) fn work(graph: &Graph, facts: &Facts, registry: &Registry) -> Result<Option<Change>> {
    as_one(graph, facts, registry, usize::MAX, |def, inner| def.rounded_once(inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Attrs, OperandId};
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
        let graph = sum_products(&s.finish(), &registry).unwrap();
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
