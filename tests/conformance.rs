//! Every platform passes the conformance suite, and the suite sees what is wrong with one that should not.

use cipherloom::graph::ValueType;
use cipherloom::ops::{Call, OpDef, base, fused, plain};
use cipherloom::platform::conformance::{Failure, check, check_operators, try_operator};
use cipherloom::platform::{ByteKernel, Kernel, Null, Platform, Scalar, Simd, WordKernel};
use cipherloom::{Error, Result};
use std::sync::Arc;

fn passes(platform: &dyn Platform) {
    let report = check(platform).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(report.operators.len(), all().len());
    assert!(report.operators.iter().all(|(_, cases)| *cases >= 5), "{report:?}");
    assert!(report.words > 1_000_000, "{report:?}");
}

#[test]
fn scalar_passes() {
    passes(&Scalar::new());
}

#[test]
fn simd_passes() {
    passes(&Simd::new());
}

/// How a broken platform calls the right kernel.
type Detour = fn(&Right<'_>, &[&[u64]], &mut [u64], u32);

/// The right kernel, with scratch of its own.
struct Right<'a>(&'a Kernel);

impl Right<'_> {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], nonce: u32) {
        self.0.run(inputs, out, &mut vec![0; self.0.scratch()], nonce);
    }
}

/// How a broken platform calls the right kernel on bytes.
type ByteDetour = fn(&Kernel, &[&[u8]], &mut [u8]);

/// Runs the right kernel on bytes.
fn run_bytes(right: &Kernel, inputs: &[&[u8]], out: &mut [u8]) {
    match right {
        Kernel::Bytes(kernel) => kernel.run(inputs, out),
        _ => panic!("no kernel on bytes"),
    }
}

/// The scalar platform with one operator broken, on words or on bytes.
struct Broken<'a> {
    op: &'a str,
    scalar: Scalar,
    call: Detour,
    bytes: ByteDetour,
}

impl<'a> Broken<'a> {
    fn new(op: &'a str, call: Detour, bytes: ByteDetour) -> Self {
        Self { op, scalar: Scalar::new(), call, bytes }
    }
}

struct BrokenKernel {
    right: Kernel,
    call: Detour,
}

impl WordKernel for BrokenKernel {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], _: &mut [u64], nonce: u32) {
        (self.call)(&Right(&self.right), inputs, out, nonce);
    }
}

struct BrokenBytes {
    right: Kernel,
    call: ByteDetour,
}

impl ByteKernel for BrokenBytes {
    fn run(&self, inputs: &[&[u8]], out: &mut [u8]) {
        (self.call)(&self.right, inputs, out);
    }
}

impl Platform for Broken<'_> {
    fn name(&self) -> &str {
        "broken"
    }
    fn implements(&self, op: &str) -> bool {
        self.scalar.implements(op)
    }
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let right = self.scalar.kernel(call, output)?;
        Ok(match right {
            right if call.name != self.op => right,
            right @ Kernel::Words(_) => Kernel::on_words(BrokenKernel { right, call: self.call }),
            right @ Kernel::Bytes(_) => Kernel::on_bytes(BrokenBytes { right, call: self.bytes }),
            right => right,
        })
    }
}

/// The suite finds the broken operator.
fn blames(op: &str, call: Detour) {
    found(op, &Broken::new(op, call, run_bytes));
}

/// The same for operators on plain data.
fn blames_bytes(op: &str, call: ByteDetour) {
    found(op, &Broken::new(op, |right, inputs, out, nonce| right.run(inputs, out, nonce), call));
}

fn found(op: &str, platform: &Broken<'_>) {
    let types: Vec<_> = all().into_iter().filter(|def| def.name() == op).collect();
    match check_operators(platform, &types) {
        Err(Failure::Wrong { platform, op: found, .. }) => {
            assert_eq!((platform.as_str(), found.as_str()), ("broken", op))
        }
        other => panic!("{op}: {other:?}"),
    }
}

