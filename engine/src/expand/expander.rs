//! Takes a graph down to a base set, one level at a time, and keeps every level.

use super::template::{Bound, Template};
use crate::graph::{Graph, Kinds, OperandId, Operator, Placeholder, Signature, ValueType};
use crate::ops::{Call, Level, Registry};
use crate::watch::Steps;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Levels after which an expansion is taken to be endless.
const MAX_LEVELS: usize = 64;

/// Which operator types are left as they are.
pub struct BaseSet<'a> {
    /// Whom the set belongs to; for errors.
    pub platform: &'a str,
    /// True for types in the set.
    pub contains: &'a dyn Fn(&str) -> bool,
}

/// Expands graphs; remembers the templates it recorded.
pub struct Expander<'r> {
    registry: &'r Registry,
    /// By the bits of the unit, the signature and the input types.
    templates: HashMap<(u32, Signature, Vec<ValueType>), Rc<Template>>,
}

impl<'r> Expander<'r> {
    /// An expander for the types of a registry.
    pub fn new(registry: &'r Registry) -> Self {
        Self { registry, templates: HashMap::new() }
    }

    /// Expands until every operator is of `level` or below: a stage that people look at.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn expand_to_level(&mut self, graph: &Graph, level: Level) -> Result<Graph> {
        let registry = self.registry;
        let contains = |name: &str| registry.get(name).is_ok_and(|def| def.level() >= level);
        self.expand(graph, &BaseSet { platform: "(stage)", contains: &contains })
    }

    /// Expands until every operator is in the base set. The result's `parent` numbers are operators of `graph`.
    ///
    /// # Errors
    /// `UnknownOperator` and `NoExpansion` name the type; `EndlessExpansion` after 64 levels.
    pub fn expand(&mut self, graph: &Graph, base: &BaseSet<'_>) -> Result<Graph> {
        let mut members = Members { base, known: Vec::new() };
        let mut open = |graph: &Graph| {
            let mut operators = graph.operators().iter();
            operators.find(|op| !members.have(graph, op)).map(|op| graph.signature(op).name.clone())
        };
        let mut current = self.level(graph, base).map_err(|error| self.led(graph, error))?;
        for _ in 1..MAX_LEVELS {
            if open(&current).is_none() {
                return Ok(current);
            }
            let mut next = self.level(&current, base).map_err(|error| self.led(graph, error))?;
            next.map_parents(|parent| current.operators()[parent as usize].parent);
            current = next;
        }
        match open(&current) {
            None => Ok(current),
            Some(op) => Err(Error::EndlessExpansion { op, levels: MAX_LEVELS }),
        }
    }

    /// Says which operators led to one that has no expansion.
    fn led(&self, graph: &Graph, error: Error) -> Error {
        let Error::NoExpansion { op, platform, .. } = error else { return error };
        let mut chain = Vec::new();
        let mut seen = HashSet::new();
        let _ = graph.operators().iter().any(|from| self.leads(graph, from, &op, &mut chain, &mut seen));
        chain.reverse();
        if chain.len() < 2 {
            chain.clear();
        }
        Error::NoExpansion { op, platform, chain }
    }

    /// Whether the expansion of an operator has `target` in it; then `chain` gets the names on the way, the last one first.
    fn leads(
        &self,
        graph: &Graph,
        op: &Operator,
        target: &str,
        chain: &mut Vec<String>,
        seen: &mut HashSet<(Signature, Vec<ValueType>)>,
    ) -> bool {
        let name = &graph.signature(op).name;
        let inputs = graph.input_types(op);
        let key = (graph.unit_bits(), graph.signature(op).clone(), inputs);
        let found = name == target
            || self.templates.get(&key).is_some_and(|template| {
                let inside = template.graph();
                seen.insert((key.1, key.2))
                    && inside.operators().iter().any(|op| self.leads(inside, op, target, chain, seen))
            });
        if found {
            chain.push(name.clone());
        }
        found
    }

    /// One level: every operator outside the base set is replaced by its expansion. The result's `parent` numbers are
    /// operators of `graph`.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn level(&mut self, graph: &Graph, base: &BaseSet<'_>) -> Result<Graph> {
        let mut next = graph.next_level();
        let (templates, template_of) = self.templates(graph, base, &mut next)?;
        if templates.is_empty() {
            return Ok(graph.from_itself());
        }
        let mut copies = Copies { of: vec![NONE; graph.operand_count()], inputs: Vec::new() };
        for port in graph.inputs() {
            let operand = copies.operand(graph, port.operand, &mut next);
            next.declare_input(&port.name, operand);
        }
        for port in graph.outputs() {
            let operand = copies.operand(graph, port.operand, &mut next);
            next.declare_output(&port.name, operand);
        }
        let operators = reserve(graph, &templates, &template_of, &mut next);
        let mut regions: Vec<&[Placeholder]> = Vec::new();
        let mut steps = Steps::new(operators);
        for ((op, &slot), number) in graph.operators().iter().zip(&template_of).zip(0..) {
            let Some(template) = templates.get(slot as usize) else {
                steps.step()?;
                copies.operator(graph, op, number, &mut next);
                continue;
            };
            regions.clear();
            regions.extend(graph.inputs_of(op).iter().map(|&i| graph.pieces(i)));
            regions.push(graph.pieces(op.output));
            template.instantiate(&mut next, &regions, number, &mut steps)?;
        }
        next.shrink();
        Ok(next)
    }

    /// The templates that a level needs, as bound to the next one, and which of them each operator is replaced by;
    /// `NONE` for those of the base set.
    fn templates(
        &mut self,
        graph: &Graph,
        base: &BaseSet<'_>,
        next: &mut Graph,
    ) -> Result<(Vec<Bound>, Vec<u32>)> {
        let mut members = Members { base, known: Vec::new() };
        let mut templates: Vec<Bound> = Vec::new();
        let mut kinds = Kinds::default();
        let mut template_of = Vec::with_capacity(graph.operators().len());
        let mut steps = Steps::new(graph.operators().len());
        for op in graph.operators() {
            steps.step()?;
            if members.have(graph, op) {
                template_of.push(NONE);
                continue;
            }
            let (slot, new) = kinds.of(graph, op);
            template_of.push(slot);
            if new {
                let inputs = graph.input_types(op);
                let template = self.record(graph, op, &inputs, base.platform)?;
                templates.push(template.bind(next, graph.signature(op).platform.as_deref()));
            }
        }
        Ok((templates, template_of))
    }

    /// The registry that types are looked up in.
    pub fn registry(&self) -> &'r Registry {
        self.registry
    }

    pub(super) fn record(
        &mut self,
        graph: &Graph,
        op: &Operator,
        inputs: &[ValueType],
        platform: &str,
    ) -> Result<Rc<Template>> {
        let (unit, signature) = (graph.unit_bits(), graph.signature(op));
        let key = (unit, signature.clone(), inputs.to_vec());
        if let Some(known) = self.templates.get(&key) {
            return Ok(Rc::clone(known));
        }
        let call = Call { name: &signature.name, attrs: &signature.attrs, inputs, unit };
        let template = Template::record(self.registry, &call, graph.ty(op.output)).map_err(|e| match e {
            Error::NoExpansion { op, chain, .. } => {
                Error::NoExpansion { op, platform: platform.to_owned(), chain }
            }
            other => other,
        })?;
        Ok(Rc::clone(self.templates.entry(key).or_insert(Rc::new(template))))
    }
}

