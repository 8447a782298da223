//! Types of the task level and their layout: everything is ciphertexts one after the other.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::math::slots::{galois_conjugate, galois_element};
use crate::ops::types::{Ciphertext, Scheme, SwitchingKey, dimension, moduli};
use crate::ops::{Call, Session};

/// A column of integers, encrypted: for each plaintext modulus t (residues, combined by CRT after decryption) and
/// each chunk of n rows one ciphertext; then, when cells may be missing, the same number of ciphertexts with 1
/// where a row is present. Values are 0 where a row is missing and beyond the last row.
///
/// A column of at most n/2 rows lies in every w-th slot of the first row of slots, w = n/2 divided by the next power of
/// two: rotations by multiples of w sum it, and leave nothing but the sum in its slots; other columns fit between.
///
/// A column whose rows form one or two rings (layout slots) can be rotated. It is one ciphertext; each ring lies in a row
/// of slots of its own, as if it were a column of that many rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Ring dimension: rows per ciphertext.
    pub n: usize,
    /// Plaintext moduli.
    pub t: Vec<u64>,
    /// Primes of the level.
    pub q: Vec<u64>,
    /// Polynomials per ciphertext of values.
    pub parts: usize,
    /// Number of rows.
    pub rows: usize,
    /// True when a mask follows.
    pub missing: bool,
    /// Rings of equal length that the rows form, 1 or 2; 0 for a column that cannot be rotated.
    pub rings: usize,
}

impl Column {
    /// Reads a `column` type.
    ///
    /// # Errors
    /// `Graph` when an attribute is missing; `Operator` for rows that do not lie in slots.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let a = &ty.attrs;
        let column = Self {
            n: dimension(ty)?,
            t: moduli(ty, "t")?,
            q: moduli(ty, "q")?,
            parts: a.size("parts")?,
            rows: a.size("rows")?,
            missing: a.uint("missing")? == 1,
            rings: a.size("rings")?,
        };
        let whole = (1..=3).contains(&column.parts)
            && column.rows > 0
            && column.rows.is_multiple_of(column.rings.max(1));
        if !whole || column.rings > 2 || !column.fits() {
            return Err(crate::Error::Operator {
                op: "column".into(),
                what: "rows and rings".into(),
                found: format!("{} rows in {} rings at n = {}", column.rows, column.rings, column.n),
                expected: "up to two rings of equal length, each within n/2 slots".into(),
            });
        }
        Ok(column)
    }

    /// As a value type.
    pub fn ty(&self) -> ValueType {
        let attrs = Attrs::new().with("n", self.n).with("t", self.t.as_slice()).with("q", self.q.as_slice());
        let attrs = attrs.with("parts", self.parts).with("rows", self.rows).with("rings", self.rings);
        let values = self.value_units();
        let mask = if self.missing { self.values_with_parts(2).value_units() } else { 0 };
        ValueType::new("column", values + mask, attrs.with("missing", u64::from(self.missing)))
    }

    /// Rows of a ring, or of the whole column where it has none.
    pub fn ring_rows(&self) -> usize {
        self.rows / self.rings.max(1)
    }

    /// True when the rings fit into the rows of slots, one each.
    pub fn fits(&self) -> bool {
        self.rings == 0 || self.ring_rows().next_power_of_two() <= self.n / 2
    }

    /// Slots from one row to the next.
    pub fn stride(&self) -> usize {
        let rows = self.ring_rows();
        if rows <= self.n / 2 { self.n / 2 / rows.max(1).next_power_of_two() } else { 1 }
    }

    /// Ciphertexts per plaintext modulus.
    pub fn chunks(&self) -> usize {
        self.rows.div_ceil(self.n)
    }

    /// Which rows lie where in chunk number `chunk`, in order.
    pub fn rows_in(&self, chunk: usize) -> Vec<Rows> {
        let stride = self.stride();
        if self.rings == 0 {
            let first = chunk * self.n;
            return vec![Rows { first, count: self.n.min(self.rows - first), slot: 0, stride }];
        }
        let count = self.ring_rows();
        let ring = |ring: usize| Rows { first: ring * count, count, slot: ring * (self.n / 2), stride };
        (0..self.rings).map(ring).collect()
    }

    /// The slots of chunk number `chunk`, of which those of rows have values.
    pub fn slots(&self, chunk: usize, value: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut slots = vec![0; self.n];
        for rows in self.rows_in(chunk) {
            let places = slots[rows.slot..].iter_mut().step_by(rows.stride);
            for (slot, row) in places.zip(rows.first..rows.first + rows.count) {
                *slot = value(row);
            }
        }
        slots
    }

    /// The Galois elements that sum the slots of the column, into each slot of a row.
    pub fn sum_elements(&self) -> Vec<u64> {
        let stride = self.stride();
        let steps = (self.n / 2 / stride).trailing_zeros();
        let mut elements: Vec<u64> =
            (0..steps).map(|k| galois_element(self.n, (stride as i64) << k)).collect();
        if self.rings == 2 || self.ring_rows() > self.n / 2 {
            elements.push(galois_conjugate(self.n));
        }
        elements
    }

    /// Ciphertexts in all, with those of the mask.
    pub fn ciphertexts(&self) -> usize {
        self.t.len() * self.chunks() * if self.missing { 2 } else { 1 }
    }

    /// The column at the level of its first `level` primes.
    #[must_use]
    pub fn at_level(&self, level: usize) -> Self {
        Self { q: self.q[..level].to_vec(), ..self.clone() }
    }

    /// The column without its mask, with that many parts.
    #[must_use]
    pub fn values_with_parts(&self, parts: usize) -> Self {
        Self { parts, missing: false, ..self.clone() }
    }

    fn value_units(&self) -> u64 {
        self.t.len() as u64 * self.chunks() as u64 * self.ciphertext(0).units()
    }

    /// The type of the ciphertexts for plaintext modulus number `index`.
    pub fn ciphertext(&self, index: usize) -> Ciphertext {
        Ciphertext::new(self.n, self.q.clone(), self.parts, Scheme::Bfv { t: self.t[index] })
    }
}

