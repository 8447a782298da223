//! From a packed task and parameters to the graph of a scheme.

use super::choose;
use super::halves::{Halves, frame};
use super::passes::Passes;
use super::travel::ports;
use crate::graph::Graph;
use crate::ops::Registry;
use crate::optimize::{fuse, hoist, optimize, sum_products};
use crate::packed::close;
use crate::schemes::close::{
    Bfv, Bgv, Chain, Ckks, Closed, Closing, Emitter, Exact, Integers, KeyName, Made, Onward, Rules, Scales,
    State,
};
use crate::schemes::{ParameterLiteral, SchemeName};
use crate::values::Packing;
use crate::{Error, Result};
use std::collections::BTreeMap;

/// The chain of parameters.
pub fn chain(literal: &ParameterLiteral) -> Chain {
    let factor = if literal.scheme == SchemeName::Bgv { literal.t.iter().product() } else { 1 };
    Chain {
        n: literal.n,
        q: literal.q.clone(),
        special: literal.special.clone(),
        digit: literal.digit(),
        factor,
        public_key: literal.public_key,
    }
}

/// How a task is closed.
#[derive(Clone, Copy)]
pub struct How {
    /// Products of reals are rescaled after turns ([`Ckks::late`]).
    pub late: bool,
    /// States are to be known.
    pub told: bool,
}

/// Closes a packed task over parameters.
pub fn closed(
    halves: &Halves,
    packing: &Packing,
    literal: &ParameterLiteral,
    emitter: &mut Emitter<'_>,
    How { late, told }: How,
) -> Result<ClosedTask> {
    let chain = chain(literal);
    let onward = &halves.ties.closed(packing, literal, frame(literal.n, halves.exact))?;
    let Passes { lazy_relinearization: lazy, early_switching: early, .. } = halves.passes;
    if halves.exact {
        return if literal.scheme == SchemeName::Bfv {
            let scheme = Bfv::new(&chain, &literal.t)?;
            exactly(&scheme, early, &literal.t, |rules| {
                by(rules, &packing.graph, &chain, emitter, (lazy, told), onward)
            })
        } else {
            exactly(&Bgv, early, &literal.t, |rules| {
                by(rules, &packing.graph, &chain, emitter, (lazy, told), onward)
            })
        };
    }
    let scales = Scales::new(&literal.q, literal.scale.unwrap_or(0.0)).ok_or_else(|| Error::Parameters {
        what: "scales".into(),
        found: "one that is no number above 0".into(),
        expected: "primes next to the scale".into(),
    })?;
    let largest = halves.largest(packing, frame(literal.n, false))?;
    // Those of one decryption: all results of a run.
    let frame = frame(literal.n, false);
    let polynomials = packing.outputs.iter().map(|value| ports(value, frame).len()).sum();
    let flooding = literal.releases.map(|releases| releases.flooding(polynomials));
    let rules = Ckks { scales: &scales, largest: &largest, late, flooding };
    by(rules, &packing.graph, &chain, emitter, (lazy, told), onward)
}

/// Closes a graph by the rules of a scheme of integers, modulo each plaintext modulus.
fn exactly<'s, S: Integers>(
    scheme: &'s S,
    early: bool,
    moduli: &[u64],
    mut close: impl FnMut(Exact<'s, S>) -> Result<ClosedTask>,
) -> Result<ClosedTask> {
    let several = moduli.len() > 1;
    let mut all = ClosedTask::default();
    for &t in moduli {
        let ClosedTask { outputs, states } = close(Exact { scheme, t, several, early })?;
        all.outputs.extend(outputs);
        all.states.extend(states);
    }
    Ok(all)
}

/// Closes a graph of vectors of slots by the rules of a scheme.
fn by<R: Rules>(
    rules: R,
    graph: &Graph,
    chain: &Chain,
    emitter: &mut Emitter<'_>,
    (lazy, told): (bool, bool),
    onward: &Onward,
) -> Result<ClosedTask> {
    let closing = Closing::new(emitter, chain, rules, lazy, onward);
    let mut closing = if told { closing.told() } else { closing };
    close(graph, &mut closing)?;
    Ok(ClosedTask { outputs: closing.outputs, states: closing.states.unwrap_or_default() })
}

/// What came of closing a task.
#[derive(Default)]
pub struct ClosedTask {
    pub outputs: Vec<Closed>,
    /// Of its inputs and operators on vectors of slots, where these were to be told.
    pub states: Vec<(Made, State)>,
}

/// A task, closed over parameters.
pub struct Built {
    /// The keys that it needs, and at which level.
    pub keys: BTreeMap<KeyName, usize>,
    pub outputs: Vec<Closed>,
    /// Whether products are rescaled after turns: only where results would not be precise otherwise.
    pub late: bool,
    /// The graph of the scheme, optimized.
    pub graph: Graph,
}

/// Closes a task, with the keys that it asks for.
pub fn build(
    halves: &Halves,
    packing: &Packing,
    literal: &ParameterLiteral,
    precision: f64,
    registry: &Registry,
) -> Result<Built> {
    let Passes { dedup, hoist: hoists, fuse: fuses, .. } = halves.passes;
    let judged = |late| {
        let mut judge = Emitter::judge(registry).with_dedup(dedup);
        let outputs = closed(halves, packing, literal, &mut judge, How { late, told: false })?.outputs;
        Closed::check(&outputs)?;
        Ok::<_, Error>((
            judge.levels().clone(),
            choose::precise(halves, packing, &outputs, precision).is_err(),
        ))
    };
    let (mut keys, late) = judged(false)?;
    if late {
        keys = judged(true)?.0;
    }
    let mut emitter = Emitter::build(registry, &chain(literal), &keys)?.with_dedup(dedup);
    let outputs = closed(halves, packing, literal, &mut emitter, How { late, told: false })?.outputs;
    let mut graph = emitter.finish().ok_or(Error::Job("an emitter that builds has a graph"))?;
    if dedup {
        graph = optimize(&graph, registry)?;
    }
    if hoists {
        graph = hoist(&graph, registry)?;
    }
    if fuses {
        graph = fuse(&sum_products(&graph, registry)?, registry)?;
    }
    Ok(Built { keys, outputs, late, graph })
}
