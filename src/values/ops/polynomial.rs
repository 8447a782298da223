//! c_0 + c_1 x + ... + c_n x^n, cell by cell, of numbers. Attribute `coefficients` lists c_0 to c_n as integers in units of
//! 10^-decimals (attribute `decimals`, 0 where it is left out); n is 1 to 100, and c_n is not 0. Of integers the result has the decimals
//! of the coefficients and n times those of x.

use super::arithmetic::{map, map_near, one};
use super::{PRIMITIVE, Primitive};
use crate::Result;
use crate::graph::Attr;
use crate::ops::Call;
use crate::packed::{Cells, Series, extremes};
use crate::values::chebyshev::{Interval, of_powers};
use crate::values::number::{Bits, Number};
use crate::values::range::Range;
use crate::values::types::{Kind, MOST_DECIMALS, Value, ValueCall};
use crate::values::{Known, Lowered, Lowering};

/// `value.polynomial`; see the module.
pub(super) const POLYNOMIAL: Primitive = Primitive {
    name: "value.polynomial",
    attributes: &["coefficients", "decimals"],
    output,
    range,
    exact: |call, inputs| {
        let all = exact_coefficients(call)?;
        map(call, inputs, |x| Ok(horner(&all, x)))
    },
    near: |call, inputs| {
        let all = exact_coefficients(call)?;
        map_near(call, inputs, |x, d| Ok((horner(&all, x), horner_off(&all, x, d)))).map(Some)
    },
    bits: |call, inputs| {
        let x = one(call, inputs)?;
        let all = exact_coefficients(call)?;
        let terms = all.iter().rev().fold(Bits::default(), |sum, c| sum.product(*x).sum(c.bits()));
        Ok(terms)
    },
    lower,
    ..PRIMITIVE
};

/// The coefficients, and their decimals.
fn coefficients<'a>(call: &'a Call<'_>) -> Result<(&'a [i128], u32)> {
    let decimals = call.attrs.get("decimals").map_or(Ok(0), |_| call.attrs.size("decimals"))?;
    let decimals = u32::try_from(decimals).ok().filter(|&decimals| decimals <= MOST_DECIMALS);
    let found = call.attrs.get("coefficients").map_or("none".to_owned(), ToString::to_string);
    match (call.attrs.get("coefficients"), decimals) {
        (Some(Attr::Ints(all)), Some(decimals))
            if (2..=101).contains(&all.len()) && all.last().is_some_and(|&last| last != 0) =>
        {
            Ok((all, decimals))
        }
        _ => Err(call.error(
            "coefficients",
            found,
            "2 to 101 integers, the last one not 0, at most 1000 decimals",
        )),
    }
}

fn output(call: &Call<'_>) -> Result<Value> {
    call.arity(1)?;
    let (x, (coefficients, decimals)) = (call.number(0)?, coefficients(call)?);
    if x.kind == Kind::Real {
        return Ok(x);
    }
    let decimals = decimals + x.decimals * (coefficients.len() as u32 - 1);
    Ok(x.with_decimals(decimals))
}

/// The coefficients of the polynomial of what cells are: of integers in their units, c_k times 10^(decimals of x (n - k)).
fn exact_coefficients(call: &Call<'_>) -> Result<Vec<Number>> {
    let (x, (all, decimals)) = (call.number(0)?, coefficients(call)?);
    if x.kind == Kind::Real {
        return Ok(real_coefficients(all, decimals));
    }
    let of = |(k, &c): (usize, &i128)| {
        &Number::from(c) * &Number::power_of_ten(x.decimals * (all.len() - 1 - k) as u32)
    };
    Ok(all.iter().enumerate().map(of).collect())
}

fn real_coefficients(all: &[i128], decimals: u32) -> Vec<Number> {
    let unit = Number::power_of_ten(decimals);
    all.iter().map(|&c| Number::from(c).quotient(&unit).unwrap_or(Number::ZERO)).collect()
}

fn horner(all: &[Number], x: &Number) -> Number {
    all.iter().rev().fold(Number::ZERO, |sum, c| &(&sum * x) + c)
}

/// How much that is off at most where x is by d: what Horner's rule has so far is multiplied with x.
fn horner_off(all: &[Number], x: &Number, d: f64) -> f64 {
    let size = x.to_f64().abs();
    let step = |(sum, off): (Number, f64), c| {
        let off = sum.to_f64().abs() * d + (size + d) * off;
        (&(&sum * x) + c, off)
    };
    all.iter().rev().fold((Number::ZERO, 0.0), step).1
}

/// Of reals that of the polynomial, but for a hundredth. Of integers what is told by powers, and by Horner's rule.
fn range(call: &Call<'_>, inputs: &[Known]) -> Result<Range> {
    let (x, all) = (one(call, inputs)?.range, exact_coefficients(call)?);
    match x {
        Range::Reals { min, max } => {
            let coefficients = all.iter().map(Number::to_f64).collect::<Vec<_>>();
            let (series, off) = of_powers(&coefficients, Interval { min, max });
            let found = extremes(&series).map(|(low, high)| (low - off, high + off));
            Ok(found.map_or(Range::Unknown, |(low, high)| Range::reals([(low, low), (high, high)])))
        }
        Range::Integers { .. } => {
            let number = |c: &Number| Range::integers([c.small()]);
            let zero = Range::Integers { min: 0, max: 0 };
            let rule = all.iter().rev().fold(zero, |sum, c| sum.product(x).sum(number(c)));
            let mut sum = number(&all[0]);
            for (k, c) in all.iter().enumerate().skip(1) {
                if *c != Number::ZERO {
                    sum = sum.sum(x.power(k as u32).product(number(c)));
                }
            }
            Ok(sum.intersection(rule))
        }
        Range::Unknown => Ok(Range::Unknown),
    }
}

fn lower(call: &Call<'_>, x: &[Lowered], l: &mut Lowering<'_>) -> Result<Cells> {
    let (operand, value) = (l.encrypted(&x[0])?, call.number(0)?);
    let real = value.clone().with_kind(Kind::Real);
    let (found, at_zero) = if l.exact {
        let exact = exact_coefficients(call)?;
        let wrong = || call.error("coefficients", "beyond 127 bits", "such that fit, with the decimals of x");
        let integers = exact.iter().map(Number::small).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        let found = l.packer.polynomial(operand, &Series::Integers(integers))?;
        (found, l.number(&exact[0], &value.with_decimals(0))?)
    } else {
        let (all, decimals) = coefficients(call)?;
        let exact = real_coefficients(all, decimals);
        let doubles: Vec<f64> = exact.iter().map(Number::to_f64).collect();
        let Range::Reals { min, max } = x[0].range.in_units(value.decimals) else {
            return Err(call.error("range of the operand", "none that is known", "bounds"));
        };
        let interval = Interval::with_length(min, max);
        let (series, off) = of_powers(&doubles, interval);
        return l.chebyshev(operand, interval, &series, off, &real);
    };
    if coefficients(call)?.0[0] == 0 {
        return Ok(Cells::Encrypted(found));
    }
    l.packer.add(&Cells::Encrypted(found), &at_zero)
}
