//! Kernels that JavaScript has made: functions that it has put into the function table of every thread, and shaders for a GPU. What the core is told of them.

use super::Thrown;
use super::js::wasm_bindgen;
use cipherloom::Error;
use cipherloom::platform::gpu::made as shaders;
use cipherloom::platform::made::{self, Offer, Piece, Ring};

/// See [`made::offer`]. `shape`: the dimension, bits of primes, then, of sums, how many terms are open, how many are residues, and outputs; `prime`: 0 for any;
/// `places`: of the function from and to residues, and of the one that leaves or takes doubles.
///
/// # Errors
/// Throws for what no kernel can be.
#[wasm_bindgen(js_name = offerKernel)]
#[expect(
    unsafe_code,
    reason = "JavaScript, which promises, has this memory and this table in its hands anyway"
)]
pub fn offer_kernel(
    piece: &str,
    name: String,
    shape: &[u32],
    prime: u64,
    places: &[u32],
    layout: Vec<u32>,
) -> Result<(), Thrown> {
    let &[n, bits, ref terms @ ..] = shape else {
        return Err(wrong("kernel, shape", format!("{shape:?}"), "dimension and bits".into()).into());
    };
    let terms: Vec<usize> = terms.iter().map(|&count| count as usize).collect();
    let Some(known) = Piece::named(piece, &terms) else {
        let expected = format!("{}, of their shapes", Piece::NAMES.join(", "));
        return Err(wrong("kernel", format!("{piece} of {shape:?}"), expected).into());
    };
    let &[closed, open] = places else {
        return Err(wrong("kernel, places", places.len().to_string(), "2".into()).into());
    };
    let places = [closed, open].map(|place| place as usize);
    let offer = Offer { name, piece: known, ring: ring(n, bits, prime), places, layout };
    // SAFETY: who offers has derived the functions by the package's own generator, and started all threads with them.
    Ok(unsafe { made::offer(offer) }?)
}

/// See [`shaders::offer`]. `piece`: `gpu.forward` or `gpu.inverse`; `shape`: the dimension and bits of primes; `prime`: 0 for any.
///
/// # Errors
/// Throws for what no shader can be.
#[wasm_bindgen(js_name = offerShader)]
pub fn offer_shader(
    piece: &str,
    name: String,
    shape: &[u32],
    prime: u64,
    factors: &str,
    passes: Vec<u32>,
    body: String,
) -> Result<(), Thrown> {
    let &[n, bits] = shape else {
        return Err(wrong("shader, shape", format!("{shape:?}"), "dimension and bits".into()).into());
    };
    let forward = match piece {
        "gpu.forward" => true,
        "gpu.inverse" => false,
        found => {
            return Err(wrong("shader", found.into(), "gpu.forward or gpu.inverse".into()).into());
        }
    };
    let Some(factors) = shaders::Factors::named(factors) else {
        return Err(wrong("shader, factors", factors.into(), "a form that there is".into()).into());
    };
    Ok(shaders::offer(shaders::Offer { name, forward, ring: ring(n, bits, prime), body, passes, factors })?)
}

/// Forgets all: see [`made::withdraw`] and [`shaders::withdraw`].
#[wasm_bindgen(js_name = withdrawKernels)]
pub fn withdraw_kernels() {
    made::withdraw();
    shaders::withdraw();
}

fn ring(n: u32, bits: u32, prime: u64) -> Ring {
    Ring { n: n as usize, bits, prime: (prime != 0).then_some(prime) }
}

fn wrong(at: &str, found: String, expected: String) -> Error {
    Error::Task { at: at.into(), found, expected }
}
