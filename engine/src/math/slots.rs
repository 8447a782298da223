//! Automorphisms `X -> X^g` of `Z_q[X] / (X^n + 1)` and the order of batched slots.
//!
//! With `t = 1 mod 2n` prime, a plaintext polynomial holds `n` values modulo `t`, arranged as a matrix of two
//! rows of `n/2` slots: slot `j` of the first row is the value at `psi^(3^j)`, below it stands the value at
//! `psi^(-3^j)`. 3 and -1 together generate the odd residues modulo `2n`, so that `X -> X^(3^k)` rotates both
//! rows to the left by `k` and `X -> X^-1` swaps them (N. Smart, F. Vercauteren, "Fully homomorphic SIMD
//! operations", 2011; layout and direction are those of Microsoft SEAL's `BatchEncoder` and `rotate_rows`).
//! Slots are numbered row by row.
//!
//! Throughout, `n` is a power of two from 2 to 2^17.

use super::ntt::bit_reverse;
use super::prime::primitive_root;
use super::{MathError, Modulus};

/// Generates, with -1, the units modulo a power of two.
const GENERATOR: u64 = 3;

/// The `g` of the automorphism that rotates both rows by `step` to the left: slot `i` of the result is slot
/// `i + step` of the input, counted within its row. `g = 3^step mod 2n`, with `step` modulo `n/2`, so that a
/// negative step rotates to the right.
pub fn galois_element(n: usize, step: i64) -> u64 {
    debug_assert!(n.is_power_of_two() && n >= 2);
    // 2n is a power of two: the wrapping product is right in its low bits
    let step = step.rem_euclid(n as i64 / 2) as u32;
    GENERATOR.wrapping_pow(step) & (2 * n as u64 - 1)
}

/// `3^slot` modulo `2n`: the exponent of the root whose value slot `slot` of the first row is.
pub fn odd_power(n: usize, slot: usize) -> usize {
    galois_element(n, slot as i64) as usize
}

/// The `g` of the automorphism that swaps the two rows, `2n - 1`.
pub fn galois_conjugate(n: usize) -> u64 {
    2 * n as u64 - 1
}

/// The `g'` with `g g' = 1 mod 2n`, for odd `g`: `X -> X^(g')` undoes `X -> X^g`.
pub fn galois_inverse(n: usize, g: u64) -> u64 {
    // Each step doubles the low bits that are right (Newton); the first three are, since g^2 = 1 modulo 8.
    let inverse = (0..5).fold(g, |x, _| x.wrapping_mul(2u64.wrapping_sub(g.wrapping_mul(x))));
    inverse & (2 * n as u64 - 1)
}

/// `f(X) -> f(X^g)` on coefficients in `[0, q)`, for odd `g`: the coefficient of `X^i` moves to
/// `X^(ig mod 2n)`, where `X^(n+k) = -X^k`.
pub fn automorphism_into(out: &mut [u64], a: &[u64], g: u64, q: &Modulus) {
    let n = a.len();
    debug_assert!(n.is_power_of_two() && out.len() == n && g % 2 == 1);
    let mut exponent = 0;
    for &a in a {
        out[exponent & (n - 1)] = if exponent & n == 0 { a } else { q.neg(a) };
        exponent = exponent.wrapping_add(g as usize) & (2 * n - 1);
    }
}

/// `f(X) -> f(X^g)` on values, for odd `g`: with the returned `perm`, `ntt(f(X^g))[i] = ntt(f)[perm[i]]`, the
/// same for every modulus.
pub fn automorphism_permutation(n: usize, g: u64) -> Vec<u32> {
    debug_assert!(n.is_power_of_two() && n >= 2 && g % 2 == 1);
    // f(X^g) at psi^e is f at psi^(ge), and index i stands for e = 2 * bitrev(i) + 1
    let source = |i: usize| ntt_index(n, (2 * bit_reverse(i, n) + 1).wrapping_mul(g as usize));
    (0..n).map(source).collect()
}

/// Transforms are made with the smallest root of each ring: the g with which X^g at that of the ring of dimension `kept` is Y = X^(n / kept) at that of the ring of
/// dimension `n`.
///
/// # Errors
/// `NoRoot` where the modulus has no root of that ring.
pub fn subring_root(n: usize, kept: usize, q: &Modulus) -> Result<u64, MathError> {
    let root = q.pow(primitive_root(2 * n as u64, q)?, (n / kept) as u64);
    let own = primitive_root(2 * kept as u64, q)?;
    let square = q.mul(own, own);
    let powers = std::iter::successors(Some(own), |&power| Some(q.mul(power, square)));
    // They are all powers of one.
    Ok(2 * powers.take(kept).take_while(|&power| power != root).count() as u64 + 1)
}

