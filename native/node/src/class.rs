//! Classes: objects of JavaScript that hold values of Rust, until they are freed or nobody has them any more.
//!
//! # Soundness
//! What an object wraps is a `Box<Wrapped>` where the object has [`TAG`], which this library alone gives, and only to what [`construct`] wraps; the finalizer
//! runs after the last use. Of which type the value is, `dyn Any` tells, and whether it may be borrowed, a `RefCell`; so
//! JavaScript that calls a method within another one of the same object gets an error.
#![allow(unsafe_code, reason = "calls of Node-API: see above")]

use crate::call::{self, Entry, METHOD, What, entered, entries, environment};
use crate::value::{self, JsValue, not};
use napi_sys as sys;
use std::any::Any;
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;

/// A type that JavaScript has objects of.
pub trait Class: Sized + 'static {
    /// The name of the class.
    const NAME: &'static str;
}

/// A value that may be freed.
pub trait Slot {
    /// Drops the value, if it is there; false while it is borrowed.
    fn free(&self) -> bool;
    /// To ask of which type it is.
    fn any(self: Rc<Self>) -> Rc<dyn Any>;
}

impl<T: 'static> Slot for RefCell<Option<T>> {
    fn free(&self) -> bool {
        self.try_borrow_mut().map(|mut own| own.take()).is_ok()
    }

    fn any(self: Rc<Self>) -> Rc<dyn Any> {
        self
    }
}

/// What an object holds.
struct Wrapped(Rc<dyn Slot>);

thread_local! {
    static CONSTRUCTORS: RefCell<HashMap<&'static str, sys::napi_ref>> = RefCell::default();
    /// What the next object is to hold.
    static NEXT: Cell<Option<Rc<dyn Slot>>> = const { Cell::new(None) };
}

/// The address of this is of this library alone.
static OWN: u8 = 0;

fn tag() -> sys::napi_type_tag {
    sys::napi_type_tag { lower: ptr::from_ref(&OWN).addr() as u64, upper: 0x6369_7068_6572_6c6f }
}

/// A value, as an object is to hold it.
pub(crate) fn slot<T: 'static>(own: T) -> Rc<dyn Slot> {
    Rc::new(RefCell::new(Some(own)))
}

/// A new object that holds it.
pub fn instance<T: Class>(own: T) -> JsValue {
    let reference = CONSTRUCTORS.with_borrow(|all| all.get(T::NAME).copied());
    let Some(reference) = reference else { return JsValue::UNDEFINED };
    // SAFETY: the reference is of this thread's environment, and lives as long.
    let constructor = JsValue::made(|env, out| unsafe { sys::napi_get_reference_value(env, reference, out) });
    NEXT.set(Some(slot(own)));
    let made = value::construct(&constructor, None);
    // It is still there where nothing could be made.
    NEXT.take();
    made
}

/// A value that is borrowed from an object.
pub struct Borrowed<T: 'static> {
    // Dropped before what it points into.
    own: Ref<'static, T>,
    _keeps: Rc<RefCell<Option<T>>>,
}

impl<T> Deref for Borrowed<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.own
    }
}

/// The same, to be changed.
pub struct BorrowedMut<T: 'static> {
    // Dropped before what it points into.
    own: RefMut<'static, T>,
    _keeps: Rc<RefCell<Option<T>>>,
}

impl<T> Deref for BorrowedMut<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.own
    }
}

impl<T> DerefMut for BorrowedMut<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.own
    }
}

fn held(object: &JsValue) -> Option<Rc<dyn Slot>> {
    let (env, raw, mut is) = (environment(), object.raw(), false);
    // SAFETY: pointers are of locals. It fails for what is no object.
    let status = unsafe { sys::napi_check_object_type_tag(env, raw, &tag(), &mut is) };
    let mut data = ptr::null_mut();
    // SAFETY: as above.
    if status != 0 || !is || unsafe { sys::napi_unwrap(env, raw, &mut data) } != 0 {
        return None;
    }
    // SAFETY: see the module.
    Some(Rc::clone(unsafe { &(*data.cast::<Wrapped>()).0 }))
}

fn cell<T: Class>(object: &JsValue) -> Result<Rc<RefCell<Option<T>>>, JsValue> {
    let held = held(object).and_then(|held| held.any().downcast().ok());
    held.ok_or_else(|| not(&format!("an object of {}", T::NAME)))
}

