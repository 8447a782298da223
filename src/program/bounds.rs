//! What a task literal may become, told from its numbers alone: whoever opens a program from outside knows before anything
//! is expanded that it takes neither all memory nor minutes.
//!
//! Every operator of a task is bounded by the ciphertext operators of its expansion, and each of those by the base operators
//! of its own, on a platform with fused kernels (`ops/fused`).

use super::literal::{AttrLiteral, NodeLiteral, TaskLiteral};
use super::parameters::ParameterLiteral;
use crate::schemes::columns::{statistic_products, statistic_sums};
use crate::{Error, Result};
use std::collections::BTreeSet;

/// Most bytes of a program's text.
const MOST_TEXT: u64 = 32 << 20;
/// Most things in a program's text: numbers, texts, lists, objects. Read, each of them takes up to a hundred bytes.
const MOST_THINGS: u64 = 1 << 21;
/// Most inputs of a task.
const MOST_INPUTS: u64 = 1 << 12;
/// Most operators of a task.
const MOST_NODES: u64 = 1 << 16;
/// Most outputs of a task.
const MOST_OUTPUTS: u64 = 1 << 13;
/// Most operands of one of its operators.
const MOST_OPERANDS: u64 = 16;
/// Most keys times operators: every operator of a task is given the list of all keys that may be needed, and looks through
/// it.
const MOST_KEY_READS: u64 = 1 << 20;
/// Most bytes of an operator's name, and of a number.
const MOST_WORD: u64 = 64;
/// Most integers in an attribute that is no list of texts: no operator takes a list of them.
const MOST_INTEGERS: u64 = 16;
/// Most operators on ciphertexts: compiling builds their graph for every candidate.
const MOST_SCHEME_OPERATORS: u64 = 1 << 18;
/// Most base operators: what is expanded and planned in about ten seconds, at one to two microseconds each.
const MOST_OPERATORS: u64 = 4_000_000;
/// Most slots of known numbers, over all operators.
const MOST_CONSTANTS: u64 = 1 << 26;
/// Bytes of a base operator in the graphs and the plan that are held at a time.
const OPERATOR_BYTES: u64 = 300;
/// Bytes of a ciphertext operator in the graphs that are held at a time.
const SCHEME_OPERATOR_BYTES: u64 = 400;
/// Bytes of a known number among an operator's attributes.
const CONSTANT_BYTES: u64 = 16;

