//! One use of an operator type: its attributes and the types of its inputs, with checks that name what is
//! wrong.

use super::types::{Form, Limb, WORD};
use crate::graph::{Attrs, ValueType};
use crate::math::Modulus;
use crate::{Error, Result};

/// Attributes and input types of one operator.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The operator type.
    pub name: &'a str,
    /// Its attributes.
    pub attrs: &'a Attrs,
    /// The types of its inputs.
    pub inputs: &'a [ValueType],
    /// Bits of the graph's unit.
    pub unit: u32,
}

impl Call<'_> {
    /// The error that says what is wrong with this call.
    pub fn error(&self, what: impl Into<String>, found: impl ToString, expected: impl ToString) -> Error {
        Error::Operator {
            op: self.name.to_owned(),
            what: what.into(),
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }

    /// Checks the number of inputs.
    ///
    /// # Errors
    /// `Operator` for another number.
    pub fn arity(&self, expected: usize) -> Result<()> {
        match self.inputs.len() {
            found if found == expected => Ok(()),
            found => Err(self.error("number of inputs", found, expected)),
        }
    }

    /// Checks that there is at least one input.
    ///
    /// # Errors
    /// `Operator` for none.
    pub fn at_least(&self, expected: usize) -> Result<()> {
        match self.inputs.len() {
            found if found >= expected => Ok(()),
            found => Err(self.error("number of inputs", found, format!("at least {expected}"))),
        }
    }

    /// The type of input `index`, whose head must be `head`.
    ///
    /// # Errors
    /// `Operator` for another head, a size that does not fit the type's attributes, or a missing input.
    pub fn input(&self, index: usize, head: &str) -> Result<&ValueType> {
        match self.inputs.get(index) {
            Some(ty) if ty.head == head => {
                self.words(head)?;
                // What base operators rely on, for types that nobody assembled.
                let expected = match head {
                    "limb" | "small" | "quotient" | "slots" | "reals" => ty.dim("n")? as u64,
                    "poly" => (ty.dim("n")? as u64).saturating_mul(ty.attrs.uints("q")?.len() as u64),
                    "public_seed" | "secret_seed" => 4,
                    _ => ty.size,
                };
                if ty.size != expected {
                    return Err(self.error(format!("size of input {index}"), ty.size, expected));
                }
                Ok(ty)
            }
            Some(ty) => Err(self.error(format!("input {index}"), ty, head)),
            None => Err(self.error("number of inputs", self.inputs.len(), index + 1)),
        }
    }

    /// Checks that the graph's unit is a word, as types of lattice algebra need it.
    ///
    /// # Errors
    /// `Operator` for another unit.
    pub fn words(&self, head: &str) -> Result<()> {
        if self.unit == WORD {
            return Ok(());
        }
        Err(self.error("unit of the graph", self.unit, format!("{WORD} bits, for `{head}`")))
    }

    /// Input `index` as a limb.
    ///
    /// # Errors
    /// `Operator` when it is none.
    pub fn limb(&self, index: usize) -> Result<Limb> {
        Limb::of(self.input(index, "limb")?)
    }

    /// Input `index` as a limb in the given form.
    ///
    /// # Errors
    /// `Operator` when it is none, or in the other form.
    pub fn limb_in(&self, index: usize, form: Form) -> Result<Limb> {
        let limb = self.limb(index)?;
        if limb.form != form {
            return Err(self.error(format!("form of input {index}"), limb.form.name(), form.name()));
        }
        Ok(limb)
    }

    /// Attribute `form`.
    ///
    /// # Errors
    /// `Operator` for what is none.
    pub fn form(&self) -> Result<Form> {
        let name = self.attrs.text("form")?;
        Form::named(name).ok_or_else(|| self.error("form", name, "coeff or ntt"))
    }

    /// The same, where it may be left out: coefficients then.
    ///
    /// # Errors
    /// `Operator` for another name.
    pub fn optional_form(&self) -> Result<Form> {
        if self.attrs.get("form").is_some() { self.form() } else { Ok(Form::Coeff) }
    }

    /// Checks that two inputs have one type.
    ///
    /// # Errors
    /// `Operator` when they differ.
    pub fn same(&self, first: usize, second: usize) -> Result<()> {
        match (self.inputs.get(first), self.inputs.get(second)) {
            (Some(a), Some(b)) if a == b => Ok(()),
            (Some(a), Some(b)) => Err(self.error(format!("input {second}"), b, a)),
            _ => Err(self.error("number of inputs", self.inputs.len(), second + 1)),
        }
    }

    /// The attribute `name` as a list of moduli, at least one.
    ///
    /// # Errors
    /// `Graph` when it is missing, `Math` outside 2..2^61, `Operator` for an empty list.
    pub fn moduli(&self, name: &str) -> Result<Vec<u64>> {
        let moduli = self.attrs.uints(name)?;
        if moduli.is_empty() {
            return Err(self.error(name, "none", "at least one modulus"));
        }
        moduli.iter().try_for_each(|&q| Modulus::check(q))?;
        Ok(moduli)
    }

    /// The attribute `name` as a modulus.
    ///
    /// # Errors
    /// `Graph` when it is missing, `Math` outside 2..2^61.
    pub fn modulus(&self, name: &str) -> Result<Modulus> {
        Ok(Modulus::new(self.attrs.uint(name)?)?)
    }
}
