//! What a graph of slot vectors computes, slot by slot: what any scheme that it is made into has to give.

use super::series::{Basis, Series, chebyshev};
use super::target::{Handle, Target, close};
use super::types::SlotVector;
use crate::graph::{Attr, Graph};
use crate::math::Modulus;
use crate::sorted::SortedMap;
use crate::{Error, Result, memory};
use std::collections::HashMap;

/// What slots hold, each in a word.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {
    /// Integers modulo one, as residues.
    Modulo(Modulus),
    /// Doubles, as their bits.
    Doubles,
}

impl Numbers {
    fn sum(self, a: u64, b: u64) -> u64 {
        match self {
            Self::Modulo(t) => t.add(a, b),
            Self::Doubles => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        }
    }

    fn product(self, a: u64, b: u64) -> u64 {
        match self {
            Self::Modulo(t) => t.mul(a, b),
            Self::Doubles => (f64::from_bits(a) * f64::from_bits(b)).to_bits(),
        }
    }

    fn negative(self, a: u64) -> u64 {
        match self {
            Self::Modulo(t) => t.neg(a),
            Self::Doubles => (-f64::from_bits(a)).to_bits(),
        }
    }

    /// What times that number is 1.
    fn part(self, number: u64) -> Result<u64> {
        match self {
            Self::Modulo(t) => Ok(t.inv(t.reduce(number))?),
            Self::Doubles => Ok((1.0 / number as f64).to_bits()),
        }
    }

    fn number(self, number: &Attr) -> Result<u64> {
        match (self, number) {
            (Self::Modulo(t), &Attr::Int(number)) => Ok(t.reduce_i128(number)),
            (Self::Doubles, &Attr::Int(number)) => Ok((number as f64).to_bits()),
            (Self::Doubles, Attr::Real(number)) => Ok(number.get().to_bits()),
            _ => Err(Error::Job("numbers are such as slots hold")),
        }
    }
}

/// The slots of all outputs, by name, from those of all inputs. What a table has no entry for becomes -1: it is nobody's cell.
///
/// # Errors
/// `MissingInput`; `Job` for numbers that such slots do not hold; `OutOfMemory`; as [`close`].
pub fn computed(
    graph: &Graph,
    numbers: Numbers,
    given: SortedMap<String, Vec<u64>>,
) -> Result<SortedMap<String, Vec<u64>>> {
    let (held, of, outputs) = (Vec::new(), HashMap::new(), SortedMap::new());
    let mut model = Model { graph, numbers, given, ring: 1, held, of, outputs };
    let read = graph.operators().iter().flat_map(|op| graph.inputs_of(op)).copied();
    for operand in read.chain(graph.outputs().iter().map(|port| port.operand)) {
        model.of.entry(graph.first_unit(operand)).or_insert((None, 0)).1 += 1;
    }
    close(graph, &mut model)?;
    Ok(model.outputs)
}

struct Model<'g> {
    graph: &'g Graph,
    numbers: Numbers,
    given: SortedMap<String, Vec<u64>>,
    /// Slots that turn together.
    ring: usize,
    held: Vec<Vec<u64>>,
    /// Of what is at a unit: which it is, and how often it is read from now on.
    of: HashMap<u64, (Option<Handle>, u32)>,
    outputs: SortedMap<String, Vec<u64>>,
}

impl Model<'_> {
    fn hold(&mut self, slots: Vec<u64>) -> Handle {
        self.held.push(slots);
        Handle(self.held.len() as u32 - 1)
    }

    fn each(&mut self, x: Handle, slot: &dyn Fn(u64) -> u64) -> Result<Handle> {
        let own = &self.held[x.0 as usize];
        let mut slots = memory::room(own.len())?;
        slots.extend(own.iter().map(|&x| slot(x)));
        Ok(self.hold(slots))
    }

    fn pairs(&mut self, x: Handle, y: Handle, slot: &dyn Fn(u64, u64) -> u64) -> Result<Handle> {
        let (x, y) = (&self.held[x.0 as usize], &self.held[y.0 as usize]);
        let mut slots = memory::room(x.len())?;
        slots.extend(x.iter().zip(y).map(|(&x, &y)| slot(x, y)));
        Ok(self.hold(slots))
    }

    fn written(&mut self, unit: u64, x: Handle) {
        self.of.entry(unit).or_insert((None, 0)).0 = Some(x);
    }

    /// What nobody reads any more takes no memory.
    fn read(&mut self, unit: u64) {
        let Some((handle, times)) = self.of.get_mut(&unit) else { return };
        *times = times.saturating_sub(1);
        if let (Some(handle), 0) = (handle, times) {
            self.held[handle.0 as usize] = Vec::new();
        }
    }
}

