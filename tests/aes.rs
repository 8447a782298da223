//! AES and its modes as graphs: the standards' vectors at three granularities, and random messages against a model.

mod model;

use cipherloom::circuit::{Circuit, CircuitBuilder, RunOptions, To};
use cipherloom::graph::{Attrs, OperandId};
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::{Level, Registry};
use cipherloom::platform::{Platform, Scalar, Simd};
use cipherloom::{Error, Result};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(cipherloom::registry()));

/// What a graph of single bits is made of: gates, constants, and what moves bits.
const GATES: [&str; 10] = [
    "bit.xor",
    "bit.and",
    "bit.not",
    "bit.reduce_xor",
    "bit.reduce_or",
    "bit.gather",
    "bit.transpose",
    "bit.broadcast",
    "constant",
    "copy",
];

#[derive(Clone, Copy, Debug)]
enum Granularity {
    /// Expanded to rounds first, and these on.
    Rounds,
    /// Bytes and tables.
    Bytes,
    /// Gates.
    Bits,
}

use Granularity::{Bits, Bytes, Rounds};

fn hex(text: &str) -> Vec<u8> {
    let text = if text == "-" { "" } else { text };
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// The operator types of a circuit.
fn types(circuit: &Circuit) -> BTreeSet<String> {
    circuit.graph().operators().iter().map(|op| circuit.graph().signature(op).name.clone()).collect()
}

/// A circuit over inputs of bytes, of these shapes; the first is a key, which is handed on as round keys.
fn circuit(unit: u32, op: &str, attrs: Attrs, shapes: &[&[u64]], key: usize) -> Result<Circuit> {
    let mut g = CircuitBuilder::new(unit, &REGISTRY)?;
    let mut inputs: Vec<OperandId> = Vec::new();
    for (index, &shape) in shapes.iter().enumerate() {
        let input = g.input(&index.to_string(), Tensor::new(Element::U8, shape).ty(unit)?)?;
        inputs.push(input);
    }
    inputs[key] = g.op("aes.key_schedule", Attrs::new(), &[inputs[key]])?;
    let out = g.op(op, attrs, &inputs)?;
    g.output("out", out);
    g.finish()
}

/// A circuit's operator at a granularity, ready to run; what it is made of is checked on the way.
fn at(granularity: Granularity, op: &str, attrs: Attrs, shapes: &[&[u64]], key: usize) -> Circuit {
    let unit = if matches!(granularity, Bits) { 1 } else { 8 };
    let whole = circuit(unit, op, attrs, shapes, key).unwrap();
    match granularity {
        Rounds => {
            let rounds = whole.expand(To::Level(Level::Polynomial)).unwrap();
            let names = types(&rounds);
            assert!(names.contains("aes.round") || names.contains("aes.inverse_round"), "{names:?}");
            rounds.expand(To::Platform(&Scalar::new())).unwrap()
        }
        Bytes => {
            let base = whole.expand(To::Platform(&Scalar::new())).unwrap();
            assert!(types(&base).contains("u8.gather"));
            base.optimize_by_default().unwrap()
        }
        Bits => {
            let base = whole.expand(To::Base(&GATES.map(str::to_owned))).unwrap();
            assert!(types(&base).iter().all(|name| GATES.contains(&name.as_str())));
            base.optimize_by_default().unwrap()
        }
    }
}

fn run(circuit: &Circuit, platform: &dyn Platform, data: &[&[u8]]) -> Vec<u8> {
    let execution = circuit.plan(platform, &[], RunOptions::default()).unwrap();
    let names: Vec<String> = (0..data.len()).map(|index| index.to_string()).collect();
    let data: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(data.iter().copied()).collect();
    let mut run = execution.start(&data, || 0.0).unwrap();
    run.finish();
    execution.output(&run, 0).unwrap()
}

/// An operator on blocks.
fn blocks(granularity: Granularity, op: &str, key: &[u8], blocks: &[u8]) -> Vec<u8> {
    let shapes: [&[u64]; 2] = [&[blocks.len() as u64 / 16, 16], &[key.len() as u64]];
    run(&at(granularity, op, Attrs::new(), &shapes, 1), &Scalar::new(), &[blocks, key])
}

fn counter_mode(granularity: Granularity, key: &[u8], counter: &[u8], message: &[u8]) -> Vec<u8> {
    let shapes: [&[u64]; 3] = [&[message.len() as u64], &[key.len() as u64], &[16]];
    run(&at(granularity, "aes.ctr", Attrs::new(), &shapes, 1), &Simd::new(), &[message, key, counter])
}

/// `aes.gcm_seal` or `aes.gcm_open`.
fn gcm(granularity: Granularity, op: &str, [key, iv, text, additional]: [&[u8]; 4]) -> Vec<u8> {
    let data: Vec<&[u8]> = [key, iv, text, additional].into_iter().filter(|part| !part.is_empty()).collect();
    let lengths: Vec<[u64; 1]> = data.iter().map(|part| [part.len() as u64]).collect();
    let shapes: Vec<&[u64]> = lengths.iter().map(|len| len.as_slice()).collect();
    let attrs = if text.is_empty() { Attrs::new().with("message", "none") } else { Attrs::new() };
    run(&at(granularity, op, attrs, &shapes, 0), &Scalar::new(), &data)
}

#[test]
fn key_schedules_are_those_of_the_standard() {
    // FIPS 197, appendix A: the last round keys.
    let vectors = [
        ("2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"),
        ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "fe4890d1e6188d0b046df344706c631e",
        ),
    ];
    for (key, last) in vectors {
        let key = hex(key);
        for unit in [8, 1] {
            let mut g = CircuitBuilder::new(unit, &REGISTRY).unwrap();
            let ty = Tensor::new(Element::U8, [key.len() as u64]).ty(unit).unwrap();
            let input = g.input("0", ty).unwrap();
            let keys = g.op("aes.key_schedule", Attrs::new(), &[input]).unwrap();
            g.output("out", keys);
            let base = g.finish().unwrap().expand(To::Platform(&Scalar::new())).unwrap();
            let found = run(&base, &Scalar::new(), &[&key]);
            assert_eq!(found.len(), 16 * (key.len() / 4 + 7));
            assert!(found.starts_with(&key) && found.ends_with(&hex(last)), "{found:02x?}");
        }
    }
}

