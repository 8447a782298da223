//! What the package loads: `cipherloom::wasm`, with the parts that its features ask for.

pub use cipherloom::wasm;
