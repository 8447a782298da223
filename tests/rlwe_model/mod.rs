//! A small model of BGV that shares nothing with the package but its bytes, its transform and the stream of a seed that travels: it finds
//! the secret by asking for two decryptions, and then what is left of a ciphertext or a key when secret and message are taken away: the error.

use cipherloom::circuit::Outcome;
use cipherloom::math::sample::{Domain, uniform_into};
use cipherloom::math::{Modulus, NttTable};
use cipherloom::ops::types::{Ciphertext, Scheme, SwitchingKey};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Program};
use std::sync::Arc;
use twox_hash::XxHash3_128;

const FRAME: usize = 21;
const CHECKSUM: usize = 16;

/// Where the body of a value or of a key begins: behind so many identities and a text.
fn body_at(bytes: &[u8], identities: usize) -> usize {
    let at = FRAME + 16 * identities;
    at + 4 + u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Where the body of a value begins.
pub fn value_at(bytes: &[u8]) -> usize {
    body_at(bytes, 3)
}

/// Where the body of a key begins.
pub fn key_at(bytes: &[u8]) -> usize {
    body_at(bytes, 2)
}

fn bits(q: u64) -> usize {
    64 - (q - 1).leading_zeros() as usize
}

fn unpacked(bytes: &[u8], n: usize, q: u64) -> Vec<u64> {
    let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
    (0..n).map(|i| (0..bits(q)).fold(0, |word, k| word | bit(i * bits(q) + k) << k)).collect()
}

fn packed(limb: &[u64], q: u64) -> Vec<u8> {
    let mut bytes = vec![0; limb.len() * bits(q) / 8];
    for (i, word) in limb.iter().enumerate() {
        for k in (0..bits(q)).filter(|k| word >> k & 1 == 1) {
            let at = i * bits(q) + k;
            bytes[at / 8] |= 1 << (at % 8);
        }
    }
    bytes
}

/// The limbs of a body from `at` on: of each its prime, and whether it is uniform where the whole travels with a seed.
pub fn limbs(bytes: &[u8], at: usize, n: usize, primes: &[(u64, bool)]) -> Vec<Vec<u64>> {
    let seeded = bytes[at] == 1;
    let uniform = primes.iter().filter(|(_, uniform)| *uniform).count();
    let seed: [u8; 32] = bytes[at + 1..at + 33].try_into().unwrap();
    let number = |k: usize| u32::from_le_bytes(bytes[at + 33 + 4 * k..at + 37 + 4 * k].try_into().unwrap());
    let mut next = at + 1 + if seeded { 32 + 4 * uniform } else { 0 } + 8;
    let mut drawn = 0;
    let limb = |&(q, uniform): &(u64, bool)| {
        if seeded && uniform {
            let mut limb = vec![0; n];
            let stream = Domain::PublicUniform.stream(&seed, number(drawn).into());
            uniform_into(&mut limb, &Modulus::new(q).unwrap(), stream);
            drawn += 1;
            return limb;
        }
        let size = n * bits(q) / 8;
        next += size;
        unpacked(&bytes[next - size..next], n, q)
    };
    let limbs = primes.iter().map(limb).collect();
    assert_eq!(next, bytes.len() - CHECKSUM, "no byte more");
    limbs
}

/// a, seen as the number of least absolute value that is the same modulo q.
fn centered(a: u64, q: u64) -> i64 {
    if a > q / 2 { a as i64 - q as i64 } else { a as i64 }
}

fn times(a: u64, b: u64, q: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(q)) as u64
}

fn power(base: u64, mut exponent: u64, q: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, square, q);
        }
        square = times(square, square, q);
        exponent >>= 1;
    }
    result
}

fn table(n: usize, q: u64) -> NttTable {
    NttTable::new(n, Modulus::new(q).unwrap()).unwrap()
}

fn values_of(polynomial: &[i64], q: u64, table: &NttTable) -> Vec<u64> {
    let mut limb: Vec<u64> = polynomial.iter().map(|c| c.rem_euclid(q as i64) as u64).collect();
    table.forward(&mut limb);
    limb
}

/// c_0 + c_1 s modulo q, centered coefficients; both come as values.
fn phase(c0: &[u64], c1: &[u64], secret: &[i64], q: u64) -> Vec<i64> {
    let table = table(secret.len(), q);
    let s = values_of(secret, q, &table);
    let terms = c0.iter().zip(c1).zip(s);
    let mut sum: Vec<u64> = terms.map(|((&c0, &c1), s)| (c0 + times(c1, s, q)) % q).collect();
    table.inverse(&mut sum);
    sum.into_iter().map(|c| centered(c, q)).collect()
}

/// What is left of multiples of t.
fn divided(numbers: Vec<i64>, t: u64) -> Vec<i64> {
    let by = |number: i64| {
        assert_eq!(number % t as i64, 0, "a multiple of {t}");
        number / t as i64
    };
    numbers.into_iter().map(by).collect()
}

/// What the model found out about a client of a program whose result `same` is its input `a`, of n cells.
pub struct Model {
    pub n: usize,
    t: u64,
    pub q: Vec<u64>,
    /// The points at which cells are values of a polynomial modulo t.
    points: Vec<u64>,
    /// The secret.
    pub secret: Vec<i64>,
}

