//! Shaders of transforms that somebody has made at run time, in place of the built-in ones: text that follows the same prelude, and what it reads beside its data.
//!
//! Whatever such a text says, a device lets it touch nothing but the buffers that are bound to it; that it computes what the reference does is to be tried before it is offered.

use super::{Constants, Shader, source};
use crate::math::Modulus;
use crate::math::ntt::Roots;
use crate::platform::made::{Offers, Ring};
use crate::{Error, Result};

/// The largest prime, bits: what residues of two words take where they stay below `4 q`.
const MOST_BITS: u32 = 62;

/// Passes of one transform: each has a layer at least.
const MOST_PASSES: usize = 17;

/// Bytes of a text: generated ones have some tens of thousands.
const MOST_TEXT: usize = 1 << 20;

/// What products with known factors take: of each power `w` of the root, in bit-reversed order, and of the last factors of an inverse transform, `1/n` and that of the last layer by `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
    /// `w`, `floor(2^64 w / q)`: two words.
    Shoup64,
    /// `w + 2^32 floor(2^32 w / q)`: one word; primes below `2^31`.
    Shoup32,
    /// `2^64 w mod q`: one word.
    Montgomery64,
    /// `2^32 w mod q`: half a word, two in one, the first one below; primes below `2^31`.
    Montgomery32,
}

impl Factors {
    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "shoup64" => Self::Shoup64,
            "shoup32" => Self::Shoup32,
            "montgomery64" => Self::Montgomery64,
            "montgomery32" => Self::Montgomery32,
            _ => return None,
        })
    }

    /// The largest prime, bits.
    const fn most_bits(self) -> u32 {
        match self {
            Self::Shoup64 | Self::Montgomery64 => MOST_BITS,
            Self::Shoup32 | Self::Montgomery32 => 31,
        }
    }

    /// The words of some factors.
    fn words(self, factors: &[u64], q: &Modulus) -> Vec<u64> {
        let short = |w: u64| (w << 32) / q.value();
        match self {
            Self::Shoup64 => factors.iter().flat_map(|&w| [w, q.shoup(w)]).collect(),
            Self::Shoup32 => factors.iter().map(|&w| w | short(w) << 32).collect(),
            Self::Montgomery64 => factors.iter().map(|&w| q.reduce_u128(u128::from(w) << 64)).collect(),
            Self::Montgomery32 => {
                let shifted = |w: u64| q.reduce(w << 32);
                let pair = |pair: &[u64]| pair.iter().rev().fold(0, |word: u64, &w| word << 32 | shifted(w));
                factors.chunks(2).map(pair).collect()
            }
        }
    }
}

/// An offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it is called where one asks which kernels ran.
    pub name: String,
    /// Whether it is the transform, or its inverse.
    pub forward: bool,
    /// Whose.
    pub ring: Ring,
    /// What follows the prelude: entry points `pass0`, `pass1`, ..., functions with the rest of their names as they like.
    pub body: String,
    /// Workgroups of one operator in each pass.
    pub passes: Vec<u32>,
    /// What its table has, and its record: there `q` comes first, then `1/q` modulo 2^64, then, of inverse transforms, the last factors.
    pub factors: Factors,
}

static OFFERS: Offers<Offer> = Offers::none();

/// Makes a shader known to all that is prepared from now on.
///
/// # Errors
/// `Task` for what no shader can be.
pub fn offer(offer: Offer) -> Result<()> {
    let wrong =
        |at: &str, found: String, expected: String| Err(Error::Task { at: at.into(), found, expected });
    let Offer { ring, body, passes, factors, .. } = &offer;
    if !ring.n.is_power_of_two() || !(2..=super::transform::MOST).contains(&ring.n) {
        let expected = format!("a power of two from 2 to {}", super::transform::MOST);
        return wrong("shader, dimension", ring.n.to_string(), expected);
    }
    // Products by Montgomery's reduction take 1/q modulo 2^64.
    if ring.prime.is_some_and(|prime| prime.is_multiple_of(2)) {
        return wrong("shader, prime", format!("{:?}", ring.prime), "an odd one".into());
    }
    if !(2..=factors.most_bits()).contains(&ring.bits) {
        let expected = format!("2 to {}", factors.most_bits());
        return wrong("shader, bits of the prime", ring.bits.to_string(), expected);
    }
    if passes.is_empty()
        || passes.len() > MOST_PASSES
        || passes.iter().any(|&pass| pass == 0 || pass > 65_535)
    {
        let expected = format!("1 to {MOST_PASSES} numbers of workgroups, each from 1 to 65535");
        return wrong("shader, passes", format!("{passes:?}"), expected);
    }
    if body.len() > MOST_TEXT {
        return wrong("shader, text", format!("{} bytes", body.len()), format!("at most {MOST_TEXT}"));
    }
    OFFERS.add(offer);
    Ok(())
}

