//! The byte form of a circuit: about ten bytes an operator.
//!
//! ```text
//! unit | types: count, text... | signatures: count, (name, attributes)...
//! own operators: count, (signature, count of inputs, type..., fingerprint of 16 bytes)...
//! inputs: count, (name, place)... | operators: count, operator... | outputs: count, (operand, name)...
//!
//! operator  signature * 4 + (has nonce) + 2 * (has parent) | nonce | parent | count, operand... | place
//! operand   how many places ago the same was defined, from 1; or 0 and a place that is not contiguous
//! place     type * 2 | or type * 2 + 1, count, (start, size)...
//! ```
//!
//! Numbers take 7 bits a byte (`crate::bytes`). A place with an even number begins where the last defined one ended and is as
//! large as its type; starts, nonces and parents are differences to the last ones, zigzag. Tables are in the order of first use, so that
//! equal graphs have equal bytes.

use super::Circuit;
use crate::bytes::{Kind, Reader, Writer};
use crate::graph::{
    Graph, Kinds, Numbers, OperandId, Placeholder, Signature, ValueType, hash, parse_attrs, parse_type,
};
use crate::ops::{Call, Registry};
use crate::watch::{self, Steps};
use crate::{Error, Result};
use std::sync::Arc;

/// Where a graph's address space ends.
const END: u64 = 1 << 63;

impl Circuit {
    /// The byte form: operator types by name, no code.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Only who listens ends it.
        watch::unheard(|| self.save()).unwrap_or_default()
    }

    /// As [`Circuit::to_bytes`], as work that can be watched.
    ///
    /// # Errors
    /// `Cancelled` ([`crate::watch`]).
    pub fn save(&self) -> Result<Vec<u8>> {
        let mut saver = Saver::new(&self.graph);
        watch::pause()?;
        saver.graph(&self.registry)?;
        Ok(saver.writer.finish())
    }

    /// The circuit's identity: BLAKE3 of its byte form, the first 16 bytes.
    pub fn id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(&self.to_bytes()).as_bytes()[..16]);
        id
    }

    /// Reads the byte form.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; otherwise as [`Circuit::new`].
    pub fn from_bytes(bytes: &[u8], registry: Arc<Registry>) -> Result<Self> {
        let (graph, own) = Loader::new(bytes)?.graph()?;
        let circuit = Self::from_outside(graph, registry)?;
        if let Some(name) = other_meaning(&circuit, &own) {
            let found = format!("another meaning of operator `{name}`");
            let expected = "the one that the circuit was saved with".into();
            return Err(Error::Task { at: "circuit".into(), found, expected });
        }
        Ok(circuit)
    }
}

/// Number of the signature, then those of the input types; and what tells the operator from others of its name.
type Own = Vec<(Box<[u32]>, [u8; 16])>;

/// The uses of operator types whose meaning a user gave, in the order of first use.
fn own_operators(graph: &Graph, registry: &Registry) -> Own {
    let mut kinds = Kinds::default();
    let mut own = Own::new();
    for op in graph.operators().iter().filter(|op| kinds.of(graph, op).1) {
        let Signature { name, attrs, .. } = graph.signature(op);
        let Ok(def) = registry.get(name) else { continue };
        let inputs = graph.inputs_of(op);
        let types = graph.input_types(op);
        let call = Call { name, attrs, inputs: &types, unit: graph.unit_bits() };
        if let Some(fingerprint) = def.fingerprint(&call) {
            let kind = [op.signature].into_iter().chain(inputs.iter().map(|&i| graph.type_number(i)));
            own.push((kind.collect(), fingerprint));
        }
    }
    own
}

/// The first operator that means something else here than where the circuit was saved.
fn other_meaning<'c>(circuit: &'c Circuit, saved: &Own) -> Option<&'c str> {
    let here = own_operators(&circuit.graph, &circuit.registry);
    let other = here.iter().find(|own| !saved.contains(own))?;
    Some(&circuit.graph.signatures()[other.0[0] as usize].name)
}

