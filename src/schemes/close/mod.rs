//! From vectors of slots (`crate::packed`) to ciphertexts of one scheme at given primes: levels, scales, factors and keys.
//!
//! [`Closing`] does what is the same under all schemes and asks [`Rules`] for the rest: `exact` (of `bfv` and `bgv`) and `ckks`. Whoever closes a graph may only want to know what would
//! come of it: an [`Emitter`] without a graph works out types and noise bounds alone, by the same calls, so that parameters are judged by what is then built.

mod bfv;
mod bgv;
mod ckks;
mod emitter;
mod errors;
mod exact;
mod lookup;
mod polynomial;
mod refresh;
mod turns;
mod type_table;

pub use bfv::Bfv;
pub use bgv::Bgv;
pub use ckks::{Ckks, Scales};
pub use emitter::{Emitter, KeyName, Node};
pub use exact::{Exact, Integers};
pub use refresh::Refresh;
pub use turns::Turns;

use crate::graph::{Attr, Attrs, Real, ValueType};
use crate::math::slots::{galois_conjugate, galois_element};
use crate::math::{Gaussian, Modulus};
use crate::ops::Noise;
use crate::ops::types::{Ciphertext, Extract, Form, Scheme, SwitchingKey};
use crate::packed::{Handle, Series, SlotVector, Target};
use crate::schemes::noise;
use crate::sorted::{SortedMap, SortedSet};
use crate::{Error, Result};
use errors::Moved;

/// Bits of noise budget that bounds must leave.
pub const MARGIN: f64 = 2.0;

/// The ring, its primes, and those of key switching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Ring dimension.
    pub n: usize,
    /// Primes of ciphertexts at the highest level.
    pub q: Vec<u64>,
    /// Special primes of key switching; none where no key is needed.
    pub special: Vec<u64>,
    /// Primes of a digit.
    pub digit: usize,
    /// What errors of keys are multiples of: 1, or the product of the plaintext moduli of BGV.
    pub factor: u64,
    /// Whether fresh ciphertexts may come from a public key.
    pub public_key: bool,
    /// Of how many parties' secrets the secret is the sum.
    pub parties: usize,
}

impl Chain {
    /// The type of a switching key at a level of so many primes.
    pub fn key(&self, level: usize) -> SwitchingKey {
        let q = self.q[..level].to_vec();
        let (special, parties) = (self.special.clone(), self.parties);
        SwitchingKey { n: self.n, q, special, digit: self.digit, factor: self.factor, parties }
    }

    /// log2 of a bound on the noise of fresh ciphertexts: `secret` of those of the secret key, `public` of those of a public one, which is divided by special primes
    /// of so many bits, where there are any.
    fn fresh_noise(&self, secret: f64, public: impl FnOnce(Option<f64>) -> f64) -> f64 {
        let log_special = (!self.special.is_empty()).then(|| noise::log2(&self.special));
        if self.public_key { secret.max(public(log_special)) } else { secret }
    }

    /// The secret of its ciphertexts.
    pub fn secret(&self) -> noise::Secret {
        noise::Secret { n: self.n, parties: self.parties }
    }

    /// The type of a fresh ciphertext.
    pub fn fresh(&self, scheme: Scheme) -> Ciphertext {
        Ciphertext {
            form: Form::Ntt,
            parties: self.parties,
            ..Ciphertext::new(self.n, self.q.clone(), 2, scheme)
        }
    }
}

/// A ciphertext under way.
#[derive(Clone, Copy, Debug)]
pub struct Cipher {
    /// Which one it is.
    pub node: Node,
    /// How many scales it has under CKKS: 2 for a product that is not rescaled yet.
    pub degree: u32,
    /// How many primes it had where it was last multiplied with slots that are not encrypted: while it has them still, nothing hides these from who encrypted.
    pub raw: Option<usize>,
    /// Whether it was multiplied with, or added to, what the evaluator is given, or comes from a graph where it may have been.
    pub mixed: bool,
}

impl Cipher {
    /// Made of two.
    fn with(self, other: Self) -> Self {
        let raw = self.raw.into_iter().chain(other.raw).min();
        Self { raw, mixed: self.mixed || other.mixed, ..self }
    }
}

