//! The cut: what of a task the server computes, and what the client does after decryption.
//!
//! An operator that no exact scheme computes ([`client_only`](super::ValueDef::client_only)) is the client's, and so is everything
//! behind it. What the client's half reads is decrypted, so the cut is no matter of cost: only encrypted single values cross, and
//! only where they lead to declared outputs. What leads to none is dropped. Values that are public, and what is computed of them
//! alone, both halves have.

use super::Values;
use super::part::Part;
use super::types::{Place, Value};
use super::walk::check_values;
use crate::analyze::{Facts, check, topological_order};
use crate::graph::{Graph, OperandId, Operator, Port};
use crate::ops::{Call, Registry};
use crate::sorted::SortedMap;
use crate::{Error, Result};
use std::collections::HashSet;

/// A value that is decrypted, since the client's half reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// What it is called: an output of the server's half and an input of the client's.
    pub name: String,
    /// The operand of the task graph.
    pub operand: OperandId,
    /// What it is.
    pub value: Value,
}

/// A task in two halves.
#[derive(Clone)]
pub struct Cut {
    /// What the server computes: of the task's inputs, the declared outputs that need no finish and are not public, and what
    /// crosses.
    pub server: Graph,
    /// The finish: of what crosses and public inputs, the other declared outputs.
    pub client: Graph,
    /// What crosses, in the order in which the client's operators read it.
    pub crossing: Vec<Crossing>,
}

/// Who computes an operator or has a value; whoever reads something is at least where that is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Half {
    /// Of public values alone: whoever needs it.
    Either,
    Server,
    Client,
}

/// Where an operand comes from.
#[derive(Clone, Copy)]
enum Source {
    Operator(usize),
    Input(Half),
}

/// What is known of the task.
struct Task<'a> {
    graph: &'a Graph,
    facts: Facts,
    /// Of the operators.
    halves: Vec<Half>,
    /// The units of inputs, and who has them.
    inputs: SortedMap<u64, Half>,
}

/// Cuts a task graph of primitive operators in two.
///
/// # Errors
/// As [`check_values`]; `Operator` that names an operator of the client's half for what would cross but must not: a value with more
/// than one cell or with missing ones, or one that is the server's own; `Undefined`, `OverlappingInputs`, `WritesInput`.
pub fn cut(graph: &Graph, registry: &Registry, values: &Values) -> Result<Cut> {
    // Whoever sees a value as another one would have it decrypted.
    check_values(graph, registry, values)?;
    check(graph)?;
    let mut task = Task::new(graph)?;
    let order = topological_order(graph, &task.facts.dependencies)?;
    for &number in &order {
        task.halves[number as usize] = task.half(&graph.operators()[number as usize], registry, values)?;
    }
    let (finished, computed): (Vec<&Port>, Vec<&Port>) =
        graph.outputs().iter().partition(|port| task.of(port.operand) != Half::Server);
    let finish = task.leading_to(finished.iter().map(|port| port.operand), |half| half != Half::Server);
    let crossing = task.crossing(&order, &finish, &computed)?;
    let crossed = computed.iter().map(|port| port.operand).chain(crossing.iter().map(|c| c.operand));
    let work = task.leading_to(crossed, |half| half != Half::Client);

    let mut server = Part::new(graph);
    let mut client = Part::new(graph);
    for port in graph.inputs() {
        server.input(&port.name, port.operand);
        if task.of(port.operand) == Half::Either {
            client.input(&port.name, port.operand);
        }
    }
    for crossing in &crossing {
        client.input(&crossing.name, crossing.operand);
    }
    for number in order {
        for (half, copied) in [(&mut server, &work), (&mut client, &finish)] {
            if copied.contains(&(number as usize)) {
                half.operator(&graph.operators()[number as usize], number);
            }
        }
    }
    finished.iter().for_each(|port| client.output(&port.name, port.operand));
    computed.iter().for_each(|port| server.output(&port.name, port.operand));
    let named = |name: &String| computed.iter().any(|port| port.name == *name);
    for crossing in crossing.iter().filter(|crossing| !named(&crossing.name)) {
        server.output(&crossing.name, crossing.operand);
    }
    Ok(Cut { server: server.to, client: client.to, crossing })
}

