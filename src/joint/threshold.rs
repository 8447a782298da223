//! Shares of which any t are enough (ia.cr/2022/780, section 3): party i draws a polynomial f_i of degree t - 1 over the ring with f_i(0) = s_i, uniform otherwise, and sends f_i(x_j) to party j, who keeps the sum over i. These are values of a
//! polynomial whose constant term is s: of any t parties shares times Lagrange coefficients (`joint.recombine`) add up to s, and take the place of the s_i in all protocols, which are linear in them. One round, in secret: a share may be seen by
//! its receiver alone.

use super::group::Group;
use super::protocol::{Holding, Protocol};
use crate::graph::Attrs;
use crate::ops::Registry;
use crate::ops::types;
use crate::parties::Shared;
use crate::schemes::close::Chain;
use crate::{Error, Result};
use std::sync::Arc;

impl Protocol<'_> {
    /// The graph by which all of a group deal each other shares: inputs `key NAME` and `fresh NAME`, secret seeds; output `share NAME` of everybody, of type `key_share`.
    ///
    /// # Errors
    /// `Party` for a group that has no threshold; as [`Protocol::new`].
    pub fn dealing(registry: &Arc<Registry>, chain: &Chain, group: &Group) -> Result<Shared> {
        let Some(threshold) = group.threshold() else {
            let expected = "fewer than all: where all take part nothing is dealt".into();
            return Err(Error::Party { what: "threshold".into(), found: "none".into(), expected });
        };
        let everybody = group.everybody();
        let mut own = Protocol::empty(registry, chain, group, &everybody, &group.names()[0], [0; 32])?;
        let mut polynomials = Vec::new();
        for (party, name) in (0..).zip(group.names()) {
            let secret = own.secret(party, name)?;
            let fresh = own.input(party, "fresh", name, types::secret_seed())?;
            let attrs = Attrs::new().with("threshold", threshold);
            let polynomial = own.op(party, "joint.shamir", attrs, &[secret, fresh])?;
            polynomials.push(Holding { party, share: polynomial, fresh });
        }
        for (to, name) in group.names().iter().enumerate() {
            let attrs = Attrs::new().with("point", Group::point(to));
            let mut dealt = Vec::with_capacity(polynomials.len());
            for from in &polynomials {
                dealt.push(own.op(from.party, "joint.evaluate", attrs.clone(), &[from.share])?);
            }
            let share = own.op(to as u32, "joint.sum", Attrs::new(), &dealt)?;
            own.output(to as u32, &format!("share {name}"), share);
        }
        own.finish()
    }
}
