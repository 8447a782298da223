//! How outputs travel: those that share ciphertexts go together, with each ciphertext once.

use crate::Result;
use crate::bytes::Length;
use crate::graph::{Graph, Placeholder, cut};
use crate::ops::types::Ciphertext;
use crate::schemes::columns::{OutputCiphertext, output_ciphertexts};
use std::collections::HashMap;

/// Outputs that share ciphertexts, directly or through others.
#[derive(Debug, Default)]
pub struct Bundle {
    /// Its outputs, in order of declaration.
    pub outputs: Vec<Member>,
    /// Its ciphertexts, in order of first appearance.
    pub ciphertexts: Vec<Shared>,
}

/// An output of a bundle.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What its ciphertexts hold, each with its number among those of the bundle.
    pub ciphertexts: Vec<(usize, OutputCiphertext)>,
}

/// A ciphertext of a bundle.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The declared output of the graph that holds it, and the unit where it starts there.
    pub output: usize,
    /// That unit.
    pub offset: u64,
    /// Its type.
    pub ty: Ciphertext,
}

impl Bundle {
    /// Units of all its ciphertexts.
    pub fn units(&self) -> u64 {
        self.ciphertexts.iter().map(|c| c.ty.units()).sum()
    }

    /// Names of its outputs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(|output| output.name.as_str())
    }

    /// Length of its byte form.
    pub fn bytes(&self) -> u64 {
        Length::new().id().id().id().texts(self.names()).words(self.units())
    }

    /// The primes of each limb of its ciphertexts, in order.
    pub fn primes(&self) -> impl Iterator<Item = u64> {
        self.ciphertexts.iter().flat_map(|c| std::iter::repeat_n(&c.ty.q, c.ty.parts).flatten()).copied()
    }
}

/// The outputs of a scheme-level graph as they travel, in order of their first one.
///
/// # Errors
/// As [`output_ciphertexts`].
pub fn bundles(graph: &Graph) -> Result<Vec<Bundle>> {
    let mut outputs = Vec::new();
    let mut groups = Groups((0..graph.outputs().len()).collect());
    // The output that a ciphertext was seen in first.
    let mut first: HashMap<Vec<Placeholder>, usize> = HashMap::new();
    for (index, port) in graph.outputs().iter().enumerate() {
        let mut ciphertexts = Vec::new();
        for ciphertext in output_ciphertexts(graph.ty(port.operand))? {
            let place = cut(&graph.placeholders(port.operand), ciphertext.offset, ciphertext.ty.units());
            groups.join(*first.entry(place.clone()).or_insert(index), index);
            ciphertexts.push((place, ciphertext));
        }
        outputs.push(ciphertexts);
    }
    let mut all: Vec<Bundle> = Vec::new();
    let mut bundle_of: HashMap<usize, usize> = HashMap::new();
    let mut known: HashMap<Vec<Placeholder>, usize> = HashMap::new();
    for (output, ciphertexts) in outputs.into_iter().enumerate() {
        let at = *bundle_of.entry(groups.find(output)).or_insert(all.len());
        if at == all.len() {
            all.push(Bundle::default());
        }
        let bundle = &mut all[at];
        let mut own = Vec::with_capacity(ciphertexts.len());
        for (place, ciphertext) in ciphertexts {
            let number = *known.entry(place).or_insert(bundle.ciphertexts.len());
            if number == bundle.ciphertexts.len() {
                let (offset, ty) = (ciphertext.offset, ciphertext.ty.clone());
                bundle.ciphertexts.push(Shared { output, offset, ty });
            }
            own.push((number, ciphertext));
        }
        bundle.outputs.push(Member { name: graph.outputs()[output].name.clone(), ciphertexts: own });
    }
    Ok(all)
}

/// Sets of numbers that grow together: of each, one that is nearer to the number that stands for its set.
struct Groups(Vec<usize>);

impl Groups {
    fn find(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
