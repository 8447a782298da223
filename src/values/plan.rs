//! Where the dimensions of a task's values lie: dimensions that meet cell by cell lie in the same bits of a slot's number, and those along which sums
//! go lie above the others, so that what is summed up leaves room that repeats it. Inputs whose layout is given keep it, and what meets them follows, where it can.

use super::Values;
use super::lower::PackingOptions;
use super::types::{Place, Value};
use crate::graph::Graph;
use crate::ops::{Call, Registry};
use crate::packed::bits;
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};

/// Most bits of the number of a slot, that of its ciphertext with it.
pub const MOST_ADDRESS_BITS: u32 = 60;

/// The lowest bit of every dimension of every encrypted value, by the unit of the value.
pub(super) type Lows = HashMap<u64, Vec<u32>>;

/// Dimensions of values that lie in the same place.
#[derive(Clone, Default)]
struct Class {
    /// The values that have one.
    values: HashSet<u64>,
    /// Bits of the longest.
    bits: u32,
    /// The step at which one is first summed up.
    summed: Option<usize>,
    /// Counted from the innermost: that is the lowest, where nothing else decides.
    inner: usize,
    /// The lowest bit, where an input has it that lies as it was given.
    fixed: Option<u32>,
}

impl Class {
    /// The bits that are not free any more.
    fn fixed_bits(&self) -> u64 {
        self.fixed.map_or(0, |low| ((1u64 << self.bits) - 1) << low)
    }

    fn meets(&self, other: &Self) -> bool {
        !self.values.is_disjoint(&other.values)
    }
}

/// All dimensions so far, as classes that may be joined.
#[derive(Default)]
struct Classes {
    of: HashMap<(u64, usize), usize>,
    parent: Vec<usize>,
    all: Vec<Class>,
    /// Those that lie as an input was given, among them some that were joined to others.
    fixed: Vec<usize>,
}

impl Classes {
    fn find(&self, value: u64, axis: usize) -> Option<usize> {
        let mut class = *self.of.get(&(value, axis))?;
        while self.parent[class] != class {
            class = self.parent[class];
        }
        Some(class)
    }

    fn add(&mut self, unit: u64, value: &Value) {
        for (axis, &size) in value.shape.iter().enumerate().filter(|&(_, &size)| size > 1) {
            self.of.insert((unit, axis), self.all.len());
            self.parent.push(self.all.len());
            let inner = value.shape.len() - axis;
            let values = HashSet::from([unit]);
            self.all.push(Class { values, bits: bits(size), summed: None, inner, fixed: None });
        }
    }

    /// A value lies so.
    fn fix(&mut self, unit: u64, lows: impl Iterator<Item = Option<u32>>) {
        for (axis, low) in lows.enumerate() {
            let Some(class) = self.find(unit, axis) else { continue };
            self.all[class].fixed = low;
            self.fixed.push(class);
        }
    }

    /// Two dimensions of one value stay apart, and so do those of which one would leave the place that it was given, or take what another was given.
    fn join(&mut self, (a, b): (usize, usize)) {
        if a == b || self.all[a].meets(&self.all[b]) || self.crowded(a, b) {
            return;
        }
        let (large, small) =
            if self.all[a].values.len() < self.all[b].values.len() { (b, a) } else { (a, b) };
        let Class { values, bits, summed, inner, fixed } = std::mem::take(&mut self.all[small]);
        let class = &mut self.all[large];
        class.values.extend(values);
        class.bits = class.bits.max(bits);
        class.summed = class.summed.into_iter().chain(summed).min();
        class.inner = class.inner.min(inner);
        class.fixed = class.fixed.or(fixed);
        if fixed.is_some() {
            self.fixed.push(large);
        }
        self.parent[small] = large;
    }

    /// True where two classes, were they one, would lie in two places, or where another one lies that they meet.
    fn crowded(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.all[a], &self.all[b]);
        let fixed = match (one.fixed, other.fixed) {
            (Some(low), Some(other)) if low != other => return true,
            (low, other) => low.or(other),
        };
        let joined = Class { bits: one.bits.max(other.bits), fixed, ..Class::default() };
        if joined.fixed.is_some_and(|low| low + joined.bits > MOST_ADDRESS_BITS) {
            return true;
        }
        let taken = |&third: &usize| {
            let class = &self.all[third];
            let apart = third != a && third != b && class.fixed_bits() & joined.fixed_bits() != 0;
            apart && (class.meets(one) || class.meets(other))
        };
        joined.fixed.is_some() && self.fixed.iter().any(taken)
    }
}