/// What a handle stands for.
#[derive(Clone, Copy, Debug)]
enum Held {
    Cipher {
        cipher: Cipher,
        settled: Option<Cipher>,
        /// The operator that it was made from.
        parent: u32,
        /// True where it is only added up and multiplied with numbers.
        added: bool,
        /// What is turned instead, and whether it was settled when that was decided.
        turned: Option<(bool, Option<Cipher>)>,
    },
    /// Slots that are not encrypted, and whether the evaluator is given them.
    Clear(Node, bool),
    /// Sums of slots of a ciphertext, which are left to who decrypts.
    Total { of: Handle, low: u32, rings: bool, repeats: u64, parent: u32 },
}

/// What differs between schemes.
pub trait Rules {
    /// The type of a fresh ciphertext, and what is known of its noise.
    ///
    /// # Errors
    /// `Parameters` where there is no such level.
    fn fresh(&self, chain: &Chain, name: &str) -> Result<(Ciphertext, Noise)>;
    /// What is known of an input that is not encrypted.
    fn clear(&self, name: &str) -> Noise {
        let _ = name;
        Noise::error(f64::NEG_INFINITY)
    }
    /// The type of slots that are not encrypted.
    ///
    /// # Errors
    /// For a ring that has none.
    fn slots(&self, n: usize) -> Result<ValueType>;
    /// A port's name, where several graphs that are made of one task lie side by side.
    fn port(&self, name: &str) -> String;
    /// A ciphertext that is fit to be multiplied, turned or given away: of two parts, of one scale, with noise divided away where that costs nothing.
    ///
    /// # Errors
    /// `Parameters` where no level is left, as in all of these.
    fn settle(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher) -> Result<Cipher>;
    /// What is turned instead of a settled ciphertext, where that is better: one that is settled later. `settled`: whether it was settled already.
    fn turned(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, settled: bool) -> Result<Option<Cipher>>;
    /// A ciphertext, of two parts or three, as it has to be to be multiplied with a number.
    fn rescaled(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, number: &Attr) -> Result<Cipher>;
    /// Two ciphertexts of one type, but for the number of their parts.
    fn meet(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, y: Cipher) -> Result<[Cipher; 2]>;
    /// The product of two settled ciphertexts.
    fn multiply(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, y: Cipher) -> Result<Cipher>;
    /// x + slots.
    fn add_clear(&self, e: &mut Emitter<'_>, x: Cipher, slots: Node) -> Result<Cipher>;
    /// The product of a settled ciphertext and slots.
    fn multiply_clear(&self, e: &mut Emitter<'_>, x: Cipher, slots: Node) -> Result<Cipher>;
    /// A settled ciphertext times a number.
    fn multiply_number(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, number: &Attr)
    -> Result<Cipher>;
    /// x + number, in all slots, where slots are reals.
    ///
    /// # Errors
    /// `Job` where they are not.
    fn add_number(&self, e: &mut Emitter<'_>, x: Cipher, number: Real) -> Result<Cipher> {
        let _ = (e, x, number);
        Err(Error::Job("slots are integers here"))
    }
    /// log2 of what numbers are multiplied with in a ciphertext, where they are reals.
    ///
    /// # Errors
    /// `Job` for what is no ciphertext.
    fn log_scale(&self, e: &Emitter<'_>, x: Cipher) -> Result<Option<f64>> {
        let _ = (e, x);
        Ok(None)
    }
    /// Bits that are left before decryption fails, of a modulus of so many bits.
    fn budget(&self, log_q: f64, noise: Noise) -> f64;
    /// The plaintext modulus, where slots are integers modulo one.
    fn modulus(&self) -> Option<u64> {
        None
    }
    /// log2 of the deviation of the noise that who decrypts adds to each of `n` coefficients, of what is off by at most 2^`error`; none where it adds none.
    fn deviation(&self, n: usize, error: f64) -> Option<f64> {
        let _ = (n, error);
        None
    }
    /// What is known of a result that leaves as `leaving` says, when it is told.
    fn told(&self, leaving: Leaving, noise: Noise) -> Noise {
        let _ = leaving;
        noise
    }
    /// What comes of a settled result that the parties of its key refresh; none where it has one holder.
    ///
    /// # Errors
    /// `Parameters` where no level is left for it.
    fn refresh(&self, chain: &Chain, ty: &Ciphertext, noise: Noise) -> Result<Option<Refresh>>;
    /// A ciphertext, settled or of three parts, as small as it may be with [`MARGIN`] bits of budget when it is told, and the bits that are left, be they fewer.
    fn finish(&self, e: &mut Emitter<'_>, x: Cipher, leaving: Leaving) -> Result<(Cipher, f64)>;
}

/// How a result leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaving {
    /// Coefficients that are decrypted.
    pub n: usize,
    /// Bits that who decrypts takes of the budget: sums of two rows are twice as large, with their errors.
    pub lost: f64,
    /// Whether it is refreshed: then what is told has masks on it.
    pub masked: bool,
}

/// What crosses from one graph to another that is closed over the same primes, by ports.
#[derive(Clone, Debug, Default)]
pub struct Onward {
    /// Inputs that another graph makes: what they are, and bounds on message and error.
    pub given: SortedMap<String, (Ciphertext, Noise)>,
    /// Outputs that others compute on: they keep all levels that they have.
    pub kept: SortedSet<String>,
    /// Outputs that the parties of the key refresh for others: at the lowest level that has room for masks, where they are not kept, too.
    pub refreshed: SortedSet<String>,
}

/// A declared output, closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// Its name.
    pub name: String,
    /// What it is: an extract, or all of a ciphertext.
    pub ty: Extract,
    /// Bits that are left before decryption fails.
    pub budget: f64,
    /// Bounds on message and error.
    pub noise: Noise,
    /// The same of what who decrypts is told: with the noise that it adds to what may be published.
    pub told: Noise,
    /// log2 of the deviation of that noise in each coefficient.
    pub deviation: Option<f64>,
    /// What comes of it where it is refreshed.
    pub refresh: Option<Refresh>,
}

impl Closed {
    /// Bits that are missing of the budgets of outputs, of which each has to be [`MARGIN`]; 0 where none are.
    pub fn missing(outputs: &[Self]) -> f64 {
        outputs.iter().map(|closed| MARGIN - closed.budget).fold(0.0, f64::max)
    }

