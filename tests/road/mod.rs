//! The whole road of a task: compiled, keys made, values encrypted, run by an evaluator that was given bytes, decrypted and finished.

pub mod random;

use cipherloom::Result;
use cipherloom::circuit::{Job, Outcome};
use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, OperandId, ValueType};
use cipherloom::ops::{Registry, Session, types};
use cipherloom::platform::{Platform, Simd};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{
    Client, Evaluator, GivenParameters, InputLiteral, Literal, NodeLiteral, Options, OutputLiteral, Owner,
    Passes, Program, Report,
};
use cipherloom::values::number::Number;
use cipherloom::values::{Exact, GivenCells, Values, interpret};
use std::sync::Arc;

/// Options for programs whose sums are made by turns, which take keys.
pub fn turning() -> Options {
    Options { passes: Passes { extract: false, ..Passes::ALL }, ..Options::default() }
}

/// A task, line by line.
#[derive(Default)]
pub struct TaskBuilder(Parts);

/// What a builder has so far.
#[derive(Default)]
pub struct Parts {
    inputs: Vec<InputLiteral>,
    nodes: Vec<NodeLiteral>,
    outputs: Vec<OutputLiteral>,
}

impl TaskBuilder {
    /// An input, before all operators; type attributes as text, bounds where there are some.
    pub fn input(&mut self, name: &str, attrs: &str, bounds: Option<[&str; 2]>) -> usize {
        assert!(self.0.nodes.is_empty());
        self.0.inputs.push(InputLiteral {
            name: name.into(),
            ty: format!("value[1]{{{attrs}}}"),
            min: bounds.map(|b| b[0].into()),
            max: bounds.map(|b| b[1].into()),
            digits: None,
        });
        self.0.inputs.len() - 1
    }

    pub fn op(&mut self, op: &str, attrs: &str, inputs: &[usize]) -> usize {
        self.0.nodes.push(NodeLiteral {
            op: op.into(),
            inputs: inputs.to_vec(),
            attrs: if attrs.is_empty() { String::new() } else { format!("{{{attrs}}}") },
        });
        self.0.inputs.len() + self.0.nodes.len() - 1
    }

    pub fn output(&mut self, name: &str, operand: usize) {
        self.0.outputs.push(OutputLiteral { name: name.into(), operand });
    }

    pub fn finish(self) -> Literal {
        let Parts { inputs, nodes, outputs } = self.0;
        Literal { inputs, nodes, outputs }
    }
}

/// What a task is, by the exact interpreter.
pub fn expected(task: &Literal, inputs: &SortedMap<String, Exact>) -> SortedMap<String, Exact> {
    let values = Values::new();
    let registry = values.registry();
    let (graph, _) = task.assemble(&registry, &values).unwrap();
    interpret(&graph, &registry, &values, inputs).unwrap().outputs()
}

/// What comes of it, encrypted; inputs that the task has as encrypted are.
pub fn run(program: &Arc<Program>, inputs: &SortedMap<String, Exact>) -> SortedMap<String, Exact> {
    let platform = || Arc::new(Simd::new());
    let client = Client::new(Arc::clone(program), platform(), || 0.0).unwrap();
    run_with(&client, program, inputs)
}

pub fn run_with(
    client: &Client,
    program: &Arc<Program>,
    inputs: &SortedMap<String, Exact>,
) -> SortedMap<String, Exact> {
    let encrypted =
        |name: &str| program.task().inputs.iter().any(|i| i.name == name && i.ty.contains("encrypted"));
    let (own, clear) = inputs.clone().into_iter().partition(|(name, _)| encrypted(name));
    answers(client, program, &sealed(client, &own), &clear)
}

/// As clients and evaluators take values: as whole numbers or doubles where they are such.
pub fn given(values: &SortedMap<String, Exact>) -> SortedMap<String, GivenCells> {
    values.iter().map(|(name, value)| (name.clone(), given_cells(value))).collect()
}

/// The same, of one.
pub fn given_cells(value: &Exact) -> GivenCells {
    let integers: Option<Vec<i64>> =
        value.cells.iter().map(|cell| cell.small().and_then(|cell| i64::try_from(cell).ok())).collect();
    let double =
        |cell: &Number| Some(cell.to_f64()).filter(|&double| Number::from_f64(double).as_ref() == Some(cell));
    let doubles: Option<Vec<f64>> = value.cells.iter().map(double).collect();
    let present = value.present.clone();
    match (integers, doubles) {
        // Both ways are taken.
        (Some(cells), _) if cells.len() % 2 == 0 => GivenCells::integers(cells.into(), present).unwrap(),
        (_, Some(cells)) => GivenCells::doubles(cells.into(), present).unwrap(),
        _ => value.clone().into(),
    }
}

/// Encrypted values, by name.
pub fn sealed(client: &Client, values: &SortedMap<String, Exact>) -> SortedMap<String, Vec<u8>> {
    sealed_by(|values| client.encrypt(values), values)
}

/// The same, of a data owner.
pub fn sealed_public(owner: &Owner, values: &SortedMap<String, Exact>) -> SortedMap<String, Vec<u8>> {
    sealed_by(|values| owner.encrypt(values), values)
}

