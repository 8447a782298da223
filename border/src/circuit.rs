//! Circuits across the border.

use super::device::pins_of;
use super::js::{
    Array, Float64Array, Function, JsCast, JsValue, Object, Reflect, Uint8Array, Uint32Array, wasm_bindgen,
};
use super::last_plan::{Owner, Wanted};
use super::{CLOCK, RawJob, Thrown, copy, platform, set, to_js, view_of, watched};
use cipherloom::circuit::{
    Analysis, Bytes, Circuit, CircuitLiteral, Placing, Recorded, RunOptions, To, pass_names,
};
use cipherloom::circuit::{Job, Named, Outcome};
use cipherloom::engine::Run;
use cipherloom::graph::ValueType;
use cipherloom::math::bits::bytes_of;
use cipherloom::math::sample::Seed;
use cipherloom::ops::tensor::Tensor;
use cipherloom::ops::{Level, OpDef, Registry};
use cipherloom::parties::PLATFORM as PARTY;
use cipherloom::place::Times;
use cipherloom::platform::{Foreign, Gpu, Mixed, Platform, Scalar};
use cipherloom::protect::{Growth, Kind, KindGrowth, Policy};
use cipherloom::{Error, memory};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use zeroize::Zeroizing;

/// Bytes of JavaScript, which are copied straight to where a run has them.
struct Outside(Uint8Array);

impl Bytes for Outside {
    fn len(&self) -> usize {
        self.0.length() as usize
    }

    fn copy_to(&self, out: &mut [u8]) {
        self.0.copy_to(out);
    }
}

/// The operator types of all circuits, and those that a user has declared.
struct Types {
    registry: Arc<Registry>,
    own: HashMap<String, Arc<Recorded>>,
}

thread_local! {
    /// Of this instance: a wasm module is driven by one thread, and an addon of Node has an instance in each.
    static TYPES: RefCell<Types> =
        RefCell::new(Types { registry: Arc::new(cipherloom::registry()), own: HashMap::new() });
}

pub(super) fn registry() -> Arc<Registry> {
    TYPES.with_borrow(|types| Arc::clone(&types.registry))
}

/// Makes an operator type of a user's own known by its name; what it means is recorded use by use. `base`: JavaScript computes
/// it, on the platform of that name.
///
/// # Errors
/// Throws for a name that is taken.
#[wasm_bindgen(js_name = declareOperator)]
pub fn declare_operator(name: &str, base: bool) -> Result<(), Thrown> {
    TYPES.with_borrow_mut(|types| {
        if types.registry.get(name).is_ok() {
            return Err(wrong("name of an operator", name, "one that no other operator has").into());
        }
        let own = Arc::new(Recorded::new(name, if base { Level::Base } else { Level::Task }));
        let mut registry = (*types.registry).clone();
        registry.add(Arc::clone(&own) as Arc<dyn OpDef>);
        types.registry = Arc::new(registry);
        types.own.insert(name.to_owned(), own);
        Ok(())
    })
}

/// See [`Recorded::record`].
///
/// # Errors
/// Throws.
#[wasm_bindgen(js_name = recordOperator)]
pub fn record_operator(
    name: &str,
    attrs: &str,
    inputs: Vec<String>,
    literal: &JsValue,
) -> Result<(), Thrown> {
    Ok(own(name)?.record(&registry(), attrs, &inputs, literal_of(literal)?)?)
}

/// See [`Recorded::record_output`].
///
/// # Errors
/// Throws.
#[wasm_bindgen(js_name = recordOutput)]
pub fn record_output(
    name: &str,
    unit: u32,
    attrs: &str,
    inputs: Vec<String>,
    output: &str,
) -> Result<(), Thrown> {
    Ok(own(name)?.record_output(unit, attrs, &inputs, output)?)
}

fn own(name: &str) -> Result<Arc<Recorded>, Error> {
    let own = TYPES.with_borrow(|types| types.own.get(name).cloned());
    own.ok_or_else(|| wrong("name of an operator", name, "one that was declared"))
}

/// The platform that computes users' own base operators.
const JAVASCRIPT: &str = "javascript";

/// The platform whose shaders JavaScript runs on a device.
const GPU: &str = "gpu";

fn platforms() -> Vec<Arc<dyn Platform>> {
    static SCALAR: OnceLock<Arc<Scalar>> = OnceLock::new();
    let scalar = Arc::clone(SCALAR.get_or_init(|| Arc::new(Scalar::new())));
    // Asked on other threads, too.
    let own = TYPES.with_borrow(|types| types.own.clone());
    let own = move |op: &str| own.get(op).is_some_and(|own| own.level() == Level::Base);
    let party = Arc::new(cipherloom::parties::platform());
    vec![platform(), Arc::new(Foreign::new(JAVASCRIPT, own)), party, scalar, Arc::new(Gpu)]
}