    /// log2 of how much a number that is decrypted may be off, with the noise that is added to what may be published; none of exact schemes.
    pub fn error_bits(&self) -> Option<f64> {
        let Scheme::Ckks { scale } = self.ty.ciphertext.scheme else { return None };
        Some(self.told.error - libm::log2(scale.get()))
    }

    /// Bits between Q / 2 and the largest of numbers that were decrypted, times the scale, and the least that bounds on message and error leave; none of exact schemes.
    pub fn room(&self, numbers: &[u64]) -> Option<(f64, f64)> {
        let Scheme::Ckks { scale } = self.ty.ciphertext.scheme else { return None };
        let largest = numbers.iter().map(|&bits| f64::from_bits(bits).abs()).fold(0.0, f64::max);
        let room = |log: f64| noise::budget_bgv(noise::log2(&self.ty.ciphertext.q), log);
        let bound = noise::sum(&[self.told.message, self.told.error]);
        Some((room(libm::log2(largest) + libm::log2(scale.get())), room(bound)))
    }

    /// log2 of the standard deviation, in a number that is decrypted, of the noise that is added: the real part at a root of the sum of so many coefficients.
    pub fn noise_bits(&self) -> Option<f64> {
        let Scheme::Ckks { scale } = self.ty.ciphertext.scheme else { return None };
        let all = self.ty.kept() * self.ty.ciphertext.parties;
        let spread = (libm::log2(all as f64) - 1.0) / 2.0;
        Some(self.deviation? + spread - libm::log2(scale.get()))
    }

    /// Checks that all can be decrypted.
    ///
    /// # Errors
    /// `Parameters` where primes are too few.
    pub fn check(outputs: &[Self]) -> Result<()> {
        if Self::missing(outputs) > 0.0 { Err(no_level()) } else { Ok(()) }
    }
}

/// A graph of slot vectors, being closed.
pub struct Closing<'e, 'r> {
    emitter: &'e mut Emitter<'r>,
    chain: &'e Chain,
    rules: &'e dyn Rules,
    /// Whether products are relinearized after they were added up.
    lazy: bool,
    /// Whether products that are results are not relinearized at all, and then which slots that are not encrypted the evaluator is given.
    open: Option<&'e SortedSet<String>>,
    onward: &'e Onward,
    held: Vec<Held>,
    /// The operator that is being closed.
    parent: u32,
    /// What came of the declared outputs.
    pub outputs: Vec<Closed>,
    /// What each input was, by name, and what came of each operator, where it is encrypted; none where nobody asks ([`Closing::told`]).
    pub states: Option<Vec<(Made, State)>>,
}

/// What a state is told of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Made {
    /// An input of that name.
    Input(String),
    /// What an operator of that number makes.
    Operator(u32),
}

