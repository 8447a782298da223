//! The value types of lattice algebra and their layout in units of 64 bits.
//!
//! Layouts are plain concatenations, so that parts are views: a polynomial is its limbs one after the other,
//! a ciphertext its polynomials, a switching key its digits.

use super::tensor::{Element, Tensor};
use crate::graph::{Attrs, GraphError, Real, ValueType};
use crate::math::{Modulus, check_degree};
use crate::{Error, Result};

/// Bits of the unit that these types are laid out in.
pub const WORD: u32 = 64;

/// Attribute `n` of a type: a ring dimension.
///
/// # Errors
/// `Graph` when it is missing, `Math` for one that rings here do not have.
pub fn dimension(ty: &ValueType) -> Result<usize> {
    let n = ty.dim("n")?;
    check_degree(n)?;
    Ok(n)
}

/// An attribute of a type that lists moduli, at least one.
///
/// # Errors
/// `Graph` when it is missing, `Math` for a number that is no modulus, `Operator` for an empty list.
pub fn moduli(ty: &ValueType, name: &str) -> Result<Vec<u64>> {
    let moduli = ty.attrs.uints(name)?;
    if moduli.is_empty() {
        return Err(wrong(ty, name, "none", "at least one modulus"));
    }
    moduli.iter().try_for_each(|&q| Modulus::check(q))?;
    Ok(moduli)
}

/// An attribute of a type that is a modulus.
///
/// # Errors
/// As [`moduli`].
pub fn modulus(ty: &ValueType, name: &str) -> Result<u64> {
    let q = ty.attrs.uint(name)?;
    Modulus::check(q)?;
    Ok(q)
}

/// In which basis the residues of a polynomial are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Coefficients, constant term first.
    Coeff,
    /// Values at the roots of X^n + 1, in the order of `math::NttTable::forward`.
    Ntt,
}

impl Form {
    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coeff => "coeff",
            Self::Ntt => "ntt",
        }
    }

    fn of(ty: &ValueType) -> Result<Self> {
        let name = ty.attrs.text("form")?;
        Self::named(name).ok_or_else(|| wrong(ty, "form", name, "coeff or ntt"))
    }

    /// The form of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Coeff, Self::Ntt].into_iter().find(|form| form.name() == name)
    }
}

fn wrong(ty: &ValueType, what: &str, found: impl ToString, expected: &str) -> Error {
    Error::Operator {
        op: ty.head.clone(),
        what: what.to_owned(),
        found: found.to_string(),
        expected: expected.to_owned(),
    }
}

/// One polynomial modulo X^n + 1 and one prime q: n units, residues in [0, q).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limb {
    /// Ring dimension.
    pub n: usize,
    /// The prime.
    pub q: u64,
    /// Coefficients or values.
    pub form: Form,
}

impl Limb {
    /// Reads a `limb` type.
    ///
    /// # Errors
    /// `Graph` or `Operator` when an attribute is missing.
    pub fn of(ty: &ValueType) -> Result<Self> {
        Ok(Self { n: dimension(ty)?, q: modulus(ty, "q")?, form: Form::of(ty)? })
    }

    /// As a value type.
    pub fn ty(self) -> ValueType {
        let attrs = Attrs::new().with("n", self.n).with("q", self.q).with("form", self.form.name());
        ValueType::new("limb", self.n as u64, attrs)
    }

    /// The same ring element's other form.
    #[must_use]
    pub fn in_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}

/// One polynomial modulo X^n + 1 and a product of primes: a limb per prime, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poly {
    /// Ring dimension.
    pub n: usize,
    /// The primes.
    pub q: Vec<u64>,
    /// Coefficients or values.
    pub form: Form,
}

impl Poly {
    /// Reads a `poly` type.
    ///
    /// # Errors
    /// `Graph` or `Operator` when an attribute is missing.
    pub fn of(ty: &ValueType) -> Result<Self> {
        Ok(Self { n: dimension(ty)?, q: moduli(ty, "q")?, form: Form::of(ty)? })
    }

