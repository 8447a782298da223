//! From cells as people have them, in rows, to numbers that the core reads: of values that are not encrypted. That they are within the bounds that were declared is
//! the core's business.

use crate::data::Data;
use crate::error::{Error, Result};
use cipherloom::values::GivenCells;
use cipherloom::values::number::Number;
use cipherloom::values::types::{Kind, Value};
use zeroize::Zeroizing;

/// The cells of a value of that type.
///
/// # Errors
/// `input.shape`, `input.kind`, `input.decimals`, `input.missing_value`, `range.value`, which name the first cell that is wrong, counted from 0.
pub fn given(name: &str, ty: &Value, data: &Data) -> Result<GivenCells> {
    let mut reader =
        Reader { name, ty, exact: Vec::new(), doubles: Zeroizing::default(), present: Vec::new() };
    match typed(data) {
        // All cells, one after the other, whatever the shape.
        Some(numbers) => {
            reader.row(numbers.len(), ty.shape.iter().product(), numbers.into_iter().map(Data::Number))?
        }
        None => reader.part(data, &ty.shape)?,
    }
    let present = ty.missing.then_some(reader.present);
    let cells = match ty.kind {
        Kind::Real => GivenCells::doubles(reader.doubles, present),
        _ => GivenCells::numbers(reader.exact, present),
    };
    cells.ok_or_else(|| Error::new("input.kind", format!("Input {name:?}: cells that are no finite numbers")))
}

/// The numbers of a typed array.
fn typed(data: &Data) -> Option<Vec<f64>> {
    Some(match data {
        Data::Bytes(array) => array.iter().map(|&number| number.into()).collect(),
        Data::Doubles(array) => array.clone(),
        Data::Floats(array) => array.iter().map(|&number| number.into()).collect(),
        Data::Ints(array) => array.iter().map(|&number| number.into()).collect(),
        Data::Words(array) => array.iter().map(|&number| number.into()).collect(),
        _ => return None,
    })
}

struct Reader<'a> {
    name: &'a str,
    ty: &'a Value,
    /// Of all kinds but reals.
    exact: Vec<Number>,
    /// Of reals.
    doubles: Zeroizing<Vec<f64>>,
    present: Vec<bool>,
}

impl Reader<'_> {
    fn part(&mut self, data: &Data, shape: &[u64]) -> Result<()> {
        let Some((&length, rest)) = shape.split_first() else { return self.cell(data) };
        match (data, rest, typed(data)) {
            (Data::List(items), [], _) => self.row(items.len(), length, items.iter().cloned()),
            (_, [], Some(numbers)) => self.row(numbers.len(), length, numbers.into_iter().map(Data::Number)),
            (Data::List(items), rest, _) if items.len() as u64 == length => {
                items.iter().try_for_each(|item| self.part(item, rest))
            }
            (Data::List(items), ..) => Err(self.shape(format!("an array of {}", items.len()), length)),
            (other, ..) => Err(self.shape(other.sort().to_owned(), length)),
        }
    }

    fn row(&mut self, found: usize, length: u64, cells: impl Iterator<Item = Data>) -> Result<()> {
        if found as u64 != length {
            return Err(self.shape(format!("an array of {found}"), length));
        }
        cells.into_iter().try_for_each(|cell| self.cell(&cell))
    }

    fn shape(&self, found: String, length: u64) -> Error {
        let at = format!("Input {:?}", self.name);
        Error::unexpected("input.shape", &at, found, format!("an array of {length}"))
    }

    fn at(&self) -> String {
        format!("Input {:?}, cell {} (counted from 0)", self.name, self.present.len())
    }

    fn cell(&mut self, cell: &Data) -> Result<()> {
        let missing = match cell {
            Data::Null => true,
            Data::Number(number) => number.is_nan(),
            _ => false,
        };
        if missing {
            if !self.ty.missing {
                let problem = "no value, but the input was declared without missing cells";
                return Err(Error::new("input.missing_value", format!("{}: {problem}", self.at())));
            }
            self.put(0.0, Number::ZERO, false);
            return Ok(());
        }
        let wrong = |expected| Err(Error::unexpected("input.kind", &self.at(), cell.sort(), expected));
        let integer = match (self.ty.kind, cell) {
            (Kind::Real, &Data::Number(number)) if number.is_finite() => {
                self.put(number, Number::ZERO, true);
                return Ok(());
            }
            (Kind::Real, _) => return wrong("a finite number"),
            (Kind::Boolean, &Data::Bool(flag)) => flag.into(),
            // As a typed array has them.
            (Kind::Boolean, &Data::Number(number)) if number == 0.0 || number == 1.0 => number as i128,
            (Kind::Boolean, _) => return wrong("true or false"),
            (Kind::Date, Data::Text(day)) => match day_number(day) {
                Some(day) => day.into(),
                None => return wrong("a day, such as \"2024-02-29\""),
            },
            (Kind::Date, _) => return wrong("a day, such as \"2024-02-29\""),
            (Kind::Category { .. }, &Data::Number(number))
                if number.fract() == 0.0 && number.abs() < 1e18 =>
            {
                number as i128
            }
            (Kind::Category { .. }, _) => return wrong("the whole number of a category"),
            (Kind::Integer, &Data::Number(number)) if number.is_finite() => {
                match units(number, self.ty.decimals) {
                    Units::Are(units) => units,
                    Units::Decimals => {
                        let found = format!("too many decimals, at most {} were declared", self.ty.decimals);
                        return Err(Error::new("input.decimals", format!("{}: {found}", self.at())));
                    }
                    Units::TooLarge => {
                        return Err(Error::unexpected(
                            "range.value",
                            &self.at(),
                            "another number",
                            "127 bits at most",
                        ));
                    }
                }
            }
            (Kind::Integer, _) => return wrong("a finite number"),
        };
        self.put(0.0, integer.into(), true);
        Ok(())
    }

    fn put(&mut self, double: f64, exact: Number, present: bool) {
        match self.ty.kind {
            Kind::Real => self.doubles.push(double),
            _ => self.exact.push(exact),
        }
        self.present.push(present);
    }
}

