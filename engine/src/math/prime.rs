//! Primes `p = 1 mod 2n` and roots of unity modulo them.

use super::ntt::MAX_DEGREE;
use super::{MathError, Modulus, check_degree};

/// The first twelve primes: as bases of the Miller-Rabin test they decide every `n < 3.1 * 10^23`
/// (J. Sorenson, J. Webster, "Strong pseudoprimes to twelve prime bases", 2015).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// The smallest composite numbers that pass the test to the first seven and the first nine of them (G. Jaeschke, "On strong pseudoprimes to several bases", 1993; Y. Jiang, Y. Deng,
/// "Strong pseudoprimes to the first eight prime bases", 2014).
const PASSED: [(u64, usize); 2] = [(341_550_071_728_321, 7), (3_825_123_056_546_413_051, 9)];

/// Whether `n` is prime, without error, by Miller-Rabin. Time depends on `n`.
pub fn is_prime(n: u64) -> bool {
    if n < 2 {
        return false;
    }
    if let Some(&p) = BASES.iter().find(|&&p| n.is_multiple_of(p)) {
        return n == p;
    }
    match Modulus::new(n) {
        Ok(q) => passes_all(n, |a, b| q.mul(a, b)),
        // too large
        Err(_) => passes_all(n, |a, b| (a as u128 * b as u128 % n as u128) as u64),
    }
}

/// Whether an odd `n` that no base divides passes the test to all of them; `mul` is the product modulo `n`.
fn passes_all(n: u64, mul: impl Fn(u64, u64) -> u64) -> bool {
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    let enough = PASSED.iter().find(|(composite, _)| n < *composite).map_or(BASES.len(), |(_, bases)| *bases);
    BASES[..enough].iter().all(|&base| {
        let (mut x, mut square, mut rest) = (1, base, odd);
        while rest > 0 {
            if rest & 1 == 1 {
                x = mul(x, square);
            }
            square = mul(square, square);
            rest >>= 1;
        }
        x == 1
            || (0..twos).any(|_| {
                let found = x == n - 1;
                x = mul(x, x);
                found
            })
    })
}

/// The `count` largest primes `p = 1 mod 2n` with `2^(bits-1) < p < 2^bits` that are not in `exclude`, in
/// descending order. A ring of degree `n`, a power of two from 2 to 2^17, has an NTT modulo each of them.
///
/// # Errors
/// [`MathError::PrimeBits`] unless `10 <= bits <= 61`, [`MathError::Degree`] for another `n`,
/// [`MathError::NotEnoughPrimes`] when the range holds fewer.
pub fn ntt_primes(bits: u32, n: usize, count: usize, exclude: &[u64]) -> Result<Vec<u64>, MathError> {
    if !(10..=61).contains(&bits) {
        return Err(MathError::PrimeBits { found: bits });
    }
    check_degree(n)?;
    let step = 2 * n as u64;
    // both ends are multiples of 2n, or the only candidate is 1
    let candidates = (1u64 << (bits - 1)) / step..(1 << bits) / step;
    let primes: Vec<u64> = candidates
        .rev()
        .map(|k| k * step + 1)
        .filter(|&p| !exclude.contains(&p) && is_prime(p))
        .take(count)
        .collect();
    if primes.len() < count {
        return Err(MathError::NotEnoughPrimes { bits, degree: n, found: primes.len(), expected: count });
    }
    Ok(primes)
}

/// The prime `p = 1 mod 2n` below `2^bits` that is next to `near` and not in `exclude`.
///
/// # Errors
/// As [`ntt_primes`].
pub fn ntt_prime_near(near: f64, bits: u32, n: usize, exclude: &[u64]) -> Result<u64, MathError> {
    if !(10..=61).contains(&bits) {
        return Err(MathError::PrimeBits { found: bits });
    }
    check_degree(n)?;
    let (step, end) = (2 * n as u64, (1u64 << bits) / (2 * n as u64));
    let middle = (near / step as f64) as u64;
    let fits = |p: u64| !exclude.contains(&p) && is_prime(p);
    let prime = (0..end)
        .flat_map(|away| [middle.checked_sub(away), Some(middle + away)])
        .filter_map(|k| k.filter(|&k| k > 0 && k < end))
        .map(|k| k * step + 1)
        .find(|&p| fits(p));
    prime.ok_or(MathError::NotEnoughPrimes { bits, degree: n, found: 0, expected: 1 })
}

