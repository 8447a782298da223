//! Parties that share a secret key, across the border.

use super::js::{Array, JsValue, Object, Uint8Array, wasm_bindgen};
use super::tasks::{RawProgram, named};
use super::{CLOCK, RawJob, Thrown, copy, platform, set};
use cipherloom::circuit::Named;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Member, Opening, Sharing};
use std::sync::Arc;
use zeroize::Zeroizing;

/// One party at the protocols of a shared key: see [`Sharing`], and, where it is one that shares the key, [`Member`].
#[wasm_bindgen]
pub struct RawParty {
    sharing: Arc<Sharing>,
    name: String,
    member: Option<Member>,
}

#[wasm_bindgen]
impl RawParty {
    /// A party of that name: one of `names` with a fresh secret or the `saved` one, or another one, who has none. Without `threshold` all of them have to take part.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(constructor)]
    pub fn new(
        program: &RawProgram,
        names: Vec<String>,
        threshold: Option<u32>,
        name: &str,
        saved: Option<Uint8Array>,
    ) -> Result<RawParty, Thrown> {
        let group = (names.as_slice(), threshold.map(|threshold| threshold as usize));
        let sharing = Arc::new(Sharing::new(Arc::clone(&program.program), platform(), CLOCK, group)?);
        let member = match saved {
            Some(saved) => {
                let saved = Zeroizing::new(copy(&saved)?);
                Some(Member::restore(Arc::clone(&sharing), name, &saved)?)
            }
            None if names.iter().any(|own| own == name) => Some(Member::new(Arc::clone(&sharing), name)?),
            None => None,
        };
        Ok(Self { sharing, name: name.to_owned(), member })
    }

    fn member(&self) -> Result<&Member, cipherloom::Error> {
        self.member.as_ref().ok_or_else(|| self.stranger())
    }

    fn stranger(&self) -> cipherloom::Error {
        let expected = self.sharing.group().names().join(", ");
        let found = format!("`{}`", self.name);
        cipherloom::Error::Party { what: "party that shares a key".into(), found, expected }
    }

    /// See [`Member::save`].
    ///
    /// # Errors
    /// Throws.
    pub fn save(&self) -> Result<Uint8Array, Thrown> {
        Ok(Uint8Array::from(self.member()?.save().as_slice()))
    }

    /// See [`Member::released`].
    ///
    /// # Errors
    /// Throws.
    pub fn released(&self) -> Result<f64, Thrown> {
        Ok(self.member()?.released() as f64)
    }

    /// See [`Sharing::dealing`]: the bytes of the graph.
    ///
    /// # Errors
    /// Throws.
    pub fn dealing(&self) -> Result<Vec<u8>, Thrown> {
        let none = || cipherloom::Error::Party {
            what: "dealing of shares".into(),
            found: "a key that all parties have to take part in".into(),
            expected: "one with a threshold".into(),
        };
        Ok(self.sharing.dealing()?.ok_or_else(none)?.save()?)
    }

    /// See [`Member::dealing_inputs`]: objects of a `name` and `bytes`.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = dealingInputs)]
    pub fn dealing_inputs(&self) -> Result<Array, Thrown> {
        Ok(inputs(self.member()?.dealing_inputs()?))
    }

    /// See [`Member::keep`].
    ///
    /// # Errors
    /// Throws.
    pub fn keep(&mut self, share: &Uint8Array) -> Result<(), Thrown> {
        let share = Zeroizing::new(copy(share)?);
        let stranger = self.stranger();
        Ok(self.member.as_mut().ok_or(stranger)?.keep(&share)?)
    }

    /// See [`Sharing::keys`]: the bytes of the graph. `public_key`: the one that was made before, where keys of another program are made under the same key.
    ///
    /// # Errors
    /// Throws.
    pub fn keys(
        &self,
        active: Vec<String>,
        hub: &str,
        run: &Uint8Array,
        public_key: Option<Uint8Array>,
    ) -> Result<Vec<u8>, Thrown> {
        if let Some(public_key) = public_key {
            self.sharing.key_id_of(&copy(&public_key)?)?;
        }
        Ok(self.sharing.keys(&active, hub, &run_of(run)?)?.save()?)
    }

