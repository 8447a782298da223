//! The type of a logical value: `value[1]{kind=..., shape=[...], where=...}`, one opaque unit.
//!
//! A value is never split, merged or seen as another one: slices and concatenations are operators. Rings are no part of the
//! type: the rows of two rings are a value of shape [2, n].

use crate::Result;
use crate::graph::{Attr, Attrs, GraphError, ValueType};
use crate::ops::Call;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// The head of the type.
pub const HEAD: &str = "value";

/// Most cells of a value.
pub const MOST_CELLS: u64 = 1 << 32;

/// Most dimensions of a value.
pub const MOST_DIMENSIONS: usize = 16;

/// Most decimals of a value.
pub const MOST_DECIMALS: u32 = 1000;

/// Most categories of a value.
pub const MOST_CATEGORIES: u64 = 1 << 32;

/// Most names of categories.
pub const MOST_NAMES: usize = 4096;

/// Most bytes of one of them.
const MOST_NAME: usize = 256;

/// What the cells of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Integers, in units of 10^-decimals.
    Integer,
    /// Real numbers.
    Real,
    /// 0 or 1.
    Boolean,
    /// Days since 1970-01-01.
    Date,
    /// One of so many things, numbered from 0; which number is which says nothing.
    Category {
        /// How many there are, at least 1.
        categories: u64,
    },
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Category { .. } => "category",
        }
    }
}

/// Who may see a value; ordered, so that a result is where the most hidden of its operands is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Everybody: it is part of the program.
    Public,
    /// The server.
    Plain,
    /// Who holds the key.
    Encrypted,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Plain => "plain",
            Self::Encrypted => "encrypted",
        }
    }
}

/// A logical value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// What its cells are.
    pub kind: Kind,
    /// Sizes along its dimensions, the first outermost; none for a single value.
    pub shape: Vec<u64>,
    /// Who may see it; attribute `where`.
    pub place: Place,
    /// Of integers: a cell is the value times 10^decimals. Else 0.
    pub decimals: u32,
    /// True when cells may be missing.
    pub missing: bool,
    /// Of categories that have names: these, in the order of their numbers. Others are others, also where there are as many.
    pub names: Option<Arc<[String]>>,
}

impl Value {
    /// An encrypted value without decimals and missing cells.
    pub fn new(kind: Kind, shape: impl Into<Vec<u64>>) -> Self {
        let place = Place::Encrypted;
        Self { kind, shape: shape.into(), place, decimals: 0, missing: false, names: None }
    }

    /// The same with cells of another kind, without decimals.
    #[must_use]
    pub fn with_kind(self, kind: Kind) -> Self {
        Self { kind, decimals: 0, names: None, ..self }
    }

    /// The same, elsewhere.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// The same with so many decimals.
    #[must_use]
    pub fn with_decimals(self, decimals: u32) -> Self {
        Self { decimals, ..self }
    }

    /// The same, where cells may be missing.
    #[must_use]
    pub fn with_missing(self) -> Self {
        Self { missing: true, ..self }
    }

    /// The same cells in another shape.
    #[must_use]
    pub fn shaped(self, shape: impl Into<Vec<u64>>) -> Self {
        Self { shape: shape.into(), ..self }
    }

