//! Equivalent rewriting: identities of integers modulo 2^bits, of bits, and of residues.

use super::{Change, Recorder, Site, Transformation};
use crate::Result;
use crate::graph::OperandId;

/// `rewriting`; see the module.
pub(super) struct Rewriting;

/// Operations on integers and bits, and expressions that give the same; those that need arithmetic are none of bits.
const INTEGERS: &[(&str, &[&str])] = &[
    ("add", &["a b xor a b and 1 shl add", "a b or a b and add", "a b not sub 1 sub", "a b neg sub"]),
    (
        "sub",
        &[
            "a b not add 1 add",
            "a not b add not",
            "a b neg add",
            "a b xor a not b and 1 shl sub",
            "a b not and a not b and sub",
        ],
    ),
    ("neg", &["a not 1 add", "a 1 sub not", "0 a sub"]),
    (
        "mul",
        &["a b and a b or mul a b not and a not b and mul add", "a neg b mul neg", "a b 1 sub mul a add"],
    ),
    (
        "xor",
        &[
            "a b or a b and sub",
            "a b or a b and not and",
            "a b not and a not b and or",
            "a b add a b and 1 shl sub",
            "a not b xor not",
        ],
    ),
    ("and", &["a not b not or not", "a b or a xor b xor", "a b add a b or sub", "a not b or a not sub"]),
    ("or", &["a not b not and not", "a b xor a b and xor", "a b not and b add", "a b add a b and sub"]),
    ("not", &["a -1 xor", "a neg 1 sub", "-1 a sub"]),
    ("eq", &["a b xor 0 eq", "a b sub 0 eq", "a b ne 1 xor", "a b le b a le and"]),
    ("ne", &["a b xor 0 ne", "a b eq 1 xor", "a b lt b a lt or"]),
    ("lt", &["b a le 1 xor", "a b le a b ne and"]),
    ("le", &["b a lt 1 xor", "a b lt a b eq or"]),
    ("min", &["a b lt a b select", "b a le b a select", "a b max a xor b xor"]),
    ("max", &["a b lt b a select", "b a le a b select", "a b min a xor b xor"]),
    ("abs", &["a 0 lt a neg a select", "a a neg max"]),
    ("select", &["a 0 eq c b select", "a 0 ne b c select"]),
    ("shl", &["a 1 b shl mul"]),
];

/// More for bits.
const BITS: &[(&str, &[&str])] = &[("select", &["a b and a not c and or", "b c xor a and c xor"])];

/// More for unsigned integers, whose shift to the right lets zeros in.
const UNSIGNED: &[(&str, &[&str])] = &[("rotl", &["a b shl a b neg shr or"])];

/// Of residues, which are below their prime before and after.
const LIMBS: &[(&str, &[&str])] = &[
    ("limb.add", &["a b neg sub", "b a neg sub", "a neg b neg add neg"]),
    ("limb.sub", &["a b neg add", "b a sub neg"]),
    ("limb.mul", &["a neg b mul neg", "a neg b neg mul"]),
    ("limb.neg", &["a a sub a sub"]),
];

impl Transformation for Rewriting {
    fn change(&self, recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<Change>> {
        Ok(rewrite(recorder, site)?.map(Change::Instead))
    }
}

/// The operator in other words; none where no identity is about it.
pub(super) fn rewrite(recorder: &mut Recorder<'_>, site: &Site) -> Result<Option<OperandId>> {
    let mut all = identities(site);
    recorder.choices.shuffle(&mut all);
    for text in all {
        let start = recorder.len();
        if let Some(out) = recorder.express(site, &[], text)? {
            return Ok(Some(out));
        }
        recorder.forget(start);
    }
    Ok(None)
}

fn identities(site: &Site) -> Vec<&'static str> {
    let of = |table: &[(&str, &'static [&'static str])], operation: &str| -> &'static [&'static str] {
        table.iter().find(|(own, _)| *own == operation).map_or(&[], |(_, all)| all)
    };
    let Some(operation) = site.plain else { return of(LIMBS, &site.name).to_vec() };
    let more = match site.name.as_bytes().first() {
        Some(b'b') => of(BITS, operation),
        Some(b'u') => of(UNSIGNED, operation),
        _ => &[],
    };
    [of(INTEGERS, operation), more].concat()
}

#[cfg(test)]
mod tests {
    use super::super::model::evaluate;
    use super::*;

    /// All pairs of bytes, or of bits, with a third number.
    fn all(bits: u32) -> impl Iterator<Item = [u64; 3]> {
        let most = 1u64 << bits;
        (0..most).flat_map(move |a| (0..most).map(move |b| [a, b, a.wrapping_mul(37) ^ 0x5a & (most - 1)]))
    }

    #[test]
    fn identities_hold_for_all_bytes_and_bits() {
        let arithmetic = ["add", "sub", "mul", "neg", "shl", "min", "max", "-1"];
        for (operation, texts) in INTEGERS.iter().chain(BITS).chain(UNSIGNED) {
            let direct = match *operation {
                "neg" | "not" | "abs" => format!("a {operation}"),
                "select" => "a b c select".to_owned(),
                _ => format!("a b {operation}"),
            };
            let of_bits = BITS.iter().any(|(_, own)| std::ptr::eq(*own, *texts));
            for text in *texts {
                let needs_numbers =
                    format!("{direct} {text}").split(' ').any(|token| arithmetic.contains(&token));
                for bits in [8, 1] {
                    // Comparison of signed numbers has tests of its own (`tests/protect.rs`).
                    if *operation == "abs" || (bits == 1 && needs_numbers) || (bits == 8 && of_bits) {
                        continue;
                    }
                    for [a, b, c] in all(bits) {
                        let operands = [a, b, c & ((1 << bits) - 1)];
                        let (found, expected) =
                            (evaluate(text, &operands, bits), evaluate(&direct, &operands, bits));
                        assert_eq!(found, expected, "{direct} is not {text}: {operands:?}");
                    }
                }
            }
        }
    }
}
