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
use crate::ops::types::{Form, Poly};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{noise, rlwe};

/// Bits that P may be smaller than Q: primes next to each other differ by a little.
const SLACK: f64 = 1.0;

/// Largest auxiliary primes: those that double-precision kernels can serve.
const AUX_BITS: u32 = 50;

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

/// The first of auxiliary primes that are enough for ciphertexts modulo the primes `q`; all, where they are not.
pub fn enough<'a>(aux: &'a [u64], q: &[u64]) -> &'a [u64] {
    let needed = noise::log2(q) - SLACK;
    let count = (1..aux.len()).find(|&count| noise::log2(&aux[..count]) >= needed);
    &aux[..count.unwrap_or(aux.len())]
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
        let (ty, _) = super::ciphertext(call, 0)?;
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
        let (ty, t) = super::ciphertext(call, 0)?;
        let aux = call.moduli("aux")?;
        let wide = Poly { n: ty.n, q: [ty.q.as_slice(), &aux].concat(), form: ty.form };
        let sums = rlwe::tensor(s, inputs, &wide, |s, pair| factors(s, pair, &wide, ty.q.len()))?;
        let mut parts = Vec::with_capacity(3);
        for sum in sums {
            let attrs = Attrs::new().with("drop", aux.as_slice()).with("factor", t);
            let sum = rlwe::in_form(s, sum, Form::Coeff)?;
            let part = s.op("rns.scale_round", attrs, &[sum])?;
            parts.push(rlwe::in_form(s, part, ty.form)?);
        }
        s.merge(&parts, ty.with_parts(3).ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let (ty, t) = super::ciphertext(call, 0).ok()?;
        let (log_q, log_p) = (noise::log2(&ty.q), noise::log2(&call.attrs.uints("aux").ok()?));
        let product = |&[a, b]: &[Noise; 2]| {
            let switched = noise::sum(&[b.error, noise::rounding(&ty, 2) + log_q - log_p]);
            noise::multiply(&ty, t, log_q, a.error, switched)
        };
        Some(Noise::error(noise::sum(&inputs.as_chunks().0.iter().map(product).collect::<Vec<_>>())))
    }
}

/// The parts of the factors a and b modulo Q P, in the form of `wide`: conversions are of coefficients, but a modulo Q is there as it is.
fn factors(s: &mut Session<'_>, [a, b]: &[OperandId; 2], wide: &Poly, q: usize) -> Result<[OperandId; 4]> {
    let (q, aux) = wide.q.split_at(q);
    let to_aux = Attrs::new().with("to", aux);
    let (a, b) = (s.parts(*a)?, s.parts(*b)?);
    let first = |s: &mut Session<'_>, part: OperandId| {
        let coefficients = rlwe::in_form(s, part, Form::Coeff)?;
        let extended = s.op("rns.extend", to_aux.clone(), &[coefficients])?;
        let extended = rlwe::in_form(s, extended, wide.form)?;
        s.merge(&[part, extended], wide.ty())
    };
    let first = [first(s, a[0])?, first(s, a[1])?];
    let second = |s: &mut Session<'_>, part: OperandId| {
        let coefficients = rlwe::in_form(s, part, Form::Coeff)?;
        let switched = s.op("rns.switch", to_aux.clone(), &[coefficients])?;
        let extended = s.op("rns.extend", Attrs::new().with("to", q), &[switched])?;
        let both = s.merge(&[extended, switched], Poly { form: Form::Coeff, ..wide.clone() }.ty())?;
        rlwe::in_form(s, both, wide.form)
    };
    Ok([first[0], first[1], second(s, b[0])?, second(s, b[1])?])
}
