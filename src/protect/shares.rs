//! Operator splitting: what additive, multiplicative and XOR shares have in common.
//!
//! With x' = x - r, an operator f that is linear in x is done to x' and to r, and both results are added. Where an
//! operator is not linear, an input is split and put together again in front of it; a constant becomes two.

use super::{Recorder, Site};
use crate::Result;
use crate::graph::OperandId;

/// Operations that take operands element by element, so that shares may broadcast.
const ELEMENTWISE: [&str; 13] =
    ["add", "sub", "neg", "mul", "and", "xor", "not", "select", "shl", "shr", "rotl", "eq", "ne"];

/// How an operation f goes with shares x = x' + r.
#[derive(Clone, Copy)]
pub(super) enum Linear {
    /// In each of these operands alone: f(x', y) + f(r, y).
    Alone(&'static [usize]),
    /// In all operands from this one on: f(x', y') + f(r, s).
    Jointly(usize),
    /// The same change of both gives the same result: f(x - r, y - r).
    Together,
    /// f(x - r) + r.
    Affine,
}

impl Linear {
    /// The operands of the site that are split.
    pub fn operands(self, recorder: &mut Recorder<'_>, site: &Site) -> Vec<usize> {
        match self {
            Self::Alone(operands) => recorder.choices.of(operands).into_iter().collect(),
            Self::Jointly(first) => (first..site.inputs.len()).collect(),
            Self::Together | Self::Affine => vec![0],
        }
    }
}

/// Two operations of which the second undoes the first.
pub(super) struct Group {
    /// Puts shares together.
    pub join: &'static str,
    /// What is left of a value without a share.
    pub part: &'static str,
    /// The same, of elements of constants.
    pub part_of: fn(u64, u64) -> u64,
    /// How operations go with it.
    pub linear: fn(&Recorder<'_>, &Site) -> Option<Linear>,
}

impl Group {
    /// The operator on shares; none where it has no operands that this group splits.
    pub fn split(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<OperandId>> {
        if let Some(values) = constant(recorder, site) {
            return self.constant(recorder, site, &values);
        }
        match (self.linear)(recorder, site) {
            Some(linear) => self.carried(recorder, site, linear),
            None => self.in_front(recorder, site),
        }
    }

    fn carried(&self, recorder: &mut Recorder<'_>, site: &Site, linear: Linear) -> Result<Option<OperandId>> {
        let Self { join, part, .. } = self;
        let split = linear.operands(recorder, site);
        let mut shares = Vec::with_capacity(split.len());
        for &index in &split {
            let Some(share) = share(recorder, site, index, !is_elementwise(site))? else { return Ok(None) };
            shares.push(share);
        }
        let position = |index| split.iter().position(|&own| own == index);
        let lessened = inputs(site, |index, own| match position(index) {
            Some(share) => format!("{own} {} {part}", letter(b'A', share)),
            None => own,
        });
        let random = inputs(site, |index, own| match position(index) {
            Some(share) => letter(b'A', share),
            None => own,
        });
        let text = match linear {
            Linear::Alone(_) | Linear::Jointly(_) => format!("{lessened} op {random} op {join}"),
            Linear::Together => format!("a A {part} b A {part} op"),
            Linear::Affine => format!("a A {part} op A {join}"),
        };
        recorder.express(site, &shares, &text)
    }

    fn in_front(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<OperandId>> {
        let Self { join, part, .. } = self;
        let Some(split) = any_input(recorder, site) else { return Ok(None) };
        let Some(share) = share(recorder, site, split, false)? else { return Ok(None) };
        let text = inputs(site, |index, own| match index == split {
            true => format!("{own} A {part} A {join}"),
            false => own,
        });
        recorder.express(site, &[share], &format!("{text} op"))
    }

    fn constant(
        &self,
        recorder: &mut Recorder<'_>,
        site: &Site,
        values: &[u64],
    ) -> Result<Option<OperandId>> {
        let random: Vec<u64> = values.iter().map(|_| recorder.choices.word()).collect();
        let rest: Vec<u64> = values.iter().zip(&random).map(|(&x, &r)| (self.part_of)(x, r)).collect();
        let Some(tensor) = recorder.integers(site.output) else { return Ok(None) };
        let (Some(rest), Some(random)) =
            (recorder.constant(&tensor, &rest)?, recorder.constant(&tensor, &random)?)
        else {
            return Ok(None);
        };
        recorder.express(site, &[rest, random], &format!("A B {}", self.join))
    }
}

/// The elements of the constant that the site is, if it is one.
pub(super) fn constant(recorder: &Recorder<'_>, site: &Site) -> Option<Vec<u64>> {
    recorder.constant_of(site.output).map(|(_, values)| values.to_vec())
}

/// Any input of integers or bits, of an operator on integers or bits that has no more inputs than there are letters.
pub(super) fn any_input(recorder: &mut Recorder<'_>, site: &Site) -> Option<usize> {
    let all = 0..site.inputs.len();
    let split: Vec<usize> = all.filter(|&index| recorder.integers(site.inputs[index]).is_some()).collect();
    recorder.choices.of(&split).filter(|_| site.plain.is_some() && has_letters(site))
}

/// True where every input has a letter in expressions.
pub(super) fn has_letters(site: &Site) -> bool {
    site.inputs.len() <= 26
}

/// The inputs of the site in an expression; `of` makes something of the number and the letter of each.
pub(super) fn inputs(site: &Site, of: impl Fn(usize, String) -> String) -> String {
    let all = (0..site.inputs.len()).map(|index| of(index, letter(b'a', index)));
    all.collect::<Vec<_>>().join(" ")
}

fn letter(first: u8, index: usize) -> String {
    char::from(first + index as u8).to_string()
}

fn share(recorder: &mut Recorder<'_>, site: &Site, index: usize, whole: bool) -> Result<Option<OperandId>> {
    match recorder.integers(site.inputs[index]) {
        Some(tensor) => recorder.share(&tensor, whole),
        None => Ok(None),
    }
}

fn is_elementwise(site: &Site) -> bool {
    site.plain.is_some_and(|operation| ELEMENTWISE.contains(&operation))
}
