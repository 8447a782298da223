//! Nothing secret is left in freed memory: an allocator looks through every block that is given back.
#![expect(unsafe_code, reason = "an allocator that reads what it frees")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod road;

use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::expand::Expander;
use cipherloom::graph::{Attrs, Graph};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::{Registry, Session, types};
use cipherloom::platform::{Platform, Simd};
use cipherloom::program::{Client, CompileOptions, Evaluator, Outcome, Program, Values};
use road::{CLOCK, Road, task};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The system's allocator, which looks for [`WANTED`] words in blocks that are freed.
struct Searching;

/// Words that must not be left behind; 0 for none.
static WANTED: [AtomicU64; 12] = [const { AtomicU64::new(0) }; 12];
/// How often each was found.
static FOUND: [AtomicUsize; 12] = [const { AtomicUsize::new(0) }; 12];

// SAFETY: what is asked for comes from the system's allocator; a block is read within its bounds before it goes back.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as our caller promises. Zeros, so that every byte that is read later was written.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if WANTED[0].load(Ordering::Relaxed) != 0 {
            // At every offset: in saved bytes the seed is aligned to nothing.
            for at in 0..(layout.size() + 1).saturating_sub(8) {
                // SAFETY: within the block.
                let word = unsafe { block.add(at).cast::<u64>().read_unaligned() };
                for (wanted, found) in WANTED.iter().zip(&FOUND) {
                    if word != 0 && word == wanted.load(Ordering::Relaxed) {
                        found.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        }
        // SAFETY: as our caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Searching = Searching;

/// What was found since the search began.
fn found() -> Vec<usize> {
    FOUND.iter().map(|count| count.load(Ordering::Relaxed)).collect()
}

const TASK: &str = r#"{"inputs":[{"name":"a","rows":3000,"min":"0","max":"1000000000000"}],
    "nodes":[{"op":"column.negate","inputs":[0]}],"outputs":[{"name":"c","operand":1}]}"#;

/// A number like no other in the program.
const VALUE: i64 = 0x0065_4321_fedc;

/// With one plaintext modulus, above all values.
fn road() -> Road {
    let modulus = ntt_primes(45, 8192, 1, &[]).unwrap()[0].to_string();
    let options =
        CompileOptions { n: Some(8192), plain_moduli: Some(vec![modulus]), ..CompileOptions::default() };
    let program = Arc::new(Program::compile(task(TASK), &options).unwrap());
    let evaluator = Evaluator::new(&program.bytes(), &Simd::new(), CLOCK).unwrap();
    let client = Client::new(Arc::clone(&program), Arc::new(Simd::new()), CLOCK).unwrap();
    Road { program, client, evaluator }
}

/// Some words of the secret key, computed as clients do.
fn key_words(road: &Road, seed: &[u8]) -> Vec<u64> {
    let parameters = road.program.parameters();
    let attrs = Attrs::new().with("n", parameters.literal().n).with("q", parameters.secret_primes());
    let mut s = Session::new(Graph::new(64), road.program.registry());
    let input = s.graph_mut().add_input("seed", types::secret_seed()).unwrap();
    let secret = s.op("rlwe.secret_key", attrs, &[input]).unwrap();
    s.graph_mut().declare_output("secret", secret);
    let platform = Simd::new();
    let base = cipherloom::expand::BaseSet { platform: "simd", contains: &|op| platform.implements(op) };
    let graph = Expander::new(road.program.registry()).expand(&s.finish(), &base).unwrap();
    let plan = Arc::new(Plan::new(&graph, &Registry::lattice(), &platform, PlanOptions::default()).unwrap());
    let words: Vec<u64> = seed.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let mut run = Run::new(plan, vec![Input::secret(words)], CLOCK).unwrap();
    run.finish();
    run.output(0).unwrap()[..4].to_vec()
}

#[test]
fn secrets_are_overwritten_before_memory_is_freed() {
    let road = road();
    let values = vec![VALUE; 3000];
    let saved = road.client.save();
    let seed = &saved[saved.len() - 16 - 32..saved.len() - 16];
    let key = key_words(&road, seed);
    // A slot is the value itself.
    let negative = road.program.parameters().literal().t[0] - VALUE as u64;
    let seed_words: Vec<u64> = seed.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let wanted = [seed_words, key, vec![VALUE as u64, negative, (-VALUE).cast_unsigned()]].concat();
    // The last word first: from then on the others are looked for, too.
    for (place, &word) in WANTED.iter().zip(&wanted).rev() {
        place.store(word, Ordering::SeqCst);
    }
    // It finds what is left behind.
    drop(values.clone());
    assert_eq!(found()[8], 3000);
    FOUND[8].store(0, Ordering::SeqCst);
    {
        let restored = Client::restore(road.program.clone(), Arc::new(Simd::new()), CLOCK, &saved).unwrap();
        for client in [&restored, &road.client] {
            drop(client.save());
            let given = [Values { input: "a", values: &values, present: None }];
            // Cancelled half way, and to the end.
            drop(client.encrypt(&given).unwrap());
            let Ok(Outcome::Objects(inputs)) = client.encrypt(&given).unwrap().complete() else { panic!() };
            let outputs = road.evaluate(&[inputs[0].bytes.clone()]);
            let mut job = client.decrypt(&[("c", &outputs[0].bytes)], None).unwrap();
            while !job.step(0.0) {}
            let Ok(Outcome::Values(results)) = job.take() else { panic!() };
            assert!(results[0].1.parts["values"].iter().all(|&value| value == i128::from(-VALUE)));
        }
    }
    drop(road);
    let left = found();
    WANTED.iter().for_each(|word| word.store(0, Ordering::SeqCst));
    assert_eq!(left, [0; 12], "seed, secret key, values");
    drop((values, saved));
}