/// The platform of that name, of those whose kernels are here.
pub(super) fn platform_of(name: &str) -> Result<Arc<dyn Platform>, Error> {
    let elsewhere = [JAVASCRIPT, PARTY, GPU].contains(&name);
    let found = platforms().into_iter().find(|platform| platform.name() == name && !elsewhere);
    found.ok_or_else(|| wrong("platform", name, "simd or scalar"))
}

fn usual() -> Vec<String> {
    vec![platform().name().into(), JAVASCRIPT.into()]
}

/// The platforms of these names, in that order; the usual ones for none. The others serve what is placed on them, but for that of what
/// parties send each other, which nobody else computes.
fn mixed(names: &[String]) -> Result<Mixed, Error> {
    let usual = usual();
    let names = if names.is_empty() { &usual[..] } else { names };
    let mut rest = platforms();
    let mut take = |name: &String| {
        let at = rest.iter().position(|platform| platform.name() == name);
        at.map(|at| rest.remove(at))
            .ok_or_else(|| wrong("platform", name, "simd, scalar, javascript or gpu, each once"))
    };
    let mut preferred = names.iter().map(&mut take).collect::<Result<Vec<_>, _>>()?;
    let party = rest.iter().position(|platform| platform.name() == PARTY);
    preferred.extend(party.map(|at| rest.remove(at)));
    Ok(Mixed::new(preferred, rest))
}

/// The same without a GPU, and with one before them.
fn beside_gpu(mut names: Vec<String>) -> Result<(Mixed, Mixed), Error> {
    names.retain(|name| name != GPU);
    if names.is_empty() {
        names = usual();
    }
    let host = mixed(&names)?;
    names.insert(0, GPU.into());
    Ok((host, mixed(&names)?))
}

fn wrong(at: &str, found: impl ToString, expected: &str) -> Error {
    Error::Task { at: at.into(), found: found.to_string(), expected: expected.into() }
}

