//! Operator types of users who do not write Rust: each is a recorded circuit for every use of it.

use super::CircuitLiteral;
use super::literal::read_type;
use crate::graph::{Attrs, OperandId, ValueType, parse_attrs};
use crate::ops::{Call, Level, OpDef, Registry, Session};
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How an operator is used: the unit of the graph, attributes, input types.
type Use = (u32, Attrs, Vec<ValueType>);

/// An operator type whose meaning is recorded use by use: what it gives, and what it expands to.
pub struct Recorded {
    name: String,
    recordings: RwLock<HashMap<Use, Arc<Recording>>>,
}

struct Recording {
    literal: CircuitLiteral,
    output: ValueType,
    fingerprint: [u8; 16],
}

impl Recorded {
    /// A type of which nothing is recorded yet.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), recordings: RwLock::default() }
    }

    /// Records what the operator means for attributes and input types, given in their text form: a circuit of as many inputs, of these
    /// types, and one output. What was recorded before for that use stays.
    ///
    /// # Errors
    /// `AtCall` where the circuit is none; `NotRecorded` where another such operator in it has to be recorded first;
    /// `Operator` for other inputs, or another number of outputs.
    pub fn record(
        &self,
        registry: &Arc<Registry>,
        attrs: &str,
        inputs: &[String],
        literal: CircuitLiteral,
    ) -> Result<()> {
        let attrs = parse_attrs(attrs)?;
        let inputs = inputs.iter().map(|text| read_type(text, literal.unit)).collect::<Result<Vec<_>>>()?;
        let circuit = literal.build(registry)?;
        let graph = circuit.graph();
        let call = Call { name: &self.name, attrs: &attrs, inputs: &inputs, unit: literal.unit };
        let found: Vec<ValueType> =
            graph.inputs().iter().map(|port| graph.ty(port.operand).clone()).collect();
        if found != inputs {
            let shown =
                |types: &[ValueType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            return Err(call.error("inputs of its expansion", shown(&found), shown(&inputs)));
        }
        let [output] = graph.outputs() else {
            return Err(call.error("outputs of its expansion", graph.outputs().len(), "one"));
        };
        let output = graph.ty(output.operand).clone();
        let recording = Arc::new(Recording { literal, output, fingerprint: circuit.id() });
        let mut recordings = self.recordings.write().unwrap_or_else(PoisonError::into_inner);
        recordings.entry((call.unit, attrs, inputs)).or_insert(recording);
        Ok(())
    }

    fn find(&self, call: &Call<'_>) -> Result<Arc<Recording>> {
        let key = (call.unit, call.attrs.clone(), call.inputs.to_vec());
        let recordings = self.recordings.read().unwrap_or_else(PoisonError::into_inner);
        recordings.get(&key).cloned().ok_or_else(|| Error::NotRecorded {
            op: self.name.clone(),
            attrs: call.attrs.to_string(),
            inputs: call.inputs.iter().map(ToString::to_string).collect(),
            unit: call.unit,
        })
    }
}

impl OpDef for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn level(&self) -> Level {
        Level::Task
    }

    /// What a user's function reads is not known here.
    fn attributes(&self) -> Option<&[&str]> {
        None
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(self.find(call)?.output.clone())
    }

    fn expand(&self, session: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        self.find(call)?.literal.replay(session, inputs)
    }

    fn fingerprint(&self, call: &Call<'_>) -> Option<[u8; 16]> {
        self.find(call).ok().map(|recording| recording.fingerprint)
    }
}
