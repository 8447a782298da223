//! From a packed task and parameters to the graph of a scheme.

use super::body::Limbs;
use super::choose;
use super::halves::{Halves, frame};
use super::passes::Passes;
use super::travel::ports;
use crate::graph::Graph;
use crate::math::slots::galois_element;
use crate::ops::Registry;
use crate::optimize::{fuse, hoist, optimize, sum_products};
use crate::packed::close;
use crate::schemes::close::{
    Bfv, Bgv, Chain, Ckks, Closed, Closing, Emitter, Exact, Integers, KeyName, Made, Rules, Scales, State,
    Turns,
};
use crate::schemes::{ParameterLiteral, SchemeName};
use crate::sorted::SortedMap;
use crate::values::{PackedValue, Packing};
use crate::{Error, Result};

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
        parties: literal.parties,
    }
}

/// How a task is closed.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// Products of reals are rescaled after turns ([`Ckks::late`]).
    pub late: bool,
    /// States are to be known.
    pub told: bool,
    /// Of several plaintext moduli under the largest alone, under which there is the most noise.
    pub worst: bool,
}

/// Closes a packed task over parameters.
pub fn closed(
    halves: &Halves,
    packing: &Packing,
    literal: &ParameterLiteral,
    emitter: &mut Emitter<'_>,
    How { late, told, worst }: How,
) -> Result<ClosedTask> {
    let (chain, frame) = (&chain(literal), frame(literal.n, halves.exact));
    let onward = &halves.ties.closed(packing, literal, frame)?;
    let Passes { lazy_relinearization: lazy, early_switching: early, open_results, .. } = halves.passes;
    // Of data owners who decrypts is to learn results alone.
    let open = open_results && literal.keyless() && !literal.public_key;
    let given = open.then(|| packing.given());
    let mut close = |rules: &dyn Rules| {
        let mut closing = Closing::new(emitter, chain, rules, lazy, onward);
        if let Some(given) = &given {
            closing = closing.opening(given);
        }
        if told {
            closing = closing.told();
        }
        close(&packing.graph, &mut closing)?;
        Ok(ClosedTask { outputs: closing.outputs, states: closing.states.unwrap_or_default() })
    };
    // Those of one decryption: all results of a run.
    let polynomials = |value: &PackedValue| ports(value, frame).len() * literal.t.len().max(1);
    let polynomials = packing.outputs.iter().map(polynomials).sum();
    let flooding = literal.releases.map(|releases| releases.flooding(polynomials).by(literal.parties));
    if halves.exact {
        // What one party decrypts is exact, and tells nothing but itself.
        let flooding = flooding.filter(|_| literal.parties > 1);
        let scheme: &dyn Integers =
            if literal.scheme == SchemeName::Bfv { &Bfv::new(chain, &literal.t)? } else { &Bgv };
        let (several, largest) = (literal.t.len() > 1, literal.t.iter().max());
        let mut all = ClosedTask::default();
        for &t in literal.t.iter().filter(|&t| !worst || Some(t) == largest) {
            let ClosedTask { outputs, states } =
                close(&Exact::new(scheme, t, several, early).flooded(flooding))?;
            all.outputs.extend(outputs);
            all.states.extend(states);
        }
        return Ok(all);
    }
    let scales = Scales::new(&literal.q, literal.scale.unwrap_or(0.0)).ok_or_else(|| Error::Parameters {
        what: "scales".into(),
        found: "one that is no number above 0".into(),
        expected: "primes next to the scale".into(),
    })?;
    let largest = halves.largest(packing, frame)?;
    close(&Ckks { scales: &scales, largest: &largest, late, flooding })
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
    pub keys: SortedMap<KeyName, usize>,
    pub outputs: Vec<Closed>,
    /// Whether products are rescaled after turns: only where results would not be precise otherwise.
    pub late: bool,
    /// How slots are turned by what has no key of its own.
    pub turns: Turns,
    /// The graph of the scheme, optimized.
    pub graph: Graph,
}

/// What is asked of a program, beside its parameters.
#[derive(Clone, Copy)]
pub struct Asked {
    /// Bits that results of reals are right to.
    pub precision: f64,
    /// Most bytes of evaluation keys, as they travel.
    pub key_bytes: Option<u64>,
}