fn sealed_by(
    encrypt: impl FnOnce(&[(&str, &GivenCells)]) -> Result<Job>,
    values: &SortedMap<String, Exact>,
) -> SortedMap<String, Vec<u8>> {
    let values = given(values);
    let values: Vec<(&str, &GivenCells)> =
        values.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let Outcome::Objects(values) = encrypt(&values).unwrap().complete().unwrap() else {
        panic!("values are objects")
    };
    values.into_iter().map(|mut value| (value.names.remove(0), value.bytes)).collect()
}

/// What a program answers, with keys of that client.
pub fn answers(
    client: &Client,
    program: &Arc<Program>,
    sealed: &SortedMap<String, Vec<u8>>,
    clear: &SortedMap<String, Exact>,
) -> SortedMap<String, Exact> {
    opened(client, evaluator(client, program).run(&by_name(sealed), &given(clear)).unwrap(), clear)
}

/// An evaluator that has the keys of a client.
pub fn evaluator(client: &Client, program: &Arc<Program>) -> Evaluator {
    let insecure = program.parameters().insecure();
    let mut evaluator = Evaluator::opened(&program.bytes(), insecure, &Simd::new(), || 0.0).unwrap();
    for name in evaluator.missing_keys() {
        let Outcome::Bytes(key) = client.key(&name).unwrap().complete().unwrap() else {
            panic!("a key is bytes")
        };
        evaluator.load_key(&key).unwrap();
    }
    evaluator
}

/// As evaluators take them.
pub fn by_name(sealed: &SortedMap<String, Vec<u8>>) -> Vec<(&str, &[u8])> {
    sealed.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
}

/// What comes of a run.
pub fn opened(client: &Client, job: Job, clear: &SortedMap<String, Exact>) -> SortedMap<String, Exact> {
    let Outcome::Objects(results) = job.complete().unwrap() else { panic!("results") };
    let results: Vec<&[u8]> = results.iter().map(|r| r.bytes.as_slice()).collect();
    let Outcome::Cells(cells) = client.decrypt(&results, &given(clear), None).unwrap().complete().unwrap()
    else {
        panic!("cells")
    };
    cells.into_iter().map(|output| (output.name, output.cells.unwrap())).collect()
}

/// What a graph over inputs of these types gives, as its first output.
pub fn computed(
    program: &Program,
    inputs: Vec<(ValueType, Vec<u64>)>,
    build: impl FnOnce(&mut Session<'_>, &[OperandId]) -> Result<OperandId>,
) -> Vec<u64> {
    let mut s = Session::new(Graph::new(64), program.registry());
    let (mut operands, mut data) = (Vec::new(), Vec::new());
    for (index, (ty, words)) in inputs.into_iter().enumerate() {
        operands.push(s.graph_mut().add_input(&index.to_string(), ty).unwrap());
        data.push(Input::secret(words));
    }
    let out = build(&mut s, &operands).unwrap();
    s.graph_mut().declare_output("out", out);
    let platform = Simd::new();
    let base = BaseSet { platform: "simd", contains: &|op| platform.implements(op) };
    let graph = Expander::new(program.registry()).expand(&s.finish(), &base).unwrap();
    let plan = Arc::new(Plan::new(&graph, &Registry::lattice(), &platform, PlanOptions::default()).unwrap());
    let mut run = Run::new(plan, data, || 0.0).unwrap();
    run.finish();
    run.output(0).unwrap().to_vec()
}

/// The words of the secret key of a saved client, computed as clients do.
pub fn secret_key(program: &Program, saved: &[u8]) -> Vec<u64> {
    let parameters = program.parameters();
    let attrs = Attrs::new().with("n", parameters.literal().n).with("q", parameters.secret_primes());
    let seed = &saved[saved.len() - 16 - 32..saved.len() - 16];
    let seed = seed.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    computed(program, vec![(types::secret_seed(), seed)], |s, given| s.op("rlwe.secret_key", attrs, given))
}

/// Compiles, and says what was chosen.
pub fn compile(task: &Literal) -> Arc<Program> {
    let start = std::time::Instant::now();
    let program = Program::compile(task.clone(), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let r = program.report().unwrap();
    println!(
        "{} ms: {:?} n {} t {:?} q {} special {} keys {} {:?} {:?}",
        start.elapsed().as_millis(),
        r.scheme,
        r.n,
        r.plain_moduli,
        r.moduli.len(),
        r.special.len(),
        r.keys.len(),
        r.operators,
        r.outputs
    );
    Arc::new(program)
}

/// The parameters of a program, and how its inputs lie, for another one.
pub fn parameters(report: &Report) -> GivenParameters {
    let Report { scheme, n, scale, moduli, special, plain_moduli, inputs, public_key, parties, .. } =
        report.clone();
    let layouts = inputs.into_iter().map(|(name, input)| (name, input.layout)).collect();
    let public_key = public_key.is_some();
    GivenParameters { scheme, n, moduli, special, plain_moduli, scale, layouts, public_key, parties }
}
