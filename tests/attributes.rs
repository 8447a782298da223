//! Names of attributes: an operator type refuses those that it does not name, and reads each that it does. Base operators are
//! tried by the conformance suite's own test; here it is all others, over graphs of schemes and ciphers.

use cipherloom::circuit::CircuitBuilder;
use cipherloom::expand::{BaseSet, Expander};
use cipherloom::graph::{Attrs, Graph, Real, Signature, ValueType};
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::{Call, Level, Registry, Session, types};
use cipherloom::schemes::bfv::auxiliary_primes;
use cipherloom::{Error, Result};
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn what_is_not_named_is_refused() {
    let registry = cipherloom::registry();
    for def in registry.iter() {
        let taken = def.attributes().unwrap();
        let attrs = taken.iter().fold(Attrs::new(), |attrs, name| attrs.with(name, 1u64)).with("axs", 1u64);
        let call = Call { name: def.name(), attrs: &attrs, inputs: &[], unit: 64 };
        let Err(Error::Operator { what, found, expected, .. }) = registry.assemble(&call) else {
            unreachable!("{} takes anything", def.name())
        };
        let names = if taken.is_empty() { "no attributes".to_owned() } else { taken.join(", ") };
        assert_eq!((what.as_str(), found.as_str(), expected), ("attributes", "axs", names), "{}", def.name());
    }
    // In the text form, too, and by the builder.
    let registry = Arc::new(registry);
    let mut g = CircuitBuilder::new(32, &registry).unwrap();
    let x = g.input("x", Tensor::new(Element::F32, [4]).ty(32).unwrap()).unwrap();
    let error = g.op("f32.sum", Attrs::new().with("axis", 0u64).with("keep", 1u64), &[x]).unwrap_err();
    assert_eq!(error.to_string(), "f32.sum: attributes: found keep, expected axis");
}

/// A graph, level by level down to what the platform has.
fn levels(graph: Graph, registry: &Registry) -> Vec<Graph> {
    let base = |op: &str| registry.get(op).is_ok_and(|def| def.level() == Level::Base);
    let base = BaseSet { platform: "test", contains: &base };
    let mut expander = Expander::new(registry);
    let mut all = vec![graph];
    loop {
        let last = &all[all.len() - 1];
        if last.operators().iter().all(|op| (base.contains)(&last.signature(op).name)) {
            return all;
        }
        let next = expander.level(last, &base).unwrap();
        all.push(next);
    }
}

/// Keys, encryption and every operator of BFV that takes attributes.
fn of_bfv(registry: &Registry) -> Graph {
    let (n, t) = (16, ntt_primes(12, 16, 1, &[]).unwrap()[0]);
    let all = ntt_primes(40, n, 4, &[t]).unwrap();
    let (q, special) = (&all[1..], &all[..1]);
    let aux = auxiliary_primes(n, q, &[all.as_slice(), &[t]].concat()).unwrap();
    let mut s = Session::new(Graph::new(64), registry);
    let public = s.graph_mut().add_input("public seed", types::public_seed()).unwrap();
    let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
    let slots = s.graph_mut().add_input("slots", types::slots(n, t)).unwrap();
    let none = Attrs::new;
    let with_q = |q: &[u64]| none().with("q", q);
    let secret = s.op("rlwe.secret_key", with_q(&all).with("n", n), &[hidden]).unwrap();
    let seeds = [public, hidden];
    let key = |s: &mut Session<'_>, from: &str, g: u64| {
        let attrs = with_q(q).with("special", special).with("digit", 1u64);
        let attrs = if g > 0 { attrs.with("g", g) } else { attrs };
        s.op("rlwe.switching_key", attrs.with("from", from), &[secret, seeds[0], seeds[1]]).unwrap()
    };
    let (square, turn) = (key(&mut s, "square", 0), key(&mut s, "galois", 3));
    let plain = s.op("slots.encode", none(), &[slots]).unwrap();
    let ciphertext = s.op("bfv.encrypt_secret", with_q(q), &[secret, plain, public, hidden]).unwrap();
    let values = with_q(q).with("form", "ntt");
    s.op("bfv.encrypt_secret", values, &[secret, plain, public, hidden]).unwrap();
    let public_key = s.op("rlwe.public_key", with_q(&all), &[secret, public, hidden]).unwrap();
    let drop = none().with("drop", &all[3..]);
    let other = s.op("bfv.encrypt_public", drop, &[public_key, plain, hidden]).unwrap();
    let product = s.op("bfv.multiply", none().with("aux", aux), &[ciphertext, ciphertext]).unwrap();
    let at_once = s.op("bfv.relinearize_switch", none().with("keep", 2u64), &[product, square]).unwrap();
    s.graph_mut().declare_output("at once", at_once);
    let product = s.op("rlwe.relinearize", none(), &[product, square]).unwrap();
    let turned = s.op("rlwe.automorphism", none().with("g", 3u64), &[product, turn]).unwrap();
    let low = s.op("bfv.mod_switch", none().with("keep", 2u64), &[turned]).unwrap();
    let attrs = none().with("keep", 2u64).with("stride", 4u64).with("conjugated", 1u64).with("repeats", 2u64);
    let total = s.op("bfv.switch_extract", attrs, &[turned]).unwrap();
    s.graph_mut().declare_output("total", total);
    let scaled = s.op("bfv.scale_plain", with_q(q), &[plain]).unwrap();
    let lifted = s.op("rlwe.lift_plain", with_q(q), &[plain]).unwrap();
    for (number, output) in [low, other, scaled, lifted].into_iter().enumerate() {
        s.graph_mut().declare_output(&number.to_string(), output);
    }
    s.finish()
}

