//! Nothing secret is left in freed memory: an allocator looks through every block that is given back.
#![expect(unsafe_code, reason = "an allocator that reads what it frees")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "what this program does not use, that of all tests does")]
mod road;

use cipherloom::circuit::Outcome;
use cipherloom::platform::Simd;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Literal, Options, Owner, Program};
use cipherloom::values::number::Number;
use cipherloom::values::{Exact, GivenCells};
use road::{TaskBuilder, evaluator, secret_key};
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

/// A number like no other in the program, as an integer and as a real that is none.
const VALUE: i128 = 0x0065_4321_fedc;
const REAL: f64 = 1.234_567_891_011_12;

/// Numbers, negated by the server.
fn literal(kind: &str) -> Literal {
    let mut task = TaskBuilder::default();
    let attrs = format!(r#"kind="{kind}", shape=[3000], where="encrypted""#);
    let x = task.input("a", &attrs, Some(["0", "1000000000000"]));
    let negated = task.op("value.negate", "", &[x]);
    task.output("c", negated);
    task.finish()
}

/// Everything that a client and a data owner do with a key and with these cells, and the client with what they decrypt to.
fn journey(
    program: &Arc<Program>,
    client: &Client,
    saved: &[u8],
    cells: &GivenCells,
    check: &dyn Fn(&Exact),
) {
    let platform = || Arc::new(Simd::new());
    let restored = Client::restore(Arc::clone(program), platform(), || 0.0, saved).unwrap();
    for client in [&restored, client] {
        drop(client.save());
        // Cancelled half way, and to the end.
        drop(client.encrypt(&[("a", cells)]).unwrap());
        let Ok(Outcome::Objects(inputs)) = client.encrypt(&[("a", cells)]).unwrap().complete() else {
            panic!()
        };
        let Ok(Outcome::Bytes(key)) = client.public_key().unwrap().complete() else { panic!() };
        let owner = Owner::new(Arc::clone(program), platform(), || 0.0, &key).unwrap();
        drop(owner.encrypt(&[("a", cells)]).unwrap());
        let Ok(Outcome::Objects(public)) = owner.encrypt(&[("a", cells)]).unwrap().complete() else {
            panic!()
        };
        for input in [inputs, public].iter().flatten() {
            let run = evaluator(client, program).run(&[("a", &input.bytes)], &SortedMap::new()).unwrap();
            let Ok(Outcome::Objects(results)) = run.complete() else { panic!() };
            let mut job = client.decrypt(&[&results[0].bytes], &SortedMap::new(), None).unwrap();
            while !job.step(0.0) {}
            let Ok(Outcome::Cells(outputs)) = job.take() else { panic!() };
            check(outputs[0].cells.as_ref().unwrap());
        }
        let plain = client.plain(&SortedMap::from([("a".to_owned(), cells.clone())])).unwrap();
        check(plain[0].cells.as_ref().unwrap());
    }
}

fn search(wanted: &[u64]) {
    // The last word first: from then on the others are looked for, too.
    for (place, &word) in WANTED.iter().zip(wanted).rev() {
        place.store(word, Ordering::SeqCst);
    }
}

fn end() -> Vec<usize> {
    let left = found();
    WANTED.iter().for_each(|word| word.store(0, Ordering::SeqCst));
    FOUND.iter().for_each(|count| count.store(0, Ordering::SeqCst));
    left
}

/// One after the other: there is one allocator.
#[test]
fn secrets_are_overwritten_before_memory_is_freed() {
    for (kind, form) in
        [("integer", "integers"), ("integer", "doubles"), ("integer", "numbers"), ("real", "doubles")]
    {
        let options = Options { public_key: Some(true), ..Options::default() };
        let program = Arc::new(Program::compile(literal(kind), &options).unwrap());
        let client = Client::new(Arc::clone(&program), Arc::new(Simd::new()), || 0.0).unwrap();
        let saved = client.save();
        let seed = &saved[saved.len() - 16 - 32..saved.len() - 16];
        let seed_words: Vec<u64> =
            seed.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let number = if kind == "integer" { Number::from(VALUE) } else { Number::from_f64(REAL).unwrap() };
        let words = match program.parameters().literal().t.first() {
            // A slot is the value itself, or the modulus less it.
            Some(t) => vec![
                VALUE as u64,
                t - VALUE as u64,
                (-VALUE as i64).cast_unsigned(),
                (VALUE as f64).to_bits(),
            ],
            None => vec![REAL.to_bits(), (-REAL).to_bits()],
        };
        let wanted = [seed_words, secret_key(&program, &saved)[..4].to_vec(), words].concat();
        let cells = match form {
            "integers" => GivenCells::integers(vec![VALUE as i64; 3000].into(), None).unwrap(),
            "doubles" => GivenCells::doubles(vec![number.to_f64(); 3000].into(), None).unwrap(),
            _ => GivenCells::numbers(vec![number.clone(); 3000], None).unwrap(),
        };
        search(&wanted);
        // It finds what is left behind.
        drop(vec![number; 3000]);
        assert!(found()[8] >= 3000, "{:?}", found());
        FOUND[8].store(0, Ordering::SeqCst);
        journey(&program, &client, &saved, &cells, &|cells| {
            let expected = if kind == "integer" { -VALUE as f64 } else { -REAL };
            assert!(cells.cells.iter().all(|cell| (cell.to_f64() - expected).abs() < 1e-2));
        });
        drop((client, cells));
        let left = end();
        assert_eq!(left, [0; 12], "{kind} as {form}: seed, secret key, values");
        drop(saved);
    }
}
