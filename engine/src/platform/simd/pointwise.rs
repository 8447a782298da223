//! Sums and differences of words modulo a prime below `2^50`, each index apart.

use super::field::Field;

/// A prime below `2^50`.
#[derive(Clone, Copy)]
pub(super) struct Words {
    q: i64,
}

impl Words {
    /// The prime of a field.
    pub(super) fn of(field: &Field) -> Self {
        Self { q: field.modulus.value().cast_signed() }
    }

    /// `r mod q` for `r` in `[-q, q)`.
    #[inline(always)]
    pub(super) fn lift(&self, r: i64) -> u64 {
        (r + (self.q & (r >> 63))).cast_unsigned()
    }

    /// `out = a + b`.
    pub(super) fn add(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        let this = *self;
        for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *o = this.lift(a.wrapping_add(b).cast_signed().wrapping_sub(this.q));
        }
    }

    /// `out = a - b`.
    pub(super) fn sub(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        let this = *self;
        for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *o = this.lift(a.wrapping_sub(b).cast_signed());
        }
    }

    /// `out = a mod q` for signed integers `a`, which are nearly always smaller than `q`.
    pub(super) fn reduce_signed(&self, out: &mut [u64], a: &[u64]) {
        let this = *self;
        let mut large = false;
        for (o, &a) in out.iter_mut().zip(a) {
            *o = this.lift(a.cast_signed());
            large |= *o >= this.q.cast_unsigned();
        }
        if large {
            for (o, &a) in out.iter_mut().zip(a) {
                *o = a.cast_signed().rem_euclid(this.q).cast_unsigned();
            }
        }
    }
}
