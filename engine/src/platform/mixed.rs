//! Several platforms in one run.

use super::{Kernel, Platform};
use crate::graph::ValueType;
use crate::ops::{Call, fused};
use crate::{Error, Result};
use std::sync::Arc;

/// Platforms side by side. An operator that is placed by name is computed by the platform of that name; any other by
/// the first of the preferred ones that implements it.
pub struct Mixed {
    name: String,
    /// The preferred ones first.
    parts: Vec<Arc<dyn Platform>>,
    preferred: usize,
}

impl Mixed {
    /// Platforms in the order in which they are preferred, and others, which serve only what is placed there.
    pub fn new(
        preferred: impl IntoIterator<Item = Arc<dyn Platform>>,
        others: impl IntoIterator<Item = Arc<dyn Platform>>,
    ) -> Self {
        let mut parts: Vec<_> = preferred.into_iter().collect();
        let preferred = parts.len();
        let name = parts.iter().map(|part| part.name()).collect::<Vec<_>>().join("+");
        parts.extend(others);
        Self { name, parts, preferred }
    }

    fn first(&self, op: &str) -> Option<&dyn Platform> {
        self.preferred().iter().map(|part| &**part).find(|part| part.implements(op))
    }
}

impl Platform for Mixed {
    fn name(&self) -> &str {
        &self.name
    }

    /// Beside a platform with a memory of its own, what that lacks and has an expansion is expanded, so that it gets the parts.
    fn implements(&self, op: &str) -> bool {
        let apart = self.preferred().iter().any(|part| part.is_apart());
        self.first(op).is_some_and(|part| !apart || part.is_apart() || !fused::is_fused(op))
    }

    fn serves(&self, call: &Call<'_>, output: &ValueType) -> bool {
        self.preferred().iter().any(|part| part.serves(call, output))
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let mut found = Err(Error::NotImplemented { op: call.name.to_owned(), platform: self.name.clone() });
        // One that has kernels for other operands only leaves these to the next.
        for part in self.preferred().iter().filter(|part| part.implements(call.name)) {
            found = part.kernel(call, output);
            if !matches!(found, Err(Error::NotImplemented { .. })) {
                break;
            }
        }
        found
    }

    fn cost(&self, call: &Call<'_>, output: &ValueType, work: f64) -> f64 {
        self.first(call.name).map_or(work, |part| part.cost(call, output, work))
    }

    fn parts(&self) -> &[Arc<dyn Platform>] {
        &self.parts
    }

    fn preferred(&self) -> &[Arc<dyn Platform>] {
        &self.parts[..self.preferred]
    }
}
