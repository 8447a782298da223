//! Parties that share the secret key of a program (`crate::joint`): what they agree on, and what one of them holds.

use super::body::{self, Limbs, Streams};
use super::decrypt::{self, Decryption, Results};
use super::finish;
use super::holder::Holder;
use super::program::Program;
use super::runner::{Given, Runner, Setting};
use super::travel::{self, Descriptor, Origin};
use crate::bytes::{Kind, Reader, Writer, foreign, hex};
use crate::circuit::{Job, Named};
use crate::engine::Clock;
use crate::joint::{Group, Protocol, common_seed};
use crate::math::sample::Seed;
use crate::ops::Registry;
use crate::ops::types::Extract;
use crate::parties::Shared;
use crate::platform::Platform;
use crate::schemes::close::{KeyName, Refresh};
use crate::schemes::noise;
use crate::sorted::{SortedMap, SortedSet};
use crate::values::{GivenCells, PackedValue};
use crate::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// A program, and who shares its secret key: the same for everybody, since each makes the graphs of the protocols for itself, and they meet only where these are the same.
pub struct Sharing {
    program: Arc<Program>,
    group: Group,
    registry: Arc<Registry>,
    runner: Runner,
}

/// What is decrypted together: a graph, and what each who takes part or learns results gives it as `NAME PARTY`.
pub struct Opening {
    /// The graph. Its identity depends on what is decrypted, so that nobody takes part in the decryption of anything else.
    pub shared: Shared,
    /// By NAME the words of each ciphertext, in order.
    pub ciphertexts: Vec<(String, Vec<u64>)>,
    /// By NAME the words of the receiver's public key, where there is one.
    pub receiver: Option<(String, Vec<u64>)>,
}

/// A ciphertext that is decrypted together: what it is called in a graph, its type, log2 of the deviation of each share's noise, its words.
type Ciphertext = (String, Extract, f64, Vec<u64>);

impl Sharing {
    /// What parties of these names agree on; any `threshold` of them are enough, where that is given.
    ///
    /// # Errors
    /// `Party` for another number of parties than the program was compiled for, and for a threshold that is none.
    pub fn new(
        program: Arc<Program>,
        platform: Arc<dyn Platform>,
        clock: Clock,
        (names, threshold): (&[String], Option<usize>),
    ) -> Result<Self> {
        let group = match threshold {
            Some(threshold) => Group::of_threshold(names, threshold)?,
            None => Group::new(names)?,
        };
        let expected = program.chain().parties;
        if group.parties() != expected {
            let (what, found) =
                ("number of parties that share the key".to_owned(), group.parties().to_string());
            return Err(Error::Party { what, found, expected: expected.to_string() });
        }
        let runner = Runner::new(Setting::of(&program, platform, clock));
        Ok(Self { program, group, registry: Arc::new(crate::joint::registry()), runner })
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Who shares the key.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The graph by which all deal each other shares: inputs `key NAME` and `fresh NAME`; output `share NAME`. None where all have to take part.
    ///
    /// # Errors
    /// What the graph says.
    pub fn dealing(&self) -> Result<Option<Shared>> {
        let dealing = || Protocol::dealing(&self.registry, &self.program.chain(), &self.group);
        self.group.threshold().map(|_| dealing()).transpose()
    }

    fn protocol(&self, active: &[String], hub: &str, seed: [u8; 32]) -> Result<Protocol<'_>> {
        let active = self.group.active(active)?;
        Protocol::new(&self.registry, &self.program.chain(), &self.group, &active, hub, seed)
    }

    /// The graph by which those who are active make all keys of the program, in two rounds: inputs `key NAME` and `fresh NAME`; outputs `public key NAME` of everybody, `key KEY` of `hub`, who adds shares up, and may be none of them. `run`: 128
    /// public bits that all know and nobody has used before, from which their common polynomials follow: made again, be it after a failure, keys take another run.
    ///
    /// # Errors
    /// `Party` for those who are none or too few; what the graph says.
    pub fn keys(&self, active: &[String], hub: &str, run: &[u8; 16]) -> Result<Shared> {
        let mut protocol = self.protocol(active, hub, seed_of(run))?;
        protocol.public_key()?;
        for (key, &level) in self.program.keys() {
            let name = key.to_string();
            match key {
                KeyName::Relinearization => protocol.relinearization_key(&name, level)?,
                KeyName::Galois(g) => protocol.galois_key(&name, *g, level)?,
            }
        }
        protocol.finish()
    }