#[derive(Debug, PartialEq)]
enum Units {
    Are(i128),
    /// It has more decimals.
    Decimals,
    TooLarge,
}

/// value * 10^decimals as an exact integer, of the shortest decimals that are that double.
fn units(value: f64, decimals: u32) -> Units {
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let shift = exponent.parse::<i64>().unwrap_or(0) + i64::from(decimals) - fraction.len() as i64;
    let Ok(digits) = format!("{whole}{fraction}").parse::<i128>() else { return Units::TooLarge };
    match u32::try_from(shift) {
        Ok(shift) => {
            let units = 10i128.checked_pow(shift).and_then(|power| digits.checked_mul(power));
            // Nothing is as many units, however many decimals there are.
            if digits == 0 { Units::Are(0) } else { units.map_or(Units::TooLarge, Units::Are) }
        }
        // The last digit is none, but for that of 0: the shortest decimals have no zeros at their end.
        Err(_) if digits == 0 => Units::Are(0),
        Err(_) => Units::Decimals,
    }
}

/// Days since 1970-01-01 of `YYYY-MM-DD`.
fn day_number(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        let part = bytes.get(range)?;
        part.iter()
            .all(u8::is_ascii_digit)
            .then(|| part.iter().fold(0i64, |n, b| 10 * n + i64::from(b - b'0')))
    };
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    // Years from March on, so that leap days come last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let century = year.div_euclid(100);
    let in_century = year.rem_euclid(100);
    Some(
        146_097 * century.div_euclid(4)
            + 36_524 * century.rem_euclid(4)
            + 1461 * in_century / 4
            + (153 * month + 2) / 5
            + day
            - 719_469,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_those_that_were_written() {
        assert_eq!(units(0.1, 1), Units::Are(1));
        assert_eq!(units(0.1, 3), Units::Are(100));
        assert_eq!(units(-1.25, 2), Units::Are(-125));
        assert_eq!(units(1.25, 1), Units::Decimals);
        assert_eq!(units(1e21, 0), Units::Are(10i128.pow(21)));
        assert_eq!(units(9_007_199_254_740_991.0, 0), Units::Are(9_007_199_254_740_991));
        assert_eq!(units(1e-7, 7), Units::Are(1));
        assert_eq!(units(1e300, 0), Units::TooLarge);
        assert_eq!(units(-0.0, 0), Units::Are(0));
        assert_eq!(units(0.0, 1000), Units::Are(0));
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(day_number("1970-01-01"), Some(0));
        assert_eq!(day_number("1969-12-31"), Some(-1));
        assert_eq!(day_number("2000-02-29"), Some(11_016));
        assert_eq!(day_number("2024-02-29"), Some(19_782));
        assert_eq!(day_number("0000-01-01"), Some(-719_528));
        assert_eq!(day_number("9999-12-31"), Some(2_932_896));
        for bad in ["1900-02-29", "2024-13-01", "2024-1-01", "2024-01-00", "2024-01-32", "2024/01/01", ""] {
            assert_eq!(day_number(bad), None, "{bad}");
        }
        // Each day is one later than the one before.
        let mut last = day_number("1999-12-31").unwrap();
        for year in 2000..2005 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let Some(number) = day_number(&format!("{year}-{month:02}-{day:02}")) else { continue };
                    assert_eq!(number, last + 1);
                    last = number;
                }
            }
        }
    }
}
