//! Forward data flow: one walk from what a graph is given to what it computes, with a state for every operand.
//!
//! What a state is, and how an operator makes one of those of its inputs, a [`Flow`] says, most of it by asking the operator's
//! definition. Noise is such a flow (`schemes::noise_budget`).

use super::{Call, OpDef, Registry};
use crate::Result;
use crate::analyze::{Facts, topological_order};
use crate::graph::{Graph, OperandId, ValueType};
use crate::watch::Steps;

/// What flows.
pub trait Flow {
    /// What is known of an operand.
    type State: Clone;

    /// Of units that no operator writes, seen as that type: those of graph inputs.
    fn given(&self, ty: &ValueType) -> Self::State;

    /// Of an operand whose units come from two. In any order, and one may be joined with itself: several pieces may come from one.
    fn join(&self, first: Self::State, second: &Self::State) -> Self::State;

    /// Of what an operator writes, by the states of its inputs.
    ///
    /// # Errors
    /// What makes the operator impossible.
    fn step(
        &self,
        def: &dyn OpDef,
        call: &Call<'_>,
        output: &ValueType,
        inputs: &[Self::State],
    ) -> Result<Self::State>;
}

/// The states of a graph's operands.
pub struct States<'a, F: Flow> {
    flow: &'a F,
    graph: &'a Graph,
    facts: Facts,
    /// Of each operator's output; none before the walk has come there.
    outputs: Vec<Option<F::State>>,
}

impl<'a, F: Flow> States<'a, F> {
    /// Walks a settled graph.
    ///
    /// # Errors
    /// `UnknownOperator`; `OverlappingOutputs`, `Cycle`; what the flow says; `Cancelled`, for it is watched as other stages are.
    pub fn new(graph: &'a Graph, registry: &Registry, flow: &'a F) -> Result<Self> {
        let facts = Facts::new(graph)?;
        let order = topological_order(graph, &facts.dependencies)?;
        let mut states = Self { flow, graph, facts, outputs: vec![None; order.len()] };
        let mut steps = Steps::new(order.len());
        for number in order {
            steps.step()?;
            let op = &graph.operators()[number as usize];
            let signature = graph.signature(op);
            let types = graph.input_types(op);
            let (name, attrs) = (&signature.name, &signature.attrs);
            let call = Call { name, attrs, inputs: &types, unit: graph.unit_bits() };
            let inputs: Vec<F::State> = graph.inputs_of(op).iter().map(|&input| states.of(input)).collect();
            let def = registry.get(&signature.name)?;
            let output = flow.step(&**def, &call, graph.ty(op.output), &inputs)?;
            states.outputs[number as usize] = Some(output);
        }
        Ok(states)
    }

    /// The state of an operand: that of whoever wrote its units, joined where several did, and with what the graph was given.
    pub fn of(&self, operand: OperandId) -> F::State {
        let index = &self.facts.index;
        let mut all: Option<F::State> = None;
        let mut join = |state: &F::State| {
            all = Some(match all.take() {
                None => state.clone(),
                Some(known) => self.flow.join(known, state),
            });
        };
        let mut given = false;
        for (piece, hits) in index.hits(self.graph, operand) {
            let places = &index.places()[hits.clone()];
            given |= places.iter().map(|place| place.intersection(&piece).size()).sum::<u64>() < piece.size();
            for &op in &index.producers()[hits] {
                self.outputs[op as usize].iter().for_each(&mut join);
            }
        }
        if given {
            join(&self.flow.given(self.graph.ty(operand)));
        }
        // Of no unit at all.
        all.unwrap_or_else(|| self.flow.given(self.graph.ty(operand)))
    }
}