    /// Identity of the key that they share: it commits to its public key.
    fn key_id(&self, public_key: &[u8]) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_derive_key("cipherloom 2026 joint key identity v1");
        hasher.update(&self.program.parameters().id()).update(public_key);
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        id
    }

    /// The public key as bytes, with which data owners encrypt, from output `public key NAME` of that run.
    ///
    /// # Errors
    /// `InputLength` for another number of bytes; `OutOfMemory`.
    pub fn public_key(&self, run: &[u8; 16], output: &[u8]) -> Result<Vec<u8>> {
        let (_, limbs) = self.program.public_key();
        let words = words_of("public key", output, limbs.words())?;
        let head = self.head(Kind::PublicKey, &self.key_id(output));
        let streams = Streams::common(common_seed(&seed_of(run), "public"), &limbs);
        body::write(head, &[limbs], Some(&streams), [words.as_slice()])
    }

    /// An evaluation key as bytes, from output `key KEY` of that run; `public_key` are the bytes of the public one: of another run, where the same parties make the keys of another program under the same key.
    ///
    /// # Errors
    /// `MissingKey` when the program has no such key; `InputLength` for another number of bytes; `Format` and `Foreign` for what is no public key of the program; `OutOfMemory`.
    pub fn key(&self, run: &[u8; 16], name: &str, output: &[u8], public_key: &[u8]) -> Result<Vec<u8>> {
        let missing = || Error::MissingKey { name: name.to_owned() };
        let key = KeyName::parse(name).ok_or_else(missing)?;
        let &level = self.program.keys().get(&key).ok_or_else(missing)?;
        let limbs = Limbs::of_key(&self.program.chain().key(level));
        let words = words_of(name, output, limbs.words())?;
        let head = self.head(Kind::ValueKey, &self.key_id_of(public_key)?).text(name);
        // Of relinearization keys no half is common.
        let streams = match key {
            KeyName::Galois(_) => Some(Streams::common(common_seed(&seed_of(run), name), &limbs)),
            KeyName::Relinearization => None,
        };
        body::write(head, &[limbs], streams.as_ref(), [words.as_slice()])
    }

    fn head(&self, kind: Kind, key_id: &[u8; 16]) -> Writer {
        Writer::new(kind).raw(&self.program.parameters().id()).raw(key_id)
    }

    /// Which key a public one is of.
    ///
    /// # Errors
    /// `Format` and `Foreign` for what is no public key of the program's parameters.
    pub fn key_id_of(&self, public_key: &[u8]) -> Result<[u8; 16]> {
        let mut reader = Reader::new(public_key, Kind::PublicKey)?;
        let (parameters, key_id): ([u8; 16], [u8; 16]) = (reader.id()?, reader.id()?);
        let expected = self.program.parameters().id();
        if parameters != expected {
            return Err(foreign("public key".to_owned(), "set of parameters", &parameters, &expected));
        }
        Ok(key_id)
    }

    fn results(&self, results: &[&[u8]], public_key: &[u8]) -> Result<Results> {
        decrypt::read(&self.program, &self.key_id_of(public_key)?, results, None, |_| true)
    }

    /// Those of results of a run that are to be refreshed, and how.
    fn refreshable(
        &self,
        results: &[&[u8]],
        public_key: &[u8],
    ) -> Result<(Results, Vec<Ciphertext>, Vec<Refresh>)> {
        let program = &self.program;
        let parameters = program.parameters().id();
        let mut given = SortedSet::new();
        for bytes in results {
            given.insert(travel::reader(bytes, &parameters)?.1.name);
        }
        let declared = |value: &PackedValue| program.refreshes(&value.name);
        let wanted = |value: &PackedValue| declared(value) && given.contains(&value.name);
        let key_id = self.key_id_of(public_key)?;
        let results = decrypt::read(program, &key_id, results, None, wanted)?;
        if results.values.is_empty() {
            let names = program.packing().outputs.iter().filter(|value| declared(value));
            let names: Vec<&str> = names.map(|value| value.name.as_str()).collect();
            let expected = if names.is_empty() {
                "one of a program that was compiled with results to refresh".to_owned()
            } else {
                format!("one of `{}`, which are declared to be", names.join("`, `"))
            };
            let (at, found) = ("results to refresh".to_owned(), "none".to_owned());
            return Err(Error::Task { at, found, expected });
        }
        let mut refreshes = Vec::new();
        for (value, _) in &results.values {
            for closed in program.closed(value)? {
                let refresh = closed.refresh.clone();
                refreshes.push(refresh.ok_or(Error::Job("what is to be refreshed was closed so"))?);
            }
        }
        let values = results.values.clone();
        let ciphertexts = self.ciphertexts(Results { run: results.run, values, words: results.words })?;
        Ok((Results { words: Vec::new(), ..results }, ciphertexts, refreshes))
    }

    /// What every ciphertext of results is called in a graph, with its type, its deviation and its words.
    fn ciphertexts(&self, results: Results) -> Result<Vec<Ciphertext>> {
        let mut all = Vec::new();
        for ((value, types), words) in results.values.iter().zip(results.words) {
            let closed = self.program.closed(value)?;
            for ((ty, words), closed) in types.iter().zip(words).zip(closed) {
                let deviation = closed.deviation.ok_or(Error::Job("joint decryptions hide errors"))?;
                let name = named("ciphertext", all.len(), &words);
                all.push((name, ty.clone(), deviation, words));
            }
        }
        Ok(all)
    }

    /// The graph by which those who are active decrypt results of a run, all of them, for those whose names are `to`, some of them or all. Inputs: `key NAME` and `fresh NAME` of those who are active, and what the opening says; output `NAME opened PARTY`
    /// of those who learn results.
    ///
    /// # Errors
    /// As [`Client::decrypt`](super::Client::decrypt) for results that are none of one run; `Party` for those who are none or too few.
    pub fn decryption(
        &self,
        results: &[&[u8]],
        public_key: &[u8],
        active: &[String],
        to: &[String],
    ) -> Result<Opening> {
        let hub = to.first().or(active.first()).cloned().unwrap_or_default();
        // Nothing is common here.
        let mut protocol = self.protocol(active, &hub, [0; 32])?;
        let mut ciphertexts = Vec::new();
        for (name, ty, deviation, words) in self.ciphertexts(self.results(results, public_key)?)? {
            protocol.decryption(&name, &ty, deviation, to)?;
            ciphertexts.push((name, words));
        }
        Ok(Opening { shared: protocol.finish()?, ciphertexts, receiver: None })
    }

    /// Decrypts what was opened, `outputs` by their names, for the party `me`, and finishes it: every declared output of the task, by name. `public` are the public inputs.
    ///
    /// # Errors
    /// As [`Sharing::decryption`]; `MissingInput` for an output that is not there; the finished job gives `NoiseHidden` where noise has reached the limit: a share was none, or the bounds of the inputs were not kept.
    pub fn opened(
        &self,
        me: &str,
        results: &[&[u8]],
        public_key: &[u8],
        outputs: &SortedMap<String, Vec<u8>>,
        public: &SortedMap<String, GivenCells>,
    ) -> Result<Job> {
        let read = self.results(results, public_key)?;
        let values = read.values.clone();
        let mut given = Given::default();
        for (name, ty, ..) in self.ciphertexts(read)? {
            let name = format!("{name} opened {me}");
            let missing = || Error::MissingInput { name: name.clone() };
            let ty = Extract { ciphertext: ty.ciphertext.with_parts(1), ..ty }.ty();
            let words = words_of(&name, outputs.get(&name).ok_or_else(missing)?, ty.size as usize)?;
            given.add(ty, words.to_vec().into());
        }
        let deviations = vec![None; given.types.len()];
        let decryption = Decryption { program: &self.program, runner: &self.runner, values, deviations };
        decryption.job(given, 0, finish::exact(public)?, || Ok(()))
    }

    /// The graph by which those who are active switch results of a run to the public key of a receiver, a client of the same program ([`Client`](super::Client)), who alone decrypts them: the inputs of [`Sharing::decryption`] and what the
    /// opening says of the receiver; outputs `NAME switched` of `hub`.
    ///
    /// # Errors
    /// As [`Sharing::decryption`]; `Format` and `Foreign` for what is no public key of a receiver.
    pub fn switching(
        &self,
        results: &[&[u8]],
        public_key: &[u8],
        receiver: &[u8],
        active: &[String],
        hub: &str,
    ) -> Result<Opening> {
        let mut protocol = self.protocol(active, hub, [0; 32])?;
        self.key_id_of(receiver)?;
        let mut reader = Reader::new(receiver, Kind::PublicKey)?;
        let _: ([u8; 16], [u8; 16]) = (reader.id()?, reader.id()?);
        let (_, limbs) = self.program.public_key();
        let Setting { parameters, platform, .. } = &self.runner.setting;
        let primes = parameters.secret_primes();
        let samplers = body::Samplers::new(&**platform, parameters.literal().n, &primes)?;
        let key = body::read(reader, &[limbs], Some(&samplers))?.pop();
        let key = key.ok_or(Error::Job("as many keys as there are types"))?;
        let receiver = named("receiver", 0, &key);
        let mut ciphertexts = Vec::new();
        for (name, ty, deviation, words) in self.ciphertexts(self.results(results, public_key)?)? {
            protocol.switching(&name, &ty, deviation, &receiver)?;
            ciphertexts.push((name, words));
        }
        Ok(Opening { shared: protocol.finish()?, ciphertexts, receiver: Some((receiver, key)) })
    }

    /// Results under the receiver's key, as bytes, from outputs `NAME switched`.
    ///
    /// # Errors
    /// As [`Sharing::switching`]; `MissingInput` for an output that is not there.
    pub fn switched(
        &self,
        results: &[&[u8]],
        public_key: &[u8],
        receiver: &[u8],
        outputs: &SortedMap<String, Vec<u8>>,
    ) -> Result<Vec<Named>> {
        let read = self.results(results, public_key)?;
        let (parameters, owner, run) = (self.program.parameters().id(), self.key_id_of(receiver)?, read.run);
        let origin = Origin { parameters, owner, run };
        let values = read.values.clone();
        let mut names = self.ciphertexts(read)?.into_iter();
        let mut all = Vec::with_capacity(values.len());
        for (value, types) in &values {
            let limbs = Limbs::of_ciphertexts(types);
            let mut blocks = Vec::with_capacity(types.len());
            for (own, (name, ..)) in limbs.iter().zip(names.by_ref()) {
                let name = format!("{name} switched");
                let missing = || Error::MissingInput { name: name.clone() };
                blocks.push(words_of(&name, outputs.get(&name).ok_or_else(missing)?, own.words())?);
            }
            let (descriptor, _) = self.program.descriptor(value, false)?;
            let writer = travel::writer(&origin, descriptor);
            let bytes = body::write(writer, &limbs, None, blocks.iter().map(|words| words.as_slice()))?;
            all.push(Named { names: vec![descriptor.name.clone()], bytes, secret: false });
        }
        Ok(all)
    }

    /// The graph by which those who are active refresh results of a run, those of the given ones that the program was compiled to have [refreshed](super::Step::refreshed): inputs as of [`Sharing::decryption`]; outputs `NAME refreshed` and `NAME noise` of `hub`. `run`:
    /// 128 public bits that nobody has used before, as of [`Sharing::keys`].
    ///
    /// # Errors
    /// As [`Sharing::decryption`]; `Task` where none of the results is one to refresh.
    pub fn refreshing(
        &self,
        results: &[&[u8]],
        public_key: &[u8],
        active: &[String],
        hub: &str,
        run: &[u8; 16],
    ) -> Result<Opening> {
        let mut protocol = self.protocol(active, hub, seed_of(run))?;
        let (_, all, refreshes) = self.refreshable(results, public_key)?;
        let mut ciphertexts = Vec::new();
        for ((name, ty, _, words), refresh) in all.into_iter().zip(refreshes) {
            protocol.refreshing(&name, &ty.ciphertext, &refresh)?;
            ciphertexts.push((name, words));
        }
        Ok(Opening { shared: protocol.finish()?, ciphertexts, receiver: None })
    }

    /// Refreshed results as bytes, which programs take that were compiled for them ([`ResultOf::refreshed`](super::ResultOf)), from outputs `NAME refreshed` and `NAME noise`.
    ///
    /// # Errors
    /// As [`Sharing::refreshing`]; `MissingInput` for an output that is not there; `NoiseHidden` where what was opened meanwhile is noise: a share was none, or the bounds of the inputs were not kept.
    pub fn refreshed(
        &self,
        results: &[&[u8]],
        public_key: &[u8],
        outputs: &SortedMap<String, Vec<u8>>,
    ) -> Result<Vec<Named>> {
        let (read, names, refreshes) = self.refreshable(results, public_key)?;
        let owner = self.key_id_of(public_key)?;
        let origin = Origin { parameters: self.program.parameters().id(), owner, run: read.run };
        let output = |name: &str, words: usize| {
            let missing = || Error::MissingInput { name: name.to_owned() };
            words_of(name, outputs.get(name).ok_or_else(missing)?, words)
        };
        let mut all = Vec::with_capacity(read.values.len());
        let mut of_all = names.into_iter().zip(refreshes);
        for (value, types) in &read.values {
            let (mut fresh, mut blocks) = (Vec::with_capacity(types.len()), Vec::with_capacity(types.len()));
            for ((name, ty, ..), refresh) in of_all.by_ref().take(types.len()) {
                let noise = f64::from_bits(output(&format!("{name} noise"), 1)?[0]);
                let budget = noise::log2(&ty.ciphertext.q) - 1.0 - noise;
                if budget.is_nan() || budget < decrypt::LEAST_BUDGET {
                    return Err(Error::NoiseHidden { what: value.name.clone() });
                }
                let ty = Extract::whole(refresh.ty);
                blocks.push(output(&format!("{name} refreshed"), ty.units() as usize)?);
                fresh.push(ty);
            }
            let (descriptor, _) = self.program.descriptor(value, false)?;
            let ciphertexts = fresh.iter().map(|ty| ty.ty().to_string()).collect();
            let descriptor = Descriptor { refreshed: true, ciphertexts, ..descriptor.clone() };
            let limbs = Limbs::of_ciphertexts(&fresh);
            let writer = travel::writer(&origin, &descriptor);
            let bytes = body::write(writer, &limbs, None, blocks.iter().map(|words| words.as_slice()))?;
            all.push(Named { names: vec![descriptor.name], bytes, secret: false });
        }
        Ok(all)
    }

    /// Checks that `share` is one of the group's: residues of all primes.
    fn check_share(&self, share: &[u8]) -> Result<()> {
        let (n, primes) = (self.program.parameters().literal().n, self.program.parameters().secret_primes());
        let words = words_of("share", share, n * primes.len())?;
        for (limb, &q) in words.chunks_exact(n).zip(&primes) {
            // Whichever word it is, it is secret.
            if limb.iter().any(|&word| word >= q) {
                let (what, found) = ("share of a key".to_owned(), "a word that is no residue".to_owned());
                return Err(Error::Party { what, found, expected: format!("words below {q}") });
            }
        }
        Ok(())
    }
}

