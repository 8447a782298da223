//! The reference platform: lattice algebra one 64-bit word at a time, primes up to 61 bits; plain data by the kernels of
//! `plain`.

use super::ring_cache::RingCache;
use super::{Kernel, Platform, WordKernel, plain, samples};
use crate::graph::ValueType;
use crate::math::bits::copy_bits;
use crate::math::ntt::NttTable;
use crate::math::rns::{Conversion, Norm, Quotient};
use crate::math::sample::Domain;
use crate::math::{BaseChange, Embedding, FromReal, Modulus, Target, ToReal, slots};
use crate::ops::types::{self, Form, Limb, Poly, WORD};
use crate::ops::{Call, base, fused};
use crate::{Error, Result};
use std::sync::Arc;

/// Most transformed factors that `limb.convolve` keeps at a time: whatever a graph asks for, its scratch is bounded.
const MOST_FACTORS: usize = 16;

/// How much longer lattice kernels take than vectors would, on the whole (`npm run bench`, kernels: 1 to 10 times).
const SLOWER: f64 = 4.0;

/// A prepared operator on plain data, see [`plain::kernel`]. Named where platforms are made, so that a module without plain
/// data need not carry these kernels.
type PlainKernels = fn(&Call<'_>) -> Result<Option<Kernel>>;

/// The scalar platform. Transform tables are made once per size and prime.
pub struct Scalar {
    tables: RingCache<Arc<NttTable>>,
    /// Where there are kernels for plain data.
    plain: Option<PlainKernels>,
    /// Operators that this instance pretends not to have; see [`Scalar::without`].
    removed: Vec<String>,
}

impl Default for Scalar {
    fn default() -> Self {
        Self::new()
    }
}

impl Scalar {
    /// The platform with all base operators.
    pub fn new() -> Self {
        Self { plain: Some(plain::kernel), ..Self::lattice() }
    }

    /// The platform without those on plain data.
    pub fn lattice() -> Self {
        Self { tables: RingCache::default(), plain: None, removed: Vec::new() }
    }

    /// The platform without one base operator: to see that nothing runs around the base set.
    #[must_use]
    pub fn without(mut self, op: &str) -> Self {
        self.removed.push(op.to_owned());
        self
    }

    fn table(&self, limb: Limb) -> Result<Arc<NttTable>> {
        self.tables.get(limb, || Ok(Arc::new(NttTable::new(limb.n, Modulus::new(limb.q)?)?)))
    }

    /// `limb.ntt_divide`.
    fn divide(&self, call: &Call<'_>) -> Result<Kernel> {
        let (table, from) = (self.table(call.limb(0)?)?, Modulus::new(call.limb(1)?.q)?);
        let q = *table.modulus();
        let prepared = |name: &str| Ok::<_, Error>(call.attrs.uint(name).map(|c| (c, q.shoup(c)))?);
        let (c, factor) = (prepared("c")?, prepared("factor")?);
        let scale = if call.inputs.len() > 2 { Some(prepared("scale")?) } else { None };
        let times = move |x, (c, shoup)| q.mul_shoup(x, c, shoup);
        kernel(move |i, out, _| {
            transform_from(&table, out, i[1], &from);
            for (out, &a) in out.iter_mut().zip(i[0]) {
                *out = times(q.sub(a, times(*out, factor)), c);
            }
            if let (Some(scale), Some(added)) = (scale, i.get(2)) {
                for (out, &z) in out.iter_mut().zip(*added) {
                    *out = q.add(*out, times(z, scale));
                }
            }
        })
    }

    /// `limb.convolve`: transforms into scratch, sums, transforms back.
    fn convolve(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let (outputs, q) = (call.attrs.size("outputs")?, call.modulus("q")?);
        let back = output.attrs.text("form")? == Form::Coeff.name();
        let Limb { n, .. } = call.limb(0)?;
        let table = self.table(Limb { q: q.value(), ..call.limb(0)? })?;
        let terms = call.inputs.len() / (outputs + 1);
        let factors = (0..terms).map(|index| call.limb(index)).collect::<Result<Vec<_>>>()?;
        let from = factors
            .iter()
            .map(|factor| Modulus::new(factor.q))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let group = terms.min(MOST_FACTORS);
        kernel_with_scratch((group + 1) * n, move |i, out, scratch| {
            let (x, y) = i.split_at(terms);
            let (transformed, sum) = scratch.split_at_mut(group * n);
            for (start, x) in (0..terms).step_by(group).zip(x.chunks(group)) {
                for (index, (transformed, x)) in transformed.chunks_exact_mut(n).zip(x).enumerate() {
                    if factors[start + index].form == Form::Ntt {
                        transformed.copy_from_slice(x);
                    } else {
                        transform_from(&table, transformed, x, &from[start + index]);
                    }
                }
                for (k, out) in out.chunks_exact_mut(n).enumerate() {
                    let factors = y[start * outputs..].iter().skip(k).step_by(outputs).copied();
                    let pairs: Vec<_> = transformed.chunks_exact(n).take(x.len()).zip(factors).collect();
                    if start == 0 {
                        q.dot_into(out, &pairs);
                        continue;
                    }
                    q.dot_into(sum, &pairs);
                    for (out, &sum) in out.iter_mut().zip(&*sum) {
                        *out = q.add(*out, sum);
                    }
                }
            }
            if back {
                out.chunks_exact_mut(n).for_each(|out| table.inverse(out));
            }
        })
    }
}

/// The transform of residues modulo another prime, seen as centered integers.
fn transform_from(table: &NttTable, out: &mut [u64], x: &[u64], from: &Modulus) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = table.modulus().reduce_i64(from.center(x));
    }
    table.forward(out);
}

