//! Takes a graph down to a base set, one level at a time, and keeps every level.

use super::template::{Bound, Template};
use crate::graph::{Graph, OperandId, Placeholder, Signature, ValueType};
use crate::ops::{Call, Level, Registry};
use crate::{Error, Result};
use std::collections::HashMap;
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
    templates: HashMap<(Signature, Vec<ValueType>), Rc<Template>>,
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
        let mut current = graph.clone();
        let mut origin: Vec<u32> = (0..graph.operators().len() as u32).collect();
        for _ in 0..MAX_LEVELS {
            let open = |s: &Signature| !(base.contains)(&s.name);
            if !current.operators().iter().any(|o| open(current.signature(o))) {
                let mut done = current.next_level();
                copy_ports(&current, &mut done);
                for (op, &origin) in current.operators().iter().zip(&origin) {
                    copy_operator(&current, op, origin, &mut done);
                }
                return Ok(done);
            }
            let next = self.level(&current, base)?;
            origin = next.operators().iter().map(|o| origin[o.parent as usize]).collect();
            current = next;
        }
        let op = current.operators().iter().map(|o| current.signature(o)).find(|s| !(base.contains)(&s.name));
        Err(Error::EndlessExpansion { op: op.map_or(String::new(), |s| s.name.clone()), levels: MAX_LEVELS })
    }

    /// One level: every operator outside the base set is replaced by its expansion.
    ///
    /// # Errors
    /// As [`Expander::expand`].
    pub fn level(&mut self, graph: &Graph, base: &BaseSet<'_>) -> Result<Graph> {
        let mut next = graph.next_level();
        copy_ports(graph, &mut next);
        // Templates as bound to `next`, by the numbers of signature and input types.
        let mut bound: HashMap<(u32, Vec<u32>), usize> = HashMap::new();
        let mut templates: Vec<Bound> = Vec::new();
        let mut in_base: Vec<Option<bool>> = vec![None; graph.signatures().len()];
        let mut scratch = Vec::new();
        for (index, op) in graph.operators().iter().enumerate() {
            let signature = graph.signature(op);
            let is_base =
                *in_base[op.signature as usize].get_or_insert_with(|| (base.contains)(&signature.name));
            if is_base {
                copy_operator(graph, op, index as u32, &mut next);
                continue;
            }
            let types: Vec<u32> = graph.inputs_of(op).iter().map(|&i| graph.type_number(i)).collect();
            let slot = match bound.get(&(op.signature, types.clone())) {
                Some(&slot) => slot,
                None => {
                    let inputs: Vec<ValueType> =
                        graph.inputs_of(op).iter().map(|&i| graph.ty(i).clone()).collect();
                    let template = self.record(signature, &inputs, graph.ty(op.output), base.platform)?;
                    templates.push(template.bind(&mut next));
                    bound.insert((op.signature, types), templates.len() - 1);
                    templates.len() - 1
                }
            };
            let inputs: Vec<&[Placeholder]> = graph.inputs_of(op).iter().map(|&i| graph.pieces(i)).collect();
            templates[slot].instantiate(
                &mut next,
                &inputs,
                graph.pieces(op.output),
                index as u32,
                &mut scratch,
            )?;
        }
        Ok(next)
    }

    /// The registry that types are looked up in.
    pub fn registry(&self) -> &'r Registry {
        self.registry
    }

    pub(super) fn record(
        &mut self,
        signature: &Signature,
        inputs: &[ValueType],
        output: &ValueType,
        platform: &str,
    ) -> Result<Rc<Template>> {
        let key = (signature.clone(), inputs.to_vec());
        if let Some(known) = self.templates.get(&key) {
            return Ok(Rc::clone(known));
        }
        let call = Call { name: &signature.name, attrs: &signature.attrs, inputs };
        let template = Template::record(self.registry, &call, output).map_err(|e| match e {
            Error::NoExpansion { op, .. } => Error::NoExpansion { op, platform: platform.to_owned() },
            other => other,
        })?;
        Ok(Rc::clone(self.templates.entry(key).or_insert(Rc::new(template))))
    }
}

fn copy_operand(from: &Graph, operand: OperandId, to: &mut Graph) -> OperandId {
    // `next_level` keeps the numbers of types and signatures.
    to.view_interned(from.type_number(operand), from.pieces(operand).iter().copied())
}

fn copy_operator(from: &Graph, op: &crate::graph::Operator, parent: u32, to: &mut Graph) {
    let inputs: Vec<OperandId> = from.inputs_of(op).iter().map(|&i| copy_operand(from, i, to)).collect();
    let output = copy_operand(from, op.output, to);
    to.push_operator(op.signature, &inputs, output, op.nonce, parent);
}

fn copy_ports(from: &Graph, to: &mut Graph) {
    for port in from.inputs() {
        let operand = copy_operand(from, port.operand, to);
        to.declare_input(&port.name, operand);
    }
    for port in from.outputs() {
        let operand = copy_operand(from, port.operand, to);
        to.declare_output(&port.name, operand);
    }
}
