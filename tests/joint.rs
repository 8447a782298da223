//! Keys that nobody holds alone: made by the protocols, each party running its own part; programs under them give what they are, and are decrypted together, by all or by any few, to all or to one receiver.

use crate::road::random::{Dice, Random, random};
use crate::road::{TaskBuilder, by_name, computed, expected, given, sealed_public};
use cipherloom::circuit::{Execution, Outcome, RunOptions, To};
use cipherloom::engine::{Outgoing, Run};
use cipherloom::graph::{Attrs, ValueType};
use cipherloom::ops::types::{self, Extract, Form, Poly, Scheme};
use cipherloom::parties::{Cut, Shared, platform};
use cipherloom::platform::{Mixed, Platform, Simd};
use cipherloom::schemes::SchemeName;
use cipherloom::schemes::close::KeyName;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{
    Client, Evaluator, Literal, Member, Opening, Options, Owner, Program, Releases, ResultOf, Sharing, Step,
};
use cipherloom::values::number::Number;
use cipherloom::values::{Exact, Values};
use cipherloom::{Error, Result};
use std::sync::Arc;
use zeroize::Zeroizing;

type Cells = SortedMap<String, Exact>;
type Bytes = SortedMap<String, Vec<u8>>;
type Inputs = SortedMap<String, Vec<u8>>;

const CLOCK: fn() -> f64 = || 0.0;

/// What crossed: from, to, type and bytes.
#[derive(Debug)]
struct Sent {
    from: String,
    to: String,
    ty: String,
    bytes: Vec<u8>,
}

/// One party's part at work.
struct Part {
    cut: Cut,
    execution: Execution,
    run: Run,
    open: Vec<Outgoing>,
}

/// Cuts a graph for everybody, gives each the inputs of its own by name, and runs them together; `change` sees what crosses. Gives all outputs, and what crossed.
fn together_with(
    shared: &Shared,
    inputs: &Inputs,
    mut change: impl FnMut(&mut Sent),
) -> Result<(Bytes, Vec<Sent>)> {
    // As it comes to the others, who open it.
    let shared = &Shared::from_bytes(&shared.save().unwrap(), Arc::new(cipherloom::registry())).unwrap();
    let start = |name: &String| {
        let cut = shared.cut(name).unwrap();
        let own = cut.circuit.graph().inputs().iter().map(|port| port.name.as_str());
        let own = own.map(|name| (name, inputs.get(name).unwrap_or_else(|| panic!("{name}")).as_slice()));
        let own: Vec<(&str, &[u8])> = own.collect();
        let both: [Arc<dyn Platform>; 2] = [Arc::new(Simd::new()), Arc::new(platform())];
        let options = RunOptions { secret: true, ..RunOptions::default() };
        let mixed = Mixed::new(both, []);
        let circuit = cut.circuit.expand(To::Platform(&mixed)).unwrap();
        let execution = circuit.plan(&mixed, &[], options).unwrap();
        let run = execution.start(&own, CLOCK).unwrap();
        Part { cut, execution, run, open: Vec::new() }
    };
    let mut parts: Vec<Part> = shared.owners().parties.iter().map(start).collect();
    let (mut crossed, mut all) = (SortedMap::new(), Vec::new());
    loop {
        let mut went = false;
        for Part { cut, execution, run, open } in &mut parts {
            let before = run.progress();
            run.finish();
            went |= run.progress() != before;
            for outgoing in run.hand_out().unwrap() {
                went = true;
                if outgoing.call.attrs.get("from").is_some() {
                    open.push(outgoing);
                    continue;
                }
                let (to, number) =
                    (outgoing.call.attrs.text("to").unwrap(), outgoing.call.attrs.uint("number").unwrap());
                let send = cut.sends.iter().find(|s| u64::from(s.number) == number && s.to == to).unwrap();
                let (from, to, ty) = (send.from.clone(), send.to.clone(), send.of.to_string());
                let mut sent = Sent { from, to, ty, bytes: outgoing.inputs[0].to_vec() };
                change(&mut sent);
                crossed.insert(send.channel, sent.bytes.clone());
                all.push(sent);
                execution.deliver(run, outgoing.op, &[0; 8]).unwrap();
            }
            for outgoing in std::mem::take(open) {
                let number = outgoing.call.attrs.uint("number").unwrap();
                let receive = cut.receives.iter().find(|r| u64::from(r.number) == number).unwrap();
                match crossed.get(&receive.channel) {
                    Some(bytes) => {
                        execution.deliver(run, outgoing.op, bytes)?;
                        went = true;
                    }
                    None => open.push(outgoing),
                }
            }
        }
        let done = |part: &Part| {
            let (done, all) = part.run.progress();
            done == all
        };
        if parts.iter().all(done) {
            break;
        }
        assert!(went, "the parties wait for each other");
    }
    let outputs = parts.iter().flat_map(|part| {
        let own = part.execution.outputs().enumerate();
        own.map(|(i, (port, _))| (port.name.clone(), part.execution.output(&part.run, i).unwrap()))
    });
    Ok((outputs.collect(), all))
}

fn together(shared: &Shared, inputs: &Inputs) -> (Bytes, Vec<Sent>) {
    together_with(shared, inputs, |_| {}).unwrap()
}

/// A group that has made its keys.
struct Keyed {
    sharing: Arc<Sharing>,
    members: Vec<Member>,
    names: Vec<String>,
    public_key: Vec<u8>,
    keys: Vec<Vec<u8>>,
    /// What crossed when keys were made.
    sent: Vec<Sent>,
}

