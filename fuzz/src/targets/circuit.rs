//! Circuits as text: operators of all levels, and on plain data in any unit. What is taken is saved, expanded, optimized,
//! planned, and run where it is small.

use super::Target;
use super::graph::LIMITS;
use super::task::programs;
use crate::lines;
use crate::road::{CLOCK, platform};
use crate::watch::Verdict;
use cipherloom::Result;
use cipherloom::circuit::{Circuit, CircuitBuilder, Execution, RunOptions, To};
use cipherloom::graph::{Attrs, ValueType, print};
use cipherloom::ops::Registry;
use cipherloom::ops::tensor::{Element, Tensor};
use std::sync::{Arc, LazyLock};

pub const TARGET: Target =
    Target { name: "circuit", run, seeds, mutate: Some(lines::mutate), limits: LIMITS };

/// Most bytes of a run.
const MEMORY: u64 = 1 << 20;
/// Most operators that are expanded: what a text of so many bytes says, not what it could grow to.
const MOST_OPERATORS: usize = 200;

pub(super) fn registry() -> &'static Arc<Registry> {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(cipherloom::registry()));
    &REGISTRY
}

fn run(text: &[u8]) -> Verdict {
    let Ok(text) = std::str::from_utf8(text) else { return Verdict::Refused };
    let Ok(circuit) = Circuit::from_text(text, Arc::clone(registry())) else { return Verdict::Refused };
    let saved = Circuit::from_bytes(&circuit.to_bytes(), Arc::clone(registry())).expect("its own bytes");
    assert_eq!(saved.to_text(), circuit.to_text(), "what is saved comes back");
    circuit.analyze().expect("the analysis of a circuit");
    if circuit.graph().operators().len() <= MOST_OPERATORS {
        let _ = execute(&circuit);
    }
    Verdict::Accepted
}

fn execute(circuit: &Circuit) -> Result<()> {
    let platform = platform();
    let base = circuit.expand(To::Platform(&*platform))?.optimize_by_default()?;
    let options = RunOptions { memory_limit: MEMORY, secret: false, ..RunOptions::default() };
    let execution = base.plan(&*platform, &[], options)?;
    let data = data(&execution)?;
    let named: Vec<(&str, &[u8])> =
        data.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let mut run = execution.start(&named, CLOCK)?;
    run.finish();
    for index in 0..execution.outputs().count() {
        execution.output(&run, index).expect("the output of a run that ended");
    }
    Ok(())
}

/// Bytes that inputs may hold.
fn data(execution: &Execution) -> Result<Vec<(String, Vec<u8>)>> {
    let graph = execution.plan().graph();
    let bytes = |ty: &ValueType| -> Result<Vec<u8>> {
        let bits = ty.size.saturating_mul(graph.unit_bits().into());
        let primes = registry().residues(ty)?;
        let word = |k: usize| {
            let any = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            match &primes {
                Some((n, primes)) => any % primes.get(k / n).copied().unwrap_or(1).max(1),
                None => any,
            }
        };
        let mut bytes: Vec<u8> =
            (0..bits.div_ceil(64) as usize).flat_map(|k| word(k).to_le_bytes()).collect();
        bytes.truncate(bits.div_ceil(8) as usize);
        Ok(bytes)
    };
    graph.inputs().iter().map(|port| Ok((port.name.clone(), bytes(graph.ty(port.operand))?))).collect()
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let all = programs().iter().map(cipherloom::tasks::Program::scheme);
    let mut texts: Vec<String> = all.map(print).filter(|text| text.len() < 4096).collect();
    for unit in [1, 8, 64] {
        texts.push(plain(unit).expect("a circuit to start from").to_text());
    }
    texts.into_iter().map(String::into_bytes).collect()
}

/// Plain data in units of so many bits: arithmetic, a comparison, a look-up, bits and their neighbors.
fn plain(unit: u32) -> Result<Circuit> {
    let mut g = CircuitBuilder::new(unit, registry())?;
    let floats = |shape: &[u64]| Tensor::new(Element::F32, shape).ty(unit);
    let (a, w) = (g.input("a", floats(&[2, 4])?)?, g.input("w", floats(&[4, 6])?)?);
    let y = g.op("f32.matmul", Attrs::new(), &[a, w])?;
    let zero = g.constant(&Tensor::new(Element::F32, [2]), vec![0; 8].into())?;
    let zero = g.op("f32.broadcast", Attrs::new().with("shape", [2, 2].as_slice()), &[zero])?;
    let zero = g.op("f32.sum", Attrs::new().with("axis", 1u64), &[zero])?;
    let zero = g.view(zero, 0, Tensor::new(Element::F32, [2, 1]).ty(unit)?)?;
    let y = g.op("f32.max", Attrs::new(), &[y, zero])?;
    let y = g.op("f32.sort", Attrs::new().with("axis", 1u64), &[y])?;
    g.output("y", y);
    let x = g.input("x", Tensor::new(Element::U8, [16]).ty(unit)?)?;
    let table = g.constant(&Tensor::new(Element::U8, [256]), (0..=255).rev().collect::<Vec<u8>>().into())?;
    let z = g.op("u8.gather", Attrs::new().with("axis", 0u64), &[table, x])?;
    let bits = g.view(z, 0, Tensor::new(Element::Bit, [128]).ty(unit)?)?;
    let half = Tensor::new(Element::Bit, [64]).ty(unit)?;
    let (low, high) = (g.view(bits, 0, half.clone())?, g.view(bits, u64::from(64 / unit), half)?);
    let mixed = g.op("bit.xor", Attrs::new(), &[low, high])?;
    if unit == 1 {
        let odd = g.view(mixed, 3, Tensor::new(Element::Bit, [13]).ty(unit)?)?;
        let odd = g.op("bit.not", Attrs::new(), &[odd])?;
        g.output("odd", odd);
    }
    g.output("mixed", mixed);
    g.finish()
}