/// One of the parties that share a key: its own secret, from which its shares follow, and what was decrypted with it.
pub struct Member {
    sharing: Arc<Sharing>,
    name: String,
    holder: Holder,
    /// Its share of the key, where any few are enough and shares were dealt.
    share: Option<Zeroizing<Vec<u8>>>,
    /// Runs whose common reference it has used with its secret.
    used: Mutex<Vec<[u8; 16]>>,
}

impl Member {
    /// A party with a fresh secret.
    ///
    /// # Errors
    /// `Party` for a name that is none of the group; `Math` when the platform gives no randomness.
    pub fn new(sharing: Arc<Sharing>, name: &str) -> Result<Self> {
        let holder = Holder::new(sharing.runner.setting.clone())?;
        Self::with(sharing, name, holder)
    }

    /// The party that was saved.
    ///
    /// # Errors
    /// `Format` for bytes that do not decode; `Foreign` when the saved secret has other parameters; `Party` for a name that is none of the group, for what another party saved, or one of another group, and for a share where none are dealt.
    pub fn restore(sharing: Arc<Sharing>, name: &str, saved: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(saved, Kind::Member)?;
        let length = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
        let holder = Holder::restore(sharing.runner.setting.clone(), reader.raw(length)?)?;
        let share = match usize::try_from(reader.number()?).unwrap_or(usize::MAX) {
            0 => None,
            length => Some(reader.raw(length)?),
        };
        let (group, saved_by) = (reader.id()?, reader.short()?);
        let count = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
        let used = reader.raw(count.saturating_mul(16))?.as_chunks::<16>().0.to_vec();
        reader.end()?;
        let mut own = Self::with(sharing, name, holder)?;
        let (what, of) = (format!("saved party of `{name}`"), own.sharing.group());
        if saved_by != name {
            return Err(Error::Party {
                what,
                found: format!("that of `{saved_by}`"),
                expected: "its own".into(),
            });
        }
        if group != of.id() {
            let all = of.threshold().map_or("all".to_owned(), |threshold| threshold.to_string());
            let expected = format!("{all} of {}, in this order", of.names().join(", "));
            return Err(Error::Party { what, found: "one of another group".into(), expected });
        }
        share.map_or(Ok(()), |share| own.keep(share))?;
        own.used = Mutex::new(used);
        Ok(own)
    }

