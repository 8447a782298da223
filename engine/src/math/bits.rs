//! Ranges of bits, from the lowest of a byte up.

/// Writes `size` bits of `from`, from bit `skip` on, to `to`, from bit `at` on; other bits of `to` stay.
///
/// Both hold that many bits.
pub fn copy_bits(to: &mut [u8], at: usize, from: &[u8], skip: usize, size: usize) {
    if at.is_multiple_of(8) && skip.is_multiple_of(8) {
        let whole = size / 8;
        to[at / 8..][..whole].copy_from_slice(&from[skip / 8..][..whole]);
        return some_bits(to, at + 8 * whole, from, skip + 8 * whole, size % 8);
    }
    // Up to the next byte of `to`, then by bytes, then the rest.
    let first = ((8 - at % 8) % 8).min(size);
    some_bits(to, at, from, skip, first);
    let mut done = first;
    while done + 8 <= size {
        let bit = skip + done;
        let (low, shift) = (from[bit / 8], bit % 8);
        let high = if shift == 0 { 0 } else { from[bit / 8 + 1] };
        to[(at + done) / 8] = ((u16::from(high) << 8 | u16::from(low)) >> shift) as u8;
        done += 8;
    }
    some_bits(to, at + done, from, skip + done, size - done);
}

/// The same, bit by bit.
fn some_bits(to: &mut [u8], at: usize, from: &[u8], skip: usize, size: usize) {
    for i in 0..size {
        let (a, b) = (at + i, skip + i);
        let bit = from[b / 8] >> (b % 8) & 1;
        to[a / 8] = to[a / 8] & !(1 << (a % 8)) | bit << (a % 8);
    }
}

/// Bytes that so many bits take up.
pub fn bytes_of(bits: u64) -> u64 {
    bits.div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_and_size_as_bit_by_bit() {
        let from: Vec<u8> = (0..8u8).map(|i| i.wrapping_mul(73) ^ 0x5a).collect();
        for (at, skip) in (0..17).flat_map(|at| (0..17).map(move |skip| (at, skip))) {
            for size in 0..=40 {
                let (mut fast, mut slow) = ([0xa5; 8], [0xa5; 8]);
                copy_bits(&mut fast, at, &from, skip, size);
                some_bits(&mut slow, at, &from, skip, size);
                assert_eq!(fast, slow, "at {at}, skip {skip}, size {size}");
            }
        }
    }
}
