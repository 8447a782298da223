//! Schemes of integers, BFV and BGV: ciphertexts are switched to smaller moduli where that costs next to none of the budget; factors are made alike where
//! ciphertexts meet. What differs, [`Integers`] says.

use super::{
    Chain, Cipher, Emitter, Leaving, MARGIN, Node, Refresh, Rules, dropped, port_name, relinearized,
};
use crate::graph::{Attr, Attrs, ValueType};
use crate::ops::Noise;
use crate::ops::types::{self, Ciphertext, Scheme};
use crate::schemes::{Flooding, Operators, SchemeName, bgv, noise, rlwe};
use crate::{Error, Result};
use std::cell::RefCell;
use std::collections::HashMap;

/// What differs between schemes of integers modulo t.
pub trait Integers {
    /// Of fresh ciphertexts.
    fn scheme(&self, t: u64) -> Scheme;
    /// log2 of a bound on the noise of these.
    fn fresh(&self, chain: &Chain, t: u64) -> f64;
    /// The scheme's name.
    fn name(&self) -> SchemeName;
    /// The operator that multiplies with a number for nothing, where the scheme can.
    fn multiply_number(&self) -> Option<&'static str>;
    /// Whether primes can be dropped for nothing.
    fn drops(&self) -> bool;
    /// log2 of the error after a switch to so many primes.
    fn switched(&self, ty: &Ciphertext, t: u64, error: f64, keep: usize) -> f64;
    /// What a plaintext is multiplied with after such a switch, if it was multiplied with `factor` before.
    ///
    /// # Errors
    /// `Math` for a prime that is t.
    fn switched_factor(&self, ty: &Ciphertext, t: u64, factor: u64, keep: usize) -> Result<u64>;
    /// Bits of a product's errors that depend on how many primes there are, of factors with these errors, all of one type.
    fn product_error(&self, first: f64, second: f64) -> f64;
    /// Attributes of the operator that multiplies, modulo these primes.
    fn product_attrs(&self, q: &[u64]) -> Attrs;
    /// Bits that are left before decryption fails.
    fn budget(&self, t: u64, log_q: f64, error: f64) -> f64;
    /// log2 of what a mask modulo t adds to the error of what it is added to.
    fn mask_error(&self, t: u64) -> f64;
    /// log2 of a bound on the noise of what the parties of a chain refreshed.
    fn refreshed(&self, chain: &Chain, t: u64) -> f64;
}

/// Bits of budget that a switch may cost.
const LOSS: f64 = 1.5;

/// The largest numbers that ciphertexts are multiplied with as they are.
const SMALL: u128 = 64;

/// The rules of a scheme of integers with one plaintext modulus.
pub struct Exact<'s> {
    /// The scheme.
    scheme: &'s dyn Integers,
    /// The plaintext modulus.
    t: u64,
    /// True where there are others beside it.
    several: bool,
    /// Whether primes are dropped as soon as that costs next to nothing; else at the end.
    early: bool,
    /// Of results that several parties decrypt together, each of whom adds noise to its share.
    flooding: Option<Flooding>,
    known: RefCell<HashMap<Decided, usize>>,
}

/// What is decided, and of each of two ciphertexts what that depends on: primes, parts, and the bits of its error.
type Decided = (Decision, [[u64; 3]; 2]);

/// What is decided on the primes of ciphertexts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Decision {
    Settled,
    Turned,
    Product,
}

impl<'s> Exact<'s> {
    /// Rules modulo `t`, which is one of `several`; primes are dropped `early` or at the end.
    pub fn new(scheme: &'s dyn Integers, t: u64, several: bool, early: bool) -> Self {
        Self { scheme, t, several, early, flooding: None, known: RefCell::default() }
    }

    /// The same, whose results are decrypted by several parties with noise that hides the errors.
    #[must_use]
    pub fn flooded(self, flooding: Option<Flooding>) -> Self {
        Self { flooding, ..self }
    }

    /// log2 of a bound on the Euclidean norm of what errors of up to 2^`error` in each of `n` coefficients are multiples of the error factor by. Under BGV the message, of up to t / 2,
    /// is counted in.
    fn multiples(&self, n: usize, error: f64) -> f64 {
        let factor = self.scheme.scheme(self.t).error_factor();
        let log = noise::log2(&[factor]);
        let each = if factor == 1 { error } else { noise::sum(&[error, log - 1.0]) - log };
        each + libm::log2(n as f64) / 2.0
    }