    fn with(sharing: Arc<Sharing>, name: &str, holder: Holder) -> Result<Self> {
        if !sharing.group.names().iter().any(|own| own == name) {
            let (found, expected) = (format!("`{name}`"), sharing.group.names().join(", "));
            return Err(Error::Party { what: "party that shares a key".into(), found, expected });
        }
        Ok(Self { sharing, name: name.to_owned(), holder, share: None, used: Mutex::default() })
    }

    /// What all agree on.
    pub fn sharing(&self) -> &Arc<Sharing> {
        &self.sharing
    }

    /// Its secret, what was decrypted with it, and a share that it was dealt, as bytes, overwritten when they are dropped.
    pub fn save(&self) -> Zeroizing<Vec<u8>> {
        let holder = self.holder.save();
        let share = self.share.as_ref().map_or(&[][..], |share| share.as_slice());
        let mut writer = Writer::new(Kind::Member);
        writer.number(holder.len() as u64);
        writer.bytes(&holder);
        writer.number(share.len() as u64);
        writer.bytes(share);
        writer.bytes(&self.sharing.group.id());
        writer.short(&self.name);
        let used = self.used();
        writer.number(used.len() as u64);
        writer.bytes(used.as_flattened());
        Zeroizing::new(writer.finish())
    }

    fn used(&self) -> MutexGuard<'_, Vec<[u8; 16]>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that it uses a run's common reference, whatever comes of it: two shares of one reference and one secret differ by their errors alone, and enough of them tell the secret.
    fn spend(&self, run: &[u8; 16]) -> Result<()> {
        let mut used = self.used();
        if used.contains(run) {
            let (what, found) =
                (format!("run of `{}`", self.name), format!("{}, which it has used", hex(run)));
            let expected = "one that is new: each making of keys and each refresh has its own".into();
            return Err(Error::Party { what, found, expected });
        }
        used.push(*run);
        Ok(())
    }

