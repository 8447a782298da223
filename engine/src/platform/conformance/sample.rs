//! One use of an operator, of any shape, on data that reach the bounds: for whoever measures it on a platform, or tries a kernel of a
//! shape that the suite has no cases of.

use super::cases::{Case, Expected};
use super::fused::Oracle;
use super::values::{Pattern, Random};
use super::{Failure, call_of, compare, run, types_of};
use crate::graph::ValueType;
use crate::graph::{parse_attrs, parse_type};
use crate::ops::types::{self, WORD, block_size};
use crate::ops::{Call, OpDef, Registry};
use crate::platform::{Kernel, Platform};
use crate::{Error, Result, memory};
use std::sync::Arc;

/// Words that all operands have together at most: 256 MiB.
const MOST: u64 = 1 << 25;

/// One use of an operator of lattice algebra.
pub struct Sample {
    def: Arc<dyn OpDef>,
    case: Case,
}

impl Sample {
    /// By the name of an operator that computes over limbs, its attributes and the types of its inputs, in their text form.
    ///
    /// # Errors
    /// `UnknownOperator`, `Graph` and `Operator` for what is no use of an operator; `Operator` for operands that are no residues, and for too large ones.
    pub fn new(name: &str, attrs: &str, inputs: &[String]) -> Result<Self> {
        let sample = Self::to_measure(name, attrs, inputs)?;
        let types = types_of(&sample.case);
        let call = call_of(&*sample.def, &sample.case, &types);
        for (index, ty) in types.iter().enumerate() {
            residues(ty).ok_or_else(|| call.error(format!("input {index}"), ty, "limbs of residues"))?;
        }
        Ok(sample)
    }

    /// The same with operands of any type, to be measured and not to be compared: all words of what is no residue are 1.
    ///
    /// # Errors
    /// As [`Sample::new`], but for operands that are no residues.
    pub fn to_measure(name: &str, attrs: &str, inputs: &[String]) -> Result<Self> {
        let def = Arc::clone(Registry::lattice().get(name)?);
        let attrs = parse_attrs(attrs)?;
        let read = |text: &String| {
            let (head, size, attrs) = parse_type(text)?;
            types::sized(&head, size, attrs, WORD)
        };
        let types = inputs.iter().map(read).collect::<Result<Vec<_>>>()?;
        let call = Call { name: def.name(), attrs: &attrs, inputs: &types, unit: WORD };
        let output = def.assemble(&call)?;
        let words = types.iter().chain([&output]).map(|ty| ty.size).fold(0u64, u64::saturating_add);
        if words > MOST {
            return Err(call.error("words of all operands", words, format!("at most {MOST}")));
        }
        let inputs = types.into_iter().map(|ty| (ty, Vec::new())).collect();
        let case = Case { attrs, inputs, unit: WORD, nonce: 0, expected: Expected::Words(Vec::new()) };
        let mut sample = Self { def, case };
        sample.fill(Pattern::Random)?;
        Ok(sample)
    }

    fn fill(&mut self, pattern: Pattern) -> Result<()> {
        let mut random = Random(17);
        for (ty, words) in &mut self.case.inputs {
            *words = memory::room(ty.size as usize)?;
            let Some((n, primes)) = residues(ty) else {
                words.resize(ty.size as usize, 1);
                continue;
            };
            primes.iter().for_each(|&q| words.extend(pattern.words(n, q, &mut random)));
        }
        Ok(())
    }

