//! Plain data: what each operation is tried on, and what it must give.

mod cases;
mod elements;
mod tensors;

pub(super) use cases::cases;
pub(super) use tensors::Data;
