//! What every base operator is tried on, and what it must give.

use super::models;
use super::plain::{self, Data};
use super::values::{LARGEST, MOST_WORDS, PRIMES, Pattern, Random, SIZES, bases, rings, sizes};
use crate::graph::{Attrs, Real, ValueType};
use crate::math::Gaussian;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::types::{self, Form, Limb, WORD};
use std::sync::Arc;

/// What the output must be.
pub(super) enum Expected {
    /// These words.
    Words(Vec<u64>),
    /// One word, the bits of this double but for 1e-9.
    Double(f64),
    /// Words that are the bits of these doubles, but for so much.
    Doubles(Vec<f64>, f64),
    /// These elements, any NaN for any other; zeros to the end of the last word.
    Tensor(Data),
}

/// One operator on given data.
pub(super) struct Case {
    pub(super) attrs: Attrs,
    /// Types and words; the last word is filled up with zeros.
    pub(super) inputs: Vec<(ValueType, Vec<u64>)>,
    /// Bits of the graph's unit.
    pub(super) unit: u32,
    pub(super) nonce: u32,
    pub(super) expected: Expected,
}

impl Case {
    fn new(attrs: Attrs, inputs: Vec<(ValueType, Vec<u64>)>, words: Vec<u64>) -> Self {
        Self { attrs, inputs, unit: WORD, nonce: 0, expected: Expected::Words(words) }
    }
}

/// The cases of a base operator type; none for a type that nobody wrote cases for.
pub(super) fn cases(op: &str) -> Vec<Case> {
    use Form::{Coeff, Ntt};
    use models::{mul, neg};
    let both = [Coeff, Ntt];
    let sum = |x: &[u64], q: u64| (x.iter().map(|&x| u128::from(x)).sum::<u128>() % u128::from(q)) as u64;
    match op {
        "limb.add" => pointwise(&both, &[2], &|x, q| sum(x, q)),
        "limb.sub" => pointwise(&both, &[2], &|x, q| sum(&[x[0], neg(x[1], q)], q)),
        "limb.neg" => pointwise(&both, &[1], &|x, q| neg(x[0], q)),
        "limb.mul" => pointwise(&[Ntt], &[2], &|x, q| mul(x[0], x[1], q)),
        "limb.add_scalar" => scaled(1, &|x, c, q| sum(&[x[0], c], q)),
        "limb.mul_scalar" => scaled(1, &|x, c, q| mul(x[0], c, q)),
        "limb.scale_sub" => scaled(2, &|x, c, q| sum(&[mul(x[0], c, q), neg(x[1], q)], q)),
        "limb.dot" => pointwise(&[Ntt], &[2, 6, 140], &|x, q| {
            sum(&x.chunks(2).map(|pair| mul(pair[0], pair[1], q)).collect::<Vec<_>>(), q)
        }),
        "limb.ntt" => whole(Coeff, &models::ntt),
        "limb.intt" => whole(Ntt, &models::intt),
        "limb.automorphism" => galois(Coeff, &models::automorphism),
        "limb.decimate" => in_subring(Coeff),
        "limb.fold" => in_subring(Ntt),
        "limb.permute" => galois(Ntt, &|x, g, _| models::permute(x, g)),
        "limb.from_small" => from_small(),
        "limb.from_real" => from_real(),
        "rns.to_real" => to_real(),
        "slots.embed" => embed(),
        "slots.unembed" => unembed(),
        "rns.quotient" => quotient(),
        "rns.convert" => convert(),
        "rns.norm" => norm(),
        "constant" => constant(),
        "copy" => copy(),
        "sample.uniform" => {
            let moduli = [&[3, 257, 0xffff_fffb], &PRIMES[..]].concat();
            let with_q =
                |&q: &u64| samples(types::public_seed(), Some(q), &|n, s, k| models::uniform(n, q, s, k));
            moduli.iter().flat_map(with_q).collect()
        }
        "sample.common" => samples_common(),
        "sample.mask" => {
            let with_q =
                |&q: &u64| samples(types::secret_seed(), Some(q), &|n, s, k| models::mask(n, q, s, k));
            [3, 257, 0xffff_fffb].iter().chain(&PRIMES).flat_map(with_q).collect()
        }
        "sample.secret" => samples(types::secret_seed(), None, &models::secret),
        "sample.ternary" => samples(types::secret_seed(), None, &models::ternary),
        "sample.error" => samples(types::secret_seed(), None, &models::error),
        "sample.gaussian" => samples_gaussian(),
        "sample.words" => samples_words(),
        "slots.write" => slots(&types::slots, &|values, at| {
            let mut out = vec![0; values.len()];
            at.iter().zip(values).for_each(|(&at, &value)| out[at] = value);
            out
        }),
        "slots.read" => {
            let ty = |n, q| Limb { n, q, form: Ntt }.ty();
            slots(&ty, &|values, at| at.iter().map(|&at| values[at]).collect())
        }
        "slots.constant" => slots_constant(),
        other => {
            let fused = super::fused::cases(other);
            if fused.is_empty() { plain::cases(other) } else { fused }
        }
    }
}

