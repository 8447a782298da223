//! From any element to any other.

use super::arithmetic::one;
use super::{Use, bits, typed, unsigned};
use crate::ops::tensor::Element;
use crate::platform::Kernel;

/// `convert`.
pub(super) fn kernel(uses: &Use) -> Option<Kernel> {
    let (from, to) = (uses.first().element, uses.element);
    // `as` truncates, saturates and rounds as it should; bits are bytes on the way. What becomes of the sign of an integer
    // shows in wider integers and in floats alone, and a sign that is made only where a float is the source.
    macro_rules! from {
        ($a:ty => $($element:pat => $b:ty),*) => {
            match to {
                $($element => each(|a: $a| a as $b),)*
                _ => None,
            }
        };
    }
    let kernel = match (from, to) {
        (from, Element::Bit) => match unsigned(from) {
            Element::U32 => each(|a: u32| u8::from(a != 0)),
            Element::U64 => each(|a: u64| u8::from(a != 0)),
            Element::F32 => each(|a: f32| u8::from(a != 0.0)),
            Element::F64 => each(|a: f64| u8::from(a != 0.0)),
            _ => each(|a: u8| u8::from(a != 0)),
        },
        (Element::Bit | Element::U8, _) => {
            from!(u8 => Element::U8 => u8, Element::I32 | Element::U32 => u32, Element::I64 | Element::U64 => u64,
                Element::F32 => f32, Element::F64 => f64)
        }
        (Element::I32, Element::I64 | Element::U64) => each(|a: i32| a as u64),
        (Element::I32, Element::F32 | Element::F64) => {
            from!(i32 => Element::F32 => f32, Element::F64 => f64)
        }
        (Element::I64, Element::F32 | Element::F64) => {
            from!(i64 => Element::F32 => f32, Element::F64 => f64)
        }
        (Element::I32 | Element::U32, _) => {
            from!(u32 => Element::U8 => u8, Element::I32 | Element::U32 => u32, Element::I64 | Element::U64 => u64,
                Element::F32 => f32, Element::F64 => f64)
        }
        (Element::I64 | Element::U64, _) => {
            from!(u64 => Element::U8 => u8, Element::I32 | Element::U32 => u32, Element::I64 | Element::U64 => u64,
                Element::F32 => f32, Element::F64 => f64)
        }
        (Element::F32, _) => {
            from!(f32 => Element::U8 => u8, Element::I32 => i32, Element::U32 => u32, Element::I64 => i64,
                Element::U64 => u64, Element::F32 => f32, Element::F64 => f64)
        }
        (Element::F64, _) => {
            from!(f64 => Element::U8 => u8, Element::I32 => i32, Element::U32 => u32, Element::I64 => i64,
                Element::U64 => u64, Element::F32 => f32, Element::F64 => f64)
        }
    };
    Some(bits::unpacked(kernel?, &uses.inputs, &uses.out))
}

fn each<A: bytemuck::Pod, B: bytemuck::Pod>(
    f: impl Fn(A) -> B + Copy + Send + Sync + 'static,
) -> Option<Kernel> {
    typed(move |inputs: &[&[A]], out: &mut [B]| one(inputs[0], out, f))
}
