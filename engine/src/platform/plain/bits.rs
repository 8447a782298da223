//! Tensors of bits: packed, or one in a byte.

use crate::ops::tensor::{Element, Tensor};
use crate::platform::Kernel;

/// Bits, one in a byte.
pub(super) fn unpack(bits: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    for (bytes, bits) in bytes.chunks_mut(8).zip(bits) {
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = bits >> i & 1;
        }
    }
    bytes
}

/// Bytes of 0 or 1, eight in one; the bits that fill up the last one are 0.
pub(super) fn pack(bytes: &[u8], bits: &mut [u8]) {
    for (bits, bytes) in bits.iter_mut().zip(bytes.chunks(8)) {
        *bits = bytes.iter().enumerate().fold(0, |bits, (i, byte)| bits | (byte & 1) << i);
    }
}

/// Sets the bits that fill up the last byte to 0.
pub(super) fn trim(bits: &mut [u8], len: usize) {
    if let Some(last) = bits.last_mut().filter(|_| !len.is_multiple_of(8)) {
        *last &= (1 << (len % 8)) - 1;
    }
}

/// A kernel that knows bytes, where the inputs or the output are bits.
pub(super) fn unpacked(kernel: Kernel, inputs: &[Tensor], out: &Tensor) -> Kernel {
    let bits = |tensor: &Tensor| (tensor.element == Element::Bit).then(|| tensor.len());
    let (inputs, out): (Vec<Option<usize>>, _) = (inputs.iter().map(bits).collect(), bits(out));
    if inputs.iter().all(Option::is_none) && out.is_none() {
        return kernel;
    }
    let Kernel::Bytes(kernel) = kernel else { return kernel };
    Kernel::on_bytes(move |data: &[&[u8]], to: &mut [u8]| {
        let bytes: Vec<Option<Vec<u8>>> =
            data.iter().zip(&inputs).map(|(data, bits)| bits.map(|len| unpack(data, len))).collect();
        let data: Vec<&[u8]> =
            data.iter().zip(&bytes).map(|(&data, bytes)| bytes.as_deref().unwrap_or(data)).collect();
        let Some(len) = out else { return kernel.run(&data, to) };
        let mut result = vec![0; len];
        kernel.run(&data, &mut result);
        pack(&result, to);
    })
}

/// A kernel on packed bits, for inputs that broadcast to the output.
pub(super) fn packed<const N: usize>(
    inputs: &[Tensor],
    out: &Tensor,
    f: fn([&[u8]; N], &mut [u8]),
) -> Option<Kernel> {
    let len = out.len();
    // What has another shape is spread out first.
    let mut spread: Vec<Option<Kernel>> = Vec::new();
    for input in inputs {
        let fits = input.len() == len;
        spread.push(if fits { None } else { Some(super::arrange::spread(input, &out.shape)?) });
    }
    Some(Kernel::on_bytes(move |data: &[&[u8]], to: &mut [u8]| {
        let wide = |(data, spread): (&&[u8], &Option<Kernel>)| match spread {
            Some(Kernel::Bytes(spread)) => {
                let mut wide = vec![0; to.len()];
                spread.run(&[data], &mut wide);
                Some(wide)
            }
            _ => None,
        };
        let wide: Vec<Option<Vec<u8>>> = data.iter().zip(&spread).map(wide).collect();
        f(std::array::from_fn(|i| wide[i].as_deref().unwrap_or(data[i])), to);
        trim(to, len);
    }))
}
