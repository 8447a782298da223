//! Graphs across the border, as arrays.

use super::js::{Float64Array, Int32Array, JsValue, Uint32Array};
use super::{Thrown, set, to_js};
use cipherloom::circuit::GraphView;
use cipherloom::graph::Graph;

/// A graph as arrays.
pub(super) fn view_of(graph: &Graph) -> Result<JsValue, Thrown> {
    let view = GraphView::new(graph)?;
    let out = to_js(&view)?;
    // Numbers travel as typed arrays.
    let arrays: [(&str, JsValue); 7] = [
        ("type", Uint32Array::from(view.r#type.as_slice()).into()),
        ("parent", Int32Array::from(view.parent.as_slice()).into()),
        ("inputsStart", Uint32Array::from(view.inputs_start.as_slice()).into()),
        ("inputs", Int32Array::from(view.inputs.as_slice()).into()),
        ("placeholders", Float64Array::from(view.placeholders.as_slice()).into()),
        ("label", Uint32Array::from(view.label.as_slice()).into()),
        ("wave", Uint32Array::from(view.wave.as_slice()).into()),
    ];
    for (name, array) in arrays {
        set(&out, name, &array);
    }
    Ok(out)
}
