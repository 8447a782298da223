//! CKKS: every level has one scale, from a table; products are rescaled when something other than a sum is made of them.

use super::refresh::{digits, masks};
use super::{Chain, Cipher, Emitter, Leaving, MARGIN, Node, Refresh, Rules, dropped, no_level, relinearized};
use crate::graph::{Attr, Attrs, Real, ValueType};
use crate::ops::Noise;
use crate::ops::tensor::{Element, Tensor};
use crate::ops::types::{Ciphertext, Scheme};
use crate::schemes::{Flooding, Operators, SchemeName, canonical, ckks, noise};
use crate::sorted::SortedMap;
use crate::{Error, Result};

/// The rules of CKKS.
pub struct Ckks<'a> {
    /// The scale of every level.
    pub scales: &'a Scales,
    /// log2 of the largest number in slots of every input.
    pub largest: &'a SortedMap<String, f64>,
    /// Whether products are rescaled as late as can be, after turns: what turning adds is then little beside their scale, and sums of turns are rounded once, for
    /// more limbs in every key switch.
    pub late: bool,
    /// How much larger than errors the noise is that who decrypts adds; none where results are its own.
    pub flooding: Option<Flooding>,
}

fn names() -> &'static Operators {
    SchemeName::Ckks.operators()
}

/// The scales of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scales {
    /// Number k is that with k + 1 primes.
    of: Vec<Real>,
    /// How many primes a level has: two for scales that are larger than primes may be.
    pub width: usize,
}

impl Scales {
    /// From that of the highest level down: that of a level is the square of the one above, divided by the primes that are dropped. These are one or two, of which the
    /// product is nearer to the scale. None for a scale that is no number above 0.
    pub fn new(q: &[u64], highest: f64) -> Option<Self> {
        let off = |width: usize| {
            let dropped = q.len().checked_sub(width).map_or(&[][..], |keep| &q[keep..]);
            (noise::log2(dropped) - libm::log2(highest)).abs()
        };
        let width = if q.len() > 2 && off(2) < off(1) { 2 } else { 1 };
        let (mut of, mut scale) = (vec![Real::new(highest)?; q.len()], highest);
        for keep in (1..q.len()).rev() {
            // What is between two levels is part of the upper one.
            if (q.len() - keep).is_multiple_of(width) {
                scale = q[keep..keep + width].iter().fold(scale * scale, |scale, &q| scale / q as f64);
            }
            of[keep - 1] = Real::new(scale)?;
        }
        Some(Self { of, width })
    }

    /// That of a level of so many primes.
    pub fn of(&self, level: usize) -> Option<Real> {
        self.of.get(level.checked_sub(1)?).copied()
    }
}

impl Ckks<'_> {
    fn scale(&self, level: usize) -> Result<Real> {
        self.scales.of(level).ok_or_else(no_level)
    }

    fn found(e: &Emitter<'_>, x: Cipher) -> Result<Real> {
        match e.ciphertext(x.node)?.scheme {
            Scheme::Ckks { scale } => Ok(scale),
            _ => Err(Error::Job("ciphertexts here are of CKKS")),
        }
    }

    /// A settled ciphertext at a level of so many primes.
    fn lowered(&self, e: &mut Emitter<'_>, x: Cipher, keep: usize) -> Result<Cipher> {
        if e.level(x.node)? == keep {
            return Ok(x);
        }
        let x = dropped(e, x, keep + self.scales.width)?;
        let attrs = Attrs::new().with("keep", keep).with("scale", self.scale(keep)?);
        Ok(Cipher { node: e.op("ckks.adjust", attrs, &[x.node])?, ..x })
    }

    /// A number that needs no scale.
    fn whole(number: &Attr) -> Option<i128> {
        match number {
            &Attr::Int(by) if i64::try_from(by).is_ok() => Some(by),
            _ => None,
        }
    }

    /// Base and number of digits of the masks that hide message and error.
    fn mask(flooding: Flooding, n: usize, noise: Noise) -> (u64, usize) {
        digits(flooding.log_mask(n, noise::sum(&[noise.message, noise.error])))
    }

    fn encoded(e: &mut Emitter<'_>, slots: Node, scale: Real) -> Result<Node> {
        e.op(names().encode, Attrs::new().with("scale", scale), &[slots])
    }
}

