//! Gives every operator its platform.

use crate::Result;
use crate::graph::{Graph, Kinds, ValueType};
use crate::ops::{Call, Registry};
use crate::platform::{Platform, part};

/// The same graph with operators placed on the parts of a platform (on itself, where it has none): those that are placed
/// already stay, those of a type in `pins` go where that says, any other to the cheapest of the preferred parts that implement it,
/// the first of equals. What none of these implements, such as an operator that is still to be expanded, stays open, unless it
/// is pinned.
///
/// Nothing is moved here: a plan finds what crosses to a platform with a memory of its own ([`super::cross`]), and what a
/// [`Kernel::Elsewhere`](crate::platform::Kernel::Elsewhere) copies is part of its call.
///
/// # Errors
/// `NoPlatform` for a pin to a platform that there is not; `UnknownOperator`.
pub fn place(
    graph: &Graph,
    registry: &Registry,
    platform: &dyn Platform,
    pins: &[(&str, &str)],
) -> Result<Graph> {
    for (op, to) in pins {
        registry.get(op)?;
        part(platform, to)?;
    }
    let mut out = graph.clone();
    let mut kinds = Kinds::default();
    let mut placed: Vec<u32> = Vec::new();
    let mut signatures = Vec::with_capacity(graph.operators().len());
    for op in graph.operators() {
        let (kind, new) = kinds.of(graph, op);
        if new {
            let own = graph.signature(op);
            let types = graph.input_types(op);
            let call = Call { name: &own.name, attrs: &own.attrs, inputs: &types, unit: graph.unit_bits() };
            let pinned = || pins.iter().find(|(name, _)| *name == own.name).map(|(_, to)| *to);
            let chosen = match own.platform.as_deref().or_else(pinned) {
                Some(name) => Some(name),
                None => cheapest(registry, platform, &call, graph.ty(op.output))?,
            };
            placed.push(out.intern_placed(&own.name, own.attrs.clone(), chosen));
        }
        signatures.push(placed[kind as usize]);
    }
    out.replace_signatures(&signatures);
    Ok(out)
}

/// The same graph with all operators left to whichever platform a run prefers.
pub fn unplace(graph: &Graph) -> Graph {
    unplace_from(graph, |_| true)
}

/// The same graph with the operators of some platforms left to whichever a run prefers.
pub fn unplace_from(graph: &Graph, from: impl Fn(&str) -> bool) -> Graph {
    let mut out = graph.clone();
    let open: Vec<u32> = (graph.signatures().iter())
        .map(|own| {
            let stays = own.platform.as_deref().filter(|name| !from(name));
            out.intern_placed(&own.name, own.attrs.clone(), stays)
        })
        .collect();
    let signatures: Vec<u32> = graph.operators().iter().map(|op| open[op.signature as usize]).collect();
    out.replace_signatures(&signatures);
    out
}

/// The name of the cheapest preferred part that implements an operator.
fn cheapest<'p>(
    registry: &Registry,
    platform: &'p dyn Platform,
    call: &Call<'_>,
    output: &ValueType,
) -> Result<Option<&'p str>> {
    if platform.parts().is_empty() {
        return Ok(platform.serves(call, output).then(|| platform.name()));
    }
    let work = registry.get(call.name)?.cost(call);
    let able = platform.preferred().iter().filter(|part| part.serves(call, output));
    let costs = able.map(|part| (part.cost(call, output, work), part.name()));
    // `min_by` gives the first of equals.
    Ok(costs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name))
}
