//! Cases of fused operators; what they must give is what their expansions give on the reference platform.

use super::cases::{Case, Expected};
use super::values::{LARGEST, MOST_WORDS, PRIMES, Pattern, Random, SIZES, rings};
use crate::Result;
use crate::expand::{BaseSet, Expander};
use crate::graph::{Attrs, Graph, OperandId, Placeholder, ValueType};
use crate::math::prime::ntt_primes;
use crate::ops::types::{Form, Limb, Poly, WORD, block_size};
use crate::ops::{Call, Registry, Session, base};
use crate::platform::{Platform, Scalar};

/// The cases of a fused operator type; none for a type that nobody wrote cases for.
pub(super) fn cases(op: &str) -> Vec<Case> {
    let mut random = Random(13);
    let calls = match op {
        "rns.extend" | "rns.switch" => changes(&mut random, |_, to| Attrs::new().with("to", to)),
        "rns.scale_round" => scalings(&mut random),
        "limb.convolve" => convolutions(&mut random),
        "limb.tensor" => tensors(&mut random),
        "limb.ntt_from" => transforms(&mut random),
        "limb.ntt_divide" => divisions(&mut random),
        _ => Vec::new(),
    };
    let mut oracle = Oracle::default();
    let case = |(attrs, inputs): (Attrs, Vec<(ValueType, Vec<u64>)>)| {
        // An operator that does not expand is a case that every platform fails.
        let words = oracle.words(op, &attrs, &inputs).unwrap_or_default();
        Case { attrs, inputs, unit: WORD, nonce: 0, expected: Expected::Words(words) }
    };
    calls.into_iter().map(case).collect()
}

type Given = (Attrs, Vec<(ValueType, Vec<u64>)>);

/// Bases to start from and to go to: one prime and many, of one size and of all sizes.
fn bases() -> Vec<(Vec<u64>, Vec<u64>)> {
    let some = |bits, count| ntt_primes(bits, LARGEST, count, &PRIMES).unwrap_or_default();
    let (fifty, forty) = (some(50, 12), some(43, 5));
    vec![
        (fifty[..1].to_vec(), fifty[1..4].to_vec()),
        (fifty[..4].to_vec(), fifty[4..9].to_vec()),
        (forty[..4].to_vec(), [&PRIMES[..1], &fifty[..4]].concat()),
        (fifty.clone(), forty.clone()),
        (PRIMES.to_vec(), fifty[..2].to_vec()),
        (forty, PRIMES[4..].to_vec()),
    ]
}

/// A polynomial by a pattern.
fn poly(n: usize, q: &[u64], pattern: Pattern, random: &mut Random) -> (ValueType, Vec<u64>) {
    let words = q.iter().flat_map(|&q| pattern.words(n, q, random)).collect();
    (Poly { n, q: q.to_vec(), form: Form::Coeff }.ty(), words)
}

fn changes(random: &mut Random, attrs: impl Fn(&[u64], &[u64]) -> Attrs) -> Vec<Given> {
    let mut given = Vec::new();
    for (from, to) in bases() {
        for n in SIZES.into_iter().filter(|n| n * (from.len() + to.len()) <= 8 * MOST_WORDS) {
            for &pattern in Pattern::of(n) {
                given.push((attrs(&from, &to), vec![poly(n, &from, pattern, random)]));
            }
        }
    }
    given
}

fn scalings(random: &mut Random) -> Vec<Given> {
    let mut given = Vec::new();
    for (first, second) in bases() {
        let all = [first.as_slice(), &second].concat();
        for (drop, factor) in [(first, 1u64), (second, 1 << 20 | 1)] {
            for n in SIZES.into_iter().filter(|n| n * all.len() <= 8 * MOST_WORDS) {
                for &pattern in Pattern::of(n) {
                    let attrs = Attrs::new().with("drop", drop.as_slice()).with("factor", factor);
                    given.push((attrs, vec![poly(n, &all, pattern, random)]));
                }
            }
        }
    }
    given
}

