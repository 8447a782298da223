//! Work that has no graph, on all threads: what is read, laid out or written before a run and after it.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Words that one thread has read, packed or laid out before it has called others: what is less is done alone.
pub const ALONE: usize = 1 << 15;

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
    (0..count).into_par_iter().with_max_len(1).for_each(f);
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
}
