//! Redundant branches: a value in two ways, and a condition that always chooses one of them, or never, though it is computed
//! from data.
//!
//! Either both ways give the value, differently written, or the way that is not chosen gives another one.

use super::{Change, Recorder, Site, Transformation, rewriting, xor_shares};
use crate::Result;
use crate::graph::OperandId;
use crate::ops::plain::mask;
use crate::ops::tensor::{Element, Tensor};

/// `branches`; see the module.
pub(super) struct Branches;

/// What is true of any two unsigned integers, in the notation of [`Recorder::express`].
const TRUE_OF_INTEGERS: [&str; 7] = [
    // A (A + 1) is even.
    "A A mul A add 1 and 0 eq",
    // A square is no 7 B^2 - 1: not even modulo 8.
    "B B mul 7 mul 1 sub A A mul ne",
    "A 1 or 0 ne",
    "A B and A le",
    "A A B or le",
    "A B xor A B or A B and sub eq",
    "A B and A B or le",
];
/// What is true of any two bits.
const TRUE_OF_BITS: [&str; 4] =
    ["A A not or", "A B and A le", "A B xor A B or A B and not and eq", "A B or A not or"];

impl Transformation for Branches {
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>> {
        let Some(tensor) = recorder.integers(site.output).filter(|_| site.plain.is_some()) else {
            return Ok(None);
        };
        let Some(condition) = truth(recorder, site, &tensor)? else { return Ok(None) };
        let Some(right) = recorder.again(site)? else { return Ok(None) };
        let other = match recorder.choices.coin() {
            true => otherwise(recorder, site)?,
            false => wrong(recorder, site, &tensor)?,
        };
        let Some(other) = other else { return Ok(None) };
        let text = if recorder.choices.coin() { "A B C select" } else { "A 1 xor C B select" };
        Ok(recorder.express(site, &[condition, right, other], text)?.map(Change::Instead))
    }
}

/// Something computed from data that is 1 everywhere.
fn truth(recorder: &mut Recorder<'_>, site: &Site, tensor: &Tensor) -> Result<Option<OperandId>> {
    let tensor = Tensor { element: mask(tensor.element), ..tensor.clone() };
    let all = if tensor.element == Element::Bit { &TRUE_OF_BITS[..] } else { &TRUE_OF_INTEGERS };
    let (Some(text), Some(a), Some(b)) =
        (recorder.choices.of(all), recorder.data(&tensor)?, recorder.data(&tensor)?)
    else {
        return Ok(None);
    };
    recorder.express(site, &[a, b], text)
}

/// The value of the site, otherwise.
fn otherwise(recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<OperandId>> {
    match rewriting::rewrite(recorder, site)? {
        None => xor_shares::split(recorder, site),
        rewritten => Ok(rewritten),
    }
}

/// Another value than that of the site, from the same operands.
fn wrong(recorder: &mut Recorder<'_>, site: &Site, tensor: &Tensor) -> Result<Option<OperandId>> {
    let (Some(right), Some(share)) = (recorder.again(site)?, recorder.share(tensor, false)?) else {
        return Ok(None);
    };
    recorder.express(site, &[right, share], "A B xor")
}

#[cfg(test)]
mod tests {
    use super::super::model::evaluate;
    use super::*;

    #[test]
    fn what_is_true_of_all_is() {
        for (bits, texts) in [(8, &TRUE_OF_INTEGERS[..]), (1, &TRUE_OF_BITS)] {
            for text in texts {
                for a in 0..1 << bits {
                    assert!((0..1 << bits).all(|b| evaluate(text, &[a, b], bits) == 1), "{text}");
                }
            }
        }
    }
}
