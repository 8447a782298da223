//! Kernels of base operators, the vector platform's and the reference's, on the same inputs.

use cipherloom::graph::{Attrs, Real, ValueType};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{self, Form, Limb, Poly, block_size};
use cipherloom::ops::{Call, OpDef, base, fused};
use cipherloom::platform::{Kernel, Platform, Scalar, Simd};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

type Result<T> = std::result::Result<T, JsError>;

/// Primes of 50 bits: those of a ciphertext modulus, and one more.
const PRIMES: usize = 8;
/// The plaintext modulus has as many bits as in the comparison with SEAL.
const PLAIN_BITS: u32 = 20;
/// Pairs of an inner product: digits of a key switch.
const PAIRS: usize = 4;

/// Base operators and fused ones.
fn operators() -> Vec<Arc<dyn OpDef>> {
    base::all().into_iter().chain(fused::all()).collect()
}

/// Names of all base operators, fused ones too.
#[wasm_bindgen(js_name = baseOperators)]
pub fn base_operators() -> Vec<String> {
    operators().iter().map(|def| def.name().to_owned()).collect()
}

/// One base operator: two kernels and what they work on.
#[wasm_bindgen]
pub struct Kernels {
    simd: Kernel,
    scalar: Kernel,
    /// Block by block, as kernels take them.
    inputs: Vec<Vec<u64>>,
    out: Vec<u64>,
    scratch: Vec<u64>,
}

#[wasm_bindgen]
impl Kernels {
    /// The operator of that name in a ring of dimension `n`; undefined for one that nobody wrote a case for.
    pub fn prepare(name: &str, n: usize) -> Result<Option<Kernels>> {
        let Some((attrs, inputs)) = case(name, n)? else { return Ok(None) };
        let defs = operators();
        let Some(def) = defs.iter().find(|def| def.name() == name) else { return Ok(None) };
        let call = Call { name, attrs: &attrs, inputs: &inputs, unit: 64 };
        let output = def.assemble(&call)?;
        let words = |(index, ty)| {
            let words: Vec<u64> = words(ty, index);
            words.chunks(block_size(ty) as usize).map(<[u64]>::to_vec).collect::<Vec<_>>()
        };
        let words = inputs.iter().enumerate().flat_map(words).collect();
        let (simd, scalar) = (Simd::new().kernel(&call, &output)?, Scalar::new().kernel(&call, &output)?);
        let scratch = vec![0; simd.scratch().max(scalar.scratch())];
        Ok(Some(Self { simd, scalar, inputs: words, out: vec![0; output.size as usize], scratch }))
    }

    /// Runs the vector kernel so many times.
    #[wasm_bindgen(js_name = runSimd)]
    pub fn run_simd(&mut self, times: u32) {
        self.run(&self.simd.clone(), times);
    }

    /// Runs the reference so many times.
    #[wasm_bindgen(js_name = runScalar)]
    pub fn run_scalar(&mut self, times: u32) {
        self.run(&self.scalar.clone(), times);
    }

    fn run(&mut self, kernel: &Kernel, times: u32) {
        let inputs: Vec<&[u64]> = self.inputs.iter().map(Vec::as_slice).collect();
        for nonce in 0..times {
            kernel.run(&inputs, &mut self.out, &mut self.scratch, nonce);
        }
    }

    /// Throws unless both give the same words.
    pub fn check(&mut self) -> Result<()> {
        self.run_simd(1);
        let first = self.out.clone();
        self.run_scalar(1);
        if first == self.out { Ok(()) } else { Err(JsError::new("the kernels differ")) }
    }
}

type Case = (Attrs, Vec<ValueType>);

