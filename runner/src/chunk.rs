//! Rows as bytes: chunks, as the npm package writes them (`FORMAT.md`). The same rows give the same bytes here and there.

use crate::data::{Data, MOST_DEPTH, Object};
use crate::error::{Error, Result};
use crate::key::{Key, MOST_WHOLE, is_index};
use rmp::encode as write;
use rmpv::ValueRef;
use rmpv::decode::read_value_ref_with_max_depth;

/// A row.
pub type Row = (Key, Data);

const VERSION: u8 = 1;

const COUNTED: u8 = 0;
const NUMBERS: u8 = 1;
const POSITIONS: u8 = 2;
const LIST: u8 = 3;

/// Data are in columns, these in an array; the reader counts what is in them, too.
const MOST_ENCODED_DEPTH: usize = 2 * MOST_DEPTH + 16;

/// Extensions of typed arrays.
const BYTES: i8 = 1;
const DOUBLES: i8 = 2;
const FLOATS: i8 = 3;
const INTS: i8 = 4;
const WORDS: i8 = 5;

/// Rows as bytes.
///
/// # Errors
/// `job.chunk` for what is too large.
pub fn encode(rows: &[Row]) -> Result<Vec<u8>> {
    let mut out = vec![VERSION];
    rows_into(&mut out, rows)
        .map_err(|_| Error::new("job.chunk", format!("{} rows cannot be written as bytes", rows.len())))?;
    Ok(out)
}

/// Of a writer: writing to memory itself does not fail.
struct TooLarge;

type Written = std::result::Result<(), TooLarge>;

impl<E: rmp::encode::RmpWriteErr> From<write::ValueWriteError<E>> for TooLarge {
    fn from(_: write::ValueWriteError<E>) -> Self {
        Self
    }
}

fn rows_into(out: &mut Vec<u8>, rows: &[Row]) -> Written {
    write::write_array_len(out, 5)?;
    number(out, rows.len() as f64)?;
    keys_into(out, rows)?;
    let numbers: Option<Vec<f64>> = rows.iter().map(|(_, value)| plain_number(value)).collect();
    match numbers {
        Some(numbers) if !rows.is_empty() => {
            number(out, NUMBERS.into())?;
            doubles(out, &numbers)
        }
        _ => {
            number(out, LIST.into())?;
            write::write_array_len(out, length(rows.len())?)?;
            rows.iter().try_for_each(|(_, value)| data(out, value))
        }
    }
}

fn plain_number(value: &Data) -> Option<f64> {
    match *value {
        Data::Number(number) => Some(number),
        _ => None,
    }
}

fn keys_into(out: &mut Vec<u8>, rows: &[Row]) -> Written {
    let positions = rows.iter().map(|(key, _)| match *key {
        Key::Position(row, column) => Some([row, column]),
        _ => None,
    });
    if let Some(positions) = positions.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty()) {
        number(out, POSITIONS.into())?;
        return doubles(out, positions.as_flattened());
    }
    let numbers = rows.iter().map(|(key, _)| match *key {
        Key::Number(number) => Some(number),
        _ => None,
    });
    if let Some(numbers) = numbers.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty()) {
        let first = numbers[0];
        let counted =
            numbers.iter().zip(0u32..).all(|(&key, at)| key == first + f64::from(at) && is_index(key));
        if counted {
            number(out, COUNTED.into())?;
            return number(out, first);
        }
        number(out, NUMBERS.into())?;
        return doubles(out, &numbers);
    }
    number(out, LIST.into())?;
    write::write_array_len(out, length(rows.len())?)?;
    rows.iter().try_for_each(|(key, _)| match key {
        Key::Number(key) => number(out, *key),
        Key::Text(text) => string(out, text),
        Key::Position(row, column) => {
            write::write_array_len(out, 2)?;
            number(out, *row)?;
            number(out, *column)
        }
    })
}

fn length(length: usize) -> std::result::Result<u32, TooLarge> {
    u32::try_from(length).map_err(|_| TooLarge)
}

/// Numbers are doubles, also whole ones: so is -0.
fn number(out: &mut Vec<u8>, number: f64) -> Written {
    Ok(write::write_f64(out, number)?)
}

fn string(out: &mut Vec<u8>, text: &str) -> Written {
    length(text.len())?;
    Ok(write::write_str(out, text)?)
}