    /// As a value type.
    pub fn ty(&self) -> ValueType {
        let attrs =
            Attrs::new().with("n", self.n).with("q", self.q.as_slice()).with("form", self.form.name());
        ValueType::new("poly", (self.n * self.q.len()) as u64, attrs)
    }

    /// The limb for prime number `index`.
    pub fn limb(&self, index: usize) -> Limb {
        Limb { n: self.n, q: self.q[index], form: self.form }
    }
}

/// The blocks in which kernels take an operand, in units: a polynomial limb by limb, anything else whole.
pub fn block_size(ty: &ValueType) -> u64 {
    // A type from outside may have any size.
    let limb = || ty.dim("n").ok().map(|n| n as u64).filter(|&n| n > 0 && ty.size.is_multiple_of(n));
    if ty.head == "poly" { limb().unwrap_or(ty.size) } else { ty.size }
}

/// Most polynomials of a ciphertext: what a product of two has.
const MOST_PARTS: usize = 3;

/// What a scheme adds to a ciphertext: how the message m lies in its phase, c(s) = c_0 + c_1 s + c_2 s^2 modulo Q. A type with
/// attribute `scale` is one of CKKS, one with `factor` of BGV, others are of BFV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// c(s) = round(Q m / t) + e.
    Bfv {
        /// Plaintext modulus.
        t: u64,
    },
    /// c(s) = f m + t e.
    Bgv {
        /// Plaintext modulus.
        t: u64,
        /// f, modulo t: what switching to smaller moduli has multiplied m with.
        factor: u64,
    },
    /// c(s) = m + e, the slots of m being those of the plaintext times the scale.
    Ckks {
        /// Above 0.
        scale: Real,
    },
}

impl Scheme {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bfv { .. } => "BFV",
            Self::Bgv { .. } => "BGV",
            Self::Ckks { .. } => "CKKS",
        }
    }

    /// What all errors are multiples of: t for BGV, else 1.
    pub fn error_factor(self) -> u64 {
        match self {
            Self::Bfv { .. } | Self::Ckks { .. } => 1,
            Self::Bgv { t, .. } => t,
        }
    }

    /// The type of its plaintexts.
    pub fn plain(self, n: usize) -> ValueType {
        match self {
            Self::Bfv { t } | Self::Bgv { t, .. } => plain(n, t),
            Self::Ckks { scale } => reals(n, scale),
        }
    }

    /// Its attributes, on top of those that ciphertexts of all schemes have.
    fn attrs(self, attrs: Attrs) -> Attrs {
        match self {
            Self::Bfv { t } => attrs.with("t", t),
            Self::Bgv { t, factor } => attrs.with("t", t).with("factor", factor),
            Self::Ckks { scale } => attrs.with("scale", scale),
        }
    }

    fn of(ty: &ValueType) -> Result<Self> {
        if ty.attrs.get("scale").is_some() {
            return Ok(Self::Ckks { scale: scale(&ty.attrs)? });
        }
        let t = modulus(ty, "t")?;
        if ty.attrs.get("factor").is_none() {
            return Ok(Self::Bfv { t });
        }
        let factor = ty.attrs.uint("factor")?;
        if factor == 0 || factor >= t {
            return Err(wrong(ty, "factor", factor, "1 to t - 1"));
        }
        Ok(Self::Bgv { t, factor })
    }
}

/// Attribute `scale`: what values are multiplied with before they are rounded to integers.
///
/// # Errors
/// `Graph` for what is no number above 0.
pub fn scale(attrs: &Attrs) -> Result<Real> {
    let found = attrs.real("scale")?;
    Real::new(found).filter(|scale| scale.get() > 0.0).ok_or_else(|| {
        let expected = "a number above 0";
        GraphError::Attribute { name: "scale".into(), found: found.to_string(), expected }.into()
    })
}

