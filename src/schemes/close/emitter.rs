//! Operators of scheme level, as they are emitted: with their types and noise bounds, and in a graph where there is one.

use super::Chain;
use super::errors::{Bounds, Moved, mask};
use super::turns::Turns;
use super::type_table::{TypeId, TypeTable};
use crate::graph::{Attrs, Graph, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Extract, SwitchingKey};
use crate::ops::{Noise, Registry, Session};
use crate::sorted::SortedMap;
use crate::watch::ask;
use crate::{Error, Result};
use std::collections::HashMap;
use std::fmt;

/// Most operators and inputs.
const MOST_NODES: usize = 1 << 20;
/// Operators between two questions whether to go on.
const ASKED: usize = 64;

/// An operand, in a graph or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(u32);

/// A switching key, whatever its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyName {
    /// From s^2.
    Relinearization,
    /// From s to s(X^(1/g)).
    Galois(u64),
}

impl KeyName {
    /// What is between the words of the printed name.
    const GALOIS: &'static str = "galois ";

    /// Reads a printed name.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "relinearization" {
            return Some(Self::Relinearization);
        }
        let g = text.strip_prefix(Self::GALOIS)?.parse().ok()?;
        Some(Self::Galois(g)).filter(|key| key.to_string() == text)
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relinearization => f.write_str("relinearization"),
            Self::Galois(g) => write!(f, "{}{g}", Self::GALOIS),
        }
    }
}

/// What came of calls.
type Calls = HashMap<(&'static str, Attrs, Vec<Node>), Node>;

#[derive(Clone)]
struct Known {
    ty: TypeId,
    bounds: Bounds,
    /// What stands for the uniform half of a ciphertext, or for a key ([`mask`]); 0 for what is not encrypted.
    mask: u64,
    operand: Option<OperandId>,
}

/// Takes operators of scheme level.
pub struct Emitter<'r> {
    types: TypeTable<'r>,
    session: Option<Session<'r>>,
    nodes: Vec<Known>,
    /// What came of a call before; but for random ones there are none twice.
    calls: Calls,
    /// Those of the scopes around this one.
    outer: Vec<Calls>,
    /// The keys that were asked for, and the highest level at which.
    levels: SortedMap<KeyName, usize>,
    asked: bool,
    /// Words that all operators read and write, and how many they may.
    words: u64,
    most_words: u64,
    keys: HashMap<(KeyName, usize), Node>,
    /// The keys of the graph, whole.
    whole: SortedMap<KeyName, Node>,
    /// Whether what is computed twice is computed once.
    dedup: bool,
    /// How slots are turned by what has no key of its own.
    turns: Turns,
    /// By how many steps slots were to be turned, and how often.
    turned: SortedMap<u32, usize>,
}

impl<'r> Emitter<'r> {
    /// One that only works out what would come.
    pub fn judge(registry: &'r Registry) -> Self {
        Self {
            types: TypeTable::new(registry),
            session: None,
            nodes: Vec::new(),
            calls: HashMap::new(),
            outer: Vec::new(),
            levels: SortedMap::new(),
            asked: false,
            words: 0,
            most_words: u64::MAX,
            keys: HashMap::new(),
            whole: SortedMap::new(),
            dedup: true,
            turns: Turns::default(),
            turned: SortedMap::new(),
        }
    }

    /// The same, which computes twice what is asked for twice where `dedup` is false.
    #[must_use]
    pub fn with_dedup(self, dedup: bool) -> Self {
        Self { dedup, ..self }
    }

    /// The same, which turns slots in these ways.
    #[must_use]
    pub fn turning(self, turns: Turns) -> Self {
        Self { turns, ..self }
    }

    /// The same, which refuses operators that would have all read and write more words.
    #[must_use]
    pub fn within(self, most_words: u64) -> Self {
        Self { most_words, ..self }
    }

    /// One that makes a graph, whose first inputs are these keys, each for the highest level at which it is used ([`Emitter::levels`]).
    ///
    /// # Errors
    /// `Graph` for names that are taken.
    pub fn build(registry: &'r Registry, chain: &Chain, levels: &SortedMap<KeyName, usize>) -> Result<Self> {
        let mut emitter =
            Self { session: Some(Session::new(Graph::new(64), registry)), ..Self::judge(registry) };
        for (key, &level) in levels {
            let node =
                emitter.input(&key.to_string(), chain.key(level).ty(), Noise::error(f64::NEG_INFINITY))?;
            emitter.whole.insert(*key, node);
        }
        Ok(emitter)
    }

    /// The keys that were asked for, and the highest level at which each was.
    pub fn levels(&self) -> &SortedMap<KeyName, usize> {
        &self.levels
    }

    /// What to turn slots by, one after the other, instead of so many steps.
    pub fn way(&mut self, steps: u32) -> Vec<u32> {
        *self.turned.entry(steps).or_default() += 1;
        self.turns.way(steps).map_or_else(|| vec![steps], <[u32]>::to_vec)
    }