/// Closes a task without a graph, by operators that read and write so many words at most: what comes of it, and what came of that.
pub fn judged<'r>(
    halves: &Halves,
    packing: &Packing,
    literal: &ParameterLiteral,
    (how, key_bytes): (How, Option<u64>),
    most_words: u64,
    registry: &'r Registry,
) -> (Emitter<'r>, Result<ClosedTask>) {
    let judge = |turns| {
        let judge = Emitter::judge(registry).with_dedup(halves.passes.dedup);
        let mut judge = judge.within(most_words).turning(turns);
        let task = closed(halves, packing, literal, &mut judge, how);
        (judge, task)
    };
    let (first, task) = judge(Turns::default());
    let (Some(limit), Ok(ClosedTask { outputs, .. })) = (key_bytes, &task) else { return (first, task) };
    let chain = chain(literal);
    let bytes = |keys: &SortedMap<KeyName, usize>| {
        keys.iter().map(|(name, &level)| key_size(&chain, name, level)).sum()
    };
    let mut found: u64 = bytes(first.levels());
    // What cannot be decrypted needs no keys.
    if found <= limit || Closed::check(outputs).is_err() {
        return (first, task);
    }
    let wanted = first.turned();
    let element = |&steps: &u32| KeyName::Galois(galois_element(chain.n, i64::from(steps)));
    let rotations: SortedMap<KeyName, usize> =
        wanted.keys().map(element).filter_map(|name| Some((name, *first.levels().get(&name)?))).collect();
    let others = found - bytes(&rotations);
    if let Some(highest) = rotations.values().copied().max() {
        // Of turns the sizes are alike.
        let turn = KeyName::Galois(1);
        found = others + key_size(&chain, &turn, highest);
        let mut before = None;
        // What is turned more often is noisier, and may have to be turned at a higher level.
        for level in highest..=chain.q.len() {
            let room = (limit.saturating_sub(others) / key_size(&chain, &turn, level)) as usize;
            if before.replace(room) == Some(room) {
                continue;
            }
            let turns = match Turns::within(chain.n as u32 / 2, wanted, room) {
                Ok(Some(turns)) => turns,
                Ok(None) => break,
                Err(error) => return (first, Err(error)),
            };
            let (judge, task) = judge(turns);
            found = bytes(judge.levels());
            if task.is_err() || found <= limit {
                return (judge, task);
            }
        }
    }
    (first, Err(Error::TooLarge { what: KEY_BYTES, found, limit }))
}

/// What has a limit where too many keys are asked for.
pub const KEY_BYTES: &str = "bytes of evaluation keys";

/// Bytes of an evaluation key at a level, as it travels: of one that several parties made for products no half comes from a seed.
pub fn key_size(chain: &Chain, name: &KeyName, level: usize) -> u64 {
    let limbs = Limbs::of_key(&chain.key(level));
    match name {
        KeyName::Relinearization if chain.parties > 1 => limbs.bytes(),
        KeyName::Relinearization | KeyName::Galois(_) => limbs.seeded_bytes(),
    }
}

/// Closes a task, with the keys that it asks for.
pub fn build(
    halves: &Halves,
    packing: &Packing,
    literal: &ParameterLiteral,
    asked: Asked,
    registry: &Registry,
) -> Result<Built> {
    let Passes { dedup, hoist: hoists, fuse: fuses, .. } = halves.passes;
    let judged = |late| {
        let how = (How { late, ..How::default() }, asked.key_bytes);
        let (judge, task) = judged(halves, packing, literal, how, u64::MAX, registry);
        let task = task.map_err(|error| match error {
            Error::TooLarge { what: what @ KEY_BYTES, found, limit } => Error::Parameters {
                what: what.to_owned(),
                found: found.to_string(),
                expected: format!("at most {limit}"),
            },
            error => error,
        });
        let outputs = task?.outputs;
        Closed::check(&outputs)?;
        let late = choose::precise(halves, packing, &outputs, asked.precision).is_err();
        Ok::<_, Error>((judge.levels().clone(), judge.turns().clone(), late))
    };
    let (mut keys, mut turns, late) = judged(false)?;
    if late {
        (keys, turns, _) = judged(true)?;
    }
    let emitter = Emitter::build(registry, &chain(literal), &keys)?;
    let mut emitter = emitter.with_dedup(dedup).turning(turns.clone());
    let outputs = closed(halves, packing, literal, &mut emitter, How { late, ..How::default() })?.outputs;
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
    Ok(Built { keys, outputs, late, turns, graph })
}
