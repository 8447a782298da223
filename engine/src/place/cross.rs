//! What crosses between the host's memory and a device's: copies are put in before operators of one side that read what the other one has. Each block that is
//! read over there crosses once in each direction, whole blocks as kernels take them; its readers see it anew.

use super::{Blocks, Owner, Run};
use crate::Result;
use crate::graph::{Attrs, Graph, OperandId, Placeholder, ValueType, push_joined};
use crate::ops::types::block_size;

/// What a copy to the device is called in a planned graph. No operator type can be: what follows an `@` is a place.
pub const UPLOAD: &str = "@upload";
/// What a copy back is called.
pub const DOWNLOAD: &str = "@download";

/// A graph in which nobody reads what the other side has.
pub struct Crossed {
    /// The graph, with copies.
    pub graph: Graph,
    /// For each of its operators the number that it had, or that of the operator that a copy was put in for.
    pub origin: Vec<u32>,
}

/// Units that cross together.
struct Crossing {
    from: Placeholder,
    to: Placeholder,
    /// Whether it goes to the device.
    up: bool,
    /// Whether its copy is there already.
    made: bool,
}

/// Puts copies into a gathered graph, of which the operators that `on_device` says yes to are the device's. Declared outputs are the host's, as inputs are.
///
/// # Errors
/// `AddressSpace`.
pub fn cross(graph: &Graph, blocks: &Blocks<'_>, on_device: impl Fn(u32) -> bool) -> Result<Crossed> {
    let there = |owner: Owner| matches!(owner, Owner::Operator(op) if on_device(op));
    let all = (0..).zip(graph.operators());
    let mut wanted: Vec<(Placeholder, bool)> = Vec::new();
    // Parts that lie on another side than the reader, in pieces of so many units.
    let mut want = |operand: OperandId, device: bool, size: u64| {
        blocks.runs(graph, operand, &mut |Run { place, owner, .. }| {
            if there(owner) != device {
                let pieces = (0..place.size().div_ceil(size)).map(|at| at * size);
                let piece = |from: u64| place.part(from, size.min(place.size() - from));
                wanted.extend(pieces.map(|from| (piece(from), device)));
            }
        });
    };
    for (number, op) in all.clone() {
        for &input in graph.inputs_of(op) {
            want(input, on_device(number), block_size(graph.ty(input)).max(1));
        }
    }
    for port in graph.outputs() {
        want(port.operand, false, u64::MAX);
    }
    let mut out = graph.clone();
    let mut crossings = merged(wanted, &mut out)?;
    out.retain_operators(|_| false);
    let mut origin = Vec::new();
    let mut copy = |out: &mut Graph, crossing: &mut Crossing, (number, parent): (u32, u32)| {
        if std::mem::replace(&mut crossing.made, true) {
            return;
        }
        let ty = ValueType::new("raw", crossing.from.size(), Attrs::new());
        let source = out.view(ty.clone(), vec![crossing.from]);
        let output = out.view(ty, vec![crossing.to]);
        let signature = out.intern_signature(if crossing.up { UPLOAD } else { DOWNLOAD }, Attrs::new());
        out.push_operator(signature, &[source], output, 0, parent);
        origin.push(number);
    };
    let mut origins = Vec::with_capacity(graph.operators().len());
    for (number, op) in all {
        let device = on_device(number);
        let mut inputs = graph.inputs_of(op).to_vec();
        for input in &mut inputs {
            let seen = anew(graph, blocks, *input, &crossings, |owner| there(owner) != device);
            let Some((pieces, used)) = seen else { continue };
            for at in used {
                if crossings[at].up {
                    copy(&mut out, &mut crossings[at], (number, op.parent));
                }
            }
            *input = out.view_interned(graph.type_number(*input), pieces);
        }
        out.push_operator(op.signature, &inputs, op.output, op.nonce, op.parent);
        origins.push((out.operators().len() - 1, number));
        if device {
            // What of its output goes back does so at once.
            let whole = graph.pieces(op.output)[0];
            let first = crossings.partition_point(|crossing| crossing.from.end <= whole.start);
            let own = crossings[first..].iter_mut().take_while(|crossing| crossing.from.start < whole.end);
            own.for_each(|crossing| copy(&mut out, crossing, (number, op.parent)));
        }
    }
    for (index, port) in graph.outputs().iter().enumerate() {
        if let Some((pieces, _)) = anew(graph, blocks, port.operand, &crossings, there) {
            let operand = out.view_interned(graph.type_number(port.operand), pieces);
            out.redeclare_output(index, operand);
        }
    }
    let mut all = vec![u32::MAX; out.operators().len()];
    origins.into_iter().for_each(|(at, number)| all[at] = number);
    let mut copies = origin.into_iter();
    for number in &mut all {
        if *number == u32::MAX {
            *number = copies.next().unwrap_or(0);
        }
    }
    Ok(Crossed { graph: out, origin: all })
}

/// Pieces that overlap become one, which gets units of its own.
fn merged(mut wanted: Vec<(Placeholder, bool)>, out: &mut Graph) -> Result<Vec<Crossing>> {
    wanted.sort_unstable();
    let mut crossings: Vec<Crossing> = Vec::new();
    for (from, up) in wanted {
        match crossings.last_mut() {
            Some(last) if from.start < last.from.end => last.from.end = last.from.end.max(from.end),
            _ => crossings.push(Crossing { from, to: from, up, made: false }),
        }
    }
    for crossing in &mut crossings {
        crossing.to = out.reserve(crossing.from.size())?;
    }
    Ok(crossings)
}

/// Where a reader sees an operand of which some blocks cross, and by which crossings; none where nothing does.
fn anew(
    graph: &Graph,
    blocks: &Blocks<'_>,
    operand: OperandId,
    crossings: &[Crossing],
    crosses: impl Fn(Owner) -> bool,
) -> Option<(Vec<Placeholder>, Vec<usize>)> {
    let (mut pieces, mut used) = (Vec::new(), Vec::new());
    blocks.runs(graph, operand, &mut |Run { mut place, owner, .. }| {
        if !crosses(owner) {
            push_joined(&mut pieces, place);
            return;
        }
        let mut at = crossings.partition_point(|crossing| crossing.from.end <= place.start);
        while !place.is_empty() {
            let Crossing { from, to, .. } = crossings[at];
            let here = place.intersection(&from);
            push_joined(&mut pieces, here.moved(from.start, to.start));
            used.push(at);
            place.start = here.end;
            at += 1;
        }
    });
    (!used.is_empty()).then_some((pieces, used))
}
