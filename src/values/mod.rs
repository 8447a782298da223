//! Tasks without a scheme: operators on logical values, what they mean exactly, in which ranges results lie, and which part of a
//! task is the client's.
//!
//! A *primitive* operator has rules ([`ValueDef`]); every other one is an `OpDef` that expands into primitive ones, as those of
//! `stats/` do. `ops/` holds the primitive ones, one file each.
//!
//! `lower` lays values out in slots (`plan` says where), and makes of a task a graph of slot vectors (`crate::packed`).
//!
//! Room rule: knows no scheme, no ring, no prime.

mod balance;
mod chebyshev;
mod cut;
mod exact;
mod given;
mod lower;
mod near;
pub mod number;
pub mod ops;
mod part;
mod plan;
mod range;
mod rewrite;
mod sign;
mod sources;
mod square;
pub mod stats;
mod turns;
pub mod types;
mod walk;

pub use balance::balance;
pub use cut::{Crossing, Cut, cut};
pub use exact::{Exact, Interpreted, MOST_BITS, MOST_WORK, bits, interpret, interpret_defined};
pub use given::GivenCells;
pub use lower::{
    Lowered, Lowering, MOST_REAL_BITS, PackedValue, Packing, PackingOptions, Places, clear_name, lower,
};
pub use near::Near;
pub use plan::MOST_ADDRESS_BITS;
pub use range::{Known, Order, Range, range_of, ranges};
pub use sources::{Sources, sources};
pub use square::square;
pub use turns::turns;
pub use walk::check_values;

use crate::Result;
use crate::graph::Attrs;
use crate::ops::{Call, OpDef, Registry};
use crate::packed::Cells;
use crate::sorted::SortedMap;
use number::Bits;
use std::sync::Arc;

/// For each operand, which dimension of the result each one of its own is.
pub type Axes = Vec<Vec<Option<usize>>>;

/// A value turned along a dimension: by `steps`, of `size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Which dimension, from 0.
    pub axis: usize,
    /// How far to the left, below its size.
    pub steps: u64,
    /// How long it is.
    pub size: u64,
}

/// What f(x, x) is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Squared {
    /// x.
    Operand,
    /// This number, in every cell.
    Number(i128),
    /// What this operator gives of x alone.
    Operator(&'static str, Attrs),
}

