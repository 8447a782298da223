//! An expansion is recorded once per signature and input types; every operator of that kind is then replaced
//! by a copy with other placeholders.
//!
//! A template has an address space of its own: its inputs one after the other, then the output of the
//! replaced operator, then everything in between. Copying it means mapping these regions, which is prepared once per
//! target: tables are walked, nothing is looked up.

use crate::analyze::{OutputIndex, analyze, graph_inputs, topological_order};
use crate::graph::{Graph, GraphError, OperandId, Placeholder, Synchronizer, ValueType, push_joined};
use crate::ops::tensor::Tensor;
use crate::ops::{Call, Registry, Session};
use crate::watch::Steps;
use crate::{Error, Result};
use std::collections::HashMap;

/// A recorded expansion.
pub struct Template {
    graph: Graph,
    /// Where each input lies in the template's address space.
    inputs: Vec<Placeholder>,
    /// Where the output of the replaced operator lies.
    output: Placeholder,
}

/// A template whose types and signatures are numbered as in the graph that it is copied into. Its operands, each kept
/// once, are numbered from 0.
pub struct Bound {
    /// The type of each operand.
    types: Vec<u32>,
    /// How many spans each operand has.
    span_counts: Vec<u32>,
    spans: Vec<Span>,
    operators: Vec<BoundOperator>,
    /// The inputs of all operators, one after the other.
    inputs: Vec<u32>,
    /// Units in between.
    between: u64,
}

/// Units of one region: an input by its number, then the output, then everything in between.
struct Span {
    region: u32,
    from: u64,
    size: u64,
}

struct BoundOperator {
    signature: u32,
    inputs: u32,
    output: u32,
    random: bool,
}

impl Template {
    /// Records the expansion of one operator.
    ///
    /// # Errors
    /// What the expand function says; `NoExpansion`; `Undefined` when the expansion reads what is not its own
    /// (constants come from operators without inputs); `WritesInput`, `OverlappingOutputs` and `Cycle` when it writes
    /// what is not its own; `Operator` when its output has another
    /// size, or is another tensor.
    pub fn record(registry: &Registry, call: &Call<'_>, output: &ValueType) -> Result<Self> {
        let def = registry.get(call.name)?;
        let mut session = Session::new(Graph::new(call.unit), registry);
        let mut handles = Vec::with_capacity(call.inputs.len());
        for (index, ty) in call.inputs.iter().enumerate() {
            handles.push(session.graph_mut().add_input(&index.to_string(), ty.clone())?);
        }
        // Stands for the replaced operator: the expansion's output is absorbed into its output, and it leaves.
        let old =
            session.graph_mut().add_operator(call.name, call.attrs.clone(), &handles, output.clone())?;
        let new = def.expand(&mut session, call, &handles)?;
        let new = writable(call.name, &mut session, new, &handles, output)?;
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

    /// Prepares copies into `target`, which learns the template's types and signatures. Operators that are not placed
    /// themselves are where the one was that they replace.
    pub fn bind(&self, target: &mut Graph, platform: Option<&str>) -> Bound {
        let graph = &self.graph;
        let types: Vec<u32> = graph.types().iter().map(|t| target.intern_type(t.clone())).collect();
        let signatures = graph.signatures().iter();
        let signatures: Vec<u32> = signatures
            .map(|s| target.intern_placed(&s.name, s.attrs.clone(), s.platform.as_deref().or(platform)))
            .collect();
        let mut bound = Bound {
            types: Vec::new(),
            span_counts: Vec::new(),
            spans: Vec::new(),
            operators: Vec::with_capacity(graph.operators().len()),
            inputs: Vec::new(),
            between: graph.address_end() - self.output.end,
        };
        let mut known: HashMap<(u32, &[Placeholder]), u32> = HashMap::new();
        for op in graph.operators() {
            let mut number = |bound: &mut Bound, operand: OperandId| {
                let (ty, pieces) = (types[graph.type_number(operand) as usize], graph.pieces(operand));
                *known.entry((ty, pieces)).or_insert_with(|| {
                    let before = bound.spans.len();
                    pieces.iter().for_each(|&piece| self.spans(piece, &mut bound.spans));
                    bound.span_counts.push((bound.spans.len() - before) as u32);
                    bound.types.push(ty);
                    bound.types.len() as u32 - 1
                })
            };
            for &input in graph.inputs_of(op) {
                let input = number(&mut bound, input);
                bound.inputs.push(input);
            }
            let output = number(&mut bound, op.output);
            bound.operators.push(BoundOperator {
                signature: signatures[op.signature as usize],
                inputs: graph.inputs_of(op).len() as u32,
                output,
                random: op.nonce != 0,
            });
        }
        bound
    }

    /// Cuts units of the template where its regions meet.
    fn spans(&self, mut piece: Placeholder, out: &mut Vec<Span>) {
        while !piece.is_empty() {
            let region = self.inputs.partition_point(|r| r.end <= piece.start);
            let (region, place) = match self.inputs.get(region) {
                Some(&input) => (region, input),
                None if piece.start < self.output.end => (region, self.output),
                None => (region + 1, Placeholder::new(self.output.end, piece.end)),
            };
            let here = piece.intersection(&place);
            out.push(Span { region: region as u32, from: here.start - place.start, size: here.size() });
            piece.start = here.end;
        }
    }
}

impl Bound {
    /// How many operators, inputs of operators, operands and pieces one copy has; more pieces where its inputs are
    /// scattered.
    pub fn size(&self) -> [usize; 4] {
        [self.operators.len(), self.inputs.len(), self.types.len(), self.spans.len()]
    }

