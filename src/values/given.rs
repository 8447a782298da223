//! Cells as they are given from outside.

use super::exact::Exact;
use super::number::Number;
use super::range::Range;
use super::types::{Kind, Value};
use crate::math::Modulus;
use crate::math::cells::{self as loops, SAFE};
use crate::{Error, Result, memory};
use std::borrow::Cow;
use zeroize::Zeroizing;

/// The cells of a value, as [`Exact`] has them, in the form in which they came: a table of doubles needs no exact numbers on its way to slots. They are overwritten when
/// they are dropped.
#[derive(Clone, Debug)]
pub struct GivenCells {
    form: Form,
    /// Which cells are there, where these are no exact numbers.
    present: Option<Vec<bool>>,
}

#[derive(Clone, Debug)]
enum Form {
    /// Finite.
    Doubles(Zeroizing<Vec<f64>>),
    Integers(Zeroizing<Vec<i64>>),
    Exact(Exact),
}

impl From<Exact> for GivenCells {
    fn from(cells: Exact) -> Self {
        Self { form: Form::Exact(cells), present: None }
    }
}

impl GivenCells {
    /// Cells that are doubles, and which of them are there; none for a number that is not finite, or other than as many flags as cells.
    pub fn doubles(mut cells: Zeroizing<Vec<f64>>, present: Option<Vec<bool>>) -> Option<Self> {
        cleared(&mut cells, present.as_deref())?;
        loops::finite(&cells).then_some(Self { form: Form::Doubles(cells), present })
    }

    /// Cells that are integers, and which of them are there; none for other than as many flags as cells.
    pub fn integers(mut cells: Zeroizing<Vec<i64>>, present: Option<Vec<bool>>) -> Option<Self> {
        cleared(&mut cells, present.as_deref())?;
        Some(Self { form: Form::Integers(cells), present })
    }

    /// Cells that are exact numbers, and which of them are there; none for other than as many flags as cells.
    pub fn numbers(cells: Vec<Number>, present: Option<Vec<bool>>) -> Option<Self> {
        let as_many = present.as_ref().is_none_or(|present| present.len() == cells.len());
        let exact = match present {
            Some(present) => Exact::masked(cells, present),
            None => Exact::new(cells),
        };
        as_many.then(|| exact.into())
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Doubles(cells) => cells.len(),
            Form::Integers(cells) => cells.len(),
            Form::Exact(exact) => exact.cells.len(),
        }
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which cells are there; none where all are.
    pub fn present(&self) -> Option<&[bool]> {
        match &self.form {
            Form::Exact(exact) => exact.present.as_deref(),
            _ => self.present.as_deref(),
        }
    }

    /// The cells as exact numbers.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn exact(&self) -> Result<Cow<'_, Exact>> {
        if let Form::Exact(exact) = &self.form {
            return Ok(Cow::Borrowed(exact));
        }
        let mut cells = memory::room(self.len())?;
        cells.extend((0..self.len()).map(|at| self.cell(at)));
        let mut exact = Exact::new(cells);
        exact.present.clone_from(&self.present);
        Ok(Cow::Owned(exact))
    }

    /// One cell.
    fn cell(&self, at: usize) -> Number {
        match &self.form {
            Form::Doubles(cells) => Number::from_f64(cells[at]).unwrap_or(Number::ZERO),
            Form::Integers(cells) => i128::from(cells[at]).into(),
            Form::Exact(exact) => exact.cells[at].clone(),
        }
    }

    /// True when the cells are those of such a value.
    pub fn fits(&self, value: &Value) -> bool {
        let whole = || match &self.form {
            Form::Doubles(cells) => loops::whole(cells),
            Form::Integers(_) | Form::Exact(_) => true,
        };
        let between = |min: i64, max: i64| match &self.form {
            Form::Doubles(cells) => loops::outside(cells, [min as f64, max as f64], 0).is_none(),
            Form::Integers(cells) => loops::outside_integers(cells, [min, max], 0).is_none(),
            Form::Exact(_) => true,
        };
        if let Form::Exact(exact) = &self.form {
            return exact.fits(value);
        }
        let kinds = match value.kind {
            Kind::Real => true,
            Kind::Integer | Kind::Date => whole(),
            Kind::Boolean => whole() && between(0, 1),
            Kind::Category { categories } => {
                whole() && i64::try_from(categories).is_ok_and(|categories| between(0, categories - 1))
            }
        };
        kinds && self.len() as u64 == value.cells() && value.missing == self.present.is_some()
    }

    /// Checks that the cells are those of an input of that name.
    ///
    /// # Errors
    /// `Task`.
    pub fn check(&self, name: &str, value: &Value) -> Result<()> {
        if self.fits(value) {
            return Ok(());
        }
        let (at, found) = (format!("input `{name}`"), format!("{} cells", self.len()));
        Err(Error::Task { at, found, expected: format!("{} cells of {value}", value.cells()) })
    }

    /// The first cell that is there and lies outside of a range.
    pub fn outside(&self, range: Range) -> Option<usize> {
        let here = |at: usize| self.present().is_none_or(|present| present.get(at).copied().unwrap_or(true));
        // The first that is there, of those that are found one after the other.
        let first = |find: &dyn Fn(usize) -> Option<usize>| {
            std::iter::successors(find(0), |&at| find(at + 1)).find(|&at| here(at))
        };
        match (&self.form, range) {
            (_, Range::Unknown) => None,
            (Form::Doubles(cells), Range::Reals { min, max }) => {
                first(&|from| loops::outside(cells, [min, max], from))
            }
            (Form::Doubles(cells), Range::Integers { min, max })
                if min.unsigned_abs().max(max.unsigned_abs()) <= SAFE as u128 =>
            {
                first(&|from| loops::outside(cells, [min as f64, max as f64], from))
            }
            (Form::Integers(cells), Range::Integers { min, max }) => {
                let near = |bound: i128| bound.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
                // No cell lies in a range that is beyond what they can be.
                let bounds = if min > i64::MAX.into() || max < i64::MIN.into() {
                    [i64::MAX, i64::MIN]
                } else {
                    [near(min), near(max)]
                };
                first(&|from| loops::outside_integers(cells, bounds, from))
            }
            _ => first(&|from| (from..self.len()).find(|&at| !range.contains(&self.cell(at)))),
        }
    }

    /// The cells modulo t, of the value of that name.
    ///
    /// # Errors
    /// `Task` for one that is no integer, or has more than 127 bits; `OutOfMemory`.
    pub fn residues(&self, t: &Modulus, name: &str) -> Result<Zeroizing<Vec<u64>>> {
        let mut all = Zeroizing::new(memory::room(self.len())?);
        loop {
            let done = all.len();
            match &self.form {
                Form::Doubles(cells) => loops::residues(&mut all, &cells[done..], t),
                Form::Integers(cells) => loops::residues_of_integers(&mut all, cells, t),
                Form::Exact(_) => {}
            }
            if all.len() == self.len() {
                return Ok(all);
            }
            // One that needs more than a double.
            let cell = self.cell(all.len());
            all.push(t.reduce_i128(cell.small().ok_or_else(|| Error::Task {
                at: name.to_owned(),
                found: "a cell of more than 127 bits, or with a fraction".to_owned(),
                expected: "an integer".to_owned(),
            })?));
        }
    }

    /// The bits of the cells as doubles, each the nearest one, divided by a number.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn bits_of_reals(&self, unit: f64) -> Result<Zeroizing<Vec<u64>>> {
        let mut all = Zeroizing::new(memory::room(self.len())?);
        all.extend((0..self.len()).map(|at| {
            let cell = match &self.form {
                Form::Doubles(cells) => cells[at],
                Form::Integers(cells) => cells[at] as f64,
                Form::Exact(exact) => exact.cells[at].to_f64(),
            };
            (cell / unit).to_bits()
        }));
        Ok(all)
    }
}

