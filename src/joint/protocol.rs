//! A graph of several parties under construction, in which each has its secret and sends what comes of it.

use super::group::{Active, Group};
use crate::circuit::CircuitBuilder;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::Registry;
use crate::ops::types::{self, Form, Poly};
use crate::parties::{NOBODY, Owners, Shared};
use crate::schemes::close::Chain;
use crate::sorted::SortedMap;
use crate::{Error, Result};
use std::sync::Arc;

/// Protocols of a group over one chain of primes, as one graph. Those who take part are parties 0, 1, ... of it, in the group's order; who adds shares up is one of them, or one more, who has no
/// secret.
///
/// Inputs of the graph, each the party's own: `key NAME`, the seed of its secret (type `secret_seed`), or, where any few are enough, its share of the key (`key_share`); `fresh NAME`, a secret seed
/// that is drawn for this one run: errors that were drawn twice from one seed would give the secret away.
pub struct Protocol<'r> {
    graph: CircuitBuilder<'r>,
    owners: Owners,
    pub(super) chain: Chain,
    /// The public seed that all agreed on.
    seed: [u8; 32],
    /// Each one's share of the secret key, and its fresh seed.
    pub(super) members: Vec<Holding>,
    /// Who adds shares up.
    pub(super) hub: u32,
    /// Common polynomials, by what they are for.
    common: SortedMap<String, OperandId>,
    /// Public keys of receivers, as each party has them.
    pub(super) receivers: SortedMap<(String, u32), OperandId>,
}

/// What a party has.
#[derive(Clone, Copy)]
pub(super) struct Holding {
    /// Its number in the graph.
    pub party: u32,
    /// Its share of the secret key: of those who take part they add up to it.
    pub share: OperandId,
    /// A secret seed for this run.
    pub fresh: OperandId,
}

impl<'r> Protocol<'r> {
    /// Nothing yet. `hub`: the name of who adds shares up; `seed`: public, agreed on by all, and never used for other keys: a common reference that was used under two secrets ties these.
    ///
    /// # Errors
    /// `Party` where `active` is none of the group or the chain is one of another number of parties; what the graph says.
    pub fn new(
        registry: &'r Arc<Registry>,
        chain: &Chain,
        group: &Group,
        active: &Active,
        hub: &str,
        seed: [u8; 32],
    ) -> Result<Self> {
        let mut protocol = Self::empty(registry, chain, group, active, hub, seed)?;
        let primes = protocol.primes();
        let points: Vec<u64> = active.numbers().iter().map(|&number| Group::point(number)).collect();
        for (party, &number) in (0..).zip(active.numbers()) {
            let name = &group.names()[number];
            let share = if group.threshold().is_some() {
                let share = protocol.input(party, "key", name, types::key_share(chain.n, &primes))?;
                let attrs =
                    Attrs::new().with("point", Group::point(number)).with("active", points.as_slice());
                protocol.op(party, "joint.recombine", attrs, &[share])?
            } else {
                protocol.secret(party, name)?
            };
            let fresh = protocol.input(party, "fresh", name, types::secret_seed())?;
            protocol.members.push(Holding { party, share, fresh });
        }
        Ok(protocol)
    }

    /// The same, in which nobody has anything yet.
    pub(super) fn empty(
        registry: &'r Arc<Registry>,
        chain: &Chain,
        group: &Group,
        active: &Active,
        hub: &str,
        seed: [u8; 32],
    ) -> Result<Self> {
        if chain.parties != group.parties() {
            let (found, expected) = (group.parties().to_string(), chain.parties.to_string());
            return Err(Error::Party { what: "number of parties that share a key".into(), found, expected });
        }
        let name = |&number: &usize| group.names().get(number).cloned();
        let parties: Option<Vec<String>> = active.numbers().iter().map(name).collect();
        let mut parties = parties.ok_or(Error::Job("those who take part are of this group"))?;
        let at = parties.iter().position(|name| name == hub).unwrap_or_else(|| {
            parties.push(hub.to_owned());
            parties.len() - 1
        });
        Ok(Self {
            graph: CircuitBuilder::new(types::WORD, registry)?,
            owners: Owners { parties, inputs: Vec::new(), operators: Vec::new(), outputs: Vec::new() },
            chain: chain.clone(),
            seed,
            members: Vec::new(),
            hub: at as u32,
            common: SortedMap::new(),
            receivers: SortedMap::new(),
        })
    }

