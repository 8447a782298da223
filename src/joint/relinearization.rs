//! The collective relinearization key (RKG, ia.cr/2020/304, protocol 2), in two rounds. With common polynomials a_d, and u_i ternary, each party sends h_(i,d,0) = -u_i a_d + P g_d s_i + f e_(i,d,0) and h_(i,d,1) = s_i a_d + f e_(i,d,1).
//! Of the sums h each then sends s_i h_(d,0) + (u_i - s_i) h_(d,1) + f (e_(i,d,2) + e_(i,d,3)). (The sums of these, h_(d,1)) is the switching key from s^2 to s, with errors f (s e_(d,0) + u e_(d,1) + e_(d,2) + e_(d,3)), where each of s, u and
//! e is a sum over all.

use super::protocol::Protocol;
use crate::Result;
use crate::graph::Attrs;
use crate::ops::types::{self, SwitchingKey};

/// Attributes of the operators that make shares of such a key.
pub(super) fn attrs_of(key: &SwitchingKey) -> Attrs {
    let attrs = Attrs::new().with("q", key.q.as_slice()).with("special", key.special.as_slice());
    types::with_error_factor(attrs.with("digit", key.digit), key.factor)
}

impl Protocol<'_> {
    /// Adds the relinearization key at a level of so many primes: output `key NAME` of who adds up, of type `switching_key`.
    ///
    /// # Errors
    /// What the graph says.
    pub fn relinearization_key(&mut self, name: &str, level: usize) -> Result<()> {
        let key = self.chain.key(level);
        let (poly, attrs) = (key.poly(), attrs_of(&key));
        let a = self.common(name, &poly.q, key.digits())?;
        let members = self.members.clone();
        let (mut ephemeral, mut first) = (Vec::new(), Vec::new());
        for own in &members {
            // A ternary polynomial of the run's seed, of a domain of its own: no error is drawn there.
            let ring = Attrs::new().with("n", key.n).with("q", poly.q.as_slice());
            let u = self.op(own.party, "rlwe.secret_key", ring, &[own.fresh])?;
            ephemeral.push(u);
            first.push(self.op(
                own.party,
                "joint.relin_first",
                attrs.clone(),
                &[own.share, u, a, own.fresh],
            )?);
        }
        let h = self.op(self.hub, "joint.sum", Attrs::new(), &first)?;
        let mut second = Vec::new();
        for (own, &u) in members.iter().zip(&ephemeral) {
            let inputs = [own.share, u, h, own.fresh];
            second.push(self.op(own.party, "joint.relin_second", attrs.clone(), &inputs)?);
        }
        let b = self.op(self.hub, "joint.sum", Attrs::new(), &second)?;
        let mut halves = Vec::with_capacity(2 * key.digits());
        for digit in 0..key.digits() {
            halves.push(self.poly(b, &poly, digit)?);
            halves.push(self.poly(h, &poly, 2 * digit + 1)?);
        }
        let whole = self.merge(&halves, key.ty())?;
        self.output(self.hub, &format!("key {name}"), whole);
        Ok(())
    }
}
