//! Loops over numbers as they are given, on their way to slots: they are here, in the crate that is compiled for speed.

use super::Modulus;

/// Integers below this are doubles that have no fraction, each of one integer.
pub const SAFE: f64 = 9_007_199_254_740_992.0;

/// Whether all are. Several are looked at a time, as nothing ends the loop.
fn all(cells: &[f64], good: impl Fn(f64) -> bool) -> bool {
    cells.iter().fold(true, |all, &cell| all & good(cell))
}

/// Whether none is infinite or no number.
pub fn finite(cells: &[f64]) -> bool {
    all(cells, |cell| cell.abs() < f64::INFINITY)
}

/// Whether none has a fraction.
pub fn whole(cells: &[f64]) -> bool {
    all(cells, |cell| cell.trunc() == cell)
}

/// The first that does not lie between two numbers, from number `from` on.
pub fn outside(cells: &[f64], [min, max]: [f64; 2], from: usize) -> Option<usize> {
    let rest = cells.get(from..)?;
    if all(rest, |cell| (cell >= min) & (cell <= max)) {
        return None;
    }
    let wrong = |cell: &f64| !(min..=max).contains(cell);
    rest.iter().position(wrong).map(|at| from + at)
}

/// The same of integers.
pub fn outside_integers(cells: &[i64], [min, max]: [i64; 2], from: usize) -> Option<usize> {
    let wrong = |cell: &i64| !(min..=max).contains(cell);
    cells.get(from..)?.iter().position(wrong).map(|at| from + at)
}

/// From here on doubles are integers, whose last bits they are.
const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// Adds the residues of doubles modulo t to `out`, up to the first that is no integer below 2^53.
pub fn residues(out: &mut Vec<u64>, cells: &[f64], t: &Modulus) {
    let q = t.value() as f64;
    // Where all are smaller than t, as mostly, several are taken at a time.
    if q < INTEGERS && all(cells, |cell| (cell.abs() < q) & (cell.trunc() == cell)) {
        let lifted = |cell: f64| if cell < 0.0 { cell + q } else { cell };
        out.extend(cells.iter().map(|&cell| (lifted(cell) + INTEGERS).to_bits() ^ INTEGERS.to_bits()));
        return;
    }
    let whole = |cell: &&f64| cell.abs() < SAFE && cell.trunc() == **cell;
    out.extend(cells.iter().take_while(whole).map(|&cell| residue(cell as i64, t)));
}

/// Adds the residues of integers modulo t to `out`.
pub fn residues_of_integers(out: &mut Vec<u64>, cells: &[i64], t: &Modulus) {
    out.extend(cells.iter().map(|&cell| residue(cell, t)));
}

fn residue(cell: i64, t: &Modulus) -> u64 {
    let size = cell.unsigned_abs();
    // Most are.
    let size = if size < t.value() { size } else { t.reduce(size) };
    if cell < 0 { t.neg(size) } else { size }
}

/// Pairs of a slot and a cell, each again and again: `stride` cells and 2^`low` slots further on for every number of `along`.
pub fn along(pairs: &[(u64, u64)], along: &[u64], low: u32, stride: u64) -> Vec<(u64, u64)> {
    let mut all = Vec::with_capacity(pairs.len() * along.len());
    for &(slot, cell) in pairs {
        all.extend(along.iter().map(|at| (slot + (at << low), cell + at * stride)));
    }
    all
}

/// Writes cells to their slots, and to those that are a gap further on; slots are those of a block of that number, of 2^`bits` slots.
pub fn write(out: &mut [u64], pairs: &[(u64, u64)], gaps: &[u64], (block, bits): (u64, u32), cells: &[u64]) {
    let inside = (1u64 << bits) - 1;
    for &(slot, cell) in pairs.iter().filter(|(slot, _)| slot >> bits == block) {
        let cell = cells[cell as usize];
        for gap in gaps {
            out[((slot | gap) & inside) as usize] = cell;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn residues_are_those_of_exact_numbers(
            cells in prop::collection::vec(any::<i32>(), 0..50),
            q in prop_oneof![3u64..1 << 20, 1u64 << 31..1 << 33, 1u64 << 40..1 << 56],
            by in prop::sample::select(vec![0.0, 1.0, 3e5]),
        ) {
            let t = Modulus::new(q | 1).unwrap();
            let doubles: Vec<f64> = cells.iter().map(|&cell| f64::from(cell) * by).collect();
            let integers: Vec<i64> = doubles.iter().map(|&cell| cell as i64).collect();
            let expected: Vec<u64> =
                integers.iter().map(|&cell| i128::from(cell).rem_euclid((q | 1).into()) as u64).collect();
            let (mut found, mut of_integers) = (Vec::new(), Vec::new());
            residues(&mut found, &doubles, &t);
            residues_of_integers(&mut of_integers, &integers, &t);
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(&of_integers, &expected);
        }
    }

    #[test]
    fn the_first_wrong_one_is_found() {
        let t = Modulus::new(97).unwrap();
        let cells = [3.0, -4.0, 0.5, 7.0, f64::INFINITY];
        assert!(!whole(&cells) && whole(&cells[..2]));
        assert!(
            !finite(&cells) && finite(&cells[..4]) && !finite(&[f64::NAN]) && !finite(&[f64::NEG_INFINITY])
        );
        let mut found = Vec::new();
        residues(&mut found, &cells, &t);
        assert_eq!(found, [3, 93]);
        assert_eq!(outside(&cells, [-4.0, 7.0], 0), Some(4));
        assert_eq!(outside(&[f64::NAN], [-4.0, 7.0], 0), Some(0));
        assert_eq!(outside(&cells, [-3.0, 7.0], 2), Some(4));
        assert_eq!(outside_integers(&[i64::MIN, 4, 9], [i64::MIN, 8], 0), Some(2));
        assert_eq!(outside_integers(&[1], [0, 8], 5), None);
    }

    #[test]
    fn cells_are_written_where_they_lie() {
        let pairs = along(&along(&[(0, 0)], &[0, 1], 2, 3), &[0, 1, 2], 0, 1);
        assert_eq!(pairs, [(0, 0), (1, 1), (2, 2), (4, 3), (5, 4), (6, 5)]);
        let mut out = [0; 4];
        write(&mut out, &pairs, &[0], (1, 2), &[10, 11, 12, 13, 14, 15]);
        assert_eq!(out, [13, 14, 15, 0]);
        let mut out = [0; 16];
        write(&mut out, &pairs, &[0, 8], (0, 4), &[10, 11, 12, 13, 14, 15]);
        assert_eq!(out, [10, 11, 12, 0, 13, 14, 15, 0, 10, 11, 12, 0, 13, 14, 15, 0]);
    }
}
