//! What ran where and when.

use super::plan::Plan;
use crate::Result;
use crate::analyze::analyze;
use crate::place::{DOWNLOAD, UPLOAD};
use crate::sorted::SortedMap;

/// One operator's run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Operator of the planned graph.
    pub op: u32,
    /// Thread number, from 0.
    pub thread: u32,
    /// Start, milliseconds since the run's first step.
    pub start: f64,
    /// End, milliseconds since the run's first step.
    pub end: f64,
}

/// All spans of a run, in order of completion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The run's first step, by its clock; 0 before it.
    pub origin: f64,
    /// Threads of the pool: greater numbers of threads in spans are no threads.
    pub threads: u32,
    /// The spans.
    pub spans: Vec<Span>,
}

/// The operators of a planned graph, by the numbers that spans have: what they are, and whose results they read. No attribute, place or datum is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// Names of operator types.
    pub types: Vec<String>,
    /// Type of each operator.
    pub types_of: Vec<u32>,
    /// Kernels, by their names: the family or the platform, then those made at run time that work in it.
    pub kernels: Vec<Vec<String>>,
    /// Kernel of each operator.
    pub kernels_of: Vec<u32>,
    /// Where the operators that each one waits for start in `waits`; one more entry than operators.
    pub starts: Vec<u32>,
    /// The dependency sets (SPEC G6). That storage is used again makes some wait for others, too; these are not in it.
    pub waits: Vec<u32>,
}

impl Plan {
    /// What a trace of its runs needs to be read. Copies to and from a device are told of as the operators that they are for.
    ///
    /// # Errors
    /// Those of `analyze`, none on a graph that was planned.
    pub fn traced(&self) -> Result<Traced> {
        let graph = self.graph();
        let operators = graph.operators();
        let name = |op: u32| operators.get(op as usize).map_or("", |op| graph.signature(op).name.as_str());
        let is_copy = |op: u32| matches!(name(op), UPLOAD | DOWNLOAD);
        let origin = |op: u32| self.device.as_ref().map_or(op, |device| device.origin(op));
        let all = 0..operators.len() as u32;
        let own: Vec<u32> = all.filter(|&op| !is_copy(op)).collect();
        let count = own.iter().map(|&op| origin(op) as usize + 1).max().unwrap_or(0);
        let (types_of, kernels_of) = (vec![0; count], vec![0; count]);
        let mut out = Traced { types_of, kernels_of, starts: vec![0; count + 1], ..Traced::default() };
        let dependencies = analyze(graph)?;
        let mut numbers: SortedMap<&str, u32> = SortedMap::new();
        let mut kernels: SortedMap<Vec<String>, u32> = SortedMap::new();
        let mut known: SortedMap<u32, u32> = SortedMap::new();
        let (mut pairs, mut open) = (Vec::new(), Vec::new());
        for &op in &own {
            let next = out.types.len() as u32;
            out.types_of[origin(op) as usize] = *numbers.entry(name(op)).or_insert_with(|| {
                out.types.push(name(op).to_owned());
                next
            });
            // Operators that are alike have one kernel.
            out.kernels_of[origin(op) as usize] = *known.entry(self.kernel_number(op)).or_insert_with(|| {
                let names = self.step(op).kernel.names();
                let next = out.kernels.len() as u32;
                *kernels.entry(names.clone()).or_insert_with(|| {
                    out.kernels.push(names);
                    next
                })
            });
            open.extend_from_slice(dependencies.dep(op as usize));
            while let Some(before) = open.pop() {
                if is_copy(before) {
                    open.extend_from_slice(dependencies.dep(before as usize));
                } else {
                    pairs.push((origin(op), origin(before)));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        for &(op, _) in &pairs {
            out.starts[op as usize + 1] += 1;
        }
        for op in 0..count {
            out.starts[op + 1] += out.starts[op];
        }
        out.waits = pairs.into_iter().map(|(_, before)| before).collect();
        Ok(out)
    }
}