/// Lays out the encrypted values of a task, whose operators are given in the order in which they run. Where sums are to leave room below (`late_sums`), what
/// is summed up lies at the upper end of the ring, around which it then turns whatever lies below. Inputs whose layout is given lie so.
///
/// # Errors
/// `TooLarge`; what the operators say of their operands.
pub(super) fn plan(
    graph: &Graph,
    order: &[u32],
    registry: &Registry,
    values: &Values,
    options: &PackingOptions<'_>,
) -> Result<Lows> {
    let (frame, late_sums) = (options.frame, options.passes.late_sums);
    let unit = |operand| graph.first_unit(operand);
    let mut classes = Classes::default();
    for port in graph.inputs() {
        let value = Value::of(graph.ty(port.operand))?;
        classes.add(unit(port.operand), &value);
        if let Some(layout) = options.places.given(&port.name, &value) {
            classes.fix(unit(port.operand), layout.axes.iter().map(|axis| axis.low));
        }
    }
    for (step, &number) in order.iter().enumerate() {
        let op = &graph.operators()[number as usize];
        let (signature, types) = (graph.signature(op), graph.input_types(op));
        let call =
            Call { name: &signature.name, attrs: &signature.attrs, inputs: &types, unit: graph.unit_bits() };
        let (output, value) = (unit(op.output), Value::of(graph.ty(op.output))?);
        classes.add(output, &value);
        let axes = if registry.get(call.name)?.moves() {
            vec![(0..value.shape.len()).map(Some).collect()]
        } else {
            values.get(call.name)?.axes(&call)?
        };
        for (&input, axes) in graph.inputs_of(op).iter().zip(axes) {
            if Value::of(graph.ty(input))?.place != Place::Encrypted {
                continue;
            }
            for (own, to) in axes.into_iter().enumerate() {
                let Some(class) = classes.find(unit(input), own) else { continue };
                match to {
                    None => classes.all[class].summed = classes.all[class].summed.or(Some(step)),
                    Some(to) => {
                        let pair = classes.find(output, to).map(|to| (class, to));
                        pair.into_iter().for_each(|pair| classes.join(pair));
                    }
                }
            }
        }
    }
    let mut order: Vec<usize> =
        (0..classes.all.len()).filter(|&class| classes.parent[class] == class).collect();
    let rank = |&class: &usize| {
        let class = &classes.all[class];
        // What lies as it was given comes before the others: of these first what is never summed, then what is summed last.
        (class.fixed.is_none(), class.summed.map_or(0, |step| usize::MAX - step), class.inner)
    };
    order.sort_by_key(rank);
    let mut lows: Vec<u32> = vec![0; classes.all.len()];
    // The bits that each value's dimensions take so far.
    let mut taken: HashMap<u64, u64> = HashMap::new();
    for &class in &order {
        let Class { values, bits, fixed, .. } = &classes.all[class];
        let met = values.iter().filter_map(|value| taken.get(value)).fold(0u64, |all, own| all | own);
        let top = u64::BITS - met.leading_zeros();
        let free = |low: &u32| met >> low & ((1 << bits) - 1) == 0;
        // Above all that it meets, where that is in one ciphertext; else where there is room.
        let low = if fixed.is_some() {
            *fixed
        } else if top + bits <= frame.slots() {
            Some(top)
        } else {
            (0..=MOST_ADDRESS_BITS.saturating_sub(*bits)).find(free)
        };
        lows[class] = low.ok_or(Error::TooLarge {
            what: "bits of the number of a slot",
            found: u64::from(top + bits),
            limit: MOST_ADDRESS_BITS.into(),
        })?;
        let mask = ((1u64 << bits) - 1) << lows[class];
        for &value in values {
            *taken.entry(value).or_default() |= mask;
        }
    }
    if late_sums {
        lift(&classes.all, &order, &mut lows, frame.ring);
    }
    let mut planned = Lows::new();
    let written = order_of(graph, &unit);
    for (value, axes) in written {
        planned.insert(
            value,
            (0..axes).map(|axis| classes.find(value, axis).map_or(0, |class| lows[class])).collect(),
        );
    }
    Ok(planned)
}

/// Moves dimensions that are summed up as far up in the ring as what they meet lets them, the highest first.
fn lift(all: &[Class], order: &[usize], lows: &mut [u32], ring: u32) {
    let mut order: Vec<usize> = order.to_vec();
    order.sort_by_key(|&class| std::cmp::Reverse(lows[class]));
    for &class in &order {
        let (own, low) = (&all[class], lows[class]);
        let meets = |&&other: &&usize| lows[other] > low && all[other].meets(own);
        let end = order.iter().filter(meets).map(|&other| lows[other]).fold(ring, u32::min);
        if own.summed.is_some() && own.fixed.is_none() && low + own.bits <= end {
            lows[class] = end - own.bits;
        }
    }
}

/// All values, and how many dimensions they have.
fn order_of(graph: &Graph, unit: &impl Fn(crate::graph::OperandId) -> u64) -> Vec<(u64, usize)> {
    let given = graph.inputs().iter().map(|port| port.operand);
    let all = given.chain(graph.operators().iter().map(|op| op.output));
    let axes = |operand| Value::of(graph.ty(operand)).map_or(0, |value| value.shape.len());
    all.map(|operand| (unit(operand), axes(operand))).collect()
}
