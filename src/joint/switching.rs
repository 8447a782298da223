//! Collective switching to a receiver's public key (PCKS, ia.cr/2020/304, protocol 5): each party sends (c_1 s_i + b v_i + f e_(i,0), a v_i + f e_(i,1)); c_0 plus the sum of the first, and the sum of the second, are a ciphertext of the same message that the
//! receiver alone decrypts, who need not be there. One round.

use super::decryption::deviation;
use super::protocol::Protocol;
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::types::{self, Extract};
use crate::sorted::SortedMap;

impl Protocol<'_> {
    /// Adds the switch of a ciphertext that everybody has to the public key, over all primes, of a receiver: inputs `NAME PARTY` of all who take part and who adds up, and `RECEIVER PARTY` of those who take part; output `NAME switched` of who
    /// adds up, a ciphertext under the receiver's key.
    ///
    /// # Errors
    /// What the graph says: for a ciphertext that is not of two parts.
    pub fn switching(&mut self, name: &str, ty: &Extract, log_deviation: f64, receiver: &str) -> Result<()> {
        let attrs = Attrs::new().with("deviation", deviation(log_deviation)?);
        let mut own = SortedMap::new();
        let mut shares = Vec::new();
        for member in self.members.clone() {
            let of = self.name(member.party);
            let ciphertext = self.input(member.party, name, &of, ty.ty())?;
            own.insert(member.party, ciphertext);
            let key = self.receiver(receiver, member.party)?;
            let inputs = [member.share, ciphertext, key, member.fresh];
            shares.push(self.op(member.party, "joint.switch_share", attrs.clone(), &inputs)?);
        }
        let hub = self.hub;
        let ciphertext = match own.get(&hub) {
            Some(&known) => known,
            None => {
                let of = self.name(hub);
                self.input(hub, name, &of, ty.ty())?
            }
        };
        let inputs = [&[ciphertext], shares.as_slice()].concat();
        let out = self.op(hub, "joint.switched", Attrs::new(), &inputs)?;
        self.output(hub, &format!("{name} switched"), out);
        Ok(())
    }

    /// The public key of a receiver, as a party has it.
    fn receiver(&mut self, receiver: &str, party: u32) -> Result<OperandId> {
        let known = (receiver.to_owned(), party);
        if let Some(&operand) = self.receivers.get(&known) {
            return Ok(operand);
        }
        let ty = types::public_key(self.chain.n, &self.primes(), self.chain.factor, 1);
        let of = self.name(party);
        let operand = self.input(party, receiver, &of, ty)?;
        self.receivers.insert(known, operand);
        Ok(operand)
    }
}