/// A ciphertext of ring learning with errors: `parts` polynomials (c_0, c_1, ...) modulo q.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    /// Ring dimension.
    pub n: usize,
    /// Primes of the ciphertext modulus at its level.
    pub q: Vec<u64>,
    /// Number of polynomials: 2, or 3 after a multiplication.
    pub parts: usize,
    /// How the message lies in it.
    pub scheme: Scheme,
    /// Coefficients, where attribute `form` is left out, or values.
    pub form: Form,
    /// Of how many parties' secrets its secret is the sum: 1 where attribute `parties` is left out.
    pub parties: usize,
}

/// Attributes of what is in coefficient form unless it says otherwise.
pub fn with_form(attrs: Attrs, form: Form) -> Attrs {
    match form {
        Form::Coeff => attrs,
        Form::Ntt => attrs.with("form", form.name()),
    }
}

impl Ciphertext {
    /// One in coefficient form.
    pub fn new(n: usize, q: Vec<u64>, parts: usize, scheme: Scheme) -> Self {
        Self { n, q, parts, scheme, form: Form::Coeff, parties: 1 }
    }

    /// Reads a `ciphertext` type.
    ///
    /// # Errors
    /// `Graph` when an attribute is missing.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let parts = ty.attrs.size("parts")?;
        if !(1..=MOST_PARTS).contains(&parts) {
            return Err(wrong(ty, "parts", parts, &format!("1 to {MOST_PARTS}")));
        }
        let form = if ty.attrs.get("form").is_some() { Form::of(ty)? } else { Form::Coeff };
        let (n, q, parties) = (dimension(ty)?, moduli(ty, "q")?, parties(ty)?);
        Ok(Self { n, q, parts, scheme: Scheme::of(ty)?, form, parties })
    }

    /// As a value type.
    pub fn ty(&self) -> ValueType {
        let attrs = Attrs::new().with("n", self.n).with("q", self.q.as_slice()).with("parts", self.parts);
        let attrs = with_parties(with_form(attrs, self.form), self.parties);
        ValueType::new("ciphertext", self.units(), self.scheme.attrs(attrs))
    }

    /// Size in units.
    pub fn units(&self) -> u64 {
        (self.n * self.q.len() * self.parts) as u64
    }

    /// The type of each part.
    pub fn poly(&self) -> Poly {
        Poly { n: self.n, q: self.q.clone(), form: self.form }
    }

    /// The same with another number of parts.
    #[must_use]
    pub fn with_parts(&self, parts: usize) -> Self {
        Self { parts, ..self.clone() }
    }
}

/// What is left of a ciphertext of which no more than a subring of its message is to be decrypted: of part 0 the coefficients of powers of Y = X^stride, in the
/// ring of dimension n / stride, and the other parts as they are (sample extraction: Chen, Dai, Kim, Song, ia.cr/2020/015, there of one coefficient). Who has the
/// secret learns the trace of the message to the subring: in every slot the sum over those that are a multiple of n / (2 stride) further on; `conjugated`: and of those
/// of the other row, or, of complex slots, the real part of that sum. Its scheme has the factor, or scale, with which the message is that sum; of BFV, whose messages
/// have neither, the extract has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// The ciphertext, with the factor or scale of the sum.
    pub ciphertext: Ciphertext,
    /// A power of two, 1 to n / 4, or to n / 2 where rows are added up: slots one further on lie at the third powers of roots, which Y = X^(n/2) is not the same at.
    pub stride: usize,
    /// Whether rows are added up, too.
    pub conjugated: bool,
    /// What of the sum the message is, modulo t, of BFV; 1, and no attribute, where the scheme tells.
    pub times: u64,
}

impl Extract {
    /// All of a ciphertext, which is no extract at all.
    pub fn whole(ciphertext: Ciphertext) -> Self {
        Self { ciphertext, stride: 1, conjugated: false, times: 1 }
    }