fn doubles(out: &mut Vec<u8>, numbers: &[f64]) -> Written {
    array(out, DOUBLES, numbers, |number| number.to_le_bytes())
}

fn array<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    extension: i8,
    items: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> Written {
    write::write_ext_meta(out, length(items.len().checked_mul(N).ok_or(TooLarge)?)?, extension)?;
    out.reserve(items.len() * N);
    items.iter().for_each(|&item| out.extend_from_slice(&bytes(item)));
    Ok(())
}

fn data(out: &mut Vec<u8>, value: &Data) -> Written {
    match value {
        Data::Null => out.push(0xc0),
        Data::Bool(flag) => out.push(0xc2 + u8::from(*flag)),
        Data::Number(value) => number(out, *value)?,
        Data::Text(text) => string(out, text)?,
        Data::Bytes(bytes) => {
            write::write_ext_meta(out, length(bytes.len())?, BYTES)?;
            out.extend_from_slice(bytes);
        }
        Data::Doubles(items) => doubles(out, items)?,
        Data::Floats(items) => array(out, FLOATS, items, f32::to_le_bytes)?,
        Data::Ints(items) => array(out, INTS, items, i32::to_le_bytes)?,
        Data::Words(items) => array(out, WORDS, items, u32::to_le_bytes)?,
        Data::List(items) => {
            write::write_array_len(out, length(items.len())?)?;
            items.iter().try_for_each(|item| data(out, item))?;
        }
        Data::Object(object) => {
            write::write_map_len(out, length(object.iter().len())?)?;
            for (name, value) in object.iter() {
                string(out, name)?;
                data(out, value)?;
            }
        }
    }
    Ok(())
}

/// The rows of a chunk.
///
/// # Errors
/// `job.chunk`, whatever the bytes are.
pub fn decode(bytes: &[u8]) -> Result<Vec<Row>> {
    let body = match bytes.split_first() {
        Some((&VERSION, body)) => body,
        Some((version, _)) => return Err(wrong(format!("are of version {version}, expected {VERSION}"))),
        None => return Err(wrong("are none")),
    };
    let columns = unpacked(body, MOST_ENCODED_DEPTH).ok_or_else(|| wrong("are not MessagePack"))?;
    let Some([rows, key_form, keys, value_form, values]) = columns.as_array().map(Vec::as_slice) else {
        return Err(wrong("have no columns: expected an array of 5"));
    };
    let values = values_of(value_form, values)?;
    if number_of(rows) != Some(values.len() as f64) {
        return Err(wrong(format!("have another number of values: {}", values.len())));
    }
    let keys = keys_of(key_form, keys, values.len())?;
    Ok(keys.into_iter().zip(values).collect())
}

/// One MessagePack value, and no byte more.
pub fn unpacked(mut bytes: &[u8], most_depth: usize) -> Option<ValueRef<'_>> {
    let value = read_value_ref_with_max_depth(&mut bytes, most_depth).ok()?;
    bytes.is_empty().then_some(value)
}

/// A number, however it was written.
pub fn number_of(value: &ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::F64(number) => Some(*number),
        ValueRef::F32(number) => Some((*number).into()),
        ValueRef::Integer(number) => number.as_f64(),
        _ => None,
    }
}

/// Text.
pub fn text_of<'v>(value: &'v ValueRef<'_>) -> Option<&'v str> {
    match value {
        ValueRef::String(text) => text.as_str(),
        _ => None,
    }
}

fn wrong(problem: impl std::fmt::Display) -> Error {
    Error::new("job.chunk", format!("The bytes of a chunk {problem}"))
}

fn form_of(form: &ValueRef<'_>) -> Option<u8> {
    number_of(form).filter(|form| (0.0..=3.0).contains(form) && form.fract() == 0.0).map(|form| form as u8)
}