/// Differences as small numbers.
fn zigzag(difference: i64) -> u64 {
    (difference << 1 ^ difference >> 63) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

struct Saver<'g> {
    graph: &'g Graph,
    writer: Writer,
    types: Order,
    signatures: Order,
    /// Where the last defined place ended.
    end: u64,
    /// Operands whose places were defined, in order.
    defined: Vec<OperandId>,
    /// The contiguous ones of the first so many of them, by type and placeholder: for operands that are views.
    found: Numbers,
    indexed: usize,
    /// Of each operand, where among the defined ones it stands, if it is contiguous: what most operands are read as.
    number: Vec<u32>,
}

/// For operands whose place is not known by a number.
const UNKNOWN: u32 = u32::MAX;

/// Numbers in the order of first use.
struct Order {
    of: Vec<Option<u32>>,
    list: Vec<u32>,
}

impl Order {
    /// Of numbers below `count`.
    fn new(count: usize) -> Self {
        Self { of: vec![None; count], list: Vec::new() }
    }

    fn add(&mut self, number: u32) {
        let of = &mut self.of[number as usize];
        if of.is_none() {
            *of = Some(self.list.len() as u32);
            self.list.push(number);
        }
    }

    fn get(&self, number: u32) -> u64 {
        self.of[number as usize].unwrap_or(0).into()
    }
}

impl<'g> Saver<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut types = Order::new(graph.types().len());
        let mut signatures = Order::new(graph.signatures().len());
        let ty = |operand: OperandId| graph.type_number(operand);
        graph.inputs().iter().for_each(|port| types.add(ty(port.operand)));
        for op in graph.operators() {
            graph.inputs_of(op).iter().for_each(|&input| types.add(ty(input)));
            types.add(ty(op.output));
            signatures.add(op.signature);
        }
        graph.outputs().iter().for_each(|port| types.add(ty(port.operand)));
        let places = graph.inputs().len() + graph.operators().len();
        Self {
            graph,
            writer: Writer::new(Kind::Circuit),
            types,
            signatures,
            end: 0,
            defined: Vec::with_capacity(places),
            found: Numbers::default(),
            indexed: 0,
            number: vec![UNKNOWN; graph.operand_count()],
        }
    }

    fn graph(&mut self, registry: &Registry) -> Result<()> {
        let graph = self.graph;
        self.writer.number(graph.unit_bits().into());
        self.writer.number(self.types.list.len() as u64);
        for number in &self.types.list {
            self.writer.short(&graph.types()[*number as usize].to_string());
        }
        self.writer.number(self.signatures.list.len() as u64);
        for number in &self.signatures.list {
            let signature = &graph.signatures()[*number as usize];
            self.writer.short(&signature.written_name());
            self.writer.short(&signature.attrs.to_string());
        }
        let own = own_operators(graph, registry);
        self.writer.number(own.len() as u64);
        for (kind, fingerprint) in own {
            self.writer.number(self.signatures.get(kind[0]));
            self.writer.number(kind.len() as u64 - 1);
            kind[1..].iter().for_each(|&ty| self.writer.number(self.types.get(ty)));
            self.writer.bytes(&fingerprint);
        }
        self.writer.number(graph.inputs().len() as u64);
        for port in graph.inputs() {
            self.writer.short(&port.name);
            self.define(port.operand);
        }
        self.writer.number(graph.operators().len() as u64);
        let (mut nonce, mut parent) = (0, 0);
        let mut steps = Steps::new(graph.operators().len());
        for op in graph.operators() {
            steps.step()?;
            let has = [op.nonce != 0, op.parent != u32::MAX];
            self.writer
                .number(self.signatures.get(op.signature) * 4 + u64::from(has[0]) + 2 * u64::from(has[1]));
            for (has, now, last) in [(has[0], op.nonce, &mut nonce), (has[1], op.parent, &mut parent)] {
                if has {
                    self.writer.number(zigzag(i64::from(now) - i64::from(*last)));
                    *last = now;
                }
            }
            let inputs = graph.inputs_of(op);
            self.writer.number(inputs.len() as u64);
            inputs.iter().for_each(|&input| self.operand(input));
            self.define(op.output);
        }
        self.writer.number(graph.outputs().len() as u64);
        for port in graph.outputs() {
            self.operand(port.operand);
            self.writer.short(&port.name);
        }
        Ok(())
    }

    fn operand(&mut self, operand: OperandId) {
        match self.number_of(operand) {
            Some(number) => self.writer.number(self.defined.len() as u64 - u64::from(number)),
            None => {
                self.writer.number(0);
                self.place(operand);
            }
        }
    }

    /// Where among the defined places an operand's stands, as the same type.
    fn number_of(&mut self, operand: OperandId) -> Option<u32> {
        let known = self.number[operand.0 as usize];
        if known != UNKNOWN {
            return Some(known);
        }
        let place = contiguous(self.graph, operand)?;
        for (&defined, number) in self.defined[self.indexed..].iter().zip(self.indexed as u32..) {
            if let Some(place) = contiguous(self.graph, defined) {
                self.found.insert(hash(&place), number);
            }
        }
        self.indexed = self.defined.len();
        let same = |number: u32| contiguous(self.graph, self.defined[number as usize]) == Some(place);
        self.found.find(hash(&place), same)
    }

    fn define(&mut self, operand: OperandId) {
        let ty = self.graph.type_number(operand);
        match *self.graph.pieces(operand) {
            [piece] if piece.start == self.end => self.writer.number(self.types.get(ty) * 2),
            _ => self.place(operand),
        }
        if let [.., last] = *self.graph.pieces(operand) {
            self.end = last.end;
        }
        let number = self.defined.len() as u32;
        self.defined.push(operand);
        if contiguous(self.graph, operand).is_some() {
            self.number[operand.0 as usize] = number;
        }
    }

    fn place(&mut self, operand: OperandId) {
        let pieces = self.graph.pieces(operand);
        self.writer.number(self.types.get(self.graph.type_number(operand)) * 2 + 1);
        self.writer.number(pieces.len() as u64);
        let mut at = self.end;
        for piece in pieces {
            self.writer.number(zigzag(piece.start.wrapping_sub(at).cast_signed()));
            self.writer.number(piece.size());
            at = piece.end;
        }
    }
}