    /// What `f` makes of it: of the call, the type of its output and the words of its inputs.
    ///
    /// # Errors
    /// What the operator type and `f` say.
    pub fn given<T>(&self, f: impl FnOnce(&Call<'_>, &ValueType, &[&[u64]]) -> Result<T>) -> Result<T> {
        let types = types_of(&self.case);
        let call = call_of(&*self.def, &self.case, &types);
        let words: Vec<&[u64]> = self.case.inputs.iter().map(|(_, words)| words.as_slice()).collect();
        f(&call, &self.def.assemble(&call)?, &words)
    }

    /// How many ways there are to fill it for a comparison: zeros, ones, the largest residues, these and zeros in turn, and random ones.
    pub fn patterns() -> usize {
        Pattern::of(1).len()
    }

    /// Fills it in way number `index`, and finds what the reference makes of it.
    ///
    /// # Errors
    /// `Job` where there is no such way; what cannot be tried: operators that do not expand to base operators.
    pub fn expect(&mut self, index: usize) -> Result<()> {
        let pattern = Pattern::of(1).get(index).ok_or(Error::Job("there is no such way to fill a sample"))?;
        self.fill(*pattern)?;
        let words = Oracle::default().words(self.def.name(), &self.case.attrs, &self.case.inputs)?;
        self.case.expected = Expected::Words(words);
        Ok(())
    }

    /// Judges what a platform that computes elsewhere made of it since [`Sample::expect`].
    ///
    /// # Errors
    /// [`Failure::Wrong`].
    pub fn judge(&self, platform: &str, out: &[u64]) -> std::result::Result<(), Failure> {
        compare(platform, &*self.def, &self.case, out)
    }

    /// Compares what a platform makes of it with the reference, filled in each way; leaves it random.
    ///
    /// # Errors
    /// `Ok` with the [`Failure`], if any; as [`Sample::expect`].
    pub fn check(&mut self, platform: &dyn Platform) -> Result<Option<Failure>> {
        for index in 0..Self::patterns() {
            self.expect(index)?;
            if let Err(failure) = run(platform, &*self.def, &self.case) {
                return Ok(Some(failure));
            }
        }
        self.fill(Pattern::Random)?;
        Ok(None)
    }

    /// What runs it on a platform, again and again.
    ///
    /// # Errors
    /// As [`Platform::kernel`]; `OutOfMemory`.
    pub fn prepare(&self, platform: &dyn Platform) -> Result<Prepared> {
        let types = types_of(&self.case);
        let call = call_of(&*self.def, &self.case, &types);
        let output = self.def.assemble(&call)?;
        let kernel = platform.kernel(&call, &output)?;
        let blocks = |(ty, words): &(ValueType, Vec<u64>)| {
            words.chunks(block_size(ty).max(1) as usize).map(memory::copy).collect::<Result<Vec<_>>>()
        };
        let blocks = self.case.inputs.iter().map(blocks).collect::<Result<Vec<_>>>()?;
        Ok(Prepared {
            inputs: blocks.into_iter().flatten().collect(),
            out: memory::zeros(output.size as usize)?,
            scratch: memory::zeros(kernel.scratch())?,
            kernel,
        })
    }
}

/// A sample with its kernel and all memory that it needs.
pub struct Prepared {
    kernel: Kernel,
    inputs: Vec<Vec<u64>>,
    out: Vec<u64>,
    scratch: Vec<u64>,
}

impl Prepared {
    /// Computes it so many times.
    pub fn run(&mut self, times: u32) {
        let inputs: Vec<&[u64]> = self.inputs.iter().map(Vec::as_slice).collect();
        for _ in 0..times {
            self.kernel.run(&inputs, &mut self.out, &mut self.scratch, 0);
        }
    }
}

fn residues(ty: &ValueType) -> Option<(usize, Vec<u64>)> {
    let (_, read) = types::residues().into_iter().find(|(head, _)| *head == ty.head)?;
    read(ty).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Scalar, Simd};

    #[test]
    fn a_use_of_any_shape_is_tried_and_run() {
        let ty = |q: u64, form: &str| format!("limb{{form=\"{form}\", n=4096, q={q}}}");
        let q = 0x3_ffff_ffdf_0001;
        for (name, attrs, inputs) in [
            ("limb.ntt", "{}".to_owned(), vec![ty(q, "coeff")]),
            ("limb.intt", "{}".to_owned(), vec![ty(q, "ntt")]),
            ("limb.tensor", "{}".to_owned(), vec![ty(q, "ntt"); 4]),
            ("limb.convolve", format!("{{outputs=1, q={q}}}"), vec![ty(q, "coeff"), ty(q, "ntt")]),
        ] {
            let mut sample = Sample::new(name, &attrs, &inputs).unwrap();
            assert_eq!(sample.check(&Simd::new()), Ok(None), "{name}");
            sample.prepare(&Scalar::new()).map(|mut it| it.run(2)).unwrap_or_default();
            sample.prepare(&Simd::new()).unwrap().run(2);
        }
    }

    #[test]
    fn what_is_no_use_of_an_operator_is_an_error() {
        let limb = "limb{form=\"coeff\", n=8, q=17}".to_owned();
        assert!(Sample::new("limb.none", "{}", std::slice::from_ref(&limb)).is_err());
        assert!(Sample::new("limb.ntt", "{", std::slice::from_ref(&limb)).is_err());
        assert!(Sample::new("limb.ntt", "{}", &[]).is_err());
        assert!(Sample::new("sample.secret", "{n=8}", &["secret_seed[4]{}".to_owned()]).is_err());
    }
}