/// Keys, encryption and every operator of BGV that takes attributes.
fn of_bgv(registry: &Registry) -> Graph {
    let (n, t) = (16, ntt_primes(12, 16, 1, &[]).unwrap()[0]);
    let all = ntt_primes(40, n, 4, &[t]).unwrap();
    let (q, special) = (&all[1..], &all[..1]);
    let mut s = Session::new(Graph::new(64), registry);
    let public = s.graph_mut().add_input("public seed", types::public_seed()).unwrap();
    let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
    let slots = s.graph_mut().add_input("slots", types::slots(n, t)).unwrap();
    let none = Attrs::new;
    let with_q = |q: &[u64]| none().with("q", q);
    let secret = s.op("rlwe.secret_key", with_q(&all).with("n", n), &[hidden]).unwrap();
    let attrs = with_q(q).with("special", special).with("digit", 1u64).with("from", "square");
    let square = s.op("rlwe.switching_key", attrs.with("factor", t), &[secret, public, hidden]).unwrap();
    let plain = s.op("slots.encode", none(), &[slots]).unwrap();
    let ciphertext = s.op("bgv.encrypt_secret", with_q(q), &[secret, plain, public, hidden]).unwrap();
    let values = with_q(q).with("form", "ntt");
    s.op("bgv.encrypt_secret", values, &[secret, plain, public, hidden]).unwrap();
    let attrs = with_q(&all).with("factor", t);
    let public_key = s.op("rlwe.public_key", attrs, &[secret, public, hidden]).unwrap();
    let drop = none().with("drop", &all[3..]);
    let other = s.op("bgv.encrypt_public", drop, &[public_key, plain, hidden]).unwrap();
    let product = s.op("bgv.multiply", none(), &[ciphertext, ciphertext]).unwrap();
    let product = s.op("rlwe.relinearize", none(), &[product, square]).unwrap();
    let low = s.op("bgv.mod_switch", none().with("keep", 2u64), &[product]).unwrap();
    let again = s.op("bgv.multiply", none(), &[ciphertext, ciphertext]).unwrap();
    let at_once = s.op("bgv.relinearize_switch", none().with("keep", 2u64), &[again, square]).unwrap();
    s.graph_mut().declare_output("at once", at_once);
    let thrice = s.op("bgv.multiply_number", none().with("by", 3u64), &[low]).unwrap();
    let thrice = s.op("rlwe.multiply_integer", none().with("by", -3i64), &[thrice]).unwrap();
    let adjusted = s.op("bgv.adjust", none().with("factor", 5u64), &[thrice]).unwrap();
    let attrs = none().with("stride", 4u64).with("conjugated", 1u64).with("repeats", 2u64);
    let total = s.op("rlwe.extract", attrs.clone(), &[adjusted]).unwrap();
    let switched = s.op("bgv.switch_extract", attrs.with("keep", 2u64), &[product]).unwrap();
    s.graph_mut().declare_output("switched", switched);
    for (number, output) in [adjusted, other, total].into_iter().enumerate() {
        s.graph_mut().declare_output(&number.to_string(), output);
    }
    s.finish()
}