    /// Reads a value type. What is read has one way to be written.
    ///
    /// # Errors
    /// `Attribute` says what is wrong with it.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let wrong = |name: &str, found: String, expected| GraphError::Attribute {
            name: name.to_owned(),
            found,
            expected,
        };
        if ty.head != HEAD || ty.size != 1 {
            return Err(wrong("type", ty.to_string(), "value[1]").into());
        }
        let a = &ty.attrs;
        let kind = match a.text("kind")? {
            "integer" => Kind::Integer,
            "real" => Kind::Real,
            "boolean" => Kind::Boolean,
            "date" => Kind::Date,
            "category" => Kind::Category { categories: a.uint("categories")? },
            other => {
                return Err(wrong("kind", other.into(), "integer, real, boolean, date or category").into());
            }
        };
        let place = match a.text("where")? {
            "public" => Place::Public,
            "plain" => Place::Plain,
            "encrypted" => Place::Encrypted,
            other => return Err(wrong("where", other.into(), "public, plain or encrypted").into()),
        };
        let decimals = a.get("decimals").map_or(Ok(0), |_| a.size("decimals"))?;
        let missing = a.get("missing").map_or(Ok(0), |_| a.int("missing"))? != 0;
        let own = u32::try_from(decimals).unwrap_or(u32::MAX);
        let names = match a.get("names") {
            None => None,
            Some(Attr::Texts(names)) => Some(Arc::clone(names)),
            Some(other) => return Err(wrong("names", other.to_string(), "texts").into()),
        };
        let named = names.is_some();
        let value = Self { kind, shape: a.uints("shape")?, place, decimals: own, missing, names };
        value.check()?;
        // Each attribute that there is was read, and says something.
        let category = matches!(kind, Kind::Category { .. });
        let told = 3 + [category, decimals > 0, missing, named].into_iter().filter(|&told| told).count();
        if a.iter().count() != told || a.get("missing").is_some_and(|flag| *flag != Attr::Int(1)) {
            let expected = "no other attributes, none for no decimals or no missing cells (1 for some)";
            return Err(wrong("type", ty.to_string(), expected).into());
        }
        Ok(value)
    }

    /// As a value type of a graph.
    ///
    /// # Errors
    /// `Attribute` for a dimension of 0, more cells or dimensions than a value may have, too many decimals, decimals of what is
    /// no integer, no category or too many.
    pub fn ty(&self) -> Result<ValueType> {
        self.check()?;
        let attrs = Attrs::new().with("kind", self.kind.name()).with("shape", self.shape.as_slice());
        let mut attrs = attrs.with("where", self.place.name());
        if let Kind::Category { categories } = self.kind {
            attrs = attrs.with("categories", categories);
        }
        if self.decimals > 0 {
            attrs = attrs.with("decimals", u64::from(self.decimals));
        }
        if self.missing {
            attrs = attrs.with("missing", 1u64);
        }
        if let Some(names) = &self.names {
            attrs = attrs.with("names", Attr::Texts(Arc::clone(names)));
        }
        Ok(ValueType::new(HEAD, 1, attrs))
    }

    /// Checks that there is such a type: see [`Value::ty`].
    fn check(&self) -> Result<()> {
        let wrong = |name: &str, found: String, expected| -> Result<()> {
            Err(GraphError::Attribute { name: name.to_owned(), found, expected }.into())
        };
        if self.checked_cells().is_none() {
            let expected = "at most 16 dimensions of at least 1, at most 2^32 cells";
            return wrong("shape", format!("{:?}", self.shape), expected);
        }
        if self.decimals > MOST_DECIMALS || (self.decimals > 0 && self.kind != Kind::Integer) {
            return wrong("decimals", self.decimals.to_string(), "at most 1000, of integers only");
        }
        if let Some(names) = &self.names {
            let each = matches!(self.kind, Kind::Category { categories } if categories == names.len() as u64);
            let told = names.iter().all(|name| (1..=MOST_NAME).contains(&name.len()));
            let different = names.iter().collect::<HashSet<_>>().len() == names.len();
            if names.len() > MOST_NAMES || !each || !told || !different {
                let expected = "at most 4096 different texts of 1 to 256 bytes, one for each category";
                return wrong("names", format!("{} texts", names.len()), expected);
            }
        }
        match self.kind {
            Kind::Category { categories } if !(1..=MOST_CATEGORIES).contains(&categories) => {
                wrong("categories", categories.to_string(), "1 to 2^32")
            }
            _ => Ok(()),
        }
    }

    fn checked_cells(&self) -> Option<u64> {
        let cells = self.shape.iter().try_fold(1u64, |cells, &d| cells.checked_mul(d))?;
        ((1..=MOST_CELLS).contains(&cells) && self.shape.len() <= MOST_DIMENSIONS).then_some(cells)
    }

    /// How many cells it has; 0 for a shape that no type has.
    pub fn cells(&self) -> u64 {
        self.checked_cells().unwrap_or(0)
    }

    /// Cells before each step along a dimension, along it, and after: as three nested loops run over them.
    pub fn around(&self, axis: usize) -> (u64, u64, u64) {
        let product = |dims: &[u64]| dims.iter().product();
        (product(&self.shape[..axis]), self.shape[axis], product(&self.shape[axis + 1..]))
    }
}

impl fmt::Display for Value {
    /// What people call it: `encrypted integer[3, 4], 2 decimals, cells may be missing`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{:?}", self.place.name(), self.kind.name(), self.shape)?;
        if let Kind::Category { categories } = self.kind {
            write!(f, ", {categories} categories")?;
        }
        if let Some(names) = &self.names {
            // Some are enough to know them by.
            let some: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
            let more = if names.len() > some.len() { ", ..." } else { "" };
            write!(f, ": {}{more}", some.join(", "))?;
        }
        if self.decimals > 0 {
            write!(f, ", {} decimals", self.decimals)?;
        }
        if self.missing { f.write_str(", cells may be missing") } else { Ok(()) }
    }
}

/// What operators on values ask of a call.
pub trait ValueCall {
    /// Input `index` as a value, perhaps with missing cells.
    ///
    /// # Errors
    /// `Operator` when it is missing, `Attribute` when it is none.
    fn value(&self, index: usize) -> Result<Value>;

    /// Input `index` as a value without missing cells.
    ///
    /// # Errors
    /// As [`ValueCall::value`]; `Operator` where cells may be missing.
    fn complete(&self, index: usize) -> Result<Value>;

    /// Input `index` as numbers: integers or reals without missing cells; booleans are the integers 0 and 1.
    ///
    /// # Errors
    /// As [`ValueCall::complete`]; `Operator` for dates and categories.
    fn number(&self, index: usize) -> Result<Value>;

    /// Attribute `axis` as a dimension of a value.
    ///
    /// # Errors
    /// `Operator` when there is no such dimension.
    fn axis_of(&self, value: &Value) -> Result<usize>;

