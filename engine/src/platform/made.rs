//! Kernels made at run time: functions that are not of this program, which somebody has put into its function table, each for one
//! piece of work of one shape. Whoever prepares a kernel asks here first, and has one of its own for what nobody offered.
//!
//! This is the only place that calls such a function, by its place in the table, and the only unsafe code of the platforms.
//!
//! # Why it is sound
//! On wasm a function pointer is a place in the table of the instance that calls, and a call of one checks the type: a place that
//! holds nothing, or something else, is a trap and no jump into nowhere. What the function does with the memory is what
//! [`offer`] is promised: it reads and writes the ranges that [`Prepared::run`] names and no others, as the code of
//! `bindings/src/tune/kernels/` does by construction (addresses are those that it is given plus counters with constant ends).
//! JavaScript, which is who offers, has this memory in its hands anyway; from elsewhere `offer` is an unsafe function.
//! All instances over one memory have the same functions in the same places, which is the promise of whoever starts them.
#![expect(
    unsafe_code,
    reason = "functions that come later are called by their place in the table, see above"
)]

use crate::{Error, Result, memory};
use std::sync::{Arc, PoisonError, RwLock};

/// What there can be such kernels of: pieces that several operators are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The transform of a ring, of one dimension: from centered integers modulo a prime below `2^50`.
    Forward,
    /// Its inverse.
    Inverse,
}

impl Piece {
    /// All, by their names.
    pub const NAMES: [(&'static str, Self); 2] =
        [("ring.forward", Self::Forward), ("ring.inverse", Self::Inverse)];

    /// The piece of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, piece)| piece)
    }

    /// Doubles beside the two of each power that a layout may name: `q`, `1/q`, and those of the two factors of the last layer.
    const REST: usize = 6;
}

/// `out`, `a`, `factors`, `rest`; see [`Prepared::run`].
type Function = extern "C" fn(*mut u64, *const u64, *const f64, *const f64);

/// An offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it computes.
    pub piece: Piece,
    /// Ring dimension.
    pub n: usize,
    /// For primes of at most so many bits.
    pub bits: u32,
    /// For this prime alone, if any is named.
    pub prime: Option<u64>,
    /// Places in the function table: of the function from and to residues, and of the one that leaves or takes doubles instead, at most
    /// 9/16 of the prime in size.
    pub places: [usize; 2],
    /// The doubles that it reads, in order, by number: `2 i` is power `i` of the root in bit-reversed order, centered, `2 i + 1` that by the prime; from
    /// `2 n` on `q`, `1/q`, and of the inverse `1/n`, `1/n/q`, the last layer's factor and that by the prime.
    pub layout: Vec<u32>,
}

/// All offers; the last one that fits is taken.
static OFFERS: RwLock<Vec<Arc<Offer>>> = RwLock::new(Vec::new());

/// Makes a kernel known to all that is prepared from now on.
///
/// # Errors
/// `Task` for what no kernel can be: a dimension that is no power of two from 8 on, a number in the layout beyond all doubles.
///
/// # Safety
/// In every instance over this memory the functions at [`Offer::places`] have the type of the ABI, and touch nothing but `n` words of `a`, which they
/// read, `n` of `out`, which they write, as many doubles as the layout has, and three more.
pub unsafe fn offer(offer: Offer) -> Result<()> {
    let wrong = |at: &str, found: String, expected: &str| {
        Err(Error::Task { at: at.into(), found, expected: expected.into() })
    };
    let (n, all) = (offer.n, 2 * offer.n + Piece::REST);
    if !n.is_power_of_two() || !(8..=crate::math::ntt::MAX_DEGREE).contains(&n) {
        return wrong("kernel, dimension", n.to_string(), "a power of two from 8 to 131072");
    }
    if !(2..=50).contains(&offer.bits) {
        return wrong("kernel, bits of the prime", offer.bits.to_string(), "2 to 50");
    }
    if offer.layout.len() > 8 * n + Piece::REST {
        return wrong("kernel, layout", offer.layout.len().to_string(), "at most 8 n + 6 numbers");
    }
    if let Some(beyond) = offer.layout.iter().find(|&&at| at as usize >= all) {
        return wrong("kernel, layout", beyond.to_string(), "numbers below 2 n + 6");
    }
    if offer.places.contains(&0) {
        return wrong("kernel, places", "0".into(), "places from 1 on: a pointer to nothing is no function");
    }
    OFFERS.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(offer));
    Ok(())
}

/// Forgets all offers; what is prepared already keeps its kernels.
pub fn withdraw() {
    OFFERS.write().unwrap_or_else(PoisonError::into_inner).clear();
}

/// A kernel with the factors of one prime.
pub(super) struct Prepared {
    offer: Arc<Offer>,
    factors: Vec<f64>,
}

impl Prepared {
    /// What was offered for it; none where nothing was. `doubles`: all that layouts name.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn find(
        piece: Piece,
        (n, q): (usize, u64),
        doubles: impl FnOnce() -> Vec<f64>,
    ) -> Result<Option<Self>> {
        let fits = |offer: &&Arc<Offer>| {
            let bits = u64::BITS - q.leading_zeros();
            (offer.piece, offer.n) == (piece, n)
                && bits <= offer.bits
                && offer.prime.is_none_or(|prime| prime == q)
        };
        let offers = OFFERS.read().unwrap_or_else(PoisonError::into_inner);
        let Some(offer) = offers.iter().rev().find(fits).map(Arc::clone) else { return Ok(None) };
        drop(offers);
        let doubles = doubles();
        let mut factors = memory::room(offer.layout.len())?;
        factors.extend(offer.layout.iter().map(|&at| doubles[at as usize]));
        Ok(Some(Self { offer, factors }))
    }

    /// Computes `out` from `a`, of `n` words each; with `open` the second function. `rest`: what a forward transform takes off residues modulo `p` to see
    /// them as centered integers: `ceil(p/2)`, `p`, `p - ceil(p/2)`.
    pub(super) fn run(&self, open: bool, out: &mut [u64], a: &[u64], rest: &[f64; 3]) {
        assert!(out.len() == self.offer.n && a.len() == self.offer.n, "operands of the ring");
        self.call(open, out.as_mut_ptr(), a.as_ptr(), rest);
    }

    /// As [`Self::run`], in place.
    pub(super) fn run_in_place(&self, open: bool, a: &mut [u64], rest: &[f64; 3]) {
        assert!(a.len() == self.offer.n, "an operand of the ring");
        let a = a.as_mut_ptr();
        self.call(open, a, a, rest);
    }

    fn call(&self, open: bool, out: *mut u64, a: *const u64, rest: &[f64; 3]) {
        // SAFETY: a function pointer is a place in the table, whose call is checked on wasm; elsewhere `offer` was promised that it is
        // one. Both callers have seen that `out` and `a` are `n` words.
        let function: Function = unsafe { std::mem::transmute(self.offer.places[usize::from(open)]) };
        function(out, a, self.factors.as_ptr(), rest.as_ptr());
    }
}
