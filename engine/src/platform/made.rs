//! Kernels made at run time: functions that are not of this program, which somebody has put into its function table, each for one
//! piece of work of one shape. Whoever prepares a kernel asks here first, and has one of its own for what nobody offered.
//!
//! This is the only place that calls such a function, by its place in the table, and the only unsafe code of the platforms.
//!
//! # Why it is sound
//! On wasm a function pointer is a place in the table of the instance that calls, and a call of one checks the type: a place that
//! holds nothing, or something else, is a trap and no jump into nowhere. What the function does with the memory is what
//! [`offer`] is promised: it reads and writes the ranges that [`Prepared::run`] and [`Prepared::gather`] name and no others, as the code of
//! `bindings/src/tune/kernels/` does by construction (addresses are those that it is given, or finds in the table that it is given, plus counters with constant ends).
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
    /// Sums of products, index by index: `out_k = sum over i of x_i y_ik`, modulo a prime below `2^50`.
    Sum(Terms),
    /// A change of the RNS base, as `math::BaseChange` has it, of primes below `2^50`.
    Change(Change),
}

/// The shape of a change of base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Limbs that it starts from.
    pub sources: usize,
    /// Limbs that it makes.
    pub targets: usize,
    /// Whether the sources are multiplied by factors of theirs first.
    pub scaled: bool,
    /// Whether each target has a limb of its own, from which the remainder is taken.
    pub own: bool,
}

impl Change {
    /// Most sources, and most targets.
    pub const MOST: [usize; 2] = [12, 16];
}

/// The shape of sums of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Terms whose `x` is what a transform left open, as doubles of at most 9/16 of the prime. They come first.
    pub open: usize,
    /// Terms whose `x` are residues.
    pub residues: usize,
    /// How many sums there are, of the same `x`.
    pub outputs: usize,
}

impl Terms {
    /// Most terms of a kernel, and most outputs.
    pub const MOST: [usize; 2] = [16, 4];

    /// How many `x` there are.
    pub const fn count(self) -> usize {
        self.open.saturating_add(self.residues)
    }
}

impl Piece {
    /// Names of all.
    pub const NAMES: [&'static str; 4] = ["ring.forward", "ring.inverse", "ring.sum", "rns.change"];

    /// Most addresses that a kernel is given.
    const MOST_ADDRESSES: usize = Terms::MOST[0] * (1 + Terms::MOST[1]);

    /// The piece of that name; `terms`: of sums, [`Terms`] in order, of changes of base, [`Change`], with 0 and 1.
    pub fn named(name: &str, terms: &[usize]) -> Option<Self> {
        match (name, terms) {
            ("ring.forward", []) => Some(Self::Forward),
            ("ring.inverse", []) => Some(Self::Inverse),
            ("ring.sum", &[open, residues, outputs]) => Some(Self::Sum(Terms { open, residues, outputs })),
            ("rns.change", &[sources, targets, scaled @ (0 | 1), own @ (0 | 1)]) => {
                Some(Self::Change(Change { sources, targets, scaled: scaled == 1, own: own == 1 }))
            }
            _ => None,
        }
    }

    /// Limbs that are read by their addresses, and limbs that are written: of transforms there is one each, and no address.
    const fn limbs(self) -> [usize; 2] {
        match self {
            Self::Forward | Self::Inverse => [0, 1],
            Self::Sum(terms) => [terms.count() * (1 + terms.outputs), terms.outputs],
            Self::Change(Change { sources, targets, own, .. }) => {
                [sources + if own { targets } else { 0 }, targets]
            }
        }
    }

    /// Doubles beside the two of each power that a layout may name: `q`, `1/q`, and those of the two factors of the last layer.
    const REST: usize = 6;

    /// How many doubles a layout may name, and how long it may be.
    const fn doubles(self, n: usize) -> [usize; 2] {
        match self {
            Self::Forward | Self::Inverse => [2 * n + Self::REST, 8 * n + Self::REST],
            Self::Sum(_) => [2, 2],
            Self::Change(Change { sources, targets, own, .. }) => {
                [5 * sources + targets * (3 + sources + own as usize); 2]
            }
        }
    }
}

/// `out`, `a`, `factors`, `rest`; see [`Prepared::run`].
type Function = extern "C" fn(*mut u64, *const u64, *const f64, *const f64);

/// The rings that an offer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Dimension.
    pub n: usize,
    /// For primes of at most so many bits.
    pub bits: u32,
    /// For this prime alone, if any is named.
    pub prime: Option<u64>,
}