/// The `count` smallest primes `p = 1 mod 2n` from `least` on that are below `2^bits`, in ascending order: see
/// [`ntt_primes`].
///
/// # Errors
/// As [`ntt_primes`].
pub fn ntt_primes_from(least: u64, bits: u32, n: usize, count: usize) -> Result<Vec<u64>, MathError> {
    if !(10..=61).contains(&bits) {
        return Err(MathError::PrimeBits { found: bits });
    }
    check_degree(n)?;
    let step = 2 * n as u64;
    let candidates = (least.saturating_sub(1).div_ceil(step)).max(1)..(1 << bits) / step;
    let primes: Vec<u64> = candidates.map(|k| k * step + 1).filter(|&p| is_prime(p)).take(count).collect();
    if primes.len() < count {
        return Err(MathError::NotEnoughPrimes { bits, degree: n, found: primes.len(), expected: count });
    }
    Ok(primes)
}

/// The smallest primitive `n2`-th root of unity modulo the prime `q`, for `n2` a power of two up to `2^18`:
/// the same on every device, so that whatever is built on it is too.
///
/// # Errors
/// [`MathError::NoRoot`] when `n2` is something else or does not divide `q - 1`, [`MathError::NotPrime`] for
/// a composite `q`.
pub fn primitive_root(n2: u64, q: &Modulus) -> Result<u64, MathError> {
    let order = q.value() - 1;
    if !n2.is_power_of_two() || n2 > 2 * MAX_DEGREE as u64 || !order.is_multiple_of(n2) {
        return Err(MathError::NoRoot { order: n2, modulus: q.value() });
    }
    if !is_prime(q.value()) {
        return Err(MathError::NotPrime { found: q.value() });
    }
    if n2 == 1 {
        return Ok(1);
    }
    // x^((q-1)/n2) has order n2 exactly when its (n2/2)-th power is -1, that is for every non-residue x
    let root = (2..q.value()).map(|x| q.pow(x, order / n2)).find(|&root| q.pow(root, n2 / 2) == order);
    // every odd power of one primitive root is another, and there are no more
    let smallest = root.map(|root| {
        let square = q.mul(root, root);
        let powers = std::iter::successors(Some(root), |&power| Some(q.mul(power, square)));
        powers.take(n2 as usize / 2).fold(root, u64::min)
    });
    smallest.ok_or(MathError::NoRoot { order: n2, modulus: q.value() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primality_against_a_sieve() {
        let mut prime = vec![true; 200_000];
        prime[..2].fill(false);
        for p in 2..448 {
            if prime[p] {
                (p * p..prime.len()).step_by(p).for_each(|multiple| prime[multiple] = false);
            }
        }
        for (n, &expected) in prime.iter().enumerate() {
            assert_eq!(is_prime(n as u64), expected, "{n}");
        }
    }

    #[test]
    fn primality_of_known_large_numbers() {
        // largest primes below 2^61, 2^62, 2^63, 2^64, and the Mersenne prime 2^61 - 1
        for (bits, below) in [(61, 1), (62, 57), (63, 25), (64, 59)] {
            let top = (1u128 << bits) - 1;
            let largest = (0..).map(|d| (top - d) as u64).find(|&n| is_prime(n)).unwrap();
            assert_eq!((1u128 << bits) - largest as u128, below, "below 2^{bits}");
        }
        // strong pseudoprimes to the first 1, 2, ..., 9 prime bases (OEIS A014233), and Carmichael numbers
        let pseudoprimes: [u64; 11] = [
            2_047,
            1_373_653,
            25_326_001,
            3_215_031_751,
            2_152_302_898_747,
            3_474_749_660_383,
            341_550_071_728_321,
            3_825_123_056_546_413_051,
            561,
            1_729,
            349_407_515_342_287_435,
        ];
        assert!(pseudoprimes.into_iter().all(|n| !is_prime(n)));
        assert!(!is_prime(4_294_967_291 * 4_294_967_279), "product of the two largest 32-bit primes");
    }

    #[test]
    fn ntt_primes_are_the_largest_of_their_size() {
        for (bits, n) in [(10, 2), (12, 16), (20, 1024), (30, 4096), (50, 8192), (60, 16384), (61, 1 << 17)] {
            let primes = ntt_primes(bits, n, 3, &[]).unwrap();
            let expected: Vec<u64> = (0..1u64 << bits)
                .rev()
                .take_while(|&p| p > 1 << (bits - 1))
                .filter(|p| p % (2 * n as u64) == 1 && is_prime(*p))
                .take(3)
                .collect();
            assert_eq!(primes, expected, "{bits} bits, n = {n}");
            let rest = ntt_primes(bits, n, 2, &primes[..1]).unwrap();
            assert_eq!(rest, primes[1..], "{bits} bits, n = {n}, largest excluded");
        }
    }

    #[test]
    fn ntt_primes_of_published_size() {
        // SEAL's CoeffModulus::BFVDefault(4096) is {0xffffee001, 0xffffc4001, 0x1ffffe0001}
        assert_eq!(ntt_primes(36, 4096, 2, &[]).unwrap(), [0xffffee001, 0xffffc4001]);
        assert_eq!(ntt_primes(37, 4096, 1, &[]).unwrap(), [0x1ffffe0001]);
    }

    #[test]
    fn ntt_primes_errors() {
        assert_eq!(ntt_primes(9, 16, 1, &[]), Err(MathError::PrimeBits { found: 9 }));
        assert_eq!(ntt_primes(62, 16, 1, &[]), Err(MathError::PrimeBits { found: 62 }));
        for found in [0, 1, 3, 12, 1 << 18, usize::MAX] {
            assert_eq!(ntt_primes(30, found, 1, &[]), Err(MathError::Degree { found }));
        }
        // 2n = 2^18 exceeds every 10-bit number
        let none = MathError::NotEnoughPrimes { bits: 10, degree: 1 << 17, found: 0, expected: 1 };
        assert_eq!(ntt_primes(10, 1 << 17, 1, &[]), Err(none));
        // 1 mod 128 between 512 and 1024: 641 and 769 are prime, 897 is not
        let few = MathError::NotEnoughPrimes { bits: 10, degree: 64, found: 1, expected: 2 };
        assert_eq!(ntt_primes(10, 64, 2, &[641]), Err(few));
        assert_eq!(ntt_primes(10, 64, 2, &[]), Ok(vec![769, 641]));
        assert_eq!(ntt_primes(10, 64, 0, &[]), Ok(vec![]));
    }

    #[test]
    fn roots_are_primitive_and_smallest() {
        for p in [17u64, 97, 193, 257, 769] {
            let q = Modulus::new(p).unwrap();
            for n2 in (0..).map(|k| 1 << k).take_while(|n2| (p - 1) % n2 == 0) {
                let order = |x: u64| (1..).find(|&e| q.pow(x, e) == 1).unwrap();
                let expected = (1..p).find(|&x| order(x) == n2).unwrap();
                assert_eq!(primitive_root(n2, &q), Ok(expected), "order {n2} mod {p}");
            }
        }
        let q = Modulus::new(ntt_primes(61, 1 << 17, 1, &[]).unwrap()[0]).unwrap();
        let root = primitive_root(1 << 18, &q).unwrap();
        assert_eq!(q.pow(root, 1 << 17), q.value() - 1);
    }

    #[test]
    fn roots_errors() {
        let root = |n2, p| primitive_root(n2, &Modulus::new(p).unwrap());
        for order in [0, 3, 12, 64, 1 << 19, 1 << 40] {
            assert_eq!(root(order, 97), Err(MathError::NoRoot { order, modulus: 97 }), "order {order}");
        }
        // 7 * 2^20 + 1 has such roots, but no ring needs them
        assert_eq!(root(1 << 19, 7_340_033), Err(MathError::NoRoot { order: 1 << 19, modulus: 7_340_033 }));
        assert_eq!(root(16, 17 * 17), Err(MathError::NotPrime { found: 289 }));
        assert_eq!(root(2, 3), Ok(2));
        assert_eq!(root(1, 2), Ok(1));
    }
}
