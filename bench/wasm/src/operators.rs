//! Operators of a scheme as resident programs: K of one kind, one graph. They are independent, but for the rotations of one ciphertext that `hoisted`
//! is.

use crate::circuit::{Circuit, Resident};
use crate::scheme::{Scheme, scheme_named};
use cipherloom::engine::Input;
use cipherloom::graph::{Attrs, OperandId, ValueType};
use cipherloom::math::Modulus;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

type Result<T> = std::result::Result<T, JsError>;

/// A scheme at one set of primes, with fresh keys.
#[wasm_bindgen(js_name = Scheme)]
pub struct Keys(Rc<Scheme>);

/// What an operator's outputs are.
enum Gives {
    Slots,
    Plain,
    /// Of the type that the graph says.
    Ciphertext,
    /// A relinearization key, and products to try it on.
    Relinearization(Vec<Input>),
    /// A rotation key, and ciphertexts to try it on.
    Galois(Vec<Input>),
}

#[wasm_bindgen(js_class = Scheme)]
impl Keys {
    /// "bfv", "bgv" or "ckks", ring dimension, plaintext modulus or scale, data primes, special primes.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, n: usize, parameter: f64, q: Vec<u64>, special: Vec<u64>) -> Result<Keys> {
        Ok(Self(Rc::new(Scheme::new(n, scheme_named(name, parameter)?, q, special)?)))
    }

    /// A resident program of `k` operators of that name, each on inputs of its own.
    pub fn prepare(&self, name: &str, k: usize) -> Result<Operators> {
        let scheme = &*self.0;
        let slots: Vec<[Vec<u64>; 2]> =
            (0..k).map(|i| [scheme.slots(2 * i), scheme.slots(2 * i + 1)]).collect();
        let (gives, expected) = outcome(scheme, name, &slots)?;
        let mut circuit = Circuit::new(&scheme.registry);
        let mut types = Vec::with_capacity(k);
        let shared = Shared::of(scheme, name, &mut circuit)?;
        // Rotations of one ciphertext: each by a key of its own, whose words do not matter to the time.
        let one = (name == "hoisted")
            .then(|| circuit.input(scheme.ciphertext(2).ty(), scheme.encrypted(&slots[0][0])?))
            .transpose()?;
        for [a, b] in &slots {
            let output = match one {
                Some(one) => {
                    let inputs = [one, scheme.galois(&mut circuit)?];
                    circuit.op("rlwe.automorphism", Attrs::new().with("g", scheme.element()), &inputs)?
                }
                None => operator(scheme, &mut circuit, name, &shared, a, b)?,
            };
            types.push(circuit.ty(output).clone());
            circuit.output(output);
        }
        let resident = circuit.finish_with(&scheme.platform, true)?;
        Ok(Operators { scheme: Rc::clone(&self.0), resident, types, gives, expected })
    }
}

/// What the outputs of an operator are, and the slots that they must decrypt to.
fn outcome(scheme: &Scheme, name: &str, slots: &[[Vec<u64>; 2]]) -> Result<(Gives, Vec<Vec<u64>>)> {
    let half = scheme.n / 2;
    let each = |f: &dyn Fn(u64, u64) -> u64| -> Vec<Vec<u64>> {
        slots.iter().map(|[a, b]| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()).collect()
    };
    let same = || each(&|a, _| a);
    let sums = || each(&|a, b| scheme.combine(a, b, Modulus::add, |a, b| a + b));
    let products = || each(&|a, b| scheme.combine(a, b, Modulus::mul, |a, b| a * b));
    let from = |slot: usize| slot / half * half + (slot + 1) % half;
    let rotation = |a: &Vec<u64>| (0..a.len()).map(|slot| a[from(slot)]).collect();
    let rotated = || slots.iter().map(|[a, _]| rotation(a)).collect();
    let fresh = Gives::Ciphertext;
    Ok(match name {
        "encode" | "decrypt" => (Gives::Plain, same()),
        "decode" => (Gives::Slots, same()),
        "encrypt" | "encrypt_symmetric" => (fresh, same()),
        "add" | "add_plain" => (fresh, sums()),
        "multiply" | "relinearize" | "multiply_relinearize" | "multiply_plain" => (fresh, products()),
        "multiply_relinearize_switch" => (fresh, products()),
        "rotate" => (fresh, rotated()),
        "hoisted" => (fresh, slots.iter().map(|_| rotation(&slots[0][0])).collect()),
        "mod_switch" => (fresh, same()),
        "keygen_relinearization" => {
            let from =
                slots.iter().map(|[a, b]| scheme.product(&scheme.encrypted(a)?, &scheme.encrypted(b)?));
            (Gives::Relinearization(from.collect::<cipherloom::Result<_>>()?), products())
        }
        "keygen_galois" => {
            let from = slots.iter().map(|[a, _]| scheme.encrypted(a));
            (Gives::Galois(from.collect::<cipherloom::Result<_>>()?), rotated())
        }
        _ => return Err(JsError::new(&format!("no such operator: {name}"))),
    })
}

