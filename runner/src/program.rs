//! Programs over ciphertexts, as a worker runs them on rows.

use crate::cells;
use crate::data::{Data, Object};
use crate::error::{Error, Result};
use crate::platform::{CLOCK, platform};
use cipherloom::circuit::Outcome;
use cipherloom::graph::parse_type;
use cipherloom::ops::types::sized;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::Evaluator;
use cipherloom::values::types::{Place, Value};
use std::collections::BTreeMap;

/// An open program and its evaluation keys.
pub struct OpenProgram {
    evaluator: Evaluator,
    /// What it takes, by name.
    inputs: BTreeMap<String, Value>,
}

impl OpenProgram {
    /// Opens a program with the keys of a client.
    ///
    /// # Errors
    /// Those of reading them; `key.missing`.
    pub fn new<'k>(bytes: &[u8], keys: impl IntoIterator<Item = &'k Data>) -> Result<Self> {
        let mut evaluator = Evaluator::new(bytes, &platform(), CLOCK)?;
        for (index, key) in keys.into_iter().enumerate() {
            let Data::Bytes(key) = key else {
                let at = format!("Evaluation key {index}");
                return Err(Error::unexpected("input.type", &at, key.sort(), "a Uint8Array"));
            };
            evaluator.load_key(key)?;
        }
        let missing = evaluator.missing_keys();
        if !missing.is_empty() {
            let message = format!("Evaluation keys are missing: {}", missing.join(", "));
            return Err(Error::new("key.missing", message));
        }
        let mut inputs = BTreeMap::new();
        for input in &evaluator.program().task().inputs {
            let (head, size, attrs) = parse_type(&input.ty).map_err(cipherloom::Error::from)?;
            inputs.insert(input.name.clone(), Value::of(&sized(&head, size, attrs, 64)?)?);
        }
        Ok(Self { evaluator, inputs })
    }

    /// Ciphertexts by name for a value that has them, with numbers beside them for inputs that are not encrypted.
    ///
    /// # Errors
    /// Those of the run; `input.type`, `input.unknown`, and as of [`cells::given`].
    pub fn call(&self, value: &Data) -> Result<Data> {
        let Data::Object(object) = value else {
            let expected = "an object with ciphertexts by name of their input";
            return Err(Error::unexpected("input.type", "The program takes", value.sort(), expected));
        };
        let mut encrypted: Vec<(&str, &[u8])> = Vec::new();
        let mut clear = SortedMap::new();
        for (name, data) in object.iter() {
            let Some(ty) = self.inputs.get(name) else {
                let there = self.inputs.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let message = format!("The program has no input {name:?}; it has {there}");
                return Err(Error::new("input.unknown", message));
            };
            match (ty.place, data) {
                (Place::Encrypted, Data::Bytes(bytes)) => encrypted.push((name, bytes)),
                (Place::Encrypted, other) => {
                    let at = format!("Input {name:?}");
                    return Err(Error::unexpected("input.type", &at, other.sort(), "a Uint8Array"));
                }
                (_, data) => {
                    clear.insert(name.to_owned(), cells::given(name, ty, data)?);
                }
            }
        }
        let Outcome::Objects(objects) = self.evaluator.run(&encrypted, &clear)?.complete()? else {
            return Err(Error::new("worker.unexpected", "a run of a program gives objects"));
        };
        let mut values = Vec::new();
        for object in objects {
            for name in &object.names {
                values.push((name.clone(), Data::Bytes(object.bytes.clone())));
            }
        }
        Ok(Data::Object(Object::new(values)))
    }
}