/// Operators on each index apart, with so many inputs of one type; all pairs of patterns for two inputs.
fn pointwise(forms: &[Form], arities: &[usize], f: &dyn Fn(&[u64], u64) -> u64) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(1);
    for (n, q) in rings() {
        for (&form, &arity) in forms.iter().flat_map(|form| arities.iter().map(move |arity| (form, arity))) {
            for (&first, &rest) in
                Pattern::of(n).iter().flat_map(|a| Pattern::of(n).iter().map(move |b| (a, b)))
            {
                let pattern = |i: usize| [first, rest][i % 2];
                let inputs: Vec<_> = (0..arity).map(|i| pattern(i).words(n, q, &mut random)).collect();
                if arity * n <= MOST_WORDS {
                    cases.push(at_each_index(Limb { n, q, form }, Attrs::new(), inputs, &|x| f(x, q)));
                }
            }
        }
    }
    cases
}

/// Operators on each index apart, with a constant.
fn scaled(arity: usize, f: &dyn Fn(&[u64], u64, u64) -> u64) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(2);
    for (n, q) in rings() {
        for form in [Form::Coeff, Form::Ntt] {
            for c in [0, 1, q - 1, random.below(q)] {
                for pattern in Pattern::of(n) {
                    let inputs: Vec<_> = (0..arity).map(|_| pattern.words(n, q, &mut random)).collect();
                    let attrs = Attrs::new().with("c", c);
                    cases.push(at_each_index(Limb { n, q, form }, attrs, inputs, &|x| f(x, c, q)));
                }
            }
        }
    }
    cases
}

fn at_each_index(limb: Limb, attrs: Attrs, inputs: Vec<Vec<u64>>, f: &dyn Fn(&[u64]) -> u64) -> Case {
    let words = (0..limb.n).map(|i| f(&inputs.iter().map(|x| x[i]).collect::<Vec<_>>())).collect();
    Case::new(attrs, inputs.into_iter().map(|x| (limb.ty(), x)).collect(), words)
}

/// Operators on one limb as a whole.
fn whole(form: Form, f: &dyn Fn(&[u64], u64) -> Vec<u64>) -> Vec<Case> {
    let mut random = Random(3);
    let largest = (LARGEST, PRIMES[PRIMES.len() - 1]);
    let limbs = rings().chain([largest]).flat_map(|(n, q)| Pattern::of(n).iter().map(move |p| (n, q, p)));
    let case = |(n, q, pattern): (usize, u64, &Pattern)| {
        let x = pattern.words(n, q, &mut random);
        let words = f(&x, q);
        Case::new(Attrs::new(), vec![(Limb { n, q, form }.ty(), x)], words)
    };
    limbs.map(case).collect()
}

