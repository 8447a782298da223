//! Operators that move residues, or add up those that come together.

use super::{Constants, Shader, each_word};
use crate::Result;
use crate::graph::ValueType;
use crate::math::{Modulus, slots};
use crate::ops::types::Limb;
use crate::ops::{Call, base};

/// Most words of a copy: as many workgroups as every adapter takes.
const MOST: u64 = 64 * 65_535;

pub(super) fn shader(call: &Call<'_>, output: &ValueType) -> Result<Shader> {
    if call.name == "copy" {
        return copy(call, output);
    }
    let n = output.dim("n")?;
    let gathered = |from: &[u32]| {
        let table = from.iter().map(|&from| u64::from(from)).collect();
        each_word(call, n, Constants::default(), table, "  store(r, i, load(r, 0u, entry(r, i).x));")
    };
    Ok(match call.name {
        "limb.permute" => gathered(&slots::automorphism_permutation(n, call.attrs.uint("g")?)),
        "slots.read" => gathered(&slots::slot_positions(n)),
        "slots.write" => {
            let mut from = vec![0; n];
            for (slot, &position) in slots::slot_positions(n).iter().enumerate() {
                from[position as usize] = slot as u32;
            }
            gathered(&from)
        }
        "limb.automorphism" => {
            let q = Limb::of(output)?.q;
            let back = slots::galois_inverse(n, call.attrs.uint("g")?);
            let constants = Constants::default().with(q).with(back);
            let body = format!(
                "  let at = (i * number(r, 1u).x) & {}u;
  let x = load(r, 0u, at & {}u);
  store(r, i, select(x, neg_mod(x, number(r, 0u)), at >= {n}u));",
                2 * n - 1,
                n - 1
            );
            each_word(call, n, constants, Vec::new(), &body)
        }
        "limb.decimate" => {
            let constants = Constants::default().with(call.attrs.uint("stride")?);
            each_word(call, n, constants, Vec::new(), "  store(r, i, load(r, 0u, i * number(r, 0u).x));")
        }
        "limb.fold" => {
            let (of, modulus) = (call.limb(0)?.n, Modulus::new(Limb::of(output)?.q)?);
            let each = (of / n) as u64;
            let table = slots::subring_permutation(of, n, &modulus)?.into_iter().map(u64::from).collect();
            let share = modulus.inv(modulus.reduce(each))?;
            let constants =
                Constants::default().with(modulus.value()).with_factor(share, &modulus).with(each);
            let body = "  let q = number(r, 0u);
  let each = number(r, 3u).x;
  let first = entry(r, i).x * each;
  var sum = Word();
  for (var k = 0u; k < each; k++) { sum = add_mod(sum, load(r, 0u, first + k), q); }
  store(r, i, mul_known(sum, number(r, 1u), number(r, 2u), q));";
            each_word(call, n, constants, table, body)
        }
        _ => return Err(super::missing(call)),
    })
}

/// Blocks one after the other: each word looks for the one that it is in.
fn copy(call: &Call<'_>, output: &ValueType) -> Result<Shader> {
    if base::copy::skip(call)?.iter().any(|&bits| bits > 0) || output.size > MOST {
        return Err(super::missing(call));
    }
    let ends = call.inputs.iter().scan(0, |end, ty| {
        *end += ty.size;
        Some(*end)
    });
    let constants = ends.fold(Constants::default(), Constants::with);
    let body = "  var k = 0u;
  var first = 0u;
  while (i >= number(r, k).x) {
    first = number(r, k).x;
    k++;
  }
  store(r, i, load(r, k, i - first));";
    Ok(each_word(call, output.size as usize, constants, Vec::new(), body))
}
