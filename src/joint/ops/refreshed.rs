//! `joint.refreshed`: the ciphertext of the same message modulo more primes, from the shares of all parties: what c_0 plus the h_i (`joint.masked_share`) decrypt to, the message with all masks added, plus the sum of
//! the g_i (`joint.refresh_share`), which take the masks away again; and a. Under BFV and BGV the errors are then those of the g_i alone, and the factor is 1; under CKKS they come on top of those that there were, and the scale
//! stays. Inputs: the ciphertext, the common polynomial a, all h_i, then all g_i. NTT form.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Ciphertext, Form, Poly, Scheme};
use crate::ops::{Call, Level, Noise, OpDef, Session};
use crate::schemes::{canonical, noise, rlwe};

/// `joint.refreshed`; see the module.
pub struct Refreshed;

impl OpDef for Refreshed {
    fn name(&self) -> &str {
        "joint.refreshed"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.at_least(4)?;
        let ty = refreshable(call, 0)?;
        let wide = wide_in(call, 1, &ty)?;
        let shares = call.inputs.len() - 2;
        if !shares.is_multiple_of(2) {
            return Err(call.error("number of shares", shares, "two of each party"));
        }
        for (index, found) in call.inputs.iter().enumerate().skip(2) {
            let expected = if index < 2 + shares / 2 { ty.poly() } else { wide.poly() }.ty();
            if found != &expected {
                return Err(call.error(format!("input {index}"), found, expected));
            }
        }
        Ok(wide.ty())
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let ty = refreshable(call, 0)?;
        let wide = wide_in(call, 1, &ty)?;
        let (masked, fresh) = inputs[2..].split_at((inputs.len() - 2) / 2);
        let opened = s.op("joint.combine", Attrs::new(), &[&inputs[..1], masked].concat())?;
        let to = |name| Attrs::new().with(name, wide.q.as_slice());
        let message = match ty.scheme {
            Scheme::Bfv { .. } => {
                let plain = s.op("bfv.decrypt", Attrs::new(), &[opened])?;
                s.op("bfv.scale_plain", to("q"), &[plain])?
            }
            Scheme::Bgv { .. } => {
                let plain = s.op("bgv.decrypt", Attrs::new(), &[opened])?;
                s.op("rlwe.lift_plain", to("q"), &[plain])?
            }
            Scheme::Ckks { .. } => {
                let phase = s.op("rlwe.phase", Attrs::new(), &[opened])?;
                s.op("rns.extend", to("to"), &[phase])?
            }
        };
        let mut limbs = s.limbs(message)?;
        for (index, limb) in limbs.iter_mut().enumerate() {
            *limb = s.op("limb.ntt", Attrs::new(), &[*limb])?;
            for &share in fresh {
                let own = s.split(share, (index * wide.n) as u64, wide.poly().limb(index).ty())?;
                *limb = s.op("limb.add", Attrs::new(), &[*limb, own])?;
            }
        }
        limbs.extend(super::limbs_of(s, inputs[1], wide.n, &wide.q)?);
        s.merge(&limbs, wide.ty())
    }

    fn noise(&self, call: &Call<'_>, inputs: &[Noise]) -> Option<Noise> {
        let ty = refreshable(call, 0).ok()?;
        Some(match ty.scheme {
            Scheme::Bfv { .. } => Noise::error(noise::refreshed_bfv(&ty)),
            Scheme::Bgv { t, .. } => Noise::error(noise::refreshed_bgv(&ty, t)),
            Scheme::Ckks { .. } => {
                let Noise { message, error } = *inputs.first()?;
                Noise { message, error: noise::sum(&[error, canonical::refreshed(&ty)]) }
            }
        })
    }
}

/// Input `index`: what several refresh together: a ciphertext of two parts.
pub(super) fn refreshable(call: &Call<'_>, index: usize) -> Result<Ciphertext> {
    let ty = Ciphertext::of(call.input(index, "ciphertext")?)?;
    match ty.parts {
        2 => Ok(ty),
        parts => Err(call.error("parts", parts, 2)),
    }
}

/// What comes of a ciphertext modulo the primes of the common polynomial at input `index`, which its own are among.
pub(super) fn wide_in(call: &Call<'_>, index: usize, ty: &Ciphertext) -> Result<Ciphertext> {
    let found = call.input(index, "polys")?;
    let q = types::moduli(found, "q")?;
    let expected = types::polys(&Poly { n: ty.n, q: q.clone(), form: Form::Ntt }, 1);
    if found != &expected || ty.q.iter().any(|prime| !q.contains(prime)) {
        let expected = format!("{expected} of primes that those of the ciphertext are among");
        return Err(call.error(format!("input {index}"), found, expected));
    }
    let scheme = match ty.scheme {
        Scheme::Bgv { t, .. } => Scheme::Bgv { t, factor: 1 },
        other => other,
    };
    rlwe::coprime(call, scheme.error_factor(), &q)?;
    Ok(Ciphertext { q, scheme, form: Form::Ntt, ..ty.clone() })
}