    /// True where nothing is left out.
    pub fn is_whole(&self) -> bool {
        self.stride == 1 && !self.conjugated
    }

    /// Reads an `extract` or a `ciphertext` type.
    ///
    /// # Errors
    /// `Graph` when an attribute is missing, for a stride that the ring has not, and for `times` that is none modulo t.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let ciphertext = Ciphertext::of(ty)?;
        if ty.head != "extract" {
            return Ok(Self::whole(ciphertext));
        }
        let (stride, conjugated) = (ty.attrs.size("stride")?, ty.attrs.uint("conjugated")?);
        if conjugated > 1 {
            return Err(wrong(ty, "conjugated", conjugated, "0 or 1"));
        }
        let times = match (ty.attrs.get("times"), ciphertext.scheme) {
            (None, _) => 1,
            (Some(_), Scheme::Bfv { t }) => match ty.attrs.uint("times")? {
                times if (2..t).contains(&times) => times,
                other => return Err(wrong(ty, "times", other, "2 to t - 1, or left out")),
            },
            (Some(found), _) => return Err(wrong(ty, "times", found, "none: its scheme tells")),
        };
        let extract = Self { ciphertext, stride, conjugated: conjugated == 1, times };
        let most = extract.most();
        if !stride.is_power_of_two() || stride > most {
            return Err(wrong(ty, "stride", stride, &format!("a power of two, 1 to {most}")));
        }
        Ok(extract)
    }

    /// As a value type: that of a ciphertext for the whole.
    pub fn ty(&self) -> ValueType {
        let ty = self.ciphertext.ty();
        if self.is_whole() {
            return ty;
        }
        let attrs = ty.attrs.with("stride", self.stride).with("conjugated", u64::from(self.conjugated));
        let attrs = if self.times == 1 { attrs } else { attrs.with("times", self.times) };
        ValueType::new("extract", self.units(), attrs)
    }

    /// The largest stride.
    pub fn most(&self) -> usize {
        self.ciphertext.n / if self.conjugated { 2 } else { 4 }
    }

    /// Ring dimension of the message.
    pub fn kept(&self) -> usize {
        self.ciphertext.n / self.stride
    }

    /// Size in units.
    pub fn units(&self) -> u64 {
        let Ciphertext { n, q, parts, .. } = &self.ciphertext;
        ((self.kept() + n * (parts - 1)) * q.len()) as u64
    }
}

/// Most primes of a key: more than any secure ring has room for; sizes of its parts fit into 64 bits.
const MOST_PRIMES: usize = 1024;

/// A key that switches a polynomial from one secret to another: for each digit d the pair
/// (b_d, a_d) modulo q and special primes, NTT form, with b_d = -a_d s'' + f e_d + P g_d s', where s'' is the secret that it switches to, f the
/// factor, g_d is 1
/// modulo the primes of digit d and 0 modulo the others, and P is the product of the special primes
/// (hybrid key switching, Han and Ki, ia.cr/2019/688).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchingKey {
    /// Ring dimension.
    pub n: usize,
    /// Primes of the level it works at.
    pub q: Vec<u64>,
    /// Special primes.
    pub special: Vec<u64>,
    /// Primes per digit; the last digit may have fewer.
    pub digit: usize,
    /// What e_d are multiples of: 1, or what the plaintext moduli of BGV divide.
    pub factor: u64,
    /// How many parties made it, whose secrets s'' is the sum of: 1 where attribute `parties` is left out.
    pub parties: usize,
}

impl SwitchingKey {
    /// Reads a `switching_key` type.
    ///
    /// # Errors
    /// `Graph` or `Operator` when an attribute is missing or the digit size is 0.
    pub fn of(ty: &ValueType) -> Result<Self> {
        let a = &ty.attrs;
        let key = Self {
            n: dimension(ty)?,
            q: moduli(ty, "q")?,
            special: moduli(ty, "special")?,
            digit: a.size("digit")?,
            factor: error_factor(a)?,
            parties: parties(ty)?,
        };
        let primes = key.q.len() + key.special.len();
        if primes > MOST_PRIMES {
            return Err(wrong(ty, "primes", primes, &format!("at most {MOST_PRIMES}")));
        }
        if key.digit == 0 || key.digit > key.special.len() {
            return Err(wrong(ty, "digit", key.digit, "1 to the number of special primes"));
        }
        Ok(key)
    }

