//! The collective public key (CKG, ia.cr/2020/304, protocol 1): with a common polynomial a each party sends b_i = -a s_i + f e_i; (sum of b_i, a) is a public key of the sum of the s_i, whose error is
//! the sum of the e_i. One round.

use super::protocol::Protocol;
use crate::Result;
use crate::graph::Attrs;
use crate::ops::types;

impl Protocol<'_> {
    /// Adds the collective public key: output `public key NAME` of everybody, of type `public_key`.
    ///
    /// # Errors
    /// What the graph says.
    pub fn public_key(&mut self) -> Result<()> {
        let wide = self.wide();
        let a = self.common("public", &wide.q, 1)?;
        let attrs = types::with_error_factor(Attrs::new().with("q", wide.q.as_slice()), self.chain.factor);
        let b = self.added("joint.public_share", &attrs, |own| vec![own.share, a, own.fresh])?;
        let ty = types::public_key(wide.n, &wide.q, self.chain.factor, self.chain.parties);
        let key = self.merge(&[b, a], ty)?;
        for party in 0..self.parties().len() as u32 {
            let name = self.name(party);
            self.output(party, &format!("public key {name}"), key);
        }
        Ok(())
    }
}