/// What is known of a ciphertext.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// How many primes it has left.
    pub level: usize,
    /// log2 of what numbers are multiplied with in it, where they are reals.
    pub scale: Option<f64>,
    /// Bounds on message and error.
    pub noise: Noise,
    /// Bits that are left before decryption fails.
    pub budget: f64,
}

impl<'e, 'r> Closing<'e, 'r> {
    /// Nothing yet; products are relinearized at once, or, where `lazy` is true, after they were added up.
    pub fn new(
        emitter: &'e mut Emitter<'r>,
        chain: &'e Chain,
        rules: &'e dyn Rules,
        lazy: bool,
        onward: &'e Onward,
    ) -> Self {
        let (held, outputs, states) = (Vec::new(), Vec::new(), None);
        Self { emitter, chain, rules, lazy, open: None, onward, held, parent: u32::MAX, outputs, states }
    }

    /// The same, which leaves products that are results, and that no other graph takes, as they are, of three parts, unless what the evaluator is given went into
    /// them: slots of these names.
    #[must_use]
    pub fn opening(self, given: &'e SortedSet<String>) -> Self {
        Self { open: Some(given), ..self }
    }

    /// The same, which tells [`Closing::states`].
    #[must_use]
    pub fn told(self) -> Self {
        Self { states: Some(Vec::new()), ..self }
    }

    fn hold(&mut self, cipher: Cipher) -> Handle {
        let parent = self.parent;
        self.held.push(Held::Cipher { cipher, settled: None, parent, added: false, turned: None });
        Handle((self.held.len() - 1) as u32)
    }

    fn state(&mut self, of: Made, x: Cipher) -> Result<()> {
        let Some(states) = &mut self.states else { return Ok(()) };
        let (ty, noise) = (self.emitter.ciphertext(x.node)?, self.emitter.noise(x.node));
        let (level, scale) = (ty.q.len(), self.rules.log_scale(self.emitter, x)?);
        let budget = self.rules.budget(noise::log2(&ty.q), noise);
        states.push((of, State { level, scale, noise, budget }));
        Ok(())
    }

    fn cipher(&self, x: Handle) -> Result<Cipher> {
        match self.held[x.0 as usize] {
            Held::Cipher { cipher, .. } => Ok(cipher),
            Held::Clear(..) => Err(Error::Job("an encrypted operand comes first")),
            Held::Total { .. } => Err(Error::Job("a total is for outputs")),
        }
    }

    fn settled(&mut self, x: Handle) -> Result<Cipher> {
        let cipher = self.cipher(x)?;
        if let Held::Cipher { settled: Some(settled), .. } = self.held[x.0 as usize] {
            return Ok(settled);
        }
        let Held::Cipher { parent, .. } = self.held[x.0 as usize] else { return Ok(cipher) };
        let made =
            self.making(parent, |closing| closing.rules.settle(closing.emitter, closing.chain, cipher))?;
        if let Held::Cipher { settled, .. } = &mut self.held[x.0 as usize] {
            *settled = Some(made);
        }
        Ok(made)
    }

    /// What is a result: settled, but for a product that is to stay as it is. From three parts of a square its root follows, whatever of it the result is: so only what
    /// nobody but who decrypts put in stays.
    fn leaving(&mut self, x: Handle) -> Result<Cipher> {
        match self.held[x.0 as usize] {
            Held::Cipher { cipher, settled: None, .. }
                if self.open.is_some()
                    && !cipher.mixed
                    && self.emitter.ciphertext(cipher.node)?.parts > 2 =>
            {
                Ok(cipher)
            }
            _ => self.settled(x),
        }
    }

    /// What is part of making a ciphertext, where an operator does: who reads it has it done.
    fn making<T>(&mut self, parent: u32, make: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if parent != u32::MAX {
            self.emitter.set_parent(parent);
        }
        let made = make(self);
        self.emitter.set_parent(self.parent);
        made
    }