    /// How slots are turned by what has no key of its own.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// By how many steps slots were to be turned, and how often.
    pub fn turned(&self) -> &SortedMap<u32, usize> {
        &self.turned
    }

    /// True when some key was asked for, be it in vain.
    pub fn asked(&self) -> bool {
        self.asked
    }

    /// How many words all operators read and write, keys among them: about in the order of what they cost, and known without a graph.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The graph.
    pub fn finish(self) -> Option<Graph> {
        self.session.map(Session::finish)
    }

    /// Says which operator one level up the next ones are made from.
    pub fn set_parent(&mut self, operator: u32) {
        if let Some(session) = &mut self.session {
            session.set_parent(operator);
        }
    }

    /// An operator.
    ///
    /// # Errors
    /// What it says of its operands.
    pub fn op(&mut self, name: &'static str, attrs: Attrs, inputs: &[Node]) -> Result<Node> {
        self.op_that_moves(name, attrs, inputs, Moved::Not)
    }

    /// An operator whose slots are made of others than the same ones.
    ///
    /// # Errors
    /// As [`Emitter::op`].
    pub fn op_that_moves(
        &mut self,
        name: &'static str,
        attrs: Attrs,
        inputs: &[Node],
        moved: Moved,
    ) -> Result<Node> {
        if self.nodes.len() >= MOST_NODES {
            let (what, limit) = ("operators of a scheme", MOST_NODES as u64);
            return Err(Error::TooLarge { what, found: limit + 1, limit });
        }
        // One vector of slots may be thousands of them.
        if self.nodes.len().is_multiple_of(ASKED) {
            ask()?;
        }
        let key = (name, attrs, inputs.to_vec());
        if let Some(&known) = self.calls.get(&key).filter(|_| self.dedup) {
            return Ok(known);
        }
        let types: Vec<TypeId> = inputs.iter().map(|&node| self.of(node).ty).collect();
        let read: u64 = types.iter().map(|&ty| self.types.ty(ty).size).sum();
        let (call, ty) = self.types.call(name, &key.1, types)?;
        let of = inputs.iter().fold(0u64, |all, &node| all.wrapping_add(self.of(node).mask));
        let random = self.types.random_noise(call);
        let own = (random != f64::NEG_INFINITY).then(|| match of {
            // Whoever else rounds the same numbers.
            0 => (mask(name, self.nodes.len() as u64), true, random),
            _ => (mask(name, of), false, random),
        });
        let mask = own.filter(|_| of != 0).map_or(of, |(source, ..)| source);
        let operands: Vec<&Bounds> = inputs.iter().map(|node| &self.nodes[node.0 as usize].bounds).collect();
        let types = &mut self.types;
        let bounds = Bounds::made(&operands, own, moved, |noises| types.noise(call, noises))?;
        let operand = match &mut self.session {
            None => None,
            Some(session) => {
                let operands = inputs.iter().map(|node| self.nodes[node.0 as usize].operand);
                let operands = operands
                    .collect::<Option<Vec<_>>>()
                    .ok_or(Error::Job("nodes of a graph are operands"))?;
                Some(session.op(name, key.1.clone(), &operands)?)
            }
        };
        self.words += read + self.types.ty(ty).size;
        if self.words > self.most_words {
            let what = "words that operators of a scheme read and write";
            return Err(Error::TooLarge { what, found: self.words, limit: self.most_words });
        }
        let node = self.push(Known { ty, bounds, mask, operand });
        self.calls.insert(key, node);
        Ok(node)
    }

    /// An input.
    ///
    /// # Errors
    /// `Graph` for a name that is taken.
    pub fn input(&mut self, name: &str, ty: ValueType, noise: Noise) -> Result<Node> {
        let ty = self.types.number(ty);
        self.input_of(name, ty, Bounds::certain(noise), 0)
    }

    /// An input that is a ciphertext; `fresh`: whether it comes from who encrypts, and not from another graph.
    ///
    /// # Errors
    /// `Graph` for a name that is taken.
    pub fn ciphertext_input(
        &mut self,
        name: &str,
        ty: &Ciphertext,
        noise: Noise,
        fresh: bool,
    ) -> Result<Node> {
        let (ty, mask) = (self.types.number_of(ty), mask(name, 0));
        // Of exact schemes no message is told, and noise is counted in another norm.
        let drawn = fresh && noise.message != f64::NEG_INFINITY;
        let bounds = if drawn { Bounds::drawn(noise, mask) } else { Bounds::certain(noise) };
        self.input_of(name, ty, bounds, mask)
    }

    fn input_of(&mut self, name: &str, ty: TypeId, bounds: Bounds, mask: u64) -> Result<Node> {
        let operand = match &mut self.session {
            Some(session) => Some(session.graph_mut().add_input(name, self.types.ty(ty).clone())?),
            None => None,
        };
        Ok(self.push(Known { ty, bounds, mask, operand }))
    }