/// A property of an options object; `undefined` where it is missing.
pub(super) fn option(options: &JsValue, name: &str) -> JsValue {
    Reflect::get(options, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

pub(super) fn text(options: &JsValue, name: &str) -> Option<String> {
    option(options, name).as_string()
}

pub(super) fn texts(value: &JsValue) -> Vec<String> {
    Array::from(value).iter().filter_map(|item| item.as_string()).collect()
}

/// Recorded calls from an object of their fields.
pub(super) fn literal_of(literal: &JsValue) -> Result<CircuitLiteral, Error> {
    let mut constants = Vec::new();
    for value in Array::from(&option(literal, "constants")).iter() {
        let bytes = value.dyn_ref::<Uint8Array>().ok_or_else(|| wrong("constants", "other data", "bytes"))?;
        constants.push(Arc::from(copy(bytes)?));
    }
    let tape = option(literal, "tape");
    let tape = tape.dyn_ref::<Uint32Array>().ok_or_else(|| wrong("tape", "other data", "32-bit words"))?;
    let mut calls = memory::zeros(tape.length() as usize)?;
    tape.copy_to(&mut calls);
    Ok(CircuitLiteral {
        unit: option(literal, "unit").as_f64().unwrap_or(0.0) as u32,
        names: texts(&option(literal, "names")),
        attrs: texts(&option(literal, "attrs")),
        types: texts(&option(literal, "types")),
        constants,
        tape: calls,
    })
}

/// A declared input or output, or an operand that is kept.
#[derive(Serialize)]
pub(super) struct Port {
    name: String,
    r#type: String,
    element: Option<&'static str>,
    shape: Option<Vec<u64>>,
    bytes: u64,
}

impl Port {
    pub(super) fn new(name: &str, ty: &ValueType, unit: u32) -> Self {
        let tensor = Tensor::of(ty, unit).ok();
        Self {
            name: name.to_owned(),
            r#type: ty.to_string(),
            element: tensor.as_ref().map(|tensor| tensor.element.name()),
            shape: tensor.map(|tensor| tensor.shape),
            bytes: bytes_of(ty.size.saturating_mul(unit.into())),
        }
    }
}

#[derive(Serialize)]
struct Ports {
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

/// See [`Circuit`].
#[wasm_bindgen]
pub struct RawCircuit(pub(super) Circuit, Owner);

impl RawCircuit {
    pub(super) fn new(circuit: Circuit) -> Self {
        Self(circuit, Owner::new())
    }

    /// What watched work gives.
    fn watched(
        hear: Option<Function>,
        parts: usize,
        work: impl FnOnce() -> Result<Circuit, Error>,
    ) -> Result<Self, Thrown> {
        watched(hear, parts, work).map(Self::new)
    }
}

#[wasm_bindgen]
impl RawCircuit {
    /// See [`CircuitLiteral`].
    ///
    /// # Errors
    /// Throws.
    pub fn build(literal: &JsValue, hear: Option<Function>) -> Result<RawCircuit, Thrown> {
        let literal = literal_of(literal)?;
        Self::watched(hear, 4, || literal.build(&registry()))
    }

    /// See [`Circuit::from_text`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = fromText)]
    pub fn from_text(text: &str, hear: Option<Function>) -> Result<RawCircuit, Thrown> {
        Self::watched(hear, 4, || Circuit::from_text(text, registry()))
    }

    /// See [`Circuit::from_bytes`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &Uint8Array, hear: Option<Function>) -> Result<RawCircuit, Thrown> {
        let bytes = copy(bytes)?;
        Self::watched(hear, 5, || Circuit::from_bytes(&bytes, registry()))
    }

    /// See [`Circuit::to_text`].
    pub fn text(&self) -> String {
        self.0.to_text()
    }

    /// See [`Circuit::to_bytes`].
    ///
    /// # Errors
    /// Throws.
    pub fn bytes(&self, hear: Option<Function>) -> Result<Vec<u8>, Thrown> {
        watched(hear, 2, || self.0.save())
    }

    /// See [`Circuit::id`]: hexadecimal digits.
    pub fn id(&self) -> String {
        self.0.id().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// How many operators there are.
    pub fn operators(&self) -> usize {
        self.0.graph().operators().len()
    }

    /// Declared inputs and outputs.
    ///
    /// # Errors
    /// Throws.
    pub fn ports(&self) -> Result<JsValue, Thrown> {
        let graph = self.0.graph();
        let ports = |ports: &[cipherloom::graph::Port]| {
            ports.iter().map(|p| Port::new(&p.name, graph.ty(p.operand), graph.unit_bits())).collect()
        };
        to_js(&Ports { inputs: ports(graph.inputs()), outputs: ports(graph.outputs()) })
    }

    /// The graph, as arrays.
    ///
    /// # Errors
    /// Throws.
    pub fn view(&self) -> Result<JsValue, Thrown> {
        view_of(self.0.graph())
    }

    /// See [`Circuit::analyze`].
    ///
    /// # Errors
    /// Throws.
    pub fn analyze(&self, hear: Option<Function>) -> Result<Object, Thrown> {
        let analysis = watched(hear, 4, || self.0.analyze())?;
        let Analysis { dependencies, waves, inputs, outputs, critical_path } = analysis;
        let [(depends_start, depends), (notifies_start, notifies)] = dependencies.tables();
        let out = Object::new();
        let arrays: [(&str, &[u32]); 7] = [
            ("dependsStart", depends_start),
            ("depends", depends),
            ("notifiesStart", notifies_start),
            ("notifies", notifies),
            ("wave", &waves),
            ("outputs", &outputs),
            ("criticalPath", &critical_path),
        ];
        for (name, array) in arrays {
            set(&out, name, &Uint32Array::from(array));
        }
        let units: Vec<f64> = inputs.iter().flat_map(|p| [p.start as f64, p.end as f64]).collect();
        set(&out, "inputs", &Float64Array::from(units.as_slice()));
        Ok(out)
    }

    /// See [`Circuit::expand`].
    ///
    /// # Errors
    /// Throws.
    pub fn expand(&self, options: &JsValue, hear: Option<Function>) -> Result<RawCircuit, Thrown> {
        expand(options, |to| Self::watched(hear, 6, || self.0.expand(to)))
    }

    /// See [`Circuit::place`]; `pins`: operator types, and for each a platform.
    ///
    /// # Errors
    /// Throws.
    pub fn place(
        &self,
        platforms: Vec<String>,
        operators: Vec<String>,
        to: Vec<String>,
    ) -> Result<RawCircuit, Thrown> {
        Ok(Self::new(self.0.place(&mixed(&platforms)?, &pins_of(&operators, &to))?))
    }

    /// See [`Circuit::place_by_times`], of the platforms `names` and a GPU; `times` is a JSON text, `operators` and `to` are the pins. An object of the `circuit` and its `placement`.
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = placeByTimes)]
    pub fn place_by_times(
        &self,
        names: Vec<String>,
        times: &str,
        operators: Vec<String>,
        to: Vec<String>,
        hear: Option<Function>,
    ) -> Result<Object, Thrown> {
        let (host, both) = beside_gpu(names)?;
        let (times, pins) = (Times::parse(times)?, pins_of(&operators, &to));
        let by = Placing::new(&times, &pins);
        let (placed, placement) = watched(hear, 12, || self.0.place_by_times(&host, &both, &by))?;
        let out = Object::new();
        set(&out, "placement", &to_js(&placement)?);
        set(&out, "circuit", &JsValue::from(Self::new(placed)));
        Ok(out)
    }

    /// See [`Circuit::uses`], of the platforms `names` and a GPU.
    ///
    /// # Errors
    /// Throws.
    pub fn uses(&self, names: Vec<String>, hear: Option<Function>) -> Result<JsValue, Thrown> {
        let (host, both) = beside_gpu(names)?;
        to_js(&watched(hear, 12, || self.0.uses(&host, &both))?)
    }

    /// See [`Circuit::optimize`].
    ///
    /// # Errors
    /// Throws.
    pub fn optimize(
        &self,
        passes: Option<Vec<String>>,
        hear: Option<Function>,
    ) -> Result<RawCircuit, Thrown> {
        let Some(passes) = passes else { return Self::watched(hear, 7, || self.0.optimize_by_default()) };
        let passes: Vec<&str> = passes.iter().map(String::as_str).collect();
        Self::watched(hear, 3 * passes.len(), || self.0.optimize(&passes))
    }

    /// See [`Circuit::protect`]: an object of the `circuit` and its `growth`.
    ///
    /// # Errors
    /// Throws.
    pub fn protect(&self, seed: &Uint8Array, options: &JsValue) -> Result<Object, Thrown> {
        let bytes = Zeroizing::new(copy(seed)?);
        let seed = <&[u8; 32]>::try_from(bytes.as_slice());
        let seed = Seed::from(seed.map_err(|_| wrong("seed", format!("{} bytes", bytes.len()), "32 bytes"))?);
        let (protected, growth) = self.0.protect(&policy_of(options)?, &seed)?;
        let out = Object::new();
        set(&out, "growth", &to_js(&RawGrowth::from(&growth))?);
        set(&out, "circuit", &JsValue::from(Self::new(protected)));
        Ok(out)
    }

    /// See [`Circuit::difference`].
    ///
    /// # Errors
    /// Throws.
    pub fn difference(&self, other: &RawCircuit) -> Result<f64, Thrown> {
        Ok(self.0.difference(&other.0)?)
    }

    /// See [`Circuit::plan`] and [`cipherloom::circuit::Execution::start`].
    ///
    /// # Errors
    /// Throws.
    #[wasm_bindgen(js_name = runJob)]
    pub fn run_job(
        &self,
        names: Vec<String>,
        data: Vec<Uint8Array>,
        keep: Vec<u32>,
        options: &JsValue,
        hear: Option<Function>,
    ) -> Result<RawJob, Thrown> {
        let defaults = RunOptions::default();
        let wanted = Wanted {
            platforms: texts(&option(options, "platforms")),
            keep,
            memory_limit: option(options, "memoryLimit").as_f64().map_or(defaults.memory_limit, |m| m as u64),
            secret: option(options, "secret").is_truthy(),
        };
        let (platforms_of, keep_of) = (wanted.platforms.clone(), wanted.keep.clone());
        let execution = self.1.plan(wanted, |wanted| {
            let &Wanted { memory_limit, secret, .. } = wanted;
            let platform = mixed(&wanted.platforms)?;
            let options = RunOptions { memory_limit, secret, ..RunOptions::default() };
            watched(hear, 6, || self.0.plan(&platform, &wanted.keep, options))
        })?;
        let data: Vec<Outside> = data.into_iter().map(Outside).collect();
        let bound: Vec<_> = names.iter().map(String::as_str).zip(&data).collect();
        let run = execution.start(&bound, CLOCK)?;
        let instead = run.plan().device().is_some().then(|| {
            let circuit = self.0.without(GPU);
            let platforms: Vec<String> = platforms_of.into_iter().filter(|name| name != GPU).collect();
            let options = execution.options();
            move |inputs| {
                let execution = circuit.plan(&mixed(&platforms)?, &keep_of, options)?;
                Run::new(Arc::clone(execution.plan()), inputs, CLOCK)
            }
        });
        let job = Job::of(Arc::clone(&execution), run, |execution, run| {
            let outputs = execution.outputs().enumerate();
            let secret = execution.options().secret;
            let named = outputs.map(|(index, (port, _))| {
                let bytes = execution.output(run, index)?;
                Ok(Named { names: vec![port.name.clone()], bytes, secret })
            });
            Ok(Outcome::Objects(named.collect::<Result<_, Error>>()?))
        });
        Ok(RawJob(match instead {
            None => job,
            Some(instead) => job.with_instead(instead),
        }))
    }

    /// The types of operands of the builder, by number.
    ///
    /// # Errors
    /// Throws.
    pub fn kept(&self, keep: Vec<u32>) -> Result<JsValue, Thrown> {
        let unit = self.0.graph().unit_bits();
        let port = |&operand: &u32| {
            let (ty, _) = self.0.operand(operand)?;
            Ok(Port::new(&format!("%{operand}"), ty, unit))
        };
        to_js(&keep.iter().map(port).collect::<Result<Vec<_>, Error>>()?)
    }
}

/// Expands as far as an object of options says.
pub(super) fn expand<T>(
    options: &JsValue,
    expand: impl FnOnce(To<'_>) -> Result<T, Thrown>,
) -> Result<T, Thrown> {
    let platforms = texts(&option(options, "platforms"));
    if !platforms.is_empty() {
        return expand(To::Platform(&mixed(&platforms)?));
    }
    if let Some(name) = text(options, "level") {
        let level = level_of(&name).ok_or_else(|| wrong("level", name, LEVELS))?;
        return expand(To::Level(level));
    }
    if let Some(steps) = option(options, "steps").as_f64() {
        return expand(To::Steps(steps as usize));
    }
    expand(To::Base(&texts(&option(options, "base"))))
}

/// A policy from an object of what differs from the default.
fn policy_of(options: &JsValue) -> Result<Policy, Error> {
    let mut policy = Policy::default();
    let kinds = option(options, "kinds");
    if !kinds.is_undefined() {
        policy.kinds = texts(&kinds).iter().map(|name| Kind::named(name)).collect::<Result<_, _>>()?;
    }
    policy.growth = option(options, "growth").as_f64().unwrap_or(policy.growth);
    policy.keep = option(options, "keep").as_bool().unwrap_or(policy.keep);
    policy.anonymous = option(options, "anonymous").as_bool().unwrap_or(policy.anonymous);
    Ok(policy)
}

/// See [`Growth`].
#[derive(Serialize)]
struct RawGrowth {
    before: usize,
    after: usize,
    kinds: Vec<RawKindGrowth>,
    dropped: usize,
    difference: f64,
}

#[derive(Serialize)]
struct RawKindGrowth {
    kind: &'static str,
    changes: usize,
    operators: usize,
}

impl From<&Growth> for RawGrowth {
    fn from(growth: &Growth) -> Self {
        let &Growth { before, after, ref kinds, dropped, difference } = growth;
        let of = |own: &KindGrowth| {
            let &KindGrowth { kind, changes, operators } = own;
            RawKindGrowth { kind: kind.name(), changes, operators }
        };
        Self { before, after, kinds: kinds.iter().map(of).collect(), dropped, difference }
    }
}

const LEVELS: &str = "task, scheme, polynomial or base";

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Task => "task",
        Level::Scheme => "scheme",
        Level::Polynomial => "polynomial",
        Level::Base => "base",
    }
}

fn level_of(name: &str) -> Option<Level> {
    [Level::Task, Level::Scheme, Level::Polynomial, Level::Base].into_iter().find(|&l| level_name(l) == name)
}

/// Names of the optimization passes, those of the default ones first.
#[wasm_bindgen]
pub fn passes() -> Vec<String> {
    pass_names().into_iter().map(str::to_owned).collect()
}

/// Operator types: name, level and names of the attributes.
///
/// # Errors
/// Throws.
#[wasm_bindgen]
pub fn operators() -> Result<JsValue, Thrown> {
    #[derive(Serialize)]
    struct Info {
        name: String,
        level: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        attributes: Option<Vec<String>>,
    }
    let registry = registry();
    let info = |def: &Arc<dyn OpDef>| Info {
        name: def.name().to_owned(),
        level: level_name(def.level()),
        attributes: def.attributes().map(|names| names.iter().map(|&name| name.to_owned()).collect()),
    };
    to_js(&registry.iter().map(info).collect::<Vec<_>>())
}
