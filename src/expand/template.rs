//! An expansion is recorded once per signature and input types; every operator of that kind is then replaced
//! by a copy with other placeholders.
//!
//! A template has an address space of its own: its inputs one after the other, then the output of the
//! replaced operator, then everything in between. Copying it means mapping these three regions.

use crate::analyze::{OutputIndex, analyze, graph_inputs, topological_order};
use crate::graph::{Graph, GraphError, OperandId, Placeholder, Synchronizer, ValueType, push_joined};
use crate::ops::{Call, Registry, Session};
use crate::{Error, Result};
use std::rc::Rc;

/// A recorded expansion.
pub struct Template {
    graph: Graph,
    /// Where each input lies in the template's address space.
    inputs: Vec<Placeholder>,
    /// Where the output of the replaced operator lies.
    output: Placeholder,
}

/// A template whose types and signatures are known to the graph that it is copied into.
pub struct Bound {
    template: Rc<Template>,
    types: Vec<u32>,
    signatures: Vec<u32>,
}

impl Template {
    /// Records the expansion of one operator.
    ///
    /// # Errors
    /// What the expand function says; `NoExpansion`; `Undefined` when the expansion reads what is not its own
    /// (constants come from operators without inputs); `WritesInput`, `OverlappingOutputs` and `Cycle` when it writes
    /// what is not its own; `Size` when its output has another size.
    pub fn record(registry: &Registry, call: &Call<'_>, output: &ValueType) -> Result<Self> {
        let def = registry.get(call.name)?;
        let mut session = Session::new(Graph::new(64), registry);
        let mut handles = Vec::with_capacity(call.inputs.len());
        for (index, ty) in call.inputs.iter().enumerate() {
            handles.push(session.graph_mut().add_input(&index.to_string(), ty.clone())?);
        }
        // Stands for the replaced operator: the expansion's output is absorbed into its output, and it leaves.
        let old =
            session.graph_mut().add_operator(call.name, call.attrs.clone(), &handles, output.clone())?;
        let new = def.expand(&mut session, call, &handles)?;
        let new = writable(&mut session, new, &handles, output)?;
        let mut graph = session.finish();
        let reference = Synchronizer::new(&graph, old);
        graph.absorb(new, old)?;
        graph.remove_operator(0);
        graph.settle();
        let place = |graph: &Graph, operand: OperandId| graph.pieces(operand)[0];
        let inputs: Vec<Placeholder> = handles.iter().map(|&h| place(&graph, h)).collect();
        // Whoever referred to the replaced output finds the new one, in its place.
        let output = place(&graph, reference.pointer(&graph));
        check(&graph, call.name, &inputs, output)?;
        Ok(Self { graph, inputs, output })
    }

    /// The recorded operators.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Makes the template's types and signatures known to `target`.
    pub fn bind(self: &Rc<Self>, target: &mut Graph) -> Bound {
        let types = self.graph.types().iter().map(|t| target.intern_type(t.clone())).collect();
        let signatures = self.graph.signatures().iter();
        let signatures = signatures.map(|s| target.intern_signature(&s.name, s.attrs.clone())).collect();
        Bound { template: Rc::clone(self), types, signatures }
    }
    /// Where units of the template lie in the target.
    fn map(
        &self,
        mut piece: Placeholder,
        inputs: &[&[Placeholder]],
        output: &[Placeholder],
        base: u64,
        out: &mut Vec<Placeholder>,
    ) {
        while !piece.is_empty() {
            let (region, actual) = if piece.start >= self.output.end {
                push_joined(out, Placeholder::new(piece.start, piece.end).moved(self.output.end, base));
                return;
            } else if piece.start >= self.output.start {
                (self.output, output)
            } else {
                let index = self.inputs.partition_point(|r| r.end <= piece.start);
                (self.inputs[index], inputs[index])
            };
            let here = piece.intersection(&region);
            let (mut skip, mut left) = (here.start - region.start, here.size());
            for p in actual {
                if skip >= p.size() {
                    skip -= p.size();
                    continue;
                }
                let take = (p.size() - skip).min(left);
                push_joined(out, p.part(skip, take));
                left -= take;
                skip = 0;
                if left == 0 {
                    break;
                }
            }
            piece.start = here.end;
        }
    }
}

