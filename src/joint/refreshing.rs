//! Refreshing together, or collective bootstrapping (ia.cr/2020/304, protocol ColBoot of section 4.4; of any t of N, ia.cr/2022/780): each party draws a mask M_i and sends (h_i, g_i) = (c_1 s_i + M_i + f e~_i, -a s_i - M_i + f e_i), a common. c_0 plus the sum of the
//! h_i decrypts to the message with all masks added, which tells nothing of it; plus the sum of the g_i that is, with a, a fresh ciphertext of the message under the same key. One round.
//!
//! What is opened meanwhile are, beside a message that masks hide, the errors of the ciphertext: as where results are decrypted, noise hides them, and under CKKS the masks themselves, which are so much larger. So each refresh is one of the decryptions
//! that a program declares.

use super::decryption::deviation;
use super::protocol::Protocol;
use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::ops::types::{Ciphertext, Extract, Form, Limb, Scheme};
use crate::schemes::close::Refresh;
use crate::sorted::{Entry, SortedMap};

impl Protocol<'_> {
    /// Adds the refreshing of a ciphertext that everybody has: inputs `NAME PARTY` of all who take part and who adds up; outputs `NAME refreshed` of who adds up, and `NAME noise`, log2 of the largest coefficient, or error, of what is opened meanwhile.
    ///
    /// # Errors
    /// What the graph says: for a ciphertext that is not of two parts, a deviation that cannot be drawn, and masks that are none for its scheme.
    pub fn refreshing(&mut self, name: &str, ty: &Ciphertext, refresh: &Refresh) -> Result<()> {
        let whole = Extract::whole(ty.clone()).ty();
        let mut own = SortedMap::new();
        let holders: Vec<u32> = self.members.iter().map(|member| member.party).collect();
        for party in holders.into_iter().chain([self.hub]) {
            if let Entry::Vacant(place) = own.entry(party) {
                let of = self.name(party);
                place.insert(self.input(party, name, &of, whole.clone())?);
            }
        }
        let a = self.common(name, &refresh.wide, 1)?;
        let (base, count) = refresh.mask;
        let attrs = Attrs::new().with("n", ty.n).with("base", base).with("count", count);
        let hiding = match refresh.deviation {
            Some(log) => Attrs::new().with("deviation", deviation(log)?),
            None => Attrs::new(),
        };
        let (mut masked, mut fresh) = (Vec::new(), Vec::new());
        for member in self.members.clone() {
            let (party, ciphertext) = (member.party, own[&member.party]);
            let mask = self.op(party, "joint.mask", attrs.clone(), &[member.fresh])?;
            let inputs = [member.share, ciphertext, mask, member.fresh];
            masked.push(self.op(party, "joint.masked_share", hiding.clone(), &inputs)?);
            let inputs = [member.share, ciphertext, a, mask, member.fresh];
            fresh.push(self.op(party, "joint.refresh_share", Attrs::new(), &inputs)?);
        }
        let hub = self.hub;
        let inputs = [&[own[&hub], a], masked.as_slice(), &fresh].concat();
        let mut out = self.op(hub, "joint.refreshed", Attrs::new(), &inputs)?;
        if let Scheme::Ckks { scale } = refresh.ty.scheme {
            let attrs = Attrs::new().with("keep", refresh.ty.q.len()).with("scale", scale);
            out = self.op(hub, "ckks.adjust", attrs, &[out])?;
        }
        let noise = self.opened_noise(ty, own[&hub], &masked)?;
        self.output(hub, &format!("{name} refreshed"), out);
        self.output(hub, &format!("{name} noise"), noise);
        Ok(())
    }

    /// How much noise there is in what the hub opens, masks and all: by it a share that is none is found out.
    fn opened_noise(
        &mut self,
        ty: &Ciphertext,
        ciphertext: OperandId,
        masked: &[OperandId],
    ) -> Result<OperandId> {
        let hub = self.hub;
        let opened = self.op(hub, "joint.combine", Attrs::new(), &[&[ciphertext], masked].concat())?;
        match ty.scheme {
            Scheme::Bfv { .. } => self.op(hub, "bfv.noise", Attrs::new(), &[opened]),
            Scheme::Bgv { .. } => self.op(hub, "bgv.noise", Attrs::new(), &[opened]),
            Scheme::Ckks { .. } => {
                let phase = self.op(hub, "rlwe.phase", Attrs::new(), &[opened])?;
                let limbs = ty.q.iter().enumerate().map(|(index, &q)| {
                    let limb = Limb { n: ty.n, q, form: Form::Coeff }.ty();
                    self.view(phase, (index * ty.n) as u64, limb)
                });
                let limbs = limbs.collect::<Result<Vec<_>>>()?;
                self.op(hub, "rns.norm", Attrs::new(), &limbs)
            }
        }
    }
}
