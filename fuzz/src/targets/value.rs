//! Encrypted values, those that go to an evaluator and those that come back.

use super::{Target, verdict};
use crate::container::content;
use crate::edits::{Pristine, edited};
use crate::road::{ROAD, objects};
use crate::watch::Verdict;
use cipherloom::circuit::Outcome;
use cipherloom::sorted::SortedMap;

pub const TARGET: Target = Target::of_edits("value", run);

fn run(script: &[u8]) -> Verdict {
    let road = &*ROAD;
    if script.first().is_some_and(|byte| byte & 0x80 == 0) {
        let edited = edited(script, &road.inputs);
        let all = [("a", edited.bytes.as_slice()), ("b", road.inputs[1].bytes.as_slice())];
        let run = road.evaluator.run(&all, &SortedMap::new());
        if let Ok(job) = run {
            let like = |input: &Pristine| input.is_as_long(content(&edited.bytes));
            assert!(road.inputs.iter().any(like), "a value was taken that no client makes");
            if edited.seldom {
                assert_eq!(objects(job).expect("a run over residues ends").len(), road.outputs.len());
            }
            return Verdict::Accepted;
        }
        return verdict(&run);
    }
    let edited = edited(script, &road.outputs);
    let job = road.client.decrypt(&[&edited.bytes], &SortedMap::new(), None);
    if let Ok(job) = job {
        let inside = content(&edited.bytes);
        assert!(
            road.outputs.iter().any(|output| output.is_as_long(inside)),
            "a result was taken that no evaluator makes"
        );
        if edited.seldom
            && let Ok(Outcome::Cells(cells)) = job.complete()
        {
            assert_eq!(cells.len(), road.outputs.len());
        }
        return Verdict::Accepted;
    }
    verdict(&job)
}
