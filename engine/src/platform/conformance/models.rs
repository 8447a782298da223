//! What base operators compute, written out slowly: `u128`, `%` and definitions, and nothing of `crate::math`.

/// `a b mod q`.
pub(super) fn mul(a: u64, b: u64, q: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(q)) as u64
}

/// `a + b mod q`, for reduced `a` and `b`.
fn add(a: u64, b: u64, q: u64) -> u64 {
    ((u128::from(a) + u128::from(b)) % u128::from(q)) as u64
}

/// `-a mod q`, for reduced `a`.
pub(super) fn neg(a: u64, q: u64) -> u64 {
    (q - a) % q
}

/// `a^e mod q`.
pub(super) fn pow(a: u64, e: u64, q: u64) -> u64 {
    let half = if e == 0 { 1 } else { pow(mul(a, a, q), e / 2, q) };
    if e % 2 == 1 { mul(a, half, q) } else { half }
}

/// The inverse of `a` modulo the prime `q`, by Fermat.
fn inverse(a: u64, q: u64) -> u64 {
    pow(a % q, q - 2, q)
}

/// The smallest `psi` with `psi^n = -1` modulo the prime `q = 1 mod 2n`; its odd powers are all others.
fn smallest_root(n: usize, q: u64) -> u64 {
    let mut root = 1;
    for x in 2.. {
        root = pow(x, (q - 1) / (2 * n as u64), q);
        if pow(root, n as u64, q) == q - 1 {
            break;
        }
    }
    let square = mul(root, root, q);
    std::iter::successors(Some(root), |&r| Some(mul(r, square, q))).take(n).fold(root, u64::min)
}

/// `f(psi), f(psi^3), ..., f(psi^(2n-1))`: with f(X) = e(X^2) + X o(X^2), the halves are evaluated at the odd
/// powers of psi^2.
fn evaluate(f: &[u64], psi: u64, q: u64) -> Vec<u64> {
    let n = f.len();
    if n == 1 {
        return f.to_vec();
    }
    let square = mul(psi, psi, q);
    let part = |odd: usize| evaluate(&f.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>(), square, q);
    let (e, o) = (part(0), part(1));
    let mut values = vec![0; n];
    let mut x = psi;
    for k in 0..n / 2 {
        let y = mul(x, o[k], q);
        values[k] = add(e[k], y, q);
        values[k + n / 2] = add(e[k], neg(y, q), q);
        x = mul(x, square, q);
    }
    values
}

/// The inverse of [`evaluate`], step by step backwards. `half` and `back` are the inverses of 2 and of `psi`.
fn interpolate(values: &[u64], [half, back]: [u64; 2], q: u64) -> Vec<u64> {
    let n = values.len();
    if n == 1 {
        return values.to_vec();
    }
    let square = mul(back, back, q);
    let mut x = back;
    let (mut e, mut o) = (vec![0; n / 2], vec![0; n / 2]);
    for k in 0..n / 2 {
        let (u, v) = (values[k], values[k + n / 2]);
        e[k] = mul(half, add(u, v, q), q);
        o[k] = mul(mul(half, add(u, neg(v, q), q), q), x, q);
        x = mul(x, square, q);
    }
    let part = |values: &[u64]| interpolate(values, [half, square], q);
    part(&e).into_iter().zip(part(&o)).flat_map(|(e, o)| [e, o]).collect()
}

/// Index `i` of a transformed polynomial holds the value at `psi^e`; gives `e` for every `i`.
fn exponents(n: usize) -> Vec<usize> {
    let digits = n.trailing_zeros();
    let reversed = |i: usize| (0..digits).fold(0, |r, k| 2 * r + (i >> k & 1));
    (0..n).map(|i| 2 * reversed(i) + 1).collect()
}

/// Where the value at `psi^e` is, for every odd `e` below `2n`.
fn indices(n: usize) -> Vec<usize> {
    let mut of = vec![usize::MAX; 2 * n];
    for (index, e) in exponents(n).into_iter().enumerate() {
        of[e] = index;
    }
    of
}

/// The negacyclic transform, in the order of [`exponents`].
pub(super) fn ntt(f: &[u64], q: u64) -> Vec<u64> {
    let values = evaluate(f, smallest_root(f.len(), q), q);
    exponents(f.len()).into_iter().map(|e| values[e / 2]).collect()
}

/// The inverse transform.
pub(super) fn intt(values: &[u64], q: u64) -> Vec<u64> {
    let mut natural = vec![0; values.len()];
    for (&value, e) in values.iter().zip(exponents(values.len())) {
        natural[e / 2] = value;
    }
    interpolate(&natural, [2, smallest_root(values.len(), q)].map(|x| inverse(x, q)), q)
}

/// `f(X^g)` modulo `X^n + 1`, coefficients.
pub(super) fn automorphism(f: &[u64], g: u64, q: u64) -> Vec<u64> {
    let n = f.len() as u64;
    let mut out = vec![0; f.len()];
    for (&c, i) in f.iter().zip(0..) {
        let e = i * g % (2 * n);
        out[(e % n) as usize] = if e < n { c } else { neg(c, q) };
    }
    out
}

