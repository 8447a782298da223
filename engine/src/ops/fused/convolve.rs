//! `limb.convolve`: products of polynomials with prepared factors, summed: out_k = sum over d of x_d y_dk modulo X^n + 1
//! and q, for k below attribute `outputs`. The x_d are integers in coefficient form, given as residues modulo any prime,
//! centered, and taken modulo q, or limbs modulo q in NTT form; the y_dk are in NTT form modulo q. The inner product of key switching, and every product of a
//! fresh polynomial with keys and plaintexts.
//!
//! Inputs x_0, x_1, ..., then y_00, y_01, ..., y_10, ...; attributes `q`, `outputs`, and `form` of the outputs, coefficient form where it is left out.
//! They are limbs, one after the other.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::base::degree;
use crate::ops::types::{self, Form, Limb};
use crate::ops::{Call, Level, OpDef, Session};

/// `limb.convolve`; see the module.
pub struct Convolve;

/// The type of an output, the number of x_d, and the number of outputs.
fn shape(call: &Call<'_>) -> Result<(Limb, usize, usize)> {
    let outputs = call.attrs.size("outputs")?;
    let q = call.modulus("q")?.value();
    let terms = call.inputs.len() / (outputs.saturating_add(1));
    if outputs == 0 || terms == 0 || terms * (outputs + 1) != call.inputs.len() {
        return Err(call.error(
            "number of inputs",
            call.inputs.len(),
            format!("a multiple of 1 + {outputs}"),
        ));
    }
    let n = call.limb(0)?.n;
    degree(call, n)?;
    let prepared = Limb { n, q, form: Form::Ntt };
    for index in 0..call.inputs.len() {
        let limb = call.limb(index)?;
        let fits = limb == prepared || (index < terms && limb.n == n && limb.form == Form::Coeff);
        if !fits {
            return Err(call.error(format!("input {index}"), &call.inputs[index], prepared.ty()));
        }
    }
    let form = call.optional_form()?;
    Ok((prepared.in_form(form), terms, outputs))
}

impl OpDef for Convolve {
    fn name(&self) -> &str {
        "limb.convolve"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["form", "outputs", "q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        let (limb, _, outputs) = shape(call)?;
        Ok(types::limbs(limb, outputs))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let (limb, terms, outputs) = shape(call)?;
        let mut x = inputs[..terms].to_vec();
        for (index, x) in x.iter_mut().enumerate() {
            if call.limb(index)?.form == Form::Coeff {
                *x = super::transformed(s, *x, limb.q)?;
            }
        }
        let mut out = Vec::with_capacity(outputs);
        for k in 0..outputs {
            let y = inputs[terms..].iter().skip(k).step_by(outputs);
            let pairs: Vec<OperandId> = x.iter().zip(y).flat_map(|(&x, &y)| [x, y]).collect();
            let sum = s.op("limb.dot", Attrs::new(), &pairs)?;
            let coefficients = limb.form == Form::Coeff;
            out.push(if coefficients { s.op("limb.intt", Attrs::new(), &[sum])? } else { sum });
        }
        s.merge(&out, types::limbs(limb, outputs))
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let Ok((limb, terms, outputs)) = shape(call) else { return 0.0 };
        let (n, terms, outputs) = (limb.n as f64, terms as f64, outputs as f64);
        n * ((terms + outputs) * 0.5 * libm::log2(n) + terms * outputs)
    }
}