fn of_ckks(registry: &Registry) -> Graph {
    let n = 16;
    let all = ntt_primes(40, n, 4, &[]).unwrap();
    let (q, special) = (&all[1..], &all[..1]);
    let mut s = Session::new(Graph::new(64), registry);
    let public = s.graph_mut().add_input("public seed", types::public_seed()).unwrap();
    let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
    let slots = Tensor::new(Element::F64, [n as u64 / 2]).ty(64).unwrap();
    let slots = s.graph_mut().add_input("slots", slots).unwrap();
    let none = Attrs::new;
    let with_q = |q: &[u64]| none().with("q", q);
    let scale = |value: f64| none().with("scale", Real::new(value).unwrap());
    let secret = s.op("rlwe.secret_key", with_q(&all).with("n", n), &[hidden]).unwrap();
    let attrs = with_q(q).with("special", special).with("digit", 1u64).with("from", "galois");
    let key = s.op("rlwe.switching_key", attrs.with("g", 3u64), &[secret, public, hidden]).unwrap();
    let plain = s.op("ckks.encode", scale(2f64.powi(30)), &[slots]).unwrap();
    let ciphertext = s.op("ckks.encrypt_secret", with_q(q), &[secret, plain, public, hidden]).unwrap();
    let values = with_q(q).with("form", "ntt");
    s.op("ckks.encrypt_secret", values, &[secret, plain, public, hidden]).unwrap();
    let public_key = s.op("rlwe.public_key", with_q(&all), &[secret, public, hidden]).unwrap();
    let drop = none().with("drop", &all[3..]);
    let other = s.op("ckks.encrypt_public", drop, &[public_key, plain, hidden]).unwrap();
    let declared = scale(2f64.powi(60) * (1.0 + 2f64.powi(-50)));
    let product = s.op("ckks.multiply", declared.clone(), &[ciphertext, ciphertext]).unwrap();
    let by_plain = s.op("ckks.multiply_plain", declared.clone(), &[ciphertext, plain]).unwrap();
    let real = |value: f64| Real::new(value).unwrap();
    let by_scalar = declared.with("value", real(0.5)).with("by", real(2f64.powi(30)));
    let by_scalar = s.op("ckks.multiply_scalar", by_scalar, &[ciphertext]).unwrap();
    let transformed = s.op("rlwe.ntt", none(), &[ciphertext]).unwrap();
    let shifted = s.op("ckks.add_scalar", none().with("value", real(0.5)), &[transformed]).unwrap();
    let rescaled =
        none().with("keep", 2u64).with("scale", real(2f64.powi(60) * (1.0 + 2f64.powi(-50)) / q[2] as f64));
    let attrs = with_q(q).with("special", special).with("digit", 1u64).with("from", "square");
    let square = s.op("rlwe.switching_key", attrs, &[secret, public, hidden]).unwrap();
    let at_once = s.op("ckks.relinearize_rescale", rescaled.clone(), &[product, square]).unwrap();
    let attrs = rescaled.clone().with("stride", 4u64).with("conjugated", 1u64).with("repeats", 2u64);
    let total = s.op("ckks.rescale_extract", attrs, &[product]).unwrap();
    s.graph_mut().declare_output("total", total);
    let rescaled = s.op("ckks.rescale", rescaled, &[product]).unwrap();
    let adjusted = scale(2f64.powi(29)).with("keep", 2u64);
    let adjusted = s.op("ckks.adjust", adjusted, &[ciphertext]).unwrap();
    let low = s.op("rlwe.drop_primes", none().with("keep", 1u64), &[ciphertext]).unwrap();
    let digits = none().with("special", special).with("digit", 1u64);
    let digits = s.op("rlwe.decompose", digits, &[ciphertext]).unwrap();
    let g = none().with("g", 3u64);
    let rotated = s.op("rlwe.automorphism_hoisted", g, &[ciphertext, key, digits]).unwrap();
    let deviation = none().with("deviation", real(2f64.powi(20)));
    let noisy = s.op("ckks.release", deviation, &[rotated, hidden]).unwrap();
    let opened = s.op("ckks.decrypt", none(), &[secret, noisy]).unwrap();
    let opened = s.op("ckks.decode", none().with("complex", 1u64), &[opened]).unwrap();
    let outputs = [rescaled, shifted, at_once, by_plain, by_scalar, adjusted, low, other, opened];
    for (number, output) in outputs.into_iter().enumerate() {
        s.graph_mut().declare_output(&number.to_string(), output);
    }
    s.finish()
}