fn convolutions(random: &mut Random) -> Vec<Given> {
    let mut given = Vec::new();
    // Of large rings few, since each is many transforms by the reference: nine terms of two outputs are more than a round of vector kernels keeps open there.
    let sums = |n| if n < 8192 { &[(1, 1), (1, 2), (3, 1), (9, 2), (20, 1)][..] } else { &[(1, 1), (9, 2)] };
    for (n, q) in rings() {
        for &(terms, outputs) in sums(n) {
            for &pattern in Pattern::of(n) {
                let limb = |q, form| Limb { n, q, form }.ty();
                // Factors modulo any prime.
                let others = PRIMES.iter().chain([&q]).cycle().take(terms);
                let x = others.map(|&p| (limb(p, Form::Coeff), pattern.words(n, p, random)));
                let mut inputs: Vec<_> = x.collect();
                inputs
                    .extend((0..terms * outputs).map(|_| (limb(q, Form::Ntt), pattern.words(n, q, random))));
                let attrs = Attrs::new().with("q", q).with("outputs", outputs);
                given.push((attrs.clone(), inputs.clone()));
                // Some that are transformed, modulo the prime itself, and outputs in either form.
                for index in (0..terms).step_by(3) {
                    inputs[index] = (limb(q, Form::Ntt), pattern.words(n, q, random));
                }
                given.push((attrs.clone().with("form", "ntt"), inputs.clone()));
                given.push((attrs.with("form", "coeff"), inputs));
            }
        }
    }
    // Factors as vector kernels have them, so many that they are summed in several steps.
    for (n, terms) in [(8192, 9), (LARGEST, 5)] {
        let primes = ntt_primes(50, LARGEST, 3, &[]).unwrap_or_default();
        let limb = |q, form| Limb { n, q, form }.ty();
        for pattern in [Pattern::Largest, Pattern::Random] {
            let x = primes.iter().cycle().take(terms);
            let mut inputs: Vec<_> =
                x.map(|&q| (limb(q, Form::Coeff), pattern.words(n, q, random))).collect();
            let q = primes[2];
            inputs.extend((0..2 * terms).map(|_| (limb(q, Form::Ntt), pattern.words(n, q, random))));
            let attrs = Attrs::new().with("q", q).with("outputs", 2u64);
            given.push((attrs.clone().with("form", "ntt"), inputs.clone()));
            given.push((attrs, inputs));
        }
    }
    given
}

fn tensors(random: &mut Random) -> Vec<Given> {
    let mut given = Vec::new();
    for (n, q) in rings() {
        let ty = Limb { n, q, form: Form::Ntt }.ty();
        for (&pattern, products) in Pattern::of(n).iter().flat_map(|p| [(p, 1), (p, 3), (p, 9)]) {
            let inputs = (0..4 * products).map(|_| (ty.clone(), pattern.words(n, q, random))).collect();
            given.push((Attrs::new(), inputs));
        }
    }
    given
}

fn transforms(random: &mut Random) -> Vec<Given> {
    let mut given = Vec::new();
    for (n, q) in rings() {
        for (&pattern, &p) in
            Pattern::of(n).iter().flat_map(|pattern| PRIMES.iter().map(move |p| (pattern, p)))
        {
            let x = (Limb { n, q: p, form: Form::Coeff }.ty(), pattern.words(n, p, random));
            given.push((Attrs::new().with("q", q), vec![x]));
        }
    }
    given
}

