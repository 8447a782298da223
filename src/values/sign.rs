//! The sign of reals as a chain of odd polynomials, each the best there is of its degree (Lee, Lee, No, Kim, ia.cr/2020/834; by the exchange algorithm of Remez): one brings what lies in
//! [gap, 1] to within some distance of 1, the next one does so with what came of that. Of all chains one with the fewest levels is taken.

use crate::packed::chebyshev;

/// How far results may be from -1 and 1.
pub const OFF: f64 = 1.0 / (1u64 << 20) as f64;
/// Degrees of polynomials, and how many products follow one another in each.
const DEGREES: [(usize, u32); 3] = [(7, 3), (15, 4), (31, 5)];
/// The widest gap that is made use of: a polynomial needs an interval to be near to 1 on.
const WIDEST: f64 = 0.9;
/// Most products in a row.
const MOST_LEVELS: u32 = 20;

/// Odd polynomials, in Chebyshev polynomials, that bring numbers of [gap, 1] to within [`OFF`] of 1, one after the other, and those of [-1, -gap] to -1; none where it takes
/// too many. All but the last one stay between -1 and 1.
pub fn chain(gap: f64) -> Option<Vec<Vec<f64>>> {
    if !(gap > 0.0 && gap <= 1.0) {
        return None;
    }
    let gap = gap.min(WIDEST);
    (3..=MOST_LEVELS).find_map(|levels| within(gap, levels))
}

/// A chain of so many levels.
fn within(gap: f64, levels: u32) -> Option<Vec<Vec<f64>>> {
    DEGREES.iter().filter(|(_, own)| *own <= levels).find_map(|&(degree, own)| {
        let (mut p, off) = best(gap, degree)?;
        if off <= OFF {
            return Some(vec![p]);
        }
        let next = (1.0 - off) / (1.0 + off);
        // What makes no way makes none later.
        if next <= gap * 1.5 {
            return None;
        }
        let mut rest = within(next, levels - own)?;
        p.iter_mut().for_each(|c| *c /= 1.0 + off);
        rest.insert(0, p);
        Some(rest)
    })
}

/// The odd polynomial of that degree that is nearest to 1 on [gap, 1], in Chebyshev polynomials, and how far off it is.
fn best(gap: f64, degree: usize) -> Option<(Vec<f64>, f64)> {
    let terms = degree.div_ceil(2);
    // Between the two ends, closer to each other near to them.
    let point = |at: f64| gap + (1.0 - gap) * (1.0 - libm::cos(std::f64::consts::PI * at)) / 2.0;
    let mut points: Vec<f64> = (0..=terms).map(|k| point(k as f64 / terms as f64)).collect();
    let samples: Vec<f64> = (0..=64 * terms).map(|k| point(k as f64 / (64 * terms) as f64)).collect();
    let mut found = None;
    for _ in 0..32 {
        // Sum of a_j T_(2j+1)(x_i) + (-1)^i e = 1.
        let row = |(i, &x): (usize, &f64)| {
            let angle = libm::acos(x.min(1.0));
            let own = (0..terms).map(|j| libm::cos((2 * j + 1) as f64 * angle));
            own.chain([if i % 2 == 0 { 1.0 } else { -1.0 }, 1.0]).collect()
        };
        let solved = solved(points.iter().enumerate().map(row).collect())?;
        let mut p = vec![0.0; degree + 1];
        (0..terms).for_each(|j| p[2 * j + 1] = solved[j]);
        // The largest error of every run of one sign.
        let mut runs: Vec<(f64, f64)> = Vec::new();
        for &x in &samples {
            let error = 1.0 - chebyshev(&p, x);
            match runs.last_mut() {
                Some(last) if (last.1 > 0.0) == (error > 0.0) => {
                    if error.abs() > last.1.abs() {
                        *last = (x, error);
                    }
                }
                _ => runs.push((x, error)),
            }
        }
        let off = runs.iter().map(|run| run.1.abs()).fold(0.0, f64::max);
        let even = solved[terms].abs();
        // And what lies between samples.
        found = Some((p, off * 1.01 + 1e-13));
        if off <= even * 1.001 || runs.len() <= terms {
            break;
        }
        while runs.len() > terms + 1 {
            let last = runs.len() - 1;
            runs.remove(if runs[0].1.abs() < runs[last].1.abs() { 0 } else { last });
        }
        points = runs.iter().map(|run| run.0).collect();
    }
    found
}

/// Solves linear equations, each with what it equals at its end; none where there is no one solution.
fn solved(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let count = rows.len();
    for step in 0..count {
        let pivot = (step..count).max_by(|&a, &b| rows[a][step].abs().total_cmp(&rows[b][step].abs()))?;
        rows.swap(step, pivot);
        let own = rows[step].clone();
        if own[step].abs() < 1e-300 {
            return None;
        }
        for row in rows.iter_mut().skip(step + 1) {
            let factor = row[step] / own[step];
            row.iter_mut().zip(&own).skip(step).for_each(|(cell, own)| *cell -= factor * own);
        }
    }
    let mut solution = vec![0.0; count];
    for step in (0..count).rev() {
        let known: f64 = (step + 1..count).map(|k| rows[step][k] * solution[k]).sum();
        solution[step] = (rows[step][count] - known) / rows[step][step];
    }
    Some(solution)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn chains_give_signs() {
        for (gap, levels) in [(0.9, 4), (0.5, 5), (0.1, 8), (0.03, 10), (0.01, 12), (1e-3, 15)] {
            let chain = chain(gap).unwrap();
            let found: u32 = chain.iter().map(|p| p.len().ilog2()).sum();
            println!("{gap}: {found} levels, {:?}", chain.iter().map(Vec::len).collect::<Vec<_>>());
            for step in -20_000..=20_000 {
                let x = f64::from(step) / 20_000.0;
                let mut y = x;
                for (number, p) in chain.iter().enumerate() {
                    y = chebyshev(p, y);
                    assert!(y.abs() <= 1.0 + 1e-12 || number + 1 == chain.len(), "{gap}: {x} {y}");
                }
                if x.abs() >= gap {
                    assert!((y - x.signum()).abs() <= OFF, "{gap}: {x} {y}");
                }
            }
            assert!(found <= levels, "{gap}: {found}");
        }
        assert!(chain(0.0).is_none() && chain(1e-12).is_none());
    }
}
