//! Values of JavaScript in an addon of Node, under the names that `js-sys` and `wasm-bindgen` have for them, so that the border is
//! written once. It is bound by the attribute [`wasm_bindgen`], whose entries are gathered when the library is loaded, and
//! put on the addon's exports for every thread that loads it.
//!
//! A [`JsValue`] is good for as long as the call lasts in which it was made, and on its thread: it knows its call, and panics when it is used
//! later. So what is safe here is sound, whatever the border does with it. A panic ends no process: it becomes a `WebAssembly.RuntimeError`,
//! as a trap is one, after which whoever called touches nothing of this thread's any more.

mod call;
mod class;
mod clock;
mod convert;
mod serialize;
mod typed;
mod value;

pub use call::{Call, Entry};
pub use cipherloom_bind::wasm_bindgen;
pub use class::{Borrowed, BorrowedMut, Class, Slot, borrow, borrow_mut, instance};
pub use clock::now;
pub use convert::{FromJs, FromReference, IntoJs, IntoOwn};
pub use inventory::submit;
pub use serialize::plain;
pub use typed::{BigInt64Array, Float64Array, Int32Array, Uint8Array, Uint32Array};
pub use value::{Array, BigInt, Error, Function, JsCast, JsValue, Object, Reflect};
