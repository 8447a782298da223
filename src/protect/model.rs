//! What expressions mean, by a few lines of their own: for tests.

/// The value of an expression in the notation of [`super::Recorder::express`] on unsigned numbers of so many bits; `a`, `A` are
/// the first of the operands, and so on.
pub(super) fn evaluate(text: &str, operands: &[u64], bits: u32) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let signed = |x: u64| ((x << (64 - bits)) as i64) >> (64 - bits);
    let mut stack: Vec<u64> = Vec::new();
    for token in text.split(' ') {
        let mut pop = || stack.pop().unwrap();
        let value = match token {
            "not" => !pop(),
            "neg" => pop().wrapping_neg(),
            "select" => {
                let (b, a, condition) = (pop(), pop(), pop());
                if condition == 0 { b } else { a }
            }
            "abs" => signed(pop()).unsigned_abs(),
            _ if token.len() == 1 && token.as_bytes()[0].is_ascii_alphabetic() => {
                operands[usize::from((token.as_bytes()[0] | 0x20) - b'a')]
            }
            _ if token.parse::<i64>().is_ok() => token.parse::<i64>().unwrap() as u64,
            _ => {
                let (b, a) = (pop(), pop());
                match token {
                    "add" => a.wrapping_add(b),
                    "sub" => a.wrapping_sub(b),
                    "mul" => a.wrapping_mul(b),
                    "and" => a & b,
                    "or" => a | b,
                    "xor" => a ^ b,
                    "eq" => u64::from(a == b),
                    "ne" => u64::from(a != b),
                    "lt" => u64::from(a < b),
                    "le" => u64::from(a <= b),
                    "min" => a.min(b),
                    "max" => a.max(b),
                    "shl" => a << (b % u64::from(bits)),
                    "shr" => a >> (b % u64::from(bits)),
                    "rotl" => {
                        a << (b % u64::from(bits))
                            | a >> ((u64::from(bits) - b % u64::from(bits)) % u64::from(bits))
                    }
                    _ => panic!("{token}"),
                }
            }
        };
        stack.push(value & mask);
    }
    assert_eq!(stack.len(), 1, "{text}");
    stack[0]
}
