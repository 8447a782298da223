//! BFV (Brakerski, ia.cr/2012/078; Fan and Vercauteren, ia.cr/2012/144) as high-order operators over RNS limbs.
//!
//! A ciphertext holds c(s) = round(Q m / t) + e modulo Q, in coefficient form, with slots by batching.

mod add;
mod add_plain;
mod decode;
mod decrypt;
mod encode;
mod encrypt_public;
mod encrypt_secret;
mod lift_plain;
mod mod_switch;
mod multiply;
mod multiply_plain;
mod negate;
mod noise;
mod pack_slots;
mod phase;
mod relinearize;
mod rotate;
mod scale_plain;
mod sub;
mod sum_slots;

pub use multiply::auxiliary_primes;

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{Ciphertext, Form, Limb, SwitchingKey};
use crate::ops::{Call, OpDef, Session, types};
use crate::schemes::noise as bounds;
use std::sync::Arc;

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    vec![
        Arc::new(add::Add),
        Arc::new(add_plain::AddPlain),
        Arc::new(decode::Decode),
        Arc::new(decrypt::Decrypt),
        Arc::new(encode::Encode),
        Arc::new(encrypt_public::EncryptPublic),
        Arc::new(encrypt_secret::EncryptSecret),
        Arc::new(lift_plain::LiftPlain),
        Arc::new(mod_switch::ModSwitch),
        Arc::new(multiply::Multiply),
        Arc::new(multiply_plain::MultiplyPlain),
        Arc::new(negate::Negate),
        Arc::new(noise::Noise),
        Arc::new(pack_slots::PackSlots),
        Arc::new(phase::Phase),
        Arc::new(relinearize::Relinearize),
        Arc::new(rotate::Rotate),
        Arc::new(scale_plain::ScalePlain),
        Arc::new(sub::Sub),
        Arc::new(sum_slots::SumSlots),
    ]
}

/// A plaintext polynomial as the limb modulo t that it is.
fn plain_limb(ty: &ValueType) -> Result<Limb> {
    Ok(Limb { n: types::dimension(ty)?, q: types::modulus(ty, "t")?, form: Form::Coeff })
}

/// The ciphertext of an operator that takes one and a plaintext modulo the same t.
fn with_plain(call: &Call<'_>) -> Result<Ciphertext> {
    call.arity(2)?;
    let ty = Ciphertext::of(call.input(0, "ciphertext")?)?;
    let expected = types::plain(ty.n, ty.t);
    if call.input(1, "plain")? != &expected {
        return Err(call.error("input 1", &call.inputs[1], expected));
    }
    Ok(ty)
}

/// One polynomial operator on each part of the ciphertexts.
fn partwise(s: &mut Session<'_>, op: &str, inputs: &[OperandId], output: ValueType) -> Result<OperandId> {
    let ciphertexts: Vec<Vec<OperandId>> = inputs.iter().map(|&i| s.parts(i)).collect::<Result<_>>()?;
    let mut parts = Vec::with_capacity(ciphertexts[0].len());
    for index in 0..ciphertexts[0].len() {
        let own: Vec<OperandId> = ciphertexts.iter().map(|c| c[index]).collect();
        parts.push(s.op(op, Attrs::new(), &own)?);
    }
    s.merge(&parts, output)
}

/// Checks that input `index` is a switching key at the ciphertext's level.
fn key_at_level(call: &Call<'_>, index: usize, ty: &Ciphertext) -> Result<()> {
    let key = SwitchingKey::of(call.input(index, "switching_key")?)?;
    if key.q != ty.q || key.n != ty.n {
        return Err(call.error(format!("level of key {index}"), &call.inputs[index], &call.inputs[0]));
    }
    Ok(())
}

/// Bound of what switching with the key at input `index` adds.
fn switching_noise(call: &Call<'_>, index: usize) -> Option<f64> {
    let key = SwitchingKey::of(call.inputs.get(index)?).ok()?;
    let digits = (0..key.digits()).map(|d| {
        let log = bounds::log2(&key.q[key.digit_range(d)]);
        // A digit of one prime is not centered.
        if key.digit == 1 { log } else { log - 1.0 }
    });
    let largest = digits.fold(0.0, f64::max);
    Some(bounds::key_switch(key.n, key.digits(), largest, bounds::log2(&key.special)))
}

/// (kept_0 + ks_0, kept_1 + ks_1) with ks the key switch of `switched`; a missing kept part is 0.
fn switch_onto(
    s: &mut Session<'_>,
    kept: &[OperandId],
    switched: OperandId,
    key: OperandId,
    output: &ValueType,
) -> Result<OperandId> {
    let poly = s.ty(switched).clone();
    let pair = s.op("rlwe.key_switch", Attrs::new(), &[switched, key])?;
    let mut parts = Vec::with_capacity(2);
    for index in 0..2 {
        let part = s.split(pair, index as u64 * poly.size, poly.clone())?;
        parts.push(match kept.get(index) {
            Some(&kept) => s.op("poly.add", Attrs::new(), &[kept, part])?,
            None => part,
        });
    }
    s.merge(&parts, output.clone())
}