/// Refuses a program's text that would take long to read.
///
/// # Errors
/// `TooLarge`.
pub fn check_text(text: &str) -> Result<()> {
    at_most("bytes of text", text.len() as u64, MOST_TEXT)?;
    let things = text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{' | b':')).count();
    at_most("things in its text", things as u64, MOST_THINGS)
}

/// Refuses a literal of too many parts.
///
/// # Errors
/// `TooLarge`.
pub fn check_literal(task: &TaskLiteral) -> Result<()> {
    at_most("inputs", task.inputs.len() as u64, MOST_INPUTS)?;
    at_most("operators of the task", task.nodes.len() as u64, MOST_NODES)?;
    at_most("outputs", task.outputs.len() as u64, MOST_OUTPUTS)?;
    let operands = task.nodes.iter().map(|node| node.inputs.len()).max().unwrap_or(0);
    at_most("operands of an operator", operands as u64, MOST_OPERANDS)?;
    at_most("known numbers", task.nodes.iter().map(known_numbers).sum(), MOST_THINGS)?;
    at_most("bytes of a name or number", longest_word(task), MOST_WORD)?;
    at_most("integers in an attribute", task.nodes.iter().map(integers).max().unwrap_or(0), MOST_INTEGERS)?;
    at_most(
        "keys times operators",
        rotation_keys(task).saturating_mul(task.nodes.len() as u64),
        MOST_KEY_READS,
    )
}

/// Bytes of the longest operator's name, bound or known number.
fn longest_word(task: &TaskLiteral) -> u64 {
    let bounds = task.inputs.iter().flat_map(|input| [&input.min, &input.max]);
    let names = task.nodes.iter().map(|node| &node.op);
    let texts = task.nodes.iter().flat_map(|node| node.attrs.values()).flat_map(|attr| match attr {
        AttrLiteral::Text(text) => std::slice::from_ref(text),
        AttrLiteral::Texts(texts) => texts,
        AttrLiteral::Int(_) | AttrLiteral::Float(_) | AttrLiteral::Ints(_) => &[],
    });
    bounds.chain(names).chain(texts).map(String::len).max().unwrap_or(0) as u64
}

/// The longest list of integers among a node's attributes.
fn integers(node: &NodeLiteral) -> u64 {
    let length = |attr: &AttrLiteral| if let AttrLiteral::Ints(list) = attr { list.len() } else { 0 };
    node.attrs.values().map(length).max().unwrap_or(0) as u64
}

/// Evaluation keys that rotations may need: for each, by steps and length of its rings, up to two, at two levels.
fn rotation_keys(task: &TaskLiteral) -> u64 {
    let sources = task.sources();
    let mut rotations = BTreeSet::new();
    for node in task.nodes.iter().filter(|node| node.op.starts_with("column.rotate")) {
        let input = node.inputs.first().and_then(|&operand| sources.get(operand).copied().flatten());
        let rows = input.map_or(0, |input| task.inputs[input].rows / task.inputs[input].rings.max(1));
        rotations.insert((format!("{} {:?}", node.op, node.attrs), rows));
    }
    let of_rotation = |rows: usize| if rows.is_power_of_two() { 2 } else { 4 };
    rotations.iter().map(|&(_, rows)| of_rotation(rows)).sum::<u64>()
}

/// Refuses a task that becomes too much in any ring of dimension `n` with `moduli` plaintext moduli.
///
/// # Errors
/// `TooLarge`.
pub fn check_ring(task: &TaskLiteral, n: usize, moduli: usize) -> Result<()> {
    let work = Work::of(task, n, moduli);
    at_most("slots of known numbers", work.constants, MOST_CONSTANTS)?;
    at_most("ciphertext operators", work.scheme_operators(), MOST_SCHEME_OPERATORS)
}

/// Refuses a task that becomes too much under these parameters, of whose memory, `memory` bytes, graphs, known numbers and
/// inputs take a part each.
///
/// # Errors
/// `TooLarge`.
pub fn check(task: &TaskLiteral, parameters: &ParameterLiteral, memory: u64) -> Result<()> {
    check_ring(task, parameters.n, parameters.t.len())?;
    let work = Work::of(task, parameters.n, parameters.t.len());
    let operators = work.base_operators(parameters);
    at_most("base operators", operators, MOST_OPERATORS)?;
    let ciphertext = 16 * (parameters.n * parameters.q.len()) as u64;
    let limbs = (parameters.q.len() + 2) as u64;
    let bytes = (operators * OPERATOR_BYTES + work.scheme_operators() * SCHEME_OPERATOR_BYTES)
        .saturating_add(work.listed.saturating_mul(CONSTANT_BYTES + 8 * limbs))
        .saturating_add(work.inputs.saturating_mul(ciphertext));
    at_most("bytes of operators, known numbers and inputs", bytes, memory)
}

fn at_most(what: &'static str, found: u64, limit: u64) -> Result<()> {
    if found <= limit { Ok(()) } else { Err(Error::TooLarge { what, found, limit }) }
}

/// Known numbers in a node's attributes.
fn known_numbers(node: &NodeLiteral) -> u64 {
    let length = |attr: &AttrLiteral| match attr {
        AttrLiteral::Ints(list) => list.len(),
        AttrLiteral::Texts(list) => list.len(),
        AttrLiteral::Int(_) | AttrLiteral::Float(_) | AttrLiteral::Text(_) => 1,
    };
    node.attrs.values().map(length).sum::<usize>() as u64
}

/// Operators on ciphertexts, by kind: no fewer than a task's expansion has.
#[derive(Debug, Default)]
struct Work {
    /// Ring dimension.
    n: usize,
    /// Additions, subtractions, negations.
    add: u64,
    /// Changes to fewer primes.
    switch: u64,
    relinearize: u64,
    multiply: u64,
    /// Sums and products with known numbers.
    add_plain: u64,
    multiply_plain: u64,
    rotate: u64,
    /// Sums of slots.
    sum_slots: u64,
    /// Slots of known numbers.
    constants: u64,
    /// Those that a list gives: no two ciphertexts need share them.
    listed: u64,
    /// Ciphertexts of inputs.
    inputs: u64,
}

/// What is known of an operand.
#[derive(Clone, Copy, Default)]
struct Operand {
    /// Ciphertexts of its values; 0 for numbers.
    ciphertexts: u64,
    /// Whether they have three parts.
    product: bool,
    missing: bool,
}

impl Work {
    fn of(task: &TaskLiteral, n: usize, moduli: usize) -> Self {
        let mut work = Self { n, ..Self::default() };
        let mut operands: Vec<Operand> = Vec::with_capacity(task.inputs.len() + task.nodes.len());
        for input in &task.inputs {
            let ciphertexts = (moduli * input.rows.div_ceil(n)) as u64;
            work.inputs += ciphertexts * if input.missing { 2 } else { 1 };
            operands.push(Operand { ciphertexts, product: false, missing: input.missing });
        }
        for node in &task.nodes {
            let own: Vec<Operand> =
                node.inputs.iter().filter_map(|&input| operands.get(input)).copied().collect();
            let result = work.node(node, &own, moduli as u64);
            operands.push(result);
        }
        for output in &task.outputs {
            work.switch += operands.get(output.operand).map_or(0, |operand| operand.ciphertexts);
        }
        work
    }

    /// Adds a node over these operands.
    fn node(&mut self, node: &NodeLiteral, operands: &[Operand], moduli: u64) -> Operand {
        let count = operands.iter().map(|operand| operand.ciphertexts).max().unwrap_or(0);
        let first = operands.first().copied().unwrap_or_default();
        let products = operands.iter().filter(|operand| operand.product).count() as u64;
        let same = Operand { ciphertexts: count, ..first };
        match node.op.as_str() {
            "column.add" | "column.sub" => {
                self.add += count;
                self.switch += count;
                // Two products are added as they are.
                self.relinearize += if products == 1 { count } else { 0 };
                Operand { product: products == 2, ..same }
            }
            "column.negate" => {
                self.add += count;
                same
            }
            "column.add_plain" | "column.multiply_plain" => {
                let multiplies = node.op == "column.multiply_plain";
                *if multiplies { &mut self.multiply_plain } else { &mut self.add_plain } += count;
                let slots = count * self.n as u64;
                self.constants += slots;
                self.listed += if node.attrs.contains_key("values") { slots } else { 0 };
                same
            }
            "column.multiply" => {
                self.relinearize += products * count;
                self.multiply += count;
                Operand { product: true, ..same }
            }
            "column.rotate_rows" | "column.rotate_columns" => {
                // Two rotations, a mask, a difference and a sum where the rows of a ring are no power of two.
                self.switch += count;
                self.relinearize += if first.product { count } else { 0 };
                self.rotate += 2 * count;
                self.multiply_plain += count;
                self.add += 2 * count;
                self.constants += count * self.n as u64;
                self.listed += count * self.n as u64;
                Operand { product: false, ..same }
            }
            "column.sum" => {
                self.sum(count, moduli, first.product);
                Operand::default()
            }
            name => {
                let missing = operands.iter().any(|operand| operand.missing);
                if let Some(sums) = statistic_sums(name) {
                    let made = statistic_products(name, missing) as u64 * count;
                    self.multiply += made;
                    self.relinearize += made + products * made;
                    (0..sums.len()).for_each(|_| self.sum(count, moduli, true));
                }
                Operand::default()
            }
        }
    }

    /// Adds a sum over `count` ciphertexts.
    fn sum(&mut self, count: u64, moduli: u64, product: bool) {
        self.add += count;
        self.switch += moduli;
        self.relinearize += if product { moduli } else { 0 };
        self.sum_slots += moduli;
    }

    fn scheme_operators(&self) -> u64 {
        let plain = self.add_plain + self.multiply_plain;
        // Known numbers are slots and are encoded.
        let own = self.add + self.switch + self.relinearize + self.multiply + 3 * plain + self.rotate;
        // A packed sum is a rotation more.
        own + 2 * self.sum_slots
    }

    fn base_operators(&self, l: &ParameterLiteral) -> u64 {
        let [q, aux, special] = [&l.q, &l.aux, &l.special].map(|primes| primes.len() as u64);
        let digits = q.div_ceil(l.digit() as u64);
        let add = 3 * q;
        let key_switch = digits + (q + special) + 2 + 2 * q;
        let rotate = key_switch + 2 * q;
        let steps = u64::from(self.n.ilog2());
        self.add * add
            + self.switch * 3
            + self.relinearize * key_switch
            + self.multiply * (5 * (q + aux) + 9)
            + self.add_plain * (4 * q + 6)
            + self.multiply_plain * (6 * q + 6)
            + self.rotate * rotate
            + self.sum_slots * (steps + 1) * (rotate + add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Simd;
    use crate::program::{CompileOptions, Program, Stage};

    /// A task of two columns and these nodes, all of which are outputs.
    fn task(rows: usize, missing: bool, layout: &str, nodes: &[String]) -> TaskLiteral {
        let input = |name: &str| {
            format!(
                r#"{{"name":"{name}","rows":{rows},"min":"-9","max":"90","missing":{missing},"layout":"{layout}"}}"#
            )
        };
        let outputs: Vec<String> =
            (0..nodes.len()).map(|k| format!(r#"{{"name":"{k}","operand":{}}}"#, k + 2)).collect();
        let json = format!(
            r#"{{"inputs":[{},{}],"nodes":[{}],"outputs":[{}]}}"#,
            input("x"),
            input("y"),
            nodes.join(","),
            outputs.join(",")
        );
        serde_json::from_str(&json).unwrap()
    }

    fn node(op: &str, inputs: &[usize], attrs: &str) -> String {
        format!(r#"{{"op":"{op}","inputs":{inputs:?},"attrs":{{{attrs}}}}}"#)
    }

    /// Every operator of tasks, alone and in chains, over columns of few and many rows.
    fn tasks() -> Vec<TaskLiteral> {
        let mut all = Vec::new();
        for rows in [1, 5, 600, 5000, 40_000] {
            for missing in [false, true] {
                for name in ["stats.sum", "stats.mean", "stats.variance"] {
                    all.push(task(rows, missing, "column", &[node(name, &[0], "")]));
                }
                for name in ["stats.covariance", "stats.correlation"] {
                    all.push(task(rows, missing, "column", &[node(name, &[0, 1], "")]));
                }
            }
            let chain = [
                node("column.multiply", &[0, 1], ""),
                node("column.add", &[0, 2], ""),
                node("column.multiply", &[2, 3], ""),
                node("column.sub", &[4, 2], ""),
                node("column.negate", &[5], ""),
                node("column.add_plain", &[5], r#""scalar":"5""#),
                node(
                    "column.multiply_plain",
                    &[0],
                    &format!(r#""values":[{}]"#, vec![r#""5""#; rows].join(",")),
                ),
                node("column.sum", &[4], ""),
                node("stats.variance", &[2], ""),
            ];
            for from in 0..chain.len() {
                all.push(task(rows, false, "column", &chain[..=from]));
            }
        }
        let rotations = [
            node("column.rotate_rows", &[0], r#""steps":3"#),
            node("column.rotate_rows", &[2], r#""steps":5"#),
            node("column.multiply", &[3, 1], ""),
        ];
        for (rows, last) in [(8192, 0), (8192, 1), (8192, 2), (1000, 0), (1000, 1), (1000, 2)] {
            all.push(task(rows, false, "slots", &rotations[..=last]));
        }
        all
    }

    #[test]
    fn nothing_becomes_more_than_its_bound_nor_much_less() {
        let platform = Simd::new();
        let (mut worst, mut total) = (0f64, (0u64, 0u64));
        for task in tasks() {
            let Ok(program) = Program::compile(task.clone(), &CompileOptions::default()) else {
                panic!("{task:?}");
            };
            let l = program.parameters().literal();
            let work = Work::of(&task, l.n, l.t.len());
            let scheme = program.scheme().operators().len() as u64;
            let base = program.graph(Stage::Base, &platform).unwrap().operators().len() as u64;
            let (scheme_bound, base_bound) = (work.scheme_operators(), work.base_operators(l));
            assert!(scheme <= scheme_bound, "{scheme} > {scheme_bound}: {task:?} {l:?}");
            assert!(base <= base_bound, "{base} > {base_bound}: {task:?} {l:?}");
            worst = worst.max(base_bound as f64 / base.max(1) as f64);
            total = (total.0 + base, total.1 + base_bound);
        }
        // A bound that is far too large would refuse what could be run.
        assert!(total.1 < 6 * total.0, "{total:?}, worst {worst}");
        println!("base operators and bounds {total:?}, worst ratio {worst}");
    }

    #[test]
    fn the_largest_columns_fit() {
        let task = task(1 << 24, true, "column", &[node("stats.correlation", &[0, 1], "")]);
        let l = ParameterLiteral {
            scheme: super::super::parameters::SchemeName::Bfv,
            scale: None,
            n: 8192,
            t: vec![0; 2],
            q: vec![0; 3],
            special: vec![0],
            aux: vec![0; 3],
            low: 2,
            pack: true,
            table: String::new(),
        };
        let work = Work::of(&task, l.n, l.t.len());
        println!("{work:?}: {} {}", work.scheme_operators(), work.base_operators(&l));
        // But for their bytes: so much memory has no 32-bit machine.
        assert_eq!(check(&task, &l, u64::MAX), Ok(()));
    }
}
