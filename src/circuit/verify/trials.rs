//! Random data for the inputs of circuits: what their types may hold, at its edges more often than elsewhere.

use crate::graph::{Graph, Intervals, Port, ValueType};
use crate::math::bits::bytes_of;
use crate::ops::Registry;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::types::WORD;
use crate::sorted::SortedMap;
use crate::{Error, Result, memory};

/// On what data circuits are compared.
#[derive(Clone, Copy, Debug)]
pub struct Trials<'a> {
    /// Other seeds give other data; the same one the same data on every machine.
    pub seed: u64,
    /// How often all inputs are drawn, at least once. Tensors are small numbers in the first round, any bits in the second, the edges of
    /// their range among other numbers in the third, and so on.
    pub rounds: u32,
    /// The number of the first round: of many rounds, some at a time.
    pub first: u32,
    /// The bytes of inputs that are not drawn, by name: data that have to mean something to be of use. An error may tell
    /// one byte that came of them.
    pub given: &'a [(&'a str, &'a [u8])],
}

impl Default for Trials<'_> {
    fn default() -> Self {
        Self { seed: 0, rounds: 6, first: 0, given: &[] }
    }
}

/// Most that each word of an input may hold, by the input's name: `u64::MAX` for any word.
pub(super) type Limits = SortedMap<String, Vec<u64>>;

/// Lowers limits to residues, where units of inputs are read as types whose words have to be residues.
///
/// # Errors
/// `Graph` for types of lattice algebra that lack an attribute; `OutOfMemory`.
pub(super) fn limit(limits: &mut Limits, graph: &Graph, registry: &Registry) -> Result<()> {
    if graph.unit_bits() != WORD {
        return Ok(());
    }
    let mut pieces = Vec::new();
    // Port and first word of each piece.
    let mut places = Vec::new();
    for (port, input) in graph.inputs().iter().enumerate() {
        let size = graph.ty(input.operand).size as usize;
        if !limits.contains_key(&input.name) {
            let mut own = memory::zeros(size)?;
            own.fill(u64::MAX);
            limits.insert(input.name.clone(), own);
        }
        let mut from = 0;
        for &piece in graph.pieces(input.operand) {
            pieces.push((piece, places.len() as u32));
            places.push((port, from));
            from += piece.size() as usize;
        }
    }
    let inputs = Intervals::new(pieces.into_iter());
    // A type that is no ring has no residues, and whoever reads it as such says so.
    let primes: Vec<_> = graph.types().iter().map(|ty| registry.residues(ty).ok().flatten()).collect();
    let read = graph.operators().iter().flat_map(|op| graph.inputs_of(op)).copied();
    for operand in read.chain(graph.inputs().iter().map(|port| port.operand)) {
        let Some((n, primes)) = &primes[graph.type_number(operand) as usize] else { continue };
        let mut word = 0;
        for piece in graph.pieces(operand) {
            for hit in inputs.search(*piece) {
                let block = inputs.places()[hit];
                let here = piece.intersection(&block);
                let (port, from) = places[inputs.owners()[hit] as usize];
                let Some(own) = limits.get_mut(&graph.inputs()[port].name) else { continue };
                let first = from + (here.start - block.start) as usize;
                let at = word + (here.start - piece.start) as usize;
                let own = own.iter_mut().skip(first).take(here.size() as usize);
                for (limit, word) in own.zip(at..) {
                    let prime = primes.get(word / n).copied().unwrap_or(u64::MAX);
                    *limit = prime.saturating_sub(1).min(*limit);
                }
            }
            word += piece.size() as usize;
        }
    }
    Ok(())
}

