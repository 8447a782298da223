//! Encrypted inputs.

use super::{Target, verdict};
use crate::container::content;
use crate::edits::edited;
use crate::road::{objects, road};
use crate::watch::Verdict;

pub const TARGET: Target = Target::of_edits("input", run);

fn run(script: &[u8]) -> Verdict {
    let road = road();
    let edited = edited(script, &road.inputs);
    let (hostile, [a, b]) = (edited.bytes.as_slice(), [0, 1].map(|k| road.inputs[k].bytes.as_slice()));
    let all: &[&[u8]] = match edited.flags & 7 {
        0 => &[hostile],
        1 => &[a, hostile],
        2 => &[hostile, hostile],
        3 => &[a, b, hostile],
        4 => &[hostile, a, b],
        _ => &[hostile, b],
    };
    let run = road.evaluator.run(all);
    if let Ok(job) = run {
        let inside = content(hostile);
        assert!(
            road.inputs.iter().any(|input| input.is_like(inside)),
            "an input was taken that no client makes"
        );
        if edited.seldom {
            let results = objects(job).expect("a run over residues ends");
            assert_eq!(results.len(), road.outputs.len());
        }
        return Verdict::Accepted;
    }
    verdict(&run)
}