/// `f(X^g)`, values: at `psi^e` stands what was at `psi^(ge)`.
pub(super) fn permute(values: &[u64], g: u64) -> Vec<u64> {
    let (n, index) = (values.len(), indices(values.len()));
    exponents(n).into_iter().map(|e| values[index[e * g as usize % (2 * n)]]).collect()
}

/// The index of every slot: `psi^(3^j)` in the first row, `psi^(-3^j)` in the second.
pub(super) fn slots(n: usize) -> Vec<usize> {
    let index = indices(n);
    let row: Vec<usize> = std::iter::successors(Some(1), |e| Some(e * 3 % (2 * n))).take(n / 2).collect();
    row.iter().map(|&e| index[e]).chain(row.iter().map(|&e| index[2 * n - e])).collect()
}

/// Coefficients of the real polynomial with these values at `exp(i pi 3^j / n)`, before rounding, by the inverse of the embedding's
/// matrix: `m_k = 2/n` times the real part of the sum of `z_j exp(-i pi k 3^j / n)`.
pub(super) fn coefficients(slots: &[(f64, f64)]) -> Vec<f64> {
    let n = 2 * slots.len();
    let exponents = std::iter::successors(Some(1), |e| Some(e * 3 % (2 * n)));
    let slots: Vec<_> = slots.iter().zip(exponents).filter(|(z, _)| **z != (0.0, 0.0)).collect();
    let root = |e: usize| {
        let angle = std::f64::consts::PI * e as f64 / n as f64;
        (libm::cos(angle), libm::sin(angle))
    };
    let roots: Vec<(f64, f64)> = (0..2 * n).map(root).collect();
    let sum = |k: usize| {
        let terms = slots.iter().map(|((re, im), e)| {
            let (c, s) = roots[k * e % (2 * n)];
            re * c + im * s
        });
        terms.sum::<f64>() * 2.0 / n as f64
    };
    (0..n).map(sum).collect()
}

/// `floor(sum of y_i (1 / q_i) + 1/2)` in binary64, in order, nothing fused.
pub(super) fn quotient(y: &[u64], q: &[u64]) -> u64 {
    let mut sum = 0.0;
    for (&y, &q) in y.iter().zip(q) {
        let term = y as f64 * (1.0 / q as f64);
        sum += term;
    }
    (sum + 0.5f64).floor() as u64
}

