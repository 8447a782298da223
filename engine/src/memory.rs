//! Memory of a size that outside bytes decide: asked for, never taken for granted.

use crate::{Error, Result};
use bytemuck::{Zeroable, try_zeroed_vec};
use std::mem::MaybeUninit;

/// An empty list with room for `len` elements, which it takes without growing.
///
/// # Errors
/// `OutOfMemory` says how many bytes were asked for.
pub fn room<T>(len: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let asked = (len as u64).saturating_mul(size_of::<T>() as u64);
    list.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { asked })?;
    Ok(list)
}

/// `len` zeros, from whoever gives the memory: a loop would be compiled where it is called, which may be for size.
///
/// # Errors
/// As [`room`].
pub fn zeros<T: Zeroable>(len: usize) -> Result<Vec<T>> {
    let asked = (len as u64).saturating_mul(size_of::<T>() as u64);
    try_zeroed_vec(len).map_err(|()| Error::OutOfMemory { asked })
}

/// `len` elements that `write` writes, into memory that nobody has written to before: of megabytes, that they are 0 first takes as long as copying them.
/// `write` gives back all that it was given, written; the list is empty where it gives anything else.
///
/// # Errors
/// As [`room`].
#[expect(unsafe_code, reason = "whoever has written elements can show them, see below")]
pub fn written<T: Copy>(
    len: usize,
    write: impl for<'a> FnOnce(&'a mut [MaybeUninit<T>]) -> &'a mut [T],
) -> Result<Vec<T>> {
    let mut list = room(len)?;
    let place = &mut list.spare_capacity_mut()[..len];
    let expected = place.as_ptr().cast::<T>();
    let found = write(place);
    if std::ptr::eq(found.as_ptr(), expected) && found.len() == len {
        // SAFETY: there is room for `len`, of which `found` shows all: they lie where the list begins, and a `&mut [T]`
        // is only of elements that were written. Where `T` has no size, there is nothing to write.
        unsafe { list.set_len(len) };
    }
    Ok(list)
}

/// A copy of a list.
///
/// # Errors
/// As [`room`].
pub fn copy<T: Copy>(list: &[T]) -> Result<Vec<T>> {
    let mut copy = room(list.len())?;
    copy.extend_from_slice(list);
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_there_and_nothing_else() {
        for len in [0u32, 1, 1000] {
            let list = written(len as usize, |place: &mut [MaybeUninit<u32>]| {
                assert_eq!(place.len(), len as usize);
                place.write_copy_of_slice(&(0..len).collect::<Vec<_>>())
            });
            assert_eq!(list.unwrap(), (0..len).collect::<Vec<_>>());
        }
        // A part of it, or something else, is not taken for all.
        let part = written(3, |place: &mut [MaybeUninit<u32>]| place[..2].write_copy_of_slice(&[1, 2]));
        assert_eq!(part, Ok(vec![]));
        let last = written(3, |place: &mut [MaybeUninit<u32>]| place[1..].write_copy_of_slice(&[1, 2]));
        assert_eq!(last, Ok(vec![]));
        let other = written(3, |_: &mut [MaybeUninit<u32>]| Vec::leak(vec![7, 8, 9]));
        assert_eq!(other, Ok(vec![]));
        let asked = 8 * ((1u64 << 60) - 1);
        let none = written((1 << 60) - 1, |_: &mut [MaybeUninit<u64>]| -> &mut [u64] { unreachable!() });
        assert_eq!(none, Err(Error::OutOfMemory { asked }));
    }

    #[test]
    fn what_cannot_be_had_is_an_error_that_says_how_much() {
        assert_eq!(zeros::<u64>(3).unwrap(), [0; 3]);
        assert_eq!(copy(&[1u8, 2]).unwrap(), [1, 2]);
        let asked = 8 * ((1u64 << 60) - 1);
        assert_eq!(room::<u64>((1 << 60) - 1), Err(Error::OutOfMemory { asked }));
        assert_eq!(zeros::<u64>((1 << 60) - 1), Err(Error::OutOfMemory { asked }));
        for asked in [room::<u64>(usize::MAX), zeros(usize::MAX)] {
            assert_eq!(asked, Err(Error::OutOfMemory { asked: u64::MAX }));
        }
    }
}
