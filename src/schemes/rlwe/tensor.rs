//! Products of ciphertexts as products of polynomials in their secrets: (a_0 b_0, a_0 b_1 + a_1 b_0, a_1 b_1).

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Poly, Scheme};
use crate::ops::{Call, Session};

/// Products that are summed before they leave NTT form: more of them save little, and hold more storage at a time.
const TOGETHER: usize = 8;

/// The three parts of the sum of the products of `pairs`, a and b in turns, modulo the primes of `poly`, in its form. `factors` gives the parts a_0, a_1, b_0
/// and b_1 of a pair there, in that form, too.
///
/// # Errors
/// What `factors` says.
pub fn tensor(
    s: &mut Session<'_>,
    pairs: &[OperandId],
    poly: &Poly,
    factors: impl Fn(&mut Session<'_>, &[OperandId; 2]) -> Result<[OperandId; 4]>,
) -> Result<[OperandId; 3]> {
    let mut sums: Option<[OperandId; 3]> = None;
    for pairs in pairs.chunks(2 * TOGETHER) {
        let mut parts = Vec::with_capacity(2 * pairs.len());
        for pair in pairs.as_chunks().0 {
            parts.extend(factors(s, pair)?);
        }
        let tensors = sum(s, &parts, poly)?;
        sums = Some(match sums {
            None => tensors,
            Some(mut sums) => {
                for (sum, tensor) in sums.iter_mut().zip(tensors) {
                    *sum = s.op("poly.add", Attrs::new(), &[*sum, tensor])?;
                }
                sums
            }
        });
    }
    sums.ok_or(crate::Error::Job("a sum of no products"))
}

/// The parts of two ciphertexts, as they are.
///
/// # Errors
/// `Graph` for what is no ciphertext.
pub fn own_parts(s: &mut Session<'_>, [a, b]: &[OperandId; 2]) -> Result<[OperandId; 4]> {
    let (a, b) = (s.parts(*a)?, s.parts(*b)?);
    Ok([a[0], a[1], b[0], b[1]])
}

/// The type of a sum of products of ciphertexts of one level, two parts each; `scheme` tells that of the product of input `first` and the next, which
/// must be the same for all.
///
/// # Errors
/// `Operator` for an odd number of inputs, other parts, ciphertexts or products of different types.
pub fn product_type(call: &Call<'_>, scheme: impl Fn(usize) -> Result<Scheme>) -> Result<ValueType> {
    let inputs = call.inputs.len();
    if inputs == 0 || !inputs.is_multiple_of(2) {
        return Err(call.error("number of inputs", inputs, "2 for each product"));
    }
    let mut output: Option<ValueType> = None;
    for first in (0..inputs).step_by(2) {
        let scheme = scheme(first)?;
        let product = |index: usize| -> Result<ValueType> {
            let ty = Ciphertext::of(call.input(index, "ciphertext")?)?;
            if ty.parts != 2 {
                return Err(call.error(format!("parts of input {index}"), ty.parts, 2));
            }
            Ok(Ciphertext { parts: 3, scheme, ..ty }.ty())
        };
        let (a, b) = (product(first)?, product(first + 1)?);
        if a != b {
            return Err(call.error(
                format!("input {}", first + 1),
                &call.inputs[first + 1],
                &call.inputs[first],
            ));
        }
        let sum = output.get_or_insert_with(|| a.clone());
        if *sum != a {
            return Err(call.error(format!("product {}", first / 2), a, &*sum));
        }
    }
    Ok(output.unwrap_or_else(|| call.inputs[0].clone()))
}

/// The three parts of the sum of the products of these factors, four polynomials each.
fn sum(s: &mut Session<'_>, factors: &[OperandId], poly: &Poly) -> Result<[OperandId; 3]> {
    let mut limbs = Vec::with_capacity(factors.len());
    for &factor in factors {
        let factor = if poly.form == Form::Ntt { factor } else { s.op("poly.ntt", Attrs::new(), &[factor])? };
        limbs.push(s.limbs(factor)?);
    }
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    for (index, limb) in (0..poly.q.len()).map(|index| (index, poly.limb(index))) {
        let operands: Vec<OperandId> = limbs.iter().map(|factor| factor[index]).collect();
        if poly.form == Form::Ntt {
            for (part, (terms, twice)) in parts.iter_mut().zip(terms(&operands)) {
                let mut sum = None;
                for (terms, twice) in [(terms, false), (twice, true)] {
                    if terms.is_empty() {
                        continue;
                    }
                    let mut own = s.op("limb.dot", Attrs::new(), &terms)?;
                    if twice {
                        own = s.op("limb.add", Attrs::new(), &[own, own])?;
                    }
                    sum = Some(match sum {
                        Some(sum) => s.op("limb.add", Attrs::new(), &[sum, own])?,
                        None => own,
                    });
                }
                part.push(sum.ok_or(crate::Error::Job("a sum of no products"))?);
            }
            continue;
        }
        let tensor = s.op("limb.tensor", Attrs::new(), &operands)?;
        for (number, part) in parts.iter_mut().enumerate() {
            part.push(s.split(tensor, (number * limb.n) as u64, limb.ty())?);
        }
    }
    let [first, second, third] = &parts;
    Ok([s.merge(first, poly.ty())?, s.merge(second, poly.ty())?, s.merge(third, poly.ty())?])
}

/// The factors of each part's terms, in turns, and of those that count twice: 2 a_0 a_1 of several squares.
fn terms(factors: &[OperandId]) -> [(Vec<OperandId>, Vec<OperandId>); 3] {
    let mut terms: [(Vec<OperandId>, Vec<OperandId>); 3] = Default::default();
    let all: &[[OperandId; 4]] = factors.as_chunks().0;
    let square = |&[a0, a1, b0, b1]: &[OperandId; 4]| (a0, a1) == (b0, b1);
    let several = all.iter().filter(|factors| square(factors)).count() > 1;
    for factors @ &[a0, a1, b0, b1] in all {
        terms[0].0.extend([a0, b0]);
        if several && square(factors) {
            terms[1].1.extend([a0, a1]);
        } else {
            terms[1].0.extend([a0, b1, a1, b0]);
        }
        terms[2].0.extend([a1, b1]);
    }
    terms
}