#[test]
fn blocks_are_those_of_the_standard() {
    // FIPS 197, appendices B and C.
    let plain = "00112233445566778899aabbccddeeff";
    let vectors = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3243f6a8885a308d313198a2e0370734",
            "3925841d02dc09fbdc118597196a0b32",
        ),
        ("000102030405060708090a0b0c0d0e0f", plain, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        ("000102030405060708090a0b0c0d0e0f1011121314151617", plain, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            plain,
            "8ea2b7ca516745bfeafc49904b496089",
        ),
    ];
    for (key, plain, cipher) in vectors.map(|(key, plain, cipher)| (hex(key), hex(plain), hex(cipher))) {
        for granularity in [Rounds, Bytes, Bits] {
            assert_eq!(blocks(granularity, "aes.encrypt_blocks", &key, &plain), cipher, "{granularity:?}");
            assert_eq!(blocks(granularity, "aes.decrypt_blocks", &key, &cipher), plain, "{granularity:?}");
        }
    }
}

#[test]
fn steps_are_those_of_the_standard() {
    // FIPS 197, appendix B, round 1: the state's rows.
    let states = [
        ("aes.sub_bytes", "19a09ae93df4c6f8e3e28d48be2b2a08", "d4e0b81e27bfb44111985d52aef1e530"),
        ("aes.shift_rows", "d4e0b81e27bfb44111985d52aef1e530", "d4e0b81ebfb441275d52119830aef1e5"),
        ("aes.mix_columns", "d4e0b81ebfb441275d52119830aef1e5", "04e0482866cbf8068119d326e59a7a4c"),
    ];
    for (op, before, after) in states.map(|(op, before, after)| (op, hex(before), hex(after))) {
        for (op, from, to) in
            [(op.to_owned(), &before, &after), (op.replace('.', ".inverse_"), &after, &before)]
        {
            for unit in [8, 1] {
                let mut g = CircuitBuilder::new(unit, &REGISTRY).unwrap();
                let (tensor, data) = match unit {
                    8 => (Tensor::new(Element::U8, [4, 4, 1]), from.clone()),
                    _ => (Tensor::new(Element::Bit, [8, 4, 4, 1]), planes(from)),
                };
                let input = g.input("0", tensor.ty(unit).unwrap()).unwrap();
                let out = g.op(&op, Attrs::new(), &[input]).unwrap();
                g.output("out", out);
                let base = g.finish().unwrap().expand(To::Platform(&Scalar::new())).unwrap();
                let expected = if unit == 8 { to.clone() } else { planes(to) };
                assert_eq!(run(&base, &Scalar::new(), &[&data]), expected, "{op}, unit {unit}");
            }
        }
    }
}

