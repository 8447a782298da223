//! GF(2^8) modulo x^8 + x^4 + x^3 + x + 1, the S-box and its inverse, worked out from their definitions while compiling.

/// a b in GF(2^8).
pub(super) const fn multiply(a: u8, b: u8) -> u8 {
    let (mut a, mut out, mut bit) = (a, 0, 0);
    while bit < 8 {
        if b >> bit & 1 == 1 {
            out ^= a;
        }
        a = a << 1 ^ if a & 0x80 != 0 { 0x1b } else { 0 };
        bit += 1;
    }
    out
}

/// a^(2^times).
const fn square(mut a: u8, times: usize) -> u8 {
    let mut i = 0;
    while i < times {
        a = multiply(a, a);
        i += 1;
    }
    a
}

/// What the S-box adds.
pub(super) const OFFSET: u8 = 0x63;

/// The linear part of the S-box after the inversion.
const fn spread(x: u8) -> u8 {
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4)
}

/// The inverse of [`spread`].
const fn gather(x: u8) -> u8 {
    x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6)
}

/// A linear map of bytes: what becomes of each bit.
pub(super) type Linear = [u8; 8];

/// x -> x^(2^times) in GF(2^8).
pub(super) const fn squares(times: usize) -> Linear {
    let (mut out, mut bit) = ([0; 8], 0);
    while bit < 8 {
        out[bit] = square(1 << bit, times);
        bit += 1;
    }
    out
}

/// The linear part of the S-box, or of its inverse.
pub(super) const fn linear(inverse: bool) -> Linear {
    let (mut out, mut bit) = ([0; 8], 0);
    while bit < 8 {
        out[bit] = if inverse { gather(1 << bit) } else { spread(1 << bit) };
        bit += 1;
    }
    out
}

/// 1/x in GF(2^8), 0 for 0: x^254.
const fn invert(x: u8) -> u8 {
    let (mut out, mut i) = (1, 1);
    while i < 8 {
        out = multiply(out, square(x, i));
        i += 1;
    }
    out
}

const fn s_box(inverse: bool) -> [u8; 256] {
    let (mut out, mut x) = ([0; 256], 0);
    while x < 256 {
        let y = spread(invert(x as u8)) ^ OFFSET;
        match inverse {
            false => out[x] = y,
            true => out[y as usize] = x as u8,
        }
        x += 1;
    }
    out
}

/// The S-box.
pub(super) const S_BOX: [u8; 256] = s_box(false);
/// Its inverse.
pub(super) const INVERSE_S_BOX: [u8; 256] = s_box(true);
