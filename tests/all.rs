//! The tests of the core, which make one program: each of its own would be linked with all of it. Those that watch the memory of their whole process
//! have one each (`Cargo.toml`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod aes;
mod attributes;
mod bad_input;
mod bytes;
mod circuit;
mod ckks;
mod common;
mod conformance;
mod device;
mod engine;
mod example;
mod expansion;
mod expansion_known_answers;
mod finished_reals;
mod graph_known_answers;
mod identity;
mod joint;
mod lowering;
mod noise;
mod onward;
mod open_results;
mod orders;
mod own_operators;
mod own_scheme;
mod owners;
mod parties;
mod passes;
mod plain_graphs;
mod platforms;
mod protect;
mod random_graphs;
mod randomness;
mod recorder;
mod releases;
mod rlwe_model;
mod road;
mod rooms;
mod scheme_passes;
mod schemes;
mod security;
mod tasks;
mod tensors;
mod values;
mod verify;