/// Bit 0 of 16 bytes, then bit 1, and so on.
fn planes(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 16];
    for at in 0..128 {
        let (bit, byte) = (at / 16, at % 16);
        out[at / 8] |= (bytes[byte] >> bit & 1) << (at % 8);
    }
    out
}

#[test]
fn vectors_at_every_granularity() {
    let mut counts = [0; 3];
    for line in include_str!("aes/vectors.txt").lines() {
        let fields: Vec<Vec<u8>> = line.split(' ').skip(1).map(hex).collect();
        let [key, iv, message, additional, out] = <[Vec<u8>; 5]>::try_from(fields).unwrap();
        for granularity in [Rounds, Bytes, Bits] {
            match &line[..3] {
                "ecb" => {
                    counts[0] += 1;
                    assert_eq!(blocks(granularity, "aes.encrypt_blocks", &key, &message), out, "{line}");
                    assert_eq!(blocks(granularity, "aes.decrypt_blocks", &key, &out), message, "{line}");
                }
                "ctr" => {
                    counts[1] += 1;
                    assert_eq!(counter_mode(granularity, &key, &iv, &message), out, "{line}");
                }
                _ => {
                    counts[2] += 1;
                    let sealed = gcm(granularity, "aes.gcm_seal", [&key, &iv, &message, &additional]);
                    assert_eq!(sealed, out, "{granularity:?}: {line}");
                    let opened = gcm(granularity, "aes.gcm_open", [&key, &iv, &out, &additional]);
                    assert_eq!(opened, [message.as_slice(), &[1]].concat(), "{granularity:?}: {line}");
                }
            }
        }
    }
    assert_eq!(counts, [9, 27, 81]);
}

#[test]
fn what_was_changed_does_not_open() {
    let (key, iv) = (hex("000102030405060708090a0b0c0d0e0f"), hex("0102030405060708090a0b0c"));
    let (message, additional) = (b"attack at dawn, not at dusk".as_slice(), b"to: all".as_slice());
    let sealed = model::seal(&key, &iv, message, additional);
    let refused = vec![0; message.len() + 1];
    for granularity in [Bytes, Bits] {
        let shapes: [&[u64]; 4] = [&[16], &[12], &[sealed.len() as u64], &[additional.len() as u64]];
        let open = at(granularity, "aes.gcm_open", Attrs::new(), &shapes, 0);
        let opened = run(&open, &Scalar::new(), &[&key, &iv, &sealed, additional]);
        assert_eq!(opened, [message, &[1]].concat());
        // Every bit of the tag, and some of everything else.
        let tag = 8 * message.len();
        for bit in (0..tag).step_by(31).chain(tag..8 * sealed.len()) {
            let mut bad = sealed.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(run(&open, &Scalar::new(), &[&key, &iv, &bad, additional]), refused, "bit {bit}");
        }
        for part in 0..3 {
            let mut data = [key.clone(), iv.clone(), additional.to_vec()];
            *data[part].last_mut().unwrap() ^= 0x80;
            let [key, iv, additional] = &data;
            assert_eq!(run(&open, &Scalar::new(), &[key, iv, &sealed, additional]), refused);
        }
    }
}

