//! Memory of a size that outside bytes decide: asked for, never taken for granted.

use crate::{Error, Result};
use bytemuck::{Zeroable, try_zeroed_vec};

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
