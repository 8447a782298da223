//! Base operators as compute shaders in WGSL, for GPUs by way of WebGPU: words in, words out, the same bits as the reference.
//!
//! This folder knows operators and no device. A [`Shader`] is what operators of one type, dimension and number of inputs have in common: what is an operator's own (places, prime,
//! constants, table) lies in a record, so that many of them are one dispatch. Whoever has a device puts `arena`, `records` and `tables` into three storage buffers and
//! dispatches, for each pass, as many workgroups as it says, times operators.
//!
//! Not here: what is defined on doubles, which WGSL lacks, but for the quotient that every change of base asks for; and samplers.

mod arrange;
pub mod made;
mod pointwise;
mod quotient;
mod transform;
mod words;

use super::{Kernel, Platform};
use crate::graph::ValueType;
use crate::math::Modulus;
use crate::ops::Call;
use crate::ops::types::WORD;
use crate::{Error, Result};
use std::sync::Arc;

/// A shader, and what one operator brings to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// WGSL, with an entry point for each pass: `pass0`, `pass1`.
    pub source: String,
    /// What it is called where somebody has made it at run time.
    pub name: Option<String>,
    /// Workgroups of one operator in each pass, along x; operators are along y.
    pub passes: Vec<u32>,
    /// What stands in the operator's record between the places of its inputs and that of its table.
    pub constants: Vec<u32>,
    /// The operator's table; often the same for many.
    pub table: Vec<u64>,
}

/// What makes the shaders of some operators.
type Family = fn(&Call<'_>, &ValueType) -> Result<Shader>;

/// The base operators that there are shaders of.
const OPERATORS: [(&str, Family); 20] = [
    ("copy", arrange::shader),
    ("limb.add", pointwise::shader),
    ("limb.sub", pointwise::shader),
    ("limb.neg", pointwise::shader),
    ("limb.mul", pointwise::shader),
    ("limb.add_scalar", pointwise::shader),
    ("limb.mul_scalar", pointwise::shader),
    ("limb.scale_sub", pointwise::shader),
    ("limb.dot", pointwise::shader),
    ("limb.from_small", pointwise::shader),
    ("rns.convert", pointwise::shader),
    ("rns.quotient", quotient::shader),
    ("limb.ntt", transform::shader),
    ("limb.intt", transform::shader),
    ("limb.automorphism", arrange::shader),
    ("limb.permute", arrange::shader),
    ("limb.decimate", arrange::shader),
    ("limb.fold", arrange::shader),
    ("slots.read", arrange::shader),
    ("slots.write", arrange::shader),
];

fn family(op: &str) -> Option<Family> {
    OPERATORS.iter().find(|(name, _)| *name == op).map(|(_, family)| *family)
}

/// Whether there is a shader of a base operator type.
pub fn implements(op: &str) -> bool {
    family(op).is_some()
}

/// The shader of one signature.
///
/// # Errors
/// `NotImplemented` for a type that there is none of, for graphs of other units than words, for products modulo an even number, and for transforms of larger dimensions than
/// the suite tries; `Math` and `Operator` for constants that do not fit.
pub fn shader(call: &Call<'_>, output: &ValueType) -> Result<Shader> {
    family(call.name).filter(|_| call.unit == WORD).ok_or_else(|| missing(call))?(call, output)
}

/// A GPU as a platform. What an operator costs there nobody has measured: as much as its type says, so that where places are chosen the order of the platforms decides.
pub struct Gpu;

impl Platform for Gpu {
    fn name(&self) -> &str {
        "gpu"
    }

    fn implements(&self, op: &str) -> bool {
        implements(op)
    }

    fn serves(&self, call: &Call<'_>, output: &ValueType) -> bool {
        shader(call, output).is_ok()
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        Ok(Kernel::Device(Arc::new(shader(call, output)?)))
    }
}

fn missing(call: &Call<'_>) -> Error {
    Error::NotImplemented { op: call.name.to_owned(), platform: "gpu".to_owned() }
}

/// Numbers of a record, each of two words.
#[derive(Default)]
struct Constants(Vec<u32>);

impl Constants {
    fn with(mut self, number: u64) -> Self {
        self.0.extend([number as u32, (number >> 32) as u32]);
        self
    }

    /// A factor, and its quotient.
    fn with_factor(self, factor: u64, q: &Modulus) -> Self {
        self.with(factor).with(q.shoup(factor))
    }
}

/// 1 / q modulo 2^64, q odd: each step doubles the bits that are right, of which q itself has 3.
fn inverse(q: u64) -> u64 {
    (0..5).fold(q, |x, _| x.wrapping_mul(2u64.wrapping_sub(q.wrapping_mul(x))))
}

/// The whole text: of an operator of so many inputs.
fn source(inputs: usize, constants: &Constants, body: &str) -> String {
    let (first, stride) = (1 + inputs, 2 + inputs + constants.0.len());
    format!("const CONSTANTS = {first}u;\nconst STRIDE = {stride}u;\n{}{body}", words::PRELUDE)
}

/// A shader that computes each word of the output apart: `body` makes the word number `i` of the operator whose record begins at `r`.
fn each_word(call: &Call<'_>, n: usize, constants: Constants, table: Vec<u64>, body: &str) -> Shader {
    const SIZE: usize = 64;
    let body = format!(
        "
@compute @workgroup_size({SIZE})
fn pass0(@builtin(global_invocation_id) id: vec3<u32>) {{
  let r = id.y * STRIDE;
  let i = id.x;
  if (i >= {n}u) {{ return; }}
{body}
}}
"
    );
    Shader {
        source: source(call.inputs.len(), &constants, &body),
        name: None,
        passes: vec![n.div_ceil(SIZE) as u32],
        constants: constants.0,
        table,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Attrs;
    use crate::ops::types::{Form, Limb, WORD};

    #[test]
    fn operators_that_differ_in_prime_and_constant_share_a_shader() {
        let shader = |q: u64, c: u64| {
            let inputs = [Limb { n: 64, q, form: Form::Ntt }.ty()];
            let attrs = Attrs::new().with("c", c);
            let call = Call { name: "limb.mul_scalar", attrs: &attrs, inputs: &inputs, unit: WORD };
            shader(&call, &inputs[0]).unwrap()
        };
        let (one, other) = (shader(257, 3), shader(769, 5));
        assert_eq!(one.source, other.source);
        assert_ne!(one.constants, other.constants);
    }

    #[test]
    fn inverse_of_an_odd_number() {
        for q in [1u64, 3, 257, (1 << 50) - 27, (1 << 61) - 1, u64::MAX] {
            assert_eq!(inverse(q).wrapping_mul(q), 1, "{q}");
        }
    }

    #[test]
    fn what_has_no_shader_is_refused() {
        let attrs = Attrs::new();
        let call = Call { name: "sample.error", attrs: &attrs, inputs: &[], unit: WORD };
        let output = Limb { n: 64, q: 257, form: Form::Ntt }.ty();
        assert!(matches!(super::shader(&call, &output), Err(Error::NotImplemented { .. })));
        let even = Limb { n: 64, q: 256, form: Form::Ntt }.ty();
        let inputs = [even.clone(), even.clone()];
        let call = Call { name: "limb.mul", attrs: &attrs, inputs: &inputs, unit: WORD };
        assert!(matches!(super::shader(&call, &even), Err(Error::NotImplemented { .. })));
    }
}
