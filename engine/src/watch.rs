//! Long work that is watched: somebody hears how far it is, and may stop it.
//!
//! Whoever starts the work names a listener ([`watched`]). Loops over operators ask it every few thousand of them ([`Steps`]), and in
//! steps that take long ([`ask`]); around what cannot stop halfway, such as building an index, there are pauses ([`pause`]), about
//! 0.1 s apart for a million operators. The listener belongs to the thread, so that nothing between the two has to hand it on.

use crate::{Error, Result};
use std::cell::RefCell;

/// Steps between two questions.
const EVERY: usize = 4096;
/// How far the parts that were expected lead; the rest is for those that were not.
const EXPECTED: f64 = 0.9;

/// Who listens to the work of a thread.
struct Watch {
    hear: Box<dyn FnMut(f64) -> bool>,
    /// Parts of the work that are expected, those that are done, and how much of the next one is.
    parts: f64,
    done: f64,
    share: f64,
    /// Loops within loops: only the outermost one is a part.
    depth: usize,
}

impl Watch {
    /// Tells how far the work is.
    fn ask(&mut self) -> Result<()> {
        let done = self.done + self.share;
        let far = match done <= self.parts {
            true => EXPECTED * done / self.parts,
            false => 1.0 - (1.0 - EXPECTED) * self.parts / done,
        };
        if (self.hear)(far) { Ok(()) } else { Err(Error::Cancelled) }
    }

    /// A part is done.
    fn finish(&mut self) {
        self.done += 1.0;
        self.share = 0.0;
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// What comes of the listener of this thread, if there is one; it does not listen to itself.
fn with<T>(then: impl FnOnce(&mut Watch) -> T) -> Option<T> {
    let mut watch = CURRENT.take()?;
    let result = then(&mut watch);
    CURRENT.set(Some(watch));
    Some(result)
}

/// Work of about so many parts, of which `hear` is told how far it is, from 0 to 1, ever growing; false from it ends the
/// work. Within watched work, the inner listener hears alone.
///
/// ```
/// use cipherloom_engine::watch::{Steps, watched};
/// use cipherloom_engine::{Error, Result};
///
/// fn work() -> Result<()> {
///     let mut steps = Steps::new(10_000);
///     (0..10_000).try_for_each(|_| steps.step())
/// }
///
/// assert!(watched(1, |_far| true, work).is_ok());
/// assert!(matches!(watched(1, |_far| false, work), Err(Error::Cancelled)));
/// ```
///
/// # Errors
/// `Cancelled` when `hear` said so; otherwise what the work says.
pub fn watched<T>(
    parts: usize,
    hear: impl FnMut(f64) -> bool + 'static,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let parts = parts.max(1) as f64;
    under(Some(Watch { hear: Box::new(hear), parts, done: 0.0, share: 0.0, depth: 0 }), work)
}

/// Work that nobody hears of, and that is not ended.
pub fn unheard<T>(work: impl FnOnce() -> T) -> T {
    under(None, work)
}

fn under<T>(watch: Option<Watch>, work: impl FnOnce() -> T) -> T {
    let outer = CURRENT.replace(watch);
    let result = work();
    CURRENT.set(outer);
    result
}

/// Between two pieces of work: counts as a part.
///
/// # Errors
/// `Cancelled`.
pub fn pause() -> Result<()> {
    with(|watch| {
        if watch.depth == 0 {
            watch.finish();
        }
        watch.ask()
    })
    .unwrap_or(Ok(()))
}

/// In the middle of what takes long: counts as nothing.
///
/// # Errors
/// `Cancelled`.
pub fn ask() -> Result<()> {
    with(Watch::ask).unwrap_or(Ok(()))
}

/// The steps of a loop: a part of the work, unless it is in another one's step.
pub struct Steps {
    all: usize,
    done: usize,
    part: bool,
}

impl Steps {
    /// A loop of so many steps.
    pub fn new(all: usize) -> Self {
        let part = with(|watch| {
            watch.depth += 1;
            watch.depth == 1
        })
        .unwrap_or(false);
        Self { all, done: 0, part }
    }

    /// One of them begins.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn step(&mut self) -> Result<()> {
        let asks = self.done.is_multiple_of(EVERY);
        self.done += 1;
        // Few steps may be long ones, in which is asked, too.
        if self.part && (asks || self.all < EVERY) {
            let share = self.done.min(self.all) as f64 / self.all.max(1) as f64;
            with(|watch| watch.share = share);
        }
        if asks { ask() } else { Ok(()) }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        with(|watch| {
            watch.depth = watch.depth.saturating_sub(1);
            if self.part {
                watch.finish();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    fn work(loops: usize, steps: usize) -> Result<usize> {
        let mut done = 0;
        for _ in 0..loops {
            let mut all = Steps::new(steps);
            for step in 0..steps {
                all.step()?;
                done += 1;
                if step % 10_000 == 0 {
                    let mut inner = Steps::new(1);
                    inner.step()?;
                }
            }
        }
        pause()?;
        Ok(done)
    }

    #[test]
    fn progress_grows_and_never_reaches_the_end_by_itself() {
        let told = Rc::new(RefCell::new(Vec::new()));
        let hears = Rc::clone(&told);
        let hear = move |far| {
            hears.borrow_mut().push(far);
            true
        };
        // Four parts are expected, six are done.
        assert_eq!(watched(4, hear, || work(5, 20_000)), Ok(100_000));
        let told = told.borrow();
        assert!(told.len() >= 5 * 5);
        assert!(told.windows(2).all(|pair| pair[0] <= pair[1]), "{told:?}");
        assert!(told[0] < 0.01 && told.last().is_some_and(|&last| last > EXPECTED && last < 1.0), "{told:?}");
    }

    #[test]
    fn a_long_step_asks_and_is_told_as_far_as_it_is() {
        let told = Rc::new(RefCell::new(Vec::new()));
        let hears = Rc::clone(&told);
        let hear = move |far| {
            hears.borrow_mut().push(far);
            far < 0.5
        };
        let work = || {
            let mut steps = Steps::new(10);
            for _ in 0..10 {
                steps.step()?;
                ask()?;
            }
            Ok(())
        };
        assert_eq!(watched(1, hear, work), Err(Error::Cancelled));
        let tenths: Vec<f64> = told.borrow().iter().map(|far| (10.0 * far / EXPECTED).round()).collect();
        assert_eq!(tenths, [1, 1, 2, 3, 4, 5, 6].map(f64::from));
    }

    #[test]
    fn work_ends_when_the_listener_says_so() {
        let asked = Rc::new(Cell::new(0));
        let asks = Rc::clone(&asked);
        let hear = move |_| {
            asks.set(asks.get() + 1);
            asks.get() < 3
        };
        assert_eq!(watched(1, hear, || work(1, 1_000_000)), Err(Error::Cancelled));
        assert_eq!(asked.get(), 3);
        // Nobody listens any more, and nobody listens to what is unheard.
        assert_eq!(work(1, 10), Ok(10));
        assert_eq!(watched(1, |_| false, || unheard(|| work(1, 10))), Ok(10));
    }
}
