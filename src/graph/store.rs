//! The graph itself: tables of types, signatures, operands and operators, and the address space they share.

use super::absorb::Redirects;
use super::{
    Allocator, Attrs, GraphError, Identity, Interner, OperandId, Operator, Placeholder, Signature, ValueType,
    push_joined,
};

/// A declared input or output of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name, unique among the graph's inputs or outputs.
    pub name: String,
    /// The operand.
    pub operand: OperandId,
}

#[derive(Clone, Copy, Debug)]
struct Operand {
    ty: u32,
    pieces_start: u32,
    pieces_len: u32,
    identity: Identity,
}

/// A task as one graph: a candidate set of operators over one address space of units.
///
/// Operators are kept in program order, which is a topological order when the graph was built through
/// [`Graph::add_operator`]; a parsed graph need not be.
#[derive(Clone, Debug)]
pub struct Graph {
    unit_bits: u32,
    allocator: Allocator,
    types: Interner<ValueType>,
    signatures: Interner<Signature>,
    operands: Vec<Operand>,
    pieces: Vec<Placeholder>,
    operators: Vec<Operator>,
    operator_inputs: Vec<OperandId>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    redirects: Redirects,
    nonces: u32,
}

impl Graph {
    /// An empty graph whose unit has `unit_bits` bits.
    pub fn new(unit_bits: u32) -> Self {
        Self {
            unit_bits,
            allocator: Allocator::default(),
            types: Interner::default(),
            signatures: Interner::default(),
            operands: Vec::new(),
            pieces: Vec::new(),
            operators: Vec::new(),
            operator_inputs: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            redirects: Redirects::default(),
            nonces: 0,
        }
    }

    /// An empty graph over the address space of `self`, with its types and signatures: the next level.
    #[must_use]
    pub fn next_level(&self) -> Self {
        Self {
            allocator: self.allocator.clone(),
            types: self.types.clone(),
            signatures: self.signatures.clone(),
            nonces: self.nonces,
            ..Self::new(self.unit_bits)
        }
    }

    /// Bits of one unit.
    pub fn unit_bits(&self) -> u32 {
        self.unit_bits
    }

    /// One past the last unit given out.
    pub fn address_end(&self) -> u64 {
        self.allocator.next()
    }

    /// Gives out nothing below `unit` from now on.
    pub fn skip_to(&mut self, unit: u64) {
        if unit > self.allocator.next() {
            self.allocator = Allocator::starting_at(unit);
        }
    }

    /// Reserves `size` units that no operand holds yet.
    ///
    /// # Errors
    /// As [`Allocator::allocate`].
    pub fn reserve(&mut self, size: u64) -> Result<Placeholder, GraphError> {
        self.allocator.allocate(size)
    }

    /// The number of a type in this graph's table.
    pub fn intern_type(&mut self, ty: ValueType) -> u32 {
        self.types.intern(ty)
    }

    /// The number of a signature in this graph's table.
    pub fn intern_signature(&mut self, name: &str, attrs: Attrs) -> u32 {
        self.signatures.intern(Signature { name: name.to_owned(), attrs })
    }

    /// All types, by number.
    pub fn types(&self) -> &[ValueType] {
        self.types.values()
    }

    /// All signatures, by number.
    pub fn signatures(&self) -> &[Signature] {
        self.signatures.values()
    }

    // --- operands -------------------------------------------------------------------------------------

    fn push_operand(&mut self, ty: u32, pieces: impl IntoIterator<Item = Placeholder>) -> OperandId {
        let start = self.pieces.len();
        self.pieces.extend(pieces);
        let id = self.operands.len() as u32;
        self.operands.push(Operand {
            ty,
            pieces_start: start as u32,
            pieces_len: (self.pieces.len() - start) as u32,
            identity: Identity(id),
        });
        OperandId(id)
    }

    /// An operand over given placeholders; its type is a number from [`Graph::intern_type`].
    pub fn view_interned(&mut self, ty: u32, pieces: impl IntoIterator<Item = Placeholder>) -> OperandId {
        self.push_operand(ty, pieces)
    }

