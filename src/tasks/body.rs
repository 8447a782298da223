//! The residues of ciphertexts and keys as bytes, limb by limb. The uniform half of what is fresh travels as a seed, which everybody may know, and is
//! made anew by whoever reads it.
//!
//! ```text
//! 0 u8 | size u64 | residues of all limbs
//! 1 u8 | seed (32 bytes) | number of its stream u32, for each uniform limb | size u64 | residues of the other limbs
//! ```
//!
//! `size` counts the bytes behind it. How residues lie in them: [`crate::limbs`].

use super::runner::PublicSeed;
use crate::bytes::{Reader, Writer};
use crate::graph::{Attrs, Graph, ValueType};
use crate::math::limbs::{self, Packer, unpack};
use crate::ops::Call;
use crate::ops::types::{Ciphertext, Extract, Form, Limb, SwitchingKey, WORD, public_seed};
use crate::platform::{Kernel, Platform};
use crate::sorted::SortedMap;
use crate::{Result, memory, parallel};
use std::collections::HashMap;

/// In full, and with a seed.
const FULL: u8 = 0;
const SEEDED: u8 = 1;

/// Limbs, in the order in which they lie: of each how long it is, the prime, and whether it is uniform where the whole is fresh.
pub struct Limbs {
    all: Vec<(usize, u64, bool)>,
}

impl Limbs {
    /// Of a ciphertext, or what is left of one. Uniform is what a seed gives where it was encrypted with the secret key: the second of two parts, as values.
    pub fn of_ciphertext(ty: &Extract) -> Self {
        let Ciphertext { n, q, parts, form, .. } = &ty.ciphertext;
        let seeded = *parts == 2 && *form == Form::Ntt;
        let length = |part| if part == 0 { ty.kept() } else { *n };
        let part = |part: usize| q.iter().map(move |&q| (length(part), q, seeded && part == 1));
        Self { all: (0..*parts).flat_map(part).collect() }
    }

    /// Of each ciphertext of a value.
    pub fn of_ciphertexts(types: &[Extract]) -> Vec<Self> {
        types.iter().map(Self::of_ciphertext).collect()
    }

    /// Of an evaluation key: the second half of each digit is uniform.
    pub fn of_key(ty: &SwitchingKey) -> Self {
        let all = ty.all();
        let half = |half: usize| all.iter().map(move |&q| (ty.n, q, half % 2 == 1));
        Self { all: (0..2 * ty.digits()).flat_map(half).collect() }
    }

    /// Of a public key modulo these primes: its second half is uniform.
    pub fn of_public_key(n: usize, primes: &[u64]) -> Self {
        let half = |uniform: bool| primes.iter().map(move |&q| (n, q, uniform));
        Self { all: [false, true].into_iter().flat_map(half).collect() }
    }

    /// Words of all residues.
    pub fn words(&self) -> usize {
        self.all.iter().map(|limb| limb.0).sum()
    }

    /// Bytes of the residues that travel.
    fn size(&self, seeded: bool) -> u64 {
        let own = self.all.iter().filter(|limb| !(seeded && limb.2));
        own.map(|&(n, q, _)| limbs::size(n, q)).sum()
    }

    fn uniform(&self) -> usize {
        self.all.iter().filter(|limb| limb.2).count()
    }

    /// Bytes of a body in full.
    pub fn bytes(&self) -> u64 {
        size_of_body(std::slice::from_ref(self), false)
    }

    /// Bytes of a body with a seed.
    pub fn seeded_bytes(&self) -> u64 {
        size_of_body(std::slice::from_ref(self), true)
    }
}

/// Bytes of a body, with a seed or in full.
pub fn size_of_body(all: &[Limbs], seeded: bool) -> u64 {
    let uniform: usize = all.iter().map(Limbs::uniform).sum();
    let head = if seeded { 1 + 32 + 4 * uniform as u64 + 8 } else { 1 + 8 };
    all.iter().map(|limbs| limbs.size(seeded)).sum::<u64>() + head
}

/// Their words.
pub fn words(all: &[Limbs]) -> usize {
    all.iter().map(Limbs::words).sum()
}

/// Which streams of a seed uniform limbs are drawn from.
pub struct Streams {
    seed: [u8; 32],
    numbers: Vec<u32>,
}