/// The image of residues, by the automorphism and the prime.
type Image<'a> = &'a dyn Fn(&[u64], u64, u64) -> Vec<u64>;

/// Automorphisms: identity, generator, conjugation, and others.
fn galois(form: Form, f: Image<'_>) -> Vec<Case> {
    let mut random = Random(4);
    let mut cases = Vec::new();
    for (n, q) in rings() {
        let n2 = 2 * n as u64;
        for g in [1, 3, n2 / 2 + 1, n2 - 1, random.below(n2) | 1] {
            for pattern in [Pattern::Largest, Pattern::Random] {
                let x = pattern.words(n, q, &mut random);
                let words = f(&x, g, q);
                cases.push(Case::new(Attrs::new().with("g", g), vec![(Limb { n, q, form }.ty(), x)], words));
            }
        }
    }
    cases
}

/// What of coefficients lies in a subring, in that form.
fn in_subring(form: Form) -> Vec<Case> {
    let mut random = Random(6);
    let mut cases = Vec::new();
    for (n, q) in rings().filter(|&(n, _)| n > 2) {
        for stride in [2, n / 4, n / 2].into_iter().filter(|&stride| stride > 1) {
            let x = Pattern::Random.words(n, q, &mut random);
            let words: Vec<u64> = (0..n / stride).map(|i| x[i * stride]).collect();
            let [x, words] = [x, words].map(|f| if form == Form::Ntt { models::ntt(&f, q) } else { f });
            let input = (Limb { n, q, form }.ty(), x);
            cases.push(Case::new(Attrs::new().with("stride", stride), vec![input], words));
        }
    }
    cases
}

fn from_small() -> Vec<Case> {
    let mut random = Random(5);
    let case = |(n, q): (usize, u64)| {
        let edges =
            [0, 1, -1, 21, -21, i64::MIN, i64::MAX, q.cast_signed(), -q.cast_signed(), 1 - q.cast_signed()];
        let any = |random: &mut Random| match random.below(16) as usize {
            choice if choice < edges.len() => edges[choice],
            10 | 11 => random.next().cast_signed(),
            _ => random.below(43).cast_signed() - 21,
        };
        let x: Vec<i64> = (0..n).map(|_| any(&mut random)).collect();
        let words = x.iter().map(|&x| i128::from(x).rem_euclid(i128::from(q)) as u64).collect();
        let input = (types::small(n), x.into_iter().map(i64::cast_unsigned).collect());
        Case::new(Attrs::new().with("q", q), vec![input], words)
    };
    // Small rings four times: one has too few values to meet all edges.
    SIZES.iter().cycle().take(4 * SIZES.len()).flat_map(|&n| PRIMES.map(|q| (n, q))).map(case).collect()
}

/// Integers of all sizes: a mantissa, a power of two, and the edges.
fn integer(random: &mut Random) -> (i64, u64) {
    let mantissa = (random.next() >> random.below(64).max(11)).cast_signed();
    let sign = 1 - 2 * random.below(2).cast_signed();
    (sign * mantissa, if random.below(2) == 0 { 0 } else { random.below(900) })
}

fn from_real() -> Vec<Case> {
    let mut random = Random(13);
    let Some(one) = Real::new(1.0) else { return Vec::new() };
    let mut case = |(n, q): (usize, u64)| {
        let (mut doubles, mut words) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for i in 0..n {
            let (mantissa, exponent) = integer(&mut random);
            let edge = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0].get(i % 16).copied();
            doubles.push(edge.unwrap_or(mantissa as f64 * 2f64.powi(exponent as i32)).to_bits());
            let residue = i128::from(mantissa).rem_euclid(i128::from(q)) as u64;
            words.push(if edge.is_some() { 0 } else { models::mul(residue, models::pow(2, exponent, q), q) });
        }
        Case::new(Attrs::new().with("q", q), vec![(types::reals(n, one), doubles)], words)
    };
    rings().map(&mut case).collect()
}