/// The value of an object.
///
/// # Errors
/// A TypeError for what is no object of the class, was freed, or is being changed.
pub fn borrow<T: Class>(object: JsValue) -> Result<Borrowed<T>, JsValue> {
    let cell = cell::<T>(&object)?;
    // SAFETY: the cell is kept beside the borrow, and outlives it.
    let all: &'static RefCell<Option<T>> = unsafe { &*Rc::as_ptr(&cell) };
    let own = all.try_borrow().ok().and_then(|own| Ref::filter_map(own, Option::as_ref).ok());
    let own = own.ok_or_else(|| not(&format!("a {} that is neither freed nor in use", T::NAME)))?;
    Ok(Borrowed { own, _keeps: cell })
}

/// The value of an object, to be changed.
///
/// # Errors
/// As of [`borrow`], also while it is used.
pub fn borrow_mut<T: Class>(object: JsValue) -> Result<BorrowedMut<T>, JsValue> {
    let cell = cell::<T>(&object)?;
    // SAFETY: the cell is kept beside the borrow, and outlives it.
    let all: &'static RefCell<Option<T>> = unsafe { &*Rc::as_ptr(&cell) };
    let own = all.try_borrow_mut().ok().and_then(|own| RefMut::filter_map(own, Option::as_mut).ok());
    let own = own.ok_or_else(|| not(&format!("a {} that is neither freed nor in use", T::NAME)))?;
    Ok(BorrowedMut { own, _keeps: cell })
}

unsafe extern "C" fn finalize(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    // SAFETY: see the module.
    let own = unsafe { Box::from_raw(data.cast::<Wrapped>()) };
    let _ = catch_unwind(AssertUnwindSafe(|| drop(own)));
}

/// What `new` does.
unsafe extern "C" fn construct(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    entered(env, info, |call, entry| {
        let next = match NEXT.take() {
            Some(next) => next,
            None => make(entry)(call)?,
        };
        let (this, data) = (call.this(), Box::into_raw(Box::new(Wrapped(next))).cast::<c_void>());
        // SAFETY: pointers are of locals, but for the data, which the finalizer takes.
        unsafe {
            let mut status = sys::napi_type_tag_object(env, this.raw(), &tag());
            if status == 0 {
                status =
                    sys::napi_wrap(env, this.raw(), data, Some(finalize), ptr::null_mut(), ptr::null_mut());
            }
            if status != 0 {
                finalize(env, data, ptr::null_mut());
                return Err(not("a new object"));
            }
        }
        Ok(this)
    })
}

/// The constructor of a class.
fn make(class: &Entry) -> fn(&call::Call) -> Result<Rc<dyn Slot>, JsValue> {
    let own = entries().find_map(|entry| match entry.what {
        What::Constructor(make) if entry.class == class.class => Some(make),
        _ => None,
    });
    own.unwrap_or(|_| Err(not("no call of a constructor that there is none of")))
}

unsafe extern "C" fn free(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    entered(env, info, |call, _| match held(&call.this()) {
        Some(held) if !held.free() => Err(not("an object that is not in use")),
        _ => Ok(JsValue::UNDEFINED),
    })
}

/// Makes a class known to this thread.
pub(crate) fn define(class: &'static Entry) -> JsValue {
    let own = entries().filter(|entry| entry.class == class.class).filter_map(call::property);
    let mut properties: Vec<sys::napi_property_descriptor> = own.collect();
    properties.push(sys::napi_property_descriptor {
        utf8name: ptr::null(),
        name: JsValue::from("free").raw(),
        method: Some(free),
        getter: None,
        setter: None,
        value: ptr::null_mut(),
        attributes: METHOD,
        data: call::data_of(class),
    });
    let (name, data) = (class.name.as_ptr().cast(), call::data_of(class));
    let (count, all) = (properties.len(), properties.as_ptr());
    // SAFETY: as many bytes and properties as are said are there; the data is a static.
    let constructor = JsValue::made(|env, out| unsafe {
        sys::napi_define_class(
            env,
            name,
            class.name.len().cast_signed(),
            Some(construct),
            data,
            count,
            all,
            out,
        )
    });
    let mut reference = ptr::null_mut();
    // SAFETY: pointers are of locals.
    unsafe { sys::napi_create_reference(environment(), constructor.raw(), 1, &mut reference) };
    CONSTRUCTORS.with_borrow_mut(|constructors| constructors.insert(class.name, reference));
    constructor
}