/// By constants of all kinds, with something to add and without.
fn divisions(random: &mut Random) -> Vec<Given> {
    let mut given = Vec::new();
    for (n, q) in rings() {
        let limb = |q, form| Limb { n, q, form }.ty();
        for (index, (&pattern, &p)) in Pattern::of(n)
            .iter()
            .flat_map(|pattern| PRIMES.iter().chain([&q]).map(move |p| (pattern, p)))
            .enumerate()
        {
            let constants = [q - 1, 1, q / 2, q / 2 + 1, q / 3];
            let [c, factor, scale] = [0, 1, 3].map(|at| constants[(index + at) % constants.len()]);
            let attrs = Attrs::new().with("c", c).with("factor", factor);
            let mut inputs = vec![
                (limb(q, Form::Ntt), pattern.words(n, q, random)),
                (limb(p, Form::Coeff), pattern.words(n, p, random)),
            ];
            given.push((attrs.clone(), inputs.clone()));
            inputs.push((limb(q, Form::Ntt), pattern.words(n, q, random)));
            given.push((attrs.with("scale", scale), inputs));
        }
    }
    given
}

/// Expands one operator and runs its base operators one after the other.
pub(super) struct Oracle {
    registry: Registry,
    scalar: Scalar,
}

impl Default for Oracle {
    fn default() -> Self {
        Self { registry: Registry::lattice(), scalar: Scalar::new() }
    }
}

impl Oracle {
    pub(super) fn words(
        &mut self,
        op: &str,
        attrs: &Attrs,
        inputs: &[(ValueType, Vec<u64>)],
    ) -> Result<Vec<u64>> {
        let mut s = Session::new(Graph::new(64), &self.registry);
        let mut operands = Vec::new();
        for (index, (ty, _)) in inputs.iter().enumerate() {
            operands.push(s.graph_mut().add_input(&index.to_string(), ty.clone())?);
        }
        let output = s.op(op, attrs.clone(), &operands)?;
        s.graph_mut().declare_output("out", output);
        let names: Vec<String> = base::all().iter().map(|def| def.name().to_owned()).collect();
        let contains = |name: &str| names.iter().any(|known| known == name);
        let set = BaseSet { platform: "conformance", contains: &contains };
        let graph = Expander::new(&self.registry).expand(&s.finish(), &set)?;
        let mut units = Units::default();
        for (port, (_, words)) in graph.inputs().iter().zip(inputs) {
            units.write(graph.pieces(port.operand), words);
        }
        for op in graph.operators() {
            let read = |&i: &OperandId| (graph.ty(i).clone(), units.read(graph.pieces(i)));
            let (types, words): (Vec<_>, Vec<_>) = graph.inputs_of(op).iter().map(read).unzip();
            let signature = graph.signature(op);
            let call = Call {
                name: &signature.name,
                attrs: &signature.attrs,
                inputs: &types,
                unit: graph.unit_bits(),
            };
            let kernel = self.scalar.kernel(&call, graph.ty(op.output))?;
            let blocks =
                types.iter().zip(&words).flat_map(|(ty, w)| w.chunks(block_size(ty).max(1) as usize));
            let blocks: Vec<&[u64]> = blocks.collect();
            let mut out = vec![0; graph.ty(op.output).size as usize];
            let scratch = &mut vec![0; kernel.scratch()];
            kernel.run(&blocks, &mut out, scratch, op.nonce);
            units.write(graph.pieces(op.output), &out);
        }
        Ok(units.read(graph.pieces(graph.outputs()[0].operand)))
    }
}

/// A word for each unit of a graph's address space.
#[derive(Default)]
struct Units(Vec<u64>);

impl Units {
    fn read(&self, pieces: &[Placeholder]) -> Vec<u64> {
        pieces.iter().flat_map(|p| &self.0[p.start as usize..p.end as usize]).copied().collect()
    }

    fn write(&mut self, pieces: &[Placeholder], mut words: &[u64]) {
        for piece in pieces {
            let (own, rest) = words.split_at(piece.size() as usize);
            let end = piece.end as usize;
            self.0.resize(self.0.len().max(end), 0);
            self.0[piece.start as usize..end].copy_from_slice(own);
            words = rest;
        }
    }
}
