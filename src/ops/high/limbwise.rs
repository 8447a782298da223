//! Polynomial operators that do one thing to every limb: `poly.add` is `limb.add` on each limb, and so on.
//! They share this file because they share their one rule.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Form, Poly};
use crate::ops::{Call, Level, OpDef, Session};
use std::sync::Arc;

/// A polynomial operator and the limb operator that it is made of.
struct Limbwise {
    name: &'static str,
    limb: &'static str,
    inputs: usize,
    /// Form that the inputs must have; `None` for either.
    from: Option<Form>,
    /// Form of the output; `None` for that of the inputs.
    to: Option<Form>,
}

/// All of them. The automorphism takes attribute `g`.
pub(super) fn all() -> Vec<Arc<dyn OpDef>> {
    use Form::{Coeff, Ntt};
    type Row = (&'static str, &'static str, usize, Option<Form>, Option<Form>);
    let rows: [Row; 7] = [
        ("poly.add", "limb.add", 2, None, None),
        ("poly.sub", "limb.sub", 2, None, None),
        ("poly.neg", "limb.neg", 1, None, None),
        ("poly.mul", "limb.mul", 2, Some(Ntt), None),
        ("poly.ntt", "limb.ntt", 1, Some(Coeff), Some(Ntt)),
        ("poly.intt", "limb.intt", 1, Some(Ntt), Some(Coeff)),
        ("poly.automorphism", "limb.automorphism", 1, Some(Coeff), None),
    ];
    rows.into_iter()
        .map(|(name, limb, inputs, from, to)| {
            Arc::new(Limbwise { name, limb, inputs, from, to }) as Arc<dyn OpDef>
        })
        .collect()
}

impl OpDef for Limbwise {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(self.inputs)?;
        let poly = Poly::of(call.input(0, "poly")?)?;
        for other in 1..call.inputs.len() {
            call.same(0, other)?;
        }
        if let Some(form) = self.from
            && poly.form != form
        {
            return Err(call.error("form", poly.form.name(), form.name()));
        }
        Ok(Poly { form: self.to.unwrap_or(poly.form), ..poly }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let output = self.assemble(call)?;
        let mut limbs = Vec::new();
        let parts: Vec<Vec<OperandId>> = inputs.iter().map(|&i| s.limbs(i)).collect::<Result<_>>()?;
        for index in 0..parts[0].len() {
            let own: Vec<OperandId> = parts.iter().map(|p| p[index]).collect();
            let mut attrs = Attrs::new();
            if call.attrs.get("g").is_some() {
                attrs = attrs.with("g", call.attrs.uint("g")?);
            }
            limbs.push(s.op(self.limb, attrs, &own)?);
        }
        s.merge(&limbs, output)
    }
}
