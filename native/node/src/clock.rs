//! The clock of traces: that of JavaScript, as all its threads count.

use crate::value::{Function, JsCast, JsValue, Reflect, global};
use std::sync::OnceLock;
use std::time::Instant;

/// A moment, and what JavaScript said then.
static START: OnceLock<(Instant, f64)> = OnceLock::new();

/// Asks JavaScript once.
pub(crate) fn set() {
    START.get_or_init(|| (Instant::now(), asked().unwrap_or(0.0)));
}

/// `performance.timeOrigin + performance.now()`.
fn asked() -> Option<f64> {
    let of = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    let performance = of(&global(), "performance")?;
    let now = of(&performance, "now")?;
    let now = now.dyn_ref::<Function>()?.call1(&performance, &JsValue::UNDEFINED).ok()?;
    Some(of(&performance, "timeOrigin")?.as_f64()? + now.as_f64()?)
}

/// Milliseconds since 1970, as `performance.timeOrigin + performance.now()` has them. On any thread.
pub fn now() -> f64 {
    START.get().map_or(0.0, |(since, said)| said + 1e3 * since.elapsed().as_secs_f64())
}