    /// Checks that two values have one shape.
    ///
    /// # Errors
    /// `Operator` when they differ.
    fn same_shape(&self, index: usize, value: &Value, first: &Value) -> Result<()>;
}

impl ValueCall for Call<'_> {
    fn value(&self, index: usize) -> Result<Value> {
        let ty = self.inputs.get(index);
        Value::of(ty.ok_or_else(|| self.error("number of inputs", self.inputs.len(), index + 1))?)
    }

    fn complete(&self, index: usize) -> Result<Value> {
        let value = self.value(index)?;
        if value.missing {
            let expected =
                "a complete value: value.cells and value.present take one with missing cells apart";
            return Err(self.error(format!("input {index}"), value, expected));
        }
        Ok(value)
    }

    fn number(&self, index: usize) -> Result<Value> {
        let value = self.complete(index)?;
        match value.kind {
            Kind::Integer | Kind::Real => Ok(value),
            Kind::Boolean => Ok(Value { kind: Kind::Integer, ..value }),
            Kind::Date | Kind::Category { .. } => {
                Err(self.error(format!("input {index}"), value, "integers, reals or booleans"))
            }
        }
    }

    fn axis_of(&self, value: &Value) -> Result<usize> {
        let axis = self.attrs.size("axis")?;
        if axis >= value.shape.len() {
            let expected = format!("a dimension of {:?}, counted from 0", value.shape);
            return Err(self.error("axis", axis, expected));
        }
        Ok(axis)
    }

    fn same_shape(&self, index: usize, value: &Value, first: &Value) -> Result<()> {
        if value.shape == first.shape {
            return Ok(());
        }
        let expected = format!("{:?}: value.broadcast makes shapes alike", first.shape);
        Err(self.error(format!("shape of input {index}"), format!("{:?}", value.shape), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::parse_type;

    fn read(text: &str) -> ValueType {
        let (head, size, attrs) = parse_type(text).unwrap();
        ValueType { head, size: size.unwrap(), attrs }
    }

    fn named(names: &[&str]) -> Value {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let kind = Kind::Category { categories: names.len() as u64 };
        Value { names: Some(names.into()), ..Value::new(kind, [2]) }
    }

    #[test]
    fn a_type_is_read_as_it_was_written() {
        let all = [
            Value::new(Kind::Integer, [3, 4]).with_decimals(2).with_missing(),
            Value::new(Kind::Real, []).at(Place::Plain),
            Value::new(Kind::Boolean, [1]).at(Place::Public),
            Value::new(Kind::Date, [1 << 32]),
            Value::new(Kind::Category { categories: 3 }, [2; 16]),
            named(&["north", "\"é, ]}"]).with_missing(),
        ];
        for value in all {
            let ty = value.ty().unwrap();
            assert_eq!(Value::of(&ty).unwrap(), value);
            assert_eq!(Value::of(&read(&ty.to_string())).unwrap(), value, "{ty}");
        }
    }

    #[test]
    fn what_is_no_value_type_is_refused() {
        let good = "value[1]{kind=\"integer\", shape=[2], where=\"plain\"}";
        assert!(Value::of(&read(good)).is_ok());
        let wrong = [
            ("value[1]", "value[2]", "type"),
            ("value[1]", "limb[1]", "type"),
            ("\"integer\"", "\"int\"", "kind"),
            ("\"integer\"", "7", "kind"),
            ("\"plain\"", "\"client\"", "where"),
            ("[2]", "[0]", "shape"),
            ("[2]", "[4294967297]", "shape"),
            ("[2]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "shape"),
            ("[2]", "[-1]", "shape"),
            ("[2]", "2", "shape"),
            ("[2]", "[2], decimals=1001", "decimals"),
            ("[2]", "[2], decimals=0", "type"),
            ("[2]", "[2], missing=0", "type"),
            ("[2]", "[2], missing=2", "type"),
            ("[2]", "[2], rings=2", "type"),
            ("\"integer\"", "\"real\", decimals=1", "decimals"),
            ("\"integer\"", "\"category\"", "categories"),
            ("\"integer\"", "\"category\", categories=0", "categories"),
            ("\"integer\"", "\"integer\", categories=3", "type"),
            ("\"integer\"", "\"integer\", names=$[\"a\",\"b\"]", "names"),
            ("\"integer\"", "\"category\", categories=3, names=$[\"a\",\"b\"]", "names"),
            ("\"integer\"", "\"category\", categories=2, names=$[\"a\",\"a\"]", "names"),
            ("\"integer\"", "\"category\", categories=2, names=$[\"a\",\"\"]", "names"),
            ("\"integer\"", "\"category\", categories=2, names=[1,2]", "names"),
        ];
        for (from, to, what) in wrong {
            let text = good.replace(from, to);
            let error = Value::of(&read(&text)).unwrap_err();
            assert!(error.to_string().starts_with(&format!("attribute `{what}`: found ")), "{text}: {error}");
        }
    }
}
