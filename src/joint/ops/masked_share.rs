//! `joint.masked_share`: a party's share of what a ciphertext decrypts to with all masks added to the message: h_i = c_1 s_i + M_i + f e_i, M_i its mask as the scheme has messages, e_i noise of a discrete
//! Gaussian that hides the errors of the ciphertext (`schemes::releases`). Inputs: its share s_i of the secret key, the ciphertext of two parts, its mask (`joint.mask`), a secret seed. Attribute
//! `deviation`: the standard deviation of e_i; under CKKS, whose masks hide errors, too, there is none, and e_i is left out. In the form of c_0.

use super::decryption_share::{hidden, products};
use super::first_part;
use super::mask::{encoded, mask_in};
use super::refreshed::refreshable;
use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Extract, Form, Scheme};
use crate::ops::{Call, Level, OpDef, Session, base};

/// `joint.masked_share`; see the module.
pub struct MaskedShare;

impl OpDef for MaskedShare {
    fn name(&self) -> &str {
        "joint.masked_share"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["deviation"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(4)?;
        call.input(0, "secret_key")?;
        let ty = refreshable(call, 1)?;
        mask_in(call, 2, &ty)?;
        call.input(3, "secret_seed")?;
        match (ty.scheme, call.attrs.get("deviation")) {
            (Scheme::Ckks { .. }, None) => {}
            (Scheme::Ckks { .. }, Some(found)) => {
                return Err(call.error("deviation", found, "none: masks hide the errors"));
            }
            _ => _ = base::deviation(call)?,
        }
        Ok(ty.poly().ty())
    }

    fn random(&self) -> bool {
        true
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, inputs: &[OperandId]) -> Result<OperandId> {
        let extract = Extract::whole(refreshable(call, 1)?);
        let ty = &extract.ciphertext;
        let mut limbs = products(s, inputs[0], inputs[1], &extract)?;
        for (limb, mut mask) in limbs.iter_mut().zip(encoded(s, inputs[2], ty.scheme, &ty.q)?) {
            if ty.form == Form::Ntt {
                mask = s.op("limb.ntt", Attrs::new(), &[mask])?;
            }
            *limb = s.op("limb.add", Attrs::new(), &[*limb, mask])?;
        }
        if call.attrs.get("deviation").is_some() {
            limbs = hidden(s, limbs, &extract, call, inputs[3])?;
        }
        s.merge(&limbs, first_part(&extract).ty())
    }
}