impl Trials<'_> {
    /// The data of all inputs in a round.
    ///
    /// # Errors
    /// `UnknownInput` for given data that no input takes; `OutOfMemory`.
    pub(super) fn data<'g>(
        &self,
        graph: &'g Graph,
        limits: &Limits,
        round: u32,
    ) -> Result<Vec<(&'g str, Vec<u8>)>> {
        let unknown = |name: &str| !graph.inputs().iter().any(|port| port.name == name);
        if let Some((name, _)) = self.given.iter().find(|(name, _)| unknown(name)) {
            return Err(Error::UnknownInput { name: (*name).to_owned() });
        }
        let mut random = Random(self.seed ^ u64::from(round) << 32);
        let mut data = Vec::new();
        for Port { name, operand } in graph.inputs() {
            let bytes = match self.given.iter().find(|(given, _)| given == name) {
                Some((_, bytes)) => memory::copy(bytes)?,
                None => {
                    let (ty, own) = (graph.ty(*operand), limits.get(name).map_or(&[][..], Vec::as_slice));
                    random.bytes(ty, graph.unit_bits(), own, round)?
                }
            };
            data.push((name.as_str(), bytes));
        }
        Ok(data)
    }
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `most`.
    pub(crate) fn upto(&mut self, most: u64) -> u64 {
        ((u128::from(self.next()) * (u128::from(most) + 1)) >> 64) as u64
    }

    pub(crate) fn pick<T: Copy, const N: usize>(&mut self, list: [T; N]) -> T {
        list[self.upto(N as u64 - 1) as usize]
    }

    /// From 0 to `most`; both ends, and what is next to them, come often.
    fn residue(&mut self, most: u64) -> u64 {
        match self.upto(15) {
            0 => 0,
            1 => most.min(1),
            2 => most,
            3 => most.saturating_sub(1),
            4 => most / 2,
            _ => self.upto(most),
        }
    }

    /// The bytes of an operand of that type.
    fn bytes(&mut self, ty: &ValueType, unit: u32, limits: &[u64], round: u32) -> Result<Vec<u8>> {
        let size = bytes_of(ty.size.saturating_mul(unit.into())) as usize;
        let mut bytes = memory::zeros(size)?;
        match (Tensor::of(ty, unit), ty.head.as_str()) {
            (Ok(Tensor { element, .. }), _) => {
                let width = (element.bits() / 8).max(1) as usize;
                for chunk in bytes.chunks_mut(width) {
                    chunk.copy_from_slice(&self.element(element, round).to_le_bytes()[..width]);
                }
            }
            // Errors and secrets are not larger.
            (_, "small") => self.words(&mut bytes, |random, _| random.upto(40).wrapping_sub(20)),
            // Of as many residues as there are sources in a change of base.
            (_, "quotient") => self.words(&mut bytes, |random, _| random.upto(3)),
            _ => self.words(&mut bytes, |random, word| {
                random.residue(limits.get(word).copied().unwrap_or(u64::MAX))
            }),
        }
        Ok(bytes)
    }

    fn words(&mut self, bytes: &mut [u8], word: impl Fn(&mut Self, usize) -> u64) {
        for (number, chunk) in bytes.chunks_mut(8).enumerate() {
            chunk.copy_from_slice(&word(self, number).to_le_bytes()[..chunk.len()]);
        }
    }

    /// The bits of an element.
    fn element(&mut self, element: Element, round: u32) -> u64 {
        match (element, round % 3) {
            (Element::F32, 0) => (self.small() as f32).to_bits().into(),
            (Element::F64, 0) => (self.small() as f64).to_bits(),
            (Element::F32, 2) => {
                let edges = [0.0, -0.0, 1.0, f32::MAX, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN];
                let edge = self.pick(edges) * self.pick([1.0, -1.0]);
                let other = self.fraction() as f32;
                self.pick([edge, other]).to_bits().into()
            }
            (Element::F64, 2) => {
                let edges = [0.0, -0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN];
                let edge = self.pick(edges) * self.pick([1.0, -1.0]);
                let other = self.fraction();
                self.pick([edge, other]).to_bits()
            }
            // Also what indices and shifts are.
            (Element::I32 | Element::U32 | Element::I64 | Element::U64, 0) => self.upto(15),
            (Element::U8 | Element::I32 | Element::U32 | Element::I64 | Element::U64, 2) => {
                let most = u64::MAX >> (64 - element.bits());
                let most = self.pick([most, most / 2]);
                self.residue(most)
            }
            _ => self.next(),
        }
    }

    /// An integer from -8 to 8.
    fn small(&mut self) -> i64 {
        self.upto(16).cast_signed() - 8
    }

    /// A number from -1000 to 1000.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 2000.0 - 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::types::{Ciphertext, Scheme, small};

    fn draw(ty: &ValueType, unit: u32, limits: &[u64], round: u32) -> Vec<u8> {
        Random(7).bytes(ty, unit, limits, round).unwrap()
    }

    #[test]
    fn data_are_what_types_may_hold() {
        let words = |bytes: &[u8]| -> Vec<u64> {
            bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
        };
        let ty = Ciphertext::new(64, vec![17, 97], 2, Scheme::Bfv { t: 5 }).ty();
        let mut graph = Graph::new(64);
        graph.add_input("c", ty.clone()).unwrap();
        let mut limits = Limits::new();
        limit(&mut limits, &graph, &crate::schemes::registry()).unwrap();
        let own = &limits["c"];
        assert_eq!([own[0], own[63], own[64], own[127], own[128], own[255]], [16, 16, 96, 96, 16, 96]);
        let drawn = words(&draw(&ty, 64, own, 0));
        assert!(drawn.iter().zip(own).all(|(word, most)| word <= most));
        assert!(drawn.iter().zip(own).any(|(word, most)| word == most) && drawn.contains(&0));
        let drawn = words(&draw(&small(200), 64, &[], 1));
        assert!(drawn.iter().all(|word| word.cast_signed().abs() <= 20));
        assert!(drawn.iter().any(|word| word.cast_signed() < 0));
        // Every element fills its bytes, and bits their last one.
        for element in Element::ALL {
            let ty = Tensor::new(element, [40]).ty(element.bits().min(8) as u32).unwrap();
            for round in 0..3 {
                let bytes = draw(&ty, element.bits().min(8) as u32, &[], round);
                assert_eq!(bytes.len() as u64, 40 * element.bits() / 8);
                assert!(bytes.iter().any(|&byte| byte != 0));
            }
        }
        let floats = |round| -> Vec<f32> {
            let ty = Tensor::new(Element::F32, [200]).ty(32).unwrap();
            draw(&ty, 32, &[], round).as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
        };
        assert!(floats(0).iter().all(|x| x.fract() == 0.0 && x.abs() <= 8.0));
        assert!(floats(2).iter().any(|x| x.is_nan()) && floats(2).iter().any(|x| x.is_infinite()));
    }
}
