//! Additive shares: x = r + (x - r) modulo 2^bits, for integers of at least a byte.

use super::shares::{Group, Linear, has_letters};
use super::{Change, Recorder, Site, Transformation};
use crate::Result;

/// `additive_shares`; see the module.
pub(super) struct AdditiveShares;

const SUMS: Group = Group { join: "add", part: "sub", part_of: u64::wrapping_sub, linear };

impl Transformation for AdditiveShares {
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>> {
        Ok(SUMS.split(recorder, site)?.map(Change::Instead))
    }
}

/// How operations on integers go with sums of shares; also, how they go with factors.
pub(super) fn linear(recorder: &Recorder<'_>, site: &Site) -> Option<Linear> {
    // Sums have 64 bits, and wrap there.
    let element = |operand| recorder.integers(operand).map(|tensor| tensor.element);
    let same = || element(site.inputs[0]) == element(site.output);
    let linear = match site.plain? {
        "add" | "sub" | "neg" | "concat" => Linear::Jointly(0),
        "select" => Linear::Jointly(1),
        "mul" | "matmul" => Linear::Alone(&[0, 1]),
        "gather" | "slice" | "transpose" | "broadcast" | "shl" => Linear::Alone(&[0]),
        "sum" if same() => Linear::Alone(&[0]),
        "scan" if same() && site.attrs.text("of") == Ok("sum") => Linear::Alone(&[0]),
        "eq" | "ne" => Linear::Together,
        _ => return None,
    };
    Some(linear).filter(|_| has_letters(site))
}