/// What parties make of their shares of a key of BGV.
fn of_joint(registry: &Registry) -> Graph {
    let (n, t) = (16, ntt_primes(12, 16, 1, &[]).unwrap()[0]);
    let all = ntt_primes(40, n, 4, &[t]).unwrap();
    let (q, special) = (&all[1..], &all[..1]);
    let mut s = Session::new(Graph::new(64), registry);
    let hidden = s.graph_mut().add_input("secret seed", types::secret_seed()).unwrap();
    let ciphertext = types::Ciphertext::new(n, q.to_vec(), 2, types::Scheme::Bgv { t, factor: 1 }).ty();
    let ciphertext = s.graph_mut().add_input("ciphertext", ciphertext).unwrap();
    let receiver = s.graph_mut().add_input("receiver", types::public_key(n, &all, t, 1)).unwrap();
    let none = Attrs::new;
    let key = none().with("q", q).with("special", special).with("digit", 1u64).with("factor", t);
    let primes = [q, special].concat();
    let secret =
        s.op("rlwe.secret_key", none().with("q", primes.as_slice()).with("n", n), &[hidden]).unwrap();
    let common = |q: &[u64], count: u64| {
        none().with("n", n).with("q", q).with("count", count).with("seed", vec![1u64, 2, 3, 4])
    };
    let a = s.op("joint.common", common(&all, 1), &[]).unwrap();
    let attrs = none().with("q", all.as_slice()).with("factor", t);
    let public = s.op("joint.public_share", attrs, &[secret, a, hidden]).unwrap();
    let a = s.op("joint.common", common(&primes, q.len() as u64), &[]).unwrap();
    let galois = s.op("joint.galois_share", key.clone().with("g", 3u64), &[secret, a, hidden]).unwrap();
    let first = s.op("joint.relin_first", key.clone(), &[secret, secret, a, hidden]).unwrap();
    let h = s.op("joint.sum", none(), &[first, first]).unwrap();
    let second = s.op("joint.relin_second", key, &[secret, secret, h, hidden]).unwrap();
    let deviation = none().with("deviation", Real::new(2f64.powi(20)).unwrap());
    let share = s.op("joint.decryption_share", deviation.clone(), &[secret, ciphertext, hidden]).unwrap();
    let opened = s.op("joint.combine", none(), &[ciphertext, share, share]).unwrap();
    let opened = s.op("bgv.decrypt", none(), &[opened]).unwrap();
    let switched = s.op("joint.switch_share", deviation, &[secret, ciphertext, receiver, hidden]).unwrap();
    let switched = s.op("joint.switched", none(), &[ciphertext, switched]).unwrap();
    let base = none().with("n", n).with("base", t).with("count", 1u64);
    let mask = s.op("joint.mask", base, &[hidden]).unwrap();
    let deviation = none().with("deviation", Real::new(2f64.powi(20)).unwrap());
    let masked = s.op("joint.masked_share", deviation, &[secret, ciphertext, mask, hidden]).unwrap();
    let a = s.op("joint.common", common(q, 1), &[]).unwrap();
    let fresh = s.op("joint.refresh_share", none(), &[secret, ciphertext, a, mask, hidden]).unwrap();
    let refreshed = s.op("joint.refreshed", none(), &[ciphertext, a, masked, masked, fresh, fresh]).unwrap();
    let polynomial = s.op("joint.shamir", none().with("threshold", 2u64), &[secret, hidden]).unwrap();
    let value = s.op("joint.evaluate", none().with("point", 3u64), &[polynomial]).unwrap();
    let attrs = none().with("point", 3u64).with("active", vec![1u64, 3]);
    let recombined = s.op("joint.recombine", attrs, &[value]).unwrap();
    let outputs = [public, galois, second, opened, switched, refreshed, recombined];
    for (number, output) in outputs.into_iter().enumerate() {
        s.graph_mut().declare_output(&number.to_string(), output);
    }
    s.finish()
}

