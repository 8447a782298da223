//! A small model of encryption that shares nothing with the package but its bytes and, for keys, its transform: it finds
//! the secret by asking for two decryptions, and then what is left of a ciphertext or a key when secret and message are
//! taken away: the error.
#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::road::Road;
use cipherloom::math::{Modulus, NttTable};
use cipherloom::ops::types::SwitchingKey;
use cipherloom::program::{Named, Outcome};
use num_bigint::BigUint;
use std::ops::Range;
use twox_hash::XxHash3_128;

const CHECKSUM: usize = 16;

/// Where the words lie in the bytes of an input, an output or a key: a list at the end, behind its length.
fn words_at(bytes: &[u8], n: usize) -> Range<usize> {
    let end = bytes.len() - CHECKSUM;
    let length = |start: usize| u64::from_le_bytes(bytes[start - 8..start].try_into().unwrap());
    let starts = (1..).map(|limbs| end.checked_sub(8 * n * limbs).expect("bytes end with a list of limbs"));
    let start =
        starts.take_while(|&start| start > 8).find(|&start| length(start) as usize == (end - start) / 8);
    start.expect("bytes end with a list of limbs")..end
}

/// The limbs in such bytes, of n words each.
pub fn limbs(bytes: &[u8], n: usize) -> Vec<Vec<u64>> {
    let words =
        bytes[words_at(bytes, n)].chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    words.collect::<Vec<_>>().chunks_exact(n).map(<[u64]>::to_vec).collect()
}

/// The same bytes with other words.
fn with_words(bytes: &[u8], n: usize, limbs: &[Vec<u64>]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let (at, end) = (words_at(&bytes, n), bytes.len() - CHECKSUM);
    let words: Vec<u8> = limbs.concat().iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes[at].copy_from_slice(&words);
    let checksum = XxHash3_128::oneshot(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

/// a, seen as the number of least absolute value that is the same modulo q.
fn centered(a: u64, q: u64) -> i64 {
    if a > q / 2 { a as i64 - q as i64 } else { a as i64 }
}

fn power(base: u64, mut exponent: u64, q: u64) -> u64 {
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(q)) as u64;
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    result
}

/// c s modulo X^n + 1 and q, by the schoolbook, for s of -1, 0 and 1.
fn times_secret(c: &[u64], s: &[i64], q: u64) -> Vec<u64> {
    let n = c.len();
    assert!(q < 1 << 50 && n <= 1 << 13, "sums of n residues fit into a word");
    let (mut plus, mut minus) = (vec![0u64; n], vec![0u64; n]);
    let add = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
    for (j, &s) in s.iter().enumerate().filter(|(_, s)| **s != 0) {
        let (same, other) = if s > 0 { (&mut plus, &mut minus) } else { (&mut minus, &mut plus) };
        add(&mut same[j..], &c[..n - j]);
        add(&mut other[..j], &c[n - j..]);
    }
    plus.iter().zip(&minus).map(|(plus, minus)| (plus % q + q - minus % q) % q).collect()
}

/// A road whose output `same` is its input `a`, of n rows, and what the model found out about its client.
pub struct Model<'a> {
    road: &'a Road,
    pub n: usize,
    t: u64,
    q: Vec<u64>,
    /// The points at which slots are values of a polynomial modulo t.
    points: Vec<u64>,
    /// The secret.
    pub secret: Vec<i64>,
}

impl<'a> Model<'a> {
    /// Finds the secret of the road's client by decryption: (X Q/t, 0) decrypts to X, whose values are the points, and
    /// (0, Q/t) to the secret.
    pub fn new(road: &'a Road) -> Self {
        let literal = road.program.parameters().literal();
        let [t] = literal.t[..] else { panic!("one plaintext modulus, not {:?}", literal.t) };
        assert!(t < 1 << 32, "products modulo t fit into a word");
        let (points, secret) = (Vec::new(), Vec::new());
        let mut model = Self { road, n: literal.n, t, q: literal.q.clone(), points, secret };
        let mut outputs = road.evaluate(&road.encrypt(&vec![("a", vec![0; model.n], None)]));
        outputs.retain(|output| output.names == ["same"]);
        model.points = model.ask(&outputs[0], 0, 1);
        assert!(model.points.iter().all(|&x| power(x, model.n as u64, t) == t - 1), "roots of X^n + 1");
        let secret = model.polynomial(&model.ask(&outputs[0], 1, 0));
        model.secret = secret.into_iter().map(|c| centered(c, t)).collect();
        assert!(model.secret.iter().all(|s| (-1..=1).contains(s)), "a secret is ternary");
        model
    }

