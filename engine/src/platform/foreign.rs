//! A platform whose kernels are not here.

use super::{Kernel, Platform};
use crate::graph::{Attrs, ValueType};
use crate::ops::Call;
use crate::{Error, Result};
use std::sync::Arc;

/// What handing one operator out and hearing of its result costs, in the units of [`Platform::cost`]: a few messages
/// between threads, about a third of a millisecond.
const CALL: f64 = 3e5;

/// Operators that somebody else computes, such as JavaScript functions: the run hands their data out and goes on with
/// others until it is told the result.
pub struct Foreign {
    name: String,
    implements: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

/// One use of such an operator: what whoever computes it has to know beside the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignCall {
    /// The platform.
    pub platform: String,
    /// The operator type.
    pub name: String,
    /// Its attributes.
    pub attrs: Attrs,
    /// The types of its inputs.
    pub inputs: Vec<ValueType>,
    /// The type of its output.
    pub output: ValueType,
}

impl Foreign {
    /// A platform of that name, with the operators that `implements` says yes to.
    pub fn new(name: &str, implements: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { name: name.to_owned(), implements: Box::new(implements) }
    }
}

impl Platform for Foreign {
    fn name(&self) -> &str {
        &self.name
    }

    fn implements(&self, op: &str) -> bool {
        (self.implements)(op)
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        if !self.implements(call.name) {
            return Err(Error::NotImplemented { op: call.name.to_owned(), platform: self.name.clone() });
        }
        Ok(Kernel::Elsewhere(Arc::new(ForeignCall {
            platform: self.name.clone(),
            name: call.name.to_owned(),
            attrs: call.attrs.clone(),
            inputs: call.inputs.to_vec(),
            output: output.clone(),
        })))
    }

    fn cost(&self, _: &Call<'_>, _: &ValueType, work: f64) -> f64 {
        CALL + work
    }
}
