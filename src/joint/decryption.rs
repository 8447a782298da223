//! Collective decryption (CKS to a key of 0, ia.cr/2020/304, protocol 3): each party sends d_i = c_1 s_i + f e_i, e_i noise that hides the errors of the ciphertext; c_0 plus the sum is the message and errors and all noise. One round.

use super::protocol::Protocol;
use crate::graph::{Attrs, Real};
use crate::ops::types::Extract;
use crate::sorted::SortedMap;
use crate::{Error, Result};

impl Protocol<'_> {
    /// Adds the decryption of a ciphertext that everybody has: input `NAME PARTY` of all who take part or learn it, whose names are `to`; output `NAME opened PARTY` of these, a ciphertext of one part,
    /// which decrypts without a key. `log_deviation`: log2 of the deviation of each one's noise ([`Closed::deviation`](crate::schemes::close::Closed)).
    ///
    /// # Errors
    /// `Party` for a name that is none of the graph's; what the graph says: for a ciphertext that is not of two parts, and a deviation that cannot be drawn.
    pub fn decryption(&mut self, name: &str, ty: &Extract, log_deviation: f64, to: &[String]) -> Result<()> {
        let deviation = deviation(log_deviation)?;
        let mut receivers = Vec::with_capacity(to.len());
        for name in to {
            let found = self.parties().iter().position(|party| party == name);
            receivers.push(found.ok_or_else(|| Error::Party {
                what: "party that learns results".into(),
                found: format!("`{name}`"),
                expected: self.parties().join(", "),
            })? as u32);
        }
        let mut own = SortedMap::new();
        let holders: Vec<u32> = self.members.iter().map(|member| member.party).collect();
        for party in holders.iter().chain(&receivers) {
            if !own.contains_key(party) {
                let of = self.name(*party);
                own.insert(*party, self.input(*party, name, &of, ty.ty())?);
            }
        }
        let attrs = Attrs::new().with("deviation", deviation);
        let mut shares = Vec::new();
        for member in self.members.clone() {
            let inputs = [member.share, own[&member.party], member.fresh];
            shares.push(self.op(member.party, "joint.decryption_share", attrs.clone(), &inputs)?);
        }
        for party in receivers {
            let inputs = [&[own[&party]], shares.as_slice()].concat();
            let opened = self.op(party, "joint.combine", Attrs::new(), &inputs)?;
            let of = self.name(party);
            self.output(party, &format!("{name} opened {of}"), opened);
        }
        Ok(())
    }
}

/// A deviation from its logarithm.
pub(super) fn deviation(log: f64) -> Result<Real> {
    Real::new(libm::exp2(log)).ok_or(Error::Job("deviations are finite"))
}