    /// How many decryptions it took part in.
    pub fn released(&self) -> u64 {
        self.holder.used()
    }

    /// Keeps the share that it was dealt, output `share NAME`, or that was saved.
    ///
    /// # Errors
    /// `Party` where all have to take part; `InputLength` and `Operator` for what is no share.
    pub fn keep(&mut self, share: &[u8]) -> Result<()> {
        if self.sharing.group.threshold().is_none() {
            let (what, found) = ("share of a key".to_owned(), "one that was dealt".to_owned());
            return Err(Error::Party { what, found, expected: "none: all have to take part".to_owned() });
        }
        self.sharing.check_share(share)?;
        self.share = Some(Zeroizing::new(share.to_vec()));
        Ok(())
    }

    /// Its inputs of the graph that deals shares.
    ///
    /// # Errors
    /// `Math` when the platform gives no randomness.
    pub fn dealing_inputs(&self) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        let seed = Zeroizing::new(self.holder.seed().as_bytes().to_vec());
        Ok(vec![(format!("key {}", self.name), seed), self.fresh()?])
    }

    /// Its inputs of the graph that makes keys: its secret, or share, and a fresh seed. `run` is the one of [`Sharing::keys`], and counts as used.
    ///
    /// # Errors
    /// `Party` for a share that was not dealt yet, and for a run that it has used; `Math` when the platform gives no randomness.
    pub fn key_inputs(&self, run: &[u8; 16]) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        let inputs = self.own_inputs()?;
        self.spend(run)?;
        Ok(inputs)
    }

    fn own_inputs(&self) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        if self.sharing.group.threshold().is_none() {
            return self.dealing_inputs();
        }
        let share = self.share.clone().ok_or_else(|| Error::Party {
            what: format!("share of `{}`", self.name),
            found: "none".into(),
            expected: "the one that it was dealt".into(),
        })?;
        Ok(vec![(format!("key {}", self.name), share), self.fresh()?])
    }

    /// Its secret inputs of a graph that decrypts or switches: those of [`Member::key_inputs`]. It counts, whatever comes of it: what the other parties see of it cannot be taken back.
    ///
    /// # Errors
    /// `Party` for a share that was not dealt yet; `Math` when the platform gives no randomness; `Released` where as many were decrypted as the program was compiled for.
    pub fn decryption_inputs(&self) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        let inputs = self.own_inputs()?;
        let releases = self.sharing.program.releases();
        self.holder.release(releases.ok_or(Error::Job("programs of several parties have releases"))?)?;
        Ok(inputs)
    }

    /// Those of a graph that refreshes, as of [`Member::decryption_inputs`]. `run` is the one of [`Sharing::refreshing`], and counts as used.
    ///
    /// # Errors
    /// As [`Member::decryption_inputs`]; `Party` for a run that it has used.
    pub fn refreshing_inputs(&self, run: &[u8; 16]) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        self.spend(run)?;
        self.decryption_inputs()
    }

    /// A secret seed for one run.
    fn fresh(&self) -> Result<(String, Zeroizing<Vec<u8>>)> {
        Ok((format!("fresh {}", self.name), Zeroizing::new(Seed::generate()?.as_bytes().to_vec())))
    }
}

/// The seed of the common polynomials of a run.
fn seed_of(run: &[u8; 16]) -> [u8; 32] {
    blake3::derive_key("cipherloom 2026 v1 common seed of a run", run)
}

/// What a value is called in a graph: its words are part of its name, so that two graphs over others are others.
fn named(what: &str, number: usize, words: &[u64]) -> String {
    let mut hasher =
        blake3::Hasher::new_derive_key("cipherloom 2026 v1 name of what several parties decrypt");
    words.iter().for_each(|word| {
        hasher.update(&word.to_le_bytes());
    });
    format!("{what} {number} {}", hex(&hasher.finalize().as_bytes()[..16]))
}

/// The words of an output, as many as there are to be.
fn words_of(what: &str, bytes: &[u8], words: usize) -> Result<Zeroizing<Vec<u64>>> {
    if bytes.len() != 8 * words {
        let (input, found, expected) = (what.to_owned(), bytes.len(), 8 * words);
        return Err(Error::InputLength { input, found, expected });
    }
    Ok(Zeroizing::new(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()))
}
