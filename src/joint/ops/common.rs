//! `joint.common`: polynomials that every party has alike, uniform, from a public seed that is part of the graph: the common reference of a key, NTT form. No inputs. Attributes
//! `n`, `q`, `count`: how many polynomials; `seed`: four words. Limb number i is stream i + 1 of the seed.

use crate::Result;
use crate::graph::{Attrs, OperandId, ValueType};
use crate::ops::types::{self, Form, Poly};
use crate::ops::{Call, Level, OpDef, Session};

/// Most limbs: what streams are numbered by has 32 bits, and no key comes near.
const MOST: usize = 1 << 20;

/// `joint.common`; see the module.
pub struct Common;

impl OpDef for Common {
    fn name(&self) -> &str {
        "joint.common"
    }

    fn level(&self) -> Level {
        Level::Scheme
    }

    fn attributes(&self) -> Option<&[&str]> {
        Some(&["count", "n", "q", "seed"])
    }

    fn assemble(&self, call: &Call<'_>) -> Result<ValueType> {
        call.arity(0)?;
        let (n, q, count) = (call.attrs.size("n")?, call.moduli("q")?, call.attrs.size("count")?);
        if count == 0 || count.saturating_mul(q.len()) > MOST {
            return Err(call.error("count", count, format!("1 to {}", MOST / q.len())));
        }
        let words = call.attrs.uints("seed")?.len();
        if words != 4 {
            return Err(call.error("words of the seed", words, 4));
        }
        let ty = Poly { n, q, form: Form::Ntt };
        types::dimension(&ty.ty())?;
        Ok(types::polys(&ty, count))
    }

    fn expand(&self, s: &mut Session<'_>, call: &Call<'_>, _: &[OperandId]) -> Result<OperandId> {
        let (n, q, count) = (call.attrs.size("n")?, call.moduli("q")?, call.attrs.size("count")?);
        let seed = call.attrs.uints("seed")?;
        let mut limbs = Vec::with_capacity(count * q.len());
        for stream in 1..=count * q.len() {
            let attrs = Attrs::new().with("n", n).with("q", q[(stream - 1) % q.len()]);
            let attrs = attrs.with("seed", seed.as_slice()).with("stream", stream);
            limbs.push(s.op("sample.common", attrs, &[])?);
        }
        s.merge(&limbs, self.assemble(call)?)
    }
}
