//! p(u) with u = (2 x - min - max) / (max - min), cell by cell, of numbers: reals. p is given by what its Chebyshev polynomials are multiplied with: attribute `coefficients`,
//! data, binary64 from that of T_0 on, 2 to 1024; `min` and `max` are reals, and x lies between them, as its range has to say (`value.within`).
//! So is a function of reals approximated. Where nothing is encrypted, it is computed in binary64, by Clenshaw's recurrence, of the u that is nearest.

use super::arithmetic::{brought_into, map, map_near, one, real, seen};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::ops::Call;
use crate::packed::{Cells, chebyshev, doubles, extremes};
use crate::values::chebyshev::Interval;
use crate::values::number::{Bits, Number};
use crate::values::range::Range;
use crate::values::types::{Kind, Value, ValueCall};
use crate::values::{Known, Lowered, Lowering, Near};

/// `value.chebyshev`; see the module.
pub(super) const CHEBYSHEV: Primitive = Primitive {
    name: "value.chebyshev",
    attributes: &["coefficients", "max", "min"],
    output,
    range,
    exact: |call, inputs| {
        let (interval, all) = (interval(call)?, coefficients(call)?);
        let x = seen(call, 0, Kind::Real, *one(call, inputs)?)?;
        map(call, &[&*x], |x| at(call, interval, &all, x))
    },
    near,
    // Of a binary64.
    bits: |_, _| Ok(Bits { size: 1024, odd: 0, common: 0, twos: 1074 }),
    lower,
    ..PRIMITIVE
};

fn coefficients(call: &Call<'_>) -> Result<Vec<f64>> {
    let all = call.attrs.bytes("coefficients").ok().and_then(|bytes| doubles(bytes));
    let all = all.filter(|all| (2..=1024).contains(&all.len()));
    all.ok_or_else(|| call.error("coefficients", "others", "2 to 1024 finite binary64"))
}

fn interval(call: &Call<'_>) -> Result<Interval> {
    let (min, max) = (call.attrs.real("min")?, call.attrs.real("max")?);
    if min < max && (max - min).is_finite() {
        return Ok(Interval { min, max });
    }
    Err(call.error("min, max", format!("{min}, {max}"), "min below max, not too far apart"))
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let x = call.number(0)?;
    coefficients(call)?;
    interval(call)?;
    Ok(real(x.shape, x.place))
}

fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let (x, interval) = (one(call, inputs)?.range.in_units(call.number(0)?.decimals), interval(call)?);
    match x {
        Range::Reals { min, max } if interval.min <= min && max <= interval.max => {
            let (low, high) = extremes(&coefficients(call)?).unwrap_or((f64::NAN, f64::NAN));
            Ok(Range::reals([(low, low), (high, high)]))
        }
        _ => {
            let found = match x {
                Range::Reals { min, max } => format!("{min} to {max}"),
                _ => "not known".to_owned(),
            };
            Err(call.error(
                "range of the operand",
                found,
                format!("{interval}: where it is sure to lie there, value.within says so"),
            ))
        }
    }
}

fn at(call: &Call<'_>, interval: Interval, all: &[f64], x: &Number) -> Result<Number> {
    let found = interval.position(x).and_then(|u| Number::from_f64(chebyshev(all, u)));
    found.ok_or_else(|| call.error("operand", "a number outside", format!("{interval}")))
}

/// Where u is off by e, p(u) is at most by e times the sum of |c_k| k^2, as the derivative of T_k is at most k^2 between -1 and 1, and by what the recurrence is rounded by. What is beyond an end of the interval is there
/// for what it may be off by, as its range said: it is at the end.
fn near(call: &Call<'_>, inputs: &[&Near]) -> Result<Option<Near>> {
    let (interval, all) = (interval(call)?, coefficients(call)?);
    let terms = || all.iter().enumerate().map(|(k, c)| (k as f64, c.abs()));
    let slope: f64 = terms().map(|(k, c)| c * k * k).sum();
    let steepest = slope / (interval.max - interval.min) * 2.0;
    // Two values, each with u rounded, and an error of some units of each term in every step after it.
    let rounded = 2.0 * f64::EPSILON * (slope + terms().map(|(k, c)| 4.0 * c * (k + 1.0)).sum::<f64>());
    let ends = Range::Reals { min: interval.min, max: interval.max };
    let x = seen(call, 0, Kind::Real, *one(call, inputs)?)?;
    let cell = |x: &Number, d: f64| {
        let inside = brought_into(ends, x, d);
        let off = if d > 0.0 { steepest * d + rounded } else { 0.0 };
        Ok((at(call, interval, &all, inside.as_ref().unwrap_or(x))?, off))
    };
    map_near(call, &[&x], cell).map(Some)
}

fn lower(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let operand = l.encrypted(&x[0])?;
    l.chebyshev(operand, interval(call)?, &coefficients(call)?, 0.0, &output(call)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use crate::graph::{Attrs, Real};
    use crate::ops::Call;
    use crate::packed::bytes;
    use crate::values::types::{Kind, Place, Value};
    use crate::values::{Exact, Known, Near, Range, Values};

    #[test]
    fn of_the_interval() {
        let (values, real) = (Values::new(), |x: f64| Real::new(x).unwrap());
        let def = values.get("value.chebyshev").unwrap();
        let attrs = Attrs::new().with("coefficients", bytes(&[0.5, -2.0, 0.25, 0.0, 1.5]));
        let attrs = attrs.with("min", real(-3.0)).with("max", real(5.0));
        let ty = Value::new(Kind::Integer, [5]).with_decimals(1).at(Place::Plain).ty().unwrap();
        let call = Call { name: "value.chebyshev", attrs: &attrs, inputs: &[ty], unit: 64 };
        let found = def.exact(&call, &[&Exact::integers([-30, -11, 0, 27, 50])]).unwrap();
        let within = Known { range: Range::Integers { min: -30, max: 50 }, source: 0 };
        let range = def.range(&call, &[within]).unwrap();
        for (cell, x) in found.cells.iter().zip([-3.0f64, -1.1, 0.0, 2.7, 5.0]) {
            let angle = ((x - 1.0) / 4.0).acos();
            let expected = 0.5 - 2.0 * angle.cos() + 0.25 * (2.0 * angle).cos() + 1.5 * (4.0 * angle).cos();
            assert!((cell.to_f64() - expected).abs() < 1e-12 && range.contains(cell), "{x}");
        }
        let off = def.near(&call, &[&Near::within(Exact::integers([-32, -11, 0, 27, 54]), 5.0)]).unwrap();
        let near = off.unwrap();
        for by in [-5, -1, 1, 5] {
            // Of what is beyond an end only what is not may be meant.
            let moved = Exact::integers([-32, -11, 0, 27, 54].map(|x| (x + by).clamp(-30, 50)));
            let moved = def.exact(&call, &[&moved]).unwrap();
            for (index, (cell, there)) in near.cells.cells.iter().zip(&moved.cells).enumerate() {
                assert!((cell.to_f64() - there.to_f64()).abs() <= near.off[index], "{index} {by}");
            }
        }
        assert!(def.exact(&call, &[&Exact::integers([-31, 0, 0, 0, 0])]).is_err());
        assert!(def.near(&call, &[&Near::within(Exact::integers([-36, 0, 0, 0, 0]), 5.0)]).is_err());
        let beyond = Known { range: Range::Integers { min: -31, max: 50 }, source: 0 };
        assert!(def.range(&call, &[beyond]).is_err());
    }
}