/// Rows that lie in slots of one ciphertext at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The first row.
    pub first: usize,
    /// Their number.
    pub count: usize,
    /// The slot of the first.
    pub slot: usize,
    /// Slots from one to the next.
    pub stride: usize,
}

/// One encrypted integer: a ciphertext per plaintext modulus, the value in slot 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Ring dimension.
    pub n: usize,
    /// Plaintext moduli.
    pub t: Vec<u64>,
    /// Primes of the level.
    pub q: Vec<u64>,
}

impl Number {
    /// Reads a `number` or `statistic` type.
    ///
    /// # Errors
    /// `Graph` when an attribute is missing.
    pub fn of(ty: &ValueType) -> Result<Self> {
        Ok(Self { n: dimension(ty)?, t: moduli(ty, "t")?, q: moduli(ty, "q")? })
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with("n", self.n).with("t", self.t.as_slice()).with("q", self.q.as_slice())
    }

    /// As a value type.
    pub fn ty(&self) -> ValueType {
        ValueType::new("number", self.units(), self.attrs())
    }

    fn units(&self) -> u64 {
        self.t.len() as u64 * self.ciphertext(0).units()
    }

    /// The type of the ciphertext for plaintext modulus number `index`.
    pub fn ciphertext(&self, index: usize) -> Ciphertext {
        Ciphertext::new(self.n, self.q.clone(), 2, Scheme::Bfv { t: self.t[index] })
    }

    /// Several numbers one after the other, named: the raw sums of a statistic.
    pub fn statistic(&self, parts: &[&str]) -> ValueType {
        let names: Vec<String> = parts.iter().map(|&p| p.to_owned()).collect();
        ValueType::new("statistic", parts.len() as u64 * self.units(), self.attrs().with("parts", names))
    }
}

