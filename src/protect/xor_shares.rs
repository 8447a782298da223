//! XOR shares: x = r xor (x xor r), for integers and bits.

use super::shares::{Group, Linear, has_letters};
use super::{Change, Recorder, Site, Transformation};
use crate::Result;
use crate::graph::OperandId;
use std::ops::BitXor;

/// `xor_shares`; see the module.
pub(super) struct XorShares;

const BITS: Group = Group { join: "xor", part: "xor", part_of: u64::bitxor, linear };

impl Transformation for XorShares {
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>> {
        Ok(split(recorder, site)?.map(Change::Instead))
    }
}

/// The operator on XOR shares; none where it has no operands that can be split.
pub(super) fn split(recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<OperandId>> {
    BITS.split(recorder, site)
}

/// How operations go with shares, bit by bit. A shift to the right that copies the sign does, too.
fn linear(_: &Recorder<'_>, site: &Site) -> Option<Linear> {
    let linear = match site.plain? {
        "xor" | "concat" => Linear::Jointly(0),
        "select" => Linear::Jointly(1),
        "and" => Linear::Alone(&[0, 1]),
        "gather" | "slice" | "transpose" | "broadcast" | "reduce_xor" | "shl" | "shr" | "rotl" => {
            Linear::Alone(&[0])
        }
        "eq" | "ne" => Linear::Together,
        "not" => Linear::Affine,
        _ => return None,
    };
    Some(linear).filter(|_| has_letters(site))
}
