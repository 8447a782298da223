//! Dead code: a few operators on what there is, one after the other; nobody needs the last one's result.

use super::{Change, Recorder, Site, Transformation};
use crate::Result;
use crate::graph::OperandId;
use crate::ops::plain::mask;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::types::{WORD, is_secret};

/// `dead_code`; see the module.
pub(super) struct DeadCode;

/// What it is made of.
const OPERATIONS: [&str; 6] = ["add", "sub", "mul", "xor", "and", "or"];
/// Of those, what bits have.
const OF_BITS: [&str; 3] = ["xor", "and", "or"];
/// Most operators of one piece.
const MOST: usize = 4;

impl Transformation for DeadCode {
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>> {
        // Without declared outputs whatever nobody reads is one.
        if recorder.graph().outputs().is_empty() {
            return Ok(None);
        }
        let Some(tensor) = words(recorder, site.output) else { return Ok(None) };
        let mut value = recorder.seen_as(site.output, &tensor)?;
        for _ in 0..2 + recorder.choices.index(MOST - 1) {
            let Some(share) = recorder.share(&tensor, false)? else { return Ok(None) };
            let operations = if tensor.element == Element::Bit { &OF_BITS[..] } else { &OPERATIONS };
            let Some(operation) = recorder.choices.of(operations) else { return Ok(None) };
            let next = recorder.express(site, &[value, share], &format!("A B {operation}"))?;
            let Some(next) = next else { return Ok(None) };
            value = next;
        }
        Ok(Some(Change::Beside))
    }
}

/// An operand as integers or bits; none for secrets, which stay where they are.
fn words(recorder: &Recorder<'_>, operand: OperandId) -> Option<Tensor> {
    let (ty, unit) = (recorder.graph().ty(operand), recorder.unit());
    if is_secret(ty) {
        return None;
    }
    match Tensor::of(ty, unit) {
        Ok(tensor) => Some(match tensor.element.is_float() {
            true => Tensor { element: mask(tensor.element), ..tensor },
            false => tensor,
        }),
        Err(_) if unit == WORD => Some(Tensor::new(Element::U64, [ty.size])),
        Err(_) => None,
    }
}
