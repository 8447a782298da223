//! Kernels that JavaScript has made and put into the function table of every thread: what the core is told of them.

use super::Thrown;
use super::js::{JsValue, wasm_bindgen};
use cipherloom::Error;
use cipherloom::platform::made::{self, Offer, Piece};

/// See [`made::offer`]. `places`: of the function from and to residues, and of the one that leaves or takes doubles; `prime`: 0 for any.
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
    n: usize,
    bits: u32,
    prime: u64,
    places: &[u32],
    layout: Vec<u32>,
) -> Result<(), Thrown> {
    let Some(known) = Piece::named(piece) else {
        let expected = Piece::NAMES.map(|(name, _)| name).join(", ");
        return Err(Error::Task { at: "kernel".into(), found: piece.into(), expected }.into());
    };
    let &[closed, open] = places else {
        let (at, found) = ("kernel, places".into(), places.len().to_string());
        return Err(Error::Task { at, found, expected: "2".into() }.into());
    };
    let places = [closed, open].map(|place| place as usize);
    let offer = Offer { piece: known, n, bits, prime: (prime != 0).then_some(prime), places, layout };
    // SAFETY: who offers has derived the functions by the package's own generator, and started all threads with them.
    Ok(unsafe { made::offer(offer) }?)
}

/// See [`made::withdraw`].
#[wasm_bindgen(js_name = withdrawKernels)]
pub fn withdraw_kernels() {
    made::withdraw();
}
