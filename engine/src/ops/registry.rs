//! The operator types that a graph may use.

use super::types::{Residues, residues};
use super::{Call, OpDef, base, fused, high, plain};
use crate::graph::{Graph, Kinds, Signature, ValueType};
use crate::sorted::SortedMap;
use crate::watch::Steps;
use crate::{Error, Result};
use std::sync::Arc;

/// Operator types by name. Starts with cipherloom's own; users add theirs (SPEC G3, G4).
#[derive(Clone, Default)]
pub struct Registry {
    types: SortedMap<String, Arc<dyn OpDef>>,
    /// By head of the value type.
    residues: SortedMap<&'static str, Residues>,
}

impl Registry {
    /// No types.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The base operators, fused ones, and those on polynomials.
    pub fn lattice() -> Self {
        let mut registry = Self::empty();
        registry.add_residues(residues());
        registry.add_all(base::all());
        registry.add_all(fused::all());
        registry.add_all(high::all());
        registry
    }

    /// Those on plain data.
    pub fn plain() -> Self {
        let mut registry = Self::empty();
        registry.add_all(plain::all());
        registry
    }

    /// All that platforms compute, or what expands into it: [`Registry::lattice`] and [`Registry::plain`].
    pub fn core() -> Self {
        let mut registry = Self::lattice();
        registry.add_all(plain::all());
        registry
    }

    /// Says which value types hold residues, by head.
    pub fn add_residues(&mut self, types: impl IntoIterator<Item = (&'static str, Residues)>) {
        self.residues.extend(types);
    }

    /// The ring dimension of a type whose words are residues, and the prime of each limb; none for other types.
    ///
    /// # Errors
    /// `Graph` when an attribute is missing; `Operator` for a dimension of 0.
    pub fn residues(&self, ty: &ValueType) -> Result<Option<(usize, Vec<u64>)>> {
        let Some(of) = self.residues.get(ty.head.as_str()) else { return Ok(None) };
        match of(ty)? {
            (0, _) => {
                let (op, what, found) = (ty.head.clone(), "n".into(), "0".into());
                Err(Error::Operator { op, what, found, expected: "at least 1".into() })
            }
            residues => Ok(Some(residues)),
        }
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

    /// The type of the output of an operator.
    ///
    /// # Errors
    /// `UnknownOperator`; `Operator` for an attribute that the type does not take; what the type's `assemble` says.
    pub fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let def = self.get(call.name)?;
        if let Some(taken) = def.attributes()
            && let Some((found, _)) = call.attrs.iter().find(|(name, _)| !taken.contains(name))
        {
            let expected = if taken.is_empty() { "no attributes".to_owned() } else { taken.join(", ") };
            return Err(call.error("attributes", found, expected));
        }
        def.assemble(call)
    }

    /// Checks a use of a type that nobody may have assembled: operands, attributes and the type of the output.
    ///
    /// # Errors
    /// As [`Registry::assemble`]; `Operator` for another output.
    pub fn check(&self, call: &Call<'_>, output: &ValueType) -> Result<()> {
        match self.assemble(call)? {
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
        let mut kinds = Kinds::default();
        let mut steps = Steps::new(graph.operators().len());
        for (number, op) in graph.operators().iter().enumerate() {
            steps.step().map_err(|error| (number, error))?;
            if kinds.of(graph, op).1 {
                let types = graph.input_types(op);
                let Signature { name, attrs, .. } = graph.signature(op);
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
