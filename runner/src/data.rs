//! Values of rows, as the npm package has them: what JSON can say, bytes and typed arrays.

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A `Uint8Array`.
    Bytes(Vec<u8>),
    /// A `Float64Array`.
    Doubles(Vec<f64>),
    /// A `Float32Array`.
    Floats(Vec<f32>),
    /// An `Int32Array`.
    Ints(Vec<i32>),
    /// A `Uint32Array`.
    Words(Vec<u32>),
    /// A list.
    List(Vec<Data>),
    /// A plain object.
    Object(Object),
}

/// Lists and objects in each other: no deeper.
pub const MOST_DEPTH: usize = 64;

impl Data {
    /// What it is, for errors.
    pub fn sort(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Bytes(_) => "a Uint8Array",
            Self::Doubles(_) => "a Float64Array",
            Self::Floats(_) => "a Float32Array",
            Self::Ints(_) => "an Int32Array",
            Self::Words(_) => "a Uint32Array",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// About as many bytes does it take in a chunk: where chunks are cut depends on it, so that it is what the npm package counts.
    pub fn size(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => 8,
            Self::Text(text) => text_size(text) + 2,
            Self::Bytes(array) => array.len() + 8,
            Self::Doubles(array) => 8 * array.len() + 8,
            Self::Floats(array) => 4 * array.len() + 8,
            Self::Ints(array) => 4 * array.len() + 8,
            Self::Words(array) => 4 * array.len() + 8,
            Self::List(items) => items.iter().map(Self::size).sum::<usize>() + 8,
            Self::Object(object) => {
                object.iter().map(|(name, value)| text_size(name) + value.size()).sum::<usize>() + 8
            }
        }
    }
}

/// As JavaScript counts it: in UTF-16.
pub fn text_size(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// Values by name, in the order in which JavaScript has properties: whole numbers first, by size; then the others as they came. So rows have the same bytes here and
/// there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Vec<(String, Data)>);

impl Object {
    /// The last value of a name counts, at the place of the first.
    pub fn new(properties: impl IntoIterator<Item = (String, Data)>) -> Self {
        let mut own: Vec<(String, Data)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (name, value) in properties {
            match places.get(&name) {
                Some(&at) => {
                    let property: &mut (String, Data) = &mut own[at];
                    property.1 = value;
                }
                None => {
                    places.insert(name.clone(), own.len());
                    own.push((name, value));
                }
            }
        }
        own.sort_by_key(|(name, _)| index_of(name).map_or(u64::MAX, u64::from));
        Self(own)
    }

    /// Names and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Data)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Data> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }
}

/// A name that is an index of an array: 0 to 2^32 - 2, without zeros before it.
fn index_of(name: &str) -> Option<u32> {
    let number: u32 = name.parse().ok()?;
    (number != u32::MAX && number.to_string() == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_in_the_order_of_javascript() {
        let names = ["b", "10", "a", "2", "01", "4294967295", "b"];
        let object =
            Object::new(names.iter().zip(0..).map(|(&name, at)| (name.into(), Data::Number(at.into()))));
        let found: Vec<&str> = object.iter().map(|(name, _)| name).collect();
        assert_eq!(found, ["2", "10", "b", "a", "01", "4294967295"]);
        assert_eq!(object.get("b"), Some(&Data::Number(6.0)));
    }

    #[test]
    fn sizes_are_those_of_javascript() {
        assert_eq!(Data::Text("a😀".into()).size(), 5);
        let list = Data::List(vec![Data::Doubles(vec![0.0; 3]), Data::Null]);
        assert_eq!(list.size(), 8 + 32 + 8);
        assert_eq!(Data::Object(Object::new([("é".into(), list)])).size(), 8 + 1 + 48);
    }
}