/// Several encrypted integers, named, as they leave a program: some share ciphertexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    /// Ring dimension.
    pub n: usize,
    /// Plaintext moduli.
    pub t: Vec<u64>,
    /// Primes of the level.
    pub q: Vec<u64>,
    /// Names.
    pub parts: Vec<String>,
    /// For each part and plaintext modulus, the number of its ciphertext, in order of first appearance.
    pub at: Vec<usize>,
    /// For each part and plaintext modulus, its slot there.
    pub slots: Vec<usize>,
}

impl Sums {
    /// Reads a `sums` type.
    ///
    /// # Errors
    /// `Graph` when an attribute is missing.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let a = &ty.attrs;
        let sizes = |name: &str| -> Result<Vec<usize>> {
            Ok(a.uints(name)?.into_iter().map(|v| usize::try_from(v).unwrap_or(usize::MAX)).collect())
        };
        let (t, q, parts) = (moduli(ty, "t")?, moduli(ty, "q")?, a.texts("parts")?.to_vec());
        Ok(Self { n: dimension(ty)?, t, q, parts, at: sizes("at")?, slots: sizes("slots")? })
    }

    /// As a value type.
    pub fn ty(&self) -> ValueType {
        let words = |list: &[usize]| list.iter().map(|&v| v as u64).collect::<Vec<u64>>();
        let attrs = Attrs::new().with("n", self.n).with("t", self.t.as_slice()).with("q", self.q.as_slice());
        let attrs = attrs.with("parts", self.parts.clone()).with("at", words(&self.at));
        let units = self.ciphertexts() as u64 * self.ciphertext(0).units();
        ValueType::new("sums", units, attrs.with("slots", words(&self.slots)))
    }

    /// How many ciphertexts.
    pub fn ciphertexts(&self) -> usize {
        self.at.iter().max().map_or(0, |last| last + 1)
    }

    /// The type of a ciphertext for plaintext modulus number `index`.
    fn ciphertext(&self, index: usize) -> Ciphertext {
        Ciphertext::new(self.n, self.q.clone(), 2, Scheme::Bfv { t: self.t[index] })
    }

    /// What is read from ciphertext number `ciphertext`, and its plaintext modulus.
    fn reads(&self, ciphertext: usize) -> (Vec<Read>, usize) {
        let here = self.at.iter().enumerate().filter(|(_, at)| **at == ciphertext).map(|(index, _)| index);
        let read = |index: usize| {
            let part = self.parts[index / self.t.len()].clone();
            Read { part, rows: Rows { first: 0, count: 1, slot: self.slots[index], stride: 1 } }
        };
        let modulus = here.clone().next().unwrap_or(0) % self.t.len();
        (here.map(read).collect(), modulus)
    }
}

/// All evaluation keys of a program, one after the other; named `relinearization@L` and `galois G@L` with L the
/// number of primes of the level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Ring dimension.
    pub n: usize,
    /// All data primes; the key at level L has the first L.
    pub q: Vec<u64>,
    /// Special primes.
    pub special: Vec<u64>,
    /// Primes per digit.
    pub digit: usize,
    /// The keys, in order.
    pub names: Vec<KeyName>,
}

/// What a switching key switches from, and at which level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyName {
    /// From s^2, at a level of so many primes.
    Relinearization(usize),
    /// That of the automorphism by g, from s to s(X^(1/g)), at a level of so many primes.
    Galois(u64, usize),
}

impl KeyName {
    /// Primes of its level.
    pub fn level(&self) -> usize {
        match self {
            Self::Relinearization(level) | Self::Galois(_, level) => *level,
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        let (what, level) = name.split_once('@')?;
        let level = level.parse().ok()?;
        match what.strip_prefix("galois ") {
            Some(g) => Some(Self::Galois(g.parse().ok()?, level)),
            None if what == "relinearization" => Some(Self::Relinearization(level)),
            None => None,
        }
    }
}

impl std::fmt::Display for KeyName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Relinearization(level) => write!(f, "relinearization@{level}"),
            Self::Galois(g, level) => write!(f, "galois {g}@{level}"),
        }
    }
}

