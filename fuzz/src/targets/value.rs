//! Encrypted values, those that go to an evaluator and those that come back.

use super::value_task::task;
use super::{Target, verdict};
use crate::container::content;
use crate::edits::{Pristine, edited};
use crate::road::{CLOCK, objects, platform};
use crate::watch::Verdict;
use cipherloom::Result;
use cipherloom::graph::Graph;
use cipherloom::ops::types::Ciphertext;
use cipherloom::program::Outcome;
use cipherloom::tasks::{Client, Evaluator, Options, Program};
use cipherloom::values::Exact;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

pub const TARGET: Target = Target::of_edits("value", run);

/// A small program with all that travels.
pub(super) struct Road {
    pub(super) program: Arc<Program>,
    pub(super) client: Client,
    evaluator: Evaluator,
    inputs: Vec<Pristine>,
    pub(super) outputs: Vec<Pristine>,
}

pub(super) static ROAD: LazyLock<Road> = LazyLock::new(|| road().expect("a road to fuzz"));

fn road() -> Result<Road> {
    let ty = r#"value[1]{kind="integer", shape=[6], where="encrypted"}"#;
    let literal = task(ty, "value.add", "", &[0, 1]);
    let literal = cipherloom::tasks::Literal::deserialize(literal).expect("a task");
    let program = Arc::new(Program::compile(literal, &Options { n: Some(2048), ..Options::default() })?);
    let client = Client::new(Arc::clone(&program), platform(), CLOCK)?;
    let evaluator = Evaluator::new(&program.bytes(), &*platform(), CLOCK)?;
    let cells = Exact::integers(0..6);
    let encrypted = objects(client.encrypt(&[("a", &cells), ("b", &cells)])?)?;
    let given: Vec<(&str, &[u8])> =
        encrypted.iter().map(|v| (v.names[0].as_str(), v.bytes.as_slice())).collect();
    let results = objects(evaluator.run(&given, &BTreeMap::new())?)?;
    let limbs = |graph: &Graph, name: &str, given: bool| -> Result<Vec<u64>> {
        let ports = if given { graph.inputs() } else { graph.outputs() };
        let own = ports.iter().filter(|port| port.name.starts_with(&format!("{name}[")));
        // What is given travels without its uniform half.
        let half = |ty: Ciphertext| ty.q.repeat(if given { 1 } else { ty.parts });
        let own = own.map(|port| Ciphertext::of(graph.ty(port.operand)).map(half));
        Ok(own.collect::<Result<Vec<_>>>()?.concat())
    };
    let pristine = |object: &cipherloom::program::Named, given| {
        let limbs = limbs(program.scheme(), &object.names[0], given)?;
        Ok(Pristine::packed(object.bytes.clone(), 2048, &limbs))
    };
    let inputs = encrypted.iter().map(|object| pristine(object, true)).collect::<Result<_>>()?;
    let outputs = results.iter().map(|object| pristine(object, false)).collect::<Result<_>>()?;
    Ok(Road { program, client, evaluator, inputs, outputs })
}

fn run(script: &[u8]) -> Verdict {
    let road = &*ROAD;
    if script.first().is_some_and(|byte| byte & 0x80 == 0) {
        let edited = edited(script, &road.inputs);
        let all = [("a", edited.bytes.as_slice()), ("b", road.inputs[1].bytes.as_slice())];
        let run = road.evaluator.run(&all, &BTreeMap::new());
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
    let job = road.client.decrypt(&[&edited.bytes], &BTreeMap::new(), None);
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