    /// What is added up: settled where that is needed in any case.
    fn addend(&mut self, x: Handle) -> Result<Cipher> {
        match self.held[x.0 as usize] {
            Held::Cipher { cipher, settled, added, .. } if self.lazy => {
                Ok(settled.filter(|_| !added).unwrap_or(cipher))
            }
            _ => self.settled(x),
        }
    }

    fn sum(&mut self, op: &'static str, x: Handle, y: Handle) -> Result<Cipher> {
        let (x, y) = (self.addend(x)?, self.addend(y)?);
        let [x, y] = self.rules.meet(self.emitter, self.chain, x, y)?;
        let node = self.emitter.op(op, Attrs::new(), &[x.node, y.node])?;
        Ok(Cipher { node, ..x.with(y) })
    }

    fn turn(&mut self, x: Handle, g: u64, moved: Moved) -> Result<Handle> {
        let instead = match self.held[x.0 as usize] {
            Held::Cipher { settled, turned: Some((was, instead)), .. } if was == settled.is_some() => instead,
            Held::Cipher { cipher, settled, parent, .. } => {
                let settled = settled.is_some();
                let instead = self.making(parent, |closing| {
                    closing.rules.turned(closing.emitter, closing.chain, cipher, settled)
                })?;
                if let Held::Cipher { turned, .. } = &mut self.held[x.0 as usize] {
                    *turned = Some((settled, instead));
                }
                instead
            }
            _ => None,
        };
        let x = instead.map_or_else(|| self.settled(x), Ok)?;
        let level = self.emitter.level(x.node)?;
        let key = self.emitter.key(KeyName::Galois(g), self.chain, level)?;
        let attrs = Attrs::new().with("g", g);
        let node = self.emitter.op_that_moves("rlwe.automorphism", attrs, &[x.node, key], moved)?;
        Ok(self.hold(Cipher { node, ..x }))
    }
}

impl Target for Closing<'_, '_> {
    fn begin(&mut self, operator: u32) {
        self.parent = operator;
        self.emitter.set_parent(operator);
    }

    fn made(&mut self, operator: u32, x: Handle, only_added: bool) -> Result<()> {
        match &mut self.held[x.0 as usize] {
            Held::Cipher { cipher, added, .. } => {
                *added = only_added;
                let cipher = *cipher;
                self.state(Made::Operator(operator), cipher)
            }
            &mut Held::Total { of, .. } => {
                let cipher = self.leaving(of)?;
                self.state(Made::Operator(operator), cipher)
            }
            Held::Clear(..) => Ok(()),
        }
    }

    fn input(&mut self, name: &str, vector: SlotVector) -> Result<Handle> {
        let port = self.rules.port(name);
        if vector.encrypted {
            let given = self.onward.given.get(&port).cloned();
            let fresh = given.is_none();
            let (ty, noise) = given.map_or_else(|| self.rules.fresh(self.chain, name), Ok)?;
            let node = self.emitter.ciphertext_input(&port, &ty, noise, fresh)?;
            let cipher = Cipher { node, degree: 1, raw: None, mixed: !fresh };
            self.state(Made::Input(name.to_owned()), cipher)?;
            return Ok(self.hold(cipher));
        }
        let (ty, noise) = (self.rules.slots(self.chain.n)?, self.rules.clear(name));
        let node = self.emitter.input(&port, ty, noise)?;
        let given = self.open.is_some_and(|given| given.contains(name));
        self.held.push(Held::Clear(node, given));
        Ok(Handle((self.held.len() - 1) as u32))
    }

    fn add(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        let sum = match self.held[y.0 as usize] {
            Held::Clear(slots, given) => {
                let x = self.cipher(x)?;
                Cipher { mixed: x.mixed || given, ..self.rules.add_clear(self.emitter, x, slots)? }
            }
            _ => self.sum("rlwe.add", x, y)?,
        };
        Ok(self.hold(sum))
    }

    fn sub(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        if let Held::Clear(..) = self.held[y.0 as usize] {
            // -(-x + y): signs cost little.
            let negative = self.negate(x)?;
            let sum = self.add(negative, y)?;
            return self.negate(sum);
        }
        let difference = self.sum("rlwe.sub", x, y)?;
        Ok(self.hold(difference))
    }