impl Keys {
    /// Reads a `keys` type.
    ///
    /// # Errors
    /// `Graph` or `Operator` when an attribute is missing or a name or level is wrong.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let a = &ty.attrs;
        let q = moduli(ty, "q")?;
        let name = |name: &String| KeyName::parse(name).filter(|k| (1..=q.len()).contains(&k.level()));
        let names: Option<Vec<KeyName>> = a.texts("names")?.iter().map(name).collect();
        let names = names.ok_or_else(|| crate::Error::Operator {
            op: "keys".into(),
            what: "names".into(),
            found: format!("{:?}", a.get("names")),
            expected: "relinearization@L or galois G@L".into(),
        })?;
        let digit = a.size("digit")?;
        if digit == 0 {
            return Err(crate::Error::Operator {
                op: "keys".into(),
                what: "digit".into(),
                found: "0".into(),
                expected: "at least 1".into(),
            });
        }
        Ok(Self { n: dimension(ty)?, q, special: moduli(ty, "special")?, digit, names })
    }

    /// As a value type.
    pub fn ty(&self) -> ValueType {
        let names: Vec<String> = self.names.iter().map(ToString::to_string).collect();
        let attrs = Attrs::new().with("n", self.n).with("q", self.q.as_slice()).with("digit", self.digit);
        let attrs = attrs.with("special", self.special.as_slice()).with("names", names);
        ValueType::new("keys", self.names.iter().map(|k| self.units(k)).sum(), attrs)
    }

    /// The type of one key.
    pub fn key(&self, name: &KeyName) -> SwitchingKey {
        let q = self.q[..name.level()].to_vec();
        SwitchingKey { n: self.n, q, special: self.special.clone(), digit: self.digit, factor: 1 }
    }

    /// Where a key starts, in units.
    pub fn offset(&self, name: &KeyName) -> Option<u64> {
        let index = self.names.iter().position(|k| k == name)?;
        Some(self.names[..index].iter().map(|k| self.units(k)).sum())
    }

    /// Units of one key: those of [`Keys::key`], without making its type.
    fn units(&self, name: &KeyName) -> u64 {
        let level = name.level();
        (2 * level.div_ceil(self.digit) * (level + self.special.len()) * self.n) as u64
    }
}

/// Checks that an operator has that many operands, and at most the keys behind them.
pub fn columns_and_keys(call: &Call<'_>, expected: usize) -> Result<()> {
    let keys = call.inputs.last().is_some_and(|ty| ty.head == "keys");
    match call.inputs.len() - usize::from(keys) {
        found if found == expected => Ok(()),
        found => Err(call.error("number of operands", found, expected)),
    }
}

/// A key out of the operator's last input, which holds them all.
pub fn key(s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId], name: &KeyName) -> Result<OperandId> {
    let missing = || crate::Error::MissingKey { name: name.to_string() };
    let index = call.inputs.iter().position(|t| t.head == "keys").ok_or_else(missing)?;
    let keys = Keys::of(&call.inputs[index])?;
    let offset = keys.offset(name).ok_or_else(missing)?;
    s.split(inputs[index], offset, keys.key(name).ty())
}

/// The ciphertexts of a column's values, `[t][chunk]`.
pub fn ciphertexts(s: &mut Session<'_>, column: OperandId) -> Result<Vec<Vec<OperandId>>> {
    let ty = Column::of(s.ty(column))?;
    let units = ty.ciphertext(0).units();
    let at = |t: usize, chunk: usize| (t * ty.chunks() + chunk) as u64 * units;
    (0..ty.t.len())
        .map(|t| (0..ty.chunks()).map(|c| s.split(column, at(t, c), ty.ciphertext(t).ty())).collect())
        .collect()
}

/// A column's values without the mask.
pub fn values(s: &mut Session<'_>, column: OperandId) -> Result<OperandId> {
    let ty = Column::of(s.ty(column))?;
    s.split(column, 0, ty.values_with_parts(ty.parts).ty())
}

/// A column's mask, as a column; `None` when no cell can be missing.
pub fn mask(s: &mut Session<'_>, column: OperandId) -> Result<Option<OperandId>> {
    let ty = Column::of(s.ty(column))?;
    if !ty.missing {
        return Ok(None);
    }
    let from = ty.values_with_parts(ty.parts).ty().size;
    Ok(Some(s.split(column, from, ty.values_with_parts(2).ty())?))
}

