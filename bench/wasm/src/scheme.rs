//! A scheme at given primes: keys, inputs for operators, and what decryption says of their results.

use crate::circuit::Circuit;
use cipherloom::engine::Input;
use cipherloom::graph::{Attrs, OperandId, Real, ValueType};
use cipherloom::math::Modulus;
use cipherloom::math::sample::Seed;
use cipherloom::math::slots::galois_element;
use cipherloom::ops::Registry;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{self, Ciphertext, Form, SwitchingKey};
use cipherloom::platform::Simd;
use cipherloom::schemes::bfv::auxiliary_primes;
use cipherloom::schemes::{self, noise};
use cipherloom::{Error, Result};

/// Rotations are by so many slots.
const STEP: i64 = 1;
/// How far from the right result a slot under CKKS may be.
const NEAR: f64 = 1.0 / 16384.0;

/// Parameters, keys, and the platform that everything runs on.
pub struct Scheme {
    pub n: usize,
    /// How a fresh ciphertext is made.
    pub of: types::Scheme,
    pub q: Vec<u64>,
    pub special: Vec<u64>,
    pub registry: Registry,
    pub platform: Simd,
    secret: Input,
    public: Input,
    relinearization: Input,
    galois: Input,
}

/// A fresh ciphertext of the scheme of that name: "bfv" and "bgv" with plaintext modulus `parameter`, "ckks" with that scale.
pub fn scheme_named(name: &str, parameter: f64) -> Result<types::Scheme> {
    let t = parameter as u64;
    match name {
        "bfv" => Ok(types::Scheme::Bfv { t }),
        "bgv" => Ok(types::Scheme::Bgv { t, factor: 1 }),
        "ckks" => Real::new(parameter)
            .map(|scale| types::Scheme::Ckks { scale })
            .ok_or(Error::Job("a scale that is finite")),
        _ => Err(Error::Job("a scheme: bfv, bgv or ckks")),
    }
}

impl Scheme {
    pub fn new(n: usize, of: types::Scheme, q: Vec<u64>, special: Vec<u64>) -> Result<Self> {
        let none: Input = [].into();
        let (secret, public, relinearization, galois) = (none.clone(), none.clone(), none.clone(), none);
        let (registry, platform) = (schemes::registry(), Simd::new());
        let mut scheme =
            Self { n, of, q, special, registry, platform, secret, public, relinearization, galois };
        let all = [scheme.q.as_slice(), &scheme.special].concat();
        scheme.secret = scheme.one(|c| {
            let seed = c.input(types::secret_seed(), seed()?)?;
            c.op("rlwe.secret_key", Attrs::new().with("n", n).with("q", all.as_slice()), &[seed])
        })?;
        scheme.public = scheme.one(|c| {
            let inputs = [scheme.secret(c)?, scheme.public_seed(c)?, scheme.secret_seed(c)?];
            let attrs = types::with_error_factor(Attrs::new(), of.error_factor());
            c.op("rlwe.public_key", attrs.with("q", all.as_slice()), &inputs)
        })?;
        for from in ["square", "galois"] {
            let key = scheme.one(|c| {
                let inputs = [scheme.secret(c)?, scheme.public_seed(c)?, scheme.secret_seed(c)?];
                c.op("rlwe.switching_key", scheme.key_attrs(from), &inputs)
            })?;
            match from {
                "square" => scheme.relinearization = key,
                _ => scheme.galois = key,
            }
        }
        Ok(scheme)
    }

