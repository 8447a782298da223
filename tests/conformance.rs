//! Every platform passes the conformance suite, and the suite sees what is wrong with one that should not.

#![allow(clippy::panic, reason = "test helpers say what went wrong")]

use cipherloom::graph::ValueType;
use cipherloom::ops::{Call, OpDef, base, fused};
use cipherloom::platform::conformance::{Failure, check, check_operators};
use cipherloom::platform::{Kernel, Null, Platform, Scalar, Simd, WordKernel};
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

/// The scalar platform with one operator broken.
struct Broken {
    op: &'static str,
    scalar: Scalar,
    call: Detour,
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

impl Platform for Broken {
    fn name(&self) -> &str {
        "broken"
    }
    fn implements(&self, op: &str) -> bool {
        self.scalar.implements(op)
    }
    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let right = self.scalar.kernel(call, output)?;
        Ok(if call.name == self.op {
            Kernel::on_words(BrokenKernel { right, call: self.call })
        } else {
            right
        })
    }
}

/// The suite finds the broken operator.
fn blames(op: &'static str, call: Detour) {
    let types: Vec<_> = all().into_iter().filter(|def| def.name() == op).collect();
    match check_operators(&Broken { op, scalar: Scalar::new(), call }, &types) {
        Err(Failure::Wrong { platform, op: found, .. }) => {
            assert_eq!((platform.as_str(), found.as_str()), ("broken", op))
        }
        other => panic!("{op}: {other:?}"),
    }
}

const ALL: [&str; 29] = [
    "limb.add",
    "limb.sub",
    "limb.neg",
    "limb.mul",
    "limb.mul_scalar",
    "limb.scale_sub",
    "limb.dot",
    "limb.ntt",
    "limb.intt",
    "limb.automorphism",
    "limb.permute",
    "limb.from_small",
    "rns.quotient",
    "rns.convert",
    "rns.norm",
    "constant",
    "copy",
    "sample.uniform",
    "sample.secret",
    "sample.ternary",
    "sample.error",
    "slots.write",
    "slots.read",
    "slots.constant",
    "rns.extend",
    "rns.switch",
    "rns.scale_round",
    "limb.convolve",
    "limb.tensor",
];

fn all() -> Vec<Arc<dyn OpDef>> {
    base::all().into_iter().chain(fused::all()).collect()
}

#[test]
fn one_flipped_bit_is_found_in_every_operator() {
    assert_eq!(ALL.to_vec(), all().iter().map(|def| def.name().to_owned()).collect::<Vec<_>>());
    for op in ALL {
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
    for op in ["sample.uniform", "sample.ternary", "sample.error"] {
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

#[test]
fn the_first_broken_operator_of_many_is_named() {
    let call: Detour = |right, inputs, out, nonce| {
        right.run(inputs, out, nonce);
        out[0] ^= 1;
    };
    let failure = check(&Broken { op: "limb.dot", scalar: Scalar::new(), call }).unwrap_err();
    assert!(failure.to_string().starts_with("platform `broken`, `limb.dot`, "), "{failure}");
}

#[test]
fn null_fails_and_a_missing_operator_is_named() {
    assert!(matches!(check(&Null), Err(Failure::Wrong { platform, .. }) if platform == "null"));
    for op in ALL {
        let types: Vec<_> = all().into_iter().filter(|def| def.name() == op).collect();
        let failure = check_operators(&Scalar::new().without(op), &types).unwrap_err();
        let Failure::Refused { op: found, reason, .. } = failure else { panic!("{failure}") };
        let platform = "scalar".to_owned();
        assert_eq!((found, *reason), (op.to_owned(), Error::NotImplemented { op: op.to_owned(), platform }));
    }
}
