//! Which outputs of two graphs random numbers lead to that are not the same in both.

use crate::Result;
use crate::analyze::{Dependencies, Method, OutputIndex, topological_order};
use crate::circuit::Circuit;
use crate::graph::Signature;
use std::collections::HashMap;

/// What a random operator draws: its type and attributes, and its nonce.
type Draw<'g> = (&'g Signature, u32);

/// Of the last `count` outputs of two circuits, those that cannot be compared. A random operator draws the same in both
/// where the other graph has one of the same signature and nonce. Nonces that expansions gave out follow from the order of
/// random operators, so that there all of them have to be the same, in order.
pub(super) fn incomparable(circuits: [&Circuit; 2], count: usize, expanded: bool) -> Result<Vec<bool>> {
    let [first, second] = circuits.map(draws);
    let mut incomparable = vec![false; count];
    if first == second {
        return Ok(incomparable);
    }
    for (circuit, others) in circuits.into_iter().zip([second, first]) {
        // By nonce; a graph from text may give one to several operators.
        let mut known: HashMap<u32, Vec<&Signature>> = HashMap::new();
        for (signature, nonce) in others.into_iter().filter(|_| !expanded) {
            known.entry(nonce).or_default().push(signature);
        }
        let drawn =
            |(signature, nonce): Draw<'_>| known.get(&nonce).is_some_and(|all| all.contains(&signature));
        let led_to = led_to(circuit, count, |draw| !drawn(draw))?;
        incomparable.iter_mut().zip(led_to).for_each(|(all, own)| *all |= own);
    }
    Ok(incomparable)
}

fn is_random(circuit: &Circuit, signature: &Signature) -> bool {
    circuit.registry().get(&signature.name).is_ok_and(|def| def.random())
}

fn draws(circuit: &Circuit) -> Vec<Draw<'_>> {
    let graph = circuit.graph();
    let all = graph.operators().iter().map(|op| (graph.signature(op), op.nonce));
    all.filter(|(signature, _)| is_random(circuit, signature)).collect()
}

/// Whether random operators that `foreign` says yes to lead to each of the last `count` outputs.
fn led_to(circuit: &Circuit, count: usize, foreign: impl Fn(Draw<'_>) -> bool) -> Result<Vec<bool>> {
    let graph = circuit.graph();
    let index = OutputIndex::new(graph)?;
    let deps = Dependencies::new(graph, &index, Method::Search);
    let mut led = vec![false; deps.len()];
    for number in topological_order(graph, &deps)? {
        let op = &graph.operators()[number as usize];
        let signature = graph.signature(op);
        led[number as usize] = deps.dep(number as usize).iter().any(|&dep| led[dep as usize])
            || (is_random(circuit, signature) && foreign((signature, op.nonce)));
    }
    let outputs = &graph.outputs()[graph.outputs().len().saturating_sub(count)..];
    let is_led = |hit: &u32| led[*hit as usize];
    let pieces = outputs.iter().map(|port| graph.pieces(port.operand));
    Ok(pieces
        .map(|pieces| pieces.iter().any(|&p| index.producers()[index.search(p)].iter().any(is_led)))
        .collect())
}
