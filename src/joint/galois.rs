//! A collective Galois key (GKG, ia.cr/2020/304, protocol 4, of rotation keys): with common polynomials a_d each party sends b_(i,d) = -a_d s_i(X^(1/g)) + f e_(i,d) + P g_d s_i; (sums of b_(i,d), a_d) is the switching key
//! from s to s(X^(1/g)), whose errors are sums of theirs. One round.

use super::protocol::Protocol;
use super::relinearization::attrs_of;
use crate::Result;

impl Protocol<'_> {
    /// Adds the Galois key of element `g` at a level of so many primes: output `key galois G` of who adds up, of type `switching_key`.
    ///
    /// # Errors
    /// What the graph says: for a `g` that is none.
    pub fn galois_key(&mut self, name: &str, g: u64, level: usize) -> Result<()> {
        let key = self.chain.key(level);
        let poly = key.poly();
        let a = self.common(name, &poly.q, key.digits())?;
        let attrs = attrs_of(&key).with("g", g);
        let b = self.added("joint.galois_share", &attrs, |own| vec![own.share, a, own.fresh])?;
        let mut halves = Vec::with_capacity(2 * key.digits());
        for digit in 0..key.digits() {
            for half in [b, a] {
                halves.push(self.poly(half, &poly, digit)?);
            }
        }
        let whole = self.merge(&halves, key.ty())?;
        self.output(self.hub, &format!("key {name}"), whole);
        Ok(())
    }
}