const ALL: [&str; 42] = [
    "limb.add",
    "limb.sub",
    "limb.neg",
    "limb.mul",
    "limb.add_scalar",
    "limb.mul_scalar",
    "limb.scale_sub",
    "limb.dot",
    "limb.ntt",
    "limb.intt",
    "limb.automorphism",
    "limb.decimate",
    "limb.fold",
    "limb.permute",
    "limb.from_small",
    "limb.from_real",
    "rns.to_real",
    "rns.quotient",
    "rns.convert",
    "rns.norm",
    "constant",
    "copy",
    "sample.uniform",
    "sample.common",
    "sample.mask",
    "sample.secret",
    "sample.ternary",
    "sample.error",
    "sample.gaussian",
    "sample.words",
    "slots.write",
    "slots.read",
    "slots.constant",
    "slots.embed",
    "slots.unembed",
    "rns.extend",
    "rns.switch",
    "rns.scale_round",
    "limb.convolve",
    "limb.tensor",
    "limb.ntt_from",
    "limb.ntt_divide",
];

const NUMBERS: &str = "u8 i32 u32 i64 u64 f32 f64";
const LOGIC: &str = "bit u8 i32 u32 i64 u64";
const INTEGERS: &str = "u8 i32 u32 i64 u64";
const EVERY: &str = "bit u8 i32 u32 i64 u64 f32 f64";

/// Operations on plain data, and the elements that each is for.
const PLAIN: [(&str, &str); 44] = [
    ("add", NUMBERS),
    ("sub", NUMBERS),
    ("mul", NUMBERS),
    ("div", NUMBERS),
    ("rem", NUMBERS),
    ("neg", NUMBERS),
    ("abs", "i32 i64 f32 f64"),
    ("min", NUMBERS),
    ("max", NUMBERS),
    ("sqrt", "f32 f64"),
    ("exp", "f32 f64"),
    ("log", "f32 f64"),
    ("tanh", "f32 f64"),
    ("eq", EVERY),
    ("ne", EVERY),
    ("lt", EVERY),
    ("le", EVERY),
    ("select", EVERY),
    ("and", LOGIC),
    ("or", LOGIC),
    ("xor", LOGIC),
    ("not", LOGIC),
    ("shl", INTEGERS),
    ("shr", INTEGERS),
    ("rotl", INTEGERS),
    ("convert", EVERY),
    ("sum", EVERY),
    ("product", EVERY),
    ("reduce_min", NUMBERS),
    ("reduce_max", NUMBERS),
    ("reduce_xor", LOGIC),
    ("reduce_and", LOGIC),
    ("reduce_or", LOGIC),
    ("argmin", NUMBERS),
    ("argmax", NUMBERS),
    ("scan", EVERY),
    ("matmul", NUMBERS),
    ("sort", NUMBERS),
    ("gather", EVERY),
    ("scatter", EVERY),
    ("slice", EVERY),
    ("concat", EVERY),
    ("transpose", EVERY),
    ("broadcast", EVERY),
];

fn plain_names() -> Vec<String> {
    let of_each = |(operation, elements): &(&str, &'static str)| -> Vec<String> {
        elements.split(' ').map(|e| format!("{e}.{operation}")).collect()
    };
    PLAIN.iter().flat_map(of_each).collect()
}

fn all() -> Vec<Arc<dyn OpDef>> {
    base::all().into_iter().chain(fused::all()).chain(plain::all()).collect()
}

#[test]
fn one_flipped_bit_is_found_in_every_operator() {
    let names = ALL.iter().map(|&op| op.to_owned()).chain(plain_names());
    assert_eq!(names.collect::<Vec<_>>(), all().iter().map(|def| def.name().to_owned()).collect::<Vec<_>>());
    for op in plain_names().into_iter().chain(["constant".to_owned()]) {
        blames_bytes(&op, |right, inputs, out| {
            run_bytes(right, inputs, out);
            if let Some(byte) = out.last_mut() {
                *byte ^= 1;
            }
        });
    }
    for op in ALL.into_iter().filter(|&op| op != "constant") {
        blames(op, |right, inputs, out, nonce| {
            right.run(inputs, out, nonce);
            if let Some(word) = out.last_mut() {
                *word ^= 1 << 30;
            }
        });
    }
}

#[test]
fn errors_at_large_sizes_only_are_found() {
    for op in ["limb.add", "limb.mul", "limb.ntt", "limb.intt", "limb.automorphism", "limb.permute", "copy"] {
        blames(op, |right, inputs, out, nonce| {
            right.run(inputs, out, nonce);
            if out.len() >= 8192 {
                out[4097] ^= 1;
            }
        });
    }
}