impl Streams {
    /// Those of a key whose uniform limbs are common ones of several parties (`joint.common`): numbered from 1, in order.
    pub fn common(seed: [u8; 32], limbs: &Limbs) -> Self {
        Self { seed, numbers: (1..).take(limbs.uniform()).collect() }
    }

    /// Those of some outputs of a graph that draws from a seed; none where one of their uniform limbs comes from elsewhere, or is no limb as it was drawn.
    pub fn of(graph: &Graph, seed: &PublicSeed, outputs: &[(usize, &Limbs)]) -> Option<Self> {
        let place = graph.first_unit(graph.inputs().get(seed.input)?.operand);
        let mut drawn = HashMap::new();
        for op in graph.operators() {
            let from = graph.inputs_of(op).first().map(|&from| graph.first_unit(from));
            if let ([piece], true) = (graph.pieces(op.output), from == Some(place)) {
                let q = Limb::of(graph.ty(op.output)).ok()?.q;
                drawn.insert((piece.start, piece.end - piece.start, q), op.nonce);
            }
        }
        let mut numbers = Vec::new();
        for &(output, limbs) in outputs {
            let operand = graph.outputs().get(output)?.operand;
            let mut pieces = graph.pieces(operand).iter().copied();
            let (mut start, mut end) = (0, 0);
            for &(n, q, uniform) in &limbs.all {
                if start == end {
                    let piece = pieces.next()?;
                    (start, end) = (piece.start, piece.end);
                }
                if uniform {
                    numbers.push(*drawn.get(&(start, n as u64, q))?);
                }
                let mut left = n as u64;
                while left > 0 {
                    if start == end {
                        // A limb in several pieces is none that was drawn.
                        let piece = pieces.next().filter(|_| !uniform)?;
                        (start, end) = (piece.start, piece.end);
                    }
                    let step = left.min(end - start);
                    start += step;
                    left -= step;
                }
            }
        }
        Some(Self { seed: seed.bytes, numbers })
    }
}

/// Ends an object with the residues of ciphertexts or of a key, whose words come in blocks; with `streams` without the uniform ones.
///
/// # Errors
/// `OutOfMemory`.
pub fn write<'a>(
    writer: Writer,
    all: &[Limbs],
    streams: Option<&Streams>,
    blocks: impl IntoIterator<Item = &'a [u64]>,
) -> Result<Vec<u8>> {
    let mut writer = match streams {
        Some(Streams { seed, numbers }) => {
            let numbers: Vec<[u8; 4]> = numbers.iter().map(|number| number.to_le_bytes()).collect();
            writer.raw(&[SEEDED]).raw(seed).raw(numbers.as_flattened())
        }
        None => writer.raw(&[FULL]),
    };
    let size: u64 = all.iter().map(|limbs| limbs.size(streams.is_some())).sum();
    writer = writer.raw(&size.to_le_bytes());
    let mut bytes = writer.last(usize::try_from(size).unwrap_or(usize::MAX))?;
    let mut blocks = blocks.into_iter();
    let mut block: &[u64] = &[];
    let mut packed = Vec::new();
    for &(n, q, uniform) in all.iter().flat_map(|limbs| &limbs.all) {
        let mut pieces = Vec::new();
        let mut left = n;
        while left > 0 {
            if block.is_empty() {
                let Some(next) = blocks.next() else { break };
                block = next;
            }
            let (piece, rest) = block.split_at(left.min(block.len()));
            pieces.push(piece);
            block = rest;
            left -= piece.len();
        }
        if !(uniform && streams.is_some()) {
            let own = bytes.split_off_mut(..limbs::size(n, q) as usize).unwrap_or_default();
            packed.push((Packer::new(q, own), pieces));
        }
    }
    parallel::map(words(all), packed, |(mut packer, pieces)| {
        pieces.into_iter().for_each(|piece| packer.add(piece));
        packer.finish();
    });
    Ok(writer.finish())
}

/// What makes uniform limbs again: the kernels of a platform.
pub struct Samplers {
    kernels: SortedMap<u64, Kernel>,
}

impl Samplers {
    /// For limbs of a ring, modulo these primes.
    ///
    /// # Errors
    /// As [`Platform::kernel`].
    pub fn new(platform: &dyn Platform, n: usize, primes: &[u64]) -> Result<Self> {
        let inputs: [ValueType; 1] = [public_seed()];
        let kernel = |&q: &u64| {
            let attrs = Attrs::new().with("n", n).with("q", q);
            let call = Call { name: "sample.uniform", attrs: &attrs, inputs: &inputs, unit: WORD };
            Ok((q, platform.kernel(&call, &Limb { n, q, form: Form::Ntt }.ty())?))
        };
        Ok(Self { kernels: primes.iter().map(kernel).collect::<Result<_>>()? })
    }