fn case(name: &str, n: usize) -> cipherloom::Result<Option<Case>> {
    let primes = ntt_primes(50, n, PRIMES, &[])?;
    let (q, t) = (primes[0], ntt_primes(PLAIN_BITS, n, 1, &[])?[0]);
    let limb = |q: u64, form: Form| Limb { n, q, form }.ty();
    let (coeff, ntt) = (limb(q, Form::Coeff), limb(q, Form::Ntt));
    let poly = |q: &[u64]| Poly { n, q: q.to_vec(), form: Form::Coeff }.ty();
    let (many, few) = primes.split_at(PAIRS);
    let c = q / 3;
    let none = Attrs::new;
    let one = Real::new(1.0).ok_or(cipherloom::Error::Job("one is finite"))?;
    let wide = Real::new((1u64 << 40) as f64).ok_or(cipherloom::Error::Job("2^40 is finite"))?;
    let residues: Vec<ValueType> = primes[1..=PAIRS].iter().map(|&p| limb(p, Form::Coeff)).collect();
    Ok(Some(match name {
        "limb.add" | "limb.sub" | "limb.mul" => (none(), vec![ntt.clone(), ntt]),
        "limb.neg" => (none(), vec![ntt]),
        "limb.mul_scalar" => (none().with("c", c), vec![coeff]),
        "limb.scale_sub" => (none().with("c", c), vec![coeff.clone(), coeff]),
        "limb.dot" => (none(), vec![ntt; 2 * PAIRS]),
        "limb.ntt" => (none(), vec![coeff]),
        "limb.intt" => (none(), vec![ntt]),
        "limb.automorphism" => (none().with("g", 3u64), vec![coeff]),
        "limb.permute" => (none().with("g", 3u64), vec![ntt]),
        "limb.from_small" => (none().with("q", q), vec![types::small(n)]),
        "limb.ntt_from" => (none().with("q", q), vec![limb(primes[1], Form::Coeff)]),
        "limb.ntt_divide" => {
            let inputs = vec![ntt.clone(), limb(primes[1], Form::Coeff), ntt];
            (none().with("c", c).with("factor", t).with("scale", c), inputs)
        }
        "limb.from_real" => (none().with("q", q), vec![types::reals(n, one)]),
        "rns.to_real" => (none().with("scale", one), residues),
        "slots.embed" | "slots.unembed" => {
            let slots = Tensor::new(Element::F64, [n as u64 / 2]).ty(types::WORD)?;
            let embed = name == "slots.embed";
            let attrs = if embed { none().with("scale", one) } else { none().with("complex", 0u64) };
            (attrs, vec![if embed { slots } else { types::reals(n, one) }])
        }
        "rns.quotient" | "rns.norm" => (none(), residues),
        "rns.convert" => {
            let attrs = none().with("c", vec![c; residues.len()]).with("w", c).with("q", q);
            (attrs, [residues, vec![types::quotient(n)]].concat())
        }
        "copy" => (none(), vec![ValueType::new("raw", n as u64, none()); PAIRS]),
        "sample.uniform" => (none().with("n", n).with("q", q), vec![types::public_seed()]),
        "sample.common" => {
            (none().with("n", n).with("q", q).with("seed", vec![1u64; 4]).with("stream", 1u64), vec![])
        }
        "sample.mask" => (none().with("n", n).with("q", q), vec![types::secret_seed()]),
        "sample.secret" | "sample.ternary" | "sample.error" => {
            (none().with("n", n), vec![types::secret_seed()])
        }
        "sample.gaussian" => (none().with("n", n).with("deviation", wide), vec![types::secret_seed()]),
        "slots.write" => (none(), vec![types::slots(n, t)]),
        "slots.read" => (none(), vec![limb(t, Form::Ntt)]),
        "slots.constant" => (none().with("n", n).with("t", t).with("values", vec![1u64; n]), vec![]),
        "rns.extend" | "rns.switch" => (none().with("to", few), vec![poly(many)]),
        "rns.scale_round" => (none().with("drop", few).with("factor", t), vec![poly(&primes)]),
        "limb.convolve" => {
            let digits = vec![limb(q, Form::Coeff); PAIRS];
            (none().with("q", q).with("outputs", 2u64), [digits, vec![ntt; 2 * PAIRS]].concat())
        }
        "limb.tensor" => (none(), vec![ntt; 4]),
        _ => return Ok(None),
    }))
}

/// Any valid words of a type.
fn words(ty: &ValueType, seed: usize) -> Vec<u64> {
    // Quotients and small integers are small; residues are below their prime.
    let limit = match ty.head.as_str() {
        // Any doubles that are no NaN; integers are whatever these are.
        "reals" | "f64" => return (0..ty.size).map(|i| ((i as f64 + seed as f64) * 1e6).to_bits()).collect(),
        "small" | "quotient" => 5,
        "poly" => ty.attrs.uints("q").ok().and_then(|q| q.into_iter().min()).unwrap_or(u64::MAX),
        _ => ty.attrs.uint("q").or(ty.attrs.uint("t")).unwrap_or(u64::MAX),
    };
    let mut x = seed as u64 + 1;
    let next = |_| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x ^ (x >> 29)) % limit
    };
    (0..ty.size).map(next).collect()
}