    fn operators(&self) -> &'static Operators {
        self.scheme.name().operators()
    }

    /// What a plaintext is multiplied with.
    fn factor(ty: &Ciphertext) -> Result<u64> {
        match ty.scheme {
            Scheme::Bfv { .. } => Ok(1),
            Scheme::Bgv { factor, .. } => Ok(factor),
            Scheme::Ckks { .. } => Err(Error::Job("ciphertexts here are of integers")),
        }
    }

    /// The error after a switch to so many primes.
    fn switched(&self, ty: &Ciphertext, error: f64, keep: usize) -> f64 {
        self.scheme.switched(ty, self.t, error, keep)
    }

    /// How many primes are kept, which depends on levels, numbers of parts and errors alone: thousands of ciphertexts are alike.
    fn decided(
        &self,
        e: &Emitter<'_>,
        what: Decision,
        of: [Cipher; 2],
        decide: impl FnOnce() -> Result<usize>,
    ) -> Result<usize> {
        let like = |x: Cipher| -> Result<[u64; 3]> {
            let ty = e.ciphertext(x.node)?;
            Ok([ty.q.len() as u64, ty.parts as u64, e.noise(x.node).error.to_bits()])
        };
        let key = (what, [like(of[0])?, like(of[1])?]);
        if let Some(&known) = self.known.borrow().get(&key) {
            return Ok(known);
        }
        let keep = decide()?;
        self.known.borrow_mut().insert(key, keep);
        Ok(keep)
    }

    /// The fewest primes at which a settled ciphertext has next to nothing less of its budget.
    fn settled(&self, e: &Emitter<'_>, x: Cipher) -> Result<usize> {
        self.decided(e, Decision::Settled, [x, x], || {
            Self::lowest(e, x, |ty, error, keep| self.switched(ty, error, keep))
        })
    }

    /// The fewest primes at which a ciphertext, with the error that it would have there, has next to nothing less of its budget.
    fn lowest(e: &Emitter<'_>, x: Cipher, after: impl Fn(&Ciphertext, f64, usize) -> f64) -> Result<usize> {
        let (ty, error) = (e.ciphertext(x.node)?, e.noise(x.node).error);
        let loss = |keep: usize| after(ty, error, keep) - (error - noise::log2(&ty.q[keep..]));
        Ok((1..ty.q.len()).find(|&keep| loss(keep) <= LOSS).unwrap_or(ty.q.len()))
    }

    fn switch(&self, e: &mut Emitter<'_>, x: Cipher, keep: usize) -> Result<Cipher> {
        Ok(Cipher { node: e.op(self.operators().divide, Attrs::new().with("keep", keep), &[x.node])?, ..x })
    }

    /// At how many primes a product has most of its budget left: errors are multiplied, so that what is divided away before is worth twice what it costs.
    fn best_for_product(&self, e: &Emitter<'_>, x: Cipher, y: Cipher) -> Result<usize> {
        let (first, second) = (e.ciphertext(x.node)?, e.ciphertext(y.node)?);
        let both = first.q.len().min(second.q.len());
        let spent = |keep: usize| {
            let error = |ty: &Ciphertext, x: Cipher| {
                let error = e.noise(x.node).error;
                if keep < ty.q.len() { self.switched(ty, error, keep).min(error) } else { error }
            };
            self.scheme.product_error(error(first, x), error(second, y)) - noise::log2(&first.q[..keep])
        };
        // Of equal ones the most: what is 0 spends nothing at any of them, and has to leave room for keys.
        let best = (1..=both).rev().min_by(|&a, &b| spent(a).total_cmp(&spent(b)));
        Ok(best.filter(|_| self.early).unwrap_or(both))
    }

    /// At so many primes, with as little noise as that may be.
    fn lowered(&self, e: &mut Emitter<'_>, x: Cipher, keep: usize) -> Result<Cipher> {
        let ty = e.ciphertext(x.node)?;
        if ty.q.len() == keep {
            return Ok(x);
        }
        let error = e.noise(x.node).error;
        let switches = !self.scheme.drops() || self.switched(ty, error, keep) < error;
        if switches { self.switch(e, x, keep) } else { dropped(e, x, keep) }
    }
}

