//! Chunks that the npm package wrote (`pkg-tests/mpi/fixtures.mjs`): they are read, and written to the same bytes.

use cipherloom_runner::chunk::{Row, decode, encode};
use cipherloom_runner::data::{Data, Object};
use cipherloom_runner::key::Key;

fn text(text: &str) -> Key {
    Key::Text(text.into())
}

fn object<const N: usize>(properties: [(&str, Data); N]) -> Data {
    Data::Object(Object::new(properties.map(|(name, value)| (name.to_owned(), value))))
}

fn check(bytes: &[u8], rows: &[Row]) {
    // As text, since -0 is 0 and NaN is not itself.
    assert_eq!(format!("{:?}", decode(bytes).unwrap()), format!("{rows:?}"));
    assert_eq!(encode(rows).unwrap(), bytes);
    for length in 0..bytes.len() {
        assert_eq!(decode(&bytes[..length]).unwrap_err().code, "job.chunk");
    }
    // Whatever the bytes are, they are rows or told to be none.
    for at in 0..bytes.len() {
        for change in [1, 0x10, 0x80, 0xff] {
            let mut changed = bytes.to_vec();
            changed[at] ^= change;
            if let Ok(rows) = decode(&changed) {
                encode(&rows).unwrap();
            }
        }
    }
}

#[test]
fn keys_that_count() {
    let rows = [3.0, 4.0, 5.0, 6.0].map(|key| (Key::Number(key), Data::Number(key / 3.0)));
    check(include_bytes!("fixtures/counted.chunk"), &rows);
}

#[test]
fn keys_that_are_numbers() {
    let rows = [(-1.5, -0.0), (2.0, f64::INFINITY), (0.0, 5e-324)];
    let rows = rows.map(|(key, value)| (Key::Number(key), Data::Number(value)));
    check(include_bytes!("fixtures/numbers.chunk"), &rows);
}

#[test]
fn texts() {
    let rows =
        [(text(""), "é".into()), (text("b😀"), "\u{ff01}".repeat(40)), (Key::Number(7.0), "x".repeat(300))];
    check(include_bytes!("fixtures/texts.chunk"), &rows.map(|(key, value)| (key, Data::Text(value))));
}

#[test]
fn positions() {
    let rows = [
        (Key::Position(0.0, 1.0), Data::Number(2.0)),
        (Key::Position(9_007_199_254_740_991.0, 0.0), Data::Number(-7.25)),
    ];
    check(include_bytes!("fixtures/positions.chunk"), &rows);
}

#[test]
fn values() {
    let arrays = vec![
        Data::Bytes(vec![1, 255]),
        Data::Doubles(vec![-0.0, 1.0 / 3.0]),
        Data::Floats(vec![0.5]),
        Data::Ints(vec![-1]),
        Data::Words(vec![u32::MAX]),
    ];
    let flags = vec![Data::Bool(true), Data::Bool(false), Data::List(vec![])];
    let own = object([
        ("z", Data::Number(1.0)),
        ("a", object([("deep", Data::List(vec![object([])]))])),
        ("2", Data::Text("two".into())),
        ("10", Data::Text("ten".into())),
    ]);
    let rows = [
        (text("nothing"), Data::Null),
        (text("flags"), Data::List(flags)),
        (text("arrays"), Data::List(arrays)),
        (text("object"), own),
        (text("bytes"), Data::Bytes((0..300).map(|at| at as u8).collect())),
        (text("one of 16 bytes"), Data::Bytes(vec![0; 16])),
    ];
    check(include_bytes!("fixtures/values.chunk"), &rows);
}

#[test]
fn what_announces_more_than_there_is() {
    // An array of 2^32 - 1 rows, in arrays that do not end, and an extension of as many bytes.
    for body in [&[0xdd, 0xff, 0xff, 0xff, 0xff][..], &[0x91; 4000], &[0xc9, 0xff, 0xff, 0xff, 0xff, 2]] {
        let bytes = [&[1], body].concat();
        assert_eq!(decode(&bytes).unwrap_err().code, "job.chunk");
    }
    assert_eq!(decode(&[]).unwrap_err().code, "job.chunk");
    assert_eq!(decode(&[2, 0x90]).unwrap_err().code, "job.chunk");
}