/// Pieces of `size` bytes of the stream that belongs to a context, a seed of four words and a nonce.
fn pieces(context: &str, seed: &[u64], nonce: u32, size: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    for word in seed.iter().chain([&u64::from(nonce)]) {
        hasher.update(&word.to_le_bytes());
    }
    let mut stream = hasher.finalize_xof();
    std::iter::repeat_with(move || {
        let mut piece = vec![0; size];
        stream.fill(&mut piece);
        piece
    })
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// `n` uniform residues: little-endian pieces, cut to the bits of `q`, those from `q` on left out.
pub(super) fn uniform(n: usize, q: u64, seed: &[u64], nonce: u32) -> Vec<u64> {
    below(n, q, |size| pieces("cipherloom 2026 v1 public uniform residues", seed, nonce, size))
}

/// The same of a secret seed.
pub(super) fn mask(n: usize, q: u64, seed: &[u64], nonce: u32) -> Vec<u64> {
    below(n, q, |size| pieces("cipherloom 2026 v1 secret uniform residues", seed, nonce, size))
}

fn below<I: Iterator<Item = Vec<u8>>>(n: usize, q: u64, pieces: impl FnOnce(usize) -> I) -> Vec<u64> {
    let bits = u64::BITS - q.leading_zeros();
    pieces(bits.div_ceil(8) as usize)
        .map(|p| little_endian(&p) % (1 << bits))
        .filter(|&x| x < q)
        .take(n)
        .collect()
}

/// The secret key of a seed: the same whatever the nonce.
pub(super) fn secret(n: usize, seed: &[u64], _: u32) -> Vec<u64> {
    thirds(n, pieces("cipherloom 2026 v1 secret key coefficients", seed, 0, 1))
}

/// `n` values of {-1, 0, 1}.
pub(super) fn ternary(n: usize, seed: &[u64], nonce: u32) -> Vec<u64> {
    thirds(n, pieces("cipherloom 2026 v1 secret ternary coefficients", seed, nonce, 1))
}

/// Bytes modulo 3, less 1; 255 is left out.
fn thirds(n: usize, pieces: impl Iterator<Item = Vec<u8>>) -> Vec<u64> {
    let values = pieces.filter(|p| p[0] != 255).map(|p| i64::from(p[0] % 3) - 1);
    values.take(n).map(i64::cast_unsigned).collect()
}

/// `n` centered binomial values: ones of 21 bits less ones of 21 other bits, 3 bytes each.
pub(super) fn error(n: usize, seed: &[u64], nonce: u32) -> Vec<u64> {
    let ones = |bytes: &[u8]| i64::from((little_endian(bytes) % (1 << 21)).count_ones());
    let pieces = pieces("cipherloom 2026 v1 secret error coefficients", seed, nonce, 6);
    pieces.take(n).map(|p| (ones(&p[..3]) - ones(&p[3..])).cast_unsigned()).collect()
}

/// `n` words of 8 bytes.
pub(super) fn words(n: usize, seed: &[u64], nonce: u32) -> Vec<u64> {
    let pieces = pieces("cipherloom 2026 v1 secret uniform words", seed, nonce, 8);
    pieces.take(n).map(|p| little_endian(&p)).collect()
}

/// `n` sums of narrow Gaussians, of deviation 8, of 16 bytes each, times factors that make the deviation what it is to be.
pub(super) fn gaussian(n: usize, deviation: f64, seed: &[u64], nonce: u32) -> Vec<u64> {
    // On doubles: some draw lies between these entries and right ones with a probability of about 2^-46.
    let weights: Vec<f64> = (0..128).map(|j| libm::exp(-f64::from(j * j) / 128.0)).collect();
    let tail = |from: usize| weights[from..].iter().rev().fold(0.0, |sum, weight| sum + 2.0 * weight);
    let all = tail(1) + weights[0];
    let table: Vec<u128> = (1..128).map(|from| (tail(from) / all * libm::exp2(127.0)) as u128).collect();
    let (mut factors, mut square) = (vec![1i64], 64.0);
    while libm::sqrt(square) < deviation {
        let most = libm::floor(libm::sqrt(square) * 0.645);
        factors.push(most.min(libm::ceil(libm::sqrt((deviation * deviation - square) / 64.0))) as i64);
        square += 64.0 * factors[factors.len() - 1] as f64 * factors[factors.len() - 1] as f64;
    }
    let mut pieces = pieces("cipherloom 2026 v1 secret release noise", seed, nonce, 16);
    let mut narrow = || {
        let piece = pieces.next().unwrap_or_default();
        let drawn = piece.iter().rev().fold(0u128, |value, &byte| value << 8 | u128::from(byte));
        let size = table.iter().filter(|&&beyond| drawn / 2 < beyond).count() as i64;
        if drawn % 2 == 1 { -size } else { size }
    };
    (0..n).map(|_| factors.iter().map(|k| k * narrow()).sum::<i64>().cast_unsigned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Horner's rule.
    fn value(f: &[u64], x: u64, q: u64) -> u64 {
        f.iter().rev().fold(0, |sum, &c| add(mul(sum, x, q), c, q))
    }

    #[test]
    fn transforms_by_definition() {
        for (n, q) in [(2, 97), (4, 97), (16, 97), (64, 65537), (256, 0x1fff_ffff_ffe1_0001)] {
            let f: Vec<u64> = (0..n as u64).map(|i| pow(3, i * i + 1, q)).collect();
            let psi = smallest_root(n, q);
            let smaller = (1..psi.min(1000)).find(|&x| pow(x, n as u64, q) == q - 1);
            assert_eq!((pow(psi, n as u64, q), smaller), (q - 1, None), "n = {n}, q = {q}");
            let bits = n.trailing_zeros();
            let values = ntt(&f, q);
            for (i, &found) in values.iter().enumerate() {
                let e = 2 * (i.reverse_bits() >> (usize::BITS - bits)) + 1;
                assert_eq!(found, value(&f, pow(psi, e as u64, q), q), "n = {n}, q = {q}, index {i}");
            }
            assert_eq!(intt(&values, q), f);
            for g in [1, 3, 2 * n as u64 - 1] {
                assert_eq!(permute(&values, g), ntt(&automorphism(&f, g, q), q), "n = {n}, g = {g}");
            }
        }
    }

    #[test]
    fn slots_are_a_permutation() {
        for n in [2, 4, 32] {
            assert_eq!(slots(n).into_iter().collect::<BTreeSet<_>>(), (0..n).collect());
        }
        assert_eq!(slots(8), [0, 4, 1, 5, 7, 3, 6, 2]);
    }

    #[test]
    fn samples_differ_and_keep_their_range() {
        let seeds = [[1, 2, 3, 4], [1, 2, 3, 5]];
        let all = |draw: &dyn Fn(&[u64], u32) -> Vec<u64>| {
            seeds.iter().flat_map(|s| (1..4).map(|nonce| draw(s, nonce))).collect::<BTreeSet<_>>()
        };
        let bounded = |set: &BTreeSet<Vec<u64>>, bound: i64| {
            assert_eq!(set.len(), 6);
            assert!(set.iter().flatten().all(|v| v.cast_signed().abs() <= bound));
        };
        bounded(&all(&|s, nonce| uniform(64, 257, s, nonce)), 256);
        bounded(&all(&|s, nonce| ternary(64, s, nonce)), 1);
        bounded(&all(&|s, nonce| error(64, s, nonce)), 21);
    }
}
