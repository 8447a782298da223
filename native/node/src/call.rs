//! Calls from JavaScript: what is entered, what is left, and what the exports are.
//!
//! # Soundness
//! [`ACTIVE`] has the environment of every call that is under way on this thread, the innermost last; a guard takes it away when the call ends. The data of
//! a callback is the [`Entry`], a static, that it was made with.
#![allow(unsafe_code, reason = "calls of Node-API: see above")]

use crate::class::{self, Slot};
use crate::clock;
use crate::value::{JsValue, Reflect, construct, global};
use napi_sys::{self as sys, PropertyAttributes};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;

/// More arguments than any function has.
const MOST: usize = 16;

/// Writable and configurable, as methods of classes are.
pub(crate) const METHOD: sys::napi_property_attributes =
    PropertyAttributes::writable | PropertyAttributes::configurable;

thread_local! {
    static ACTIVE: RefCell<Vec<(u64, sys::napi_env)>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// A call that is under way.
struct Entered;

impl Entered {
    fn new(env: sys::napi_env) -> Self {
        let number = LAST.get() + 1;
        LAST.set(number);
        ACTIVE.with_borrow_mut(|active| active.push((number, env)));
        Self
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        ACTIVE.with_borrow_mut(Vec::pop);
    }
}

/// The number of the innermost call.
pub(crate) fn current() -> u64 {
    ACTIVE.with_borrow(|active| active.last().map_or(0, |&(number, _)| number))
}

/// Whether a call is under way on this thread.
pub(crate) fn is_active(call: u64) -> bool {
    ACTIVE.with_borrow(|active| active.iter().any(|&(number, _)| number == call))
}

/// The environment of the innermost call.
///
/// # Panics
/// Where no call is under way.
pub(crate) fn environment() -> sys::napi_env {
    let env = ACTIVE.with_borrow(|active| active.last().map(|&(_, env)| env));
    assert!(env.is_some(), "JavaScript is asked for something on a thread that it did not call");
    env.unwrap_or(ptr::null_mut())
}

/// A call's `this` and arguments.
pub struct Call {
    this: JsValue,
    arguments: Vec<JsValue>,
}

impl Call {
    /// What the method was called on.
    pub fn this(&self) -> JsValue {
        self.this
    }

    /// An argument; undefined where it was left out.
    pub fn argument(&self, index: usize) -> JsValue {
        self.arguments.get(index).copied().unwrap_or(JsValue::UNDEFINED)
    }
}

type Run = fn(&Call) -> Result<JsValue, JsValue>;
type Make = fn(&Call) -> Result<Rc<dyn Slot>, JsValue>;

/// What the attribute has seen.
pub struct Entry {
    pub(crate) class: Option<&'static str>,
    pub(crate) name: &'static str,
    pub(crate) what: What,
}

pub(crate) enum What {
    Class,
    Constructor(Make),
    Method(Run),
    /// Of a class, or of the exports.
    Function(Run),
}

impl Entry {
    /// A class.
    pub const fn class(name: &'static str) -> Self {
        Self { class: Some(name), name, what: What::Class }
    }

    /// What `new` does.
    pub const fn constructor(class: &'static str, make: Make) -> Self {
        Self { class: Some(class), name: class, what: What::Constructor(make) }
    }

    /// A method, or a function of a class.
    pub const fn method(class: &'static str, name: &'static str, method: bool, run: Run) -> Self {
        let what = if method { What::Method(run) } else { What::Function(run) };
        Self { class: Some(class), name, what }
    }

    /// A function.
    pub const fn function(name: &'static str, run: Run) -> Self {
        Self { class: None, name, what: What::Function(run) }
    }
}

inventory::collect!(Entry);

/// All that the attribute has seen.
pub(crate) fn entries() -> impl Iterator<Item = &'static Entry> {
    inventory::iter::<Entry>.into_iter()
}

/// Enters a call: what `run` gives, or throws. A panic is a `WebAssembly.RuntimeError`, which whoever called takes for the end of this core.
pub(crate) fn entered(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    run: impl FnOnce(&Call, &'static Entry) -> Result<JsValue, JsValue>,
) -> sys::napi_value {
    let _entered = Entered::new(env);
    let run = AssertUnwindSafe(|| {
        let (mut count, mut raw, mut this, mut data) =
            (MOST, [ptr::null_mut(); MOST], ptr::null_mut(), ptr::null_mut());
        // SAFETY: pointers are of locals; there is room for as many arguments as are said.
        unsafe { sys::napi_get_cb_info(env, info, &mut count, raw.as_mut_ptr(), &mut this, &mut data) };
        // SAFETY: see the module.
        let entry: &'static Entry = unsafe { &*data.cast_const().cast() };
        let arguments = raw.iter().take(count).map(|&raw| JsValue::here(raw)).collect();
        run(&Call { this: JsValue::here(this), arguments }, entry)
    });
    let outcome = catch_unwind(run).unwrap_or_else(|_| Err(trap()));
    match outcome {
        Ok(value) => value.raw(),
        Err(error) => {
            // SAFETY: the handle is of this call.
            unsafe { sys::napi_throw(env, error.raw()) };
            ptr::null_mut()
        }
    }
}

fn trap() -> JsValue {
    let of = |object: JsValue, name: &str| Reflect::get(&object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let message = JsValue::from("the native core panicked");
    construct(&of(of(global(), "WebAssembly"), "RuntimeError"), Some(&message))
}

unsafe extern "C" fn function(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    entered(env, info, |call, entry| match entry.what {
        What::Method(run) | What::Function(run) => run(call),
        What::Class | What::Constructor(_) => Ok(JsValue::UNDEFINED),
    })
}

/// A property of a class.
pub(crate) fn property(entry: &'static Entry) -> Option<sys::napi_property_descriptor> {
    let attributes = match entry.what {
        What::Method(_) => METHOD,
        What::Function(_) => METHOD | PropertyAttributes::static_,
        What::Class | What::Constructor(_) => return None,
    };
    Some(sys::napi_property_descriptor {
        utf8name: ptr::null(),
        name: JsValue::from(entry.name).raw(),
        method: Some(function),
        getter: None,
        setter: None,
        value: ptr::null_mut(),
        attributes,
        data: data_of(entry),
    })
}

pub(crate) fn data_of(entry: &'static Entry) -> *mut c_void {
    ptr::from_ref(entry).cast_mut().cast()
}

/// The version of Node-API that is used: in all versions of Node from 15.12 on.
#[unsafe(no_mangle)]
extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    8
}

/// Node calls it in every thread that loads the addon.
#[unsafe(no_mangle)]
extern "C" fn napi_register_module_v1(env: sys::napi_env, exports: sys::napi_value) -> sys::napi_value {
    let _entered = Entered::new(env);
    let _ = catch_unwind(AssertUnwindSafe(|| {
        clock::set();
        let exports = JsValue::here(exports);
        for entry in entries() {
            let value = match (&entry.what, entry.class) {
                (What::Class, _) => class::define(entry),
                (What::Function(_), None) => {
                    let (name, data) = (entry.name.as_ptr().cast(), data_of(entry));
                    // SAFETY: as many bytes as are said are there; the data is a static.
                    JsValue::made(|env, out| unsafe {
                        sys::napi_create_function(
                            env,
                            name,
                            entry.name.len().cast_signed(),
                            Some(function),
                            data,
                            out,
                        )
                    })
                }
                _ => continue,
            };
            let _ = Reflect::set(&exports, &entry.name.into(), &value);
        }
    }));
    exports
}
