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
    /// The one for NTT form, where that is another.
    ntt: Option<&'static str>,
    attributes: &'static [&'static str],
    inputs: usize,
    /// Form that the inputs must have; `None` for either.
    from: Option<Form>,
    /// Form of the output; `None` for that of the inputs.
    to: Option<Form>,
    commutative: bool,
    inverse: Option<&'static str>,
}

/// All of them. The automorphism takes attribute `g`.
pub(super) fn all() -> Vec<Arc<dyn OpDef>> {
    use Form::{Coeff, Ntt};
    let plain = |name, limb, inputs| Limbwise {
        name,
        limb,
        ntt: None,
        attributes: &[],
        inputs,
        from: None,
        to: None,
        commutative: false,
        inverse: None,
    };
    let all = [
        Limbwise { commutative: true, ..plain("poly.add", "limb.add", 2) },
        plain("poly.sub", "limb.sub", 2),
        Limbwise { inverse: Some("poly.neg"), ..plain("poly.neg", "limb.neg", 1) },
        Limbwise { from: Some(Ntt), commutative: true, ..plain("poly.mul", "limb.mul", 2) },
        Limbwise {
            from: Some(Coeff),
            to: Some(Ntt),
            inverse: Some("poly.intt"),
            ..plain("poly.ntt", "limb.ntt", 1)
        },
        Limbwise {
            from: Some(Ntt),
            to: Some(Coeff),
            inverse: Some("poly.ntt"),
            ..plain("poly.intt", "limb.intt", 1)
        },
        Limbwise {
            ntt: Some("limb.permute"),
            attributes: &["g"],
            ..plain("poly.automorphism", "limb.automorphism", 1)
        },
    ];
    all.into_iter().map(|def| Arc::new(def) as Arc<dyn OpDef>).collect()
}

impl OpDef for Limbwise {
    fn name(&self) -> &str {
        self.name
    }

    fn level(&self) -> Level {
        Level::Polynomial
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(self.attributes)
    }

    fn commutative(&self) -> bool {
        self.commutative
    }

    fn inverse(&self) -> Option<&str> {
        self.inverse
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
        let form = Poly::of(&call.inputs[0])?.form;
        let limb = self.ntt.filter(|_| form == Form::Ntt).unwrap_or(self.limb);
        let mut limbs = Vec::new();
        let parts: Vec<Vec<OperandId>> = inputs.iter().map(|&i| s.limbs(i)).collect::<Result<_>>()?;
        for index in 0..parts[0].len() {
            let own: Vec<OperandId> = parts.iter().map(|p| p[index]).collect();
            let mut attrs = Attrs::new();
            if call.attrs.get("g").is_some() {
                attrs = attrs.with("g", call.attrs.uint("g")?);
            }
            limbs.push(s.op(limb, attrs, &own)?);
        }
        s.merge(&limbs, output)
    }
}