/// Inputs that all operators of a program share: a key and seeds, where they need them.
struct Shared(Vec<OperandId>);

impl Shared {
    fn of(scheme: &Scheme, name: &str, c: &mut Circuit<'_>) -> cipherloom::Result<Self> {
        Ok(Self(match name {
            "decrypt" => vec![scheme.secret(c)?],
            "encrypt" => vec![scheme.public(c)?, scheme.secret_seed(c)?],
            "encrypt_symmetric" | "keygen_relinearization" | "keygen_galois" => {
                vec![scheme.secret(c)?, scheme.public_seed(c)?, scheme.secret_seed(c)?]
            }
            "relinearize" | "multiply_relinearize" | "multiply_relinearize_switch" => {
                vec![scheme.relinearization(c)?]
            }
            "rotate" => vec![scheme.galois(c)?],
            _ => vec![],
        }))
    }

    /// The key before an operator's own input, the seeds after it.
    fn around(&self, own: OperandId) -> Vec<OperandId> {
        [&self.0[..1], &[own], &self.0[1..]].concat()
    }

    /// The key after an operator's own input.
    fn after(&self, own: OperandId) -> Vec<OperandId> {
        [&[own], self.0.as_slice()].concat()
    }
}

/// Adds one operator over slots a and b, and the inputs of its own that it works on.
fn operator(
    scheme: &Scheme,
    c: &mut Circuit<'_>,
    name: &str,
    shared: &Shared,
    a: &[u64],
    b: &[u64],
) -> cipherloom::Result<OperandId> {
    let none = Attrs::new;
    let plain = |c: &mut Circuit<'_>, slots| c.input(scheme.of.plain(scheme.n), scheme.plain(slots)?);
    let encrypted = |c: &mut Circuit<'_>, slots| c.input(scheme.ciphertext(2).ty(), scheme.encrypted(slots)?);
    match name {
        "encode" => {
            let slots = c.input(scheme.slots_type()?, a)?;
            let (op, attrs) = scheme.encode();
            c.op(op, attrs, &[slots])
        }
        "decode" => {
            let a = plain(c, a)?;
            let (op, attrs) = scheme.decode();
            c.op(op, attrs, &[a])
        }
        "encrypt" => {
            let a = plain(c, a)?;
            // As SEAL does: at the level of the key, then divided by the special prime.
            let drop = none().with("drop", scheme.special.as_slice());
            c.op(&scheme.own("encrypt_public"), drop, &shared.around(a))
        }
        "encrypt_symmetric" => {
            let a = plain(c, a)?;
            c.op(&scheme.own("encrypt_secret"), none().with("q", scheme.q.as_slice()), &shared.around(a))
        }
        "decrypt" => {
            let a = encrypted(c, a)?;
            c.op(&scheme.own("decrypt"), none(), &shared.around(a))
        }
        "add" => {
            let terms = [encrypted(c, a)?, encrypted(c, b)?];
            c.op("rlwe.add", none(), &terms)
        }
        "add_plain" | "multiply_plain" => {
            let inputs = [encrypted(c, a)?, plain(c, b)?];
            c.op(&scheme.own(name), none(), &inputs)
        }
        "multiply" | "multiply_relinearize" | "multiply_relinearize_switch" => {
            let factors = [encrypted(c, a)?, encrypted(c, b)?];
            let mut product = c.op(&scheme.own("multiply"), scheme.multiply_attrs()?, &factors)?;
            if name != "multiply" {
                product = c.op("rlwe.relinearize", none(), &shared.after(product))?;
            }
            if name == "multiply_relinearize_switch" {
                let (op, attrs) = scheme.switch();
                product = c.op(&op, attrs, &[product])?;
            }
            Ok(product)
        }
        "relinearize" => {
            let product = scheme.product(&scheme.encrypted(a)?, &scheme.encrypted(b)?)?;
            let product = c.input(scheme.ciphertext(3).ty(), product)?;
            c.op("rlwe.relinearize", none(), &shared.after(product))
        }
        "rotate" => {
            let a = encrypted(c, a)?;
            c.op("rlwe.automorphism", none().with("g", scheme.element()), &shared.after(a))
        }
        "mod_switch" => {
            let a = encrypted(c, a)?;
            let (op, attrs) = scheme.switch();
            c.op(&op, attrs, &[a])
        }
        _ => {
            let from = if name == "keygen_galois" { "galois" } else { "square" };
            c.op("rlwe.switching_key", scheme.key_attrs(from), &shared.0)
        }
    }
}