impl Rules for Exact<'_> {
    fn fresh(&self, chain: &Chain, _: &str) -> Result<(Ciphertext, Noise)> {
        let error = self.scheme.fresh(chain, self.t);
        Ok((chain.fresh(self.scheme.scheme(self.t)), Noise::error(error)))
    }

    fn slots(&self, n: usize) -> Result<ValueType> {
        Ok(types::slots(n, self.t))
    }

    fn port(&self, name: &str) -> String {
        port_name(name, self.several.then_some(self.t))
    }

    fn settle(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher) -> Result<Cipher> {
        let x = relinearized(e, chain, x)?;
        if !self.early {
            return Ok(x);
        }
        let keep = self.settled(e, x)?;
        if keep < e.level(x.node)? { self.switch(e, x, keep) } else { Ok(x) }
    }

    /// What a key adds, the less is made of it the more noise there is: a ciphertext is turned before it is switched to where that would be most of it.
    fn turned(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, _: bool) -> Result<Option<Cipher>> {
        if !self.early {
            return Ok(None);
        }
        let x = relinearized(e, chain, x)?;
        let settled = self.settled(e, x)?;
        let factor = self.scheme.scheme(self.t).error_factor();
        let keep = self.decided(e, Decision::Turned, [x, x], || {
            Self::lowest(e, x, |ty, error, keep| {
                let key = (!chain.special.is_empty())
                    .then(|| rlwe::key_noise(&chain.key(keep), factor, noise::Switched::Image));
                noise::sum(&[self.switched(ty, error, keep), key.unwrap_or(f64::NEG_INFINITY)])
            })
        })?;
        match keep {
            keep if keep == settled => Ok(None),
            keep if keep == e.level(x.node)? => Ok(Some(x)),
            keep => self.switch(e, x, keep).map(Some),
        }
    }

    fn rescaled(&self, _: &mut Emitter<'_>, _: &Chain, x: Cipher, _: &Attr) -> Result<Cipher> {
        Ok(x)
    }

    fn meet(&self, e: &mut Emitter<'_>, _: &Chain, x: Cipher, y: Cipher) -> Result<[Cipher; 2]> {
        let (mut x, mut y) = (x, y);
        let keep = e.level(x.node)?.min(e.level(y.node)?);
        // Dropping primes keeps the factor, switching makes another, which costs t/2 again to make alike.
        let adjusted = noise::log2(&[self.t]) - 1.0;
        let lowered = |e: &mut Emitter<'_>, x: Cipher, other: Cipher| -> Result<Cipher> {
            let (ty, error) = (e.ciphertext(x.node)?, e.noise(x.node).error);
            if ty.q.len() == keep {
                return Ok(x);
            }
            if !self.scheme.drops() {
                return self.switch(e, x, keep);
            }
            let factor = Self::factor(ty)?;
            let wanted = Self::factor(e.ciphertext(other.node)?)?;
            let made_alike = |factor: u64| if factor == wanted { 0.0 } else { adjusted };
            let switched = self.scheme.switched_factor(ty, self.t, factor, keep)?;
            let after = [error + made_alike(factor), self.switched(ty, error, keep) + made_alike(switched)];
            if after[0] <= after[1] { dropped(e, x, keep) } else { self.switch(e, x, keep) }
        };
        (x, y) = (lowered(e, x, y)?, lowered(e, y, x)?);
        let (f, g) = (Self::factor(e.ciphertext(x.node)?)?, Self::factor(e.ciphertext(y.node)?)?);
        if f != g {
            // Whichever way there is less noise.
            let cost = |e: &Emitter<'_>, x: Cipher, from: u64, to: u64| -> Result<f64> {
                Ok(e.noise(x.node).error
                    + libm::log2(bgv::multiplier(self.t, from, to)?.unsigned_abs() as f64))
            };
            let first = cost(e, x, f, g)? <= cost(e, y, g, f)?;
            let (worse, factor) = if first { (&mut x, g) } else { (&mut y, f) };
            worse.node = e.op("bgv.adjust", Attrs::new().with("factor", factor), &[worse.node])?;
        }
        Ok([x, y])
    }

    fn multiply(&self, e: &mut Emitter<'_>, _: &Chain, x: Cipher, y: Cipher) -> Result<Cipher> {
        let keep = self.decided(e, Decision::Product, [x, y], || self.best_for_product(e, x, y))?;
        let (x, y) = (self.lowered(e, x, keep)?, self.lowered(e, y, keep)?);
        let attrs = self.scheme.product_attrs(&e.ciphertext(x.node)?.q);
        Ok(Cipher { node: e.op(self.operators().multiply, attrs, &[x.node, y.node])?, ..x })
    }

    fn add_clear(&self, e: &mut Emitter<'_>, x: Cipher, slots: Node) -> Result<Cipher> {
        let plain = e.op(self.operators().encode, Attrs::new(), &[slots])?;
        Ok(Cipher { node: e.op(self.operators().add_plain, Attrs::new(), &[x.node, plain])?, ..x })
    }

    fn multiply_clear(&self, e: &mut Emitter<'_>, x: Cipher, slots: Node) -> Result<Cipher> {
        let plain = e.op(self.operators().encode, Attrs::new(), &[slots])?;
        Ok(Cipher { node: e.op(self.operators().multiply_plain, Attrs::new(), &[x.node, plain])?, ..x })
    }

    fn multiply_number(&self, e: &mut Emitter<'_>, _: &Chain, x: Cipher, number: &Attr) -> Result<Cipher> {
        let Attr::Int(number) = number else { return Err(Error::Job("numbers here are integers")) };
        let by = number.rem_euclid(i128::from(self.t)) as u64;
        let least = if by > self.t / 2 { i128::from(by) - i128::from(self.t) } else { i128::from(by) };
        // A small one costs its bits; a large one goes into the factor, which costs many where it meets another.
        let (op, attrs) = match least {
            -1 => ("rlwe.negate", Attrs::new()),
            1 => return Ok(x),
            least => match self.scheme.multiply_number() {
                Some(op) if least.unsigned_abs() > SMALL => (op, Attrs::new().with("by", by)),
                _ => ("rlwe.multiply_integer", Attrs::new().with("by", Attr::Int(least))),
            },
        };
        Ok(Cipher { node: e.op(op, attrs, &[x.node])?, ..x })
    }

    fn modulus(&self) -> Option<u64> {
        Some(self.t)
    }

    fn budget(&self, log_q: f64, noise: Noise) -> f64 {
        self.scheme.budget(self.t, log_q, noise.error)
    }

    /// The error factor times noise of that deviation, of which no coefficient is nine deviations large but with a probability of 2^-57.
    fn deviation(&self, n: usize, error: f64) -> Option<f64> {
        self.flooding.map(|flooding| flooding.log_deviation(n, self.multiples(n, error)))
    }

    fn told(&self, Leaving { n, lost, masked }: Leaving, noise: Noise) -> Noise {
        let Some(flooding) = self.flooding else { return noise };
        let mask = self.scheme.mask_error(self.t) + flooding.log_parties();
        let noise = if masked { Noise::error(noise::sum(&[noise.error, mask])) } else { noise };
        let factor = noise::log2(&[self.scheme.scheme(self.t).error_factor()]);
        let deviation = flooding.log_deviation(n, self.multiples(n, noise.error + lost));
        let added = flooding.log_total(deviation) + libm::log2(9.0) + factor;
        Noise { error: noise::sum(&[noise.error, added - lost]), ..noise }
    }

    /// With a uniform mask modulo t a message is uniform. What else is opened, errors and how often masks make the sum wrap, is hidden by noise, as where results are decrypted.
    fn refresh(&self, chain: &Chain, ty: &Ciphertext, noise: Noise) -> Result<Option<Refresh>> {
        if self.flooding.is_none() {
            return Ok(None);
        }
        let masked = noise::sum(&[noise.error, self.scheme.mask_error(self.t)]);
        let leaving = Leaving { n: ty.n, lost: 0.0, masked: true };
        Ok(Some(Refresh {
            mask: (self.t, 1),
            deviation: self.deviation(ty.n, masked),
            wide: chain.q.clone(),
            ty: chain.fresh(self.scheme.scheme(self.t)),
            noise: Noise::error(self.scheme.refreshed(chain, self.t)),
            told: self.told(leaving, noise),
        }))
    }

    fn finish(&self, e: &mut Emitter<'_>, x: Cipher, leaving: Leaving) -> Result<(Cipher, f64)> {
        let (ty, error) = (e.ciphertext(x.node)?, e.noise(x.node).error);
        let told = |error: f64| self.told(leaving, Noise::error(error));
        let budget = |keep: usize| {
            self.budget(noise::log2(&ty.q[..keep]), told(self.switched(ty, error, keep))) - leaving.lost
        };
        let lowest = (1..ty.q.len()).find(|&keep| budget(keep) >= MARGIN);
        let x = lowest.map_or(Ok(x), |keep| self.switch(e, x, keep))?;
        let told = told(e.noise(x.node).error);
        let budget = self.budget(noise::log2(&e.ciphertext(x.node)?.q), told);
        Ok((x, budget - leaving.lost))
    }
}