#[test]
fn random_messages_agree_with_the_model() {
    let mut random = model::Random(1);
    for round in 0..25usize {
        let key = [16, 24, 32][round % 3];
        let length = |random: &mut model::Random, most: u64| (1 + random.next() % most) as usize;
        let lengths = [
            key,
            if round % 2 == 0 { 12 } else { length(&mut random, 40) },
            length(&mut random, 300),
            length(&mut random, 60),
        ];
        let shapes: Vec<[u64; 1]> = lengths.iter().map(|&len| [len as u64]).collect();
        let shapes: Vec<&[u64]> = shapes.iter().map(|shape| shape.as_slice()).collect();
        let seal = at(Bytes, "aes.gcm_seal", Attrs::new(), &shapes, 0);
        let execution = seal.plan(&Simd::new(), &[], RunOptions::default()).unwrap();
        for _ in 0..40 {
            let data = lengths.map(|len| random.bytes(len));
            let named: Vec<(&str, &[u8])> =
                ["0", "1", "2", "3"].into_iter().zip(data.iter().map(Vec::as_slice)).collect();
            let mut run = execution.start(&named, || 0.0).unwrap();
            run.finish();
            let [key, iv, message, additional] = &data;
            let expected = model::seal(key, iv, message, additional);
            assert_eq!(execution.output(&run, 0).unwrap(), expected, "{data:02x?}");
        }
    }
}

#[test]
fn many_blocks_agree_with_the_model() {
    // Both sides of every power of two up to 2^6 in blocks of the hash, and a counter of 32 bits that wraps.
    let mut random = model::Random(2);
    let (key, iv) = (random.bytes(16), random.bytes(12));
    for blocks in [1usize, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65] {
        let message = random.bytes(16 * blocks);
        let sealed = gcm(Bytes, "aes.gcm_seal", [&key, &iv, &message, &[]]);
        assert_eq!(sealed, model::seal(&key, &iv, &message, &[]), "{blocks} blocks");
    }
    let (counter, message) = (hex("00112233445566778899aabbfffffffe"), random.bytes(70));
    let expected = model::counter_mode(&key, &counter, &message, 4);
    for granularity in [Bytes, Bits] {
        let shapes: [&[u64]; 3] = [&[70], &[16], &[16]];
        let attrs = Attrs::new().with("counter_bits", 32u64);
        let wrapped = at(granularity, "aes.ctr", attrs, &shapes, 1);
        assert_eq!(run(&wrapped, &Scalar::new(), &[&message, &key, &counter]), expected);
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let error = |unit: u32, op: &str, attrs: Attrs, shapes: &[&[u64]], key: usize| match circuit(
        unit, op, attrs, shapes, key,
    )
    .map(|_| ())
    .unwrap_err()
    {
        Error::Operator { op, what, found, expected } => format!("{op}: {what}: {found}; {expected}"),
        other => panic!("{other:?}"),
    };
    let none = Attrs::new;
    assert_eq!(
        error(8, "aes.encrypt_blocks", none(), &[&[1, 16], &[17]], 1),
        "aes.key_schedule: input 0: u8[17]; a key: u8[16], u8[24] or u8[32]"
    );
    assert_eq!(
        error(8, "aes.encrypt_blocks", none(), &[&[16], &[16]], 1),
        "aes.encrypt_blocks: input 0: u8[16]; u8[blocks,16]"
    );
    assert_eq!(
        error(64, "aes.encrypt_blocks", none(), &[&[1, 16], &[16]], 1),
        "aes.key_schedule: unit of the graph: 64; 8 bits, or 1 for circuits of bits"
    );
    assert_eq!(error(8, "aes.ctr", none(), &[&[5], &[16], &[15]], 1), "aes.ctr: input 2: u8[15]; u8[16]");
    assert_eq!(
        error(8, "aes.ctr", none().with("counter_bits", 64u64), &[&[5], &[16], &[16]], 1),
        "aes.ctr: counter_bits: 64; 32 or 128"
    );
    assert_eq!(
        error(8, "aes.gcm_open", none(), &[&[16], &[12], &[15]], 0),
        "aes.gcm_open: input 2: u8[15]; a tag at its end: at least 16 bytes"
    );
    assert_eq!(
        error(8, "aes.gcm_seal", none(), &[&[16], &[12]], 0),
        "aes.gcm_seal: number of inputs: 2; 3 to 4"
    );
    assert_eq!(
        error(8, "aes.gcm_seal", none().with("message", "some"), &[&[16], &[12]], 0),
        "aes.gcm_seal: message: \"some\"; none, or no such attribute"
    );
    assert_eq!(
        error(8, "ghash.hash", none(), &[&[1, 15], &[16]], 1),
        "ghash.hash: input 0: u8[1, 15]; u8[blocks,16]"
    );
}