/// Known values of the rows in chunk number `chunk` of a column, encoded modulo `t`; they are below it.
pub fn plaintext(
    s: &mut Session<'_>,
    column: &Column,
    t: u64,
    chunk: usize,
    value: impl Fn(usize) -> u64,
) -> Result<OperandId> {
    let mut values = column.slots(chunk, value);
    values.truncate(values.iter().rposition(|&v| v != 0).map_or(0, |last| last + 1));
    let attrs = Attrs::new().with("n", column.n).with("t", t).with("values", values);
    let slots = s.op("slots.constant", attrs, &[])?;
    s.op("slots.encode", Attrs::new(), &[slots])
}

/// The ciphertext with the first `level` primes only; as it is where it has no more.
pub fn at_level(s: &mut Session<'_>, ciphertext: OperandId, level: usize) -> Result<OperandId> {
    if Ciphertext::of(s.ty(ciphertext))?.q.len() <= level {
        return Ok(ciphertext);
    }
    s.op("bfv.mod_switch", Attrs::new().with("keep", level), &[ciphertext])
}

/// Attribute `low`: the primes of the level that an operator works at, at most those of the column.
///
/// # Errors
/// `Operator` for a level that the column is below.
pub fn low(call: &Call<'_>, column: &Column) -> Result<usize> {
    let low = call.attrs.size("low")?;
    if low == 0 || low > column.q.len() {
        return Err(call.error("low", low, format!("1 to {}", column.q.len())));
    }
    Ok(low)
}

/// Two parts at the same level: relinearizes where there are three.
pub fn two_parts(
    s: &mut Session<'_>,
    call: &Call<'_>,
    inputs: &[OperandId],
    ciphertext: OperandId,
) -> Result<OperandId> {
    let ty = Ciphertext::of(s.ty(ciphertext))?;
    if ty.parts == 2 {
        return Ok(ciphertext);
    }
    let key = key(s, call, inputs, &KeyName::Relinearization(ty.q.len()))?;
    s.op("rlwe.relinearize", Attrs::new(), &[ciphertext, key])
}

/// Integers in the slots of an output's ciphertext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The part of the output that they belong to: `values`, `value`, or a sum of a statistic.
    pub part: String,
    /// Which rows, and in which slots.
    pub rows: Rows,
}

/// One ciphertext of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputCiphertext {
    /// What it holds.
    pub reads: Vec<Read>,
    /// Where it starts in the output, units.
    pub offset: u64,
    /// Its plaintext modulus.
    pub t: u64,
    /// Its type.
    pub ty: Ciphertext,
}

/// The ciphertexts of an output of type column or sums; those of one part in order of plaintext modulus.
///
/// # Errors
/// `Operator` for other types.
pub fn output_ciphertexts(ty: &ValueType) -> Result<Vec<OutputCiphertext>> {
    let mut all = Vec::new();
    let mut offset = 0;
    let mut push = |reads: Vec<Read>, t: u64, ty: Ciphertext| {
        let units = ty.units();
        all.push(OutputCiphertext { reads, offset, t, ty });
        offset += units;
    };
    match ty.head.as_str() {
        "column" => {
            let column = Column::of(ty)?;
            for t in 0..column.t.len() {
                for chunk in 0..column.chunks() {
                    let read = |rows: Rows| Read { part: "values".to_owned(), rows };
                    let reads = column.rows_in(chunk).into_iter().map(read).collect();
                    push(reads, column.t[t], column.ciphertext(t));
                }
            }
        }
        "sums" => {
            let sums = Sums::of(ty)?;
            for ciphertext in 0..sums.ciphertexts() {
                let (reads, modulus) = sums.reads(ciphertext);
                push(reads, sums.t[modulus], sums.ciphertext(modulus));
            }
        }
        other => {
            return Err(crate::Error::Operator {
                op: "output".into(),
                what: "type".into(),
                found: other.to_owned(),
                expected: "column or sums".into(),
            });
        }
    }
    Ok(all)
}