    /// False for a prime that was not asked for.
    fn fill(&self, q: u64, out: &mut [u64], seed: &[u64; 4], stream: u32) -> bool {
        let Some(kernel) = self.kernels.get(&q) else { return false };
        kernel.run(&[seed], out, &mut vec![0; kernel.scratch()], stream);
        true
    }
}

/// Where a limb comes from.
enum Source<'a> {
    Bytes(&'a [u8]),
    Stream(u32),
}

/// Reads the words of ciphertexts or of a key to the end of an object: nothing is asked for before all sizes are known to fit. Where there are no
/// samplers, only what travels in full is read.
///
/// # Errors
/// `Format` for a body that is none, for another size, and for words that are no residues; `OutOfMemory`.
pub fn read(mut reader: Reader<'_>, all: &[Limbs], samplers: Option<&Samplers>) -> Result<Vec<Vec<u64>>> {
    let [form] = reader.id()?;
    let seeded = match (form, samplers) {
        (FULL, _) => None,
        (SEEDED, Some(samplers)) => Some(samplers),
        (SEEDED, None) => return Err(reader.error("a seed in what is not fresh")),
        _ => return Err(reader.error(format!("residues of form {form}, expected {FULL} or {SEEDED}"))),
    };
    let mut seed = [0; 4];
    let mut numbers = [].as_slice().iter();
    if seeded.is_some() {
        let bytes: [u8; 32] = reader.id()?;
        for (word, bytes) in seed.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let uniform: usize = all.iter().map(Limbs::uniform).sum();
        numbers = reader.raw(4 * uniform)?.as_chunks::<4>().0.iter();
    }
    let found = u64::from_le_bytes(reader.id()?);
    let expected: u64 = all.iter().map(|limbs| limbs.size(seeded.is_some())).sum();
    if found != expected {
        return Err(reader.error(format!("wrong size: found {found} bytes of residues, expected {expected}")));
    }
    let mut bytes = reader.raw(usize::try_from(expected).unwrap_or(usize::MAX))?;
    reader.end()?;
    let mut source = |&(n, q, uniform): &(usize, u64, bool)| {
        if uniform && seeded.is_some() {
            return Source::Stream(numbers.next().map_or(0, |number| u32::from_le_bytes(*number)));
        }
        let (own, rest) = bytes.split_at(limbs::size(n, q) as usize);
        bytes = rest;
        Source::Bytes(own)
    };
    let sources: Vec<Vec<Source<'_>>> =
        all.iter().map(|limbs| limbs.all.iter().map(&mut source).collect()).collect();
    let read = |(limbs, sources): (&Limbs, Vec<Source<'_>>)| {
        let mut words = memory::zeros(limbs.words())?;
        let mut left = words.as_mut_slice();
        let out = limbs.all.iter().map(|&(n, q, _)| (q, left.split_off_mut(..n).unwrap_or_default()));
        let parts: Vec<((u64, &mut [u64]), Source<'_>)> = out.zip(sources).collect();
        let good = parallel::map(limbs.words(), parts, |((q, out), source)| match source {
            Source::Bytes(bytes) => unpack(bytes, q, out),
            Source::Stream(number) => seeded.is_some_and(|samplers| samplers.fill(q, out, &seed, number)),
        });
        if good.contains(&false) { Err(reader.error("words outside their primes")) } else { Ok(words) }
    };
    parallel::map(words(all), all.iter().zip(sources), read).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Kind;
    use crate::graph::OperandId;
    use crate::ops::{Registry, Session, types};
    use crate::platform::{Scalar, Simd};

    const N: usize = 64;
    const Q: [u64; 2] = [257, 769];

    fn limbs() -> Limbs {
        Limbs { all: vec![(N, Q[0], false), (N, Q[1], false), (N, Q[0], true), (N, Q[1], true)] }
    }

    /// The streams of a graph whose only output is made of limbs that are drawn from two public seeds.
    fn streams(of: impl FnOnce(&mut Session<'_>, [OperandId; 2]) -> Vec<OperandId>) -> Option<Vec<u32>> {
        let registry = Registry::lattice();
        let mut s = Session::new(Graph::new(64), &registry);
        let own = s.graph_mut().add_input("0", types::public_seed()).unwrap();
        let other = s.graph_mut().add_input("1", types::public_seed()).unwrap();
        let all = of(&mut s, [own, other]);
        let merged = s.merge(&all, ValueType::new("all", 4 * N as u64, Attrs::new())).unwrap();
        s.graph_mut().declare_output("all", merged);
        let seed = PublicSeed { input: 0, bytes: [7; 32] };
        Streams::of(&s.finish(), &seed, &[(0, &limbs())]).map(|streams| streams.numbers)
    }

    fn drawn(s: &mut Session<'_>, seed: OperandId, q: u64) -> OperandId {
        s.op("sample.uniform", Attrs::new().with("n", N).with("q", q), &[seed]).unwrap()
    }

    #[test]
    fn streams_are_known_only_where_limbs_are_as_they_were_drawn() {
        let two = |s: &mut Session<'_>, seed| Q.map(|q| drawn(s, seed, q));
        let found = streams(|s, [own, other]| [two(s, other), two(s, own)].concat());
        assert_eq!(found, Some(vec![3, 4]));
        // From another seed, modulo another prime, in another order, computed with, or made of pieces of several.
        assert_eq!(streams(|s, [own, other]| [two(s, own), two(s, other)].concat()), None);
        let swapped = |s: &mut Session<'_>, [own, _]: [OperandId; 2]| {
            let ([a, b], [c, d]) = (two(s, own), two(s, own));
            vec![a, b, d, c]
        };
        assert_eq!(streams(swapped), None);
        let negated = |s: &mut Session<'_>, [own, _]: [OperandId; 2]| {
            let ([a, b], [c, d]) = (two(s, own), two(s, own));
            vec![a, b, s.op("limb.neg", Attrs::new(), &[c]).unwrap(), d]
        };
        assert_eq!(streams(negated), None);
        let pieces = |s: &mut Session<'_>, [own, _]: [OperandId; 2]| {
            let ([a, b], [c, d]) = (two(s, own), two(s, own));
            let half = ValueType::new("half", N as u64 / 2, Attrs::new());
            let [first, second] = [(c, 0), (a, 0)].map(|(of, at)| s.split(of, at, half.clone()).unwrap());
            vec![a, b, first, second, d]
        };
        assert_eq!(streams(pieces), None);
    }

    fn words(from: u64) -> Vec<u64> {
        (0..2 * N as u64).map(|k| (k + from) % 257).collect()
    }

    #[test]
    fn what_was_left_out_is_made_again() {
        let streams = Streams { seed: [7; 32], numbers: vec![3, 4] };
        let writer = || Writer::new(Kind::Value);
        let given: Vec<u64> = [words(0), vec![0; 2 * N]].concat();
        // Blocks that begin and end anywhere.
        let blocks = [&given[..5], &given[5..100], &given[100..]];
        let bytes = write(writer(), &[limbs()], Some(&streams), blocks).unwrap();
        assert_eq!(bytes.len() as u64, 21 + limbs().seeded_bytes() + 16);
        let samplers =
            [Samplers::new(&Scalar::new(), N, &Q).unwrap(), Samplers::new(&Simd::new(), N, &Q).unwrap()];
        let [first, second] = samplers.map(|samplers| {
            read(Reader::new(&bytes, Kind::Value).unwrap(), &[limbs()], Some(&samplers)).unwrap()
        });
        assert_eq!(first, second);
        assert_eq!(first[0][..2 * N], given[..2 * N]);
        for (index, (q, number)) in Q.into_iter().zip([3, 4]).enumerate() {
            let mut expected = vec![0; N];
            let stream = crate::math::sample::Domain::PublicUniform.stream(&[7; 32], number);
            crate::math::sample::uniform_into(&mut expected, &crate::math::Modulus::new(q).unwrap(), stream);
            assert_eq!(first[0][(2 + index) * N..(3 + index) * N], expected);
        }
        // In full nothing is left out.
        let whole = write(writer(), &[limbs()], None, [first[0].as_slice()]).unwrap();
        let back = read(Reader::new(&whole, Kind::Value).unwrap(), &[limbs()], None).unwrap();
        assert_eq!(back, first);
    }
}
