//! Operators that compute each residue from those at the same index.

use super::{Constants, Shader, each_word, inverse};
use crate::Result;
use crate::graph::ValueType;
use crate::math::Modulus;
use crate::ops::Call;
use crate::ops::types::Limb;

pub(super) fn shader(call: &Call<'_>, output: &ValueType) -> Result<Shader> {
    let Limb { n, q, .. } = Limb::of(output)?;
    let modulus = Modulus::new(q)?;
    let only = || Constants::default().with(q);
    let with_factor = || -> Result<Constants> { Ok(only().with_factor(call.attrs.uint("c")?, &modulus)) };
    // What products of two residues take: 1 / q modulo 2^64, and 2^128 modulo q, by which what was shifted is shifted back.
    let with_product = || {
        // An even number has no inverse there. No prime but 2 is one.
        if q.is_multiple_of(2) {
            return Err(super::missing(call));
        }
        let word = modulus.reduce_u128(1 << 64);
        Ok(only().with(inverse(q)).with(modulus.mul(word, word)))
    };
    let (constants, body) = match call.name {
        "limb.add" => {
            (only(), "store(r, i, add_mod(load(r, 0u, i), load(r, 1u, i), number(r, 0u)));".to_owned())
        }
        "limb.sub" => {
            (only(), "store(r, i, sub_mod(load(r, 0u, i), load(r, 1u, i), number(r, 0u)));".to_owned())
        }
        "limb.neg" => (only(), "store(r, i, neg_mod(load(r, 0u, i), number(r, 0u)));".to_owned()),
        "limb.add_scalar" => (
            only().with(call.attrs.uint("c")?),
            "store(r, i, add_mod(load(r, 0u, i), number(r, 1u), number(r, 0u)));".to_owned(),
        ),
        "limb.mul_scalar" => (
            with_factor()?,
            "store(r, i, mul_known(load(r, 0u, i), number(r, 1u), number(r, 2u), number(r, 0u)));".to_owned(),
        ),
        "limb.scale_sub" => (
            with_factor()?,
            "let q = number(r, 0u);
  store(r, i, sub_mod(mul_known(load(r, 0u, i), number(r, 1u), number(r, 2u), q), load(r, 1u, i), q));"
                .to_owned(),
        ),
        "limb.mul" => (with_product()?, products(1)),
        "limb.dot" => (with_product()?, products(call.inputs.len() / 2)),
        "limb.from_small" => (
            only().with_factor(1, &modulus),
            // Signed: its size is reduced.
            "let q = number(r, 0u);
  let x = load(r, 0u, i);
  let negative = x.y >> 31u == 1u;
  let size = select(x, sub(Word(), x), negative);
  let residue = mul_known(size, number(r, 1u), number(r, 2u), q);
  store(r, i, select(residue, neg_mod(residue, q), negative));"
                .to_owned(),
        ),
        _ => convert(call, &modulus)?,
    };
    Ok(each_word(call, n, constants, Vec::new(), &format!("  {body}")))
}

/// The sum of so many products of two.
fn products(count: usize) -> String {
    format!(
        "let q = number(r, 0u);
  let inverse = number(r, 1u);
  var sum = Word();
  for (var k = 0u; k < {count}u; k++) {{
    sum = add_mod(sum, mul_shifted(load(r, 2u * k, i), load(r, 2u * k + 1u, i), q, inverse), q);
  }}
  store(r, i, mul_shifted(sum, number(r, 2u), q, inverse));"
    )
}

/// `rns.convert`.
fn convert(call: &Call<'_>, modulus: &Modulus) -> Result<(Constants, String)> {
    let factors = call.attrs.uints("c")?;
    let constants = Constants::default().with(modulus.value());
    let mut constants = factors.iter().fold(constants, |all, &c| all.with_factor(c, modulus));
    let last = if call.attrs.get("w").is_some() {
        constants = constants.with_factor(call.attrs.uint("w")?, modulus);
        let at = factors.len();
        let (w, quotient) = (2 * at + 1, 2 * at + 2);
        format!(
            "sum = sub_mod(sum, mul_known(load(r, {at}u, i), number(r, {w}u), number(r, {quotient}u), q), q);\n  "
        )
    } else {
        String::new()
    };
    let body = format!(
        "let q = number(r, 0u);
  var sum = Word();
  for (var k = 0u; k < {}u; k++) {{
    sum = add_mod(sum, mul_known(load(r, k, i), number(r, 2u * k + 1u), number(r, 2u * k + 2u), q), q);
  }}
  {last}store(r, i, sum);",
        factors.len()
    );
    Ok((constants, body))
}