/// The values in the subring of Y = X^(n / kept) of a polynomial that has these, each the mean of those where Y is the same; and where each of these means stands in
/// the order of that ring: `out[i]` is number `perm[i]`.
pub fn subring_permutation(n: usize, kept: usize, q: &Modulus) -> Result<Vec<u32>, MathError> {
    let g = subring_root(n, kept, q)?;
    // Its inverse modulo a power of two: each step doubles the bits that are right.
    let inverse =
        (0..6).fold(g, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(g.wrapping_mul(inverse))));
    Ok(automorphism_permutation(kept, inverse % (2 * kept as u64)))
}

/// Where slots are in a transformed polynomial: slot `j` is NTT index `pos[j]`. To encode, set `v[pos[j]]` to
/// slot `j` and apply the inverse NTT modulo `t`.
pub fn slot_positions(n: usize) -> Vec<u32> {
    debug_assert!(n.is_power_of_two() && n >= 2);
    let powers = std::iter::successors(Some(1usize), |&e| Some(e.wrapping_mul(GENERATOR as usize)));
    let row = powers.take(n / 2).collect::<Vec<_>>();
    row.iter().copied().chain(row.iter().map(|e| e.wrapping_neg())).map(|e| ntt_index(n, e)).collect()
}

/// The NTT index of the value at `psi^e`, for odd `e` modulo `2n`.
fn ntt_index(n: usize, e: usize) -> u32 {
    bit_reverse((e & (2 * n - 1)) >> 1, n) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::NttTable;
    use crate::math::prime::ntt_primes;
    use proptest::prelude::*;

    fn table(n: usize) -> NttTable {
        NttTable::new(n, Modulus::new(ntt_primes(30, n, 1, &[]).unwrap()[0]).unwrap()).unwrap()
    }

    fn encode(table: &NttTable, slots: &[u64]) -> Vec<u64> {
        let mut a = vec![0; slots.len()];
        slot_positions(slots.len()).iter().zip(slots).for_each(|(&pos, &slot)| a[pos as usize] = slot);
        table.inverse(&mut a);
        a
    }

    fn decode(table: &NttTable, a: &[u64]) -> Vec<u64> {
        let mut a = a.to_vec();
        table.forward(&mut a);
        slot_positions(a.len()).iter().map(|&pos| a[pos as usize]).collect()
    }

    fn automorphism(a: &[u64], g: u64, q: &Modulus) -> Vec<u64> {
        let mut out = vec![u64::MAX; a.len()];
        automorphism_into(&mut out, a, g, q);
        out
    }

    fn degree() -> impl Strategy<Value = usize> {
        (1u32..=10).prop_map(|log_n| 1 << log_n)
    }

    fn odd() -> impl Strategy<Value = u64> {
        any::<u64>().prop_map(|g| g | 1)
    }

    fn polynomial() -> impl Strategy<Value = (NttTable, Vec<u64>)> {
        degree().prop_flat_map(|n| {
            let table = table(n);
            let coefficient = prop_oneof![4 => 0..table.modulus().value(), 1 => Just(0)];
            (Just(table), prop::collection::vec(coefficient, n))
        })
    }

    proptest! {
        #[test]
        fn substitution_by_definition((table, a) in polynomial(), g in odd()) {
            let (n, q) = (table.n(), table.modulus());
            let mut expected = vec![0; n];
            for (i, &a) in a.iter().enumerate() {
                let exponent = (i as u128 * g as u128 % (2 * n as u128)) as usize;
                expected[exponent % n] = if exponent < n { a } else { q.neg(a) };
            }
            prop_assert_eq!(automorphism(&a, g, q), expected);
        }

        #[test]
        fn permutation_of_values_is_the_automorphism((table, a) in polynomial(), g in odd()) {
            let mut values = a.clone();
            table.forward(&mut values);
            let permutation = automorphism_permutation(table.n(), g);
            let permuted: Vec<u64> = permutation.iter().map(|&i| values[i as usize]).collect();
            let mut expected = automorphism(&a, g, table.modulus());
            table.forward(&mut expected);
            prop_assert_eq!(permuted, expected);
        }

        #[test]
        fn rows_rotate_to_the_left((table, slots) in polynomial(), step in -3000i64..3000) {
            let n = table.n();
            let half = n as i64 / 2;
            let g = galois_element(n, step);
            let rotated = decode(&table, &automorphism(&encode(&table, &slots), g, table.modulus()));
            for (i, &found) in rotated.iter().enumerate() {
                let (row, column) = (i as i64 / half, i as i64 % half);
                let source = row * half + (column + step).rem_euclid(half);
                prop_assert_eq!(found, slots[source as usize], "n = {}, step {}, slot {}", n, step, i);
            }
        }

        #[test]
        fn conjugation_swaps_the_rows((table, slots) in polynomial()) {
            let n = table.n();
            let conjugated = automorphism(&encode(&table, &slots), galois_conjugate(n), table.modulus());
            prop_assert_eq!(decode(&table, &conjugated), [&slots[n / 2..], &slots[..n / 2]].concat());
        }

        #[test]
        fn products_are_slot_by_slot((table, slots) in polynomial()) {
            let q = table.modulus();
            let mut values = encode(&table, &slots);
            table.forward(&mut values);
            let mut squares = vec![0; slots.len()];
            q.mul_into(&mut squares, &values, &values);
            table.inverse(&mut squares);
            let expected: Vec<u64> = slots.iter().map(|&s| q.mul(s, s)).collect();
            prop_assert_eq!(decode(&table, &squares), expected);
        }

        #[test]
        fn steps_add_up(n in degree(), a: i32, b: i32) {
            let product = galois_element(n, a as i64) * galois_element(n, b as i64) % (2 * n as u64);
            prop_assert_eq!(product, galois_element(n, a as i64 + b as i64));
        }
    }

    #[test]
    fn inverses_of_elements() {
        for n in (1..=17).map(|log_n| 1usize << log_n) {
            for g in [1, 3, 5, 2 * n as u64 - 1, (n as u64 / 2 + 1) | 1, 12345] {
                let g = g & (2 * n as u64 - 1);
                assert_eq!(g * galois_inverse(n, g) % (2 * n as u64), 1, "n = {n}, g = {g}");
            }
        }
    }

    #[test]
    fn positions_are_a_permutation() {
        for n in (1..=17).map(|log_n| 1 << log_n) {
            let mut positions = slot_positions(n);
            positions.sort_unstable();
            assert!(positions.iter().enumerate().all(|(i, &pos)| i == pos as usize), "n = {n}");
        }
    }

    /// What node-seal 7.0.0 (SEAL 4.1.2) gives for degree 16 and plaintext modulus 97: the coefficients of
    /// the encoded slots, and those of the decrypted `rotate_rows` by 1 to the left.
    #[test]
    fn known_answers_of_seal() {
        let table = NttTable::new(16, Modulus::new(97).unwrap()).unwrap();
        let slots = [1, 7, 15, 25, 37, 51, 67, 85, 8, 30, 54, 80, 11, 41, 73, 10];
        let encoded = encode(&table, &slots);
        assert_eq!(encoded, [19, 20, 43, 16, 71, 91, 40, 55, 88, 83, 38, 56, 28, 27, 10, 45]);
        let rotated = automorphism(&encoded, galois_element(16, 1), table.modulus());
        assert_eq!(rotated, [19, 56, 57, 20, 28, 42, 43, 27, 9, 16, 10, 14, 71, 45, 59, 91]);
        assert_eq!(decode(&table, &rotated), [7, 15, 25, 37, 51, 67, 85, 1, 30, 54, 80, 11, 41, 73, 10, 8]);
    }

    #[test]
    fn by_hand() {
        // 3^j mod 16: 1, 3, 9, 11; negated 15, 13, 7, 5. (e - 1)/2: 0, 1, 4, 5, 7, 6, 3, 2; three bits
        // reversed:
        assert_eq!(slot_positions(8), [0, 4, 1, 5, 7, 3, 6, 2]);
        assert_eq!(slot_positions(2), [0, 1]);
        let elements = [-4, -1, 0, 1, 2, 3, 4, i64::MIN, i64::MAX].map(|step| galois_element(8, step));
        assert_eq!(elements, [1, 11, 1, 3, 9, 11, 1, 1, 11]);
        assert_eq!(galois_element(2, 5), 1);
        assert_eq!(galois_conjugate(8), 15);
        // SEAL's elements for n = 4096, steps 1, 2, -1: 3, 9, 3^-1 mod 8192 = 2731
        assert_eq!([1, 2, -1].map(|step| galois_element(4096, step)), [3, 9, 2731]);
    }
}
