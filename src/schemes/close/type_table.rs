//! What operators make of types and bounds, worked out once for operands that are alike: a graph has thousands of ciphertexts and few types.

use crate::graph::{Attrs, ValueType};
use crate::ops::types::Ciphertext;
use crate::ops::{Call, Noise, Registry};
use crate::{Error, Result};
use std::collections::HashMap;

/// A type, by its number in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(u32);

/// An operator on types, by its number in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypedCall(u32);

/// The types that were met, and what came of operators on them.
pub struct TypeTable<'r> {
    registry: &'r Registry,
    types: Vec<(ValueType, Option<Ciphertext>)>,
    numbers: HashMap<ValueType, TypeId>,
    calls: HashMap<(&'static str, Attrs, Vec<TypeId>), TypedCall>,
    made: Vec<Made>,
    /// By the bits of bounds on message and error.
    noises: HashMap<(TypedCall, Vec<[u64; 2]>), Noise>,
}

struct Made {
    name: &'static str,
    attrs: Attrs,
    inputs: Vec<ValueType>,
    output: TypeId,
    /// What it rounds, as its definition says.
    random: f64,
}

impl Made {
    fn call(&self) -> Call<'_> {
        Call { name: self.name, attrs: &self.attrs, inputs: &self.inputs, unit: 64 }
    }
}

impl<'r> TypeTable<'r> {
    pub fn new(registry: &'r Registry) -> Self {
        Self {
            registry,
            types: Vec::new(),
            numbers: HashMap::new(),
            calls: HashMap::new(),
            made: Vec::new(),
            noises: HashMap::new(),
        }
    }

    /// The number of a type.
    pub fn number(&mut self, ty: ValueType) -> TypeId {
        if let Some(&known) = self.numbers.get(&ty) {
            return known;
        }
        let number = TypeId(self.types.len() as u32);
        self.numbers.insert(ty.clone(), number);
        let ciphertext = Ciphertext::of(&ty).ok();
        self.types.push((ty, ciphertext));
        number
    }

    /// That of ciphertexts.
    pub fn number_of(&mut self, ty: &Ciphertext) -> TypeId {
        let known = self.types.iter().position(|(_, ciphertext)| ciphertext.as_ref() == Some(ty));
        known.map_or_else(|| self.number(ty.ty()), |index| TypeId(index as u32))
    }

    pub fn ty(&self, number: TypeId) -> &ValueType {
        &self.types[number.0 as usize].0
    }

    /// A type that is one of ciphertexts.
    ///
    /// # Errors
    /// `Graph` for what is none.
    pub fn ciphertext(&self, number: TypeId) -> Result<&Ciphertext> {
        let (ty, ciphertext) = &self.types[number.0 as usize];
        match ciphertext {
            Some(ciphertext) => Ok(ciphertext),
            None => Err(Ciphertext::of(ty).err().unwrap_or(Error::Job("a type is read as it was before"))),
        }
    }

    /// An operator on operands of these types, and the type of what it gives.
    ///
    /// # Errors
    /// What it says of its operands.
    pub fn call(
        &mut self,
        name: &'static str,
        attrs: &Attrs,
        inputs: Vec<TypeId>,
    ) -> Result<(TypedCall, TypeId)> {
        let key = (name, attrs.clone(), inputs);
        if let Some(&known) = self.calls.get(&key) {
            return Ok((known, self.made[known.0 as usize].output));
        }
        let inputs: Vec<ValueType> = key.2.iter().map(|&number| self.ty(number).clone()).collect();
        let call = Call { name, attrs, inputs: &inputs, unit: 64 };
        let (ty, random) = (self.registry.assemble(&call)?, self.registry.get(name)?.random_noise(&call));
        let output = self.number(ty);
        let number = TypedCall(self.made.len() as u32);
        self.made.push(Made { name, attrs: attrs.clone(), inputs, output, random });
        self.calls.insert(key, number);
        Ok((number, output))
    }

    /// log2 of what it draws or rounds anew.
    pub fn random_noise(&self, call: TypedCall) -> f64 {
        self.made[call.0 as usize].random
    }

    /// Bounds on what comes of it, from those on its operands.
    ///
    /// # Errors
    /// `UnknownOperator` never, for a call that was made.
    pub fn noise(&mut self, call: TypedCall, inputs: &[Noise]) -> Result<Noise> {
        let bits = |noise: &Noise| [noise.message.to_bits(), noise.error.to_bits()];
        let key = (call, inputs.iter().map(bits).collect());
        if let Some(&known) = self.noises.get(&key) {
            return Ok(known);
        }
        let made = &self.made[call.0 as usize];
        let noise = self.registry.get(made.name)?.noise(&made.call(), inputs);
        let noise = noise.unwrap_or(Noise::error(f64::NEG_INFINITY));
        self.noises.insert(key, noise);
        Ok(noise)
    }
}
