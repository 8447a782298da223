//! Encrypted outputs.

use super::{Target, verdict};
use crate::container::content;
use crate::edits::{Pristine, edited};
use crate::road::{road, values};
use crate::watch::Verdict;

pub const TARGET: Target = Target::of_edits("output", run);

fn run(script: &[u8]) -> Verdict {
    let road = road();
    let edited = edited(script, &road.outputs);
    let hostile = edited.bytes.as_slice();
    let wanted: &[(&str, &[u8])] = match edited.flags & 7 {
        0 => &[("s", hostile)],
        1 => &[("d", hostile)],
        2 => &[("s", hostile), ("d", hostile)],
        3 => &[("d", hostile), ("n", &[])],
        4 => &[("n", hostile), ("d", hostile)],
        5 => &[("d", hostile), ("d", hostile)],
        6 => &[("x", hostile)],
        _ => &[("s", hostile), ("n", hostile), ("d", hostile)],
    };
    let bound = edited.flags & 8 == 0;
    let job = road.client.decrypt(wanted, bound.then_some(road.run));
    let Ok(job) = job else { return verdict(&job) };
    let inside = content(hostile);
    // Who does not say of which inputs takes a result of any.
    let fits = |output: &Pristine| if bound { output.is_like(inside) } else { output.is_as_long(inside) };
    assert!(road.outputs.iter().any(fits), "a result was taken that no run gives");
    if edited.seldom {
        match values(job) {
            Ok(values) => {
                assert_eq!(values.len(), wanted.len());
                let budgets = values.iter().map(|(_, value)| value.noise_budget_bits);
                assert!(budgets.into_iter().all(|bits| bits >= 1.0), "noise that is unknown, or too much");
            }
            Err(error) => assert_eq!(error.code(), "noise.exhausted", "{error}"),
        }
    }
    Verdict::Accepted
}
