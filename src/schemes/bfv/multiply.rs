//! `bfv.multiply`: the product of two ciphertexts, three parts: round(t/Q (a_0, a_1) (x) (b_0, b_1)); or the sum of several
//! such products, which is divided and rounded once. Inputs: a and b of each product.
//!
//! b is switched from Q to auxiliary primes of product P, and the product is formed modulo Q P and divided by P/t: the
//! variant "over Q" of Kim, Polyakov and Zucca (ia.cr/2021/204) of the full-RNS multiplication of Halevi, Polyakov and
//! Shoup (ia.cr/2018/117), with exact centered conversions. What wraps around Q P becomes a multiple of t Q after the
//! division, so that P need not be larger than Q; switching b costs the noise of its rounding, times Q/P. Attribute
//! `aux`: the primes of P.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::MathError;
use crate::math::prime::ntt_primes;
use crate::ops::types::{Ciphertext, Form, Limb, Poly};
use crate::ops::{Call, Level, OpDef, Session};
use crate::schemes::noise;

/// Bits that P may be smaller than Q: primes next to each other differ by a little.
const SLACK: f64 = 1.0;

/// Largest auxiliary primes: those that double-precision kernels can serve.
const AUX_BITS: u32 = 50;

/// Products that are summed before they leave NTT form: more of them save little, and hold more storage at a time.
const TOGETHER: usize = 8;

/// The fewest auxiliary primes for ciphertexts of ring dimension `n` modulo the primes `q`; none of them is in `taken`.
///
/// # Errors
/// `TooFewPrimes` when there are not so many.
pub fn auxiliary_primes(n: usize, q: &[u64], taken: &[u64]) -> std::result::Result<Vec<u64>, MathError> {
    let needed = noise::log2(q) - SLACK;
    let mut count = 1;
    loop {
        let aux = ntt_primes(AUX_BITS, n, count, &[q, taken].concat())?;
        if noise::log2(&aux) >= needed {
            return Ok(aux);
        }
        count += 1;
    }
}

/// `bfv.multiply`; see the module.
pub struct Multiply;

impl OpDef for Multiply {
    fn name(&self) -> &str {
        "bfv.multiply"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["aux"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let inputs = call.inputs.len();
        if inputs == 0 || !inputs.is_multiple_of(2) {
            return Err(call.error("number of inputs", inputs, "2 for each product"));
        }
        let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
        for other in 1..inputs {
            call.same(0, other)?;
        }
        if ty.parts != 2 {
            return Err(call.error("parts of the factors", ty.parts, 2));
        }
        let aux = call.moduli("aux")?;
        let needed = noise::log2(&ty.q) - SLACK;
        if noise::log2(&aux) < needed || aux.iter().any(|p| ty.q.contains(p)) {
            let expected = format!("{needed:.1} bits of primes that are not in q");
            return Err(call.error("aux", format!("{aux:?}"), expected));
        }
        Ok(ty.with_parts(3).ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = Ciphertext::of(&call.inputs[0])?;
        let aux = call.moduli("aux")?;
        let wide = Poly { n: ty.n, q: [ty.q.as_slice(), &aux].concat(), form: Form::Coeff };
        let mut sums: Option<[OperandId; 3]> = None;
        for pairs in inputs.chunks(2 * TOGETHER) {
            let tensors = tensors(s, pairs, &ty, &wide)?;
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
        let mut parts = Vec::with_capacity(3);
        for sum in sums.into_iter().flatten() {
            let attrs = Attrs::new().with("drop", aux.as_slice()).with("factor", ty.t);
            parts.push(s.op("rns.scale_round", attrs, &[sum])?);
        }
        s.merge(&parts, ty.with_parts(3).ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[f64]) -> Option<f64> {
        let ty = Ciphertext::of(call.inputs.first()?).ok()?;
        let (log_q, log_p) = (noise::log2(&ty.q), noise::log2(&call.attrs.uints("aux").ok()?));
        let product = |&[a, b]: &[f64; 2]| {
            let switched = noise::sum(&[b, noise::rounding(ty.n, 2) + log_q - log_p]);
            noise::multiply(ty.n, ty.t, log_q, a, switched)
        };
        Some(noise::sum(&inputs.as_chunks().0.iter().map(product).collect::<Vec<_>>()))
    }
}

/// The parts of the sum of products of `pairs` modulo Q P.
fn tensors(s: &mut Session<'_>, pairs: &[OperandId], ty: &Ciphertext, wide: &Poly) -> Result<[OperandId; 3]> {
    let aux = &wide.q[ty.q.len()..];
    let to_aux = Attrs::new().with("to", aux);
    let mut factors = Vec::with_capacity(2 * pairs.len());
    for [a, b] in pairs.as_chunks().0 {
        for part in s.parts(*a)? {
            let extended = s.op("rns.extend", to_aux.clone(), &[part])?;
            factors.push(s.merge(&[part, extended], wide.ty())?);
        }
        for part in s.parts(*b)? {
            let switched = s.op("rns.switch", to_aux.clone(), &[part])?;
            let extended = s.op("rns.extend", Attrs::new().with("to", ty.q.as_slice()), &[switched])?;
            factors.push(s.merge(&[extended, switched], wide.ty())?);
        }
    }
    let mut limbs = Vec::with_capacity(factors.len());
    for factor in factors {
        let factor = s.op("poly.ntt", Attrs::new(), &[factor])?;
        limbs.push(s.limbs(factor)?);
    }
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    for (index, &q) in wide.q.iter().enumerate() {
        let operands: Vec<OperandId> = limbs.iter().map(|factor| factor[index]).collect();
        let tensor = s.op("limb.tensor", Attrs::new(), &operands)?;
        let limb = Limb { n: ty.n, q, form: Form::Coeff };
        for (number, part) in parts.iter_mut().enumerate() {
            part.push(s.split(tensor, (number * ty.n) as u64, limb.ty())?);
        }
    }
    let [first, second, third] = &parts;
    Ok([s.merge(first, wide.ty())?, s.merge(second, wide.ty())?, s.merge(third, wide.ty())?])
}
