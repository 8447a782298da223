//! The type of units that cross where they are not all of a value: what is known of them is below what they are.

use crate::graph::{Attrs, ValueType};
use crate::{Error, Result};

/// The head of the type: attribute `runs` has numbers of units, one after the other, `below` for each run what its words are below; 0 where
/// they may be any.
pub const PART: &str = "part";

/// Most bounds that one type comes to, each counted as often as runs of one length need it.
const MOST: u64 = 1 << 22;

/// The type of so many units with such bounds, at least one of which is none of 0.
pub(super) fn part(runs: &[(u64, u64)]) -> ValueType {
    let (lengths, below): (Vec<u64>, Vec<u64>) = runs.iter().copied().unzip();
    let size = lengths.iter().sum();
    ValueType::new(PART, size, Attrs::new().with("runs", lengths).with("below", below))
}

/// The words of each of its bounds, as many for each, and the bounds; 0 is none.
///
/// # Errors
/// `Graph` when an attribute is missing; `Operator` for runs that do not add up to the size, or are too many.
pub fn part_residues(ty: &ValueType) -> Result<(usize, Vec<u64>)> {
    let (runs, below) = (ty.attrs.uints("runs")?, ty.attrs.uints("below")?);
    let wrong = |what: &str, found: u64, expected: String| {
        let (op, what, found) = (ty.head.clone(), what.into(), found.to_string());
        Error::Operator { op, what, found, expected }
    };
    if runs.len() != below.len() || runs.contains(&0) {
        let expected = format!("one for each of {} runs of at least 1", runs.len());
        return Err(wrong("bounds", below.len() as u64, expected));
    }
    let size = runs.iter().fold(0u64, |size, &run| size.saturating_add(run));
    if size != ty.size {
        return Err(wrong("size in units", ty.size, size.to_string()));
    }
    let each = runs.iter().fold(0, |a, &b| gcd(a, b));
    let count = size.checked_div(each).unwrap_or(0);
    if count > MOST {
        return Err(wrong("bounds", count, format!("at most {MOST}")));
    }
    let bounds = runs.iter().zip(&below);
    let bounds = bounds.flat_map(|(&run, &below)| std::iter::repeat_n(below, (run / each) as usize));
    let each = usize::try_from(each).map_err(|_| wrong("words of a run", each, "fewer".into()))?;
    Ok((each, bounds.collect()))
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_stand_for_runs_of_one_length() {
        let ty = part(&[(6, 97), (4, 0), (2, 12289)]);
        assert_eq!(ty.to_string(), "part[12]{below=[97,0,12289], runs=[6,4,2]}");
        assert_eq!(part_residues(&ty).unwrap(), (2, vec![97, 97, 97, 0, 0, 12289]));
    }

    #[test]
    fn types_from_outside_are_refused() {
        let of = |size, runs: &[u64], below: &[u64]| {
            part_residues(&ValueType::new(PART, size, Attrs::new().with("runs", runs).with("below", below)))
        };
        assert!(of(12, &[12], &[97]).is_ok());
        assert!(of(1 << 60, &[1 << 60], &[97]).is_ok());
        let bad: [(u64, &[u64], &[u64]); 5] = [
            (12, &[12], &[97, 97]),
            (12, &[12, 0], &[97, 97]),
            (13, &[12], &[97]),
            (3, &[u64::MAX, 4], &[97, 97]),
            ((1 << 23) + 1, &[1 << 23, 1], &[97, 97]),
        ];
        for (size, runs, below) in bad {
            assert_eq!(of(size, runs, below).unwrap_err().code(), "operator.invalid", "{runs:?}");
        }
        assert!(part_residues(&ValueType::new(PART, 1, Attrs::new())).is_err());
    }
}
