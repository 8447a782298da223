//! Value types of plain data: tensors of elements of 1 to 64 bits.

use super::Call;
use crate::Result;
use crate::graph::{Attrs, GraphError, ValueType};
use std::fmt;
use std::sync::Arc;

/// What a tensor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// 0 or 1, in one bit.
    Bit,
    /// 0 to 2^8 - 1.
    U8,
    /// -2^31 to 2^31 - 1, two's complement.
    I32,
    /// 0 to 2^32 - 1.
    U32,
    /// -2^63 to 2^63 - 1, two's complement.
    I64,
    /// 0 to 2^64 - 1.
    U64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Element {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Bit, Self::U8, Self::I32, Self::U32, Self::I64, Self::U64, Self::F32, Self::F64];

    /// Its name: the head of the type, and what operators on it begin with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bit => "bit",
            Self::U8 => "u8",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The element of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Bits that one takes up.
    pub const fn bits(self) -> u64 {
        match self {
            Self::Bit => 1,
            Self::U8 => 8,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
        }
    }

    /// True for `f32` and `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A tensor: elements one after the other, the first dimension outermost, little-endian; bits from the lowest of a byte up.
/// No dimension at all is one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// What it holds.
    pub element: Element,
    /// How many along each dimension.
    pub shape: Vec<u64>,
}

impl Tensor {
    /// Most elements of a tensor.
    pub const MOST_ELEMENTS: u64 = 1 << 40;

    /// A tensor type.
    pub fn new(element: Element, shape: impl Into<Vec<u64>>) -> Self {
        Self { element, shape: shape.into() }
    }

    /// Reads a tensor type of a graph whose unit has `unit` bits.
    ///
    /// # Errors
    /// `Graph` for a type that is none, or whose size does not fit its shape.
    pub fn of(ty: &ValueType, unit: u32) -> Result<Self> {
        let wrong = |expected| GraphError::Attribute { name: "type".into(), found: ty.to_string(), expected };
        let element = Element::named(&ty.head)
            .ok_or_else(|| wrong("a tensor: bit, u8, i32, u32, i64, u64, f32 or f64"))?;
        let tensor = Self { element, shape: ty.attrs.uints("shape")? };
        match tensor.units(unit) {
            Some(units) if units == ty.size => Ok(tensor),
            _ => Err(wrong("a size that fits the shape, none of whose dimensions is 0").into()),
        }
    }

    /// How many elements; none for a dimension of 0 or more than [`Tensor::MOST_ELEMENTS`].
    pub fn checked_len(&self) -> Option<u64> {
        let len = self.shape.iter().try_fold(1u64, |len, &d| len.checked_mul(d))?;
        (1..=Self::MOST_ELEMENTS).contains(&len).then_some(len)
    }

    /// How many elements; 0 for a shape that no type has.
    pub fn len(&self) -> usize {
        self.checked_len().unwrap_or(0) as usize
    }

    /// True for a shape that no type has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the elements take up, the last one perhaps in part.
    pub fn bytes(&self) -> usize {
        (self.len() as u64 * self.element.bits()).div_ceil(8) as usize
    }

    fn units(&self, unit: u32) -> Option<u64> {
        let bits = self.checked_len()? * self.element.bits();
        bits.is_multiple_of(unit.into()).then(|| bits / u64::from(unit))
    }

    /// As a value type of a graph whose unit has `unit` bits.
    ///
    /// # Errors
    /// `Graph` for a dimension of 0, too many elements, or elements that are no whole number of units: what would fill
    /// the last unit up could be split off, merged and read.
    pub fn ty(&self, unit: u32) -> Result<ValueType> {
        let size = self.units(unit).ok_or_else(|| GraphError::Attribute {
            name: "shape".into(),
            found: format!("{self} in a graph of unit {unit}"),
            expected: "dimensions of at least 1, at most 2^40 elements, a whole number of units",
        })?;
        Ok(ValueType::new(self.element.name(), size, Attrs::new().with("shape", self.shape.as_slice())))
    }

    /// The attributes of the `constant` that holds these bytes.
    pub fn constant(&self, value: Arc<[u8]>) -> Attrs {
        let attrs = Attrs::new().with("of", self.element.name()).with("shape", self.shape.as_slice());
        attrs.with("value", value)
    }

    /// Elements before each step along `axis`, along it, and after: as three nested loops run over them.
    pub fn around(&self, axis: usize) -> (usize, usize, usize) {
        let product = |dims: &[u64]| dims.iter().product::<u64>() as usize;
        (product(&self.shape[..axis]), self.shape[axis] as usize, product(&self.shape[axis + 1..]))
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.element, self.shape)
    }
}

/// The alignment that kernels rely on for a type, bits: that of its elements, whole words for types of lattice algebra.
pub fn alignment(ty: &ValueType) -> u64 {
    match Element::named(&ty.head) {
        Some(element) => element.bits().max(8),
        None if ty.head == "raw" => 8,
        None => 64,
    }
}

impl Call<'_> {
    /// Input `index` as a tensor.
    ///
    /// # Errors
    /// `Operator` when it is none or missing.
    pub fn tensor(&self, index: usize) -> Result<Tensor> {
        let ty = self
            .inputs
            .get(index)
            .ok_or_else(|| self.error("number of inputs", self.inputs.len(), index + 1))?;
        Tensor::of(ty, self.unit).map_err(|_| self.error(format!("input {index}"), ty, "a tensor"))
    }

    /// Input `index` as a tensor of that element.
    ///
    /// # Errors
    /// `Operator` when it is none.
    pub fn tensor_of(&self, index: usize, element: Element) -> Result<Tensor> {
        let tensor = self.tensor(index)?;
        if tensor.element != element {
            return Err(self.error(format!("input {index}"), &tensor, format!("a tensor of {element}")));
        }
        Ok(tensor)
    }

    /// Attribute `axis` as a dimension of a tensor.
    ///
    /// # Errors
    /// `Operator` when there is no such dimension.
    pub fn axis(&self, tensor: &Tensor) -> Result<usize> {
        let axis = self.attrs.size("axis")?;
        if axis >= tensor.shape.len() {
            return Err(self.error("axis", axis, format!("a dimension of {tensor}, counted from 0")));
        }
        Ok(axis)
    }
}
