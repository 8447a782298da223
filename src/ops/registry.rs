//! The operator types that a graph may use.

use super::{OpDef, base, fused, high, plain};
use crate::{Error, Result};
use std::collections::BTreeMap;
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

    /// Those on plain data.
    pub fn plain() -> Self {
        let mut registry = Self::empty();
        registry.add_all(plain::all());
        registry
    }

    /// What every scheme and every plan stands on: [`Registry::lattice`] and [`Registry::plain`].
    pub fn core() -> Self {
        let mut registry = Self::lattice();
        registry.add_all(plain::all());
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

    /// All types, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn OpDef>> {
        self.types.values()
    }
}