/// Numbers that are known without big integers, small ones and some as large as the moduli allow.
fn to_real() -> Vec<Case> {
    let mut random = Random(14);
    let mut cases = Vec::new();
    for base in bases().into_iter().take(3) {
        let bits: u32 = base.iter().map(|q| q.ilog2()).sum();
        for n in sizes(&base) {
            let mut words = vec![Vec::with_capacity(n); base.len()];
            let mut doubles = Vec::with_capacity(n);
            let largest = 2f64.powi(bits.min(300) as i32);
            for _ in 0..n {
                let (mantissa, exponent) = integer(&mut random);
                let exponent = exponent % u64::from(bits.min(300) - 54).max(1);
                let mantissa = if bits < 62 { mantissa >> 12 } else { mantissa };
                doubles.push(mantissa as f64 * 2f64.powi(exponent as i32));
                for (words, &q) in words.iter_mut().zip(&base) {
                    let residue = i128::from(mantissa).rem_euclid(i128::from(q)) as u64;
                    words.push(models::mul(residue, models::pow(2, exponent, q), q));
                }
            }
            let attrs = Attrs::new().with("scale", 4u64);
            let inputs = coefficients(n, &base, words);
            let expected = Expected::Doubles(doubles, largest * 2f64.powi(-53) * base.len() as f64);
            cases.push(Case { expected, ..Case::new(attrs, inputs, Vec::new()) });
        }
    }
    cases
}

/// Complex numbers in the unit square, sparse in large rings, whose model is slow.
fn slot_values(n: usize, random: &mut Random) -> Vec<(f64, f64)> {
    let mut unit = || random.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0;
    let step = (n / 64).max(1);
    (0..n / 2).map(|slot| if slot % step == 0 { (unit(), unit()) } else { (0.0, 0.0) }).collect()
}

fn bits(values: impl IntoIterator<Item = f64>) -> Vec<u64> {
    values.into_iter().map(f64::to_bits).collect()
}

/// Of an array with real and imaginary parts, or real ones.
fn tensor(n: usize, complex: bool) -> Option<ValueType> {
    let half = n as u64 / 2;
    Tensor::new(Element::F64, if complex { vec![half, 2] } else { vec![half] }).ty(WORD).ok()
}

fn embed() -> Vec<Case> {
    let mut random = Random(15);
    let mut cases = Vec::new();
    for (n, complex, log_scale) in
        SIZES.into_iter().flat_map(|n| [(n, true, 30), (n, false, 40), (n, true, 100), (n, false, 0)])
    {
        let mut slots = slot_values(n, &mut random);
        if !complex {
            slots.iter_mut().for_each(|slot| slot.1 = 0.0);
        }
        let scale = 2f64.powi(log_scale);
        let expected = models::coefficients(&slots).into_iter().map(|x| x * scale).collect();
        let flat = slots.iter().flat_map(|&(re, im)| if complex { vec![re, im] } else { vec![re] });
        let (Some(ty), Some(attr)) = (tensor(n, complex), Real::new(scale)) else { continue };
        let case = Case::new(Attrs::new().with("scale", attr), vec![(ty, bits(flat))], Vec::new());
        cases.push(Case { expected: Expected::Doubles(expected, 0.5 + scale * 2f64.powi(-45)), ..case });
    }
    cases
}

fn unembed() -> Vec<Case> {
    let mut random = Random(16);
    let mut cases = Vec::new();
    for (n, complex, log_scale) in SIZES.into_iter().flat_map(|n| [(n, 1u64, 30), (n, 0, 80)]) {
        let scale = 2f64.powi(log_scale);
        let slots = slot_values(n, &mut random);
        let coefficients = models::coefficients(&slots).into_iter().map(|x| x * scale);
        let Some(attr) = Real::new(scale) else { continue };
        let flat = slots.iter().flat_map(|&(re, im)| if complex == 1 { vec![re, im] } else { vec![re] });
        let input = (types::reals(n, attr), bits(coefficients));
        let case = Case::new(Attrs::new().with("complex", complex), vec![input], Vec::new());
        cases.push(Case { expected: Expected::Doubles(flat.collect(), 2f64.powi(-45)), ..case });
    }
    cases
}

