//! Each pass from text to text: `passes/NAME.in.txt` becomes `passes/NAME.out.txt`. With the environment variable
//! `WRITE_PASSES` set the second is written; read it before it is kept.

use crate::tensors;
use cipherloom::Result;
use cipherloom::circuit::Precompute;
use cipherloom::graph::{Graph, parse, print};
use cipherloom::ops::Registry;
use cipherloom::optimize::{Pass, cancel, dedup, fuse, prune, sum_products};
use cipherloom::place::gather;
use cipherloom::schemes;
use std::path::Path;
use std::sync::{Arc, LazyLock};

fn golden(input: &str, name: &str, pass: impl Fn(&Graph) -> Result<Graph>) {
    let path =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes").join(format!("{name}.txt"));
    let before = parse(&std::fs::read_to_string(path(&format!("{input}.in"))).unwrap()).unwrap();
    let found = print(&pass(&before).unwrap());
    assert_ne!(found, print(&before), "{name} has something to do");
    let file = path(&format!("{name}.out"));
    if std::env::var_os("WRITE_PASSES").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap();
    assert!(found == expected, "{name} gives\n{found}\ninstead of\n{expected}");
    // What was there before does not change, and nothing is left to do.
    assert_eq!(print(&pass(&before).unwrap()), found);
}

fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(schemes::registry);
    &REGISTRY
}

fn settled(input: &str, pass: impl Fn(&Graph) -> Result<Graph>) {
    golden(input, input, &pass);
    golden(input, input, |graph| pass(&pass(graph)?));
}

#[test]
fn dedup_merges_what_does_the_same_but_no_samples() {
    settled("dedup", |graph| dedup(graph, registry()));
}

#[test]
fn dedup_takes_commutative_operators_in_any_order() {
    settled("dedup_commutative", |graph| dedup(graph, registry()));
}

#[test]
fn fuse_sums_products_that_nobody_else_reads() {
    settled("fuse", |graph| fuse(graph, registry()));
}

#[test]
fn cancel_reads_around_pairs_of_transforms() {
    settled("cancel_transforms", |graph| cancel(graph, registry()));
}

#[test]
fn cancel_reads_around_what_undoes_itself() {
    let registry = tensors::registry();
    settled("cancel", |graph| cancel(graph, &registry));
}

#[test]
fn precompute_makes_constants_of_what_no_input_leads_to() {
    let (registry, pass) = (tensors::registry(), Precompute::new(Arc::new(tensors::Tensors::default())));
    settled("precompute", |graph| pass.run(graph, &registry));
}

#[test]
fn prune_removes_what_no_output_needs() {
    settled("prune", |graph| prune(graph, registry()));
}

#[test]
fn gather_copies_only_what_is_in_several_blocks() {
    settled("gather", gather);
}

#[test]
fn sum_products_joins_products_that_nobody_else_reads() {
    settled("sum_products", |graph| sum_products(graph, registry()));
}
