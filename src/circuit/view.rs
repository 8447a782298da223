//! A graph as arrays, for drawing.

use crate::Result;
use crate::analyze::{OutputIndex, analyze, waves};
use crate::graph::{Graph, Intervals};
use serde::Serialize;
use std::collections::HashMap;

/// A graph as arrays, for drawing.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphView {
    /// Names of operator types.
    pub types: Vec<String>,
    /// Type of each operator.
    pub r#type: Vec<u32>,
    /// The operator of the stage above that each came from; -1 for none.
    pub parent: Vec<i32>,
    /// Where the producers of each operator start in `inputs`; one more entry than operators.
    pub inputs_start: Vec<u32>,
    /// Producers: operators, or -(k+1) for graph input k.
    pub inputs: Vec<i32>,
    /// Output placeholder of each operator: start and end, units.
    pub placeholders: Vec<f64>,
    /// Texts of attributes.
    pub labels: Vec<String>,
    /// Attributes of each operator.
    pub label: Vec<u32>,
    /// Names of the graph inputs.
    pub input_names: Vec<String>,
    /// The declared outputs.
    pub outputs: Vec<OutputView>,
    /// Earliest wave of each operator.
    pub wave: Vec<u32>,
}

/// A declared output of a drawn graph.
#[derive(Clone, Debug, Serialize)]
pub struct OutputView {
    /// Its name.
    pub name: String,
    /// The operator that writes it, or its last part; -(k+1) for graph input k.
    pub op: i32,
}

impl GraphView {
    /// The arrays of a settled graph.
    ///
    /// # Errors
    /// `OverlappingOutputs`, `Cycle`.
    pub fn new(graph: &Graph) -> Result<Self> {
        let index = OutputIndex::new(graph)?;
        let mut view = Self { inputs_start: vec![0], ..Self::default() };
        let mut types: HashMap<&str, u32> = HashMap::new();
        let mut labels: HashMap<String, u32> = HashMap::new();
        let ports =
            graph.inputs().iter().zip(0..).flat_map(|(port, number)| {
                graph.pieces(port.operand).iter().map(move |&piece| (piece, number))
            });
        let ports = Intervals::new(ports);
        let producers = |operand, out: &mut Vec<i32>| {
            let from = out.len();
            for &piece in graph.pieces(operand) {
                let hits = index.search(piece);
                out.extend(index.producers()[hits].iter().map(|&p| p as i32));
                out.extend(ports.search(piece).map(|at| -(ports.owners()[at] as i32) - 1));
            }
            out[from..].sort_unstable();
            let mut kept = out.split_off(from);
            kept.dedup();
            out.append(&mut kept);
        };
        for op in graph.operators() {
            let signature = graph.signature(op);
            let next = types.len() as u32;
            view.r#type.push(*types.entry(&signature.name).or_insert_with(|| {
                view.types.push(signature.name.clone());
                next
            }));
            let text = clip(&signature.attrs.to_string());
            let next = labels.len() as u32;
            view.label.push(*labels.entry(text.clone()).or_insert_with(|| {
                view.labels.push(text);
                next
            }));
            view.parent.push(if op.parent == u32::MAX { -1 } else { op.parent as i32 });
            for &input in graph.inputs_of(op) {
                producers(input, &mut view.inputs);
            }
            view.inputs_start.push(view.inputs.len() as u32);
            let place = graph.pieces(op.output)[0];
            view.placeholders.extend([place.start as f64, place.end as f64]);
        }
        view.input_names = graph.inputs().iter().map(|p| p.name.clone()).collect();
        for port in graph.outputs() {
            let mut from = Vec::new();
            producers(port.operand, &mut from);
            let op = from.last().copied().unwrap_or(0);
            view.outputs.push(OutputView { name: port.name.clone(), op });
        }
        view.wave = waves(graph, &analyze(graph)?)?;
        Ok(view)
    }
}

/// Constants can be long; a label is for reading.
fn clip(text: &str) -> String {
    const MOST: usize = 240;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain("...".chars()).collect()
}
