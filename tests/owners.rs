//! Data owners who hold the public key alone: what they and the client encrypt, in any mix, gives what the task is, within the noise that programs promise.

use crate::recorder::{Draw, Recorder};
use crate::road::random::{Dice, Random, random};
use crate::road::{
    TaskBuilder, by_name, computed, evaluator, expected, given, parameters, sealed, sealed_public, secret_key,
};
use cipherloom::circuit::{Outcome, OutputCells};
use cipherloom::graph::Attrs;
use cipherloom::math::limbs;
use cipherloom::math::prime::ntt_primes;
use cipherloom::ops::types::{self, Ciphertext, Form, Scheme};
use cipherloom::platform::{Platform, Scalar, Simd};
use cipherloom::schemes::{SchemeName, noise};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Evaluator, GivenParameters, Literal, NodeLiteral, Options, Owner, Program};
use cipherloom::values::number::Number;
use cipherloom::values::{Exact, GivenCells, Values};
use cipherloom::{Error, Result};
use cipherloom_fuzz::container::{content, sealed as sealed_like};
use std::collections::BTreeSet;
use std::sync::Arc;

type Cells = SortedMap<String, Exact>;
type Bytes = SortedMap<String, Vec<u8>>;

const CLOCK: fn() -> f64 = || 0.0;

fn for_owners() -> Options {
    Options { public_key: Some(true), precision: Some(16.0), ..Options::default() }
}

fn compiled(task: &Literal, options: &Options) -> Arc<Program> {
    Arc::new(Program::compile(task.clone(), options).unwrap_or_else(|error| panic!("{error}")))
}

fn client(program: &Arc<Program>) -> Client {
    Client::new(Arc::clone(program), Arc::new(Simd::new()), CLOCK).unwrap()
}

fn public_key(client: &Client) -> Vec<u8> {
    match client.public_key().unwrap().complete().unwrap() {
        Outcome::Bytes(bytes) => bytes,
        _ => panic!("a key is bytes"),
    }
}

fn owner(program: &Arc<Program>, key: &[u8]) -> Result<Owner> {
    Owner::new(Arc::clone(program), Arc::new(Simd::new()), CLOCK, key)
}