    fn negate(&mut self, x: Handle) -> Result<Handle> {
        let x = self.cipher(x)?;
        let node = self.emitter.op("rlwe.negate", Attrs::new(), &[x.node])?;
        Ok(self.hold(Cipher { node, ..x }))
    }

    fn multiply(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        let first = self.settled(x)?;
        let product = match self.held[y.0 as usize] {
            Held::Clear(slots, given) => {
                let product = self.rules.multiply_clear(self.emitter, first, slots)?;
                Cipher {
                    raw: Some(self.emitter.level(product.node)?),
                    mixed: first.mixed || given,
                    ..product
                }
            }
            _ => {
                let second = self.settled(y)?;
                let product = self.rules.multiply(self.emitter, self.chain, first, second)?.with(second);
                if self.lazy { product } else { relinearized(self.emitter, self.chain, product)? }
            }
        };
        Ok(self.hold(product))
    }

    fn multiply_number(&mut self, x: Handle, number: &Attr) -> Result<Handle> {
        let x = match self.held[x.0 as usize] {
            Held::Cipher { cipher, added: true, .. } if self.lazy => {
                self.rules.rescaled(self.emitter, self.chain, cipher, number)?
            }
            _ => self.settled(x)?,
        };
        let product = self.rules.multiply_number(self.emitter, self.chain, x, number)?;
        Ok(self.hold(product))
    }

    fn lookup(&mut self, x: Handle, first: i64, values: &[i128]) -> Result<Handle> {
        let Some(t) = self.rules.modulus().filter(|&t| t >= values.len() as u64) else {
            return Err(Error::Parameters {
                what: "plaintext modulus for a table".into(),
                found: self.rules.modulus().map_or("none: slots are reals".into(), |t| t.to_string()),
                expected: format!("at least {}, its entries", values.len()),
            });
        };
        let coefficients = lookup::interpolated(first, values, Modulus::new(t)?)?;
        let coefficients = coefficients.into_iter().map(i128::from).collect();
        self.polynomial_of(x, &Series::Integers(coefficients))
    }

    fn polynomial(&mut self, x: Handle, p: &Series) -> Result<Handle> {
        self.polynomial_of(x, p)
    }

    fn within(&mut self, x: Handle, largest: f64, off: f64) -> Result<Handle> {
        let cipher = self.cipher(x)?;
        let Some(scale) = self.rules.log_scale(self.emitter, cipher)? else { return Ok(x) };
        let known = self.emitter.bounds(cipher.node).off_by(libm::log2(off) + scale);
        let message = known.noise.message.min(libm::log2(largest) + scale);
        let node = self.emitter.known_better(cipher.node, known.with_message(message));
        Ok(self.hold(Cipher { node, ..cipher }))
    }

    fn rotate(&mut self, x: Handle, steps: u64) -> Result<Handle> {
        let of = self.chain.n as u32 / 2;
        let steps = (steps % u64::from(of)) as u32;
        let mut turned = x;
        for step in self.emitter.way(steps) {
            let moved = Moved::By { steps: step, of };
            turned = self.turn(turned, galois_element(self.chain.n, i64::from(step)), moved)?;
        }
        Ok(turned)
    }

    fn swap(&mut self, x: Handle) -> Result<Handle> {
        self.turn(x, galois_conjugate(self.chain.n), Moved::Anyhow)
    }

    fn total(&mut self, x: Handle, low: u32, rings: bool, repeats: u64) -> Result<Handle> {
        self.held.push(Held::Total { of: x, low, rings, repeats, parent: self.parent });
        Ok(Handle((self.held.len() - 1) as u32))
    }

