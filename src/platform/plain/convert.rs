//! From any element to any other.

use super::arithmetic::one;
use super::{Use, bits, typed};
use crate::ops::tensor::Element;
use crate::platform::Kernel;

/// `convert`.
pub(super) fn kernel(uses: &Use) -> Option<Kernel> {
    let from = uses.first().element;
    // `as` truncates, saturates and rounds as it should; bits are bytes on the way.
    macro_rules! from {
        ($a:ty => $($element:ident $b:ty),*) => {
            match uses.element {
                $(Element::$element => each(|a: $a| a as $b),)*
                Element::Bit => each(|a: $a| u8::from(a != <$a>::default())),
            }
        };
        ($a:ty) => { from!($a => U8 u8, I32 i32, U32 u32, I64 i64, U64 u64, F32 f32, F64 f64) };
    }
    let kernel = match from {
        Element::Bit | Element::U8 => from!(u8),
        Element::I32 => from!(i32),
        Element::U32 => from!(u32),
        Element::I64 => from!(i64),
        Element::U64 => from!(u64),
        Element::F32 => from!(f32),
        Element::F64 => from!(f64),
    };
    Some(bits::unpacked(kernel?, &uses.inputs, &uses.out))
}

fn each<A: bytemuck::Pod, B: bytemuck::Pod>(
    f: impl Fn(A) -> B + Copy + Send + Sync + 'static,
) -> Option<Kernel> {
    typed(move |inputs: &[&[A]], out: &mut [B]| one(inputs[0], out, f))
}