/// `limb.tensor`.
fn tensor(table: &NttTable, out: &mut [u64], inputs: &[&[u64]]) {
    let mut pairs = [Vec::new(), Vec::new(), Vec::new()];
    for &[a0, a1, b0, b1] in inputs.as_chunks().0 {
        pairs[0].push((a0, b0));
        pairs[1].extend([(a0, b1), (a1, b0)]);
        pairs[2].push((a1, b1));
    }
    for (part, pairs) in out.chunks_exact_mut(inputs[0].len()).zip(&pairs) {
        table.modulus().dot_into(part, pairs);
        table.inverse(part);
    }
}

/// `rns.extend`, `rns.switch`, `rns.scale_round`: the sources and the quotient in scratch.
fn base_change(change: BaseChange, n: usize) -> Result<Kernel> {
    let moduli: Vec<Modulus> = change.sources.iter().map(|source| source.modulus).collect();
    let quotient = Quotient::new(&moduli);
    let target = |t: &Target| (Conversion::new(&t.c, t.w, t.modulus), t.own);
    let targets: Vec<_> = change.targets.iter().map(target).collect();
    kernel_with_scratch((moduli.len() + 1) * n, move |i, out, scratch| {
        let (y, v) = scratch.split_at_mut(change.sources.len() * n);
        for (y, source) in y.chunks_exact_mut(n).zip(&change.sources) {
            source.modulus.mul_scalar_into(y, i[source.limb], source.c);
        }
        let y: Vec<&[u64]> = y.chunks_exact(n).collect();
        quotient.round_into(v, &y);
        for (out, (conversion, own)) in out.chunks_exact_mut(n).zip(&targets) {
            conversion.convert_into(out, &y, v);
            if let Some((limb, scale)) = *own {
                let q = conversion.modulus();
                let shoup = q.shoup(scale);
                for (out, &x) in out.iter_mut().zip(i[limb]) {
                    *out = q.sub(q.mul_shoup(x, scale, shoup), *out);
                }
            }
        }
    })
}

