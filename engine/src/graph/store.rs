//! The graph itself: tables of types, signatures, operands and operators, and the address space they share.

use super::absorb::Redirects;
use super::{
    Allocator, Attrs, GraphError, Identity, Interner, OperandId, Operator, Placeholder, Signature, ValueType,
    cut, hash, push_joined,
};
use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(test)]
thread_local! {
    /// How often [`Graph::operand_of`] was asked on this thread.
    pub(super) static LOOK_UPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A declared input or output of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name, unique among the graph's inputs or outputs.
    pub name: String,
    /// The operand.
    pub operand: OperandId,
}

/// A task as one graph: a candidate set of operators over one address space of units.
///
/// Operators are kept in program order, which is a topological order when the graph was built through
/// [`Graph::add_operator`]; a parsed graph need not be.
///
/// Copies share their tables until one of them changes its own: a pass that drops operators leaves the operands where they
/// are, and one that finds nothing to do costs nothing.
#[derive(Clone, Debug)]
pub struct Graph {
    unit_bits: u32,
    allocator: Allocator,
    types: Interner<ValueType>,
    signatures: Interner<Signature>,
    operands: Arc<Operands>,
    /// The operands that are not called by their own number any more.
    renamed: BTreeMap<OperandId, Identity>,
    operators: Arc<Vec<Operator>>,
    /// The inputs of all operators; each knows which are its own.
    operator_inputs: Arc<Vec<OperandId>>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    redirects: Redirects,
    nonces: u32,
}

/// All operands of a graph.
#[derive(Clone, Debug)]
struct Operands {
    /// The number of each one's type.
    types: Vec<u32>,
    /// Where each one's pieces start, and where the last one's end.
    piece_starts: Vec<u32>,
    pieces: Vec<Placeholder>,
}

impl Graph {
    /// An empty graph whose unit has `unit_bits` bits.
    pub fn new(unit_bits: u32) -> Self {
        Self {
            unit_bits,
            allocator: Allocator::default(),
            types: Interner::default(),
            signatures: Interner::default(),
            operands: Arc::new(Operands { types: Vec::new(), piece_starts: vec![0], pieces: Vec::new() }),
            renamed: BTreeMap::new(),
            operators: Arc::default(),
            operator_inputs: Arc::default(),
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

    /// The same operators, each of which comes from the one of its number: the next level, where nothing is replaced.
    #[must_use]
    pub fn from_itself(&self) -> Self {
        let operators = self.operators.iter().zip(0..);
        let operators = operators.map(|(&op, parent)| Operator { parent, ..op });
        Self { operators: Arc::new(operators.collect()), ..self.clone() }
    }

    /// The same operands and types in a graph of no operators: what operands are looked up in takes no more memory.
    #[must_use]
    pub fn without_operators(&self) -> Self {
        Self { operators: Arc::default(), operator_inputs: Arc::default(), ..self.clone() }
    }

    /// True where the tables say at once that operators read and write what those of the same number of `other` do:
    /// whoever has changed a table has one of their own.
    pub fn has_places_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.operands, &other.operands)
            && Arc::ptr_eq(&self.operator_inputs, &other.operator_inputs)
            && self.operators.len() == other.operators.len()
            && self.redirects.is_empty()
            && other.redirects.is_empty()
    }