    /// As a value type.
    pub fn ty(&self) -> ValueType {
        let attrs = Attrs::new().with("n", self.n).with("q", self.q.as_slice());
        let attrs = attrs.with("special", self.special.as_slice()).with("digit", self.digit);
        let attrs = with_parties(with_error_factor(attrs, self.factor), self.parties);
        ValueType::new("switching_key", self.units(), attrs)
    }

    /// Number of digits.
    pub fn digits(&self) -> usize {
        self.q.len().div_ceil(self.digit)
    }

    /// Which primes of `q` belong to digit `d`.
    pub fn digit_range(&self, d: usize) -> std::ops::Range<usize> {
        d * self.digit..((d + 1) * self.digit).min(self.q.len())
    }

    /// All primes: those of the level, then the special ones.
    pub fn all(&self) -> Vec<u64> {
        [self.q.as_slice(), &self.special].concat()
    }

    /// Size in units.
    pub fn units(&self) -> u64 {
        2 * self.digits() as u64 * (self.q.len() + self.special.len()) as u64 * self.n as u64
    }

    /// The type of b_d and a_d.
    pub fn poly(&self) -> Poly {
        Poly { n: self.n, q: self.all(), form: Form::Ntt }
    }
}

/// A type from its head and attributes, whose size in units of so many bits follows from them; `size` is that of types
/// that nobody here knows, and has to be right for the others.
///
/// # Errors
/// `Graph` and `Operator` for attributes that are missing or wrong, a size that does not fit, an unknown head without a
/// size, a type of lattice algebra in another unit than a word.
pub fn sized(head: &str, size: Option<u64>, attrs: Attrs, unit: u32) -> Result<ValueType> {
    let mut ty = ValueType { head: head.to_owned(), size: size.unwrap_or(0), attrs };
    let a = &ty.attrs;
    let expected = match head {
        "limb" | "small" | "quotient" | "slots" | "plain" | "reals" => Some(a.size("n")? as u64),
        "limbs" | "mask" => Some((a.size("n")? as u64).saturating_mul(a.uint("count")?)),
        "poly" | "secret_key" | "key_share" => {
            Some((a.size("n")? as u64).saturating_mul(a.uints("q")?.len() as u64))
        }
        "polys" => {
            let poly = (a.size("n")? as u64).saturating_mul(a.uints("q")?.len() as u64);
            Some(poly.saturating_mul(a.size("count")? as u64))
        }
        "public_key" => Some((2 * a.size("n")? as u64).saturating_mul(a.uints("q")?.len() as u64)),
        "ciphertext" => Some(Ciphertext::of(&ty)?.units()),
        "extract" => Some(Extract::of(&ty)?.units()),
        "switching_key" => Some(SwitchingKey::of(&ty)?.units()),
        "public_seed" | "secret_seed" => Some(4),
        _ => None,
    };
    if expected.is_some() && unit != WORD {
        return Err(wrong(&ty, "unit of the graph", unit, "64 bits: these types are made of words"));
    }
    let expected = match Element::named(head) {
        Some(element) => Some(Tensor::new(element, a.uints("shape")?).ty(unit)?.size),
        None => expected,
    };
    match (size, expected) {
        (Some(found), Some(size)) if found != size => {
            Err(wrong(&ty, "size in units", found, &size.to_string()))
        }
        (_, Some(size)) | (Some(size), None) if size > 0 => {
            ty.size = size;
            Ok(ty)
        }
        _ => Err(wrong(&ty, "size in units", "none", "a size above 0, as in raw[4]")),
    }
}

