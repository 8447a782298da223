//! Polynomials of ciphertexts, with few products (Paterson and Stockmeyer, SIAM J. Comput. 2, 1973).
//!
//! Blocks of `baby` coefficients, a power of two, are put together two and two with b_baby, b_(2 baby), b_(4 baby), ..., elements of the basis: no deeper than any way to
//! make the highest element.

use super::Closing;
use super::errors::Bounds;
use crate::graph::{Attr, Real};
use crate::ops::Noise;
use crate::packed::{Basis, Handle, Series, Target, beyond, chebyshev};
use crate::{Error, Result};

impl Closing<'_, '_> {
    /// p(x) - p(0). What x is off by is magnified by no more than p is steep, whatever the terms of p are: so its own evaluation is judged as of an x that is what is meant.
    ///
    /// # Errors
    /// `Parameters` where no level is left.
    pub(super) fn polynomial_of(&mut self, x: Handle, p: &Series) -> Result<Handle> {
        let settled = self.settled(x)?;
        let scale = self.rules.log_scale(self.emitter, settled)?;
        let Some(scale) = scale else { return Evaluation::new(self, x, p).run(p) };
        let x = self.hold(settled);
        let known = self.emitter.bounds(settled.node).clone();
        let Noise { message, error } = known.noise;
        let own = if p.basis() == Basis::Chebyshev { 0.0 } else { message - scale };
        let largest = libm::exp2(own) + libm::exp2(error - scale);
        let meant = Noise { message: libm::log2(largest) + scale, error: f64::NEG_INFINITY };
        self.emitter.open_scope();
        self.emitter.set_bounds(settled.node, Bounds::certain(meant));
        let found = Evaluation::new(self, x, p).run(p);
        self.emitter.set_bounds(settled.node, known.clone());
        self.emitter.close_scope();
        let found = found?;
        let cipher = self.cipher(found)?;
        let Some(of) = self.rules.log_scale(self.emitter, cipher)? else { return Ok(found) };
        let evaluated = self.emitter.bounds(cipher.node);
        let carried = evaluated.carrying(&known, libm::log2(p.steepest(largest)) + of - scale);
        self.emitter.set_bounds(cipher.node, carried);
        Ok(found)
    }
}

/// A polynomial, being evaluated.
struct Evaluation<'c, 'e, 'r> {
    closing: &'c mut Closing<'e, 'r>,
    basis: Basis,
    baby: usize,
    /// Elements of the basis: number k is that of degree k + 1.
    elements: Vec<Option<Handle>>,
}

impl<'c, 'e, 'r> Evaluation<'c, 'e, 'r> {
    fn new(closing: &'c mut Closing<'e, 'r>, x: Handle, p: &Series) -> Self {
        // About half of the products make elements, the others put blocks together.
        let baby = 1usize << ((p.len() as f64 / 2.0).sqrt().log2().round().max(0.0) as u32);
        Self { closing, basis: p.basis(), baby, elements: vec![Some(x)] }
    }

    fn run(mut self, p: &Series) -> Result<Handle> {
        if let Some(cubic) = p.odd_cubic() {
            return self.odd_cubic(cubic);
        }
        let found = match self.above_zero(p)? {
            Some(found) => found,
            None => {
                let x = self.element(1)?;
                self.closing.multiply_number(x, &Attr::Int(0))?
            }
        };
        // T_2, T_4, ... are not 0 at 0.
        match p {
            Series::Reals(Basis::Chebyshev, all) => match all[0] - chebyshev(all, 0.0) {
                0.0 => Ok(found),
                rest => self.closing.add_number(found, rest),
            },
            _ => Ok(found),
        }
    }

    /// a x (x^2 + b/a): one product with a number at most, and no sums of what has different levels.
    fn odd_cubic(&mut self, (a, b): (f64, f64)) -> Result<Handle> {
        let x = self.element(1)?;
        let square = self.closing.multiply(x, x)?;
        let square = self.closing.add_number(square, b / a)?;
        let lead = Real::new(a).ok_or(Error::Job("numbers are finite"))?;
        let x = if a == 1.0 { x } else { self.closing.multiply_number(x, &Attr::Real(lead))? };
        self.closing.multiply(x, square)
    }

    /// p(x) but for what belongs to the first element of the basis, 1; none where that is all.
    fn above_zero(&mut self, p: &Series) -> Result<Option<Handle>> {
        let mut sum = None;
        if p.len() <= self.baby {
            for k in 1..p.len() {
                let Some(c) = p.coefficient(k) else { continue };
                let element = self.element(k)?;
                let term = self.closing.multiply_number(element, &c)?;
                self.add(&mut sum, term)?;
            }
            return Ok(sum);
        }
        // p = q b + r.
        let mut middle = self.baby;
        while 2 * middle < p.len() {
            middle *= 2;
        }
        let (q, r) = p.divided(middle);
        if let Some(r) = self.above_zero(&r)? {
            self.add(&mut sum, r)?;
        }
        let quotient = self.above_zero(&q)?;
        let element = self.element(middle)?;
        if let Some(quotient) = quotient {
            let product = self.closing.multiply(quotient, element)?;
            self.add(&mut sum, product)?;
        }
        if let Some(c) = q.coefficient(0) {
            let term = self.closing.multiply_number(element, &c)?;
            self.add(&mut sum, term)?;
        }
        Ok(sum)
    }

    fn add(&mut self, sum: &mut Option<Handle>, term: Handle) -> Result<()> {
        *sum = Some(sum.map_or(Ok(term), |sum| self.closing.add(sum, term))?);
        Ok(())
    }

    /// An element of the basis, from two of about half of its degree.
    fn element(&mut self, k: usize) -> Result<Handle> {
        if let Some(&Some(known)) = self.elements.get(k - 1) {
            return Ok(known);
        }
        let (a, b) = (k / 2, k - k / 2);
        let (half, other) = (self.element(a)?, self.element(b)?);
        let mut element = self.closing.multiply(half, other)?;
        if self.basis == Basis::Chebyshev {
            // T_(a + b) = 2 T_a T_b - T_(b - a).
            element = self.closing.add(element, element)?;
            element = if a == b {
                self.closing.add_number(element, -1.0)?
            } else {
                let difference = self.element(b - a)?;
                self.closing.sub(element, difference)?
            };
            let x = self.elements[0].ok_or(Error::Job("a polynomial is one of something"))?;
            let largest = self.closing.largest(x)?;
            element = self.closing.within(element, beyond(k, largest), 0.0)?;
        }
        if self.elements.len() < k {
            self.elements.resize(k, None);
        }
        self.elements[k - 1] = Some(element);
        Ok(element)
    }
}

impl Closing<'_, '_> {
    /// x + number, in all slots.
    fn add_number(&mut self, x: Handle, number: f64) -> Result<Handle> {
        let x = self.cipher(x)?;
        let number = Real::new(number).ok_or(Error::Job("numbers are finite"))?;
        let sum = self.rules.add_number(self.emitter, x, number)?;
        Ok(self.hold(sum))
    }

    /// The largest number in slots.
    fn largest(&mut self, x: Handle) -> Result<f64> {
        let x = self.settled(x)?;
        let scale = self.rules.log_scale(self.emitter, x)?.unwrap_or(0.0);
        Ok(libm::exp2(self.emitter.noise(x.node).message - scale))
    }
}
