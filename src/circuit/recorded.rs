//! Operator types of users who do not write Rust: what each means is recorded for every use of it, as a circuit, or, for base
//! operators that a [`crate::platform::Foreign`] platform computes, as the type of the output.

use super::CircuitLiteral;
use super::literal::read_type;
use crate::graph::{Attrs, OperandId, ValueType, parse_attrs};
use crate::ops::tensor::Tensor;
use crate::ops::{Call, Level, OpDef, Registry, Session};
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How an operator is used: the unit of the graph, attributes, input types.
type Use = (u32, Attrs, Vec<ValueType>);

/// An operator type whose meaning is recorded use by use: what it gives, and what it expands to.
pub struct Recorded {
    name: String,
    level: Level,
    recordings: RwLock<HashMap<Use, Arc<Recording>>>,
}

struct Recording {
    /// None for a base operator.
    expansion: Option<CircuitLiteral>,
    output: ValueType,
    fingerprint: [u8; 16],
}

impl Recorded {
    /// A type of which nothing is recorded yet: of level task, or base for one that is computed as it is.
    pub fn new(name: &str, level: Level) -> Self {
        Self { name: name.to_owned(), level, recordings: RwLock::default() }
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
        let fingerprint = circuit.id();
        self.keep((call.unit, attrs, inputs), Recording { expansion: Some(literal), output, fingerprint });
        Ok(())
    }

    /// Records the type that a base operator gives for such attributes and input types, all in their text form. Tensors are what
    /// foreign platforms compute with: words of other types could be no residues. What was recorded before for that use stays.
    ///
    /// # Errors
    /// `Operator` for types that are no tensors.
    pub fn record_output(&self, unit: u32, attrs: &str, inputs: &[String], output: &str) -> Result<()> {
        let attrs = parse_attrs(attrs)?;
        let inputs = inputs.iter().map(|text| read_type(text, unit)).collect::<Result<Vec<_>>>()?;
        let output = read_type(output, unit)?;
        let call = Call { name: &self.name, attrs: &attrs, inputs: &inputs, unit };
        (0..inputs.len()).try_for_each(|index| call.tensor(index).map(drop))?;
        Tensor::of(&output, unit).map_err(|_| call.error("output", &output, "a tensor"))?;
        let mut hash = blake3::Hasher::new();
        hash.update(format!("cipherloom base operator {} -> {output}", self.name).as_bytes());
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&hash.finalize().as_bytes()[..16]);
        self.keep((unit, attrs, inputs), Recording { expansion: None, output, fingerprint });
        Ok(())
    }

    fn keep(&self, used: Use, recording: Recording) {
        let mut recordings = self.recordings.write().unwrap_or_else(PoisonError::into_inner);
        recordings.entry(used).or_insert(Arc::new(recording));
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
        self.level
    }

    /// What a user's function reads is not known here.
    fn attributes(&self) -> Option<&[&str]> {
        None
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        Ok(self.find(call)?.output.clone())
    }

    fn expand(&self, session: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        match &self.find(call)?.expansion {
            Some(expansion) => expansion.replay(session, inputs),
            None => {
                Err(Error::NoExpansion { op: self.name.clone(), platform: String::new(), chain: Vec::new() })
            }
        }
    }

    fn fingerprint(&self, call: &Call<'_>) -> Option<[u8; 16]> {
        self.find(call).ok().map(|recording| recording.fingerprint)
    }
}