/// The ring dimension of a type whose words are residues, and the prime of each limb.
///
/// # Errors
/// `Graph` when an attribute is missing.
pub type Residues = fn(&ValueType) -> Result<(usize, Vec<u64>)>;

/// The types of lattice algebra whose words are residues, by their heads.
pub fn residues() -> [(&'static str, Residues); 14] {
    const SLOTS: Residues = |ty| Ok((dimension(ty)?, vec![modulus(ty, "t")?]));
    const POLY: Residues = |ty| Ok((dimension(ty)?, moduli(ty, "q")?));
    [
        ("limb", |ty| Ok((dimension(ty)?, vec![modulus(ty, "q")?]))),
        ("slots", SLOTS),
        ("plain", SLOTS),
        ("limbs", cycled),
        ("poly", POLY),
        ("secret_key", POLY),
        ("key_share", POLY),
        ("key_polynomial", cycled),
        ("mask", cycled),
        ("polys", cycled),
        ("public_key", cycled),
        ("ciphertext", cycled),
        ("extract", |ty| {
            // Limbs of the subring, which the others are whole numbers of.
            let extract = Extract::of(ty)?;
            let kept = extract.kept();
            let Ciphertext { n, q, parts, .. } = extract.ciphertext;
            let each = |count: usize| q.iter().flat_map(move |&q| std::iter::repeat_n(q, count));
            Ok((kept, each(1).chain((1..parts).flat_map(|_| each(n / kept))).collect()))
        }),
        ("switching_key", |ty| {
            let key = SwitchingKey::of(ty)?;
            Ok((key.n, key.all().repeat(2 * key.digits())))
        }),
    ]
}

/// Limbs that go through the primes `q` again and again, to the end of the type.
///
/// # Errors
/// `Graph` when an attribute is missing.
pub fn cycled(ty: &ValueType) -> Result<(usize, Vec<u64>)> {
    let n = dimension(ty)?;
    let primes = modulus(ty, "q").map(|q| vec![q]).or_else(|_| moduli(ty, "q"))?;
    let limbs = (ty.size / n as u64) as usize;
    Ok((n, primes.into_iter().cycle().take(limbs).collect()))
}

/// `count` limbs of one kind, one after the other.
pub fn limbs(limb: Limb, count: usize) -> ValueType {
    let attrs = Attrs::new().with("n", limb.n).with("q", limb.q).with("form", limb.form.name());
    ValueType::new("limbs", (limb.n * count) as u64, attrs.with("count", count))
}

/// n small signed integers, as two's complement words: secrets and errors before they meet a prime.
pub fn small(n: usize) -> ValueType {
    ValueType::new("small", n as u64, Attrs::new().with("n", n))
}

/// The n integers v = round(sum of y_i / q_i) of a base conversion.
pub fn quotient(n: usize) -> ValueType {
    ValueType::new("quotient", n as u64, Attrs::new().with("n", n))
}

/// n integers modulo t, one per slot: two rows of n/2.
pub fn slots(n: usize, t: u64) -> ValueType {
    ValueType::new("slots", n as u64, Attrs::new().with("n", n).with("t", t))
}

/// A plaintext polynomial modulo t, coefficient form.
pub fn plain(n: usize, t: u64) -> ValueType {
    ValueType::new("plain", n as u64, Attrs::new().with("n", n).with("t", t))
}

/// n doubles that are integers: the coefficients of a polynomial whose slots are reals times a scale.
pub fn reals(n: usize, scale: Real) -> ValueType {
    ValueType::new("reals", n as u64, Attrs::new().with("n", n).with("scale", scale))
}

/// A secret key: s in NTT form over all primes. An operand of this type never enters an evaluator.
pub fn secret_key(n: usize, q: &[u64]) -> ValueType {
    ValueType::new("secret_key", (n * q.len()) as u64, Attrs::new().with("n", n).with("q", q))
}

/// True for types whose values must not be shown: keys and seeds that have to stay with their owner, and the small integers
/// that keys and errors are made of.
pub fn is_secret(ty: &ValueType) -> bool {
    matches!(
        ty.head.as_str(),
        "secret_key" | "key_share" | "key_polynomial" | "mask" | "secret_seed" | "small"
    )
}

/// A public key (b, a) with b = -a s + e over its primes, NTT form, whose secret is the sum of those of so many parties.
pub fn public_key(n: usize, q: &[u64], factor: u64, parties: usize) -> ValueType {
    let attrs = with_error_factor(Attrs::new().with("n", n).with("q", q), factor);
    ValueType::new("public_key", (2 * n * q.len()) as u64, with_parties(attrs, parties))
}

/// One party's share of a secret that several share: a value, at a point of its own, of a polynomial whose constant term is the secret; in NTT form over all primes.
pub fn key_share(n: usize, q: &[u64]) -> ValueType {
    ValueType::new("key_share", (n * q.len()) as u64, Attrs::new().with("n", n).with("q", q))
}

/// A polynomial that hides another one, as `count` digits to a base `q`, the lowest first, each n integers modulo it: the sum over j of q^j times digit j, centered.
pub fn mask(n: usize, q: u64, count: usize) -> ValueType {
    let attrs = Attrs::new().with("n", n).with("q", q).with("count", count);
    ValueType::new("mask", (n as u64).saturating_mul(count as u64), attrs)
}

/// Polynomials of one type, one after the other.
pub fn polys(poly: &Poly, count: usize) -> ValueType {
    let attrs = Attrs::new().with("n", poly.n).with("q", poly.q.as_slice()).with("form", poly.form.name());
    ValueType::new("polys", poly.ty().size.saturating_mul(count as u64), attrs.with("count", count))
}

/// Most parties whose secrets are added up.
pub const MOST_PARTIES: usize = 256;

/// Attribute `parties` of a key or a ciphertext: of how many parties' secrets its secret is the sum; 1 where it is left out.
///
/// # Errors
/// `Graph` for what is no number; `Operator` for one that is not from 2 to [`MOST_PARTIES`].
pub fn parties(ty: &ValueType) -> Result<usize> {
    let Some(_) = ty.attrs.get("parties") else { return Ok(1) };
    match ty.attrs.size("parties")? {
        parties if (2..=MOST_PARTIES).contains(&parties) => Ok(parties),
        other => Err(wrong(ty, "parties", other, &format!("2 to {MOST_PARTIES}, or left out"))),
    }
}

/// Attributes of a key or a ciphertext of so many parties.
pub fn with_parties(attrs: Attrs, parties: usize) -> Attrs {
    if parties == 1 { attrs } else { attrs.with("parties", parties) }
}

/// Attribute `factor` of a key: what its errors are multiples of; 1 where it is left out.
///
/// # Errors
/// `Graph` for what is no positive integer below 2^64.
pub fn error_factor(attrs: &Attrs) -> Result<u64> {
    let Some(_) = attrs.get("factor") else { return Ok(1) };
    let factor = attrs.uint("factor")?;
    if factor == 0 {
        let (name, found, expected) = ("factor".to_owned(), "0".to_owned(), "at least 1");
        return Err(GraphError::Attribute { name, found, expected }.into());
    }
    Ok(factor)
}

/// Attributes of a key whose errors are multiples of that.
pub fn with_error_factor(attrs: Attrs, factor: u64) -> Attrs {
    if factor == 1 { attrs } else { attrs.with("factor", factor) }
}

/// A 32-byte seed that may be shown (for uniform polynomials).
pub fn public_seed() -> ValueType {
    ValueType::new("public_seed", 4, Attrs::new())
}

/// A 32-byte seed that must not be shown (for secrets and errors).
pub fn secret_seed() -> ValueType {
    ValueType::new("secret_seed", 4, Attrs::new())
}
