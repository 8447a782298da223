//! One million base operators on one thread: built, expanded and analyzed within 500 MB. How long it takes is the
//! benchmark's to say.

#![allow(clippy::unwrap_used, reason = "tests")]
#![expect(unsafe_code, reason = "a global allocator that counts")]

use cipherloom::analyze::{analyze, topological_order};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::types::{Ciphertext, Form, Limb, Scheme, SwitchingKey};
use cipherloom::ops::{Registry, Session};
use cipherloom::platform::{Platform, Scalar};
use cipherloom::schemes;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(LIVE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const N: usize = 4096;

/// x -> x y + x, over and over, on ciphertexts of 64 inputs and of earlier results.
fn products(registry: &Registry, count: u32) -> Graph {
    let t = ntt_primes(17, N, 1, &[]).unwrap()[0];
    let all = ntt_primes(36, N, 3, &[t]).unwrap();
    let (special, q) = (all[..1].to_vec(), all[1..].to_vec());
    let aux = ntt_primes(50, N, 3, &[all.as_slice(), &[t]].concat()).unwrap();
    let ciphertext = Ciphertext::new(N, q.clone(), 2, Scheme::Bfv { t }).ty();
    let key = SwitchingKey { n: N, q, special, digit: 1, factor: 1, parties: 1 }.ty();
    let mut s = Session::new(Graph::new(64), registry);
    let key = s.graph_mut().add_input("key", key).unwrap();
    let input = |i: u32| s.graph_mut().add_input(&format!("x{i}"), ciphertext.clone()).unwrap();
    let mut values: Vec<_> = (0..64).map(input).collect();
    for i in 0..count {
        let [x, y] = two_of(i).map(|back| values[values.len() - 1 - back]);
        let product = s.op("bfv.multiply", Attrs::new().with("aux", aux.as_slice()), &[x, y]).unwrap();
        let product = s.op("rlwe.relinearize", Attrs::new(), &[product, key]).unwrap();
        values.push(s.op("rlwe.add", Attrs::new(), &[product, x]).unwrap());
    }
    s.finish()
}

/// x + y, over and over, on single limbs.
fn sums(registry: &Registry, count: u32) -> Graph {
    let q = ntt_primes(36, N, 1, &[]).unwrap()[0];
    let mut s = Session::new(Graph::new(64), registry);
    let limb = Limb { n: N, q, form: Form::Coeff }.ty();
    let input = |i: u32| s.graph_mut().add_input(&format!("x{i}"), limb.clone()).unwrap();
    let mut values: Vec<_> = (0..64).map(input).collect();
    for i in 0..count {
        let [x, y] = two_of(i).map(|back| values[values.len() - 1 - back]);
        values.push(s.op("limb.add", Attrs::new(), &[x, y]).unwrap());
    }
    s.finish()
}

/// Two numbers below 64.
fn two_of(i: u32) -> [usize; 2] {
    let hash = i.wrapping_mul(2_654_435_761) >> 8;
    [(hash % 64) as usize, (hash / 64 % 64) as usize]
}

fn measure(build: fn(&Registry, u32) -> Graph, count: u32) {
    let registry = schemes::registry();
    let platform = Scalar::new();
    let base = BaseSet { platform: platform.name(), contains: &|op| platform.implements(op) };
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let graph = Expander::new(&registry).expand(&build(&registry, count), &base).unwrap();
    let deps = analyze(&graph).unwrap();
    let order = topological_order(&graph, &deps).unwrap();
    assert!(order.len() >= 1_000_000, "{} operators", order.len());
    let peak = PEAK.load(Relaxed) - before;
    assert!(peak <= 500 << 20, "{peak} bytes for {} operators", order.len());
}

// One test: what runs beside it would be counted too.
#[test]
fn a_million_operators() {
    measure(products, 21_500);
    measure(sums, 1_000_000);
}
