//! Attributes: the parameters of operator types and value types.

use super::{GraphError, hash};
use crate::sorted::SortedMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// One attribute value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attr {
    /// An integer.
    Int(i128),
    /// A list of integers.
    Ints(Arc<[i128]>),
    /// A word or a sentence.
    Text(String),
    /// A list of words.
    Texts(Arc<[String]>),
    /// A real number.
    Real(Real),
    /// Data: the value of a constant.
    Bytes(Arc<[u8]>),
}

/// A finite binary64. Two are equal where their bits are; there is one zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Real(u64);

impl Real {
    /// That number; none for an infinity or what is no number.
    pub fn new(value: f64) -> Option<Self> {
        // -0 + 0 = 0
        value.is_finite().then(|| Self((value + 0.0).to_bits()))
    }

    /// Its value.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Display for Real {
    /// The fewest digits that give this number back, always with a point or an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.get())
    }
}

impl From<Real> for Attr {
    fn from(v: Real) -> Self {
        Self::Real(v)
    }
}

impl From<u64> for Attr {
    fn from(v: u64) -> Self {
        Self::Int(i128::from(v))
    }
}
impl From<usize> for Attr {
    fn from(v: usize) -> Self {
        Self::Int(v as i128)
    }
}
impl From<i64> for Attr {
    fn from(v: i64) -> Self {
        Self::Int(i128::from(v))
    }
}
impl From<&str> for Attr {
    fn from(v: &str) -> Self {
        Self::Text(v.to_owned())
    }
}
impl From<&[u64]> for Attr {
    fn from(v: &[u64]) -> Self {
        Self::Ints(v.iter().map(|&x| i128::from(x)).collect())
    }
}
impl From<Vec<u64>> for Attr {
    fn from(v: Vec<u64>) -> Self {
        v.as_slice().into()
    }
}
impl From<Arc<[u8]>> for Attr {
    fn from(v: Arc<[u8]>) -> Self {
        Self::Bytes(v)
    }
}
impl From<Vec<String>> for Attr {
    fn from(v: Vec<String>) -> Self {
        Self::Texts(v.into())
    }
}

/// A JSON string literal: how the text form writes names and texts.
pub(super) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T>(f: &mut fmt::Formatter<'_>, items: &[T], show: impl Fn(&T) -> String) -> fmt::Result {
            write!(f, "[{}]", items.iter().map(show).collect::<Vec<_>>().join(","))
        }
        match self {
            Self::Int(v) => write!(f, "{v}"),
            Self::Ints(v) => list(f, v, ToString::to_string),
            Self::Text(v) => f.write_str(&quote(v)),
            // The mark keeps an empty list of words apart from an empty list of numbers.
            Self::Texts(v) => {
                f.write_str("$")?;
                list(f, v, |s| quote(s))
            }
            Self::Real(v) => write!(f, "{v}"),
            Self::Bytes(v) => write!(f, "@\"{}\"", STANDARD.encode(v)),
        }
    }
}

/// Named attributes, sorted by name. Copies share what they hold, and its hash is worked out once: signatures and types
/// are looked up often, and constants in them can be long.
#[derive(Clone, Debug, Default)]
pub struct Attrs(Option<Arc<Shared>>);

/// What none holds takes no memory: most operators of large graphs have no attributes.
static NONE: Shared = Shared { map: SortedMap::new(), hash: OnceLock::new() };

#[derive(Debug, Default)]
struct Shared {
    map: SortedMap<String, Attr>,
    hash: OnceLock<u64>,
}

impl Clone for Shared {
    fn clone(&self) -> Self {
        // Cloned to be changed.
        Self { map: self.map.clone(), hash: OnceLock::new() }
    }
}

impl Attrs {
    fn hash(&self) -> u64 {
        *self.shared().hash.get_or_init(|| hash(self.map()))
    }

    fn shared(&self) -> &Shared {
        self.0.as_deref().unwrap_or(&NONE)
    }

    fn map(&self) -> &SortedMap<String, Attr> {
        &self.shared().map
    }
}

impl PartialEq for Attrs {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.shared(), other.shared())
            || (self.hash() == other.hash() && self.map() == other.map())
    }
}

impl Eq for Attrs {}

impl Hash for Attrs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash());
    }
}