/// `slots.embed`.
fn embed(call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
    let scale = types::scale(call.attrs)?.get();
    let embedding = Embedding::new(output.dim("n")?);
    let complex = call.tensor(0)?.shape.len() == 2;
    kernel(move |i, out, _| {
        let (slots, out) = (bytemuck::cast_slice::<u64, f64>(i[0]), bytemuck::cast_slice_mut(out));
        match complex {
            true => embedding.coefficients(out, |slot| (slots[2 * slot], slots[2 * slot + 1]), scale),
            false => embedding.coefficients(out, |slot| (slots[slot], 0.0), scale),
        }
    })
}

/// `slots.unembed`.
fn unembed(call: &Call<'_>) -> Result<Kernel> {
    let ty = call.input(0, "reals")?;
    let (n, scale) = (ty.dim("n")?, types::scale(&ty.attrs)?.get());
    let embedding = Embedding::new(n);
    let complex = call.attrs.uint("complex")? == 1;
    kernel_with_scratch(n, move |i, out, scratch| {
        let (out, work) = (bytemuck::cast_slice_mut::<u64, f64>(out), bytemuck::cast_slice_mut(scratch));
        embedding.slots(bytemuck::cast_slice(i[0]), work, scale, |slot, re, im| match complex {
            true => out[2 * slot..2 * slot + 2].copy_from_slice(&[re, im]),
            false => out[slot] = re,
        });
    })
}

/// A kernel from a closure.
struct Function<F>(F);

impl<F: Fn(&[&[u64]], &mut [u64], u32) + Send + Sync> WordKernel for Function<F> {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], _: &mut [u64], nonce: u32) {
        (self.0)(inputs, out, nonce);
    }
}

pub(super) fn kernel(f: impl Fn(&[&[u64]], &mut [u64], u32) + Send + Sync + 'static) -> Result<Kernel> {
    Ok(Kernel::on_words(Function(f)))
}

/// A kernel from a closure over inputs, output and scratch, and the scratch that it needs.
struct WithScratch<F>(usize, F);

impl<F: Fn(&[&[u64]], &mut [u64], &mut [u64]) + Send + Sync> WordKernel for WithScratch<F> {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], scratch: &mut [u64], _: u32) {
        (self.1)(inputs, out, &mut scratch[..self.0]);
    }

    fn scratch(&self) -> usize {
        self.0
    }
}

pub(super) fn kernel_with_scratch(
    size: usize,
    f: impl Fn(&[&[u64]], &mut [u64], &mut [u64]) + Send + Sync + 'static,
) -> Result<Kernel> {
    Ok(Kernel::on_words(WithScratch(size, f)))
}

impl Platform for Scalar {
    fn name(&self) -> &str {
        "scalar"
    }

    fn implements(&self, op: &str) -> bool {
        let all = || base::all().into_iter().chain(fused::all());
        let plain = || self.plain.is_some() && plain::implements(op);
        !self.removed.iter().any(|r| r == op) && (plain() || all().any(|def| def.name() == op))
    }

    fn cost(&self, call: &Call<'_>, _: &ValueType, work: f64) -> f64 {
        if plain::implements(call.name) { work } else { SLOWER * work }
    }

    fn kernel(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        Ok(self.prepared(call, output)?.named(vec![self.name().to_owned()]))
    }
}