fn keys_of(form: &ValueRef<'_>, column: &ValueRef<'_>, rows: usize) -> Result<Vec<Key>> {
    let unknown = || wrong("have keys of no known form");
    let keys: Vec<Key> = match (form_of(form).ok_or_else(unknown)?, column) {
        (COUNTED, first) => {
            let first =
                number_of(first).filter(|&first| is_index(first) && first + rows as f64 <= MOST_WHOLE);
            let first = first.ok_or_else(unknown)?;
            (0..rows).map(|row| Key::Number(first + row as f64)).collect()
        }
        (NUMBERS, ValueRef::Ext(DOUBLES, bytes)) => {
            items(bytes, f64::from_le_bytes).ok_or_else(unknown)?.into_iter().map(Key::Number).collect()
        }
        (POSITIONS, ValueRef::Ext(DOUBLES, bytes)) => {
            let numbers = items(bytes, f64::from_le_bytes).filter(|numbers| numbers.len().is_multiple_of(2));
            let numbers = numbers.ok_or_else(unknown)?;
            numbers.chunks_exact(2).map(|pair| Key::Position(pair[0], pair[1])).collect()
        }
        (LIST, ValueRef::Array(items)) => {
            let key = |item: &ValueRef<'_>| match item {
                ValueRef::String(_) => text_of(item).map(|text| Key::Text(text.to_owned())),
                _ => number_of(item).map(Key::Number),
            };
            items.iter().map(key).collect::<Option<_>>().ok_or_else(unknown)?
        }
        _ => return Err(unknown()),
    };
    if keys.len() != rows {
        return Err(wrong(format!("have another number of keys: {}, expected {rows}", keys.len())));
    }
    let bad = keys.iter().position(|key| match *key {
        Key::Number(number) => !number.is_finite() || (number == 0.0 && number.is_sign_negative()),
        Key::Position(row, column) => !is_index(row) || !is_index(column),
        Key::Text(_) => false,
    });
    match bad {
        Some(row) => Err(wrong(format!("have no key in row {row}"))),
        None => Ok(keys),
    }
}

fn values_of(form: &ValueRef<'_>, column: &ValueRef<'_>) -> Result<Vec<Data>> {
    let unknown = || wrong("have values of no known form");
    match (form_of(form), column) {
        (Some(NUMBERS), ValueRef::Ext(DOUBLES, bytes)) => {
            let numbers = items(bytes, f64::from_le_bytes).ok_or_else(unknown)?;
            Ok(numbers.into_iter().map(Data::Number).collect())
        }
        (Some(LIST), ValueRef::Array(values)) => {
            let value =
                |(row, value)| data_of(value, 0).ok_or_else(|| wrong(format!("have no value in row {row}")));
            values.iter().enumerate().map(value).collect()
        }
        _ => Err(unknown()),
    }
}

/// None for what no value of a vector can be.
fn data_of(value: &ValueRef<'_>, depth: usize) -> Option<Data> {
    let deeper = (depth < MOST_DEPTH).then_some(depth + 1);
    Some(match value {
        ValueRef::Nil => Data::Null,
        ValueRef::Boolean(flag) => Data::Bool(*flag),
        ValueRef::Integer(_) | ValueRef::F32(_) | ValueRef::F64(_) => Data::Number(number_of(value)?),
        ValueRef::String(_) => Data::Text(text_of(value)?.to_owned()),
        ValueRef::Binary(bytes) | ValueRef::Ext(BYTES, bytes) => Data::Bytes(bytes.to_vec()),
        ValueRef::Ext(DOUBLES, bytes) => Data::Doubles(items(bytes, f64::from_le_bytes)?),
        ValueRef::Ext(FLOATS, bytes) => Data::Floats(items(bytes, f32::from_le_bytes)?),
        ValueRef::Ext(INTS, bytes) => Data::Ints(items(bytes, i32::from_le_bytes)?),
        ValueRef::Ext(WORDS, bytes) => Data::Words(items(bytes, u32::from_le_bytes)?),
        ValueRef::Ext(..) => return None,
        ValueRef::Array(items) => {
            Data::List(items.iter().map(|item| data_of(item, deeper?)).collect::<Option<_>>()?)
        }
        ValueRef::Map(properties) => {
            let property = |(name, value): &(ValueRef<'_>, ValueRef<'_>)| {
                let name = text_of(name).filter(|name| *name != "__proto__")?.to_owned();
                Some((name, data_of(value, deeper?)?))
            };
            // None where it is too deep, also for one without properties.
            deeper?;
            Data::Object(Object::new(properties.iter().map(property).collect::<Option<Vec<_>>>()?))
        }
    })
}

/// Elements of a typed array; none where bytes are left.
fn items<T, const N: usize>(bytes: &[u8], item: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
    let (chunks, rest) = bytes.as_chunks::<N>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| item(chunk)).collect())
}