/// Forgets all offers; what is prepared already keeps its shader.
pub fn withdraw() {
    OFFERS.clear();
}

/// The shader that was offered for a transform; none where nothing was.
///
/// # Errors
/// `Math` of a prime that the ring has no roots for.
pub(super) fn find(forward: bool, n: usize, q: &Modulus) -> Result<Option<Shader>> {
    let Some(offer) = OFFERS.last(|offer| offer.forward == forward && offer.ring.serves(n, q.value())) else {
        return Ok(None);
    };
    let roots = Roots::new(n, q)?;
    let mut constants = Constants::default().with(q.value()).with(super::inverse(q.value()));
    if !forward {
        let last = offer.factors.words(&[roots.scale, roots.scaled_last], q);
        constants = last.into_iter().fold(constants, Constants::with);
    }
    let table = offer.factors.words(if forward { &roots.forward } else { &roots.inverse }, q);
    Ok(Some(Shader {
        source: source(1, &constants, &offer.body),
        name: Some(offer.name.clone()),
        passes: offer.passes.clone(),
        constants: constants.0,
        table,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Attrs;
    use crate::ops::Call;
    use crate::ops::types::{Form, Limb, WORD};

    fn wanted(ring: Ring, factors: Factors) -> Offer {
        let (name, body) = ("made".to_owned(), "// made".to_owned());
        Offer { name, forward: true, ring, body, passes: vec![1], factors }
    }

    #[test]
    fn what_is_offered_is_taken_for_its_rings_alone() {
        let shader = |name: &str, q: u64| {
            let form = if name == "limb.ntt" { Form::Coeff } else { Form::Ntt };
            let inputs = [Limb { n: 64, q, form }.ty()];
            let attrs = Attrs::new();
            let call = Call { name, attrs: &attrs, inputs: &inputs, unit: WORD };
            super::super::shader(&call, &inputs[0]).unwrap()
        };
        // Nobody else's prime, since all tests have one list.
        let (q, other) = (0x1_0181, 0x1_0001);
        let built = shader("limb.ntt", q);
        offer(wanted(Ring { n: 64, bits: 17, prime: Some(q) }, Factors::Montgomery64)).unwrap();
        let made = shader("limb.ntt", q);
        assert!(made.source.ends_with("// made") && made.name.as_deref() == Some("made"));
        assert_eq!((built.name, made.table.len()), (None, 64));
        for (name, q) in [("limb.intt", q), ("limb.ntt", other)] {
            assert_eq!(shader(name, q).name, None);
        }
    }

    #[test]
    fn what_no_shader_can_be_is_refused() {
        let ring = Ring { n: 64, bits: 31, prime: None };
        let right = wanted(ring, Factors::Shoup32);
        for wrong in [
            Offer { ring: Ring { n: 48, ..ring }, ..right.clone() },
            Offer { ring: Ring { n: 1 << 16, ..ring }, ..right.clone() },
            Offer { ring: Ring { bits: 32, ..ring }, ..right.clone() },
            Offer { ring: Ring { prime: Some(256), ..ring }, ..right.clone() },
            Offer { passes: Vec::new(), ..right.clone() },
            Offer { passes: vec![0], ..right.clone() },
            Offer { passes: vec![1 << 16], ..right.clone() },
            Offer { body: " ".repeat(MOST_TEXT + 1), ..right.clone() },
        ] {
            assert!(matches!(offer(wrong), Err(Error::Task { .. })));
        }
    }

    #[test]
    fn factors_are_what_products_take() {
        let q = Modulus::new(65537).unwrap();
        let w = [3, 65536, 40000];
        let by = |form: Factors| form.words(&w, &q);
        assert_eq!(by(Factors::Shoup64), w.iter().flat_map(|&w| [w, q.shoup(w)]).collect::<Vec<_>>());
        let short = |w: u64| w | ((w << 32) / 65537) << 32;
        assert_eq!(by(Factors::Shoup32), w.map(short));
        // 2^32 is 1 modulo 65537, and so is 2^64.
        assert_eq!(by(Factors::Montgomery64), w);
        assert_eq!(by(Factors::Montgomery32), [3 | 65536 << 32, 40000]);
    }
}