/// One operator on two columns of integers or reals.
fn task(kind: &str, op: &str, bounds: [&str; 2]) -> Literal {
    let mut task = TaskBuilder::default();
    let attrs = format!(r#"kind="{kind}", shape=[50], where="encrypted""#);
    let [x, y] = ["x", "y"].map(|name| task.input(name, &attrs, Some(bounds)));
    let out = task.op(op, "", &[x, y]);
    task.output("out", out);
    task.finish()
}

fn cells<const N: usize>(all: [(&str, Exact); N]) -> Cells {
    all.into_iter().map(|(name, cells)| (name.to_owned(), cells)).collect()
}

fn integers(from: i128, to: i128) -> Exact {
    Exact::integers((0..50).map(|k| from + (k * 7 + k * k) % (to - from + 1)))
}

/// What comes of encrypted values, with the budgets that are measured.
fn outputs(client: &Client, program: &Arc<Program>, values: &Bytes, clear: &Cells) -> Vec<OutputCells> {
    let job = evaluator(client, program).run(&by_name(values), &given(clear)).unwrap();
    let Outcome::Objects(results) = job.complete().unwrap() else { panic!("results") };
    let bytes: Vec<&[u8]> = results.iter().map(|result| result.bytes.as_slice()).collect();
    match client.decrypt(&bytes, &given(clear), None).unwrap().complete().unwrap() {
        Outcome::Cells(cells) => cells,
        _ => panic!("cells"),
    }
}

/// Budgets are never below what a program promises: of an output, the least of the ciphertexts that it is made of.
fn keeps_its_promise(program: &Program, outputs: &[OutputCells], at: &str) {
    let promised = program.report().unwrap().outputs;
    let least = promised.iter().map(|output| output.budget_bits).fold(f64::INFINITY, f64::min);
    for output in outputs {
        assert!(output.budget.is_none_or(|budget| budget >= least), "{at}: {:?} of {least}", output.budget);
    }
}

fn near(found: &[OutputCells], expected: &Cells, off: f64, at: &str) {
    assert_eq!(found.len(), expected.len());
    for output in found {
        let (found, expected) = (output.cells.as_ref().unwrap(), &expected[&output.name]);
        for (a, b) in found.cells.iter().zip(&expected.cells) {
            assert!((a.to_f64() - b.to_f64()).abs() <= off, "{at}: {} {}", a.to_f64(), b.to_f64());
        }
    }
}

/// log2 of the most that a number of reals may be off.
fn error_bits(program: &Program) -> f64 {
    let outputs = program.report().unwrap().outputs;
    outputs.iter().filter_map(|output| output.error_bits).fold(f64::NEG_INFINITY, f64::max)
}

/// Random tasks, of which each input is encrypted by the client or by one of two data owners. Gives how many, and by how many owners values were.
fn random_tasks(seeds: std::ops::Range<u64>, real: bool) -> [usize; 2] {
    let values = Values::new();
    let registry = values.registry();
    let mut done = [0; 2];
    for seed in seeds {
        let Random { task, inputs } = random(&registry, seed, 3, real);
        let program = match Program::compile(task.clone(), &for_owners()) {
            Ok(program) => Arc::new(program),
            // Too deep, or a comparison of much.
            Err(Error::NoParameters { .. } | Error::RangeOverflow { .. } | Error::Task { .. }) => continue,
            Err(Error::Operator { op, .. }) if op == "value.compare" => continue,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        // Whoever has its bytes.
        let program = Arc::new(Program::from_bytes(&program.bytes()).unwrap());
        let client = client(&program);
        let key = public_key(&client);
        let owners = [owner(&program, &key).unwrap(), owner(&program, &key).unwrap()];
        let mut dice = Dice(seed ^ 0x5eed);
        let (mut sent, mut clear) = (Bytes::new(), Cells::new());
        for (name, cells) in &inputs {
            let hidden =
                task.inputs.iter().any(|input| input.name == *name && input.ty.contains("encrypted"));
            let one = Cells::from([(name.clone(), cells.clone())]);
            match dice.below(3) {
                _ if !hidden => clear.extend(one),
                0 => sent.extend(sealed(&client, &one)),
                number => {
                    sent.extend(sealed_public(&owners[number as usize - 1], &one));
                    done[1] += 1;
                }
            }
        }
        let (found, at) = (outputs(&client, &program, &sent, &clear), format!("seed {seed}"));
        let exact = expected(&task, &inputs);
        if real {
            // The client divides by what may be small.
            let finished = task.nodes.iter().any(|node| ["value.divide", "value.root"].contains(&&*node.op));
            if !finished {
                near(&found, &exact, error_bits(&program).max(-30.0).exp2(), &at);
            }
        } else {
            near(&found, &exact, 0.0, &at);
            keeps_its_promise(&program, &found, &at);
        }
        done[0] += 1;
    }
    done
}

#[test]
fn random_tasks_of_integers() {
    let [tasks, values] = random_tasks(100..140, false);
    assert!(tasks > 15 && values > 20, "{tasks} {values}");
}

#[test]
fn random_tasks_of_reals() {
    let [tasks, values] = random_tasks(100..130, true);
    assert!(tasks > 10 && values > 12, "{tasks} {values}");
}

/// Bits of fresh noise, message and all, of a value of one part: the most of its ciphertexts, one for each plaintext modulus, measured with the secret key.
fn fresh_noise(program: &Program, secret: &[u64], value: &[u8]) -> f64 {
    let l = program.parameters().literal();
    let inside = content(value);
    let form = 52 + u32::from_le_bytes(inside[48..52].try_into().unwrap()) as usize;
    assert_eq!(inside[form], 0, "in full");
    let mut rest = &inside[form + 9..];
    let mut most = f64::NEG_INFINITY;
    for &t in &l.t {
        let mut words = Vec::new();
        for &q in l.q.iter().chain(&l.q) {
            let (limb, others) = rest.split_at(limbs::size(l.n, q) as usize);
            rest = others;
            let mut residues = vec![0; l.n];
            assert!(limbs::unpack(limb, q, &mut residues));
            words.extend(residues);
        }
        let ty = Ciphertext::new(l.n, l.q.clone(), 2, Scheme::Bgv { t, factor: 1 });
        let ty = Ciphertext { form: Form::Ntt, ..ty }.ty();
        let key = types::secret_key(l.n, &program.parameters().secret_primes());
        let noise = computed(program, vec![(key, secret.to_vec()), (ty, words)], |s, given| {
            s.op("bgv.noise", Attrs::new(), given)
        });
        most = most.max(f64::from_bits(noise[0]));
    }
    assert!(rest.is_empty());
    most
}

/// A program under primes of so many bits.
fn with_primes(q: usize, special: usize, t: usize) -> Arc<Program> {
    let n = 8192;
    let t = ntt_primes(20, n, t, &[]).unwrap();
    let primes = ntt_primes(36, n, q + special, &t).unwrap();
    let texts = |primes: &[u64]| primes.iter().map(u64::to_string).collect();
    let given = GivenParameters {
        scheme: SchemeName::Bgv,
        n,
        moduli: texts(&primes[..q]),
        special: texts(&primes[q..]),
        plain_moduli: texts(&t),
        scale: None,
        layouts: SortedMap::new(),
        public_key: true,
        parties: 1,
    };
    let task = task("integer", "value.add", ["-9", "9"]);
    compiled(&task, &Options { parameters: Some(given), ..Options::default() })
}

#[test]
fn measured_noise_of_public_encryptions_is_within_its_bound() {
    // The public key's errors are multiples of all plaintext moduli, of which special primes may not divide all away.
    for (q, special, t) in [(3, 0, 1), (2, 1, 1), (2, 2, 3), (3, 0, 2), (3, 1, 3)] {
        let program = with_primes(q, special, t);
        let l = program.parameters().literal();
        let client = client(&program);
        let owner = owner(&program, &public_key(&client)).unwrap();
        let secret = secret_key(&program, &client.save());
        let log_special = (special > 0).then(|| noise::log2(&l.special));
        let bound = |t: &u64| noise::fresh_bgv(l.n, *t, noise::log2(&l.t), log_special);
        let bound = l.t.iter().map(bound).fold(f64::NEG_INFINITY, f64::max);
        let mut found = f64::NEG_INFINITY;
        for _ in 0..4 {
            let value = sealed_public(&owner, &cells([("x", integers(-9, 9))]));
            found = found.max(fresh_noise(&program, &secret, &value["x"]));
        }
        let at = format!("{q} {special} {t}: {found} of {bound}");
        assert!(found <= bound && found > bound - 4.0, "{at}");
        // Budgets start from there.
        let budget = program.explain().unwrap().values[0].budget_bits.unwrap();
        assert!((budget - noise::budget_bgv(noise::log2(&l.q), bound)).abs() < 1e-6, "{at}: {budget}");
        // A bound of what the client encrypts would be broken.
        let of_client = noise::log2(&l.t[..1]) + noise::ERROR_BOUND.log2();
        assert!(found > of_client, "{at}, {of_client}");
        println!("{at}; of a client {of_client}");
    }
}

#[test]
fn promises_hold_at_the_edge() {
    // One level, and next to no budget but what fresh values leave.
    let bounds = ["-900000000", "900000000"];
    let task = task("integer", "value.add", bounds);
    let program = compiled(&task, &for_owners());
    let l = program.parameters().literal();
    assert_eq!((l.special.len(), l.q.len()), (0, 1));
    let client = client(&program);
    let owner = owner(&program, &public_key(&client)).unwrap();
    let data = cells([("x", integers(-900_000_000, 900_000_000)), ("y", integers(-900_000_000, 0))]);
    let found = outputs(&client, &program, &sealed_public(&owner, &data), &Cells::new());
    near(&found, &expected(&task, &data), 0.0, "sum");
    keeps_its_promise(&program, &found, "sum");
    let promised = program.report().unwrap().outputs[0].budget_bits;
    let measured = found[0].budget.unwrap();
    assert!(measured < promised + 5.0, "{measured} {promised}");
}

#[test]
fn errors_of_reals_are_bounded() {
    for special in [false, true] {
        let mut task = task("real", "value.sub", ["-1", "1"]);
        if special {
            // A turn needs a key.
            let (op, inputs, attrs) = ("value.rotate".into(), vec![2], "{axis=0, steps=1}".into());
            task.nodes.push(NodeLiteral { op, inputs, attrs });
            task.outputs[0].operand = 3;
        }
        let program = compiled(&task, &for_owners());
        let l = program.parameters().literal();
        assert_eq!((l.scheme, l.special.is_empty()), (SchemeName::Ckks, !special));
        let client = client(&program);
        let owner = owner(&program, &public_key(&client)).unwrap();
        let reals = |from: i128| {
            let cell = |k: i128| Number::ratio((k * 37 + from) % 101 - 50, 50).unwrap();
            Exact::new((0..50).map(cell).collect())
        };
        let data = cells([("x", reals(3)), ("y", reals(60))]);
        let found = outputs(&client, &program, &sealed_public(&owner, &data), &Cells::new());
        let bits = error_bits(&program);
        near(&found, &expected(&task, &data), bits.exp2(), "reals");
        if special {
            continue;
        }
        // Independently: the largest error that is seen in 50 slots, of the bound of two fresh ones, which is 21 deviations of products where 4 are to be seen.
        let exact = expected(&task, &data);
        let cells = &found[0].cells.as_ref().unwrap().cells;
        let off = cells.iter().zip(&exact["out"].cells).map(|(a, b)| (a.to_f64() - b.to_f64()).abs());
        let off = off.fold(0.0, f64::max).log2();
        let scale = l.scale.unwrap().log2();
        // e, and e u + e_0 + e_1 s, in the canonical norm: errors of variance 10.5, ternary ones of 2/3; of two that are independent, which are added.
        let (n, error, ternary) = (l.n as f64, 10.5, 2.0 / 3.0);
        let of_one = 6.5 * f64::sqrt(n * error);
        let secret = of_one.log2() + 0.5 - scale;
        let public = (of_one + 2.0 * 21.0 * n * f64::sqrt(error * ternary)).log2() + 0.5 - scale;
        assert!((bits - public).abs() < 0.1, "{bits} {public}");
        assert!(off < bits && off > bits - 7.0 && off > secret, "{off} {bits} {secret}");
    }
}

#[test]
fn a_program_says_so_in_its_bytes_and_hands_it_on() {
    let task = task("integer", "value.multiply", ["-9", "9"]);
    let (without, with) = (compiled(&task, &Options::default()), compiled(&task, &for_owners()));
    let text = |program: &Program| String::from_utf8_lossy(&program.bytes()).contains("publicKey");
    assert!(!text(&without) && text(&with));
    let reports = [&without, &with].map(|program| program.report().unwrap());
    assert_eq!(reports[0].public_key, None);
    let key = public_key(&client(&with));
    assert_eq!(reports[1].public_key, Some(key.len() as u64));
    let l = with.parameters().literal();
    let limb = |q: &u64| l.n * (64 - (q - 1).leading_zeros() as usize) / 8;
    let half: usize = l.q.iter().chain(&l.special).map(limb).sum();
    assert!((half..half + 256).contains(&key.len()), "{} bytes, half {half}", key.len());
    // Fresh noise is that of the public key.
    let budgets = [&without, &with].map(|program| program.explain().unwrap().values[0].budget_bits.unwrap());
    let log_q = |program: &Program| noise::log2(&program.parameters().literal().q);
    assert!(log_q(&with) - budgets[1] > log_q(&without) - budgets[0]);
    assert!(with.explain().unwrap().reasons.iter().any(|reason| reason.about == "public key"));
    // Parameters of such a program are for such a program, unless another wish is told.
    for (wish, expected) in [(None, true), (Some(false), false), (Some(true), true)] {
        let given = Some(parameters(&reports[1]));
        let next = compiled(&task, &Options { parameters: given, public_key: wish, ..Options::default() });
        assert_eq!(next.parameters().literal().public_key, expected);
        // Keys are the same.
        assert_eq!(next.parameters().id(), with.parameters().id());
    }
}

#[test]
fn owners_serve_several_programs_of_one_key() {
    let [first, mut second] = ["value.multiply", "value.add"].map(|op| task("integer", op, ["-9", "9"]));
    second.outputs[0].name = "sum".into();
    let steps = vec![first.clone().into(), second.clone().into()];
    let all = Program::compile_all(steps, &for_owners()).unwrap();
    let [one, two]: [Arc<Program>; 2] =
        all.into_iter().map(Arc::new).collect::<Vec<_>>().try_into().ok().unwrap();
    let own = client(&one);
    let next = own.for_program(Arc::clone(&two)).unwrap();
    let owner = owner(&one, &public_key(&own)).unwrap();
    let data = cells([("x", integers(-9, 9)), ("y", integers(-5, 9))]);
    let values = sealed_public(&owner, &data);
    near(&outputs(&own, &one, &values, &Cells::new()), &expected(&first, &data), 0.0, "product");
    near(&outputs(&next, &two, &values, &Cells::new()), &expected(&second, &data), 0.0, "sum");
}

fn code<T>(result: Result<T>) -> &'static str {
    result.err().map_or("no error", |error| error.code())
}

#[test]
fn a_program_without_the_option_takes_no_owner_and_none_of_its_values() {
    let task = task("integer", "value.multiply", ["-9", "9"]);
    let with = compiled(&task, &for_owners());
    let given = Some(parameters(&with.report().unwrap()));
    let without =
        compiled(&task, &Options { parameters: given, public_key: Some(false), ..Options::default() });
    let holder = client(&with);
    let key = public_key(&holder);
    assert_eq!(code(owner(&without, &key)), "key.public");
    let next = holder.for_program(Arc::clone(&without)).unwrap();
    assert_eq!(code(next.public_key()), "key.public");
    let data = cells([("x", integers(-9, 9)), ("y", integers(-9, 9))]);
    let mut values = sealed(&holder, &data);
    let evaluator = evaluator(&next, &without);
    let run = |values: &Bytes| evaluator.run(&by_name(values), &SortedMap::new()).map(drop);
    run(&values).unwrap();
    values.insert("x".into(), sealed_public(&owner(&with, &key).unwrap(), &data)["x"].clone());
    let refused = run(&values).unwrap_err();
    assert_eq!(refused.code(), "key.public");
    assert!(refused.to_string().contains("value for `x`"), "{refused}");
    // Nor does anybody take a result that says so.
    let result = outputs_of(&holder, &with, &values);
    let mut inside = content(&result).to_vec();
    let size = u32::from_le_bytes(inside[48..52].try_into().unwrap()) as usize;
    let text = String::from_utf8(inside[52..52 + size].to_vec()).unwrap();
    let marked = text.replace(r#""ciphertexts""#, r#""public":true,"ciphertexts""#);
    inside.splice(48..52 + size, [&(marked.len() as u32).to_le_bytes()[..], marked.as_bytes()].concat());
    let refused = holder.decrypt(&[&sealed_like(&result, &inside)], &SortedMap::new(), None).err().unwrap();
    assert!(refused.to_string().contains("what a data owner encrypted"), "{refused}");
}

/// The bytes of the only result of a run.
fn outputs_of(client: &Client, program: &Arc<Program>, values: &Bytes) -> Vec<u8> {
    let job = evaluator(client, program).run(&by_name(values), &SortedMap::new()).unwrap();
    match job.complete().unwrap() {
        Outcome::Objects(mut results) => results.remove(0).bytes,
        _ => panic!("results"),
    }
}

#[test]
fn values_under_another_key_are_refused() {
    let task = task("integer", "value.multiply", ["-9", "9"]);
    let program = compiled(&task, &for_owners());
    let clients = [client(&program), client(&program)];
    let data = cells([("x", integers(-9, 9)), ("y", integers(-9, 9))]);
    let values = clients.each_ref().map(|client| {
        let owner = owner(&program, &public_key(client)).unwrap();
        sealed_public(&owner, &data)
    });
    let mixed = |x: usize, y: usize| {
        Bytes::from([("x".into(), values[x]["x"].clone()), ("y".into(), values[y]["y"].clone())])
    };
    let keyed = evaluator(&clients[0], &program);
    assert_eq!(code(keyed.run(&by_name(&mixed(0, 0)), &SortedMap::new())), "no error");
    for (x, y) in [(0, 1), (1, 0), (1, 1)] {
        assert_eq!(code(keyed.run(&by_name(&mixed(x, y)), &SortedMap::new())), "key.foreign");
    }
    // Where there are no evaluation keys, values say whose they are.
    let sum = compiled(&self::task("integer", "value.add", ["-9", "9"]), &for_owners());
    let own = client(&sum);
    let other = owner(&sum, &public_key(&client(&sum))).unwrap();
    let mut values = sealed(&own, &data);
    values.insert("y".into(), sealed_public(&other, &data)["y"].clone());
    let evaluator = Evaluator::new(&sum.bytes(), &Simd::new(), CLOCK).unwrap();
    assert_eq!(code(evaluator.run(&by_name(&values), &SortedMap::new())), "key.foreign");
}

#[test]
fn keys_that_no_client_makes_are_refused() {
    let program = compiled(&task("integer", "value.multiply", ["-9", "9"]), &for_owners());
    let holder = client(&program);
    let key = public_key(&holder);
    assert_eq!(code(owner(&program, &key)), "no error");
    let step = (key.len() / 40).max(1);
    for end in (0..key.len()).step_by(step) {
        assert!(code(owner(&program, &key[..end])).starts_with("format."));
    }
    for at in (0..30).chain((30..key.len()).step_by(step)) {
        let mut flipped = key.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(code(owner(&program, &flipped)).starts_with("format."));
    }
    // With a checksum that fits.
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut inside = content(&key).to_vec();
        change(&mut inside);
        match owner(&program, &sealed_like(&key, &inside)) {
            Err(Error::Format { problem, .. }) => problem.to_string(),
            Err(Error::Foreign { of, .. }) => of.to_owned(),
            Err(other) => panic!("{other}"),
            Ok(_) => String::new(),
        }
    };
    let l = program.parameters().literal();
    let (form, primes) = (32, l.q.len() + l.special.len());
    let at = form + 1 + 32 + 4 * primes + 8;
    assert_eq!(refused(&|_| {}), "");
    assert_eq!(refused(&|inside| inside[0] ^= 1), "set of parameters");
    assert!(refused(&|inside| inside[form] = 2).contains("form 2"));
    assert!(refused(&|inside| inside[form] = 0).contains("wrong size"));
    assert!(refused(&|inside| inside[at - 8] ^= 1).contains("wrong size"));
    assert!(refused(&|inside| inside.push(0)).contains("1 bytes too many"));
    let last = content(&key).len();
    assert!(refused(&|inside| inside[at..at + 8].fill(255)).contains("outside their primes"));
    assert!(refused(&|inside| inside[last - 8..].fill(255)).contains("outside their primes"));
    // Other bytes of the same client.
    let name = program.keys().keys().next().unwrap().to_string();
    let Outcome::Bytes(other) = holder.key(&name).unwrap().complete().unwrap() else { panic!("a key") };
    for other in [&other[..], &holder.save(), &program.bytes()] {
        let error = owner(&program, other).err().unwrap();
        assert!(error.code() == "format.kind" && error.to_string().contains("public key"), "{error}");
    }
    // Of other parameters.
    let wider = compiled(&task("integer", "value.multiply", ["-900", "900"]), &for_owners());
    assert_eq!(code(owner(&wider, &key)), "key.foreign");
}

#[test]
fn cells_are_those_that_were_declared() {
    let program = compiled(&task("integer", "value.add", ["-9", "9"]), &for_owners());
    let holder = client(&program);
    let owner = owner(&program, &public_key(&holder)).unwrap();
    let refused = |name: &str, cells: Exact| {
        let cells: GivenCells = cells.into();
        let of = [owner.encrypt(&[(name, &cells)]), holder.encrypt(&[(name, &cells)])];
        let [own, others] = of.map(|result| result.map(drop).unwrap_err());
        // As of the client's.
        assert_eq!(own, others);
        own
    };
    let error = refused("x", Exact::integers(0..50));
    assert!(matches!(error, Error::ValueOutOfRange { max: 9, .. }), "{error}");
    let error = refused("x", Exact::integers(0..9));
    assert!(matches!(error, Error::InputLength { found: 9, expected: 50, .. }), "{error}");
    let error = refused("z", integers(-9, 9));
    assert!(matches!(error, Error::MissingInput { .. }), "{error}");
}

#[test]
fn values_are_fresh_each_time_and_alike_on_each_platform() {
    let program = compiled(&task("integer", "value.add", ["-9", "9"]), &for_owners());
    let holder = client(&program);
    let key = public_key(&holder);
    let data = cells([("x", integers(-9, 9))]);
    let platforms: [Arc<dyn Platform>; 2] = [Arc::new(Scalar::new()), Arc::new(Simd::new())];
    for platform in platforms {
        let owner = Owner::new(Arc::clone(&program), platform, CLOCK, &key).unwrap();
        // The second one with the plan of the first.
        let all: Vec<Vec<u8>> = (0..2).map(|_| sealed_public(&owner, &data).remove("x").unwrap()).collect();
        let inside = all.iter().map(|bytes| content(bytes)).collect::<Vec<_>>();
        let same = inside[0].iter().zip(inside[1]).filter(|(a, b)| a == b).count();
        // Identities and the description, and of what is uniform one byte in 256.
        assert!(same < 1024 + inside[0].len() / 200, "{same} of {}", inside[0].len());
        let [first, second] =
            [0, 1].map(|at| Bytes::from([("x".into(), all[at].clone()), ("y".into(), all[1 - at].clone())]));
        let doubled = Exact::integers((0..50).map(|k| 2 * (-9 + (k * 7 + k * k) % 19)));
        for values in [first, second] {
            let found = outputs(&holder, &program, &values, &Cells::new());
            assert_eq!(*found[0].cells.as_ref().unwrap(), doubled);
        }
    }
}

#[test]
fn each_value_has_a_secret_seed_of_its_own_that_does_not_travel() {
    let program = compiled(&task("integer", "value.multiply", ["-9", "9"]), &for_owners());
    let [of_client, of_owner] = [Recorder::default(), Recorder::default()];
    let draws = [Arc::clone(&of_client.draws), Arc::clone(&of_owner.draws)];
    let client = Client::new(Arc::clone(&program), Arc::new(of_client), CLOCK).unwrap();
    let key = public_key(&client);
    let data = cells([("x", integers(-9, 9)), ("y", integers(-9, 9))]);
    let owner = Owner::new(Arc::clone(&program), Arc::new(of_owner), CLOCK, &key).unwrap();
    let values: Vec<Bytes> = (0..2).map(|_| sealed_public(&owner, &data)).collect();
    let own = sealed(&client, &data);
    let sent: Vec<&Vec<u8>> = values.iter().chain([&own]).flat_map(SortedMap::values).chain([&key]).collect();
    let [of_client, of_owner] = draws.map(|draws| draws.lock().unwrap().clone());
    let mut seeds = BTreeSet::new();
    for Draw { op, seed, nonce: _ } in &of_owner {
        let bytes: Vec<u8> = seed.iter().flat_map(|word| word.to_le_bytes()).collect();
        let travels = sent.iter().filter(|sent| sent.windows(32).any(|window| window == bytes)).count();
        let drawn_before = of_client.iter().any(|draw| draw.seed == *seed);
        // The uniform half of the public key is made of its seed; all else is new, and stays.
        let is_uniform = op == "sample.uniform";
        assert_eq!((travels, drawn_before), (usize::from(is_uniform), is_uniform), "{op}");
        if !is_uniform {
            seeds.insert(seed.clone());
        }
    }
    // Two values, twice.
    assert_eq!(seeds.len(), 4);
    let streams: BTreeSet<&Draw> = of_owner.iter().collect();
    assert_eq!(streams.len(), of_owner.len(), "no stream is read twice");
    let ops: BTreeSet<&str> = of_owner.iter().map(|draw| draw.op.as_str()).collect();
    assert_eq!(ops, BTreeSet::from(["sample.error", "sample.ternary", "sample.uniform"]));
}
