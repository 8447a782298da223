//! Turns of sums of masked vectors are sums of turns: what is linear in a vector is told by its diagonals, each times a clear vector, whatever steps it was asked for in.
//! turn_t(sum of v_k turn_s_k(x)) = sum of turn_t(v_k) turn_(s_k + t)(x), and a number times v turn_s(x) is (number v) turn_s(x). So a turn of a turn of a picture is
//! one turn, all turns of it share their decomposition, and a mask takes in the number that follows.
//!
//! Sums without masks stay: there one turn serves twice as many terms as the one before.

use super::ops::Role;
use super::packer::ClearInput;
use super::rebuild::{Given, Made, product, rebuilt, sum};
use crate::Result;
use crate::graph::{Attr, Attrs, Graph, OperandId, Operator};
use crate::ops::Registry;
use crate::sorted::SortedMap;
use std::collections::{HashMap, HashSet};

/// Most terms of what is told by diagonals.
const MOST_TERMS: usize = 1024;

/// The same graph with such sums told by diagonals.
///
/// # Errors
/// What is wrong with the graph.
pub(super) fn flatten(
    graph: &Graph,
    vectors: &[ClearInput],
    registry: &Registry,
) -> Result<(Graph, Vec<ClearInput>)> {
    let old = Given::new(graph);
    let order = old.order()?;
    let mut forms = Forms { old: &old, known: HashMap::new() };
    for &number in &order {
        forms.tell(&graph.operators()[number as usize])?;
    }
    let forms = forms.known;
    let mut wanted: HashSet<u64> = graph.outputs().iter().map(|port| old.unit(port.operand)).collect();
    for &number in order.iter().rev() {
        let op = &graph.operators()[number as usize];
        let unit = old.unit(op.output);
        if wanted.contains(&unit) {
            match forms.get(&unit) {
                Some(form) => wanted.extend(form.keys().map(|term| term.0)),
                None => wanted.extend(old.inputs(op)),
            }
        }
    }
    let wanted = |unit| wanted.contains(&unit);
    rebuilt(&old, &order, (vectors, registry), wanted, |new, op, unit| match forms.get(&unit) {
        Some(form) => make(new, form),
        None => new.same(&old, op),
    })
}

/// A vector that is turned so far, and the clear one that it is multiplied with, turned to the right.
type Diagonal = (u64, u64, Option<(u64, u64)>);

/// A linear function of vectors: what each diagonal is multiplied with, too.
type Form = SortedMap<Diagonal, Attr>;

/// What a vector is of itself.
fn itself(unit: u64) -> Form {
    [((unit, 0, None), Attr::Int(1))].into()
}

/// What is linear, so far.
struct Forms<'o, 'g> {
    old: &'o Given<'g>,
    /// Of vectors that are told by diagonals, these; others are what they are.
    known: HashMap<u64, Form>,
}

impl Forms<'_, '_> {
    fn of(&self, unit: u64) -> Form {
        self.known.get(&unit).cloned().unwrap_or_else(|| itself(unit))
    }

    /// Whether another one takes it in: who reads it alone, or it costs nothing to compute it twice.
    fn open(&self, unit: u64, form: &Form) -> bool {
        let masked = form.keys().all(|term| term.2.is_some());
        masked || form.len() == 1 || self.old.readers.get(&unit) == Some(&1)
    }

    fn tell(&mut self, op: &Operator) -> Result<()> {
        let old = self.old;
        let inputs = old.inputs(op);
        let found = match old.role(op) {
            Role::Sum | Role::Linear if !old.clear(op, 1) => {
                old.coefficients(op).and_then(|by| self.sum(&inputs, &by))
            }
            Role::Turn => self.turned(inputs[0], old.steps(op)?, old.ring(op)?),
            Role::Product if old.clear(op, 1) => self.masked(inputs[0], inputs[1]),
            _ => None,
        };
        // What is nothing is left to who says so.
        if let Some(form) = found.filter(|form| !form.is_empty() && form.len() <= MOST_TERMS) {
            self.known.insert(old.unit(op.output), form);
        }
        Ok(())
    }