    fn output(&mut self, name: &str, x: Handle) -> Result<()> {
        if let Held::Cipher { parent, .. } | Held::Total { parent, .. } = self.held[x.0 as usize] {
            self.begin(parent);
        }
        let (x, total) = match self.held[x.0 as usize] {
            Held::Total { of, low, rings, repeats, .. } => (of, Some((low, rings, repeats))),
            _ => (x, None),
        };
        let name = self.rules.port(name);
        let kept = self.onward.kept.contains(&name);
        let x =
            if kept || self.onward.refreshed.contains(&name) { self.settled(x)? } else { self.leaving(x)? };
        // Slots of one row alone are real numbers, of which the real part of all is the sum. What is added to its image may be twice as large.
        let conjugated = total.is_some_and(|(low, rings, _)| rings || low == 0);
        let leaving = Leaving {
            n: total.map_or(self.chain.n, |(low, ..)| 2 << low),
            lost: if conjugated { 1.0 } else { 0.0 },
            masked: false,
        };
        let refreshed = self.onward.refreshed.contains(&name);
        let (x, mut budget) = if kept {
            let q = self.emitter.ciphertext(x.node)?.q.clone();
            let told = self.rules.told(leaving, self.emitter.noise(x.node));
            (x, self.rules.budget(noise::log2(&q), told))
        } else {
            self.rules.finish(self.emitter, x, Leaving { masked: refreshed, ..leaving })?
        };
        let mut refresh = None;
        if refreshed {
            let ty = self.emitter.ciphertext(x.node)?;
            let own = self.rules.refresh(self.chain, ty, self.emitter.noise(x.node))?;
            let own = own.ok_or(Error::Job("what is refreshed is of several parties"))?;
            budget = budget.min(self.rules.budget(noise::log2(&ty.q), own.told));
            drawn(&name, own.deviation)?;
            refresh = Some(own);
        }
        let node = match total {
            Some((low, _, repeats)) => {
                // Who made c_1 would divide what it was multiplied with by it.
                if x.raw == Some(self.emitter.level(x.node)?) {
                    return Err(no_level());
                }
                let attrs = Attrs::new()
                    .with("stride", self.chain.n >> (low + 1))
                    .with("conjugated", u64::from(conjugated));
                let attrs = attrs.with("repeats", repeats);
                let moved = Moved::Mean { low, of: self.chain.n as u32 / 2 };
                self.emitter.op_that_moves("rlwe.extract", attrs, &[x.node], moved)?
            }
            None => x.node,
        };
        let (ty, noise) = (self.emitter.extract(node)?, self.emitter.noise(node));
        self.emitter.output(&name, node)?;
        let deviation = self.rules.deviation(leaving.n, noise.error);
        drawn(&name, deviation)?;
        let told = self.rules.told(Leaving { lost: 0.0, ..leaving }, noise);
        self.outputs.push(Closed { name, ty, budget, noise, told, deviation, refresh });
        Ok(())
    }
}

/// Checks that noise of that deviation can be drawn.
///
/// # Errors
/// `Parameters` for a larger one.
fn drawn(name: &str, deviation: Option<f64>) -> Result<()> {
    match deviation.filter(|&found| found > libm::log2(Gaussian::LARGEST)) {
        None => Ok(()),
        Some(found) => Err(Error::Parameters {
            what: format!("deviation of the noise that hides the errors of output `{name}`"),
            found: format!("2^{found:.1}"),
            expected: format!("at most 2^{:.0}", libm::log2(Gaussian::LARGEST)),
        }),
    }
}

/// What the port of a ciphertext or a vector is called, modulo a plaintext modulus where there are several.
pub fn port_name(name: &str, t: Option<u64>) -> String {
    t.map_or_else(|| name.to_owned(), |t| format!("{name} mod {t}"))
}

/// Says that a graph is too deep for its primes.
fn no_level() -> Error {
    Error::Parameters {
        what: "primes of the ciphertext modulus".into(),
        found: "too few: none is left to divide by".into(),
        expected:
            "one for every product in a row, and one more: fewer products in a row help, and smaller bounds"
                .into(),
    }
}

/// Three parts to two.
fn relinearized(e: &mut Emitter<'_>, chain: &Chain, x: Cipher) -> Result<Cipher> {
    let ty = e.ciphertext(x.node)?;
    if ty.parts < 3 {
        return Ok(x);
    }
    let key = e.key(KeyName::Relinearization, chain, ty.q.len())?;
    Ok(Cipher { node: e.op("rlwe.relinearize", Attrs::new(), &[x.node, key])?, ..x })
}

/// The first `keep` primes of a ciphertext.
fn dropped(e: &mut Emitter<'_>, x: Cipher, keep: usize) -> Result<Cipher> {
    if e.level(x.node)? == keep {
        return Ok(x);
    }
    Ok(Cipher { node: e.op("rlwe.drop_primes", Attrs::new().with("keep", keep), &[x.node])?, ..x })
}