    /// Declares an output.
    ///
    /// # Errors
    /// `Job` never, for a node of this emitter.
    pub fn output(&mut self, name: &str, node: Node) -> Result<()> {
        let operand = self.of(node).operand;
        if let Some(session) = &mut self.session {
            session
                .graph_mut()
                .declare_output(name, operand.ok_or(Error::Job("nodes of a graph are operands"))?);
        }
        Ok(())
    }

    /// A key at a level: a part of the one that the graph is given.
    ///
    /// # Errors
    /// `Parameters` where there are no special primes; `MissingKey` for one that the graph is not given.
    pub fn key(&mut self, name: KeyName, chain: &Chain, level: usize) -> Result<Node> {
        self.asked = true;
        if chain.special.is_empty() {
            let (what, found) = ("special primes".to_owned(), "none".to_owned());
            let expected = "at least one: keys are needed; compile the programs together, or the one whose parameters these are without the pass openResults";
            return Err(Error::Parameters { what, found, expected: expected.into() });
        }
        let highest = self.levels.entry(name).or_default();
        *highest = (*highest).max(level);
        if let Some(&known) = self.keys.get(&(name, level)) {
            return Ok(known);
        }
        let ty = chain.key(level);
        let operand = match &mut self.session {
            None => None,
            Some(session) => {
                let whole = self.whole.get(&name).and_then(|node| self.nodes[node.0 as usize].operand);
                let whole = whole.ok_or_else(|| Error::MissingKey { name: name.to_string() })?;
                Some(lowered(session, whole, &ty)?)
            }
        };
        let ty = self.types.number(ty.ty());
        let bounds = Bounds::certain(Noise::error(f64::NEG_INFINITY));
        let node = self.push(Known { ty, bounds, mask: mask(&name.to_string(), 0), operand });
        self.keys.insert((name, level), node);
        Ok(node)
    }

    /// The same operand, of which more is known.
    pub fn known_better(&mut self, node: Node, bounds: Bounds) -> Node {
        let known = self.of(node).clone();
        self.push(Known { bounds, ..known })
    }

    /// Replaces what is known of a node.
    pub fn set_bounds(&mut self, node: Node, bounds: Bounds) {
        self.nodes[node.0 as usize].bounds = bounds;
    }

    /// From here on, until [`Emitter::close_scope`], calls are told apart from those before and after: bounds that are worked out within hold for what is made of it alone.
    pub fn open_scope(&mut self) {
        self.outer.push(std::mem::take(&mut self.calls));
    }

    /// Ends what [`Emitter::open_scope`] began.
    pub fn close_scope(&mut self) {
        if let Some(calls) = self.outer.pop() {
            self.calls = calls;
        }
    }

    /// A node that is a ciphertext.
    ///
    /// # Errors
    /// `Graph` for what is none.
    pub fn ciphertext(&self, node: Node) -> Result<&Ciphertext> {
        self.types.ciphertext(self.of(node).ty)
    }

    /// How many primes a ciphertext has.
    ///
    /// # Errors
    /// `Graph` for what is none.
    pub fn level(&self, node: Node) -> Result<usize> {
        Ok(self.ciphertext(node)?.q.len())
    }

    /// A node that is a ciphertext, or what is left of one.
    ///
    /// # Errors
    /// `Graph` for what is none.
    pub fn extract(&self, node: Node) -> Result<Extract> {
        Extract::of(self.types.ty(self.of(node).ty))
    }

    /// Bounds on what a node holds.
    pub fn noise(&self, node: Node) -> Noise {
        self.of(node).bounds.noise
    }

    /// The same, and where errors come from.
    pub fn bounds(&self, node: Node) -> &Bounds {
        &self.of(node).bounds
    }

    fn of(&self, node: Node) -> &Known {
        &self.nodes[node.0 as usize]
    }

    fn push(&mut self, known: Known) -> Node {
        self.nodes.push(known);
        Node((self.nodes.len() - 1) as u32)
    }
}

/// The same key at a lower level: fewer digits, and of each the limbs of fewer primes. Modulo these it is the key of that level.
fn lowered(s: &mut Session<'_>, key: OperandId, to: &SwitchingKey) -> Result<OperandId> {
    let from = SwitchingKey::of(s.ty(key))?;
    if from == *to {
        return Ok(key);
    }
    let (all, kept) = (from.all().len(), to.q.len());
    let mut limbs = Vec::new();
    for row in 0..2 * to.digits() {
        for index in (0..kept).chain(from.q.len()..all) {
            let at = ((row * all + index) * from.n) as u64;
            limbs.push(s.split(key, at, from.poly().limb(index).ty())?);
        }
    }
    s.merge(&limbs, to.ty())
}