    /// The slots of the ciphertext whose polynomials are 0, but for Q/t in one coefficient.
    fn ask(&self, output: &Named, part: usize, degree: usize) -> Vec<u64> {
        let mut words = limbs(&output.bytes, self.n);
        let primes = &self.q[..words.len() / 2];
        words.iter_mut().for_each(|limb| limb.fill(0));
        let step = product(primes) / self.t;
        for (limb, &q) in words[part * primes.len()..].iter_mut().zip(primes) {
            limb[degree] = residue(&step, q);
        }
        let bytes = with_words(&output.bytes, self.n, &words);
        let Outcome::Values(values) =
            self.road.client.decrypt(&[("same", &bytes)], None).unwrap().complete().unwrap()
        else {
            panic!("expected values")
        };
        let slots = &values[0].1.parts["values"];
        slots.iter().map(|v| v.rem_euclid(self.t.into()) as u64).collect()
    }

    /// The polynomial modulo t that has these values at the points.
    pub fn polynomial(&self, slots: &[u64]) -> Vec<u64> {
        let t = self.t;
        let inverses: Vec<u64> = self.points.iter().map(|&x| power(x, t - 2, t)).collect();
        let scale = power(self.n as u64, t - 2, t);
        // v_j x_j^-i / n for the i of the coefficient.
        let mut terms: Vec<u64> = slots.iter().map(|v| v * scale % t).collect();
        let mut coefficients = Vec::with_capacity(self.n);
        for _ in 0..self.n {
            coefficients.push(terms.iter().sum::<u64>() % t);
            terms.iter_mut().zip(&inverses).for_each(|(term, x)| *term = *term * x % t);
        }
        coefficients
    }

    /// round(Q m / t) modulo each prime, for a message in slots.
    pub fn scaled(&self, values: &[i64]) -> Vec<Vec<u64>> {
        let slots: Vec<u64> = values.iter().map(|v| v.rem_euclid(self.t as i64) as u64).collect();
        let (whole, half) = (product(&self.q), self.t / 2);
        let scaled = self.polynomial(&slots).into_iter().map(|m| (&whole * m + half) / self.t);
        let scaled: Vec<BigUint> = scaled.collect();
        self.q.iter().map(|&q| scaled.iter().map(|m| residue(m, q)).collect()).collect()
    }

    /// The error of an encrypted input, c_0 + c_1 s - round(Q m / t), modulo prime number `index`, centered.
    pub fn error(&self, input: &[u8], scaled: &[Vec<u64>], index: usize) -> Vec<i64> {
        let (limbs, q) = (limbs(input, self.n), self.q[index]);
        let product = times_secret(&limbs[self.q.len() + index], &self.secret, q);
        let terms = limbs[index].iter().zip(product).zip(&scaled[index]);
        terms.map(|((&c0, product), &m)| centered((c0 + product + q - m) % q, q)).collect()
    }

    /// The error of each digit of a key to the secret `to`, b_d + a_d s'', modulo the first special prime, where nothing else is in it.
    pub fn key_errors(&self, key: &[u8], ty: &SwitchingKey, to: &[i64]) -> Vec<Vec<i64>> {
        let (rows, all) = (limbs(key, self.n), ty.all());
        let (index, q) = (ty.q.len(), ty.special[0]);
        let table = NttTable::new(self.n, Modulus::new(q).unwrap()).unwrap();
        let digits = (0..ty.digits()).map(|digit| {
            let half = |half: usize| {
                let mut limb = rows[(2 * digit + half) * all.len() + index].clone();
                table.inverse(&mut limb);
                limb
            };
            let product = times_secret(&half(1), to, q);
            half(0).into_iter().zip(product).map(|(b, product)| centered((b + product) % q, q)).collect()
        });
        digits.collect()
    }

    /// s(X^(1/g)): the secret that the key of an automorphism switches to.
    pub fn mapped_back(&self, g: u64) -> Vec<i64> {
        let (n, ring) = (self.n as u64, 2 * self.n as u64);
        let inverse = (1..ring).step_by(2).find(|x| g * x % ring == 1).unwrap();
        let mut mapped = vec![0; self.n];
        for (i, &s) in (0..).zip(&self.secret) {
            let at = i * inverse % ring;
            mapped[(at % n) as usize] = if at < n { s } else { -s };
        }
        mapped
    }
}

fn product(primes: &[u64]) -> BigUint {
    primes.iter().product()
}

fn residue(number: &BigUint, q: u64) -> u64 {
    (number % q).try_into().unwrap()
}