fn named(inputs: impl IntoIterator<Item = (String, zeroize::Zeroizing<Vec<u8>>)>) -> Inputs {
    inputs.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect()
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Deals shares, where there is a threshold, and makes all keys with `active` of the members, added up by somebody who has no secret.
fn keyed(program: &Arc<Program>, parties: usize, threshold: Option<usize>) -> Keyed {
    let names: Vec<String> = (0..parties).map(|i| format!("p{i}")).collect();
    let simd: Arc<dyn Platform> = Arc::new(Simd::new());
    let group = (names.as_slice(), threshold);
    let sharing = Sharing::new(Arc::clone(program), simd, CLOCK, group).unwrap();
    let sharing = Arc::new(sharing);
    let mut members: Vec<Member> =
        names.iter().map(|name| Member::new(Arc::clone(&sharing), name).unwrap()).collect();
    if let Some(dealing) = sharing.dealing().unwrap() {
        let inputs = members.iter().flat_map(|member| member.dealing_inputs().unwrap());
        let (shares, sent) = together(&dealing, &named(inputs));
        assert!(sent.iter().all(|sent| sent.ty.starts_with("key_share")));
        assert_eq!(sent.len(), parties * (parties - 1));
        for (name, member) in names.iter().zip(&mut members) {
            member.keep(&shares[&format!("share {name}")]).unwrap();
        }
    }
    let run = *b"a run of a test.";
    // The last ones, where not all are needed.
    let active = &names[parties - threshold.unwrap_or(parties)..];
    let shared = sharing.keys(active, "cloud", &run).unwrap();
    let inputs = members[parties - active.len()..].iter().flat_map(|member| member.key_inputs(&run).unwrap());
    let (outputs, sent) = together(&shared, &named(inputs));
    let public: Vec<&Vec<u8>> = active.iter().map(|name| &outputs[&format!("public key {name}")]).collect();
    assert!(public.iter().all(|key| *key == public[0]), "everybody has the same");
    let public_key = sharing.public_key(&run, public[0]).unwrap();
    let made = outputs.iter().filter_map(|(name, words)| Some((name.strip_prefix("key ")?, words)));
    let keys = made.map(|(name, words)| sharing.key(&run, name, words, &public_key).unwrap()).collect();
    Keyed { sharing, members, names, public_key, keys, sent }
}

impl Keyed {
    fn program(&self) -> &Arc<Program> {
        self.sharing.program()
    }

    /// What a data owner encrypts, and a server computes.
    fn run(&self, encrypted: &Cells, clear: &Cells) -> Vec<Vec<u8>> {
        self.run_on(encrypted, SortedMap::new(), clear)
    }

    /// The same, on what others computed, too.
    fn run_on(&self, encrypted: &Cells, results: Bytes, clear: &Cells) -> Vec<Vec<u8>> {
        let simd = Arc::new(Simd::new());
        let owner = Owner::new(Arc::clone(self.program()), simd, CLOCK, &self.public_key).unwrap();
        let mut sealed = sealed_public(&owner, encrypted);
        sealed.extend(results);
        let insecure = self.program().parameters().insecure();
        let bytes = self.program().bytes();
        let mut evaluator = Evaluator::opened(&bytes, insecure, &Simd::new(), CLOCK).unwrap();
        self.keys.iter().for_each(|key| evaluator.load_key(key).unwrap());
        let job = evaluator.run(&by_name(&sealed), &given(clear)).unwrap();
        let Outcome::Objects(results) = job.complete().unwrap() else { panic!("results") };
        results.into_iter().map(|result| result.bytes).collect()
    }

    fn opening_inputs(&self, opening: &Opening, active: &[String]) -> Inputs {
        self.inputs(opening, active, Member::decryption_inputs)
    }

    fn inputs(
        &self,
        opening: &Opening,
        active: &[String],
        secret: impl Fn(&Member) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>>,
    ) -> Inputs {
        let who =
            |name: &String| self.members.iter().zip(&self.names).find(|(_, own)| *own == name).unwrap().0;
        let mut inputs = named(active.iter().flat_map(|name| secret(who(name)).unwrap()));
        let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        for party in &opening.shared.owners().parties {
            for (name, words) in &opening.ciphertexts {
                inputs.insert(format!("{name} {party}"), bytes(words));
            }
            if let Some((name, words)) = &opening.receiver {
                inputs.insert(format!("{name} {party}"), bytes(words));
            }
        }
        inputs
    }

    /// The same key of the same parties, for another program under its parameters, with evaluation keys that those of `active` make for that one.
    fn of(&self, program: &Arc<Program>, active: &[String]) -> Self {
        let simd: Arc<dyn Platform> = Arc::new(Simd::new());
        let group = (self.names.as_slice(), self.sharing.group().threshold());
        let sharing = Arc::new(Sharing::new(Arc::clone(program), simd, CLOCK, group).unwrap());
        let again = |member: &Member, name: &String| {
            Member::restore(Arc::clone(&sharing), name, &member.save()).unwrap()
        };
        let members: Vec<Member> =
            self.members.iter().zip(&self.names).map(|(member, name)| again(member, name)).collect();
        let run: [u8; 16] = program.id();
        let shared = sharing.keys(active, "cloud", &run).unwrap();
        let own = members.iter().zip(&self.names).filter(|(_, name)| active.contains(name));
        let (outputs, sent) =
            together(&shared, &named(own.flat_map(|(own, _)| own.key_inputs(&run).unwrap())));
        let made = outputs.iter().filter_map(|(name, words)| Some((name.strip_prefix("key ")?, words)));
        let key = |(name, words): (&str, &Vec<u8>)| sharing.key(&run, name, words, &self.public_key).unwrap();
        let keys = made.map(key).collect();
        Self { sharing, members, names: self.names.clone(), public_key: self.public_key.clone(), keys, sent }
    }

    /// Refreshes results, all that are to be, by name.
    fn refreshed(&self, results: &[Vec<u8>], active: &[String], run: [u8; 16]) -> Bytes {
        self.refreshed_with(results, active, run, |_| {}).unwrap()
    }

    fn refreshed_with(
        &self,
        results: &[Vec<u8>],
        active: &[String],
        run: [u8; 16],
        change: impl FnMut(&mut Sent),
    ) -> Result<Bytes> {
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        let opening = self.sharing.refreshing(&results, &self.public_key, active, "cloud", &run)?;
        let inputs = self.inputs(&opening, active, |own| own.refreshing_inputs(&run));
        let (outputs, sent) = together_with(&opening.shared, &inputs, change)?;
        // Two polynomials of each party, for each ciphertext.
        assert_eq!(sent.len(), 2 * active.len() * opening.ciphertexts.len());
        assert!(sent.iter().all(|sent| sent.to == "cloud" && sent.ty.starts_with("poly[")));
        let values = self.sharing.refreshed(&results, &self.public_key, &outputs)?;
        Ok(values.into_iter().map(|mut value| (value.names.remove(0), value.bytes)).collect())
    }

    /// Decrypts results, for all of `to`.
    fn decrypted(
        &self,
        results: &[Vec<u8>],
        active: &[String],
        to: &[String],
        clear: &Cells,
    ) -> Result<Vec<Cells>> {
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        let opening = self.sharing.decryption(&results, &self.public_key, active, to)?;
        let (outputs, _) = together(&opening.shared, &self.opening_inputs(&opening, active));
        to.iter().map(|me| self.finished(me, &results, &outputs, clear)).collect()
    }

    fn finished(&self, me: &str, results: &[&[u8]], outputs: &Bytes, clear: &Cells) -> Result<Cells> {
        let job = self.sharing.opened(me, results, &self.public_key, outputs, &given(clear))?;
        let Outcome::Cells(cells) = job.complete()? else { panic!("cells") };
        Ok(cells.into_iter().map(|output| (output.name, output.cells.unwrap())).collect())
    }
}

fn options(scheme: SchemeName, parties: usize) -> Options {
    Options {
        scheme: Some(scheme),
        precision: Some(12.0),
        parties: Some(parties),
        releases: Some(Releases { count: 4, statistical_bits: 20 }),
        ..Options::default()
    }
}

const SCHEMES: [SchemeName; 3] = [SchemeName::Bfv, SchemeName::Bgv, SchemeName::Ckks];

/// A product of two columns, turned and added up: all kinds of keys.
fn products(real: bool) -> (Literal, Cells) {
    let mut task = TaskBuilder::default();
    let kind = if real { "real" } else { "integer" };
    let attrs = format!(r#"kind="{kind}", shape=[16], where="encrypted""#);
    let [x, y] = ["x", "y"].map(|name| task.input(name, &attrs, Some(["-3", "3"])));
    let product = task.op("value.multiply", "", &[x, y]);
    let turned = task.op("value.rotate", "axis=0, steps=3", &[product]);
    let both = task.op("value.add", "", &[turned, x]);
    let sum = task.op("value.sum", "", &[product]);
    task.output("both", both);
    task.output("sum", sum);
    let column = |k: i128| Exact::integers((0..16).map(|i| (i * k + 1) % 7 - 3));
    (task.finish(), Cells::from([("x".into(), column(3)), ("y".into(), column(5))]))
}

fn near(found: &Cells, expected: &Cells, real: bool, at: &str) {
    assert_eq!(found.len(), expected.len());
    for (name, found) in found {
        let off = if real { 1.0 / 256.0 } else { 0.0 };
        for (a, b) in found.cells.iter().zip(&expected[name].cells) {
            assert!((a.to_f64() - b.to_f64()).abs() <= off, "{at}, {name}: {} {}", a.to_f64(), b.to_f64());
        }
    }
}

#[test]
fn all_make_keys_and_decrypt_together() {
    for scheme in SCHEMES {
        let real = scheme == SchemeName::Ckks;
        for parties in [2, 3, 5] {
            let (task, cells) = products(real);
            let program = Arc::new(Program::compile(task.clone(), &options(scheme, parties)).unwrap());
            let keyed = keyed(&program, parties, None);
            assert!(keyed.keys.len() > 1);
            let results = keyed.run(&cells, &Cells::new());
            let names = &keyed.names;
            let expected = expected(&task, &cells);
            for (cells, name) in
                keyed.decrypted(&results, names, names, &Cells::new()).unwrap().iter().zip(names)
            {
                near(cells, &expected, real, &format!("{scheme:?} of {parties}, {name}"));
            }
        }
    }
}

/// Every set that is enough decrypts, and makes keys; so does a larger one.
#[test]
fn any_few_decrypt_together() {
    for (scheme, parties, threshold) in
        [(SchemeName::Bgv, 3, 2), (SchemeName::Bfv, 4, 3), (SchemeName::Ckks, 4, 2)]
    {
        let real = scheme == SchemeName::Ckks;
        let (task, cells) = products(real);
        let mut options = options(scheme, parties);
        options.releases = Some(Releases { count: 40, statistical_bits: 20 });
        let program = Arc::new(Program::compile(task.clone(), &options).unwrap());
        let keyed = keyed(&program, parties, Some(threshold));
        let results = keyed.run(&cells, &Cells::new());
        let expected = expected(&task, &cells);
        for set in 1u32..1 << parties {
            let active: Vec<String> =
                (0..parties).filter(|i| set >> i & 1 == 1).map(|i| keyed.names[i].clone()).collect();
            let found = keyed.decrypted(&results, &active, &active[..1], &Cells::new());
            if active.len() < threshold {
                let error = found.err().unwrap();
                assert_eq!(error.code(), "party.shared");
                assert!(error.to_string().contains(&format!("at least {threshold}")), "{error}");
            } else {
                near(&found.unwrap()[0], &expected, real, &format!("{scheme:?} of {active:?}"));
            }
        }
    }
}

/// Who is no party decrypts what was switched to its key, and nobody else.
#[test]
fn a_receiver_decrypts_alone() {
    for scheme in SCHEMES {
        let real = scheme == SchemeName::Ckks;
        let (task, cells) = products(real);
        let program = Arc::new(Program::compile(task.clone(), &options(scheme, 3)).unwrap());
        let keyed = keyed(&program, 3, None);
        let results = keyed.run(&cells, &Cells::new());
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        let receiver = Client::new(Arc::clone(&program), Arc::new(Simd::new()), CLOCK).unwrap();
        let Outcome::Bytes(key) = receiver.public_key().unwrap().complete().unwrap() else { panic!("a key") };
        let (sharing, names) = (&keyed.sharing, &keyed.names);
        let opening = sharing.switching(&results, &keyed.public_key, &key, names, "cloud").unwrap();
        let (outputs, sent) = together(&opening.shared, &keyed.opening_inputs(&opening, names));
        assert!(sent.iter().all(|sent| sent.to == "cloud"));
        let switched = sharing.switched(&results, &keyed.public_key, &key, &outputs).unwrap();
        let switched: Vec<&[u8]> = switched.iter().map(|value| value.bytes.as_slice()).collect();
        // What is the parties' is none of the receiver's.
        let foreign = receiver.decrypt(&results, &SortedMap::new(), None).err().unwrap();
        assert_eq!(foreign.code(), "key.foreign");
        let job = receiver.decrypt(&switched, &SortedMap::new(), None).unwrap();
        let Outcome::Cells(found) = job.complete().unwrap() else { panic!("cells") };
        let found = found.into_iter().map(|output| (output.name, output.cells.unwrap())).collect();
        near(&found, &expected(&task, &cells), real, &format!("{scheme:?}"));
    }
}

/// What a task before makes, as `name` of this one, refreshed.
fn from(task: usize, output: &str, name: &str) -> SortedMap<String, ResultOf> {
    SortedMap::from([(name.to_owned(), ResultOf { task, output: output.to_owned(), refreshed: true })])
}

/// x to 1 - (1 - x^2)^2, again and again, as many tasks: of numbers from -1 to 1 it stays one.
fn iterated(real: bool, steps: usize) -> (Vec<Literal>, Cells) {
    let kind = if real { "real" } else { "integer" };
    let attrs = format!(r#"kind="{kind}", shape=[8], where="encrypted""#);
    let one =
        if real { r#"kind="real", shape=[8], value=1.0"# } else { r#"kind="integer", shape=[8], value=1"# };
    let step = |_| {
        let mut task = TaskBuilder::default();
        let x = task.input("x", &attrs, Some(["-1", "1"]));
        let one = task.op("value.constant", one, &[]);
        let mut y = x;
        for _ in 0..2 {
            let square = task.op("value.square", "", &[y]);
            y = task.op("value.sub", "", &[one, square]);
        }
        task.output("y", y);
        task.finish()
    };
    let cells = if real {
        Exact::new((0..8).map(|k| Number::from_f64(f64::from(k) / 4.0 - 0.875).unwrap()).collect())
    } else {
        Exact::integers((0..8).map(|k| k % 3 - 1))
    };
    ((0..steps).map(step).collect(), Cells::from([("x".into(), cells)]))
}

/// Programs of tasks in a row, each of which takes what the one before makes, refreshed.
fn in_a_row(tasks: &[Literal], options: &Options) -> Result<Vec<Arc<Program>>> {
    let step = |(number, task): (usize, &Literal)| Step {
        from: if number == 0 { SortedMap::new() } else { from(number - 1, "y", "x") },
        ..task.clone().into()
    };
    let steps = tasks.iter().enumerate().map(step).collect();
    // Each result may be decrypted, too: the noise of that is what is not precise, more of it the more parties there are.
    let options = &Options { precision: Some(5.0), ..options.clone() };
    Ok(Program::compile_all(steps, options)?.into_iter().map(Arc::new).collect())
}

/// More products in a row than the chain has levels for: results are refreshed in between, by all or by any few.
#[test]
fn refreshed_results_go_on() {
    for (scheme, parties, threshold, steps) in [
        (SchemeName::Bgv, 2, None, 5),
        (SchemeName::Bfv, 3, Some(2), 4),
        (SchemeName::Ckks, 2, None, 2),
        (SchemeName::Ckks, 9, Some(2), 2),
    ] {
        let real = scheme == SchemeName::Ckks;
        let (tasks, cells) = iterated(real, steps);
        let mut options = options(scheme, parties);
        options.releases = Some(Releases { count: 2 * steps as u64, statistical_bits: 20 });
        let programs = in_a_row(&tasks, &options).unwrap();
        let mut own = keyed(&programs[0], parties, threshold);
        let (mut results, mut expected_cells) = (own.run(&cells, &Cells::new()), expected(&tasks[0], &cells));
        let active = own.names[..threshold.unwrap_or(parties)].to_vec();
        for (number, (program, task)) in programs.iter().zip(&tasks).enumerate().skip(1) {
            let fresh = own.refreshed(&results, &active, [number as u8; 16]);
            assert_eq!(fresh.keys().collect::<Vec<_>>(), ["y"]);
            own = own.of(program, &active);
            let given = SortedMap::from([("x".to_owned(), fresh["y"].clone())]);
            results = own.run_on(&Cells::new(), given, &Cells::new());
            let before = expected_cells.remove("y").unwrap();
            expected_cells = expected(task, &Cells::from([("x".into(), before)]));
        }
        let found = own.decrypted(&results, &active, &active[..1], &Cells::new()).unwrap().remove(0);
        let last = programs.last().unwrap();
        right(last, &found, &expected_cells, real, &format!("{scheme:?} of {parties}"));
        // All but the last one's are refreshed, which counts as a decryption.
        let used: Vec<u64> = own.members.iter().map(Member::released).collect();
        assert_eq!(used[..active.len()], vec![steps as u64; active.len()]);
        assert!(used[active.len()..].iter().all(|&used| used == 0));
    }
}

/// Noise of what was refreshed is what its bound says, and so is that of what is opened meanwhile.
#[test]
fn refreshed_noise_is_within_its_bound() {
    for (scheme, parties) in SCHEMES.into_iter().flat_map(|scheme| [(scheme, 2), (scheme, 9)]) {
        let real = scheme == SchemeName::Ckks;
        let (tasks, mut cells) = iterated(real, 2);
        if real {
            // What is encrypted is 0 in the end, so that all that there is is noise.
            cells.insert("x".into(), Exact::integers((0..8).map(|_| 0)));
        }
        let programs = in_a_row(&tasks, &options(scheme, parties)).unwrap();
        let keyed = keyed(&programs[0], parties, None);
        let results = keyed.run(&cells, &Cells::new());
        let fresh = keyed.refreshed(&results, &keyed.names, [9; 16]);
        let given = programs[0].report().unwrap().results["y"].refreshed.clone().unwrap();
        let words = keyed.words(&fresh["y"], &given.ciphertexts[0].ty);
        let ty = cipherloom::graph::parse_type(&given.ciphertexts[0].ty).unwrap();
        let ty = types::sized(&ty.0, ty.1, ty.2, 64).unwrap();
        let Scheme::Ckks { scale } = Extract::of(&ty).unwrap().ciphertext.scheme else {
            let op = if scheme == SchemeName::Bfv { "bfv.noise" } else { "bgv.noise" };
            let given_words = vec![keyed.secret(), (ty.clone(), words)];
            let measured = computed(&programs[0], given_words, |s, given| s.op(op, Attrs::new(), given))[0];
            let mut found = f64::from_bits(measured);
            if let Scheme::Bfv { t } = Extract::of(&ty).unwrap().ciphertext.scheme {
                found -= (t as f64).log2();
            }
            let bound = given.ciphertexts[0].error;
            let at = format!("{scheme:?} of {parties}: 2^{found:.1}, at most 2^{bound:.1}");
            println!("{at}");
            assert!(found <= bound && found > bound - 4.0, "{at}");
            continue;
        };
        let given_words = vec![keyed.secret(), (ty, words)];
        let found = computed(&programs[0], given_words, |s, given| {
            let plain = s.op("ckks.decrypt", Attrs::new(), given)?;
            s.op("ckks.decode", Attrs::new().with("complex", 1u64), &[plain])
        });
        // Cells are 0 in all slots but for noise: 1 - (1 - 0)^2.
        let largest = found.chunks_exact(2).map(|z| f64::from_bits(z[0]).hypot(f64::from_bits(z[1])));
        let found = largest.fold(0.0, f64::max).log2() + scale.get().log2();
        let bound = given.ciphertexts[0].error;
        let at = format!("{scheme:?} of {parties}: 2^{found:.1}, at most 2^{bound:.1}");
        println!("{at}");
        assert!(found <= bound && found > bound - 14.0, "{at}");
    }
}

/// What is no result to refresh, who may not, and shares that are none.
#[test]
fn what_cannot_be_refreshed_is_refused() {
    for scheme in SCHEMES {
        let real = scheme == SchemeName::Ckks;
        let (tasks, cells) = iterated(real, 2);
        let programs = in_a_row(&tasks, &options(scheme, 2)).unwrap();
        let keyed = keyed(&programs[0], 2, None);
        let results = keyed.run(&cells, &Cells::new());
        let names = keyed.names.clone();
        let fresh = keyed.refreshed(&results, &names, [1; 16]);
        // As it is, it is none that the next program takes; neither is what was refreshed one that is decrypted.
        let next = keyed.of(&programs[1], &names);
        let mut evaluator = Evaluator::new(&programs[1].bytes(), &Simd::new(), CLOCK).unwrap();
        next.keys.iter().for_each(|key| evaluator.load_key(key).unwrap());
        let error = evaluator.run(&[("x", &results[0])], &given(&Cells::new())).err().unwrap();
        assert_eq!(error.code(), "task.invalid");
        assert!(error.to_string().contains("`y`, refreshed"), "{error}");
        let error = keyed.decrypted(&[fresh["y"].clone()], &names, &names, &Cells::new()).err().unwrap();
        assert_eq!(error.code(), "task.invalid", "{error}");
        // A program that has none to refresh.
        let error = next.refreshed_with(&results, &names, [2; 16], |_| {}).err().unwrap();
        assert!(matches!(error, Error::Task { .. } | Error::Foreign { .. }), "{error}");
        let refused =
            keyed.sharing.refreshing(&[], &keyed.public_key, &names, "cloud", &[2; 16]).err().unwrap();
        assert!(refused.to_string().contains("one of `y`"), "{refused}");
        // A share of what is opened that is none is found out before anything comes of it.
        let broken = |sent: &mut Sent| {
            if sent.from == "p1" {
                // Within one limb, so that they are residues.
                sent.bytes[..1 << 13].rotate_left(8);
            }
        };
        let error = keyed.refreshed_with(&results, &names, [3; 16], broken).err().unwrap();
        assert_eq!(error.code(), "noise.exhausted", "{scheme:?}: {error}");
        // Runs that are others have other common polynomials, and are other graphs.
        let id = |run: u8| {
            let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
            let own = keyed.sharing.refreshing(&results, &keyed.public_key, &names, "p0", &[run; 16]);
            own.unwrap().shared.id().unwrap()
        };
        assert_eq!(id(4), id(4));
        assert_ne!(id(4), id(5));
    }
    // A key of one holder.
    let (tasks, _) = iterated(false, 2);
    let alone = Options { parties: None, ..options(SchemeName::Bgv, 2) };
    let error = in_a_row(&tasks, &alone).err().unwrap();
    assert!(error.to_string().contains("several parties share"), "{error}");
}

/// What is opened meanwhile tells nothing of the message: modulo t it is uniform, and under CKKS far larger.
#[test]
fn what_is_opened_is_masked() {
    for scheme in SCHEMES {
        let (tasks, cells) = iterated(scheme == SchemeName::Ckks, 2);
        let programs = in_a_row(&tasks, &options(scheme, 2)).unwrap();
        let keyed = keyed(&programs[0], 2, None);
        let results = keyed.run(&cells, &Cells::new());
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        let names = &keyed.names;
        let opening =
            keyed.sharing.refreshing(&results, &keyed.public_key, names, "cloud", &[1; 16]).unwrap();
        let (outputs, sent) = together(&opening.shared, &keyed.opening_inputs(&opening, names));
        let graph = opening.shared.circuit().graph();
        let (name, words) = &opening.ciphertexts[0];
        let port = graph.inputs().iter().find(|port| port.name == format!("{name} p0")).unwrap();
        let ty = Extract::of(graph.ty(port.operand)).unwrap().ciphertext;
        let words_of = |bytes: &[u8]| -> Vec<u64> {
            bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
        };
        if let Scheme::Ckks { scale } = ty.scheme {
            // 20 bits and more above the message, which has its scale, and is 1 at most.
            let noise = f64::from_bits(words_of(&outputs[&format!("{name} noise")])[0]);
            assert!(noise > scale.get().log2() + 20.0, "2^{noise}");
            continue;
        }
        // At its level, which is not the highest one, the shares of what is opened.
        let poly = ty.poly().ty();
        let shares: Vec<&Sent> = sent.iter().filter(|sent| sent.ty == poly.to_string()).collect();
        assert_eq!(shares.len(), 2);
        let given = std::iter::once((ty.ty(), words.clone()))
            .chain(shares.iter().map(|share| (poly.clone(), words_of(&share.bytes))))
            .collect();
        let opened = computed(&programs[0], given, |s, given| {
            let mut sum = s.split(given[0], 0, poly.clone())?;
            for &share in &given[1..] {
                sum = s.op("poly.add", Attrs::new(), &[sum, share])?;
            }
            let opened = s.retype(sum, ty.with_parts(1).ty())?;
            s.op(scheme.operators().decrypt, Attrs::new(), &[opened])
        });
        let (Scheme::Bfv { t } | Scheme::Bgv { t, .. }) = ty.scheme else { panic!("a modulus") };
        // Pearson's test, of 15 degrees of freedom: above 70 with a probability of 10^-8.
        let mut counts = [0u32; 16];
        opened.iter().for_each(|&word| counts[(u128::from(word) * 16 / u128::from(t)) as usize] += 1);
        let mean = ty.n as f64 / 16.0;
        let off: f64 = counts.iter().map(|&count| (f64::from(count) - mean).powi(2) / mean).sum();
        assert!(off < 70.0, "{scheme:?}: {off} {counts:?}");
    }
}

/// Checks what was decrypted of a program, under CKKS up to the errors that it tells.
fn right(program: &Program, found: &Cells, expected: &Cells, real: bool, at: &str) {
    let outputs = program.report().unwrap().outputs;
    let off = outputs.iter().filter_map(|output| output.error_bits);
    let off = if real { off.fold(f64::NEG_INFINITY, f64::max).exp2().max(1e-9) } else { 0.0 };
    for (name, found) in found {
        for (a, b) in found.cells.iter().zip(&expected[name].cells) {
            let (a, b) = (a.to_f64(), b.to_f64());
            assert!((a - b).abs() <= off * b.abs().max(1.0), "{at}, {name}: {a} {b}, {off}");
        }
    }
}

/// What it takes a program not to be compiled: it is too deep, a comparison of much, has nothing that is encrypted, or no such result.
fn is_refused(error: &Error) -> bool {
    matches!(
        error,
        Error::NoParameters { .. }
            | Error::RangeOverflow { .. }
            | Error::Task { .. }
            | Error::Operator { .. }
            | Error::Parameters { .. }
    )
}

/// A random program with what clear values there are, by so many parties, or any `threshold` of them: what it gives is what the interpreter says, and so is what another program makes of one of its results, refreshed, where there is
/// one that it can. None where it is not compiled; else whether it was refreshed.
fn random_program(seed: u64, scheme: SchemeName, parties: usize, threshold: Option<usize>) -> Option<bool> {
    let values = Values::new();
    let real = scheme == SchemeName::Ckks;
    let at = format!("seed {seed}, {scheme:?} of {parties}, {threshold:?}");
    let Random { task, inputs } = random(&values.registry(), seed, 3, real);
    let options = options(scheme, parties);
    let both = task.outputs.iter().take(2).find_map(|output| {
        let mut next = TaskBuilder::default();
        // Its type is that of the result.
        let r = next.input("r", r#"kind="integer", shape=[], where="encrypted""#, None);
        let twice = next.op("value.add", "", &[r, r]);
        next.output("twice", twice);
        let next = Step { from: from(0, &output.name, "r"), ..next.finish().into() };
        match Program::compile_all(vec![task.clone().into(), next], &options) {
            Ok(programs) => Some((Some(output.name.clone()), programs)),
            Err(error) if is_refused(&error) => None,
            Err(error) => panic!("{at}: {error}"),
        }
    });
    let alone = || match Program::compile(task.clone(), &options) {
        Ok(program) => Some((None, vec![program])),
        Err(error) if is_refused(&error) => None,
        Err(error) => panic!("{at}: {error}"),
    };
    let (refreshed, programs) = both.or_else(alone)?;
    let programs: Vec<Arc<Program>> = programs.into_iter().map(Arc::new).collect();
    let encrypted = |name: &str| task.inputs.iter().any(|i| i.name == name && i.ty.contains("encrypted"));
    let (own, clear): (Cells, Cells) = inputs.clone().into_iter().partition(|(name, _)| encrypted(name));
    let keyed = keyed(&programs[0], parties, threshold);
    let results = keyed.run(&own, &clear);
    let active = keyed.names[..threshold.unwrap_or(parties)].to_vec();
    let found = keyed.decrypted(&results, &active, &active[..1], &clear).unwrap().remove(0);
    let expected_cells = expected(&task, &inputs);
    right(&programs[0], &found, &expected_cells, real, &at);
    let Some(name) = refreshed else { return Some(false) };
    let fresh = keyed.refreshed(&results, &active, [seed as u8; 16]);
    let next = keyed.of(&programs[1], &active);
    let given = SortedMap::from([("r".to_owned(), fresh[&name].clone())]);
    let results = next.run_on(&Cells::new(), given, &Cells::new());
    let found = next.decrypted(&results, &active, &active[..1], &Cells::new()).unwrap().remove(0);
    let before = Cells::from([("r".to_owned(), expected_cells[&name].clone())]);
    right(&programs[1], &found, &expected(programs[1].task(), &before), real, &format!("{at}, refreshed"));
    Some(true)
}

#[test]
fn random_programs_are_what_they_are() {
    let (mut done, mut refreshed) = ([0; 3], [0; 3]);
    for seed in 0..18 {
        let number = seed as usize % 3;
        let (parties, threshold) =
            Dice(seed).of(&[(2, None), (3, Some(2)), (4, None), (5, None), (16, None)]);
        if let Some(fresh) = random_program(seed, SCHEMES[number], parties, threshold) {
            done[number] += 1;
            refreshed[number] += u32::from(fresh);
        }
    }
    assert!(done.iter().all(|&done| done > 1), "{done:?}");
    assert!(refreshed.iter().all(|&done| done > 0), "{refreshed:?}");
}

/// A hundred for each of several numbers of parties, of all and of any few: minutes (`npm run test:parties`).
#[test]
#[ignore = "long"]
fn many_random_programs_are_what_they_are() {
    for (parties, threshold) in
        [(2, None), (3, None), (3, Some(2)), (5, None), (5, Some(3)), (7, None), (7, Some(4)), (16, None)]
    {
        let (mut done, mut refreshed, mut seed) = (0, 0, 1000 * parties as u64);
        while done < 100 {
            let scheme = SCHEMES[seed as usize % 3];
            if let Some(fresh) = random_program(seed, scheme, parties, threshold) {
                done += 1;
                refreshed += u32::from(fresh);
            }
            seed += 1;
            if done % 10 == 0 {
                println!("{parties} parties, {threshold:?}: {done} programs, {refreshed} refreshed");
            }
        }
    }
}

/// What all but one party have is noise: nothing can be told from it.
#[test]
fn without_one_share_there_is_nothing() {
    for scheme in SCHEMES {
        let real = scheme == SchemeName::Ckks;
        let (task, cells) = products(real);
        let program = Arc::new(Program::compile(task.clone(), &options(scheme, 3)).unwrap());
        let keyed = keyed(&program, 3, None);
        let results = keyed.run(&cells, &Cells::new());
        let found = broken(&keyed, &results, |sent| sent.bytes.fill(0));
        match found {
            Err(error) => assert_eq!(error.code(), "noise.exhausted", "{error}"),
            Ok(found) => {
                assert!(real);
                let expected = expected(&task, &cells);
                let worst = |name: &String| {
                    let cells = found[name].cells.iter().zip(&expected[name].cells);
                    cells.map(|(a, b)| (a.to_f64() - b.to_f64()).abs()).fold(0.0, f64::max)
                };
                assert!(found.keys().map(worst).fold(0.0, f64::max) > 1e3);
            }
        }
    }
}

/// Decrypts for one party while what another one sends is changed.
fn broken(keyed: &Keyed, results: &[Vec<u8>], change: impl Fn(&mut Sent)) -> Result<Cells> {
    let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
    let names = &keyed.names;
    let opening = keyed.sharing.decryption(&results, &keyed.public_key, names, &names[..1]).unwrap();
    let inputs = keyed.opening_inputs(&opening, names);
    let (outputs, _) = together_with(&opening.shared, &inputs, |sent| {
        if sent.from == "p2" {
            change(sent);
        }
    })?;
    keyed.finished("p0", &results, &outputs, &Cells::new())
}

/// Shares that are none are found out, and whose they are where their words tell.
#[test]
fn garbage_is_found_out() {
    for scheme in SCHEMES {
        let (task, cells) = products(scheme == SchemeName::Ckks);
        let program = Arc::new(Program::compile(task, &options(scheme, 3)).unwrap());
        let mut keyed = keyed(&program, 3, None);
        let results = keyed.run(&cells, &Cells::new());
        // Words that are no residues: named as they arrive.
        let error = broken(&keyed, &results, |sent| sent.bytes.fill(0xff)).err().unwrap();
        assert_eq!(error.code(), "operator.result");
        assert!(error.to_string().contains("from=\"p2\""), "{error}");
        // Residues that are another ciphertext's share: there is no budget left.
        let change = |sent: &mut Sent| sent.bytes.rotate_left(8);
        assert_eq!(broken(&keyed, &results, change).err().unwrap().code(), "noise.exhausted", "{scheme:?}");
        // And what is right is right.
        broken(&keyed, &results, |_| {}).unwrap();
        // A party that has forgotten its secret.
        keyed.members[2] = Member::new(Arc::clone(&keyed.sharing), "p2").unwrap();
        assert_eq!(broken(&keyed, &results, |_| {}).err().unwrap().code(), "noise.exhausted", "{scheme:?}");
    }
}

/// Each party counts, and ends at what was declared.
#[test]
fn decryptions_are_counted() {
    let (task, cells) = products(false);
    let mut options = options(SchemeName::Bgv, 2);
    options.releases = Some(Releases { count: 2, statistical_bits: 20 });
    let program = Arc::new(Program::compile(task, &options).unwrap());
    let keyed = keyed(&program, 2, None);
    let results = keyed.run(&cells, &Cells::new());
    let names = &keyed.names;
    for _ in 0..2 {
        keyed.decrypted(&results, names, names, &Cells::new()).unwrap();
    }
    let error = keyed.members[0].decryption_inputs().err().unwrap();
    assert_eq!(error.code(), "key.released");
    // What is saved knows.
    let saved = keyed.members[0].save();
    let again = Member::restore(Arc::clone(&keyed.sharing), "p0", &saved).unwrap();
    assert_eq!((again.released(), again.decryption_inputs().err().unwrap().code()), (2, "key.released"));
}

/// Two shares of one common reference tell of the secret: a party refuses it, whatever it was used for, and when it was saved since.
#[test]
fn a_run_serves_once() {
    let (task, _) = products(false);
    let program = Arc::new(Program::compile(task, &options(SchemeName::Bgv, 2)).unwrap());
    let keyed = keyed(&program, 2, None);
    let [first, second] = [*b"a run of a test.", *b"another one here"];
    let refused = |member: &Member, run| {
        let keys = member.key_inputs(run).err().unwrap();
        let refresh = member.refreshing_inputs(run).err().unwrap();
        assert_eq!([keys.code(), refresh.code()], ["party.shared"; 2]);
        assert!(keys.to_string().contains("which it has used"), "{keys}");
    };
    let member = &keyed.members[0];
    refused(member, &first);
    assert_eq!(member.released(), 0, "what is refused counts as nothing");
    member.refreshing_inputs(&second).unwrap();
    let again = Member::restore(Arc::clone(&keyed.sharing), "p0", &member.save()).unwrap();
    [first, second].iter().for_each(|run| refused(&again, run));
    again.key_inputs(&[7; 16]).unwrap();
    again.decryption_inputs().unwrap();
}

/// A party that was saved is of its name, and of its group.
#[test]
fn what_was_saved_is_its_own() {
    let (task, _) = products(false);
    let program = Arc::new(Program::compile(task, &options(SchemeName::Bgv, 3)).unwrap());
    let sharing = |names: &[&str], threshold| {
        let simd: Arc<dyn Platform> = Arc::new(Simd::new());
        Arc::new(Sharing::new(Arc::clone(&program), simd, CLOCK, (&strings(names), threshold)).unwrap())
    };
    let names = ["ann", "ben", "cat"];
    let saved = Member::new(sharing(&names, Some(2)), "ann").unwrap().save();
    Member::restore(sharing(&names, Some(2)), "ann", &saved).unwrap();
    for (group, name, what) in [
        (sharing(&names, Some(2)), "ben", "that of `ann`"),
        (sharing(&["ben", "ann", "cat"], Some(2)), "ann", "2 of ben, ann, cat"),
        (sharing(&["ann", "ben", "dan"], Some(2)), "ann", "another group"),
        (sharing(&names, None), "ann", "all of ann, ben, cat"),
    ] {
        let error = Member::restore(group, name, &saved).err().unwrap();
        assert_eq!(error.code(), "party.shared");
        assert!(error.to_string().contains(what), "{error}");
    }
}

/// Keys, results and groups that are not these.
#[test]
fn what_is_not_theirs_is_refused() {
    let (task, cells) = products(false);
    let program = Arc::new(Program::compile(task.clone(), &options(SchemeName::Bgv, 2)).unwrap());
    let simd = || -> Arc<dyn Platform> { Arc::new(Simd::new()) };
    let sharing = |names: &[&str], threshold| {
        Sharing::new(Arc::clone(&program), simd(), CLOCK, (&strings(names), threshold))
    };
    for (names, threshold, what) in [
        (&["a"][..], None, "2 to 256"),
        (&["a", "b", "c"][..], None, "found 3, expected 2"),
        (&["a", "b"][..], Some(2), "threshold"),
        (&["a", "b"][..], Some(1), "threshold"),
        (&["a", "b", "c"][..], Some(0), "threshold"),
        (&["a", "b", "a"][..], None, "`a` twice"),
    ] {
        let error = sharing(names, threshold).err().unwrap();
        assert!(error.to_string().contains(what), "{error}");
    }
    let own = Arc::new(sharing(&["a", "b"], None).unwrap());
    assert!(own.dealing().unwrap().is_none());
    assert!(Member::new(Arc::clone(&own), "c").is_err());
    for active in [&["a"][..], &["a", "a"], &["a", "c"]] {
        assert_eq!(own.keys(&strings(active), "a", &[1; 16]).err().unwrap().code(), "party.shared");
    }
    // Another run, and another order of names, are other graphs.
    let id = |names: &[&str], run: u8| {
        sharing(names, None).unwrap().keys(&strings(&["a", "b"]), "a", &[run; 16]).unwrap().id().unwrap()
    };
    assert_eq!(id(&["a", "b"], 1), id(&["a", "b"], 1));
    assert_ne!(id(&["a", "b"], 1), id(&["a", "b"], 2));
    assert_ne!(id(&["a", "b"], 1), id(&["b", "a"], 1));
    // Of another key of the same parameters nothing is taken.
    let [first, second] = [(); 2].map(|()| keyed(&program, 2, None));
    let results = first.run(&cells, &Cells::new());
    let names = &first.names;
    let error = second.decrypted(&results, names, names, &Cells::new()).err().unwrap();
    assert_eq!(error.code(), "key.foreign");
    // Two who do not decrypt the same do not meet.
    let other = first.run(&cells, &Cells::new());
    let opening = |results: &[Vec<u8>]| {
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        first.sharing.decryption(&results, &first.public_key, names, names).unwrap().shared.id().unwrap()
    };
    assert_eq!(opening(&results), opening(&results));
    assert_ne!(opening(&results), opening(&other));
    // Without a number of decryptions there is no program.
    let without = Options { releases: None, ..options(SchemeName::Bgv, 2) };
    assert!(Program::compile(task.clone(), &without).err().unwrap().to_string().contains("releases"));
    let alone = Options { public_key: Some(false), ..options(SchemeName::Bgv, 2) };
    assert!(Program::compile(task, &alone).is_err());
}

/// Noise under keys that several made is below the bounds by which shares of decryptions hide it.
#[test]
fn measured_noise_is_within_its_bound() {
    for (scheme, parties) in SCHEMES.into_iter().flat_map(|scheme| [(scheme, 2), (scheme, 7)]) {
        let real = scheme == SchemeName::Ckks;
        let (task, mut cells) = products(real);
        if real {
            // Of zeros all that is there is noise.
            cells.values_mut().for_each(|cells| *cells = Exact::integers((0..16).map(|_| 0)));
        }
        let options = options(scheme, parties);
        let Releases { count, statistical_bits } = options.releases.unwrap();
        let program = Arc::new(Program::compile(task, &options).unwrap());
        let keyed = keyed(&program, parties, None);
        let results = keyed.run(&cells, &Cells::new());
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        let names = &keyed.names;
        let opening = keyed.sharing.decryption(&results, &keyed.public_key, names, &names[..1]).unwrap();
        let graph = opening.shared.circuit().graph();
        let secret = keyed.secret();
        let queries = (count * opening.ciphertexts.len() as u64) as f64;
        let factor = (12.0 * queries).sqrt() * f64::from(statistical_bits).exp2().sqrt();
        for (name, words) in &opening.ciphertexts {
            let port = graph.inputs().iter().find(|port| port.name == format!("{name} p0")).unwrap();
            let extract = Extract::of(graph.ty(port.operand)).unwrap();
            let share = graph.operators().iter().find(|op| {
                graph.signature(op).name == "joint.decryption_share"
                    && graph.inputs_of(op)[1..].contains(&port.operand)
            });
            let deviation = graph.signature(share.unwrap()).attrs.real("deviation").unwrap();
            // Of what is multiplied with the error factor, a bound on the Euclidean norm.
            let n = extract.kept() as f64;
            let bound = (deviation / factor - n.sqrt() / 2.0).log2();
            let given = vec![(secret.0.clone(), secret.1.clone()), (extract.ty(), words.clone())];
            let measure = |op: &'static str| {
                computed(&program, given.clone(), |s, given| s.op(op, Attrs::new(), given))[0]
            };
            let (found, bound) = match extract.ciphertext.scheme {
                Scheme::Bfv { t } => {
                    (f64::from_bits(measure("bfv.noise")) - (t as f64).log2(), bound - n.log2() / 2.0)
                }
                Scheme::Bgv { t, .. } => {
                    let all = f64::from_bits(measure("bgv.noise")).exp2();
                    ((all / t as f64 - 0.5).max(1e-9).log2(), bound - n.log2() / 2.0)
                }
                Scheme::Ckks { scale } => {
                    let words = computed(&program, given, |s, given| {
                        let plain = s.op("ckks.decrypt", Attrs::new(), given)?;
                        s.op("ckks.decode", Attrs::new().with("complex", 1u64), &[plain])
                    });
                    let largest =
                        words.chunks_exact(2).map(|z| f64::from_bits(z[0]).hypot(f64::from_bits(z[1])));
                    (largest.fold(0.0, f64::max).log2() + scale.get().log2(), bound)
                }
            };
            let at = format!("{scheme:?} of {parties}, {name}: 2^{found:.1}, at most 2^{bound:.1}");
            assert!(found <= bound, "{at}");
            // A bound that says something; of few coefficients all noise may be 0 by chance.
            assert!(found > bound - 30.0 || extract.kept() < 1024, "{at}");
        }
    }
}

impl Keyed {
    /// The words of the only ciphertext of a value.
    fn words(&self, value: &[u8], ty: &str) -> Vec<u64> {
        let (head, size, attrs) = cipherloom::graph::parse_type(ty).unwrap();
        let ty = Extract::of(&types::sized(&head, size, attrs, 64).unwrap()).unwrap().ciphertext;
        // The residues are the end of the object, before its checksum, limb by limb.
        let bits = |q: u64| u64::from(u64::BITS - q.leading_zeros());
        let bytes: u64 = 2 * ty.q.iter().map(|&q| (ty.n as u64 * bits(q)).div_ceil(8)).sum::<u64>();
        let body = &value[value.len() - 16 - bytes as usize..value.len() - 16];
        let (mut words, mut at) = (Vec::new(), 0);
        for &q in ty.q.iter().chain(&ty.q) {
            let size = (ty.n as u64 * bits(q)).div_ceil(8) as usize;
            let mut out = vec![0; ty.n];
            assert!(cipherloom::math::limbs::unpack(&body[at..at + size], q, &mut out));
            words.extend(out);
            at += size;
        }
        assert!(self.names.len() > 1);
        words
    }

    /// What nobody has: the sum of all secrets.
    fn secret(&self) -> (ValueType, Vec<u64>) {
        let parameters = self.program().parameters();
        let (n, primes) = (parameters.literal().n, parameters.secret_primes());
        let seed = |member: &Member| -> Vec<u64> {
            let (_, seed) = member.dealing_inputs().unwrap().swap_remove(0);
            seed.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
        };
        let seeds = self.members.iter().map(|member| (types::secret_seed(), seed(member))).collect();
        let ty = types::secret_key(n, &primes);
        let words = computed(self.program(), seeds, |s, seeds| {
            let poly = Poly { n, q: primes.clone(), form: Form::Ntt }.ty();
            let attrs = Attrs::new().with("n", n).with("q", primes.as_slice());
            let mut sum = None;
            for &seed in seeds {
                let own = s.op("rlwe.secret_key", attrs.clone(), &[seed])?;
                let own = s.retype(own, poly.clone())?;
                sum = Some(match sum {
                    None => own,
                    Some(sum) => s.op("poly.add", Attrs::new(), &[sum, own])?,
                });
            }
            Ok(sum.unwrap())
        });
        (ty, words)
    }
}

/// No secret crosses, but for shares that are dealt, each to its party; and what crosses when keys are made is as large as the page says.
#[test]
fn what_crosses_is_told() {
    let (task, _) = products(false);
    let program = Arc::new(Program::compile(task, &options(SchemeName::Bgv, 3)).unwrap());
    let keyed = keyed(&program, 3, None);
    let heads: std::collections::BTreeSet<&str> =
        keyed.sent.iter().map(|sent| sent.ty.split('[').next().unwrap()).collect();
    assert_eq!(heads, ["poly", "polys"].into());
    // Nobody but who adds up hears from a party.
    assert!(keyed.sent.iter().all(|sent| sent.to == "cloud" || sent.from == "cloud"));
    // A polynomial for the public key, one for each digit of a Galois key, three of a relinearization key, of which two come back.
    let parameters = program.parameters().literal();
    let [wide, level] = [parameters.q.len() + parameters.special.len(), parameters.n * 8];
    let polys = |primes: usize| {
        (primes + parameters.special.len()) * primes.div_ceil(parameters.special.len()) * level
    };
    let (mut galois, mut relinearization) = (0, 0);
    for (key, &primes) in program.keys() {
        match key {
            KeyName::Galois(_) => galois += polys(primes),
            KeyName::Relinearization => relinearization += polys(primes),
        }
    }
    let up = |party: &str| -> usize {
        keyed.sent.iter().filter(|sent| sent.from == party).map(|sent| sent.bytes.len()).sum()
    };
    let down: usize = keyed.sent.iter().filter(|sent| sent.to == "p1").map(|sent| sent.bytes.len()).sum();
    let expected = wide * level + galois + 3 * relinearization;
    println!(
        "n = {}, {} and {} primes, {} keys: each party sends {} bytes in two rounds, and gets {down}",
        parameters.n,
        parameters.q.len(),
        parameters.special.len(),
        program.keys().len(),
        up("p0"),
    );
    assert_eq!((up("p0"), up("p1"), up("p2")), (expected, expected, expected));
    // With the public key, of which everybody has the common half.
    assert_eq!(down, 2 * relinearization + wide * level);
}
