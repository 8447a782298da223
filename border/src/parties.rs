//! Graphs that several parties share, across the border.

use super::circuit::{Port, RawCircuit, expand, literal_of, registry};
use super::js::{Function, JsValue, Object, Uint8Array, wasm_bindgen};
use super::{Thrown, copy, set, to_js, watched};
use cipherloom::parties::{Crossing, Interaction, Owners, Shared};
use serde::Serialize;

/// See [`Crossing`].
#[derive(Serialize)]
struct RawCrossing<'a> {
    from: &'a str,
    to: &'a str,
    number: u32,
    input: bool,
    producer: &'a str,
    of: String,
    bytes: u64,
    r#type: String,
    encrypted: Option<&'static str>,
    channel: String,
    operator: u32,
}

impl<'a> From<&'a Crossing> for RawCrossing<'a> {
    fn from(crossing: &'a Crossing) -> Self {
        let Crossing { from, to, number, input, producer, of, ty, bytes, encrypted, channel, operator } =
            crossing;
        Self {
            from,
            to,
            number: *number,
            input: *input,
            producer,
            of: of.to_string(),
            bytes: *bytes,
            r#type: ty.to_string(),
            encrypted: *encrypted,
            channel: digits(channel),
            operator: *operator,
        }
    }
}

/// See [`Interaction`].
#[derive(Serialize)]
struct RawInteraction<'a> {
    number: u32,
    input: bool,
    name: &'a str,
    party: &'a str,
    feeds: &'a [u32],
    reads: &'a [u32],
}

impl<'a> From<&'a Interaction> for RawInteraction<'a> {
    fn from(interaction: &'a Interaction) -> Self {
        let Interaction { number, input, name, party, feeds, reads } = interaction;
        Self { number: *number, input: *input, name, party, feeds, reads }
    }
}

/// See [`cipherloom::parties::Cut`]; its circuit is beside it.
#[derive(Serialize)]
struct RawCut<'a> {
    own: &'a [u32],
    common: &'a [u32],
    sends: Vec<RawCrossing<'a>>,
    receives: Vec<RawCrossing<'a>>,
    interactions: Vec<RawInteraction<'a>>,
}

/// What is told of a shared graph.
#[derive(Serialize)]
struct About<'a> {
    parties: &'a [String],
    inputs: Vec<OwnedPort<'a>>,
    outputs: Vec<OwnedPort<'a>>,
    operators: usize,
}

/// An input or output, and whose it is.
#[derive(Serialize)]
struct OwnedPort<'a> {
    port: Port,
    party: &'a str,
}

fn digits(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// See [`Shared`].
#[wasm_bindgen]
pub struct RawShared(Shared);

#[wasm_bindgen]
impl RawShared {
    /// Recorded calls, the parties, and by number the owners of inputs, operators and outputs.
    ///
    /// # Errors
    /// Throws.
    pub fn build(
        literal: &JsValue,
        parties: Vec<String>,
        inputs: Vec<u32>,
        operators: Vec<u32>,
        outputs: Vec<u32>,
        hear: Option<Function>,
    ) -> Result<RawShared, Thrown> {
        let literal = literal_of(literal)?;
        let owners = Owners { parties, inputs, operators, outputs };
        watched(hear, 4, || Shared::new(literal.build(&registry())?, owners)).map(Self)
    }

    /// See [`Shared::from_bytes`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &Uint8Array, hear: Option<Function>) -> Result<RawShared, Thrown> {
        let bytes = copy(bytes)?;
        watched(hear, 6, || Shared::from_bytes(&bytes, registry())).map(Self)
    }

    /// See [`Shared::save`].
    ///
    /// # Errors
    /// Throws.
    pub fn bytes(&self, hear: Option<Function>) -> Result<Vec<u8>, Thrown> {
        watched(hear, 2, || self.0.save())
    }

    /// See [`Shared::id`]: hexadecimal digits.
    ///
    /// # Errors
    /// Throws.
    pub fn id(&self) -> Result<String, Thrown> {
        Ok(digits(&self.0.id()?))
    }

    /// Parties, inputs and outputs with whose they are, and the number of operators.
    ///
    /// # Errors
    /// Throws.
    pub fn about(&self) -> Result<JsValue, Thrown> {
        let (graph, owners) = (self.0.circuit().graph(), self.0.owners());
        let owned = |ports: &[cipherloom::graph::Port], of: &[u32]| {
            let ports = ports.iter().zip(of);
            let owned = ports.map(|(port, &owner)| OwnedPort {
                port: Port::new(&port.name, graph.ty(port.operand), graph.unit_bits()),
                party: &owners.parties[owner as usize],
            });
            owned.collect()
        };
        to_js(&About {
            parties: &owners.parties,
            inputs: owned(graph.inputs(), &owners.inputs),
            outputs: owned(graph.outputs(), &owners.outputs),
            operators: graph.operators().len(),
        })
    }

    /// See [`Shared::expand`].
    ///
    /// # Errors
    /// Throws.
    pub fn expand(&self, options: &JsValue, hear: Option<Function>) -> Result<RawShared, Thrown> {
        expand(options, |to| watched(hear, 6, || self.0.expand(to)).map(Self))
    }

    /// The whole graph.
    pub fn circuit(&self) -> RawCircuit {
        RawCircuit::new(self.0.circuit().clone())
    }

    /// See [`Shared::cut`]: an object of the `circuit` and of what else is known of the `cut`.
    ///
    /// # Errors
    /// Throws.
    pub fn cut(&self, me: &str, hear: Option<Function>) -> Result<Object, Thrown> {
        let cut = watched(hear, 4, || self.0.cut(me))?;
        let out = Object::new();
        let told = RawCut {
            own: &cut.own,
            common: &cut.common,
            sends: cut.sends.iter().map(RawCrossing::from).collect(),
            receives: cut.receives.iter().map(RawCrossing::from).collect(),
            interactions: cut.interactions.iter().map(RawInteraction::from).collect(),
        };
        set(&out, "cut", &to_js(&told)?);
        set(&out, "circuit", &JsValue::from(RawCircuit::new(cut.circuit)));
        Ok(out)
    }
}