    /// What a sum takes in of a vector: all of it, which is then forgotten where nobody else reads it, so that a long sum is told in as many steps as it has terms.
    fn taken(&mut self, unit: u64, forget: bool) -> Form {
        match self.known.get(&unit) {
            Some(form) if !self.open(unit, form) => itself(unit),
            Some(_) if forget && self.old.readers.get(&unit) == Some(&1) => {
                self.known.remove(&unit).unwrap_or_default()
            }
            Some(form) => form.clone(),
            None => itself(unit),
        }
    }

    fn sum(&mut self, inputs: &[u64], by: &[Attr]) -> Option<Form> {
        let terms: usize = inputs.iter().map(|unit| self.known.get(unit).map_or(1, Form::len)).sum();
        // Of more it may be that nothing is told.
        let forget = terms <= MOST_TERMS;
        let mut forms: Vec<(Form, &Attr)> =
            inputs.iter().zip(by).map(|(&unit, by)| (self.taken(unit, forget), by)).collect();
        // The largest one takes in the others.
        forms.sort_by_key(|(form, _)| form.len());
        let (mut all, by) = forms.pop()?;
        if *by != Attr::Int(1) {
            for times in all.values_mut() {
                *times = product(times, by)?;
            }
            all.retain(|_, times| *times != Attr::Int(0));
        }
        for (form, by) in forms {
            for (term, times) in form {
                let times = product(&times, by)?;
                let together = match all.get(&term) {
                    Some(known) => sum(known, &times)?,
                    None => times,
                };
                if together == Attr::Int(0) {
                    all.remove(&term);
                } else {
                    all.insert(term, together);
                }
            }
        }
        Some(all)
    }

    fn turned(&self, unit: u64, steps: u64, ring: u32) -> Option<Form> {
        let (own, mask) = (self.of(unit), (1u64 << ring) - 1);
        if own.len() > 1 && !own.keys().all(|term| term.2.is_some()) {
            return Some([((unit, steps & mask, None), Attr::Int(1))].into());
        }
        let turn = |((x, s, clear), times): (Diagonal, Attr)| {
            let clear = clear.map(|(clear, right)| (clear, right.wrapping_sub(steps) & mask));
            ((x, (s + steps) & mask, clear), times)
        };
        Some(own.into_iter().map(turn).collect())
    }

    fn masked(&self, unit: u64, clear: u64) -> Option<Form> {
        let own = self.of(unit);
        let (&(x, steps, mask), times) = own.first_key_value()?;
        if own.len() > 1 || mask.is_some() {
            return Some([((unit, 0, Some((clear, 0))), Attr::Int(1))].into());
        }
        Some([((x, steps, Some((clear, 0))), times.clone())].into())
    }
}

fn make(new: &mut Made<'_>, form: &Form) -> Result<OperandId> {
    let (mut more, mut less) = (Vec::new(), Vec::new());
    for (&(x, steps, clear), times) in form {
        let x = new.operand(x)?;
        let turned = new.turn(x, steps)?;
        let number = |new: &mut Made<'_>, number: &Attr| {
            new.session.op("packed.multiply_number", Attrs::new().with("number", number.clone()), &[turned])
        };
        match clear {
            Some((clear, right)) => match product(times, &new.times(clear)) {
                Some(_) => {
                    let clear = new.clear((clear, right, times.clone()))?;
                    more.push(new.session.op("packed.multiply", Attrs::new(), &[turned, clear])?);
                }
                None => {
                    let clear = new.clear((clear, right, Attr::Int(1)))?;
                    let turned = number(new, times)?;
                    more.push(new.session.op("packed.multiply", Attrs::new(), &[turned, clear])?);
                }
            },
            None => match times {
                Attr::Int(1) => more.push(turned),
                Attr::Int(-1) => less.push(turned),
                times => more.push(number(new, times)?),
            },
        }
    }
    match (more.is_empty(), less.is_empty()) {
        (_, true) => new.balanced(more),
        (true, false) => {
            let all = new.balanced(less)?;
            new.session.op("packed.negate", Attrs::new(), &[all])
        }
        (false, false) => {
            let (more, less) = (new.balanced(more)?, new.balanced(less)?);
            new.session.op("packed.sub", Attrs::new(), &[more, less])
        }
    }
}