    /// See [`Member::key_inputs`]; none of who shares no key.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = keyInputs)]
    pub fn key_inputs(&self, run: &Uint8Array) -> Result<Array, Thrown> {
        let run = run_of(run)?;
        Ok(inputs(self.member.as_ref().map_or(Ok(Vec::new()), |own| own.key_inputs(&run))?))
    }

    /// See [`Sharing::public_key`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(&self, run: &Uint8Array, output: &Uint8Array) -> Result<Vec<u8>, Thrown> {
        Ok(self.sharing.public_key(&run_of(run)?, &copy(output)?)?)
    }

    /// See [`Sharing::key`].
    ///
    /// # Errors
    /// Throws.
    pub fn key(
        &self,
        run: &Uint8Array,
        name: &str,
        output: &Uint8Array,
        public_key: &Uint8Array,
    ) -> Result<Vec<u8>, Thrown> {
        Ok(self.sharing.key(&run_of(run)?, name, &copy(output)?, &copy(public_key)?)?)
    }

    /// See [`Sharing::decryption`]: an object of the graph's bytes, `shared`, and `inputs`, this party's that are no secrets, each a `name` and `bytes`.
    ///
    /// # Errors
    /// Throws.
    pub fn decryption(
        &self,
        results: Vec<Uint8Array>,
        public_key: &Uint8Array,
        active: Vec<String>,
        to: Vec<String>,
    ) -> Result<Object, Thrown> {
        let results = all(&results)?;
        self.opening(&self.sharing.decryption(&by_ref(&results), &copy(public_key)?, &active, &to)?)
    }

    /// See [`Sharing::switching`]: as of `decryption`.
    ///
    /// # Errors
    /// Throws.
    pub fn switching(
        &self,
        results: Vec<Uint8Array>,
        public_key: &Uint8Array,
        receiver: &Uint8Array,
        active: Vec<String>,
        hub: &str,
    ) -> Result<Object, Thrown> {
        let (results, key, receiver) = (all(&results)?, copy(public_key)?, copy(receiver)?);
        self.opening(&self.sharing.switching(&by_ref(&results), &key, &receiver, &active, hub)?)
    }

    fn opening(&self, opening: &Opening) -> Result<Object, Thrown> {
        let own = opening.shared.owners();
        let graph = opening.shared.circuit().graph();
        let given = opening.ciphertexts.iter().chain(&opening.receiver);
        let given: SortedMap<String, &Vec<u64>> =
            given.map(|(name, words)| (format!("{name} {}", self.name), words)).collect();
        let me = own.parties.iter().position(|name| *name == self.name);
        let ports = graph.inputs().iter().zip(&own.inputs);
        let ports = ports.filter(|(_, owner)| me == Some(**owner as usize));
        let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let open = ports
            .filter_map(|(port, _)| Some((port.name.clone(), Zeroizing::new(bytes(given.get(&port.name)?)))));
        let out = Object::new();
        set(&out, "shared", &Uint8Array::from(opening.shared.save()?.as_slice()));
        set(&out, "inputs", &inputs(open.collect()));
        Ok(out)
    }

    /// See [`Member::decryption_inputs`]; none of who shares no key, or takes no part.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = decryptionInputs)]
    pub fn decryption_inputs(&self) -> Result<Array, Thrown> {
        Ok(inputs(self.member.as_ref().map_or(Ok(Vec::new()), Member::decryption_inputs)?))
    }

    /// See [`Member::refreshing_inputs`]; none of who shares no key, or takes no part.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = refreshingInputs)]
    pub fn refreshing_inputs(&self, run: &Uint8Array) -> Result<Array, Thrown> {
        let run = run_of(run)?;
        Ok(inputs(self.member.as_ref().map_or(Ok(Vec::new()), |own| own.refreshing_inputs(&run))?))
    }

    /// See [`Sharing::opened`]: outputs by name, then public inputs.
    ///
    /// # Errors
    /// Throws.
    #[allow(clippy::too_many_arguments, reason = "what JavaScript hands over is flat")]
    #[wasm_bindgen(js_name = openedJob)]
    pub fn opened_job(
        &self,
        results: Vec<Uint8Array>,
        public_key: &Uint8Array,
        output_names: Vec<String>,
        outputs: Vec<Uint8Array>,
        names: Vec<String>,
        cells: Vec<JsValue>,
        present: Vec<JsValue>,
    ) -> Result<RawJob, Thrown> {
        let (results, outputs) = (all(&results)?, all(&outputs)?);
        let outputs = output_names.into_iter().zip(outputs).collect();
        let (key, public) = (copy(public_key)?, named(names, &cells, &present)?);
        Ok(RawJob(self.sharing.opened(&self.name, &by_ref(&results), &key, &outputs, &public)?))
    }

    /// See [`Sharing::switched`]: objects of `names` and `bytes`.
    ///
    /// # Errors
    /// Throws.
    pub fn switched(
        &self,
        results: Vec<Uint8Array>,
        public_key: &Uint8Array,
        receiver: &Uint8Array,
        output_names: Vec<String>,
        outputs: Vec<Uint8Array>,
    ) -> Result<Array, Thrown> {
        let (results, outputs) = (all(&results)?, all(&outputs)?);
        let outputs = output_names.into_iter().zip(outputs).collect();
        let (key, receiver) = (copy(public_key)?, copy(receiver)?);
        Ok(values(self.sharing.switched(&by_ref(&results), &key, &receiver, &outputs)?))
    }

    /// See [`Sharing::refreshing`]: as of `decryption`.
    ///
    /// # Errors
    /// Throws.
    pub fn refreshing(
        &self,
        results: Vec<Uint8Array>,
        public_key: &Uint8Array,
        active: Vec<String>,
        hub: &str,
        run: &Uint8Array,
    ) -> Result<Object, Thrown> {
        let (results, key, run) = (all(&results)?, copy(public_key)?, run_of(run)?);
        self.opening(&self.sharing.refreshing(&by_ref(&results), &key, &active, hub, &run)?)
    }

    /// See [`Sharing::refreshed`]: objects of `names` and `bytes`.
    ///
    /// # Errors
    /// Throws.
    pub fn refreshed(
        &self,
        results: Vec<Uint8Array>,
        public_key: &Uint8Array,
        output_names: Vec<String>,
        outputs: Vec<Uint8Array>,
    ) -> Result<Array, Thrown> {
        let (results, outputs) = (all(&results)?, all(&outputs)?);
        let outputs = output_names.into_iter().zip(outputs).collect();
        Ok(values(self.sharing.refreshed(&by_ref(&results), &copy(public_key)?, &outputs)?))
    }
}

/// The 16 bytes of a run.
fn run_of(run: &Uint8Array) -> Result<[u8; 16], cipherloom::Error> {
    let run = copy(run)?;
    <[u8; 16]>::try_from(run.as_slice()).map_err(|_| {
        let (input, found, expected) = ("run".into(), run.len(), 16);
        cipherloom::Error::InputLength { input, found, expected }
    })
}

/// A name and bytes.
fn item(name: &str, bytes: &[u8]) -> Object {
    let item = Object::new();
    set(&item, "name", &name.into());
    set(&item, "bytes", &Uint8Array::from(bytes));
    item
}

/// Values by name.
fn values(values: Vec<Named>) -> Array {
    let own = |mut value: Named| {
        let bytes = Zeroizing::new(std::mem::take(&mut value.bytes));
        item(&value.names.remove(0), &bytes)
    };
    values.into_iter().map(own).collect()
}

fn inputs(inputs: Vec<(String, Zeroizing<Vec<u8>>)>) -> Array {
    inputs.iter().map(|(name, bytes)| item(name, bytes)).collect()
}

fn all(arrays: &[Uint8Array]) -> Result<Vec<Vec<u8>>, cipherloom::Error> {
    arrays.iter().map(copy).collect()
}

fn by_ref(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}