fn coefficients(n: usize, base: &[u64], words: Vec<Vec<u64>>) -> Vec<(ValueType, Vec<u64>)> {
    base.iter().map(|&q| Limb { n, q, form: Form::Coeff }.ty()).zip(words).collect()
}

fn quotient() -> Vec<Case> {
    let mut random = Random(6);
    let mut cases = Vec::new();
    for base in bases() {
        for n in sizes(&base) {
            for pattern in Pattern::of(n) {
                let y: Vec<_> = base.iter().map(|&q| pattern.words(n, q, &mut random)).collect();
                cases.push(quotient_case(n, &base, y));
            }
            // Where the order of the sum and the rounding of its terms show: sums next to a half.
            let mut y: Vec<_> = base.iter().map(|&q| random.words(n, q)).collect();
            let last = base.len() - 1;
            let (&q, others) = (&base[last], y[..last].iter().zip(&base));
            let mut sums = vec![0.0; n];
            for (y, &q) in others {
                sums.iter_mut().zip(y).for_each(|(sum, &y)| *sum += y as f64 / q as f64);
            }
            for (y, sum) in y[last].iter_mut().zip(sums) {
                let missing = (0.5f64 - sum).rem_euclid(1.0) * q as f64;
                *y = (missing as u64 + random.below(4096)).saturating_sub(2048).min(q - 1);
            }
            cases.push(quotient_case(n, &base, y));
        }
    }
    cases
}

fn quotient_case(n: usize, base: &[u64], y: Vec<Vec<u64>>) -> Case {
    let at = |i: usize| models::quotient(&y.iter().map(|y| y[i]).collect::<Vec<_>>(), base);
    let words = (0..n).map(at).collect();
    Case::new(Attrs::new(), coefficients(n, base, y), words)
}

fn convert() -> Vec<Case> {
    let mut random = Random(7);
    let mut cases = Vec::new();
    for base in bases() {
        for (n, p) in sizes(&base).flat_map(|n| PRIMES.map(|p| (n, p))) {
            for (pattern, with_v) in
                [(Pattern::Largest, true), (Pattern::Random, true), (Pattern::Random, false)]
            {
                let c = pattern.words(base.len(), p, &mut random);
                let y: Vec<_> = base.iter().map(|&q| pattern.words(n, q, &mut random)).collect();
                let mut attrs = Attrs::new().with("c", c.as_slice()).with("q", p);
                let (mut v, mut w) = (vec![0; n], 0);
                if with_v {
                    v = pattern.words(n, base.len() as u64 + 1, &mut random);
                    w = random.below(p);
                    attrs = attrs.with("w", w);
                }
                let at = |i: usize| {
                    let terms = y.iter().zip(&c).map(|(y, &c)| models::mul(y[i], c, p));
                    let sum = terms.fold(0, |sum, term| sum + u128::from(term));
                    ((sum + u128::from(models::neg(models::mul(v[i], w, p), p))) % u128::from(p)) as u64
                };
                let words = (0..n).map(at).collect();
                let mut inputs = coefficients(n, &base, y);
                inputs.extend(with_v.then(|| (types::quotient(n), v)));
                cases.push(Case::new(attrs, inputs, words));
            }
        }
    }
    cases
}

