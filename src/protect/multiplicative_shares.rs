//! Multiplicative shares: x = (x m) m' modulo 2^bits with an odd m and its inverse m', for integers of at least a byte.

use super::additive_shares::linear;
use super::elements::inverse;
use super::shares::{Linear, any_input, constant, inputs};
use super::{Change, Recorder, Site, Transformation};
use crate::Result;
use crate::graph::OperandId;

/// `multiplicative_shares`; see the module.
pub(super) struct MultiplicativeShares;

impl Transformation for MultiplicativeShares {
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>> {
        Ok(split(recorder, site)?.map(Change::Instead))
    }
}

fn split(recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<OperandId>> {
    let factor = recorder.choices.word() | 1;
    let (m, back) = (factor.cast_signed(), inverse(factor).cast_signed());
    if let Some(values) = constant(recorder, site) {
        let Some(tensor) = recorder.integers(site.output) else { return Ok(None) };
        let values: Vec<u64> = values.iter().map(|x| x.wrapping_mul(factor)).collect();
        let Some(scaled) = recorder.constant(&tensor, &values)? else { return Ok(None) };
        return recorder.express(site, &[scaled], &format!("A {back} mul"));
    }
    let Some(linear) = linear(recorder, site) else {
        // In front of the operator.
        let Some(scaled) = any_input(recorder, site) else { return Ok(None) };
        let text = inputs(site, |index, own| match index == scaled {
            true => format!("{own} {m} mul {back} mul"),
            false => own,
        });
        return recorder.express(site, &[], &format!("{text} op"));
    };
    if matches!(linear, Linear::Together) {
        return recorder.express(site, &[], &format!("a {m} mul b {m} mul op"));
    }
    let scaled = linear.operands(recorder, site);
    let text = inputs(site, |index, own| match scaled.contains(&index) {
        true => format!("{own} {m} mul"),
        false => own,
    });
    recorder.express(site, &[], &format!("{text} op {back} mul"))
}
