//! What Node loads: the whole border, by `cipherloom_border`'s feature `native`. `napi_register_module_v1` is defined where
//! the values of JavaScript are, in `cipherloom_node`.

pub use cipherloom_border::*;