#[test]
fn residues_outside_their_range_are_found() {
    // q instead of 0 is right modulo q and wrong all the same; q is not at hand, but a sum of all -1 and 1 is.
    blames("limb.add", |right, inputs, out, nonce| {
        right.run(inputs, out, nonce);
        for (i, word) in out.iter_mut().enumerate() {
            if *word == 0 {
                *word = inputs[0][i] + inputs[1][i];
            }
        }
    });
}

#[test]
fn what_was_in_the_output_before_must_not_matter() {
    blames("copy", |right, inputs, out, nonce| {
        let before = out[0];
        right.run(inputs, out, nonce);
        if out.len() > 8000 {
            out[0] = before;
        }
    });
    for op in ["slots.constant", "slots.write"] {
        blames(op, |right, inputs, out, nonce| {
            let last = out.len() - 1;
            let before = out[last];
            right.run(inputs, out, nonce);
            out[last] = before;
        });
    }
}

#[test]
fn samplers_must_use_nonce_and_seed() {
    for op in
        ["sample.uniform", "sample.mask", "sample.ternary", "sample.error", "sample.gaussian", "sample.words"]
    {
        blames(op, |right, inputs, out, _| right.run(inputs, out, 1));
        blames(op, |right, inputs, out, nonce| {
            right.run(&[&inputs[0][..3], &[0]].concat().chunks(4).collect::<Vec<_>>(), out, nonce)
        });
    }
    // A key belongs to its seed alone.
    blames("sample.secret", |right, inputs, out, nonce| {
        let seed: Vec<u64> = inputs[0].iter().map(|word| word ^ u64::from(nonce)).collect();
        right.run(&[&seed], out, nonce);
    });
}

#[test]
fn the_order_of_a_quotient_is_fixed() {
    // Integers instead of doubles: nearer to the truth, and other bits.
    blames("rns.quotient", |right, inputs, out, nonce| {
        right.run(inputs, out, nonce);
        if let [y] = inputs {
            for (out, &y) in out.iter_mut().zip(*y) {
                *out = u64::from(2 * u128::from(y) >= 0x1fff_ffff_ffe1_0001);
            }
        }
    });
}

/// A broken kernel computes with numbers of its own.
fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

fn write(out: &mut [u8], floats: impl IntoIterator<Item = f32>) {
    for (out, x) in out.as_chunks_mut().0.iter_mut().zip(floats) {
        *out = x.to_le_bytes();
    }
}

#[test]
fn the_order_of_a_sum_is_fixed() {
    blames_bytes("f32.sum", |right, inputs, out| {
        run_bytes(right, inputs, out);
        if out.len() == 4 {
            write(out, [floats(inputs[0]).iter().sum::<f32>()]);
        }
    });
    // Exact to the last, rounded once: nearer to the truth, and other bits.
    blames_bytes("f32.sum", |right, inputs, out| {
        run_bytes(right, inputs, out);
        if out.len() == 4 {
            write(out, [floats(inputs[0]).iter().map(|&x| f64::from(x)).sum::<f64>() as f32]);
        }
    });
}

#[test]
fn a_fused_product_is_found() {
    blames_bytes("f32.matmul", |right, inputs, out| {
        run_bytes(right, inputs, out);
        if out.len() == 4 * 16 * 16 {
            let (a, b) = (floats(inputs[0]), floats(inputs[1]));
            let dot =
                |i: usize| (0..16).fold(0.0f32, |sum, k| a[i / 16 * 16 + k].mul_add(b[k * 16 + i % 16], sum));
            write(out, (0..256).map(dot));
        }
    });
}

#[test]
fn signs_of_zero_and_numbers_that_are_none_are_seen() {
    for op in ["f32.min", "f32.max"] {
        blames_bytes(op, |right, inputs, out| {
            run_bytes(right, inputs, out);
            // The platform's own: of NaN and a number the number.
            if inputs.iter().all(|input| input.len() == out.len()) {
                let pairs = floats(inputs[0]).into_iter().zip(floats(inputs[1]));
                let own = floats(out).into_iter().zip(pairs);
                let wrong = own.map(|(own, (a, b))| {
                    if a.is_nan() {
                        b
                    } else if b.is_nan() {
                        a
                    } else {
                        own
                    }
                });
                write(out, wrong.collect::<Vec<_>>());
            }
        });
    }
    blames_bytes("f32.max", |right, inputs, out| {
        run_bytes(right, inputs, out);
        let wrong: Vec<f32> = floats(out).into_iter().map(|x| if x == 0.0 { -0.0 } else { x }).collect();
        write(out, wrong);
    });
}