/// What is not there is 0; none for other than as many flags as cells.
fn cleared<T: Default>(cells: &mut [T], present: Option<&[bool]>) -> Option<()> {
    let Some(present) = present else { return Some(()) };
    for (cell, _) in cells.iter_mut().zip(present).filter(|(_, is)| !**is) {
        *cell = T::default();
    }
    (present.len() == cells.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::types::Kind;

    /// Cells in every form that can hold them: the exact numbers come first.
    fn forms(cells: &[f64], present: Option<Vec<bool>>) -> Vec<GivenCells> {
        let numbers = cells.iter().map(|&cell| Number::from_f64(cell).unwrap()).collect();
        let mut all = vec![
            GivenCells::numbers(numbers, present.clone()).unwrap(),
            GivenCells::doubles(cells.to_vec().into(), present.clone()).unwrap(),
        ];
        if cells.iter().all(|cell| cell.fract() == 0.0 && cell.abs() < 9e18) {
            let integers: Vec<i64> = cells.iter().map(|&cell| cell as i64).collect();
            all.push(GivenCells::integers(integers.into(), present).unwrap());
        }
        all
    }

    #[test]
    fn all_forms_say_the_same() {
        let t = Modulus::new(65537).unwrap();
        let flags = || Some(vec![true, false, true]);
        let large = 9_007_199_254_740_994.0;
        for (cells, present) in [
            (vec![0.0, 1.0, 1.0], None),
            (vec![-3.0, 70_000.0, 5.0], None),
            (vec![-3.0, 70_000.0, 5.0], flags()),
            (vec![large, -large, 1e300], None),
            (vec![0.5, -0.25, 2.0], None),
            (vec![0.5, -0.25, -0.0], flags()),
        ] {
            let all = forms(&cells, present.clone());
            for one in &all {
                assert_eq!(one.exact().unwrap(), all[0].exact().unwrap());
                assert_eq!(one.present(), present.as_deref());
                assert_eq!(one.residues(&t, "x"), all[0].residues(&t, "x"));
                let bits: Vec<f64> =
                    one.bits_of_reals(8.0).unwrap().iter().map(|&bits| f64::from_bits(bits)).collect();
                let expected: Vec<f64> =
                    one.exact().unwrap().cells.iter().map(|c| c.to_f64() / 8.0).collect();
                assert_eq!(bits, expected);
                let kinds =
                    [Kind::Real, Kind::Integer, Kind::Date, Kind::Boolean, Kind::Category { categories: 6 }];
                for (kind, cells) in kinds.into_iter().flat_map(|kind| [(kind, 3), (kind, 4)]) {
                    for missing in [false, true] {
                        let value = Value { missing, ..Value::new(kind, [cells]) };
                        assert_eq!(one.fits(&value), all[0].fits(&value), "{one:?} {value}");
                    }
                }
                for range in [
                    Range::Unknown,
                    Range::Integers { min: 0, max: 1 },
                    Range::Integers { min: -3, max: 1 << 60 },
                    Range::Integers { min: -(1 << 100), max: 1 << 100 },
                    Range::Reals { min: -0.25, max: 70_000.0 },
                ] {
                    assert_eq!(one.outside(range), all[0].outside(range), "{one:?} {range:?}");
                }
            }
        }
        assert!(GivenCells::doubles(vec![f64::NAN].into(), None).is_none());
        assert!(GivenCells::doubles(vec![1.0].into(), Some(vec![])).is_none());
        assert!(GivenCells::integers(vec![1].into(), Some(vec![true; 2])).is_none());
    }
}