    /// Adds a copy to `target`, in place of an operator that lies in `regions`: the placeholders of each input, then
    /// those of its output.
    ///
    /// # Errors
    /// `AddressSpace` when the graph is full; `Cancelled`.
    pub fn instantiate(
        &self,
        target: &mut Graph,
        regions: &[&[Placeholder]],
        parent: u32,
        steps: &mut Steps,
    ) -> Result<()> {
        let nothing = Placeholder::new(0, 0);
        let between = [if self.between > 0 { target.reserve(self.between)? } else { nothing }];
        let first = target.operand_count() as u32;
        let mut pieces: Vec<Placeholder> = Vec::new();
        let mut spans = self.spans.iter();
        for (&ty, &count) in self.types.iter().zip(&self.span_counts) {
            pieces.clear();
            for span in spans.by_ref().take(count as usize) {
                cut(regions.get(span.region as usize).copied().unwrap_or(&between), span, &mut pieces);
            }
            target.view_interned(ty, pieces.iter().copied());
        }
        let mut inputs = self.inputs.iter().map(|input| OperandId(first + input));
        let mut own: Vec<OperandId> = Vec::new();
        for op in &self.operators {
            steps.step()?;
            own.clear();
            own.extend(inputs.by_ref().take(op.inputs as usize));
            let nonce = if op.random { target.fresh_nonce() } else { 0 };
            target.push_operator(op.signature, &own, OperandId(first + op.output), nonce, parent);
        }
        Ok(())
    }
}

/// Appends the units of a region that a span names.
fn cut(region: &[Placeholder], span: &Span, out: &mut Vec<Placeholder>) {
    let (mut skip, mut left) = (span.from, span.size);
    for piece in region {
        if skip >= piece.size() {
            skip -= piece.size();
            continue;
        }
        let take = (piece.size() - skip).min(left);
        push_joined(out, piece.part(skip, take));
        left -= take;
        skip = 0;
        if left == 0 {
            break;
        }
    }
}

/// An expansion may give back what it cannot rename: its own input, or the same units twice. Such pieces are
/// copied first, so that absorb moves only fresh units.
fn writable(
    name: &str,
    session: &mut Session<'_>,
    new: OperandId,
    inputs: &[OperandId],
    output: &ValueType,
) -> Result<OperandId> {
    let found = session.ty(new);
    let unit = session.graph().unit_bits();
    // Words of one type may be seen as another's, but elements of a tensor are what its readers take them for.
    let tensors = Tensor::of(found, unit).ok().zip(Tensor::of(output, unit).ok());
    if found.size != output.size || tensors.is_some_and(|(found, output)| found != output) {
        let (what, found, expected) =
            ("output of its expansion".into(), found.to_string(), output.to_string());
        return Err(Error::Operator { op: name.to_owned(), what, found, expected });
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
        return Err(Error::NoExpansion { op: name.to_owned(), platform: String::new(), chain: vec![] });
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