/// Numbers whose logarithm is known without big integers: signed `a 2^e`, and the ends of the centered range.
fn norm() -> Vec<Case> {
    let mut random = Random(8);
    let mut cases = Vec::new();
    let [one, two, all, _] = bases();
    for base in [one, two, all] {
        let whole_bits: u32 = base.iter().map(|q| q.ilog2()).sum();
        let log2: f64 = base.iter().map(|&q| (q as f64).log2()).sum();
        for n in sizes(&base) {
            let mut words = vec![vec![0; n]; base.len()];
            cases.push(norm_case(n, &base, words.clone(), 0.0));
            let mut largest = 0.0f64;
            for i in 0..n {
                let (a, e) = (random.below(1 << 40), random.below(u64::from(whole_bits) - 41));
                largest = largest.max(if a == 0 { 0.0 } else { (a as f64).log2() + e as f64 });
                for (x, &q) in words.iter_mut().zip(&base) {
                    let value = models::mul(a % q, models::pow(2, e, q), q);
                    x[i] = if i % 2 == 0 { value } else { models::neg(value, q) };
                }
            }
            cases.push(norm_case(n, &base, words.clone(), largest));
            // (Q - 1) / 2 and its negative: -1/2 and 1/2 modulo every prime.
            for sign in 0..2 {
                for (x, &q) in words.iter_mut().zip(&base) {
                    x[n - 1] = q / 2 + sign;
                }
                cases.push(norm_case(n, &base, words.clone(), log2 - 1.0));
            }
        }
    }
    cases
}

fn norm_case(n: usize, base: &[u64], words: Vec<Vec<u64>>, log2: f64) -> Case {
    let inputs = coefficients(n, base, words);
    Case { attrs: Attrs::new(), inputs, unit: WORD, nonce: 0, expected: Expected::Double(log2) }
}

/// Tensors of words, as they are.
fn constant() -> Vec<Case> {
    let mut random = Random(9);
    let case = |&n: &usize| {
        let words = random.words(n, u64::MAX);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let attrs = Attrs::new().with("of", "u64").with("shape", vec![n as u64]);
        Case::new(attrs.with("value", Arc::<[u8]>::from(bytes)), vec![], words)
    };
    [1, 2, 3, 8, 100].iter().map(case).collect()
}

fn copy() -> Vec<Case> {
    let mut random = Random(9);
    let lists: [&[usize]; 5] = [&[1], &[5, 3], &[1; 9], &[8192, 1], &[3, 64, 1024]];
    let case = |sizes: &[usize]| {
        let raw = |n: usize| ValueType::new("raw", n as u64, Attrs::new());
        let inputs: Vec<_> = sizes.iter().map(|&n| (raw(n), random.words(n, u64::MAX))).collect();
        let words = inputs.iter().flat_map(|(_, x)| x.clone()).collect();
        Case::new(Attrs::new(), inputs, words)
    };
    let words = lists.map(case);
    // Bits, in graphs of any unit; what does not begin at a byte is read from inside one.
    let pieces: [(u32, &[(u64, u64)]); 7] = [
        (1, &[(13, 0)]),
        (1, &[(1, 0), (9, 7), (64, 3), (700, 1)]),
        (1, &[(8, 0), (4096, 5), (3, 2)]),
        (2, &[(5, 6), (33, 0), (500, 2)]),
        (4, &[(3, 4), (1000, 4), (2, 0)]),
        (8, &[(3, 0), (1, 0), (1000, 0)]),
        (32, &[(3, 0), (1, 0), (999, 0)]),
    ];
    let bits = pieces.map(|(unit, pieces)| {
        let raw = |units: u64| ValueType::new("raw", units, Attrs::new());
        let mut inputs = Vec::new();
        let mut expected = Vec::new();
        for &(units, skip) in pieces {
            let own: Vec<u64> = (0..units * u64::from(unit)).map(|_| random.below(2)).collect();
            expected.extend_from_slice(&own[skip as usize..]);
            inputs.push((raw(units), Data::bits(own).pack()));
        }
        let skip: Vec<u64> = pieces.iter().map(|(_, skip)| *skip).collect();
        Case { unit, ..Case::new(Attrs::new().with("skip", skip), inputs, Data::bits(expected).pack()) }
    });
    words.into_iter().chain(bits).collect()
}

/// So many draws, from the words of a seed and a nonce.
type Draw<'a> = &'a dyn Fn(usize, &[u64], u32) -> Vec<u64>;

