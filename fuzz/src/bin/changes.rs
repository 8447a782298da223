//! Tries changed inputs of a target: `changes TARGET FROM COUNT`. Ends with a failure at a finding.

use cipherloom_fuzz::{Memory, changes::replay, named};

#[global_allocator]
static MEMORY: Memory = Memory;

/// Inputs between two lines of progress.
const LINE: u64 = 100_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [target, from, count] = args.as_slice() else { panic!("expected TARGET FROM COUNT") };
    let target = named(target).expect("the name of a target");
    let (from, count): (u64, u64) = (from.parse().expect("a number"), count.parse().expect("a number"));
    let mut done = 0;
    while done < count {
        let next = (done + LINE).min(count);
        replay(target, from + done..from + next);
        done = next;
        println!("{}: {done} changed inputs from {from} on, no finding", target.name);
    }
}