/// K operators of one kind, ready to run.
#[wasm_bindgen]
pub struct Operators {
    scheme: Rc<Scheme>,
    resident: Resident,
    /// What the outputs are.
    types: Vec<ValueType>,
    gives: Gives,
    /// The slots that each output must decrypt to.
    expected: Vec<Vec<u64>>,
}

#[wasm_bindgen]
impl Operators {
    /// Runs all of them once. That allocates the storage of the run, as it does for whoever runs a program.
    pub fn run(&self) -> Result<()> {
        self.resident.start()?.finish();
        Ok(())
    }

    /// The same kernels on the same storage in a fixed order, without the engine's scheduling.
    #[wasm_bindgen(js_name = runStraight)]
    pub fn run_straight(&self) -> Result<()> {
        Ok(self.resident.start()?.finish_straight()?)
    }

    /// Only what `run` does before its first operator: checks, counters, storage.
    pub fn start(&self) -> Result<()> {
        drop(self.resident.start()?);
        Ok(())
    }

    /// Replaces input `index` by words from JavaScript, those of doubles among them.
    pub fn fill(&mut self, index: usize, words: &[u64]) {
        self.resident.fill(index, words);
    }

    /// Runs all of them once and gives every output to JavaScript, one after the other.
    #[wasm_bindgen(js_name = runAndRead)]
    pub fn run_and_read(&self) -> Result<Vec<u64>> {
        Ok(self.resident.outputs()?.concat())
    }

    /// Base operators of one run.
    pub fn operators(&self) -> usize {
        self.resident.plan().len()
    }

    /// Slots of the first operand of operator `index`.
    pub fn slots(&self, index: usize) -> Vec<u64> {
        self.scheme.slots(2 * index)
    }

    /// Runs once, and throws unless every output decrypts to the right slots. Gives the least noise budget in bits,
    /// infinity where nothing is encrypted.
    pub fn check(&self) -> Result<f64> {
        let scheme = &*self.scheme;
        let mut least = f64::INFINITY;
        for (index, words) in self.resident.outputs()?.into_iter().enumerate() {
            let fresh = scheme.ciphertext(2).ty();
            let (slots, budget) = match &self.gives {
                Gives::Slots => (words, f64::INFINITY),
                Gives::Plain => (scheme.decoded(words)?, f64::INFINITY),
                Gives::Ciphertext => scheme.decrypted(&self.types[index], words)?,
                Gives::Relinearization(products) => {
                    let from = &products[index];
                    scheme.decrypted(
                        &fresh,
                        scheme.switched("rlwe.relinearize", Attrs::new(), 3, from, words)?,
                    )?
                }
                Gives::Galois(from) => {
                    let attrs = Attrs::new().with("g", scheme.element());
                    scheme.decrypted(
                        &fresh,
                        scheme.switched("rlwe.automorphism", attrs, 2, &from[index], words)?,
                    )?
                }
            };
            if !scheme.alike(&slots, &self.expected[index]) {
                return Err(JsError::new(&format!("operator {index} decrypts to the wrong slots")));
            }
            least = least.min(budget);
        }
        Ok(least)
    }
}