impl Ring {
    /// Whether that of dimension `n` and prime `q` is one.
    pub fn serves(self, n: usize, q: u64) -> bool {
        let bits = u64::BITS - q.leading_zeros();
        self.n == n && bits <= self.bits && self.prime.is_none_or(|prime| prime == q)
    }
}

/// Offers of one kind.
pub struct Offers<T>(RwLock<Vec<Arc<T>>>);

impl<T> Offers<T> {
    /// None yet.
    pub const fn none() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// One more.
    pub fn add(&self, offer: T) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(offer));
    }

    /// The last one that fits.
    pub fn last(&self, fits: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let offers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        offers.iter().rev().find(|offer| fits(offer)).map(Arc::clone)
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// An offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it is called where one asks which kernels ran.
    pub name: String,
    /// What it computes.
    pub piece: Piece,
    /// For which rings.
    pub ring: Ring,
    /// Places in the function table: of the function from and to residues, and of the one that leaves or takes doubles instead, at most
    /// 9/16 of the prime in size. Of sums: the one that gives residues, and the one that leaves doubles.
    pub places: [usize; 2],
    /// The doubles that it reads, in order, by number: of sums `q`, `1/q`; of changes of base those of [`Piece::Change`] in `simd/base_change.rs`; of transforms `2 i` is power `i` of the root in bit-reversed order, centered, `2 i + 1` that by the prime; from
    /// `2 n` on `q`, `1/q`, and of the inverse `1/n`, `1/n/q`, the last layer's factor and that by the prime.
    pub layout: Vec<u32>,
}

/// All offers; the last one that fits is taken.
static OFFERS: Offers<Offer> = Offers::none();

/// Makes a kernel known to all that is prepared from now on.
///
/// # Errors
/// `Task` for what no kernel can be: a dimension that is no power of two from 8 on, a number in the layout beyond all doubles, sums of nothing or of too much.
///
/// # Safety
/// In every instance over this memory the functions at [`Offer::places`] have the type of the ABI, and touch nothing but `n` words of `a`, which they
/// read, `n` of `out`, which they write, as many doubles as the layout has, and three more. Of sums and changes of base: `a` is a table of as many addresses as the piece
/// reads limbs, of `n` words each, and `out` has `n` words for each limb that it writes.
pub unsafe fn offer(offer: Offer) -> Result<()> {
    let wrong = |at: &str, found: String, expected: &str| {
        Err(Error::Task { at: at.into(), found, expected: expected.into() })
    };
    let Ring { n, bits, .. } = offer.ring;
    if !n.is_power_of_two() || !(8..=crate::math::ntt::MAX_DEGREE).contains(&n) {
        return wrong("kernel, dimension", n.to_string(), "a power of two from 8 to 131072");
    }
    if !(2..=50).contains(&bits) {
        return wrong("kernel, bits of the prime", bits.to_string(), "2 to 50");
    }
    if let Piece::Sum(terms) = offer.piece {
        let [most, outputs] = Terms::MOST;
        if !(1..=most).contains(&terms.count()) || !(1..=outputs).contains(&terms.outputs) {
            return wrong("kernel, terms", format!("{terms:?}"), "1 to 16 terms, 1 to 4 outputs");
        }
    }
    if let Piece::Change(change) = offer.piece {
        let [sources, targets] = Change::MOST;
        if !(1..=sources).contains(&change.sources) || !(1..=targets).contains(&change.targets) {
            return wrong(
                "kernel, change of base",
                format!("{change:?}"),
                "1 to 12 sources, 1 to 16 targets",
            );
        }
    }
    let [all, longest] = offer.piece.doubles(n);
    if offer.layout.len() > longest {
        return wrong(
            "kernel, layout",
            offer.layout.len().to_string(),
            &format!("at most {longest} numbers"),
        );
    }
    if let Some(beyond) = offer.layout.iter().find(|&&at| at as usize >= all) {
        return wrong("kernel, layout", beyond.to_string(), &format!("numbers below {all}"));
    }
    if offer.places.contains(&0) {
        return wrong("kernel, places", "0".into(), "places from 1 on: a pointer to nothing is no function");
    }
    OFFERS.add(offer);
    Ok(())
}

