//! Random protection of circuits.

use super::Circuit;
use crate::Result;
use crate::math::sample::Seed;
use crate::protect::{Growth, Policy, Protection, difference};

impl Circuit {
    /// The same task, obfuscated (SPEC G12): so that another circuit computes the same, bit for bit. Nothing is changed unless this
    /// is called. What the policy asks for is done to the operators that are there: expand first to change what an
    /// operator is made of. Two seeds give two structures ([`Circuit::difference`]); one gives the same on every device.
    ///
    /// Passes leave the result as it is, unless the policy says otherwise ([`Policy::keep`]). `SECURITY.md` says against what
    /// this does not protect.
    ///
    /// ```
    /// use cipherloom::circuit::CircuitBuilder;
    /// use cipherloom::graph::Attrs;
    /// use cipherloom::math::sample::Seed;
    /// use cipherloom::ops::tensor::{Element, Tensor};
    /// use cipherloom::protect::{Kind, Policy};
    /// use std::sync::Arc;
    ///
    /// let registry = Arc::new(cipherloom::registry());
    /// let mut g = CircuitBuilder::new(8, &registry)?;
    /// let a = g.input("a", Tensor::new(Element::U8, [4]).ty(8)?)?;
    /// let b = g.input("b", Tensor::new(Element::U8, [4]).ty(8)?)?;
    /// let sum = g.op("u8.add", Attrs::new(), &[a, b])?;
    /// g.output("sum", sum);
    /// let circuit = g.finish()?;
    ///
    /// let policy = Policy { kinds: vec![Kind::Rewriting, Kind::XorShares], growth: 20.0, ..Policy::default() };
    /// let (protected, growth) = circuit.protect(&policy, &Seed::generate()?)?;
    /// assert!(growth.after > growth.before && growth.after <= 20 * growth.before);
    /// assert!(protected.difference(&circuit)? > 0.0);
    /// # Ok::<(), cipherloom::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Task` for a policy without kinds, or whose growth is out of range; `AtOperator` for an operator that is wrong afterwards.
    pub fn protect(&self, policy: &Policy, seed: &Seed) -> Result<(Self, Growth)> {
        let (graph, growth) = Protection::new(policy.clone(), seed)?.protect(&self.graph, &self.registry)?;
        let protected = self.with(graph);
        protected.verify_structure(None)?;
        Ok((protected, growth))
    }

    /// How much the structure of two circuits differs, from 0 to 1: see [`difference`].
    ///
    /// # Errors
    /// `OverlappingOutputs`.
    pub fn difference(&self, other: &Self) -> Result<f64> {
        difference(&self.graph, &other.graph)
    }
}
