//! The operator types that a graph may use.

use super::{Call, OpDef, base, fused, high};
use crate::graph::{Graph, Signature, ValueType};
use crate::{Error, Result};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Operator types by name. Starts with cipherloom's own; users add theirs (SPEC G3, G4).
#[derive(Clone, Default)]
pub struct Registry {
    types: BTreeMap<String, Arc<dyn OpDef>>,
}

impl Registry {
    /// No types.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The base operators, fused ones, and those on polynomials.
    pub fn lattice() -> Self {
        let mut registry = Self::empty();
        registry.add_all(base::all());
        registry.add_all(fused::all());
        registry.add_all(high::all());
        registry
    }

    /// Adds types.
    pub fn add_all(&mut self, defs: impl IntoIterator<Item = Arc<dyn OpDef>>) {
        for def in defs {
            self.add(def);
        }
    }

    /// Adds a type, or replaces the one of that name.
    pub fn add(&mut self, def: Arc<dyn OpDef>) {
        self.types.insert(def.name().to_owned(), def);
    }

    /// The type of that name.
    ///
    /// # Errors
    /// `UnknownOperator` when nobody registered it.
    pub fn get(&self, name: &str) -> Result<&Arc<dyn OpDef>> {
        self.types.get(name).ok_or_else(|| Error::UnknownOperator { op: name.to_owned(), at: String::new() })
    }

    /// Checks a use of a type that nobody may have assembled: operands, attributes and the type of the output.
    ///
    /// # Errors
    /// `UnknownOperator`; what the type's `assemble` says; `Operator` for another output.
    pub fn check(&self, call: &Call<'_>, output: &ValueType) -> Result<()> {
        match self.get(call.name)?.assemble(call)? {
            expected if expected == *output => Ok(()),
            expected => Err(call.error("output", output, expected)),
        }
    }

    /// Checks all operators of a graph, each signature once.
    ///
    /// # Errors
    /// As [`Registry::check`].
    pub fn check_graph(&self, graph: &Graph) -> Result<()> {
        self.check_operators(graph).map_err(|(_, error)| error)
    }

    /// As [`Registry::check_graph`], with the number of the operator that is wrong.
    ///
    /// # Errors
    /// As [`Registry::check_graph`].
    pub fn check_operators(&self, graph: &Graph) -> std::result::Result<(), (usize, Error)> {
        let mut known: HashSet<Box<[u32]>> = HashSet::new();
        for (number, op) in graph.operators().iter().enumerate() {
            let inputs = graph.inputs_of(op);
            let kind = [op.signature, graph.type_number(op.output)];
            let kind: Box<[u32]> =
                kind.into_iter().chain(inputs.iter().map(|&i| graph.type_number(i))).collect();
            if known.insert(kind) {
                let types: Vec<ValueType> = inputs.iter().map(|&i| graph.ty(i).clone()).collect();
                let Signature { name, attrs } = graph.signature(op);
                let call = Call { name, attrs, inputs: &types, unit: graph.unit_bits() };
                self.check(&call, graph.ty(op.output)).map_err(|error| (number, error))?;
            }
        }
        Ok(())
    }

    /// All types, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn OpDef>> {
        self.types.values()
    }
}