impl Target for Model<'_> {
    fn made(&mut self, operator: u32, x: Handle, _: bool) -> Result<()> {
        let graph = self.graph;
        let op = &graph.operators()[operator as usize];
        self.written(graph.first_unit(op.output), x);
        graph.inputs_of(op).iter().for_each(|&input| self.read(graph.first_unit(input)));
        Ok(())
    }

    fn input(&mut self, name: &str, vector: SlotVector) -> Result<Handle> {
        self.ring = 1 << vector.frame.ring;
        let slots = self.given.remove(name).ok_or_else(|| Error::MissingInput { name: name.to_owned() })?;
        let x = self.hold(slots);
        let graph = self.graph;
        for port in graph.inputs().iter().filter(|port| port.name == name) {
            self.written(graph.first_unit(port.operand), x);
        }
        Ok(x)
    }

    fn add(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        let numbers = self.numbers;
        self.pairs(x, y, &|x, y| numbers.sum(x, y))
    }

    fn sub(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        let numbers = self.numbers;
        self.pairs(x, y, &|x, y| numbers.sum(x, numbers.negative(y)))
    }

    fn negate(&mut self, x: Handle) -> Result<Handle> {
        let numbers = self.numbers;
        self.each(x, &|x| numbers.negative(x))
    }

    fn multiply(&mut self, x: Handle, y: Handle) -> Result<Handle> {
        let numbers = self.numbers;
        self.pairs(x, y, &|x, y| numbers.product(x, y))
    }

    fn multiply_number(&mut self, x: Handle, number: &Attr) -> Result<Handle> {
        let numbers = self.numbers;
        let by = numbers.number(number)?;
        self.each(x, &|x| numbers.product(x, by))
    }

    fn lookup(&mut self, x: Handle, first: i64, values: &[i128]) -> Result<Handle> {
        let Numbers::Modulo(t) = self.numbers else { return Err(Error::Job("tables are for integers")) };
        let entry = |x| usize::try_from(i128::from(t.center(x)) - i128::from(first)).ok();
        self.each(x, &|x| t.reduce_i128(entry(x).and_then(|at| values.get(at)).copied().unwrap_or(-1)))
    }

    fn polynomial(&mut self, x: Handle, p: &Series) -> Result<Handle> {
        if let Series::Reals(Basis::Chebyshev, p) = p {
            let at = |x| chebyshev(p, x);
            return self.each(x, &|x| (at(f64::from_bits(x)) - at(0.0)).to_bits());
        }
        let numbers = self.numbers;
        let number = |k| p.coefficient(k).map_or(Ok(0), |number| numbers.number(&number));
        // But for the one of x^0.
        let all = (1..p.len()).rev().map(number).collect::<Result<Vec<u64>>>()?;
        self.each(x, &|x| all.iter().fold(0, |sum, &c| numbers.product(numbers.sum(sum, c), x)))
    }

    fn within(&mut self, x: Handle, _: f64, _: f64) -> Result<Handle> {
        self.each(x, &|x| x)
    }

    fn rotate(&mut self, x: Handle, steps: u64) -> Result<Handle> {
        let x = self.each(x, &|x| x)?;
        for ring in self.held[x.0 as usize].chunks_mut(self.ring) {
            ring.rotate_left(steps as usize % ring.len());
        }
        Ok(x)
    }

    fn swap(&mut self, x: Handle) -> Result<Handle> {
        let x = self.each(x, &|x| x)?;
        let slots = &mut self.held[x.0 as usize];
        let half = slots.len() / 2;
        slots.rotate_left(half);
        Ok(x)
    }

    fn total(&mut self, x: Handle, low: u32, rings: bool, repeats: u64) -> Result<Handle> {
        let (ring, period) = (self.ring, 1usize << low);
        let part = self.numbers.part(repeats)?;
        let own = &self.held[x.0 as usize];
        let rows = own.len() / ring;
        let mut slots = memory::room(own.len())?;
        for (row, first) in (0..own.len()).step_by(ring).enumerate() {
            let rows = if rings { 0..rows } else { row..row + 1 };
            for at in 0..period {
                let all =
                    rows.clone().flat_map(|row| (at..ring).step_by(period).map(move |at| row * ring + at));
                let sum = all.map(|at| own[at]).reduce(|a, b| self.numbers.sum(a, b));
                slots.push(self.numbers.product(sum.unwrap_or(0), part));
            }
            while slots.len() < first + ring {
                slots.push(slots[slots.len() - period]);
            }
        }
        Ok(self.hold(slots))
    }

    fn output(&mut self, name: &str, x: Handle) -> Result<()> {
        let x = self.each(x, &|x| x)?;
        let slots = std::mem::take(&mut self.held[x.0 as usize]);
        self.outputs.insert(name.to_owned(), slots);
        Ok(())
    }
}