#[test]
fn bits_beyond_the_last_element_are_seen() {
    for op in ["bit.not", "bit.xor", "bit.eq", "bit.select", "bit.gather", "bit.convert"] {
        // The highest bit of a byte; where no element has it, it has to be 0.
        blames_bytes(op, |right, inputs, out| {
            run_bytes(right, inputs, out);
            if out.len() == 1037usize.div_ceil(8) || out.len() == 1 {
                out[out.len() - 1] |= 0x80;
            }
        });
    }
    // What fills up an input's last byte must not come in.
    blames_bytes("bit.reduce_or", |right, inputs, out| {
        run_bytes(right, inputs, out);
        if out.len() == 1 && inputs[0].last().is_some_and(|&last| last >= 0x80) {
            out[0] = 1;
        }
    });
}

#[test]
fn an_index_outside_is_found() {
    // The last element instead of 0.
    blames_bytes("u8.gather", |right, inputs, out| {
        run_bytes(right, inputs, out);
        if inputs[0].len() == 256 && inputs[1].len() == 4 * out.len() {
            for (out, index) in out.iter_mut().zip(inputs[1].as_chunks().0) {
                if u32::from_le_bytes(*index) > 255 {
                    *out = inputs[0][255];
                }
            }
        }
    });
    // The first of several writes, not the last.
    blames_bytes("u8.scatter", |right, inputs, out| {
        run_bytes(right, inputs, out);
        if inputs[1].len() == 700 && inputs[2].len() == 700 {
            for (&index, &new) in inputs[1].iter().zip(inputs[2]).rev() {
                out[usize::from(index)] = new;
            }
        }
    });
}

#[test]
fn the_first_broken_operator_of_many_is_named() {
    let call: Detour = |right, inputs, out, nonce| {
        right.run(inputs, out, nonce);
        out[0] ^= 1;
    };
    let failure = check(&Broken::new("limb.dot", call, run_bytes)).unwrap_err();
    assert!(failure.to_string().starts_with("platform `broken`, `limb.dot`, "), "{failure}");
}

#[test]
fn null_fails_and_a_missing_operator_is_named() {
    assert!(matches!(check(&Null), Err(Failure::Wrong { platform, .. }) if platform == "null"));
    for op in ALL.iter().map(|&op| op.to_owned()).chain(plain_names()) {
        let types: Vec<_> = all().into_iter().filter(|def| def.name() == op).collect();
        let failure = check_operators(&Scalar::new().without(&op), &types).unwrap_err();
        let Failure::Refused { op: found, reason, .. } = failure else { panic!("{failure}") };
        let platform = "scalar".to_owned();
        assert_eq!((found, *reason), (op.clone(), Error::NotImplemented { op, platform }));
    }
}

/// After a case that fails the others are run.
#[test]
fn an_operator_that_sometimes_fails_is_told_how_often() {
    let add = base::all().into_iter().find(|def| def.name() == "limb.add").unwrap();
    let right = try_operator(&Scalar::new(), &*add);
    assert_eq!((right.passed, right.failure), (right.cases, None));
    let wrong_for_zeros: Detour = |right, inputs, out, nonce| {
        right.run(inputs, out, nonce);
        if inputs[0].iter().all(|&word| word == 0) {
            out[0] ^= 1;
        }
    };
    let tried = try_operator(&Broken::new("limb.add", wrong_for_zeros, run_bytes), &*add);
    assert_eq!(tried.cases, right.cases);
    assert!(0 < tried.passed && tried.passed < tried.cases, "{tried:?}");
    assert!(tried.words < right.words);
    let Some(Failure::Wrong { op, index: 0, .. }) = tried.failure else { panic!("{tried:?}") };
    assert_eq!(op, "limb.add");
}
