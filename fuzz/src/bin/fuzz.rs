//! The fuzzer: libFuzzer on the target that the environment variable FUZZ_TARGET names. What the target starts from is
//! first written into the folder that FUZZ_SEEDS names, if any: with the command line's other folders libFuzzer reads it.

#![no_main]

use cipherloom_fuzz::{Memory, Random, Target, named, watched};
use std::path::Path;
use std::sync::LazyLock;

#[global_allocator]
static MEMORY: Memory = Memory;

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let Some(target) = named(&name) else {
        panic!("FUZZ_TARGET: found `{name}`, expected the name of a target")
    };
    let seeds = (target.seeds)();
    if let Some(folder) = std::env::var_os("FUZZ_SEEDS") {
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(Path::new(&folder).join(format!("seed-{number:03}")), seed)
                .expect("a folder for seeds");
        }
    }
    // What is made once is no input's.
    for seed in seeds.iter().take(8) {
        (target.run)(seed);
    }
    target
});

libfuzzer_sys::fuzz_target!(
    init: {
        LazyLock::force(&TARGET);
    },
    |input: &[u8]| {
        watched(&TARGET, input);
    }
);

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    let mut random = Random::new(seed.into());
    let Some(mutate) = TARGET.mutate.filter(|_| random.chance(80)) else {
        return libfuzzer_sys::fuzzer_mutate(data, size, most);
    };
    let mut changed = data[..size].to_vec();
    mutate(&mut changed, &mut random);
    changed.truncate(most);
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
});
