//! What secrets leave behind on the stack.

use std::hint::black_box;

use zeroize::Zeroize;

/// Bytes that are overwritten: several times what any sampler uses, with the blocks of its stream.
const DEPTH: usize = 8192;

/// Does `work`, and overwrites the stack that it used: compilers leave copies of what is moved, and put registers down, where no code can name
/// them, and a later value with room in it takes them along. What it gives passes through the caller, and has to be no secret.
pub fn swept<T>(work: impl FnOnce() -> T) -> T {
    let done = apart(work);
    sweep();
    done
}

/// In a frame of its own, below the caller's.
#[inline(never)]
fn apart<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// From the same place downwards.
#[inline(never)]
fn sweep() {
    let mut room = [0_u64; DEPTH / 8];
    room.as_mut_slice().zeroize();
    black_box(&room);
}