/// Where an operator or operand has no counterpart.
const NONE: u32 = u32::MAX;

/// Asks a base set once per signature.
struct Members<'a> {
    base: &'a BaseSet<'a>,
    known: Vec<Option<bool>>,
}

impl Members<'_> {
    fn have(&mut self, graph: &Graph, op: &Operator) -> bool {
        let number = op.signature as usize;
        if number >= self.known.len() {
            self.known.resize(graph.signatures().len(), None);
        }
        *self.known[number].get_or_insert_with(|| (self.base.contains)(&graph.signature(op).name))
    }
}

/// Copies operands of one level to the next, each once. `next_level` keeps the numbers of types and signatures.
struct Copies {
    of: Vec<u32>,
    /// Of the operator at hand.
    inputs: Vec<OperandId>,
}

impl Copies {
    fn operand(&mut self, from: &Graph, operand: OperandId, to: &mut Graph) -> OperandId {
        let copy = &mut self.of[operand.0 as usize];
        if *copy == NONE {
            *copy = to.view_interned(from.type_number(operand), from.pieces(operand).iter().copied()).0;
        }
        OperandId(*copy)
    }

    fn operator(&mut self, from: &Graph, op: &Operator, parent: u32, to: &mut Graph) {
        self.inputs.clear();
        for &input in from.inputs_of(op) {
            let input = self.operand(from, input, to);
            self.inputs.push(input);
        }
        let output = self.operand(from, op.output, to);
        to.push_operator(op.signature, &self.inputs, output, op.nonce, parent);
    }
}

/// Makes room for a level, so that its tables never move while they grow: an upper bound, but for scattered inputs. Gives
/// the number of its operators.
fn reserve(graph: &Graph, templates: &[Bound], template_of: &[u32], next: &mut Graph) -> usize {
    let [mut operators, mut inputs, mut operands, mut pieces] = [0; 4];
    let mut copied = vec![false; graph.operand_count()];
    for (op, &slot) in graph.operators().iter().zip(template_of) {
        let size = match templates.get(slot as usize) {
            Some(template) => template.size(),
            None => {
                let own = graph.inputs_of(op);
                let new = own
                    .iter()
                    .chain([&op.output])
                    .filter(|o| !std::mem::replace(&mut copied[o.0 as usize], true));
                let (count, pieces) = new.fold((0, 0), |(n, p), &o| (n + 1, p + graph.pieces(o).len()));
                [1, own.len(), count, pieces]
            }
        };
        operators += size[0];
        inputs += size[1];
        operands += size[2];
        pieces += size[3];
    }
    next.reserve_tables(operators, inputs, operands, pieces);
    operators
}