/// Type and placeholder of an operand that has only one.
fn contiguous(graph: &Graph, operand: OperandId) -> Option<(u32, Placeholder)> {
    match *graph.pieces(operand) {
        [piece] => Some((graph.type_number(operand), piece)),
        _ => None,
    }
}

/// An entry of a table, by its number.
fn entry(reader: &mut Reader<'_>, table: &[u32]) -> Result<u32> {
    let number = reader.number()?;
    let known = usize::try_from(number).ok().and_then(|at| table.get(at).copied());
    known.ok_or_else(|| reader.error("a number that no table has"))
}

struct Loader<'a> {
    reader: Reader<'a>,
    /// Numbers in the graph's tables.
    types: Vec<u32>,
    sizes: Vec<u64>,
    signatures: Vec<u32>,
    end: u64,
    defined: Vec<OperandId>,
    /// Of the place at hand.
    pieces: Vec<Placeholder>,
}

impl<'a> Loader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self> {
        let reader = Reader::new(bytes, Kind::Circuit)?;
        Ok(Self {
            reader,
            types: Vec::new(),
            sizes: Vec::new(),
            signatures: Vec::new(),
            end: 0,
            defined: Vec::new(),
            pieces: Vec::new(),
        })
    }

    /// A count of things of at least one byte each.
    fn count(&mut self) -> Result<usize> {
        let count = self.reader.number()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.reader.left() => Ok(count),
            _ => Err(self.reader.error(format!("{count} things in {} bytes", self.reader.left()))),
        }
    }

    fn graph(mut self) -> Result<(Graph, Own)> {
        let unit = self.reader.number()?;
        let unit = u32::try_from(unit).map_err(|_| self.reader.error("a unit of more than 32 bits"))?;
        let mut graph = Graph::new(unit);
        graph.check_unit()?;
        for _ in 0..self.count()? {
            let (head, size, attrs) = parse_type(self.reader.short()?)?;
            let size =
                size.filter(|&size| size > 0).ok_or_else(|| self.reader.error("a type without a size"))?;
            self.sizes.push(size);
            self.types.push(graph.intern_type(ValueType { head, size, attrs }));
        }
        for _ in 0..self.count()? {
            let name = self.reader.short()?;
            let attrs = parse_attrs(self.reader.short()?)?;
            self.signatures.push(graph.intern_signature(name, attrs));
        }
        let mut own = Own::new();
        for _ in 0..self.count()? {
            let mut kind = vec![entry(&mut self.reader, &self.signatures)?];
            for _ in 0..self.count()? {
                kind.push(entry(&mut self.reader, &self.types)?);
            }
            own.push((kind.into(), self.reader.id()?));
        }
        for _ in 0..self.count()? {
            let name = self.reader.short()?;
            let operand = self.define(&mut graph)?;
            graph.declare_input(name, operand);
        }
        let (mut nonce, mut parent) = (0, 0);
        let mut inputs = Vec::new();
        let operators = self.count()?;
        // Each has a signature, a count and a place, of a byte at least.
        let room = operators.min(self.reader.left() / 3);
        graph.reserve_tables(room, room, room, room);
        let mut steps = Steps::new(operators);
        for _ in 0..operators {
            steps.step()?;
            let head = self.reader.number()?;
            let signature = usize::try_from(head / 4).ok().and_then(|at| self.signatures.get(at).copied());
            let signature = signature.ok_or_else(|| self.reader.error("an unknown signature"))?;
            let own_nonce = if head & 1 == 1 { self.next(&mut nonce)? } else { 0 };
            let own_parent = if head & 2 == 2 { self.next(&mut parent)? } else { u32::MAX };
            inputs.clear();
            for _ in 0..self.count()? {
                inputs.push(self.operand(&mut graph)?);
            }
            let output = self.define(&mut graph)?;
            graph.push_operator(signature, &inputs, output, own_nonce, own_parent);
            graph.skip_nonces(own_nonce);
        }
        for _ in 0..self.count()? {
            let operand = self.operand(&mut graph)?;
            graph.declare_output(self.reader.short()?, operand);
        }
        self.reader.end()?;
        Ok((graph, own))
    }

    /// A number below 2^32 - 1, from its difference to the last one.
    fn next(&mut self, last: &mut u32) -> Result<u32> {
        let now = i64::from(*last).checked_add(unzigzag(self.reader.number()?));
        let now = now.and_then(|now| u32::try_from(now).ok()).filter(|&now| now != u32::MAX);
        *last = now.ok_or_else(|| self.reader.error("a number outside 32 bits"))?;
        Ok(*last)
    }

    fn operand(&mut self, graph: &mut Graph) -> Result<OperandId> {
        match self.reader.number()? {
            0 => {
                let ty = self.place()?;
                Ok(graph.view_interned(ty, self.pieces.iter().copied()))
            }
            back => {
                let at = usize::try_from(back).ok().and_then(|back| self.defined.len().checked_sub(back));
                at.map(|at| self.defined[at]).ok_or_else(|| self.reader.error("an operand before all others"))
            }
        }
    }

    fn define(&mut self, graph: &mut Graph) -> Result<OperandId> {
        let ty = self.place()?;
        for piece in &self.pieces {
            graph.skip_to(piece.end);
        }
        self.end = self.pieces.last().map_or(self.end, |piece| piece.end);
        let operand = graph.view_interned(ty, self.pieces.iter().copied());
        self.defined.push(operand);
        Ok(operand)
    }

    /// Reads placeholders into `pieces`; gives the number of the type, whose size they have.
    fn place(&mut self) -> Result<u32> {
        self.pieces.clear();
        let head = self.reader.number()?;
        let at = usize::try_from(head / 2).ok().filter(|&at| at < self.types.len());
        let at = at.ok_or_else(|| self.reader.error("an unknown type"))?;
        let (ty, size) = (self.types[at], self.sizes[at]);
        let beyond = || "a placeholder beyond the address space";
        let piece = |start: u64, size: u64| {
            let end = start.checked_add(size).filter(|&end| end <= END && size > 0)?;
            Some(Placeholder::new(start, end))
        };
        if head & 1 == 0 {
            let piece = piece(self.end, size).ok_or_else(|| self.reader.error(beyond()))?;
            self.pieces.push(piece);
            return Ok(ty);
        }
        let (mut from, mut total) = (self.end, 0u64);
        for _ in 0..self.count()? {
            let start = from.wrapping_add(unzigzag(self.reader.number()?) as u64);
            let piece = piece(start, self.reader.number()?).ok_or_else(|| self.reader.error(beyond()))?;
            total = total.saturating_add(piece.size());
            from = piece.end;
            self.pieces.push(piece);
        }
        if total != size {
            return Err(self.reader.error(format!("placeholders of {total} units, expected {size}")));
        }
        Ok(ty)
    }
}