impl From<Vec<(String, Attr)>> for Attrs {
    /// Of values for the same name the last.
    fn from(all: Vec<(String, Attr)>) -> Self {
        if all.is_empty() {
            return Self::new();
        }
        let mut attrs = Self::new();
        Arc::make_mut(attrs.0.get_or_insert_default()).map = all.into();
        attrs
    }
}

impl Attrs {
    /// No attributes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same attributes and one more (or another value for a name that is there).
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Attr>) -> Self {
        let shared = Arc::make_mut(self.0.get_or_insert_default());
        shared.hash = OnceLock::new();
        shared.map.insert(name.to_owned(), value.into());
        self
    }

    /// The attribute of that name.
    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.map().get(name)
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Attr)> {
        self.map().iter().map(|(k, v)| (k.as_str(), v))
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.map().is_empty()
    }

    fn wrong(&self, name: &str, expected: &'static str) -> GraphError {
        let found = match self.get(name) {
            None => "nothing".to_owned(),
            // Data is for nobody's log.
            Some(Attr::Bytes(bytes)) => format!("{} bytes", bytes.len()),
            Some(other) => other.to_string(),
        };
        GraphError::Attribute { name: name.to_owned(), found, expected }
    }

    /// The integer of that name.
    ///
    /// # Errors
    /// `Attribute` when it is missing or not an integer.
    pub fn int(&self, name: &str) -> Result<i128, GraphError> {
        match self.get(name) {
            Some(Attr::Int(v)) => Ok(*v),
            _ => Err(self.wrong(name, "an integer")),
        }
    }

    /// The integer of that name, as an unsigned 64-bit number.
    ///
    /// # Errors
    /// `Attribute` when it is missing, not an integer, or outside 0..2^64.
    pub fn uint(&self, name: &str) -> Result<u64, GraphError> {
        let wrong = || self.wrong(name, "an integer from 0 to 2^64 - 1");
        u64::try_from(self.int(name).map_err(|_| wrong())?).map_err(|_| wrong())
    }

    /// The integer of that name, as a size.
    ///
    /// # Errors
    /// As [`Attrs::uint`], with 2^32 as the limit.
    pub fn size(&self, name: &str) -> Result<usize, GraphError> {
        let wrong = || self.wrong(name, "an integer from 0 to 2^32 - 1");
        u32::try_from(self.int(name).map_err(|_| wrong())?).map(|v| v as usize).map_err(|_| wrong())
    }

    /// The real number of that name; an integer is one.
    ///
    /// # Errors
    /// `Attribute` when it is missing or not a number.
    pub fn real(&self, name: &str) -> Result<f64, GraphError> {
        match self.get(name) {
            Some(Attr::Real(v)) => Ok(v.get()),
            Some(Attr::Int(v)) => Ok(*v as f64),
            _ => Err(self.wrong(name, "a number")),
        }
    }

    /// The list of unsigned integers of that name.
    ///
    /// # Errors
    /// `Attribute` when it is missing or not such a list.
    pub fn uints(&self, name: &str) -> Result<Vec<u64>, GraphError> {
        let wrong = || self.wrong(name, "a list of integers from 0 to 2^64 - 1");
        match self.get(name) {
            Some(Attr::Ints(v)) => v.iter().map(|&x| u64::try_from(x).map_err(|_| wrong())).collect(),
            _ => Err(wrong()),
        }
    }

    /// The text of that name.
    ///
    /// # Errors
    /// `Attribute` when it is missing or not a text.
    pub fn text(&self, name: &str) -> Result<&str, GraphError> {
        match self.get(name) {
            Some(Attr::Text(v)) => Ok(v),
            _ => Err(self.wrong(name, "a text")),
        }
    }

    /// The data of that name.
    ///
    /// # Errors
    /// `Attribute` when it is missing or no data.
    pub fn bytes(&self, name: &str) -> Result<&Arc<[u8]>, GraphError> {
        match self.get(name) {
            Some(Attr::Bytes(v)) => Ok(v),
            _ => Err(self.wrong(name, "data in base64")),
        }
    }

    /// The list of texts of that name.
    ///
    /// # Errors
    /// `Attribute` when it is missing or not such a list.
    pub fn texts(&self, name: &str) -> Result<&[String], GraphError> {
        match self.get(name) {
            Some(Attr::Texts(v)) => Ok(v),
            _ => Err(self.wrong(name, "a list of texts")),
        }
    }
}

impl fmt::Display for Attrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.map().iter().map(|(k, v)| format!("{k}={v}")).collect();
        write!(f, "{{{}}}", parts.join(", "))
    }
}