    /// An operand over given placeholders.
    pub fn view(&mut self, ty: ValueType, pieces: Vec<Placeholder>) -> OperandId {
        let ty = self.types.intern(ty);
        self.push_operand(ty, pieces)
    }

    /// Units `from..from + size` of an operand, seen as type `ty`. Copies nothing.
    ///
    /// # Errors
    /// `SplitOutside` beyond the operand's end; `Size` when `ty` has another size.
    pub fn split(
        &mut self,
        operand: OperandId,
        from: u64,
        size: u64,
        ty: ValueType,
    ) -> Result<OperandId, GraphError> {
        if ty.size != size {
            return Err(GraphError::Size { what: "split", found: ty.size, expected: size });
        }
        let whole = self.ty(operand).size;
        if size == 0 || from.checked_add(size).is_none_or(|end| end > whole) {
            return Err(GraphError::SplitOutside {
                start: from,
                end: from.saturating_add(size),
                size: whole,
            });
        }
        let (mut skip, mut left) = (from, size);
        let mut pieces = Vec::new();
        for piece in self.placeholders(operand) {
            let here = piece.size();
            if skip >= here {
                skip -= here;
                continue;
            }
            let take = (here - skip).min(left);
            push_joined(&mut pieces, piece.part(skip, take));
            left -= take;
            skip = 0;
            if left == 0 {
                break;
            }
        }
        Ok(self.view(ty, pieces))
    }

    /// Operands one after the other, seen as one of type `ty`. Copies nothing.
    ///
    /// # Errors
    /// `Size` when the sizes do not add up to that of `ty`.
    pub fn merge(&mut self, parts: &[OperandId], ty: ValueType) -> Result<OperandId, GraphError> {
        let mut pieces = Vec::new();
        for &part in parts {
            for piece in self.placeholders(part) {
                push_joined(&mut pieces, piece);
            }
        }
        let found: u64 = pieces.iter().map(Placeholder::size).sum();
        if found != ty.size {
            return Err(GraphError::Size { what: "merge", found, expected: ty.size });
        }
        Ok(self.view(ty, pieces))
    }

    /// The type of an operand.
    pub fn ty(&self, operand: OperandId) -> &ValueType {
        self.types.get(self.operands[operand.0 as usize].ty)
    }

    /// The number of the operand's type.
    pub fn type_number(&self, operand: OperandId) -> u32 {
        self.operands[operand.0 as usize].ty
    }

    /// How many operands (with views) there are.
    pub fn operand_count(&self) -> usize {
        self.operands.len()
    }

    /// The placeholders of an operand, in order, after all absorbs so far.
    pub fn placeholders(&self, operand: OperandId) -> Vec<Placeholder> {
        let mut out = Vec::new();
        if self.redirects.is_empty() {
            out.extend_from_slice(self.pieces(operand));
        } else {
            for &piece in self.pieces(operand) {
                self.redirects.resolve(piece, &mut out);
            }
        }
        out
    }

    /// The placeholders of an operand of a settled graph (see [`Graph::settle`]).
    pub fn pieces(&self, operand: OperandId) -> &[Placeholder] {
        let o = &self.operands[operand.0 as usize];
        &self.pieces[o.pieces_start as usize..(o.pieces_start + o.pieces_len) as usize]
    }

