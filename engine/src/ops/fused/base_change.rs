//! What `rns.extend`, `rns.switch` and `rns.scale_round` share: constants from a call, and base operators from constants.

use crate::Result;
use crate::graph::{Attrs, OperandId};
use crate::math::{BaseChange, Modulus};
use crate::ops::types::{Form, Poly};
use crate::ops::{Call, Session};

/// The moduli of a list of primes.
///
/// # Errors
/// `Math` for one out of range.
pub fn moduli(primes: &[u64]) -> Result<Vec<Modulus>> {
    Ok(primes.iter().map(|&q| Modulus::new(q)).collect::<std::result::Result<_, _>>()?)
}

/// The constants of `rns.extend`, `rns.switch` or `rns.scale_round`; `None` for other operators.
///
/// # Errors
/// As the operators.
pub fn base_change(call: &Call<'_>) -> Result<Option<BaseChange>> {
    if !matches!(call.name, "rns.extend" | "rns.switch" | "rns.scale_round") {
        return Ok(None);
    }
    let primes = coefficients(call)?.q;
    let from = moduli(&primes)?;
    Ok(Some(match call.name {
        "rns.extend" => BaseChange::extend(&from, &moduli(&call.attrs.uints("to")?)?)?,
        "rns.switch" => BaseChange::switch(&from, &moduli(&call.attrs.uints("to")?)?)?,
        _ => {
            let drop = call.attrs.uints("drop")?;
            let dropped: Vec<usize> =
                drop.iter().filter_map(|d| primes.iter().position(|q| q == d)).collect();
            BaseChange::scale_round(&from, &dropped, call.attrs.uint("factor")?)?
        }
    }))
}

/// The only input, which must be a polynomial in coefficient form.
pub(super) fn coefficients(call: &Call<'_>) -> Result<Poly> {
    call.arity(1)?;
    let poly = Poly::of(call.input(0, "poly")?)?;
    match poly.form {
        Form::Coeff => Ok(poly),
        other => Err(call.error("form", other.name(), Form::Coeff.name())),
    }
}

/// Work of a change of base, in multiplications modulo a prime.
pub(super) fn cost(call: &Call<'_>) -> f64 {
    let Ok(Some(change)) = base_change(call) else { return 0.0 };
    let n = call.inputs[0].size as f64 / Poly::of(&call.inputs[0]).map_or(1.0, |p| p.q.len() as f64);
    let sources = change.sources.len() as f64;
    n * (sources + 0.5 * (sources + 2.0) * change.targets.len() as f64)
}

/// The base operators of a change of base.
pub(super) fn expand(
    s: &mut Session<'_>,
    call: &Call<'_>,
    input: OperandId,
    output: Poly,
) -> Result<OperandId> {
    let change = base_change(call)?.ok_or_else(|| call.error("operator", call.name, "a change of base"))?;
    let limbs = s.limbs(input)?;
    let mut y = Vec::with_capacity(change.sources.len() + 1);
    for source in &change.sources {
        let limb = limbs[source.limb];
        let scaled = |s: &mut Session<'_>| s.op("limb.mul_scalar", Attrs::new().with("c", source.c), &[limb]);
        y.push(if source.c == 1 { limb } else { scaled(s)? });
    }
    let v = s.op("rns.quotient", Attrs::new(), &y)?;
    y.push(v);
    let mut out = Vec::with_capacity(change.targets.len());
    for target in change.targets {
        let attrs = Attrs::new().with("c", target.c).with("w", target.w).with("q", target.modulus.value());
        let remainder = s.op("rns.convert", attrs, &y)?;
        out.push(match target.own {
            None => remainder,
            Some((own, scale)) => {
                s.op("limb.scale_sub", Attrs::new().with("c", scale), &[limbs[own], remainder])?
            }
        });
    }
    s.merge(&out, output.ty())
}