impl Bound {
    /// Adds a copy to `target`, in place of an operator with these input and output placeholders.
    ///
    /// # Errors
    /// `AddressSpace` when the graph is full.
    pub fn instantiate(
        &self,
        target: &mut Graph,
        inputs: &[&[Placeholder]],
        output: &[Placeholder],
        parent: u32,
        scratch: &mut Vec<u32>,
    ) -> Result<()> {
        let Self { template, types, signatures } = self;
        let graph = &template.graph;
        let between = graph.address_end() - template.output.end;
        let base = if between > 0 { target.reserve(between)?.start } else { 0 };
        scratch.clear();
        scratch.resize(graph.operand_count(), u32::MAX);
        let mut pieces: Vec<Placeholder> = Vec::new();
        let mut operands: Vec<OperandId> = Vec::new();
        let mut map = |target: &mut Graph, operand: OperandId| -> OperandId {
            let known = scratch[operand.0 as usize];
            if known != u32::MAX {
                return OperandId(known);
            }
            pieces.clear();
            for &piece in graph.pieces(operand) {
                template.map(piece, inputs, output, base, &mut pieces);
            }
            let ty = types[graph.type_number(operand) as usize];
            let new = target.view_interned(ty, pieces.iter().copied());
            scratch[operand.0 as usize] = new.0;
            new
        };
        for op in graph.operators() {
            operands.clear();
            for &input in graph.inputs_of(op) {
                operands.push(map(target, input));
            }
            let output = map(target, op.output);
            let nonce = if op.nonce != 0 { target.fresh_nonce() } else { 0 };
            target.push_operator(signatures[op.signature as usize], &operands, output, nonce, parent);
        }
        Ok(())
    }
}

/// An expansion may give back what it cannot rename: its own input, or the same units twice. Such pieces are
/// copied first, so that absorb moves only fresh units.
fn writable(
    session: &mut Session<'_>,
    new: OperandId,
    inputs: &[OperandId],
    output: &ValueType,
) -> Result<OperandId> {
    let found = session.ty(new).size;
    if found != output.size {
        return Err(GraphError::Size { what: "output of an expansion", found, expected: output.size }.into());
    }
    let foreign: Vec<Placeholder> = inputs.iter().flat_map(|&i| session.graph().placeholders(i)).collect();
    let pieces = session.graph().placeholders(new);
    let mut fresh: Vec<Placeholder> = Vec::new();
    let mut parts = Vec::with_capacity(pieces.len());
    let mut copied = false;
    for piece in pieces {
        let raw = ValueType::new("raw", piece.size(), Default::default());
        let mut part = session.graph_mut().view(raw, vec![piece]);
        if foreign.iter().chain(&fresh).any(|f| f.overlaps(&piece)) {
            part = session.op("copy", Default::default(), &[part])?;
            copied = true;
        } else {
            fresh.push(piece);
        }
        parts.push(part);
    }
    if copied { session.merge(&parts, output.clone()) } else { Ok(new) }
}

/// Overall inputs and outputs of the set must be those of the replaced operator (SPEC G4).
fn check(graph: &Graph, name: &str, inputs: &[Placeholder], output: Placeholder) -> Result<()> {
    if graph.operators().is_empty() {
        return Err(Error::NoExpansion { op: name.to_owned(), platform: String::new() });
    }
    let index = OutputIndex::new(graph)?;
    let undefined = |at: Placeholder| Error::from(GraphError::Undefined { op: 0, name: name.to_owned(), at });
    for (number, &input) in inputs.iter().enumerate() {
        if let Some(hit) = index.search(input).next() {
            let at = index.places()[hit].intersection(&input);
            let input = format!("{number} of {name}");
            return Err(GraphError::WritesInput { op: index.producers()[hit], input, at }.into());
        }
    }
    let all_inputs = Placeholder::new(0, inputs.last().map_or(0, |p| p.end));
    for outside in graph_inputs(graph, &index) {
        if outside.intersection(&all_inputs) != outside {
            return Err(undefined(outside));
        }
    }
    let written: u64 =
        index.places()[index.search(output)].iter().map(|p| p.intersection(&output).size()).sum();
    if written != output.size() {
        return Err(undefined(output));
    }
    topological_order(graph, &analyze(graph)?)?;
    Ok(())
}