/// A primitive operator on values: what is told of it is told here, and no pass knows it by its name.
pub trait ValueDef: OpDef {
    /// The range of the result, from those of the operands. It holds whatever the operands are in theirs; two operands of one
    /// source are one value.
    ///
    /// # Errors
    /// What makes the operator impossible.
    fn range(&self, call: &Call<'_>, inputs: &[Known]) -> Result<Range>;

    /// The result, exactly.
    ///
    /// # Errors
    /// What makes the operator impossible, such as a division by 0.
    fn exact(&self, call: &Call<'_>, inputs: &[&Exact]) -> Result<Exact>;

    /// False where what is made of ciphertexts with these operands may be something else: of reals that are too near to each other to be compared.
    ///
    /// # Errors
    /// For operands that are none of the operator's.
    fn sure(&self, call: &Call<'_>, inputs: &[&Exact]) -> Result<bool> {
        let _ = (call, inputs);
        Ok(true)
    }

    /// The result of operands that may be off, and by how much it may be off then, where that does not follow from what the operator is linear in; none where it does,
    /// or where nothing is known of it.
    ///
    /// # Errors
    /// As [`ValueDef::exact`]; where the result has no value for all that is known, such as a quotient by what may be 0.
    fn near(&self, call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
        let _ = (call, inputs);
        Ok(None)
    }

    /// How many bits the numbers of the result may have, from those of the operands. It is asked before [`ValueDef::exact`].
    ///
    /// # Errors
    /// For attributes that are none of the operator's.
    fn bits(&self, call: &Call<'_>, inputs: &[Bits]) -> Result<Bits>;

    /// What it gives of one operand twice, where that is something simpler.
    fn squared(&self, call: &Call<'_>) -> Option<Squared> {
        let _ = call;
        None
    }

    /// True when f(f(x, y), z) = f(x, f(y, z)), exactly.
    fn associative(&self) -> bool {
        false
    }

    /// The operands in which it is linear, all of them together, while the others stay as they are:
    /// f(x + x', y + y', z) = f(x, y, z) + f(x', y', z) for operands 0 and 1.
    fn linear_in(&self, call: &Call<'_>) -> Vec<usize> {
        let _ = call;
        Vec::new()
    }

    /// How far it turns its only operand, along which dimension, where that is all that it does.
    ///
    /// # Errors
    /// For attributes that are none of the operator's.
    fn turn(&self, call: &Call<'_>) -> Result<Option<Turn>> {
        let _ = call;
        Ok(None)
    }

    /// The attributes of the same operator that turns so far along another dimension.
    fn turning(&self, axis: usize, steps: u64) -> Attrs {
        let _ = (axis, steps);
        Attrs::new()
    }

    /// True when no exact scheme computes it of such operands: the client does, after decryption.
    fn client_only(&self, call: &Call<'_>) -> bool {
        let _ = call;
        false
    }

    /// For each operand, which dimension of the result each one of its own is, cell by cell or turned; none for one that is not there any more.
    /// What is one dimension lies in the same slots, where that can be.
    ///
    /// # Errors
    /// For operands that the operator does not take.
    fn axes(&self, call: &Call<'_>) -> Result<Axes> {
        lower::cell_by_cell(call)
    }

    /// True where the lowering only sees its operand in another way, clear or not.
    fn is_view(&self) -> bool {
        false
    }

    /// The cells of the result in ciphertexts; at least one operand is encrypted. Without a rule none of them may be.
    ///
    /// # Errors
    /// `Operator` for what no scheme computes; `TooLarge`.
    fn lower(&self, call: &Call<'_>, inputs: &[Lowered], lowering: &mut Lowering<'_>) -> Result<Cells> {
        let _ = (inputs, lowering);
        Err(lower::not_lowered(call))
    }

    /// Which cells of the result are there, where some may be missing.
    fn present(&self, inputs: &[Lowered]) -> Option<Cells> {
        let _ = inputs;
        None
    }
}

/// The primitive operators by name: the base set of tasks.
#[derive(Clone)]
pub struct Values {
    types: SortedMap<String, Arc<dyn ValueDef>>,
}

impl Default for Values {
    fn default() -> Self {
        Self::new()
    }
}

impl Values {
    /// All of this room.
    pub fn new() -> Self {
        let mut values = Self { types: SortedMap::new() };
        for def in ops::all() {
            values.add(def);
        }
        values
    }

    /// Adds one, or replaces the one of that name.
    pub fn add(&mut self, def: Arc<dyn ValueDef>) {
        self.types.insert(def.name().to_owned(), def);
    }

    /// The primitive operator of that name.
    ///
    /// # Errors
    /// `Operator` names one that is none.
    pub fn get(&self, name: &str) -> Result<&Arc<dyn ValueDef>> {
        self.types.get(name).ok_or_else(|| walk::no_primitive(name))
    }

    /// True for the name of an operator that tasks are left with: a primitive one, or one that moves values, as the copy that
    /// stands for an expansion which gives its own input.
    pub fn is_base(&self, name: &str, registry: &Registry) -> bool {
        self.types.contains_key(name) || registry.get(name).is_ok_and(|def| def.moves())
    }

    /// All of them, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn ValueDef>> {
        self.types.values()
    }

    /// The operator types that tasks are written in: these, those of `stats/`, and what moves operands.
    pub fn registry(&self) -> Registry {
        let mut registry = Registry::lattice();
        registry.add_all(self.iter().map(|def| Arc::clone(def) as Arc<dyn OpDef>));
        registry.add_all(stats::all());
        registry
    }
}