impl<'a> Task<'a> {
    fn new(graph: &'a Graph) -> Result<Self> {
        let mut inputs = SortedMap::new();
        for port in graph.inputs() {
            let public = Value::of(graph.ty(port.operand))?.place == Place::Public;
            let unit = graph.first_unit(port.operand);
            inputs.insert(unit, if public { Half::Either } else { Half::Server });
        }
        let halves = vec![Half::Either; graph.operators().len()];
        Ok(Self { graph, facts: Facts::new(graph)?, halves, inputs })
    }

    /// The unit of a value.
    fn unit(&self, operand: OperandId) -> u64 {
        self.graph.first_unit(operand)
    }

    fn source(&self, operand: OperandId) -> Source {
        let index = &self.facts.index;
        let writer = index.hits(self.graph, operand).find_map(|(_, hits)| index.producers()[hits].first());
        match writer {
            Some(&op) => Source::Operator(op as usize),
            None => Source::Input(self.inputs.get(&self.unit(operand)).copied().unwrap_or(Half::Server)),
        }
    }

    /// Who has an operand; operators that are not behind it are known.
    fn of(&self, operand: OperandId) -> Half {
        match self.source(operand) {
            Source::Operator(op) => self.halves[op],
            Source::Input(half) => half,
        }
    }

    fn half(&self, op: &Operator, registry: &Registry, values: &Values) -> Result<Half> {
        let (signature, types) = (self.graph.signature(op), self.graph.input_types(op));
        let unit = self.graph.unit_bits();
        let call = Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit };
        let read = self.graph.inputs_of(op).iter().map(|&input| self.of(input)).max();
        // What moves a value is where that is.
        let only = !registry.get(call.name)?.moves() && values.get(call.name)?.client_only(&call);
        Ok(if only { Half::Client } else { read.unwrap_or(Half::Either) })
    }

    /// The operators that lead to operands, as far back as `own` says yes.
    fn leading_to(
        &self,
        operands: impl Iterator<Item = OperandId>,
        own: impl Fn(Half) -> bool,
    ) -> HashSet<usize> {
        let mut leading = HashSet::new();
        let mut open: Vec<OperandId> = operands.collect();
        while let Some(operand) = open.pop() {
            if let Source::Operator(op) = self.source(operand)
                && own(self.halves[op])
                && leading.insert(op)
            {
                open.extend(self.graph.inputs_of(&self.graph.operators()[op]));
            }
        }
        leading
    }

    /// What the operators of the finish read of the server.
    fn crossing(&self, order: &[u32], finish: &HashSet<usize>, computed: &[&Port]) -> Result<Vec<Crossing>> {
        let mut crossing: Vec<Crossing> = Vec::new();
        let mut units = HashSet::new();
        let ports = || self.graph.inputs().iter().chain(self.graph.outputs());
        let mut free = (0u64..).map(|number| format!("crossing {number}"));
        for &number in order.iter().filter(|&&number| finish.contains(&(number as usize))) {
            let op = &self.graph.operators()[number as usize];
            for (index, &operand) in self.graph.inputs_of(op).iter().enumerate() {
                if self.of(operand) != Half::Server || units.contains(&self.unit(operand)) {
                    continue;
                }
                let value = Value::of(self.graph.ty(operand))?;
                self.may_cross(op, index, &value)?;
                units.insert(self.unit(operand));
                // What crosses and what is public have names of their own: an output may be called as an input is.
                let is_input = |name: &String| self.graph.inputs().iter().any(|port| port.name == *name);
                let same =
                    |port: &&&Port| self.unit(port.operand) == self.unit(operand) && !is_input(&port.name);
                let name = match computed.iter().find(same) {
                    Some(port) => port.name.clone(),
                    None => free.find(|name| ports().all(|port| port.name != *name)).unwrap_or_default(),
                };
                crossing.push(Crossing { name, operand, value });
            }
        }
        Ok(crossing)
    }

    fn may_cross(&self, op: &Operator, index: usize, value: &Value) -> Result<()> {
        let expected = if value.place != Place::Encrypted {
            "an encrypted or public value: the server's own stays with it. Use it before the operator, on what is encrypted"
        } else if value.missing {
            "a complete value, for it would be decrypted: take it apart by value.cells and value.present first"
        } else if !value.shape.is_empty() {
            "a single value, for it would be decrypted. Sum it up first; or put what the client computes last, after all that \
             the server can do"
        } else {
            return Ok(());
        };
        Err(Error::Operator {
            op: self.graph.signature(op).name.clone(),
            what: format!("input {index} of the client's half"),
            found: value.to_string(),
            expected: expected.to_owned(),
        })
    }
}