fn of_ciphers(registry: &Registry) -> Graph {
    let mut s = Session::new(Graph::new(8), registry);
    let bytes = |shape: &[u64]| Tensor::new(Element::U8, shape).ty(8).unwrap();
    let input = |s: &mut Session<'_>, name: &str, shape| s.graph_mut().add_input(name, bytes(shape)).unwrap();
    let (key, block) = (input(&mut s, "key", &[16]), input(&mut s, "block", &[16]));
    let (text, iv) = (input(&mut s, "text", &[40]), input(&mut s, "iv", &[12]));
    let keys = s.op("aes.key_schedule", Attrs::new(), &[key]).unwrap();
    let attrs = Attrs::new().with("counter_bits", 32u64);
    let stream = s.op("aes.ctr", attrs, &[text, keys, block]).unwrap();
    let sealed = s.op("aes.gcm_seal", Attrs::new().with("message", "none"), &[keys, iv, text]).unwrap();
    let blocks = s.retype(block, bytes(&[1, 16])).unwrap();
    let back = s.op("aes.decrypt_blocks", Attrs::new(), &[blocks, keys]).unwrap();
    for (number, output) in [stream, sealed, back].into_iter().enumerate() {
        s.graph_mut().declare_output(&number.to_string(), output);
    }
    s.finish()
}

/// What an operator says of an attribute of that value: when it is assembled, or expanded.
fn meaning(
    registry: &Registry,
    graph: &Graph,
    name: &str,
    attrs: &Attrs,
    inputs: &[ValueType],
) -> Result<()> {
    let mut s = Session::new(Graph::new(graph.unit_bits()), registry);
    let mut operands = Vec::new();
    for (number, ty) in inputs.iter().enumerate() {
        operands.push(s.graph_mut().add_input(&number.to_string(), ty.clone())?);
    }
    s.op(name, attrs.clone(), &operands)?;
    let call = Call { name, attrs, inputs, unit: graph.unit_bits() };
    match registry.get(name)?.expand(&mut s, &call, &operands) {
        Err(Error::NoExpansion { .. }) | Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

#[test]
fn what_is_named_is_read() {
    let registry = cipherloom::registry();
    let mut graphs = levels(of_bfv(&registry), &registry);
    graphs.extend(levels(of_bgv(&registry), &registry));
    graphs.extend(levels(of_ckks(&registry), &registry));
    graphs.extend(levels(of_joint(&registry), &registry));
    graphs.extend(levels(of_ciphers(&registry), &registry));
    let mut read = BTreeSet::new();
    for graph in &graphs {
        for op in graph.operators() {
            let Signature { name, attrs, .. } = graph.signature(op);
            let inputs: Vec<ValueType> = graph.inputs_of(op).iter().map(|&i| graph.ty(i).clone()).collect();
            for (attr, _) in attrs.iter() {
                if !read.insert((name.clone(), attr.to_owned())) {
                    continue;
                }
                assert_eq!(meaning(&registry, graph, name, attrs, &inputs), Ok(()), "{name} {attrs}");
                let other = attrs.iter().fold(Attrs::new(), |all, (name, value)| match name == attr {
                    true => all.with(name, "no such word"),
                    false => all.with(name, value.clone()),
                });
                let found = meaning(&registry, graph, name, &other, &inputs);
                assert!(found.is_err(), "{name} does not read `{attr}`");
            }
        }
    }
    // Base operators and tensors have more ways to be called: src/platform/conformance.
    for def in registry.iter().filter(|def| def.level() != Level::Base) {
        for attr in def.attributes().unwrap() {
            assert!(read.contains(&(def.name().to_owned(), (*attr).to_owned())), "{} `{attr}`", def.name());
        }
    }
}