/// Forgets all offers; what is prepared already keeps its kernels.
pub fn withdraw() {
    OFFERS.clear();
}

/// A kernel with the factors of one prime.
pub(super) struct Prepared {
    offer: Arc<Offer>,
    factors: Vec<f64>,
}

impl Prepared {
    /// What it is called.
    pub(super) fn name(&self) -> &str {
        &self.offer.name
    }

    /// What was offered for it; none where nothing was. `doubles`: all that layouts name.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn find(
        piece: Piece,
        (n, q): (usize, u64),
        doubles: impl FnOnce() -> Vec<f64>,
    ) -> Result<Option<Self>> {
        let fits = |offer: &Offer| offer.piece == piece && offer.ring.serves(n, q);
        let Some(offer) = OFFERS.last(fits) else { return Ok(None) };
        let doubles = doubles();
        let mut factors = memory::room(offer.layout.len())?;
        factors.extend(offer.layout.iter().map(|&at| doubles[at as usize]));
        Ok(Some(Self { offer, factors }))
    }

    /// Computes `out` from `a`, of `n` words each; with `open` the second function. `rest`: what a forward transform takes off residues modulo `p` to see
    /// them as centered integers: `ceil(p/2)`, `p`, `p - ceil(p/2)`.
    pub(super) fn run(&self, open: bool, out: &mut [u64], a: &[u64], rest: &[f64; 3]) {
        assert!(
            self.is_ring() && out.len() == self.offer.ring.n && a.len() == self.offer.ring.n,
            "operands of the ring"
        );
        self.call(open, out.as_mut_ptr(), a.as_ptr(), rest);
    }

    /// As [`Self::run`], in place.
    pub(super) fn run_in_place(&self, open: bool, a: &mut [u64], rest: &[f64; 3]) {
        assert!(self.is_ring() && a.len() == self.offer.ring.n, "an operand of the ring");
        let a = a.as_mut_ptr();
        self.call(open, a, a, rest);
    }

    /// Whether it is a transform.
    fn is_ring(&self) -> bool {
        matches!(self.offer.piece, Piece::Forward | Piece::Inverse)
    }

    /// Computes what is of several limbs, with `open` by the second function. `limbs`: of sums each `x`, the open ones first, then the `y` of each of them, output by
    /// output; of changes of base the sources, then the targets' own.
    pub(super) fn gather<'a>(&self, open: bool, out: &mut [u64], limbs: impl Iterator<Item = &'a [u64]>) {
        let n = self.offer.ring.n;
        let [read, written] = self.offer.piece.limbs();
        let mut addresses = [std::ptr::null(); Piece::MOST_ADDRESSES];
        let mut given = 0;
        for (address, limb) in addresses.iter_mut().zip(limbs) {
            assert!(limb.len() == n, "a limb of the ring");
            *address = limb.as_ptr();
            given += 1;
        }
        assert!(read > 0 && given == read && out.len() == n * written, "operands of the shape");
        self.call(open, out.as_mut_ptr(), addresses.as_ptr().cast(), &[0.0; 3]);
    }

    fn call(&self, open: bool, out: *mut u64, a: *const u64, rest: &[f64; 3]) {
        // SAFETY: a function pointer is a place in the table, whose call is checked on wasm; elsewhere `offer` was promised that it is
        // one. All callers have seen that `out` and `a` are `n` words, or that `out` has those of all limbs that are written, and each address in `a`
        // is that of `n` words.
        let function: Function = unsafe { std::mem::transmute(self.offer.places[usize::from(open)]) };
        function(out, a, self.factors.as_ptr(), rest.as_ptr());
    }
}