impl Model {
    /// Finds the secret by decryption of changed results: (X, 0) decrypts to X, whose values are the points, and (0, 1) to the secret.
    /// `results` are those of a run, `same` the number of the one.
    pub fn new(program: &Arc<Program>, client: &Client, results: &[Vec<u8>], same: usize) -> Self {
        let literal = program.parameters().literal();
        let [t] = literal.t[..] else { panic!("one plaintext modulus, not {:?}", literal.t) };
        assert!(t < 1 << 32, "products modulo t fit into a word");
        let port = program.scheme().outputs().iter().find(|port| port.name.starts_with("same")).unwrap();
        let ty = Ciphertext::of(program.scheme().ty(port.operand)).unwrap();
        let (points, secret) = (Vec::new(), Vec::new());
        let mut model = Self { n: literal.n, t, q: literal.q.clone(), points, secret };
        model.points = model.ask(client, results, same, &ty, [0, 1]);
        assert!(model.points.iter().all(|&x| power(x, model.n as u64, t) == t - 1), "roots of X^n + 1");
        let secret = model.polynomial(&model.ask(client, results, same, &ty, [1, 0]));
        model.secret = secret.into_iter().map(|c| centered(c, t)).collect();
        assert!(model.secret.iter().all(|s| (-1..=1).contains(s)), "a secret is ternary");
        model
    }

    /// The cells of the ciphertext whose polynomials are 0, but for one coefficient: its factor, by which decryption divides.
    fn ask(
        &self,
        client: &Client,
        results: &[Vec<u8>],
        same: usize,
        ty: &Ciphertext,
        [part, degree]: [usize; 2],
    ) -> Vec<u64> {
        let result = &results[same];
        let Scheme::Bgv { factor, .. } = ty.scheme else { panic!("BGV is expected") };
        let at = value_at(result);
        assert_eq!((result[at], ty.parts), (0, 2), "in full");
        let mut bytes = result[..at + 9].to_vec();
        for index in 0..2 {
            for &q in &ty.q {
                let mut polynomial = vec![0; self.n];
                if index == part {
                    polynomial[degree] = factor as i64;
                }
                bytes.extend(packed(&values_of(&polynomial, q, &table(self.n, q)), q));
            }
        }
        let checksum = XxHash3_128::oneshot(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        assert_eq!(bytes.len(), result.len());
        let mut all: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        all[same] = &bytes;
        let job = client.decrypt(&all, &SortedMap::new(), None).unwrap();
        let Outcome::Cells(outputs) = job.complete().unwrap() else { panic!("cells are expected") };
        let cells = outputs.iter().find(|output| output.name == "same").unwrap().cells.as_ref().unwrap();
        cells.cells.iter().map(|v| v.small().unwrap().rem_euclid(self.t.into()) as u64).collect()
    }

    /// The polynomial modulo t that has these values at the points.
    pub fn polynomial(&self, cells: &[u64]) -> Vec<u64> {
        let t = self.t;
        let inverses: Vec<u64> = self.points.iter().map(|&x| power(x, t - 2, t)).collect();
        let scale = power(self.n as u64, t - 2, t);
        // v_j x_j^-i / n for the i of the coefficient.
        let mut terms: Vec<u64> = cells.iter().map(|v| v * scale % t).collect();
        let mut coefficients = Vec::with_capacity(self.n);
        for _ in 0..self.n {
            coefficients.push(terms.iter().sum::<u64>() % t);
            terms.iter_mut().zip(&inverses).for_each(|(term, x)| *term = *term * x % t);
        }
        coefficients
    }

    /// The limbs of an encrypted input: c_0 for each prime, then c_1.
    pub fn input(&self, bytes: &[u8]) -> Vec<Vec<u64>> {
        let part = |uniform: bool| self.q.iter().map(move |&q| (q, uniform));
        limbs(bytes, value_at(bytes), self.n, &part(false).chain(part(true)).collect::<Vec<_>>())
    }

    /// The error of an encrypted input, (c_0 + c_1 s - m) / t, modulo prime number `index`.
    pub fn error(&self, limbs: &[Vec<u64>], message: &[u64], index: usize) -> Vec<i64> {
        let phase = phase(&limbs[index], &limbs[self.q.len() + index], &self.secret, self.q[index]);
        let rest = phase.into_iter().zip(message).map(|(phase, &m)| phase - centered(m, self.t));
        divided(rest.collect(), self.t)
    }

    /// The limbs of a key: of each digit b for each prime, then a.
    pub fn key(&self, bytes: &[u8], ty: &SwitchingKey) -> Vec<Vec<u64>> {
        let all = ty.all();
        let half = |half: usize| all.iter().map(move |&q| (q, half % 2 == 1));
        limbs(bytes, key_at(bytes), self.n, &(0..2 * ty.digits()).flat_map(half).collect::<Vec<_>>())
    }

    /// The error of each digit of a key to the secret `to`, (b_d + a_d s'') / t, modulo the first special prime, where nothing else is in it.
    pub fn key_errors(&self, limbs: &[Vec<u64>], ty: &SwitchingKey, to: &[i64]) -> Vec<Vec<i64>> {
        let (index, all) = (ty.q.len(), ty.all().len());
        let of = |digit: usize, half: usize| &limbs[(2 * digit + half) * all + index];
        let error = |digit| divided(phase(of(digit, 0), of(digit, 1), to, ty.special[0]), self.t);
        (0..ty.digits()).map(error).collect()
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
