//! The one suite that every platform passes: the same bits as the reference, on edge values and random ones.
