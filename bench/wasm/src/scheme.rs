//! BFV at given primes: keys, inputs for operators, and what decryption says of their results.

use crate::circuit::Circuit;
use cipherloom::engine::Input;
use cipherloom::graph::{Attrs, OperandId};
use cipherloom::math::sample::Seed;
use cipherloom::math::slots::galois_element;
use cipherloom::ops::Registry;
use cipherloom::ops::types::{self, Ciphertext, SwitchingKey};
use cipherloom::platform::Simd;
use cipherloom::schemes::bfv::auxiliary_primes;
use cipherloom::schemes::{self, noise};
use cipherloom::{Error, Result};

/// Rotations are by so many slots.
const STEP: i64 = 1;

/// Parameters, keys, and the platform that everything runs on.
pub struct Scheme {
    pub n: usize,
    pub t: u64,
    pub q: Vec<u64>,
    pub special: Vec<u64>,
    pub registry: Registry,
    pub platform: Simd,
    secret: Input,
    public: Input,
    relinearization: Input,
    galois: Input,
}

impl Scheme {
    pub fn new(n: usize, t: u64, q: Vec<u64>, special: Vec<u64>) -> Result<Self> {
        let none: Input = [].into();
        let (secret, public, relinearization, galois) = (none.clone(), none.clone(), none.clone(), none);
        let (registry, platform) = (schemes::registry(), Simd::new());
        let mut scheme =
            Self { n, t, q, special, registry, platform, secret, public, relinearization, galois };
        let all = [scheme.q.as_slice(), &scheme.special].concat();
        scheme.secret = scheme.one(|c| {
            let seed = c.input(types::secret_seed(), seed()?)?;
            c.op("rlwe.secret_key", Attrs::new().with("n", n).with("q", all.as_slice()), &[seed])
        })?;
        scheme.public = scheme.one(|c| {
            let inputs = [scheme.secret(c)?, scheme.public_seed(c)?, scheme.secret_seed(c)?];
            c.op("rlwe.public_key", Attrs::new().with("q", all.as_slice()), &inputs)
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

    /// Attributes of `bfv.multiply`.
    pub fn multiply_attrs(&self) -> Result<Attrs> {
        let taken = [&[self.t], self.special.as_slice()].concat();
        Ok(Attrs::new().with("aux", auxiliary_primes(self.n, &self.q, &taken)?))
    }

    /// Attributes of `rlwe.switching_key` from the square of the secret ("square") or from its rotation ("galois").
    pub fn key_attrs(&self, from: &str) -> Attrs {
        let attrs = Attrs::new().with("q", self.q.as_slice()).with("special", self.special.as_slice());
        let attrs = attrs.with("digit", 1usize).with("from", from);
        if from == "galois" { attrs.with("g", self.element()) } else { attrs }
    }

    /// The Galois element of the rotation.
    pub fn element(&self) -> u64 {
        galois_element(self.n, STEP)
    }

    fn key_type(&self) -> SwitchingKey {
        SwitchingKey { n: self.n, q: self.q.clone(), special: self.special.clone(), digit: 1, factor: 1 }
    }

    pub fn ciphertext(&self, parts: usize) -> Ciphertext {
        Ciphertext::new(self.n, self.q.clone(), parts, types::Scheme::Bfv { t: self.t })
    }

    pub fn secret(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        let all = [self.q.as_slice(), &self.special].concat();
        c.input(types::secret_key(self.n, &all), self.secret.clone())
    }

    pub fn public(&self, c: &mut Circuit<'_>) -> Result<OperandId> {
        let all = [self.q.as_slice(), &self.special].concat();
        c.input(types::public_key(self.n, &all, 1), self.public.clone())
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

    /// Random-looking slots; another list for every `index`.
    pub fn slots(&self, index: usize) -> Vec<u64> {
        let mut x = index as u64 + 1;
        let next = |_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 33) % self.t
        };
        (0..self.n).map(next).collect()
    }

    /// The plaintext polynomial of slots.
    pub fn plain(&self, slots: &[u64]) -> Result<Input> {
        self.one(|c| {
            let slots = c.input(types::slots(self.n, self.t), slots)?;
            c.op("slots.encode", Attrs::new(), &[slots])
        })
    }

    /// A fresh ciphertext of slots, by the secret key.
    pub fn encrypted(&self, slots: &[u64]) -> Result<Input> {
        let plain = self.plain(slots)?;
        self.one(|c| {
            let plain = c.input(types::plain(self.n, self.t), plain)?;
            let inputs = [self.secret(c)?, plain, self.public_seed(c)?, self.secret_seed(c)?];
            c.op("bfv.encrypt_secret", Attrs::new().with("q", self.q.as_slice()), &inputs)
        })
    }

    /// The product of two ciphertexts, three parts.
    pub fn product(&self, a: &Input, b: &Input) -> Result<Input> {
        self.one(|c| {
            let ty = self.ciphertext(2).ty();
            let factors = [c.input(ty.clone(), a.clone())?, c.input(ty, b.clone())?];
            c.op("bfv.multiply", self.multiply_attrs()?, &factors)
        })
    }

    /// The slots of a plaintext polynomial.
    pub fn decoded(&self, plain: Vec<u64>) -> Result<Vec<u64>> {
        let slots = self.one(|c| {
            let plain = c.input(types::plain(self.n, self.t), plain)?;
            c.op("slots.decode", Attrs::new(), &[plain])
        })?;
        Ok(slots.to_vec())
    }

    /// The slots of a ciphertext, and its noise budget in bits.
    pub fn decrypted(&self, ty: &Ciphertext, words: Vec<u64>) -> Result<(Vec<u64>, f64)> {
        let mut c = Circuit::new(&self.registry);
        let ciphertext = c.input(ty.ty(), words)?;
        let secret = self.secret(&mut c)?;
        let plain = c.op("bfv.decrypt", Attrs::new(), &[secret, ciphertext])?;
        let slots = c.op("slots.decode", Attrs::new(), &[plain])?;
        let noise = c.op("bfv.noise", Attrs::new(), &[secret, ciphertext])?;
        c.output(slots);
        c.output(noise);
        let outputs = c.finish(&self.platform)?.outputs()?;
        let [slots, noise] = <[Vec<u64>; 2]>::try_from(outputs).map_err(|_| Error::Job("two outputs"))?;
        Ok((slots, noise::log2(&ty.q) - 1.0 - f64::from_bits(noise[0])))
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
