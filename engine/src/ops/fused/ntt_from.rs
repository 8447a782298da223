//! `limb.ntt_from`: the transform modulo attribute `q` of integers in coefficient form that are given as residues modulo another prime p: centered, in
//! [-(p - 1)/2, (p - 1)/2]. A digit of key switching, modulo the primes that it does not come from.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::base::degree;
use crate::ops::types::{Form, Limb};
use crate::ops::{Call, Level, OpDef, Session};

/// `limb.ntt_from`; see the module.
pub struct NttFrom;

impl OpDef for NttFrom {
    fn name(&self) -> &str {
        "limb.ntt_from"
    }

    fn level(&self) -> Level {
        Level::Base
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["q"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(1)?;
        let n = call.limb_in(0, Form::Coeff)?.n;
        degree(call, n)?;
        Ok(Limb { n, q: call.modulus("q")?.value(), form: Form::Ntt }.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let q = call.modulus("q")?.value();
        let (p, modulus) = (call.limb(0)?.q, call.modulus("q")?);
        if p == q {
            return s.op("limb.ntt", Attrs::new(), inputs);
        }
        // x + h is in [0, p) for what is centered.
        let h = p / 2;
        let shifted = s.op("limb.add_scalar", Attrs::new().with("c", h), inputs)?;
        let residues = s.op("rns.convert", Attrs::new().with("c", vec![1u64]).with("q", q), &[shifted])?;
        let minus_h = modulus.neg(modulus.reduce(h));
        let residues = s.op("limb.add_scalar", Attrs::new().with("c", minus_h), &[residues])?;
        s.op("limb.ntt", Attrs::new(), &[residues])
    }

    fn cost(&self, call: &Call<'_>) -> f64 {
        let n = call.inputs.first().map_or(1.0, |ty| ty.size as f64).max(1.0);
        n * (0.5 * libm::log2(n) + 1.2)
    }
}

/// Integers in coefficient form, given as residues modulo any prime, centered, modulo `q` in NTT form.
///
/// # Errors
/// `Operator` for what is no limb in coefficient form.
pub fn transformed(s: &mut Session<'_>, x: OperandId, q: u64) -> Result<OperandId> {
    if Limb::of(s.ty(x))?.q == q {
        return s.op("limb.ntt", Attrs::new(), &[x]);
    }
    s.op("limb.ntt_from", Attrs::new().with("q", q), &[x])
}
