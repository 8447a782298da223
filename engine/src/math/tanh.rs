//! Hyperbolic tangent of single precision, without branches or tables, so that vectors compute it.
//!
//! `tanh x = x P(x^2) / Q(x^2)`, in double precision, for |x| < C; from there on the nearest float is 1. P and Q, of degrees
//! 5 and 4, are a minimax fit of relative error 1.4e-9 over [0, 9.02] with P(0) = Q(0) = 1 (weighted least squares of the
//! linearized error, weights by Lawson's rule), so that the result is less than 0.53 units in the last place from the truth.

/// From the highest power on.
pub(crate) const P: [f64; 6] = [
    -1.226_089_188_465_579_9e-11,
    3.067_034_004_054_507e-8,
    2.804_564_620_183_954_5e-5,
    3.870_301_236_635_195e-3,
    0.136_815_115_827_117_93,
    1.0,
];
pub(crate) const Q: [f64; 5] = [
    1.289_947_723_112_517_3e-6,
    3.942_052_459_917_255e-4,
    2.725_313_114_253_284e-2,
    0.470_148_440_804_576_2,
    1.0,
];
/// Where tanh comes nearer to 1 than to the float below: 13 ln 2.
pub(crate) const C: f32 = 9.010_914;

/// Of -0 it is -0, of infinities 1 and -1.
#[inline]
pub fn tanh(x: f32) -> f32 {
    // Choices by integers: where a build has relaxed SIMD, the compiler may make of those by floats what passes over NaN.
    let magnitude = x.to_bits() & (u32::MAX >> 1);
    let inside = f64::from(f32::from_bits(magnitude.min(C.to_bits())));
    let square = inside * inside;
    let horner = |c: &[f64]| c[1..].iter().fold(c[0], |sum, c| sum * square + c);
    let near = ((inside * horner(&P) / horner(&Q)) as f32).to_bits();
    let one = if magnitude < C.to_bits() { near } else { 1f32.to_bits() };
    let result = if magnitude > f32::INFINITY.to_bits() { magnitude } else { one };
    f32::from_bits(result | x.to_bits() & !(u32::MAX >> 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_nearest_float_but_for_a_fiftieth_of_a_unit() {
        // Every 61st float up to 16, and both sides of where it becomes 1.
        let many = (0..16f32.to_bits()).step_by(61);
        let edge = C.to_bits() - 1000..C.to_bits() + 1000;
        let mut last = 0.0;
        for bits in many.chain(edge.clone()) {
            let x = f32::from_bits(bits);
            let (found, known) = (tanh(x), f64::from(x).tanh());
            let unit = f64::from(f32::from_bits((known as f32).to_bits().max(1)) - known_below(known as f32));
            let off = (f64::from(found) - known).abs();
            assert!(off <= 0.53 * unit, "tanh {x}: {found}, {known}");
            assert!(found >= last || bits == edge.start, "falls at {x}");
            last = found;
            assert_eq!(tanh(-x).to_bits(), found.to_bits() | 1 << 31);
        }
        for (x, y) in [(f32::INFINITY, 1.0), (f32::NEG_INFINITY, -1.0), (f32::MAX, 1.0), (-0.0, -0.0f32)] {
            assert_eq!(tanh(x).to_bits(), y.to_bits());
        }
        assert!(tanh(f32::NAN).is_nan());
    }

    /// The float below a positive one.
    fn known_below(x: f32) -> f32 {
        f32::from_bits(x.to_bits().saturating_sub(1))
    }
}