    /// Runs a graph of one output.
    fn one(&self, build: impl FnOnce(&mut Circuit<'_>) -> Result<OperandId>) -> Result<Input> {
        let mut circuit = Circuit::new(&self.registry);
        let output = build(&mut circuit)?;
        circuit.output(output);
        let mut outputs = circuit.finish(&self.platform)?.outputs()?;
        Ok(outputs.remove(0).into())
    }

    /// The scheme's own operator of that name.
    pub fn own(&self, op: &str) -> String {
        format!("{}.{op}", self.of.name().to_lowercase())
    }

    fn is_real(&self) -> bool {
        matches!(self.of, types::Scheme::Ckks { .. })
    }

    /// Attributes of a product.
    pub fn multiply_attrs(&self) -> Result<Attrs> {
        let types::Scheme::Bfv { t } = self.of else { return Ok(Attrs::new()) };
        let taken = [&[t], self.special.as_slice()].concat();
        Ok(Attrs::new().with("aux", auxiliary_primes(self.n, &self.q, &taken)?))
    }

    /// The operator that drops the last prime, and its attributes.
    pub fn switch(&self) -> (String, Attrs) {
        let op = if self.is_real() { "rescale" } else { "mod_switch" };
        (self.own(op), Attrs::new().with("keep", self.q.len() - 1))
    }

    /// Attributes of `rlwe.switching_key` from the square of the secret ("square"), or for the rotation ("galois").
    pub fn key_attrs(&self, from: &str) -> Attrs {
        let attrs = Attrs::new().with("q", self.q.as_slice()).with("special", self.special.as_slice());
        let attrs = attrs.with("digit", 1usize).with("from", from);
        let attrs = types::with_error_factor(attrs, self.of.error_factor());
        if from == "galois" { attrs.with("g", self.element()) } else { attrs }
    }

    /// The Galois element of the rotation.
    pub fn element(&self) -> u64 {
        galois_element(self.n, STEP)
    }

    fn key_type(&self) -> SwitchingKey {
        let factor = self.of.error_factor();
        SwitchingKey {
            n: self.n,
            q: self.q.clone(),
            special: self.special.clone(),
            digit: 1,
            factor,
            parties: 1,
        }
    }

    /// In the form in which a product is cheapest.
    pub fn ciphertext(&self, parts: usize) -> Ciphertext {
        let form = if let types::Scheme::Bfv { .. } = self.of { Form::Coeff } else { Form::Ntt };
        Ciphertext { form, ..Ciphertext::new(self.n, self.q.clone(), parts, self.of) }
    }

    pub fn secret(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        let all = [self.q.as_slice(), &self.special].concat();
        c.input(types::secret_key(self.n, &all), self.secret.clone())
    }

    pub fn public(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        let all = [self.q.as_slice(), &self.special].concat();
        c.input(types::public_key(self.n, &all, self.of.error_factor(), 1), self.public.clone())
    }

    pub fn relinearization(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        c.input(self.key_type().ty(), self.relinearization.clone())
    }

    pub fn galois(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        c.input(self.key_type().ty(), self.galois.clone())
    }

    pub fn public_seed(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        c.input(types::public_seed(), seed()?)
    }

    pub fn secret_seed(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        c.input(types::secret_seed(), seed()?)
    }

    /// Slots as words: integers modulo t, or the bits of doubles in [0, 1).
    pub fn slots(&self, index: usize) -> Vec<u64> {
        let mut x = index as u64 + 1;
        let next = |_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match self.of {
                types::Scheme::Bfv { t } | types::Scheme::Bgv { t, .. } => (x >> 33) % t,
                types::Scheme::Ckks { .. } => ((x >> 33) as f64 / (1u64 << 31) as f64).to_bits(),
            }
        };
        (0..if self.is_real() { self.n / 2 } else { self.n }).map(next).collect()
    }