    /// Writes all absorbs into the operands, so that [`Graph::pieces`] is up to date.
    pub fn settle(&mut self) {
        if self.redirects.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.pieces);
        for operand in &mut self.operands {
            let start = self.pieces.len();
            for &piece in &old[operand.pieces_start as usize..][..operand.pieces_len as usize] {
                // `resolve` joins only with pieces of this operand.
                let mut resolved = Vec::new();
                self.redirects.resolve(piece, &mut resolved);
                for r in resolved {
                    match self.pieces[start..].last_mut() {
                        Some(last) if last.end == r.start => last.end = r.end,
                        _ => self.pieces.push(r),
                    }
                }
            }
            operand.pieces_start = start as u32;
            operand.pieces_len = (self.pieces.len() - start) as u32;
        }
        self.redirects = Redirects::default();
    }

    pub(super) fn redirects_mut(&mut self) -> &mut Redirects {
        &mut self.redirects
    }

    /// What the operand is called now.
    pub fn identity(&self, operand: OperandId) -> Identity {
        self.operands[operand.0 as usize].identity
    }

    /// The operand that was made under this identity.
    pub fn operand_of(&self, identity: Identity) -> OperandId {
        // Identities are given out with the operand's number, so that the map is the identity map.
        OperandId(identity.0)
    }

    pub(super) fn rename(&mut self, operand: OperandId, identity: Identity) {
        self.operands[operand.0 as usize].identity = identity;
    }

    // --- operators ------------------------------------------------------------------------------------

    /// Adds an operator whose output is freshly allocated.
    ///
    /// # Errors
    /// As [`Allocator::allocate`].
    pub fn add_operator(
        &mut self,
        name: &str,
        attrs: Attrs,
        inputs: &[OperandId],
        output: ValueType,
    ) -> Result<OperandId, GraphError> {
        let place = self.allocator.allocate(output.size)?;
        let output = self.view(output, vec![place]);
        let signature = self.intern_signature(name, attrs);
        self.push_operator(signature, inputs, output, 0, u32::MAX);
        Ok(output)
    }

    /// Adds an operator that writes a given operand.
    pub fn push_operator(
        &mut self,
        signature: u32,
        inputs: &[OperandId],
        output: OperandId,
        nonce: u32,
        parent: u32,
    ) -> u32 {
        let inputs_start = self.operator_inputs.len() as u32;
        self.operator_inputs.extend_from_slice(inputs);
        let inputs_len = inputs.len() as u32;
        self.operators.push(Operator { signature, inputs_start, inputs_len, output, nonce, parent });
        self.operators.len() as u32 - 1
    }

    /// A nonce that no operator of this graph or of the levels above has.
    pub fn fresh_nonce(&mut self) -> u32 {
        self.nonces += 1;
        self.nonces
    }

    /// Notes that nonces up to `nonce` are taken.
    pub fn skip_nonces(&mut self, nonce: u32) {
        self.nonces = self.nonces.max(nonce);
    }

    /// Gives the last operator a fresh nonce: it draws random numbers.
    pub fn mark_last_random(&mut self) {
        let nonce = self.fresh_nonce();
        if let Some(op) = self.operators.last_mut() {
            op.nonce = nonce;
        }
    }

    /// Takes an operator out of the candidate set; those behind it move up.
    pub fn remove_operator(&mut self, op: usize) {
        self.operators.remove(op);
    }

    /// Keeps only operators that `keep` says yes to.
    pub fn retain_operators(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut index = 0;
        self.operators.retain(|_| {
            index += 1;
            keep(index - 1)
        });
    }

    /// All operators, in program order.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// The inputs of an operator of this graph.
    pub fn inputs_of(&self, op: &Operator) -> &[OperandId] {
        &self.operator_inputs[op.inputs_start as usize..][..op.inputs_len as usize]
    }

    /// The signature of an operator of this graph.
    pub fn signature(&self, op: &Operator) -> &Signature {
        self.signatures.get(op.signature)
    }

    // --- ports ----------------------------------------------------------------------------------------

    /// Declares a graph input of that type, freshly allocated.
    ///
    /// # Errors
    /// As [`Allocator::allocate`].
    pub fn add_input(&mut self, name: &str, ty: ValueType) -> Result<OperandId, GraphError> {
        let place = self.allocator.allocate(ty.size)?;
        let operand = self.view(ty, vec![place]);
        self.declare_input(name, operand);
        Ok(operand)
    }

    /// Declares an operand as graph input.
    pub fn declare_input(&mut self, name: &str, operand: OperandId) {
        self.inputs.push(Port { name: name.to_owned(), operand });
    }

    /// Declares an operand as graph output.
    pub fn declare_output(&mut self, name: &str, operand: OperandId) {
        self.outputs.push(Port { name: name.to_owned(), operand });
    }

    /// Declared inputs.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// Declared outputs; may be empty, then `analyze` derives them.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }
}
