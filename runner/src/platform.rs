//! What runs graphs here: the platforms of the native build, and the clock.

use cipherloom::ops::Registry;
use cipherloom::platform::{Mixed, Platform, Scalar, Simd};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Milliseconds since the first question.
pub const CLOCK: cipherloom::engine::Clock = || {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1000.0
};

/// All operator types.
pub fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    Arc::clone(REGISTRY.get_or_init(|| Arc::new(cipherloom::registry())))
}

/// The fast platform; scalar for what is placed there by name. One for all graphs: they share its tables.
pub fn platform() -> Mixed {
    static PARTS: OnceLock<(Arc<Simd>, Arc<Scalar>)> = OnceLock::new();
    let (simd, scalar) = PARTS.get_or_init(|| (Arc::new(Simd::new()), Arc::new(Scalar::new())));
    let (simd, scalar): (Arc<dyn Platform>, Arc<dyn Platform>) = (simd.clone(), scalar.clone());
    Mixed::new([simd], [scalar])
}