/// Samplers, with several seeds, and several nonces for one seed.
fn samples(seed_ty: ValueType, q: Option<u64>, draw: Draw<'_>) -> Vec<Case> {
    let some = Random(10).words(4, u64::MAX);
    let streams = [(vec![0; 4], 1), (vec![u64::MAX; 4], u32::MAX), (some.clone(), 1), (some, 2)];
    let mut cases = Vec::new();
    for n in SIZES {
        for (seed, nonce) in streams.clone() {
            let attrs = Attrs::new().with("n", n);
            let attrs = if let Some(q) = q { attrs.with("q", q) } else { attrs };
            let words = draw(n, &seed, nonce);
            cases.push(Case { nonce, ..Case::new(attrs, vec![(seed_ty.clone(), seed)], words) });
        }
    }
    cases
}

/// Those whose seed and stream are attributes: nonces say nothing.
fn samples_common() -> Vec<Case> {
    let of = |&q: &u64| {
        let mut cases = samples(types::public_seed(), Some(q), &|n, s, k| models::uniform(n, q, s, k));
        for case in &mut cases {
            let seed = case.inputs.remove(0).1;
            case.attrs = case.attrs.clone().with("seed", seed).with("stream", u64::from(case.nonce));
            case.nonce = 7;
        }
        cases
    };
    [3, 257, 0xffff_fffb].iter().chain(&PRIMES).flat_map(of).collect()
}

/// Of deviations of few and of many factors.
fn samples_gaussian() -> Vec<Case> {
    let of = |deviation: Real| {
        let draw = |n: usize, seed: &[u64], nonce: u32| models::gaussian(n, deviation.get(), seed, nonce);
        let mut cases = samples(types::secret_seed(), None, &draw);
        for case in &mut cases {
            case.attrs = case.attrs.clone().with("deviation", deviation);
        }
        cases
    };
    [8.0, 1000.0, 1.5e12, Gaussian::LARGEST].into_iter().filter_map(Real::new).flat_map(of).collect()
}

/// Of tensors, whose shapes make no difference but in how many words there are.
fn samples_words() -> Vec<Case> {
    let mut cases = samples(types::secret_seed(), None, &models::words);
    for case in &mut cases {
        let n = case.attrs.uint("n").unwrap_or_default();
        case.attrs = Attrs::new().with("shape", if n % 2 == 0 { vec![n / 2, 2] } else { vec![n] });
    }
    cases
}

/// Values moved to places.
type Moved<'a> = &'a dyn Fn(&[u64], &[usize]) -> Vec<u64>;

fn slots(ty: &dyn Fn(usize, u64) -> ValueType, f: Moved<'_>) -> Vec<Case> {
    let mut random = Random(11);
    let case = |(n, t): (usize, u64)| {
        let values = random.words(n, t);
        let words = f(&values, &models::slots(n));
        Case::new(Attrs::new(), vec![(ty(n, t), values)], words)
    };
    rings().map(case).collect()
}

fn slots_constant() -> Vec<Case> {
    let mut random = Random(12);
    let mut cases = Vec::new();
    for (n, t) in rings() {
        for given in [0, 1, n / 2, n] {
            let mut words = random.words(given, t);
            let attrs = Attrs::new().with("n", n).with("t", t).with("values", words.as_slice());
            words.resize(n, 0);
            cases.push(Case::new(attrs, Vec::new(), words));
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_see_the_order_of_a_quotient() {
        let reversed = |case: &Case| {
            let Expected::Words(words) = &case.expected else { return false };
            (0..words.len()).any(|i| {
                let y: Vec<u64> = case.inputs.iter().rev().map(|(_, y)| y[i]).collect();
                let q: Vec<u64> =
                    case.inputs.iter().rev().filter_map(|(ty, _)| ty.attrs.uint("q").ok()).collect();
                models::quotient(&y, &q) != words[i]
            })
        };
        assert!(quotient().iter().filter(|case| reversed(case)).count() > 3);
    }
}