    /// Checks that the unit divides a word: what engines and byte forms take.
    ///
    /// # Errors
    /// `Attribute` for others than 1, 2, 4, 8, 16, 32 and 64 bits.
    pub fn check_unit(&self) -> Result<(), GraphError> {
        match self.unit_bits {
            1 | 2 | 4 | 8 | 16 | 32 | 64 => Ok(()),
            found => Err(GraphError::Attribute {
                name: "unit".into(),
                found: format!("{found} bits"),
                expected: "1, 2, 4, 8, 16, 32 or 64 bits",
            }),
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

    /// The number of a signature in this graph's table; the name may say the platform, see [`Signature::parts`].
    pub fn intern_signature(&mut self, name: &str, attrs: Attrs) -> u32 {
        let (name, platform) = Signature::parts(name);
        self.intern_placed(name, attrs, platform)
    }

    /// The number of a signature in this graph's table, of operators that are computed on that platform.
    pub fn intern_placed(&mut self, name: &str, attrs: Attrs, platform: Option<&str>) -> u32 {
        let hash = hash(&(name, &attrs, platform));
        self.find(hash, name, &attrs, platform).unwrap_or_else(|| {
            let (name, platform) = (name.to_owned(), platform.map(str::to_owned));
            self.signatures.push(hash, Signature { name, attrs, platform })
        })
    }

    /// As [`Graph::intern_signature`], if it is there.
    pub fn find_signature(&self, name: &str, attrs: &Attrs) -> Option<u32> {
        let (name, platform) = Signature::parts(name);
        self.find(hash(&(name, attrs, platform)), name, attrs, platform)
    }

    fn find(&self, hash: u64, name: &str, attrs: &Attrs, platform: Option<&str>) -> Option<u32> {
        let same = |known: &Signature| {
            known.name == name && known.attrs == *attrs && known.platform.as_deref() == platform
        };
        self.signatures.find(hash, same)
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

    /// Makes room for as many more operators, inputs of operators, operands and pieces of operands.
    pub fn reserve_tables(&mut self, operators: usize, inputs: usize, operands: usize, pieces: usize) {
        Arc::make_mut(&mut self.operators).reserve_exact(operators);
        Arc::make_mut(&mut self.operator_inputs).reserve_exact(inputs);
        let tables = Arc::make_mut(&mut self.operands);
        tables.types.reserve_exact(operands);
        tables.piece_starts.reserve_exact(operands);
        tables.pieces.reserve_exact(pieces);
    }

    /// Gives back what its tables have to spare.
    pub fn shrink(&mut self) {
        if let Some(operators) = Arc::get_mut(&mut self.operators) {
            operators.shrink_to_fit();
        }
        if let Some(inputs) = Arc::get_mut(&mut self.operator_inputs) {
            inputs.shrink_to_fit();
        }
        if let Some(tables) = Arc::get_mut(&mut self.operands) {
            tables.types.shrink_to_fit();
            tables.piece_starts.shrink_to_fit();
            tables.pieces.shrink_to_fit();
        }
    }

    /// An operand over given placeholders; its type is a number from [`Graph::intern_type`].
    pub fn view_interned(&mut self, ty: u32, pieces: impl IntoIterator<Item = Placeholder>) -> OperandId {
        let tables = Arc::make_mut(&mut self.operands);
        let id = tables.types.len() as u32;
        tables.types.push(ty);
        tables.pieces.extend(pieces);
        tables.piece_starts.push(tables.pieces.len() as u32);
        OperandId(id)
    }

    /// An operand over given placeholders.
    pub fn view(&mut self, ty: ValueType, pieces: Vec<Placeholder>) -> OperandId {
        let ty = self.types.intern(ty);
        self.view_interned(ty, pieces)
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
        let pieces = cut(&self.placeholders(operand), from, size);
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
        self.types.get(self.type_number(operand))
    }

    /// The number of the operand's type.
    pub fn type_number(&self, operand: OperandId) -> u32 {
        self.operands.types[operand.0 as usize]
    }

    /// How many operands (with views) there are.
    pub fn operand_count(&self) -> usize {
        self.operands.types.len()
    }

    /// The placeholders of an operand, in order, after all absorbs so far.
    pub fn placeholders(&self, operand: OperandId) -> Vec<Placeholder> {
        let mut out = Vec::new();
        self.read_placeholders(operand, &mut out);
        out
    }

    /// As [`Graph::placeholders`], into a list of the caller's, which is cleared.
    pub fn read_placeholders(&self, operand: OperandId, out: &mut Vec<Placeholder>) {
        out.clear();
        if self.redirects.is_empty() {
            out.extend_from_slice(self.pieces(operand));
        } else {
            self.pieces(operand).iter().for_each(|&piece| self.redirects.resolve(piece, out));
        }
    }

    /// The placeholders of an operand of a settled graph (see [`Graph::settle`]).
    pub fn pieces(&self, operand: OperandId) -> &[Placeholder] {
        let Operands { piece_starts, pieces, .. } = &*self.operands;
        let operand = operand.0 as usize;
        &pieces[piece_starts[operand] as usize..piece_starts[operand + 1] as usize]
    }

    /// The unit at which an operand of a settled graph begins: what tells operands of one unit apart.
    pub fn first_unit(&self, operand: OperandId) -> u64 {
        self.pieces(operand).first().map_or(0, |piece| piece.start)
    }

    /// Writes all absorbs into the operands, so that [`Graph::pieces`] is up to date. Pieces of operands that stay are left as they are, also
    /// where they touch.
    pub fn settle(&mut self) {
        if self.redirects.is_empty() {
            return;
        }
        let redirects = std::mem::take(&mut self.redirects).settled();
        let old = &self.operands;
        let mut pieces = Vec::with_capacity(old.pieces.len());
        let mut piece_starts = Vec::with_capacity(old.piece_starts.len());
        piece_starts.push(0);
        let mut resolved = Vec::new();
        // Most operands stay, and their neighbors lie in the same gap between those that moved.
        let mut gap = Placeholder::new(0, 0);
        for ends in old.piece_starts.windows(2) {
            let before = &old.pieces[ends[0] as usize..ends[1] as usize];
            if before.iter().all(|&piece| redirects.leave(piece, &mut gap)) {
                pieces.extend_from_slice(before);
            } else {
                resolved.clear();
                before.iter().for_each(|&piece| redirects.resolve(piece, &mut resolved));
                pieces.extend_from_slice(&resolved);
            }
            piece_starts.push(pieces.len() as u32);
        }
        pieces.shrink_to_fit();
        self.operands = Arc::new(Operands { types: old.types.clone(), piece_starts, pieces });
    }

    pub(super) fn redirects_mut(&mut self) -> &mut Redirects {
        &mut self.redirects
    }

    /// What the operand is called now.
    pub fn identity(&self, operand: OperandId) -> Identity {
        self.renamed.get(&operand).copied().unwrap_or(Identity(operand.0))
    }

    /// The operand that was made under this identity.
    pub fn operand_of(&self, identity: Identity) -> OperandId {
        #[cfg(test)]
        LOOK_UPS.set(LOOK_UPS.get() + 1);
        // Identities are given out with the operand's number, so that the map is the identity map.
        OperandId(identity.0)
    }

    pub(super) fn rename(&mut self, operand: OperandId, identity: Identity) {
        self.renamed.insert(operand, identity);
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
        let signature = self.intern_signature(name, attrs);
        let output = self.types.intern(output);
        self.add_interned(signature, inputs, output)
    }

    /// As [`Graph::add_operator`], with the numbers of a signature and of the output's type.
    ///
    /// # Errors
    /// As [`Allocator::allocate`].
    pub fn add_interned(
        &mut self,
        signature: u32,
        inputs: &[OperandId],
        output: u32,
    ) -> Result<OperandId, GraphError> {
        let place = self.allocator.allocate(self.types.get(output).size)?;
        let output = self.view_interned(output, [place]);
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
        let all_inputs = Arc::make_mut(&mut self.operator_inputs);
        let (inputs_start, inputs_len) = (all_inputs.len() as u32, inputs.len() as u32);
        all_inputs.extend_from_slice(inputs);
        let operators = Arc::make_mut(&mut self.operators);
        operators.push(Operator { signature, inputs_start, inputs_len, output, nonce, parent });
        operators.len() as u32 - 1
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
        if let Some(op) = Arc::make_mut(&mut self.operators).last_mut() {
            op.nonce = nonce;
        }
    }

    /// Says from which operator one level up the last one was made.
    pub fn set_parent_of_last(&mut self, parent: u32) {
        if let Some(op) = Arc::make_mut(&mut self.operators).last_mut() {
            op.parent = parent;
        }
    }

    /// Takes an operator out of the candidate set; those behind it move up.
    pub fn remove_operator(&mut self, op: usize) {
        Arc::make_mut(&mut self.operators).remove(op);
    }

    /// Forgets the operators from number `len` on; their outputs stay operands.
    pub fn truncate_operators(&mut self, len: usize) {
        Arc::make_mut(&mut self.operators).truncate(len);
    }

    /// Keeps only operators that `keep` says yes to.
    pub fn retain_operators(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut numbers = 0..;
        let mut kept = |_: &Operator| numbers.next().is_some_and(&mut keep);
        match Arc::get_mut(&mut self.operators) {
            Some(operators) => {
                operators.retain(kept);
                operators.shrink_to_fit();
            }
            None => {
                let mut operators = Vec::with_capacity(self.operators.len());
                operators.extend(self.operators.iter().copied().filter(|op| kept(op)));
                operators.shrink_to_fit();
                self.operators = Arc::new(operators);
            }
        }
    }

    /// Replaces the signature of every operator, by numbers in the order of the operators.
    pub fn replace_signatures(&mut self, signatures: &[u32]) {
        for (op, &signature) in Arc::make_mut(&mut self.operators).iter_mut().zip(signatures) {
            op.signature = signature;
        }
    }

    /// Replaces the `parent` of every operator.
    pub fn map_parents(&mut self, map: impl Fn(u32) -> u32) {
        for op in Arc::make_mut(&mut self.operators) {
            op.parent = map(op.parent);
        }
    }

    /// All operators, in program order.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// The inputs of an operator of this graph.
    pub fn inputs_of(&self, op: &Operator) -> &[OperandId] {
        &self.operator_inputs[op.inputs_start as usize..][..op.inputs_len as usize]
    }

    /// The types of the inputs of an operator of this graph.
    pub fn input_types(&self, op: &Operator) -> Vec<ValueType> {
        self.inputs_of(op).iter().map(|&input| self.ty(input).clone()).collect()
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

    /// Declares another operand as declared output number `index`; nothing where there is no such output.
    pub fn redeclare_output(&mut self, index: usize, operand: OperandId) {
        if let Some(port) = self.outputs.get_mut(index) {
            port.operand = operand;
        }
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