impl Rules for Ckks<'_> {
    fn fresh(&self, chain: &Chain, name: &str) -> Result<(Ciphertext, Noise)> {
        let scale = self.scale(chain.q.len())?;
        let plain = canonical::encoded(chain.n, libm::log2(scale.get()), self.clear(name));
        let fresh = chain.fresh_noise(canonical::fresh_secret(chain.n), |log_special| {
            canonical::fresh_public(chain.secret(), log_special)
        });
        let error = noise::sum(&[plain.error, fresh]);
        Ok((chain.fresh(Scheme::Ckks { scale }), Noise { error, ..plain }))
    }

    fn clear(&self, name: &str) -> Noise {
        Noise { message: self.largest.get(name).copied().unwrap_or(f64::INFINITY), error: f64::NEG_INFINITY }
    }

    fn slots(&self, n: usize) -> Result<ValueType> {
        Tensor::new(Element::F64, [n as u64 / 2]).ty(64)
    }

    fn port(&self, name: &str) -> String {
        name.to_owned()
    }

    fn settle(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher) -> Result<Cipher> {
        let x = relinearized(e, chain, x)?;
        if x.degree == 1 {
            return Ok(x);
        }
        let level = e.level(x.node)?;
        let keep = level.checked_sub(self.scales.width).filter(|&keep| keep > 0).ok_or_else(no_level)?;
        let attrs = Attrs::new().with("keep", keep).with("scale", self.scale(keep)?);
        Ok(Cipher { node: e.op(names().divide, attrs, &[x.node])?, degree: 1, ..x })
    }

    fn turned(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, settled: bool) -> Result<Option<Cipher>> {
        (self.late && !settled).then(|| relinearized(e, chain, x)).transpose()
    }

    fn rescaled(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, number: &Attr) -> Result<Cipher> {
        // To divide three parts costs ten bits of precision: what is rounded of the third one is multiplied with s^2.
        if Self::whole(number).is_some() { Ok(x) } else { self.settle(e, chain, x) }
    }

    fn meet(&self, e: &mut Emitter<'_>, chain: &Chain, x: Cipher, y: Cipher) -> Result<[Cipher; 2]> {
        let (mut x, mut y) = (x, y);
        if (x.degree, e.level(x.node)?) != (y.degree, e.level(y.node)?) {
            (x, y) = (self.settle(e, chain, x)?, self.settle(e, chain, y)?);
            let keep = e.level(x.node)?.min(e.level(y.node)?);
            (x, y) = (self.lowered(e, x, keep)?, self.lowered(e, y, keep)?);
        }
        Ok([x, y])
    }

    fn multiply(&self, e: &mut Emitter<'_>, _: &Chain, x: Cipher, y: Cipher) -> Result<Cipher> {
        let keep = e.level(x.node)?.min(e.level(y.node)?);
        let (x, y) = (self.lowered(e, x, keep)?, self.lowered(e, y, keep)?);
        Ok(Cipher { node: e.op(names().multiply, Attrs::new(), &[x.node, y.node])?, degree: 2, ..x })
    }

    fn add_clear(&self, e: &mut Emitter<'_>, x: Cipher, slots: Node) -> Result<Cipher> {
        let plain = Self::encoded(e, slots, Self::found(e, x)?)?;
        Ok(Cipher { node: e.op(names().add_plain, Attrs::new(), &[x.node, plain])?, ..x })
    }

    fn multiply_clear(&self, e: &mut Emitter<'_>, x: Cipher, slots: Node) -> Result<Cipher> {
        let plain = Self::encoded(e, slots, Self::found(e, x)?)?;
        Ok(Cipher { node: e.op(names().multiply_plain, Attrs::new(), &[x.node, plain])?, degree: 2, ..x })
    }

    fn multiply_number(&self, e: &mut Emitter<'_>, _: &Chain, x: Cipher, number: &Attr) -> Result<Cipher> {
        if let Some(by) = Self::whole(number) {
            let attrs = Attrs::new().with("by", Attr::Int(by));
            return Ok(Cipher { node: e.op("rlwe.multiply_integer", attrs, &[x.node])?, ..x });
        }
        let value = match number {
            Attr::Int(value) => Real::new(*value as f64),
            Attr::Real(value) => Some(*value),
            _ => None,
        };
        let value = value.ok_or(Error::Job("numbers are integers or reals"))?;
        let attrs = Attrs::new().with("value", value).with("by", Self::found(e, x)?);
        Ok(Cipher { node: e.op("ckks.multiply_scalar", attrs, &[x.node])?, degree: 2, ..x })
    }

    fn add_number(&self, e: &mut Emitter<'_>, x: Cipher, number: Real) -> Result<Cipher> {
        Ok(Cipher { node: e.op("ckks.add_scalar", Attrs::new().with("value", number), &[x.node])?, ..x })
    }

    fn log_scale(&self, e: &Emitter<'_>, x: Cipher) -> Result<Option<f64>> {
        Ok(Some(libm::log2(Self::found(e, x)?.get())))
    }

    fn budget(&self, log_q: f64, noise: Noise) -> f64 {
        noise::budget_bgv(log_q, noise::sum(&[noise.message, noise.error]))
    }

    fn deviation(&self, n: usize, error: f64) -> Option<f64> {
        self.flooding.map(|flooding| flooding.log_deviation(n, error))
    }

    fn told(&self, Leaving { n, lost, masked }: Leaving, noise: Noise) -> Noise {
        if let Some(flooding) = self.flooding.filter(|_| masked) {
            let masks = masks(Self::mask(flooding, n, noise), flooding.log_parties());
            return Noise { error: noise::sum(&[noise.error, masks]), ..noise };
        }
        let total = |flooding: Flooding| flooding.log_total(flooding.log_deviation(n, noise.error + lost));
        let added = self.flooding.map(|flooding| canonical::released(n, total(flooding)));
        added.map_or(noise, |added| Noise { error: noise::sum(&[noise.error, added - lost]), ..noise })
    }

    /// Masks are so much larger than message and error that these cannot be told any more. What comes of it has the scale that there was, and that of the highest level once it is divided by the special primes, or, where there are none, by
    /// those of a level.
    fn refresh(&self, chain: &Chain, ty: &Ciphertext, noise: Noise) -> Result<Option<Refresh>> {
        let Some(flooding) = self.flooding else { return Ok(None) };
        let told = self.told(Leaving { n: ty.n, lost: 0.0, masked: true }, noise);
        let (wide, mask) = (chain.wide(), Self::mask(flooding, ty.n, noise));
        let levels = chain.q.len();
        let keep = if chain.special.is_empty() { levels.saturating_sub(self.scales.width) } else { levels };
        let scale = self.scale(keep)?;
        let fresh = Ciphertext { q: wide.clone(), ..chain.fresh(ty.scheme) };
        let error = noise::sum(&[noise.error, canonical::refreshed(chain.secret())]);
        let noise = ckks::adjusted(&fresh, keep, scale, Noise { error, ..noise }).ok_or_else(no_level)?;
        Ok(Some(Refresh {
            mask,
            deviation: None,
            wide,
            ty: Ciphertext { q: chain.q[..keep].to_vec(), ..chain.fresh(Scheme::Ckks { scale }) },
            noise,
            told,
        }))
    }

    fn finish(&self, e: &mut Emitter<'_>, x: Cipher, leaving: Leaving) -> Result<(Cipher, f64)> {
        let (q, told) = (e.ciphertext(x.node)?.q.clone(), self.told(leaving, e.noise(x.node)));
        let budget = |keep: usize| self.budget(noise::log2(&q[..keep]), told) - leaving.lost;
        let lowest = (1..=q.len()).find(|&keep| budget(keep) >= MARGIN).unwrap_or(q.len());
        Ok((dropped(e, x, lowest)?, budget(lowest)))
    }
}