    /// A party's own secret, from its seed.
    pub(super) fn secret(&mut self, party: u32, name: &str) -> Result<OperandId> {
        let seed = self.input(party, "key", name, types::secret_seed())?;
        let attrs = Attrs::new().with("n", self.chain.n).with("q", self.primes());
        self.op(party, "rlwe.secret_key", attrs, &[seed])
    }

    /// All primes: of data, then the special ones.
    pub(super) fn primes(&self) -> Vec<u64> {
        [self.chain.q.as_slice(), &self.chain.special].concat()
    }

    /// The names of the parties in this graph.
    pub fn parties(&self) -> &[String] {
        &self.owners.parties
    }

    /// The name of a party.
    pub(super) fn name(&self, party: u32) -> String {
        self.owners.parties[party as usize].clone()
    }

    pub(super) fn input(&mut self, party: u32, what: &str, of: &str, ty: ValueType) -> Result<OperandId> {
        self.owners.inputs.push(party);
        self.graph.input(&format!("{what} {of}"), ty)
    }

    /// An operator of that party's.
    pub(super) fn op(
        &mut self,
        party: u32,
        name: &str,
        attrs: Attrs,
        inputs: &[OperandId],
    ) -> Result<OperandId> {
        self.owners.operators.push(party);
        self.graph.op(name, attrs, inputs)
    }

    pub(super) fn view(&mut self, operand: OperandId, from: u64, ty: ValueType) -> Result<OperandId> {
        self.graph.view(operand, from, ty)
    }

    pub(super) fn merge(&mut self, parts: &[OperandId], ty: ValueType) -> Result<OperandId> {
        self.graph.merge(parts, ty)
    }

    pub(super) fn output(&mut self, party: u32, name: &str, operand: OperandId) {
        self.owners.outputs.push(party);
        self.graph.output(name, operand);
    }

    /// Common polynomials modulo such primes, for the key of that name: everybody's.
    pub(super) fn common(&mut self, key: &str, q: &[u64], count: usize) -> Result<OperandId> {
        if let Some(&known) = self.common.get(key) {
            return Ok(known);
        }
        let seed: Vec<u64> = common_seed(&self.seed, key)
            .as_chunks::<8>()
            .0
            .iter()
            .map(|word| u64::from_le_bytes(*word))
            .collect();
        let attrs = Attrs::new().with("n", self.chain.n).with("q", q).with("count", count).with("seed", seed);
        let common = self.op(NOBODY, "joint.common", attrs, &[])?;
        self.common.insert(key.to_owned(), common);
        Ok(common)
    }

    /// What each who takes part makes of its share by the operator `op`, added up by the hub.
    pub(super) fn added(
        &mut self,
        op: &str,
        attrs: &Attrs,
        inputs: impl Fn(&Holding) -> Vec<OperandId>,
    ) -> Result<OperandId> {
        let mut shares = Vec::with_capacity(self.members.len());
        for member in self.members.clone() {
            shares.push(self.op(member.party, op, attrs.clone(), &inputs(&member))?);
        }
        self.op(self.hub, "joint.sum", Attrs::new(), &shares)
    }

    /// Polynomial number `index` of several.
    pub(super) fn poly(&mut self, of: OperandId, poly: &Poly, index: usize) -> Result<OperandId> {
        let ty = poly.ty();
        self.view(of, index as u64 * ty.size, ty)
    }

    /// The finished graph.
    ///
    /// # Errors
    /// `Party` for names that are none; what the graph says.
    pub fn finish(self) -> Result<Shared> {
        Shared::new(self.graph.finish()?, self.owners)
    }

    /// Polynomials modulo all primes of data and special ones, NTT form.
    pub(super) fn wide(&self) -> Poly {
        Poly { n: self.chain.n, q: self.primes(), form: Form::Ntt }
    }
}

/// The seed of the common polynomials of one key, from that of all: no two keys have one in common.
pub fn common_seed(seed: &[u8; 32], key: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 v1 common seed of a key");
    hasher.update(seed).update(key.as_bytes());
    *hasher.finalize().as_bytes()
}
