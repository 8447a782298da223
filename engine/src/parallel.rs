//! Work that has no graph, on all threads: what is read, laid out or written before a run and after it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Words that one thread has read, packed or laid out before it has called others: what is less is done alone.
pub const ALONE: usize = 1 << 17;

/// `f` of each item, in the order of the items, which have so many words together.
pub fn map<T: Send, U: Send>(
    words: usize,
    items: impl IntoIterator<Item = T>,
    f: impl Fn(T) -> U + Sync,
) -> Vec<U> {
    if words < ALONE {
        return items.into_iter().map(f).collect();
    }
    let places: Vec<Mutex<(Option<T>, Option<U>)>> =
        items.into_iter().map(|item| Mutex::new((Some(item), None))).collect();
    run(places.len(), &|at| {
        let mut place = places[at].lock().unwrap_or_else(PoisonError::into_inner);
        let (item, made) = &mut *place;
        *made = item.take().map(&f);
    });
    let made = |place: Mutex<(_, Option<U>)>| place.into_inner().unwrap_or_else(PoisonError::into_inner).1;
    places.into_iter().filter_map(made).collect()
}

/// One piece of code for whatever is done: rayon makes a kilobyte or two of each closure.
fn run(count: usize, f: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < count);
    each(rayon::current_num_threads().min(count), &|_| {
        while let Some(at) = take() {
            f(at);
        }
    });
}

/// How often who waits for other threads looks for work before sleeping. rayon looks about thirty times, which where a thread cannot
/// give up its turn, as in wasm, is over at once; to be woken takes longer than most of what is waited for.
const LOOKS: usize = 2_000;

/// `f` of every number below `threads`, each on a thread of its own where one is free; 0 is the caller's.
pub fn each(threads: usize, f: &(dyn Fn(usize) + Sync)) {
    if threads < 2 {
        return (0..threads).for_each(f);
    }
    let left = AtomicUsize::new(threads - 1);
    rayon::scope(|scope| {
        for thread in 1..threads {
            let left = &left;
            scope.spawn(move |_| {
                f(thread);
                left.fetch_sub(1, Ordering::Release);
            });
        }
        f(0);
        let mut idle = 0;
        while idle < LOOKS && left.load(Ordering::Acquire) > 0 {
            match rayon::yield_now() {
                Some(rayon::Yield::Executed) => idle = 0,
                _ => idle += 1,
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once_and_in_order() {
        for count in [0, 1, 2, 1000] {
            for words in [0, ALONE] {
                let inner = |at: usize| map(words, 0..at % 5, |k| k).len();
                assert_eq!(map(words, 0..count, inner), (0..count).map(|at| at % 5).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_number_once_also_inside_one_another() {
        for threads in [0, 1, 2, 7] {
            let counts: Vec<AtomicUsize> = (0..threads * threads).map(|_| AtomicUsize::new(0)).collect();
            each(threads, &|outer| {
                each(threads, &|inner| {
                    counts[outer * threads + inner].fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{threads}: {counts:?}");
        }
    }
}
