//! 64-bit words in WGSL, which has 32-bit ones, and residues modulo primes below 2^62 made of them.

/// Bindings, and functions on words and residues. A record of an operator is: where its output begins in the arena, where each input does, its constants, where
/// its table begins.
pub(super) const PRELUDE: &str = r"
alias Word = vec2<u32>;

@group(0) @binding(0) var<storage, read_write> arena: array<Word>;
@group(0) @binding(1) var<storage, read> records: array<u32>;
@group(0) @binding(2) var<storage, read> tables: array<Word>;

fn load(r: u32, input: u32, i: u32) -> Word { return arena[records[r + 1u + input] + i]; }
fn store(r: u32, i: u32, x: Word) { arena[records[r] + i] = x; }
fn number(r: u32, at: u32) -> Word { return Word(records[r + CONSTANTS + 2u * at], records[r + CONSTANTS + 2u * at + 1u]); }
fn entry(r: u32, at: u32) -> Word { return tables[records[r + STRIDE - 1u] + at]; }

fn add(a: Word, b: Word) -> Word {
  let low = a.x + b.x;
  return Word(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn sub(a: Word, b: Word) -> Word { return Word(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x)); }
fn below(a: Word, b: Word) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }

// 32 x 32 bits, of halves.
fn wide(a: u32, b: u32) -> Word {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let bl = b & 0xffffu;
  let bh = b >> 16u;
  let low = al * bl;
  let cross = ah * bl;
  let middle = (low >> 16u) + (cross & 0xffffu) + al * bh;
  return Word((low & 0xffffu) | (middle << 16u), ah * bh + (cross >> 16u) + (middle >> 16u));
}
fn mul_low(a: Word, b: Word) -> Word {
  let low = wide(a.x, b.x);
  return Word(low.x, low.y + a.x * b.y + a.y * b.x);
}
fn mul_high(a: Word, b: Word) -> Word {
  let p = wide(a.x, b.y);
  let s = add(p, Word(wide(a.x, b.x).y, 0u));
  let t = add(wide(a.y, b.x), Word(s.x, 0u));
  return add(wide(a.y, b.y), add(Word(s.y, 0u), Word(t.y, 0u)));
}

fn once(x: Word, q: Word) -> Word {
  if (below(x, q)) { return x; }
  return sub(x, q);
}
fn add_mod(a: Word, b: Word, q: Word) -> Word { return once(add(a, b), q); }
fn sub_mod(a: Word, b: Word, q: Word) -> Word {
  let x = sub(a, b);
  if (below(a, b)) { return add(x, q); }
  return x;
}
fn neg_mod(a: Word, q: Word) -> Word {
  if (all(a == Word())) { return a; }
  return sub(q, a);
}
// a w mod q for any word a, with floor(2^64 w / q) (Shoup).
fn mul_known(a: Word, w: Word, quotient: Word, q: Word) -> Word {
  return once(sub(mul_low(a, w), mul_low(mul_high(a, quotient), q)), q);
}
// a b / 2^64 mod q for residues, with 1 / q modulo 2^64 (Montgomery).
fn mul_shifted(a: Word, b: Word, q: Word, inverse: Word) -> Word {
  return sub_mod(mul_high(a, b), mul_high(mul_low(mul_low(a, b), inverse), q), q);
}
";