    /// The sum or product of two slots.
    pub fn combine(
        &self,
        a: u64,
        b: u64,
        exact: fn(&Modulus, u64, u64) -> u64,
        real: fn(f64, f64) -> f64,
    ) -> u64 {
        match self.of {
            types::Scheme::Bfv { t } | types::Scheme::Bgv { t, .. } => {
                Modulus::new(t).map_or(0, |t| exact(&t, a, b))
            }
            types::Scheme::Ckks { .. } => real(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        }
    }

    /// True for slots that are these, or next to them where they are approximate.
    pub fn alike(&self, found: &[u64], expected: &[u64]) -> bool {
        if !self.is_real() {
            return found == expected;
        }
        let near = |(&a, &b): (&u64, &u64)| (f64::from_bits(a) - f64::from_bits(b)).abs() < NEAR;
        found.len() == expected.len() && found.iter().zip(expected).all(near)
    }

    /// The type of slots.
    pub fn slots_type(&self) -> Result<ValueType> {
        match self.of {
            types::Scheme::Bfv { t } | types::Scheme::Bgv { t, .. } => Ok(types::slots(self.n, t)),
            types::Scheme::Ckks { .. } => Tensor::new(Element::F64, [self.n as u64 / 2]).ty(types::WORD),
        }
    }

    /// The operator that encodes, and its attributes.
    pub fn encode(&self) -> (&str, Attrs) {
        match self.of {
            types::Scheme::Ckks { scale } => ("ckks.encode", Attrs::new().with("scale", scale)),
            _ => ("slots.encode", Attrs::new()),
        }
    }

    /// The operator that decodes, and its attributes.
    pub fn decode(&self) -> (&str, Attrs) {
        if self.is_real() {
            ("ckks.decode", Attrs::new().with("complex", 0u64))
        } else {
            ("slots.decode", Attrs::new())
        }
    }

    /// The plaintext of slots.
    pub fn plain(&self, slots: &[u64]) -> Result<Input> {
        self.one(|c| {
            let slots = c.input(self.slots_type()?, slots)?;
            let (op, attrs) = self.encode();
            c.op(op, attrs, &[slots])
        })
    }

    /// A fresh ciphertext of slots, by the secret key.
    pub fn encrypted(&self, slots: &[u64]) -> Result<Input> {
        let plain = self.plain(slots)?;
        self.one(|c| {
            let plain = c.input(self.of.plain(self.n), plain)?;
            let inputs = [self.secret(c)?, plain, self.public_seed(c)?, self.secret_seed(c)?];
            let attrs = Attrs::new().with("q", self.q.as_slice());
            let fresh = c.op(&self.own("encrypt_secret"), attrs, &inputs)?;
            if self.ciphertext(2).form == Form::Ntt {
                c.op("rlwe.ntt", Attrs::new(), &[fresh])
            } else {
                Ok(fresh)
            }
        })
    }

    /// The product of two ciphertexts, three parts.
    pub fn product(&self, a: &Input, b: &Input) -> Result<Input> {
        self.one(|c| {
            let ty = self.ciphertext(2).ty();
            let factors = [c.input(ty.clone(), a.clone())?, c.input(ty, b.clone())?];
            c.op(&self.own("multiply"), self.multiply_attrs()?, &factors)
        })
    }

    /// The slots of a plaintext polynomial.
    pub fn decoded(&self, plain: Vec<u64>) -> Result<Vec<u64>> {
        let slots = self.one(|c| {
            let plain = c.input(self.of.plain(self.n), plain)?;
            let (op, attrs) = self.decode();
            c.op(op, attrs, &[plain])
        })?;
        Ok(slots.to_vec())
    }

    /// The slots of a ciphertext, and its noise budget in bits, where it is measured.
    pub fn decrypted(&self, ty: &ValueType, words: Vec<u64>) -> Result<(Vec<u64>, f64)> {
        let mut c = Circuit::new(&self.registry);
        let ciphertext = c.input(ty.clone(), words)?;
        let secret = self.secret(&mut c)?;
        let plain = c.op(&self.own("decrypt"), Attrs::new(), &[secret, ciphertext])?;
        let (op, attrs) = self.decode();
        let slots = c.op(op, attrs, &[plain])?;
        c.output(slots);
        if !self.is_real() {
            let noise = c.op(&self.own("noise"), Attrs::new(), &[secret, ciphertext])?;
            c.output(noise);
        }
        let mut outputs = c.finish(&self.platform)?.outputs()?;
        let noise = if outputs.len() > 1 { outputs.pop() } else { None };
        let log_q = noise::log2(&ty.attrs.uints("q")?);
        let budget = noise.map_or(f64::INFINITY, |noise| log_q - 1.0 - f64::from_bits(noise[0]));
        Ok((outputs.remove(0), budget))
    }

    /// A ciphertext after a key switch with a key that was just made.
    pub fn switched(
        &self,
        operator: &str,
        attrs: Attrs,
        parts: usize,
        from: &Input,
        key: Vec<u64>,
    ) -> Result<Vec<u64>> {
        let switched = self.one(|c| {
            let inputs =
                [c.input(self.ciphertext(parts).ty(), from.clone())?, c.input(self.key_type().ty(), key)?];
            c.op(operator, attrs, &inputs)
        })?;
        Ok(switched.to_vec())
    }
}

fn seed() -> Result<Vec<u64>> {
    let seed = Seed::generate()?;
    Ok(seed.as_bytes().as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect())
}