impl Scalar {
    /// As [`Platform::kernel`].
    fn prepared(&self, call: &Call<'_>, output: &ValueType) -> Result<Kernel> {
        let missing = || Error::NotImplemented { op: call.name.to_owned(), platform: self.name().to_owned() };
        if !self.implements(call.name) {
            return Err(missing());
        }
        let attrs = call.attrs;
        let modulus = || -> Result<Modulus> { Ok(Modulus::new(Limb::of(output)?.q)?) };
        match call.name {
            "limb.add" => {
                let q = modulus()?;
                kernel(move |i, out, _| q.add_into(out, i[0], i[1]))
            }
            "limb.sub" => {
                let q = modulus()?;
                kernel(move |i, out, _| q.sub_into(out, i[0], i[1]))
            }
            "limb.neg" => {
                let q = modulus()?;
                kernel(move |i, out, _| q.neg_into(out, i[0]))
            }
            "limb.mul" => {
                let q = modulus()?;
                kernel(move |i, out, _| q.mul_into(out, i[0], i[1]))
            }
            "limb.mul_scalar" => {
                let (q, c) = (modulus()?, attrs.uint("c")?);
                kernel(move |i, out, _| q.mul_scalar_into(out, i[0], c))
            }
            "limb.add_scalar" => {
                let (q, c) = (modulus()?, attrs.uint("c")?);
                kernel(move |i, out, _| {
                    for (o, &a) in out.iter_mut().zip(i[0]) {
                        *o = q.add(a, c);
                    }
                })
            }
            "limb.scale_sub" => {
                let (q, c) = (modulus()?, attrs.uint("c")?);
                let c_shoup = q.shoup(c);
                kernel(move |i, out, _| {
                    for ((o, &a), &b) in out.iter_mut().zip(i[0]).zip(i[1]) {
                        *o = q.sub(q.mul_shoup(a, c, c_shoup), b);
                    }
                })
            }
            "limb.dot" => {
                let q = modulus()?;
                kernel(move |i, out, _| {
                    let pairs: Vec<(&[u64], &[u64])> = i.chunks_exact(2).map(|p| (p[0], p[1])).collect();
                    q.dot_into(out, &pairs);
                })
            }
            "limb.ntt" => {
                let table = self.table(Limb::of(output)?)?;
                kernel(move |i, out, _| {
                    out.copy_from_slice(i[0]);
                    table.forward(out);
                })
            }
            "limb.ntt_from" => {
                let (table, from) = (self.table(Limb::of(output)?)?, Modulus::new(call.limb(0)?.q)?);
                kernel(move |i, out, _| transform_from(&table, out, i[0], &from))
            }
            "limb.ntt_divide" => self.divide(call),
            "limb.intt" => {
                let table = self.table(Limb::of(output)?)?;
                kernel(move |i, out, _| {
                    out.copy_from_slice(i[0]);
                    table.inverse(out);
                })
            }
            "limb.convolve" => self.convolve(call, output),
            "limb.tensor" => {
                let table = self.table(call.limb(0)?)?;
                kernel(move |i, out, _| tensor(&table, out, i))
            }
            "limb.automorphism" => {
                let (q, g) = (modulus()?, attrs.uint("g")?);
                kernel(move |i, out, _| slots::automorphism_into(out, i[0], g, &q))
            }
            "limb.decimate" => {
                let stride = attrs.size("stride")?;
                kernel(move |i, out, _| {
                    for (o, &a) in out.iter_mut().zip(i[0].iter().step_by(stride)) {
                        *o = a;
                    }
                })
            }
            "limb.fold" => {
                let (n, kept, q) = (call.limb(0)?.n, Limb::of(output)?.n, modulus()?);
                let permutation = slots::subring_permutation(n, kept, &q)?;
                let share = q.inv(q.reduce((n / kept) as u64))?;
                // So many sum up to less than 2^64.
                let together = 1usize << (u64::BITS - q.bits()).min(30);
                kernel(move |i, out, _| {
                    for (o, &from) in out.iter_mut().zip(&permutation) {
                        let values = &i[0][from as usize * (n / kept)..][..n / kept];
                        let sums = values.chunks(together).map(|values| q.reduce(values.iter().sum()));
                        *o = q.mul(sums.fold(0, |all, sum| q.add(all, sum)), share);
                    }
                })
            }
            "limb.permute" => {
                let permutation = slots::automorphism_permutation(Limb::of(output)?.n, attrs.uint("g")?);
                kernel(move |i, out, _| gather(out, i[0], &permutation))
            }
            "limb.from_small" => {
                let q = modulus()?;
                kernel(move |i, out, _| {
                    for (o, &a) in out.iter_mut().zip(i[0]) {
                        *o = q.reduce_i64(a.cast_signed());
                    }
                })
            }
            "rns.quotient" => {
                let quotient = Quotient::new(&moduli(call, call.inputs.len())?);
                kernel(move |i, out, _| quotient.round_into(out, i))
            }
            "rns.convert" => {
                let (p, mut c) = (modulus()?, attrs.uints("c")?);
                // Without v the last residue takes its place: -v (-c).
                let w = match attrs.get("w") {
                    Some(_) => attrs.uint("w")?,
                    None => p.neg(c.pop().unwrap_or(0)),
                };
                let conversion = Conversion::new(&c, w, p);
                kernel(move |i, out, _| {
                    if let Some((v, y)) = i.split_last() {
                        conversion.convert_into(out, y, v);
                    }
                })
            }
            "limb.from_real" => {
                let from = FromReal::new(modulus()?);
                kernel(move |i, out, _| from.reduce_into(out, i[0]))
            }
            "rns.to_real" => {
                let to = ToReal::new(&moduli(call, call.inputs.len())?)?;
                kernel(move |i, out, _| to.round_into(out, i))
            }
            "slots.embed" => embed(call, output),
            "slots.unembed" => unembed(call),
            "rns.norm" => {
                let norm = Norm::new(&moduli(call, call.inputs.len())?)?;
                kernel(move |i, out, _| out[0] = norm.centered_log2(i).to_bits())
            }
            "constant" => {
                let value = Arc::clone(attrs.bytes("value")?);
                Ok(Kernel::on_bytes(move |_: &[&[u8]], out: &mut [u8]| {
                    let (start, rest) = out.split_at_mut(value.len());
                    start.copy_from_slice(&value);
                    rest.fill(0);
                }))
            }
            "copy" if call.unit != WORD => copy_bytes(call),
            "copy" => kernel(|i, out, _| {
                let mut rest = out;
                for input in i {
                    let (head, tail) = rest.split_at_mut(input.len());
                    head.copy_from_slice(input);
                    rest = tail;
                }
            }),
            "slots.write" => {
                let positions = slots::slot_positions(Limb::of(output)?.n);
                kernel(move |i, out, _| {
                    for (&p, &value) in positions.iter().zip(i[0]) {
                        out[p as usize] = value;
                    }
                })
            }
            "slots.read" => {
                let positions = slots::slot_positions(output.dim("n")?);
                kernel(move |i, out, _| gather(out, i[0], &positions))
            }
            "slots.constant" => {
                let values = attrs.uints("values")?;
                kernel(move |_, out, _| {
                    out.fill(0);
                    out[..values.len()].copy_from_slice(&values);
                })
            }
            _ => {
                if let Some(plain) = self.plain
                    && let Some(kernel) = plain(call)?
                {
                    return Ok(kernel);
                }
                if let Some(kernel) = samples::kernel_over(call, output, Domain::stream)? {
                    return Ok(kernel);
                }
                match fused::base_change(call)? {
                    Some(change) => base_change(change, Poly::of(output)?.n),
                    None => Err(missing()),
                }
            }
        }
    }
}

/// `copy` in graphs whose units are no words.
fn copy_bytes(call: &Call<'_>) -> Result<Kernel> {
    let skip = base::copy::skip(call)?;
    let bits = |(ty, skip): (&ValueType, &u64)| (ty.size * u64::from(call.unit) - skip) as usize;
    let parts: Vec<(usize, usize)> =
        call.inputs.iter().zip(&skip).map(|part| (*part.1 as usize, bits(part))).collect();
    Ok(Kernel::on_bytes(move |i: &[&[u8]], out: &mut [u8]| {
        // The bits that fill up the last byte.
        if let Some(last) = out.last_mut() {
            *last = 0;
        }
        let mut at = 0;
        for (from, &(skip, bits)) in i.iter().zip(&parts) {
            copy_bits(out, at, from, skip, bits);
            at += bits;
        }
    }))
}

fn gather(out: &mut [u64], a: &[u64], from: &[u32]) {
    for (o, &f) in out.iter_mut().zip(from) {
        *o = a[f as usize];
    }
}

fn moduli(call: &Call<'_>, count: usize) -> Result<Vec<Modulus>> {
    (0..count).map(|i| Ok(Modulus::new(call.limb(i)?.q)?)).collect()
}
